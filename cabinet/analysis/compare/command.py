"""``cabinet compare``: Common-Hand Blackjack against standard dealing, as text, as JSON, as a page."""

from __future__ import annotations

import json
from pathlib import Path

import click

from cabinet.analysis.compare.timing_file import load_timing, shipped_names
from cabinet.analysis.rules_option import load_rules, rules_options, rules_path, title
from cabinet.cli.arguments import FileOrName, NamedPath
from cabinet.cli.common import WRONG, fail
from cabinet.config import chart_file, shipped_folder
from cabinet.config.problems import ConfigError, Problem
from game.chart import Chart
from game.rules import Rules

# Batches: enough for a standard error that is itself good to a sixth.
BATCHES = 20


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@rules_options
@click.option(
    "--timing",
    "timings",
    type=FileOrName(),
    multiple=True,
    metavar="FILE",
    help="A timing model: a TOML file, or the name of one that comes with the program; may be given again. "
    "Without it all that come with the program.",
)
@click.option(
    "--rounds",
    type=click.IntRange(10 * BATCHES, 1_000_000_000),
    default=1_000_000,
    show_default=True,
    help="Rounds of each game with each number of players.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Equal seeds, equal figures."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print everything as JSON, and nothing else, on standard output."
)
@click.option(
    "--html",
    "page",
    type=NamedPath(dir_okay=False),
    help="Also write one self-contained page.",
)
def compare(
    rules: str,
    sets: tuple[str, ...],
    timings: tuple[str, ...],
    rounds: int,
    seed: int,
    as_json: bool,
    page: Path | None,
) -> None:
    """How fast Common-Hand Blackjack is against standard dealing, with 1 to 7 players.

    Cards, waits and variance are simulated; seconds come from a timing model. What is being done is
    said on standard error.
    """
    chosen = load_rules(rules, sets)
    try:
        models = [load_timing(name) for name in timings or shipped_names()]
    except ConfigError as error:
        fail(str(error), WRONG)
    from cabinet.analysis.compare import report as compare_report
    from cabinet.analysis.compare import text as compare_text
    from cabinet.analysis.compare.run import run

    chart = _chart(chosen, rules_path(rules))
    simulated = run(chosen, chart, rounds, seed, BATCHES, say)
    report = compare_report.make_report(title(rules, sets), chosen, chart.name, seed, simulated, models)
    if as_json:
        click.echo(json.dumps(compare_report.as_json(report), indent=1, ensure_ascii=False))
    else:
        click.echo(compare_text.text(report))
    if page is not None:
        from cabinet.analysis.compare import page as compare_page

        say("the page and its plots")
        _write(page, compare_page.page(report))


def say(text: str) -> None:
    click.echo(f"cabinet compare: {text}", err=True)


def _chart(rules: Rules, rules_file: Path) -> Chart:
    """The chart that comes with the rules, else the best one, which takes a few seconds to find."""
    folder = rules_file.resolve().parent
    path = chart_file.find(rules, folder.parent, folder, shipped_folder())
    if path is None:
        from game.analysis.exact import analyse

        say("the best chart for these rules")
        return analyse(rules).chart
    problems: list[Problem] = []
    read = chart_file.read(path, rules, problems)
    if read is None:
        fail("\n".join(map(str, problems)), WRONG)
    return read.chart


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{path}: found {error.strerror or error}; allowed: a place that can be written to", WRONG)
    say(f"wrote {path}")
