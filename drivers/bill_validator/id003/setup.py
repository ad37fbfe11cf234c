"""Setting up an ID-003 validator: what is sent after every INITIALIZE, and what must come back.

A validator forgets its settings at power-up and RESET. All denominations are forbidden first and
allowed again only when the currency table has told what they are, so that nothing can be taken
before we know what it is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.bill_validator.common.identity import Identity
from drivers.bill_validator.common.values import TICKET_CHARACTERS, NoteRow, NoteValues
from drivers.bill_validator.id003.codec import (
    Command,
    Id003Message,
    Status,
    denomination_mask,
    parse_currency_table,
    printable,
)
from drivers.device import NoteType

POWER_RECOVERY = b"\x02\x00"  # optional function, bit 1: report what was inside at a power cut
ALL_DIRECTIONS = b"\x00"
NORMAL_SECURITY = b"\x00\x00"
HIGH_SECURITY = b"\xff\xff"
INTERLEAVED_2_OF_5 = 0x01
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


def unlock(notes: tuple[NoteType, ...]) -> tuple[SetupStep, ...]:
    """The end of the setup: allow the notes that are money here, ask for the version."""
    return SetupStep(Command.DENOMINATION, denomination_mask(notes)), SetupStep(Command.VERSION)


def note_rows(data: bytes) -> tuple[NoteRow, ...]:
    """The currency table, of whose unknown countries only the number is known."""
    return tuple(
        NoteRow(row.code, row.currency, row.cents, f"country {row.country:02X}")
        for row in parse_currency_table(data)
    )


def judge(step: SetupStep, message: Id003Message) -> bool | None:
    """True: done. False: refused or not what was set. None: not an answer to this step."""
    if message.code == Status.INVALID_COMMAND:
        return step.code in _DISPENSABLE
    if message.code != step.code:
        return None
    if step.code in (Command.CURRENCY, Command.VERSION):
        return True
    return message.data == step.data


class SetupSteps:
    """Goes through the steps; passes on what the device told on the way."""

    def __init__(
        self,
        values: NoteValues,
        identity: Identity,
        first_steps: tuple[SetupStep, ...],
    ) -> None:
        self.is_done = False
        self.trouble = ""  # which setting the device does not take
        self._values = values
        self._identity = identity
        self._first_steps = first_steps
        self._steps: list[SetupStep] = []

    def begin(self) -> None:
        self.is_done = False
        self._steps = list(self._first_steps)

    def forget(self) -> None:
        """Another device may be at the end of the line."""
        self.is_done = False
        self.trouble = ""

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
            self._identity.judge(printable(message.data), now_ms)
        if not done:
            self.trouble = f"it does not take setting {step.code:02X}"
            return False
        del self._steps[0]
        if step.code == Command.CURRENCY:
            self._steps += unlock(self._values.learn(note_rows(message.data), now_ms))
        if not self._steps:
            self.is_done = True
            self.trouble = ""
        return True
