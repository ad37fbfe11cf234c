"""``cabinet lab crash``: lose power at every I/O point of an evening, and count what comes of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import click

from cabinet.lab.cabinets import CabinetChoice
from cabinet.lab.crash.cut import Cut, all_cuts
from cabinet.lab.crash.play import Choose, CrashOptions, CrashOutcome, every, everywhere, only, run, run_again
from cabinet.lab.crash.record import at_hand
from cabinet.lab.crash.script import SCENES
from cabinet.lab.crash.watch import COMMIT_MS

SLICE = 24  # without --campaign: one crash at every so many points
NO_STRACE = "strace is not installed or may not trace: a power cut leaves everything that was written"


class CutText(click.ParamType[Cut]):
    """PLUG,BYTES,SURVIVAL."""

    name = "PLUG,BYTES,SURVIVAL"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Cut:
        try:
            return Cut.parse(str(value))
        except ValueError:
            self.fail(f"{value!r} is not like process,lost,all or all,delivered,none", param, ctx)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--cabinet", type=CabinetChoice(), default="shared3", show_default=True)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Cards, people, devices and cuts repeat."
)
@click.option("--campaign", is_flag=True, help="Every point, every way of losing power.")
@click.option("--every", "step", type=click.IntRange(1), default=None, help="One crash at every Nth point.")
@click.option("--wire", type=click.Choice(["memory", "pty"]), default="memory", show_default=True)
@click.option("--scenes", default="", help="Only these: notes,round,handpay,ticket,redeem.")
@click.option(
    "--commit-ms",
    type=click.IntRange(0, 60_000),
    default=COMMIT_MS,
    show_default=True,
    help="How slow the card is.",
)
@click.option("--point", type=click.IntRange(1), default=None, help="Only this point; with --cut to replay.")
@click.option(
    "--cut", type=CutText(), default=None, help="process|board|all,lost|delivered,none|all|half|torn."
)
def crash(
    cabinet: str,
    seed: int,
    campaign: bool,
    step: int | None,
    wire: str,
    scenes: str,
    commit_ms: int,
    point: int | None,
    cut: Cut | None,
) -> None:
    """Lose power at the I/O points of an evening; the books, the boxes and the paper must agree in the end.

    Every problem is told with the command that brings it back.
    """
    recording = wire == "memory" and at_hand()
    if wire == "memory" and not recording:
        click.echo(NO_STRACE, err=True)
    asked = tuple(filter(None, scenes.split(",")))
    if strange := [name for name in asked if name not in SCENES]:
        raise click.BadParameter(f"{strange[0]!r} is none of {', '.join(SCENES)}", param_hint="'--scenes'")
    cuts = (cut,) if cut is not None else all_cuts(survivals=recording)
    options = CrashOptions(cabinet, seed, wire, asked, commit_ms)
    choose = _choice(cuts, point, step or (1 if campaign else SLICE), seed, campaign=campaign)
    on_progress = _progress()
    if wire == "pty":
        outcome = run_again(options, choose, on_progress)
    else:
        outcome = run(options, choose, recording=recording, on_progress=on_progress)
    _tell(outcome)
    if point is not None and not outcome.crashes:
        raise click.BadParameter(
            f"there is no point {point}: the last is {outcome.points}", param_hint="'--point'"
        )
    sys.exit(1 if outcome.problems else 0)


def _choice(cuts: Sequence[Cut], point: int | None, step: int, seed: int, *, campaign: bool) -> Choose:
    if point is not None:
        return only(point, cuts)
    return everywhere(cuts) if campaign and step == 1 else every(step, cuts, seed - 1)


def _progress() -> Callable[[CrashOutcome], None]:
    """A line for every 200 crashes, and each problem as it is found."""
    said = 0

    def on_progress(outcome: CrashOutcome) -> None:
        nonlocal said
        for problem in outcome.problems[said:]:
            click.echo(f"PROBLEM: {problem}", err=True)
        said = len(outcome.problems)
        if outcome.crashes % 200 == 0:
            click.echo(f"{outcome.crashes} crashes, at point {outcome.points}, {said} problems")

    return on_progress


def _tell(outcome: CrashOutcome) -> None:
    kinds = ", ".join(f"{kind} {count}" for kind, count in outcome.kinds.items())
    click.echo(f"{outcome.points} points: {kinds}")
    crashes = "1 crash" if outcome.crashes == 1 else f"{outcome.crashes} crashes"
    times = "once" if outcome.cuts == 1 else f"{outcome.cuts} times"
    click.echo(f"{crashes}, power went {times}; {outcome.seconds:.1f} s")
    click.echo(f"journal without a crash {outcome.digest}")
    for check, count in outcome.checks.items():
        click.echo(f"{count} times not true: {check}", err=True)
