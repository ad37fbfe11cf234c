"""Facts of money that comes and goes: notes, tickets, hand payments."""

from __future__ import annotations

from cabinet.core.facts.base import Fact

# Reasons of hand payments that are wins: at the large-win limit, or over the credit limit. They never become
# credit, and the seat is locked until an attendant has come.
WINS = ("large_win", "credit_limit")

NEVER_MS = 1 << 62
BY_HAND = "given back by hand"  # why a document in question is over that nobody has found in the box

# ---- notes


class NoteIntended(Fact, frozen=True, omit_defaults=True):
    """A note in escrow will be stacked for `seat`. Written before STACK is sent. `evidence`, here and below:
    what the driver asks to be told again after a restart."""

    ref: int
    device: str
    seat: int
    cents: int
    code: int
    evidence: str = ""


class NoteCredited(Fact, frozen=True, omit_defaults=True):
    """The device says the note is irrevocably stacked: the seat has the money."""

    ref: int
    evidence: str = ""


class NoteClosed(Fact, frozen=True):
    """The device has left VEND VALID: nothing of this note is open any more."""

    ref: int


class NoteReturned(Fact, frozen=True):
    """The note went back to the customer: no money. `by`: the validator, or whose key says so."""

    ref: int
    reason: str
    by: str = "validator"


class NoteUnresolved(Fact, frozen=True):
    """Only a person can say where the note is (`ref` 0: a note of unknown value without an intent)."""

    ref: int
    device: str
    report: str


class NoteSettledByHand(Fact, frozen=True):
    """A person looked into the cash box: `in_box` credits the note, else it was given back. `by`:
    attendant or technician, as the key says."""

    ref: int
    device: str
    in_box: bool
    by: str = "attendant"


class NoteRejected(Fact, frozen=True):
    """The validator could not read a document, or it is no money here: it came back without having been in
    escrow. `seat` 0: nobody was bound."""

    device: str
    seat: int
    reason: str


class NoteRefused(Fact, frozen=True):
    """A note was returned from escrow on our word."""

    device: str
    seat: int
    cents: int
    reason: str


# ---- tickets that come back


class RedeemIntended(Fact, frozen=True, omit_defaults=True):
    """A ticket of this cabinet in escrow will be stacked for `seat`. Written before STACK is sent.

    `ref` is the document's, counted with those of notes; `ticket` is the reference under which the ticket
    was printed. The end of the document is told by `NoteClosed` or `NoteReturned` of `ref`.
    """

    ref: int
    ticket: int
    device: str
    seat: int
    cents: int
    number: str
    evidence: str = ""


class TicketRedeemed(Fact, frozen=True, omit_defaults=True):
    """The ticket is irrevocably in the box: the seat has its money, once and for all. `by` is "validator",
    or the attendant or technician who has found it in the box."""

    ref: int
    ticket: int
    device: str
    seat: int
    cents: int
    number: str
    by: str
    evidence: str = ""


class TicketRefused(Fact, frozen=True):
    """A ticket was returned from escrow on our word. `seat` 0: none was bound."""

    device: str
    seat: int
    number: str
    reason: str


class TicketExpired(Fact, frozen=True):
    """The last day of a printed ticket is over: no machine pays it any more, whatever a clock says later."""

    ref: int


class TicketPaidAtDesk(Fact, frozen=True):
    """The desk pays a printed ticket: no machine does any more. `by`: attendant or technician."""

    ref: int
    cents: int
    by: str


class DeskNumberWrong(Fact, frozen=True):
    """Somebody who wanted the desk to pay this ticket has entered another number than the paper has."""

    ref: int
    by: str


# ---- money out


class SequenceGiven(Fact, frozen=True):
    """From here on tickets are numbered with `machine_id`, after the sequence number `last`.

    Written at the first start of a journal and whenever the cabinet gets another id: the sequence of an
    earlier journal goes on, and never goes back.
    """

    machine_id: int
    last: int


class CashOutAsked(Fact, frozen=True):
    """A seat wants its credit; it waits for its turn at the printer."""

    seat: int


class TicketIntended(Fact, frozen=True):
    """Credit moves to in-flight; number and sequence are fixed and burned for ever.

    `redeemable`: a validator of this cabinet may take it back (else only a cashier pays it), up to the
    local wall clock `expires_ms`. `handpay`: this is the receipt of that hand payment, which has been paid:
    it is worth nothing, `cents` is 0 and no money moves. 0 for a cash-out.
    """

    ref: int
    seat: int
    device: str
    cents: int
    number: str
    sequence: int
    ticket_no: int
    wall_ms: int
    redeemable: bool = False  # the defaults are for journals from before these were kept: a cashier pays it,
    expires_ms: int = NEVER_MS  # and no day is known after which nobody does
    handpay: int = 0


class TicketBegun(Fact, frozen=True):
    """The printer has begun: from here on a ticket without an outcome may be on paper."""

    ref: int


class TicketPrinted(Fact, frozen=True):
    """The ticket is out: it is payable and counts. `by` is "printer", "attendant"
    or "technician"."""

    ref: int
    by: str


class TicketUnknown(Fact, frozen=True):
    """Something may be on paper: the attendant is asked."""

    ref: int
    detail: str


class TicketVoided(Fact, frozen=True):
    """The number is void for ever and the amount is the seat's again. `by` is "printer" (nothing has reached
    paper), "attendant" or "technician" (no whole ticket was found)."""

    ref: int
    detail: str
    by: str = ""


class TicketTakenAway(Fact, frozen=True):
    """The chute is empty again."""

    device: str


class HandpayOpened(Fact, frozen=True):
    """An amount waits for an attendant. `reason`: a win (`WINS`), or why credit is not paid by a ticket:
    ticket_limit, printer CODE, ticket_failed, residual."""

    ref: int
    seat: int
    cents: int
    reason: str


class HandpayCancelled(Fact, frozen=True):
    """The seat has taken its credit back before an attendant came. Never a win."""

    ref: int


class HandpayPaid(Fact, frozen=True):
    """It has been paid by hand. `by`: attendant or technician, as the key says."""

    ref: int
    by: str = "attendant"
