"""A ticket printer on a bench: driver, wire and simulated machine under one clock."""

from __future__ import annotations

import fcntl
import struct
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Generic, Protocol, TypeVar, cast

from cabinet.lab.patience import PATIENCE_S
from drivers.device import (
    DeviceEvent,
    Fault,
    FaultCleared,
    FaultRaised,
    PrinterReady,
    TicketDone,
    TicketFields,
    TicketOutcome,
    TicketPrinter,
)
from drivers.gpio import Bank
from drivers.link import Link, OpenLink
from drivers.registry import Io, make
from drivers.sim.escpos import EscPosMachine
from drivers.sim.escpos import Setup as ReceiptSetup
from drivers.sim.tcl import BITS, Setup, TclMachine
from drivers.sim.wire.wire import FarEnd, Machine, PtyTransport, memory_wire, pty_wire

E = TypeVar("E", bound=DeviceEvent)


class TakenMachine(Machine, Protocol):
    """A printer before which somebody stands."""

    def take(self) -> object: ...


M = TypeVar("M", bound=TakenMachine)

NUMBERS = ("005671408547977327", "002860834232083467", "002860850951067985", "000244432642824664")
USB_BAUD = 12_000_000
SPIN_LIMIT = 100  # visits of one millisecond before somebody is said to spin


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


def no_bank() -> Bank:
    raise AssertionError("a printer needs no GPIO")


class PrinterBench(Generic[M]):
    """One clock for all. A new driver on the same wire is a restarted host."""

    DRIVER: ClassVar[str]

    def __init__(
        self,
        machine: M,
        line_baud: int,
        *,
        xonxoff: bool = False,
        pty: Path | None = None,
        seed: int = 0,
        **options: object,
    ) -> None:
        self.machine = machine
        self.options: dict[str, object] = {"port": str(pty or "printer1"), **options}
        if xonxoff:
            self.options["flow"] = "xonxoff"
        self.wire: FarEnd
        self.open_link: OpenLink
        self.writes: list[tuple[int, bytes]] = []  # what the driver gave to its port, and when
        self._kernel: _Kernel | None = None
        if pty is None:
            opener, self.wire = memory_wire(machine, baud=line_baud, bits=BITS, seed=seed, xonxoff=xonxoff)
        else:
            opener, self.wire = pty_wire(
                machine, str(pty), baud=line_baud, bits=BITS, seed=seed, xonxoff=xonxoff
            )
            self._kernel = _Kernel(cast(PtyTransport, self.wire.transport))
        self.open_link = lambda settings: self._spied(opener(settings))
        self.now_ms = 0
        self.events: list[DeviceEvent] = []
        self.driver = self.new_driver()

    def new_driver(self) -> TicketPrinter:
        driver = make("ticket_printer", self.DRIVER, "printer1", self.options, Io(self.open_link, no_bank))
        assert isinstance(driver, TicketPrinter)
        return driver

    def _spied(self, link: Link) -> Link:
        write = link.write

        def noted(data: bytes) -> None:
            self.writes.append((self.now_ms, data))
            write(data)
            if self._kernel is not None:
                self._kernel.wait_for_master(len(data) - link.pending)

        link.write = noted  # type: ignore[method-assign]
        return link

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
            next_ms = max(self.now_ms, min(due, default=end_ms + 1))
            if next_ms > end_ms:
                self.now_ms = end_ms
                return
            visits = visits + 1 if next_ms == self.now_ms else 0
            assert visits < SPIN_LIMIT, f"somebody spins at {self.now_ms}"
            self.now_ms = next_ms

    def _instant(self) -> None:
        self.wire.tick(self.now_ms)
        if self._kernel is not None:
            self._kernel.wait_for_slave(self.driver.fileno())
        self.events += self.driver.tick(self.now_ms)
        self.wire.tick(self.now_ms)

    # ---- the story

    def inject(self, *faults: str) -> None:
        for fault in faults:
            self.wire.inject(fault, self.now_ms)

    def ready(self) -> None:
        """Connect, release, and wait until the driver would print."""
        self.driver.release()
        self.run(20_000, until=self.is_ready)
        assert self.is_ready(), self.events

    def order(self, ref: int, number: str = NUMBERS[0], figures: str = "$85.02") -> None:
        self.driver.print_ticket(ref, ticket(number, figures))

    def outcome(self, ref: int, within_ms: int = 120_000) -> TicketOutcome:
        """Run until the outcome of `ref` is told; it must be the only one."""
        self.run(within_ms, until=lambda: bool(self.outcomes(ref)))
        (done,) = self.outcomes(ref)
        return done.outcome

    def print(self, ref: int, number: str = NUMBERS[0], figures: str = "$85.02") -> TicketOutcome:
        self.order(ref, number, figures)
        return self.outcome(ref)

    def finish(self, ref: int) -> None:
        """The outcome is recorded and the customer has taken the ticket."""
        self.driver.recorded(ref)
        self.run(1000)
        self.machine.take()
        self.run(2000)

    def restart_host(self) -> None:
        """SIGKILL and a new start: what was written stays on its way."""
        self.driver.close()
        self.events.clear()
        self.driver = self.new_driver()

    def close(self) -> None:
        self.driver.close()
        self.wire.close()

    # ---- what was heard

    def is_ready(self) -> bool:
        levels = self.of(PrinterReady)
        return bool(levels) and levels[-1].ready

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    def faults(self) -> dict[Fault, str]:
        """The faults that are raised now, with their details."""
        raised: dict[Fault, str] = {}
        for event in self.events:
            if isinstance(event, FaultRaised):
                assert event.fault not in raised, f"{event.fault} raised twice"
                raised[event.fault] = event.detail
            elif isinstance(event, FaultCleared):
                del raised[event.fault]
        return raised

    def outcomes(self, ref: int) -> list[TicketDone]:
        return [event for event in self.of(TicketDone) if event.ref == ref]

    def sent(self, start: bytes) -> list[tuple[int, bytes]]:
        """What the driver wrote that begins with `start`."""
        return [(at, data) for at, data in self.writes if data.startswith(start)]


class Bench(PrinterBench[TclMachine]):
    """A TCL printer."""

    DRIVER = "tcl"

    def __init__(
        self,
        setup: Setup | None = None,
        *,
        xonxoff: bool = False,
        pty: Path | None = None,
        seed: int = 0,
        **options: object,
    ) -> None:
        machine = TclMachine(setup)
        options = {"baud": machine.setup.baud, **options}
        super().__init__(machine, machine.setup.baud, xonxoff=xonxoff, pty=pty, seed=seed, **options)


class ReceiptBench(PrinterBench[EscPosMachine]):
    """An ESC/POS receipt printer."""

    DRIVER = "escpos"

    def __init__(
        self,
        setup: ReceiptSetup | None = None,
        *,
        xonxoff: bool = False,
        pty: Path | None = None,
        seed: int = 0,
        usb: bool = False,
        **options: object,
    ) -> None:
        """`usb`: a line without a rate, whatever the port is set to."""
        machine = EscPosMachine(setup)
        options = {"baud": machine.setup.baud, **options}
        line_baud = USB_BAUD if usb else machine.setup.baud
        super().__init__(machine, line_baud, xonxoff=xonxoff, pty=pty, seed=seed, **options)

    def whole(self) -> list[str]:
        """The numbers of all whole tickets that came out."""
        return [strip.text.validation for strip in self.machine.tray if strip.complete]

    def jobs(self) -> list[tuple[int, bytes]]:
        """The tickets that were sent, and when."""
        return [(at, data) for at, data in self.writes if data.startswith(b"\x1b@")]


class _Kernel:
    """A pty hands bytes over a moment after they were written; virtual time has to wait for that."""

    def __init__(self, transport: PtyTransport) -> None:
        self._transport = transport
        self._delivered = 0
        deliver = transport.deliver

        def counted(data: bytes) -> None:
            obeyed = transport.host_obeys_xonxoff()
            self._delivered += len(data.translate(None, b"\x11\x13") if obeyed else data)
            deliver(data)

        transport.deliver = counted  # type: ignore[method-assign]

    def wait_for_slave(self, descriptor: int | None) -> None:
        """Until everything that the far end has delivered can be read."""
        wanted, self._delivered = self._delivered, 0
        if descriptor is not None:
            self._wait(descriptor, wanted)

    def wait_for_master(self, count: int) -> None:
        descriptor = self._transport.fileno()
        if descriptor is not None:
            self._wait(descriptor, count)

    def _wait(self, descriptor: int, count: int) -> None:
        ends_s = time.monotonic() + PATIENCE_S
        while (there := _readable(descriptor)) < count:
            assert time.monotonic() < ends_s, f"{count} bytes have not come over the pty, but {there}"
            time.sleep(0.0002)


def _readable(descriptor: int) -> int:
    """Bytes that can be read now; a line that was hung up has all that it will ever have."""
    try:
        answer = fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0")
    except OSError:
        return 1 << 30
    (count,) = struct.unpack("i", answer)
    return int(count)
