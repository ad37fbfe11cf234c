"""The Blackjack Grid: seats across, hands down, and the choices that led there.

The panel, its title and the numbers of the seats are part of the still background; here are the
rows, the cells and the lines of choices. A settlement shows in an order: lost cells darken
together, after a pause the won cells fill one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cabinet.core.look import Message, TablePhase
from cabinet.ui.draw.layout import RECALL_DROP, Layout
from cabinet.ui.draw.paint import Drawn
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import (
    ACCENT,
    BADGE,
    BADGE_FIGURE,
    CELL_FAINT,
    GRID_LABEL,
    GRID_TITLE,
    LINE,
    PANEL,
    PANEL_HI,
    TEXT,
    TEXT_2,
)
from cabinet.ui.moment import Moment
from cabinet.ui.parts.cell import CELL_HEIGHT, draw_cell, draw_word, empty_cell, is_choice
from cabinet.ui.parts.hand import shape_of
from game.grid import Cell, CellState, ChoiceLine, Grid, Row
from game.settle import Outcome

TITLE_HEIGHT: Final = 48
HEADS_HEIGHT: Final = 46
LABEL_HEIGHT: Final = 38
ROW_STEP: Final = 186
RECALL_ROW_STEP: Final = 182  # the grid is lower there, and its last row must not stand over its edge
CHOICE_STEP: Final = 84
CHOICE_LINES: Final = 4
BADGE_SIZE: Final = 44


def panel(pen: Pen, shape: Layout, *, recall: bool) -> None:
    """The still parts: panel, title, numbers of the seats."""
    x, y, w, h = shape.grid
    drop = RECALL_DROP if recall else 0
    left, top, width, height = pen.kit.scale.box(x, y + drop, w, h - drop)
    edge = pen.kit.sprites.edge(LINE, 2)
    pen.at(pen.kit.sprites.gradient(width, height, 16, PANEL_HI, PANEL, 96, edge), left, top)
    title = pen.word("caption.grid", GRID_TITLE, w - 40)
    pen.text(title, GRID_TITLE, TEXT_2, x + 18, y + drop + 39)
    if shape.seats == 1:
        return
    for number, (cell_x, cell_w) in enumerate(shape.cells):
        badge(pen, str(number + 1), cell_x + cell_w / 2 - BADGE_SIZE / 2, y + drop + TITLE_HEIGHT + 1)


def badge(pen: Pen, figure: str, x: float, y: float) -> None:
    """The number of a seat at rest."""
    pen.box(x, y, BADGE_SIZE, BADGE_SIZE, BADGE_SIZE / 2, BADGE)
    pen.caps(figure, BADGE_FIGURE, TEXT, x + BADGE_SIZE / 2, y, BADGE_SIZE, "c")


def grid(pen: Pen, at: Moment, *, recall: bool = False) -> None:
    """Rows and choices. When a split changes the rows, the old ones fade first, then the new appear."""
    before = at.before
    now, old = at.step.grid, before.grid if before is not None else None
    if old is None or old == now or len(old.rows) == len(now.rows) or at.lock is not None:
        _rows(pen, at, now, old, recall=recall)
        return
    assert before is not None
    new_pen, old_pen = pen.sub(), pen.sub()
    _rows(new_pen, at, now, None, recall=recall)
    _rows(old_pen, at._replace(step=before), old, None, recall=recall)
    x, y, w, h = shape_of(at).grid
    box = (x + 2, y + 48, w - 4, h - 50)
    fade_ms = pen.kit.times.grid_fade_ms
    middle_ms = at.step.from_ms + (fade_ms if pen.kit.look.motion else 0)
    if pen.now_ms < middle_ms:
        pen.fade(box, old_pen.items, (), at.step.from_ms, fade_ms)
        pen.until(middle_ms)
    else:
        pen.fade(box, (), new_pen.items, middle_ms, fade_ms)
    pen.until(new_pen.until_ms)


def _rows(pen: Pen, at: Moment, now: Grid, old: Grid | None, *, recall: bool) -> None:
    shape = shape_of(at)
    y = (
        shape.grid[1]
        + TITLE_HEIGHT
        + (0 if shape.seats == 1 else HEADS_HEIGHT)
        + (RECALL_DROP if recall else 0)
    )
    step = RECALL_ROW_STEP if recall else ROW_STEP
    for number, row in enumerate(now.rows):
        note = at.step.row_notes[number] if number < len(at.step.row_notes) else None
        top = y + step * number
        _label(pen, at, shape, row, note, top)
        before = old.rows[number].cells if old is not None and number < len(old.rows) else row.cells
        for cell, was, (x, w) in zip(row.cells, before, shape.cells, strict=False):
            _cell(pen, at, cell, was, x, top + LABEL_HEIGHT, w)
    if len(now.rows) > 1:
        return
    below = y + step
    made = [line for line in now.lines if any(map(is_choice, line.words))]
    if shape.seats == 1 and not made:
        _unused_rows(pen, shape, below, step)
    else:
        _choices(pen, shape, now.lines, below)


def _label(pen: Pen, at: Moment, shape: Layout, row: Row, note: Message | None, y: float) -> None:
    """The name of a row, and at its right end what became of the hand."""
    asked = any(cell.state is CellState.TURN for cell in row.cells) and at.step.phase is TablePhase.DECIDE
    colour = ACCENT if asked else TEXT_2
    x, w = shape.grid[0], shape.grid[2]
    name = pen.word(f"caption.{row.kind.value}", GRID_LABEL, w - 40)
    pen.text(name, GRID_LABEL, colour, x + 18, y + 32)
    if note is not None:
        text = pen.fit(note, GRID_LABEL, w - 36 - pen.width(name, GRID_LABEL) - 16)
        pen.text(text, GRID_LABEL, colour, x + w - 18, y + 32, "r")


def _unused_rows(pen: Pen, shape: Layout, y: float, step: int) -> None:
    """One seat: the rows of a split are there before there is one."""
    x, w = shape.grid[0], shape.grid[2]
    for number in (1, 2):
        top = y + step * (number - 1)
        pen.text(pen.word(f"caption.split_{number}", GRID_LABEL, w), GRID_LABEL, TEXT_2, x + 18, top + 32)
        if number == 1:
            pen.text(
                pen.word("row.only_pair", GRID_LABEL, w - 160), GRID_LABEL, TEXT_2, x + w - 18, top + 32, "r"
            )
        for cell_x, cell_w in shape.cells:
            empty_cell(pen, cell_x, top + LABEL_HEIGHT, cell_w)


def _choices(pen: Pen, shape: Layout, lines: Sequence[ChoiceLine], y: float) -> None:
    """CHOICES ON n; the older ones scroll off."""
    x, w = shape.grid[0], shape.grid[2]
    for number, line in enumerate(lines[-CHOICE_LINES:]):
        top = y + CHOICE_STEP * number
        key = "caption.choices_on_soft" if line.soft else "caption.choices_on"
        pen.text(pen.word(key, GRID_LABEL, w - 40, total=line.total), GRID_LABEL, TEXT_2, x + 18, top + 32)
        for word, (cell_x, cell_w) in zip(line.words, shape.cells, strict=False):
            draw_word(pen, word, cell_x, top + LABEL_HEIGHT, cell_w)
        pen.bar_box(x + 14, top + CHOICE_STEP - 2, w - 28, 2, CELL_FAINT)


def _result_ms(pen: Pen, at: Moment, cell: Cell) -> int:
    """When the result of a cell starts to show."""
    settled = at.view.settled_ms
    if settled is None or cell.result is None or at.step.from_ms > settled or not pen.kit.look.motion:
        return 0
    times = pen.kit.times
    if cell.result in (Outcome.LOSE, Outcome.BUST):
        return settled
    wins = sum(
        any(_won(other) for row in at.step.grid.rows for other in row.cells if other.seat == seat)
        for seat in at.step.grid.seats[: at.step.grid.seats.index(cell.seat)]
    )
    later = times.win_stagger_ms * wins if _won(cell) else 0
    return settled + times.lose_fade_ms + times.settle_pause_ms + later


def _won(cell: Cell) -> bool:
    return cell.result in (Outcome.WIN, Outcome.BLACKJACK)


def _cell(pen: Pen, at: Moment, cell: Cell, was: Cell, x: float, y: float, w: float) -> None:
    """A cell; a result fades in over the cell without it when its time comes."""
    betting = at.step.phase in (TablePhase.IDLE, TablePhase.BET, TablePhase.CLOSED)
    box = (x, y, w, CELL_HEIGHT)
    times = pen.kit.times
    start = _result_ms(pen, at, cell)
    plain = replace(cell, result=None)
    new = _one(pen, cell, x, y, w, betting=betting)
    if start:
        length = times.win_fill_ms if _won(cell) else times.lose_fade_ms
        pen.fade(box, _one(pen, plain, x, y, w, betting=betting), new, start, length)
    elif was not in (cell, plain) and at.lock is None:
        pen.fade(box, _one(pen, was, x, y, w, betting=betting), new, at.step.from_ms, times.lamp_fade_ms)
    else:
        pen.items += new


def _one(pen: Pen, cell: Cell, x: float, y: float, w: float, *, betting: bool) -> list[Drawn]:
    piece = pen.sub()
    draw_cell(piece, cell, x, y, w, betting=betting, narrow=w < 100)
    return piece.items
