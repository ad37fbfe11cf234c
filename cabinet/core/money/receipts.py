"""Receipts of hand payments: paper that proves that an attendant has paid, and is worth nothing.

Asked for when a payment is recorded, printed when the seat's printer is free, and dropped when it does not
work: the money has changed hands already. What waits is not stored; after a restart nobody waits for it.
"""

from __future__ import annotations

from typing import Final

from cabinet.core.conditions import Code
from cabinet.core.facts import HandpayPaid, TicketIntended
from cabinet.core.live import play_lock, printer_down
from cabinet.core.money.amounts import AmountDoesNotFitError
from cabinet.core.money.payout import is_free
from cabinet.core.money.ticket import next_number, receipt_of
from cabinet.core.renewal import replace
from cabinet.core.state import Handpay
from cabinet.core.turn import PrintTicket, Turn
from cabinet.core.validation import NoNumberError

RECEIPTS_MOST: Final = 8  # that wait: an attendant pays one after the other
# A turned key stops play; the receipt is for who has turned it.
_PRINTS_UNDER: Final = ("", Code.ATTENDANT_MENU, Code.SERVICE_MENU)


def paid(turn: Turn, ref: int, by: str) -> None:
    """Whoever `by` is has paid. A matter that somebody has settled meanwhile changes nothing."""
    pay = next((pay for pay in turn.state.handpays if pay.ref == ref), None)
    if pay is None:
        return
    turn.add(HandpayPaid(turn.now_ms, ref, by))
    if turn.policy.handpay_receipts:
        turn.live = replace(turn.live, receipts=(*turn.live.receipts, pay)[-RECEIPTS_MOST:])


def serve(turn: Turn) -> None:
    """Print what waits where a printer is free; forget what no printer can print."""
    if not turn.live.receipts or play_lock(turn.state, turn.live) not in _PRINTS_UNDER:
        return
    left: list[Handpay] = []
    for pay in turn.live.receipts:
        printer = turn.policy.printer_of(pay.seat)
        if printer_down(turn.state, turn.live, printer):
            continue
        if is_free(turn, printer):
            _print(turn, pay, printer)
        else:
            left.append(pay)
    turn.live = replace(turn.live, receipts=tuple(left))


def _print(turn: Turn, pay: Handpay, printer: str) -> None:
    """A number of its own is burned for it, so that the paper can be told from every other."""
    state, wall_ms = turn.state, turn.live.wall_ms
    ticket_no = state.ticket_no % 9999 + 1
    try:
        sequence, number = next_number(turn.policy, state)
        fields = receipt_of(turn.policy, pay, number, ticket_no, wall_ms)
    except (NoNumberError, AmountDoesNotFitError):
        return
    intent = TicketIntended(
        turn.now_ms, state.next_ref, pay.seat, printer, 0, number, sequence, ticket_no, wall_ms,
        redeemable=False, expires_ms=0, handpay=pay.ref,
    )  # fmt: skip
    turn.add(intent)
    turn.act(PrintTicket(printer, intent.ref, fields))
