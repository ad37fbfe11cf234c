"""Faults, tilts and locks as one table: what each means for play, lamps, people and logs.

The codes are the cabinet's own; staff find them on the screen and in the log. Rows stand in the
order of priority (memory, program, doors, table, seat, bill, printer): a player sees the
first one that concerns his seat, staff see all. Sources of what must lock and who may clear:
the public technical standards for gaming devices (A/NZ 1.18 and 5.3, 25 CFR 547.10, Ontario
device guides).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cabinet.core.look import LockIcon
from drivers.device import Fault, Pattern


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

    code: str
    name: str
    lock: Lock
    clears: Clears
    top: Pattern
    bottom: Pattern = Pattern.OFF
    alarm: bool = False
    icon: LockIcon = LockIcon.WARN


_OFF, _ON, _SLOW, _FAST = Pattern.OFF, Pattern.ON, Pattern.SLOW, Pattern.FAST

TABLE: tuple[Condition, ...] = (
    Condition("M02", "memory failed", Lock.PLAY, Clears.MEMORY_CLEAR, _FAST, _FAST),
    Condition("M03", "storage failed", Lock.PLAY, Clears.RESTART, _FAST, _FAST),
    Condition("M04", "not configured", Lock.PLAY, Clears.SELF, _SLOW, _SLOW),
    Condition("M05", "accounting error", Lock.PLAY, Clears.RESTART, _FAST, _FAST),
    Condition("M06", "memory cleared", Lock.PLAY, Clears.TECHNICIAN, _SLOW, _SLOW),
    Condition("M07", "storage slow", Lock.PLAY, Clears.SELF, _SLOW),
    Condition("F04", "random number generator failed", Lock.PLAY, Clears.TECHNICIAN, _FAST, _FAST),
    Condition(
        "D02", "logic area open", Lock.PLAY, Clears.TECHNICIAN, _FAST, _FAST, alarm=True, icon=LockIcon.DOOR
    ),
    Condition("D01", "main door open", Lock.PLAY, Clears.SELF, _FAST, alarm=True, icon=LockIcon.DOOR),
    Condition("D03", "printer door open", Lock.PLAY, Clears.SELF, _FAST, icon=LockIcon.DOOR),
    Condition("S04", "no display", Lock.PLAY, Clears.SELF, _FAST, _FAST),
    Condition("S07", "input board lost", Lock.PLAY, Clears.SELF, _FAST, _FAST),
    Condition("OLD", "old round waits", Lock.PLAY, Clears.ATTENDANT, _SLOW),
    Condition("H08", "new settings", Lock.PLAY, Clears.TECHNICIAN, _SLOW, _SLOW, icon=LockIcon.KEY),
    Condition("H05", "service menu", Lock.PLAY, Clears.SELF, _SLOW, _SLOW, icon=LockIcon.KEY),
    Condition("H04", "attendant menu", Lock.PLAY, Clears.SELF, _SLOW, icon=LockIcon.KEY),
    Condition("H06", "closed by the attendant", Lock.ROUNDS, Clears.ATTENDANT, _ON, _ON, icon=LockIcon.KEY),
    Condition("D04", "cash-box door open", Lock.MONEY, Clears.SELF, _SLOW, icon=LockIcon.DOOR),
    Condition("D05", "drop door open", Lock.MONEY, Clears.SELF, _SLOW, icon=LockIcon.DOOR),
    Condition("B05", "note pulled back", Lock.MONEY, Clears.ATTENDANT, _FAST, alarm=True),
    Condition("B06", "note unresolved", Lock.MONEY, Clears.ATTENDANT, _FAST),
    Condition("B01", "note jam", Lock.MONEY, Clears.ATTENDANT, _FAST),
    Condition("B09", "document stuck inside", Lock.MONEY, Clears.SELF, _FAST),
    Condition("B07", "too many refused", Lock.MONEY, Clears.ATTENDANT, _SLOW),
    Condition("D06", "cash box removed", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("B02", "cash box full", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("B03", "bill validator failed", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("B04", "bill validator does not answer", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("B13", "bill validator not ready", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("B11", "two documents at once", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("T05", "ticket in doubt", Lock.MONEY, Clears.ATTENDANT, _FAST),
    Condition("T03", "printer jam", Lock.MONEY, Clears.ATTENDANT, _FAST),
    Condition("T07", "printer open", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("T02", "printer out of paper", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("T11", "printer does not print", Lock.MONEY, Clears.ATTENDANT, _FAST),
    Condition("T08", "printer failed", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("T04", "printer does not answer", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("T12", "printer stands", Lock.MONEY, Clears.SELF, _SLOW),
    Condition("B12", "unknown tickets", Lock.NONE, Clears.ATTENDANT, _FAST),
    Condition("T09", "no key for ticket numbers", Lock.NONE, Clears.RESTART, _SLOW),
    Condition("H02", "large win waits", Lock.NONE, Clears.ATTENDANT, _SLOW, _SLOW),
    Condition("H01", "hand payment waits", Lock.NONE, Clears.ATTENDANT, _ON, _SLOW),
    Condition("T06", "ticket not taken", Lock.NONE, Clears.SELF, _OFF),
    Condition("T01", "paper low", Lock.NONE, Clears.SELF, _SLOW),
    Condition("M01", "second copy of the memory failed", Lock.NONE, Clears.SELF, _SLOW),
    Condition("P03", "date in question", Lock.NONE, Clears.ATTENDANT, _SLOW),
    Condition("S03", "input stuck", Lock.NONE, Clears.SELF, _SLOW),
    Condition("S08", "no sound", Lock.NONE, Clears.SELF, _SLOW),
)

BY_CODE = {row.code: row for row in TABLE}
PRIORITY = {row.code: place for place, row in enumerate(TABLE)}

_VALIDATOR = {
    Fault.LINK_LOST: "B04",
    Fault.PORT_MISSING: "B04",
    Fault.PORT_UNFIT: "B04",
    Fault.DEVICE_FAILED: "B03",
    Fault.WRONG_CURRENCY: "B03",
    Fault.JAM: "B01",
    Fault.STACKER_FULL: "B02",
    Fault.STACKER_OPEN: "D06",
    Fault.CHEATED: "B05",
    Fault.TWO_DOCUMENTS: "B11",
    Fault.ILLEGAL_SEQUENCE: "B06",
    Fault.DOCUMENT_STUCK: "B09",
    Fault.NOT_READY: "B13",
}
_PRINTER = {
    Fault.LINK_LOST: "T04",
    Fault.PORT_MISSING: "T04",
    Fault.PORT_UNFIT: "T04",
    Fault.DEVICE_FAILED: "T08",
    Fault.PRINTER_FAILED: "T08",
    Fault.PAPER_LOW: "T01",
    Fault.PAPER_OUT: "T02",
    Fault.PAPER_JAM: "T03",
    Fault.HEAD_OPEN: "T07",
    Fault.TICKET_NOT_TAKEN: "T06",
}
_PANEL = {
    Fault.BOARD_LOST: "S07",
    Fault.PORT_MISSING: "S07",
    Fault.LINK_LOST: "S07",
    Fault.DEVICE_FAILED: "S07",
    Fault.INPUT_STUCK: "S03",
}
DOORS = {
    "door.main": "D01",
    "door.logic": "D02",
    "door.printer": "D03",
    "door.cash_box": "D04",
    "door.drop": "D05",
}
_KINDS = {"bill_validator": _VALIDATOR, "ticket_printer": _PRINTER, "panel": _PANEL}

# Of a validator, and over by themselves, and yet somebody has to come when they last so long: the attendant's
# menu restarts the unit.
STANDS_STILL = ("B09", "B13")  # it answers, so the turn of a key restarts it; a silent one may be starting
# Some units say "box removed" or "box full" until they are restarted, whatever has been done about it.
CALLS_AFTER_MS = {"B09": 0, "B13": 0, "D06": 30_000, "B02": 30_000, "B03": 30_000, "B04": 30_000}

# While one of these is active the printer of a seat cannot be used: its cash-outs are paid by hand.
PRINTER_DOWN = frozenset({"T02", "T03", "T04", "T07", "T08", "T11", "T12"})


def code_of(kind: str, fault: Fault) -> str:
    """The row for a fault that a device of this kind reports."""
    table = _KINDS[kind]
    return table.get(fault) or table[Fault.DEVICE_FAILED]


def code_of_door(name: str) -> str | None:
    """The row for an open door input; None for an input that is no door of the table."""
    return DOORS.get(name)
