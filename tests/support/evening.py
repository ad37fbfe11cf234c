"""An evening at the table, without devices: press, advance time, assert.

`Evening` feeds events to the decider the way the runtime does: each fact goes through its journal
form (encode, decode) and is folded again, so that every story also proves that replay gives the
same state; and after every event the books are balanced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cabinet.core import live as now
from cabinet.core.decide import Decision, Event, decide, due
from cabinet.core.facts import Fact, decode, encode
from cabinet.core.fold import after
from cabinet.core.look import Button, LampLook
from cabinet.core.options import lamps
from cabinet.core.outputs import outputs
from cabinet.core.policy import Policy
from cabinet.core.state import State
from cabinet.core.turn import Act, DrawError, PrintTicket, StackNote, Started, TimerDue
from drivers.device import (
    InputChanged,
    NoteEscrowed,
    NoteStacked,
    NoteVendValid,
    PrinterReady,
    TicketDone,
    TicketOutcome,
)
from game import cards
from game.rules import Rules

WALL_MS = 1_900_000_000_000


def policy(seats: int = 5, **changes: object) -> Policy:
    """A cabinet with own devices per seat, or (`shared=True`) one of each for all."""
    shared = bool(changes.pop("shared", False))
    each = [(seat,) for seat in range(1, seats + 1)]
    served: list[tuple[int, ...]] = [tuple(range(1, seats + 1))] if shared else list(each)
    made = Policy(
        name="TEST",
        serial="0003-031",
        machine_id=0x00401E,
        establishment="DEMO CASINO",
        street="1 TEST STREET",
        city="RENO NV 00000",
        currency="USD",
        seats=seats,
        rules=Rules(),
        validators=tuple((f"validator{i}", s) for i, s in enumerate(served, 1)),
        printers=tuple((f"printer{i}", s) for i, s in enumerate(served, 1)),
        panels=("panel1",),
        meters=("meter.in", "meter.out", "meter.drop"),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


class Stacked:
    """A draw that deals the named cards in their order, whatever else lies in the shoe."""

    def __init__(self, text: str = "") -> None:
        self.cards = [cards.parse(word) for word in text.split()]
        self.shoe: Callable[[], object] = lambda: None
        self.broken = False

    def index(self, remaining: Sequence[int]) -> int:
        if self.broken:
            raise DrawError("stuck source")
        if not self.cards:
            return 0
        wanted = self.cards.pop(0)
        return next(i for i, card in enumerate(remaining) if card % 52 == wanted % 52)


class Evening:
    """One cabinet. `facts` is the journal, `acts` what was ordered since the last look."""

    def __init__(self, deal: str = "", start: bool = True, **policy_changes: object) -> None:
        self.policy = policy(**policy_changes)  # type: ignore[arg-type]
        self.stacked = Stacked(deal)
        self.journal: list[tuple[str, str]] = []
        self.acts: list[Act] = []
        self.state = State()
        self.at_ms = 0
        self.live = now.begin(self.policy, 0, WALL_MS)
        if start:
            self.start()

    # ---- the machine

    def start(self, clean: bool = True) -> None:
        """A new process on the same journal."""
        self.acts = []
        self.state = self.replayed()
        self.at_ms = 0
        self.live = now.begin(self.policy, 0, WALL_MS)
        self.feed(Started(0, clean, WALL_MS))
        for name, _ in self.policy.printers:
            self.feed(PrinterReady(name, 0, True))

    def replayed(self) -> State:
        state = State()
        for kind, body in self.journal:
            state = after(state, decode(kind, body))
        return state

    def _draw(self, n: int) -> int:
        # The decider asks with the number of cards left; the stacked order needs to see them.
        remaining = self._remaining
        assert len(remaining) == n
        index = self.stacked.index(remaining)
        self._remaining = remaining[:index] + remaining[index + 1 :]
        return index

    def feed(self, event: Event) -> Decision:
        shoe = self.state.shoe
        opening = shoe is None or not self.state.live
        full = list(range(52 * self.policy.rules.decks))
        self._remaining = full if opening and self._shuffles() else [] if shoe is None else list(shoe.cards)
        decision = decide(self.state, self.live, event, self._draw)
        state = self.state
        for fact in decision.facts:
            kind, body = encode(fact)
            self.journal.append((kind, body))
            state = after(state, decode(kind, body))
        assert state == decision.state, "replay and decision differ"
        self.state, self.live = decision.state, decision.live
        self.acts += decision.acts
        assert self.state.ledger.sum == 0
        assert all(v >= 0 for k, v in self.state.ledger.balances.items() if k not in ("notes", "house"))
        outputs(self.state, self.live)
        return decision

    def _shuffles(self) -> bool:
        return self.state.shoe is None or self.policy.rules.must_shuffle(len(self.state.shoe))

    def facts(self, kind: str) -> list[Fact]:
        return [decode(k, b) for k, b in self.journal if k == kind]

    # ---- people

    def advance(self, ms: int) -> None:
        """Time passes; timers fire when they are due."""
        end = self.at_ms + ms
        while (next_ms := due(self.state, self.live)) is not None and next_ms <= end:
            self.at_ms = next_ms
            self.feed(TimerDue(next_ms))
        self.at_ms = end
        self.live = replace(self.live, now_ms=end)

    def press(self, seat: int, *buttons: str) -> None:
        for button in buttons:
            self.feed(InputChanged("panel1", self.at_ms, f"seat{seat}.{button}", True))
            self.feed(InputChanged("panel1", self.at_ms, f"seat{seat}.{button}", False))

    def switch(self, name: str, active: bool) -> None:
        self.feed(InputChanged("panel1", self.at_ms, name, active))

    def insert(self, seat: int, cents: int) -> None:
        """A note goes all the way into the box."""
        device = self.policy.validator_of(seat)
        self.acts = []
        self.feed(NoteEscrowed(device, self.at_ms, cents, 0x63))
        if StackNote(device) in self.acts:
            self.feed(NoteVendValid(device, self.at_ms))
            self.feed(NoteStacked(device, self.at_ms))

    def printed(self, outcome: TicketOutcome = TicketOutcome.PRINTED) -> PrintTicket:
        """The printer carries out the last order."""
        order = next(a for a in reversed(self.acts) if isinstance(a, PrintTicket))
        self.feed(TicketDone(order.device, self.at_ms, order.ref, outcome))
        return order

    def lamps(self, seat: int) -> set[str]:
        found = lamps(self.state, self.live, seat)
        return {b.value for b, look in found.items() if look is not LampLook.OFF} - {Button.HELP.value}

    def deal(self, *seats: int) -> None:
        """Each seat puts in $100, bets the minimum and presses DEAL; the cards land."""
        for seat in seats:
            self.insert(seat, 10_000)
            self.press(seat, "bet_plus")
        for seat in seats:
            self.press(seat, "deal")
        self.land()

    def land(self) -> None:
        """Wait until the cards lie (and, after a round, until the win has counted up)."""
        end = max(self.state.landed_ms, self.state.settled_ms or 0) + self.policy.timing.settle_ms
        self.advance(max(0, end + 2_000 - self.at_ms) if self.state.settled_ms else self._until_landed())

    def _until_landed(self) -> int:
        return max(0, self.state.landed_ms - self.at_ms) + 1
