"""Totals of blackjack hands.

An ace counts 11 as long as that does not bust the hand, else 1; the *best* total is the one
that stands. A hand is *soft* while one of its aces counts 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from game.cards import POINTS, Card

TWENTY_ONE = 21


@dataclass(frozen=True, slots=True)
class Total:
    """``best``: the best total, over 21 when bust. ``soft``: an ace in it counts 11."""

    best: int
    soft: bool


# One number per card: points in the low bits, and a bit above all possible sums for an ace, so
# that a single sum tells both the hard total and whether there is an ace.
_ACE_BIT = 1 << 12
_code = tuple(points + _ACE_BIT * (points == 1) for points in POINTS).__getitem__

_HARD = tuple(Total(best, False) for best in range(32))
_SOFT = tuple(Total(hard + 10, True) for hard in range(12))


def total(cards: Sequence[Card]) -> Total:
    """The best total of the cards, in any order; ``Total(0, False)`` of none."""
    code = sum(map(_code, cards))
    hard = code % _ACE_BIT
    if code >= _ACE_BIT and hard <= 11:
        return _SOFT[hard]
    return _HARD[hard] if hard < len(_HARD) else Total(hard, False)


def is_natural(cards: Sequence[Card]) -> bool:
    """An ace and a ten-valued card, and nothing else.

    Whether such a hand is a blackjack is not in the cards: after a split it is just 21.
    """
    return len(cards) == 2 and total(cards).best == TWENTY_ONE
