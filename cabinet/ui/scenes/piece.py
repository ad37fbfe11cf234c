"""What a scene is made of, and the pieces that several scenes share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from cabinet.core.timing import Timing
from cabinet.ui.draw.pen import Pen
from cabinet.ui.moment import Moment, seat_change
from cabinet.ui.parts import console, lockup, seat


class Piece(NamedTuple):
    """A part of a scene.

    `key` holds everything of the view that the piece draws: while it is equal, and until the time
    that the piece itself names, it looks the same. `still` pieces stop at a lock-up; the clock of
    the top bar does not.
    """

    name: str
    key: object
    draw: Callable[[Pen, Moment], None]
    still: bool = True


def seats(at: Moment, times: Timing) -> Iterator[Piece]:
    """The strip of seats along the lower edge."""
    locked = at.lock is not None
    if at.view.seats == 1:
        # The console's hint may name the total of the hand.
        hint = (at.view.hands, at.step.grid)
        yield Piece("seat 1", (seat_change(at, 0, times), locked, hint), console.console)
        return
    for number in range(at.view.seats):
        key = (seat_change(at, number, times), locked, at.view.seats)
        yield Piece(f"seat {number + 1}", key, partial(_seat, number=number))


def lock(at: Moment, *, column: bool) -> Iterator[Piece]:
    """A lock-up, over everything; `column` when there is a dial to cover."""
    if at.lock is not None:
        yield Piece("lock", (at.lock, at.step.phase), partial(_lock, column=column))


def _seat(pen: Pen, at: Moment, number: int) -> None:
    seat.seat(pen, at, number)


def _lock(pen: Pen, at: Moment, column: bool) -> None:
    look = at.lock
    assert look is not None
    lockup.scrim(pen)
    lockup.panel(pen, look)
    if column:
        lockup.frozen(pen, look, at.step)
