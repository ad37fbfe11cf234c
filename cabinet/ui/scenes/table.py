"""The table: the pieces of its picture, back to front."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cabinet.ui.moment import Moment
from cabinet.ui.parts import cards, dial, grid, topbar
from cabinet.ui.parts.recall import recall_banner
from cabinet.ui.pen import Pen
from cabinet.ui.scenes.base import is_recall
from cabinet.ui.scenes.piece import Piece, lock, seats


def pieces(at: Moment) -> Iterator[Piece]:
    """The parts of the table at a moment."""
    recall = is_recall(at.view)
    if recall:
        yield Piece("recall", recall_banner)
    else:
        yield Piece("top", _top, still=False)
        yield Piece("rules", _rules)
        yield Piece("dial", dial.dial)
        yield Piece("bar", dial.time_bar)
    yield Piece("grid", partial(grid.grid, recall=recall))
    yield from seats(at)
    yield Piece("cards", partial(cards.cards, recall=recall))
    yield from lock(at, column=True)


def _top(pen: Pen, at: Moment) -> None:
    end = topbar.right(pen, at.view)
    topbar.banners(pen, at.view.banners, 470, end)


def _rules(pen: Pen, at: Moment) -> None:
    dial.rules(pen, at.view.rules)
