"""What a device is, and the events it raises.

A driver owns one device on one wire. It never waits, never sleeps and never raises from
``tick``: trouble is an event. It knows no game and no money policy; what it may do with a
note or a ticket is ordered by its owner, and every order is answered by exactly one outcome
event, also when the order no longer fits what the device is doing.

Times are integers in milliseconds of session time, given by the caller. ``wake_at`` is the
next time at which ``tick`` has something to do even if no byte arrives; ``None`` means only
input can wake the driver. ``fileno`` lets the owner sleep until input arrives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

# --------------------------------------------------------------------------------------
# Events. Every event names its device and carries the time at which it was read.


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """Base of all events: ``device`` is the name from the cabinet file, ``at_ms`` when it was read."""

    device: str
    at_ms: int


class Fault(StrEnum):
    """Conditions that a device reports about itself. Raised once, cleared once."""

    LINK_LOST = "link_lost"  # no answer; `detail` says for how long and on which port
    PORT_MISSING = "port_missing"  # the port cannot be opened
    PORT_UNFIT = "port_unfit"  # the UART did not take the line settings (Pi mini UART: no parity)
    DEVICE_FAILED = "device_failed"  # the device says it is broken; `detail` names the code
    # bill validators
    JAM = "jam"
    STACKER_FULL = "stacker_full"
    STACKER_OPEN = "stacker_open"
    CHEATED = "cheated"
    TWO_DOCUMENTS = "two_documents"  # another one was pushed in while it works; over when it is taken out
    ILLEGAL_SEQUENCE = "illegal_sequence"  # e.g. VEND VALID without an escrowed note
    DOCUMENT_STUCK = "document_stuck"  # it works on a document for too long; `detail` says at what
    NOT_READY = "not_ready"  # it answers, and for too long has not been ready to take anything
    WRONG_CURRENCY = "wrong_currency"  # the device's note table has no note of our currency
    # ticket printers
    PAPER_LOW = "paper_low"
    PAPER_OUT = "paper_out"
    PAPER_JAM = "paper_jam"
    HEAD_OPEN = "head_open"
    PRINTER_FAILED = "printer_failed"  # cutter, voltage, head, temperature, memory: `detail` says which
    TICKET_NOT_TAKEN = "ticket_not_taken"
    # panels
    INPUT_STUCK = "input_stuck"  # held for over 60 s; `detail` names the input
    BOARD_LOST = "board_lost"  # a gpiochip is gone: doors unknown


@dataclass(frozen=True, slots=True)
class FaultRaised(DeviceEvent):
    fault: Fault
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FaultCleared(DeviceEvent):
    fault: Fault


@dataclass(frozen=True, slots=True)
class Identified(DeviceEvent):
    """The device told its name and firmware (`text` as sent, printable ASCII only)."""

    text: str


# ---- bill validators


class Holding(StrEnum):
    """What a validator says it holds at the first definite answer after (re)connection.

    It answers the question that start-up asks for every open note (id-003: the status codes
    in brackets). ACCEPTING, STACKING, REJECTING and RETURNING are not definite: the driver
    waits for the next state before it reports, except that a REJECTING or RETURNING *is*
    reported as RETURNING because the note is certainly coming back.
    """

    POWER_UP = "power_up"  # 40: it lost power and says no bill is inside
    IN_ACCEPTOR = "in_acceptor"  # 41: it lost power with a bill before the point of no return
    IN_STACKER = "in_stacker"  # 42: it lost power with a bill past it
    ESCROW = "escrow"  # 13, 19: a note waits for our word (a NoteEscrowed follows at once)
    VEND_VALID = "vend_valid"  # 15: a note is stacked and unacknowledged
    NOTHING = "nothing"  # 11, 1A, 16, 1B: no note, power was kept (1B: it restarted itself)
    RETURNING = "returning"  # 17, 18: the note is on its way back


@dataclass(frozen=True, slots=True)
class ValidatorReport(DeviceEvent):
    holding: Holding
    evidence: str = ""  # see OpenDocument


@dataclass(frozen=True, slots=True)
class NoteType:
    """One row of the validator's own currency table. `cents` is in minor units of `currency`."""

    code: int
    currency: str
    cents: int


@dataclass(frozen=True, slots=True)
class NoteTable(DeviceEvent):
    """The currency table was read (after every INITIALIZE). Only usable rows."""

    notes: tuple[NoteType, ...]


@dataclass(frozen=True, slots=True)
class NoteAccepting(DeviceEvent):
    """A document is being drawn in."""


@dataclass(frozen=True, slots=True)
class NoteEscrowed(DeviceEvent):
    """A known, enabled note of our currency waits in escrow. Answer with stack() or give_back().

    Foreign, unknown or disabled notes never reach this event: the driver returns them itself
    and reports NoteGivenBack.
    """

    cents: int
    code: int
    evidence: str = ""  # see OpenDocument


@dataclass(frozen=True, slots=True)
class BarcodeEscrowed(DeviceEvent):
    """A ticket waits in escrow; `digits` is its bar code. Answer with stack() or give_back()."""

    digits: str
    evidence: str = ""  # see OpenDocument


@dataclass(frozen=True, slots=True)
class NoteVendValid(DeviceEvent):
    """The note is irrevocably in the box. Reported once per document, not once per poll.

    The driver keeps the device waiting until acknowledge() is called: the owner records the
    credit first.
    """

    evidence: str = ""  # see OpenDocument


@dataclass(frozen=True, slots=True)
class NoteStacked(DeviceEvent):
    """The device has left VEND VALID after our acknowledgement: the document is closed."""


@dataclass(frozen=True, slots=True)
class NoteGivenBack(DeviceEvent):
    """The document went back to the customer. Never money. `reason` is the trade's word."""

    reason: str


@dataclass(frozen=True, slots=True)
class ValidatorEnabled(DeviceEvent):
    """The *confirmed* acceptance: what the device's own status says (11 against 1A).

    `change` is not 0 only with `enabled` False: the number of the owner's last ``accept(False)``, which
    has come to pass. The device has taken the order, has said in answer to two polls sent after it that it
    is inhibited, and no document was inside: whatever was drawn in before has been told.
    """

    enabled: bool
    change: int = 0


# ---- ticket printers


class TicketOutcome(StrEnum):
    PRINTED = "printed"
    NOT_STARTED = "not_started"  # certain: nothing has reached paper and nothing will
    UNKNOWN = "unknown"  # something may be on paper: only a person can tell


@dataclass(frozen=True, slots=True)
class TicketStarted(DeviceEvent):
    """The printer has begun with ticket `ref`."""

    ref: int


@dataclass(frozen=True, slots=True)
class TicketDone(DeviceEvent):
    """The one outcome of print_ticket(ref) or inquire(ref)."""

    ref: int
    outcome: TicketOutcome
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TicketPresented(DeviceEvent):
    """Paper stands in the chute."""


@dataclass(frozen=True, slots=True)
class TicketTaken(DeviceEvent):
    """The chute is empty again."""


@dataclass(frozen=True, slots=True)
class PrinterReady(DeviceEvent):
    """`ready` is whether a print order would be carried out now (link up, paper, head down, idle)."""

    ready: bool


# ---- panels (GPIO)


@dataclass(frozen=True, slots=True)
class InputChanged(DeviceEvent):
    """A debounced input. `name` is the name in the cabinet file, e.g. ``seat3.hit``, ``door.main``,
    ``key.attendant``. `active` is the logical level: pressed, open, turned. At start every input
    that is active is reported once."""

    name: str
    active: bool


@dataclass(frozen=True, slots=True)
class PulsesDone(DeviceEvent):
    """`count` pulses of hard meter `meter` have been given (answer to pulse())."""

    meter: str
    count: int


# --------------------------------------------------------------------------------------
# Acts and levels: what an owner may ask of a device.


class Pattern(StrEnum):
    """How an output is lit. Blinking is a level; its phase is made in the driver."""

    OFF = "off"
    ON = "on"
    SLOW = "slow"  # 0.5 Hz
    FAST = "fast"  # 2 Hz


@dataclass(frozen=True, slots=True)
class TicketFields:
    """Everything that is printed, as ASCII text, already worded by the owner.

    `validation` is exactly 18 digits; drivers group it 2-4-4-4-4 where they print it.
    """

    establishment: str
    street: str
    city: str
    title: str
    validation: str
    date: str
    time: str
    ticket_no: str  # e.g. "TICKET # 0045"
    words_1: str
    words_2: str  # "" if unused
    figures: str  # e.g. "$85.02"
    expiry: str  # e.g. "30 days"
    machine: str  # e.g. "MACHINE# 0003-031"
    seat: str  # e.g. "SEAT 2"


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A note or ticket whose end is not recorded, as the owner's journal has it.

    `evidence` is the last that the driver's events have told of it: text that only the driver reads, at most
    `EVIDENCE_CHARS` of printable ASCII. A device that does not repeat what is not acknowledged (it counts its
    events, or has a sequence number) can be asked with it whether its last word is new. "" for one that
    repeats.
    """

    cents: int
    code: int  # of a note
    digits: str  # of a ticket; "" for a note
    credited: bool  # the credit is recorded, the end of the document is not
    evidence: str


EVIDENCE_CHARS = 64


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame seen on a wire, for the service page. `sent` = from us to the device."""

    at_ms: int
    sent: bool
    data: bytes
    meaning: str


@runtime_checkable
class Device(Protocol):
    """The life of any device."""

    name: str

    @property
    def wake_at(self) -> int | None: ...
    def fileno(self) -> int | None: ...
    def tick(self, now_ms: int) -> Sequence[DeviceEvent]: ...
    def close(self) -> None: ...
    def frames(self) -> Sequence[Frame]:
        """The last frames of the wire, oldest first (at most 64)."""
        ...

    def statistics(self) -> Mapping[str, int]:
        """Counters since start-up: polls, answered, bad_checksum, no_answer, resent, lost_bytes."""
        ...


@runtime_checkable
class BillValidator(Device, Protocol):
    """Orders to a validator. None of them blocks; none of them is repeated from memory."""

    def adopt(self, document: OpenDocument | None) -> None:
        """What is open of this validator in the journal, told once after a start. A driver whose device does
        not repeat what is not acknowledged makes no ValidatorReport before."""
        ...

    def accept(self, enabled: bool, change: int = 0) -> None:
        """Level: take documents or not. Re-applied by the driver after every INITIALIZE. `change` is any
        number that the owner gives to this wish: `ValidatorEnabled` tells which inhibit is in force."""
        ...

    def stack(self) -> None:
        """Act: take the escrowed note (STACK-2). Outcome: NoteVendValid or NoteGivenBack."""
        ...

    def give_back(self) -> None:
        """Act: return the escrowed note. Outcome: NoteGivenBack."""
        ...

    def acknowledge(self) -> None:
        """Act: the credit is recorded. Outcome: NoteStacked. Repeated by the driver for as long
        as the device repeats VEND VALID of the same document."""
        ...

    def reset(self) -> None:
        """Act: restart the device (attendant cleared a jam; start-up has read Holding).

        A driver that has reported ValidatorReport with POWER_UP, IN_ACCEPTOR or IN_STACKER does
        not RESET the device before this call: the answer is evidence."""
        ...


@runtime_checkable
class TicketPrinter(Device, Protocol):
    """Orders to a printer. After connection the driver only watches: it neither clears flags nor
    prints until it got either release() (no ticket is in doubt) or inquire(ref)."""

    def release(self) -> None:
        """No ticket is open: stale flags may be cleared."""
        ...

    def inquire(self, ref: int) -> None:
        """Ticket `ref` was ordered before a restart. Outcome: TicketDone after the start gap has
        been watched. Flags are left as they are."""
        ...

    def print_ticket(self, ref: int, ticket: TicketFields) -> None:
        """Print one copy. Outcome: exactly one TicketDone(ref). An order while the driver is not
        ready is answered NOT_STARTED."""
        ...

    def recorded(self, ref: int) -> None:
        """The outcome of `ref` is in the journal: its flags may be cleared now."""
        ...

    def clear_fault(self) -> None:
        """Act: the attendant says the jam is mended."""
        ...


@runtime_checkable
class Panel(Device, Protocol):
    """Buttons, lamps, keys, doors, candle, hard meters."""

    def set_outputs(self, levels: Mapping[str, Pattern]) -> None:
        """Level: the whole wanted picture; outputs not named are off."""
        ...

    def pulse(self, meter: str, count: int) -> None:
        """Act: give `count` pulses. Outcome: PulsesDone."""
        ...

    def inputs(self) -> Mapping[str, bool]:
        """The logical level of every input now (service page)."""
        ...
