"""``cabinet par``: the PAR sheet of a rule set, as text, as JSON, as a page, as a chart for the cabinet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import click

from cabinet.analysis.rules_option import load_rules, rules_options, rules_path, title
from cabinet.cli.arguments import NamedPath
from cabinet.cli.common import WRONG, fail
from cabinet.config import chart_file


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@rules_options
@click.option(
    "--json", "as_json", is_flag=True, help="Print everything as JSON, and nothing else, on standard output."
)
@click.option(
    "--html",
    "page",
    type=NamedPath(dir_okay=False),
    help="Also write one self-contained page.",
)
@click.option(
    "--write-chart",
    is_flag=True,
    help="Also write the chart for the cabinet: charts/HASH.json beside the folder `rules`, or beside FILE.",
)
def par(rules: str, sets: tuple[str, ...], as_json: bool, page: Path | None, write_chart: bool) -> None:
    """Exact odds of a rule set: house edge, best chart, law of a round.

    Nothing is simulated; it takes a few seconds. What is being done is said on standard error.
    """
    chosen = load_rules(rules, sets)
    chart = chart_folder(rules_path(rules)) / chart_file.file_name(chosen) if write_chart else None
    for place in (page, chart):
        if place is not None:
            _make_folder(place)  # a wrong place is said before anything is counted
    from cabinet.analysis.par import sheet as par_sheet
    from cabinet.analysis.par import text as par_text

    sheet = par_sheet.make_sheet(title(rules, sets), chosen, say)
    if as_json:
        click.echo(json.dumps(par_sheet.as_json(sheet), indent=1, ensure_ascii=False))
    else:
        click.echo(par_text.text(sheet))
    if page is not None:
        from cabinet.analysis.par import page as par_page

        say("the page and its plots")
        _write(page, par_page.page(sheet))
    if chart is not None:
        _write(chart, chart_file.written(chosen, sheet.odds.chart, par_sheet.figures_of(sheet.odds)))


def say(text: str) -> None:
    click.echo(f"cabinet par: {text}", err=True)


def chart_folder(rules_file: Path) -> Path:
    """Where a cabinet looks for charts: ``charts`` beside the folder ``rules``, which stands beside the
    cabinet file; for a rule set in any other folder beside the file itself."""
    folder = rules_file.resolve().parent
    return (folder.parent if folder.name == "rules" else folder) / chart_file.FOLDER


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _refuse(path.parent, error)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        _refuse(path, error)
    say(f"wrote {path}")


def _refuse(path: Path, error: OSError) -> NoReturn:
    fail(f"{path}: found {error.strerror or error}; allowed: a place that can be written to", WRONG)
