"""An evening at the table, without devices: press, advance time, assert.

`Evening` feeds events to the decider the way the runtime does: each fact goes through its journal
form (encode, decode) and is folded again, so that every story also proves that replay gives the
same state; and after every event the laws of `support.evenings.audit` are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy

from cabinet.core import confirm
from cabinet.core import live as now
from cabinet.core.conditions import Code
from cabinet.core.currency import USD
from cabinet.core.decide import Decision, Event, decide, due
from cabinet.core.facts import Fact, decode, encode
from cabinet.core.look import Button, LampLook
from cabinet.core.options import betting_open_ms, document_inside, lamps, walks_from_ms
from cabinet.core.outputs import outputs
from cabinet.core.policy import Policy
from cabinet.core.renewal import replace
from cabinet.core.staff import menu
from cabinet.core.state import State
from cabinet.core.state.fold import after
from cabinet.core.turn import Act, DrawError, PrintTicket, StackNote, Started, TimerDue, TroubleReported
from cabinet.tickets.keys import KeyedNumbers, TicketKey
from drivers.device import (
    BarcodeEscrowed,
    Fault,
    FaultCleared,
    FaultRaised,
    InputChanged,
    NoteAccepting,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteVendValid,
    PrinterReady,
    TicketDone,
    TicketOutcome,
    ValidatorEnabled,
)
from game import cards
from game.rules import Rules
from support.evenings.audit import Audit, fact_folded

WALL_MS = 1_900_000_000_000
NUMBERS = KeyedNumbers(TicketKey(bytes(range(32))))


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
        currency=USD,
        seats=seats,
        rules=Rules(),
        validators=tuple((f"validator{i}", s) for i, s in enumerate(served, 1)),
        printers=tuple((f"printer{i}", s) for i, s in enumerate(served, 1)),
        panels=("panel1",),
        meters=tuple((f"meter.{name}", "panel1") for name in ("in", "out", "drop")),
        ticket_in=tuple(f"validator{i}" for i in range(1, len(served) + 1)),
        numbers=NUMBERS,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


class Stacked:
    """A draw that deals the named cards in their order, whatever else lies in the shoe."""

    def __init__(self, text: str = "") -> None:
        self.cards = [cards.parse(word) for word in text.split()]
        self.broken = False
        self.drawn = 0  # how often a card was asked for

    def index(self, remaining: Sequence[int]) -> int:
        if self.broken:
            raise DrawError("stuck source")
        if len(remaining) == 1:
            return 0
        self.drawn += 1
        if not self.cards:
            return 0
        wanted = self.cards.pop(0)
        return next(i for i, card in enumerate(remaining) if card % 52 == wanted % 52)


class Evening:
    """One cabinet. `facts` is the journal, `acts` what was ordered since the last look. No event may make a
    fact that is refused, unless `books_may_fail` says that this story is about such a one."""

    books_may_fail = False
    obedient = True  # a shared validator confirms at once that it takes nothing more

    def __init__(self, deal: str = "", start: bool = True, **policy_changes: object) -> None:
        self.policy = policy(**policy_changes)  # type: ignore[arg-type]
        self.stacked = Stacked(deal)
        self.index: Callable[[Sequence[int]], int] = self.stacked.index
        self.audit = Audit()
        self.journal: list[tuple[str, str]] = []
        self.acts: list[Act] = []
        self.state = State()
        self.at_ms = 0
        self.wall_ms = WALL_MS
        self._remaining: list[int] = []
        self.live = now.begin(self.policy, 0, WALL_MS)
        if start:
            self.start()

    # ---- the machine

    def start(self, clean: bool = True, printers: bool = True, trouble: tuple[str, str] = ("", "")) -> None:
        """A new process on the same journal. Its printers are ready at once, unless told otherwise."""
        self.acts = []
        self.state = self.replayed()
        last = decode(*self.journal[-1]).at_ms + self.state.wall_base_ms if self.journal else 0
        self.at_ms = 0
        self.live = now.begin(self.policy, 0, self.wall_ms)
        self.feed(Started(0, clean, self.wall_ms, last_wall_ms=last, trouble=trouble))
        for name, _ in self.policy.printers if printers else ():
            self.feed(PrinterReady(name, 0, True))

    def crash(self, **policy_changes: object) -> None:
        """Power goes and comes back, perhaps with another cabinet file. No device has spoken yet."""
        if policy_changes:
            self.policy = replace(self.policy, **policy_changes)  # type: ignore[arg-type]
        self.start(clean=False, printers=False)

    def replayed(self) -> State:
        state = State()
        for kind, body in self.journal:
            state = after(state, decode(kind, body))
        return state

    def fork(self) -> Evening:
        """Another evening with the same past: its journal and cards are its own."""
        twin = Evening(start=False)
        twin.audit = deepcopy(self.audit)
        twin.policy, twin.wall_ms = self.policy, self.wall_ms
        twin.journal, twin.stacked.cards = list(self.journal), list(self.stacked.cards)
        twin.state, twin.live, twin.at_ms = self.state, self.live, self.at_ms
        return twin

    def _draw(self, n: int) -> int:
        # The decider asks with the number of cards left; the stacked order needs to see them.
        remaining = self._remaining
        if n == 1:  # no card: the question whether there are any
            return self.index([0])
        assert len(remaining) == n
        index = self.index(remaining)
        self._remaining = remaining[:index] + remaining[index + 1 :]
        return index

    def feed(self, event: Event) -> Decision:
        shoe = self.state.shoe
        opening = shoe is None or not self.state.round_open
        full = list(range(52 * self.policy.rules.decks))
        self._remaining = full if opening and self._shuffles() else [] if shoe is None else list(shoe.cards)
        decision = decide(self.state, self.live, event, self._draw)
        state = self.state
        for fact in decision.facts:
            kind, body = encode(fact)
            self.journal.append((kind, body))
            before, state = state, after(state, decode(kind, body))
            fact_folded(before, fact, state)
        assert state == decision.state, "replay and decision differ"
        self.audit.check(self.state, event, decision)
        locked = (
            decision.live.trouble(Code.ACCOUNTING_ERROR)
            if not self.live.trouble(Code.ACCOUNTING_ERROR)
            else ""
        )
        assert self.books_may_fail or not locked, f"the books lock the table: {locked}"
        self.state, self.live = decision.state, decision.live
        self.acts += decision.acts
        outputs(self.state, self.live)
        for name in tuple(self.live.rebinding) if self.obedient else ():
            if not document_inside(self.state, self.live, name):
                self.confirm(name)
        return decision

    def confirm(self, validator: str) -> None:
        """The validator says that it takes nothing more, as it was told last."""
        change = self.live.device(validator).change
        self.feed(ValidatorEnabled(validator, self.at_ms, False, change))

    def commit_fails(self, event: Event, on_disk: bool) -> None:
        """The commit of what this event makes true fails; only a restart tells whether it is on the disk."""
        twin = self.fork()
        twin.index = self.index
        decision = twin.feed(event)
        if on_disk:
            self.journal = twin.journal
            self.audit.written(decision)
        self.feed(TroubleReported(event.at_ms, Code.STORAGE_FAILED, "no answer"))

    def _shuffles(self) -> bool:
        return self.state.shoe is None or self.policy.rules.must_shuffle(len(self.state.shoe))

    def facts(self, kind: str) -> list[Fact]:
        return [decode(k, b) for k, b in self.journal if k == kind]

    def last(self, kind: str) -> Fact:
        return self.facts(kind)[-1]

    def ordered(self, *kinds: type[Act]) -> list[Act]:
        """The acts of these kinds since the last look, which are thereby looked at."""
        found = [act for act in self.acts if isinstance(act, kinds)]
        self.acts = [act for act in self.acts if not isinstance(act, kinds)]
        return found

    # ---- people

    def advance(self, ms: int) -> None:
        """Time passes; timers fire when they are due."""
        end = self.at_ms + ms
        while (next_ms := due(self.state, self.live)) is not None and next_ms <= end:
            self.at_ms = max(self.at_ms, next_ms)
            self.feed(TimerDue(self.at_ms))
        self.at_ms = end
        self.live = replace(self.live, now_ms=end)

    def press(self, seat: int, *buttons: str) -> None:
        """Whoever has turned a key waits until the lamp of the menu's button is lit."""
        for button in buttons:
            if self.live.key:
                self.advance(max(0, walks_from_ms(self.live, Button(button)) - self.at_ms))
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

    def insert_ticket(self, seat: int, number: str) -> bool:
        """A ticket is read; if it is taken, all the way into the box."""
        device = self.policy.validator_of(seat)
        self.acts = []
        self.feed(NoteAccepting(device, self.at_ms))
        self.feed(BarcodeEscrowed(device, self.at_ms, number))
        if StackNote(device) not in self.acts:
            self.feed(NoteGivenBack(device, self.at_ms, "returned"))
            return False
        self.feed(NoteVendValid(device, self.at_ms))
        self.feed(NoteStacked(device, self.at_ms))
        return True

    def ticket(self, seat: int, cents: int) -> str:
        """The seat puts in a note and takes it out again as a ticket, whose number this is."""
        if self.policy.is_shared(self.policy.validator_of(seat)):
            self.press(seat, "buy_in")
        self.insert(seat, cents)
        self.press(seat, "cash_out")
        return self.printed().ticket.validation

    def printed(self, outcome: TicketOutcome = TicketOutcome.PRINTED) -> PrintTicket:
        """The printer carries out the last order."""
        order = next(a for a in reversed(self.acts) if isinstance(a, PrintTicket))
        self.feed(TicketDone(order.device, self.at_ms, order.ref, outcome))
        return order

    def fault(self, device: str, fault: Fault, detail: str = "") -> None:
        self.feed(FaultRaised(device, self.at_ms, fault, detail))

    def mended(self, device: str, fault: Fault) -> None:
        self.feed(FaultCleared(device, self.at_ms, fault))

    def choose(self, label: str, key: str = "attendant") -> None:
        """Turn the key, walk to the item whose label contains `label`, take it, turn the key back. An item
        of a page below: "page > item"."""
        self.switch(f"key.{key}", True)
        if key == "service":
            self._walk("Open matters")
        self.walk(*label.split(" > "))
        self.switch(f"key.{key}", False)

    def walk(self, *labels: str) -> None:
        """With a key turned: open or do what these items say, one after another."""
        for label in labels:
            self._walk(label)

    def _walk(self, label: str) -> None:
        names = [item.label for item in menu.items(self.state, self.live)]
        place = next(i for i, name in enumerate(names) if label in name)
        while self.live.cursor < place:
            self.press(1, "bet_plus")
        while self.live.cursor > place:
            self.press(1, "bet_minus")
        self.press(1, "deal")
        self.confirm_by_key()

    def confirm_by_key(self) -> None:
        """If the screen asks for the key: read it, turn the key off and on again."""
        if self.live.confirming is None:
            return
        key = f"key.{self.live.key}"
        self.advance(confirm.SHOWN_MS)
        self.switch(key, False)
        self.advance(confirm.OFF_LEAST_MS)
        self.switch(key, True)

    def lamps(self, seat: int) -> set[str]:
        found = lamps(self.state, self.live, seat)
        return {b.value for b, look in found.items() if look is not LampLook.OFF} - {Button.HELP.value}

    def told(self, seat: int) -> str:
        """The key of what the seat's panel says about a refused press; "" for nothing."""
        return self.live.refused[seat][0].key if seat in self.live.refused else ""

    def deal(self, *seats: int) -> None:
        """Each seat puts in $100, bets the minimum and presses DEAL; the cards land."""
        for seat in seats:
            self.insert(seat, 10_000)
            self.press(seat, "bet_plus")
        self.all_deal(seats)

    def all_deal(self, seats: Iterable[int]) -> None:
        for seat in seats:
            self.press(seat, "deal")
        self.land()

    def land(self) -> None:
        """Wait until the cards lie (and, after a round, until bets for the next one are taken)."""
        end = max(self.state.landed_ms, betting_open_ms(self.state, self.live))
        self.advance(max(0, end - self.at_ms) + 1)

    def playing(self) -> bool:
        """A round is open and not settled."""
        return self.state.round_open

    def bets_end_ms(self) -> int | None:
        return self.state.bet_deadline_ms

    def credits(self, *seats: int) -> tuple[int, ...]:
        return tuple(self.state.credit(seat) for seat in seats or self.state.seats)
