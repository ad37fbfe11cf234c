"""The cards of the table as one part, so that cards in flight can lie over everything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cabinet.core.look import CardLook, HandLook, HandTurn, Step, TablePhase
from cabinet.ui.draw import layout as place
from cabinet.ui.draw import slots
from cabinet.ui.draw.layout import Layout
from cabinet.ui.draw.pen import Pen, in_out_cubic, lerp
from cabinet.ui.draw.slots import Slot
from cabinet.ui.draw.theme import (
    ACCENT,
    CAPTION,
    COLUMN_LABEL,
    COLUMN_SAY,
    DEALER_TOTAL,
    HAND_TOTAL,
    INK,
    LANE_TOTAL,
    LINE_HI,
    NOTE,
    RAIL,
    SPLIT_TOTAL,
    STORY,
    SUM,
    SUM_NARROW,
    TEXT,
    TEXT_2,
    TEXT_3,
    Face,
    Type,
)
from cabinet.ui.moment import Moment, started
from cabinet.ui.parts import hand as lay
from cabinet.ui.parts.hand import Flight
from cabinet.ui.parts.invitation import CAPTION_ROOM, CAPTION_X, invitation
from game.cards import POINTS
from game.grid import CellState
from game.hand import TWENTY_ONE, total

RAIL_NARROW: Final = Type(Face.NARROW_MEDIUM, 30)
MORE: Final = Type(Face.BOLD, 44)


def cards(pen: Pen, at: Moment, *, recall: bool = False) -> None:
    """Dealer, story and hands; the invitation to bet while there are no cards."""
    flights: list[Flight] = []
    shape = lay.shape_of(at)
    if not at.view.dealer and not at.view.hands:
        invitation(pen, at, shape)
        return
    dealer(pen, at, shape, flights, recall=recall)
    story(pen, at, shape)
    if lay.is_split(at):
        for number, hand in enumerate(at.view.hands):
            _frame(pen, at, shape, hand, number)
        for number, hand in enumerate(at.view.hands):
            column(pen, at, shape, hand, number, flights)
    else:
        common(pen, at, shape, flights)
    for hand in at.view.hands:
        if hand.opens_ms is not None:
            pen.until(hand.opens_ms)
    lay.draw_flights(pen, flights)


def dealer(pen: Pen, at: Moment, shape: Layout, flights: list[Flight], *, recall: bool) -> None:
    """The dealer's caption, total and row."""
    drop = 8 if recall else 0
    pen.text(pen.word("caption.dealer", CAPTION, CAPTION_ROOM), CAPTION, TEXT_2, CAPTION_X, 111 + drop)
    row = at.view.dealer
    lying = pen.lying(row)
    if lying:
        figure = str(total([card.card for card in lying]).best)
        pen.text(figure, DEALER_TOTAL, TEXT, CAPTION_X, 219 + drop)
    present = started(row, pen.now_ms)
    if len(present) < 2 and not recall:
        lay.empty_place(pen, slots.dealer_slots(2, shape, recall=recall)[len(present)])
    rest, flying = lay.arrange(pen, row, lay.dealer_places(shape, recall=recall))
    for card, slot in zip(row, rest, strict=False):
        lay.draw_card(pen, card, slot)
    flights += flying


def story(pen: Pen, at: Moment, shape: Layout) -> None:
    """Why cards come that nobody asked for: three lines beside the dealer's first cards."""
    if at.step.story is None or len(started(at.view.dealer, pen.now_ms)) > 2:
        return
    x, y = place.STORY
    text = pen.fit(at.step.story, STORY, shape.story_width)
    pen.lines(text, STORY, TEXT_2, x, y + 34, 42)


def common(pen: Pen, at: Moment, shape: Layout, flights: list[Flight]) -> None:
    """The common hand with its large total, its sum and continuation cards."""
    key = "caption.your_hand" if at.view.seats == 1 else "caption.common_hand"
    pen.text(pen.word(key, CAPTION, CAPTION_ROOM), CAPTION, TEXT_2, CAPTION_X, 371)
    if not at.view.hands:
        return
    hand = at.view.hands[0]
    lying = pen.lying(hand.cards)
    if lying:
        figure = str(total([card.card for card in lying]).best)
        pen.text(figure, HAND_TOTAL, TEXT, CAPTION_X, 555)
    if len(lying) > 1:
        sum_line(pen, lying)
    share = lay.lane_share(pen, hand, pen.kit.times)
    if hand.continuation:
        pen.until(hand.continuation[0].start_ms - pen.kit.times.lane_ms)
    if shape.large and share == 0 and at.step.phase is TablePhase.DECIDE and len(hand.cards) == 2:
        lay.empty_place(pen, Slot(place.CARD_LEFT + 584, shape.hand_top, 280, 392), 20)
    rest, flying = lay.arrange(pen, hand.cards, lay.hand_places(shape, share))
    for card, slot in zip(hand.cards, rest, strict=False):
        lay.draw_card(pen, card, slot)
    flights += flying
    if share > 0:
        lane(pen, hand, shape, flights)


def sum_line(pen: Pen, lying: Sequence[CardLook]) -> None:
    """How the total comes about: "7 + 4 + 5"; closer, then narrow, then in two lines."""
    points = [POINTS[card.card] for card in lying]
    soft = total([card.card for card in lying]).soft
    if soft:
        points[points.index(1)] = 11
    terms = [str(point) for point in points]
    tail = f", {pen.word('caption.soft', SUM, 100)}" if soft else ""
    for glue, kind in ((" + ", SUM), ("+", SUM), ("+", SUM_NARROW)):
        line = glue.join(terms) + tail
        if pen.kit.text.fits(line, kind, CAPTION_ROOM):
            pen.text(line, kind, TEXT_2, CAPTION_X, 606)
            return
    half = (len(terms) + 1) // 2
    pen.text("+".join(terms[:half]) + "+", SUM_NARROW, TEXT_2, CAPTION_X, 606)
    pen.text("+".join(terms[half:]) + tail, SUM_NARROW, TEXT_2, CAPTION_X, 644)


def lane(pen: Pen, hand: HandLook, shape: Layout, flights: list[Flight]) -> None:
    """Continuation cards behind their dashed rule, with their own words and total."""
    x, y, width, height = shape.lane
    scale = pen.kit.scale
    rule = pen.kit.sprites.made("rule", scale.y(y + height) - scale.y(y))
    pen.place(rule, x - 12, y)
    middle = x + width / 2
    present = started(hand.continuation, pen.now_ms)
    lying = pen.lying(present)
    best = total([card.card for card in (*hand.cards, *lying)]).best
    places = slots.lane_slots(max(1, len(present)), shape, open_end=best < TWENTY_ONE)
    key = "caption.extra_card" if len(present) <= 1 else "caption.extra_cards"
    pen.lines(pen.word(key, NOTE, width), COLUMN_SAY, TEXT_2, middle, places.caption, 36, "c")
    if places.free is not None:
        lay.empty_place(pen, places.free, 9)
    rest, flying = lay.arrange(pen, hand.continuation, lay.lane_places(shape))
    _continued(pen, hand.continuation, rest, places.more)
    flights += [flight._replace(nobody=True) for flight in flying]
    if lying:
        pen.text(str(best), LANE_TOTAL, TEXT_2, places.total[0], places.total[1], "c")


def _continued(pen: Pen, given: Sequence[CardLook], rest: Sequence[Slot], more: Slot | None) -> None:
    """Tiles that lie, and "+n" for those that found no place."""
    hidden = 0
    for card, slot in zip(given, rest, strict=False):
        if more is not None and slot == more:
            hidden += 1
        else:
            lay.draw_card(pen, card, slot, nobody=True)
    if more is not None and hidden:
        pen.caps(f"+{hidden}", MORE, TEXT_2, more.x + more.w / 2, more.y, more.h, "c")


def _status(at: Moment, number: int) -> tuple[HandTurn, bool]:
    """Next, now or done, and whether that still matters."""
    known = number < len(at.step.hand_status)
    status = at.step.hand_status[number] if known else HandTurn.DONE
    return status, at.step.phase not in (TablePhase.DEALER, TablePhase.PAID)


def _frame(pen: Pen, at: Moment, shape: Layout, hand: HandLook, number: int) -> None:
    """The edge of a column: amber now, dashed next. Under all cards, also those that slide over it."""
    status, matters = _status(at, number)
    box = (shape.columns[hand.index], slots.COLUMN_TOP, shape.column_width, slots.COLUMN_HEIGHT)
    if status is HandTurn.NOW and matters:
        pen.box(*box, 14, INK, (ACCENT, 4), opacity=0.5)
    elif status is HandTurn.NEXT:
        pen.box(*box, 14, None, (LINE_HI, 2), dashed=True)


def column(pen: Pen, at: Moment, shape: Layout, hand: HandLook, number: int, flights: list[Flight]) -> None:
    """One of the columns PAIR, SPLIT 1, SPLIT 2."""
    left, width = shape.columns[hand.index], shape.column_width
    status, matters = _status(at, number)
    now = status is HandTurn.NOW and matters
    inner, right = width - slots.COLUMN_MARGINS, left + width - 16
    colour = TEXT_3 if hand.gone else ACCENT if now else TEXT_2
    name = ("pair", "split_1", "split_2")[hand.index]
    pen.text(pen.word(f"caption.{name}", COLUMN_LABEL, inner), COLUMN_LABEL, colour, left + 16, 371)
    if hand.gone:
        pen.text(pen.word("row.all_split", COLUMN_LABEL, inner), COLUMN_LABEL, TEXT_3, right, 371, "r")
        return
    if matters:
        word = pen.word(f"caption.{status.value}", COLUMN_LABEL, 90)
        pen.text(word, COLUMN_LABEL, colour, right, 371, "r")
    lying = pen.lying(hand.cards)
    if lying:
        pen.text(str(total([card.card for card in lying]).best), SPLIT_TOTAL, TEXT, left + 16, 462)
    _say(pen, at.step, hand, lying, right)
    rest, flying = lay.arrange(pen, hand.cards, lay.column_places(shape, hand))
    rest = _slide(pen, shape, hand, rest)
    for place_in_hand, (card, slot) in enumerate(zip(hand.cards, rest, strict=False)):
        lay.draw_card(pen, card, slot)
        if hand.index and place_in_hand == 0:
            shown = rest[1].x - slot.x if len(rest) > 1 else slot.w
            lay.foot(pen, slot, min(shown, slot.w))
    flights += flying
    if hand.continuation:
        rail(pen, hand, shape, right, flights)


def _slide(pen: Pen, shape: Layout, hand: HandLook, rest: list[Slot]) -> list[Slot]:
    """The two cards of the pair on their way from the common hand to the columns."""
    assert hand.opens_ms is not None
    share = pen.share(hand.opens_ms, pen.kit.times.split_ms)
    if share >= 1:
        return rest
    eased = in_out_cubic(share)
    pair = slots.hand_slots((0, 0), shape, shape.hand_room)
    sources = pair if hand.index == 0 else (pair[hand.index - 1],)
    moved = [
        slot._replace(
            x=lerp(source.x + (source.w - slot.w) / 2, slot.x, eased),
            y=lerp(source.y + (source.h - slot.h) / 2, slot.y, eased),
        )
        for source, slot in zip(sources, rest, strict=False)
    ]
    return moved + rest[len(moved) :]


def _say(pen: Pen, step: Step, hand: HandLook, lying: Sequence[CardLook], right: float) -> None:
    """Whose hand it is, or who is bust on it."""
    best = total([card.card for card in lying]).best
    busted = tuple(
        cell.seat
        for row in step.grid.rows
        if row.hand == hand.index
        for cell in row.cells
        if cell.state is CellState.BUST
    )
    if best > TWENTY_ONE and busted:
        text = pen.word("caption.bust_for", COLUMN_SAY, 160, seats=busted)
    elif hand.owners and len(step.seats) > 1:
        text = pen.word("caption.hand_seats", COLUMN_SAY, 150, seats=hand.owners)
    else:
        return
    pen.lines(text, COLUMN_SAY, TEXT_2, right, 419, 38, "r")


def rail(pen: Pen, hand: HandLook, shape: Layout, right: float, flights: list[Flight]) -> None:
    """Continuation cards of a split hand: small tiles and what they come to."""
    present = started(hand.continuation, pen.now_ms)
    for card in hand.continuation[len(present) :]:
        pen.until(card.start_ms)
    if not present:
        return
    lying = pen.lying(present)
    best = total([card.card for card in (*hand.cards, *lying)]).best
    kind = RAIL if len(present) < 3 else RAIL_NARROW
    words = [pen.word("caption.extra", kind, 140)]
    if lying:
        key = "caption.ends_on" if best >= TWENTY_ONE else "caption.now_at"
        words.append(pen.word(key, kind, 140 if kind is RAIL else 92, total=best))
    room = max(pen.width(word, kind) for word in words)
    rest, flying = lay.arrange(pen, hand.continuation, lay.rail_places(shape, hand, room))
    more = slots.rail_slots(len(present), shape.columns[hand.index], shape.column_width, room).more
    _continued(pen, hand.continuation, rest, more)
    flights += [flight._replace(nobody=True) for flight in flying]
    pen.lines("\n".join(words), kind, TEXT_2, right, 683, 36, "r")
