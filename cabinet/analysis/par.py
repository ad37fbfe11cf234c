"""``cabinet par``: the PAR sheet of a rule set, as text, as JSON, as a chart for the cabinet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cabinet import chart_file
from cabinet.analysis.rules_option import load_rules, rules_options, rules_path, title
from cabinet.cli import WRONG, fail

if TYPE_CHECKING:
    from cabinet.analysis.par_sheet import Sheet


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@rules_options
@click.option(
    "--json", "as_json", is_flag=True, help="Print everything as JSON, and nothing else, on standard output."
)
@click.option(
    "--write-chart",
    is_flag=True,
    help="Also write the chart for the cabinet: charts/HASH.json beside the folder `rules`, or beside FILE.",
)
def par(rules: str, sets: tuple[str, ...], as_json: bool, write_chart: bool) -> None:
    """Exact odds of a rule set: house edge, best chart, law of a round.

    Nothing is simulated; it takes a few seconds. What is being done is said on standard error.
    """
    chosen = load_rules(rules, sets)
    from cabinet.analysis import par_sheet, par_text

    sheet = par_sheet.make_sheet(title(rules, sets), chosen, say)
    if as_json:
        click.echo(json.dumps(par_sheet.as_json(sheet), indent=1, ensure_ascii=False))
    else:
        click.echo(par_text.text(sheet))
    if write_chart:
        _write_chart(rules_path(rules), sheet)


def say(text: str) -> None:
    click.echo(f"cabinet par: {text}", err=True)


def chart_folder(rules_file: Path) -> Path:
    """Where a cabinet looks for charts: ``charts`` beside the folder ``rules``, which stands beside the
    cabinet file; for a rule set in any other folder beside the file itself."""
    folder = rules_file.resolve().parent
    return (folder.parent if folder.name == "rules" else folder) / chart_file.FOLDER


def _write_chart(rules_file: Path, sheet: Sheet) -> None:
    from cabinet.analysis.par_sheet import figures_of

    text = chart_file.written(sheet.rules, sheet.odds.chart, figures_of(sheet.odds))
    _write(chart_folder(rules_file) / chart_file.file_name(sheet.rules), text)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{path}: found {error.strerror or error}; allowed: a place that can be written to", WRONG)
    say(f"wrote {path}")
