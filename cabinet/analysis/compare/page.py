"""The comparison as one page: no script, no network, no second file. Equal reports give equal bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import to_builtins

from cabinet.analysis.compare.explanations import DEFINITIONS, LIMITS, TIMES, verdict
from cabinet.analysis.compare.figures import ComparisonRow, Estimate, PaceRow
from cabinet.analysis.compare.plots import parts_plot, speed_plot, variance_plot
from cabinet.analysis.compare.report import ComparisonReport, Model
from cabinet.pages.rendering import render

TEMPLATE = Path(__file__).with_name("compare.html")
HEROES = 4
# Players, then figures with their decimals; None where there is none.
Row = tuple[int, list[tuple[Estimate | None, int]]]


def page(report: ComparisonReport) -> str:
    """The whole document."""
    return render(
        TEMPLATE,
        report=report,
        heroes=list(_heroes(report))[:HEROES],
        paces=[_pace(report, model) for model in report.models],
        rounds=list(map(_round, report.rows)),
        variance_plot=variance_plot(report.rows),
        variances=list(map(_variance, report.rows)),
        limits=LIMITS,
        definitions=DEFINITIONS,
        times=list(_times(report)),
    )


def _heroes(report: ComparisonReport) -> Iterator[tuple[str, str, str]]:
    for model in report.models:
        for row in (model.rows[-1], model.rows[0]):
            gain = row.gain.value
            players = f"{row.seats} player{'s' if row.seats > 1 else ''}"
            yield (
                f"{gain:.2f} \N{MULTIPLICATION SIGN}",
                f"{model.timing.name}, {players}",
                "less" if gain < 1 else "more",
            )


def _pace(report: ComparisonReport, model: Model) -> Mapping[str, object]:
    return {
        "name": model.timing.name,
        "verdict": verdict(model.rows, report.rows),
        "speed": speed_plot(model.rows),
        "parts": parts_plot(model.rows),
        "rows": list(map(_pace_row, model.rows)),
    }


def _pace_row(row: PaceRow) -> Row:
    games = (row.common, row.standard)
    seconds = [(pace.round_s, 3) for pace in games]
    return row.seats, [*seconds, *((pace.rounds_per_hour, 2) for pace in games), (row.gain, 4)]


def _round(row: ComparisonRow) -> Row:
    games = (row.common, row.standard)
    return row.seats, [*((game.cards, 3) for game in games), *((game.waits, 3) for game in games)]


def _variance(row: ComparisonRow) -> Row:
    games = (row.common, row.standard)
    two = row.seats > 1
    shared = [(game.covariance if two else None, 4) for game in games]
    return row.seats, [*((game.variance, 3) for game in games), *shared]


def _times(report: ComparisonReport) -> Iterator[tuple[str, str, list[str]]]:
    """Every second that was put in, one column a model."""
    values = [to_builtins(model.timing) for model in report.models]
    for table, keys in TIMES.items():
        for key, words in keys.items():
            yield f"{table}.{key}", words, [f"{value[table][key]:g}" for value in values]
