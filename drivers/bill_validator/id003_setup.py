"""Setting up an ID-003 validator: what is sent after every INITIALIZE, and what must come back.

A validator forgets its settings at power-up and RESET. All denominations are forbidden first and
allowed again only when the currency table has told what they are, so that nothing can be taken
before we know what it is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.bill_validator.id003_codec import Command, CurrencyRow, Message, Status, denomination_mask
from drivers.device import NoteType

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
class Step:
    code: Command
    data: bytes = b""


def steps(*, high_security: bool, tickets: bool) -> tuple[Step, ...]:
    """Everything up to the currency table; ``unlock`` and VERSION follow."""
    return (
        Step(Command.DENOMINATION, b"\xff\xff"),
        Step(Command.SECURITY, HIGH_SECURITY if high_security else NORMAL_SECURITY),
        Step(Command.DIRECTION, ALL_DIRECTIONS),
        Step(Command.OPTION, POWER_RECOVERY),
        Step(Command.BARCODE, bytes((INTERLEAVED_2_OF_5, TICKET_CHARACTERS))),
        Step(Command.BAR_INHIBIT, BILLS_AND_TICKETS if tickets else BILLS_ONLY),
        Step(Command.MODE, b"\x00"),
        Step(Command.INHIBIT, INHIBIT),
        Step(Command.CURRENCY),
    )


def unlock(rows: tuple[CurrencyRow, ...]) -> tuple[Step, ...]:
    """The end of the setup: allow the notes that are money here, ask for the version."""
    return Step(Command.DENOMINATION, denomination_mask(note_types(rows))), Step(Command.VERSION)


def note_types(rows: tuple[CurrencyRow, ...]) -> tuple[NoteType, ...]:
    return tuple(NoteType(row.code, row.currency, row.cents) for row in rows)


def judge(step: Step, message: Message) -> bool | None:
    """True: done. False: refused or not what was set. None: not an answer to this step."""
    if message.code == Status.INVALID_COMMAND:
        return step.code in _DISPENSABLE
    if message.code != step.code:
        return None
    if step.code in (Command.CURRENCY, Command.VERSION):
        return True
    return message.data == step.data
