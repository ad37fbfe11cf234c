"""The comparison as text, for a terminal and for paper."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from cabinet.analysis.compare.explanations import DEFINITIONS, LIMITS, verdict
from cabinet.analysis.compare.figures import Estimate
from cabinet.analysis.compare.report import ComparisonReport, Model

WIDTH = 96
_PAIR = f"{'Common-Hand':>17}{'standard':>17}"


def text(report: ComparisonReport) -> str:
    """Everything, without a newline at its end."""
    lines = ["=" * WIDTH, "COMMON-HAND BLACKJACK AGAINST STANDARD DEALING", "=" * WIDTH]
    lines += textwrap.wrap(report.method, WIDTH)
    sections = [
        ("A ROUND, WHATEVER ITS PACE", _rounds(report)),
        ("THE TABLE'S VARIANCE", _variance(report)),
        *((f"PACE: {model.timing.name.upper()}", _pace(report, model)) for model in report.models),
        ("WHAT IS MEANT", _definitions()),
        ("WHAT THE NUMBERS DO NOT SHOW", _limits()),
    ]
    for name, rows in sections:
        lines += ["", name, "-" * len(name), *rows]
    return "\n".join(lines)


def _definitions() -> Iterator[str]:
    for term, meaning in DEFINITIONS.items():
        yield from textwrap.wrap(f"{term}: {meaning}", WIDTH, subsequent_indent="  ")


def _limits() -> Iterator[str]:
    for limit in LIMITS:
        yield from textwrap.wrap(limit, WIDTH, initial_indent="- ", subsequent_indent="  ")


def shown(figure: Estimate, decimals: int) -> str:
    """``6.271 ±0.002``; no error where nothing was simulated."""
    value = f"{figure.value:.{decimals}f}"
    return f"{value} ±{figure.error:.{decimals}f}" if figure.error else value


def _rounds(report: ComparisonReport) -> Iterator[str]:
    yield f"{'':8}{'cards':^34}{'waits for a decision':^34}"
    yield f"players {_PAIR}{_PAIR}"
    for row in report.rows:
        figures = (row.common.cards, row.standard.cards, row.common.waits, row.standard.waits)
        yield f"{row.seats:^8}" + "".join(f"{shown(figure, 3):>17}" for figure in figures)


def _variance(report: ComparisonReport) -> Iterator[str]:
    yield f"{'':8}{'variance of the table, in bets':^34}{'covariance of two seats':^34}"
    yield f"players {_PAIR}{_PAIR}"
    for row in report.rows:
        cells = [shown(row.common.variance, 3), shown(row.standard.variance, 3)]
        two = [shown(game.covariance, 4) for game in (row.common, row.standard)]
        yield f"{row.seats:^8}" + "".join(
            f"{cell:>17}" for cell in cells + (two if row.seats > 1 else ["-", "-"])
        )


def _pace(report: ComparisonReport, model: Model) -> Iterator[str]:
    yield f"{'':8}{'seconds a round':^34}{'rounds per hour':^34}{'speed':>15}"
    yield f"players {_PAIR}{_PAIR}{'C-H : standard':>17}"
    for row in model.rows:
        cells = [shown(pace.round_s, 3) for pace in (row.common, row.standard)]
        cells += [shown(pace.rounds_per_hour, 2) for pace in (row.common, row.standard)]
        yield f"{row.seats:^8}" + "".join(f"{cell:>17}" for cell in cells) + f"{shown(row.gain, 4):>17}"
    yield ""
    yield from textwrap.wrap(verdict(model.rows, report.rows), WIDTH)
