"""Presses behind a slow commit, and the second half of a double press: nobody answers a question that he has
not seen.

While a commit is in flight the screen shows what was before, and presses wait. Time that opens something
counts only when no input waits (`TimerDue`), so a press that was read before is judged by what its lamp was.
"""

from __future__ import annotations

import pytest

from cabinet.core.facts import HandpayPaid
from cabinet.core.options import CANCEL_AFTER_MS, MENU_AFTER_MS
from drivers.device import InputChanged, TicketOutcome
from support.evenings.evening import Evening


def late(evening: Evening, button: str, after_ms: int) -> None:
    """Seat 1 presses so long after the last event, which is still being written: no timer has fired since."""
    evening.feed(InputChanged("panel1", evening.at_ms + after_ms, f"seat1.{button}", True))
    evening.feed(InputChanged("panel1", evening.at_ms + after_ms, f"seat1.{button}", False))


def two_hand_payments() -> Evening:
    evening = Evening(seats=2, ticket_limit_cents=5_000)
    for seat, cents in ((1, 10_000), (2, 7_000)):
        evening.insert(seat, cents)
        evening.press(seat, "cash_out")
    evening.switch("key.attendant", True)
    evening.advance(MENU_AFTER_MS)
    return evening


# ---- the attendant's menu


@pytest.mark.requirement("CRD-13")
@pytest.mark.parametrize("again_ms", [0, 100, MENU_AFTER_MS - 1])
def test_a_double_press_pays_one_seat_and_not_the_next_one_too(again_ms: int) -> None:
    evening = two_hand_payments()
    first, second = evening.state.handpays
    evening.press(1, "deal")
    evening.confirm_by_key()
    since_ms = evening.at_ms
    assert "deal" not in evening.lamps(1), "what was chosen has gone, and another matter is in its place"
    evening.advance(again_ms)
    late(evening, "deal", 0)
    assert evening.facts("HandpayPaid") == [HandpayPaid(since_ms, first.ref)]
    assert [pay.ref for pay in evening.state.handpays] == [second.ref]
    evening.press(1, "deal")
    evening.confirm_by_key()
    assert not evening.state.handpays, "who has seen the list goes on"


@pytest.mark.requirement("CRD-13")
def test_an_answer_whose_commit_takes_long_is_not_given_to_the_next_matter() -> None:
    """The list has not changed on the screen, so the attendant presses again."""
    evening = two_hand_payments()
    evening.press(1, "deal")
    evening.confirm_by_key()
    for after_ms in (2_000, 4_000, 8_000):
        late(evening, "deal", after_ms)
    assert len(evening.facts("HandpayPaid")) == 1
    evening.advance(9_000)
    assert "deal" in evening.lamps(1)


@pytest.mark.requirement("PRN-02")
def test_a_press_while_the_turning_of_the_key_is_written_was_meant_for_the_game() -> None:
    evening = Evening(seats=2)
    evening.insert(2, 5_000)
    evening.press(2, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)
    evening.switch("key.attendant", True)
    late(evening, "deal", 5 * MENU_AFTER_MS)
    assert evening.facts("TicketPrinted") == []


def test_closing_the_table_twice_does_not_open_it() -> None:
    evening = Evening(seats=1)
    evening.switch("key.attendant", True)
    evening.walk("Table", "Close the table")
    late(evening, "deal", 0)
    assert ("H06", "") in evening.state.conditions


def test_pages_are_turned_as_quickly_as_somebody_can_press() -> None:
    evening = Evening(seats=1)
    evening.switch("key.service", True)
    evening.walk("Devices")
    before = evening.at_ms
    evening.press(1, "deal", "deal", "cash_out", "cash_out", "bet_plus")
    assert evening.at_ms == before
    assert evening.live.menu == ("devices",)
    assert evening.live.cursor == 1


# ---- players


@pytest.mark.requirement("CRD-07")
def test_an_impatient_press_does_not_take_back_a_hand_payment_that_is_still_being_written() -> None:
    evening = Evening(seats=1, ticket_limit_cents=5_000)
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    late(evening, "cash_out", 3 * CANCEL_AFTER_MS)
    assert [pay.cents for pay in evening.state.handpays] == [10_000]
    evening.advance(4 * CANCEL_AFTER_MS)
    evening.press(1, "cash_out")
    assert evening.state.handpays == ()


@pytest.mark.requirement("CRD-05")
def test_a_press_while_the_settlement_is_written_does_not_cash_out_unseen() -> None:
    evening = Evening("5H 6H 10C KD 10S", seats=1)
    evening.deal(1)
    evening.press(1, "stand")
    while evening.playing():
        evening.advance(evening.policy.decide_ms)
    late(evening, "cash_out", 60_000)
    assert evening.facts("CashOutAsked") == []
    evening.land()
    evening.press(1, "cash_out")
    assert len(evening.facts("CashOutAsked")) == 1
