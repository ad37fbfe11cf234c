"""One round as the journal remembers it: everything that is needed to judge it again.

`Gathering` folds facts from before the round on and writes down what the state alone does not keep: who
had what before, what came and went meanwhile, the place in the shoe that each card was drawn from, when
each thing was recorded, and what people with keys had to do. `state` is the round as it ended (or stands
now, if it is not finished), so the table's own scene can show it.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from cabinet.core.facts import CardsDrawn, Decided, Fact, RoundOpened, RoundSettled, RoundVoided
from cabinet.core.past.recall_notes import words
from cabinet.core.state import State
from cabinet.core.state.fold import after
from game.hand import total
from game.play import Choice
from game.round import DEALER_HAND, NeedCard, Purpose, Round
from game.rules import Rules
from game.settle import HandResult

# After the end of a round notes are gathered up to the next one: a table that stands for days writes more
# than this, and its log has it all.
NOTES_MAX = 200
FACTS_AFTER_MAX = 2_000


@dataclass(frozen=True, slots=True)
class CardStep:
    """A card. `index`: its place among the `left` cards of the shoe, drawn by the random number generator.
    `total`: of the hand (or of the dealer) with it."""

    wall_ms: int
    card: int
    purpose: Purpose
    hand: int  # DEALER_HAND: the dealer's
    index: int
    left: int
    total: int


@dataclass(frozen=True, slots=True)
class WordStep:
    """A decision. `stake_cents`: what it added to the bet; `total`: of the hand it was said on."""

    wall_ms: int
    seat: int
    hand: int
    choice: Choice
    timed_out: bool
    stake_cents: int
    total: int


@dataclass(frozen=True, slots=True)
class RecalledSeat:
    """The money of one seat, in cents. It adds up: `before` is the credit after the round before, plus
    `in_before` less `out_before`; `after` is `before` plus `in_during` less `out_during`, less all stakes,
    plus all that was returned. `before` includes the bet that lay on the table."""

    seat: int
    in_before: int
    out_before: int
    before: int
    bet: int
    in_during: int
    out_during: int
    results: tuple[HandResult, ...]
    after: int

    @property
    def came_in(self) -> int:
        """Notes and tickets since the end of the round before."""
        return self.in_before + self.in_during

    @property
    def went_out(self) -> int:
        """Tickets and hand payments since then."""
        return self.out_before + self.out_during

    @property
    def staked(self) -> int:
        return sum(result.stake_cents for result in self.results)

    @property
    def returned(self) -> int:
        return sum(result.returned_cents for result in self.results)


@dataclass(frozen=True, slots=True)
class RoundNote:
    wall_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class RecalledRound:
    """`settled_ms` None: not finished, or voided (`voided` says why). Times are local wall clock."""

    number: int
    opened_ms: int
    settled_ms: int | None
    voided: str
    rules: Rules
    seats: tuple[RecalledSeat, ...]
    shuffled: bool
    shoe_cards: int  # before the first card
    steps: tuple[CardStep | WordStep, ...]
    notes: tuple[RoundNote, ...]
    state: State

    @property
    def cards(self) -> tuple[CardStep, ...]:
        return tuple(step for step in self.steps if isinstance(step, CardStep))

    @property
    def words(self) -> tuple[WordStep, ...]:
        return tuple(step for step in self.steps if isinstance(step, WordStep))

    def choices(self, seat: int) -> tuple[WordStep, ...]:
        return tuple(step for step in self.words if step.seat == seat)


def moments(record: RecalledRound) -> int:
    """How many pictures show it: one for each card and decision, and the settlement."""
    return len(record.steps) + (record.settled_ms is not None)


@dataclass(slots=True)
class _Flow:
    """What came to a seat and what left it."""

    came: int = 0
    left: int = 0


@dataclass(slots=True)
class Gathering:
    """Feed it every fact from before the round before `number` on; `over` tells when it has enough."""

    state: State
    number: int
    over: bool = False
    opened: bool = False
    _opened_ms: int = 0
    _settled_ms: int | None = None
    _voided: str = ""
    _shoe_cards: int = 0
    _before: dict[int, int] = field(default_factory=dict)
    _flow_before: dict[int, _Flow] = field(default_factory=dict)
    _flow: dict[int, _Flow] = field(default_factory=dict)
    _steps: list[CardStep | WordStep] = field(default_factory=list)
    _notes: list[RoundNote] = field(default_factory=list)
    _facts_after: int = 0
    _end: State | None = None  # as it was when the round ended

    def feed(self, wall_ms: int, fact: Fact) -> None:
        """Raises RefusedError if the fact cannot be true."""
        self._facts_after += self._end is not None
        if self.opened and (isinstance(fact, RoundOpened) or self._facts_after > FACTS_AFTER_MAX):
            self.over = True
            return
        before, self.state = self.state, after(self.state, fact)
        match fact:
            case RoundOpened(number=number) if number == self.number:
                self._open(wall_ms, before)
            case RoundSettled() | RoundVoided():
                self._ended(wall_ms, fact, before)
            case CardsDrawn() if self.opened:
                self._cards(wall_ms, fact, before)
            case Decided() if self.opened:
                self._word(wall_ms, fact, before)
            case _:
                self._money(before)
        if self.opened and len(self._notes) < NOTES_MAX and (text := words(fact, before)):
            self._notes.append(RoundNote(wall_ms, text))

    def record(self) -> RecalledRound | None:
        """What was gathered; None if the round was not among the facts."""
        if not self.opened:
            return None
        state = self._end or self.state
        assert state.rules is not None
        return RecalledRound(
            number=self.number,
            opened_ms=self._opened_ms,
            settled_ms=self._settled_ms,
            voided=self._voided,
            rules=state.round.rules if state.round is not None else state.rules,
            seats=tuple(self._seat(state, seat) for seat in state.seats),
            shuffled=state.shuffled,
            shoe_cards=self._shoe_cards,
            steps=tuple(self._steps),
            notes=tuple(self._notes),
            state=state,
        )

    def _seat(self, state: State, seat: int) -> RecalledSeat:
        before, during = self._flow_before.get(seat, _Flow()), self._flow.get(seat, _Flow())
        results = tuple(r for r in state.results if r.seat == seat)
        voided = state.bet(seat) if self._voided else 0  # the state is the one before the stakes went back
        return RecalledSeat(
            seat=seat,
            in_before=before.came,
            out_before=before.left,
            before=self._before[seat],
            bet=dict(state.bets).get(seat, 0),
            in_during=during.came,
            out_during=during.left,
            results=results,
            after=state.credit(seat) + voided,
        )

    def _open(self, wall_ms: int, before: State) -> None:
        self.opened, self._opened_ms = True, wall_ms
        assert self.state.shoe is not None
        self._shoe_cards = len(self.state.shoe)
        self._before = {seat: before.credit(seat) + before.bet(seat) for seat in before.seats}
        self._flow_before, self._flow = self._flow, {}

    def _ended(self, wall_ms: int, fact: RoundSettled | RoundVoided, before: State) -> None:
        if not self.opened:
            self._flow = {}  # from here on it is the time before the next round
        elif isinstance(fact, RoundSettled):
            self._settled_ms, self._end = wall_ms, self.state
        else:
            self._voided, self._end = fact.reason, before

    def _money(self, before: State) -> None:
        """What moved between a seat and the world, or an attendant's or a printer's hands."""
        if self._end is not None or before.ledger is self.state.ledger:
            return
        for seat in self.state.seats:
            own = _held(self.state, seat, "credit", "bet") - _held(before, seat, "credit", "bet")
            if not own:
                continue
            waits = _held(self.state, seat, "in_flight", "handpay")
            waited = _held(before, seat, "in_flight", "handpay")
            flow = self._flow.setdefault(seat, _Flow())
            if own < 0 or waits - waited == -own:  # also a ticket that was not printed: it did not leave
                flow.left -= own
            else:
                flow.came += own

    def _cards(self, wall_ms: int, fact: CardsDrawn, before: State) -> None:
        assert before.round is not None
        assert before.shoe is not None
        round_, shoe = before.round, before.shoe
        for drawn in fact.cards:
            need = round_.needs()
            assert isinstance(need, NeedCard)
            index, left = bisect_left(shoe.cards, drawn.card), len(shoe)
            round_, shoe = round_.deal(drawn.card), shoe.remove(drawn.card)
            made = _total(round_, need.hand)
            self._steps.append(CardStep(wall_ms, drawn.card, need.purpose, need.hand, index, left, made))

    def _word(self, wall_ms: int, fact: Decided, before: State) -> None:
        assert before.round is not None
        hand = before.round.active
        step = WordStep(
            wall_ms,
            fact.seat,
            hand,
            fact.choice,
            fact.timed_out,
            fact.stake_cents,
            _total(before.round, hand),
        )
        self._steps.append(step)


def _held(state: State, seat: int, *kinds: str) -> int:
    return sum(state.ledger[f"{kind}.{seat}"] for kind in kinds)


def _total(round_: Round, hand: int) -> int:
    if hand == DEALER_HAND:
        return total(round_.dealer).best
    return total(round_.hands[hand].cards + round_.hands[hand].continuation).best
