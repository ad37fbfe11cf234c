"""A ticket printer on a bench: driver, wire and simulated machine under one clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from drivers.device import DeviceEvent, TicketDone, TicketFields, TicketOutcome, TicketPrinter
from drivers.link import OpenLink
from drivers.registry import Io, make
from drivers.sim.tcl import Setup, TclPrinter
from drivers.sim.wire import FarEnd, memory_wire, pty_wire

NUMBERS = ("005671408547977327", "002860834232083467", "002860850951067985", "000244432642824664")
SPIN_LIMIT = 1000  # visits of one millisecond before somebody is said to spin


def ticket(
    number: str = NUMBERS[0], figures: str = "$85.02", words: str = "EIGHTY FIVE DOLLARS AND TWO CENTS"
) -> TicketFields:
    return TicketFields(
        establishment="DEMO CASINO",
        street="1 TEST STREET",
        city="RENO NV 00000",
        title="CASHOUT TICKET",
        validation=number,
        date="11/29/2026",
        time="23:40:00",
        ticket_no="TICKET # 0045",
        words_1=words,
        words_2="",
        figures=figures,
        expiry="30 days",
        machine="MACHINE# 0003-031",
        seat="SEAT 2",
    )


class Bench:
    """One clock for all. A new driver on the same wire is a restarted host."""

    def __init__(
        self,
        setup: Setup | None = None,
        *,
        xonxoff: bool = False,
        pty: Path | None = None,
        seed: int = 0,
        **options: object,
    ) -> None:
        self.machine = TclPrinter(setup)
        self.options: dict[str, object] = {"port": "printer1", "baud": self.machine.setup.baud, **options}
        if xonxoff:
            self.options["flow"] = "xonxoff"
        self.open_link: OpenLink
        self.wire: FarEnd
        line = {"baud": self.machine.setup.baud, "bits": 10, "seed": seed}
        if pty is None:
            self.open_link, self.wire = memory_wire(self.machine, xonxoff=xonxoff, **line)
        else:
            self.options["port"] = str(pty)
            self.open_link, self.wire = pty_wire(self.machine, str(pty), xonxoff=xonxoff, **line)
        self.now_ms = 0
        self.events: list[DeviceEvent] = []
        self.driver = self.new_driver()

    def new_driver(self) -> TicketPrinter:
        driver = make("ticket_printer", "tcl", "printer1", self.options, Io(self.open_link, _no_bank))
        assert isinstance(driver, TicketPrinter)
        return driver

    # ---- time

    def run(self, span_ms: int, until: Callable[[], bool] | None = None) -> None:
        """Let time pass, from one due instant to the next; stop early when `until` holds."""
        end_ms = self.now_ms + span_ms
        visits = 0
        while True:
            self._instant()
            if until is not None and until():
                return
            due = [at for at in (self.wire.wake_at, self.driver.wake_at) if at is not None]
            next_ms = max(self.now_ms, min(due, default=end_ms))
            if next_ms > end_ms:
                break
            visits = visits + 1 if next_ms == self.now_ms else 0
            assert visits < SPIN_LIMIT, f"somebody spins at {self.now_ms}"
            if next_ms == self.now_ms == end_ms and visits > 2:
                break
            self.now_ms = next_ms
        self.now_ms = end_ms

    def _instant(self) -> None:
        self.wire.tick(self.now_ms)
        self.events += self.driver.tick(self.now_ms)
        self.wire.tick(self.now_ms)

    # ---- the story

    def inject(self, fault: str) -> None:
        self.wire.inject(fault, self.now_ms)

    def ready(self) -> None:
        """Connect, release, and wait until the driver would print."""
        self.driver.release()
        self.run(20_000, until=lambda: self.is_ready)
        assert self.is_ready, self.events

    @property
    def is_ready(self) -> bool:
        levels = self.of("PrinterReady")
        return bool(levels) and bool(getattr(levels[-1], "ready"))  # noqa: B009

    def of(self, *kinds: str) -> list[DeviceEvent]:
        return [event for event in self.events if type(event).__name__ in kinds]

    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    def faults(self) -> set[str]:
        """The faults that are raised now."""
        now: set[str] = set()
        for event in self.of("FaultRaised", "FaultCleared"):
            fault = str(getattr(event, "fault"))  # noqa: B009
            if type(event).__name__ == "FaultRaised":
                assert fault not in now, "raised twice"
                now.add(fault)
            else:
                assert fault in now, "cleared twice"
                now.remove(fault)
        return now

    def outcomes(self, ref: int) -> list[TicketDone]:
        return [event for event in self.events if isinstance(event, TicketDone) and event.ref == ref]

    def outcome(self, ref: int, within_ms: int = 120_000) -> TicketOutcome:
        """Run until the outcome of `ref` is told; it must be the only one."""
        self.run(within_ms, until=lambda: bool(self.outcomes(ref)))
        (done,) = self.outcomes(ref)
        return done.outcome

    def print(self, ref: int, number: str = NUMBERS[0], figures: str = "$85.02") -> TicketOutcome:
        self.driver.print_ticket(ref, ticket(number, figures))
        return self.outcome(ref)

    def take(self) -> None:
        self.machine.take()

    def kill_host(self) -> None:
        """SIGKILL: the program is gone, what it has written stays on its way."""
        self.wire.transport.host_gone()
        self.driver.close()
        self.events.clear()
        self.driver = self.new_driver()

    def close(self) -> None:
        self.driver.close()
        self.wire.close()


def _no_bank() -> object:
    raise AssertionError("a printer needs no GPIO")
