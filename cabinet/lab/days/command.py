"""``cabinet lab day``: virtual days of random play and trouble, with every invariant checked."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from cabinet.cli.arguments import FiniteRange, NamedPath
from cabinet.formats import plural
from cabinet.lab.cabinets import CabinetChoice
from cabinet.lab.days.plan import DayOptions, DayTally, clock
from cabinet.lab.days.run import HOUR_MS, Day
from cabinet.lab.days.trouble import GAP_S
from cabinet.lab.patience import Remaining
from cabinet.lab.scratch import folder

FAILED = 1
MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - the folders in it are made by tempfile
ROOM_BYTES = 1 << 30  # ten times what a day of 24 hours writes


def scratch_folder() -> Path | None:
    """Where the journal of a virtual day is kept: in memory if there is room (nothing here cuts the power of
    this computer, so no disk has to prove itself), else where temporary files go."""
    try:
        room = shutil.disk_usage(MEMORY_DISK)
    except OSError:
        return None
    return MEMORY_DISK if room.free >= ROOM_BYTES and os.access(MEMORY_DISK, os.W_OK) else None


def play(
    options: DayOptions,
    *,
    on_progress: Callable[[DayTally], None] = lambda _tally: None,
    keep: Path | None = None,
) -> DayTally:
    """One day, from the first note to the last ticket. `keep`: where the journal of a day with problems
    goes."""
    from cabinet.version import version

    gc.collect()
    gc.freeze()  # what is loaded stays: each death of the program is followed by a look at all objects
    with folder("day", scratch_folder()) as scratch:
        day = Day(options, scratch, version(), on_progress)
        tally = day.run()
        if tally.problems and keep is not None:
            name = f"{options.cabinet}-seed{options.seed}"
            shutil.copytree(scratch / "state", keep / name, dirs_exist_ok=True)
    return tally


class _Pace:
    """How much quicker than real time, by the processor time of this process and by the clock."""

    def __init__(self) -> None:
        self._cpu_s, self._wall_s = time.process_time(), time.monotonic()

    def text(self, now_ms: int) -> str:
        cpu_s = max(1e-3, time.process_time() - self._cpu_s)
        wall_s = max(1e-3, time.monotonic() - self._wall_s)
        by_cpu, by_clock = now_ms / 1000 / cpu_s, now_ms / 1000 / wall_s
        return f"{by_cpu:.0f} x real time by processor time, {by_clock:.0f} x by the clock"


def _counts(tally: DayTally) -> str:
    return (
        f"{tally.rounds} rounds, {tally.notes} notes, {tally.tickets} tickets, {tally.redeemed} tickets in, "
        f"{tally.handpays} hand payments, {sum(tally.faults.values())} faults"
    )


def summary(options: DayOptions, tally: DayTally, pace: str) -> list[str]:
    """The day in some lines."""
    counts = f"{_counts(tally)}, {tally.visits} visits of the attendant"
    starts = plural(tally.sessions, "start", "starts")
    lines = [
        f"seed {options.seed}, {options.cabinet}: {clock(tally.now_ms)} hours, {counts}",
        f"{starts}, {tally.checks} checks, {len(tally.problems)} violations; {pace}",
    ]
    if tally.hit["cuts"]:
        told = ", ".join(f"{count} {what}" for what, count in tally.hit.items() if count and what != "cuts")
        lines.append(f"{tally.hit['cuts']} cuts of the program's power: {told or 'nothing was open'}")
    if tally.faults:
        told = ", ".join(f"{kind} {count}" for kind, count in sorted(tally.faults.items()))
        lines.append(f"faults: {told}")
    lines.append(f"journal {tally.digest}")
    return lines


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seed", type=int, default=1, show_default=True, help="Cards, people, devices and faults.")
@click.option(
    "--hours", type=FiniteRange(min=0, min_open=True), default=1.0, show_default=True, help="Of play."
)
@click.option("--faults", is_flag=True, help="Jams, cuts of power, garbage on the wires, doors, keys ...")
@click.option(
    "--gap",
    "gap_s",
    type=click.IntRange(1),
    default=GAP_S,
    show_default=True,
    help="Seconds from one fault to the next, on average.",
)
@click.option("--cabinet", type=CabinetChoice(), default="table5", show_default=True)
@click.option(
    "--wire",
    type=click.Choice(["memory", "pty"]),
    default="memory",
    show_default=True,
    help="pty: the real serial code; the same journal.",
)
@click.option(
    "--days", type=click.IntRange(1), default=1, show_default=True, help="So many, each with the next seed."
)
@click.option(
    "--keep",
    type=NamedPath(file_okay=False),
    default=None,
    help="Where the journal of a day with problems goes.",
)
def day(
    seed: int,
    hours: float,
    *,
    faults: bool,
    gap_s: int,
    cabinet: str,
    wire: str,
    days: int,
    keep: Path | None,
) -> None:
    """Virtual days of random play; after every fault all books must agree with boxes, paper and screen."""
    first = DayOptions(cabinet, seed, hours, faults, wire, gap_s)
    failed, remaining, wanted_ms = 0, Remaining(), int(hours * HOUR_MS)
    for number in range(days):
        options = replace(first, seed=seed + number)
        pace = _Pace()

        def on_progress(tally: DayTally, pace: _Pace = pace, before_ms: int = number * wanted_ms) -> None:
            left = remaining.text(before_ms + tally.now_ms, days * wanted_ms)
            click.echo(f"{clock(tally.now_ms)}  {_counts(tally)}; {pace.text(tally.now_ms)}; {left}")

        tally = play(options, on_progress=on_progress, keep=keep)
        for line in summary(options, tally, pace.text(tally.now_ms)):
            click.echo(line)
        if tally.problems:
            failed += 1
            _tell_problems(options, tally)
    if days > 1:
        click.echo(f"{days} days, {failed} of them with violations")
    sys.exit(FAILED if failed else 0)


def _tell_problems(options: DayOptions, tally: DayTally) -> None:
    for problem in tally.problems:
        click.echo(f"VIOLATION at {clock(tally.now_ms)}: {problem}", err=True)
    for story in tally.stories:
        click.echo(f"  {story}", err=True)
    click.echo(f"replay: {options.replay}", err=True)
