"""Places of cards on the table: pure geometry, native units.

What shows of a covered card is always its whole index: 0.48 of the width for a ten, 0.33 for any
other. When a hand grows, cards first move together, then become smaller, then lie in two rows; a
hand of twelve stays legible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cabinet.ui.draw import layout as place
from cabinet.ui.draw.layout import Layout
from game.cards import Card

RATIO: Final = 1.4
TEN: Final = 9  # rank index of the only face with two figures
SHOWN_TEN: Final = 0.48
SHOWN: Final = 0.33
FOOT_SHOWN: Final = 68  # the word PAIR has to be readable too
INNER: Final = 16  # from the left edge of a split column to its cards
COLUMN_TOP: Final = 332
COLUMN_HEIGHT: Final = 406
COLUMN_MARGINS: Final = 28
COLUMN_CARDS: Final = 142  # from the top of the column


class Slot(NamedTuple):
    """Where a card lies. A `tile` is an index tile instead of a card."""

    x: float
    y: float
    w: float
    h: float
    tile: bool = False


def dealer_slots(count: int, shape: Layout, *, recall: bool) -> tuple[Slot, ...]:
    """The dealer's cards in one row, the first always at the same place."""
    top, width, height = place.DEALER_TOP, place.DEALER_WIDTH, place.DEALER_HEIGHT
    if recall:
        top, width, height = place.RECALL_DEALER
    step = place.RECALL_STEP if recall else place.DEALER_STEP
    if count > 1:
        step = min(step, (shape.zone_width - width) // (count - 1))
    return tuple(Slot(place.CARD_LEFT + number * step, top, width, height) for number in range(count))


def hand_slots(cards: Sequence[Card], shape: Layout, room: float) -> tuple[Slot, ...]:
    """The common hand in `room` native pixels."""
    count = len(cards)
    if shape.large and 280 + 292 * (count - 1) <= room:
        return _row([292.0] * (count - 1), shape.hand_top, 280, 392)
    gaps = max(1, count - 1)
    if (room - 240) / gaps >= 116:
        return _row([min(248.0, (room - 240) / gaps)] * (count - 1), place.HAND_BOTTOM - 336, 240, 336)
    steps = spread(cards, 200, room, 124)
    if steps is not None:
        return _row(steps, place.HAND_BOTTOM - 280, 200, 280)
    first = (count + 1) // 2
    rows = (cards[:first], cards[first:])
    slots: list[Slot] = []
    for number, row in enumerate(rows):
        steps = spread(row, 120, room, 128) or [(room - 120) / max(1, len(row) - 1)] * (len(row) - 1)
        slots += _row(steps, place.HAND_BOTTOM - 336 + 168 * number, 120, 168)
    return tuple(slots)


def column_slots(cards: Sequence[Card], left: float, width: float, *, foot: bool) -> tuple[Slot, ...]:
    """A hand in its split column; `foot` when its first card carries the word PAIR."""
    inner = width - COLUMN_MARGINS
    count = len(cards)
    x, y = left + INNER, COLUMN_TOP + COLUMN_CARDS
    for needs_foot in (foot, False):
        steps = spread(cards, 120, inner, 128, first=FOOT_SHOWN if needs_foot else 0)
        if steps is not None:
            return _row(steps, y, 120, 168, x)
    first = (count + 1) // 2
    size = min(54.0, (inner - 4 * (first - 1)) / first)
    step = min(size + 8, (inner - size) / max(1, first - 1))
    return tuple(
        Slot(x + (number % first) * step, y + (number // first) * 88, size, 80, tile=True)
        for number in range(count)
    )


def spread(
    cards: Sequence[Card], width: float, room: float, widest: float, first: float = 0
) -> list[float] | None:
    """Steps from card to card so that every covered index shows; None when there is no room.

    Equal steps where they show enough, else a ten gets what it needs and the others share the rest.
    """
    gaps = len(cards) - 1
    if gaps < 1:
        return []
    equal = min(widest, (room - width) / gaps)
    needs = [width * (SHOWN_TEN if card % 13 == TEN else SHOWN) for card in cards[:-1]]
    needs[0] = max(needs[0], first)
    if all(need <= equal for need in needs):
        return [equal] * gaps
    spare = room - width - sum(needs)
    if spare < 0:
        return None
    return [min(widest, need + spare / gaps) for need in needs]


def _row(
    steps: Sequence[float], y: float, w: float, h: float, x: float = place.CARD_LEFT
) -> tuple[Slot, ...]:
    slots = [Slot(x, y, w, h)]
    for step in steps:
        x += step
        slots.append(Slot(x, y, w, h))
    return tuple(slots)


class Lane(NamedTuple):
    """Continuation cards beside the common hand: slots of the cards shown and of what else is there."""

    cards: tuple[Slot, ...]
    more: Slot | None  # "+n" stands here for those not shown
    free: Slot | None  # dashed place of the next one
    total: tuple[float, float]  # middle of the figure, and its baseline
    caption: float  # baseline of the first line


TILE_STEP: Final = 84
LANE_TILES: Final = 6


def lane_slots(count: int, shape: Layout, *, open_end: bool) -> Lane:
    """Places for `count` cards of nobody; `open_end` when more may follow."""
    left, _, width, _ = shape.lane
    middle = left + width / 2
    if count <= 1:
        return Lane((Slot(middle - 75, place.HAND_BOTTOM - 210, 150, 210),), None, None, (middle, 436), 340)
    tall = count > 3
    top, step = (398, 110) if tall else (446, 114)
    places = [
        Slot(middle - 78 + TILE_STEP * (n % 2), top + step * (n // 2), 72, 96, tile=True)
        for n in range(LANE_TILES)
    ]
    last = places[5] if tall else places[3]
    total = (last.x + last.w / 2, last.y + last.h / 2 + 20)
    more = places[4] if count > 5 else None
    shown = 4 if more else count
    free = places[count] if open_end and count in (2, 4) else None
    return Lane(tuple(places[:shown]), more, free, total, 340 if tall else 376)


class Rail(NamedTuple):
    """Continuation cards under a split hand."""

    cards: tuple[Slot, ...]
    more: Slot | None


def rail_slots(count: int, left: float, width: float, words: float) -> Rail:
    """Tiles from the left, with `words` native pixels kept free at the right."""
    inner = width - COLUMN_MARGINS - words - 8
    step = 66 if 54 + 66 * (count - 1) <= inner else 57
    most = max(1, int((inner - 54) // step) + 1)
    y = COLUMN_TOP + 318 + 4
    shown = count if count <= most else most - 1
    slots = [Slot(left + INNER + 3 + step * number, y, 54, 70, tile=True) for number in range(shown + 1)]
    return Rail(tuple(slots[:shown]), slots[shown] if shown < count else None)
