"""For an order of the shoe, hit, stand and double never change the dealer's cards; splits do."""

from __future__ import annotations

import pytest

from game.analysis.simulate.kernel import DOUBLE, HIT, MORE_STATES, SPLIT, STAND, STATES
from game.analysis.simulate.theorem import TABLES, random_tables, try_decisions
from game.rules import SPLIT_RANKS, Rules

ANY = Rules(double_totals="any", splittable=SPLIT_RANKS)


@pytest.mark.parametrize("seats", [2, 3, 7])
def test_a_million_orders_and_no_decision_changes_the_dealers_cards(seats: int) -> None:
    rounds = 1_000_000 if seats == 3 else 100_000
    trials = try_decisions(ANY, rounds, seed=seats, seats=seats)
    assert trials.changed == 0
    assert trials.trials > 1.8 * rounds


@pytest.mark.parametrize(("decks", "hits_soft_17"), [(1, True), (8, False)])
def test_whatever_the_shoe_and_the_dealers_rule(decks: int, hits_soft_17: bool) -> None:
    rules = Rules(decks=decks, dealer_hits_soft_17=hits_soft_17)
    assert try_decisions(rules, 100_000, seed=decks).changed == 0


def test_the_same_eyes_see_that_splits_change_them() -> None:
    """Nearly every pair: more cards are dealt before the dealer's."""
    trials = try_decisions(ANY, 100_000, seed=4)
    pairs = 100_000 * (9 * 24 * 23 + 96 * 95) / (312 * 311)
    assert 0.9 * pairs < trials.changed_by_splits < 1.1 * pairs


def test_the_decisions_are_of_every_kind() -> None:
    said = random_tables(seed=1).reshape(3, TABLES, 10, STATES)
    never, always, some = said
    pairs = [11 * rank for rank in range(10)]
    assert not (never == SPLIT).any()
    assert (always[..., pairs] == SPLIT).all()
    assert {bool((table[..., pairs] == SPLIT).all()) for table in some} == {True, False}
    for choice in (HIT, STAND, DOUBLE):
        assert 0.3 < (never[..., :MORE_STATES] == choice).mean() < 0.36
    assert not (said[..., MORE_STATES:] == DOUBLE).any()


@pytest.mark.campaign
def test_a_hundred_million_orders() -> None:
    assert try_decisions(ANY, 100_000_000, seed=9).changed == 0
