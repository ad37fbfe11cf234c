"""When notes are refused, that one which comes all the same goes back, and too many unread ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.conditions import Code
from cabinet.core.facts import ConditionRaised, NoteRejected
from cabinet.core.live import active_conditions
from cabinet.core.look import Button
from cabinet.core.outputs import outputs
from cabinet.core.past.logs import Log, LoggedFact, LogReader
from cabinet.core.turn import ReturnNote, StackNote, StopAsked, TroubleReported
from drivers.device import (
    BarcodeEscrowed,
    Fault,
    Holding,
    NoteAccepting,
    NoteEscrowed,
    NoteGivenBack,
    NoteVendValid,
    PrinterReady,
    ValidatorReport,
)
from support.evenings.evening import Evening

V1, V2 = "validator1", "validator2"
DAY_MS = 24 * 3600 * 1000
Begin = Callable[[Evening], object]


def accepts(evening: Evening, device: str = V1) -> bool:
    return outputs(evening.state, evening.live).accept[device]


def rejected(evening: Evening, times: int = 20, device: str = V1) -> None:
    """The validator draws a document in, cannot read it and gives it back."""
    for _ in range(times):
        evening.feed(NoteAccepting(device, evening.at_ms))
        evening.feed(NoteGivenBack(device, evening.at_ms, "photo pattern"))


def at_the_limit(evening: Evening) -> None:
    evening.insert(1, 100_000)


def generator_fails(evening: Evening) -> None:
    evening.stacked.broken = True
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    evening.stacked.broken = False


def round_of_yesterday(evening: Evening) -> None:
    evening.deal(1)
    evening.wall_ms += DAY_MS + 1_000
    evening.crash()


def books_wrong(evening: Evening) -> None:
    evening.books_may_fail = True
    evening.audit.check = lambda *_args: None  # type: ignore[method-assign]
    evening.feed(NoteEscrowed(V2, evening.at_ms, 0, 1))


def new_settings(evening: Evening) -> None:
    """Another ticket limit waits for the technician."""
    evening.crash(settings=(("cabinet.ticket_limit_cents", "2"),))


def note_in_question(evening: Evening) -> None:
    evening.feed(NoteEscrowed(V1, 0, 2_000, 1))
    evening.feed(ValidatorReport(V1, 0, Holding.NOTHING))


def logic_area_was_open(evening: Evening) -> None:
    evening.switch("door.logic", True)
    evening.switch("door.logic", False)


def switch(name: str) -> Begin:
    return lambda evening: evening.switch(name, True)


def fault(fault: Fault, device: str = V1) -> Begin:
    return lambda evening: evening.fault(device, fault)


REFUSED: dict[str, Begin] = {
    "seat at its credit limit": at_the_limit,
    "closed by the attendant": lambda evening: evening.choose("Table > Close the table"),
    "asked to stop": lambda evening: evening.feed(StopAsked(evening.at_ms)),
    "main door open": switch("door.main"),
    "logic area open": switch("door.logic"),
    "printer door open": switch("door.printer"),
    "logic area was open": logic_area_was_open,
    "cash-box door open": switch("door.cash_box"),
    "drop door open": switch("door.drop"),
    "attendant menu": switch("key.attendant"),
    "test mode": switch("key.service"),
    "storage tilt": lambda evening: evening.feed(
        TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full")
    ),
    "memory tilt": lambda evening: evening.feed(
        TroubleReported(evening.at_ms, Code.MEMORY_FAILED, "row 9 has changed")
    ),
    "new settings": new_settings,
    "accounting tilt": books_wrong,
    "generator tilt": generator_fails,
    "input board lost": fault(Fault.BOARD_LOST, "panel1"),
    "round of yesterday": round_of_yesterday,
    "no link": fault(Fault.LINK_LOST),
    "no port": fault(Fault.PORT_MISSING),
    "jam": fault(Fault.JAM),
    "cash box full": fault(Fault.STACKER_FULL),
    "cash box away": fault(Fault.STACKER_OPEN),
    "fraud": fault(Fault.CHEATED),
    "hardware failure": fault(Fault.DEVICE_FAILED),
    "other currency": fault(Fault.WRONG_CURRENCY),
    "messages out of order": fault(Fault.ILLEGAL_SEQUENCE),
    "too many rejects": rejected,
    "note in question": note_in_question,
}


def table() -> Evening:
    settings = (("cabinet.ticket_limit_cents", "1"),)
    return Evening(seats=2, credit_limit_cents=100_000, settings=settings)


@pytest.mark.requirement("BIL-03")
@pytest.mark.parametrize("state", REFUSED)
def test_notes_are_refused(state: str) -> None:
    evening = table()
    assert accepts(evening)
    REFUSED[state](evening)
    assert not accepts(evening)


@pytest.mark.requirement("BIL-04")
@pytest.mark.parametrize("state", REFUSED)
def test_a_note_that_comes_at_a_bad_moment_is_returned_and_no_money(state: str) -> None:
    """It was on its way when the validator was told to take nothing."""
    evening = table()
    evening.feed(NoteAccepting(V1, 0))
    REFUSED[state](evening)
    before, intents = evening.state.ledger, len(evening.facts("NoteIntended"))
    evening.acts = []
    evening.feed(NoteEscrowed(V1, evening.at_ms, 2_000, 0x65))
    assert evening.ordered(StackNote, ReturnNote) == [ReturnNote(V1)]
    evening.feed(NoteGivenBack(V1, evening.at_ms, "returned"))
    assert evening.state.ledger == before
    assert len(evening.facts("NoteIntended")) == intents


@pytest.mark.requirement("BIL-03", "BIL-04", "CRD-10")
def test_a_shared_validator_that_nobody_has_claimed_refuses_and_returns() -> None:
    evening = Evening(shared=True, seats=3)
    assert not accepts(evening)
    evening.feed(NoteEscrowed(V1, 0, 2_000, 0x65))
    assert evening.ordered(StackNote, ReturnNote) == [ReturnNote(V1)]
    assert evening.credits() == (0, 0, 0)


@pytest.mark.requirement("BIL-03")
def test_a_ticket_that_comes_at_a_bad_moment_is_returned_too() -> None:
    evening = table()
    evening.switch("door.main", True)
    evening.feed(BarcodeEscrowed(V1, 0, "0" * 18))
    assert evening.ordered(StackNote, ReturnNote) == [ReturnNote(V1)]


@pytest.mark.requirement("BIL-05", "CRD-09")
def test_five_dollars_below_the_limit_a_ten_is_returned_and_a_five_is_taken() -> None:
    evening = table()
    evening.insert(1, 99_500)
    evening.insert(1, 1_000)
    assert evening.ordered(StackNote, ReturnNote) == [ReturnNote(V1)]
    assert (evening.credits(1), evening.told(1)) == ((99_500,), "refused.credit_limit")
    evening.feed(NoteGivenBack(V1, 0, "returned"))
    evening.insert(1, 500)
    assert evening.credits(1) == (100_000,)


@pytest.mark.requirement("MEM-06")
@pytest.mark.parametrize("failed", [Code.STORAGE_FAILED, Code.MEMORY_FAILED])
def test_after_damage_no_device_is_told_anything_but_to_give_a_note_back(
    failed: Code,
) -> None:
    """There is no host to fall silent to; what stands for it are the devices that take and give money."""
    evening = table()
    evening.insert(1, 10_000)
    evening.feed(NoteAccepting(V1, 0))
    evening.feed(TroubleReported(0, failed, "gone"))
    evening.acts = []
    facts = len(evening.journal)
    evening.feed(NoteEscrowed(V1, 0, 2_000, 0x65))
    evening.feed(NoteVendValid(V2, 0))
    evening.feed(PrinterReady("printer1", 0, True))
    for seat in evening.state.seats:
        for button in Button:
            evening.press(seat, button.value)
    evening.advance(120_000)
    assert evening.acts == [ReturnNote(V1)]
    assert len(evening.journal) == facts
    assert not any(outputs(evening.state, evening.live).accept.values())


# ---- a full box


@pytest.mark.requirement("BIL-09")
def test_a_full_cash_box_does_not_stop_play() -> None:
    evening = Evening("10H 9S 7D 10C", seats=2)
    evening.insert(1, 10_000)
    evening.fault(V1, Fault.STACKER_FULL)
    evening.press(1, "bet_plus", "deal")
    evening.land()
    evening.press(1, "stand")
    evening.land()
    assert evening.credits(1) == (10_500,)
    evening.press(1, "cash_out")
    assert evening.printed().ticket.figures == "$105.00"
    evening.mended(V1, Fault.STACKER_FULL)
    assert accepts(evening)


# ---- too many rejects


def codes(evening: Evening) -> list[str]:
    return [row.code for row, _, _ in active_conditions(evening.state, evening.live)]


@pytest.mark.requirement("BIL-06")
def test_twenty_unread_documents_in_five_minutes_call_the_attendant() -> None:
    evening = table()
    rejected(evening, 19)
    assert codes(evening) == []
    rejected(evening, 1)
    assert evening.last("ConditionRaised") == ConditionRaised(0, "B07", V1, "20 in 5 minutes")
    assert (accepts(evening), accepts(evening, V2)) == (False, True), "the other one goes on"
    evening.crash()
    assert codes(evening) == ["B07"]
    evening.switch("key.attendant", True)
    evening.switch("key.attendant", False)
    assert accepts(evening)
    rejected(evening, 19)
    assert accepts(evening), "a new count"


@pytest.mark.requirement("BIL-06")
def test_a_reject_now_and_then_calls_nobody() -> None:
    evening = table()
    for _ in range(60):
        rejected(evening, 1)
        evening.advance(16_000)
    assert codes(evening) == []


@pytest.mark.requirement("REC-04", "BIL-10")
def test_each_reject_is_logged_with_device_seat_and_reason() -> None:
    evening = table()
    rejected(evening, 1)
    evening.advance(5_000)
    rejected(evening, 1, V2)
    assert evening.facts("NoteRejected") == [
        NoteRejected(0, V1, 1, "photo pattern"),
        NoteRejected(5_000, V2, 2, "photo pattern"),
    ]
    reader = LogReader(Log.BILLS)
    told = [LoggedFact(0, fact.at_ms, fact) for fact in reversed(evening.facts("NoteRejected"))]
    (one,) = reader.read(told[1])
    assert (one.what, one.device, one.seat) == ("not read", V1, 1)
    assert one.end is not None
    assert one.end.how == "returned: photo pattern"
    unbound = Evening(shared=True, seats=3)
    rejected(unbound, 1)
    assert unbound.facts("NoteRejected") == [NoteRejected(0, V1, 0, "photo pattern")]


def test_what_was_read_and_went_back_on_our_word_is_no_reject() -> None:
    evening = Evening(seats=1, credit_limit_cents=1_000)
    for cents in (2_000, 5_000) * 15:
        evening.feed(NoteAccepting(V1, 0))
        evening.feed(NoteEscrowed(V1, 0, cents, 1))
        evening.feed(NoteGivenBack(V1, 0, "returned"))
        evening.feed(NoteAccepting(V1, 0))
        evening.feed(BarcodeEscrowed(V1, 0, "0" * 18))
        evening.feed(NoteGivenBack(V1, 0, "returned"))
    assert codes(evening) == ["B12"]  # tickets that are not ours are another matter


# ---- each validator for itself


@pytest.mark.requirement("BIL-10")
def test_two_validators_have_meters_last_notes_and_a_log_of_their_own() -> None:
    evening = Evening(seats=2)
    for seat, cents in ((1, 2_000), (2, 500), (2, 500), (1, 10_000)):
        evening.advance(1_000)
        evening.insert(seat, cents)
    counted = {name: count for name, count in evening.state.meters.items() if name.startswith("bills.valid")}
    assert counted == {
        "bills.validator1.2000": 1,
        "bills.validator1.10000": 1,
        "bills.validator2.500": 2,
    }
    assert evening.live.device(V1).last_note == (4_000, 10_000)
    assert evening.live.device(V2).last_note == (3_000, 500)
    log = [(fact.device, fact.cents) for fact in evening.facts("NoteIntended")]  # type: ignore[attr-defined]
    assert log == [(V1, 2_000), (V2, 500), (V2, 500), (V1, 10_000)]
