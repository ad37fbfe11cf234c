"""Rounds: what a press does in each phase, what time does, and what it costs."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.core.facts import CardsDrawn, Decided, DecisionOpened, RoundSettled
from cabinet.core.options import CHOICES
from drivers.device import InputChanged
from game.cards import text
from game.play import Choice, Fate
from game.settle import Outcome
from support.evenings.evening import Evening

WORDS = [button.value for button in CHOICES]


def hand(evening: Evening, number: int = 0) -> str:
    assert evening.state.round is not None
    return " ".join(text(card) for card in evening.state.round.hands[number].cards)


def fates(evening: Evening, number: int = 0) -> dict[int, Fate]:
    assert evening.state.round is not None
    return {play.seat: play.fate for play in evening.state.round.hands[number].plays}


# ---- when a decision is open


def test_the_decision_opens_when_the_last_card_has_landed() -> None:
    evening = Evening("10H 5S 7D")
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    landed_ms = evening.state.landed_ms
    assert landed_ms > 0
    assert evening.lamps(1) == set()
    evening.advance(landed_ms - 1)
    assert evening.state.deciding() == ()
    evening.advance(1)
    assert evening.state.deciding() == (1,)
    assert evening.state.decision_deadline_ms == landed_ms + 12_000
    assert evening.lamps(1) == {"hit", "stand"}


def test_a_press_before_the_cards_lie_is_dropped_without_a_word() -> None:
    evening = Evening("10H 5S 7D")
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    evening.advance(evening.state.landed_ms - 1)
    evening.press(1, *WORDS)
    evening.advance(1)
    assert evening.facts("Decided") == []
    assert evening.told(1) == ""


def test_a_press_that_was_read_before_the_decision_opened_is_dropped() -> None:
    """It may be judged later, but its lamp was dark when the finger was there."""
    evening = Evening("10H 5S 7D")
    evening.deal(1)
    evening.feed(InputChanged("panel1", evening.state.decision_opened_ms - 1, "seat1.hit", True))
    assert evening.facts("Decided") == []


def test_double_taps_during_a_commit_of_two_seconds_draw_one_card() -> None:
    """Seven seats hit twice. The second taps are read while the card that they have not seen is being
    written: long after it would have landed, and still before anybody has seen it."""
    evening = Evening("5H 4S 7D 2C 3C", seats=7)
    evening.deal(*range(1, 8))
    for seat in range(1, 8):
        evening.press(seat, "hit")
    for seat in range(1, 8):
        evening.feed(InputChanged("panel1", evening.at_ms + 2_000, f"seat{seat}.hit", True))
    assert hand(evening) == "5H 4S 2C"
    evening.advance(2_001)
    assert evening.state.deciding() == (1, 2, 3, 4, 5, 6, 7)


# ---- time


def test_no_decision_in_time_stands_and_is_recorded_as_a_time_out() -> None:
    evening = Evening("10H 5S 7D 10C KD")
    evening.deal(1, 2)
    evening.press(1, "hit")
    evening.advance(11_999 - (evening.at_ms - evening.state.decision_opened_ms))
    assert len(evening.facts("Decided")) == 1
    evening.advance(1)
    assert [
        (fact.seat, fact.choice, fact.timed_out, fact.stake_cents)
        for fact in evening.facts("Decided")
        if isinstance(fact, Decided)
    ] == [(1, Choice.HIT, False, 0), (2, Choice.STAND, True, 0)]
    assert fates(evening) == {1: Fate.BUST, 2: Fate.TIMED_OUT}
    assert evening.state.meters["timeouts.2"] == 1
    assert "timeouts.1" not in evening.state.meters


def test_a_press_read_with_the_expiry_wins() -> None:
    evening = Evening("5H 4S 7D 2C")
    evening.deal(1)
    deadline_ms = evening.state.decision_deadline_ms
    assert deadline_ms is not None
    evening.at_ms = deadline_ms
    evening.press(1, "double")
    evening.advance(0)
    assert [fact.timed_out for fact in evening.facts("Decided") if isinstance(fact, Decided)] == [False]


def test_presses_queued_behind_a_commit_win_over_the_expiry() -> None:
    evening = Evening("5H 4S 7D 2C", seats=3)
    evening.deal(1, 2, 3)
    deadline_ms = evening.state.decision_deadline_ms
    assert deadline_ms is not None
    evening.at_ms = deadline_ms + 1_500
    evening.press(3, "hit")
    evening.press(1, "stand")
    evening.advance(0)
    said = {x.seat: (x.choice, x.timed_out) for x in evening.facts("Decided") if isinstance(x, Decided)}
    assert said == {3: (Choice.HIT, False), 1: (Choice.STAND, False), 2: (Choice.STAND, True)}


def test_an_event_after_the_deadline_does_not_swallow_it() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1)
    deadline_ms = evening.state.decision_deadline_ms
    assert deadline_ms is not None
    evening.at_ms = deadline_ms + 30
    evening.press(2, "help")
    evening.advance(0)
    assert evening.state.meters["timeouts.1"] == 1


def test_each_decision_has_its_own_countdown() -> None:
    evening = Evening("2H 3S 7D 2C 3C")
    evening.deal(1)
    evening.advance(11_000)
    evening.press(1, "hit")
    evening.land()
    opened = evening.last("DecisionOpened")
    assert isinstance(opened, DecisionOpened)
    assert opened.deadline_ms == opened.at_ms + 12_000
    assert len(evening.facts("DecisionOpened")) == 2


# ---- a decision is final


def test_a_decision_is_final() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1, 2)
    evening.press(1, "stand", "hit", "double", "stand")
    assert len(evening.facts("Decided")) == 1
    assert evening.lamps(1) == set()
    assert evening.told(1) == ""


@settings(max_examples=25, deadline=None)
@given(
    words=st.tuples(*[st.sampled_from(["hit", "stand", "double"])] * 5),
    order=st.permutations(list(range(1, 6))),
)
def test_simultaneous_presses_make_the_same_round_in_any_order(
    words: tuple[str, ...], order: list[int]
) -> None:
    """The same words by seat, once in the order of the seats and once in another."""

    def told(seats: list[int]) -> Evening:
        evening = Evening("5H 4S 7D 2C 9C KC")
        evening.deal(1, 2, 3, 4, 5)
        for seat in seats:
            evening.press(seat, words[seat - 1])
        return evening

    one, other = told([1, 2, 3, 4, 5]), told(order)
    assert one.state.round == other.state.round
    assert one.state.ledger == other.state.ledger
    assert one.state.shoe == other.state.shoe
    assert one.state.landed_ms == other.state.landed_ms


def test_every_order_of_three_splits_and_stands_makes_the_same_round() -> None:
    rounds = []
    for order in permutations((1, 2, 3)):
        evening = Evening("8H 8S 7D 10C 2C 3C 4C", seats=3)
        evening.deal(1, 2, 3)
        for seat in order:
            evening.press(seat, "split" if seat < 3 else "hit")
        rounds.append((evening.state.round, evening.state.ledger))
    assert all(found == rounds[0] for found in rounds)


# ---- DOUBLE and SPLIT need a second bet


@pytest.mark.requirement("CRD-11")
def test_double_moves_a_second_bet_in_the_same_commit() -> None:
    evening = Evening("5H 5S 7D 10C 10D")
    evening.deal(1)
    assert evening.lamps(1) == {"hit", "stand", "double"}
    evening.press(1, "double")
    decided = evening.facts("Decided")[0]
    assert isinstance(decided, Decided)
    assert decided.stake_cents == 500
    settled = evening.last("RoundSettled")
    assert isinstance(settled, RoundSettled)
    assert [(r.stake_cents, r.returned_cents) for r in settled.results] == [(1_000, 2_000)]
    assert evening.state.credit(1) == 11_000


def broke(deal: str, seats: int = 2) -> Evening:
    """Seat 1 has put all its credit on one bet; seat 2 has plenty."""
    evening = Evening(deal, seats=seats)
    evening.insert(1, 500)
    evening.insert(2, 10_000)
    evening.press(1, "bet_plus")
    evening.press(2, "bet_plus")
    evening.all_deal((1, 2))
    return evening


@pytest.mark.parametrize(("deal", "word"), [("5H 5S 7D 10C 10D", "double"), ("8H 8S 7D 10C 10D", "split")])
def test_without_credit_the_lamp_is_dark_and_the_press_says_how_much_is_missing(deal: str, word: str) -> None:
    evening = broke(deal)
    assert word not in evening.lamps(1)
    assert word in evening.lamps(2)
    evening.press(1, word)
    assert evening.told(1) == "refused.need_more"
    assert evening.live.refused[1][0].args == (("missing_cents", 500),)
    assert evening.facts("Decided") == []
    evening.insert(1, 500)
    assert word in evening.lamps(1), "the note lights the lamp"
    evening.press(1, word)
    assert evening.state.credit(1) == 0
    assert evening.state.bet(1) == 1_000


def test_a_note_credited_in_the_same_step_as_the_press_counts() -> None:
    evening = broke("5H 5S 7D 10C 10D")
    evening.insert(1, 2_000)
    evening.press(1, "double")
    assert evening.state.bet(1) == 1_000
    assert evening.state.credit(1) == 1_500


@pytest.mark.parametrize(
    ("deal", "word", "says"),
    [
        ("10H 5S 7D", "split", "refused.not_pair"),
        ("10H 5S 7D", "double", "refused.only_9_10_11"),
        ("AH 8S 7D", "double", "refused.only_9_10_11"),
        ("4H 4S 7D", "split", "refused.not_pair"),
    ],
)
def test_what_the_rules_do_not_allow_is_dark_and_says_why(deal: str, word: str, says: str) -> None:
    evening = Evening(deal)
    evening.deal(1)
    assert word not in evening.lamps(1)
    evening.press(1, word)
    assert evening.told(1) == says
    assert evening.facts("Decided") == []


# ---- split patterns


def test_all_split() -> None:
    evening = Evening("8H 8S 7D 3C", seats=2)
    evening.deal(1, 2)
    evening.press(1, "split")
    evening.press(2, "split")
    evening.land()
    assert evening.state.bet(1) == evening.state.bet(2) == 1_000
    assert (hand(evening, 1), hand(evening, 2)) == ("8H 3C", "8S")
    assert evening.lamps(1) == {"hit", "stand", "double"}, "double after split"
    evening.press(1, "double")
    evening.press(2, "stand")
    evening.land()
    assert evening.state.bet(1) == 1_500
    assert evening.state.round is not None
    assert evening.state.round.active == 2


def test_some_split_and_the_kept_pair_is_played_first() -> None:
    evening = Evening("8H 8S 7D 2C 10C 3C", seats=2)
    evening.deal(1, 2)
    evening.press(1, "split")
    evening.press(2, "hit")
    evening.land()
    assert evening.state.deciding() == (2,)
    assert evening.lamps(1) == set()
    evening.press(1, "stand")
    assert len(evening.facts("Decided")) == 2
    evening.press(2, "stand")
    evening.land()
    assert evening.state.deciding() == (1,)
    assert evening.state.round is not None
    assert evening.state.round.active == 1


def test_nobody_splits() -> None:
    evening = Evening("8H 8S 7D 2C", seats=2)
    evening.deal(1, 2)
    evening.press(1, "hit")
    evening.press(2, "stand")
    assert evening.state.round is not None
    assert len(evening.state.round.hands) == 1
    assert hand(evening) == "8H 8S 2C"


def test_split_aces_take_one_card_each_and_no_decision() -> None:
    evening = Evening("AH AS 7D 5C 6C 10D", seats=1)
    evening.deal(1)
    evening.press(1, "split")
    assert not evening.playing()
    assert (hand(evening, 1), hand(evening, 2)) == ("AH 5C", "AS 6C")
    assert len(evening.facts("DecisionOpened")) == 1


def test_a_split_that_times_out_keeps_the_pair() -> None:
    evening = Evening("8H 8S 7D 3C", seats=2)
    evening.deal(1, 2)
    evening.press(1, "split")
    evening.advance(12_000)
    assert evening.state.round is not None
    assert fates(evening, 0) == {1: Fate.SPLIT, 2: Fate.TIMED_OUT}


# ---- the end


@pytest.mark.requirement("CRD-12")
def test_a_natural_needs_no_decision_and_pays_three_to_two() -> None:
    evening = Evening("AH KS 7D")
    evening.deal(1)
    assert not evening.playing()
    settled = evening.last("RoundSettled")
    assert isinstance(settled, RoundSettled)
    assert settled.results[0].outcome is Outcome.BLACKJACK
    assert evening.state.credit(1) == 10_750
    assert evening.facts("DecisionOpened") == []


def test_all_cards_between_two_decisions_are_one_record_with_the_settlement() -> None:
    evening = Evening("10H 2S 7D 3C 10D 10S")
    evening.deal(1)
    decision = evening.feed(InputChanged("panel1", evening.at_ms, "seat1.stand", True))
    assert [type(fact).__name__ for fact in decision.facts] == ["Decided", "CardsDrawn", "RoundSettled"]
    cards = decision.facts[1]
    assert isinstance(cards, CardsDrawn)
    assert len(cards.cards) == 3, "two continuation cards, one of the dealer's"
    settled = decision.facts[2]
    assert isinstance(settled, RoundSettled)
    assert settled.show_ms > cards.cards[-1].land_ms


def test_the_books_say_what_the_last_round_won() -> None:
    evening = Evening("10H 9S 7D 10C", seats=2)
    evening.deal(1)
    evening.press(1, "stand")
    book = evening.state.record(1)
    assert (book.won_cents, book.net_cents, book.in_last_round) == (500, 500, True)
    assert not evening.state.record(2).in_last_round


@pytest.mark.requirement("CRD-04", "CRD-05")
def test_a_seat_in_the_round_cashes_out_when_its_credit_has_counted_up() -> None:
    evening = Evening("10H 9S 7D 10C", seats=2)
    evening.deal(1)
    evening.insert(2, 10_000)
    evening.press(1, "cash_out")
    assert evening.told(1) == "refused.cash_out_later"
    evening.press(2, "cash_out")
    evening.printed()
    evening.press(1, "stand")
    settled_ms = evening.state.settled_ms
    assert settled_ms is not None
    evening.advance(settled_ms + evening.policy.timing.settle_ms - 1 - evening.at_ms)
    evening.press(1, "cash_out")
    assert evening.told(1) == "refused.not_now"
    evening.advance(1)
    evening.press(1, "cash_out")
    assert evening.printed().ticket.figures == "$105.00"


def test_a_seat_without_credit_cannot_cash_out() -> None:
    evening = Evening()
    evening.press(1, "cash_out")
    assert evening.told(1) == "refused.no_credit"


@pytest.mark.requirement("CRD-08", "CRD-13")
def test_a_large_win_waits_for_the_attendant_and_locks_the_seat() -> None:
    evening = Evening("8H 8S 6D 10C 10D 3S 10S 3D KC KD", seats=2, large_win_cents=1_000)
    evening.deal(1, 2)
    evening.press(1, "split")
    evening.press(2, "stand")
    while evening.playing():
        evening.land()
        evening.press(1, "stand")
    won = {seat: evening.state.record(seat).won_cents for seat in (1, 2)}
    assert won == {1: 1_000, 2: 500}, "the total of a seat's hands counts"
    (pay,) = evening.state.handpays
    assert (pay.seat, pay.cents, pay.reason) == (1, 1_000, "large_win")
    evening.land()
    assert evening.lamps(1) == set()
    assert "deal" in evening.lamps(2)
    evening.press(1, "deal")
    assert evening.told(1) == "seat.attendant_called"
    evening.press(2, "deal")
    assert evening.playing(), "the locked seat is not waited for"
    evening.choose("paid by hand")
    assert evening.state.handpays == ()
    assert evening.state.ledger["handpaid"] == 1_000
    assert evening.state.credit(1) == 10_000


@pytest.mark.requirement("CRD-02")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 7))
def test_any_play_of_any_cards_settles(seed: int, seats: int) -> None:
    """Random cards and random presses of all seats, lit or dark, until the round is over."""
    chance = Random(seed)
    evening = Evening(seats=seats)
    evening.index = lambda remaining: chance.randrange(len(remaining))
    evening.deal(*range(1, seats + 1))
    for _ in range(60):
        if not evening.playing():
            break
        evening.press(chance.randint(1, seats), chance.choice(WORDS))
        if chance.random() < 0.3:
            evening.advance(chance.randint(1, 6_000))
        else:
            evening.land()
    while evening.playing():
        evening.advance(12_000)
    assert evening.state.ledger.total("bet") == 0
