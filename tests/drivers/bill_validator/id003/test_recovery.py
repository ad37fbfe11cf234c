"""Power cuts, restarts and pulled cables in every state of a note: what the driver reports, and that
an owner who writes down first never loses or doubles a cent."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drivers.bill_validator.id003.codec import Command, Id003Message, Status, frame
from drivers.device import (
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
    ValidatorReport,
)
from drivers.sim.id003 import Id003Machine
from drivers.sim.validator.path import PathState, Quirks, Where
from support.devices.scripted_unit import ScriptedUnit
from support.devices.validator_bench import Bench, bench
from support.evenings.note_owner import NoteOwner

TWENTY = 2000
CALM_MS = 40_000
WIRE = ["lost", "lost_request", "garbled", "garbled_request", "delayed", "split", "glued", "noise"]
MACHINE = ["pause", "restart", "cheat", "refuse", "misheard", "box_out", "jam_stacker", "jam_acceptor"]

# State of the machine -> (what a device says that lost power, what one says that kept it).
STATES: dict[PathState, tuple[Holding, Holding]] = {
    PathState.IDLE: (Holding.POWER_UP, Holding.NOTHING),
    PathState.ACCEPTING: (Holding.IN_ACCEPTOR, Holding.ESCROW),
    PathState.ESCROW: (Holding.IN_ACCEPTOR, Holding.ESCROW),
    PathState.HOLDING: (Holding.IN_ACCEPTOR, Holding.ESCROW),
    PathState.LIFTING: (Holding.IN_ACCEPTOR, Holding.VEND_VALID),
    PathState.PUSHING: (Holding.IN_STACKER, Holding.VEND_VALID),
    PathState.VEND_VALID: (Holding.IN_STACKER, Holding.VEND_VALID),
    PathState.STACKED: (Holding.POWER_UP, Holding.NOTHING),
    PathState.REJECTING: (Holding.IN_ACCEPTOR, Holding.RETURNING),
    PathState.RETURNING: (Holding.IN_ACCEPTOR, Holding.RETURNING),
}


def bring_to(state: PathState, machine: Id003Machine | None = None, **wiring: object) -> Bench[Id003Machine]:
    """A bench whose machine is in ``state`` with a twenty."""
    table = Bench(machine or Id003Machine(), pty=str(wiring.get("pty", "")))
    table.make_ready()
    if state is PathState.IDLE:
        return table
    flaw = 0x71 if state is PathState.REJECTING else 0
    assert table.machine.insert(TWENTY, table.now_ms, flaw=flaw)

    def reached() -> bool:
        return table.machine.path.state is state

    if state in (PathState.ACCEPTING, PathState.ESCROW, PathState.REJECTING, PathState.HOLDING):
        table.run(20_000, reached)
    else:
        table.run_until(NoteEscrowed)
        if state is PathState.RETURNING:
            table.validator.give_back()
        else:
            table.validator.stack()
        if state is PathState.STACKED:
            table.run_until(NoteVendValid)
            table.validator.acknowledge()
        table.run(20_000, reached)
    assert table.machine.path.state is state
    if state not in (PathState.STACKED, PathState.HOLDING):
        table.run(50)
    table.events.clear()
    return table


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("in_flight", [False, True])
def test_a_device_that_loses_power_tells_where_the_note_is(state: PathState, in_flight: bool) -> None:
    table = bring_to(state)
    table.machine.power_off(table.now_ms)
    if in_flight:
        table.far_end.drop_in_flight()
    table.run(700)
    table.machine.power_on(table.now_ms)
    table.run(8000)
    report = table.of(ValidatorReport)
    assert [event.holding for event in report] == [STATES[state][0]]
    assert Command.RESET not in table.machine.commands, "the answer is evidence"
    assert not table.of(FaultRaised)
    table.validator.reset()
    table.run(6000)
    assert table.machine.status()[0] == Status.IDLING
    gone_in = STATES[state][0] is Holding.IN_STACKER or state is PathState.STACKED
    assert table.machine.stacked_cents == (TWENTY if gone_in else 0)
    assert not table.of(NoteVendValid)


@pytest.mark.parametrize("state", STATES)
def test_a_long_power_cut_is_a_lost_line_first(state: PathState) -> None:
    table = bring_to(state)
    table.machine.power_off(table.now_ms)
    table.run(5000)
    assert [event.fault for event in table.of(FaultRaised)] == [Fault.LINK_LOST]
    table.machine.power_on(table.now_ms)
    table.run(3000)
    assert table.of(FaultCleared)[-1].fault is Fault.LINK_LOST
    assert table.of(ValidatorReport)[-1].holding is STATES[state][0]


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize("state", STATES)
def test_a_host_that_restarts_is_told_what_the_living_device_holds(state: PathState) -> None:
    table = bring_to(state)
    table.restart_host()
    table.run(6000)
    report = table.of(ValidatorReport)
    wanted = STATES[state][1]
    if state is PathState.HOLDING:
        # HOLDING carries no value: the driver can only give the note back.
        assert report[0].holding is Holding.ESCROW
        assert table.of(NoteGivenBack)[0].reason == "value unknown"
        return
    assert [event.holding for event in report] == [wanted]
    first = table.events.index(report[0])
    if wanted is Holding.ESCROW:
        escrowed = table.events[first + 1]
        assert isinstance(escrowed, NoteEscrowed), "it follows at once"
        assert escrowed.cents == TWENTY
        table.validator.stack()
        table.run_until(NoteVendValid)
        table.validator.acknowledge()
        table.run_until(NoteStacked)
    elif wanted is Holding.VEND_VALID:
        assert not table.of(NoteVendValid), "the report says it"
        assert table.machine.status()[0] == Status.VEND_VALID
        table.validator.acknowledge()
        table.run_until(NoteStacked)
    else:
        assert not table.of(NoteEscrowed)
    table.validator.accept(True)
    table.run(10_000)
    assert table.machine.status()[0] == Status.IDLING, "it is set up again as soon as it is idle"
    assert table.machine.insert(500, table.now_ms)
    assert table.run_until(NoteEscrowed).cents == 500


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("away_ms", [500, 6000])
def test_a_cable_that_is_pulled_and_put_back(state: PathState, away_ms: int, tmp_path: Path) -> None:
    table = bring_to(state, pty=str(tmp_path / "validator1"))
    table.far_end.unplug(table.now_ms)
    table.run(away_ms)
    assert table.of(FaultRaised)[0].fault is Fault.LINK_LOST
    table.far_end.replug(table.now_ms)
    table.run(8000)
    assert not {Fault.LINK_LOST, Fault.PORT_MISSING} & {event.fault for event in table.of(FaultRaised)} - {
        event.fault for event in table.of(FaultCleared)
    }
    assert len(table.of(ValidatorReport)) == 1
    if away_ms == 500 and state not in (PathState.STACKED, PathState.REJECTING, PathState.RETURNING):
        assert table.of(ValidatorReport)[0].holding is STATES[state][1]
    table.close()


def test_a_cable_pulled_in_holding_brings_the_value_back_or_the_note() -> None:
    table = bring_to(PathState.HOLDING)
    table.far_end.unplug(table.now_ms)
    table.run(500)
    table.far_end.replug(table.now_ms)
    table.run(2500)
    assert table.of(ValidatorReport)[0].holding is Holding.ESCROW
    assert table.of(NoteGivenBack)


# ---- details of the recovery


def test_vend_valid_again_after_a_power_cut_is_one_document() -> None:
    machine = Id003Machine(quirks=Quirks(vend_valid_after_power_up=True))
    table = bring_to(PathState.PUSHING, machine)
    machine.power_off(table.now_ms)
    table.run(700)
    machine.power_on(table.now_ms)
    table.run_until(ValidatorReport)
    table.validator.reset()
    table.run_until(NoteVendValid)
    assert not table.of(FaultRaised), "it was to be expected"
    table.validator.acknowledge()
    table.run_until(NoteStacked)
    assert machine.stacked_cents == TWENTY


def test_what_was_acknowledged_before_the_power_cut_is_acknowledged_again_without_a_word() -> None:
    machine = Id003Machine(quirks=Quirks(vend_valid_after_power_up=True))
    table = bring_to(PathState.VEND_VALID, machine)
    table.run(500)
    assert table.of(NoteVendValid)
    machine.power_off(table.now_ms)
    table.validator.acknowledge()
    table.run(700)
    machine.power_on(table.now_ms)
    table.run_until(ValidatorReport)
    table.validator.reset()
    table.run_until(NoteStacked)
    assert len(table.of(NoteVendValid)) == 1
    table.run(1000)
    assert machine.status()[0] == Status.IDLING


def test_an_acknowledgement_that_only_the_power_cut_answers() -> None:
    table = bring_to(PathState.VEND_VALID)
    table.run(500)
    table.machine.power_off(table.now_ms)
    table.run(500)
    table.machine.power_on(table.now_ms)
    table.run_until(ValidatorReport)
    table.validator.acknowledge()
    table.validator.reset()
    table.run_until(NoteStacked)
    assert table.machine.stacked_cents == TWENTY


def test_a_device_that_forgets_a_stacked_note_says_power_up() -> None:
    machine = Id003Machine(quirks=Quirks(forgets_stacked=True))
    table = bring_to(PathState.VEND_VALID, machine)
    table.run(500)
    machine.power_off(table.now_ms)
    table.validator.acknowledge()
    table.run(500)
    machine.power_on(table.now_ms)
    assert table.run_until(ValidatorReport).holding is Holding.POWER_UP
    assert table.of(NoteStacked), "the order to acknowledge is answered"


@pytest.mark.parametrize(
    ("soft_reset", "wanted"),
    [("initialize", [NoteStacked]), ("vend_valid", [NoteStacked]), ("in_stacker", [ValidatorReport])],
)
def test_reset_in_vend_valid_differs_between_units(soft_reset: str, wanted: list[type[DeviceEvent]]) -> None:
    machine = Id003Machine(quirks=Quirks(soft_reset=soft_reset))  # type: ignore[arg-type]
    table = bring_to(PathState.VEND_VALID, machine)
    table.run(500)
    table.events.clear()
    table.validator.reset()
    table.run(200)
    table.validator.acknowledge()
    table.run(8000)
    told = [type(event) for event in table.events if isinstance(event, (NoteStacked, ValidatorReport))]
    assert told == wanted
    assert machine.stacked_cents == TWENTY
    assert not table.of(NoteVendValid)


def test_reset_throws_out_a_note_in_escrow() -> None:
    table = bring_to(PathState.ESCROW)
    table.validator.reset()
    table.run(8000)
    assert table.of(NoteGivenBack)
    assert table.machine.returned_cents == TWENTY
    assert table.machine.status()[0] == Status.IDLING


def test_a_second_power_cut_before_reset_is_reported_when_it_says_something_else() -> None:
    unit = ScriptedUnit(Status.POWER_UP_IN_STACKER)
    table = Bench(unit)
    table.run(2000)
    unit.show(Status.POWER_UP)
    table.run(1000)
    assert [event.holding for event in table.of(ValidatorReport)] == [Holding.IN_STACKER, Holding.POWER_UP]
    unit.show(Status.JAM_IN_STACKER)
    table.run(1000)
    assert table.of(FaultRaised)[0].fault is Fault.JAM
    assert unit.count(Command.RESET) == 0


def test_evidence_that_appears_after_reset_is_reported() -> None:
    unit = ScriptedUnit(Status.POWER_UP)

    def answer(message: Id003Message) -> bytes | None:
        if message.code == Command.RESET:
            unit.show(Status.POWER_UP_IN_STACKER)
            return frame(Status.ACK)
        return unit.usual(message)

    unit.answer = answer
    table = Bench(unit)
    table.run(1000)
    table.validator.reset()
    table.run(1000)
    assert table.of(ValidatorReport)[-1].holding is Holding.IN_STACKER


@pytest.mark.parametrize("first", [Status.ACCEPTING, Status.STACKING, Status.INITIALIZE, Status.PAUSE])
def test_what_is_not_definite_is_waited_for(first: Status) -> None:
    unit = ScriptedUnit(first)
    if first is Status.INITIALIZE:
        unit.answer = lambda message: (
            frame(message.code, message.data) if message.code == Command.INHIBIT else unit.usual(message)
        )
    table = Bench(unit)
    table.run(3000)
    assert not table.of(ValidatorReport)
    unit.show(Status.VEND_VALID)
    assert table.run_until(ValidatorReport).holding is Holding.VEND_VALID


def test_a_note_in_escrow_whose_table_cannot_be_read_goes_back() -> None:
    for refusal in (None, frame(Status.INVALID_COMMAND)):
        unit = ScriptedUnit(Status.ESCROW, b"\x65")

        def answer(
            message: Id003Message, unit: ScriptedUnit = unit, refusal: bytes | None = refusal
        ) -> bytes | None:
            return refusal if message.code == Command.CURRENCY else unit.usual(message)

        unit.answer = answer
        table = Bench(unit)
        table.run(4000)
        assert table.of(ValidatorReport)[0].holding is Holding.ESCROW
        assert not table.of(NoteEscrowed)
        assert unit.count(Command.RETURN) >= 1


def test_orders_die_with_the_line() -> None:
    table = bring_to(PathState.ESCROW)
    table.run(200)
    table.validator.stack()
    table.far_end.unplug(table.now_ms)
    table.run(300)
    table.far_end.replug(table.now_ms)
    table.run(2000)
    assert Command.STACK_2 not in table.machine.commands
    assert [type(event) for event in table.events][-2:] == [ValidatorReport, NoteEscrowed]


def test_an_adapter_that_stays_open_and_silent_is_opened_again() -> None:
    table = bring_to(PathState.IDLE)
    opened: list[int] = []
    usual = table.open_link

    table.validator.close()

    def counting(settings: object) -> object:
        opened.append(table.now_ms)
        return usual(settings)  # type: ignore[arg-type]

    table.open_link = counting  # type: ignore[assignment]
    table.validator = table.new_driver()
    table.far_end.inject("silent", table.now_ms)
    table.run(60_000)
    assert 3 <= len(opened) <= 5


# ---- both wires tell the same story


@pytest.mark.parametrize("seed", range(4))
def test_memory_and_pty_give_the_same_events_at_the_same_times(seed: int, tmp_path: Path) -> None:
    stories = []
    for pty in ("", str(tmp_path / "validator1")):
        table = Bench(Id003Machine(), pty=pty, seed=seed, options={"missed_polls": 3})
        owner = NoteOwner(lambda table=table: table.validator)  # type: ignore[misc]
        table.owner = owner
        table.validator.accept(True)
        chance = random.Random(seed)
        for _ in range(40):
            table.run(chance.randrange(2500))
            fault = chance.choice([*WIRE, "unplug", "pause", ""])
            if fault == "unplug":
                table.far_end.unplug(table.now_ms)
                table.run(chance.randrange(1500))
                table.far_end.replug(table.now_ms)
            elif fault:
                table.far_end.inject(fault, table.now_ms)
            table.machine.insert(chance.choice([100, 500, TWENTY]), table.now_ms)
        # The port is named in the texts of faults, and that is the one difference.
        stories.append([repr(event).replace(table.port, "PORT") for event in table.events])
        counts = table.validator.statistics()
        stories.append([repr(table.machine.path.stacked), repr(counts), repr(owner.credited_cents)])
        table.close()
    assert len(stories[0]) >= 50
    assert stories[:2] == stories[2:]


# ---- the whole of it: an owner that writes down first


def mend(table: Bench[Id003Machine]) -> None:
    """An attendant comes round, as often as the device says that it is jammed."""
    if table.machine.path.jam is not Where.NOWHERE:
        table.machine.inject("jam_cleared", table.now_ms)
        table.run(500)
        table.validator.reset()
    if table.machine.path.box_open:
        table.machine.inject("box_in", table.now_ms)


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize("seed", range(16))
def test_no_cent_is_lost_or_doubled_by_a_hundred_accidents(seed: int) -> None:
    chance = random.Random(seed)
    quirks = Quirks(
        vend_valid_after_power_up=bool(seed & 1),
        soft_reset=("initialize", "vend_valid", "in_stacker")[seed % 3],
        stacked_polls=seed % 3,
        knows_hold=bool(seed & 2),
        bad_checksum="error" if seed & 4 else "silent",
        turnaround_ms=(0, 20)[seed & 1],
    )
    table = Bench(Id003Machine(quirks=quirks), seed=seed)
    owner = NoteOwner(lambda: table.validator)
    table.owner = owner
    table.validator.accept(True)
    table.run(8000)
    for _ in range(100):
        table.run(chance.randrange(1500))
        match chance.randrange(14):
            case 0:
                table.machine.power_off(table.now_ms)
                if chance.random() < 0.5:
                    table.far_end.drop_in_flight()
                table.run(chance.randrange(4000))
                table.machine.power_on(table.now_ms)
            case 1:
                table.restart_host()
                table.validator.accept(True)
            case 2:
                table.far_end.unplug(table.now_ms)
                table.run(chance.randrange(4000))
                table.far_end.replug(table.now_ms)
            case 3 | 4:
                table.far_end.inject(chance.choice(WIRE), table.now_ms)
            case 5:
                table.machine.inject(chance.choice(MACHINE), table.now_ms)
                table.run(chance.randrange(3000))
            case _:
                table.machine.insert(chance.choice([100, 500, 1000, TWENTY, 5000, 10_000]), table.now_ms)
        mend(table)
    for _ in range(4):  # calm
        table.run(CALM_MS)
        mend(table)
    assert table.machine.status()[0] == Status.IDLING, "it takes notes again"
    for _ in range(2):  # the first may still meet an accident that was prepared and not used
        assert table.machine.insert(TWENTY, table.now_ms)
        before = owner.credited_cents
        table.run(8000)
    assert owner.credited_cents == before + TWENTY
    stacked = table.machine.stacked_cents
    assert owner.intent_cents is None or owner.is_credited
    assert owner.credited_cents <= stacked, "never money that is not in the box"
    assert owner.credited_cents + owner.unresolved_cents >= stacked, "what is not credited is asked about"
    assert owner.unknown_notes == 0
    if owner.unresolved_cents == 0:
        assert owner.credited_cents == stacked


def test_the_note_events_of_a_quiet_evening_are_complete() -> None:
    table = bench()
    owner = NoteOwner(lambda: table.validator)
    table.owner = owner
    table.validator.accept(True)
    table.run(8000)
    for cents in (100, 500, 1000, TWENTY, 5000, 10_000) * 3:
        assert table.machine.insert(cents, table.now_ms)
        table.run(4000)
    assert owner.credited_cents == table.machine.stacked_cents == 55_800
    assert owner.unresolved_cents == 0
    for kind in (NoteAccepting, NoteEscrowed, NoteVendValid, NoteStacked):
        assert len(table.of(kind)) == 18
