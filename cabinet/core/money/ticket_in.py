"""Money in: the cabinet's own tickets.

A ticket in escrow is looked up in the book. What can be paid is recorded as intended before STACK is
sent and credited once at VEND VALID, as a note is (`cashier`): the document of both is one record, so
one table closes both after a restart. Everything else goes back, and the seat is told why.

Only the book decides. What the key says of a number that is not in it is told to people and decides nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from cabinet.core.conditions import Code
from cabinet.core.facts import (
    BY_HAND,
    ConditionRaised,
    NoteClosed,
    NoteReturned,
    RedeemIntended,
    TicketExpired,
    TicketRefused,
)
from cabinet.core.live import with_device
from cabinet.core.look import Message
from cabinet.core.money import binding, cashier, clock
from cabinet.core.state import OpenNote, State
from cabinet.core.state.book import IssuedTicket, TicketState
from cabinet.core.turn import AcknowledgeNote, ReturnNote, StackNote, Turn
from cabinet.core.validation import SYSTEM_ID_LAB

UNKNOWN_TICKETS: Final = Code.UNKNOWN_TICKETS
UNKNOWN_MOST: Final = 3  # within so long, at one validator
UNKNOWN_WITHIN_MS: Final = 10 * 60_000


class Refusal(StrEnum):
    """Why a ticket goes back. The seat's screen says it in the words of `_TEXTS`."""

    UNKNOWN = "unknown"  # nothing says that this cabinet has made it
    PAID = "paid"
    EXPIRED = "expired"
    VOID = "void"
    IN_DOUBT = "in_doubt"  # being printed, in question, or in another validator at this moment
    TOO_OLD = "too_old"  # made under our key, but no longer in the book: the cashier looks it up
    RECEIPT = "receipt"  # only a cashier pays it
    LIMIT = "limit"
    LOCKED = "locked"
    NOT_BOUND = "not_bound"


_TEXTS: Final = {
    Refusal.UNKNOWN: Message("refused.ticket_unknown"),
    Refusal.PAID: Message("refused.ticket_paid"),
    Refusal.EXPIRED: Message("refused.ticket_expired"),
    Refusal.VOID: Message("refused.ticket_void"),
    Refusal.IN_DOUBT: Message("refused.ticket_in_doubt"),
    Refusal.TOO_OLD: Message("refused.ticket_too_old"),
    Refusal.RECEIPT: Message("refused.ticket_receipt"),
    Refusal.LIMIT: Message("refused.credit_limit"),
    Refusal.LOCKED: Message("refused.not_now"),
    Refusal.NOT_BOUND: Message("refused.not_now"),
}
_ENDS: Final = {
    TicketState.REDEEMED: Refusal.PAID,
    TicketState.PAID: Refusal.PAID,
    TicketState.EXPIRED: Refusal.EXPIRED,
    TicketState.VOID: Refusal.VOID,
    TicketState.FAILED: Refusal.VOID,
}


def barcode_escrowed(turn: Turn, device: str, digits: str, evidence: str) -> None:
    """A ticket waits in escrow: record the intent and stack it, or give it back with the reason."""
    open_note = turn.state.note(device)
    if open_note is not None and not open_note.credited:
        # The same document after a restart: decided again, not recorded twice.
        again = open_note.number == digits and not cashier.why_not(
            turn, device, open_note.seat, open_note.cents
        )
        turn.act(StackNote(device) if again else ReturnNote(device))
        return
    if open_note is not None:
        turn.add(NoteClosed(turn.now_ms, open_note.ref))
    seat = binding.seat_of(turn.live, device)
    line = _line(turn.state, digits)
    why = _why_not(turn, device, seat, digits, line)
    if seat is None or line is None or why is not None:
        _refuse(turn, device, seat, digits, line, why or Refusal.UNKNOWN)
        return
    state = turn.state
    turn.add(
        RedeemIntended(turn.now_ms, state.next_ref, line.ref, device, seat, line.cents, digits, evidence)
    )
    turn.act(StackNote(device))


def _line(state: State, digits: str) -> IssuedTicket | None:
    return next((line for line in state.issued if line.number == digits), None)


def _why_not(
    turn: Turn, device: str, seat: int | None, digits: str, line: IssuedTicket | None
) -> Refusal | None:
    """Why this ticket may not be stacked now. None: it may."""
    if seat is None:
        return Refusal.NOT_BOUND
    if digits.startswith(SYSTEM_ID_LAB) and not turn.policy.lab:
        return Refusal.UNKNOWN  # no money, wherever the book that has it has come from
    if line is None:
        return _not_in_book(turn, digits)
    if line.state is not TicketState.PRINTED:
        return _ENDS[line.state]
    if not line.redeemable or not turn.policy.redeems:
        return Refusal.RECEIPT
    if any(note.ticket == line.ref for note in turn.state.notes):
        return Refusal.IN_DOUBT
    if clock.is_over(turn.state, line, turn.live.wall_ms):
        return Refusal.EXPIRED
    match cashier.why_not(turn, device, seat, line.cents):
        case cashier.LOCKED:
            return Refusal.LOCKED
        case cashier.LIMIT:
            return Refusal.LIMIT
    return None


def _not_in_book(turn: Turn, digits: str) -> Refusal:
    state = turn.state
    if any(ticket.number == digits for ticket in state.tickets):
        return Refusal.IN_DOUBT
    numbers, policy = turn.policy.numbers, turn.policy
    machine_id, sequence = (numbers and numbers.origin(digits)) or (0, 0)
    ours = machine_id == policy.machine_id and 0 < sequence <= state.sequence
    return Refusal.TOO_OLD if ours else Refusal.UNKNOWN


def _refuse(
    turn: Turn, device: str, seat: int | None, digits: str, line: IssuedTicket | None, why: Refusal
) -> None:
    if why is Refusal.EXPIRED and line is not None and line.state is TicketState.PRINTED:
        turn.add(TicketExpired(turn.now_ms, line.ref))
    turn.add(TicketRefused(turn.now_ms, device, seat or 0, digits, why.value))
    turn.act(ReturnNote(device))
    if seat is not None:
        cashier.refuse(turn, seat, _TEXTS[why])
    if why is Refusal.UNKNOWN:
        _count_unknown(turn, device)


def _count_unknown(turn: Turn, device: str) -> None:
    """One ticket that is not ours is a mistake, some of them are somebody who tries: a person should look.
    Nothing is stopped. A new count begins when the attendant has been called."""
    last = turn.live.device(device).unknown_ms
    times = (*(ms for ms in last if turn.now_ms - ms < UNKNOWN_WITHIN_MS), turn.now_ms)
    if len(times) >= UNKNOWN_MOST:
        times = ()
        if (UNKNOWN_TICKETS, device) not in turn.state.conditions:
            detail = f"{UNKNOWN_MOST} in {UNKNOWN_WITHIN_MS // 60_000} minutes"
            turn.add(ConditionRaised(turn.now_ms, UNKNOWN_TICKETS, device, detail))
    turn.live = with_device(turn.live, device, unknown_ms=times)


def answered(turn: Turn, note: OpenNote, in_box: bool, by: str) -> None:
    """Whoever `by` is has looked for a ticket in question: in the box it is money for its seat, else it is
    payable again. A validator that still waits in VEND VALID is told that it was seen."""
    if in_box:
        turn.add(cashier.redeemed(turn.now_ms, note, by))
        turn.add(NoteClosed(turn.now_ms, note.ref))
    else:
        turn.add(NoteReturned(turn.now_ms, note.ref, BY_HAND, by))
    if note.unresolved in ("vend_valid", "in_stacker"):
        turn.act(AcknowledgeNote(note.device))
