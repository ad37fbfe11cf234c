"""The PAR sheet as one page: no script, no network, no second file. Equal sheets give equal bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cabinet.analysis.par.explanations import DEFAULT_EDGE, DEFINITIONS, WHY
from cabinet.analysis.par.plots import band_plot, net_plot, totals_plot
from cabinet.analysis.par.sheet import CONFIDENCES, ParSheet, result_name
from cabinet.analysis.par.text import SEATS, chart_rows
from cabinet.config.report import house_text
from cabinet.pages.rendering import render
from game.analysis.exact import ChartCell
from game.chart import UPCARDS

TEMPLATE = Path(__file__).with_name("par.html")
OF_STAKED = 95  # of the bands, the one that is told of everything staked too
CHOICES = {"H": "hit", "S": "stand", "D": "double", "P": "split"}
KEY = {
    "H": "hit",
    "S": "stand",
    "D": "double; if that is not possible hit, but stand on soft 18 or more",
    "P": "split",
}
CAPTIONS = {"hard": "HARD HANDS", "soft": "HANDS WITH AN ACE THAT COUNTS 11", "pair": "PAIRS"}
Rows = Sequence[Sequence[str]]


class Mark(NamedTuple):
    """A cell of the chart: its letter, what that is worth, and what every choice is worth."""

    letter: str
    worth: str
    tip: str


def page(sheet: ParSheet) -> str:
    """The whole document."""
    rules = list(house_text(sheet.rules, SEATS))
    line = "; ".join(rules[:-2])
    return render(
        TEMPLATE,
        sheet=sheet,
        heroes=_heroes(sheet),
        rules_line=line[0].upper() + line[1:],
        rules=rules[:-1],
        default_edge=DEFAULT_EDGE,
        key=KEY,
        upcards=UPCARDS,
        charts=list(_charts(sheet)),
        plots={"net": net_plot(sheet), "bands": band_plot(sheet), "totals": totals_plot(sheet)},
        net=_net(sheet),
        round=_round(sheet),
        bands=_bands(sheet),
        totals=_totals(sheet),
        timed_out=_timed_out(sheet),
        why=WHY,
        definitions=DEFINITIONS,
        worths=list(_worths(sheet)),
    )


def _heroes(sheet: ParSheet) -> Rows:
    odds = sheet.odds
    return (
        (f"{100 * odds.edge_td:.4f} %", "house edge, by the chart", "more"),
        (f"{100 * odds.edge_cd:.4f} %", "house edge, by every card of the own hand", ""),
        (f"{100 - 100 * odds.edge_per_unit_staked:.4f} %", "return of everything staked", ""),
        (f"{odds.sd:.4f}", "standard deviation of a round, in first bets", ""),
    )


# ---- the chart


def _charts(sheet: ParSheet) -> Iterator[tuple[str, list[tuple[str, list[Mark]]]]]:
    cells = sheet.odds.cells
    hands = [name for name, _ in chart_rows(sheet.odds.chart)]
    for kind, caption in CAPTIONS.items():
        rows = [
            (_short(hand), [_mark(hand, upcard, cells[hand, upcard]) for upcard in UPCARDS])
            for hand in hands
            if hand.startswith(kind)
        ]
        if rows:
            yield caption, rows


def _short(hand: str) -> str:
    """ "16", "A 7", "8 8" under the caption of its table."""
    kind, name = hand.split()
    return {"hard": name, "pair": f"{name} {name}"}.get(kind) or f"A {int(name) - 11}".replace("A 1", "A A")


def _mark(hand: str, upcard: str, cell: ChartCell) -> Mark:
    best = CHOICES[cell.letter]
    lines = [f"{hand} against {upcard}"]
    for choice in CHOICES.values():
        worth = getattr(cell, choice)
        if worth is not None:
            lines.append(f"{_signed(worth, 4)}  {choice}{'  ◂' if choice == best else ''}")
    return Mark(cell.letter, _signed(getattr(cell, best), 2), "\n".join(lines))


def _signed(value: float, digits: int) -> str:
    """With its sign, and never a zero below zero."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}") if float(text) else f"{0:.{digits}f}"


def _worths(sheet: ParSheet) -> Iterator[tuple[str, str, list[tuple[str, bool]]]]:
    """A row for each choice of each hand; the hand's name stands in its first row only."""
    cells = sheet.odds.cells
    for hand in dict.fromkeys(hand for hand, _ in cells):
        name = hand
        for letter, choice in CHOICES.items():
            if getattr(cells[hand, UPCARDS[0]], choice) is None:
                continue
            row = [cells[hand, upcard] for upcard in UPCARDS]
            yield name, choice, [(_signed(getattr(cell, choice), 4), cell.letter == letter) for cell in row]
            name = ""


# ---- figures


def _net(sheet: ParSheet) -> Rows:
    return [
        (result_name(result).replace("-", "\N{MINUS SIGN}"), f"{chance:.9f}", f"1 in {1 / chance:,.1f}")
        for result, chance in sorted(sheet.odds.net.items())
        if chance
    ]


def _round(sheet: ParSheet) -> Rows:
    odds = sheet.odds
    return [
        ("staked in a round, in first bets", f"{odds.bet_per_round:.6f}"),
        ("edge of everything staked", f"{100 * odds.edge_per_unit_staked:.6f} %"),
        ("variance", f"{odds.variance:.6f}"),
        ("standard deviation", f"{odds.sd:.6f}"),
        *((name, f"{100 * getattr(odds, name):.5f} %") for name in ("win", "push", "loss")),
        ("rounds with a split", f"{100 * odds.split:.5f} %"),
        ("rounds with a double", f"{100 * odds.double:.5f} %"),
        ("blackjack", f"{100 * odds.natural:.5f} %"),
    ]


def _bands(sheet: ParSheet) -> tuple[Sequence[str], Rows]:
    rows: dict[int, list[str]] = {}
    staked = {}
    for band in sheet.bands:
        rows.setdefault(band.rounds, [f"{band.rounds:,}"]).append(f"{band.low:.2f} to {band.high:.2f}")
        if band.confidence == OF_STAKED:
            staked[band.rounds] = f"{band.staked_low:.2f} to {band.staked_high:.2f}"
    shares = (f"{share} % of series" for share in CONFIDENCES)
    head = ("rounds", *shares, f"{OF_STAKED} %, of everything staked")
    return head, [(*row, staked[rounds]) for rounds, row in rows.items()]


def _totals(sheet: ParSheet) -> tuple[Sequence[str], Rows]:
    hands, dealer = sheet.odds.hand_totals, sheet.odds.dealer_totals
    names = [name for name, share in hands.items() if share or name in dealer]
    rows = [
        (who, *(f"{100 * shares[name]:.2f}" if name in shares else "" for name in names))
        for who, shares in (("player, % of hands", hands), ("dealer, % of rounds", dealer))
    ]
    return ("", *({"blackjack": "BJ"}.get(name, name) for name in names)), rows


def _timed_out(sheet: ParSheet) -> Sequence[str]:
    law = sheet.timed_out
    return (
        f"{-100 * law.mean:.4f} %",
        f"{100 + 100 * law.mean:.4f} %",
        *(f"{100 * share:.2f} %" for share in (law.win, law.push, law.loss)),
        f"{law.sd:.4f}",
    )
