"""The PAR sheet as one page: no script, no network, no second file. Equal sheets give equal bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from cabinet.analysis.par.explanations import DEFAULT_EDGE, DEFINITIONS, WHY
from cabinet.analysis.par.plots import band_plot, net_plot, totals_plot
from cabinet.analysis.par.sheet import CONFIDENCES, ParSheet, result_name
from cabinet.analysis.par.text import SEATS, chart_rows
from cabinet.config.report import house_text
from game.analysis.exact import ChartCell
from game.chart import UPCARDS

OF_STAKED = 95  # of the bands, the one that is told of everything staked too
CHOICES = {"H": "hit", "S": "stand", "D": "double", "P": "split"}
KEY = {
    "H": "hit",
    "S": "stand",
    "D": "double; if that is not possible hit, but stand on soft 18 or more",
    "P": "split",
}
CAPTIONS = {"hard": "HARD HANDS", "soft": "HANDS WITH AN ACE THAT COUNTS 11", "pair": "PAIRS"}


def page(sheet: ParSheet) -> str:
    """The whole document."""
    style = (Path(__file__).parent / "par.css").read_text(encoding="utf-8")
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>PAR sheet: {escape(sheet.title)}</title>\n<style>\n{style}</style>\n</head>\n"
    )
    sections = (
        _word(sheet),
        _section("The chart", _chart(sheet)),
        _section("One round of one seat", _round(sheet)),
        _section("Return after many rounds", _bands(sheet)),
        _section("Where hands end", _totals(sheet)),
        _section("A player who never decides", _timed_out(sheet)),
        _section("The rules", _rules(sheet)),
        _section("What is meant, and how it was found", _method(sheet)),
        _section("What every choice is worth", _worths(sheet), "long"),
    )
    return (
        f'{head}<body>\n<div class="sheet">\n{_header(sheet)}<main>\n{"".join(sections)}'
        f"{_footer(sheet)}</main>\n</div>\n</body>\n</html>\n"
    )


def _section(title: str, parts: Iterable[str], kind: str = "") -> str:
    marked = f' class="{kind}"' if kind else ""
    return f"<section{marked}>\n<h2>{title}</h2>\n{''.join(parts)}</section>\n"


def _header(sheet: ParSheet) -> str:
    odds = sheet.odds
    heroes = (
        (f"{100 * odds.edge_td:.4f} %", "house edge, by the chart"),
        (f"{100 * odds.edge_cd:.4f} %", "house edge, by every card of the own hand"),
        (f"{100 - 100 * odds.edge_per_unit_staked:.4f} %", "return of everything staked"),
        (f"{odds.sd:.4f}", "standard deviation of a round, in first bets"),
    )
    figures = "".join(f"<div><b>{value}</b><span>{name}</span></div>" for value, name in heroes)
    rules = "; ".join(list(house_text(sheet.rules, SEATS))[:-2])
    return (
        '<header>\n<div class="brand">COMMON-HAND BLACKJACK</div>\n'
        f"<h1>PAR sheet: {escape(sheet.title)}</h1>\n"
        f'<p class="rules">{escape(rules[0].upper() + rules[1:])}.</p>\n'
        f'<div class="hero">{figures}</div>\n</header>\n'
    )


def _word(sheet: ParSheet) -> str:
    return f'<p class="word">{escape(DEFAULT_EDGE)}</p>\n' if sheet.is_default else ""


# ---- the chart


def _chart(sheet: ParSheet) -> Iterator[str]:
    yield (
        "<p>Your hand at the left, the dealer&rsquo;s card above; under each letter what it is worth, in "
        "first bets. Point at a cell, or tap it, to see what the other choices would be worth.</p>\n"
    )
    entries = "".join(f'<li><i class="{letter}">{letter}</i>{word}</li>' for letter, word in KEY.items())
    yield f'<ul class="key">{entries}</ul>\n'
    rows = list(chart_rows(sheet.odds.chart))
    for kind, caption in CAPTIONS.items():
        mine = [name for name, _ in rows if name.startswith(kind)]
        if mine:
            yield _grid(sheet, caption, mine)


def _grid(sheet: ParSheet, caption: str, hands: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{upcard}</th>' for upcard in UPCARDS)
    body = ""
    for hand in hands:
        cells = "".join(_cell(hand, upcard, sheet.odds.cells[hand, upcard]) for upcard in UPCARDS)
        body += f'<tr><th scope="row">{_short(hand)}</th>{cells}</tr>\n'
    return f'<table class="chart"><caption>{caption}</caption>\n<tr><th></th>{head}</tr>\n{body}</table>\n'


def _short(hand: str) -> str:
    """ "16", "A 7", "8 8" under the caption of its table."""
    kind, name = hand.split()
    return {"hard": name, "pair": f"{name} {name}"}.get(kind) or f"A {int(name) - 11}".replace("A 1", "A A")


def _cell(hand: str, upcard: str, cell: ChartCell) -> str:
    best = getattr(cell, CHOICES[cell.letter])
    lines = [f"{hand} against {upcard}"]
    for choice in CHOICES.values():
        worth = getattr(cell, choice)
        if worth is not None:
            lines.append(f"{_signed(worth, 4)}  {choice}{'  ◂' if choice == CHOICES[cell.letter] else ''}")
    label = "&#10;".join(lines)
    return (
        f'<td class="{cell.letter}" tabindex="0" data-w="{label}"><b>{cell.letter}</b>'
        f"<small>{_signed(best, 2)}</small></td>"
    )


def _signed(value: float, digits: int) -> str:
    """With its sign, and never a zero below zero."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}") if float(text) else f"{0:.{digits}f}"


# ---- figures


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "<tr>" + "".join(f"<th>{name}</th>" for name in head) + "</tr>\n" if head else ""
    body = "".join("<tr>" + "".join(f"<td>{value}</td>" for value in row) + "</tr>\n" for row in rows)
    return f'<div class="wide"><table class="figures">\n{top}{body}</table></div>\n'


def _plot(svg: str, label: str) -> str:
    return f'<figure class="plot" role="img" aria-label="{escape(label)}">\n{svg}</figure>\n'


def _round(sheet: ParSheet) -> Iterator[str]:
    odds = sheet.odds
    yield _plot(
        net_plot(sheet), "How often a round ends with which net result; the figures are in the table."
    )
    left = [
        (result_name(result).replace("-", "\N{MINUS SIGN}"), f"{chance:.9f}", f"1 in {1 / chance:,.1f}")
        for result, chance in sorted(odds.net.items())
        if chance
    ]
    right = [
        ("staked in a round, in first bets", f"{odds.bet_per_round:.6f}"),
        ("edge of everything staked", f"{100 * odds.edge_per_unit_staked:.6f} %"),
        ("variance", f"{odds.variance:.6f}"),
        ("standard deviation", f"{odds.sd:.6f}"),
        *((name, f"{100 * getattr(odds, name):.5f} %") for name in ("win", "push", "loss")),
        ("rounds with a split", f"{100 * odds.split:.5f} %"),
        ("rounds with a double", f"{100 * odds.double:.5f} %"),
        ("blackjack", f"{100 * odds.natural:.5f} %"),
    ]
    yield f'<div class="pair">{_table(("net result", "probability", ""), left)}{_table((), right)}</div>\n'


def _bands(sheet: ParSheet) -> Iterator[str]:
    yield "<p>So wide is chance: between these returns of the first bets a series of rounds ends.</p>\n"
    yield _plot(
        band_plot(sheet), "Bands of the return over the number of rounds; the figures are in the table."
    )
    rows: dict[int, list[str]] = {}
    staked = {}
    for band in sheet.bands:
        rows.setdefault(band.rounds, [f"{band.rounds:,}"]).append(f"{band.low:.2f} to {band.high:.2f}")
        if band.confidence == OF_STAKED:
            staked[band.rounds] = f"{band.staked_low:.2f} to {band.staked_high:.2f}"
    head = (
        "rounds",
        *(f"{share} % of series" for share in CONFIDENCES),
        f"{OF_STAKED} %, of everything staked",
    )
    yield _table(head, ((*row, staked[rounds]) for rounds, row in rows.items()))


def _totals(sheet: ParSheet) -> Iterator[str]:
    yield _plot(totals_plot(sheet), "On which totals the hands of the player and of the dealer end.")
    hands, dealer = sheet.odds.hand_totals, sheet.odds.dealer_totals
    names = [name for name, share in hands.items() if share or name in dealer]
    short = [{"blackjack": "BJ"}.get(name, name) for name in names]
    rows = [
        (who, *(f"{100 * shares[name]:.2f}" if name in shares else "" for name in names))
        for who, shares in (("player, % of hands", hands), ("dealer, % of rounds", dealer))
    ]
    yield _table(("", *short), rows)
    yield (
        '<p class="quiet">A seat keeps the total on which it stood, whatever is dealt onto the hand later. '
        "The dealer&rsquo;s totals are those of a dealer who always plays out.</p>\n"
    )


def _timed_out(sheet: ParSheet) -> Iterator[str]:
    law = sheet.timed_out
    yield "<p>No choice in time means stand. Who lets every decision time out plays at these odds:</p>\n"
    yield _table(
        ("house edge", "return", "win", "push", "loss", "standard deviation"),
        [
            (
                f"{-100 * law.mean:.4f} %",
                f"{100 + 100 * law.mean:.4f} %",
                *(f"{100 * share:.2f} %" for share in (law.win, law.push, law.loss)),
                f"{law.sd:.4f}",
            )
        ],
    )


# ---- words


def _rules(sheet: ParSheet) -> Iterator[str]:
    rows = [escape(row) for row in house_text(sheet.rules, SEATS)][:-1]
    yield "<ul>" + "".join(f"<li>{row}</li>" for row in rows) + "</ul>\n"


def _method(sheet: ParSheet) -> Iterator[str]:
    yield f"<p>{escape(WHY)}</p>\n<dl>\n"
    for name, meaning in DEFINITIONS.items():
        yield f"<dt>{escape(name)}</dt><dd>{escape(meaning[0].upper() + meaning[1:])}</dd>\n"
    yield "</dl>\n"


def _worths(sheet: ParSheet) -> Iterator[str]:
    yield "<p>In first bets; the choice of the chart is marked.</p>\n"
    head = "".join(f"<th>{upcard}</th>" for upcard in UPCARDS)
    yield f'<div class="wide"><table class="worth">\n<tr><th>hand</th><th></th>{head}</tr>\n'
    cells = sheet.odds.cells
    for hand in dict.fromkeys(hand for hand, _ in cells):
        first = True
        for letter, choice in CHOICES.items():
            if getattr(cells[hand, UPCARDS[0]], choice) is None:
                continue
            row = "".join(_worth(cells[hand, upcard], letter) for upcard in UPCARDS)
            opening = ' class="first"' if first else ""
            yield f"<tr{opening}><td>{hand if first else ''}</td><td>{choice}</td>{row}</tr>\n"
            first = False
    yield "</table></div>\n"


def _worth(cell: ChartCell, letter: str) -> str:
    marked = ' class="best"' if cell.letter == letter else ""
    return f"<td{marked}>{_signed(getattr(cell, CHOICES[letter]), 4)}</td>"


def _footer(sheet: ParSheet) -> str:
    return (
        f"<footer>Odds hash <code>{sheet.rules.odds_hash}</code><br>"
        f"rule set <code>{sheet.rules.rules_hash}</code><br>"
        "The same figures: <code>cabinet par --rules FILE --json</code>. A check by play: "
        "<code>cabinet simulate --rules FILE --rounds 10000000</code>.</footer>\n"
    )
