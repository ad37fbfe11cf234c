"""The moves of a round: what a card, or the last decision, makes of the hands.

Each step takes the round as it is and returns the parts that change: hands, dealer's cards, phase
and active hand. The order of play is in ``game.round``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from game.cards import POINTS, Card
from game.hand import TWENTY_ONE, is_natural, total
from game.needs import Phase
from game.play import Fate, Hand, HandStatus, Play, Said
from game.rules import Rules, Takes

Hands: TypeAlias = tuple[Hand, ...]
Parts: TypeAlias = tuple[Hands, tuple[Card, ...], Phase, int]


class RoundState(Protocol):
    """What a step looks at: the round as it is (``game.round.Round``)."""

    @property
    def rules(self) -> Rules: ...
    @property
    def bets(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def hands(self) -> Hands: ...
    @property
    def dealer(self) -> tuple[Card, ...]: ...
    @property
    def active(self) -> int: ...


# Looked up once: on Python 3.11 the member of an enum costs as much as a call, and simulations
# play millions of rounds.
_LIVE = Fate.LIVE
_BUST = Fate.BUST
_HIT = Said.HIT
_STAND = Said.STAND
_TIME = Said.TIME
_DOUBLE = Said.DOUBLE
_SPLIT = Said.SPLIT
_DECIDE = Phase.DECIDE
_DRAW = Phase.DRAW
_CONTINUATION = Phase.CONTINUATION
_DEALER = Phase.DEALER
_FINISHED = Phase.FINISHED


def close(state: RoundState, hand: Hand) -> Parts:
    """Every seat has decided on the active hand, here with all their words."""
    asked = False
    for play in hand.plays:
        if play.fate is _LIVE:
            if play.said[-1] is _SPLIT:
                return _split(state, hand)
            asked = True
    if asked:
        return _put(state.hands, state.active, hand), state.dealer, _DRAW, state.active
    return _complete(state, state.hands, hand)


def speak(play: Play, said: Said, cards: tuple[Card, ...]) -> Play:
    """The play after one word on these cards. Standing is final; the rest waits for a card."""
    words = (*play.said, said)
    if said is _HIT:
        return Play(play.seat, play.stake_cents, _LIVE, 0, words)
    if said is _STAND:
        return Play(play.seat, play.stake_cents, Fate.STOOD, total(cards).best, words)
    if said is _TIME:
        return Play(play.seat, play.stake_cents, Fate.TIMED_OUT, total(cards).best, words)
    # DOUBLE or SPLIT: a second bet, equal to the first.
    return Play(play.seat, 2 * play.stake_cents, _LIVE, 0, words)


def _dealt(state: RoundState, card: Card) -> Parts:
    """One of the first two cards."""
    hand = state.hands[0]
    cards = (*hand.cards, card)
    phase = Phase.UPCARD if len(cards) == 2 else Phase.DEAL
    return (Hand(hand.status, cards, hand.plays),), (), phase, 0


def _upcard(state: RoundState, card: Card) -> Parts:
    """The dealer's first card. On a natural only a dealer who may have one too takes another."""
    hand = state.hands[0]
    if not is_natural(hand.cards):
        return state.hands, (card,), _DECIDE, 0
    plays = tuple(Play(play.seat, play.stake_cents, Fate.BLACKJACK, TWENTY_ONE) for play in hand.plays)
    phase = _DEALER if _may_be_natural(card) else _FINISHED
    return (Hand(HandStatus.DONE, hand.cards, plays),), (card,), phase, 0


def _drawn(state: RoundState, card: Card) -> Parts:
    """The shared card of those who hit or doubled."""
    hand = state.hands[state.active]
    cards = (*hand.cards, card)
    best = total(cards).best
    plays = tuple([_after_draw(play, best) if play.fate is _LIVE else play for play in hand.plays])
    hand = Hand(hand.status, cards, plays)
    for play in plays:
        if play.fate is _LIVE:
            return _put(state.hands, state.active, hand), state.dealer, _DECIDE, state.active
    return _complete(state, state.hands, hand)


def _after_draw(play: Play, best: int) -> Play:
    """A play that took the card: bust, finished by its double or by 21, or live to decide again."""
    if best > TWENTY_ONE:
        fate = _BUST
    elif play.said[-1] is _DOUBLE:
        fate = Fate.DOUBLED
    elif best == TWENTY_ONE:
        fate = Fate.TWENTY_ONE
    else:
        return play
    return Play(play.seat, play.stake_cents, fate, best, play.said)


def _split(state: RoundState, pair: Hand) -> Parts:
    """Seats that split leave the pair for two hands of one card each; the others play the pair first."""
    leaving = [play.seat for play in pair.plays if play.said[-1] is _SPLIT]
    bets = tuple(Play(seat, bet_cents) for seat, bet_cents in state.bets if seat in leaving)
    first, second = (Hand(HandStatus.WAITING, (card,), bets) for card in pair.cards)
    kept = tuple(
        Play(play.seat, 0, Fate.SPLIT, 0, play.said) if play.seat in leaving else play for play in pair.plays
    )
    pair = Hand(pair.status, pair.cards, kept)
    hands = (pair, first, second)
    if not pair.owners:
        return _done(state, hands, pair)
    if any(play.fate is _LIVE for play in kept):
        return hands, state.dealer, _DRAW, 0
    return _complete(state, hands, pair)


def _split_card(state: RoundState, card: Card) -> Parts:
    """The second card of a split hand. Aces get no other, and 21 stands by itself."""
    hand = state.hands[state.active]
    cards = (*hand.cards, card)
    best = total(cards).best
    if POINTS[cards[0]] == 1:
        fate = Fate.ONE_CARD
    elif best == TWENTY_ONE:
        fate = Fate.TWENTY_ONE
    else:
        hands = _put(state.hands, state.active, Hand(hand.status, cards, hand.plays))
        return hands, state.dealer, _DECIDE, state.active
    plays = tuple(Play(play.seat, play.stake_cents, fate, best) for play in hand.plays)
    return _done(state, state.hands, Hand(hand.status, cards, plays))


def _continued(state: RoundState, card: Card) -> Parts:
    """A continuation card."""
    hand = state.hands[state.active]
    continuation = (*hand.continuation, card)
    if total(hand.cards + continuation).best >= TWENTY_ONE:
        return _done(state, state.hands, hand, continuation)
    hand = Hand(hand.status, hand.cards, hand.plays, continuation)
    return _put(state.hands, state.active, hand), state.dealer, _CONTINUATION, state.active


def _complete(state: RoundState, hands: Hands, hand: Hand) -> Parts:
    """Nobody is live on the active hand: it is dealt on to 21 or bust, whatever was decided."""
    if total(hand.cards).best >= TWENTY_ONE:
        return _done(state, hands, hand)
    completing = Hand(HandStatus.COMPLETING, hand.cards, hand.plays)
    return _put(hands, state.active, completing), state.dealer, _CONTINUATION, state.active


def _done(state: RoundState, hands: Hands, hand: Hand, continuation: tuple[Card, ...] = ()) -> Parts:
    """The active hand is finished: on to the next split hand, or to the dealer."""
    number = state.active + 1
    hands = _put(hands, state.active, Hand(HandStatus.DONE, hand.cards, hand.plays, continuation))
    if number < len(hands):
        waiting = hands[number]
        playing = Hand(HandStatus.PLAYING, waiting.cards, waiting.plays)
        return _put(hands, number, playing), state.dealer, Phase.SPLIT_CARD, number
    phase = _DEALER if _any_open(hands) or _original_open(state, hands) else _FINISHED
    return hands, state.dealer, phase, state.active


def _dealer_card(state: RoundState, card: Card) -> Parts:
    """Against a natural, or with every bet lost, only a dealer blackjack still counts: one card."""
    dealer = (*state.dealer, card)
    now = total(dealer)
    plays_on = now.best < 17 or (now.best == 17 and now.soft and state.rules.dealer_hits_soft_17)
    if plays_on and (state.hands[0].plays[0].fate is Fate.BLACKJACK or not _any_open(state.hands)):
        plays_on = False
    return state.hands, dealer, _DEALER if plays_on else _FINISHED, state.active


# By the phase that needs a card.
STEPS: dict[Phase, Callable[[RoundState, Card], Parts]] = {
    Phase.DEAL: _dealt,
    Phase.UPCARD: _upcard,
    Phase.DRAW: _drawn,
    Phase.SPLIT_CARD: _split_card,
    Phase.CONTINUATION: _continued,
    Phase.DEALER: _dealer_card,
}


def _put(hands: Hands, number: int, hand: Hand) -> Hands:
    """The hands with one of them exchanged."""
    return (hand,) if len(hands) == 1 else (*hands[:number], hand, *hands[number + 1 :])


def _any_open(hands: Hands) -> bool:
    """The dealer's cards decide some bet."""
    for hand in hands:
        for play in hand.plays:
            if play.fate is not _BUST and play.fate is not Fate.SPLIT:
                return True
    return False


def _original_open(state: RoundState, hands: Hands) -> bool:
    """Every bet is lost, but a dealer blackjack, if still possible, would give a seat bets back."""
    if state.rules.dealer_blackjack_takes is Takes.ALL or not _may_be_natural(state.dealer[0]):
        return False
    lost_cents = sum(play.stake_cents for hand in hands for play in hand.plays)
    return lost_cents > sum(bet_cents for _, bet_cents in state.bets)


def _may_be_natural(upcard: Card) -> bool:
    """An ace or a ten-valued upcard."""
    return POINTS[upcard] in (1, 10)
