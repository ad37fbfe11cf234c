"""What stands on a cash-out ticket, or on a receipt that only a cashier pays, as printable ASCII text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from cabinet.core.money.amounts import amount_in_figures, amount_in_words, days_in_words, two_lines
from cabinet.core.policy import Policy
from cabinet.core.state import Handpay, State
from cabinet.core.validation import (
    SYSTEM_ID_LAB,
    SYSTEM_ID_MACHINE,
    NoNumberError,
    next_sequence,
)
from drivers.device import TicketFields

# Titles of papers that prove a payment and are worth nothing: of credit, of a win.
NOT_MONEY = ("HANDPAY RECEIPT", "JACKPOT RECEIPT")
# A lab plays the shipped cabinet files, and a picture of its paper can be printed by anybody: it carries no
# amount of money, but the units that its number is worth in the lab's own books.
LAB_TITLE = "LAB: NO CASH VALUE"
LAB_WORDS = "NO CASH VALUE"

# A number that is in the book was made under another key, one in ten million millions: the next one is taken.
# So many in a row come from no permutation.
SKIPPED_MOST = 8


def next_number(policy: Policy, state: State) -> tuple[int, str]:
    """The sequence and the number of the next ticket, which no ticket in the book has, whatever key that was
    made under. NoNumberError."""
    if policy.numbers is None:
        raise NoNumberError("the cabinet has no key for ticket numbers")
    used = {line.number for line in state.issued}
    used |= {ticket.number for ticket in state.tickets} | {note.number for note in state.notes}
    sequence, system = state.sequence, SYSTEM_ID_LAB if policy.lab else SYSTEM_ID_MACHINE
    for _ in range(SKIPPED_MOST + 1):
        sequence = next_sequence(sequence)
        number = policy.numbers.number(system, policy.machine_id, sequence)
        if number not in used:
            return sequence, number
    raise NoNumberError(f"{SKIPPED_MOST + 1} numbers in a row are in the book already")


def receipt_of(policy: Policy, pay: Handpay, number: str, ticket_no: int, wall_ms: int) -> TicketFields:
    """The receipt of a hand payment. It never expires and is never paid: its number is not in the book as
    money. Ticket printers print "VOID AFTER" by themselves, so that something true has to follow it. Raises
    as `fields_of`."""
    fields = fields_of(policy, pay.seat, pay.cents, number, ticket_no, wall_ms)
    return replace(fields, title=NOT_MONEY[pay.is_win], expiry="payment")


def fields_of(
    policy: Policy, seat: int, cents: int, number: str, ticket_no: int, wall_ms: int
) -> TicketFields:
    """The fields of one ticket. `wall_ms`: local wall clock in ms since 1970-01-01 00:00 local.

    Raises words.AmountDoesNotFitError when the amount cannot be worded on two lines.
    """
    printed = datetime.fromtimestamp(wall_ms // 1000, UTC)  # local time is kept as if it were UTC
    words_1, words_2 = two_lines(amount_in_words(cents, policy.currency))
    figures = amount_in_figures(cents, policy.currency)
    if policy.lab:
        words_1, words_2, figures = LAB_WORDS, "", f"LAB {cents}"
    return TicketFields(
        establishment=policy.establishment,
        street=policy.street,
        city=policy.city,
        title=_title(policy),
        validation=number,
        date=printed.strftime("%m/%d/%Y"),
        time=printed.strftime("%H:%M:%S"),
        ticket_no=f"TICKET # {ticket_no:04d}",
        words_1=words_1,
        words_2=words_2,
        figures=figures,
        expiry=days_in_words(policy.ticket_expiry_days),
        machine=f"MACHINE# {policy.serial}",
        seat=f"SEAT {seat}",
    )


def _title(policy: Policy) -> str:
    if policy.lab:
        return LAB_TITLE
    return "CASHOUT TICKET" if policy.redeems else "RECEIPT FOR CASHIER"
