"""Money on its way out of a seat: ticket, hand payment, attendant."""

from __future__ import annotations

from cabinet.core import options
from cabinet.core.look import CashOutState, Message, SeatState, TicketLook
from cabinet.core.validation import last_four
from cabinet.core.view.faces import SeatFace
from cabinet.core.view.lock import wins_untold
from cabinet.core.view.round_messages import message
from cabinet.core.view.sight import Sight


def payout(sight: Sight, seat: int) -> tuple[SeatFace, TicketLook | None] | None:
    """The seat is being paid, or waits for it; None when it is not."""
    state = sight.state
    ticket = next((t for t in state.tickets if t.seat == seat), None)
    if ticket is not None and ticket.unknown:
        look = TicketLook(CashOutState.ASK, ticket.cents, last_four(ticket.number), ticket.since_ms)
        return _paid("cash_out", message("seat.ask_ticket")), look
    if any(pay.seat == seat for pay in state.handpays):
        return _handpay(sight, seat)
    if ticket is not None and not ticket.handpay:
        text = message("seat.printing", credit_cents=state.credit(seat))
        look = TicketLook(CashOutState.PRINTING, ticket.cents, last_four(ticket.number), ticket.since_ms)
        return _paid("cash_out", text), look
    if seat in state.waiting:
        place = _place(sight, seat)
        look = TicketLook(CashOutState.QUEUED, state.credit(seat), place=place)
        return _paid("cash_out", message("seat.queue", place=place)), look
    return _in_chute(sight, seat)


def _paid(head: str, text: Message) -> SeatFace:
    return SeatFace(SeatState.CASH_OUT, message(f"head.{head}"), text)


def _handpay(sight: Sight, seat: int) -> tuple[SeatFace, TicketLook | None] | None:
    """A cash-out that an attendant pays; or a large win, which locks the seat until he has come.
    The win itself is shown to its end first."""
    mine = [pay for pay in sight.state.handpays if pay.seat == seat]
    if wins_untold(sight, seat):
        return None
    cents = sum(pay.cents for pay in mine)
    back = options.cancel_from_ms(sight.state, sight.live, seat) is not None
    if all(pay.is_win for pay in mine):
        return SeatFace(
            SeatState.LOCKED, message("head.large_win"), message("seat.win_by_hand", amount_cents=cents)
        ), None
    text = message("seat.handpay_back") if back else message("seat.handpay", amount_cents=cents)
    return _paid("handpay", text), TicketLook(CashOutState.HANDPAY, cents, why=_why(mine[-1].reason))


def _why(reason: str) -> Message:
    """Why a cash-out is no ticket."""
    if reason.startswith("printer "):
        return message("seat.why_printer")
    return _REASONS.get(reason, message("seat.why_other"))


_REASONS = {
    "ticket_limit": message("seat.why_limit"),
    "ticket_failed": message("seat.why_failed"),
    "residual": message("seat.why_residual"),
}


def _place(sight: Sight, seat: int) -> int:
    """The place in the queue of the seat's printer, from 1; a ticket in the printer is before it."""
    state, policy = sight.state, sight.policy
    printer = policy.printer_of(seat)
    queue = [other for other in state.waiting if policy.printer_of(other) == printer]
    return queue.index(seat) + 1 + sum(ticket.device == printer for ticket in state.tickets)


def _in_chute(sight: Sight, seat: int) -> tuple[SeatFace, TicketLook | None] | None:
    """Paper waits to be taken. Whoever has put in money again plays on."""
    state = sight.state
    if state.credit(seat) or state.bet(seat):
        return None
    for paper in reversed(state.presented):
        if paper.seat == seat:
            since_ms = sight.live.device(paper.device).printed_ms or 0
            look = TicketLook(CashOutState.TAKE, paper.cents, paper.last_digits, since_ms)
            return _paid("cash_out", message("seat.take_ticket")), look
    return None
