"""How cards are arranged and move: dealer, common hand, split columns and continuation cards.

Cards that lie are drawn here in place; those in flight are collected and drawn last, over
everything. Places follow from the cards that have started: when a hand grows or the lane of
continuation cards opens, the cards that lie slide together with the arriving one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from cabinet.core.look import CardLook, HandLook
from cabinet.core.timing import Timing
from cabinet.ui.draw import layout as place
from cabinet.ui.draw import slots
from cabinet.ui.draw.layout import Layout, layout
from cabinet.ui.draw.paint import OPAQUE, Item
from cabinet.ui.draw.pen import Pen, in_out_cubic, lerp, out_cubic
from cabinet.ui.draw.shapes import reach
from cabinet.ui.draw.slots import Slot
from cabinet.ui.draw.sprites import CARD_DROP, CARD_SIGMA
from cabinet.ui.draw.theme import FOOT, INK, LINE, LINE_HI, TEXT
from cabinet.ui.moment import Moment, started

SHADOW_MS: Final = 80  # the shadow of a flying card fades in at the end
SHADOW_STEPS: Final = 8

Places: TypeAlias = Callable[[Sequence[CardLook]], tuple[Slot, ...]]


class Flight(NamedTuple):
    """A card under way, to be drawn over everything else."""

    card: CardLook
    slot: Slot
    nobody: bool
    shadow: float  # share of its shadow


def arrange(
    pen: Pen, cards: Sequence[CardLook], places: Places, *, nobody: bool = False
) -> tuple[list[Slot], list[Flight]]:
    """Slots of the cards that lie (moved along as the hand grows), and the cards in flight."""
    present = started(cards, pen.now_ms)
    for card in cards[len(present) :]:
        pen.until(card.start_ms)
        break
    lying = len(pen.lying(present))
    rest = list(places(present[:lying]))
    for count in range(lying + 1, len(present) + 1):
        arriving = present[count - 1]
        share = pen.share(arriving.start_ms, arriving.land_ms - arriving.start_ms)
        target = places(present[:count])
        eased = in_out_cubic(share)
        rest = [_between(old, new, eased) for old, new in zip(rest, target, strict=False)] + list(
            target[len(rest) :]
        )
    flights = []
    for card, slot in zip(present[lying:], rest[lying:], strict=True):
        share = pen.share(card.start_ms, card.land_ms - card.start_ms)
        eased = out_cubic(share)
        at = slot._replace(
            x=lerp(place.FLIGHT_FROM[0], slot.x, eased), y=lerp(place.FLIGHT_FROM[1], slot.y, eased)
        )
        left_ms = card.land_ms - pen.now_ms
        flights.append(Flight(card, at, nobody, max(0.0, 1 - left_ms / SHADOW_MS)))
    return rest[:lying], flights


def _between(old: Slot, new: Slot, share: float) -> Slot:
    """On the way to a new place; the size is the new one at once, because nothing zooms."""
    return new._replace(x=lerp(old.x, new.x, share), y=lerp(old.y + old.h - new.h, new.y, share))


def lane_share(pen: Pen, hand: HandLook, times: Timing) -> float:
    """How far the continuation lane is open: it opens just before the first of them starts."""
    if not hand.continuation:
        return 0.0
    return pen.share(hand.continuation[0].start_ms - times.lane_ms, times.lane_ms)


def draw_card(pen: Pen, card: CardLook, slot: Slot, *, nobody: bool = False, shadow: float = 1.0) -> None:
    """One card in its slot: its soft shadow, then the face."""
    sprites = pen.kit.sprites
    if nobody:
        _draw_nobody(pen, card, slot)
        return
    if slot.tile:
        pen.place(sprites.tile(card.card, slot.w, slot.h, own=True), slot.x, slot.y)
        return
    cast_shadow(pen, slot, shadow)
    pen.place(sprites.card(card.card, slot.w), slot.x, slot.y)


def cast_shadow(pen: Pen, slot: Slot, share: float) -> None:
    alpha = round(share * SHADOW_STEPS) * OPAQUE // SHADOW_STEPS
    if not alpha:
        return
    shadow = pen.kit.sprites.card_shadow(slot.w, slot.h)
    scale = pen.kit.scale
    beyond = reach(CARD_SIGMA * scale.factor)
    x, y = scale.x(slot.x) - beyond, scale.y(slot.y + CARD_DROP) - beyond
    pen.items.append(Item(shadow, x, y, alpha))


def _draw_nobody(pen: Pen, card: CardLook, slot: Slot) -> None:
    """Grey paper in a dashed edge, without a shadow: it lies aside."""
    sprites = pen.kit.sprites
    if slot.tile:
        gap, line, radius = 3, 2, 10
        face = sprites.tile(card.card, slot.w, slot.h)
    else:
        gap, line, radius = 5, 3, 17
        face = sprites.nobody(card.card, slot.w)
    out = gap + line
    pen.box(
        slot.x - out,
        slot.y - out,
        slot.w + 2 * out,
        slot.h + 2 * out,
        radius,
        None,
        (LINE_HI, line),
        dashed=True,
    )
    pen.place(face, slot.x, slot.y)


def draw_flights(pen: Pen, flights: Sequence[Flight]) -> None:
    """Cards under way, the one that started first lowest."""
    for flight in flights:
        draw_card(pen, flight.card, flight.slot, nobody=flight.nobody, shadow=flight.shadow)


def empty_place(pen: Pen, slot: Slot, radius: float = 17) -> None:
    """A dashed place where the next card will lie."""
    pen.box(slot.x, slot.y, slot.w, slot.h, radius, None, (LINE, 3), dashed=True)


def foot(pen: Pen, slot: Slot, shown: float) -> None:
    """The black foot PAIR on a card that is one of the pair; `shown` is what is not covered."""
    if slot.tile:
        pen.bar_box(slot.x + 4, slot.y + slot.h - 8, slot.w - 8, 6, INK)
        return
    pen.box(slot.x, slot.y + slot.h - 34, slot.w, 34, 8, INK)
    pen.bar_box(slot.x, slot.y + slot.h - 34, slot.w, 12, INK)
    if shown >= slots.FOOT_SHOWN - 1:
        word = pen.word("caption.pair_foot", FOOT, shown)
        pen.text(word, FOOT, TEXT, slot.x + min(shown, slot.w) / 2, slot.y + slot.h - 7, "c")


def dealer_places(shape: Layout, *, recall: bool) -> Places:
    """Where the dealer's cards lie."""
    return lambda cards: slots.dealer_slots(len(cards), shape, recall=recall)


def lane_places(shape: Layout) -> Places:
    """Where continuation cards lie beside the common hand."""

    def places(cards: Sequence[CardLook]) -> tuple[Slot, ...]:
        lane = slots.lane_slots(len(cards), shape, open_end=True)
        hidden = (lane.more,) * (len(cards) - len(lane.cards)) if lane.more else ()
        return (lane.cards + hidden)[: len(cards)]

    return places


def rail_places(shape: Layout, hand: HandLook, words: float) -> Places:
    """Where continuation cards lie under a split hand."""

    def places(cards: Sequence[CardLook]) -> tuple[Slot, ...]:
        if not cards:
            return ()
        rail = slots.rail_slots(len(cards), shape.columns[hand.index], shape.column_width, words)
        hidden = (rail.more,) * (len(cards) - len(rail.cards)) if rail.more else ()
        return rail.cards + hidden

    return places


def hand_places(shape: Layout, share: float) -> Places:
    """Where the common hand lies while the lane is open by `share`."""

    def places(cards: Sequence[CardLook]) -> tuple[Slot, ...]:
        faces = tuple(card.card for card in cards)
        if not faces:
            return ()
        wide = slots.hand_slots(faces, shape, shape.hand_room)
        if share <= 0:
            return wide
        tight = slots.hand_slots(faces, shape, shape.lane_room)
        eased = in_out_cubic(share)
        return tuple(_between(old, new, eased) for old, new in zip(wide, tight, strict=True))

    return places


def column_places(shape: Layout, hand: HandLook) -> Places:
    """Where a split hand lies in its column."""

    def places(cards: Sequence[CardLook]) -> tuple[Slot, ...]:
        faces = tuple(card.card for card in cards)
        left = shape.columns[hand.index]
        return slots.column_slots(faces, left, shape.column_width, foot=hand.index > 0) if faces else ()

    return places


def is_split(at: Moment) -> bool:
    """Whether the split columns are open."""
    return any(hand.opens_ms is not None and hand.opens_ms <= at.ms for hand in at.view.hands)


def shape_of(at: Moment) -> Layout:
    """The layout of this cabinet."""
    return layout(at.view.seats)
