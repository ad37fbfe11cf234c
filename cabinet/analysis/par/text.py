"""The PAR sheet as text, for a terminal and for paper: 100 columns at most."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from cabinet.analysis.par.explanations import DEFAULT_EDGE, DEFINITIONS
from cabinet.analysis.par.sheet import CONFIDENCES, ParSheet, result_name
from cabinet.config.chart_file import rows_of
from cabinet.config.report import house_text
from game.analysis.exact import ChartCell
from game.chart import UPCARDS, Chart

WIDTH = 96
# No countdown of a table is told on the sheet; any number but 1 keeps it out of the rules' text.
SEATS = 2


def text(sheet: ParSheet) -> str:
    """The whole sheet, without a newline at its end."""
    sections = (
        ("", _head(sheet)),
        ("RULES", house_text(sheet.rules, SEATS)),
        ("HOUSE EDGE", _edges(sheet)),
        ("ONE ROUND OF ONE SEAT, BY THE CHART", _round(sheet)),
        ("NET RESULT OF A ROUND, IN FIRST BETS", _net(sheet)),
        ("RETURN AFTER MANY ROUNDS, PERCENT OF THE FIRST BETS", _bands(sheet)),
        ("A PLAYER WHO NEVER DECIDES (EVERY CHOICE TIMES OUT: STAND)", _timed_out(sheet)),
        ("TOTALS, PERCENT", _totals(sheet)),
        (
            "CHART BY TOTALS    H hit   S stand   D double, else hit (18 or more: stand)   P split",
            _chart(sheet.odds.chart),
        ),
        (
            "WHAT EVERY CHOICE IS WORTH, IN FIRST BETS (the best choice of the cell is marked *)",
            _cells(sheet.odds.cells),
        ),
        ("WHAT IS MEANT", _definitions(sheet)),
    )
    lines: list[str] = []
    for name, rows in sections:
        if name:
            lines += ["", name, "-" * len(name)]
        lines += rows
    return "\n".join(lines)


def _head(sheet: ParSheet) -> Iterator[str]:
    yield "=" * WIDTH
    yield f"PAR SHEET   Common-Hand Blackjack   {sheet.title}"
    yield "=" * WIDTH


def _row(name: str, value: str) -> str:
    return f"{name:<44}{value:>20}"


def _edges(sheet: ParSheet) -> Iterator[str]:
    odds = sheet.odds
    yield _row("by totals (the chart below)", f"{100 * odds.edge_td:.6f} %")
    yield _row("by composition (every card of the own hand)", f"{100 * odds.edge_cd:.6f} %")
    yield _row("of everything staked, by the chart", f"{100 * odds.edge_per_unit_staked:.6f} %")
    yield _row("return to the player, of the first bets", f"{100 - 100 * odds.edge_td:.6f} %")
    yield _row("return to the player, of everything staked", f"{100 - 100 * odds.edge_per_unit_staked:.6f} %")
    if sheet.is_default:
        yield ""
        yield from textwrap.wrap(DEFAULT_EDGE, WIDTH)


def _round(sheet: ParSheet) -> Iterator[str]:
    odds = sheet.odds
    yield _row("staked in a round, in first bets", f"{odds.bet_per_round:.6f}")
    yield _row("standard deviation", f"{odds.sd:.6f}")
    yield _row("variance", f"{odds.variance:.6f}")
    for name in ("win", "push", "loss", "split", "double", "natural"):
        words = {"split": "rounds with a split", "double": "rounds with a double", "natural": "blackjack"}
        yield _row(words.get(name, name), f"{100 * getattr(odds, name):.5f} %")


def _net(sheet: ParSheet) -> Iterator[str]:
    for result, chance in sorted(sheet.odds.net.items()):
        if chance:
            one_in = f"1 in {1 / chance:,.1f}"
            yield f"{result_name(result):>6}{chance:>16.9f}{one_in:>18}   {'#' * round(chance * 80)}"


def _bands(sheet: ParSheet) -> Iterator[str]:
    head = "".join(f"{f'{share} % of series':>25}" for share in CONFIDENCES)
    yield f"{'rounds':>12}{head}"
    by_rounds: dict[int, list[str]] = {}
    for band in sheet.bands:
        by_rounds.setdefault(band.rounds, []).append(f"{band.low:.3f} to {band.high:.3f}")
    for rounds, ranges in by_rounds.items():
        yield f"{rounds:>12,}" + "".join(f"{entry:>25}" for entry in ranges)


def _timed_out(sheet: ParSheet) -> Iterator[str]:
    law = sheet.timed_out
    yield _row("house edge", f"{-100 * law.mean:.4f} %")
    yield _row("return to the player", f"{100 + 100 * law.mean:.4f} %")
    yield _row("standard deviation", f"{law.sd:.4f}")
    yield _row("win, push, loss", f"{100 * law.win:.2f} / {100 * law.push:.2f} / {100 * law.loss:.2f} %")


def _totals(sheet: ParSheet) -> Iterator[str]:
    hands, dealer = sheet.odds.hand_totals, sheet.odds.dealer_totals
    names = [name for name, share in hands.items() if share or name in dealer]
    yield f"{'':16}" + "".join(f"{_short(name):>7}" for name in names)
    for who, shares in (("player's hands", hands), ("dealer", dealer)):
        figures = (f"{100 * shares[name]:7.2f}" if name in shares else f"{'-':>7}" for name in names)
        yield f"{who:16}" + "".join(figures)


def _short(name: str) -> str:
    return {"blackjack": "BJ"}.get(name, name)


def chart_rows(chart: Chart) -> Iterator[tuple[str, str]]:
    """Rows of a chart as a person reads them: name and letters, hard ones, soft ones, pairs."""
    for table, by_name in rows_of(chart).items():
        if isinstance(by_name, Mapping):
            for name, letters in by_name.items():
                yield f"{table.removesuffix('s')} {name}", letters


def _chart(chart: Chart) -> Iterator[str]:
    yield f"{'':10}" + "".join(f"{upcard:>5}" for upcard in UPCARDS)
    kind = ""
    for name, letters in chart_rows(chart):
        if kind and not name.startswith(kind):
            yield ""
        kind = name.split()[0]
        yield f"{name:10}" + "".join(f"{letter:>5}" for letter in letters)


def _cells(cells: Mapping[tuple[str, str], ChartCell]) -> Iterator[str]:
    names = list(dict.fromkeys(hand for hand, _ in cells))
    yield f"{'':16}" + "".join(f"{upcard:>8}" for upcard in UPCARDS)
    for hand in names:
        row = [cells[hand, upcard] for upcard in UPCARDS]
        for place, (choice, letter) in enumerate(
            (choice, letter)
            for choice, letter in (("hit", "H"), ("stand", "S"), ("double", "D"), ("split", "P"))
            if getattr(row[0], choice) is not None
        ):
            yield f"{hand if place == 0 else '':10}{choice:6}" + _worths(row, choice, letter)


def _worths(row: Sequence[ChartCell], choice: str, letter: str) -> str:
    return "".join(f"{getattr(cell, choice):7.3f}{'*' if cell.letter == letter else ' '}" for cell in row)


def _definitions(sheet: ParSheet) -> Iterator[str]:
    for name, meaning in DEFINITIONS.items():
        yield from textwrap.wrap(f"{name}: {meaning}", WIDTH, subsequent_indent="  ")
    yield ""
    yield f"odds hash {sheet.rules.odds_hash}"
    yield f"rule set  {sheet.rules.rules_hash}"
