"""Notes that are taken, given back, refused, jammed and fished for."""

from __future__ import annotations

import pytest

from drivers.bill_validator.id003.codec import Command, Status, frame
from drivers.device import (
    BarcodeEscrowed,
    DeviceEvent,
    Fault,
    FaultCleared,
    FaultRaised,
    Holding,
    NoteAccepting,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteVendValid,
    ValidatorEnabled,
    ValidatorReport,
)
from drivers.sim.id003 import Id003Machine
from drivers.sim.id003.paper import EURO_5, usd_rows
from drivers.sim.validator.path import HOLD_MS, Quirks
from support.devices.scripted_unit import ScriptedUnit
from support.devices.validator_bench import Bench, bench

TWENTY = 2000


def ready(machine: Id003Machine | None = None, **options: object) -> Bench[Id003Machine]:
    table = bench(machine, **options)
    table.make_ready()
    return table


def escrowed(machine: Id003Machine | None = None, **options: object) -> Bench[Id003Machine]:
    """A twenty waits in escrow."""
    table = ready(machine, **options)
    assert table.machine.insert(TWENTY, table.now_ms)
    assert table.run_until(NoteEscrowed).cents == TWENTY
    return table


def story(table: Bench[Id003Machine] | Bench[ScriptedUnit]) -> list[type[DeviceEvent]]:
    return [type(event) for event in table.events]


# ---- the usual way


@pytest.mark.requirement("BIL-01")
def test_a_note_is_stacked_and_acknowledged_when_the_owner_says_so() -> None:
    table = escrowed()
    table.validator.stack()
    table.run_until(NoteVendValid)
    table.run(5000)
    assert table.machine.status()[0] == Status.VEND_VALID, "the device waits for us"
    assert Command.ACK not in table.machine.commands
    table.validator.acknowledge()
    table.run(1000)
    assert story(table) == [NoteAccepting, NoteEscrowed, NoteVendValid, NoteStacked]
    assert table.machine.stacked_cents == TWENTY
    assert table.machine.commands.count(Command.STACK_2) == 1
    assert table.machine.commands.count(Command.ACK) == 1
    assert Command.STACK_1 not in table.machine.commands
    assert table.machine.status()[0] == Status.IDLING


def test_three_notes_one_after_the_other() -> None:
    table = ready()
    for cents in (100, 500, 10_000):
        assert table.machine.insert(cents, table.now_ms)
        assert table.run_until(NoteEscrowed).cents == cents
        table.validator.stack()
        table.run_until(NoteVendValid)
        table.validator.acknowledge()
        table.run_until(NoteStacked)
        table.run(500)
    assert table.machine.stacked_cents == 10_600
    assert [paper.cents for paper in table.machine.cash_box] == [100, 500, 10_000]


def test_a_note_is_given_back() -> None:
    table = escrowed()
    table.validator.give_back()
    assert table.run_until(NoteGivenBack).reason == "returned"
    table.run(2000)
    assert table.machine.returned_cents == TWENTY
    assert table.machine.stacked_cents == 0


def test_giving_back_may_change_to_stacking_before_it_is_sent() -> None:
    table = escrowed()
    table.validator.give_back()
    table.validator.stack()
    table.run_until(NoteVendValid)
    assert Command.RETURN not in table.machine.commands


@pytest.mark.parametrize("quirks", [Quirks(vend_data=True), Quirks(stacked_polls=0), Quirks(stacked_polls=2),
                                    Quirks(turnaround_ms=25)])  # fmt: skip
def test_units_differ_a_little(quirks: Quirks) -> None:
    table = escrowed(Id003Machine(quirks=quirks))
    table.validator.stack()
    table.run_until(NoteVendValid)
    table.validator.acknowledge()
    table.run_until(NoteStacked)
    table.run(2000)
    assert story(table) == [NoteAccepting, NoteEscrowed, NoteVendValid, NoteStacked]


@pytest.mark.requirement("BIL-02")
def test_a_lost_ack_is_given_again() -> None:
    table = escrowed()
    table.validator.stack()
    table.run_until(NoteVendValid)
    table.validator.acknowledge()
    table.run(5, lambda: False)
    while Command.ACK not in [frame.data[2] for frame in table.validator.frames() if frame.sent]:
        table.far_end.drop_in_flight() if table.far_end.wake_at is None else None
        table.run(1)
    table.far_end.drop_in_flight()
    assert Command.ACK not in table.machine.commands
    table.run(3000)
    assert Command.ACK in table.machine.commands
    assert story(table)[2:] == [NoteVendValid, NoteStacked], "one document, one credit"
    assert table.machine.stacked_cents == TWENTY


def test_an_owner_that_takes_long_is_helped_with_hold() -> None:
    table = escrowed()
    table.run(35_000)
    assert table.machine.status()[0] == Status.HOLDING
    assert table.machine.commands.count(Command.HOLD) == 4
    table.validator.stack()
    table.run_until(NoteVendValid)
    assert table.machine.stacked_cents == TWENTY


def test_a_unit_without_hold_gives_the_note_back_in_the_end() -> None:
    table = escrowed(Id003Machine(quirks=Quirks(knows_hold=False)))
    table.run(HOLD_MS + 500)
    assert table.of(NoteGivenBack)[0].reason == "inhibited"
    assert table.machine.commands.count(Command.HOLD) == 1
    table.validator.stack()
    assert table.run_until(NoteGivenBack).reason == "no longer in escrow"


def test_hold_is_tried_again_when_its_answer_is_lost() -> None:
    table = escrowed()
    table.run(7900)
    table.machine.inject("misheard", table.now_ms)
    table.run(20_000)
    assert table.machine.busy
    assert not table.of(NoteGivenBack)


# ---- what is not money here


@pytest.mark.requirement("BIL-04", "BIL-08")
@pytest.mark.parametrize(
    ("cents", "currency", "reason"),
    [(500, "EUR", "note not taken: EUR 500 cents"), (100, "USD", "note not taken: USD 100 cents")],
)
def test_notes_that_are_not_ours_go_back_even_if_the_device_would_take_them(
    cents: int, currency: str, reason: str
) -> None:
    machine = Id003Machine(rows=(*usd_rows(), EURO_5), quirks=Quirks(obeys_denominations=False))
    table = ready(machine, enabled_cents=[500, 2000])
    assert machine.insert(cents, table.now_ms, currency=currency)
    assert table.run_until(NoteGivenBack).reason == reason
    table.run(2000)
    assert story(table) == [NoteAccepting, NoteGivenBack]
    assert machine.stacked_cents == 0
    assert Command.STACK_2 not in machine.commands


def test_the_device_itself_refuses_what_is_forbidden() -> None:
    table = ready(Id003Machine(rows=(*usd_rows(), EURO_5)))
    table.machine.insert(500, table.now_ms, currency="EUR")
    assert table.run_until(NoteGivenBack).reason == "inhibited"
    table.run(1000)
    table.machine.insert(700, table.now_ms)
    assert table.run_until(NoteGivenBack).reason == "denomination not assessed"


def test_an_unknown_code_goes_back() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x7a")
    table.run(400)
    assert unit.count(Command.RETURN) == 1
    unit.show(Status.RETURNING)
    assert table.run_until(NoteGivenBack).reason == "unknown note code 7A"


def scripted_ready(unit: ScriptedUnit) -> Bench[ScriptedUnit]:
    table = Bench(unit)
    table.validator.accept(True)
    table.run(3000)
    table.events.clear()
    unit.commands.clear()
    return table


@pytest.mark.requirement("BIL-04")
def test_a_note_that_reaches_escrow_after_we_inhibited_goes_back() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    table.validator.accept(False)
    table.run(100)
    unit.show(Status.ESCROW, b"\x65")
    table.run(400)
    unit.show(Status.RETURNING)
    assert table.run_until(NoteGivenBack).reason == "inhibited"
    assert unit.count(Command.STACK_2) == 0
    assert not table.of(NoteEscrowed)


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [(0x71, "insertion"), (0x72, "magnetic pattern"), (0x7E, "photo pattern 2"), (0x98, "several bills"),
     (0xEE, "unknown reason EE")],
)  # fmt: skip
def test_bad_paper_comes_back_with_the_trades_word(flaw: int, reason: str) -> None:
    table = ready()
    table.machine.insert(TWENTY, table.now_ms, flaw=flaw)
    assert table.run_until(NoteGivenBack).reason == reason
    table.run(2000)
    assert story(table) == [NoteAccepting, NoteGivenBack]


def test_a_document_that_is_pulled_out_while_it_is_drawn_in() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.IDLING)
    table.run(400)
    assert story(table) == [NoteAccepting, NoteGivenBack]
    unit.show(Status.REJECTING)
    assert table.run_until(NoteGivenBack).reason == "rejected"


# ---- tickets


def test_a_ticket_is_read_and_stacked() -> None:
    table = ready(barcode=True)
    assert table.machine.insert_ticket("012345678901234567", table.now_ms)
    assert table.run_until(BarcodeEscrowed).digits == "012345678901234567"
    told = [frame for frame in table.validator.frames() if frame.meaning.startswith("ESCROW ticket")]
    assert {frame.meaning for frame in told} == {"ESCROW ticket xxxxxxxxxxxxxx4567"}
    assert not any(b"0123" in frame.data for frame in table.validator.frames()), "it may go back to its owner"
    table.validator.stack()
    table.run_until(NoteVendValid)
    table.validator.acknowledge()
    table.run_until(NoteStacked)


def test_tickets_go_back_where_they_are_not_taken() -> None:
    table = ready()
    table.machine.insert_ticket("012345678901234567", table.now_ms)
    assert table.run_until(NoteGivenBack).reason == "inhibited"


@pytest.mark.parametrize(
    ("tickets", "body"),
    [
        (False, b"0" * 18),
        (True, b"01X3"),
        (True, b"\xff\xff"),
        (True, b"1" * 17),  # a bar code that was read in part is another number
        (True, b"1" * 19),
        (True, b""),
    ],
)
def test_a_strange_ticket_in_escrow_goes_back(tickets: bool, body: bytes) -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = Bench(unit, options={"barcode": tickets})
    table.validator.accept(True)
    table.run(3000)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x6f" + body)
    table.run(400)
    unit.show(Status.RETURNING)
    assert table.run_until(NoteGivenBack).reason == "ticket not taken"


# ---- answers that get lost


def test_a_lost_stack_order_is_asked_about_and_repeated() -> None:
    table = escrowed()
    table.far_end.inject("lost_request", table.now_ms)
    table.validator.stack()
    table.run_until(NoteVendValid)
    sent = [frame.data[2] for frame in table.validator.frames() if frame.sent]
    first = sent.index(Command.STACK_2)
    assert sent[first + 1] == Command.STATUS_REQUEST, "asked before it is said again"
    assert sent[first + 2] == Command.STACK_2
    assert table.machine.stacked_cents == TWENTY


def test_a_stack_order_whose_answer_is_lost_is_not_repeated() -> None:
    table = escrowed()
    table.far_end.inject("lost", table.now_ms)
    table.validator.stack()
    table.run_until(NoteVendValid)
    assert table.machine.commands.count(Command.STACK_2) == 1


def test_a_lost_return_order_is_repeated() -> None:
    table = escrowed()
    table.far_end.inject("garbled_request", table.now_ms)
    table.validator.give_back()
    table.run_until(NoteGivenBack)
    table.run(1000)
    assert table.machine.returned_cents == TWENTY


def test_a_stack_order_that_is_refused_three_times_ends_in_giving_back() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x65")
    table.run_until(NoteEscrowed)
    unit.answer = lambda message: (
        frame(Status.INVALID_COMMAND) if message.code == Command.STACK_2 else unit.usual(message)
    )
    table.validator.stack()
    table.run(3000)
    assert unit.count(Command.STACK_2) == 3
    assert unit.count(Command.RETURN) >= 1
    unit.show(Status.RETURNING)
    assert table.run_until(NoteGivenBack).reason == "the validator refused to stack it"


@pytest.mark.parametrize(("waits", "data"), [(Status.ESCROW, b"\x65"), (Status.HOLDING, b"")])
def test_an_acknowledged_order_that_moves_nothing_is_repeated(waits: Status, data: bytes) -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x65")
    table.run_until(NoteEscrowed)
    unit.show(waits, data)
    table.run(400)
    table.validator.stack()
    table.run(800)
    assert unit.count(Command.STACK_2) == 1
    table.run(1500)
    assert unit.count(Command.STACK_2) == 2
    unit.show(Status.STACKING)
    table.run(500)
    unit.show(Status.VEND_VALID)
    table.run_until(NoteVendValid)
    assert not table.of(FaultRaised)


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize("fault", ["lost", "lost_request", "garbled", "garbled_request", "delayed", "split",
                                   "glued", "noise"])  # fmt: skip
@pytest.mark.parametrize("after_ms", [0, 700, 850, 1000, 1500, 2200, 2400])
def test_one_disturbance_anywhere_changes_no_money(fault: str, after_ms: int) -> None:
    table = ready()

    def owner(event: DeviceEvent) -> None:
        if isinstance(event, NoteEscrowed):
            table.validator.stack()
        elif isinstance(event, NoteVendValid):
            table.validator.acknowledge()

    table.owner = owner
    table.machine.insert(TWENTY, table.now_ms)
    table.run(after_ms)
    table.far_end.inject(fault, table.now_ms)
    table.run(12_000)
    assert table.machine.stacked_cents == TWENTY
    assert [kind for kind in story(table) if kind is not NoteAccepting] == [
        NoteEscrowed, NoteVendValid, NoteStacked,
    ]  # fmt: skip
    assert table.machine.status()[0] == Status.IDLING


# ---- statuses out of order


@pytest.mark.requirement("BIL-01")
def test_a_vend_valid_without_an_escrow_is_reported_and_is_a_fault() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.VEND_VALID)
    table.run(2000)
    assert story(table) == [NoteVendValid, FaultRaised]
    assert table.of(FaultRaised)[0].fault is Fault.ILLEGAL_SEQUENCE
    assert unit.count(Command.ACK) == 0, "the owner decides"
    table.validator.acknowledge()
    table.run(300)
    assert unit.count(Command.ACK) >= 1
    unit.show(Status.IDLING)
    table.run(1000)
    assert story(table)[2:] == [NoteStacked, FaultCleared]


@pytest.mark.requirement("BIL-01")
@pytest.mark.parametrize("status", [Status.VEND_VALID, Status.ESCROW])
def test_a_status_that_comes_too_late_moves_no_money(status: Status) -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    table.run(50)  # a poll is answered, and the next one is not due
    unit.show(status, b"\x65" if status is Status.ESCROW else b"")
    polls = table.validator.statistics()["polls"]
    table.run(1000, lambda: table.validator.statistics()["polls"] > polls)
    table.run(50)
    unit.show(Status.IDLING)
    table.run(3000)
    assert not table.events


def test_a_note_that_vanishes_after_stack_is_reported_as_not_there() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x65")
    table.run_until(NoteEscrowed)
    table.validator.stack()
    table.run(100)
    unit.show(Status.STACKING)
    table.run(400)
    unit.show(Status.STACKED)
    table.run(1000)
    unit.show(Status.IDLING)
    table.run(1000)
    assert story(table) == [NoteAccepting, NoteEscrowed, ValidatorReport]
    assert table.of(ValidatorReport)[0].holding is Holding.NOTHING


@pytest.mark.requirement("BIL-01")
def test_a_device_that_stacks_without_being_told_is_a_fault() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.STACKING)
    table.run(800)
    unit.show(Status.VEND_VALID)
    table.run(800)
    assert story(table) == [NoteAccepting, NoteVendValid, FaultRaised]


def test_a_device_that_stacks_while_the_owner_thinks_is_a_fault_and_late_orders_are_answered() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x65")
    table.run_until(NoteEscrowed)
    unit.show(Status.STACKING)
    table.run(800)
    unit.show(Status.VEND_VALID)
    table.run_until(FaultRaised)
    table.events.clear()
    table.validator.stack()
    table.validator.give_back()
    table.run(500)
    assert not table.events, "NoteVendValid was the outcome"
    assert unit.count(Command.STACK_2) == 0


def test_an_order_for_a_note_that_moves_by_itself_is_answered_by_where_it_ends() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x65")
    table.run_until(NoteEscrowed)
    unit.show(Status.STACKING)
    table.run(500)  # the second time it is believed
    table.events.clear()
    table.validator.stack()
    table.run(500)
    assert not table.events, "it has not come back"
    unit.show(Status.VEND_VALID)
    table.run(800)
    assert story(table) == [NoteVendValid, FaultRaised]


@pytest.mark.requirement("BIL-02")
def test_a_line_that_was_lost_behind_vend_valid_does_not_lose_the_end_of_the_note() -> None:
    table, unit = vend_valid_by_script()
    table.validator.acknowledge()
    table.run(300)
    unit.answer = lambda message: None
    table.run(10_000)
    assert [event.fault for event in table.of(FaultRaised)] == [Fault.LINK_LOST]
    unit.show(Status.IDLING)
    unit.answer = unit.usual
    table.run(10_000)
    assert len(table.of(NoteStacked)) == 1
    assert not table.of(NoteGivenBack)


@pytest.mark.requirement("BIL-01")
def test_a_note_that_comes_back_after_vend_valid_is_a_fault() -> None:
    table, unit = vend_valid_by_script()
    unit.show(Status.RETURNING)
    table.run(1000)
    assert table.of(FaultRaised)[0].detail == "a note came back after VEND VALID"
    assert table.of(NoteGivenBack)


def vend_valid_by_script() -> tuple[Bench[ScriptedUnit], ScriptedUnit]:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x65")
    table.run_until(NoteEscrowed)
    table.validator.stack()
    table.run(100)
    unit.show(Status.STACKING)
    table.run(400)
    unit.show(Status.VEND_VALID)
    table.run_until(NoteVendValid)
    table.events.clear()
    return table, unit


def test_a_device_that_leaves_vend_valid_by_itself_answers_a_late_acknowledgement() -> None:
    table, unit = vend_valid_by_script()
    unit.show(Status.STACKED)
    table.run(600)
    unit.show(Status.IDLING)
    table.run(1000)
    assert not table.events
    table.validator.acknowledge()
    table.run_until(NoteStacked)
    assert unit.count(Command.ACK) == 0


@pytest.mark.requirement("BIL-02")
def test_a_second_vend_valid_after_stacked_is_the_same_document() -> None:
    table, unit = vend_valid_by_script()
    table.validator.acknowledge()
    table.run(300)
    acks = unit.count(Command.ACK)
    unit.show(Status.STACKED)
    table.run(400)
    unit.show(Status.VEND_VALID)
    table.run(600)
    assert unit.count(Command.ACK) > acks
    unit.show(Status.STACKED)
    table.run(400)
    unit.show(Status.IDLING)
    table.run(400)
    assert story(table) == [NoteStacked]


def test_the_next_note_may_follow_so_fast_that_idle_is_not_seen() -> None:
    table, unit = vend_valid_by_script()
    table.validator.acknowledge()
    table.run(300)
    unit.show(Status.ACCEPTING)
    table.run(400)
    assert story(table) == [NoteStacked, NoteAccepting]
    unit.show(Status.ESCROW, b"\x63")
    assert table.run_until(NoteEscrowed).cents == 500


def test_another_note_in_escrow_is_another_document() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ACCEPTING)
    table.run(400)
    unit.show(Status.ESCROW, b"\x65")
    table.run_until(NoteEscrowed)
    unit.show(Status.ESCROW, b"\x67")
    assert table.run_until(NoteEscrowed).cents == 10_000
    assert story(table) == [NoteAccepting, NoteEscrowed, NoteGivenBack, NoteEscrowed]


def test_escrow_without_accepting_is_believed_on_the_second_poll() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.ESCROW, b"\x65")
    table.run_until(NoteEscrowed)
    assert table.validator.frames()[-3].meaning == "ESCROW 65"
    assert table.validator.frames()[-1].meaning == "ESCROW 65"


# ---- orders that fit nothing are answered all the same


def test_every_order_is_answered_by_exactly_one_outcome() -> None:
    table = ready()
    for order, outcome in (
        (table.validator.stack, NoteGivenBack),
        (table.validator.give_back, NoteGivenBack),
        (table.validator.acknowledge, NoteStacked),
    ):
        table.events.clear()
        order()
        table.run(2000)
        assert story(table) == [outcome]


def test_repeated_orders_for_one_note_have_one_outcome() -> None:
    table = escrowed()
    for _ in range(3):
        table.validator.stack()
    table.run(100)
    table.validator.stack()
    table.validator.give_back()
    table.run_until(NoteVendValid)
    for _ in range(3):
        table.validator.acknowledge()
    table.run(2000)
    assert story(table) == [NoteAccepting, NoteEscrowed, NoteVendValid, NoteStacked]


# ---- trouble in the machine


@pytest.mark.parametrize("after_ms", [0, 300, 900, 1200, 1800, 2400])
def test_a_pause_in_any_state_does_not_touch_the_document(after_ms: int) -> None:
    table = ready()

    def owner(event: DeviceEvent) -> None:
        if isinstance(event, NoteEscrowed):
            table.validator.stack()
        elif isinstance(event, NoteVendValid):
            table.validator.acknowledge()

    table.owner = owner
    table.machine.insert(TWENTY, table.now_ms)
    table.run(after_ms)
    table.machine.inject("pause", table.now_ms)
    table.run(10_000)
    assert [event.detail for event in table.of(FaultRaised)] == [
        "pause: a second document is in the entrance, take it out"
    ]
    assert {event.fault for event in table.of(FaultRaised)} == {Fault.TWO_DOCUMENTS}
    assert table.of(FaultCleared)
    assert len(table.of(NoteVendValid)) == len(table.of(NoteStacked)) == 1
    assert table.machine.stacked_cents == TWENTY


@pytest.mark.requirement("BIL-02", "BIL-06")
def test_the_box_is_taken_out_while_vend_valid_waits() -> None:
    table = escrowed()
    table.validator.stack()
    table.run_until(NoteVendValid)
    table.machine.inject("box_out", table.now_ms)
    table.run(1000)
    assert table.of(FaultRaised)[0].fault is Fault.STACKER_OPEN
    table.validator.acknowledge()
    table.run(2000)
    assert Command.ACK not in table.machine.commands, "ACK answers a VEND VALID and nothing else"
    table.machine.inject("box_in", table.now_ms)
    table.run_until(NoteStacked)
    assert len(table.of(NoteVendValid)) == 1


@pytest.mark.requirement("BIL-06")
def test_the_box_is_full_right_after_a_note() -> None:
    table = escrowed()
    table.validator.stack()
    table.run_until(NoteVendValid)
    table.validator.acknowledge()
    table.machine.inject("box_full", table.now_ms)
    table.run(2000)
    assert table.of(NoteStacked)
    assert table.of(FaultRaised)[0].fault is Fault.STACKER_FULL
    assert not table.machine.insert(TWENTY, table.now_ms)
    table.machine.inject("box_emptied", table.now_ms)
    table.run(1000)
    assert table.of(FaultCleared)
    assert table.machine.cash_box == ()
    assert table.machine.stacked_cents == TWENTY


def test_full_follows_the_ack_so_fast_that_stacked_is_not_seen() -> None:
    table, unit = vend_valid_by_script()
    table.validator.acknowledge()
    table.run(300)
    unit.show(Status.STACKER_FULL)
    table.run(500)
    assert story(table) == [FaultRaised, NoteStacked]


@pytest.mark.requirement("BIL-06")
@pytest.mark.parametrize(("fault", "detail"), [("jam_acceptor", "jam in the acceptor"),
                                               ("jam_stacker", "jam in the stacker")])  # fmt: skip
def test_a_jam_stays_until_a_person_clears_it_and_the_device_is_reset(fault: str, detail: str) -> None:
    table = escrowed()
    table.validator.stack()
    table.run(900)
    table.machine.inject(fault, table.now_ms)
    table.run(1000)
    assert table.of(FaultRaised)[0].detail == detail
    table.validator.reset()
    table.run(10_000)
    assert not table.of(FaultCleared) or table.of(FaultRaised)[-1].at_ms > table.of(FaultCleared)[-1].at_ms
    table.machine.inject("jam_cleared", table.now_ms)
    table.run(1000)
    table.validator.reset()
    table.run(10_000)
    assert table.of(FaultCleared)[-1].fault is Fault.JAM
    assert [event.holding for event in table.of(ValidatorReport)] == [Holding.NOTHING]
    assert not table.of(NoteVendValid)
    assert table.machine.stacked_cents == 0
    assert table.of(ValidatorEnabled)[-1].enabled


@pytest.mark.requirement("BIL-01", "BIL-06")
def test_a_note_pulled_back_while_it_is_stacked_is_never_credited() -> None:
    table = escrowed()
    table.machine.inject("cheat", table.now_ms)
    table.validator.stack()
    table.run(6000)
    assert table.of(FaultRaised)[0].fault is Fault.CHEATED
    assert table.of(FaultCleared)[0].fault is Fault.CHEATED
    assert not table.of(NoteVendValid)
    assert table.of(ValidatorReport)[0].holding is Holding.NOTHING, "the owner calls the attendant"
    assert table.machine.returned_cents == TWENTY


@pytest.mark.requirement("BIL-06")
def test_a_failure_names_its_code_and_is_over_when_it_is_mended() -> None:
    table = ready()
    table.machine.inject("failure", table.now_ms)
    table.run(1000)
    assert table.of(FaultRaised)[0].detail == "failure A2: stacker motor"
    table.machine.inject("repaired", table.now_ms)
    table.run(5000)
    assert table.of(FaultCleared)[0].fault is Fault.DEVICE_FAILED
    assert table.of(ValidatorEnabled)[-1].enabled


@pytest.mark.parametrize(
    ("data", "detail"), [(b"", "failure without a code"), (b"\xee", "failure EE: unknown")]
)
def test_failures_without_a_name(data: bytes, detail: str) -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = scripted_ready(unit)
    unit.show(Status.FAILURE, data)
    table.run(1000)
    assert table.of(FaultRaised)[0].detail == detail


def test_one_command_that_is_refused_or_misheard_does_no_harm() -> None:
    for fault in ("refuse", "misheard"):
        table = escrowed()
        table.machine.inject(fault, table.now_ms)
        table.validator.stack()
        table.run_until(NoteVendValid)
        assert table.machine.stacked_cents == TWENTY


def test_a_device_that_answers_bad_checksums_with_an_error() -> None:
    table = ready(Id003Machine(quirks=Quirks(bad_checksum="error")))
    table.far_end.inject("garbled_request", table.now_ms)
    table.run(1000)
    assert not table.events
    assert table.machine.insert(TWENTY, table.now_ms)
    table.run_until(NoteEscrowed)


def test_a_device_that_has_lost_patience_is_revived_by_reset() -> None:
    table = escrowed(Id003Machine(quirks=Quirks(ack_patience_ms=60_000, soft_reset="vend_valid")))
    table.validator.stack()
    table.run_until(NoteVendValid)
    table.run(70_000)
    assert table.of(FaultRaised)[0].fault is Fault.LINK_LOST
    table.validator.reset()
    table.run(6000)
    assert table.of(ValidatorReport)[-1].holding is Holding.VEND_VALID
    table.validator.acknowledge()
    table.run(1000)
    assert table.of(NoteStacked)
    assert len(table.of(NoteVendValid)) == 1
