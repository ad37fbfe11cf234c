"""The worked example of docs/extending.md: one file and a TOML table make a new driver."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

import drivers.ticket_printer
from cabinet.config import DeviceKind, load
from drivers import registry
from drivers.device import DeviceEvent, Fault, FaultRaised, TicketDone, TicketOutcome, TicketPrinter
from drivers.sim.wire import FarEnd, memory_wire
from support.devices.printers import no_bank, ticket
from support.programs.source import ROOT


class SlipPrinter:
    """The printer of the example, at the far end: letters for an answer, paper in `slips`."""

    FAULTS: Mapping[str, str] = MappingProxyType({"paper_out": "no paper"})

    def __init__(self) -> None:
        self.slips: list[bytes] = []
        self.letter = b"R"
        self.wake_at: int | None = None
        self._out = b""
        self._text = b""
        self._done_ms: int | None = None

    def receive(self, data: bytes, now_ms: int) -> None:
        for byte in data:
            if byte == 0x05:
                self._out += self.letter
            elif byte == 0x0C and self.letter != b"P":
                self.letter, self.wake_at = b"B", now_ms + 2_000
            else:
                self._text += bytes([byte])

    def tick(self, now_ms: int) -> bytes:
        if self.wake_at is not None and now_ms >= self.wake_at:
            self.slips.append(self._text)
            self._text, self.letter, self.wake_at = b"", b"D", None
        out, self._out = self._out, b""
        return out

    def inject(self, fault: str, now_ms: int) -> None:
        self.letter = b"P"

    def power_off(self, now_ms: int) -> None: ...
    def power_on(self, now_ms: int) -> None: ...


@pytest.fixture
def example(tmp_path: Path) -> Iterator[Path]:
    """The example's file in a folder of its own, beside the shipped drivers."""
    folder = tmp_path / "more_drivers"
    folder.mkdir()
    shutil.copy(ROOT / "docs" / "examples" / "line_printer.py", folder)
    drivers.ticket_printer.__path__.append(str(folder))
    yield tmp_path
    drivers.ticket_printer.__path__.remove(str(folder))


def _cabinet_file(folder: Path) -> Path:
    """The shipped one-seat cabinet with its printer's driver renamed, as docs/extending.md shows."""
    text = (ROOT / "config" / "cabinets" / "slot1.toml").read_text(encoding="utf-8")
    start = text.index("[ticket_printer.printer1]")
    end = text.index("[", start + 1)
    while text[end - 1] != "\n":
        end = text.index("[", end + 1)
    table = (
        '[ticket_printer.printer1]\ndriver = "line_printer"\nport = "/dev/cabinet/printer1"\nseats = [1]\n\n'
    )
    file = folder / "slot1.toml"
    file.write_text(text[:start] + table + text[end:], encoding="utf-8")
    return file


def _printer(folder: Path) -> tuple[TicketPrinter, SlipPrinter, FarEnd]:
    table = load(_cabinet_file(folder)).of_kind(DeviceKind.TICKET_PRINTER)[0]
    machine = SlipPrinter()
    open_link, far_end = memory_wire(machine, baud=9600, bits=10)

    io = registry.Io(open_link, no_bank)
    device = registry.make("ticket_printer", table.driver, table.name, table.options, io)
    assert isinstance(device, TicketPrinter)
    return device, machine, far_end


def _run(device: TicketPrinter, far_end: FarEnd, from_ms: int, to_ms: int) -> list[DeviceEvent]:
    seen: list[DeviceEvent] = []
    for now_ms in range(from_ms, to_ms, 10):
        far_end.tick(now_ms)
        seen += device.tick(now_ms)
        far_end.tick(now_ms)
    return seen


def test_the_cabinet_file_finds_the_driver_by_its_name(example: Path) -> None:
    assert "line_printer" in registry.drivers_of("ticket_printer")
    assert load(_cabinet_file(example)).of_kind(DeviceKind.TICKET_PRINTER)[0].driver == "line_printer"


def test_it_prints(example: Path) -> None:
    device, machine, far_end = _printer(example)
    _run(device, far_end, 0, 500)
    device.print_ticket(7, ticket())
    events = _run(device, far_end, 500, 4_000)
    done = [e for e in events if isinstance(e, TicketDone)]
    assert [(e.ref, e.outcome) for e in done] == [(7, TicketOutcome.PRINTED)]
    assert b"CASHOUT TICKET" in machine.slips[0]


def test_without_paper_nothing_has_started(example: Path) -> None:
    device, machine, far_end = _printer(example)
    machine.inject("paper_out", 0)
    assert any(
        isinstance(e, FaultRaised) and e.fault is Fault.PAPER_OUT for e in _run(device, far_end, 0, 500)
    )
    device.print_ticket(7, ticket())
    done = [e for e in _run(device, far_end, 500, 2_000) if isinstance(e, TicketDone)]
    assert [(e.ref, e.outcome) for e in done] == [(7, TicketOutcome.NOT_STARTED)]
    assert not machine.slips


def test_a_slip_that_is_never_proven_is_for_a_person(example: Path) -> None:
    device, machine, far_end = _printer(example)
    _run(device, far_end, 0, 500)
    device.print_ticket(7, ticket())
    _run(device, far_end, 500, 1_500)
    machine.wake_at = None  # it hangs while printing
    done = [e for e in _run(device, far_end, 1_500, 25_000) if isinstance(e, TicketDone)]
    assert [(e.ref, e.outcome) for e in done] == [(7, TicketOutcome.UNKNOWN)]
