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


# One number per card: points, an ace as 1, and for an ace a bit above all sums of points, so that
# a single sum tells both the hard total and whether there is an ace.
_ACE_BIT = 1 << 12
_code = tuple(points + _ACE_BIT * (points == 1) for points in POINTS).__getitem__


def _read(code: int) -> Total:
    """The best total of a sum of codes."""
    hard = code % _ACE_BIT
    soft = code >= _ACE_BIT and hard + 10 <= TWENTY_ONE
    return Total(hard + 10, True) if soft else Total(hard, False)


# Every sum that a hand can have, with up to 21 aces and one card beyond 21.
_KNOWN = {aces * _ACE_BIT + hard: _read(aces * _ACE_BIT + hard) for aces in range(22) for hard in range(32)}


def total(cards: Sequence[Card]) -> Total:
    """The best total of the cards, in any order; ``Total(0, False)`` of none."""
    code = sum(map(_code, cards))
    return _KNOWN.get(code) or _read(code)


def is_natural(cards: Sequence[Card]) -> bool:
    """An ace and a ten-valued card, and nothing else.

    Whether such a hand is a blackjack is not in the cards: after a split it is just 21.
    """
    return len(cards) == 2 and total(cards).best == TWENTY_ONE
