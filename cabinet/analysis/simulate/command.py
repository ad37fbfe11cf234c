"""``cabinet simulate``: many rounds of the very procedure, and how they agree with the exact figures."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cabinet.analysis.par.command import chart_folder
from cabinet.analysis.rules_option import load_rules, rules_options, rules_path, title
from cabinet.analysis.simulate.progress import Progress, stopped_by_ctrl_c
from cabinet.cli.common import WRONG, fail
from cabinet.config import chart_file, shipped_folder
from cabinet.config.problems import Problem
from game.rules import Rules

if TYPE_CHECKING:
    from game.analysis.exact import Distribution
    from game.chart import Chart

SEATS_MOST = 7
ROUNDS_MOST = 10**12
ADDRESS = re.compile(r"([a-z]+://)?[^\s:/]+:[0-9]{1,5}")
INTERRUPTED = 130  # as a shell calls a program that Ctrl-C has ended


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@rules_options
@click.option("--rounds", type=click.IntRange(1, ROUNDS_MOST), required=True, help="How many rounds.")
@click.option(
    "--seats",
    type=click.IntRange(1, SEATS_MOST),
    default=1,
    show_default=True,
    help="Seats, all with the same bet and the same chart.",
)
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes; otherwise one for each processor.")
@click.option("--scheduler", metavar="ADDRESS", help="A dask scheduler, like tcp://10.0.0.1:8786.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Equal seeds, equal counts."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on standard output.")
def simulate(
    rules: str,
    sets: tuple[str, ...],
    rounds: int,
    seats: int,
    workers: int | None,
    scheduler: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Play many rounds and compare them with the exact odds.

    Every seat bets the same each round and plays by the best chart of the rules. Ctrl-C ends early with
    what has been played. The same seed and number of rounds give the same counts, whoever plays them.
    """
    chosen = load_rules(rules, sets)
    if workers is not None and scheduler is not None:
        fail("--workers and --scheduler: found both; allowed: processes here, or workers elsewhere", WRONG)
    if scheduler is not None and not ADDRESS.fullmatch(scheduler):
        fail(f"--scheduler: found {scheduler!r}; allowed: an address like tcp://10.0.0.1:8786", WRONG)
    from cabinet.analysis.simulate import findings as simulate_findings
    from cabinet.analysis.simulate import report as simulate_report
    from cabinet.program.runtime import RealClock
    from game.analysis.exact import distribution_of
    from game.analysis.simulate.run import SimulationError, SimulationJob
    from game.analysis.simulate.run import simulate as play

    chart, exact = _chart(chosen, rules_path(rules))
    clock = RealClock()
    say(f"{rounds:,} rounds by the chart {chart.name!r}; Ctrl-C ends early with what there is")
    progress = Progress(rounds, clock.now_ms, sys.stderr.isatty())
    began_ms = clock.now_ms()
    try:
        with stopped_by_ctrl_c() as stopped:
            job = SimulationJob(chosen, (chart,) * seats, rounds, seed)
            tally = play(
                job, workers or os.cpu_count() or 1, scheduler, lambda done, _all: progress(done), stopped
            )
    except SimulationError as error:
        fail(str(error), WRONG)
    finally:
        progress.end()
    if not tally.rounds:
        fail("stopped before the first rounds were counted", INTERRUPTED)
    spent_ms = clock.now_ms() - began_ms
    if exact is None:
        say("the exact figures of this chart")
        exact = distribution_of(chosen, chart)
    report = simulate_report.SimulationReport(
        title=title(rules, sets),
        rules=chosen,
        chart=chart.name,
        seats=seats,
        seed=seed,
        asked=rounds,
        played=tally.rounds,
        spent_ms=spent_ms,
        findings=simulate_findings.findings(tally, exact),
    )
    if as_json:
        click.echo(json.dumps(simulate_report.as_json(report), indent=1, ensure_ascii=False))
    else:
        click.echo(simulate_report.text(report))


def say(text: str) -> None:
    click.echo(f"cabinet simulate: {text}", err=True)


def _chart(rules: Rules, rules_file: Path) -> tuple[Chart, Distribution | None]:
    """The chart that a cabinet with these rules would show; else the best one with its exact figures."""
    from game.analysis.exact import analyse

    found = chart_file.find(rules, chart_folder(rules_file).parent, shipped_folder())
    if found is None:
        say("no chart is kept for these rules; counting the best one")
        odds = analyse(rules)
        return odds.chart, odds
    problems: list[Problem] = []
    advice = chart_file.read(found, rules, problems)
    if advice is None:
        fail(str(problems[0]), WRONG)
    say(f"the chart of {found}")
    return advice.chart, None
