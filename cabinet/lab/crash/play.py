"""Plays the evening again and again and crashes it at each chosen point.

On memory wires one process plays the evening and forks at each point: the child pulls the plug and sees
what comes of it, the parent plays on as if nothing had happened. A pty cannot be had twice: there each
crash plays its own evening from the start.
"""

from __future__ import annotations

import gc
import logging
import os
import random
import signal
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from cabinet.lab import scratch as scratch_folders
from cabinet.lab import world as worlds
from cabinet.lab.crash import record as crash_record
from cabinet.lab.crash.checks import Check, CrashVerdict
from cabinet.lab.crash.cut import CrashScene, Cut, Dead, aftermath, strike
from cabinet.lab.crash.evening import Life
from cabinet.lab.crash.record import Recording
from cabinet.lab.crash.script import Script, cabinet, steps_of
from cabinet.lab.crash.watch import COMMIT_MS, Point, PointKind
from cabinet.lab.patience import PATIENCE_S
from cabinet.lab.people import Attendant
from drivers.sim.wire import patch_bay


@dataclass(frozen=True, slots=True)
class CrashOptions:
    cabinet: str = "shared3"
    seed: int = 1
    wire: str = "memory"
    scenes: tuple[str, ...] = ()
    commit_ms: int = COMMIT_MS
    synchronous: int | None = None  # of the recorded disk: as shipped; 1 shows that the harness finds it


Choose = Callable[[Point], Sequence[Cut]]


@dataclass(slots=True)
class CrashOutcome:
    """What all crashes of a run have shown."""

    points: int = 0
    kinds: Counter[str] = field(default_factory=Counter)  # of the points
    crashes: int = 0
    cuts: int = 0  # power that went a second time counts, too
    visits: int = 0
    seconds: float = 0.0
    digest: str = ""
    problems: list[str] = field(default_factory=list)
    checks: Counter[str] = field(default_factory=Counter)  # what found them

    def take(self, point: Point, cut: Cut, verdict: CrashVerdict, replay: str) -> None:
        self.crashes += 1
        self.cuts += verdict.cuts
        self.visits += verdict.visits
        for check, text in verdict.problems:
            self.checks[check] += 1
            self.problems.append(f"{point}; {cut}: {check}: {text}\n  again: {replay}")


def open_scene(options: CrashOptions, scratch: Path) -> CrashScene:
    """A world without a program."""
    config = cabinet(options.cabinet)
    wires = scratch / "wires"
    wires.mkdir(parents=True, exist_ok=True)
    world = worlds.build(config, wire=options.wire, seed=options.seed, directory=wires)
    world.attendant = Attendant(options.seed, pace=8)
    script = Script(steps_of(config, options.scenes))
    return CrashScene(world, patch_bay(world.open_links), scratch, options.seed, script, options.commit_ms)


def scratch_folder() -> AbstractContextManager[Path]:
    """On a disk in memory where there is one: hundreds of starts flush a lot."""
    base = Path("/dev/shm")  # noqa: S108 - the folder itself gets a name of its own
    return scratch_folders.folder("crash", base if base.is_dir() else None)


def run(
    options: CrashOptions,
    choose: Choose,
    *,
    recording: bool = True,
    on_progress: Callable[[CrashOutcome], None] = lambda _outcome: None,
    enough: Callable[[CrashOutcome], bool] = lambda _outcome: False,
) -> CrashOutcome:
    """Crash where `choose` says, on memory wires, until `enough`. With `recording` the disk of a power cut
    is what had been flushed (needs strace); without it everything that was written survives."""
    outcome, began = CrashOutcome(), time.monotonic()
    with scratch_folder() as folder:
        scratch = Path(folder)
        disk = recorded(options, scratch) if recording else None
        scene = open_scene(options, scratch)

        def at_point(point: Point) -> None:
            outcome.points += 1
            outcome.kinds[point.kind] += 1
            if disk is not None:
                disk.to(point.number)
            for cut in choose(point):
                verdict = in_child(lambda cut=cut: crash(scene, life, point, cut, disk))  # type: ignore[misc]
                outcome.take(point, cut, verdict, again(options, point, cut))
                on_progress(outcome)
                if enough(outcome):
                    raise Dead

        life = scene.first_life(scratch / "state", at_point)
        gc.collect()
        gc.freeze()  # shared with every child
        try:
            life.run(life.all_gone)
            life.stop()
        except Dead:
            life.runtime.journal.close()
            return outcome
        finally:
            gc.unfreeze()
        outcome.digest = life.digest()
        if disk is not None and disk.digest != outcome.digest:
            outcome.problems.append("the recorded evening was another one: the disks do not fit")
    outcome.seconds = time.monotonic() - began
    return outcome


def recorded(options: CrashOptions, scratch: Path) -> Recording:
    """The system calls of the evening (needs strace)."""
    given = ["--cabinet", options.cabinet, "--seed", str(options.seed)]
    given += ["--commit-ms", str(options.commit_ms)]
    if options.synchronous is not None:
        given += ["--synchronous", str(options.synchronous)]
    given += ["--scenes", *options.scenes]
    return crash_record.record(scratch, *given)


def crash(scene: CrashScene, life: Life, point: Point, cut: Cut, disk: Recording | None) -> CrashVerdict:
    """Pull the plug here and see what comes of it. Nothing of this process can be used afterwards."""
    dice = random.Random(f"cut {scene.seed} {point.number} {cut}")
    flushed = None
    if disk is not None:
        flushed = disk.between(dice) if point.kind is PointKind.INSIDE else disk.disk
    struck = strike(scene, life, cut, flushed, 0, dice)
    return aftermath(scene, struck, cut, dice, again=True)


def run_again(
    options: CrashOptions, choose: Choose, on_progress: Callable[[CrashOutcome], None] = lambda _outcome: None
) -> CrashOutcome:
    """The same crashes with an evening for each, on any wires. What was written survives."""
    outcome, began = CrashOutcome(), time.monotonic()
    points: list[Point] = []
    with scratch_folder() as folder:
        scene = open_scene(options, Path(folder))
        life = scene.first_life(Path(folder) / "state", points.append)
        life.run(life.all_gone)
        life.stop()
        outcome.digest = life.digest()
        scene.world.close()
    for point in points:
        outcome.points += 1
        outcome.kinds[point.kind] += 1
        for cut in choose(point):
            verdict = in_child(lambda point=point, cut=cut: crash_again(options, point, cut))  # type: ignore[misc]
            outcome.take(point, cut, verdict, again(options, point, cut))
            on_progress(outcome)
    outcome.seconds = time.monotonic() - began
    return outcome


def crash_again(options: CrashOptions, point: Point, cut: Cut) -> CrashVerdict:
    """Play an evening of its own up to `point`, and crash it there."""
    verdict, struck = CrashVerdict(), []
    with scratch_folder() as folder:
        scene = open_scene(options, Path(folder))
        dice = random.Random(f"cut {options.seed} {point.number} {cut}")

        def at_point(now: Point) -> None:
            if now == point:
                struck.append(strike(scene, life, cut, None, 0, dice))
                raise Dead

        life = scene.first_life(Path(folder) / "state", at_point)
        try:
            life.run(life.all_gone)
            life.stop()  # its commits are points like all others
        except Dead:
            verdict = aftermath(scene, struck[0], cut, dice, again=True)
        else:
            verdict.add(Check.ENDS, "this evening has no such point")
        scene.world.close()
    return verdict


def in_child(work: Callable[[], CrashVerdict]) -> CrashVerdict:
    """Run `work` in a fork of this process. A child that dies or hangs is a finding."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not use
        child = os.fork()
    if child == 0:
        _answer(work, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if not said:
        verdict = CrashVerdict()
        verdict.add(Check.ENDS, f"the crashed evening ended with {os.waitstatus_to_exitcode(status)}")
        return verdict
    return msgspec.json.decode(said, type=CrashVerdict)


def _answer(work: Callable[[], CrashVerdict], writer: int) -> None:
    """The child: nothing of its parent's may be closed or flushed by it."""
    code = 1
    try:
        gc.disable()  # it does not live long
        logging.disable(logging.WARNING)  # what a start has to say is looked at, not listened to
        signal.alarm(PATIENCE_S)
        os.write(writer, msgspec.json.encode(work()))
        code = 0
    finally:
        os._exit(code)


def again(options: CrashOptions, point: Point, cut: Cut) -> str:
    """The command that crashes there once more."""
    more = f" --scenes {','.join(options.scenes)}" if options.scenes else ""
    more += f" --commit-ms {options.commit_ms}" if options.commit_ms != COMMIT_MS else ""
    return (
        f"cabinet lab crash --cabinet {options.cabinet} --seed {options.seed} --wire {options.wire}{more} "
        f"--point {point.number} --cut {cut}"
    )


# ---- which points


def every(step: int, cuts: Sequence[Cut], first: int = 0) -> Choose:
    """One crash at every `step`th point, each with the next way of losing power from the `first` on."""

    def choose(point: Point) -> Sequence[Cut]:
        place, rest = divmod(point.number, step)
        return (cuts[(place + first) % len(cuts)],) if rest == 0 else ()

    return choose


def everywhere(cuts: Sequence[Cut]) -> Choose:
    return lambda _point: cuts


def only(number: int, cuts: Sequence[Cut]) -> Choose:
    return lambda point: cuts if point.number == number else ()
