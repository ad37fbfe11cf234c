"""The condition of a TCL printer: which faults it has, and why it could not print now."""

from __future__ import annotations

from drivers.device import Fault
from drivers.protocol.faults import FaultBook
from drivers.ticket_printer.common.unready import Unready
from drivers.ticket_printer.tcl.job import MISHEARD, UNSUITABLE
from drivers.ticket_printer.tcl.line import XOFF_MS
from drivers.ticket_printer.tcl.status import Flag, Status, mask_of

#: Flags that only CLEAR takes back and that must be seen clear before an order. The last two belong
#: to the ticket before and to the printer's last restart.
LATCHED = (*MISHEARD, *UNSUITABLE, Flag.VALIDATION_DONE, Flag.POWER_UP)

PAPER_OUT = (Flag.PAPER_OUT, Flag.NO_INDEX)
HEAD_OPEN = (Flag.HEAD_UP, Flag.DRAWER_OPEN)
BROKEN = (
    *(Flag.HEAD_ERROR, Flag.VOLTAGE, Flag.TEMPERATURE, Flag.CUTTER, Flag.LIBRARY_CORRUPT, Flag.FLASH),
    Flag.OFF_LINE,
)
OBSTACLES = (Flag.BUSY, Flag.XOFF, Flag.CHUTE, Flag.JAM, *PAPER_OUT, *HEAD_OPEN, *BROKEN)
_OBSTACLE_BITS = mask_of(OBSTACLES)
# While none of these is set and no fault is told, a frame has nothing to say about faults.
_TELLING_BITS = mask_of((*OBSTACLES, *LATCHED, Flag.PAPER_LOW))
WORDS = {
    Flag.NO_INDEX: "wrong paper, or its index mark was not found",
    Flag.DRAWER_OPEN: "the drawer is open",
    Flag.HEAD_UP: "the head is up",
    Flag.HEAD_ERROR: "print head",
    Flag.VOLTAGE: "supply voltage",
    Flag.TEMPERATURE: "head temperature",
    Flag.CUTTER: "cutter",
    Flag.LIBRARY_CORRUPT: "fonts or templates are damaged",
    Flag.FLASH: "flash memory",
    Flag.OFF_LINE: "off line",
    Flag.XOFF: "it holds its host back (XOFF)",
}


def wording(flag: Flag) -> str:
    return WORDS.get(flag, flag.name.lower().replace("_", " "))


class Health:
    """Turns frames into faults, each raised once and cleared once."""

    def __init__(self, book: FaultBook, unready: Unready, *, cutter: bool, full: bool) -> None:
        """`cutter`: its flag means something. `full`: frames without F4 and F5 are of no use."""
        self._book = book
        self._unready = unready
        self._full_needed = full
        self._ignored = frozenset[Flag]() if cutter else frozenset({Flag.CUTTER})
        self._full_seen = False  # whether this connection has given a frame with all flags
        self._kept = ""  # trouble that stays until somebody has looked
        self._xoff_ms: int | None = None  # since when it says that it holds its host back
        self._barred = ""  # trouble that stays until the driver takes it back

    def connected(self) -> None:
        self._full_seen = False

    def keep(self, why: str) -> None:
        """A fault of the printer that no status shows and only `mended` ends."""
        self._kept = why

    def mended(self) -> None:
        self._kept = ""

    def bar(self, why: str) -> None:
        """A fault that nobody's word ends: the driver takes it back with ""."""
        self._barred = why

    def update(self, status: Status, stubborn: bool, now_ms: int) -> None:
        """`stubborn`: the latched flags have not gone although they were cleared for a while."""
        if self._full_seen and not status.extended:
            return  # a frame without F4 and F5 would take back what the one before it has said
        self._full_seen = status.extended
        silent = not self._book and not self._kept and not self._barred and not self._unready.fault_words
        if self._full_seen and silent and not status.bits & _TELLING_BITS:
            return
        if not status.has(Flag.XOFF):
            self._xoff_ms = None
        elif self._xoff_ms is None:
            self._xoff_ms = now_ms
        held_back = self._xoff_ms is not None and now_ms - self._xoff_ms >= XOFF_MS
        self._book.set(Fault.PAPER_LOW, "" if status.has(Flag.PAPER_LOW) else None, now_ms)
        self._book.set(Fault.PAPER_JAM, "" if status.has(Flag.JAM) else None, now_ms)
        self._book.set(Fault.PAPER_OUT, self._first(status, PAPER_OUT), now_ms)
        self._book.set(Fault.HEAD_OPEN, self._first(status, HEAD_OPEN), now_ms)
        failure = self._failure(status, stubborn, held_back) or self._unready.fault_words or None
        self._book.set(Fault.PRINTER_FAILED, failure, now_ms)

    def _failure(self, status: Status, stubborn: bool, held_back: bool) -> str | None:
        if kept := self._barred or self._kept:
            return kept
        if self._full_needed and not status.extended:
            return "it gives no extended status: without it no ticket can be proven"
        if broken := self._first(status, BROKEN):
            return broken
        if held_back:
            return wording(Flag.XOFF)
        latched = status.any_of((Flag.BUSY, *LATCHED))
        return f"cannot be cleared: {wording(latched)}" if stubborn and latched else None

    def _first(self, status: Status, flags: tuple[Flag, ...]) -> str | None:
        bits = status.bits
        for flag in flags:
            if bits & flag.mask and flag not in self._ignored:
                return wording(flag)
        return None

    def obstacle(self, status: Status) -> str:
        """Why an order would not be carried out now, latched flags aside; "" if it would."""
        if kept := self._barred or self._kept:
            return kept
        if not status.bits & _OBSTACLE_BITS:
            return ""
        return self._first(status, OBSTACLES) or ""
