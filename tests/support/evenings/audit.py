"""The laws of the cabinet, checked after every event of every story.

What an order needs before it may be given, what money may do, what a number on a ticket may not:
`Audit.check` sees the state before an event, the event and the decision.
"""

from __future__ import annotations

from cabinet.core import facts as f
from cabinet.core import turn as acts
from cabinet.core.decide import Decision, Event, due
from cabinet.core.state import State
from cabinet.core.state.book import TicketState, line_of
from cabinet.core.state.identity import trouble
from cabinet.core.state.meters import SINCE
from cabinet.core.turn import TimerDue, TroubleReported
from drivers.device import BarcodeEscrowed, NoteEscrowed, NoteVendValid


class Audit:
    """Remembers what a single decision cannot show: which tickets were ordered, which numbers used."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}  # validation number -> ticket reference
        self.refs: set[int] = set()
        self.printed: set[int] = set()  # tickets that may be paid
        self.ordered: set[int] = set()  # tickets that may be on paper: not to be ordered again
        self.sequence = 0

    def check(self, before: State, event: Event, made: Decision) -> None:
        _money(made.state)
        _meters(before, made.state)
        if made.live.unrecorded:
            assert not made.facts
            assert all(isinstance(act, acts.ReturnNote) for act in made.acts)
            return
        for fact in made.facts:
            self._fact(fact)
        for act in made.acts:
            self._act(act, event, made)
        _answered(before, event, made)
        _time(event, made)

    def written(self, made: Decision) -> None:
        """The facts are on the disk; nobody has acted on them."""
        for fact in made.facts:
            self._fact(fact)

    def _fact(self, fact: f.Fact) -> None:
        match fact:
            case f.TicketIntended(number=number, ref=ref, sequence=sequence):
                assert self.numbers.setdefault(number, ref) == ref, "a number was used twice"
                assert sequence > self.sequence, "the sequence went back"
                self.sequence = sequence
            case f.TicketPrinted(ref=ref):
                self.printed.add(ref)
            case f.TicketRedeemed(ticket=ticket, number=number):
                assert ticket in self.printed, "a ticket was paid that was not printed, or twice"
                self.printed.remove(ticket)
                assert self.numbers[number] == ticket
            case f.TicketPaidAtDesk(ref=ref):
                assert ref in self.printed, "a ticket was paid at the desk that was not printed, or twice"
                self.printed.remove(ref)
        if isinstance(fact, f.TicketIntended | f.NoteIntended | f.HandpayOpened | f.RedeemIntended):
            assert fact.ref not in self.refs, "a reference was used twice"
            self.refs.add(fact.ref)

    def _act(self, act: acts.Act, event: Event, made: Decision) -> None:
        """No order without its record."""
        state = made.state
        match act:
            case acts.StackNote(device=device):
                note = state.note(device)
                assert note is not None, "a note is stacked without its intent"
                assert not note.credited, "a note is stacked a second time"
            case acts.AcknowledgeNote(device=device):
                note = state.note(device)
                credited = note is not None and note.credited
                asked = any(_by_hand(x, device) for x in made.facts) or made.live.device(device).by_hand
                assert credited or asked, "a note is acknowledged without its credit"
            case acts.ReturnNote(device=device):
                note = state.note(device)
                given_up = note is None or not note.credited
                assert given_up or isinstance(event, TroubleReported), "a credited note is given back"
            case acts.PrintTicket(ref=ref, ticket=fields, device=device):
                ticket = state.ticket(ref)
                assert ticket is not None, "a ticket is printed without its intent"
                assert not ticket.unknown, "a ticket that may be on paper is printed"
                assert (ticket.number, ticket.device) == (fields.validation, device)
                assert ref not in self.ordered, "a ticket is ordered twice"
                self.ordered.add(ref)
            case acts.InquireTicket(ref=ref):
                ticket, line = state.ticket(ref), line_of(state.issued, ref)
                assert ticket.doubt if ticket else line and line.state is TicketState.FAILED
            case acts.ReleasePrinter(device=device):
                assert not any(t.device == device and not t.unknown for t in state.tickets)
            case acts.TicketRecorded(ref=ref):
                assert state.ticket(ref) is None
            case acts.GivePulses(meter=meter, count=count):
                assert 0 < count <= min(10, state.pulses[meter])


def _by_hand(fact: f.Fact, device: str) -> bool:
    """An attendant has said where the document of this validator is."""
    match fact:
        case f.NoteSettledByHand() | f.TicketRedeemed(by="attendant" | "technician"):
            return fact.device == device
        case f.NoteReturned(reason="given back by hand"):
            return True
    return False


def _money(state: State) -> None:
    ledger, meters = state.ledger, state.meters
    assert ledger.sum == 0
    assert all(v >= 0 for k, v in ledger.balances.items() if k not in ("notes", "house"))
    assert meters.get("bill_in", 0) == -ledger["notes"]
    out = meters.get("voucher_out", 0) - meters.get("voucher_in", 0) - meters.get("voucher_desk", 0)
    assert out == ledger["tickets_out"]
    assert meters.get("voucher_desk", 0) == ledger["desk"]
    assert meters.get("handpaid", 0) == ledger["handpaid"]
    taken = meters.get("coin_in", 0) - meters.get("coin_out", 0) - meters.get("bets_returned", 0)
    taken -= meters.get("jackpot", 0) + sum(h.cents for h in state.handpays if h.is_win)
    assert taken == ledger["house"] + (ledger.total("bet") if state.round_open else 0)
    assert sum(t.cents for t in state.tickets) == ledger.total("in_flight")
    assert sum(h.cents for h in state.handpays) == ledger.total("handpay")
    if state.round_open:
        assert state.round is not None
        assert all(state.round.stakes(seat) == state.bet(seat) for seat in state.seats)


def _meters(before: State, state: State) -> None:
    """Meters and accounts agree, and no meter ever goes back."""
    assert trouble(state) == ""
    if state.meters is not before.meters:
        for key, count in before.meters.items():
            assert count <= state.meters.get(key, 0) or key.partition(".")[0] in SINCE, f"{key} has gone back"


# Which facts may move the credit of a seat, and which way. (A bet can be taken back until the deal.)
_CREDIT = {
    f.NoteCredited: "+",
    f.TicketRedeemed: "+",
    f.NoteSettledByHand: "+",
    f.RoundSettled: "+",
    f.RoundVoided: "+",
    f.TicketVoided: "+",
    f.HandpayCancelled: "+",
    f.BetMoved: "+-",
    f.Decided: "-",
    f.TicketIntended: "-",
    f.HandpayOpened: "-",
}


def fact_folded(before: State, fact: f.Fact, following: State) -> None:
    """Credit rises only by money in, wins and what comes back; it falls only by bets and money out."""
    for seat in before.seats if before.ledger is not following.ledger else ():
        moved = following.credit(seat) - before.credit(seat)
        way = "+" if moved > 0 else "-" if moved < 0 else ""
        assert way in _CREDIT.get(type(fact), ""), f"{fact} moves the credit of seat {seat} by {moved}"


def _answered(before: State, event: Event, made: Decision) -> None:
    """Whoever waits for our word gets it."""
    given = made.acts
    match event:
        case NoteEscrowed(device=device):
            assert (acts.StackNote(device) in given) != (acts.ReturnNote(device) in given)
        case BarcodeEscrowed(device=device):
            assert (acts.StackNote(device) in given) != (acts.ReturnNote(device) in given)
        case NoteVendValid(device=device):
            open_matter = any(n.device == device and n.unresolved for n in made.state.notes)
            assert acts.AcknowledgeNote(device) in given or open_matter
    for fact in made.facts:
        if isinstance(fact, f.CardsDrawn):
            _cards(before, made, fact)


def _cards(before: State, made: Decision, drawn: f.CardsDrawn) -> None:
    """Cards are drawn when no decision is open, all of them up to the next one."""
    assert (
        before.round is None or not before.round_open or made.state.moves[: len(before.moves)] == before.moves
    )
    place = made.facts.index(drawn)
    earlier = {x.seat for x in made.facts[:place] if isinstance(x, f.Decided)}
    assert set(before.awaited()) <= earlier, "a card is drawn while somebody may still decide"
    assert not made.state.round_open or made.state.awaited(), "the round waits for a card"
    starts = [card.start_ms for card in drawn.cards]
    assert starts == sorted(starts)
    assert all(card.start_ms < card.land_ms for card in drawn.cards)


def _time(event: Event, made: Decision) -> None:
    """Time that has passed is not due again: a loop that asks `due` comes to an end."""
    if isinstance(event, TimerDue):
        next_ms = due(made.state, made.live)
        assert next_ms is None or next_ms > event.at_ms
