"""Rounds of the published procedure worked by hand: one common hand, seats that differ.

The order of cards in every story: two for the common hand, one for the dealer, then as they fall.
"""

from __future__ import annotations

import pytest

from game.round import Fate, Purpose
from game.rules import Rules
from support.evenings.rounds import Story, cards

THREE = {1: 1000, 2: 1000, 3: 1000}
ANY_TWO = Rules(double_totals="any")


def test_the_deal_is_two_cards_for_the_hand_and_then_one_for_the_dealer() -> None:
    story = Story("9H 7S | 10C")
    assert story.purposes == [Purpose.DEAL, Purpose.DEAL, Purpose.UPCARD]
    assert story.round.hands[0].cards == cards("9H 7S")
    assert story.round.dealer == cards("10C")


def test_one_stands_one_hits_one_says_nothing() -> None:
    story = Story("9H 7S | 10C | 4D | 6C | 8H", bets=THREE)
    story.say({1: "stand", 2: "hit", 3: "time"})
    assert story.asked == [2], "the 4 belongs to seat 2 alone, who has 20 now"
    story.say({2: "stand"})
    assert story.all_dealt
    assert story.round.hands[0].cards == cards("9H 7S 4D")
    assert story.round.hands[0].continuation == cards("6C"), "20 is below 21: one card more, and bust"
    assert story.round.dealer == cards("10C 8H")
    assert [story.outcome(seat) for seat in (1, 2, 3)] == ["lose", "win", "lose"]
    assert [story.net(seat) for seat in (1, 2, 3)] == [-1000, 1000, -1000]


def test_nobody_draws_before_the_last_seat_has_decided() -> None:
    story = Story("9H 7S | 10C | 4D | 6C | 8H", bets=THREE)
    story.say({2: "hit"})
    assert story.used == 3
    story.say({3: "stand"})
    assert story.used == 3
    assert story.asked == [1]
    story.say({1: "stand"})
    assert story.used == 4


def test_a_stood_total_stays_whatever_the_hand_becomes() -> None:
    """Seat 1 stood on 12 and wins when the dealer busts, though the hand went on to bust."""
    story = Story("10S 2H | 6D | KD | 10H 10C", bets={1: 1000, 2: 1000})
    story.say({1: "stand", 2: "hit"})
    assert story.all_dealt
    assert story.round.hands[0].continuation == ()
    assert story.round.dealer == cards("6D 10H 10C")
    assert [story.outcome(seat) for seat in (1, 2)] == ["win", "bust"]


def test_seven_seats_part_one_by_one() -> None:
    bets = dict.fromkeys(range(1, 8), 500)
    story = Story("AD 2C | 8D | 4S | 9H | AC | 2S AH KD | 10D", bets=bets)
    story.say(dict.fromkeys(range(1, 8), "hit"))
    assert story.asked == [1, 2, 3, 4, 5, 6, 7], "soft 17"
    story.say({1: "hit", 2: "stand", 3: "hit", 4: "hit", 5: "hit", 6: "hit", 7: "stand"})
    assert story.asked == [1, 3, 4, 5, 6], "hard 16"
    story.say({1: "hit", 3: "stand", 4: "hit", 5: "hit", 6: "time"})
    assert story.asked == [1, 4, 5], "hard 17"
    story.say({1: "stand", 4: "stand", 5: "stand"})
    hand = story.round.hands[0]
    assert [play.total for play in hand.plays] == [17, 17, 16, 17, 17, 16, 17]
    assert hand.continuation == cards("2S AH KD"), "19, 20, 30"
    assert story.all_dealt
    assert [story.outcome(seat) for seat in range(1, 8)] == ["lose"] * 7, "the dealer has 18"


# ---- completion


def test_a_hand_that_all_stood_on_is_completed_before_the_dealer_draws() -> None:
    story = Story("10S 5H | 6D | 3C 3D | 10H 2C").say({1: "stand"})
    assert story.round.hands[0].cards == cards("10S 5H")
    assert story.round.hands[0].continuation == cards("3C 3D"), "18, 21: exactly 21 ends it"
    assert story.purposes[3:5] == [Purpose.CONTINUATION] * 2
    assert story.round.dealer == cards("6D 10H 2C")
    assert story.all_dealt
    assert story.outcome(1) == "lose", "15 against 18; the continuation cards belong to no seat"


def test_soft_totals_count_at_their_best_in_the_completion() -> None:
    story = Story("AS 6H | 9D | 4C | 10H").say({1: "stand"})
    assert story.round.hands[0].continuation == cards("4C"), "soft 21 is 21 and ends it"
    assert story.all_dealt
    assert story.outcome(1) == "lose", "17 against 19"


def test_a_soft_hand_that_turns_hard_goes_on() -> None:
    story = Story("AS 6H | 9D | 9C 2H 2D KS | 8H").say({1: "stand"})
    assert story.round.hands[0].continuation == cards("9C 2H 2D KS"), "16, 18, 20, 30"
    assert story.all_dealt
    assert story.outcome(1) == "push", "soft 17 against 17"


def test_a_hand_at_21_is_not_completed() -> None:
    story = Story("10S 5H | 6D | 6C | 10H 4D").say({1: "hit"})
    assert story.round.hands[0].plays[0].fate is Fate.TWENTY_ONE, "nobody has to stand on 21"
    assert story.round.hands[0].continuation == ()
    assert story.all_dealt
    assert story.outcome(1) == "win"


# ---- bust


def test_when_all_are_bust_the_dealer_draws_nothing() -> None:
    story = Story("10S 6H | AD | KC", bets=THREE).say({1: "hit", 2: "hit", 3: "hit"})
    assert story.all_dealt
    assert story.round.dealer == cards("AD")
    assert [story.outcome(seat) for seat in (1, 2, 3)] == ["bust"] * 3


def test_one_standing_seat_makes_the_dealer_draw() -> None:
    story = Story("10S 6H | 5D | KC | KD 7H", bets=THREE).say({1: "hit", 2: "hit", 3: "stand"})
    assert story.all_dealt
    assert [story.net(seat) for seat in (1, 2, 3)] == [-1000, -1000, 1000], "16 wins: the dealer has 22"


# ---- double


def test_double_hit_and_stand_on_the_same_eleven() -> None:
    story = Story("5S 6H | 6D | 10C | 10D 4H", bets=THREE)
    story.say({1: "double", 2: "stand", 3: "hit"})
    assert story.all_dealt, "21: nobody decides, nothing is completed"
    assert [story.net(seat) for seat in (1, 2, 3)] == [2000, -1000, 1000], "against 20"
    assert story.result(1).stake_cents == 2000
    assert story.round.stakes(1) == 2000


def test_a_doubled_seat_has_one_card_while_others_go_on() -> None:
    story = Story("5S 6H | 6D | 2C | 5C | AC QC | 10D 4H", bets={1: 1000, 2: 1000})
    story.say({1: "double", 2: "hit"})
    assert story.asked == [2]
    assert story.round.hands[0].plays[0].total == 13
    story.say({2: "hit"}).say({2: "stand"})
    assert story.round.hands[0].continuation == cards("AC QC")
    assert [play.total for play in story.round.hands[0].plays] == [13, 18]
    assert [story.net(seat) for seat in (1, 2)] == [-2000, -1000]
    assert story.all_dealt


def test_a_double_that_nobody_shares_is_completed_too() -> None:
    story = Story("4S 5H | 6D | 2C | 9C 10C | 10D 10H").say({1: "double"})
    assert story.round.hands[0].cards == cards("4S 5H 2C")
    assert story.round.hands[0].continuation == cards("9C 10C")
    assert story.net(1) == 2000
    assert story.all_dealt


def test_any_two_cards_may_be_doubled_where_the_house_says_so_and_that_may_bust() -> None:
    story = Story("10S 4H | 10D | KC", rules=ANY_TWO).say({1: "double"})
    assert story.all_dealt
    assert story.round.dealer == cards("10D"), "a dealer blackjack would change nothing"
    assert story.outcome(1) == "bust"
    assert story.net(1) == -2000


def test_a_bust_double_does_not_touch_those_who_stood() -> None:
    story = Story("10S 4H | 6D | KC | 10H 7C", bets={1: 1000, 2: 1000}, rules=ANY_TWO)
    story.say({1: "double", 2: "stand"})
    assert [story.net(seat) for seat in (1, 2)] == [-2000, 1000]
    assert story.all_dealt


def test_a_soft_double() -> None:
    story = Story("AS 6H | 6D | 10C | 2C 2H | 10D 5H", rules=ANY_TWO).say({1: "double"})
    assert story.round.hands[0].plays[0].total == 17
    assert story.round.hands[0].continuation == cards("2C 2H")
    assert story.net(1) == -2000, "17 against 21"
    assert story.all_dealt


# ---- natural


@pytest.mark.parametrize(
    ("dealer", "outcome", "net"),
    [
        ("6D", "blackjack", 1500),  # no card: the dealer cannot have one
        ("9D", "blackjack", 1500),
        ("AD QH", "push", 0),
        ("AD 9H", "blackjack", 1500),
        ("AD 2H", "blackjack", 1500),  # exactly one card, though 13 is below 17
        ("KD AH", "push", 0),
        ("10D 2H", "blackjack", 1500),
    ],
)
def test_a_natural_needs_no_decision_and_one_dealer_card_at_most(dealer: str, outcome: str, net: int) -> None:
    story = Story(f"AS KS | {dealer}", bets=THREE)
    assert story.all_dealt
    assert [story.outcome(seat) for seat in (1, 2, 3)] == [outcome] * 3
    assert [story.net(seat) for seat in (1, 2, 3)] == [net] * 3
    assert all(play.fate is Fate.BLACKJACK for play in story.round.hands[0].plays)


@pytest.mark.requirement("CRD-12")
def test_a_natural_pays_what_the_house_pays() -> None:
    assert Story("10S AS | 5D", rules=Rules(blackjack_pays="6:5")).net(1) == 1200
    assert Story("10S AS | 5D", rules=Rules(blackjack_pays="2:1")).net(1) == 2000


def test_a_natural_that_pushes_is_not_touched_by_what_the_dealer_takes() -> None:
    story = Story("10S AS | AD KH", rules=Rules.parse({"dealer_blackjack_takes": "original"}))
    assert story.outcome(1) == "push"


def test_three_sevens_are_21_and_no_blackjack() -> None:
    story = Story("7S 7H | 10D | 7C | 7D AH").say({1: "hit"})
    assert story.outcome(1) == "win"
    assert story.net(1) == 1000
    assert story.round.dealer == cards("10D 7D"), "hard 17: the ace stays in the shoe"
    assert not story.all_dealt


# ---- dealer


def test_the_dealer_stands_on_soft_17() -> None:
    story = Story("10S 8H | AD | 3C | 6H").say({1: "stand"})
    assert story.all_dealt
    assert story.outcome(1) == "win"


def test_or_hits_it_where_the_house_says_so() -> None:
    rules = Rules(dealer_hits_soft_17=True)
    story = Story("10S 8H | AD | 3C | 6H 2C", rules=rules).say({1: "stand"})
    assert story.all_dealt
    assert story.outcome(1) == "lose", "soft 19"
    hard = Story("10S 8H | 10D | 3C | 7H", rules=rules).say({1: "stand"})
    assert hard.all_dealt, "hard 17 stands under either rule"
    eighteen = Story("10S 8H | AD | 3C | 7H", rules=rules).say({1: "stand"})
    assert eighteen.all_dealt
    assert eighteen.outcome(1) == "push"


def test_a_dealer_blackjack_beats_a_drawn_21() -> None:
    story = Story("10S 5H | AD | 6C | KH").say({1: "hit"})
    assert story.outcome(1) == "lose"


def test_a_drawn_dealer_21_pushes_a_drawn_21() -> None:
    story = Story("10S 5H | 10D | 6C | 5D 6H").say({1: "hit"})
    assert story.outcome(1) == "push"
    assert story.net(1) == 0
