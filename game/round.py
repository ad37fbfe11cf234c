"""A round of Common-Hand Blackjack as an immutable state machine.

The round never draws: it says what it needs, and is told the card or the decision.

    phase          needs                     then
    -------------  ------------------------  ----------------------------------------------
    DEAL           two cards                 UPCARD
    UPCARD         one card                  DECIDE; on a natural DEALER or FINISHED
    DECIDE         every undecided seat      DRAW if anybody hit or doubled, else complete
    DRAW           one card                  DECIDE if a seat is still live, else complete
    SPLIT_CARD     a split hand's 2nd card   DECIDE; on 21 or split aces the next hand
    CONTINUATION   cards to 21 or bust       the next hand
    DEALER         cards to 17               FINISHED
    FINISHED       nothing

*Complete* means CONTINUATION below 21, else the next hand; after the last hand comes DEALER, or
FINISHED when no bet is left that the dealer could decide. Hand 0 is the common hand, or the pair
that some seats keep together; hands 1 and 2 exist once a seat has split. Nothing is drawn before
the last undecided seat has spoken, and words are kept by seat, so the order of simultaneous
decisions leaves no trace.

Credit is somebody else's: ``legal`` asks the rules only, ``extra_stake`` says what a choice costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from game.cards import DECK_CARDS, POINTS, Card
from game.hand import TWENTY_ONE, is_natural, total
from game.play import Choice, Fate, Hand, HandStatus, Play, Said
from game.rules import Rules, Takes

__all__ = [
    "DEALER_HAND", "Choice", "Fate", "Finished", "Hand", "HandStatus", "IllegalBet", "IllegalCard",
    "IllegalChoice", "NeedCard", "NeedDecisions", "Needs", "Phase", "Play", "Purpose", "Round", "Said",
]  # fmt: skip

# Seats are numbered from 1. The panel, the grid and the art end at seven.
MAX_SEATS = 7

# The hand number of cards that go to the dealer.
DEALER_HAND = -1


class IllegalBet(ValueError):
    """A round was opened with no bet, or with one the rules do not take."""


class IllegalCard(ValueError):
    """A card that is not in the shoe, lies on the table already, or is not due."""


class IllegalChoice(ValueError):
    """A decision that this seat cannot make now."""


class Phase(StrEnum):
    """What the round does now; see the table of the module."""

    DEAL = "deal"
    UPCARD = "upcard"
    DECIDE = "decide"
    DRAW = "draw"
    SPLIT_CARD = "split_card"
    CONTINUATION = "continuation"
    DEALER = "dealer"
    FINISHED = "finished"


class Purpose(StrEnum):
    """What a card is drawn for."""

    DEAL = "deal"
    UPCARD = "upcard"
    DRAW = "draw"
    SPLIT_CARD = "split_card"
    CONTINUATION = "continuation"
    DEALER = "dealer"


@dataclass(frozen=True, slots=True)
class NeedCard:
    """The next card goes to ``hand`` (``DEALER_HAND`` for the dealer)."""

    purpose: Purpose
    hand: int


@dataclass(frozen=True, slots=True)
class NeedDecisions:
    """These seats, ascending, still have to decide on ``hand``; at least one."""

    hand: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing more happens; the round can be settled."""


Needs: TypeAlias = NeedCard | NeedDecisions | Finished

_DEALERS = (Purpose.UPCARD, Purpose.DEALER)
_NEED_CARD = {
    purpose.value: tuple(NeedCard(purpose, DEALER_HAND if purpose in _DEALERS else hand) for hand in range(3))
    for purpose in Purpose
}
_FINISHED = Finished()


@dataclass(frozen=True, slots=True)
class Round:
    """The state of one round; see the module. ``bets`` are (seat, cents), ascending by seat.

    ``active`` is the hand that the phase is about; it means nothing in the dealer's phases.
    """

    rules: Rules
    bets: tuple[tuple[int, int], ...]
    hands: tuple[Hand, ...]
    dealer: tuple[Card, ...] = ()
    phase: Phase = Phase.DEAL
    active: int = 0

    @classmethod
    def open(cls, rules: Rules, bets: Mapping[int, int]) -> Round:
        """A round before its first card. ``bets`` maps seats (1..7) to cents.

        Raises IllegalBet when there is no bet or one is off the limits or steps.
        """
        if not bets:
            raise IllegalBet("a round needs at least one bet")
        for seat, bet_cents in bets.items():
            if not 1 <= seat <= MAX_SEATS:
                raise IllegalBet(f"seat {seat} does not exist: 1 to {MAX_SEATS}")
            if not rules.is_bet(bet_cents):
                raise IllegalBet(
                    f"seat {seat} bets {bet_cents} cents: {rules.min_bet_cents} to {rules.max_bet_cents} "
                    f"in steps of {rules.bet_step_cents}"
                )
        ordered = tuple(sorted(bets.items()))
        plays = tuple([Play(seat, bet_cents) for seat, bet_cents in ordered])
        return cls(rules, ordered, (Hand(HandStatus.PLAYING, (), plays),))

    # ---- questions

    def needs(self) -> Needs:
        """What has to happen next: a card, decisions, or nothing."""
        match self.phase:
            case Phase.DECIDE:
                return NeedDecisions(self.active, self.hands[self.active].undecided)
            case Phase.FINISHED:
                return _FINISHED
            case phase:
                return _NEED_CARD[phase.value][self.active]

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats in the round, ascending."""
        return tuple(seat for seat, _ in self.bets)

    @property
    def active_hand(self) -> int | None:
        """The hand that is dealt, decided on or completed; None when it is the dealer's turn or over."""
        dealers = self.phase in (Phase.UPCARD, Phase.DEALER, Phase.FINISHED)
        return None if dealers else self.active

    @property
    def natural(self) -> bool:
        """The common hand is a blackjack, for every seat."""
        return len(self.hands) == 1 and is_natural(self.hands[0].cards)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Every card on the table, each once: hands with their continuation, then the dealer's."""
        table: list[Card] = []
        for number, hand in enumerate(self.hands):
            # The first card of a split hand is a card of the pair, which has been counted.
            table += hand.cards[1:] if number else hand.cards
            table += hand.continuation
        return (*table, *self.dealer)

    def bet(self, seat: int) -> int:
        """The original bet of a seat, in cents; 0 when it sits out."""
        for better, bet_cents in self.bets:
            if better == seat:
                return bet_cents
        return 0

    def stakes(self, seat: int) -> int:
        """All that a seat has at risk at this moment, doubles and splits included, in cents."""
        return sum(play.stake_cents for hand in self.hands for play in hand.plays if play.seat == seat)

    def legal(self, seat: int) -> tuple[Choice, ...]:
        """The choices of a seat by the rules, () when it has nothing to decide now."""
        if self.phase is not Phase.DECIDE:
            return ()
        hand = self.hands[self.active]
        if seat not in hand.undecided:
            return ()
        cards = hand.cards
        if len(cards) > 2:
            return _HIT_STAND
        double = self.rules.may_double(cards, after_split=self.active > 0)
        split = self.active == 0 and self.rules.may_split(cards)
        return _CHOICES[double][split]

    def extra_stake(self, seat: int, choice: Choice) -> int:
        """What a choice adds to the stake of a seat: a second equal bet, or nothing. In cents."""
        return self.bet(seat) if choice is Choice.DOUBLE or choice is Choice.SPLIT else 0

    # ---- happenings

    def decide(self, seat: int, choice: Choice, timed_out: bool = False) -> Round:
        """The round after a final decision of one seat; a time-out is a STAND that nobody chose.

        The last of the undecided seats closes the decision. Raises IllegalChoice.
        """
        if choice not in self.legal(seat):
            raise IllegalChoice(f"seat {seat} cannot {choice} now")
        if timed_out and choice is not Choice.STAND:
            raise IllegalChoice(f"a time-out stands, it cannot {choice}")
        hand = self.hands[self.active]
        said = Said.TIME if timed_out else Said(choice)
        best = total(hand.cards).best
        plays = tuple([_speak(play, said, best) if play.seat == seat else play for play in hand.plays])
        hand = Hand(hand.status, hand.cards, plays)
        hands = (*self.hands[: self.active], hand, *self.hands[self.active + 1 :])
        spoken = Round(self.rules, self.bets, hands, self.dealer, self.phase, self.active)
        return spoken if hand.undecided else _close(spoken)

    def deal(self, card: Card) -> Round:
        """The round with the card it needs. Raises IllegalCard."""
        self._check(card)
        match self.phase:
            case Phase.DRAW:
                return _drawn(self, card)
            case Phase.DEAL:
                return _dealt(self, card)
            case Phase.UPCARD:
                return _upcard(self, card)
            case Phase.CONTINUATION:
                return _continued(self, card)
            case Phase.SPLIT_CARD:
                return _split_card(self, card)
            case Phase.DEALER:
                return _dealer_card(self, card)
            case _:
                raise IllegalCard(f"no card is due in phase {self.phase}")

    def _check(self, card: Card) -> None:
        """One card is one thing: it comes from the shoe and cannot be on the table twice."""
        if not 0 <= card < self.rules.decks * DECK_CARDS:
            raise IllegalCard(f"card {card} is not in a shoe of {self.rules.decks} decks")
        if card in self.dealer or any(card in hand.cards or card in hand.continuation for hand in self.hands):
            raise IllegalCard(f"card {card} is on the table already")


# --------------------------------------------------------------------------------------
# The steps. Each takes a round and returns the next one.

_HIT_STAND = (Choice.HIT, Choice.STAND)
# By [may double][may split].
_CHOICES = (
    (_HIT_STAND, (*_HIT_STAND, Choice.SPLIT)),
    ((*_HIT_STAND, Choice.DOUBLE), (*_HIT_STAND, Choice.DOUBLE, Choice.SPLIT)),
)


def _with_hand(state: Round, hand: Hand, phase: Phase) -> Round:
    """The round with another active hand, in another phase."""
    if len(state.hands) == 1:
        hands: tuple[Hand, ...] = (hand,)
    else:
        hands = (*state.hands[: state.active], hand, *state.hands[state.active + 1 :])
    return Round(state.rules, state.bets, hands, state.dealer, phase, state.active)


def _dealt(state: Round, card: Card) -> Round:
    hand = state.hands[0]
    cards = (*hand.cards, card)
    phase = Phase.UPCARD if len(cards) == 2 else Phase.DEAL
    return _with_hand(state, Hand(hand.status, cards, hand.plays), phase)


def _upcard(state: Round, card: Card) -> Round:
    """The dealer's first card. On a natural only a dealer who may have one too takes another."""
    hand = state.hands[0]
    dealer = (card,)
    if not is_natural(hand.cards):
        return Round(state.rules, state.bets, state.hands, dealer, Phase.DECIDE)
    plays = tuple(Play(play.seat, play.stake_cents, Fate.BLACKJACK, TWENTY_ONE) for play in hand.plays)
    phase = Phase.DEALER if _may_be_natural(card) else Phase.FINISHED
    return Round(state.rules, state.bets, (Hand(HandStatus.DONE, hand.cards, plays),), dealer, phase)


def _speak(play: Play, said: Said, best: int) -> Play:
    """The play after one word. Standing is final at once; the rest waits for the others."""
    words = (*play.said, said)
    match said:
        case Said.STAND:
            return Play(play.seat, play.stake_cents, Fate.STOOD, best, words)
        case Said.TIME:
            return Play(play.seat, play.stake_cents, Fate.TIMED_OUT, best, words)
        case Said.HIT:
            return Play(play.seat, play.stake_cents, Fate.LIVE, 0, words)
        case Said.DOUBLE | Said.SPLIT:  # a second bet, equal to the first
            return Play(play.seat, 2 * play.stake_cents, Fate.LIVE, 0, words)


def _close(state: Round) -> Round:
    """Every seat has decided on the active hand."""
    hand = state.hands[state.active]
    waiting = False
    for play in hand.plays:
        if play.fate is Fate.LIVE:
            if play.said[-1] is Said.SPLIT:
                return _split(state, hand)
            waiting = True
    return _with_hand(state, hand, Phase.DRAW) if waiting else _complete(state, hand)


def _split(state: Round, pair: Hand) -> Round:
    """Seats that split leave the pair for two hands of one card each; the others play the pair first."""
    leaving = {play.seat for play in pair.plays if play.said[-1] is Said.SPLIT}
    kept = tuple(
        Play(play.seat, 0, Fate.SPLIT, 0, play.said) if play.seat in leaving else play for play in pair.plays
    )
    bets = tuple(Play(seat, bet_cents) for seat, bet_cents in state.bets if seat in leaving)
    first, second = (Hand(HandStatus.WAITING, (card,), bets) for card in pair.cards)
    pair = Hand(pair.status, pair.cards, kept)
    state = Round(state.rules, state.bets, (pair, first, second), state.dealer, state.phase)
    if not pair.owners:
        return _next_hand(_with_hand(state, Hand(HandStatus.DONE, pair.cards, kept), state.phase))
    if any(play.fate is Fate.LIVE for play in kept):
        return _with_hand(state, pair, Phase.DRAW)
    return _complete(state, pair)


def _drawn(state: Round, card: Card) -> Round:
    """The shared card of those who hit or doubled."""
    hand = state.hands[state.active]
    cards = (*hand.cards, card)
    best = total(cards).best
    plays = tuple([_after_draw(play, best) if play.fate is Fate.LIVE else play for play in hand.plays])
    hand = Hand(hand.status, cards, plays)
    for play in plays:
        if play.fate is Fate.LIVE:
            return _with_hand(state, hand, Phase.DECIDE)
    return _complete(state, hand)


def _after_draw(play: Play, best: int) -> Play:
    """A play that took the card: bust, finished by its double or by 21, or live to decide again."""
    if best > TWENTY_ONE:
        fate = Fate.BUST
    elif play.said[-1] is Said.DOUBLE:
        fate = Fate.DOUBLED
    elif best == TWENTY_ONE:
        fate = Fate.TWENTY_ONE
    else:
        return play
    return Play(play.seat, play.stake_cents, fate, best, play.said)


def _split_card(state: Round, card: Card) -> Round:
    """The second card of a split hand. Aces get no other, and 21 stands by itself."""
    hand = state.hands[state.active]
    cards = (*hand.cards, card)
    best = total(cards).best
    if POINTS[cards[0]] == 1:
        fate = Fate.ONE_CARD
    elif best == TWENTY_ONE:
        fate = Fate.TWENTY_ONE
    else:
        return _with_hand(state, Hand(hand.status, cards, hand.plays), Phase.DECIDE)
    plays = tuple(Play(play.seat, play.stake_cents, fate, best) for play in hand.plays)
    return _next_hand(_with_hand(state, Hand(HandStatus.DONE, cards, plays), state.phase))


def _complete(state: Round, hand: Hand) -> Round:
    """Nobody is live on the active hand: it is dealt on to 21 or bust, whatever was decided."""
    if total(hand.cards).best < TWENTY_ONE:
        return _with_hand(state, Hand(HandStatus.COMPLETING, hand.cards, hand.plays), Phase.CONTINUATION)
    return _next_hand(_with_hand(state, Hand(HandStatus.DONE, hand.cards, hand.plays), state.phase))


def _continued(state: Round, card: Card) -> Round:
    hand = state.hands[state.active]
    continuation = (*hand.continuation, card)
    if total(hand.cards + continuation).best < TWENTY_ONE:
        return _with_hand(state, Hand(hand.status, hand.cards, hand.plays, continuation), Phase.CONTINUATION)
    hand = Hand(HandStatus.DONE, hand.cards, hand.plays, continuation)
    return _next_hand(_with_hand(state, hand, state.phase))


def _next_hand(state: Round) -> Round:
    """The active hand is done: on to the next split hand, or to the dealer."""
    number = state.active + 1
    if number < len(state.hands):
        waiting = state.hands[number]
        state = Round(state.rules, state.bets, state.hands, state.dealer, state.phase, number)
        return _with_hand(state, Hand(HandStatus.PLAYING, waiting.cards, waiting.plays), Phase.SPLIT_CARD)
    phase = Phase.DEALER if _any_open(state) or _original_open(state) else Phase.FINISHED
    return Round(state.rules, state.bets, state.hands, state.dealer, phase, state.active)


def _dealer_card(state: Round, card: Card) -> Round:
    dealer = (*state.dealer, card)
    now = total(dealer)
    hit_soft_17 = now.best == 17 and now.soft and state.rules.dealer_hits_soft_17
    # Against a natural, or with every bet lost, only a dealer blackjack still counts: one card.
    plays_on = not state.natural and _any_open(state) and (now.best < 17 or hit_soft_17)
    phase = Phase.DEALER if plays_on else Phase.FINISHED
    return Round(state.rules, state.bets, state.hands, dealer, phase, state.active)


def _any_open(state: Round) -> bool:
    for hand in state.hands:
        for play in hand.plays:
            if play.open:
                return True
    return False


def _original_open(state: Round) -> bool:
    """A dealer blackjack, if still possible, would give a seat back bets that it has lost."""
    if state.rules.dealer_blackjack_takes is Takes.ALL or not _may_be_natural(state.dealer[0]):
        return False
    return any(state.stakes(seat) > bet_cents for seat, bet_cents in state.bets)


def _may_be_natural(upcard: Card) -> bool:
    """An ace or a ten-valued upcard."""
    return POINTS[upcard] in (1, 10)
