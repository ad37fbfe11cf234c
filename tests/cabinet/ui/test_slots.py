"""Where cards lie: the first never moves, and the index of every card can be read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabinet.ui.draw import slots
from cabinet.ui.draw.layout import RECALL_DROP, layout
from cabinet.ui.draw.slots import Slot, column_slots, dealer_slots, hand_slots, lane_slots, rail_slots
from cabinet.ui.parts import cell, grid

SEATS = range(1, 8)
# A hand that is not bust has at most two ten-valued cards and at most 21 cards at all.
HANDS = st.lists(st.integers(0, 8), min_size=0, max_size=10).flatmap(
    lambda low: st.permutations([*low, 9]).map(list)
)


def shown(placed: Sequence[Slot], cards: Sequence[int]) -> None:
    for (left, right), card in zip(pairwise(placed), cards, strict=False):
        if right.y == left.y and not left.tile:
            need = left.w * (slots.SHOWN_TEN if card % 13 == slots.TEN else slots.SHOWN)
            assert right.x - left.x >= need - 0.01


@pytest.mark.parametrize("seats", SEATS)
@given(cards=HANDS)
def test_every_index_of_a_hand_of_up_to_eleven_cards_shows(seats: int, cards: list[int]) -> None:
    shape = layout(seats)
    for room in (shape.hand_room, shape.lane_room):
        placed = hand_slots(cards, shape, room)
        assert len(placed) == len(cards)
        shown(placed, cards)
        assert placed[0].x == 500
        for slot in placed:
            assert slot.x + slot.w <= 500 + room + 0.01
            assert slot.y >= 336
            assert slot.y + slot.h <= 728


@pytest.mark.parametrize("seats", SEATS)
def test_a_hand_of_twelve_stays_legible(seats: int) -> None:
    shape = layout(seats)
    cards = [0, 0, 1, 0, 1, 0, 1, 2, 0, 1, 2, 0]
    for room in (shape.hand_room, shape.lane_room):
        placed = hand_slots(cards, shape, room)
        shown(placed, cards)
        assert min(slot.h for slot in placed) >= 168
        assert {slot.y for slot in placed} == {344, 512}


def test_the_numbers_of_the_design() -> None:
    seven, one, three = layout(7), layout(1), layout(3)
    assert hand_slots([1, 2, 3], seven, 744) == (
        Slot(500, 344, 240, 336), Slot(748, 344, 240, 336), Slot(996, 344, 240, 336),
    )  # fmt: skip
    assert [slot.w for slot in hand_slots([0, 1, 3, 8, 0], seven, seven.lane_room)] == [200] * 5
    assert hand_slots([4, 5], one, 920)[1] == Slot(792, 336, 280, 392)
    assert three.lane_room == 690
    assert dealer_slots(3, seven, recall=False)[2] == Slot(812, 80, 140, 196)
    assert dealer_slots(2, three, recall=True)[1] == Slot(648, 88, 134, 188)


@pytest.mark.parametrize("seats", SEATS)
def test_the_dealer_has_room_for_any_hand(seats: int) -> None:
    shape = layout(seats)
    for count in range(1, 13):
        placed = dealer_slots(count, shape, recall=False)
        assert placed[0].x == 500
        assert placed[-1].x + 140 <= 500 + shape.zone_width


@pytest.mark.parametrize("width", [308, 368])
@given(cards=HANDS)
def test_split_hands_stay_in_their_columns(width: int, cards: list[int]) -> None:
    placed = column_slots(cards, 280, width, foot=True)
    assert len(placed) == len(cards)
    shown(placed, cards)
    for slot in placed:
        assert slot.x >= 280
        assert slot.x + slot.w <= 280 + width
        assert slot.y + slot.h <= slots.COLUMN_TOP + 318
        if slot.tile:
            assert slot.w >= 40


def test_the_word_on_the_foot_is_not_covered_in_a_hand_of_four() -> None:
    placed = column_slots([7, 2, 3, 1], 280, 308, foot=True)
    assert placed[1].x - placed[0].x >= slots.FOOT_SHOWN


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("count", range(1, 12))
def test_extra_cards_stay_in_their_lane(seats: int, count: int) -> None:
    shape = layout(seats)
    left, _, width, _ = shape.lane
    for open_end in (False, True):
        lane = lane_slots(count, shape, open_end=open_end)
        hidden = count - len(lane.cards)
        assert (hidden > 0) == (lane.more is not None)
        for slot in (*lane.cards, *((lane.more,) if lane.more else ()), *((lane.free,) if lane.free else ())):
            assert left <= slot.x
            assert slot.x + slot.w <= left + width
            assert slot.y + slot.h <= 740
        places = [*lane.cards, *([lane.more] if lane.more else []), *([lane.free] if lane.free else [])]
        assert len({(slot.x, slot.y) for slot in places}) == len(places)


@pytest.mark.parametrize("count", range(1, 12))
def test_tiles_under_a_split_hand_leave_room_for_the_words(count: int) -> None:
    for width in (308, 368):
        rail = rail_slots(count, 280, width, 100)
        last = rail.more or rail.cards[-1]
        assert last.x + last.w <= 280 + width - 16 - 100
        assert len(rail.cards) == count or rail.more is not None


@pytest.mark.parametrize(("drop", "step"), [(0, grid.ROW_STEP), (RECALL_DROP, grid.RECALL_ROW_STEP)])
def test_the_last_row_of_a_split_ends_inside_the_grid(drop: int, step: int) -> None:
    _, top, _, height = layout(5).grid
    first = top + drop + grid.TITLE_HEIGHT + grid.HEADS_HEIGHT
    assert first + 2 * step + grid.LABEL_HEIGHT + cell.CELL_HEIGHT < top + height
