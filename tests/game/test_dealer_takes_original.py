"""``dealer_blackjack_takes``: everything, or exactly the original bet of each seat."""

from __future__ import annotations

import pytest

from game.rules import Rules, Takes
from support.evenings.rounds import Story, cards

ALL = Rules(double_totals="any")
ORIGINAL = Rules(double_totals="any", dealer_blackjack_takes=Takes.ORIGINAL)


def returned(story: Story, seat: int) -> list[tuple[int, int, str]]:
    """(stake, returned, outcome) of each hand of the seat."""
    return [
        (result.stake_cents, result.returned_cents, str(result.outcome))
        for result in story.settled.hands
        if result.seat == seat
    ]


@pytest.mark.parametrize(("rules", "net"), [(ALL, -2000), (ORIGINAL, -1000)])
def test_a_double_against_a_dealer_blackjack(rules: Rules, net: int) -> None:
    story = Story("6S 5H | AD | 9C | 7C | KD", rules=rules).say({1: "double"})
    assert story.all_dealt
    assert story.net(1) == net


@pytest.mark.parametrize(("rules", "net"), [(ALL, -3000), (ORIGINAL, -1000)])
def test_a_split_with_a_double_against_a_dealer_blackjack(rules: Rules, net: int) -> None:
    story = Story("8S 8D | 10H | 3C 10C | 10D 3D | AH", rules=rules)
    story.say({1: "split"}).say({1: "double"}).say({1: "stand"})
    assert story.all_dealt
    assert story.net(1) == net


def test_the_original_bet_lies_on_the_first_hand() -> None:
    story = Story("8S 8D | 10H | 3C 10C | 10D 3D | AH", rules=ORIGINAL)
    story.say({1: "split"}).say({1: "double"}).say({1: "stand"})
    assert returned(story, 1) == [(2000, 1000, "lose"), (1000, 1000, "push")]


def test_a_single_bet_is_simply_lost() -> None:
    story = Story("10S 9H | AD | 5C | KD", rules=ORIGINAL).say({1: "stand"})
    assert returned(story, 1) == [(1000, 0, "lose")]


def test_a_busted_double_comes_back_but_for_the_original_bet() -> None:
    story = Story("10S 4H | AD | KC | KD", rules=ORIGINAL).say({1: "double"})
    assert story.all_dealt, "an ace and two lost bets: still open, one card"
    assert returned(story, 1) == [(2000, 1000, "bust")]


@pytest.mark.parametrize("second", ["2D", "9D"])
def test_without_the_blackjack_the_one_card_changes_nothing(second: str) -> None:
    story = Story(f"10S 4H | AD | KC | {second}", rules=ORIGINAL).say({1: "double"})
    assert story.all_dealt, "exactly one card, though 13 is below 17"
    assert returned(story, 1) == [(2000, 0, "bust")]


def test_against_another_upcard_nothing_is_open() -> None:
    story = Story("10S 4H | 9D | KC", rules=ORIGINAL).say({1: "double"})
    assert story.all_dealt
    assert story.round.dealer == cards("9D")


def test_one_lost_bet_is_not_open_either() -> None:
    story = Story("10S 4H | AD | KC", bets={1: 1000, 2: 500}, rules=ORIGINAL).say({1: "hit", 2: "hit"})
    assert story.all_dealt
    assert story.round.dealer == cards("AD")


def test_a_seat_with_two_lost_bets_opens_it_and_a_seat_with_one_is_not_helped() -> None:
    story = Story("10S 4H | AD | KC | QD", bets={1: 1000, 2: 500}, rules=ORIGINAL)
    story.say({1: "hit", 2: "double"})
    assert story.all_dealt
    assert [story.net(seat) for seat in (1, 2)] == [-1000, -500]


def test_two_busted_split_hands_cost_one_bet() -> None:
    story = Story("8S 8D | KH | 6C KC | 5C KD | AH", rules=ORIGINAL)
    story.say({1: "split"}).say({1: "hit"}).say({1: "hit"})
    assert story.all_dealt
    assert returned(story, 1) == [(1000, 0, "bust"), (1000, 1000, "push")]


def test_with_all_they_are_lost_and_no_card_is_drawn() -> None:
    story = Story("8S 8D | KH | 6C KC | 5C KD", rules=ALL)
    story.say({1: "split"}).say({1: "hit"}).say({1: "hit"})
    assert story.all_dealt
    assert story.net(1) == -2000


def test_busted_and_standing_hands_of_one_seat() -> None:
    """The first split hand is bust and doubled, the second stands: the dealer plays as ever."""
    story = Story("8S 8D | AH | 6C KC | 10C 5C | KD", rules=ORIGINAL)
    story.say({1: "split"}).say({1: "double"}).say({1: "stand"})
    assert story.all_dealt
    assert returned(story, 1) == [(2000, 1000, "bust"), (1000, 1000, "push")]


def test_when_somebody_stands_the_dealer_draws_to_17_for_them() -> None:
    story = Story("10S 4H | AD | KC | 2D 5H", bets={1: 1000, 2: 1000}, rules=ORIGINAL)
    story.say({1: "double", 2: "stand"})
    assert story.round.dealer == cards("AD 2D 5H")
    assert story.all_dealt
    assert [story.net(seat) for seat in (1, 2)] == [-2000, -1000]


def test_split_aces_cost_one_bet_too() -> None:
    story = Story("AS AD | AH | KC | QC | KD", rules=ORIGINAL).say({1: "split"})
    assert story.all_dealt
    assert story.net(1) == -1000


def test_a_seat_that_kept_the_pair_loses_its_bet_beside_one_that_split() -> None:
    story = Story("8S 8D | KH | 6D | 3C KC | 10C 5C | AH", bets={1: 1000, 2: 700}, rules=Rules(
        dealer_blackjack_takes=Takes.ORIGINAL, bet_step_cents=100))  # fmt: skip
    story.say({1: "split", 2: "stand"}).say({1: "double"}).say({1: "stand"})
    assert story.all_dealt
    assert [story.net(seat) for seat in (1, 2)] == [-1000, -700]


def test_the_original_bet_is_lost_once_where_no_blackjack_comes_nothing_changes() -> None:
    story = Story("8S 8D | KH | 3C KC | 10C 5C | 9H", rules=ORIGINAL)
    story.say({1: "split"}).say({1: "double"}).say({1: "stand"})
    assert returned(story, 1) == [(2000, 4000, "win"), (1000, 0, "lose")], "21 and 18 against 19"
