"""The driver of TCL printers alone, on units that restart, forget and remember in their own ways."""

from __future__ import annotations

from dataclasses import dataclass, field

from adversary.tcl_unit import Habits, TclUnit
from drivers import registry
from drivers.device import (
    DeviceEvent,
    Fault,
    FaultRaised,
    PrinterReady,
    TicketDone,
    TicketFields,
    TicketOutcome,
    TicketPrinter,
)
from drivers.gpio import Bank
from drivers.registry import Io
from drivers.sim.wire import memory_wire

NUMBERS = ("005671408547977327", "000169370485315032", "006338742623748784")


def fields(number: str) -> TicketFields:
    return TicketFields(
        *(
            "DEMO CASINO",
            "1 TEST STREET",
            "RENO NV 00000",
            "CASHOUT TICKET",
            number,
            "11/29/2026",
            "23:40:00",
        ),
        *(
            "TICKET # 0045",
            "FIVE DOLLARS AND NO CENTS",
            "",
            "$5.00",
            "30 days",
            "MACHINE# 0003-031",
            "SEAT 1",
        ),
    )


def no_bank() -> Bank:
    raise AssertionError("a printer has no lines")


@dataclass
class Bench:
    """One unit, its wire and the driver, millisecond by millisecond."""

    made: Habits
    options: dict[str, object] = field(default_factory=dict)
    now_ms: int = 0
    events: list[DeviceEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.unit = TclUnit("printer1", self.made, "bench")
        opener, self.wire = memory_wire(self.unit, baud=38_400, bits=10)
        device = registry.make(
            "ticket_printer", "tcl", "printer1", {"port": "p", **self.options}, Io(opener, no_bank)
        )
        assert isinstance(device, TicketPrinter)
        self.driver = device

    def run(self, ms: int) -> None:
        for now_ms in range(self.now_ms, self.now_ms + ms, 5):
            self.wire.tick(now_ms)
            self.events += self.driver.tick(now_ms)
            self.wire.tick(now_ms)
        self.now_ms += ms

    def is_ready(self) -> bool:
        told = [event.ready for event in self.events if isinstance(event, PrinterReady)]
        return bool(told) and told[-1]

    def until_ready(self, ms: int = 30_000) -> None:
        end_ms = self.now_ms + ms
        while not self.is_ready() and self.now_ms < end_ms:
            self.run(50)

    def begin(self) -> None:
        self.run(500)
        self.driver.release()
        self.until_ready()
        assert self.is_ready()

    def outcome(self, ref: int, ms: int = 90_000) -> TicketOutcome:
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms:
            for event in self.events:
                if isinstance(event, TicketDone) and event.ref == ref:
                    return event.outcome
            self.run(50)
        raise AssertionError("no outcome")

    def failures(self) -> list[str]:
        return [
            event.detail
            for event in self.events
            if isinstance(event, FaultRaised) and event.fault is Fault.PRINTER_FAILED
        ]


def test_an_order_that_is_kept_over_a_loss_of_power_does_not_pass_for_the_next_ticket() -> None:
    made = Habits(
        keeps_job=True, kept_ms=(4_000, 4_000), start_ms=(20_000, 20_000), boot_ms=500, chute_sensor=False
    )
    bench = Bench(made)
    bench.begin()
    bench.driver.print_ticket(1, fields(NUMBERS[0]))
    bench.run(2_000)
    bench.unit.power_off(bench.now_ms)
    bench.run(300)
    bench.unit.power_on(bench.now_ms)
    assert bench.outcome(1) is TicketOutcome.UNKNOWN
    bench.driver.recorded(1)
    bench.until_ready()
    assert bench.is_ready()
    bench.driver.print_ticket(2, fields(NUMBERS[1]))
    assert bench.outcome(2) is TicketOutcome.NOT_STARTED
    assert not bench.unit.papers


def test_nobodys_word_empties_a_printer_without_the_validation_bit_that_can_show_a_restart() -> None:
    made = Habits(validation_bit=False, knows_reset=False, start_ms=(60_000, 60_000))
    bench = Bench(made, {"validation_bit": False})
    bench.unit.inject("soft_reset", 0)
    bench.run(4_000)  # its restart shows, so that nothing is suspected
    bench.begin()
    bench.driver.print_ticket(1, fields(NUMBERS[0]))
    assert bench.outcome(1) is TicketOutcome.UNKNOWN
    bench.driver.recorded(1)
    bench.run(1_000)
    bench.driver.clear_fault()
    bench.run(5_000)
    assert not bench.is_ready()
    bench.run(10_000)
    assert bench.failures() == ["an order may still be in it: switch it off and on"]
    bench.unit.power_off(bench.now_ms)
    bench.unit.power_on(bench.now_ms + 1)
    bench.until_ready()
    assert bench.is_ready()
    assert not bench.unit.papers


def test_a_unit_that_sets_validation_done_at_power_up_has_printed_nothing() -> None:
    bench = Bench(Habits(stale_at_power_up=True))
    bench.begin()
    bench.unit.inject("soft_reset", bench.now_ms)
    bench.run(10_000)
    bench.until_ready()
    assert bench.is_ready()
    assert not bench.failures()


def test_a_unit_that_starts_slowly_after_a_reset_is_not_told_as_one_that_cannot_be_cleared() -> None:
    bench = Bench(Habits(boot_ms=5_700, stale_at_power_up=True))
    bench.unit.tick(0)
    bench.unit.receive(b"^C|^", 1)  # an earlier program has cleared it, and may have ordered something
    bench.unit.tick(20)
    bench.driver.release()
    bench.until_ready()
    assert bench.is_ready()
    assert not bench.failures()
