"""Money in: the cabinet's own tickets.

A ticket in escrow is looked up in the book. What can be paid is recorded as intended before STACK is
sent and credited once at VEND VALID, as a note is (`cashier`): the document of both is one record, so
one table closes both after a restart. Everything else goes back, and the seat is told why.

The digits of a validation number are a claim and no proof: anybody can compute them. Only the book decides.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from cabinet.core import binding, cashier
from cabinet.core.book import IssuedTicket, TicketState
from cabinet.core.facts import (
    BY_HAND,
    NoteClosed,
    NoteReturned,
    RedeemIntended,
    TicketExpired,
    TicketRefused,
)
from cabinet.core.look import Message
from cabinet.core.state import OpenNote, State
from cabinet.core.turn import AcknowledgeNote, ReturnNote, StackNote, Turn
from cabinet.core.validation import origin_of


class Refusal(StrEnum):
    """Why a ticket goes back. The seat's screen says it in the words of `_TEXTS`."""

    UNKNOWN = "unknown"  # no cabinet can have made it, or it claims a number that we have not reached
    OTHER_CABINET = "other_cabinet"
    PAID = "paid"
    EXPIRED = "expired"
    VOID = "void"
    IN_DOUBT = "in_doubt"  # being printed, in question, or in another validator at this moment
    TOO_OLD = "too_old"  # ours, but no longer in the book: the cashier looks it up
    RECEIPT = "receipt"  # only a cashier pays it
    LIMIT = "limit"
    LOCKED = "locked"
    NOT_BOUND = "not_bound"


_TEXTS: Final = {
    Refusal.UNKNOWN: Message("refused.ticket_unknown"),
    Refusal.OTHER_CABINET: Message("refused.ticket_other_cabinet"),
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
    TicketState.EXPIRED: Refusal.EXPIRED,
    TicketState.VOID: Refusal.VOID,
    TicketState.FAILED: Refusal.VOID,
}


def barcode_escrowed(turn: Turn, device: str, digits: str) -> None:
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
    turn.add(RedeemIntended(turn.now_ms, state.next_ref, line.ref, device, seat, line.cents, digits))
    turn.act(StackNote(device))


def _line(state: State, digits: str) -> IssuedTicket | None:
    return next((line for line in state.issued if line.number == digits), None)


def _why_not(
    turn: Turn, device: str, seat: int | None, digits: str, line: IssuedTicket | None
) -> Refusal | None:
    """Why this ticket may not be stacked now. None: it may."""
    if seat is None:
        return Refusal.NOT_BOUND
    if line is None:
        return _not_in_book(turn, digits)
    if line.state is not TicketState.PRINTED:
        return _ENDS[line.state]
    if not line.redeemable or not turn.policy.redeems:
        return Refusal.RECEIPT
    if any(note.ticket == line.ref for note in turn.state.notes):
        return Refusal.IN_DOUBT
    if turn.live.wall_ms >= line.expires_ms:
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
    machine_id, sequence = origin_of(digits) or (0, 0)
    if not machine_id:  # no cabinet has the id 0
        return Refusal.UNKNOWN
    if machine_id != turn.policy.machine_id:
        return Refusal.OTHER_CABINET
    return Refusal.TOO_OLD if 0 < sequence <= state.sequence else Refusal.UNKNOWN


def _refuse(
    turn: Turn, device: str, seat: int | None, digits: str, line: IssuedTicket | None, why: Refusal
) -> None:
    if why is Refusal.EXPIRED and line is not None and line.state is TicketState.PRINTED:
        turn.add(TicketExpired(turn.now_ms, line.ref))
    turn.add(TicketRefused(turn.now_ms, device, seat or 0, digits, why.value))
    turn.act(ReturnNote(device))
    if seat is not None:
        cashier.refuse(turn, seat, _TEXTS[why])


def expire(turn: Turn) -> None:
    """At start-up: tickets whose last day is over. One that waits in a validator is its own matter."""
    inside = {note.ticket for note in turn.state.notes}
    for line in turn.state.issued:
        over = line.state is TicketState.PRINTED and turn.live.wall_ms >= line.expires_ms
        if over and line.ref not in inside:
            turn.add(TicketExpired(turn.now_ms, line.ref))


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
