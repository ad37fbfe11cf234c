"""Stephen's split pairs, worked by hand: nobody splits, all split, some split and some do not."""

from __future__ import annotations

from game.round import Choice, Fate, HandStatus, NeedCard, Purpose
from game.rules import Rules
from support.evenings.rounds import Story, cards


def test_when_nobody_splits_the_pair_is_one_hand() -> None:
    story = Story("8S 8D | 6H | 3C | 4H | 10D 5H", bets={1: 1000, 2: 1000})
    story.say({1: "stand", 2: "hit"}).say({2: "stand"})
    assert len(story.round.hands) == 1
    assert story.round.hands[0].cards == cards("8S 8D 3C")
    assert story.round.hands[0].continuation == cards("4H")
    assert story.all_dealt
    assert [story.net(seat) for seat in (1, 2)] == [-1000, -1000], "16 and 19 against 21"


def test_when_all_split_the_pair_is_gone() -> None:
    story = Story("8S 8D | 6H | 10C | 4H | 3D 9D | 2C | 10D 2H", bets={1: 1000, 2: 2000})
    story.say({1: "split", 2: "split"})
    pair, first, second = story.round.hands
    assert pair.owners == ()
    assert pair.status is HandStatus.DONE
    assert pair.continuation == ()
    assert first.cards == cards("8S 10C"), "the first card of the pair, and a second one"
    assert second.cards == cards("8D"), "the other one waits"
    assert second.status is HandStatus.WAITING
    assert story.round.active_hand == 1

    story.say({1: "stand", 2: "stand"})
    assert story.round.hands[1].continuation == cards("4H"), "the first split hand is completed first"
    assert story.round.active_hand == 2
    assert story.round.hands[2].cards == cards("8D 3D")
    story.say({1: "double", 2: "hit"})
    assert story.asked == [2]
    assert story.round.hands[2].cards == cards("8D 3D 9D")
    story.say({2: "stand"})
    assert story.round.hands[2].continuation == cards("2C"), "20 and 2: bust, on a continuation card"
    assert story.round.dealer == cards("6H 10D 2H")
    assert story.all_dealt
    assert story.outcome(1, 1) == "push"
    assert story.net(1) == 2000, "18 pushes, the doubled 20 wins"
    assert story.net(2) == 2000
    assert story.round.stakes(1) == 3000


def test_some_split_and_some_do_not() -> None:
    """Seats 1, 3 and 5 split; 2 stands on the pair and 4 takes a card to it. Three hands, in order."""
    story = Story(
        "8S 8D | 6H | 3C | AD 4H | 3D | 9C | KC | 10C | 7S | 2S 10D",
        bets={1: 2000, 2: 1000, 3: 2500, 4: 5000, 5: 1500},
    )
    story.say({1: "split", 2: "stand", 3: "split", 4: "hit", 5: "split"})
    assert story.asked == [4], "the unsplit pair is played first: 19 for seat 4"
    assert story.round.hands[0].owners == (2, 4)
    story.say({4: "stand"})
    assert story.round.hands[0].continuation == cards("AD 4H"), "and completed: 20, 24"

    assert story.asked == [1, 3, 5]
    assert story.round.hands[1].cards == cards("8S 3D")
    story.say({1: "hit", 3: "double", 5: "hit"})
    assert story.asked == [1, 5], "20; the double is finished"
    story.say({1: "stand", 5: "stand"})
    assert story.round.hands[1].continuation == cards("KC")

    assert story.round.hands[2].cards == cards("8D 10C")
    story.say({1: "stand", 3: "stand", 5: "hit"})
    assert story.all_dealt
    assert story.round.hands[2].continuation == (), "25 needs no completion"
    assert story.round.dealer == cards("6H 2S 10D")

    assert story.outcome(2) == "lose"
    assert story.outcome(4) == "win"
    assert [story.outcome(seat, 1) for seat in (1, 3, 5)] == ["win"] * 3
    assert [story.outcome(seat, 2) for seat in (1, 3, 5)] == ["push", "push", "bust"]
    assert [story.net(seat) for seat in range(1, 6)] == [2000, -1000, 5000, 5000, 0]


def test_no_card_is_doubled_in_the_shoe() -> None:
    story = Story("8S 8D | 6H | AD 4H | 3D | 9C KC | 10C 7S | 2S 10D", bets={1: 1000, 2: 1000})
    story.say({1: "split", 2: "stand"}).say({1: "stand"}).say({1: "stand"})
    assert story.all_dealt
    assert sorted(story.round.cards) == sorted(story.order), "every card of the table was drawn once"


def test_those_who_keep_the_pair_have_made_their_first_decision_with_it() -> None:
    story = Story("8S 8D | 6H | 2C | 3D 10D", bets={1: 1000, 2: 1000})
    story.say({1: "split", 2: "hit"})
    assert story.round.hands[0].cards == cards("8S 8D 2C")
    assert story.asked == [2]
    assert story.round.legal(2) == (Choice.HIT, Choice.STAND)


def test_a_seat_that_says_nothing_keeps_the_pair() -> None:
    story = Story("8S 8D | 6H | 10C | 9D", bets={1: 1000, 2: 1000}).say({1: "split", 2: "time"})
    pair = story.round.hands[0]
    assert pair.owners == (2,)
    play = pair.play(2)
    assert play is not None
    assert (play.fate, play.total) == (Fate.TIMED_OUT, 16)
    assert pair.continuation == cards("10C"), "16 was completed, with a continuation card, to bust"
    assert story.round.active_hand == 1


def test_a_double_of_the_kept_pair() -> None:
    rules = Rules(splittable=("5",))
    story = Story("5S 5D | 6H | 8C | 9D | 6D", bets={1: 1000, 2: 1000}, rules=rules)
    assert story.round.legal(1) == (Choice.HIT, Choice.STAND, Choice.DOUBLE, Choice.SPLIT)
    story.say({1: "double", 2: "split"})
    assert story.round.hands[0].cards == cards("5S 5D 8C")
    assert story.round.hands[0].continuation == cards("9D")
    assert story.round.stakes(1) == 2000
    assert story.round.hands[1].cards == cards("5S 6D")


def test_a_split_is_paid_when_it_is_said_and_lies_on_two_hands_when_all_have_spoken() -> None:
    story = Story("8S 8D | 6H | 10C | 9D", bets={1: 1000, 2: 1000})
    story.say({1: "split"})
    assert story.round.stakes(1) == 2000
    assert len(story.round.hands) == 1, "the others have not spoken"
    assert story.round.extra_stake(1, Choice.SPLIT) == 1000
    story.say({2: "stand"})
    assert story.round.stakes(1) == 2000
    assert [play.stake_cents for hand in story.round.hands for play in hand.plays if play.seat == 1] == [
        0, 1000, 1000,
    ]  # fmt: skip


def test_the_pair_is_split_once() -> None:
    story = Story("8S 8D | 6H | 8C 8H").say({1: "split"})
    assert story.round.hands[1].cards == cards("8S 8C")
    assert story.round.legal(1) == (Choice.HIT, Choice.STAND)


def test_double_after_split_by_the_rule_of_the_house() -> None:
    order = "8S 8D | 6H | 3C"
    assert Choice.DOUBLE in Story(order).say({1: "split"}).round.legal(1)
    no_das = Story(order, rules=Rules(double_after_split=False)).say({1: "split"})
    assert no_das.round.legal(1) == (Choice.HIT, Choice.STAND)


# ---- aces and tens


def test_split_aces_get_one_card_each_and_nothing_else() -> None:
    story = Story("AS AD | 6H | KC | 5H | 10D 3H").say({1: "split"})
    assert story.all_dealt, "no decision, no continuation card"
    assert story.purposes[3:] == [Purpose.SPLIT_CARD] * 2 + [Purpose.DEALER] * 2
    assert story.round.hands[1].cards == cards("AS KC")
    assert story.round.hands[2].cards == cards("AD 5H")
    assert all(hand.continuation == () for hand in story.round.hands)
    assert [play.fate for hand in story.round.hands[1:] for play in hand.plays] == [Fate.ONE_CARD] * 2
    assert story.outcome(1, 1) == "win", "21 against 19: 1 to 1, it is no blackjack"
    assert story.result(1, 1).returned_cents == 2000
    assert story.outcome(1, 2) == "lose", "soft 16"


def test_split_aces_are_equal_to_a_drawn_21_and_lose_to_a_blackjack() -> None:
    drawn = Story("AS AD | 6H | KC | KH | 10D 5H").say({1: "split"})
    assert [drawn.outcome(1, hand) for hand in (1, 2)] == ["push", "push"]
    blackjack = Story("AS AD | AH | KC | KH | KD").say({1: "split"})
    assert [blackjack.outcome(1, hand) for hand in (1, 2)] == ["lose", "lose"]


def test_aces_that_some_keep_are_played_and_completed_before_the_split_ones() -> None:
    story = Story("AS AD | 6H | 4C | 5H | 9C | 2H | 10D 5D", bets={1: 1000, 2: 1000})
    story.say({1: "split", 2: "hit"})
    assert story.round.hands[0].cards == cards("AS AD 4C")
    story.say({2: "stand"})
    pair, first, second = story.round.hands
    assert pair.continuation == cards("5H"), "soft 16 and 5 is exactly 21"
    assert (first.cards, second.cards) == (cards("AS 9C"), cards("AD 2H"))
    assert first.continuation == second.continuation == ()
    assert story.all_dealt
    assert [story.net(seat) for seat in (1, 2)] == [-2000, -1000], "20, 13 and 16 against 21"


def test_a_pair_of_aces_that_nobody_splits_is_soft_12() -> None:
    story = Story("AS AD | 6H | 9C | 10D 2D").say({1: "hit"})
    assert story.all_dealt
    assert story.round.hands[0].plays[0].fate is Fate.TWENTY_ONE


def test_a_ten_and_an_ace_after_a_split_is_21_without_a_decision() -> None:
    story = Story("KS QD | 6H | AC | 5H | 4C KC | 10D 5D", rules=Rules(splittable=("10",)))
    assert Choice.SPLIT in story.round.legal(1), "any two ten-valued cards"
    story.say({1: "split"})
    first = story.round.hands[1]
    assert first.cards == cards("KS AC")
    assert (first.plays[0].fate, first.status) == (Fate.TWENTY_ONE, HandStatus.DONE)
    assert story.round.active_hand == 2
    story.say({1: "stand"})
    assert story.round.hands[2].continuation == cards("4C KC")
    assert story.all_dealt
    assert [story.outcome(1, hand) for hand in (1, 2)] == ["push", "lose"], "the dealer drew 21"


def test_a_second_card_that_makes_21_leaves_nobody_to_ask() -> None:
    """Ten and ace can come on both hands; then no seat decides anything after the split."""
    story = Story("KS KD | 6H | AC | AH | 10D 2D", bets={1: 500, 2: 500}, rules=Rules(splittable=("10",)))
    story.say({1: "split", 2: "split"})
    assert story.all_dealt
    assert [story.net(seat) for seat in (1, 2)] == [1000, 1000]


# ---- bust


def test_both_split_hands_bust_and_the_dealer_draws_nothing() -> None:
    story = Story("8S 8D | AH | 6C KC | 5C KD").say({1: "split"})
    story.say({1: "hit"})
    assert story.round.active_hand == 2
    story.say({1: "hit"})
    assert story.all_dealt
    assert story.round.dealer == cards("AH")
    assert story.net(1) == -2000


def test_a_kept_pair_that_stands_lets_the_dealer_draw_for_it() -> None:
    story = Story("8S 8D | 9H | 5D | 6C KC | 5C KD | 10H", bets={1: 1000, 2: 1000})
    story.say({1: "split", 2: "stand"}).say({1: "hit"}).say({1: "hit"})
    assert story.all_dealt
    assert [story.net(seat) for seat in (1, 2)] == [-2000, -1000]


def test_the_next_card_is_always_announced_with_its_hand() -> None:
    story = Story("8S 8D | 6H | KD | 3D 9C KC | 10C 7S | 2S 10D", bets={1: 1000, 2: 1000})
    state = story.round
    state = state.decide(1, Choice.SPLIT).decide(2, Choice.HIT)
    assert state.needs() == NeedCard(Purpose.DRAW, 0)
    state = state.deal(story.order[3])
    assert state.needs() == NeedCard(Purpose.SPLIT_CARD, 1)
    state = state.deal(story.order[4]).decide(1, Choice.STAND)
    assert state.needs() == NeedCard(Purpose.CONTINUATION, 1)
