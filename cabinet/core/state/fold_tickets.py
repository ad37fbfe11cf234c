"""How facts about tickets change the state: those that are made, and those that come back."""

from __future__ import annotations

from cabinet.core.facts import (
    RedeemIntended,
    SequenceGiven,
    TicketBegun,
    TicketIntended,
    TicketPaidAtDesk,
    TicketPrinted,
    TicketRedeemed,
    TicketUnknown,
    TicketVoided,
)
from cabinet.core.renewal import replace
from cabinet.core.state import book
from cabinet.core.state import ledger as accounts
from cabinet.core.state.book import IssuedTicket, TicketState
from cabinet.core.state.fold_money import credited, open_note, with_note
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.state.state import OpenNote, OpenTicket, Paper, State
from cabinet.core.validation import LIMIT_24_BIT, last_four

# ---- on their way out


def sequence_given(state: State, fact: SequenceGiven) -> State:
    if not state.sequence <= fact.last < LIMIT_24_BIT or not 0 < fact.machine_id < LIMIT_24_BIT:
        raise FactRefusedError(f"sequence {fact.last} cannot follow {state.sequence}")
    return replace(state, machine_id=fact.machine_id, sequence=fact.last)


def ticket(
    state: State, fact: TicketIntended | TicketBegun | TicketPrinted | TicketUnknown | TicketVoided
) -> State:
    if isinstance(fact, TicketIntended):
        return _ticket_intended(state, fact)
    ticket = state.ticket(fact.ref)
    if ticket is None:
        raise FactRefusedError(f"no open ticket {fact.ref}")
    others = tuple(t for t in state.tickets if t is not ticket)
    if isinstance(fact, TicketBegun):
        return replace(
            state, tickets=tuple(replace(t, begun=True) if t is ticket else t for t in state.tickets)
        )
    if isinstance(fact, TicketUnknown):
        asked = replace(ticket, unknown=fact.detail or "unknown", doubt=False)
        return replace(state, tickets=(*others, asked))
    if isinstance(fact, TicketVoided):
        ledger = state.ledger.move(
            accounts.in_flight(ticket.seat), accounts.credit(ticket.seat), ticket.cents
        )
        end = TicketState.FAILED if fact.by == "printer" else TicketState.VOID
        return replace(state, ledger=ledger, tickets=others, issued=_entered(state, ticket, end))
    ledger = state.ledger.move(accounts.in_flight(ticket.seat), "tickets_out", ticket.cents)
    shown = state.presented
    if fact.by == "printer" and not ticket.handpay:
        shown = (*shown, Paper(ticket.device, ticket.seat, ticket.cents, last_four(ticket.number)))[-8:]
    issued = _entered(state, ticket, TicketState.PRINTED)
    return replace(state, ledger=ledger, tickets=others, presented=shown, issued=issued)


def _entered(state: State, ticket: OpenTicket, end: TicketState) -> book.Book:
    line = IssuedTicket(
        ticket.ref,
        ticket.seat,
        ticket.cents,
        ticket.number,
        ticket.redeemable,
        ticket.expires_ms,
        end,
        ticket.ticket_no,
        ticket.wall_ms,
    )
    return book.entered(state.issued, line, [note.ticket for note in state.notes])


def _ticket_intended(state: State, fact: TicketIntended) -> State:
    if fact.ref != state.next_ref or fact.sequence <= state.sequence:
        raise FactRefusedError(f"ticket reference {fact.ref} or sequence {fact.sequence} was used before")
    if any(t.device == fact.device for t in state.tickets):
        raise FactRefusedError(f"{fact.device} has a ticket in work already")
    if fact.cents <= 0 and not (fact.handpay and fact.cents == 0 and not fact.redeemable):
        raise FactRefusedError(f"a ticket over {fact.cents} cents cannot be")
    ticket = OpenTicket(
        fact.ref,
        fact.seat,
        fact.device,
        fact.cents,
        fact.number,
        fact.sequence,
        fact.ticket_no,
        fact.wall_ms,
        fact.at_ms,
        fact.redeemable,
        fact.expires_ms,
        fact.handpay,
    )
    return replace(
        state,
        ledger=state.ledger.move(accounts.credit(fact.seat), accounts.in_flight(fact.seat), fact.cents),
        tickets=(*state.tickets, ticket),
        waiting=state.waiting if fact.handpay else tuple(s for s in state.waiting if s != fact.seat),
        next_ref=fact.ref + 1,
        sequence=fact.sequence,
        ticket_no=fact.ticket_no,
    )


# ---- on their way in


def redeem_intended(state: State, fact: RedeemIntended) -> State:
    if fact.ref != state.next_ref:
        raise FactRefusedError(f"reference {fact.ref} is not the next one, {state.next_ref}")
    if state.note(fact.device) is not None:
        raise FactRefusedError(f"{fact.device} has a document in work already")
    line = book.payable(state.issued, fact.ticket)
    if (line.cents, line.number) != (fact.cents, fact.number) or not line.redeemable:
        raise FactRefusedError(f"ticket {fact.ticket} is another one, or only a cashier pays it")
    if fact.seat not in state.seats or any(note.ticket == fact.ticket for note in state.notes):
        raise FactRefusedError(f"ticket {fact.ticket} is taken already, or there is no seat {fact.seat}")
    note = OpenNote(
        fact.ref,
        fact.device,
        fact.seat,
        fact.cents,
        0,
        number=fact.number,
        ticket=fact.ticket,
        evidence=fact.evidence,
    )
    return replace(state, notes=(*state.notes, note), next_ref=fact.ref + 1)


def redeemed(state: State, fact: TicketRedeemed) -> State:
    note = open_note(state, fact.ref)
    if note.credited or (note.ticket, note.device, note.seat, note.cents, note.number) != (
        fact.ticket, fact.device, fact.seat, fact.cents, fact.number,
    ):  # fmt: skip
        raise FactRefusedError(f"document {fact.ref} is redeemed already, or is no ticket {fact.ticket}")
    issued = book.became(state.issued, fact.ticket, TicketState.REDEEMED)
    ledger = state.ledger.move("tickets_out", accounts.credit(note.seat), note.cents)
    state = replace(state, ledger=ledger, issued=issued)
    return with_note(state, note, credited(note, fact.evidence))


def clock_stepped(state: State, first_ref: int, later_ms: int) -> State:
    """The clock was `later_ms` slow when the tickets from `first_ref` on were dated."""
    return replace(
        state,
        tickets=tuple(
            replace(t, expires_ms=t.expires_ms + later_ms) if t.ref >= first_ref else t for t in state.tickets
        ),
        issued=tuple(
            replace(line, expires_ms=line.expires_ms + later_ms) if line.ref >= first_ref else line
            for line in state.issued
        ),
    )


def paid_at_desk(state: State, fact: TicketPaidAtDesk) -> State:
    """Never one that a validator may credit at any moment."""
    if any(note.ticket == fact.ref for note in state.notes):
        raise FactRefusedError(f"ticket {fact.ref} is in a validator")
    if book.payable(state.issued, fact.ref).cents != fact.cents or fact.cents <= 0:
        raise FactRefusedError(f"ticket {fact.ref} is not worth {fact.cents} cents")
    ledger = state.ledger.move("tickets_out", "desk", fact.cents)
    return replace(state, ledger=ledger, issued=book.became(state.issued, fact.ref, TicketState.PAID))


def expired(state: State, ref: int) -> State:
    """Whoever has put it into a validator by then may still be paid."""
    if any(note.ticket == ref for note in state.notes):
        raise FactRefusedError(f"ticket {ref} is in a validator")
    return replace(state, issued=book.became(state.issued, ref, TicketState.EXPIRED))
