"""Money out: tickets, hand payments, hard meters. No number reaches paper twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.facts import CashOutAsked, HandpayOpened, TicketIntended, TicketPrinted
from cabinet.core.look import Cue
from cabinet.core.renewal import replace
from cabinet.core.staff import attendant
from cabinet.core.state import Paper
from cabinet.core.state.fold import after
from cabinet.core.turn import (
    InquireTicket,
    MendPrinter,
    PrintTicket,
    ReleasePrinter,
    TicketRecorded,
    Turn,
)
from drivers.device import (
    Fault,
    NoteAccepting,
    PrinterReady,
    TicketDone,
    TicketOutcome,
    TicketPresented,
    TicketStarted,
    TicketTaken,
)
from support.evenings.evening import NUMBERS, Evening

P1 = "printer1"
PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN


def asked(*seats: int, cents: int = 10_000, **policy: object) -> Evening:
    """These seats have put in a note and pressed CASH OUT, in this order."""
    evening = Evening(**policy)  # type: ignore[arg-type]
    for seat in seats:
        if evening.policy.is_shared(evening.policy.validator_of(seat)):
            evening.press(seat, "buy_in")
        evening.insert(seat, cents)
    evening.acts = []
    for seat in seats:
        evening.press(seat, "cash_out")
    return evening


def orders(evening: Evening) -> list[tuple[str, int]]:
    return [(x.device, x.ref) for x in evening.ordered(PrintTicket) if isinstance(x, PrintTicket)]


def done(evening: Evening, outcome: TicketOutcome, detail: str = "") -> None:
    (ticket,) = evening.state.tickets
    evening.feed(TicketDone(ticket.device, evening.at_ms, ticket.ref, outcome, detail))


# ---- the good way


@pytest.mark.requirement("PRN-01", "PRN-02", "CRD-02")
def test_a_ticket_moves_the_credit_first_and_counts_when_it_is_out() -> None:
    evening = asked(1, cents=8_500)
    ledger = evening.state.ledger
    assert (ledger["credit.1"], ledger["in_flight.1"], ledger["tickets_out"]) == (0, 8_500, 0)
    intent = evening.last("TicketIntended")
    assert isinstance(intent, TicketIntended)
    assert NUMBERS.origin(intent.number) == (0x00401E, 1)
    (order,) = evening.ordered(PrintTicket)
    assert isinstance(order, PrintTicket)
    assert order.ref == intent.ref
    fields = order.ticket
    assert (fields.validation, fields.figures, fields.seat) == (intent.number, "$85.00", "SEAT 1")
    assert fields.words_1 == "EIGHTY FIVE DOLLARS AND NO CENTS"
    assert fields.ticket_no == "TICKET # 0001"
    assert "vouchers" not in evening.state.meters
    evening.feed(TicketStarted(P1, 0, intent.ref))
    done(evening, PRINTED)
    ledger = evening.state.ledger
    assert (ledger["in_flight.1"], ledger["tickets_out"]) == (0, 8_500)
    assert evening.state.meters["voucher_out.1"] == 8_500
    assert evening.ordered(TicketRecorded) == [TicketRecorded(P1, intent.ref)]
    number = evening.facts("TicketIntended")[0].number  # type: ignore[attr-defined]
    assert list(evening.state.presented) == [Paper(P1, 1, 8_500, number[-4:])]
    evening.feed(TicketPresented(P1, 0))
    evening.feed(TicketTaken(P1, 0))
    assert evening.state.presented == ()
    assert evening.feed(TicketTaken(P1, 0)).facts == ()


def test_the_same_outcome_twice_is_one_ticket() -> None:
    evening = asked(1)
    ref = evening.state.tickets[0].ref
    for _ in range(3):
        evening.feed(TicketDone(P1, 0, ref, PRINTED))
    assert evening.state.ledger["tickets_out"] == 10_000
    assert len(evening.facts("TicketPrinted")) == 1


@pytest.mark.requirement("PRN-02", "PRN-07")
def test_numbers_and_sequence_are_never_used_again() -> None:
    evening = asked(1, handpay_receipts=False)
    for outcome in (PRINTED, UNKNOWN, NOT_STARTED, PRINTED):
        done(evening, outcome)
        if outcome is NOT_STARTED:
            done(evening, NOT_STARTED)
        if evening.state.tickets:
            evening.choose("not in hand")
        for _ in evening.state.handpays:
            evening.choose("paid by hand")
        evening.insert(1, 5_000)
        evening.press(1, "cash_out")
    intents = [x for x in evening.facts("TicketIntended") if isinstance(x, TicketIntended)]
    assert len({x.number for x in intents}) == len({x.sequence for x in intents}) == len(intents) == 6
    assert [x.sequence for x in intents] == [1, 2, 3, 4, 5, 6]


def test_the_ticket_number_on_paper_wraps_after_9999() -> None:
    evening = Evening(seats=1)
    evening.state = replace(evening.state, ticket_no=9_998)
    evening.journal.clear()
    seen = []
    for _ in range(2):
        evening.insert(1, 500)
        evening.press(1, "cash_out")
        seen.append(evening.printed().ticket.ticket_no)
    assert seen == ["TICKET # 9999", "TICKET # 0001"]


# ---- paid by hand instead


@pytest.mark.requirement("CRD-07")
def test_over_the_ticket_limit_the_hand_pays_all_of_it() -> None:
    evening = asked(1, ticket_limit_cents=9_999)
    assert evening.last("HandpayOpened") == HandpayOpened(0, 2, 1, 10_000, "ticket_limit")
    assert evening.state.waiting == ()
    assert orders(evening) == []
    evening = asked(1, ticket_limit_cents=10_000)
    assert len(orders(evening)) == 1


@pytest.mark.requirement("CRD-06", "CRD-07")
@pytest.mark.parametrize(
    ("cents", "paid"),
    [(0, "nothing"), (1, "ticket"), (9_999, "ticket"), (10_000, "ticket"), (10_001, "hand")],
)
def test_nothing_a_cent_the_limit_and_a_cent_more(cents: int, paid: str) -> None:
    evening = Evening(ticket_limit_cents=10_000)
    if cents:
        evening.insert(1, cents)
    evening.press(1, "cash_out")
    assert [ticket.cents for ticket in evening.state.tickets] == ([cents] if paid == "ticket" else [])
    assert [pay.cents for pay in evening.state.handpays] == ([cents] if paid == "hand" else [])
    assert len(orders(evening)) == (paid == "ticket")
    assert evening.state.sequence == (paid == "ticket"), "no number is burned for nothing"


def test_two_seats_that_press_in_one_moment_get_a_ticket_each_one_after_the_other() -> None:
    evening = asked(2, 1, shared=True, seats=2, cents=500)
    assert [ticket.seat for ticket in evening.state.tickets] == [2]
    evening.press(1, "cash_out")
    evening.press(2, "cash_out")
    done(evening, PRINTED)
    done(evening, PRINTED)
    assert evening.state.ledger["tickets_out"] == 1_000
    assert len(evening.facts("TicketIntended")) == 2


@pytest.mark.requirement("CRD-07", "PRN-04")
@pytest.mark.parametrize(
    "fault", [Fault.PAPER_OUT, Fault.HEAD_OPEN, Fault.PAPER_JAM, Fault.PRINTER_FAILED, Fault.LINK_LOST]
)
def test_a_printer_that_is_down_sends_its_seats_to_the_attendant(fault: Fault) -> None:
    evening = Evening()
    evening.insert(1, 10_000)
    evening.insert(2, 10_000)
    evening.fault(P1, fault)
    evening.press(1, "cash_out")
    evening.press(2, "cash_out")
    assert [(pay.seat, pay.cents) for pay in evening.state.handpays] == [(1, 10_000)]
    assert [ticket.seat for ticket in evening.state.tickets] == [2]


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("fault", [Fault.PAPER_LOW, Fault.TICKET_NOT_TAKEN])
def test_a_warning_of_the_printer_keeps_nobody_from_a_ticket(fault: Fault) -> None:
    evening = Evening()
    evening.insert(1, 10_000)
    evening.fault(P1, fault)
    evening.press(1, "cash_out")
    assert len(orders(evening)) == 1


def test_a_printer_that_goes_down_while_a_seat_waits_for_it() -> None:
    evening = Evening(seats=2)
    evening.feed(PrinterReady(P1, 0, False))
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    assert evening.state.credit(1) == 10_000, "money moves when the turn comes"
    evening.advance(59_000)
    assert list(evening.state.waiting) == [1]
    evening.fault(P1, Fault.PAPER_OUT)
    assert evening.state.waiting == ()
    assert evening.state.handpays[0].reason == "printer T02"


def test_a_jam_holds_its_printer_until_the_attendant_has_come() -> None:
    evening = Evening()
    evening.insert(1, 10_000)
    evening.fault(P1, Fault.PAPER_JAM)
    evening.mended(P1, Fault.PAPER_JAM)
    evening.press(1, "cash_out")
    assert evening.state.handpays[0].reason == "printer T03"


@pytest.mark.requirement("CRD-07", "CRD-13")
def test_a_hand_payment_locks_the_seat_until_it_is_paid() -> None:
    evening = asked(1, ticket_limit_cents=9_999)
    evening.insert(1, 500)
    assert evening.lamps(1) == set()
    evening.press(1, "bet_plus")
    assert evening.told(1) == "seat.attendant_called"
    evening.choose("Seat 1: paid by hand")
    assert evening.state.ledger["handpaid"] == 10_000
    assert evening.state.meters["handpays.1"] == 1
    assert evening.lamps(1) == {"bet_plus", "cash_out"}


def test_when_the_sequence_is_used_up_the_hand_pays() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 10_000)
    evening.state = replace(evening.state, sequence=0xFFFFFF)
    evening.press(1, "cash_out")
    assert evening.state.handpays[0].reason == "no_number"
    assert evening.state.tickets == ()


def test_an_amount_that_no_ticket_can_word_is_paid_by_hand() -> None:
    evening = Evening(seats=1, ticket_limit_cents=10**10, credit_limit_cents=10**10)
    evening.insert(1, 10**8)
    evening.press(1, "cash_out")
    assert evening.state.handpays[0].cents == 10**8
    assert evening.state.sequence == 0


# ---- not started


def test_a_ticket_that_has_not_started_is_followed_by_one_with_a_new_number() -> None:
    """A printer that begins later than any should would print the same number a second time."""
    evening = asked(1)
    first = evening.state.tickets[0]
    orders(evening)
    done(evening, NOT_STARTED, "busy")
    (second,) = evening.state.tickets
    assert second.cents == first.cents
    assert second.number != first.number
    assert evening.facts("TicketVoided")
    (order,) = evening.ordered(PrintTicket)
    assert isinstance(order, PrintTicket)
    assert order.ticket.validation == second.number
    done(evening, PRINTED)
    assert evening.state.ledger["tickets_out"] == 10_000


def test_after_the_second_failure_the_number_is_void_and_the_hand_pays() -> None:
    evening = asked(1)
    ref = evening.state.tickets[0].ref
    done(evening, NOT_STARTED)
    done(evening, NOT_STARTED, "busy")
    assert evening.state.tickets == ()
    (pay,) = evening.state.handpays
    assert (pay.cents, pay.reason) == (10_000, "ticket_failed")
    assert TicketRecorded(P1, ref) in evening.ordered(TicketRecorded)
    assert len(orders(evening)) == 2


def test_two_printers_that_fail_in_turns_do_not_order_for_ever() -> None:
    evening = asked(1, 2)
    for _ in range(3):
        for ticket in evening.state.tickets:
            evening.feed(TicketDone(ticket.device, 0, ticket.ref, NOT_STARTED))
    assert evening.state.tickets == ()
    assert len(orders(evening)) == 4
    assert [pay.seat for pay in evening.state.handpays] == [1, 2]


def test_the_second_ticket_waits_until_the_printer_is_ready_again() -> None:
    """After NOT_STARTED a printer may have flags to clear: an order would only be refused."""
    evening = asked(1)
    orders(evening)
    evening.feed(PrinterReady(P1, 0, False))
    done(evening, NOT_STARTED)
    assert orders(evening) == []
    evening.advance(10_000)
    evening.feed(PrinterReady(P1, evening.at_ms, True))
    assert len(orders(evening)) == 1


def test_a_printer_that_goes_down_before_the_second_ticket() -> None:
    evening = asked(1)
    evening.feed(PrinterReady(P1, 0, False))
    done(evening, NOT_STARTED, "")
    evening.fault(P1, Fault.PAPER_OUT)
    assert evening.state.tickets == ()
    assert evening.state.handpays[0].reason == "printer T02"


def test_an_order_that_a_broken_printer_did_not_start_is_not_given_again() -> None:
    evening = asked(1)
    evening.fault(P1, Fault.HEAD_OPEN)
    done(evening, NOT_STARTED, "head open")
    assert evening.state.handpays[0].cents == 10_000


def fails_twice(evening: Evening) -> None:
    done(evening, NOT_STARTED)
    done(evening, NOT_STARTED)
    evening.choose("paid by hand")


def fails_once_and_is_printed(evening: Evening) -> None:
    done(evening, NOT_STARTED)
    done(evening, PRINTED)


def fails_and_the_printer_goes_down(evening: Evening) -> None:
    evening.feed(PrinterReady(P1, 0, False))
    done(evening, NOT_STARTED)
    evening.fault(P1, Fault.PAPER_OUT)
    evening.choose("paid by hand")
    evening.mended(P1, Fault.PAPER_OUT)
    evening.feed(PrinterReady(P1, 0, True))


def fails_and_is_not_in_hand(evening: Evening) -> None:
    done(evening, NOT_STARTED)
    done(evening, UNKNOWN)
    evening.choose("not in hand")
    evening.choose("paid by hand")


@pytest.mark.parametrize(
    "request_ends",
    [fails_twice, fails_once_and_is_printed, fails_and_the_printer_goes_down, fails_and_is_not_in_hand],
)
def test_a_failure_is_not_counted_against_the_next_cash_out(request_ends: Callable[[Evening], None]) -> None:
    evening = asked(1, handpay_receipts=False)
    request_ends(evening)
    assert (evening.state.tickets, evening.state.handpays) == ((), ())
    evening.insert(1, 500)
    evening.press(1, "cash_out")
    orders(evening)
    done(evening, NOT_STARTED)
    assert len(orders(evening)) == 1, "a second ticket, as for the first request"
    known = len(evening.facts("HandpayOpened"))
    done(evening, NOT_STARTED)
    assert len(evening.facts("HandpayOpened")) == known + 1


def test_who_waits_with_nothing_to_be_paid_gets_no_paper() -> None:
    """No button leads there; a decision has to be possible in every state that facts can make."""
    evening = Evening(seats=1)
    evening.state = after(evening.state, CashOutAsked(0, 1))
    assert evening.feed(PrinterReady(P1, 0, True)).facts == ()
    assert orders(evening) == []


def test_a_ticket_is_heard_when_it_begins_and_when_it_is_out() -> None:
    evening = asked(1)
    assert Cue.PRINTING in [cue.cue for cue in evening.live.cues]
    assert Cue.TAKE_TICKET not in [cue.cue for cue in evening.live.cues]
    done(evening, PRINTED)
    assert Cue.TAKE_TICKET in [cue.cue for cue in evening.live.cues]


# ---- unknown


def test_an_unknown_ticket_locks_the_seat_and_asks() -> None:
    evening = asked(1)
    done(evening, UNKNOWN, "restarted while printing")
    assert evening.state.tickets[0].unknown == "restarted while printing"
    assert evening.lamps(1) == set()
    evening.insert(1, 500)
    evening.press(1, "cash_out")
    assert evening.told(1) == "seat.attendant_called"
    done(evening, PRINTED)
    assert evening.state.tickets[0].unknown, "only a person can tell now"


@pytest.mark.requirement("PRN-02")
def test_in_hand_counts_as_printed() -> None:
    evening = asked(1)
    ref = evening.state.tickets[0].ref
    done(evening, UNKNOWN)
    evening.choose("in hand")
    assert evening.last("TicketPrinted") == TicketPrinted(evening.at_ms, ref, "attendant")
    assert evening.state.ledger["tickets_out"] == 10_000
    assert evening.state.presented == ()
    assert evening.ordered(TicketRecorded, ReleasePrinter) == [TicketRecorded(P1, ref), ReleasePrinter(P1)]


@pytest.mark.requirement("PRN-02")
def test_not_in_hand_voids_the_number_and_pays_by_hand() -> None:
    evening = asked(1)
    number = evening.state.tickets[0].number
    done(evening, UNKNOWN)
    evening.choose("not in hand")
    assert evening.state.handpays[0].cents == 10_000
    assert "voucher_out" not in evening.state.meters
    evening.choose("paid by hand")
    evening.insert(1, 500)
    evening.press(1, "cash_out")
    assert evening.state.tickets[0].number != number


def test_an_answer_about_a_ticket_that_is_not_in_question_changes_nothing() -> None:
    evening = asked(1)
    turn = Turn(evening.state, evening.live, 0, lambda n: 0)
    for order in (
        ("ticket", "2", "yes"),
        ("ticket", "99", "no"),
        ("paid", "99"),
        ("note", "7", "v", "yes"),
        (),
    ):
        attendant.carry_out(turn, order)
    assert turn.facts == []
    assert turn.acts == []


# ---- one printer for several seats


@pytest.mark.requirement("PRN-06")
def test_seats_are_served_in_the_order_in_which_they_asked() -> None:
    evening = asked(3, 1, 2, shared=True, seats=3)
    served = []
    assert evening.state.waiting == (1, 2)
    assert evening.credits(1, 2, 3) == (10_000, 10_000, 0)
    for _ in range(3):
        (ticket,) = evening.state.tickets
        served.append(ticket.seat)
        evening.feed(PrinterReady(P1, 0, False))
        done(evening, PRINTED)
        assert evening.state.tickets == ()
        evening.feed(PrinterReady(P1, 0, True))
    assert served == [3, 1, 2]
    assert evening.state.ledger["tickets_out"] == 30_000


def test_a_waiting_seat_takes_its_later_notes_with_it() -> None:
    """A note that was inside when the seat pressed CASH OUT is still its own."""
    evening = asked(1, shared=True, seats=2)
    evening.press(2, "buy_in")
    evening.insert(2, 10_000)
    evening.feed(NoteAccepting("validator1", evening.at_ms))
    evening.press(2, "cash_out")
    evening.insert(2, 5_000)
    done(evening, PRINTED)
    assert evening.state.tickets[0].cents == 15_000


def test_a_seat_over_the_limit_does_not_hold_the_queue_up() -> None:
    evening = Evening(shared=True, seats=3, ticket_limit_cents=10_000)
    for seat, cents in ((1, 500), (2, 20_000), (3, 500)):
        evening.press(seat, "buy_in")
        evening.insert(seat, cents)
    for seat in (1, 2, 3):
        evening.press(seat, "cash_out")
    assert [pay.seat for pay in evening.state.handpays] == [2]
    assert evening.state.waiting == (3,)
    done(evening, PRINTED)
    assert [ticket.seat for ticket in evening.state.tickets] == [3]


@pytest.mark.requirement("PRN-06")
def test_a_ticket_in_doubt_holds_the_shared_printer() -> None:
    evening = asked(1, 2, shared=True, seats=2)
    done(evening, UNKNOWN)
    assert evening.state.waiting == (2,)
    assert evening.credits(2) == (10_000,)
    evening.choose("in hand")
    assert [ticket.seat for ticket in evening.state.tickets] == [2]


@pytest.mark.requirement("CRD-05")
def test_nothing_is_paid_while_the_table_is_locked() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.feed(PrinterReady(P1, 0, False))
    evening.press(1, "cash_out")
    evening.switch("door.main", True)
    evening.feed(PrinterReady(P1, 0, True))
    assert orders(evening) == []
    evening.fault(P1, Fault.PAPER_OUT)
    assert evening.state.handpays == ()
    evening.mended(P1, Fault.PAPER_OUT)
    evening.switch("door.main", False)
    assert len(orders(evening)) == 1


# ---- restart


def test_a_printer_without_a_ticket_in_doubt_is_released_at_start() -> None:
    evening = Evening(seats=2)
    evening.crash()
    assert evening.ordered(ReleasePrinter, InquireTicket) == [ReleasePrinter(P1), ReleasePrinter("printer2")]


@pytest.mark.requirement("PRN-02")
def test_a_void_ticket_that_may_still_come_out_is_asked_about_at_a_start() -> None:
    """The driver of before knew how long its paper could come out late; the one of now waits as long."""
    evening = asked(1, seats=2)
    ref = evening.state.tickets[0].ref
    evening.feed(PrinterReady(P1, 0, False))
    done(evening, NOT_STARTED)
    evening.crash()
    assert evening.ordered(ReleasePrinter, InquireTicket) == [
        InquireTicket(P1, ref),
        ReleasePrinter("printer2"),
    ]
    evening.feed(TicketDone(P1, evening.at_ms, ref, UNKNOWN, "the flags are gone"))
    assert evening.ordered(TicketRecorded) == [TicketRecorded(P1, ref)]
    assert evening.state.tickets == (), "of a void ticket nobody is asked"
    evening.feed(PrinterReady(P1, 0, True))
    done(evening, PRINTED)
    evening.crash()
    assert evening.ordered(ReleasePrinter) == [ReleasePrinter(P1), ReleasePrinter("printer2")]


@pytest.mark.requirement("PRN-02")
def test_a_ticket_in_doubt_is_asked_about_and_never_printed_from_memory() -> None:
    evening = asked(1, seats=2)
    ref = evening.state.tickets[0].ref
    evening.crash()
    assert evening.ordered(ReleasePrinter, InquireTicket) == [
        InquireTicket(P1, ref),
        ReleasePrinter("printer2"),
    ]
    evening.advance(60_000)
    assert orders(evening) == []
    done(evening, PRINTED)
    assert evening.state.ledger["tickets_out"] == 10_000


def test_a_ticket_that_never_started_is_replaced_when_the_printer_is_ready() -> None:
    evening = asked(1)
    number = evening.state.tickets[0].number
    evening.crash()
    done(evening, NOT_STARTED)
    assert orders(evening) == [], "its driver clears old flags first"
    evening.feed(PrinterReady(P1, 0, True))
    (order,) = evening.ordered(PrintTicket)
    assert isinstance(order, PrintTicket)
    assert order.ticket.validation != number, "no number may reach paper twice"
    done(evening, PRINTED)
    assert evening.state.ledger["tickets_out"] == 10_000


def test_a_ticket_unknown_at_start_is_for_the_attendant() -> None:
    evening = asked(1)
    evening.crash()
    done(evening, UNKNOWN, "lost power")
    evening.crash()
    assert InquireTicket(P1, 2) not in evening.acts
    assert ReleasePrinter(P1) not in evening.acts
    evening.choose("not in hand")
    assert evening.ordered(ReleasePrinter)[-1] == ReleasePrinter(P1), "else it would wait for ever"


def test_a_seat_that_waited_still_waits_after_a_restart() -> None:
    evening = asked(1, 2, shared=True, seats=2)
    evening.crash()
    assert evening.state.waiting == (2,)
    done(evening, PRINTED)
    evening.feed(PrinterReady(P1, 0, True))
    assert [ticket.seat for ticket in evening.state.tickets] == [2]


# ---- mending


def test_the_attendants_key_tells_a_jammed_printer_that_it_is_mended() -> None:
    evening = Evening(seats=1)
    evening.fault(P1, Fault.PAPER_JAM)
    evening.acts = []
    evening.switch("key.attendant", True)
    assert evening.ordered(MendPrinter) == [MendPrinter(P1)]
    evening.switch("key.attendant", False)
    assert ("T03", P1) in evening.state.conditions
    evening.mended(P1, Fault.PAPER_JAM)
    assert evening.state.conditions == ()
