"""Money out: tickets and hand payments.

Credit moves to in-flight and number and sequence are fixed before the printer hears of a ticket.
Its one outcome moves the money on: printed, or void for ever and paid by hand; in doubt, the
attendant is asked. No number ever reaches paper twice.
"""

from __future__ import annotations

from cabinet.core import live as now
from cabinet.core.conditions import Code
from cabinet.core.facts import (
    BetMoved,
    CashOutAsked,
    ConditionCleared,
    ConditionRaised,
    HandpayCancelled,
    HandpayOpened,
    SequenceGiven,
    TicketBegun,
    TicketIntended,
    TicketPrinted,
    TicketTakenAway,
    TicketUnknown,
    TicketVoided,
)
from cabinet.core.live import play_lock, printer_down
from cabinet.core.look import Cue
from cabinet.core.money import clock
from cabinet.core.money.amounts import AmountDoesNotFitError
from cabinet.core.money.ticket import fields_of, next_number
from cabinet.core.renewal import replace
from cabinet.core.state import OpenTicket
from cabinet.core.state.book import TicketState
from cabinet.core.turn import InquireTicket, PrintTicket, ReleasePrinter, TicketRecorded, Turn
from cabinet.core.validation import NoNumberError
from drivers.device import TicketOutcome

PRINT_ATTEMPTS = 2  # a ticket that has not started is followed by a new one; then the hand pays


# ---- cash-out


def cash_out(turn: Turn, seat: int) -> None:
    """CASH OUT: an open bet comes back first; then the seat waits for its turn at the printer. Tickets that
    failed for an earlier request do not count against this one."""
    _attempts(turn, seat, 0)
    if turn.state.bet(seat):
        turn.add(BetMoved(turn.now_ms, seat, -turn.state.bet(seat)))
    turn.add(CashOutAsked(turn.now_ms, seat))


def cancel_hand_pay(turn: Turn, seat: int) -> None:
    """CASH OUT once more: the credit that waits for an attendant is the seat's again."""
    for pay in turn.state.handpays:
        if pay.seat == seat and not pay.is_win:
            turn.add(HandpayCancelled(turn.now_ms, pay.ref))


def serve(turn: Turn) -> None:
    """Give each free printer to the next waiting seat; money moves only when the turn comes."""
    if turn.state.frozen or play_lock(turn.state, turn.live):
        return
    for seat in turn.state.waiting:
        cents = turn.state.credit(seat)
        printer = turn.policy.printer_of(seat)
        if not cents:
            continue
        if cents > turn.policy.ticket_limit_cents:
            _hand_pay(turn, seat, "ticket_limit")
        elif cents < turn.policy.payout_unit_cents:
            _hand_pay(turn, seat, "residual")
        elif turn.policy.numbers is None:
            _hand_pay(turn, seat, "no_ticket_key")
        elif why := printer_down(turn.state, turn.live, printer):
            _hand_pay(turn, seat, f"printer {why}")
        elif is_free(turn, printer):
            _ticket(turn, seat, printer)


def is_free(turn: Turn, printer: str) -> bool:
    """It would carry out an order now, and the last one is recorded."""
    if not turn.live.device(printer).ready:
        return False
    return not any(ticket.device == printer for ticket in turn.state.tickets)


def _hand_pay(turn: Turn, seat: int, reason: str) -> None:
    turn.add(HandpayOpened(turn.now_ms, turn.state.next_ref, seat, turn.state.credit(seat), reason))


def _ticket(turn: Turn, seat: int, printer: str) -> None:
    state, policy = turn.state, turn.policy
    wall_ms = turn.live.wall_ms
    cents = state.credit(seat) // policy.payout_unit_cents * policy.payout_unit_cents
    try:
        sequence, number = next_number(policy, state)
        intent = TicketIntended(
            turn.now_ms,
            state.next_ref,
            seat,
            printer,
            cents,
            number,
            sequence,
            state.ticket_no % 9999 + 1,
            wall_ms,
            policy.redeems,
            clock.last_day_ms(state, wall_ms, policy.ticket_expiry_days),
            handpay=0,
        )
        fields = fields_of(policy, intent.seat, intent.cents, number, intent.ticket_no, intent.wall_ms)
    except NoNumberError:
        _hand_pay(turn, seat, "no_number")
        return
    except AmountDoesNotFitError:
        _hand_pay(turn, seat, "ticket_limit")
        return
    turn.add(intent)
    turn.act(PrintTicket(printer, intent.ref, fields))
    turn.live = now.sound(turn.live, Cue.PRINTING)


def printers_asked(turn: Turn) -> None:
    """At start-up: a printer with a ticket in doubt is asked about it, the others are released. Of one that
    the cabinet file does not name any more no answer comes."""
    here = [name for name, _ in turn.policy.printers]
    for open_ in turn.state.tickets:
        if open_.device in here or open_.unknown:
            continue
        detail = f"the cabinet has no {open_.device} any more"
        if open_.handpay:
            _void(turn, open_, detail, "printer")
        else:
            turn.add(TicketUnknown(turn.now_ms, open_.ref, detail))
    for printer in here:
        ticket = next((t for t in turn.state.tickets if t.device == printer), None)
        if ticket is not None and ticket.unknown:
            continue
        ref = _not_begun(turn, printer) if ticket is None else ticket.ref
        turn.act(ReleasePrinter(printer) if ref is None else InquireTicket(printer, ref))


def _not_begun(turn: Turn, printer: str) -> int | None:
    """The last ticket of a printer, if it is void because it did not begin. A driver that was started since
    has forgotten it, so it is asked once more: no other order before it has answered."""
    seats = turn.policy.seats_of(printer)
    last = next((line for line in reversed(turn.state.issued) if line.seat in seats), None)
    return last.ref if last is not None and last.state is TicketState.FAILED else None


def take_sequence(turn: Turn, known: int) -> None:
    """At start-up: number on from the last sequence that anybody remembers (this journal, the cabinet file,
    `known` by another store). It never goes back, also under another machine id."""
    state, policy = turn.state, turn.policy
    last = max(state.sequence, policy.ticket_sequence_from - 1, known)
    if (policy.machine_id, last) != (state.machine_id, state.sequence):
        turn.add(SequenceGiven(turn.now_ms, policy.machine_id, last))


def take_key(turn: Turn) -> None:
    """At start-up: whether there is a key for ticket numbers; without one every cash-out is paid by hand."""
    held, why = (Code.NO_TICKET_KEY, ""), turn.policy.no_numbers
    if why and held not in turn.state.conditions:
        turn.add(ConditionRaised(turn.now_ms, *held, why))
    elif not why and held in turn.state.conditions:
        turn.add(ConditionCleared(turn.now_ms, *held, "restart"))


def ticket_begun(turn: Turn, ref: int) -> None:
    """From here on only a printer that says so can tell that nothing is on paper."""
    ticket = turn.state.ticket(ref)
    if ticket is not None and not ticket.begun and not ticket.unknown:
        turn.add(TicketBegun(turn.now_ms, ref))


def ticket_done(turn: Turn, device: str, ref: int, outcome: TicketOutcome, detail: str) -> None:
    """The one outcome of a ticket, also when it comes after a restart."""
    ticket = turn.state.ticket(ref)
    if ticket is None:
        turn.act(TicketRecorded(device, ref))  # it was void before the restart, or is told twice
        return
    if ticket.unknown:
        return
    begun = ticket.begun and not ticket.handpay  # of a receipt that has failed nobody need be asked
    match outcome:
        case TicketOutcome.PRINTED:
            _printed(turn, ticket, "printer")
            turn.live = now.sound(turn.live, Cue.TAKE_TICKET)
        case TicketOutcome.NOT_STARTED if ticket.handpay:
            _void(turn, ticket, detail or "not started", "printer")
        case TicketOutcome.NOT_STARTED if begun:
            # It had begun, and has forgotten it: something may be on paper.
            turn.add(TicketUnknown(turn.now_ms, ref, detail or "it had begun"))
        case TicketOutcome.NOT_STARTED:
            _not_started(turn, ticket, detail)
        case TicketOutcome.UNKNOWN:
            turn.add(TicketUnknown(turn.now_ms, ref, detail or "the printer cannot tell"))


def _printed(turn: Turn, ticket: OpenTicket, by: str) -> None:
    turn.add(TicketPrinted(turn.now_ms, ticket.ref, by))
    turn.act(TicketRecorded(ticket.device, ticket.ref))


def _not_started(turn: Turn, ticket: OpenTicket, detail: str) -> None:
    """Nothing is on paper, and this number never shall be: a printer that begins later than any should
    must not have printed the same number twice. The seat gets a new ticket once the printer is ready."""
    failed = turn.live.attempts.get(ticket.seat, 0) + 1
    if failed >= PRINT_ATTEMPTS or printer_down(turn.state, turn.live, ticket.device):
        _void(turn, ticket, detail or "not started", "printer")
        return
    _attempts(turn, ticket.seat, failed)
    turn.add(TicketVoided(turn.now_ms, ticket.ref, detail or "not started", "printer"))
    turn.act(TicketRecorded(ticket.device, ticket.ref))
    turn.add(CashOutAsked(turn.now_ms, ticket.seat))


def _attempts(turn: Turn, seat: int, failed: int) -> None:
    others = {s: count for s, count in turn.live.attempts.items() if s != seat}
    turn.live = replace(turn.live, attempts={**others, seat: failed} if failed else others)


def _void(turn: Turn, ticket: OpenTicket, detail: str, by: str) -> None:
    """The number is void for ever; the amount waits for a hand payment."""
    turn.add(TicketVoided(turn.now_ms, ticket.ref, detail, by))
    if not ticket.handpay:  # a receipt was worth nothing
        turn.add(HandpayOpened(turn.now_ms, turn.state.next_ref, ticket.seat, ticket.cents, "ticket_failed"))
    turn.act(TicketRecorded(ticket.device, ticket.ref))


def ticket_answered(turn: Turn, ref: int, in_hand: bool, by: str) -> None:
    """Whoever `by` is has looked for the ticket."""
    ticket = turn.state.ticket(ref)
    if ticket is None or not ticket.unknown:
        return
    if in_hand:
        _printed(turn, ticket, by)
    else:
        _void(turn, ticket, "not in hand", by)
    turn.act(ReleasePrinter(ticket.device))  # after a restart it has waited for this or for a question


def ticket_taken(turn: Turn, device: str) -> None:
    if any(p.device == device for p in turn.state.presented):
        turn.add(TicketTakenAway(turn.now_ms, device))
