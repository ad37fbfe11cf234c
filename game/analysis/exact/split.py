"""The joint law of the two hands of a split pair and the dealer, counted without replacement.

A way for a hand to end is a set of drawn cards, a stake, and the number of orders that lead there
under the chart (``Ends``). For two ends the dealer's law and the probability of one order of their
cards (falling factorials) need only the sum of both sets, so everything is worked out once per sum.
Ends that bust a single stake are by far the most, and need no list: what the law of one hand has
beyond all its listed pairs is paired with such a bust.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from game.analysis.exact.dealer import OUTCOMES, RANK_COUNT, Floats, Ints, dealer_laws, full_shoe
from game.analysis.exact.play import DOUBLE, HIT, STAND, doubled, spread
from game.analysis.exact.states import OddsTable

# A *class* is a stake and a total: single stakes on 4..21 and bust, then double stakes on the same.
TOTALS = 19
BUST_ONE = TOTALS - 1
BUST_TWO = 2 * TOTALS - 1
CLASSES = 2 * TOTALS

# Bits of the count of one rank in the code of a set: two hands have 40 cards at most between them.
_BITS = 6
_UNITS = np.left_shift(1, _BITS * np.arange(RANK_COUNT))


@dataclass(frozen=True, slots=True)
class Ends:
    """How one split hand can end under one upcard, single-stake busts left out; one entry per end."""

    code: Ints  # the set of cards drawn to the split card
    kind: Ints  # class
    orders: Floats


class SplitHands:
    """The split hands of one chart, given as the actions of all states."""

    def __init__(self, table: OddsTable, actions: Ints) -> None:
        self._table = table
        self._actions = actions
        one = np.ones_like(table.draw)
        start = np.zeros_like(table.stand)
        start[table.hands.root] = 1.0
        self._orders = spread(table, start, actions == HIT, one)
        self._double = np.where(actions == DOUBLE, self._orders, 0.0)
        self._doubled = doubled(table, self._double, one)
        self._codes = table.hands.own @ _UNITS

    def joint(self, rank: int, up: int) -> Floats:
        """(class, class, outcome) of both hands and the dealer, given the pair and the upcard."""
        left = full_shoe(self._table.odds.decks)
        left[rank] -= 2
        left[up] -= 1
        ends = self.ends(rank, up)
        first, second = np.triu_indices(len(ends.code))
        sums, place = np.unique(ends.code[first] + ends.code[second], return_inverse=True)
        # One walk for all sets: of no card, of one hand, of both. A walk costs much even for one set.
        codes = np.concatenate([[0], ends.code, sums])
        chance, law = _laws(codes, left, up, self._table.odds.hits_soft_17)
        one, both = slice(1, 1 + len(ends.code)), 1 + len(ends.code) + place
        marginal = np.zeros((CLASSES, OUTCOMES))
        np.add.at(marginal, ends.kind, (ends.orders * chance[one])[:, None] * law[one])
        # Each pair of different ends stands for both of its orders, which are added by the transposition.
        weight = ends.orders[first] * ends.orders[second] * chance[both] * np.where(first == second, 0.5, 1.0)
        half = _pairs(ends.kind[first] * CLASSES + ends.kind[second], weight, law, both)
        joint = half + half.transpose(1, 0, 2)
        with_bust = marginal - joint.sum(axis=1)
        joint[BUST_ONE] = with_bust
        joint[:, BUST_ONE] = with_bust
        joint[BUST_ONE, BUST_ONE] = law[0] - marginal.sum(axis=0) - with_bust.sum(axis=0)
        # Differences of equal numbers may come out some 1e-17 below 0.
        return np.maximum(joint, 0.0)

    def ends(self, rank: int, up: int) -> Ends:
        """The listed ends of a hand that grew from one card of the pair."""
        hands = self._table.hands
        mine = hands.context == rank
        total = hands.best - 4
        stood = np.nonzero(mine & (self._actions[:, up] == STAND) & (self._orders[:, up] > 0))[0]
        twice = np.nonzero(mine & (self._doubled[:, up] > 0))[0]
        broke, card = np.nonzero((mine & (self._double[:, up] > 0))[:, None] & hands.bust)
        code = np.concatenate([self._codes[stood], self._codes[twice], self._codes[broke] + _UNITS[card]])
        kind = np.concatenate([total[stood], TOTALS + total[twice], np.full(len(broke), BUST_TWO)])
        orders = np.concatenate([self._orders[stood, up], self._doubled[twice, up], self._double[broke, up]])
        return Ends(code - _UNITS[rank], kind, orders)


def _pairs(kinds: Ints, weight: Floats, law: Floats, place: Ints) -> Floats:
    """(class, class, outcome) sums over pairs: their classes, weights, and places of their laws."""
    joint = np.empty((CLASSES, CLASSES, OUTCOMES))
    for outcome in range(OUTCOMES):
        flat = np.bincount(kinds, weight * law[place, outcome], CLASSES * CLASSES)
        joint[:, :, outcome] = flat.reshape(CLASSES, CLASSES)
    return joint


def _laws(codes: Ints, left: Ints, up: int, hits_soft_17: bool) -> tuple[Floats, Floats]:
    """For each set of cards: the probability of one order of it, and the dealer's law without it."""
    sets = (codes[:, None] >> (_BITS * np.arange(RANK_COUNT))) & ((1 << _BITS) - 1)
    chance = np.ones(len(codes))
    for rank in range(RANK_COUNT):
        chance *= _falling(int(left[rank]), int(sets[:, rank].max(initial=0)))[sets[:, rank]]
    drawn = sets.sum(axis=1)
    chance /= _falling(int(left.sum()), int(drawn.max(initial=0)))[drawn]
    # Sets that the decks do not have: their chance is 0, their law only must be a number.
    return chance, dealer_laws(np.maximum(left - sets, 0), up, hits_soft_17)


def _falling(cards: int, most: int) -> Floats:
    """``cards * (cards - 1) * ...`` with 0 .. ``most`` factors."""
    factors = cards - np.arange(most, dtype=np.float64)
    return np.concatenate([[1.0], np.cumprod(factors)])
