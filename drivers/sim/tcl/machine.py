"""A simulated TCL ticket printer: a byte machine with paper in it.

It reads the host's bytes with a decoder of its own, so that an error in the driver's encoder shows.
Its status goes the way of real ones: nothing for the start delay, then busy (60/40/41), then the
bar code is on paper and the ticket stands in the chute (60/48/61), then idle with the template's
name (40/48/61 P0), then the ticket is taken. The last bit of the third flag byte shown here, 0x41,
is the restart bit; like all latched flags it stays until the host clears it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from drivers.sim.printers import PrinterMachine
from drivers.sim.tcl.ear import ENQ, PatientEar, StrictEar
from drivers.sim.tcl.paper import Order, PaperPath, PrintedTicket
from drivers.sim.ticket.art import TicketText

BAUD = 38400
BITS = 10  # start, eight data, stop
XON, XOFF = b"\x11", b"\x13"
FIELDS = 17
DELAYS_MS = {"slow_start": 4500, "late_start": 8000, "very_late_start": 45_000}
ANSWERS_LIMIT = 16  # a host that asks faster than the line carries loses answers


class F1(IntEnum):
    BUSY, ERROR, HEAD_UP, PAPER_OUT, HEAD, VOLTAGE = 32, 16, 8, 4, 2, 1


class F2(IntEnum):
    TEMPERATURE, REFERENCE, REGION, LOAD, OVERFLOW, JOB_MEMORY = 32, 16, 8, 4, 2, 1


class F3(IntEnum):
    COMMAND, CORRUPT, CHUTE, FLASH, OFF_LINE, NO_INDEX = 32, 16, 8, 4, 2, 1


class F4(IntEnum):
    JOURNAL, CUTTER, JAM, PAPER_LOW = 8, 4, 2, 1


class F5(IntEnum):
    VALIDATION, TOP_OF_FORM, XOFF, DRAWER, BAR_CODE, RESTARTED = 32, 16, 8, 4, 2, 1


@dataclass(frozen=True, slots=True)
class Setup:
    """What differs between firmwares and installations. Times in milliseconds."""

    firmware: str = "5RUSAGE27"
    flags: Literal[3, 5] = 5  # answered to the standard status; 3 also makes the extended one unknown
    baud: int = BAUD
    start_delay_ms: int = 800
    print_ms: int = 4000
    answer_ms: int = 5
    boot_ms: int = 500
    part_gap_ms: int | None = 20  # None: waits for ever for the end of a command
    papers: int = 200
    low_at: int = 20
    chute_sensor: bool = True
    validation_bit: bool = True
    validation_stuck: bool = False  # the bit is always set and means something else
    obeys_reset: bool = True
    top_of_form: bool = False  # says so after each ticket
    unasked_ms: int | None = None  # gives its status without being asked
    keeps_orders: bool = False  # an order that cannot be begun waits until it can
    take_after_ms: int | None = None  # somebody takes each ticket after a while
    buffer_bytes: int = 1024


class TclMachine(PrinterMachine):
    """See the module. `tray` holds all paper that came out, oldest first; a person may `take` it."""

    FAULTS: Mapping[str, str] = {
        "paper_low": "few sheets are left",
        "paper_out": "the paper is used up; a ticket that is being printed is the last",
        "load_paper": "somebody puts in a new stack",
        "jam": "the paper jams now; a ticket that is being printed stays half done",
        "jam_next": "the next ticket jams half way",
        "head_open": "the head is lifted; a ticket that is being printed stays half done",
        "head_close": "the head is put down",
        "drawer_open": "the drawer is pulled out",
        "drawer_close": "the drawer is pushed in",
        "voltage": "the supply is out of range; a ticket that is being printed stays half done",
        "cutter": "the cutter does not return; a ticket that is being printed stays half done",
        "temperature": "the head is too hot",
        "repair": "somebody takes out jammed paper and mends what is broken inside",
        "reset": "the printer restarts by itself",
        "xoff": "it stops its host and reads nothing",
        "xon": "it reads again",
        "misheard": "the next print order is refused with a command error",
        "swallowed": "the next print order vanishes without a trace",
        "refused": "the next print order is refused because its template does not exist",
        "slow_start": "the next ticket begins only after 4.5 s",
        "late_start": "the next ticket begins only after 8 s, later than any printer should",
        "very_late_start": "the next ticket begins only after 45 s",
        "deaf_to_reset": "it obeys no reset until it is mended",
        "never_ends": "the next ticket stays busy for ever",
        "summary": "the system error bit stays on without a reason",
        "take": "somebody takes the ticket out of the chute",
    }

    def __init__(self, setup: Setup | None = None) -> None:
        self.setup = setup or Setup()
        self.path = PaperPath(
            papers=self.setup.papers,
            print_ms=self.setup.print_ms,
            start_delay_ms=self.setup.start_delay_ms,
            keeps_orders=self.setup.keeps_orders,
            take_after_ms=self.setup.take_after_ms,
        )
        gap, limit = self.setup.part_gap_ms, self.setup.buffer_bytes
        self.ear = PatientEar(limit) if gap is None else StrictEar(gap, self.setup.baud, limit)
        self._powered = True
        self._boot_ms: int | None = None
        self._armed: list[str] = []  # for the next order; bounded by the faults that a scenario has
        self._summary = False
        self._deaf = False  # to a reset
        self._latched = [0, 0, 0]  # F1 to F3
        self._restarted = True
        self._answers: deque[tuple[int, bytes | int]] = deque()  # (due, bytes or the number of flags)
        self._unasked_due_ms = self.setup.unasked_ms
        self._stopped = False
        self._held = bytearray()  # received while stopped

    # ---- what the lab and the tests look at

    @property
    def mechanics(self) -> PaperPath:
        return self.path

    @property
    def tray(self) -> list[PrintedTicket]:
        return self.path.tray

    @property
    def ordered(self) -> list[str]:
        return self.path.ordered

    @property
    def paper_count(self) -> int:
        """All paper that ever came out."""
        return self.path.paper_count

    def sweep(self, kept: int) -> None:
        """Old paper is swept up."""
        self.path.sweep(kept)

    @property
    def paper_left(self) -> str:
        return str(self.path.papers)

    @property
    def paper_stands(self) -> bool:
        """Paper shows outside, whether or not the rollers still hold it."""
        return self.path.chute_occupied

    @property
    def trouble(self) -> str:
        """What somebody sees who stands before it; "" if nothing is wrong."""
        return self.path.trouble

    def take(self) -> PrintedTicket | None:
        """Somebody takes the ticket out of the chute."""
        return self.path.take()

    # ---- the far end of the wire

    @property
    def wake_at(self) -> int | None:
        if not self._powered:
            return self._boot_ms
        due = self.ear.due_ms
        if self._answers and (due is None or self._answers[0][0] < due):
            due = self._answers[0][0]
        if (path_at := self.path.due_ms) is not None and (due is None or path_at < due):
            due = path_at
        if self._unasked_due_ms is not None and (due is None or self._unasked_due_ms < due):
            due = self._unasked_due_ms
        return due

    def receive(self, data: bytes, now_ms: int) -> None:
        if not self._powered:
            return
        if not self._stopped:
            self.ear.receive(data, now_ms)
            return
        room = self.setup.buffer_bytes - len(self._held)
        self._held += data[:room]
        if len(data) > room:
            self._latched[1] |= F2.OVERFLOW

    def tick(self, now_ms: int) -> bytes:
        out = b""
        while (due := self.wake_at) is not None and due <= now_ms:
            out += self._happen(due)
        return out

    def _happen(self, at_ms: int) -> bytes:
        """Everything that is due at `at_ms`."""
        if not self._powered:
            self._boot(at_ms)
            return b""
        for text in self.ear.commands(at_ms):
            self._obey(text, at_ms)
        if self.ear.overflow:
            self.ear.overflow = False
            self._latched[1] |= F2.OVERFLOW
        self.path.move(at_ms)
        if self._unasked_due_ms is not None and self._unasked_due_ms <= at_ms:
            self._answer(at_ms, self.setup.flags)
            self._unasked_due_ms = at_ms + (self.setup.unasked_ms or 1)
        out = b""
        while self._answers and self._answers[0][0] <= at_ms:
            what = self._answers.popleft()[1]
            out += self._frame(what) if isinstance(what, int) else what
        return out

    def power_off(self, now_ms: int) -> None:
        self.path.power_off(now_ms)
        self._powered = False
        self._boot_ms = None
        self._answers.clear()
        self._stopped = False
        self._held.clear()
        self.ear.forget()

    def power_on(self, now_ms: int) -> None:
        if not self._powered:
            self._boot_ms = now_ms + self.setup.boot_ms

    def _boot(self, at_ms: int) -> None:
        self._powered = True
        self._boot_ms = None
        self._unasked_due_ms = None if self.setup.unasked_ms is None else at_ms + self.setup.unasked_ms
        self._latched = [0, 0, 0]
        self._restarted = True

    # ---- commands

    def _obey(self, text: bytes, at_ms: int) -> None:
        if text == bytes([ENQ]):
            self._answer(at_ms, self.setup.flags)
            return
        fields = text.decode("latin-1").split("|")
        if fields.pop() != "":  # a command ends with a delimiter
            self._latched[2] |= F3.COMMAND
            return
        match fields:
            case ["Se"] if self.setup.flags == 5:
                self._answer(at_ms, 5)
            case ["S"]:
                self._answer(at_ms, self.setup.flags)
            case ["C"]:
                self._clear(jam=False)
            case ["C", "j" | "a"]:
                self._clear(jam=True)
            case ["r"]:
                if self.setup.obeys_reset and not self._deaf:
                    self._restart(at_ms)
            case ["P", template, copies, *data]:
                self._order(template, copies, data, at_ms)
            case _:
                self._latched[2] |= F3.COMMAND

    def _clear(self, jam: bool) -> None:
        self._latched = [0, 0, 0]
        self._restarted = False
        self.path.validation_done = self.path.top_of_form = False
        if jam:
            self.path.jam_seen = self.path.mechanics.jammed

    def _restart(self, at_ms: int) -> None:
        self.power_off(at_ms)
        self.power_on(at_ms)

    def _order(self, template: str, copies: str, data: list[str], at_ms: int) -> None:
        fault = self._disarm("misheard", "swallowed", "refused")
        if fault == "swallowed":
            return
        if (
            fault == "misheard"
            or len(data) != FIELDS
            or not copies.isdecimal()
            or not 1 <= int(copies) <= 9999
        ):
            self._latched[2] |= F3.COMMAND
        elif fault == "refused" or template != "0":
            self._latched[1] |= F2.REFERENCE
        elif data[-1].strip() and not (len(data[-1]) == 18 and data[-1].isdecimal()):
            self._latched[1] |= F2.REGION
        elif self.path.accepts():
            delay_ms = DELAYS_MS.get(self._disarm(*DELAYS_MS), self.setup.start_delay_ms)
            order = Order(TicketText(*data), template, int(copies), at_ms + delay_ms)
            order.jams = bool(self._disarm("jam_next"))
            order.never_ends = bool(self._disarm("never_ends"))
            if not self.path.add(order):
                self._latched[1] |= F2.JOB_MEMORY

    def _disarm(self, *names: str) -> str:
        for fault in self._armed:
            if fault in names:
                self._armed.remove(fault)
                return fault
        return ""

    def _answer(self, at_ms: int, flags: int) -> None:
        if len(self._answers) < ANSWERS_LIMIT:
            self._answers.append((at_ms + self.setup.answer_ms, flags))

    def _frame(self, flags: int) -> bytes:
        values = bytes(0x40 | value for value in self._flags()[:flags])
        body = b"|".join(values[at : at + 1] for at in range(flags))
        head = f"*S|0|{self.setup.firmware}|".encode("ascii")
        return head + body + f"|P{self.path.template}|*".encode("ascii")

    def _flags(self) -> list[int]:
        path, setup = self.path, self.setup
        parts = path.mechanics
        f1, f2, f3 = self._latched
        f1 |= F1.HEAD_UP * parts.head_open | F1.VOLTAGE * parts.voltage | F1.PAPER_OUT * (path.papers == 0)
        f2 |= F2.TEMPERATURE * parts.temperature
        f4 = F4.JAM * path.jam_seen | F4.CUTTER * parts.cutter
        trouble = bool(f1 or f2 or f3 or f4)
        f1 |= F1.BUSY * path.busy | F1.ERROR * (trouble or self._summary)
        f3 |= F3.CHUTE * (setup.chute_sensor and path.chute_occupied)
        f4 |= F4.PAPER_LOW * (path.papers <= setup.low_at)
        f5 = F5.DRAWER * parts.drawer_open | F5.XOFF * self._stopped | F5.RESTARTED * self._restarted
        f5 |= F5.TOP_OF_FORM * (setup.top_of_form and path.top_of_form)
        f5 |= F5.VALIDATION * (setup.validation_stuck or (setup.validation_bit and path.validation_done))
        return [f1, f2, f3, f4, f5]

    # ---- what goes wrong

    def inject(self, fault: str, now_ms: int) -> None:
        """One of FAULTS; KeyError for any other name."""
        if fault not in self.FAULTS:
            raise KeyError(fault)
        path, parts = self.path, self.path.mechanics
        match fault:
            case "paper_low":
                path.papers = min(path.papers, self.setup.low_at)
            case "paper_out":
                path.papers = 0
            case "load_paper":
                path.papers = self.setup.papers
            case "jam":
                path.jam(now_ms)
            case "head_open" | "voltage" | "cutter":
                setattr(parts, fault, True)
                path.stop(now_ms)
            case "drawer_open" | "temperature":
                setattr(parts, fault, True)
            case "head_close":
                parts.head_open = False
            case "drawer_close":
                parts.drawer_open = False
            case "repair":
                parts.jammed = parts.voltage = parts.cutter = parts.temperature = self._summary = False
                self._deaf = False
                path.end_the_endless(now_ms)
            case "summary":
                self._summary = True
            case "deaf_to_reset":
                self._deaf = True
            case "reset":
                self._restart(now_ms)
            case "xoff":
                self._stopped = True
                self._answers.append((now_ms, XOFF))
            case "xon":
                self._stopped = False
                self._answers.append((now_ms, XON))
                held, self._held = bytes(self._held), bytearray()
                self.ear.receive(held, now_ms)
            case "take":
                self.take()
            case _:
                self._armed.append(fault)


KEEPS_EVIDENCE = True  # "validation done" and the last template
#: How the lab and the contract tests make one.
MACHINE = TclMachine


def make(baud: int, _currency: str) -> TclMachine:
    """As a cabinet with this line has it."""
    return TclMachine(Setup(baud=baud))
