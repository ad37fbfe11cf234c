"""Notes: record, then act; credited once; never guessed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.decide import decide
from cabinet.core.facts import NoteIntended, NoteRefused, NoteReturned, NoteUnresolved
from cabinet.core.money import cashier
from cabinet.core.outputs import outputs
from cabinet.core.turn import AcknowledgeNote, AdoptDocument, ResetValidator, ReturnNote, StackNote, StopAsked
from drivers import device as d
from drivers.device import Fault, Holding
from support.evenings.evening import Evening

V1 = "validator1"
STACK, GIVE_BACK, ACKNOWLEDGE = StackNote(V1), ReturnNote(V1), AcknowledgeNote(V1)
RESET = ResetValidator(V1)


def escrowed(evening: Evening, cents: int = 2_000, device: str = V1) -> None:
    evening.feed(d.NoteAccepting(device, evening.at_ms))
    evening.feed(d.NoteEscrowed(device, evening.at_ms, cents, 0x63))


def vend_valid(evening: Evening) -> None:
    evening.feed(d.NoteVendValid(V1, evening.at_ms))


def stacked(evening: Evening) -> None:
    evening.feed(d.NoteStacked(V1, evening.at_ms))


def report(evening: Evening, holding: Holding) -> None:
    evening.feed(d.ValidatorReport(V1, evening.at_ms, holding))


def accepts(evening: Evening, device: str = V1) -> bool:
    return outputs(evening.state, evening.live).accept[device]


# ---- the life of a note


@pytest.mark.requirement("BIL-01", "CRD-02")
def test_a_note_is_recorded_before_each_step() -> None:
    evening = Evening()
    escrowed(evening)
    assert [kind for kind, _ in evening.journal][-1] == "NoteIntended"
    assert evening.ordered(StackNote) == [STACK]
    assert evening.state.credit(1) == 0
    vend_valid(evening)
    assert evening.facts("NoteCredited") != []
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE]
    assert evening.state.credit(1) == 2_000
    stacked(evening)
    assert evening.state.notes == ()
    assert evening.state.meters["bill_in.1"] == 2_000


@pytest.mark.requirement("BIL-02", "MEM-01")
def test_what_a_driver_has_told_of_an_open_note_comes_back_to_it_after_a_restart() -> None:
    """A device that only counts its events repeats nothing: the journal knows which were heard."""
    evening = Evening()
    assert evening.ordered(AdoptDocument)[0] == AdoptDocument(V1, None)
    evening.feed(d.NoteAccepting(V1, evening.at_ms))
    evening.feed(d.NoteEscrowed(V1, evening.at_ms, 2_000, 0x63, evidence="event 7"))
    evening.crash()
    assert evening.ordered(AdoptDocument)[0] == AdoptDocument(
        V1, d.OpenDocument(2_000, 0x63, "", False, "event 7")
    )
    evening.feed(d.ValidatorReport(V1, evening.at_ms, Holding.VEND_VALID, evidence="event 8"))
    assert evening.state.credit(1) == 2_000
    evening.crash()
    assert evening.ordered(AdoptDocument)[0] == AdoptDocument(
        V1, d.OpenDocument(2_000, 0x63, "", True, "event 8")
    )
    report(evening, Holding.NOTHING)
    evening.crash()
    assert evening.ordered(AdoptDocument)[0] == AdoptDocument(V1, None)
    assert evening.state.credit(1) == 2_000


@pytest.mark.requirement("BIL-02", "PRN-09")
def test_a_ticket_that_comes_back_has_its_evidence_too() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(1, 2_000)
    evening.feed(d.NoteAccepting(V1, evening.at_ms))
    evening.feed(d.BarcodeEscrowed(V1, evening.at_ms, number, evidence="event 7"))
    evening.crash()
    assert evening.ordered(AdoptDocument)[0] == AdoptDocument(
        V1, d.OpenDocument(2_000, 0, number, False, "event 7")
    )
    evening.feed(d.NoteVendValid(V1, evening.at_ms, evidence="event 8"))
    evening.crash()
    assert evening.ordered(AdoptDocument)[0] == AdoptDocument(
        V1, d.OpenDocument(2_000, 0, number, True, "event 8")
    )
    assert evening.state.credit(1) == 2_000


def test_of_a_driver_without_evidence_nothing_more_is_written_than_ever() -> None:
    evening = Evening()
    evening.insert(1, 2_000)
    bodies = {kind: body for kind, body in evening.journal if kind in ("NoteIntended", "NoteCredited")}
    assert all("evidence" not in body for body in bodies.values())
    assert len(bodies) == 2
    assert evening.state.meters["bills.validator1.2000"] == 1
    assert evening.state.meters["bills"] == evening.state.meters["bills.1"] == 1


@pytest.mark.requirement("BIL-02")
def test_a_repeated_vend_valid_is_acknowledged_again_and_credited_once() -> None:
    evening = Evening()
    escrowed(evening)
    vend_valid(evening)
    vend_valid(evening)
    vend_valid(evening)
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE] * 3
    assert evening.state.credit(1) == 2_000


@pytest.mark.requirement("BIL-01")
def test_a_note_that_comes_back_is_no_money_even_after_stack() -> None:
    evening = Evening()
    escrowed(evening)
    evening.feed(d.NoteGivenBack(V1, 0, "slipped"))
    assert evening.last("NoteReturned") == NoteReturned(0, 1, "slipped")
    assert evening.state.credit(1) == 0
    assert evening.state.notes == ()
    evening.insert(1, 500)
    assert evening.state.credit(1) == 500


def test_a_note_that_left_escrow_during_a_slow_commit_is_closed_by_its_answer() -> None:
    """The stack order came too late: the driver answers it with the return."""
    evening = Evening()
    escrowed(evening)
    evening.feed(d.NoteGivenBack(V1, 0, "no longer in escrow"))
    assert evening.state.notes == ()


@pytest.mark.requirement("BIL-01")
def test_a_return_after_the_credit_is_a_matter_for_the_attendant() -> None:
    evening = Evening()
    escrowed(evening)
    vend_valid(evening)
    evening.feed(d.NoteGivenBack(V1, 0, "rejected"))
    assert evening.state.credit(1) == 2_000
    assert evening.state.notes[0].unresolved == "returned after credit"
    assert not accepts(evening)
    evening.choose("looked into")
    assert accepts(evening)
    assert evening.state.credit(1) == 2_000


def test_a_return_that_belongs_to_no_note_changes_nothing() -> None:
    evening = Evening()
    assert evening.feed(d.NoteGivenBack(V1, 0, "foreign")).facts == ()
    assert evening.feed(d.NoteStacked(V1, 0)).facts == ()


def test_the_next_escrow_closes_a_credited_note_whose_end_was_not_seen() -> None:
    evening = Evening()
    escrowed(evening)
    vend_valid(evening)
    escrowed(evening, 500)
    assert [note.cents for note in evening.state.notes] == [500]
    vend_valid(evening)
    stacked(evening)
    assert evening.state.credit(1) == 2_500


@pytest.mark.requirement("BIL-02")
def test_the_same_escrow_twice_is_one_intent() -> None:
    evening = Evening()
    escrowed(evening)
    escrowed(evening)
    assert len(evening.facts("NoteIntended")) == 1
    assert evening.ordered(StackNote) == [STACK, STACK]


@pytest.mark.requirement("BIL-04")
def test_another_value_in_escrow_is_not_the_note_that_was_meant() -> None:
    evening = Evening()
    escrowed(evening, 2_000)
    evening.ordered(StackNote)
    escrowed(evening, 10_000)
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]
    evening.feed(d.NoteGivenBack(V1, 0, "returned"))
    assert evening.state.notes == ()


def test_tickets_are_given_back() -> None:
    evening = Evening()
    evening.feed(d.BarcodeEscrowed(V1, 0, "0" * 18))
    assert evening.ordered(ReturnNote) == [GIVE_BACK]
    escrowed(evening)
    vend_valid(evening)
    evening.feed(d.BarcodeEscrowed(V1, 0, "0" * 18))
    evening.feed(d.NoteGivenBack(V1, 0, "returned"))
    assert evening.state.notes == ()
    assert evening.state.credit(1) == 2_000


@pytest.mark.parametrize(
    "phase", ["idle", "betting", "dealing", "deciding", "completing", "settled", "paying"]
)
def test_notes_are_taken_in_every_phase(phase: str) -> None:
    evening = Evening("10H 5S 7D 5D 10C", seats=2)
    steps: dict[str, Callable[[], None]] = {
        "betting": lambda: evening.press(1, "bet_plus"),
        "dealing": lambda: evening.press(1, "deal"),
        "deciding": evening.land,
        "completing": lambda: evening.press(1, "stand"),
        "settled": evening.land,
        "paying": lambda: evening.press(1, "cash_out"),
    }
    evening.insert(1, 10_000)
    if phase != "idle":
        for name, step in steps.items():
            step()
            if name == phase:
                break
    before = evening.state.credit(1)
    assert accepts(evening)
    evening.insert(1, 2_000)
    assert evening.state.credit(1) == before + 2_000


# ---- what is refused


@pytest.mark.requirement("BIL-05", "CRD-09")
def test_the_credit_limit_counts_the_bet_and_says_so() -> None:
    evening = Evening(credit_limit_cents=10_000)
    evening.feed(d.NoteTable(V1, 0, (d.NoteType(1, "USD", 500), d.NoteType(2, "USD", 2_000))))
    evening.insert(1, 9_000)
    evening.press(1, "bet_plus")
    assert accepts(evening)
    evening.acts = []
    escrowed(evening, 2_000)
    assert evening.last("NoteRefused") == NoteRefused(0, V1, 1, 2_000, cashier.LIMIT)
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]
    assert evening.told(1) == "refused.credit_limit"
    evening.feed(d.NoteGivenBack(V1, 0, "returned"))
    evening.insert(1, 1_000)
    assert evening.state.credit(1) + evening.state.bet(1) == 10_000
    assert not accepts(evening), "not even the smallest note fits"


@pytest.mark.requirement("CRD-09")
def test_without_a_note_table_a_cent_of_room_is_enough() -> None:
    evening = Evening(credit_limit_cents=10_000)
    evening.insert(1, 9_999)
    assert accepts(evening)
    evening.insert(1, 1)
    assert not accepts(evening)


@pytest.mark.parametrize(
    "lock",
    [
        lambda evening: evening.switch("door.main", True),
        lambda evening: evening.switch("door.cash_box", True),
        lambda evening: evening.switch("door.drop", True),
        lambda evening: evening.switch("key.attendant", True),
        lambda evening: evening.fault(V1, Fault.JAM),
        lambda evening: evening.fault(V1, Fault.STACKER_OPEN),
        lambda evening: evening.fault("panel1", Fault.BOARD_LOST),
    ],
)
def test_a_note_in_escrow_goes_back_while_something_stops_its_validator(
    lock: Callable[[Evening], None],
) -> None:
    evening = Evening(seats=2)
    evening.feed(d.NoteAccepting(V1, 0))
    lock(evening)
    assert not accepts(evening)
    evening.feed(d.NoteEscrowed(V1, 0, 2_000, 0x63))
    assert evening.last("NoteRefused") == NoteRefused(0, V1, 1, 2_000, cashier.LOCKED)
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]


def test_a_jam_stops_its_own_validator_only() -> None:
    evening = Evening(seats=2)
    evening.fault(V1, Fault.JAM)
    assert not accepts(evening)
    assert accepts(evening, "validator2")
    evening.switch("door.cash_box", True)
    assert not accepts(evening, "validator2"), "a door concerns all"


def test_no_notes_while_the_program_is_asked_to_stop() -> None:
    evening = Evening()
    evening.feed(StopAsked(0))
    assert not accepts(evening)
    escrowed(evening)
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]


# ---- one validator for several seats


def shared() -> Evening:
    return Evening(shared=True, seats=3)


@pytest.mark.requirement("CRD-10")
def test_an_unbound_validator_is_inhibited_and_gives_back() -> None:
    evening = shared()
    assert not accepts(evening)
    escrowed(evening)
    assert evening.last("NoteRefused") == NoteRefused(0, V1, 0, 2_000, cashier.NOT_BOUND)
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]


@pytest.mark.requirement("CRD-10")
def test_buy_in_binds_the_validator() -> None:
    evening = shared()
    assert "buy_in" in evening.lamps(3)
    evening.press(3, "buy_in")
    assert accepts(evening)
    evening.insert(3, 2_000)
    evening.press(2, "buy_in")
    evening.insert(2, 500)
    assert evening.credits(1, 2, 3) == (0, 500, 2_000)


def test_own_validators_have_no_buy_in() -> None:
    evening = Evening(seats=2)
    assert "buy_in" not in evening.lamps(1)


@pytest.mark.requirement("CRD-10")
@pytest.mark.parametrize(
    "end",
    [
        lambda evening: evening.feed(d.NoteVendValid(V1, 0)) and evening.feed(d.NoteStacked(V1, 0)),
        lambda evening: evening.feed(d.NoteGivenBack(V1, 0, "slipped")),
    ],
)
def test_the_binding_is_fixed_from_accepting_until_the_note_closes(end: Callable[[Evening], object]) -> None:
    evening = shared()
    evening.press(3, "buy_in")
    evening.feed(d.NoteAccepting(V1, 0))
    assert ("buy_in" in evening.lamps(1), "buy_in" in evening.lamps(3)) == (False, True)
    evening.press(1, "buy_in")
    assert evening.told(1) == "refused.wait_for_note"
    evening.press(3, "buy_in")
    assert evening.live.binding[V1] == 3
    evening.feed(d.NoteEscrowed(V1, 0, 2_000, 0x63))
    evening.press(1, "buy_in")
    assert evening.live.binding[V1] == 3
    note = evening.last("NoteIntended")
    assert isinstance(note, NoteIntended)
    assert note.seat == 3
    end(evening)
    evening.press(1, "buy_in")
    assert evening.live.binding[V1] == 1


def test_a_validator_that_was_unplugged_while_it_drew_a_note_in_can_be_bound_again() -> None:
    """Its end was not seen: the first report after the line is back says that nothing is inside."""
    evening = shared()
    evening.press(3, "buy_in")
    evening.feed(d.NoteAccepting(V1, 0))
    evening.fault(V1, Fault.LINK_LOST)
    evening.mended(V1, Fault.LINK_LOST)
    report(evening, Holding.NOTHING)
    evening.press(1, "buy_in")
    assert evening.live.binding[V1] == 1


@pytest.mark.requirement("CRD-10")
def test_a_note_that_waits_at_start_keeps_its_seat() -> None:
    evening = shared()
    evening.press(3, "buy_in")
    escrowed(evening)
    evening.crash()
    report(evening, Holding.ESCROW)
    evening.press(1, "buy_in")
    assert evening.told(1) == "refused.not_now"
    escrowed(evening)
    vend_valid(evening)
    stacked(evening)
    assert evening.credits(1, 2, 3) == (0, 0, 2_000)


# ---- VEND VALID of nothing


@pytest.mark.requirement("BIL-01", "CRD-13")
def test_vend_valid_without_a_note_is_asked_about_and_answered_only_by_hand() -> None:
    evening = Evening()
    vend_valid(evening)
    vend_valid(evening)
    assert evening.facts("NoteUnresolved") == [NoteUnresolved(0, 0, V1, "vend_valid")]
    assert evening.ordered(AcknowledgeNote) == []
    assert not accepts(evening)
    evening.choose("validator1 looked into")
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE]
    assert evening.credits(1) == (0,)
    assert accepts(evening)


def test_a_note_in_question_whose_vend_valid_comes_late_is_acknowledged_by_the_answer() -> None:
    evening = Evening()
    escrowed(evening)
    report(evening, Holding.NOTHING)
    assert evening.state.notes[0].unresolved == "nothing"
    vend_valid(evening)
    assert evening.state.notes[0].unresolved == "vend_valid"
    assert evening.ordered(AcknowledgeNote) == []
    evening.choose("in box")
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE]
    assert evening.credits(1) == (2_000,)


@pytest.mark.requirement("CRD-13")
@pytest.mark.parametrize(("answer", "cents"), [("in box", 2_000), ("returned", 0)])
def test_the_attendant_says_where_a_note_is(answer: str, cents: int) -> None:
    evening = Evening()
    escrowed(evening)
    report(evening, Holding.POWER_UP)
    assert not accepts(evening)
    evening.advance(60_000)
    assert not accepts(evening)
    evening.choose(answer)
    assert evening.credits(1) == (cents,)
    assert evening.state.meters.get("bill_in", 0) == cents
    assert accepts(evening)


# ---- what a validator says first


def open_note(stage: str) -> Evening:
    evening = Evening()
    if stage != cashier.NONE:
        escrowed(evening)
    if stage == cashier.CREDITED:
        vend_valid(evening)
    evening.crash()
    evening.ordered(ResetValidator, AcknowledgeNote, StackNote)
    return evening


def test_the_table_of_first_reports_is_total() -> None:
    stages = (cashier.NONE, cashier.INTENDED, cashier.CREDITED)
    assert set(cashier.NOTE_AT_START) == {(stage, holding) for stage in stages for holding in Holding}


NOTHING_OPEN, CLOSED, WAITS = "nothing open", "closed", "waits"
ROWS: list[tuple[str, Holding, int, str, list[object]]] = [
    # stage, report, credit afterwards, what is open, orders
    (cashier.NONE, Holding.POWER_UP, 0, NOTHING_OPEN, [RESET]),
    (cashier.NONE, Holding.IN_ACCEPTOR, 0, NOTHING_OPEN, [RESET]),
    (cashier.NONE, Holding.IN_STACKER, 0, "in_stacker", [RESET]),
    (cashier.NONE, Holding.ESCROW, 0, NOTHING_OPEN, []),
    (cashier.NONE, Holding.VEND_VALID, 0, "vend_valid", []),
    (cashier.NONE, Holding.NOTHING, 0, NOTHING_OPEN, []),
    (cashier.NONE, Holding.RETURNING, 0, NOTHING_OPEN, []),
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


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize(("stage", "holding", "cents", "remains", "orders"), ROWS)
def test_each_first_report(
    stage: str, holding: Holding, cents: int, remains: str, orders: list[object]
) -> None:
    evening = open_note(stage)
    report(evening, holding)
    assert evening.credits(1) == (cents,)
    assert evening.ordered(ResetValidator, AcknowledgeNote, StackNote, ReturnNote) == orders
    notes = evening.state.notes
    if remains in (NOTHING_OPEN, CLOSED):
        assert notes == ()
    elif remains == WAITS:
        assert [note.unresolved for note in notes] == [""]
    else:
        assert [note.unresolved for note in notes] == [remains]
        assert not accepts(evening)
    report(evening, holding)
    assert evening.credits(1) == (cents,), "the same report again is no second credit"


def test_every_row_of_the_table_has_its_test() -> None:
    assert {(stage, holding) for stage, holding, *_ in ROWS} == set(cashier.NOTE_AT_START)


@pytest.mark.requirement("BIL-02")
def test_a_note_found_in_the_stacker_is_credited_once_though_the_device_vends_it_again() -> None:
    """With power recovery the device says VEND VALID after its reset: acknowledged, no second money."""
    evening = open_note(cashier.INTENDED)
    report(evening, Holding.IN_STACKER)
    vend_valid(evening)
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE, ACKNOWLEDGE]
    stacked(evening)
    assert evening.credits(1) == (2_000,)
    assert evening.state.notes == ()


def test_a_note_found_in_the_stacker_without_a_record_is_for_the_attendant() -> None:
    evening = open_note(cashier.NONE)
    report(evening, Holding.IN_STACKER)
    vend_valid(evening)
    assert evening.ordered(AcknowledgeNote) == []
    assert len(evening.state.notes) == 1
    evening.choose("looked into")
    assert evening.ordered(AcknowledgeNote) == [ACKNOWLEDGE]
    assert evening.credits(1) == (0,)


def test_a_note_that_waits_in_escrow_at_start_is_decided_again() -> None:
    evening = open_note(cashier.INTENDED)
    report(evening, Holding.ESCROW)
    evening.feed(d.NoteEscrowed(V1, 0, 2_000, 0x63))
    assert evening.ordered(StackNote) == [STACK]
    assert len(evening.facts("NoteIntended")) == 1
    vend_valid(evening)
    assert evening.credits(1) == (2_000,)


@pytest.mark.requirement("BIL-04")
def test_an_open_door_at_start_gives_the_waiting_note_back() -> None:
    evening = open_note(cashier.INTENDED)
    evening.switch("door.main", True)
    report(evening, Holding.ESCROW)
    evening.feed(d.NoteEscrowed(V1, 0, 2_000, 0x63))
    assert evening.ordered(StackNote, ReturnNote) == [GIVE_BACK]
    evening.feed(d.NoteGivenBack(V1, 0, "returned"))
    assert evening.state.notes == ()


@pytest.mark.parametrize(
    "event",
    [
        d.NoteEscrowed("validator9", 0, 2_000, 1),
        d.NoteVendValid("validator9", 0),
        d.ValidatorReport("validator9", 0, Holding.VEND_VALID),
        d.FaultRaised("validator9", 0, Fault.JAM, ""),
        d.InputChanged("panel9", 0, "seat1.help", True),
    ],
)
def test_a_device_that_is_not_of_this_cabinet_is_not_heard(event: d.DeviceEvent) -> None:
    evening = Evening(seats=1)
    made = decide(evening.state, evening.live, event, lambda n: 0)
    assert (made.facts, made.acts, made.state) == ((), (), evening.state)
