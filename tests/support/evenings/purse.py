"""The money of an evening once more: what every note, ticket and hand payment has become, as a cashier with
pencil and paper would write it down. Nothing of the program's ledger, meters or fold is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from cabinet.core import facts as f
from cabinet.core.state import State

WINS = ("large_win", "credit_limit")


@dataclass(slots=True)
class Thing:
    """A document in a validator, a ticket or a hand payment. `what`: how far it has come."""

    seat: int
    cents: int
    what: str = "open"
    ticket: int = 0  # of a document: the ticket that it is; 0 for a note
    is_win: bool = False


@dataclass(slots=True)
class Purse:
    credit: Counter[int] = field(default_factory=Counter)
    bet: Counter[int] = field(default_factory=Counter)
    documents: dict[int, Thing] = field(default_factory=dict)
    tickets: dict[int, Thing] = field(default_factory=dict)
    handpays: dict[int, Thing] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)
    house: int = 0
    read: int = 0  # facts followed so far

    def follow(self, facts: Sequence[f.Fact]) -> None:
        """All facts of the evening up to now."""
        for fact in facts[self.read :]:
            self._follow(fact)
            assert min(self.credit.values(), default=0) >= 0, fact
            assert min(self.bet.values(), default=0) >= 0, fact
        self.read = len(facts)

    def _follow(self, fact: f.Fact) -> None:
        match fact:
            case f.NoteIntended(ref=ref, seat=seat, cents=cents):
                self.documents[ref] = Thing(seat, cents)
            case f.RedeemIntended(ref=ref, seat=seat, cents=cents, ticket=ticket):
                assert self.tickets[ticket].what == "printed", "not payable"
                assert self.tickets[ticket].cents == cents
                inside = [t for t in self.documents.values() if t.ticket == ticket and t.what == "open"]
                assert not inside, "in two validators at once"
                self.documents[ref] = Thing(seat, cents, ticket=ticket)
            case f.NoteCredited(ref=ref) | f.TicketRedeemed(ref=ref):
                self._in_box(ref)
            case f.NoteSettledByHand(ref=ref, in_box=True) if ref:
                self._in_box(ref)
            case f.NoteSettledByHand(ref=ref) | f.NoteReturned(ref=ref) if ref:
                became(self.documents, ref, "open", "returned")
            case f.BetMoved(seat=seat, cents=cents) | f.Decided(seat=seat, stake_cents=cents):
                self.credit[seat] -= cents
                self.bet[seat] += cents
            case f.RoundSettled(results=results):
                for hand in results:
                    self.bet[hand.seat] -= hand.stake_cents
                    self.credit[hand.seat] += hand.returned_cents
                    self.house += hand.stake_cents - hand.returned_cents
                assert not any(self.bet.values()), "a bet was not settled"
            case f.RoundVoided():
                self.credit.update(self.bet)
                self.bet.clear()
            case _:
                self._out(fact)

    def _out(self, fact: f.Fact) -> None:
        match fact:
            case f.TicketIntended(ref=ref, seat=seat, cents=cents, number=number):
                assert number not in self.numbers, "a number was given twice"
                self.numbers.append(number)
                self.tickets[ref] = Thing(seat, cents)
                self.credit[seat] -= cents
            case f.TicketPrinted(ref=ref):
                became(self.tickets, ref, "open", "printed")
            case f.TicketVoided(ref=ref):
                ticket = became(self.tickets, ref, "open", "void")
                self.credit[ticket.seat] += ticket.cents
            case f.TicketExpired(ref=ref):
                became(self.tickets, ref, "printed", "expired")
            case f.HandpayOpened(ref=ref, seat=seat, cents=cents, reason=reason):
                self.handpays[ref] = Thing(seat, cents, is_win=reason in WINS)
                self.credit[seat] -= cents
            case f.HandpayPaid(ref=ref):
                became(self.handpays, ref, "open", "paid")
            case f.HandpayCancelled(ref=ref):
                pay = became(self.handpays, ref, "open", "cancelled")
                assert not pay.is_win
                self.credit[pay.seat] += pay.cents

    def _in_box(self, ref: int) -> None:
        document = became(self.documents, ref, "open", "in the box")
        if document.ticket:
            became(self.tickets, document.ticket, "printed", "redeemed")
        self.credit[document.seat] += document.cents

    def compare(self, state: State, seats: int) -> None:
        """With the books of the program; and every cent that came in is somewhere."""
        for seat in range(1, seats + 1):
            assert (state.credit(seat), state.bet(seat)) == (self.credit[seat], self.bet[seat])
        boxed = [t.cents for t in self.documents.values() if t.what == "in the box" and not t.ticket]
        held = self.credit.total() + self.bet.total() + self.house
        held += sum(t.cents for t in self.tickets.values() if t.what in ("open", "printed", "expired"))
        held += sum(pay.cents for pay in self.handpays.values() if pay.what in ("open", "paid"))
        assert sum(boxed) == held


def became(things: dict[int, Thing], ref: int, before: str, after: str) -> Thing:
    """It was `before` and is `after` from now on: nothing happens to one thing twice."""
    thing = things[ref]
    assert thing.what == before, f"{ref} is {thing.what} and cannot become {after}"
    thing.what = after
    return thing
