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

# Shoes walked at a time: small enough for all columns of a walk to stay in a processor's cache.
_CHUNK = 2048


@dataclass(frozen=True, slots=True)
class _Node:
    """One more card of ``rank``, of which ``before`` lie in the set already, as card ``depth`` (from 1).

    ``orders`` is 0 while the set is no finished hand.
    """

    depth: int
    rank: int
    before: int
    orders: float
    outcome: int


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
    laws = np.zeros((len(left), OUTCOMES))
    nodes = _walk(upcard, hits_soft_17)
    for start in range(0, len(left), _CHUNK):
        laws[start : start + _CHUNK] = _laws_of_chunk(left[start : start + _CHUNK], nodes)
    return laws


def _laws_of_chunk(left: Ints, nodes: tuple[_Node, ...]) -> Floats:
    deepest = max(node.depth for node in nodes)
    most = max(node.before for node in nodes) + 1
    cards = left.sum(axis=1).astype(np.float64)
    # [rank][before]: cards of the rank that are left when so many of them have been drawn.
    columns = [
        [(left[:, rank] - before).astype(np.float64) for before in range(most)] for rank in range(RANK_COUNT)
    ]
    orders = np.ones(len(left))
    ways = [orders] + [np.empty(len(left)) for _ in range(deepest)]
    sums = np.zeros((deepest + 1, OUTCOMES, len(left)))
    term = np.empty(len(left))
    for node in nodes:
        way = ways[node.depth]
        np.multiply(ways[node.depth - 1], columns[node.rank][node.before], out=way)
        if node.orders:
            np.multiply(way, node.orders, out=term)
            sums[node.depth, node.outcome] += term
    laws = np.zeros((len(left), OUTCOMES))
    all_orders = orders.copy()
    for depth in range(1, deepest + 1):
        all_orders *= cards - (depth - 1)
        laws += (sums[depth] / all_orders).T
    return laws


@lru_cache(maxsize=2 * RANK_COUNT)  # every upcard under both rules for soft 17
def _walk(upcard: int, hits_soft_17: bool) -> tuple[_Node, ...]:
    """The finished sets as a tree whose branches are sorted by rank, in the order of a walk."""
    finished = _finished(upcard, hits_soft_17)
    words = sorted(
        ([rank for rank in range(RANK_COUNT) for _ in range(drawn[rank])], orders, outcome)
        for drawn, (orders, outcome) in finished.items()
    )
    nodes: list[_Node] = []
    path: list[int] = []
    for word, orders, outcome in words:
        shared = 0
        while shared < min(len(path), len(word)) and path[shared] == word[shared]:
            shared += 1
        for place in range(shared, len(word)):
            last = place == len(word) - 1
            before = word[:place].count(word[place])
            nodes.append(
                _Node(place + 1, word[place], before, float(orders) if last else 0.0, outcome if last else 0)
            )
        path = word
    return tuple(nodes)


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
