"""What every bill validator driver owes its owner. Drivers are found by name.

To be accepted a driver ``drivers/bill_validator/NAME.py`` brings ``tests/vectors/NAME.json`` (frames
that were not made by its own code) and ``drivers/sim/NAME.py`` with ``MACHINE`` (a simulated device
that starts with power and offers ``insert(cents, now_ms)``, ``stacked_cents``, ``returned_cents``),
``BAUD`` and ``BITS``. Then everything below runs against it.
"""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers import registry
from drivers.device import (
    EVIDENCE_CHARS,
    BarcodeEscrowed,
    BillValidator,
    DeviceEvent,
    Fault,
    FaultCleared,
    FaultRaised,
    Holding,
    NoteAccepting,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteTable,
    NoteVendValid,
    OpenDocument,
    ValidatorEnabled,
    ValidatorReport,
)
from drivers.sim.wire import FarEnd, Machine, memory_wire
from support.devices.validator_bench import Bench
from support.evenings.note_owner import NoteOwner

DRIVERS = registry.drivers_of("bill_validator")
VECTORS = Path(__file__).parents[1] / "vectors"
COUNTERS = {"polls", "answered", "bad_checksum", "no_answer", "resent", "lost_bytes"}
TWENTY = 2000
MINUTE_MS = 60_000
# What a simulated validator can do so that its driver is held to the cases below.
FAULTS_EVERY_VALIDATOR_HAS = {
    "stands_still", "ignores_stack", "never_ready", "powers_up", "stays_inhibited", "refuses_accept",
    "goes_on_taking", "deaf", "healed",
}  # fmt: skip


class Acceptor(Machine, Protocol):
    """A simulated validator as this suite uses it."""

    @property
    def stacked_cents(self) -> int: ...
    @property
    def returned_cents(self) -> int: ...
    def insert(self, cents: int, now_ms: int) -> bool: ...
    def insert_ticket(self, digits: str, now_ms: int) -> bool: ...


MakeBench = Callable[..., Bench[Acceptor]]


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def make_bench(driver: str) -> MakeBench:
    sim: Any = importlib.import_module(f"drivers.sim.{driver}")

    def make(**more: Any) -> Bench[Acceptor]:
        return Bench(sim.MACHINE(), driver=driver, baud=sim.BAUD, bits=sim.BITS, **more)

    return make


def test_there_is_a_driver_to_hold_to_this() -> None:
    assert "id003" in DRIVERS


def test_it_brings_vectors_and_bounded_options(driver: str) -> None:
    rows = json.loads((VECTORS / f"{driver}.json").read_text())
    assert len(rows) >= 10
    assert all(row["meaning"] and row["frame"] for row in rows)
    (row,) = registry.check("bill_validator", driver, {"port": "/dev/x", "no_such_option": 1})
    assert row.key == "no_such_option"
    module: Any = importlib.import_module(f"drivers.bill_validator.{driver}")
    schema = msgspec.json.schema(module.Options)["$defs"]["Options"]
    for key, field in schema["properties"].items():
        if field.get("type") == "integer":
            assert {"minimum", "exclusiveMinimum"} & field.keys(), f"{key} has no lower bound"
            assert "maximum" in field, f"{key} has no upper bound"


def test_it_has_the_shape_of_a_validator_and_opens_nothing_before_its_first_tick(
    make_bench: MakeBench,
) -> None:
    bench = make_bench()
    assert isinstance(bench.validator, BillValidator)
    assert bench.validator.name == "validator1"
    assert bench.validator.fileno() is None
    assert bench.validator.statistics().keys() >= COUNTERS
    assert bench.validator.frames() == ()
    wake_at = bench.validator.wake_at
    assert wake_at is not None
    assert wake_at <= 0


def test_a_device_that_lost_power_is_reported_and_waits_for_reset(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.validator.accept(True)
    bench.run(10_000)
    assert [event.holding for event in bench.of(ValidatorReport)] == [Holding.POWER_UP]
    assert not bench.of(ValidatorEnabled)
    bench.validator.reset()
    bench.run(10_000)
    assert bench.of(NoteTable)[-1].notes
    assert all(note.currency == "USD" and note.cents > 0 for note in bench.of(NoteTable)[-1].notes)
    assert bench.of(ValidatorEnabled)[-1].enabled


@pytest.mark.requirement("BIL-01", "BIL-02")
def test_a_note_is_credited_once_and_closed_after_the_owner_has_acknowledged(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    assert bench.machine.insert(TWENTY, bench.now_ms)
    assert bench.run_until(NoteEscrowed).cents == TWENTY
    bench.validator.stack()
    bench.run_until(NoteVendValid)
    bench.run(4000)
    assert not bench.of(NoteStacked)
    bench.validator.acknowledge()
    bench.run(4000)
    kinds = [type(event) for event in bench.events]
    assert kinds == [NoteAccepting, NoteEscrowed, NoteVendValid, NoteStacked]
    assert bench.machine.stacked_cents == TWENTY


def reads_tickets(driver: str) -> bool:
    """The driver has the option `barcode`; one without it has no tickets to be held to."""
    return not registry.check("bill_validator", driver, {"port": "/dev/validator1", "barcode": True})


NUMBER = "006338742623748784"
READS_TICKETS = [name for name in DRIVERS if reads_tickets(name)]


@pytest.mark.requirement("PRN-09")
@pytest.mark.parametrize("driver", READS_TICKETS)
def test_a_ticket_is_told_by_its_digits_and_stacked_as_a_note_is(make_bench: MakeBench) -> None:
    bench = make_bench(options={"barcode": True})
    bench.make_ready()
    assert bench.machine.insert_ticket(NUMBER, bench.now_ms)
    assert bench.run_until(BarcodeEscrowed).digits == NUMBER
    bench.validator.stack()
    bench.run_until(NoteVendValid)
    bench.run(4000)
    assert not bench.of(NoteStacked)
    bench.validator.acknowledge()
    bench.run(4000)
    kinds = [type(event) for event in bench.events]
    assert kinds == [NoteAccepting, BarcodeEscrowed, NoteVendValid, NoteStacked]
    assert bench.machine.stacked_cents == 0


@pytest.mark.requirement("PRN-09", "BIL-04")
def test_a_ticket_that_nobody_asked_for_goes_back(make_bench: MakeBench, driver: str) -> None:
    """Without the option; and, with it, one that was read in part: that is another number."""
    wanted: list[tuple[dict[str, object], str]] = [({}, NUMBER)]
    if reads_tickets(driver):
        wanted += [({"barcode": True}, NUMBER[:17]), ({"barcode": True}, NUMBER + "1")]
    for options, digits in wanted:
        bench = make_bench(options=options)
        bench.make_ready()
        bench.machine.insert_ticket(digits, bench.now_ms)
        assert bench.run_until(NoteGivenBack).reason
        bench.run(4000)
        assert not bench.of(BarcodeEscrowed)
        assert not bench.of(NoteVendValid)


def test_a_note_is_given_back(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.machine.insert(TWENTY, bench.now_ms)
    bench.run_until(NoteEscrowed)
    bench.validator.give_back()
    assert bench.run_until(NoteGivenBack).reason
    bench.run(4000)
    assert bench.machine.returned_cents == TWENTY
    assert bench.machine.stacked_cents == 0
    assert not bench.of(NoteVendValid)


@pytest.mark.requirement("BIL-03")
def test_nothing_is_taken_while_the_owner_inhibits(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.validator.accept(False)
    assert bench.run_until(ValidatorEnabled).enabled is False
    assert not bench.machine.insert(TWENTY, bench.now_ms)


def confirmed(bench: Bench[Acceptor]) -> list[int]:
    """The numbers of the inhibits that have been confirmed."""
    return [event.change for event in bench.of(ValidatorEnabled) if event.change]


@pytest.mark.requirement("BIL-03", "CRD-10")
def test_an_inhibit_is_confirmed_once_by_its_number_when_it_has_come_to_pass(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.validator.accept(False, 7)
    assert not confirmed(bench)
    bench.run(5_000)
    assert confirmed(bench) == [7]
    bench.validator.accept(False, 8)
    bench.run(5_000)
    assert confirmed(bench) == [7, 8]
    bench.validator.accept(True, 8)
    bench.run(5_000)
    assert confirmed(bench) == [7, 8]
    assert not bench.of(ValidatorEnabled)[-1].change


@pytest.mark.requirement("CRD-10")
@pytest.mark.parametrize("lost", ["", "lost", "lost_request", "garbled", "delayed"])
def test_a_note_that_was_on_its_way_is_told_before_the_inhibit_is_confirmed(
    make_bench: MakeBench, lost: str
) -> None:
    """At every moment: the confirmation never overtakes what was drawn in before the order."""
    for moment_ms in range(0, 400, 7):
        bench = make_bench(seed=moment_ms)
        bench.make_ready()
        bench.run(moment_ms)
        for _ in range(moment_ms % 4 if lost else 0):
            bench.far_end.inject(lost, bench.now_ms)
        assert bench.machine.insert(TWENTY, bench.now_ms)
        bench.run(moment_ms % 50)
        bench.validator.accept(False, 5)
        bench.run(15_000)
        assert confirmed(bench)[-1] == 5
        told = [type(event) for event in bench.events]
        documents = [place for place, kind in enumerate(told) if kind is NoteAccepting]
        assert documents or lost, "what nobody could hear of has gone back by itself"
        assert all(place < told.index(ValidatorEnabled) for place in documents), moment_ms
        assert bench.machine.stacked_cents == 0


@pytest.mark.parametrize("order", ["stack", "give_back", "acknowledge"])
def test_an_order_that_fits_nothing_has_exactly_one_outcome(make_bench: MakeBench, order: str) -> None:
    bench = make_bench()
    bench.make_ready()
    getattr(bench.validator, order)()
    bench.run(3000)
    assert [type(event) for event in bench.events] == [
        NoteStacked if order == "acknowledge" else NoteGivenBack
    ]


@pytest.mark.requirement("BIL-08")
def test_foreign_notes_never_reach_the_owner(make_bench: MakeBench) -> None:
    bench = make_bench(options={"currency": "CHF"})
    bench.validator.accept(True)
    bench.run(600)
    bench.validator.reset()
    bench.run(10_000)
    assert bench.of(FaultRaised)[-1].fault is Fault.WRONG_CURRENCY
    assert not bench.machine.insert(TWENTY, bench.now_ms)


def test_a_missing_port_is_an_event_and_its_return_another(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.far_end.unplug(0)
    bench.run(5000)
    assert [event.fault for event in bench.of(FaultRaised)] == [Fault.PORT_MISSING]
    bench.far_end.replug(bench.now_ms)
    bench.run(8000)
    assert Fault.PORT_MISSING in [event.fault for event in bench.of(FaultCleared)]
    assert bench.of(ValidatorReport)


@pytest.mark.requirement("BIL-06")
def test_a_lost_line_is_raised_once_cleared_once_and_reported_after(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.far_end.inject("silent", bench.now_ms)
    bench.run(10_000)
    assert [event.fault for event in bench.of(FaultRaised)] == [Fault.LINK_LOST]
    assert bench.of(FaultRaised)[0].detail
    bench.far_end.inject("mend", bench.now_ms)
    bench.run(10_000)
    assert [event.fault for event in bench.of(FaultCleared)] == [Fault.LINK_LOST]
    assert [event.holding for event in bench.of(ValidatorReport)] == [Holding.NOTHING]
    assert bench.of(ValidatorEnabled)[-1].enabled, "the wish of the owner outlives the line"


def an_hour_of_play(bench: Bench[Acceptor], step: Callable[[int], None]) -> list[DeviceEvent]:
    """Notes and accidents at fixed times; ``step(ms)`` lets time pass."""
    bench.owner = NoteOwner(lambda: bench.validator)
    bench.validator.accept(True)
    step(6000)
    for fault in ("", "lost", "garbled_request", "split", "unplug", "noise", ""):
        bench.machine.insert(TWENTY, bench.now_ms)
        step(700)
        if fault:
            bench.far_end.inject(fault, bench.now_ms)
        step(300)
        if fault == "unplug":
            bench.far_end.inject("replug", bench.now_ms)
        step(5000)
    return bench.events


def test_sleeping_until_wake_at_misses_nothing(make_bench: MakeBench) -> None:
    leaping, stepping = make_bench(), make_bench()

    def every_millisecond(for_ms: int) -> None:
        for _ in range(for_ms):
            stepping.run(0)
            stepping.now_ms += 1

    def leap(for_ms: int) -> None:
        leaping.run(for_ms - 1)
        leaping.now_ms += 1

    assert an_hour_of_play(leaping, leap) == an_hour_of_play(stepping, every_millisecond)
    assert leaping.machine.stacked_cents == stepping.machine.stacked_cents > 0
    assert leaping.instants < stepping.instants / 5


def test_events_name_the_device_and_the_time_at_which_they_were_read(make_bench: MakeBench) -> None:
    bench = make_bench()
    read_at: list[tuple[int, DeviceEvent]] = []
    bench.validator.accept(True)
    bench.run(600)
    bench.validator.reset()
    for _ in range(200):
        bench.far_end.tick(bench.now_ms)
        read_at += [(bench.now_ms, event) for event in bench.validator.tick(bench.now_ms)]
        bench.far_end.tick(bench.now_ms)
        bench.now_ms += 17
    assert read_at
    assert all(event.at_ms == at and event.device == "validator1" for at, event in read_at)


def test_the_log_and_the_counters(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.run(60_000)
    frames = bench.validator.frames()
    assert len(frames) == 64
    assert all(frame.meaning and frame.data for frame in frames)
    assert {frame.sent for frame in frames} == {True, False}
    assert [frame.at_ms for frame in frames] == sorted(frame.at_ms for frame in frames)
    counters = bench.validator.statistics()
    assert counters["polls"] > 100
    assert counters["answered"] > 100
    assert counters["no_answer"] == counters["bad_checksum"] == 0


def test_a_closed_driver_is_quiet_for_good(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.validator.close()
    assert bench.validator.wake_at is None
    assert bench.validator.fileno() is None
    for now in range(bench.now_ms, bench.now_ms + 20_000, 500):
        assert not bench.validator.tick(now)
    bench.validator = bench.new_driver()
    bench.run(5000)
    assert bench.of(ValidatorReport), "the port is free for the next one"


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize("seed", range(6))
def test_an_owner_that_writes_down_first_is_right_to_the_cent(make_bench: MakeBench, seed: int) -> None:
    chance = random.Random(seed)
    bench = make_bench(seed=seed)
    owner = NoteOwner(lambda: bench.validator)
    bench.owner = owner
    bench.validator.accept(True)
    bench.run(8000)
    wire = sorted(FarEnd.WIRE_FAULTS.keys() - {"unplug", "replug", "silent", "echo", "mend"})
    for _ in range(60):
        bench.run(chance.randrange(1500))
        match chance.randrange(12):
            case 0:
                bench.machine.power_off(bench.now_ms)
                bench.far_end.drop_in_flight()
                bench.run(chance.randrange(3000))
                bench.machine.power_on(bench.now_ms)
            case 1:
                bench.restart_host(owner.open_document())
                bench.validator.accept(True)
            case 2:
                bench.far_end.unplug(bench.now_ms)
                bench.run(chance.randrange(2000))
                bench.far_end.replug(bench.now_ms)
            case 3 | 4 | 5:
                bench.far_end.inject(chance.choice(wire), bench.now_ms)
            case _:
                bench.machine.insert(chance.choice([100, 500, TWENTY]), bench.now_ms)
    bench.run(40_000)
    assert bench.machine.insert(TWENTY, bench.now_ms), "it works again"
    bench.run(10_000)
    stacked = bench.machine.stacked_cents
    assert owner.credited_cents <= stacked <= owner.credited_cents + owner.unresolved_cents
    assert owner.unknown_notes == 0


def told_in_escrow(bench: Bench[Acceptor]) -> OpenDocument:
    """A note waits in escrow; what a journal keeps of it."""
    bench.make_ready()
    bench.machine.insert(TWENTY, bench.now_ms)
    note = bench.run_until(NoteEscrowed)
    return OpenDocument(note.cents, note.code, "", False, note.evidence)


@pytest.mark.requirement("BIL-02", "MEM-01")
@pytest.mark.parametrize("away_ms", range(250, 3250, 250))
def test_a_note_that_falls_while_the_program_is_away_is_told_once(
    make_bench: MakeBench, away_ms: int
) -> None:
    """Whenever the program dies after the order, before the credit is recorded or after: each start tells the
    note until its end is recorded, and never again."""
    bench = make_bench()
    document = told_in_escrow(bench)
    bench.validator.stack()
    bench.run(away_ms)
    bench.restart_host(document)
    bench.run(6_000)
    first = bench.of(ValidatorReport)[0].holding
    told = bench.of(NoteVendValid)
    assert first is Holding.VEND_VALID or told
    evidence = told[-1].evidence if told else bench.of(ValidatorReport)[-1].evidence
    credited = OpenDocument(document.cents, document.code, "", True, evidence or document.evidence)
    for _ in range(2):
        bench.restart_host(credited)
        bench.run(3_000)
        assert not bench.of(NoteVendValid), "the report says it"
        assert bench.of(ValidatorReport)[0].holding in (Holding.VEND_VALID, Holding.NOTHING)
    bench.validator.acknowledge()
    bench.run(4_000)
    bench.restart_host()
    bench.run(4_000)
    assert [event.holding for event in bench.of(ValidatorReport)] == [Holding.NOTHING]
    assert not bench.of(NoteVendValid)
    assert bench.machine.stacked_cents == TWENTY


@pytest.mark.requirement("BIL-02", "MEM-01")
def test_a_note_that_waits_while_the_program_is_away_is_decided_again(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.restart_host(told_in_escrow(bench))
    bench.run(1_500)
    assert bench.of(ValidatorReport)[0].holding is Holding.ESCROW
    bench.validator.stack()
    bench.run_until(NoteVendValid)
    assert bench.machine.stacked_cents == TWENTY


def test_what_goes_to_the_journal_is_short_and_printable(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.owner = NoteOwner(lambda: bench.validator)
    told_in_escrow(bench)
    bench.run(6_000)
    bench.restart_host()
    bench.run(3_000)
    kinds = (ValidatorReport, NoteEscrowed, NoteVendValid)
    evidence = [event.evidence for event in bench.events if isinstance(event, kinds)]
    assert evidence
    assert all(len(text) <= EVIDENCE_CHARS and text.isascii() for text in evidence)
    assert all(text.isprintable() for text in evidence)


def raised(bench: Bench[Acceptor]) -> list[Fault]:
    """The faults that are there now."""
    found: list[Fault] = []
    for event in bench.events:
        if isinstance(event, FaultRaised):
            found.append(event.fault)
        elif isinstance(event, FaultCleared):
            found.remove(event.fault)
    return found


def test_its_simulated_unit_can_stand_still(make_bench: MakeBench) -> None:
    assert make_bench().machine.FAULTS.keys() >= FAULTS_EVERY_VALIDATOR_HAS


@pytest.mark.requirement("BIL-06")
@pytest.mark.parametrize("moment_ms", range(100, 4_500, 300))
def test_a_document_that_stands_still_is_told_within_a_minute(make_bench: MakeBench, moment_ms: int) -> None:
    """Wherever it stops; and it goes its usual way when it moves again."""
    bench = make_bench()
    owner = NoteOwner(lambda: bench.validator)
    bench.owner = owner
    bench.make_ready()
    assert bench.machine.insert(TWENTY, bench.now_ms)
    bench.run(moment_ms)
    bench.far_end.inject("stands_still", bench.now_ms)
    bench.run(MINUTE_MS)
    gone = bool(bench.of(NoteStacked))  # it may stand still in its last status, or have nothing to do
    assert raised(bench) == [Fault.DOCUMENT_STUCK] or (gone and not raised(bench))
    told = [event.detail for event in bench.of(FaultRaised)]
    assert all(told)
    assert len(told) <= 1
    bench.far_end.inject("healed", bench.now_ms)
    bench.run(15_000)
    assert raised(bench) == []
    assert owner.credited_cents == bench.machine.stacked_cents == TWENTY


@pytest.mark.requirement("BIL-06")
def test_a_stack_order_that_is_not_carried_out_is_told_within_a_minute(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.far_end.inject("ignores_stack", bench.now_ms)
    bench.machine.insert(TWENTY, bench.now_ms)
    bench.run_until(NoteEscrowed)
    bench.validator.stack()
    bench.run(MINUTE_MS)
    assert raised(bench) == [Fault.DOCUMENT_STUCK]
    assert not bench.of(NoteVendValid)
    bench.validator.reset()
    bench.run(15_000)
    assert raised(bench) == []


@pytest.mark.requirement("BIL-06")
@pytest.mark.parametrize("fault", ["never_ready", "powers_up", "stays_inhibited", "refuses_accept"])
def test_a_unit_that_answers_and_is_never_ready_is_told_within_a_minute(
    make_bench: MakeBench, fault: str
) -> None:
    bench = make_bench()
    bench.owner = NoteOwner(lambda: bench.validator)
    bench.far_end.inject(fault, bench.now_ms)
    bench.validator.accept(True)
    bench.run(MINUTE_MS)
    assert raised(bench) == [Fault.NOT_READY]
    bench.far_end.inject("healed", bench.now_ms)
    bench.run(5 * MINUTE_MS)
    assert raised(bench) == []
    assert bench.of(ValidatorEnabled)[-1].enabled


@pytest.mark.requirement("BIL-03", "BIL-06")
def test_a_unit_that_goes_on_taking_is_told_and_its_notes_go_back(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.far_end.inject("goes_on_taking", bench.now_ms)
    bench.validator.accept(False, 3)
    bench.run(MINUTE_MS)
    assert raised(bench) == [Fault.NOT_READY]
    assert not confirmed(bench)
    bench.machine.insert(TWENTY, bench.now_ms)
    bench.run(6_000)
    assert not bench.of(NoteEscrowed)
    assert bench.machine.stacked_cents == 0


@pytest.mark.requirement("BIL-06")
def test_a_unit_that_only_reset_revives_gets_it_from_its_driver(make_bench: MakeBench) -> None:
    bench = make_bench()
    bench.make_ready()
    bench.far_end.inject("deaf", bench.now_ms)
    bench.run(10_000)
    assert raised(bench) == [Fault.LINK_LOST]
    bench.run(50_000)
    assert raised(bench) == []
    assert bench.of(ValidatorEnabled)[-1].enabled


@pytest.mark.requirement("BIL-06")
def test_a_unit_that_is_only_slow_calls_nobody(make_bench: MakeBench) -> None:
    """An hour of notes, each of them taken out or stacked in its time."""
    bench = make_bench()
    bench.owner = NoteOwner(lambda: bench.validator)
    bench.validator.accept(True)
    bench.run(10_000)
    for _ in range(100):
        bench.machine.insert(TWENTY, bench.now_ms)
        bench.run(36_000)
    assert not bench.of(FaultRaised)


class Babbler:
    """A line full of rubbish."""

    FAULTS: Mapping[str, str] = {}

    def __init__(self, rubbish: list[bytes]) -> None:
        self.rubbish = rubbish
        self.wake_at: int | None = 0

    def receive(self, data: bytes, now_ms: int) -> None: ...

    def tick(self, now_ms: int) -> bytes:
        self.wake_at = now_ms + 40 if self.rubbish else None
        return self.rubbish.pop() if self.rubbish else b""

    def inject(self, fault: str, now_ms: int) -> None: ...
    def power_off(self, now_ms: int) -> None: ...
    def power_on(self, now_ms: int) -> None: ...


@pytest.mark.requirement("BIL-01")
@settings(max_examples=60, deadline=None)
@given(st.sampled_from(DRIVERS), st.lists(st.binary(max_size=60), max_size=30))
def test_rubbish_is_never_money_and_never_an_exception(driver: str, rubbish: list[bytes]) -> None:
    babbler = Babbler(rubbish)
    open_link, far_end = memory_wire(babbler, baud=9600)
    bench: Bench[Babbler] = Bench(babbler, driver=driver)
    bench.open_link, bench.far_end = open_link, far_end
    bench.validator = bench.new_driver()
    bench.run(6000)
    assert not [
        event
        for event in bench.events
        if isinstance(event, (NoteEscrowed, NoteVendValid, NoteStacked, ValidatorReport))
    ]
