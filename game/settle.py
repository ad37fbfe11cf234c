"""What each bet of a finished round becomes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from game.hand import TWENTY_ONE, is_natural, total
from game.play import Fate, Play
from game.round import Phase, Round
from game.rules import Rules, Takes


class Outcome(StrEnum):
    """The result of one bet, as the seat sees it."""

    WIN = "win"
    PUSH = "push"  # the stake comes back
    LOSE = "lose"
    BUST = "bust"
    BLACKJACK = "blackjack"


@dataclass(frozen=True, slots=True)
class HandResult:
    """The bet of a seat on a hand. ``returned_cents`` includes what comes back of the stake."""

    seat: int
    hand: int
    stake_cents: int
    returned_cents: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Settlement:
    """One result per seat and hand, by seat, then by hand."""

    hands: tuple[HandResult, ...]

    def result(self, seat: int, hand: int) -> HandResult | None:
        """The result of a seat on a hand; None if it had no bet there."""
        for result in self.hands:
            if result.seat == seat and result.hand == hand:
                return result
        return None

    def staked_cents(self, seat: int) -> int:
        """Everything the seat had at risk."""
        return sum(result.stake_cents for result in self.hands if result.seat == seat)

    def returned_cents(self, seat: int) -> int:
        """Everything that goes to the seat's credit."""
        return sum(result.returned_cents for result in self.hands if result.seat == seat)

    def net_cents(self, seat: int) -> int:
        """What the round won the seat; negative when it lost."""
        return self.returned_cents(seat) - self.staked_cents(seat)


def settle(state: Round) -> Settlement:
    """The results of a finished round, in whole cents. Raises ValueError before its end."""
    if state.phase is not Phase.FINISHED:
        raise ValueError(f"a round in phase {state.phase} cannot be settled")
    dealer = total(state.dealer).best
    # With one card the dealer had nothing to beat or to save: no total of his is looked at.
    natural = is_natural(state.dealer)
    original = natural and state.rules.dealer_blackjack_takes is Takes.ORIGINAL
    results: list[HandResult] = []
    for seat, bet_cents in state.bets:
        owed_cents = bet_cents  # what a dealer blackjack still has to take from this seat
        for number, hand in enumerate(state.hands):
            play = hand.play(seat)
            if play is None or play.fate is Fate.SPLIT:
                continue
            if original and play.fate is not Fate.BLACKJACK:
                results.append(_original_taken(play, number, owed_cents))
                owed_cents = 0
            else:
                results.append(_result(play, number, dealer, natural, state.rules))
    return Settlement(tuple(results))


def _original_taken(play: Play, number: int, owed_cents: int) -> HandResult:
    """A dealer blackjack that costs the original bet, which lies on the seat's first hand."""
    lost = Outcome.BUST if play.fate is Fate.BUST else Outcome.LOSE
    outcome = lost if owed_cents else Outcome.PUSH
    return HandResult(play.seat, number, play.stake_cents, play.stake_cents - owed_cents, outcome)


def _result(play: Play, number: int, dealer: int, dealer_natural: bool, rules: Rules) -> HandResult:
    stake_cents = play.stake_cents
    if play.fate is Fate.BUST:
        outcome, returned_cents = Outcome.BUST, 0
    elif play.fate is Fate.BLACKJACK and not dealer_natural:
        outcome, returned_cents = Outcome.BLACKJACK, stake_cents + rules.blackjack_win_cents(stake_cents)
    elif dealer_natural and play.fate is not Fate.BLACKJACK:
        outcome, returned_cents = Outcome.LOSE, 0
    elif dealer > TWENTY_ONE or play.total > dealer:
        outcome, returned_cents = Outcome.WIN, 2 * stake_cents
    elif play.total == dealer:
        outcome, returned_cents = Outcome.PUSH, stake_cents
    else:
        outcome, returned_cents = Outcome.LOSE, 0
    return HandResult(play.seat, number, stake_cents, returned_cents, outcome)
