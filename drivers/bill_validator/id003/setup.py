"""Setting up an ID-003 validator: what is sent after every INITIALIZE, and what must come back.

A validator forgets its settings at power-up and RESET. All denominations are forbidden first and
allowed again only when the currency table has told what they are, so that nothing can be taken
before we know what it is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drivers.bill_validator.id003.codec import (
    Command,
    CurrencyRow,
    Id003Message,
    Status,
    denomination_mask,
    parse_currency_table,
    printable,
)
from drivers.device import DeviceEvent, Fault, Identified, NoteTable, NoteType
from drivers.protocol.faults import FaultBook

POWER_RECOVERY = b"\x02\x00"  # optional function, bit 1: report what was inside at a power cut
ALL_DIRECTIONS = b"\x00"
NORMAL_SECURITY = b"\x00\x00"
HIGH_SECURITY = b"\xff\xff"
INTERLEAVED_2_OF_5 = 0x01
TICKET_CHARACTERS = 18
BILLS_AND_TICKETS = b"\xfc"
BILLS_ONLY = b"\xfe"
INHIBIT = b"\x01"
ACCEPT = b"\x00"

# Settings that older units do not know: INVALID COMMAND is an answer, and nothing is lost by it.
_DISPENSABLE = frozenset({Command.SECURITY, Command.DIRECTION, Command.OPTION, Command.BARCODE,
                          Command.BAR_INHIBIT, Command.MODE})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SetupStep:
    code: Command
    data: bytes = b""


def steps(*, high_security: bool, tickets: bool) -> tuple[SetupStep, ...]:
    """Everything up to the currency table; ``unlock`` and VERSION follow."""
    return (
        SetupStep(Command.DENOMINATION, b"\xff\xff"),
        SetupStep(Command.SECURITY, HIGH_SECURITY if high_security else NORMAL_SECURITY),
        SetupStep(Command.DIRECTION, ALL_DIRECTIONS),
        SetupStep(Command.OPTION, POWER_RECOVERY),
        SetupStep(Command.BARCODE, bytes((INTERLEAVED_2_OF_5, TICKET_CHARACTERS))),
        SetupStep(Command.BAR_INHIBIT, BILLS_AND_TICKETS if tickets else BILLS_ONLY),
        SetupStep(Command.MODE, b"\x00"),
        SetupStep(Command.INHIBIT, INHIBIT),
        SetupStep(Command.CURRENCY),
    )


def unlock(rows: tuple[CurrencyRow, ...]) -> tuple[SetupStep, ...]:
    """The end of the setup: allow the notes that are money here, ask for the version."""
    return SetupStep(Command.DENOMINATION, denomination_mask(note_types(rows))), SetupStep(Command.VERSION)


def note_types(rows: tuple[CurrencyRow, ...]) -> tuple[NoteType, ...]:
    return tuple(NoteType(row.code, row.currency, row.cents) for row in rows)


def judge(step: SetupStep, message: Id003Message) -> bool | None:
    """True: done. False: refused or not what was set. None: not an answer to this step."""
    if message.code == Status.INVALID_COMMAND:
        return step.code in _DISPENSABLE
    if message.code != step.code:
        return None
    if step.code in (Command.CURRENCY, Command.VERSION):
        return True
    return message.data == step.data


class NoteValues:
    """The currency table of the device, and which of its notes are money here."""

    def __init__(self, currency: str, enabled_cents: tuple[int, ...]) -> None:
        self.currency = currency
        self.rows: tuple[CurrencyRow, ...] | None = None  # None: not read
        self._enabled_cents = enabled_cents  # empty: all

    def takes(self, row: CurrencyRow) -> bool:
        enabled = self._enabled_cents
        return row.currency == self.currency and (not enabled or row.cents in enabled)

    def row_of(self, code: int) -> CurrencyRow | None:
        return next((row for row in self.rows or () if row.code == code), None)


class SetupSteps:
    """Goes through the steps; says what the device told on the way."""

    def __init__(
        self,
        device: str,
        emit: Callable[[DeviceEvent], None],
        faults: FaultBook,
        values: NoteValues,
        first_steps: tuple[SetupStep, ...],
        firmware: tuple[str, ...] = (),
    ) -> None:
        """`firmware`: how the versions begin that may take money; empty: any."""
        self.is_done = False
        self.trouble = ""  # which setting the device does not take
        self._device = device
        self._emit = emit
        self._faults = faults
        self._values = values
        self._first_steps = first_steps
        self._steps: list[SetupStep] = []
        self._identity = ""
        self._firmware = firmware
        self.wrong_firmware = ""  # why it may take nothing, whatever it says of itself

    def begin(self) -> None:
        self.is_done = False
        self._steps = list(self._first_steps)

    def forget(self) -> None:
        """Another device may be at the end of the line."""
        self.is_done = False
        self._values.rows = None
        self.trouble = self._identity = self.wrong_firmware = ""

    @property
    def step(self) -> SetupStep:
        return self._steps[0]

    def take(self, message: Id003Message, now_ms: int) -> bool | None:
        """The answer to ``step``. True: go on, or ``is_done``. False: see ``trouble``. None: no answer."""
        step = self.step
        done = judge(step, message)
        if done is None:
            return None
        if step.code == Command.VERSION:
            self._check(printable(message.data), now_ms)
        if not done:
            self.trouble = f"it does not take setting {step.code:02X}"
            return False
        del self._steps[0]
        if step.code == Command.CURRENCY:
            self._read_table(message.data, now_ms)
        if not self._steps:
            self.is_done = True
            self.trouble = ""
        return True

    def _read_table(self, data: bytes, now_ms: int) -> None:
        rows = self._values.rows = parse_currency_table(data)
        ours = tuple(row for row in rows if self._values.takes(row))
        self._emit(NoteTable(self._device, now_ms, note_types(ours)))
        if ours:
            self._faults.clear(Fault.WRONG_CURRENCY, now_ms)
        else:
            known = ", ".join(sorted({row.currency or f"country {row.country:02X}" for row in rows}))
            detail = f"no note of {self._values.currency} is enabled; the device knows {known or 'none'}"
            self._faults.raise_(Fault.WRONG_CURRENCY, detail, now_ms)
        self._steps += unlock(ours)

    def _check(self, identity: str, now_ms: int) -> None:
        """Its version at the end of a setup. What it told at the first contact is not judged yet."""
        self.identify(identity, now_ms)
        self.wrong_firmware = ""
        if self._firmware and not identity.startswith(self._firmware):
            allowed = ", ".join(self._firmware)
            self.wrong_firmware = f"its firmware is {identity or 'not told'}; allowed: {allowed}"

    def identify(self, identity: str, now_ms: int) -> None:
        if identity and identity != self._identity:
            self._identity = identity
            self._emit(Identified(self._device, now_ms, identity))
