"""The table: the pieces of its picture, back to front."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cabinet.core.timing import Timing
from cabinet.ui.draw.pen import Pen
from cabinet.ui.moment import Moment, is_recall
from cabinet.ui.pages.recall import recall_banner
from cabinet.ui.parts import cards, dial, grid, topbar
from cabinet.ui.scenes.piece import Piece, lock, seats


def pieces(at: Moment, times: Timing) -> Iterator[Piece]:
    """The parts of the table at a moment."""
    view, step = at.view, at.step
    recall = is_recall(view)
    if recall:
        yield Piece("recall", (view.banners, step.phase, step.line), recall_banner)
    else:
        yield Piece("top", (view.top, view.banners), _top, still=False)
        yield Piece("rules", view.rules, _rules)
        yield Piece("dial", (step.phase, step.clock, step.line, view.seats), dial.dial)
        yield Piece("bar", step.clock, dial.time_bar)
    yield Piece("grid", _grid_key(at), partial(grid.grid, recall=recall))
    yield from seats(at, times)
    yield Piece("cards", _cards_key(at), partial(cards.cards, recall=recall))
    yield from lock(at, column=True)


def _grid_key(at: Moment) -> object:
    step, before = at.step, at.before
    old = None if before is None else (before.grid, before.row_notes, before.phase)
    moving = step.from_ms if old is not None or at.view.settled_ms is not None else 0
    return step.grid, step.row_notes, step.phase, old, moving, at.view.settled_ms, at.lock is not None


def _cards_key(at: Moment) -> object:
    view, step = at.view, at.step
    words = (step.story, step.shoe_note, step.phase, step.hand_status, step.grid, view.seats)
    return view.dealer, view.hands, words


def _top(pen: Pen, at: Moment) -> None:
    end = topbar.right(pen, at.view)
    topbar.banners(pen, at.view.banners, 470, end)


def _rules(pen: Pen, at: Moment) -> None:
    dial.rules(pen, at.view.rules)
