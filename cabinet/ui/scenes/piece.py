"""What a scene is made of, and the pieces that several scenes share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from cabinet.ui.moment import Moment
from cabinet.ui.parts import console, lockup, seat
from cabinet.ui.pen import Pen


class Piece(NamedTuple):
    """A part of a scene. `still` pieces stop at a lock-up; the clock of the top bar does not."""

    name: str
    draw: Callable[[Pen, Moment], None]
    still: bool = True


def seats(at: Moment) -> Iterator[Piece]:
    """The strip of seats along the lower edge."""
    if at.view.seats == 1:
        yield Piece("seat 1", console.console)
        return
    for number in range(at.view.seats):
        yield Piece(f"seat {number + 1}", partial(_seat, number=number))


def lock(at: Moment, *, column: bool) -> Iterator[Piece]:
    """A lock-up, over everything; `column` when there is a dial to cover."""
    if at.view.lock is not None:
        yield Piece("lock", partial(_lock, column=column))


def _seat(pen: Pen, at: Moment, number: int) -> None:
    seat.seat(pen, at, number)


def _lock(pen: Pen, at: Moment, column: bool) -> None:
    look = at.view.lock
    assert look is not None
    lockup.scrim(pen)
    lockup.panel(pen, look)
    if column:
        lockup.frozen(pen, look, at.step)
