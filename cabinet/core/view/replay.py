"""The round on the table, replayed: what had become of it at each moment.

The journal knows the end of a draw before anybody has seen its first card. What is shown must
follow from the cards that lie, so the round is played again from its moves, and every moment
holds the round *as it was then*. A `RoundMoment` is still; the flights of the cards are in their
`CardLook`s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from cabinet.core.look import CardLook, HandLook, TablePhase
from cabinet.core.state import Move, State
from cabinet.core.timing import Timing
from game import needs
from game.hand import total
from game.round import DEALER_HAND, NeedCard, Purpose, Round
from game.rules import Rules

# The part of a round before its last decision is the same in every view until the next card: one
# round is on the table, and one more may be asked for (recall).
BEGINNINGS = 2


@dataclass(frozen=True, slots=True)
class RoundMoment:
    """The round from `from_ms` on. `opened`: the seats are asked; `settled`: the bets are paid."""

    from_ms: int
    round: Round
    phase: TablePhase
    opened: bool = False
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """A card with what it was drawn for; `best` is the total it made (0 for cards of the deal).
    `told_ms` is when the journal got it, which is before anybody sees it."""

    look: CardLook
    told_ms: int
    purpose: Purpose
    best: int


@dataclass(frozen=True, slots=True)
class Played:
    """The whole round. `moments` rise in time; there is at least one."""

    moments: tuple[RoundMoment, ...]
    drawn: tuple[Drawn, ...]
    dealer: tuple[CardLook, ...]
    hands: tuple[HandLook, ...]

    def shown(self, at_ms: int) -> int:
        """The index of the moment that is shown at `at_ms`."""
        found = 0
        for number, moment in enumerate(self.moments):
            if moment.from_ms <= at_ms:
                found = number
        return found


# The word over the dial, by what the round does next. While it waits for decisions that are not
# open yet, and after its last card, the word stays what it was.
_PHASES = {
    needs.Phase.DEAL: TablePhase.DEAL,
    needs.Phase.UPCARD: TablePhase.DEAL,
    needs.Phase.DRAW: TablePhase.DRAW,
    needs.Phase.SPLIT_CARD: TablePhase.DRAW,
    needs.Phase.CONTINUATION: TablePhase.COMPLETE,
    needs.Phase.DEALER: TablePhase.DEALER,
}


def decision_open(state: State) -> bool:
    """A decision is open, or was open when the table was frozen."""
    held = bool(state.frozen) and state.remaining_ms is not None
    return bool(state.awaited()) and (state.decision_deadline_ms is not None or held)


def replayed(state: State, now_ms: int, timing: Timing) -> Played:
    """The round of `state`, which has one. Decisions lie in the past: they are never after `now_ms`,
    also those of an earlier session, whose clock was another one."""
    assert state.round is not None
    known = _last_decision(state.moves)
    replay = _beginning(state.round.rules, state.bets, state.moves[:known], _begin_ms(state)).copy()
    replay.play(state.moves[known:], now_ms)
    last = replay.moments[-1]
    if decision_open(state):
        if not last.opened:
            replay.add(replace(last, from_ms=state.decision_opened_ms, phase=TablePhase.DECIDE, opened=True))
    elif last.opened:  # frozen, or begun again, before everybody had decided
        replay.moments[-1] = replace(last, opened=False)
    if state.settled_ms is not None:
        replay.add(replace(replay.moments[-1], from_ms=state.settled_ms, phase=TablePhase.PAID, settled=True))
    return replay.played(timing)


def _begin_ms(state: State) -> int:
    return state.moves[0].start_ms if state.moves else state.landed_ms


def _last_decision(moves: tuple[Move, ...]) -> int:
    """The index of the first word of the last decision, which the cards on their way follow."""
    place = len(moves)
    while place and not moves[place - 1].seat:
        place -= 1
    while place and moves[place - 1].seat:
        place -= 1
    return place


@lru_cache(BEGINNINGS)
def _beginning(
    rules: Rules, bets: tuple[tuple[int, int], ...], moves: tuple[Move, ...], begin_ms: int
) -> _Replay:
    """The replay of moves that end with a card. To be copied, not to be changed."""
    replay = _Replay(Round.open(rules, dict(bets)), begin_ms)
    replay.play(moves, begin_ms if not moves else max(move.at_ms for move in moves))
    return replay


class _Replay:
    """Collects what the moves make: moments, and the cards of every hand."""

    def __init__(self, round_: Round, begin_ms: int) -> None:
        self.moments = [RoundMoment(begin_ms, round_, TablePhase.DEAL)]
        self.round = round_
        self.drawn: list[Drawn] = []
        self.cards: dict[int, list[CardLook]] = {DEALER_HAND: [], 0: [], 1: [], 2: []}
        self.continued: dict[int, list[CardLook]] = {0: [], 1: [], 2: []}
        self.split_at: int | None = None  # the moment at which the pair splits
        self.split_card = 0  # how many cards had been drawn by then

    def copy(self) -> _Replay:
        other = _Replay(self.round, 0)
        other.moments = self.moments.copy()
        other.drawn = self.drawn.copy()
        other.cards = {hand: cards.copy() for hand, cards in self.cards.items()}
        other.continued = {hand: cards.copy() for hand, cards in self.continued.items()}
        other.split_at, other.split_card = self.split_at, self.split_card
        return other

    def play(self, moves: tuple[Move, ...], now_ms: int) -> None:
        for move in moves:
            if move.seat:
                self.decision(move, now_ms)
            else:
                self.card(move)

    def add(self, moment: RoundMoment) -> None:
        self.moments.append(moment)

    def card(self, move: Move) -> None:
        need = self.round.needs()
        assert isinstance(need, NeedCard)
        self.round = self.round.deal(move.card)
        look = CardLook(move.card, move.start_ms, move.land_ms)
        best = 0
        if need.purpose is Purpose.CONTINUATION:
            self.continued[need.hand].append(look)
        else:
            self.cards[need.hand].append(look)
            if need.purpose in (Purpose.DRAW, Purpose.SPLIT_CARD):
                best = total(self.round.hands[need.hand].cards).best
        self.drawn.append(Drawn(look, move.at_ms, need.purpose, best))
        phase = _PHASES.get(self.round.phase, self.moments[-1].phase)
        self.add(RoundMoment(move.land_ms, self.round, phase))

    def decision(self, move: Move, now_ms: int) -> None:
        last = self.moments[-1]
        if not last.opened:
            self.add(replace(last, phase=TablePhase.DECIDE, opened=True))
        whole = len(self.round.hands) == 1
        self.round = self.round.decide(move.seat, move.choice, move.timed_out)
        if whole and len(self.round.hands) > 1:
            self.split_at, self.split_card = len(self.moments), len(self.drawn)
        phase = _PHASES.get(self.round.phase, TablePhase.DECIDE)
        self.add(RoundMoment(min(move.at_ms, now_ms), self.round, phase, phase is TablePhase.DECIDE))

    def played(self, timing: Timing) -> Played:
        times = [moment.from_ms for moment in self.moments]
        for place in range(len(times) - 2, -1, -1):
            times[place] = min(times[place], times[place + 1])
        rising: list[RoundMoment] = []
        for from_ms, moment in zip(times, self.moments, strict=True):
            if rising and rising[-1].from_ms == from_ms:
                rising.pop()
            rising.append(moment if moment.from_ms == from_ms else replace(moment, from_ms=from_ms))
        opens_ms = None if self.split_at is None else times[self.split_at]
        hands = tuple(self._hand(number, opens_ms, timing) for number in range(len(self.round.hands)))
        return Played(tuple(rising), tuple(self.drawn), tuple(self.cards[DEALER_HAND]), hands)

    def _hand(self, number: int, opens_ms: int | None, timing: Timing) -> HandLook:
        hand, cards = self.round.hands[number], self.cards[number]
        if number and opens_ms is not None:
            # The pair's own card slides over. After a restart everything lies already.
            following = self.drawn[self.split_card :][:1]
            lies = bool(following) and following[0].look.start_ms == following[0].look.land_ms
            land_ms = opens_ms if lies else opens_ms + timing.split_ms
            cards = [CardLook(hand.cards[0], opens_ms, land_ms), *cards]
        return HandLook(
            index=number,
            cards=tuple(cards),
            continuation=tuple(self.continued[number]),
            owners=hand.owners,
            opens_ms=opens_ms,
            gone=not hand.owners,
        )
