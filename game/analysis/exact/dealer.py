"""How the dealer ends, exactly, for many shoes at once.

For an upcard the finished dealer hands are a few hundred to two thousand *sets* of further cards, each
with the number of orders in which it can be drawn without the dealer stopping early. The probability
of a set is that number times a product of falling factorials of the cards left, so one walk over a
tree of sets serves any number of shoes: each node is one product of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

# Ranks and upcards are numbered by points less one: 0 is the ace, 9 every ten-valued card.
RANK_COUNT = 10
ACE, TEN = 0, 9

# Outcomes: 0..4 are the totals 17..21 (a two-card 21 left out), then the last two.
DEALER_BUST = 5
DEALER_NATURAL = 6
OUTCOMES = 7
OUTCOME_NAMES = ("17", "18", "19", "20", "21", "bust", "blackjack")

# Shoes worked at a time: few enough for the products of a level to stay in a processor's cache.
_CHUNK = 128

# No dealer draws more cards of one rank than this: ten aces to a deuce or an ace, then one of another kind.
_MOST_OF_A_RANK = 11


@dataclass(frozen=True, slots=True)
class _Level:
    """The sets of so many cards in the tree, each one card longer than a set of the level before.

    ``factor``: which of the columns (rank, cards of it drawn before) that card multiplies by.
    ``orders`` (outcome, set): in how many orders a finished set is drawn, under its outcome.
    """

    parent: Ints
    factor: Ints
    orders: Floats


def full_shoe(decks: int) -> Ints:
    """Cards of each rank in a fresh shoe."""
    shoe = np.full(RANK_COUNT, 4 * decks, dtype=np.int64)
    shoe[TEN] = 16 * decks
    return shoe


def hole_rank(upcard: int) -> int | None:
    """The rank that makes a dealer blackjack with this upcard; None for the others."""
    return {ACE: TEN, TEN: ACE}.get(upcard)


def dealer_laws(left: Ints, upcard: int, hits_soft_17: bool) -> Floats:
    """The law of the dealer's end for each shoe: shape (shoes, OUTCOMES), rows sum to 1.

    ``left`` has shape (shoes, RANK_COUNT): the cards not yet seen, the upcard taken out.
    """
    levels = _levels(upcard, hits_soft_17)
    laws = np.empty((len(left), OUTCOMES))
    for start in range(0, len(left), _CHUNK):
        laws[start : start + _CHUNK] = _laws_of_chunk(left[start : start + _CHUNK], levels)
    return laws


def _laws_of_chunk(left: Ints, levels: tuple[_Level, ...]) -> Floats:
    cards = left.sum(axis=1).astype(np.float64)
    columns = (left.T[:, None, :] - np.arange(_MOST_OF_A_RANK)[:, None]).astype(np.float64)
    columns = columns.reshape(RANK_COUNT * _MOST_OF_A_RANK, len(left))
    ways, all_orders = np.ones((1, len(left))), np.ones(len(left))
    laws = np.zeros((OUTCOMES, len(left)))
    for depth, level in enumerate(levels):
        ways = ways[level.parent] * columns[level.factor]
        all_orders *= cards - depth
        laws += level.orders @ ways / all_orders
    return laws.T


@lru_cache(maxsize=2 * RANK_COUNT)  # every upcard under both rules for soft 17
def _levels(upcard: int, hits_soft_17: bool) -> tuple[_Level, ...]:
    """The finished sets and their beginnings, in the order of their ranks, as a tree."""
    finished = {
        tuple(rank for rank in range(RANK_COUNT) for _ in range(drawn[rank])): end
        for drawn, end in _finished(upcard, hits_soft_17).items()
    }
    words = {word[:size] for word in finished for size in range(1, len(word) + 1)}
    levels: list[_Level] = []
    places: dict[tuple[int, ...], int] = {(): 0}
    for size in range(1, max(map(len, words)) + 1):
        here = sorted(word for word in words if len(word) == size)
        orders = np.zeros((OUTCOMES, len(here)))
        for place, word in enumerate(here):
            if word in finished:
                count, outcome = finished[word]
                orders[outcome, place] = count
        levels.append(
            _Level(
                parent=np.array([places[word[:-1]] for word in here], dtype=np.int64),
                factor=np.array(
                    [word[-1] * _MOST_OF_A_RANK + word[:-1].count(word[-1]) for word in here], dtype=np.int64
                ),
                orders=orders,
            )
        )
        places = {word: place for place, word in enumerate(here)}
    return tuple(levels)


def _finished(upcard: int, hits_soft_17: bool) -> dict[tuple[int, ...], tuple[int, int]]:
    """Every set of cards that ends the dealer's hand: its orders and its outcome."""
    finished: dict[tuple[int, ...], tuple[int, int]] = {}
    open_hands: dict[tuple[int, ...], int] = {(0,) * RANK_COUNT: 1}
    cards = 1
    while open_hands:
        cards += 1
        longer: dict[tuple[int, ...], int] = {}
        for drawn, orders in open_hands.items():
            for rank in range(RANK_COUNT):
                after = (*drawn[:rank], drawn[rank] + 1, *drawn[rank + 1 :])
                points = upcard + 1 + sum((other + 1) * count for other, count in enumerate(after))
                soft = (upcard == ACE or after[ACE] > 0) and points + 10 <= 21
                best = points + 10 if soft else points
                if best < 17 or (best == 17 and soft and hits_soft_17):
                    longer[after] = longer.get(after, 0) + orders
                    continue
                natural = best == 21 and cards == 2
                outcome = DEALER_NATURAL if natural else DEALER_BUST if best > 21 else best - 17
                finished[after] = (finished.get(after, (0, 0))[0] + orders, outcome)
        open_hands = longer
    return finished
