"""Bets: the countdown, who is waited for, what a seat may put down and take back."""

from __future__ import annotations

import pytest

from cabinet.core.conditions import Code
from cabinet.core.facts import BetMoved, RoundOpened, SeatTouched
from cabinet.core.look import Button
from cabinet.core.options import CHOICES
from cabinet.core.renewal import replace
from drivers.device import InputChanged
from game.rules import Rules, Shuffle
from support.evenings.evening import Evening

LOST = "10H 9S 10D 10C"  # 19 against a dealer's 20


def with_money(*seats: int, **policy: object) -> Evening:
    evening = Evening(**policy)  # type: ignore[arg-type]
    for seat in seats:
        evening.insert(seat, 10_000)
    return evening


def played(*seats: int, deal: str = LOST, **policy: object) -> Evening:
    """These seats have just played a round, and bets for the next one are taken."""
    evening = Evening(deal, **policy)  # type: ignore[arg-type]
    evening.deal(*seats)
    for seat in seats:
        evening.press(seat, "stand")
    evening.land()
    assert not evening.playing()
    return evening


# ---- the countdown


def test_the_first_bet_starts_fifteen_seconds_and_their_end_deals() -> None:
    evening = with_money(1, 2)
    evening.advance(5_000)
    assert evening.bets_end_ms() is None
    evening.press(1, "bet_plus")
    assert evening.bets_end_ms() == 20_000
    evening.advance(14_999)
    assert not evening.playing()
    evening.advance(1)
    assert evening.state.bets == ((1, 500),)
    assert evening.credits(1, 2) == (9_500, 10_000)


def test_a_second_bet_does_not_start_the_countdown_again() -> None:
    evening = with_money(1, 2)
    evening.press(1, "bet_plus")
    evening.advance(14_000)
    evening.press(2, "bet_plus")
    assert evening.bets_end_ms() == 15_000
    evening.advance(1_000)
    assert evening.state.bets == ((1, 500), (2, 500))


def test_all_bets_taken_back_stop_the_countdown() -> None:
    evening = with_money(1, 2)
    evening.press(1, "bet_plus")
    evening.advance(10_000)
    evening.press(1, "bet_minus")
    assert evening.bets_end_ms() is None
    evening.advance(60_000)
    assert not evening.playing()
    evening.press(2, "bet_plus")
    assert evening.bets_end_ms() == evening.at_ms + 15_000


def test_a_press_read_in_the_step_of_the_expiry_is_still_a_bet() -> None:
    """Time ends the betting only when no input waits: both seats of this step are dealt in."""
    evening = with_money(1, 2, 3)
    evening.press(1, "bet_plus")
    evening.at_ms = 15_000  # the loop reads two presses in the millisecond of the deadline
    evening.press(2, "bet_plus")
    evening.press(3, "bet_plus")
    assert not evening.playing()
    evening.advance(0)
    assert evening.state.bets == ((1, 500), (2, 500), (3, 500))


def test_an_event_after_the_deadline_does_not_swallow_it() -> None:
    evening = with_money(1, 2)
    evening.press(1, "bet_plus")
    evening.at_ms = 15_040  # a late loop
    evening.press(2, "help")
    evening.advance(0)
    assert evening.playing()


# ---- the early end


def test_the_betting_ends_when_all_who_are_with_us_have_pressed_deal() -> None:
    evening = with_money(1, 2)
    evening.press(1, "bet_plus")
    evening.press(2, "bet_plus")
    evening.press(1, "deal")
    assert not evening.playing()
    evening.press(2, "deal")
    assert evening.playing()


def test_a_seat_that_has_money_but_touched_nothing_is_not_waited_for() -> None:
    evening = with_money(1, 2)
    evening.press(1, "bet_plus", "deal")
    assert evening.playing()


@pytest.mark.parametrize("button", ["help", "hit", "bet_minus", "deal"])
def test_any_button_of_a_seat_with_money_makes_the_table_wait_for_it(button: str) -> None:
    evening = with_money(1, 2)
    evening.press(2, button)
    evening.press(1, "bet_plus", "deal")
    assert not evening.playing()
    evening.advance(15_000)
    assert evening.state.bets == ((1, 500),)


def test_buy_in_is_a_touch_too() -> None:
    evening = Evening(shared=True)
    evening.press(2, "buy_in")
    evening.insert(2, 10_000)
    evening.press(1, "buy_in")
    evening.insert(1, 10_000)
    assert not evening.state.record(2).active  # its touch came before its money
    evening.press(2, "buy_in")
    assert evening.state.record(2).active


def test_a_touch_is_written_once() -> None:
    evening = with_money(1)
    evening.press(1, "help", "help", "hit", "stand")
    assert evening.facts("SeatTouched") == [SeatTouched(0, 1)]


def test_a_press_while_the_table_stands_still_is_no_touch() -> None:
    evening = with_money(1)
    evening.switch("door.main", True)
    evening.press(1, "bet_plus")
    assert evening.facts("SeatTouched") == []


def test_a_seat_that_played_the_last_round_is_waited_for_until_it_sits_one_out() -> None:
    evening = played(1, 2)
    evening.press(1, "deal")
    assert not evening.playing(), "seat 2 played the last round"
    evening.advance(15_000)
    assert evening.state.bets == ((1, 500),)
    evening.land()
    evening.press(1, "stand")
    evening.land()
    evening.press(1, "deal")
    assert evening.playing(), "seat 2 sat the last round out and touched nothing"


def test_a_seat_without_the_lowest_bet_is_not_waited_for() -> None:
    evening = Evening(LOST)
    evening.insert(1, 10_000)
    evening.insert(2, 500)
    evening.press(1, "bet_plus")
    evening.press(2, "bet_plus")
    evening.all_deal((1, 2))
    evening.press(1, "stand")
    evening.press(2, "stand")
    evening.land()
    assert evening.state.credit(2) == 0
    evening.press(1, "deal")
    assert evening.playing()


def test_a_seat_that_cashes_out_is_not_waited_for() -> None:
    evening = with_money(1, 2)
    evening.press(2, "bet_plus")
    evening.press(1, "bet_plus", "deal")
    assert not evening.playing()
    evening.press(2, "cash_out")
    assert evening.playing()
    assert evening.state.bets == ((1, 500),)


def test_a_changed_bet_needs_deal_again() -> None:
    evening = with_money(1, 2)
    evening.press(2, "help")
    evening.press(1, "bet_plus", "deal", "bet_plus")
    assert not evening.state.record(1).ready
    evening.press(1, "deal")
    assert evening.state.record(1).ready
    assert "deal" not in evening.lamps(1)


# ---- amounts


def test_bets_move_in_steps_between_the_limits() -> None:
    evening = Evening()
    evening.insert(1, 50_000)
    evening.press(1, *["bet_plus"] * 40)
    assert evening.state.bet(1) == 20_000
    assert "bet_plus" not in evening.lamps(1)
    evening.press(1, "bet_plus")
    assert evening.told(1) == "refused.max_bet"
    assert (evening.state.bet(1), evening.state.credit(1)) == (20_000, 30_000)
    evening.press(1, *["bet_minus"] * 39)
    assert evening.state.bet(1) == 500
    evening.press(1, "bet_minus")
    assert (evening.state.bet(1), evening.state.credit(1)) == (0, 50_000)
    assert "bet_minus" not in evening.lamps(1)


def test_the_first_press_bets_the_minimum_and_the_last_takes_it_back_whole() -> None:
    rules = replace(Rules(), min_bet_cents=2_000, bet_step_cents=1_000)
    evening = Evening(rules=rules)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "bet_plus")
    assert evening.state.bet(1) == 3_000
    evening.press(1, "bet_minus", "bet_minus")
    assert evening.state.bet(1) == 0
    assert [fact.cents for fact in evening.facts("BetMoved") if isinstance(fact, BetMoved)] == [
        2_000,
        1_000,
        -1_000,
        -2_000,
    ]


def test_a_bet_over_the_credit_says_what_is_missing() -> None:
    evening = Evening()
    evening.insert(1, 500)
    evening.press(1, "bet_plus", "bet_plus")
    assert evening.told(1) == "refused.need_more"
    assert evening.live.refused[1][0].args == (("missing_cents", 500),)
    assert evening.state.bet(1) == 500


def test_bet_minus_without_a_bet_and_deal_without_a_last_bet_say_so() -> None:
    evening = with_money(1)
    evening.press(1, "bet_minus")
    assert evening.told(1) == "refused.bet_first"
    evening.press(1, "deal")
    assert evening.told(1) == "refused.bet_first"
    assert evening.state.bet(1) == 0


def test_a_refusal_is_forgotten_with_the_next_good_press() -> None:
    evening = with_money(1)
    evening.press(1, "bet_minus")
    evening.press(1, "bet_plus")
    assert evening.told(1) == ""


# ---- the last bet again


def test_deal_without_a_bet_places_the_last_one_and_is_ready() -> None:
    evening = played(1)
    evening.press(1, "deal")
    assert evening.playing()
    assert evening.state.bets == ((1, 500),)
    assert evening.state.credit(1) == 9_000


def test_the_last_bet_is_remembered_over_rounds_that_were_sat_out() -> None:
    evening = Evening(LOST)
    evening.insert(1, 10_000)
    evening.insert(2, 10_000)
    evening.press(1, "bet_plus", "bet_plus", "bet_plus")
    evening.press(2, "bet_plus")
    evening.all_deal((1, 2))
    evening.press(1, "stand")
    evening.press(2, "stand")
    evening.land()
    evening.press(2, "deal")
    evening.advance(15_000)
    evening.land()
    evening.press(2, "stand")
    evening.land()
    evening.press(1, "deal")
    assert evening.state.bet(1) == 1_500


def test_deal_without_credit_for_the_last_bet_says_what_is_missing() -> None:
    evening = Evening(LOST)
    evening.insert(1, 1_500)
    evening.press(1, "bet_plus", "bet_plus", "deal")
    evening.land()
    evening.press(1, "stand")
    evening.land()
    assert evening.state.credit(1) == 500
    assert "deal" not in evening.lamps(1)
    evening.press(1, "deal")
    assert evening.told(1) == "refused.need_more"
    assert evening.live.refused[1][0].args == (("missing_cents", 500),)
    assert evening.state.bet(1) == 0


# ---- sitting out and leaving


@pytest.mark.requirement("CRD-02")
def test_a_seat_without_a_bet_is_never_charged() -> None:
    evening = played(1, 2)
    for _ in range(3):
        evening.press(1, "deal")
        evening.advance(15_000)
        evening.land()
        evening.press(2, *[button.value for button in CHOICES])
        evening.press(1, "stand")
        evening.land()
    assert evening.state.credit(2) == 9_500
    assert evening.state.round_number == 4


@pytest.mark.requirement("CRD-04")
def test_cash_out_takes_the_bet_back_first() -> None:
    evening = with_money(1, 2)
    evening.press(2, "bet_plus")
    evening.press(1, "bet_plus", "bet_plus", "cash_out")
    order = evening.printed()
    assert order.ticket.figures == "$100.00"
    assert evening.state.bet(1) == evening.state.credit(1) == 0
    assert evening.state.bet(2) == 500


def test_a_second_deal_is_told_that_the_seat_is_ready() -> None:
    evening = with_money(1, 2)
    evening.press(2, "bet_plus")
    evening.press(1, "bet_plus", "deal", "deal")
    assert evening.told(1) == "refused.is_ready"
    assert not evening.playing()


def test_a_seat_on_its_way_out_cannot_bet() -> None:
    evening = with_money(1)
    evening.press(1, "cash_out")
    assert evening.lamps(1) == set()
    evening.press(1, "bet_plus")
    assert evening.told(1) == "refused.not_now"
    evening.press(1, "cash_out")
    assert len(evening.facts("CashOutAsked")) == 1


def test_no_bets_while_a_round_runs() -> None:
    evening = with_money(1, 2)
    evening.press(1, "bet_plus", "deal")
    evening.land()
    evening.press(2, "bet_plus")
    assert evening.told(2) == "refused.round_running"
    assert evening.state.bet(2) == 0
    assert evening.lamps(2) == {"cash_out"}


def test_bets_open_when_the_settlement_has_been_shown() -> None:
    evening = Evening(LOST)
    evening.deal(1)
    evening.press(1, "stand")
    settled_ms = evening.state.settled_ms
    assert settled_ms is not None
    shown_ms = settled_ms + max(2_000, evening.policy.timing.settle_ms)
    evening.advance(shown_ms - 1 - evening.at_ms)
    assert "deal" not in evening.lamps(1)
    evening.press(1, "deal")
    assert evening.told(1) == "refused.not_now"
    evening.advance(1)
    assert "deal" in evening.lamps(1)


def test_a_press_behind_a_commit_that_took_seconds_does_not_bet_on_an_unseen_result() -> None:
    """The last decision waits six seconds for its disk. DEAL, pressed meanwhile, was dark."""
    evening = Evening(LOST)
    evening.deal(1)
    evening.press(1, "stand")
    evening.feed(InputChanged("panel1", evening.at_ms + 6_000, "seat1.deal", True))
    assert not evening.playing()
    assert evening.told(1) == "refused.not_now"
    evening.advance(6_001)
    evening.press(1, "deal")
    assert evening.playing()


# ---- one seat


def test_a_cabinet_with_one_seat_has_no_countdown() -> None:
    evening = with_money(1, seats=1)
    evening.press(1, "bet_plus")
    assert evening.bets_end_ms() is None
    evening.advance(3_600_000)
    assert not evening.playing()
    evening.press(1, "deal")
    assert evening.playing()


def test_one_seat_stands_after_five_minutes() -> None:
    evening = Evening(LOST, seats=1)
    evening.deal(1)
    deadline_ms = evening.state.decision_deadline_ms
    assert deadline_ms == evening.state.decision_opened_ms + 300_000
    evening.advance(deadline_ms - evening.at_ms - 1)
    assert evening.playing()
    evening.advance(1)
    assert not evening.playing()
    assert evening.state.meters["timeouts.1"] == 1


# ---- the shoe


def test_every_round_is_dealt_from_a_full_shoe() -> None:
    evening = played(1)
    assert evening.state.shoe is not None
    evening.press(1, "deal")
    opened = evening.last("RoundOpened")
    assert isinstance(opened, RoundOpened)
    assert opened.shuffled
    assert len(evening.state.shoe) == 312 - len(evening.state.round.cards if evening.state.round else ())


def test_a_cut_card_shoe_is_shuffled_when_the_cut_card_has_come() -> None:
    rules = replace(Rules(), decks=1, shuffle=Shuffle.CUT_CARD, penetration=0.5)
    evening = Evening(seats=1, rules=rules)
    evening.insert(1, 10_000)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus")
    left, shuffles = [], []
    for _ in range(14):
        evening.press(1, "deal")
        evening.land()
        while evening.playing():
            evening.press(1, "stand")
            evening.land()
        opened = evening.last("RoundOpened")
        assert isinstance(opened, RoundOpened)
        shuffles.append(opened.shuffled)
        assert evening.state.shoe is not None
        left.append(len(evening.state.shoe))
        if evening.state.credit(1) < 1_000:
            evening.insert(1, 10_000)
    assert shuffles[0]
    assert 0 < sum(shuffles) < 14
    for before, shuffled in zip(left, shuffles[1:], strict=False):
        assert shuffled == (before <= 26)


# ---- rules that changed while the program stood


def test_new_rules_send_bets_of_the_old_ones_back() -> None:
    evening = with_money(1)
    evening.press(1, "bet_plus")
    evening.crash(rules=replace(Rules(), min_bet_cents=2_000, bet_step_cents=1_000))
    assert (evening.state.bet(1), evening.state.credit(1)) == (0, 10_000)
    evening.press(1, "bet_plus", "deal")
    assert evening.state.bets == ((1, 2_000),)


def test_a_round_is_played_by_the_rules_it_began_with_and_the_next_by_the_new_ones() -> None:
    evening = Evening("10H 9S 10D 10C 5H 6H 10S 10H")
    evening.deal(1)
    evening.crash(rules=replace(Rules(), min_bet_cents=2_000, bet_step_cents=1_000))
    evening.advance(1)
    assert evening.state.rules == Rules()
    evening.press(1, "stand")
    evening.land()
    assert evening.state.rules == evening.policy.rules
    assert "deal" not in evening.lamps(1), "the last bet is below the new minimum"
    evening.press(1, "deal", "bet_plus", "deal")
    assert evening.state.bets == ((1, 2_000),)


def test_a_seat_that_holds_money_cannot_be_taken_away() -> None:
    evening = with_money(5)
    evening.books_may_fail = True
    evening.crash(
        seats=4,
        validators=tuple((f"validator{i}", (i,)) for i in range(1, 5)),
        printers=tuple((f"printer{i}", (i,)) for i in range(1, 5)),
    )
    assert "seat 5 still holds money" in evening.live.trouble(Code.ACCOUNTING_ERROR)
    assert not any(evening.lamps(seat) for seat in evening.state.seats)
    assert evening.state.credit(5) == 10_000
    evening.crash(
        seats=5,
        validators=tuple((f"validator{i}", (i,)) for i in range(1, 6)),
        printers=tuple((f"printer{i}", (i,)) for i in range(1, 6)),
    )
    assert evening.live.trouble(Code.ACCOUNTING_ERROR) == ""
    assert "cash_out" in evening.lamps(5)


def test_an_open_round_keeps_its_seats() -> None:
    evening = Evening(LOST, shared=True)
    evening.press(5, "buy_in")
    evening.deal(5)
    evening.books_may_fail = True
    evening.crash(seats=4, validators=(("validator1", (1, 2, 3, 4)),), printers=(("printer1", (1, 2, 3, 4)),))
    assert "a round of 5 seats is open" in evening.live.trouble(Code.ACCOUNTING_ERROR)
    assert evening.playing()


def test_seats_may_be_added() -> None:
    evening = with_money(1, shared=True)
    evening.press(1, "buy_in")
    evening.insert(1, 10_000)
    seats = tuple(range(1, 8))
    evening.crash(seats=7, validators=(("validator1", seats),), printers=(("printer1", seats),))
    assert len(evening.state.seats) == 7
    assert evening.state.credit(1) == 10_000


def test_buttons_of_seats_that_do_not_exist_do_nothing() -> None:
    evening = with_money(1, seats=1)
    for name in (
        "seat2.bet_plus",
        "seat.bet_plus",
        "seatx.bet_plus",
        "seat0.deal",
        "seat1.dance",
        "lamp.hit",
    ):
        decision = evening.feed(InputChanged("panel1", 0, name, True))
        assert decision.facts == ()
    assert set(Button) > set(CHOICES)
