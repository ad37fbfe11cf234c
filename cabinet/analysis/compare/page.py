"""The comparison as one page: no script, no network, no second file. Equal reports give equal bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from msgspec import to_builtins

from cabinet.analysis.compare.explanations import DEFINITIONS, LIMITS, TIMES, verdict
from cabinet.analysis.compare.figures import Estimate, PaceRow
from cabinet.analysis.compare.plots import parts_plot, speed_plot, variance_plot
from cabinet.analysis.compare.report import ComparisonReport, Model

_TITLE = "Common-Hand Blackjack against standard dealing"


def page(report: ComparisonReport) -> str:
    """The whole document."""
    style = (Path(__file__).parent / "compare.css").read_text(encoding="utf-8")
    sections = [_section(f"Pace: {model.timing.name}", _pace(report, model)) for model in report.models]
    sections += [
        _section("Cards and waits, whatever the pace", _rounds(report)),
        _section("How much the result of the table swings", _variance(report)),
        _section("What the numbers do not show", _limits()),
        _section("What is meant", _definitions()),
        _section("The timing models", _timings(report)),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_TITLE}: {escape(report.title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f'<body>\n<div class="sheet">\n{_header(report)}<main>\n{"".join(sections)}{_footer(report)}'
        "</main>\n</div>\n</body>\n</html>\n"
    )


def _section(title: str, parts: Iterable[str]) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n{''.join(parts)}</section>\n"


def _header(report: ComparisonReport) -> str:
    heroes = [
        (row.gain.value, f"{model.timing.name}, {row.seats} player{'s' if row.seats > 1 else ''}")
        for model in report.models
        for row in (model.rows[-1], model.rows[0])
    ][:4]
    figures = "".join(
        f'<div class="{"less" if gain < 1 else "more"}"><b>{gain:.2f} &times;</b>'
        f"<span>{escape(name)}</span></div>"
        for gain, name in heroes
    )
    return (
        f'<header>\n<div class="brand">COMMON-HAND BLACKJACK</div>\n<h1>How fast against '
        f'standard dealing?</h1>\n<p class="method">{escape(report.method)}</p>\n'
        f'<p class="lead">Rounds per hour on a common hand, against standard dealing</p>\n'
        f'<div class="hero">{figures}</div>\n</header>\n'
    )


# ---- sections


def _pace(report: ComparisonReport, model: Model) -> Iterator[str]:
    yield f'<p class="word">{escape(verdict(model.rows, report.rows))}</p>\n'
    yield _plot("Rounds per hour", speed_plot(model.rows), "Rounds per hour by players; see the table.")
    yield _plot(
        "Where the seconds of a round go (left bar: common hand, right bar: standard dealing)",
        parts_plot(model.rows),
        "Seconds of a round by players and parts; totals are in the table.",
    )
    yield _table(("seconds a round", "rounds per hour"), "speed ratio", map(_pace_cells, model.rows))


def _pace_cells(row: PaceRow) -> Sequence[str]:
    games = (row.common, row.standard)
    return (
        str(row.seats),
        *(_shown(pace.round_s, 3) for pace in games),
        *(_shown(pace.rounds_per_hour, 2) for pace in games),
        _shown(row.gain, 4),
    )


def _rounds(report: ComparisonReport) -> Iterator[str]:
    rows = (
        (
            str(row.seats),
            *(_shown(game.cards, 3) for game in (row.common, row.standard)),
            *(_shown(game.waits, 3) for game in (row.common, row.standard)),
        )
        for row in report.rows
    )
    yield _table(("cards", "waits for a decision"), "", rows)


def _variance(report: ComparisonReport) -> Iterator[str]:
    yield _plot(
        "Standard deviation of what all seats win together in a round",
        variance_plot(report.rows),
        "Standard deviation of the table by players; variances are in the table.",
    )
    rows = (
        (
            str(row.seats),
            *(_shown(game.variance, 3) for game in (row.common, row.standard)),
            *(_shown(game.covariance, 4) if row.seats > 1 else "" for game in (row.common, row.standard)),
        )
        for row in report.rows
    )
    yield _table(("variance of the table", "covariance of two seats"), "", rows)


def _limits() -> Iterator[str]:
    yield "<ul>" + "".join(f"<li>{escape(limit)}</li>\n" for limit in LIMITS) + "</ul>\n"


def _definitions() -> Iterator[str]:
    yield "<dl>\n"
    for name, meaning in DEFINITIONS.items():
        yield f"<dt>{escape(name)}</dt><dd>{escape(meaning[0].upper() + meaning[1:])}</dd>\n"
    yield "</dl>\n"


def _timings(report: ComparisonReport) -> Iterator[str]:
    """Every second that was put in, one column a model."""
    yield "<p>In seconds. The reasons stand in the files.</p>\n"
    names = "".join(f"<th>{escape(model.timing.name)}</th>" for model in report.models)
    yield f'<div class="wide"><table class="times">\n<tr><th></th>{names}</tr>\n'
    values = [to_builtins(model.timing) for model in report.models]
    for table, keys in TIMES.items():
        for key, words in keys.items():
            cells = "".join(f"<td>{value[table][key]:g}</td>" for value in values)
            yield f"<tr><td>{escape(words)} <small>{table}.{key}</small></td>{cells}</tr>\n"
    yield "</table></div>\n"


def _footer(report: ComparisonReport) -> str:
    again = f"cabinet compare --rules FILE --rounds {report.rounds} --seed {report.seed} --json"
    return (
        f"<footer>Odds hash <code>{report.rules.odds_hash}</code><br>rule set "
        f"<code>{report.rules.rules_hash}</code><br>The same figures: "
        f"<code>{again}</code></footer>\n"
    )


# ---- pieces


def _plot(caption: str, svg: str, label: str) -> str:
    return (
        f'<figure role="img" aria-label="{escape(label)}">\n<figcaption>{escape(caption)}</figcaption>\n'
        f"{svg}</figure>\n"
    )


def _table(heads: Sequence[str], last: str, rows: Iterable[Sequence[str]]) -> str:
    """Players, then both games under each head, then perhaps one figure more."""
    top = "".join(f'<th colspan="2">{escape(head)}</th>' for head in heads)
    names = '<th class="common">common hand</th><th class="standard">standard</th>' * len(heads)
    more = f'<th rowspan="2">{escape(last)}</th>' if last else ""
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return (
        f'<div class="wide"><table class="figures">\n<tr><th rowspan="2">players</th>{top}{more}</tr>\n'
        f"<tr>{names}</tr>\n{body}</table></div>\n"
    )


def _shown(figure: Estimate, decimals: int) -> str:
    value = f"{figure.value:.{decimals}f}"
    return f"{value} <small>±{figure.error:.{decimals}f}</small>" if figure.error else value
