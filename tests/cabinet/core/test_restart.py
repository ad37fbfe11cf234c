"""Power goes after every single event of an evening, and every device says everything it could say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from cabinet.core.decide import Decision, Event
from cabinet.core.facts import NoteCredited, NoteIntended, NoteSettledByHand, TicketIntended
from cabinet.core.state import OpenNote
from cabinet.core.turn import AcknowledgeNote, InquireTicket, PrintTicket, ReturnNote, StackNote
from drivers import device as d
from drivers.device import Holding, TicketOutcome
from support.evenings.evening import Evening

DEAL = "8H 8S 6D 3C 3D 10C 2C 10S 4D 9H 10D KC 5C QC"
BACK = (Holding.IN_ACCEPTOR, Holding.RETURNING)


class Recorded(Evening):
    """Keeps a fork of itself after each event."""

    def __init__(self, deal: str, **policy: object) -> None:
        self.past: list[Evening] = []
        super().__init__(deal, **policy)  # type: ignore[arg-type]

    def feed(self, event: Event) -> Decision:
        decision = super().feed(event)
        self.past.append(self.fork())
        return decision


def script() -> Recorded:
    """Notes, a split round with a double and a time-out, a door, a key, tickets, hand payments."""
    evening = Recorded(DEAL, seats=2, ticket_limit_cents=10_500)
    for seat, cents in ((1, 10_000), (2, 10_000), (1, 2_000)):
        device = evening.policy.validator_of(seat)
        evening.feed(d.NoteAccepting(device, evening.at_ms))
        evening.insert(seat, cents)
    evening.press(2, "bet_plus", "bet_plus", "bet_minus")
    evening.press(1, "bet_plus", "deal")
    evening.advance(15_000)
    evening.land()
    evening.press(1, "split")
    evening.switch("door.main", True)
    evening.switch("door.main", False)
    evening.advance(1)
    evening.press(2, "hit")
    evening.land()
    while evening.playing():
        for seat in (1, 2):
            evening.press(seat, "double" if "double" in evening.lamps(seat) else "stand")
        evening.advance(12_000)
    evening.land()
    for seat in (1, 2):
        evening.press(seat, "cash_out")
    while evening.state.tickets:
        ticket = evening.state.tickets[0]
        evening.feed(d.TicketStarted(ticket.device, evening.at_ms, ticket.ref))
        evening.feed(d.TicketDone(ticket.device, evening.at_ms, ticket.ref, TicketOutcome.PRINTED))
        evening.feed(d.TicketTaken(ticket.device, evening.at_ms))
    if evening.state.handpays:
        evening.choose("paid by hand")
    for receipt in evening.state.tickets:
        evening.feed(d.TicketDone(receipt.device, evening.at_ms, receipt.ref, TicketOutcome.PRINTED))
    evening.feed(d.NoteEscrowed("validator1", evening.at_ms, 500, 1))
    evening.feed(d.NoteGivenBack("validator1", evening.at_ms, "slipped"))
    return evening


PAST = script().past


def test_a_bet_for_the_next_round_can_be_changed_at_once_after_a_restart() -> None:
    """The settled round has left the table with that bet: nothing has to be shown to its end."""
    evening = Evening("10H 6S 9D", seats=1)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.press(1, "bet_plus")
    evening.crash()
    assert "bet_plus" in evening.lamps(1)
    evening.press(1, "bet_plus")
    assert evening.state.bet(1) == 1_000


def restarts(before: Evening) -> Iterator[Callable[[], Evening]]:
    """One new process per thing that the devices may say."""
    note = next(iter(before.state.notes), None)
    for holding in Holding if note is not None else (None,):
        for outcome in TicketOutcome if before.state.tickets else (None,):
            yield lambda h=holding, o=outcome: restarted(before, note, h, o)  # type: ignore[misc]


def restarted(
    before: Evening,
    note: OpenNote | None,
    holding: Holding | None,
    outcome: TicketOutcome | None,
) -> Evening:
    evening = before.fork()
    evening.crash()
    assert not any(
        isinstance(x, StackNote | PrintTicket | AcknowledgeNote | ReturnNote) for x in evening.acts
    ), "nothing is repeated from memory"
    if note is not None and holding is not None:
        evening.feed(d.ValidatorReport(note.device, 0, holding))
        if holding is Holding.ESCROW:
            evening.feed(d.NoteEscrowed(note.device, 0, note.cents, note.code))
    for ticket in before.state.tickets:
        assert outcome is not None
        assert InquireTicket(ticket.device, ticket.ref) in evening.acts
        evening.feed(d.TicketDone(ticket.device, 0, ticket.ref, outcome))
    for name, _ in evening.policy.printers:
        evening.feed(d.PrinterReady(name, 0, True))
    return evening


def settle(evening: Evening) -> None:
    """Every device does as it was told, the attendant says yes to all, everybody goes home."""
    for _ in range(12):
        for act in list(evening.acts):
            evening.acts.remove(act)
            match act:
                case StackNote(device=device):
                    evening.feed(d.NoteVendValid(device, evening.at_ms))
                case AcknowledgeNote(device=device):
                    evening.feed(d.NoteStacked(device, evening.at_ms))
                case ReturnNote(device=device):
                    evening.feed(d.NoteGivenBack(device, evening.at_ms, "returned"))
                case PrintTicket(device=device, ref=ref):
                    evening.feed(d.TicketDone(device, evening.at_ms, ref, TicketOutcome.PRINTED))
        if any(note.unresolved for note in evening.state.notes):
            evening.choose("in box")
        if any(ticket.unknown for ticket in evening.state.tickets):
            evening.choose("in hand")
        if evening.state.handpays:
            evening.choose("paid by hand")
        for seat in evening.state.seats:
            evening.press(seat, "cash_out")
        evening.advance(16_000)


def credits_of(evening: Evening, ref: int) -> int:
    """How often the note `ref` has become money."""
    by_device = [x for x in evening.facts("NoteCredited") if isinstance(x, NoteCredited) and x.ref == ref]
    by_hand = [
        x
        for x in evening.facts("NoteSettledByHand")
        if isinstance(x, NoteSettledByHand) and x.ref == ref and x.in_box
    ]
    return len(by_device) + len(by_hand)


@pytest.mark.requirement("BIL-02", "CRD-02", "PRN-02", "MEM-01")
@pytest.mark.parametrize("quarter", range(4))
def test_a_restart_after_any_event_loses_nothing_and_gives_nothing_twice(quarter: int) -> None:
    for before in PAST[quarter::4]:
        for restart in restarts(before):
            evening = restart()
            settle(evening)
            state = evening.state
            assert not state.notes
            assert not state.tickets
            assert not state.handpays
            assert not state.round_open
            ledger = state.ledger
            assert ledger.total("credit") == ledger.total("bet") == ledger.total("in_flight") == 0
            assert -ledger["notes"] == ledger["tickets_out"] + ledger["handpaid"] + ledger["house"]
            intents = [x for x in evening.facts("NoteIntended") if isinstance(x, NoteIntended)]
            assert all(credits_of(evening, x.ref) <= 1 for x in intents)
            numbers = [x.number for x in evening.facts("TicketIntended") if isinstance(x, TicketIntended)]
            assert len(numbers) == len(set(numbers))


@pytest.mark.requirement("BIL-02")
def test_each_report_about_an_open_note_gives_the_money_it_should() -> None:
    seen = set()
    for before in PAST:
        if not before.state.notes:
            continue
        (note,) = before.state.notes
        for holding in Holding:
            evening = restarted(before, note, holding, None)
            settle(evening)
            expected = 1 if note.credited or holding not in BACK else 0
            assert credits_of(evening, note.ref) == expected, (note, holding)
            seen.add((note.credited, holding))
    assert len(seen) == 2 * len(Holding)


@pytest.mark.requirement("MEM-01")
def test_a_restart_keeps_the_round_and_its_cards() -> None:
    for before in PAST:
        evening = before.fork()
        evening.crash()
        assert evening.state.round == before.state.round
        assert evening.state.ledger == before.state.ledger
        assert evening.state.shoe == before.state.shoe
        assert evening.state.awaited() == before.state.awaited()
        assert evening.state.restored == before.state.round_open
        evening.advance(1)
        assert evening.state.deciding() == before.state.awaited()


def test_the_evening_has_all_that_can_be_open() -> None:
    assert any(before.state.notes and not before.state.notes[0].credited for before in PAST)
    assert any(before.state.notes and before.state.notes[0].credited for before in PAST)
    assert any(before.state.tickets for before in PAST)
    assert any(before.state.waiting or before.state.handpays for before in PAST)
    assert any(len(before.state.round.hands) == 3 for before in PAST if before.state.round)
    assert any(before.state.frozen for before in PAST)
    assert any(before.bets_end_ms() for before in PAST)
