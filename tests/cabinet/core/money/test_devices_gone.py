"""A cabinet file that does not name a device any more while a note or a ticket of it is open, or that takes
away the seat it is for: nobody's money may wait for a report that cannot come."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.conditions import Code
from cabinet.core.facts import NoteUnresolved, TicketUnknown
from cabinet.core.state.book import TicketState
from cabinet.core.turn import PrintTicket
from cabinet.core.view import view
from drivers import device as d
from drivers.device import Holding, TicketOutcome
from support.evenings.evening import Evening

V1 = "validator1"
OTHER_PRINTER = {"printers": (("exchanged", (1,)), ("printer2", (2,)))}
OTHER_VALIDATOR = {
    "validators": (("exchanged", (1,)), ("validator2", (2,))),
    "ticket_in": ("exchanged", "validator2"),
}


def restarted(evening: Evening, **file: object) -> None:
    """With another cabinet file; all its printers are ready, and the screen can be drawn."""
    evening.crash(**file)
    for name, _ in evening.policy.printers:
        evening.feed(d.PrinterReady(name, 0, True))
    view(evening.state, evening.live)


# ---- tickets


def with_ticket(*, begun: bool) -> Evening:
    evening = Evening(seats=2, handpay_receipts=False)
    evening.insert(1, 5_000)
    evening.press(1, "cash_out")
    if begun:
        evening.feed(d.TicketStarted("printer1", 0, evening.state.tickets[0].ref))
    return evening


@pytest.mark.requirement("PRN-02", "CRD-04")
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("in_hand", [False, True])
def test_a_ticket_of_a_printer_that_is_gone_is_the_attendants_matter(begun: bool, in_hand: bool) -> None:
    evening = with_ticket(begun=begun)
    ref = evening.state.tickets[0].ref
    restarted(evening, **OTHER_PRINTER)
    assert evening.last("TicketUnknown") == TicketUnknown(0, ref, "the cabinet has no printer1 any more")
    assert not evening.ordered(PrintTicket), "it may be on paper"
    evening.choose("Seat 1: ticket in hand" if in_hand else "Seat 1: not in hand")
    assert evening.state.ticket_state(ref) is (TicketState.PRINTED if in_hand else TicketState.VOID)
    assert [pay.cents for pay in evening.state.handpays] == ([] if in_hand else [5_000])
    if not in_hand:
        evening.choose("Seat 1: paid by hand")
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")
    assert evening.printed().device == "exchanged", "the seat plays on and has another printer"


@pytest.mark.requirement("PRN-02")
def test_of_a_receipt_whose_printer_is_gone_nobody_is_asked() -> None:
    evening = Evening(seats=2, ticket_limit_cents=1_000)
    evening.insert(1, 5_000)
    evening.press(1, "cash_out")
    evening.choose("Seat 1: paid by hand")
    assert evening.state.tickets[0].handpay
    restarted(evening, **OTHER_PRINTER)
    assert evening.state.tickets == ()
    assert "cash_out" not in evening.lamps(1)
    assert evening.state.ledger["handpaid"] == 5_000


# ---- notes and tickets that came back


def with_note() -> Evening:
    evening = Evening(seats=2)
    evening.feed(d.NoteEscrowed(V1, 0, 5_000, 0x63))
    return evening


def with_ticket_inside() -> Evening:
    evening = Evening(seats=2)
    number = evening.ticket(1, 5_000)
    evening.feed(d.BarcodeEscrowed(V1, 0, number))
    return evening


@pytest.mark.requirement("BIL-02", "PRN-09")
@pytest.mark.parametrize("made", [with_note, with_ticket_inside])
@pytest.mark.parametrize("in_box", [False, True])
def test_a_document_of_a_validator_that_is_gone_is_the_attendants_matter(
    made: Callable[[], Evening], in_box: bool
) -> None:
    evening = made()
    note = evening.state.notes[0]
    restarted(evening, **OTHER_VALIDATOR)
    assert evening.last("NoteUnresolved") == NoteUnresolved(0, note.ref, V1, "gone")
    evening.choose("in box" if in_box else "returned")
    assert evening.credits(1) == (5_000 if in_box else 0,)
    assert evening.state.notes == ()
    if note.ticket:
        said = evening.state.ticket_state(note.ticket)
        assert said is (TicketState.REDEEMED if in_box else TicketState.PRINTED)
    evening.insert(1, 2_000)
    assert evening.credits(1) == (7_000 if in_box else 2_000,)


def test_a_credited_note_of_a_validator_that_is_gone_is_closed() -> None:
    evening = with_note()
    evening.feed(d.NoteVendValid(V1, 0))
    restarted(evening, **OTHER_VALIDATOR)
    assert evening.state.notes == ()
    assert evening.credits(1) == (5_000,)
    assert not evening.facts("NoteUnresolved")


def test_a_matter_that_is_asked_already_is_not_asked_twice() -> None:
    evening = with_note()
    evening.crash()
    evening.feed(d.ValidatorReport(V1, 0, Holding.NOTHING))
    restarted(evening, **OTHER_VALIDATOR)
    restarted(evening)
    assert len(evening.facts("NoteUnresolved")) == 1
    evening = with_ticket(begun=False)
    evening.printed(TicketOutcome.UNKNOWN)
    restarted(evening, **OTHER_PRINTER)
    restarted(evening)
    assert len(evening.facts("TicketUnknown")) == 1


# ---- seats

SEAT_2_GONE = {
    "seats": 1,
    "validators": ((V1, (1,)),),
    "printers": (("printer1", (1,)),),
    "ticket_in": (V1,),
}


@pytest.mark.requirement("CRD-02", "CRD-10")
@pytest.mark.parametrize("asked", [False, True])
def test_a_seat_whose_note_is_open_is_not_taken_away(asked: bool) -> None:
    evening = Evening(seats=2, shared=True)
    evening.press(2, "buy_in")
    evening.feed(d.NoteEscrowed(V1, 0, 5_000, 0x63))
    with_two = {"seats": 2, "validators": evening.policy.validators, "printers": evening.policy.printers}
    if asked:
        evening.crash()
        evening.feed(d.ValidatorReport(V1, 0, Holding.NOTHING))
    evening.books_may_fail = True
    evening.crash(**SEAT_2_GONE)
    assert "seat 2" in evening.live.trouble(Code.ACCOUNTING_ERROR)
    evening.crash(**with_two)
    if asked:
        evening.choose("in box")
    else:
        evening.feed(d.ValidatorReport(V1, 0, Holding.VEND_VALID))
    assert evening.credits(2) == (5_000,)


def test_a_seat_whose_receipt_is_in_work_is_not_taken_away() -> None:
    evening = Evening(seats=2, shared=True, ticket_limit_cents=1_000)
    evening.press(2, "buy_in")
    evening.insert(2, 5_000)
    evening.press(2, "cash_out")
    evening.choose("Seat 2: paid by hand")
    assert evening.state.tickets[0].handpay
    evening.books_may_fail = True
    evening.crash(**SEAT_2_GONE)
    assert "seat 2" in evening.live.trouble(Code.ACCOUNTING_ERROR)
