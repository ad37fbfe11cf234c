"""The compiled simulation is the game: the same card to the same hand, the same results, round for round."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from game.analysis.simulate.kernel import CONTINUED, TO_DEALER
from game.analysis.simulate.rounds import DEALER_BLACKJACK, DEALER_LOOKED, DEALER_NONE
from support.evenings.same_cards import Played, Table, by_the_game, by_the_simulation

ROUNDS_PER_TABLE = 250


def play_both(rounds: int, seed: int) -> Counter[str]:
    """Asserts that both agree on every round; what was seen on the way."""
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(rounds):
        if number % ROUNDS_PER_TABLE == 0:
            table = Table.any(chance, seats=number // ROUNDS_PER_TABLE % 7 + 1)
        order = table.order(chance)
        expected = by_the_game(table, order)
        played = by_the_simulation(table, order)
        assert played == expected, (table.rules, table.charts, order)
        seen.update(_sights(expected))
    return seen


def _sights(played: Played) -> set[str]:
    to = {place for place, _ in played.cards}
    dealer = {DEALER_NONE: "no dealer", DEALER_LOOKED: "looked", DEALER_BLACKJACK: "blackjack"}
    return {
        f"{len(played.nets)} seats",
        "three hands" if len(to - {TO_DEALER}) and 1 in to and len({*played.stakes}) > 1 else "other",
        "split" if 1 in to else "whole",
        "continued split hand" if {1 + CONTINUED, 2 + CONTINUED} & to else "whole",
        "four bets" if 4 in played.stakes else "fewer bets",
        dealer.get(played.dealer, "dealer"),
    }


def test_twenty_thousand_rounds_agree_card_for_card() -> None:
    seen = play_both(20_000, seed=7)
    for sight in (
        *(f"{seats} seats" for seats in range(1, 8)),
        "three hands", "continued split hand", "four bets", "no dealer", "looked", "blackjack",
    ):  # fmt: skip
        assert seen[sight] > 50, (sight, seen)


@pytest.mark.campaign
def test_a_million_rounds_agree_card_for_card() -> None:
    play_both(1_000_000, seed=8)
