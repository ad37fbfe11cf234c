"""Eyes for tests: what a view shows at a time, and everything that it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from cabinet.core.look import CardLook, Message, SeatLook, Step, View
from cabinet.core.view import view
from support.evenings.evening import Evening


def look(evening: Evening) -> View:
    """What the screen shows now."""
    return view(evening.state, evening.live)


def step_at(seen: View, ms: int) -> Step:
    """The step that a window draws at `ms`."""
    return [step for step in seen.steps if step.from_ms <= ms or step is seen.steps[0]][-1]


def step_now(evening: Evening) -> Step:
    return step_at(look(evening), evening.at_ms)


def seat_now(evening: Evening, seat: int) -> SeatLook:
    return step_now(evening).seats[seat - 1]


def landed(cards: tuple[CardLook, ...], ms: int) -> tuple[int, ...]:
    """The cards that lie at `ms`."""
    return tuple(card.card for card in cards if card.land_ms <= ms)


def messages(thing: object) -> Iterator[Message]:
    """Every message in a view, however deep."""
    if isinstance(thing, Message):
        yield thing
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from messages(getattr(thing, field.name))
    elif isinstance(thing, tuple):
        for item in thing:
            yield from messages(item)
