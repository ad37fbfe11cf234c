"""The strategy chart as a page of the help: what is best against each card of the dealer.

Rows that read alike are one row, neighbours that say the same are one bar with a word: a player looks
up the own hand at the left, goes right to the dealer's card and reads HIT, STAND, DOUBLE or SPLIT.
Four fills tell the choices apart by brightness too, so no colour has to be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import (
    ACCENT,
    BADGE,
    LINE,
    LINE_HI,
    ON_ACCENT,
    PANEL,
    PAPER,
    PAPER_INK,
    ROW_LINE,
    TEXT,
    TEXT_2,
    WELL,
    Colour,
    Face,
    Type,
)
from cabinet.ui.pages.howto import TITLE
from game.chart import HARD_TOTALS, SOFT_TOTALS, UPCARDS, Chart
from game.rules import SPLIT_RANKS

LEFT: Final = 60
RIGHT: Final = 970
TOP: Final = 204
BOTTOM: Final = 962
PANEL_WIDTH: Final = 890
NAMES_WIDTH: Final = 196  # of the column that names the hands
MARGIN: Final = 20
COLUMN: Final = (PANEL_WIDTH - NAMES_WIDTH - 2 * MARGIN) / len(UPCARDS)
HEAD: Final = 60  # height of the row with the dealer's cards
ROW_MOST: Final = 72  # of a row of hands; lower when there are many
GAP: Final = 14  # between two panels

CAPTION: Final = Type(Face.SEMI, 28, 0.08)
UPCARD: Final = Type(Face.BOLD, 34)
HAND: Final = Type(Face.SEMI, 34)
HAND_NARROW: Final = Type(Face.NARROW_SEMI, 28)
WORD: Final = Type(Face.NARROW_BOLD, 32)
WORD_LOW: Final = Type(Face.NARROW_BOLD, 28)
LOW: Final = 44  # rows lower than this take the smaller types
NOTE: Final = Type(Face.MEDIUM, 32)
LEADING: Final = 46


class Fill(NamedTuple):
    """How a choice is dressed."""

    word: str
    fill: Colour
    ink: Colour
    edge: Colour | None


FILLS: Final = {
    "H": Fill("help.chart_hit", BADGE, TEXT, None),
    "S": Fill("help.chart_stand", WELL, TEXT_2, LINE),
    "D": Fill("help.chart_double", ACCENT, ON_ACCENT, None),
    "P": Fill("help.chart_split", PAPER, PAPER_INK, LINE_HI),
}


class AdviceRow(NamedTuple):
    """Hands that are played alike: their names, first to last, and ten letters."""

    hands: tuple[str, ...]
    letters: str


def advice(pen: Pen, chart: Chart) -> None:
    """The whole page under its title."""
    pen.text(pen.word("help.chart_title", TITLE, 1000), TITLE, TEXT, LEFT, 160)
    hard, soft, pairs = hard_rows(chart), soft_rows(chart), pair_rows(chart)
    left, right = [("help.chart_hard", hard)], [("help.chart_soft", soft)]
    if pairs:
        right.append(("help.chart_pairs", pairs))
    apart = min(ROW_MOST, _apart(left), _apart(right))
    ends = []
    for x, tables in ((LEFT, left), (RIGHT, right)):
        y: float = TOP
        for caption, table in tables:
            y = _table(pen, x, y, caption, table, apart) + GAP
        ends.append(y)
    _note(pen, ends[0], ends[1] - GAP)


def _note(pen: Pen, top: float, bottom: float) -> None:
    """How to read it: under the left column if there is room down to `bottom`, else at the foot."""
    lines = pen.wrapped(pen.kit.words.word("help.chart_note").replace("\n", " "), NOTE, PANEL_WIDTH - 56)
    height = len(lines) * LEADING
    if bottom - top < height + 32:
        pen.text(pen.word("help.chart_foot", NOTE, 1800), NOTE, TEXT_2, LEFT, 1012)
        return
    pen.box(LEFT, top, PANEL_WIDTH, bottom - top, 16, PANEL, (LINE, 2))
    first = top + (bottom - top - height) / 2 + LEADING / 2 + 0.35 * NOTE.size
    for number, line in enumerate(lines):
        pen.text(line, NOTE, TEXT_2, LEFT + 28, first + number * LEADING)


def _apart(tables: Sequence[tuple[str, Sequence[AdviceRow]]]) -> float:
    """The height of a row with which all tables of a column fit between the title and the notes."""
    room = BOTTOM - TOP - (len(tables) - 1) * GAP - len(tables) * (HEAD + 12)
    return room / sum(len(table) for _, table in tables)


def _table(pen: Pen, x: float, y: float, caption: str, rows: Sequence[AdviceRow], apart: float) -> float:
    """One panel; its lower end."""
    height = HEAD + len(rows) * apart + 12
    pen.box(x, y, PANEL_WIDTH, height, 16, PANEL, (LINE, 2))
    pen.caps(pen.word(caption, CAPTION, NAMES_WIDTH - 10), CAPTION, TEXT_2, x + MARGIN, y, HEAD)
    first = x + MARGIN + NAMES_WIDTH
    for number, upcard in enumerate(UPCARDS):
        pen.caps(upcard, UPCARD, TEXT, first + (number + 0.5) * COLUMN, y, HEAD, "c")
    for number, row in enumerate(rows):
        top = y + HEAD + number * apart
        pen.bar_box(x + MARGIN, top, PANEL_WIDTH - 2 * MARGIN, 2, ROW_LINE)
        name = named(pen, row.hands)
        wide = apart >= LOW and pen.kit.text.fits(name, HAND, NAMES_WIDTH - 10)
        kind = HAND if wide else HAND_NARROW
        pen.caps(name, kind, TEXT, x + MARGIN, top, apart)
        for start, length, letter in bars(row.letters):
            _bar(pen, first + start * COLUMN, top, length * COLUMN, apart, FILLS[letter])
    return y + height


def _bar(pen: Pen, x: float, y: float, w: float, h: float, fill: Fill) -> None:
    edge = None if fill.edge is None else (fill.edge, 2)
    pen.box(x + 3, y + 5, w - 6, h - 8, 10, fill.fill, edge)
    kind = WORD if h >= LOW else WORD_LOW
    pen.caps(pen.word(fill.word, kind, w - 14), kind, fill.ink, x + w / 2, y + 1, h, "c")


def bars(letters: str) -> Iterator[tuple[int, int, str]]:
    """Neighbours with the same letter: first column, number of columns, letter."""
    start = 0
    for letter, group in groupby(letters):
        length = len(list(group))
        yield start, length, letter
        start += length


# ---- rows


def hard_rows(chart: Chart) -> list[AdviceRow]:
    return _neighbours((str(total), row) for total, row in zip(HARD_TOTALS, chart.hard, strict=True))


def soft_rows(chart: Chart) -> list[AdviceRow]:
    """Without two aces: who cannot split them finds them as a hand of 12 that cannot bust, and hits."""
    named_rows = zip(SOFT_TOTALS, chart.soft, strict=True)
    return _neighbours((f"A {total - 11}", row) for total, row in named_rows if total > SOFT_TOTALS[0])


def pair_rows(chart: Chart) -> list[AdviceRow]:
    """Only pairs that are split against some card; others are played by their total. Pairs that read
    alike stand together, also when they are no neighbours."""
    by_letters: dict[str, list[str]] = {}
    for rank, row in zip(SPLIT_RANKS, chart.pairs, strict=True):
        if "P" in row:
            by_letters.setdefault(row, []).append(rank)
    return [AdviceRow(tuple(ranks), letters) for letters, ranks in by_letters.items()]


def _neighbours(rows: Iterator[tuple[str, str]]) -> list[AdviceRow]:
    found: list[AdviceRow] = []
    for hand, letters in rows:
        if found and found[-1].letters == letters:
            found[-1] = AdviceRow((*found[-1].hands, hand), letters)
        else:
            found.append(AdviceRow((hand,), letters))
    return found


def named(pen: Pen, hands: Sequence[str]) -> str:
    """ "9", "13 to 16", "A 2 to A 6", "2, 3, 7"."""
    numbers = [int(hand.split()[-1]) if hand.split()[-1].isdigit() else 1 for hand in hands]
    run = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    if run and len(hands) > 2:
        return pen.kit.words.word("help.chart_range", first=hands[0], last=hands[-1])
    return pen.kit.words.word("words.list_next").join(hands)
