"""Faults, tilts and locks as one table: what each means for play, lamps, people and logs.

The codes are the cabinet's own; staff find them on the screen and in the log. Rows stand in the
order of priority (memory, program, doors, table, seat, bill, printer): a player sees the
first one that concerns his seat, staff see all. Sources of what must lock and who may clear:
the public technical standards for gaming devices (A/NZ 1.18 and 5.3, 25 CFR 547.10, Ontario
device guides).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cabinet.core.look import LockIcon
from drivers.device import Fault, Pattern


class Code(StrEnum):
    """What is wrong, in the order of priority. The value is what staff, logs and stored facts call it."""

    MEMORY_FAILED = "M02"
    STORAGE_FAILED = "M03"
    NOT_CONFIGURED = "M04"
    ACCOUNTING_ERROR = "M05"
    MEMORY_CLEARED = "M06"
    STORAGE_SLOW = "M07"
    RNG_FAILED = "F04"
    LOGIC_AREA_OPEN = "D02"
    MAIN_DOOR_OPEN = "D01"
    PRINTER_DOOR_OPEN = "D03"
    NO_DISPLAY = "S04"
    INPUT_BOARD_LOST = "S07"
    OLD_ROUND = "OLD"
    NEW_SETTINGS = "H08"
    SERVICE_MENU = "H05"
    ATTENDANT_MENU = "H04"
    CLOSED = "H06"
    CASH_BOX_DOOR_OPEN = "D04"
    DROP_DOOR_OPEN = "D05"
    NOTE_PULLED_BACK = "B05"
    NOTE_UNRESOLVED = "B06"
    NOTE_JAM = "B01"
    DOCUMENT_STUCK = "B09"
    TOO_MANY_REFUSED = "B07"
    CASH_BOX_REMOVED = "D06"
    CASH_BOX_FULL = "B02"
    VALIDATOR_FAILED = "B03"
    VALIDATOR_SILENT = "B04"
    VALIDATOR_NOT_READY = "B13"
    TWO_DOCUMENTS = "B11"
    TICKET_IN_DOUBT = "T05"
    PRINTER_JAM = "T03"
    PRINTER_OPEN = "T07"
    PAPER_OUT = "T02"
    PRINTS_NOTHING = "T11"
    PRINTER_FAILED = "T08"
    PRINTER_SILENT = "T04"
    PRINTER_STANDS = "T12"
    UNKNOWN_TICKETS = "B12"
    NO_TICKET_KEY = "T09"
    LARGE_WIN = "H02"
    HANDPAY = "H01"
    TICKET_NOT_TAKEN = "T06"
    PAPER_LOW = "T01"
    NO_SECOND_COPY = "M01"
    DATE_IN_QUESTION = "P03"
    INPUT_STUCK = "S03"
    NO_SOUND = "S08"
    POWER_LOST = "P01"  # only in the log: the last session did not end by itself


class Lock(StrEnum):
    PLAY = "play"  # the whole table: play frozen, money devices inhibited
    ROUNDS = "rounds"  # no note and no new round; what lies on the table is played, and credit is paid out
    MONEY = "money"  # that device only; play goes on
    NONE = "none"  # a warning


class Clears(StrEnum):
    SELF = "self"  # the cause is gone
    ATTENDANT = "attendant"  # the cause is gone and the attendant key has been turned
    TECHNICIAN = "technician"  # the service key
    RESTART = "restart"  # the next start, which reads again what is stored
    MEMORY_CLEAR = "memory clear"  # no key: a technician clears the memory, or mends what is broken


@dataclass(frozen=True, slots=True)
class Condition:
    """One row. `top` (white) and `bottom` (red) are the candle's lamps while it is active."""

    code: str  # a `Code`, unless another version of the program has named it
    name: str
    lock: Lock
    clears: Clears
    top: Pattern
    bottom: Pattern = Pattern.OFF
    alarm: bool = False
    icon: LockIcon = LockIcon.WARN


_OFF, _ON, _SLOW, _FAST = Pattern.OFF, Pattern.ON, Pattern.SLOW, Pattern.FAST

_PLAY, _ROUNDS, _MONEY, _NONE = Lock
_SELF, _ATTENDANT, _TECHNICIAN, _RESTART, _CLEAR = Clears

TABLE: tuple[Condition, ...] = (
    Condition(Code.MEMORY_FAILED, "memory failed", _PLAY, _CLEAR, _FAST, _FAST),
    Condition(Code.STORAGE_FAILED, "storage failed", _PLAY, _RESTART, _FAST, _FAST),
    Condition(Code.NOT_CONFIGURED, "not configured", _PLAY, _SELF, _SLOW, _SLOW),
    Condition(Code.ACCOUNTING_ERROR, "accounting error", _PLAY, _RESTART, _FAST, _FAST),
    Condition(Code.MEMORY_CLEARED, "memory cleared", _PLAY, _TECHNICIAN, _SLOW, _SLOW),
    Condition(Code.STORAGE_SLOW, "storage slow", _PLAY, _SELF, _SLOW),
    Condition(Code.RNG_FAILED, "random number generator failed", _PLAY, _TECHNICIAN, _FAST, _FAST),
    Condition(
        Code.LOGIC_AREA_OPEN,
        "logic area open",
        _PLAY,
        _TECHNICIAN,
        _FAST,
        _FAST,
        alarm=True,
        icon=LockIcon.DOOR,
    ),
    Condition(Code.MAIN_DOOR_OPEN, "main door open", _PLAY, _SELF, _FAST, alarm=True, icon=LockIcon.DOOR),
    Condition(Code.PRINTER_DOOR_OPEN, "printer door open", _PLAY, _SELF, _FAST, icon=LockIcon.DOOR),
    Condition(Code.NO_DISPLAY, "no display", _PLAY, _SELF, _FAST, _FAST),
    Condition(Code.INPUT_BOARD_LOST, "input board lost", _PLAY, _SELF, _FAST, _FAST),
    Condition(Code.OLD_ROUND, "old round waits", _PLAY, _ATTENDANT, _SLOW),
    Condition(Code.NEW_SETTINGS, "new settings", _PLAY, _TECHNICIAN, _SLOW, _SLOW, icon=LockIcon.KEY),
    Condition(Code.SERVICE_MENU, "service menu", _PLAY, _SELF, _SLOW, _SLOW, icon=LockIcon.KEY),
    Condition(Code.ATTENDANT_MENU, "attendant menu", _PLAY, _SELF, _SLOW, icon=LockIcon.KEY),
    Condition(Code.CLOSED, "closed by the attendant", _ROUNDS, _ATTENDANT, _ON, _ON, icon=LockIcon.KEY),
    Condition(Code.CASH_BOX_DOOR_OPEN, "cash-box door open", _MONEY, _SELF, _SLOW, icon=LockIcon.DOOR),
    Condition(Code.DROP_DOOR_OPEN, "drop door open", _MONEY, _SELF, _SLOW, icon=LockIcon.DOOR),
    Condition(Code.NOTE_PULLED_BACK, "note pulled back", _MONEY, _ATTENDANT, _FAST, alarm=True),
    Condition(Code.NOTE_UNRESOLVED, "note unresolved", _MONEY, _ATTENDANT, _FAST),
    Condition(Code.NOTE_JAM, "note jam", _MONEY, _ATTENDANT, _FAST),
    Condition(Code.DOCUMENT_STUCK, "document stuck inside", _MONEY, _SELF, _FAST),
    Condition(Code.TOO_MANY_REFUSED, "too many refused", _MONEY, _ATTENDANT, _SLOW),
    Condition(Code.CASH_BOX_REMOVED, "cash box removed", _MONEY, _SELF, _SLOW),
    Condition(Code.CASH_BOX_FULL, "cash box full", _MONEY, _SELF, _SLOW),
    Condition(Code.VALIDATOR_FAILED, "bill validator failed", _MONEY, _SELF, _SLOW),
    Condition(Code.VALIDATOR_SILENT, "bill validator does not answer", _MONEY, _SELF, _SLOW),
    Condition(Code.VALIDATOR_NOT_READY, "bill validator not ready", _MONEY, _SELF, _SLOW),
    Condition(Code.TWO_DOCUMENTS, "two documents at once", _MONEY, _SELF, _SLOW),
    Condition(Code.TICKET_IN_DOUBT, "ticket in doubt", _MONEY, _ATTENDANT, _FAST),
    Condition(Code.PRINTER_JAM, "printer jam", _MONEY, _ATTENDANT, _FAST),
    Condition(Code.PRINTER_OPEN, "printer open", _MONEY, _SELF, _SLOW),
    Condition(Code.PAPER_OUT, "printer out of paper", _MONEY, _SELF, _SLOW),
    Condition(Code.PRINTS_NOTHING, "printer does not print", _MONEY, _ATTENDANT, _FAST),
    Condition(Code.PRINTER_FAILED, "printer failed", _MONEY, _SELF, _SLOW),
    Condition(Code.PRINTER_SILENT, "printer does not answer", _MONEY, _SELF, _SLOW),
    Condition(Code.PRINTER_STANDS, "printer stands", _MONEY, _SELF, _SLOW),
    Condition(Code.UNKNOWN_TICKETS, "unknown tickets", _NONE, _ATTENDANT, _FAST),
    Condition(Code.NO_TICKET_KEY, "no key for ticket numbers", _NONE, _RESTART, _SLOW),
    Condition(Code.LARGE_WIN, "large win waits", _NONE, _ATTENDANT, _SLOW, _SLOW),
    Condition(Code.HANDPAY, "hand payment waits", _NONE, _ATTENDANT, _ON, _SLOW),
    Condition(Code.TICKET_NOT_TAKEN, "ticket not taken", _NONE, _SELF, _OFF),
    Condition(Code.PAPER_LOW, "paper low", _NONE, _SELF, _SLOW),
    Condition(Code.NO_SECOND_COPY, "second copy of the memory failed", _NONE, _SELF, _SLOW),
    Condition(Code.DATE_IN_QUESTION, "date in question", _NONE, _ATTENDANT, _SLOW),
    Condition(Code.INPUT_STUCK, "input stuck", _NONE, _SELF, _SLOW),
    Condition(Code.NO_SOUND, "no sound", _NONE, _SELF, _SLOW),
)

BY_CODE: Mapping[str, Condition] = {row.code: row for row in TABLE}
PRIORITY: Mapping[str, int] = {row.code: place for place, row in enumerate(TABLE)}

_VALIDATOR = {
    Fault.LINK_LOST: Code.VALIDATOR_SILENT,
    Fault.PORT_MISSING: Code.VALIDATOR_SILENT,
    Fault.PORT_UNFIT: Code.VALIDATOR_SILENT,
    Fault.DEVICE_FAILED: Code.VALIDATOR_FAILED,
    Fault.WRONG_CURRENCY: Code.VALIDATOR_FAILED,
    Fault.JAM: Code.NOTE_JAM,
    Fault.STACKER_FULL: Code.CASH_BOX_FULL,
    Fault.STACKER_OPEN: Code.CASH_BOX_REMOVED,
    Fault.CHEATED: Code.NOTE_PULLED_BACK,
    Fault.TWO_DOCUMENTS: Code.TWO_DOCUMENTS,
    Fault.ILLEGAL_SEQUENCE: Code.NOTE_UNRESOLVED,
    Fault.DOCUMENT_STUCK: Code.DOCUMENT_STUCK,
    Fault.NOT_READY: Code.VALIDATOR_NOT_READY,
}
_PRINTER = {
    Fault.LINK_LOST: Code.PRINTER_SILENT,
    Fault.PORT_MISSING: Code.PRINTER_SILENT,
    Fault.PORT_UNFIT: Code.PRINTER_SILENT,
    Fault.DEVICE_FAILED: Code.PRINTER_FAILED,
    Fault.PRINTER_FAILED: Code.PRINTER_FAILED,
    Fault.PAPER_LOW: Code.PAPER_LOW,
    Fault.PAPER_OUT: Code.PAPER_OUT,
    Fault.PAPER_JAM: Code.PRINTER_JAM,
    Fault.HEAD_OPEN: Code.PRINTER_OPEN,
    Fault.TICKET_NOT_TAKEN: Code.TICKET_NOT_TAKEN,
}
_PANEL = {
    Fault.BOARD_LOST: Code.INPUT_BOARD_LOST,
    Fault.PORT_MISSING: Code.INPUT_BOARD_LOST,
    Fault.LINK_LOST: Code.INPUT_BOARD_LOST,
    Fault.DEVICE_FAILED: Code.INPUT_BOARD_LOST,
    Fault.INPUT_STUCK: Code.INPUT_STUCK,
}
DOORS = {
    "door.main": Code.MAIN_DOOR_OPEN,
    "door.logic": Code.LOGIC_AREA_OPEN,
    "door.printer": Code.PRINTER_DOOR_OPEN,
    "door.cash_box": Code.CASH_BOX_DOOR_OPEN,
    "door.drop": Code.DROP_DOOR_OPEN,
}
_KINDS = {"bill_validator": _VALIDATOR, "ticket_printer": _PRINTER, "panel": _PANEL}

# Of a validator, and over by themselves, and yet somebody has to come when they last so long: the attendant's
# menu restarts the unit.
# It answers, so the turn of a key restarts it; a silent one may be starting.
STANDS_STILL = (Code.DOCUMENT_STUCK, Code.VALIDATOR_NOT_READY)
# Some units say "box removed" or "box full" until they are restarted, whatever has been done about it.
CALLS_AFTER_MS: Mapping[str, int] = {
    Code.DOCUMENT_STUCK: 0,
    Code.VALIDATOR_NOT_READY: 0,
    Code.CASH_BOX_REMOVED: 30_000,
    Code.CASH_BOX_FULL: 30_000,
    Code.VALIDATOR_FAILED: 30_000,
    Code.VALIDATOR_SILENT: 30_000,
}

# While one of these is active the printer of a seat cannot be used: its cash-outs are paid by hand.
PRINTER_DOWN = frozenset(
    {
        Code.PAPER_OUT,
        Code.PRINTER_JAM,
        Code.PRINTER_SILENT,
        Code.PRINTER_OPEN,
        Code.PRINTER_FAILED,
        Code.PRINTS_NOTHING,
        Code.PRINTER_STANDS,
    }
)


def code_of(kind: str, fault: Fault) -> Code:
    """The row for a fault that a device of this kind reports."""
    table = _KINDS[kind]
    return table.get(fault) or table[Fault.DEVICE_FAILED]


def code_of_door(name: str) -> Code | None:
    """The row for an open door input; None for an input that is no door of the table."""
    return DOORS.get(name)


def row_of(code: str) -> Condition:
    """The row of a code. One that this program does not know, in a journal that another version has written,
    stops the table and waits for a technician."""
    known = BY_CODE.get(code)
    return known or Condition(code, "unknown condition", Lock.PLAY, Clears.TECHNICIAN, _SLOW, _SLOW)
