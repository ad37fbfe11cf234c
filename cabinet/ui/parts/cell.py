"""One cell of the grid, 148 high: a figure or an icon, a tag for a doubled bet, a word."""

from __future__ import annotations

from typing import Final, NamedTuple

from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import (
    ACCENT,
    CELL_FAINT,
    DARK_DASH,
    GRID_DASH,
    GRID_FIGURE,
    GRID_FIGURE_7,
    GRID_WORD,
    INK,
    LINE,
    LINE_HI,
    ON_ACCENT,
    PANEL_HI,
    TAG,
    TEXT,
    TEXT_2,
    WELL,
    Colour,
)
from game.grid import Cell, CellState, Word
from game.settle import Outcome

CELL_HEIGHT: Final = 148
RADIUS: Final = 10
ICON: Final = 56
MARK: Final = 26
WORD_BASELINE: Final = 134


class CellDress(NamedTuple):
    """How a cell looks: fill, edge, the colours in it, and what stands in it."""

    fill: Colour | None
    edge: tuple[Colour, float]
    dashed: bool
    figure: Colour
    word: str  # key in the catalogue, "" for none
    word_colour: Colour
    icon: str = ""  # instead of a figure
    mark: str = ""  # before the word


SAID: Final = (TEXT, 3.0)
REST: Final = (LINE_HI, 2.0)

_DRESSES: Final = {
    CellState.IN: CellDress(PANEL_HI, SAID, False, TEXT, "cell.in", TEXT, "check"),
    CellState.WAIT: CellDress(WELL, (LINE_HI, 2), True, TEXT_2, "cell.wait", TEXT_2, "dots"),
    CellState.TURN: CellDress(PANEL_HI, (ACCENT, 4), False, ACCENT, "cell.turn", ACCENT, "turn"),
    CellState.HIT: CellDress(PANEL_HI, SAID, False, TEXT, "cell.hit", TEXT, "hit"),
    CellState.DOUBLE: CellDress(PANEL_HI, SAID, False, TEXT, "cell.double", TEXT, "check"),
    CellState.SPLIT: CellDress(PANEL_HI, SAID, False, TEXT, "cell.split", TEXT, "split"),
    CellState.STAND: CellDress(PANEL_HI, SAID, False, TEXT, "cell.stand", TEXT),
    CellState.STOOD: CellDress(PANEL_HI, REST, False, TEXT, "cell.stand", TEXT_2),
    CellState.TIME: CellDress(PANEL_HI, REST, False, TEXT, "cell.time", TEXT_2),
    CellState.DOUBLED: CellDress(PANEL_HI, REST, False, TEXT, "", TEXT_2),
    CellState.TWENTY_ONE: CellDress(PANEL_HI, REST, False, TEXT, "cell.stand", TEXT_2),
    CellState.ONE_CARD: CellDress(PANEL_HI, REST, False, TEXT, "cell.ace", TEXT_2),
    CellState.BUST: CellDress(WELL, (LINE, 2), False, TEXT_2, "cell.bust", TEXT_2, mark="bust"),
    CellState.BJ: CellDress(PANEL_HI, SAID, False, TEXT, "cell.twenty_one", TEXT),
}
_RESULTS: Final = {
    Outcome.WIN: CellDress(ACCENT, (ACCENT, 2), False, ON_ACCENT, "cell.win", ON_ACCENT, mark="win"),
    Outcome.BLACKJACK: CellDress(ACCENT, (ACCENT, 2), False, ON_ACCENT, "cell.win", ON_ACCENT, mark="win"),
    Outcome.PUSH: CellDress(PANEL_HI, SAID, False, TEXT, "cell.push", TEXT, mark="push"),
    Outcome.LOSE: CellDress(WELL, (LINE, 2), False, TEXT_2, "cell.lose", TEXT_2, mark="lose"),
    Outcome.BUST: _DRESSES[CellState.BUST],
}


def dress(cell: Cell) -> CellDress | None:
    """How a cell looks; None for one that is not used."""
    if cell.state is CellState.EMPTY:
        return None
    return _DRESSES[cell.state] if cell.result is None else _RESULTS[cell.result]


def draw_cell(
    pen: Pen, cell: Cell, x: float, y: float, w: float, *, betting: bool = False, narrow: bool = False
) -> None:
    """One cell at its place. While bets are placed the open cells say BET instead of TURN."""
    clothes = dress(cell)
    if clothes is None:
        empty_cell(pen, x, y, w)
        return
    pen.box(x, y, w, CELL_HEIGHT, RADIUS, clothes.fill, clothes.edge, dashed=clothes.dashed)
    middle = x + w / 2
    tag = cell.doubled and cell.state is not CellState.DOUBLE
    if clothes.icon and cell.total is None:
        pen.icon(clothes.icon, ICON, clothes.figure, middle - ICON / 2, y + 56 - ICON / 2)
    else:
        _figure(pen, cell, clothes, middle, y + (41 if tag and clothes.word else 57), narrow=narrow)
    if tag:
        _tag(pen, middle - 24, y + (70 if clothes.word else 107), on_accent=clothes.fill == ACCENT)
    if clothes.word:
        key = "cell.bet" if betting and cell.state is CellState.TURN else clothes.word
        _word(pen, key, clothes, middle, y + WORD_BASELINE, w - 6)


def empty_cell(pen: Pen, x: float, y: float, w: float) -> None:
    """A cell that is not used."""
    pen.box(x, y, w, CELL_HEIGHT, RADIUS, None, (CELL_FAINT, 2))
    pen.text("\N{EN DASH}", GRID_DASH, DARK_DASH, x + w / 2, y + 88, "c")


def _figure(pen: Pen, cell: Cell, clothes: CellDress, middle: float, centre: float, *, narrow: bool) -> None:
    kind = GRID_FIGURE_7 if narrow else GRID_FIGURE
    if cell.state is CellState.BJ:
        text = pen.word("cell.blackjack", kind, 90)
    else:
        text = "" if cell.total is None else str(cell.total)
    pen.text(text, kind, clothes.figure, middle, centre + 0.35 * kind.size, "c")
    if cell.state is CellState.BUST and text:
        width = pen.width(text, kind) + 16
        pen.bar_box(middle - width / 2, centre - 2, width, 5, clothes.figure)


def _tag(pen: Pen, x: float, y: float, *, on_accent: bool) -> None:
    """The small box with the doubled bet's sign."""
    fill, ink = (ON_ACCENT, ACCENT) if on_accent else (TEXT, INK)
    pen.box(x, y, 48, 31, 7, fill)
    pen.caps(pen.word("cell.double", TAG, 46), TAG, ink, x + 24, y - 1, 31, "c")


def _word(pen: Pen, key: str, clothes: CellDress, middle: float, baseline: float, room: float) -> None:
    word = pen.word(key, GRID_WORD, room)
    width = pen.width(word, GRID_WORD)
    with_mark = bool(clothes.mark)
    whole = width + (MARK + 5 if with_mark else 0)
    left = middle - whole / 2
    if with_mark:
        pen.icon(clothes.mark, MARK, clothes.word_colour, left, baseline - 0.35 * GRID_WORD.size - MARK / 2)
        left += MARK + 5
    pen.text(word, GRID_WORD, clothes.word_colour, left, baseline)


def is_choice(word: Word) -> bool:
    """Whether a word of a line of choices is a choice that was made."""
    return word not in (Word.NONE, Word.OPEN)


def draw_word(pen: Pen, word: Word, x: float, y: float, w: float) -> None:
    """A seat's word in a line of choices, 46 high; dots while it is asked."""
    if word is Word.NONE:
        return
    if word is Word.OPEN:
        pen.icon("dots", 30, ACCENT, x + w / 2 - 15, y + 7)
        return
    pen.caps(pen.word(f"cell.{word.value}", GRID_WORD, w), GRID_WORD, TEXT_2, x + w / 2, y, 44, "c")
