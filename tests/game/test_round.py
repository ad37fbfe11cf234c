"""The round as a machine: what it asks, what it refuses, what it can be asked about."""

from __future__ import annotations

import msgspec
import pytest

from game.cards import parse
from game.needs import IllegalBet, IllegalCard, IllegalChoice
from game.round import (
    DEALER_HAND,
    Choice,
    Finished,
    HandStatus,
    NeedCard,
    NeedDecisions,
    Phase,
    Play,
    Purpose,
    Round,
    Said,
)
from game.rules import Rules
from game.settle import settle
from support.evenings.rounds import Story, cards

TWO = {5: 500, 2: 1000}


def dealt(faces: str, bets: dict[int, int] | None = None) -> Round:
    state = Round.open(Rules(), bets or TWO)
    for card in cards(faces):
        state = state.deal(card)
    return state


# ---- opening


def test_a_round_opens_with_the_bets_by_seat() -> None:
    state = Round.open(Rules(), TWO)
    assert state.bets == ((2, 1000), (5, 500))
    assert state.seats == (2, 5)
    assert [state.bet(seat) for seat in (1, 2, 5)] == [0, 1000, 500]
    assert [state.stakes(seat) for seat in (1, 2, 5)] == [0, 1000, 500]
    assert state == Round.open(Rules(), dict(reversed(TWO.items())))


def test_a_round_without_a_bet_does_not_open() -> None:
    with pytest.raises(IllegalBet, match="at least one"):
        Round.open(Rules(), {})


@pytest.mark.parametrize("seat", [0, 8, -1])
def test_there_are_seats_1_to_7(seat: int) -> None:
    with pytest.raises(IllegalBet, match="1 to 7"):
        Round.open(Rules(), {seat: 500})


@pytest.mark.parametrize("bet_cents", [0, -500, 499, 750, 20_500])
def test_a_bet_off_the_limits_or_the_steps_is_refused(bet_cents: int) -> None:
    with pytest.raises(IllegalBet, match=r"seat 2 bets .* 500 to 20000 in steps of 500"):
        Round.open(Rules(), {1: 500, 2: bet_cents})


# ---- needs


def test_the_round_says_what_every_card_is_for() -> None:
    state = Round.open(Rules(), TWO)
    assert state.needs() == NeedCard(Purpose.DEAL, 0)
    state = state.deal(parse("9H"))
    assert state.needs() == NeedCard(Purpose.DEAL, 0)
    state = state.deal(parse("7S"))
    assert state.needs() == NeedCard(Purpose.UPCARD, DEALER_HAND)
    state = state.deal(parse("10C"))
    assert state.needs() == NeedDecisions(0, (2, 5))
    state = state.decide(5, Choice.HIT)
    assert state.needs() == NeedDecisions(0, (2,))
    state = state.decide(2, Choice.STAND)
    assert state.needs() == NeedCard(Purpose.DRAW, 0)
    state = state.deal(parse("2C")).decide(5, Choice.STAND)
    assert state.needs() == NeedCard(Purpose.CONTINUATION, 0)
    state = state.deal(parse("3C"))
    assert state.needs() == NeedCard(Purpose.DEALER, DEALER_HAND)
    assert state.deal(parse("9C")).needs() == Finished()


def test_the_active_hand_is_the_one_on_the_table() -> None:
    state = Round.open(Rules(), TWO)
    assert state.active_hand == 0
    state = state.deal(parse("9H")).deal(parse("7S"))
    assert state.active_hand is None, "the upcard is the dealer's"
    state = state.deal(parse("6C"))
    assert state.active_hand == 0
    story = Story("9H 7S | 10C | 5D | 9C").say({1: "stand"})
    assert story.round.active_hand is None


def test_hands_wait_are_played_completed_and_done() -> None:
    state = dealt("8S 8D 6H", {1: 1000}).decide(1, Choice.SPLIT)
    assert [hand.status for hand in state.hands] == [
        HandStatus.DONE, HandStatus.PLAYING, HandStatus.WAITING,
    ]  # fmt: skip
    state = state.deal(parse("3C")).decide(1, Choice.STAND)
    assert state.hands[1].status is HandStatus.COMPLETING
    state = state.deal(parse("10H"))
    assert [hand.status for hand in state.hands] == [
        HandStatus.DONE, HandStatus.DONE, HandStatus.PLAYING,
    ]  # fmt: skip


# ---- choices


def test_legal_choices_come_from_the_rules_and_the_cards() -> None:
    hit, stand, double, split = Choice.HIT, Choice.STAND, Choice.DOUBLE, Choice.SPLIT
    assert dealt("9H 7S 10C").legal(2) == (hit, stand)
    assert dealt("9H 2S 10C").legal(2) == (hit, stand, double)
    assert dealt("8H 8S 10C").legal(2) == (hit, stand, split)
    assert dealt("AH 8S 10C").legal(2) == (hit, stand), "soft 19"
    assert dealt("5H 5S 10C").legal(2) == (hit, stand, double), "a pair of fives is a ten"


def test_only_a_seat_that_is_asked_has_choices() -> None:
    state = dealt("9H 7S 10C")
    assert state.legal(1) == (), "not in the round"
    decided = state.decide(2, Choice.HIT)
    assert decided.legal(2) == (), "a decision is final"
    assert decided.legal(5) == (Choice.HIT, Choice.STAND)
    assert decided.decide(5, Choice.STAND).legal(2) == (), "a card is due"
    assert Round.open(Rules(), TWO).legal(2) == ()


def test_after_the_first_card_only_hit_and_stand_are_left() -> None:
    state = dealt("2H 2S 6C").decide(2, Choice.HIT).decide(5, Choice.HIT).deal(parse("5D"))
    assert state.legal(2) == (Choice.HIT, Choice.STAND), "hard 9, but of three cards"


def test_what_a_choice_costs() -> None:
    state = dealt("8H 8S 10C")
    assert [state.extra_stake(2, choice) for choice in Choice] == [0, 0, 1000, 1000]
    assert state.extra_stake(5, Choice.SPLIT) == 500
    assert state.extra_stake(1, Choice.SPLIT) == 0


@pytest.mark.parametrize("choice", [Choice.DOUBLE, Choice.SPLIT])
def test_an_illegal_choice_is_refused(choice: Choice) -> None:
    with pytest.raises(IllegalChoice, match=f"seat 2 cannot {choice} now"):
        dealt("9H 7S 10C").decide(2, choice)


def test_a_decision_is_final() -> None:
    state = dealt("9H 7S 10C").decide(2, Choice.HIT)
    with pytest.raises(IllegalChoice, match="seat 2 cannot stand now"):
        state.decide(2, Choice.STAND)


def test_no_decision_before_the_cards_lie() -> None:
    with pytest.raises(IllegalChoice):
        Round.open(Rules(), TWO).decide(2, Choice.STAND)


def test_a_time_out_stands_and_is_recorded_as_one() -> None:
    state = dealt("9H 2S 10C")
    for choice in (Choice.HIT, Choice.DOUBLE):
        with pytest.raises(IllegalChoice, match="a time-out stands"):
            state.decide(2, choice, timed_out=True)
    play = state.decide(2, Choice.STAND, timed_out=True).hands[0].play(2)
    assert play == Play(2, 1000, "timed_out", 11, (Said.TIME,))  # type: ignore[arg-type]


def test_words_are_kept_by_seat_oldest_first() -> None:
    story = Story("2H 3S | 6C | 2D | 3D | 10S", bets={1: 500, 2: 500})
    story.say({2: "hit", 1: "hit"}).say({1: "hit", 2: "stand"}).say({1: "hit"})
    assert [play.said for play in story.round.hands[0].plays] == [
        ("hit", "hit", "hit"), ("hit", "stand"),
    ]  # fmt: skip


# ---- cards


def test_a_card_is_on_the_table_once() -> None:
    state = dealt("9H 7S")
    with pytest.raises(IllegalCard, match="on the table already"):
        state.deal(parse("7S"))
    state = state.deal(parse("10C")).decide(2, Choice.STAND).decide(5, Choice.STAND)
    with pytest.raises(IllegalCard, match="on the table already"):
        state.deal(parse("10C"))
    state = state.deal(parse("2C"))
    with pytest.raises(IllegalCard, match="on the table already"):
        state.deal(parse("2C"))
    assert state.deal(parse("2C", 1)).hands[0].continuation == (parse("2C"), parse("2C", 1))


@pytest.mark.parametrize("card", [-1, 52, 415])
def test_a_card_comes_from_the_shoe_of_the_table(card: int) -> None:
    with pytest.raises(IllegalCard, match="not in a shoe of 1 decks"):
        Round.open(Rules(decks=1), {1: 500}).deal(card)


def test_no_card_while_seats_decide_and_none_at_the_end() -> None:
    with pytest.raises(IllegalCard, match="no card is due in phase decide"):
        dealt("9H 7S 10C").deal(parse("2C"))
    with pytest.raises(IllegalCard, match="no card is due in phase finished"):
        Story("AS KS | 6H").round.deal(parse("2C"))


def test_all_cards_of_the_table_in_one_row() -> None:
    story = Story("8S 8D | 6H | 10C | 3D | KD | 10D | 5H | KH 5C", bets={1: 1000, 2: 1000})
    story.say({1: "split", 2: "stand"}).say({1: "stand"}).say({1: "stand"})
    assert story.round.cards == cards("8S 8D | 10C | 3D KD | 10D 5H | 6H KH 5C")


def test_the_natural_is_known_from_the_first_two_cards() -> None:
    assert dealt("AS KS").natural
    assert not dealt("AS 9S").natural
    assert not dealt("AS").natural
    after_split = Story("AS AD | 6H | KC | KH | 10D 5H").say({1: "split"})
    assert not after_split.round.natural


# ---- values


def test_a_round_is_a_value() -> None:
    assert dealt("9H 7S 10C") == dealt("9H 7S 10C")
    assert hash(dealt("9H 7S 10C")) == hash(dealt("9H 7S 10C"))
    with pytest.raises(AttributeError):
        dealt("9H 7S 10C").phase = Phase.FINISHED  # type: ignore[misc]


def test_a_round_comes_back_from_a_snapshot_with_its_enums() -> None:
    story = Story("8S 8D | 6H | 10C | 3D", bets={1: 1000, 2: 1000}).say({1: "split", 2: "time"})
    back = msgspec.json.decode(msgspec.json.encode(story.round), type=Round)
    assert back == story.round
    assert back.phase is Phase.DECIDE
    assert back.hands[0].plays[1].said[0] is Said.TIME
    assert back.decide(1, Choice.DOUBLE) == story.round.decide(1, Choice.DOUBLE)


def test_a_round_is_settled_when_it_is_over() -> None:
    with pytest.raises(ValueError, match="phase decide"):
        settle(dealt("9H 7S 10C"))


def test_a_settlement_is_by_seat_then_by_hand() -> None:
    story = Story("8S 8D | 6H | 10C | 3D KD | 10D 5H | KH 9H", bets={3: 1000, 1: 1000})
    story.say({1: "split", 3: "stand"}).say({1: "stand"}).say({1: "stand"})
    settled = story.settled
    assert [(result.seat, result.hand) for result in settled.hands] == [(1, 1), (1, 2), (3, 0)]
    assert settled.staked_cents(1) == 2000
    assert settled.returned_cents(1) == 4000
    assert settled.net_cents(1) == 2000
    assert settled.result(1, 0) is None
    assert settled.net_cents(7) == 0
