"""``./dev soak``: kill the firmware again and again while people play (see `lab.soak.run`)."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import click

from cabinet.cli.arguments import NamedPath
from cabinet.lab.bench.bench import BenchOptions
from cabinet.lab.cabinets import CabinetChoice
from cabinet.lab.patience import Remaining
from cabinet.lab.scratch import OWNER, folder
from cabinet.lab.soak.run import Soak, SoakOutcome


def soak(
    kills: int,
    seed: int,
    *,
    cabinet: str = "table5",
    pace: int = 8,
    power: bool = False,
    keep: Path | None = None,
    on_progress: Callable[[SoakOutcome], None] = lambda _outcome: None,
) -> SoakOutcome:
    """Kill the firmware `kills` times while people play, then close the evening and count.

    `power`: devices sometimes lose power too. `keep`: where the child's log, the journal and the
    cabinet file of a run with problems go.
    """
    with folder("soak") as scratch:
        options = BenchOptions(cabinet=cabinet, seed=seed, pace=pace, resolution=(1280, 720))
        run = Soak(options, scratch, power=power)
        try:
            run.run(kills, on_progress)
        finally:
            run.count()
            run.bench.close()
        if run.outcome.problems and keep is not None:
            run.outcome.kept = keep / f"{cabinet}-seed{seed}"
            ignored = shutil.ignore_patterns("wires", "forwarder", "*.sock", OWNER)
            shutil.copytree(scratch, run.outcome.kept, ignore=ignored, dirs_exist_ok=True)
            (run.outcome.kept / "problems.txt").write_text("\n".join(run.outcome.problems), encoding="utf-8")
    return run.outcome


def _progress(kills: int) -> Callable[[SoakOutcome], None]:
    """A line that is written over at a terminal; ten lines in all elsewhere."""
    at_terminal, every, remaining = sys.stdout.isatty(), max(1, kills // 10), Remaining()

    def on_progress(outcome: SoakOutcome) -> None:
        hit = outcome.hit
        text = f"kill {outcome.kills} of {kills}: {hit['round']} in a round, "
        notes = hit["open note"] + hit["credited note"]
        text += f"{notes} with a note and {hit['open ticket']} with a ticket open; "
        text += remaining.text(outcome.kills, kills)
        if at_terminal:
            click.echo(f"\r{text}\x1b[K", nl=outcome.kills == kills)
        elif outcome.kills % every == 0:
            click.echo(text)

    return on_progress


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--kills", type=click.IntRange(1), default=10, show_default=True, help="How often the plug is pulled."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Equal seeds choose equal moments.")
@click.option("--cabinet", type=CabinetChoice(), default="table5", show_default=True)
@click.option(
    "--pace", type=click.IntRange(1), default=8, show_default=True, help="Presentation N times quicker."
)
@click.option(
    "--power",
    type=click.Choice(["keep", "both"]),
    default="keep",
    show_default=True,
    help="both: devices sometimes lose power too.",
)
@click.option(
    "--keep",
    type=NamedPath(file_okay=False),
    default=None,
    help="Where log and journal of a run with problems go.",
)
def main(kills: int, seed: int, cabinet: str, pace: int, power: str, keep: Path | None) -> None:
    """Kill the firmware at chosen and random moments: nothing may be lost, made up or paid twice."""
    both = power == "both"
    outcome = soak(
        kills, seed, cabinet=cabinet, pace=pace, power=both, keep=keep, on_progress=_progress(kills)
    )
    click.echo(
        f"{outcome.kills} kills at {cabinet}, seed {seed}; {outcome.aimed} met the moment they waited for."
    )
    click.echo(
        "In the middle of: " + ", ".join(f"{what} {n}" for what, n in sorted(outcome.hit.items()) if n)
    )
    click.echo(f"{outcome.rounds} rounds, {outcome.notes} notes, {outcome.tickets} tickets, ", nl=False)
    click.echo(f"{outcome.attendant_visits} visits of the attendant")
    if outcome.evening is not None:
        evening = outcome.evening
        click.echo(
            f"In cents: notes {evening.notes_in_cents}, tickets in {evening.tickets_in_cents}, ", nl=False
        )
        click.echo(f"out {evening.tickets_out_cents}, ", nl=False)
        click.echo(f"by hand {evening.handpay_cents}, house {evening.house_cents}, ", nl=False)
        click.echo(f"ledger sum {evening.ledger_sum_cents}")
    for problem in outcome.problems:
        click.echo(f"PROBLEM: {problem}", err=True)
    if outcome.kept is not None:
        click.echo(f"kept in {outcome.kept}", err=True)
    sys.exit(1 if outcome.problems else 0)


if __name__ == "__main__":
    main()
