"""Totals."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.hand import Total, is_natural, total
from support.evenings.rounds import cards


@pytest.mark.parametrize(
    ("faces", "best", "soft"),
    [
        ("", 0, False),
        ("7S", 7, False),
        ("AS", 11, True),
        ("AS AH", 12, True),
        ("AS 6H", 17, True),
        ("AS KH", 21, True),
        ("AS 6H 4D", 21, True),
        ("AS 6H 5D", 12, False),
        ("AS AH 9D", 21, True),
        ("AS AH KD", 12, False),
        ("10S 6H 5D", 21, False),
        ("10S 6H 6D", 22, False),
        ("KS QH JD AC", 31, False),
        ("KS QH JD 10C KH", 50, False),
    ],
)
def test_the_best_total(faces: str, best: int, soft: bool) -> None:
    assert total(cards(faces)) == Total(best, soft)


def plain_total(points: list[int]) -> Total:
    """The rule as a person applies it: one ace after the other is taken down until the hand fits."""
    best = sum(11 if value == 1 else value for value in points)
    elevens = points.count(1)
    while best > 21 and elevens:
        best -= 10
        elevens -= 1
    return Total(best, elevens > 0)


def test_all_hands_of_up_to_six_cards_agree_with_the_plain_rule() -> None:
    for size in range(7):
        for values in combinations_with_replacement(range(1, 11), size):
            assert total([value - 1 for value in values]) == plain_total(list(values)), values


@given(st.lists(st.integers(0, 415), max_size=60))
def test_any_pile_of_cards_agrees_with_the_plain_rule(pile: list[int]) -> None:
    assert total(pile) == plain_total([min(card % 13 + 1, 10) for card in pile])


def test_a_natural_is_an_ace_and_a_ten_valued_card() -> None:
    assert all(is_natural(cards(f"AS {face}")) for face in ("10H", "JS", "QD", "KC"))
    assert not is_natural(cards("AS 9H"))
    assert not is_natural(cards("7S 7H 7D"))
    assert not is_natural(cards("AS"))
