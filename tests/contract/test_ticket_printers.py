"""What every ticket printer driver promises, whatever its protocol. Drivers are found by their folder.

A driver brings a simulated machine as ``drivers.sim.<name>``: ``BAUD``, ``BITS``, and ``MACHINE``, a
maker of the byte machine, and ``KEEPS_EVIDENCE``: whether a printer of this kind still tells a host that
has restarted what became of a ticket. The machine has a ``tray`` of papers (``complete``,
``text.validation``), ``printed_cents``, ``take()``, power, and at least the faults of
FAULTS_EVERY_PRINTER_HAS. It may offer ``any_setup``, a maker of setups by seed: printers in good order, quick
and slow ones, with their habits.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Protocol

import pytest

from drivers.device import (
    Device,
    DeviceEvent,
    Fault,
    FaultCleared,
    FaultRaised,
    PrinterReady,
    TicketDone,
    TicketOutcome,
    TicketPrinter,
)
from drivers.registry import Io, OptionsError, check, drivers_of, make
from drivers.sim.wire import FarEnd, Machine, memory_wire
from support.devices.printers import NUMBERS, no_bank, ticket

FAULTS_EVERY_PRINTER_HAS = {
    "paper_out",
    "load_paper",
    "jam",
    "repair",
    "head_open",
    "head_close",
    "paper_low",
    "swallowed",
}
PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN


class Paper(Protocol):
    @property
    def complete(self) -> bool: ...


class PrinterMachine(Machine, Protocol):
    tray: Sequence[Any]
    printed_cents: int

    def take(self) -> object: ...


class Rig:
    def __init__(self, name: str, seed: int | None = None) -> None:
        self.name = name
        module: ModuleType = importlib.import_module(f"drivers.sim.{name}")
        setup = None if seed is None or not hasattr(module, "any_setup") else module.any_setup(seed)
        baud = module.BAUD if setup is None else setup.baud
        self.options = {} if setup is None else {"baud": baud, "flow": "xonxoff"}
        self.machine: PrinterMachine = module.MACHINE(setup)
        self.keeps_evidence: bool = module.KEEPS_EVIDENCE
        self.wire: FarEnd
        self.open_link, self.wire = memory_wire(
            self.machine, baud=baud, bits=module.BITS, xonxoff=bool(self.options)
        )
        self.now_ms = 0
        self.events: list[DeviceEvent] = []
        self.driver = self.new_driver()

    def new_driver(self) -> TicketPrinter:
        options = {"port": "p", **self.options}
        driver = make("ticket_printer", self.name, "printer1", options, Io(self.open_link, no_bank))
        assert isinstance(driver, TicketPrinter)
        return driver

    def run(self, span_ms: int, until: Callable[[], bool] = lambda: False) -> None:
        end_ms = self.now_ms + span_ms
        for _ in range(1_000_000):
            self.wire.tick(self.now_ms)
            self.events += self.driver.tick(self.now_ms)
            self.wire.tick(self.now_ms)
            if until():
                return
            due = [at for at in (self.wire.wake_at, self.driver.wake_at) if at is not None]
            next_ms = max(self.now_ms, min(due, default=end_ms + 1))
            if next_ms > end_ms:
                self.now_ms = end_ms
                return
            self.now_ms = next_ms
        raise AssertionError("time stands still")

    def ready(self) -> bool:
        levels = [event.ready for event in self.events if isinstance(event, PrinterReady)]
        return bool(levels) and levels[-1]

    def make_ready(self) -> None:
        self.driver.release()
        self.run(30_000, self.ready)
        assert self.ready()

    def done(self, ref: int) -> list[TicketOutcome]:
        return [event.outcome for event in self.events if isinstance(event, TicketDone) and event.ref == ref]

    def outcome(self, ref: int) -> TicketOutcome:
        self.run(180_000, lambda: bool(self.done(ref)))
        (outcome,) = self.done(ref)
        return outcome

    def whole(self) -> list[str]:
        return [paper.text.validation for paper in self.machine.tray if paper.complete]


@pytest.fixture(params=drivers_of("ticket_printer"))
def rig(request: pytest.FixtureRequest) -> Rig:
    return Rig(request.param)


def test_there_is_a_driver() -> None:
    assert drivers_of("ticket_printer")


def test_the_machine_has_the_faults_that_the_lab_expects(rig: Rig) -> None:
    assert set(rig.machine.FAULTS) >= FAULTS_EVERY_PRINTER_HAS


def test_its_table_needs_a_port_and_refuses_what_it_does_not_know(rig: Rig) -> None:
    assert check("ticket_printer", rig.name, {"port": "/dev/printer"}) == []
    assert [row.key for row in check("ticket_printer", rig.name, {})] == ["port"]
    with pytest.raises(OptionsError):
        make("ticket_printer", rig.name, "p", {"port": "p", "colour": 1}, Io(rig.open_link, no_bank))


def test_it_is_a_device(rig: Rig) -> None:
    assert isinstance(rig.driver, Device)
    assert rig.driver.name == "printer1"
    rig.run(5000)
    assert {event.device for event in rig.events} <= {"printer1"}
    assert all(0 <= event.at_ms <= rig.now_ms for event in rig.events)
    assert rig.driver.frames()
    wanted = {"polls", "answered", "bad_checksum", "no_answer", "resent", "lost_bytes"}
    assert wanted <= set(rig.driver.statistics())
    assert rig.driver.statistics()["answered"] > 0


def test_it_only_watches_until_it_is_told_what_is_open(rig: Rig) -> None:
    rig.run(20_000)
    assert not rig.ready()
    rig.driver.print_ticket(1, ticket())
    assert rig.outcome(1) is NOT_STARTED
    rig.run(20_000)
    assert rig.machine.tray == []


@pytest.mark.requirement("PRN-02")
def test_a_ticket_is_one_paper_and_one_outcome(rig: Rig) -> None:
    rig.make_ready()
    rig.driver.print_ticket(1, ticket())
    assert rig.outcome(1) is PRINTED
    rig.driver.recorded(1)
    rig.run(30_000)
    assert rig.whole() == [NUMBERS[0]]
    assert rig.machine.printed_cents == 8502
    assert rig.done(1) == [PRINTED]


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("name", drivers_of("ticket_printer"))
@pytest.mark.parametrize("seed", range(8))
def test_a_whole_ticket_in_peace_is_told_printed_by_every_printer_in_good_order(name: str, seed: int) -> None:
    rig = Rig(name, seed)
    rig.make_ready()
    for ref, number in enumerate(NUMBERS, 1):
        rig.driver.print_ticket(ref, ticket(number))
        assert rig.outcome(ref) is PRINTED
        rig.driver.recorded(ref)
        rig.machine.take()
        rig.run(30_000, rig.ready)
    assert rig.whole() == list(NUMBERS)


@pytest.mark.requirement("PRN-02")
def test_an_order_that_vanishes_is_never_printed_and_the_printer_is_of_use_again(rig: Rig) -> None:
    rig.make_ready()
    rig.wire.inject("swallowed", rig.now_ms)
    rig.driver.print_ticket(1, ticket())
    assert rig.outcome(1) is not PRINTED
    assert rig.whole() == []
    rig.driver.recorded(1)
    rig.run(60_000, rig.ready)
    rig.driver.print_ticket(2, ticket(NUMBERS[1]))
    assert rig.outcome(2) is PRINTED
    assert rig.whole() == [NUMBERS[1]]


@pytest.mark.requirement("PRN-04")
def test_a_unit_that_says_nothing_more_is_told_and_takes_no_order(rig: Rig) -> None:
    rig.make_ready()
    rig.wire.inject("silent", rig.now_ms)
    rig.run(10_000)
    assert Fault.LINK_LOST in [event.fault for event in rig.events if isinstance(event, FaultRaised)]
    assert not rig.ready()
    rig.driver.print_ticket(1, ticket())
    assert rig.outcome(1) is NOT_STARTED


def test_the_evidence_outlives_the_host_until_the_outcome_is_recorded(rig: Rig) -> None:
    rig.make_ready()
    rig.driver.print_ticket(1, ticket())
    assert rig.outcome(1) is PRINTED
    for _ in range(2):
        rig.driver.close()
        rig.events.clear()
        rig.driver = rig.new_driver()
        rig.driver.inquire(1)
        assert rig.outcome(1) is (PRINTED if rig.keeps_evidence else UNKNOWN)
    rig.driver.recorded(1)
    rig.machine.take()
    rig.run(10_000)
    assert rig.ready()


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment_ms", [0, 400, 1000, 2500, 5000])
def test_a_restart_of_the_host_never_lies_about_paper(rig: Rig, moment_ms: int) -> None:
    rig.make_ready()
    rig.driver.print_ticket(1, ticket())
    rig.run(moment_ms)
    rig.driver.close()
    rig.events.clear()
    rig.driver = rig.new_driver()
    rig.driver.inquire(1)
    outcome = rig.outcome(1)
    rig.driver.recorded(1)
    rig.run(30_000)
    if rig.keeps_evidence or outcome is not UNKNOWN:
        assert rig.whole() == ([NUMBERS[0]] if outcome is PRINTED else [])
    assert len(rig.whole()) <= 1


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment_ms", [400, 1000, 2500, 5000])
def test_a_power_cut_of_both_is_never_called_printed_without_paper(rig: Rig, moment_ms: int) -> None:
    rig.make_ready()
    rig.driver.print_ticket(1, ticket())
    rig.run(moment_ms)
    rig.driver.close()
    rig.wire.drop_in_flight()
    rig.machine.power_off(rig.now_ms)
    rig.machine.power_on(rig.now_ms)
    rig.events.clear()
    rig.driver = rig.new_driver()
    rig.driver.inquire(1)
    outcome = rig.outcome(1)
    rig.driver.recorded(1)
    rig.run(30_000)
    if outcome is not UNKNOWN:
        assert len(rig.whole()) == (outcome is PRINTED)
    assert len([paper for paper in rig.machine.tray if paper.text.validation]) <= 1


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize(("fault", "remedy"), [("paper_out", "load_paper"), ("head_open", "head_close")])
def test_trouble_is_raised_once_and_cleared_once(rig: Rig, fault: str, remedy: str) -> None:
    rig.make_ready()
    rig.wire.inject(fault, rig.now_ms)
    rig.run(10_000)
    assert not rig.ready()
    rig.driver.print_ticket(1, ticket())
    assert rig.outcome(1) is NOT_STARTED
    rig.wire.inject(remedy, rig.now_ms)
    rig.run(10_000)
    assert rig.ready()
    raised = [event.fault for event in rig.events if isinstance(event, FaultRaised)]
    cleared = [event.fault for event in rig.events if isinstance(event, FaultCleared)]
    assert sorted(raised) == sorted(cleared)
    assert len(set(raised)) == len(raised)


@pytest.mark.requirement("PRN-02", "PRN-04")
def test_a_jam_makes_the_ticket_unknown_and_needs_the_attendant(rig: Rig) -> None:
    rig.make_ready()
    rig.driver.print_ticket(1, ticket())
    rig.run(2500)
    rig.wire.inject("jam", rig.now_ms)
    assert rig.outcome(1) is UNKNOWN
    rig.driver.recorded(1)
    rig.wire.inject("repair", rig.now_ms)
    rig.run(1000)
    rig.driver.clear_fault()
    rig.run(10_000)
    assert rig.ready()
    rig.driver.print_ticket(2, ticket(NUMBERS[1]))
    assert rig.outcome(2) is PRINTED
    assert rig.whole() == [NUMBERS[1]]


def test_it_never_raises_and_never_spins_whatever_happens_to_the_wire(rig: Rig) -> None:
    rig.make_ready()
    rig.driver.print_ticket(1, ticket())
    for fault in FarEnd.WIRE_FAULTS:
        rig.run(700)
        rig.wire.inject(fault, rig.now_ms)
    rig.wire.inject("mend", rig.now_ms)
    outcome = rig.outcome(1)
    assert len(rig.whole()) == (outcome is PRINTED) or outcome is UNKNOWN


def test_rubbish_is_never_a_ticket(rig: Rig) -> None:
    rig.make_ready()
    for seed in range(20):
        rig.wire.transport.deliver(bytes((seed * 37 + at * 101) % 256 for at in range(200)))
        rig.run(500)
    assert rig.done(1) == []
    assert not any(isinstance(event, TicketDone) for event in rig.events)
