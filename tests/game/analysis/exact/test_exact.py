"""The published figures of the house rules and of four variants, to every digit."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import pytest

from game.analysis.exact.odds import Analysis, analyse, distribution_of, edge_of
from game.chart import UPCARDS
from game.rules import Rules, Takes
from support.evenings.rounds import default_chart

# Net result in bets -> probability, six decks, the dealer stands on soft 17, a dealer blackjack takes all.
NET = {
    "-4": 0.000116412,
    "-3": 0.001336414,
    "-2": 0.029228725,
    "-1": 0.447694850,
    "0": 0.088149312,
    "1": 0.342642826,
    "3/2": 0.045322988,
    "2": 0.043444621,
    "3": 0.001811516,
    "4": 0.000252336,
}


@lru_cache(maxsize=8)  # more than the rule sets of this file
def analysed(rules: Rules) -> Analysis:
    return analyse(rules)


@pytest.fixture(scope="module")
def house() -> Analysis:
    return analysed(Rules())


@pytest.mark.parametrize(
    ("rules", "by_totals", "by_composition", "digits"),
    [
        (Rules(), 0.666675, 0.663094, 6),
        (Rules(decks=8), 0.6927, 0.6904, 4),
        (Rules(dealer_blackjack_takes=Takes.ORIGINAL), 0.5569, 0.5539, 4),
        (Rules(dealer_hits_soft_17=True), 0.8911, 0.8878, 4),
        (Rules(double_after_split=False), 0.7794, 0.7758, 4),
    ],
    ids=["house rules", "8 decks", "original bet only", "hits soft 17", "no double after split"],
)
def test_the_house_edge_in_percent_of_the_bet(
    rules: Rules, by_totals: float, by_composition: float, digits: int
) -> None:
    found = analysed(rules)
    assert round(100 * found.edge_td, digits) == by_totals
    assert round(100 * found.edge_cd, digits) == by_composition
    assert edge_of(rules, found.chart) == pytest.approx(found.edge_td, abs=1e-15)
    assert found.mean == pytest.approx(-found.edge_td, abs=1e-14)


def test_the_chart_is_the_one_that_the_cabinet_carries(house: Analysis) -> None:
    carried = default_chart()
    assert house.chart.hard == carried.hard
    assert house.chart.soft == carried.soft
    assert house.chart.pairs == carried.pairs
    assert house.chart.name


def test_the_chart_as_printed(house: Analysis) -> None:
    printed = {
        "hard 8": "HHHHHHHHHH",
        "hard 9": "HDDDDHHHHH",
        "hard 10": "DDDDDDDDHH",
        "hard 11": "DDDDDDDDHH",
        "hard 12": "HHSSSHHHHH",
        "hard 13": "SSSSSHHHHH",
        "hard 16": "SSSSSHHHHH",
        "hard 17": "SSSSSSSSSS",
        "soft 17": "HHHHHHHHHH",
        "soft 18": "SSSSSSSHHH",
        "soft 19": "SSSSSSSSSS",
        "pair A": "PPPPPPPPPH",
        "pair 2": "PPPPPPHHHH",
        "pair 3": "PPPPPPHHHH",
        "pair 6": "PPPPPHHHHH",
        "pair 7": "PPPPPPHHHH",
        "pair 8": "PPPPPPPPHH",
        "pair 9": "PPPPPSPPSS",
    }
    for name, letters in printed.items():
        assert "".join(house.cells[name, upcard].letter for upcard in UPCARDS) == letters, name
    assert ("pair 4", "2") not in house.cells


def test_the_law_of_a_round(house: Analysis) -> None:
    assert {str(result): round(chance, 9) for result, chance in house.net.items()} == NET
    assert list(house.net) == sorted(house.net)
    assert math.fsum(house.net.values()) == pytest.approx(1, abs=1e-12)
    assert round(house.bet_per_round, 6) == 1.092813
    assert round(100 * house.edge_per_unit_staked, 6) == 0.610054
    assert round(house.sd, 6) == 1.103265
    assert round(house.variance, 6) == 1.217195
    shares = (house.win, house.push, house.loss, house.split, house.double)
    assert [round(100 * share, 5) for share in shares] == [43.34743, 8.81493, 47.83764, 2.18011, 7.04716]


def test_naturals_and_totals(house: Analysis) -> None:
    """Two of 312 cards are an ace and a ten 2 * 24 * 96 / (312 * 311) of the time, for both sides."""
    natural = 2 * 24 * 96 / (312 * 311)
    assert house.natural == pytest.approx(natural, abs=1e-15)
    assert house.dealer_totals["blackjack"] == pytest.approx(natural, abs=1e-15)
    assert list(house.dealer_totals) == ["17", "18", "19", "20", "21", "bust", "blackjack"]
    assert math.fsum(house.dealer_totals.values()) == pytest.approx(1, abs=1e-12)
    assert math.fsum(house.hand_totals.values()) == pytest.approx(1, abs=1e-12)
    # A split round has two hands, and every one of them counts.
    assert house.hand_totals["blackjack"] == pytest.approx(natural / (1 + house.split), abs=1e-15)
    # The chart never stands below 12; what is 11 in the end was doubled on 9.
    assert [name for name, share in house.hand_totals.items() if share == 0] == [str(n) for n in range(4, 11)]


def test_a_chart_can_be_weighed_by_itself(house: Analysis) -> None:
    law = distribution_of(Rules(), default_chart())
    assert law.net == house.net
    assert law.hand_totals == house.hand_totals
    assert edge_of(Rules(), default_chart()) == pytest.approx(house.edge_td, abs=1e-15)


def test_limits_and_seconds_change_nothing(house: Analysis) -> None:
    other = Rules(min_bet_cents=100, max_bet_cents=100, bet_step_cents=100, decide_seconds=5, penetration=0.5)
    assert edge_of(other, house.chart) == edge_of(Rules(), house.chart)


def test_a_blackjack_that_pays_6_to_5_costs_what_it_pays_less(house: Analysis) -> None:
    """Naturals are not decided, so the chart is the same and 3/10 of a bet is missing on each that wins."""
    worse = Rules(blackjack_pays="6:5")
    missing = 0.3 * house.net[Fraction(3, 2)]
    assert edge_of(worse, house.chart) - house.edge_td == pytest.approx(missing, abs=1e-14)
    bare, bare_worse = analyse(Rules(splittable=())), analyse(Rules(splittable=(), blackjack_pays="6:5"))
    assert bare.chart == bare_worse.chart
    assert bare_worse.net[Fraction(6, 5)] == bare.net[Fraction(3, 2)]


def test_a_blackjack_that_pays_even_money_is_a_win_of_one_bet(house: Analysis) -> None:
    found = distribution_of(Rules(blackjack_pays="1:1"), house.chart)
    assert [str(result) for result in found.net] == ["-4", "-3", "-2", "-1", "0", "1", "2", "3", "4"]
    together = house.net[Fraction(1)] + house.net[Fraction(3, 2)]
    assert found.net[Fraction(1)] == pytest.approx(together, abs=1e-15)


def test_it_says_what_it_is_doing() -> None:
    said: list[str] = []
    analyse(Rules(splittable=("8",)), said.append)
    assert "the best chart by totals" in said
    assert "both hands of a split pair of 8 against 6" in said
