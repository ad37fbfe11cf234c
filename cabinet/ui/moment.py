"""A view at one time: which step is shown, what it followed, and how far the table has moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cabinet.core.look import CardLook, LockLook, Scene, SeatLook, SeatState, Step, View
from cabinet.core.timing import Timing
from cabinet.ui.draw.paint import FOREVER


class Moment(NamedTuple):
    """`ms` is the time that the table is drawn for: a lock-up stops it."""

    view: View
    ms: int
    number: int
    step: Step
    next_ms: int  # when the next step begins

    @property
    def lock(self) -> LockLook | None:
        """The lock-up that lies over the picture."""
        return lock_of(self.view)

    @property
    def before(self) -> Step | None:
        """The step before this one, if the view still has it."""
        return self.view.steps[self.number - 1] if self.number else None


def moment(view: View, now_ms: int) -> Moment:
    """The moment of a view. Before the first step begins, the first one is shown."""
    lock = lock_of(view)
    ms = now_ms if lock is None else min(now_ms, lock.since_ms)
    number = 0
    for candidate, step in enumerate(view.steps):
        if step.from_ms <= ms:
            number = candidate
    frozen = lock is not None and now_ms >= lock.since_ms
    following = number + 1
    next_ms = view.steps[following].from_ms if following < len(view.steps) and not frozen else FOREVER
    if not frozen and view.steps[number].from_ms > ms:
        next_ms = view.steps[number].from_ms
    return Moment(view, ms, number, view.steps[number], next_ms)


def lock_of(view: View) -> LockLook | None:
    """The lock-up that the picture shows. Service pages and recall are read while it lasts."""
    return None if view.scene is Scene.SERVICE or is_recall(view) else view.lock


def is_recall(view: View) -> bool:
    """A past round is shown on the table, under a banner that says so."""
    return any(banner.kind == "recall" for banner in view.banners)


class SeatChange(NamedTuple):
    """How a seat looks, how it looked before, and when that changed (None: it has always been so)."""

    look: SeatLook
    before: SeatLook | None
    at_ms: int


def seat_change(at: Moment, number: int, times: Timing) -> SeatChange:
    """The last change of seat `number` (from 0) up to the moment.

    A settlement reaches the seats one after another even though it is one step.
    """
    steps = at.view.steps
    look = at.step.seats[number]
    for earlier in range(at.number - 1, -1, -1):
        before = steps[earlier].seats[number]
        if before is not look and before != look:
            return SeatChange(look, before, max(steps[earlier + 1].from_ms, settled_at(at, number, times)))
    return SeatChange(look, None, at.step.from_ms)


def settled_at(at: Moment, number: int, times: Timing) -> int:
    """When the result of a seat shows: losses first, then wins from seat to seat."""
    settled_ms = at.view.settled_ms
    if settled_ms is None or at.step.from_ms < settled_ms:
        return 0
    states = [seat.state for seat in at.step.seats]
    if states[number] in (SeatState.LOSE, SeatState.BUST):
        return settled_ms
    if states[number] not in (SeatState.WIN, SeatState.PUSH, SeatState.BLACKJACK):
        return 0
    return (
        settled_ms
        + times.lose_fade_ms
        + times.settle_pause_ms
        + times.win_stagger_ms * wins_before(states, number)
    )


def wins_before(states: Sequence[SeatState], number: int) -> int:
    """How many seats are filled before this one."""
    return sum(state in (SeatState.WIN, SeatState.BLACKJACK) for state in states[:number])


def started(cards: Sequence[CardLook], ms: int) -> tuple[CardLook, ...]:
    """The cards that have left the shoe."""
    return tuple(card for card in cards if card.start_ms <= ms)
