"""The shoe is a set of cards; nothing in it says which comes next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.cards import points
from game.shoe import Shoe


def test_a_full_shoe_has_every_card_of_every_deck_once() -> None:
    shoe = Shoe.full(6)
    assert len(shoe) == 312
    assert shoe.cards == tuple(range(312))
    assert sum(points(card) == 10 for card in shoe.cards) == 96


@pytest.mark.parametrize("decks", [0, 9])
def test_a_shoe_has_one_to_eight_decks(decks: int) -> None:
    with pytest.raises(ValueError, match="1 to 8"):
        Shoe.full(decks)


def test_a_card_that_is_taken_is_gone() -> None:
    card, rest = Shoe.full(1).take(17)
    assert card == 17
    assert len(rest) == 51
    assert card not in rest
    assert rest.take(17)[0] == 18


@pytest.mark.parametrize("index", [-1, 52])
def test_an_index_outside_the_shoe_is_refused(index: int) -> None:
    with pytest.raises(IndexError, match="52 cards"):
        Shoe.full(1).take(index)


def test_a_recorded_card_is_removed_by_its_number() -> None:
    shoe = Shoe.full(2).remove(60)
    assert 60 not in shoe
    assert 8 in shoe, "the same face of the other deck stays"
    for gone in (60, 104, -1):
        with pytest.raises(ValueError, match="not in the shoe"):
            shoe.remove(gone)


@given(st.lists(st.integers(0, 51), max_size=52))
def test_taking_and_removing_agree_and_leave_no_trace_of_the_order(indices: list[int]) -> None:
    drawn, shoe, replayed = [], Shoe.full(1), Shoe.full(1)
    for index in indices:
        card, shoe = shoe.take(index % len(shoe))
        drawn.append(card)
        replayed = replayed.remove(card)
    assert replayed == shoe
    assert len(set(drawn)) == len(drawn)
    backwards = Shoe.full(1)
    for card in reversed(drawn):
        backwards = backwards.remove(card)
    assert backwards == shoe
