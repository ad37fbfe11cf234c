"""One crash: power goes at a point, time passes, the program starts again on what is left, the evening
ends, and everything is counted. What is wrong is told with the check that found it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cabinet.lab.audit import Audit
from cabinet.lab.crash.checks import Check, CrashVerdict, comes_back, count, has_all_rows, told_too_early
from cabinet.lab.crash.disk import Disk, Survival, lay_out
from cabinet.lab.crash.evening import COPY_NAME, EndlessError, Life
from cabinet.lab.crash.script import Script
from cabinet.lab.crash.watch import COMMIT_MS, AtPoint, Point
from cabinet.lab.glance import Laid
from cabinet.lab.world import World
from cabinet.store.journal import Head
from drivers.link import OpenLink
from drivers.sim.printers import PrinterMachine
from drivers.sim.validator import ValidatorMachine

FLIGHT_MS = 60  # the longest burst on a wire has arrived by then
AGAIN_CHANCE, AGAIN_POINTS = 0.3, 60  # a second loss of power, so soon after the start
DOWN_MS = ((0, 0), (50, 1_500), (1_500, 9_000))  # too short for anything, or long enough for a ticket


class Plug(StrEnum):
    """What loses power."""

    PROCESS = "process"  # killed: the disk keeps what was written, the devices live on
    BOARD = "board"  # the computer: what was not flushed may be lost, the devices live on
    ALL = "all"  # the computer and every device


class Bytes(StrEnum):
    LOST = "lost"
    DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class Cut:
    """How the power goes. Written ``all,lost,none``."""

    plug: Plug
    bytes: Bytes
    survival: Survival = Survival.ALL  # of what was written and not flushed

    def __str__(self) -> str:
        return f"{self.plug},{self.bytes},{self.survival}"

    @classmethod
    def parse(cls, text: str) -> Cut:
        plug, data, survival = text.split(",")
        return cls(Plug(plug), Bytes(data), Survival(survival))


@dataclass(slots=True)
class CrashScene:
    """What all lives of one evening share. `scratch` takes the state directories of those after a crash."""

    world: World
    open_link: OpenLink
    scratch: Path
    seed: int
    script: Script
    commit_ms: int = COMMIT_MS

    def first_life(self, state_dir: Path, at_point: AtPoint) -> Life:
        """The life in which the script is played."""
        return Life(
            self.world,
            state_dir,
            seed=self.seed,
            open_link=self.open_link,
            script=self.script,
            commit_ms=self.commit_ms,
            at_point=at_point,
        )


class Dead(BaseException):
    """Raised through the program that has just lost its power, to get out of it: nothing may catch it."""


@dataclass(frozen=True, slots=True)
class Struck:
    """What is left of a life: the disk, and what everybody had been told."""

    state_dir: Path
    now_ms: int
    acknowledged: Head
    shown: tuple[int, Laid] | None  # session 0: nothing could be recorded at all


def all_cuts(*, survivals: bool) -> tuple[Cut, ...]:
    """Every way in which power can go. Without `survivals` (nobody can tell what the disk had flushed)
    everything that was written survives."""
    kept = tuple(s for s in Survival if s is not Survival.ALL) if survivals else (Survival.ALL,)
    cuts = [Cut(Plug.PROCESS, data) for data in Bytes]
    cuts += [Cut(plug, data, s) for plug in (Plug.BOARD, Plug.ALL) for data in Bytes for s in kept]
    return tuple(cuts)


# ---- power goes


def strike(
    scene: CrashScene, life: Life, cut: Cut, disk: Disk | None, number: int, dice: random.Random
) -> Struck:
    """Pull the plug at this very point of `life`: bytes arrive or do not, devices are dark or not. `disk` is
    what had been flushed, where that is known. Nothing of the program runs after this."""
    world = scene.world
    state_dir = scene.scratch / f"state-{number}"
    shutil.rmtree(state_dir, ignore_errors=True)
    if cut.plug is Plug.PROCESS or disk is None:
        shutil.copytree(life.state_dir, state_dir)
    else:
        lay_out(state_dir, disk.after_power_cut(cut.survival, dice))
    for wire in world.wires.values():
        wire.take_up(life.now_ms)  # what the kernel had taken is on its way
        wire.transport.host_gone()
        if cut.bytes is Bytes.LOST:
            wire.drop_in_flight()
    for device in life.runtime.devices.values():
        if device.fileno() is not None:
            device.close()  # as the kernel does with the descriptors of the dead
    assert world.board is not None
    world.board.host_gone()
    world.players = []
    world.nobody_sees()
    shown = life.shown[-1] if life.shown else None
    return Struck(state_dir, life.now_ms, life.runtime.journal.head, shown)


# ---- what comes of it


def aftermath(
    scene: CrashScene, struck: Struck, cut: Cut, dice: random.Random, *, again: bool
) -> CrashVerdict:
    """From the moment of the cut to the end of the evening. `again`: power may go once more meanwhile."""
    verdict, audit = CrashVerdict(), Audit(struck.state_dir)
    while True:
        verdict.cuts += 1
        audit.directory, audit.second_copy = struck.state_dir, struck.state_dir / COPY_NAME
        now_ms = _look(scene, struck, cut, audit, verdict)
        now_ms = _dark(scene, cut, now_ms, dice)
        second: list[Struck] = []
        if not verdict.problems:
            _live_on(scene, struck, audit, now_ms, verdict, _again(scene, cut, dice, again, verdict, second))
        if not second:
            break
        struck, again = second[0], False
    if scene.world.attendant is not None:
        verdict.visits = scene.world.attendant.visits
    return verdict


def _again(
    scene: CrashScene, cut: Cut, dice: random.Random, again: bool, verdict: CrashVerdict, second: list[Struck]
) -> Callable[[Life, Point], None]:
    """Pulls the plug of the new life too, soon after its start, if it is to be pulled."""
    number = dice.randrange(1, AGAIN_POINTS) if again and dice.random() < AGAIN_CHANCE else 0

    def at_point(life: Life, point: Point) -> None:
        if point.number == number:
            kill = Cut(Plug.PROCESS, cut.bytes)
            second.append(strike(scene, life, kill, None, verdict.cuts + 1, dice))
            raise Dead

    return at_point


def _look(scene: CrashScene, struck: Struck, cut: Cut, audit: Audit, verdict: CrashVerdict) -> int:
    """Bytes on their way arrive; then the books against the world, before anybody starts again."""
    now_ms = struck.now_ms
    if cut.bytes is Bytes.DELIVERED:
        now_ms = _pass(scene.world, now_ms, FLIGHT_MS)
    audit.read()
    audit.compare(scene.world)
    verdict.add(Check.JOURNAL, *audit.problems)
    audit.problems.clear()
    verdict.add(Check.ORDERS, *told_too_early(scene.world, audit))
    if struck.shown is not None and struck.shown[0] and struck.shown not in audit.shown:
        verdict.add(Check.SHOWN, f"it has shown {struck.shown}")
    return now_ms


def _dark(scene: CrashScene, cut: Cut, now_ms: int, dice: random.Random) -> int:
    """Devices lose their power too, or not; customers go on with the dead machine."""
    world = scene.world
    if cut.plug is Plug.ALL:
        for wire in world.wires.values():
            wire.drop_in_flight()
            if isinstance(wire.machine, ValidatorMachine):
                wire.machine.vary(dice)
            wire.machine.power_off(now_ms)
        assert world.board is not None
        for chip in world.board.chips:
            world.board.lose(chip, now_ms)
            world.board.restore(chip, now_ms)
    for name, wire in world.wires.items():
        if isinstance(wire.machine, ValidatorMachine) and dice.random() < 0.3:
            world.insert(name, 500, now_ms)
        elif isinstance(wire.machine, PrinterMachine) and dice.random() < 0.5:
            world.take(name, now_ms)
    now_ms = _pass(world, now_ms, dice.randint(*dice.choice(DOWN_MS)))
    for wire in world.wires.values() if cut.plug is Plug.ALL else ():
        wire.machine.power_on(now_ms)
    return now_ms


def _pass(world: World, now_ms: int, ms: int) -> int:
    """Time goes by without a program."""
    end_ms = now_ms + ms
    while now_ms < end_ms:
        wake_ms = world.wake_at
        now_ms = end_ms if wake_ms is None else min(end_ms, max(wake_ms, now_ms + 1))
        world.tick(now_ms)
    return now_ms


def _live_on(
    scene: CrashScene,
    struck: Struck,
    audit: Audit,
    now_ms: int,
    verdict: CrashVerdict,
    at_point: Callable[[Life, Point], None],
) -> None:
    """The program starts, everybody goes home, everything is counted."""
    lives: list[Life] = []
    try:
        life = Life(
            scene.world,
            struck.state_dir,
            seed=scene.seed,
            open_link=scene.open_link,
            start_ms=now_ms,
            at_point=lambda point: at_point(lives[0], point) if lives else None,
        )
        lives.append(life)
        has_all_rows(struck.acknowledged, audit, life, verdict)
        life.everybody_leaves(scene.seed)
        life.run(lambda: bool(life.refused) or life.all_gone())
        comes_back(audit, life, verdict)
        if not life.refused:
            life.stop()
    except Dead:
        return
    except EndlessError as error:
        verdict.add(Check.ENDS, str(error))
        return
    except Exception as error:  # noqa: BLE001 - whatever it is, a cabinet that dies of it is the finding
        verdict.add(Check.GOES_ON, f"{type(error).__name__}: {error}")
        return
    if life.refused:
        verdict.add(Check.GOES_ON, life.refused)
    else:
        count(scene.world, audit, verdict)
