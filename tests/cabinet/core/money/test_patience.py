"""Nobody waits for a printer for ever: a printer that stands, and one that prints nothing."""

from __future__ import annotations

import pytest

from cabinet.core.facts import ConditionRaised
from cabinet.core.live import active_conditions
from cabinet.core.outputs import outputs
from cabinet.core.turn import MendPrinter, PrintTicket
from drivers.device import (
    Fault,
    Pattern,
    PrinterReady,
    TicketDone,
    TicketOutcome,
    TicketPresented,
    TicketStarted,
    TicketTaken,
)
from support.evenings.evening import Evening
from support.evenings.tilts import P1

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN
MINUTE_MS = 60_000


def codes(evening: Evening) -> list[str]:
    return [row.code for row, _, _ in active_conditions(evening.state, evening.live)]


def ready(evening: Evening, is_ready: bool) -> None:
    evening.feed(PrinterReady(P1, evening.at_ms, is_ready))


def orders(evening: Evening) -> list[PrintTicket]:
    return [act for act in evening.ordered(PrintTicket) if isinstance(act, PrintTicket)]


def done(evening: Evening, outcome: TicketOutcome) -> None:
    (order,) = orders(evening)
    evening.feed(TicketDone(P1, evening.at_ms, order.ref, outcome))


def untaken() -> Evening:
    """Three seats share a printer. The ticket of the first hangs in the chute, the others want theirs."""
    evening = Evening(seats=3, shared=True)
    for seat in (1, 2, 3):
        evening.press(seat, "buy_in")
        evening.insert(seat, 1000 * seat)
    evening.press(1, "cash_out")
    (order,) = orders(evening)
    ready(evening, False)
    evening.feed(TicketStarted(P1, evening.at_ms, order.ref))
    evening.feed(TicketDone(P1, evening.at_ms, order.ref, PRINTED))
    evening.feed(TicketPresented(P1, evening.at_ms))
    evening.press(2, "cash_out")
    return evening


# ---- it stands


@pytest.mark.requirement("PRN-04")
def test_a_printer_that_does_not_get_ready_pays_nobody_and_after_a_minute_the_hand_does() -> None:
    evening = Evening(seats=2)
    ready(evening, False)
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    evening.advance(MINUTE_MS - 1)
    assert (codes(evening), evening.state.waiting) == ([], (1,))
    evening.advance(1)
    assert codes(evening) == ["T12", "H01"]
    (pay,) = evening.state.handpays
    assert (pay.cents, pay.reason) == (10_000, "printer T12")
    assert evening.last("ConditionRaised") == ConditionRaised(MINUTE_MS, "T12", P1, "it does not get ready")
    assert outputs(evening.state, evening.live).panel["candle.top"] is not Pattern.OFF
    evening.choose("paid by hand")
    assert evening.state.credit(1) == 0
    assert orders(evening) == []


@pytest.mark.requirement("PRN-04")
def test_a_seat_that_comes_later_is_not_kept_waiting() -> None:
    evening = Evening(seats=2, shared=True)
    ready(evening, False)
    evening.advance(MINUTE_MS)
    assert codes(evening) == ["T12"], "also when nobody waits"
    evening.press(2, "buy_in")
    evening.insert(2, 2_000)
    evening.press(2, "cash_out")
    assert [pay.seat for pay in evening.state.handpays] == [2]


@pytest.mark.requirement("PRN-02", "PRN-04")
def test_a_ticket_that_is_not_taken_does_not_block_the_neighbours_for_ever() -> None:
    evening = untaken()
    evening.fault(P1, Fault.TICKET_NOT_TAKEN)
    evening.advance(MINUTE_MS - 1)
    evening.press(3, "cash_out")
    assert list(evening.state.waiting) == [2, 3]
    evening.advance(1)
    assert list(evening.state.waiting) == []
    assert [pay.seat for pay in evening.state.handpays] == [2, 3]
    assert orders(evening) == [], "nothing is printed onto a ticket that nobody has taken"
    assert "T12" in codes(evening)
    evening.feed(TicketTaken(P1, evening.at_ms))
    evening.mended(P1, Fault.TICKET_NOT_TAKEN)
    ready(evening, True)
    assert "T12" not in codes(evening)


def test_a_ticket_that_is_not_taken_calls_nobody_as_long_as_nobody_waits() -> None:
    evening = untaken()
    evening.advance(2_000)
    ready(evening, True)
    (order,) = orders(evening)
    ready(evening, False)
    evening.feed(TicketDone(P1, evening.at_ms, order.ref, PRINTED))
    evening.feed(TicketPresented(P1, evening.at_ms))
    evening.advance(10 * MINUTE_MS)
    assert codes(evening) == []


def test_a_hand_payment_that_nobody_has_come_for_is_taken_back_and_printed_when_the_printer_is_free() -> None:
    evening = untaken()
    evening.advance(MINUTE_MS)
    evening.feed(TicketTaken(P1, evening.at_ms))
    ready(evening, True)
    evening.advance(1_000)
    evening.press(2, "cash_out")
    evening.press(2, "cash_out")
    assert [order.ticket.seat for order in orders(evening)] == ["SEAT 2"]


def test_a_queue_whose_tickets_come_out_waits_as_long_as_it_takes() -> None:
    evening = Evening(seats=5, shared=True)
    for seat in range(1, 6):
        evening.press(seat, "buy_in")
        evening.insert(seat, 1000)
    for seat in range(1, 6):
        evening.press(seat, "cash_out")
    for _ in range(5):
        ready(evening, False)
        evening.advance(MINUTE_MS - 5_000)
        done(evening, PRINTED)
        evening.advance(20_000)
        ready(evening, True)
    assert codes(evening) == []
    assert len(evening.facts("TicketPrinted")) == 5


def test_a_printer_with_a_ticket_in_doubt_keeps_no_neighbour_waiting() -> None:
    evening = Evening(seats=2, shared=True)
    for seat in (1, 2):
        evening.press(seat, "buy_in")
        evening.insert(seat, 1000)
    for seat in (1, 2):
        evening.press(seat, "cash_out")
    done(evening, UNKNOWN)
    ready(evening, False)
    evening.advance(MINUTE_MS)
    assert [pay.seat for pay in evening.state.handpays] == [2]
    assert evening.state.ticket(evening.state.tickets[0].ref) is not None, "the answer is still wanted"


def test_a_receipt_does_not_wait_for_ever() -> None:
    evening = Evening(seats=2)
    evening.fault(P1, Fault.PAPER_OUT)
    evening.insert(1, 1000)
    evening.press(1, "cash_out")
    evening.mended(P1, Fault.PAPER_OUT)
    ready(evening, False)
    evening.choose("paid by hand")
    assert [pay.seat for pay in evening.live.receipts] == [1]
    evening.advance(2 * MINUTE_MS)
    assert list(evening.live.receipts) == []


def test_trouble_that_the_printer_tells_is_told_once() -> None:
    evening = Evening(seats=2)
    ready(evening, False)
    evening.fault(P1, Fault.PAPER_OUT)
    evening.advance(10 * MINUTE_MS)
    assert codes(evening) == ["T02"]


def test_a_table_that_is_frozen_does_not_count_the_time() -> None:
    evening = Evening(seats=2)
    ready(evening, False)
    evening.insert(1, 1000)
    evening.press(1, "cash_out")
    evening.advance(MINUTE_MS // 2)
    evening.switch("door.main", True)
    evening.advance(10 * MINUTE_MS)
    evening.switch("door.main", False)
    evening.advance(MINUTE_MS - 1)
    assert "T12" not in codes(evening)
    evening.advance(2)
    assert "T12" in codes(evening)


def test_word_that_it_is_ready_wins_against_time() -> None:
    """Whatever was read before the minute was over is judged before it."""
    evening = Evening(seats=2)
    ready(evening, False)
    evening.insert(1, 1000)
    evening.press(1, "cash_out")
    evening.advance(MINUTE_MS - 1)
    evening.at_ms += 5_000
    ready(evening, True)
    assert len(orders(evening)) == 1
    evening.advance(MINUTE_MS)
    assert codes(evening) == []


def test_the_attendant_s_key_tells_a_printer_that_stands_that_somebody_has_looked_after_it() -> None:
    evening = Evening(seats=2)
    ready(evening, False)
    evening.advance(MINUTE_MS)
    evening.ordered(MendPrinter)
    evening.switch("key.attendant", True)
    assert [act.device for act in evening.ordered(MendPrinter) if isinstance(act, MendPrinter)] == [P1]


def test_a_table_of_the_lab_is_quicker_but_no_quicker_than_a_printer_gets_ready() -> None:
    assert Evening(pace=2).policy.payout_wait_ms == 30_000
    assert Evening(pace=30).policy.payout_wait_ms == 20_000


# ---- it prints nothing


def fail(evening: Evening, outcome: TicketOutcome, times: int) -> None:
    """So many orders of seat 1 that end in no ticket."""
    for _ in range(times):
        if not evening.state.waiting and not evening.state.tickets:
            evening.press(1, "cash_out")
        done(evening, outcome)
        if outcome is UNKNOWN:
            evening.choose("not in hand")
        if evening.state.handpays:
            evening.advance(2_000)
            evening.press(1, "cash_out")  # it is taken back


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("outcome", [NOT_STARTED, UNKNOWN])
def test_a_printer_that_prints_nothing_is_told_after_four_orders(outcome: TicketOutcome) -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    fail(evening, outcome, 3)
    assert "T11" not in codes(evening)
    if not evening.state.tickets:
        evening.press(1, "cash_out")
    done(evening, outcome)
    assert "T11" in codes(evening)
    raised = [fact for fact in evening.facts("ConditionRaised") if isinstance(fact, ConditionRaised)]
    assert (raised[-1].code, raised[-1].detail) == ("T11", "4 orders without a ticket")


@pytest.mark.requirement("PRN-04")
def test_cash_outs_go_to_the_hand_until_an_attendant_has_come() -> None:
    evening = Evening(seats=2, handpay_receipts=False)
    evening.insert(1, 10_000)
    fail(evening, NOT_STARTED, 4)
    assert codes(evening) == ["T11"]
    assert outputs(evening.state, evening.live).panel["candle.top"] is Pattern.FAST
    evening.press(1, "cash_out")
    assert orders(evening) == []
    assert evening.state.handpays[0].reason == "printer T11"
    evening.crash()
    assert "T11" in codes(evening), "a new start does not mend it"
    ready(evening, True)
    evening.choose("paid by hand")
    assert codes(evening) == []
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    done(evening, PRINTED)


@pytest.mark.requirement("PRN-04")
def test_who_comes_to_look_for_a_ticket_has_not_mended_its_printer() -> None:
    evening = Evening(seats=2, handpay_receipts=False)
    evening.insert(1, 10_000)
    fail(evening, UNKNOWN, 4)
    assert codes(evening) == ["T11"]
    evening.switch("key.attendant", True)
    evening.switch("key.attendant", False)
    assert codes(evening) == []


def test_one_ticket_clears_the_count() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    fail(evening, NOT_STARTED, 3)
    done(evening, PRINTED)
    evening.insert(1, 10_000)
    fail(evening, NOT_STARTED, 3)
    assert "T11" not in codes(evening)


def test_a_ticket_in_doubt_that_is_in_hand_clears_it_too() -> None:
    evening = Evening(seats=2)
    for _ in range(6):
        evening.insert(1, 1_000)
        evening.press(1, "cash_out")
        done(evening, UNKNOWN)
        evening.choose("in hand")
    assert "T11" not in codes(evening)


def test_the_key_gives_it_four_more() -> None:
    evening = Evening(seats=2, handpay_receipts=False)
    evening.insert(1, 10_000)
    fail(evening, NOT_STARTED, 4)
    evening.switch("key.attendant", True)
    evening.switch("key.attendant", False)
    assert codes(evening) == []
    fail(evening, NOT_STARTED, 3)
    assert "T11" not in codes(evening)
