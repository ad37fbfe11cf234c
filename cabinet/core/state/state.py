"""The state of the cabinet: the fold of facts and nothing else (see `fold.after`).

All money is in the ledger; everything else here says whose it is and what is open.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import field

from cabinet.core.facts import WINS
from cabinet.core.state import ledger as accounts
from cabinet.core.state.book import IssuedTicket, TicketState, line_of
from cabinet.core.state.ledger import Ledger
from game.round import Choice, NeedDecisions, Round
from game.rules import Rules
from game.settle import HandResult
from game.shoe import Shoe

SCHEMA = 13  # of the snapshot; raised with every change of the classes below, or of what is folded into them


class SeatRecord(msgspec.Struct, frozen=True):
    """What is remembered of a seat besides its money."""

    last_bet_cents: int = 0
    ready: bool = False
    active: bool = False  # played the last round or touched a button since
    won_cents: int = 0  # of the last round, without stakes
    net_cents: int = 0  # of the last round
    in_last_round: bool = False


class OpenNote(msgspec.Struct, frozen=True):
    """A note, or a ticket that comes back, between the intent and the end of its document."""

    ref: int
    device: str
    seat: int
    cents: int
    code: int
    credited: bool = False
    unresolved: str = ""  # what the device reported when only a person could tell
    number: str = ""  # of a ticket
    ticket: int = 0  # the reference under which it was printed
    evidence: str = ""  # the last that its driver has told, to be told again after a restart


class OpenTicket(msgspec.Struct, frozen=True):
    ref: int
    seat: int
    device: str
    cents: int
    number: str
    sequence: int
    ticket_no: int
    wall_ms: int
    since_ms: int
    redeemable: bool
    expires_ms: int
    handpay: int = 0  # the receipt of that hand payment: worth nothing
    begun: bool = False  # the printer has said that it prints
    doubt: bool = False  # ordered in an earlier session: the printer is asked
    unknown: str = ""  # the attendant is asked


class Handpay(msgspec.Struct, frozen=True):
    ref: int
    seat: int
    cents: int
    reason: str
    since_ms: int = 0  # session time at which it was opened, or the session began

    @property
    def is_win(self) -> bool:
        """Money that the game has paid, and not credit that somebody wants to have in his hand."""
        return self.reason in WINS


class Paper(msgspec.Struct, frozen=True):
    """A printed ticket that stands in a chute. Of its number only what a screen may show."""

    device: str
    seat: int
    cents: int
    last_digits: str


class Move(msgspec.Struct, frozen=True):
    """One step of the round in hand: a card (`seat` 0) or a seat's decision (`card` -1)."""

    at_ms: int
    card: int = -1
    start_ms: int = 0
    land_ms: int = 0
    seat: int = 0
    choice: Choice = Choice.STAND
    timed_out: bool = False


class State(msgspec.Struct, frozen=True):
    session: int = 0
    clean: bool = True
    started_ms: int = 0
    wall_base_ms: int = 0  # local wall clock at session time 0
    clock_known_ms: int = 0  # the date is in question: the newest wall clock that nobody doubts; else 0
    clock_wrong: bool = False  # somebody has said that the date is wrong
    settings: Mapping[str, str] = msgspec.field(
        default_factory=dict
    )  # of the cabinet, as last told (core.settings)
    rules: Rules | None = None
    engine: int = 1  # the procedure of rounds that is in force (game.round.ENGINE)
    ledger: Ledger = field(default_factory=Ledger)
    seat_records: tuple[SeatRecord, ...] = ()
    meters: Mapping[str, int] = field(default_factory=dict)
    period: int = 1  # of the meters
    period_wall_ms: int = 0  # local wall clock when it began; 0: with the first start
    period_base: Mapping[str, int] = field(default_factory=dict)  # what the meters were then
    # notes
    next_ref: int = 1
    notes: tuple[OpenNote, ...] = ()
    # the round: live, or settled and still shown
    round: Round | None = None
    round_number: int = 0
    round_wall_ms: int = 0  # local wall clock when it was opened: only for the question how old it is
    bets: tuple[tuple[int, int], ...] = ()
    moves: tuple[Move, ...] = ()
    landed_ms: int = 0
    results: tuple[HandResult, ...] = ()
    settled_ms: int | None = None
    shoe: Shoe | None = None
    shuffled: bool = True
    bet_deadline_ms: int | None = None
    decision_deadline_ms: int | None = None
    decision_opened_ms: int = 0
    # freeze
    frozen: str = ""
    frozen_ms: int = 0
    remaining_ms: int | None = None
    # money out
    waiting: tuple[int, ...] = ()
    tickets: tuple[OpenTicket, ...] = ()
    handpays: tuple[Handpay, ...] = ()
    presented: tuple[Paper, ...] = ()  # in the chutes
    machine_id: int = 0  # in ticket numbers; 0: none was given yet
    sequence: int = 0
    ticket_no: int = 0
    issued: tuple[IssuedTicket, ...] = ()  # the book of finished tickets, oldest first (see core.book)
    pulses: Mapping[str, int] = field(default_factory=dict)
    conditions: tuple[tuple[str, str], ...] = ()
    restored: bool = False  # this session began with an open round

    @property
    def seats(self) -> range:
        return range(1, len(self.seat_records) + 1)

    def record(self, seat: int) -> SeatRecord:
        return self.seat_records[seat - 1]

    def credit(self, seat: int) -> int:
        return self.ledger.balances.get(accounts.credit(seat), 0)

    def bet(self, seat: int) -> int:
        return self.ledger.balances.get(accounts.bet(seat), 0)

    @property
    def round_open(self) -> bool:
        """A round is open and not settled."""
        return self.round is not None and self.settled_ms is None

    def plays(self, seat: int) -> bool:
        """The seat has a bet in the live round."""
        return self.round_open and any(s == seat for s, _ in self.bets)

    def deciding(self) -> tuple[int, ...]:
        """Seats whose decision is awaited now (empty while cards are in the air)."""
        if not self.round_open or self.decision_deadline_ms is None:
            return ()
        return self.awaited()

    def awaited(self) -> tuple[int, ...]:
        """Seats whose decision the round needs, opened or not."""
        if self.round is None or not self.round_open:
            return ()
        need = self.round.needs()
        return need.seats if isinstance(need, NeedDecisions) else ()

    def note(self, device: str) -> OpenNote | None:
        """The note in work at a validator (an unresolved one is a matter for the attendant)."""
        return next((n for n in self.notes if n.device == device and not n.unresolved), None)

    def ticket(self, ref: int) -> OpenTicket | None:
        return next((t for t in self.tickets if t.ref == ref), None)

    def ticket_state(self, ref: int) -> TicketState | None:
        """How far a ticket has come; None when the book does not know it (any more)."""
        ticket = self.ticket(ref)
        if ticket is None:
            line = line_of(self.issued, ref)
            return None if line is None else line.state
        if ticket.unknown:
            return TicketState.UNKNOWN
        return TicketState.PRINTING if ticket.begun else TicketState.INTENDED
