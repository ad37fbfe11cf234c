"""Tickets that the desk pays: closed in the book first, so that no machine pays the paper or a copy again.

Behind the attendant's key the outstanding tickets stand with ticket number, date and amount. Who pays one
has to hold its paper: the eight digits before the last four of the validation number are read from it and
entered with the four buttons. They are on no other page and in no log. Wrong digits are refused, recorded and
counted. Then the screen says what would be recorded, and only the key confirms it (core.confirm).
"""

from __future__ import annotations

from typing import Final

from cabinet.core.facts import DeskNumberWrong, TicketPaidAtDesk
from cabinet.core.live import Live
from cabinet.core.money import clock
from cabinet.core.state import State
from cabinet.core.state.book import IssuedTicket, TicketState
from cabinet.core.turn import Turn
from cabinet.core.validation import SYSTEM_ID_LAB

LIST: Final = "pay"  # pay:SCREEN
ENTRY: Final = "pay_number"  # pay_number:REF:DIGITS
SHOWN: Final = 8  # tickets on one screen
ENTERED: Final = slice(6, 14)  # the digits of a number that are entered
COUNT: Final = ENTERED.stop - ENTERED.start


def outstanding(state: State, live: Live) -> tuple[IssuedTicket, ...]:
    """What the desk may pay now, the newest first."""
    return tuple(line for line in reversed(state.issued) if _payable(state, live, line))


def payable(state: State, live: Live, ref: int) -> IssuedTicket | None:
    """The ticket of this reference, if the desk may pay it now."""
    return next((line for line in state.issued if line.ref == ref and _payable(state, live, line)), None)


def _payable(state: State, live: Live, line: IssuedTicket) -> bool:
    """Printed, worth something, not over its last day, and not in a validator at this moment. A ticket of a
    lab is worth nothing at a cabinet in play, wherever the book that has it has come from."""
    return (
        line.state is TicketState.PRINTED
        and line.cents > 0
        and (live.policy.lab or not line.number.startswith(SYSTEM_ID_LAB))
        and not clock.is_over(state, line, live.wall_ms)
        and all(note.ticket != line.ref for note in state.notes)
    )


def asked(page: str) -> tuple[int, str]:
    """Reference and digits so far of a page of `ENTRY`."""
    _, ref, digits = page.split(":")
    return int(ref), digits


def page(ref: int, digits: str = "") -> str:
    return f"{ENTRY}:{ref}:{digits}"


def is_right(line: IssuedTicket, digits: str) -> bool:
    return line.number[ENTERED] == digits


def wrong(turn: Turn, ref: int, by: str) -> None:
    """Somebody has entered another number."""
    turn.add(DeskNumberWrong(turn.now_ms, ref, by))


def pay(turn: Turn, ref: int, by: str) -> None:
    """Whoever `by` is pays it. What is not payable any more changes nothing."""
    line = payable(turn.state, turn.live, ref)
    if line is not None:
        turn.add(TicketPaidAtDesk(turn.now_ms, ref, line.cents, by))
