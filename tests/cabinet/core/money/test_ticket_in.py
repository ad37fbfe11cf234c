"""Tickets that come back: looked up in the book, paid exactly once, or returned with the reason."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cabinet.core.facts import (
    NoteCredited,
    NoteSettledByHand,
    RedeemIntended,
    SequenceGiven,
    TicketExpired,
    TicketIntended,
    TicketRedeemed,
    TicketRefused,
)
from cabinet.core.money import cashier
from cabinet.core.outputs import outputs
from cabinet.core.renewal import replace
from cabinet.core.state import book
from cabinet.core.state.book import BOOK_MAX, DAY_MS, IssuedTicket, TicketState, entered
from cabinet.core.state.fold import after
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.turn import AcknowledgeNote, ResetValidator, ReturnNote, StackNote, Started
from drivers import device as d
from drivers.device import Fault, Holding, TicketOutcome, TicketStarted
from support.devices.old_numbers import secure_enhanced
from support.evenings.evening import NUMBERS, WALL_MS, Evening

V1 = "validator1"
STACK, GIVE_BACK, ACKNOWLEDGE = StackNote(V1), ReturnNote(V1), AcknowledgeNote(V1)
RESET = ResetValidator(V1)


def escrowed(evening: Evening, number: str, device: str = V1) -> None:
    evening.feed(d.NoteAccepting(device, evening.at_ms))
    evening.feed(d.BarcodeEscrowed(device, evening.at_ms, number))


def refused(evening: Evening) -> str:
    fact = evening.last("TicketRefused")
    assert isinstance(fact, TicketRefused)
    return fact.reason


# ---- the good way


@pytest.mark.requirement("PRN-09", "CRD-02", "MTR-01")
def test_a_ticket_is_recorded_before_it_is_stacked_and_credited_once_it_is_in_the_box() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(1, 8_500)
    ref = evening.state.issued[0].ref
    evening.acts = []
    escrowed(evening, number)
    intent = evening.last("RedeemIntended")
    assert intent == RedeemIntended(0, 3, ref, V1, 1, 8_500, number)
    assert evening.ordered(StackNote) == [STACK]
    assert evening.state.credit(1) == 0
    evening.feed(d.NoteVendValid(V1, 0))
    assert evening.last("TicketRedeemed") == TicketRedeemed(0, 3, ref, V1, 1, 8_500, number, "validator")
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE]
    evening.feed(d.NoteVendValid(V1, 0))
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE]
    evening.feed(d.NoteStacked(V1, 0))
    assert evening.credits(1) == (8_500,)
    assert evening.state.notes == ()
    assert evening.state.ledger["tickets_out"] == 0
    assert evening.state.meters["voucher_in.1"] == 8_500
    assert evening.state.meters["bill_in"] == 8_500, "a ticket is no note"
    assert evening.state.issued[0].state is TicketState.REDEEMED


@pytest.mark.requirement("CRD-10")
def test_a_ticket_is_paid_at_the_seat_whose_validator_has_it() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(1, 5_000)
    assert evening.insert_ticket(2, number)
    assert evening.credits(1, 2) == (0, 5_000)


@pytest.mark.requirement("CRD-10")
def test_a_shared_validator_takes_a_ticket_for_the_seat_that_it_is_bound_to() -> None:
    evening = Evening(seats=3, shared=True)
    number = evening.ticket(1, 5_000)
    evening.crash()
    evening.feed(d.ValidatorReport(V1, 0, Holding.NOTHING))
    assert not evening.insert_ticket(1, number)
    assert evening.last("TicketRefused") == TicketRefused(0, V1, 0, number, "not_bound")
    assert evening.live.refused == {}, "there is no seat to tell it to"
    evening.press(3, "buy_in")
    assert evening.insert_ticket(3, number)
    assert evening.credits(1, 2, 3) == (0, 0, 5_000)


def test_hard_meters_count_tickets_that_come_in() -> None:
    evening = Evening(seats=1)
    number = evening.ticket(1, 2_500)
    evening.state = evening.replayed()
    before = evening.state.pulses["meter.in"]
    evening.insert_ticket(1, number)
    assert evening.state.pulses["meter.in"] == before + 25
    assert evening.state.pulses["meter.drop"] == before + 25


@pytest.mark.requirement("BIL-04")
def test_a_ticket_that_slips_out_can_be_put_in_again() -> None:
    evening = Evening()
    number = evening.ticket(1, 5_000)
    escrowed(evening, number)
    evening.feed(d.NoteGivenBack(V1, 0, "slipped"))
    assert evening.credits(1) == (0,)
    assert evening.insert_ticket(1, number)
    assert evening.credits(1) == (5_000,)


# ---- what is returned, and why


@pytest.mark.requirement("PRN-09")
def test_a_ticket_is_paid_once() -> None:
    evening = Evening()
    number = evening.ticket(1, 5_000)
    assert evening.insert_ticket(1, number)
    assert not evening.insert_ticket(1, number)
    assert (refused(evening), evening.told(1)) == ("paid", "refused.ticket_paid")
    evening.crash()
    evening.feed(d.ValidatorReport(V1, 0, Holding.NOTHING))
    assert not evening.insert_ticket(1, number)
    assert evening.credits(1) == (5_000,)


@pytest.mark.requirement("PRN-09")
def test_two_papers_with_one_number_in_two_validators_at_once_are_paid_once() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(1, 5_000)
    evening.acts = []
    escrowed(evening, number)
    escrowed(evening, number, "validator2")
    assert evening.ordered(StackNote, ReturnNote) == [STACK, ReturnNote("validator2")]
    assert (refused(evening), evening.told(2)) == ("in_doubt", "refused.ticket_in_doubt")
    evening.feed(d.NoteVendValid(V1, 0))
    assert evening.credits(1, 2) == (5_000, 0)


MINE, OTHER = 0x00401E, 0x00401F


def keyed(machine_id: int, sequence: int) -> str:
    """What the cabinet of these tests, or one that shares its key, prints."""
    return NUMBERS.number("00", machine_id, sequence)


CLAIMS = [
    ("0" * 18, "unknown"),
    ("000000000080061625", "unknown"),
    ("12345", "unknown"),
    ("0123456789012345678", "unknown"),
    ("00A671408547977327", "unknown"),
    ("", "unknown"),
    (keyed(OTHER, 1), "unknown"),  # of another cabinet of the house
    (keyed(MINE, 77), "unknown"),  # not reached yet
    (keyed(MINE, 0), "unknown"),
    (secure_enhanced(MINE, 1), "unknown"),  # computed from what is published
    (secure_enhanced(MINE, 77), "unknown"),
    (NUMBERS.number("99", MINE, 1), "unknown"),  # of a lab
]


@pytest.mark.requirement("PRN-09", "PRN-07")
@pytest.mark.parametrize(("digits", "reason"), CLAIMS)
def test_what_is_not_in_the_book_goes_back(digits: str, reason: str) -> None:
    evening = Evening()
    evening.ticket(1, 5_000)
    assert not evening.insert_ticket(1, digits)
    assert (refused(evening), evening.told(1)) == (reason, f"refused.ticket_{reason}")
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]
    assert evening.state.meters.get("voucher_in", 0) == 0


@pytest.mark.requirement("PRN-03")
def test_a_ticket_is_good_up_to_the_end_of_its_last_day() -> None:
    evening = Evening(ticket_expiry_days=3)
    numbers = [evening.ticket(1, 500), evening.ticket(1, 700), evening.ticket(1, 900)]
    printed = datetime.fromtimestamp(WALL_MS // 1000, UTC)
    assert (printed.year, printed.month, printed.day) == (2030, 3, 17)
    last = int(datetime(2030, 3, 21, tzinfo=UTC).timestamp()) * 1000  # midnight after the third day
    evening.wall_ms = last - 60_000
    evening.crash()
    evening.choose("Date is right")
    assert evening.facts("TicketExpired") == []
    assert evening.insert_ticket(1, numbers[0])
    evening.advance(60_000)
    assert not evening.insert_ticket(1, numbers[1])
    assert (refused(evening), evening.told(1)) == ("expired", "refused.ticket_expired")
    assert [line.state for line in evening.state.issued] == [
        TicketState.REDEEMED,
        TicketState.EXPIRED,
        TicketState.PRINTED,
    ]
    evening.wall_ms = last
    evening.crash()
    assert len(evening.facts("TicketExpired")) == 2
    evening.wall_ms = WALL_MS  # somebody sets the clock back
    evening.crash()
    assert not evening.insert_ticket(1, numbers[2])
    assert refused(evening) == "expired", "what has expired stays so"
    assert evening.state.ledger["tickets_out"] == 1_600, "the house still owes it, or what its market says"


@pytest.mark.requirement("PRN-02", "PRN-09")
def test_a_ticket_in_doubt_is_not_money_before_the_attendant_has_looked() -> None:
    """The printer could not tell; the player has pulled the paper out and puts it in."""
    evening = Evening(seats=2)
    evening.insert(1, 5_000)
    evening.press(1, "cash_out")
    ticket = evening.state.tickets[0]
    assert not evening.insert_ticket(2, ticket.number)
    assert refused(evening) == "in_doubt", "it is still being printed"
    evening.feed(d.TicketDone("printer1", 0, ticket.ref, TicketOutcome.UNKNOWN))
    assert not evening.insert_ticket(2, ticket.number)
    assert (refused(evening), evening.told(2)) == ("in_doubt", "refused.ticket_in_doubt")
    evening.choose("Seat 1: ticket in hand")
    assert evening.insert_ticket(2, ticket.number)
    assert evening.credits(1, 2) == (0, 5_000)


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize(
    ("outcome", "state"),
    [(TicketOutcome.NOT_STARTED, TicketState.FAILED), (TicketOutcome.UNKNOWN, TicketState.VOID)],
)
def test_a_void_number_on_a_late_paper_is_worth_nothing(outcome: TicketOutcome, state: TicketState) -> None:
    evening = Evening()
    evening.insert(1, 5_000)
    evening.press(1, "cash_out")
    ticket = evening.state.tickets[0]
    evening.feed(d.TicketDone("printer1", 0, ticket.ref, outcome))
    if outcome is TicketOutcome.UNKNOWN:
        evening.choose("not in hand")
    assert evening.state.issued[0].state is state
    assert not evening.insert_ticket(1, ticket.number)
    assert (refused(evening), evening.told(1)) == ("void", "refused.ticket_void")


@pytest.mark.requirement("PRN-08")
def test_a_cabinet_that_prints_receipts_pays_none_back() -> None:
    evening = Evening(redeems=False)
    number = evening.ticket(1, 5_000)
    assert not evening.insert_ticket(1, number)
    assert (refused(evening), evening.told(1)) == ("receipt", "refused.ticket_receipt")
    evening.crash(redeems=True)
    assert not evening.insert_ticket(1, number)
    assert refused(evening) == "receipt", "what was printed as a receipt stays one"
    evening.feed(d.PrinterReady("printer1", 0, True))
    number = evening.ticket(1, 700)
    evening.crash(redeems=False)
    assert not evening.insert_ticket(1, number)
    assert refused(evening) == "receipt"


@pytest.mark.requirement("CRD-09")
def test_a_ticket_over_the_credit_limit_goes_back_and_stays_payable() -> None:
    evening = Evening(credit_limit_cents=10_000)
    number = evening.ticket(1, 5_000)
    evening.insert(1, 6_000)
    assert outputs(evening.state, evening.live).accept[V1]
    assert not evening.insert_ticket(1, number)
    assert (refused(evening), evening.told(1)) == ("limit", "refused.credit_limit")
    assert evening.insert_ticket(2, number)
    evening.insert(1, 4_000)
    assert not outputs(evening.state, evening.live).accept[V1], "at the limit nothing is drawn in"


@pytest.mark.requirement("BIL-03", "BIL-04")
@pytest.mark.parametrize("door", ["door.main", "door.cash_box", "key.attendant"])
def test_a_ticket_that_comes_while_the_validator_is_stopped_goes_back(door: str) -> None:
    evening = Evening()
    number = evening.ticket(1, 5_000)
    evening.switch(door, True)
    assert not evening.insert_ticket(1, number)
    assert refused(evening) == "locked"
    evening.switch(door, False)
    assert evening.insert_ticket(1, number)


def test_the_book_forgets_what_is_worth_nothing_first() -> None:
    def line(ref: int, state: TicketState) -> IssuedTicket:
        return IssuedTicket(ref, 1, 100, f"{ref:018d}", True, 0, state)

    states = {2: TicketState.REDEEMED}
    lines = tuple(line(ref, states.get(ref, TicketState.PRINTED)) for ref in range(1, BOOK_MAX + 1))
    for ref in range(BOOK_MAX + 1, BOOK_MAX + 3):
        lines = entered(lines, line(ref, TicketState.PRINTED))
        assert len(lines) == BOOK_MAX
        gone = 2 if ref == BOOK_MAX + 1 else 1
        assert gone not in [one.ref for one in lines]


def test_the_book_keeps_a_ticket_that_waits_in_a_validator() -> None:
    """The oldest of a full book is forgotten for a new one, but not while it may be paid at any moment."""

    def line(ref: int) -> IssuedTicket:
        return IssuedTicket(ref, 1, 500, f"{ref:018}", True, 10 * DAY_MS, TicketState.PRINTED)

    lines = tuple(line(ref) for ref in range(1, BOOK_MAX + 1))
    lines = entered(lines, line(BOOK_MAX + 1), inside=[1])
    assert [one.ref for one in lines[:2]] == [1, 3]
    assert len(lines) == BOOK_MAX


def paid_from_a_full_book(monkeypatch: pytest.MonkeyPatch) -> bool:
    """The oldest ticket of a full book is in a validator while another one is printed: is it paid?"""
    monkeypatch.setattr(book, "BOOK_MAX", 2)
    evening = Evening(seats=2)
    evening.books_may_fail = True
    oldest = evening.ticket(1, 500)
    evening.ticket(2, 700)
    escrowed(evening, oldest)
    evening.ticket(2, 900)
    assert len(evening.state.issued) == 2
    evening.feed(d.NoteVendValid(V1, evening.at_ms))
    return evening.state.credit(1) == 500


@pytest.mark.requirement("PRN-09")
def test_a_full_book_pays_the_ticket_that_is_in_a_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    assert paid_from_a_full_book(monkeypatch)


@pytest.mark.requirement("PRN-09")
def test_a_full_book_that_forgets_it_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = book.entered
    monkeypatch.setattr(book, "entered", lambda lines, line, inside=(): kept(lines, line))
    assert not paid_from_a_full_book(monkeypatch)


def test_a_forgotten_ticket_is_said_to_be_old() -> None:
    evening = Evening(seats=1)
    number = evening.ticket(1, 500)
    evening.state = replace(evening.state, issued=())
    assert not evening.insert_ticket(1, number)
    assert (refused(evening), evening.told(1)) == ("too_old", "refused.ticket_too_old")


# ---- documents of both kinds


def test_a_note_where_a_ticket_was_meant_goes_back_and_the_other_way_round() -> None:
    evening = Evening()
    number = evening.ticket(1, 2_000)
    escrowed(evening, number)
    evening.acts = []
    evening.feed(d.NoteEscrowed(V1, 0, 2_000, 0x63))
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]
    evening.feed(d.NoteGivenBack(V1, 0, "returned"))
    evening.feed(d.NoteEscrowed(V1, 0, 2_000, 0x63))
    evening.acts = []
    escrowed(evening, number)
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]
    evening.feed(d.NoteGivenBack(V1, 0, "returned"))
    assert evening.credits(1) == (0,)
    assert evening.state.notes == ()


def test_the_next_ticket_closes_a_credited_document_whose_end_was_not_seen() -> None:
    evening = Evening()
    numbers = [evening.ticket(1, 2_000), evening.ticket(1, 500)]
    for number in numbers:
        escrowed(evening, number)
        evening.feed(d.NoteVendValid(V1, 0))
    assert evening.credits(1) == (2_500,)
    assert len(evening.state.notes) == 1


# ---- what a validator says first


def open_ticket(stage: str) -> Evening:
    evening = Evening()
    number = evening.ticket(1, 2_000)
    if stage != cashier.NONE:
        escrowed(evening, number)
    if stage == cashier.CREDITED:
        evening.feed(d.NoteVendValid(V1, 0))
    evening.crash()
    evening.ordered(ResetValidator, AcknowledgeNote, StackNote)
    return evening


CLOSED, WAITS = "closed", "waits"
ROWS: list[tuple[str, Holding, int, str, list[object]]] = [
    (cashier.INTENDED, Holding.POWER_UP, 0, "power_up", [RESET]),
    (cashier.INTENDED, Holding.IN_ACCEPTOR, 0, CLOSED, [RESET]),
    (cashier.INTENDED, Holding.IN_STACKER, 2_000, WAITS, [ACKNOWLEDGE, RESET]),
    (cashier.INTENDED, Holding.ESCROW, 0, WAITS, []),
    (cashier.INTENDED, Holding.VEND_VALID, 2_000, WAITS, [ACKNOWLEDGE]),
    (cashier.INTENDED, Holding.NOTHING, 0, "nothing", []),
    (cashier.INTENDED, Holding.RETURNING, 0, CLOSED, []),
    (cashier.CREDITED, Holding.POWER_UP, 2_000, CLOSED, [RESET]),
    (cashier.CREDITED, Holding.IN_ACCEPTOR, 2_000, CLOSED, [RESET]),
    (cashier.CREDITED, Holding.IN_STACKER, 2_000, WAITS, [ACKNOWLEDGE, RESET]),
    (cashier.CREDITED, Holding.ESCROW, 2_000, WAITS, []),
    (cashier.CREDITED, Holding.VEND_VALID, 2_000, WAITS, [ACKNOWLEDGE]),
    (cashier.CREDITED, Holding.NOTHING, 2_000, CLOSED, []),
    (cashier.CREDITED, Holding.RETURNING, 2_000, CLOSED, []),
]


@pytest.mark.requirement("PRN-09", "BIL-02")
@pytest.mark.parametrize(("stage", "holding", "cents", "remains", "orders"), ROWS)
def test_each_first_report_closes_a_ticket_as_it_closes_a_note(
    stage: str, holding: Holding, cents: int, remains: str, orders: list[object]
) -> None:
    evening = open_ticket(stage)
    evening.feed(d.ValidatorReport(V1, 0, holding))
    assert evening.credits(1) == (cents,)
    assert evening.ordered(ResetValidator, AcknowledgeNote, StackNote, ReturnNote) == orders
    notes = evening.state.notes
    if remains == CLOSED:
        assert notes == ()
    else:
        assert [note.unresolved for note in notes] == ["" if remains == WAITS else remains]
    evening.feed(d.ValidatorReport(V1, 0, holding))
    assert evening.credits(1) == (cents,), "the same report again is no second credit"
    number = evening.state.issued[0].number
    if remains != WAITS:
        assert evening.insert_ticket(2, number) == (cents == 0 and remains == CLOSED)


def test_every_row_with_a_document_has_its_test() -> None:
    rows = {(stage, holding) for stage, holding in cashier.NOTE_AT_START if stage != cashier.NONE}
    assert {(stage, holding) for stage, holding, *_ in ROWS} == rows


@pytest.mark.requirement("PRN-09", "CRD-13")
@pytest.mark.parametrize(("answer", "cents"), [("ticket in box", 2_000), ("ticket returned", 0)])
def test_the_attendant_says_where_a_ticket_is(answer: str, cents: int) -> None:
    evening = open_ticket(cashier.INTENDED)
    evening.feed(d.ValidatorReport(V1, 0, Holding.NOTHING))
    number = evening.state.issued[0].number
    assert not evening.insert_ticket(2, number)
    assert refused(evening) == "in_doubt"
    evening.choose(answer)
    assert evening.credits(1) == (cents,)
    assert evening.state.meters.get("voucher_in", 0) == cents
    assert evening.state.notes == ()
    assert evening.insert_ticket(2, number) == (cents == 0), "given back it is still good"


@pytest.mark.requirement("PRN-09")
def test_a_ticket_whose_vend_valid_comes_late_is_acknowledged_by_the_answer() -> None:
    evening = open_ticket(cashier.INTENDED)
    evening.feed(d.ValidatorReport(V1, 0, Holding.NOTHING))
    evening.feed(d.NoteVendValid(V1, 0))
    assert evening.ordered(AcknowledgeNote) == []
    evening.choose("ticket in box")
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE]
    assert evening.credits(1) == (2_000,)


@pytest.mark.requirement("PRN-09")
def test_a_ticket_that_waits_in_escrow_at_start_is_decided_again() -> None:
    evening = open_ticket(cashier.INTENDED)
    number = evening.state.issued[0].number
    evening.feed(d.ValidatorReport(V1, 0, Holding.ESCROW))
    evening.feed(d.BarcodeEscrowed(V1, 0, number))
    assert evening.ordered(StackNote) == [STACK]
    assert len(evening.facts("RedeemIntended")) == 1
    evening.feed(d.NoteVendValid(V1, 0))
    assert evening.credits(1) == (2_000,)


def test_a_ticket_that_expired_while_it_waited_in_the_validator_is_still_paid() -> None:
    evening = Evening(ticket_expiry_days=1)
    escrowed(evening, evening.ticket(1, 2_000))
    evening.wall_ms += 10 * DAY_MS
    evening.crash()
    evening.feed(d.ValidatorReport(V1, 0, Holding.IN_STACKER))
    assert evening.credits(1) == (2_000,)
    assert evening.facts("TicketExpired") == []


# ---- begun


@pytest.mark.requirement("PRN-02")
def test_a_printer_that_had_begun_and_forgot_it_is_not_believed() -> None:
    """After a loss of power it says that nothing has started; the book knows better."""
    evening = Evening()
    evening.insert(1, 5_000)
    evening.press(1, "cash_out")
    ref = evening.state.tickets[0].ref
    evening.feed(TicketStarted("printer1", 0, ref))
    evening.feed(TicketStarted("printer1", 0, ref))
    assert len(evening.facts("TicketBegun")) == 1
    assert evening.state.tickets[0].begun
    evening.crash()
    evening.feed(d.TicketDone("printer1", 0, ref, TicketOutcome.NOT_STARTED))
    assert evening.state.tickets[0].unknown == "it had begun"


def test_an_expired_fact_needs_a_payable_ticket() -> None:
    evening = Evening()
    number = evening.ticket(1, 2_000)
    ref = evening.state.issued[0].ref
    escrowed(evening, number)
    with pytest.raises(FactRefusedError, match="in a validator"):
        after(evening.state, TicketExpired(0, ref))
    with pytest.raises(FactRefusedError, match="not in the book"):
        after(evening.state, TicketExpired(0, 99))


def test_a_jam_of_the_printer_does_not_stop_its_validator() -> None:
    evening = Evening()
    number = evening.ticket(1, 2_000)
    evening.fault("printer1", Fault.PAPER_JAM)
    assert evening.insert_ticket(1, number)


# ---- the sequence


def sequences(evening: Evening) -> list[tuple[int, int]]:
    facts = evening.facts("SequenceGiven")
    return [(fact.machine_id, fact.last) for fact in facts if isinstance(fact, SequenceGiven)]


@pytest.mark.requirement("PRN-07", "MEM-07")
def test_the_sequence_goes_on_where_another_store_knows_it_to_be() -> None:
    """After a memory clear the journal is empty; the cabinet file, or a second store, has the number."""
    evening = Evening(seats=1, ticket_sequence_from=501)
    assert sequences(evening) == [(MINE, 500)]
    assert evening.ticket(1, 500) == keyed(MINE, 501)
    evening.crash()
    assert len(sequences(evening)) == 1, "what is known already is not said again"
    evening.feed(d.PrinterReady("printer1", 0, True))
    assert evening.ticket(1, 500) == keyed(MINE, 502)
    evening.crash(ticket_sequence_from=7)
    assert evening.state.sequence == 502, "it never goes back"
    other = Evening(seats=1, start=False)
    other.feed(Started(0, True, WALL_MS, last_sequence=900))
    other.feed(d.PrinterReady("printer1", 0, True))
    assert other.ticket(1, 500) == keyed(MINE, 901)


@pytest.mark.requirement("PRN-07")
def test_another_machine_id_goes_on_in_the_same_sequence() -> None:
    """A cabinet that gets its old id back makes none of its old numbers again."""
    evening = Evening(seats=1)
    numbers = [evening.ticket(1, 500)]
    for machine_id in (OTHER, MINE):
        evening.crash(machine_id=machine_id)
        evening.feed(d.PrinterReady("printer1", 0, True))
        numbers.append(evening.ticket(1, 500))
    assert numbers == [keyed(MINE, 1), keyed(OTHER, 2), keyed(MINE, 3)]
    assert all(evening.insert_ticket(1, number) for number in numbers), "all three are in the book"


def test_a_sequence_that_goes_back_is_refused() -> None:
    evening = Evening(seats=1, ticket_sequence_from=501)
    for machine_id, last in ((MINE, 499), (MINE, 1 << 24), (0, 600), (1 << 24, 600)):
        with pytest.raises(FactRefusedError):
            after(evening.state, SequenceGiven(0, machine_id, last))
    for machine_id, last in ((MINE, 500), (1, 600), ((1 << 24) - 1, (1 << 24) - 1)):
        given = after(evening.state, SequenceGiven(0, machine_id, last))
        assert (given.machine_id, given.sequence) == (machine_id, last)


# ---- the life of a ticket


@pytest.mark.requirement("PRN-02", "PRN-09")
def test_every_state_of_a_ticket_is_a_fold_over_facts() -> None:
    evening = Evening(ticket_expiry_days=1)
    seen: dict[int, list[TicketState]] = {}

    def look() -> None:
        for intent in evening.facts("TicketIntended"):
            assert isinstance(intent, TicketIntended)
            state = evening.replayed().ticket_state(intent.ref)
            assert state is evening.state.ticket_state(intent.ref)
            assert state is not None
            known = seen.setdefault(intent.ref, [])
            if not known or known[-1] is not state:
                known.append(state)

    def ordered() -> int:
        evening.insert(1, 1_000)
        evening.press(1, "cash_out")
        look()
        return evening.state.tickets[-1].ref

    def told(ref: int, outcome: TicketOutcome, begun: bool = True) -> None:
        if begun:
            evening.feed(TicketStarted("printer1", evening.at_ms, ref))
            look()
        evening.feed(d.TicketDone("printer1", evening.at_ms, ref, outcome))
        look()

    redeemed, expires, void = ordered(), 0, 0
    told(redeemed, TicketOutcome.PRINTED)
    evening.insert_ticket(1, evening.state.issued[0].number)
    look()
    evening.press(1, "cash_out")
    look()
    expires = evening.state.tickets[0].ref
    told(expires, TicketOutcome.PRINTED)
    void = ordered()
    told(void, TicketOutcome.UNKNOWN)
    evening.choose("not in hand")
    look()
    evening.choose("paid by hand")
    evening.feed(d.TicketDone("printer1", 0, evening.state.tickets[0].ref, TicketOutcome.PRINTED))
    failed = ordered()
    told(failed, TicketOutcome.NOT_STARTED, begun=False)
    evening.wall_ms += 5 * DAY_MS
    evening.crash()
    evening.choose("Date is right")
    look()
    s = TicketState
    assert seen[redeemed] == [s.INTENDED, s.PRINTING, s.PRINTED, s.REDEEMED]
    assert seen[expires] == [s.INTENDED, s.PRINTING, s.PRINTED, s.EXPIRED]
    assert seen[void] == [s.INTENDED, s.PRINTING, s.UNKNOWN, s.VOID]
    assert seen[failed] == [s.INTENDED, s.FAILED]
    assert evening.state.ticket_state(999) is None


@pytest.mark.requirement("CRD-02", "PRN-09")
def test_a_redemption_that_cannot_be_true_is_never_written() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(1, 2_000)
    other = evening.ticket(1, 500)
    one, two = (line.ref for line in evening.state.issued)
    ref = evening.state.next_ref
    good = RedeemIntended(0, ref, one, V1, 1, 2_000, number)
    for changes in (
        {"ref": ref + 1},
        {"ref": 1},
        {"ticket": two},
        {"ticket": 99},
        {"cents": 1_999},
        {"number": other},
        {"seat": 3},
        {"seat": 0},
    ):
        with pytest.raises(FactRefusedError):
            after(evening.state, replace(good, **changes))
    inside = after(evening.state, good)
    again = replace(good, ref=ref + 1)
    for fact in (again, replace(again, device="validator2")):
        with pytest.raises(FactRefusedError):
            after(inside, fact)
    paid = TicketRedeemed(0, ref, one, V1, 1, 2_000, number, "validator")
    for changes in ({"ref": 1}, {"cents": 2_001}, {"seat": 2}, {"ticket": two}, {"number": other}):
        with pytest.raises(FactRefusedError):
            after(inside, replace(paid, **changes))
    with pytest.raises(FactRefusedError):
        after(evening.state, paid)
    done = after(inside, paid)
    for credit in (paid, NoteCredited(0, ref), NoteSettledByHand(0, ref, V1, True)):
        with pytest.raises(FactRefusedError):
            after(done, credit)
    with pytest.raises(FactRefusedError, match="it is redeemed"):
        after(inside, NoteCredited(0, ref))
