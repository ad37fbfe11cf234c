"""The ticket book: what this cabinet knows of the tickets that it has made.

The life of a ticket, each step a fact:

    intended -> printing -> printed -> redeemed | paid at the desk | expired
                         -> unknown -> printed | void     (the attendant has looked)
                         -> failed                        (the printer: nothing has reached paper)

A ticket that is being made stands in `State.tickets`; `State.issued` holds the finished ones. Only
the newest `BOOK_MAX` are kept: what is not in the book is not paid by a machine, and the journal still
has it for the cashier. Tickets that can bring money are the last to be forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final

import msgspec

from cabinet.core.renewal import replace
from cabinet.core.state.ledger import FactRefusedError

# Some weeks of a busy cabinet, about 60 KB of a snapshot. A ticket that is older than so many others goes
# to the cashier, who has to look it up anyway.
BOOK_MAX: Final = 500
DAY_MS: Final = 24 * 3600 * 1000


class TicketState(StrEnum):
    INTENDED = "intended"
    PRINTING = "printing"
    PRINTED = "printed"
    UNKNOWN = "unknown"
    FAILED = "failed"
    REDEEMED = "redeemed"
    PAID = "paid"  # at the desk
    EXPIRED = "expired"
    VOID = "void"


class IssuedTicket(msgspec.Struct, frozen=True):
    """One line of the book. `expires_ms` is local wall clock: from then on it is not paid."""

    ref: int
    seat: int
    cents: int
    number: str
    redeemable: bool
    expires_ms: int
    state: TicketState
    ticket_no: int = 0  # as the paper has them, for who looks for it
    wall_ms: int = 0


Book = tuple[IssuedTicket, ...]


def expiry_ms(wall_ms: int, days: int) -> int:
    """The end of the last day of a ticket that is printed at `wall_ms` (local) and good for `days` days."""
    return (wall_ms // DAY_MS + days + 1) * DAY_MS


def entered(book: Book, ticket: IssuedTicket, inside: Collection[int] = ()) -> Book:
    """The book with one line more, and perhaps one less: the oldest that is worth nothing, or else
    the oldest of all. Never one whose ticket is `inside` a validator: it may be paid at any moment."""
    if len(book) < BOOK_MAX:
        return (*book, ticket)
    places = [place for place, line in enumerate(book) if line.ref not in inside]
    gone = next((place for place in places if not _has_worth(book[place])), places[0])
    return (*book[:gone], *book[gone + 1 :], ticket)


def _has_worth(line: IssuedTicket) -> bool:
    """Not a receipt, and not at its end."""
    return line.cents > 0 and line.state is TicketState.PRINTED


def line_of(book: Iterable[IssuedTicket], ref: int) -> IssuedTicket | None:
    """The line of the ticket that was printed under this reference; None if it is not in the book."""
    return next((line for line in book if line.ref == ref), None)


def payable(book: Book, ref: int) -> IssuedTicket:
    """A printed ticket that was neither redeemed nor has expired. RefusedError for any other."""
    line = line_of(book, ref)
    if line is None or line.state is not TicketState.PRINTED:
        raise FactRefusedError(f"ticket {ref} is {'not in the book' if line is None else line.state}")
    return line


def became(book: Book, ref: int, state: TicketState) -> Book:
    """The book after a payable ticket has found its end. RefusedError if it is not payable: nothing is
    paid twice, and an expired ticket does not come back to life with an older clock."""
    line = payable(book, ref)
    return tuple(replace(one, state=state) if one is line else one for one in book)
