"""The theorem that makes the game, tried out: what seats say never changes the dealer's cards.

For an order of the shoe and one of the three ways to deal a pair (nobody, everybody, somebody splits),
several tables of seats say at random HIT, STAND or DOUBLE wherever they are asked. The cards that the
dealer draws, or would draw if a bet were open, have to be the same for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import default_rng

from game.analysis.simulate.jit import compiled
from game.analysis.simulate.job import make_deck, stream
from game.analysis.simulate.kernel import (
    CHOICES,
    DOUBLE,
    HIT,
    MORE_STATES,
    NATURAL,
    SEAT_ROWS,
    SPLIT,
    STAND,
    STATES,
    Bytes,
    Deck,
    Ints,
    Words,
    next_word,
    play_hands,
)
from game.analysis.simulate.rounds import dealer_cards
from game.rules import Rules

# Random tables of decisions to choose from, per way to deal a pair.
TABLES = 2048
WAYS = 3

# Places in the counts of the compiled loop.
_TRIALS, _CHANGED, _BY_SPLITS, _LAW_WIDTH = range(4)


@dataclass(frozen=True, slots=True)
class Trials:
    """``trials`` comparisons of one table of decisions with another, ``changed`` with other dealer cards.

    ``changed_by_splits`` counts orders on which two ways to deal the pair gave the dealer other cards:
    proof that a difference is seen when there is one.
    """

    rounds: int
    trials: int
    changed: int
    changed_by_splits: int


def try_decisions(rules: Rules, rounds: int, seed: int, seats: int = 3, tables: int = 3) -> Trials:
    """``rounds`` orders of the shoe, each with so many tables of ``seats`` seats for each way to split."""
    counts = np.zeros(_LAW_WIDTH, np.int64)
    _try(
        rounds,
        tables,
        seats,
        int(rules.dealer_hits_soft_17),
        make_deck(rules, stream(seed, 0)),
        stream(seed, 1),
        random_tables(seed),
        np.zeros((SEAT_ROWS, seats), np.int64),
        np.zeros((seats, CHOICES), np.int64),
        np.zeros((WAYS, 64), np.int64),
        counts,
    )
    trials, changed, by_splits = counts.tolist()
    return Trials(rounds, trials, changed, by_splits)


def random_tables(seed: int) -> Bytes:
    """Decisions at random, (WAYS, TABLES, 10 * STATES): never split, always, and in turn."""
    chance = default_rng(seed)
    said = chance.choice(np.array([HIT, STAND], np.uint8), (WAYS, TABLES, 10, STATES))
    two = said[..., :MORE_STATES]
    two[chance.random(two.shape) < 1 / 3] = DOUBLE
    pairs = np.arange(10) * 11
    said[1][..., pairs] = SPLIT
    said[2, ::2][..., pairs] = SPLIT
    return said.reshape(WAYS, TABLES, 10 * STATES)


@compiled
def _try(
    rounds: int,
    tables: int,
    seats_count: int,
    hits_soft_17: int,
    deck: Deck,
    words: Words,
    said_by: Bytes,
    seats: Ints,
    said: Ints,
    would: Ints,
    counts: Ints,
) -> None:
    shoe, place = deck.shoe, deck.place
    for _ in range(rounds):
        place[0] = 0
        place[1] = 0
        ways = 1
        for way in range(WAYS):
            if way >= ways:
                break
            for table in range(tables):
                place[0] = 0
                first: Any = np.int64(next_word(words) % np.uint64(TABLES - seats_count))
                pattern, _continued = play_hands(deck, seats, said, said_by[way, first : first + seats_count])
                if pattern == NATURAL:
                    break
                if shoe[0] == shoe[1]:
                    ways = WAYS
                at = place[0]
                upcard: Any = np.int64(shoe[2])
                dealer_cards(deck, upcard, hits_soft_17, 0)
                if table == 0:
                    _note(would[way], shoe, at, place[0])
                else:
                    counts[_TRIALS] += 1
                    counts[_CHANGED] += _differs(would[way], shoe, at, place[0])
        if ways == WAYS:
            counts[_BY_SPLITS] += _other(would[0], would[1]) or _other(would[0], would[2])


@compiled
def _note(would: Ints, shoe: Bytes, start: int, end: int) -> None:
    """Keeps the cards of the dealer: how many, then each."""
    would[0] = end - start
    for place in range(start, end):
        would[1 + place - start] = shoe[place]


@compiled
def _differs(would: Ints, shoe: Bytes, start: int, end: int) -> bool:
    """The dealer's cards are not those that were kept."""
    same = would[0] == end - start
    for place in range(start, end):
        same &= would[1 + place - start] == shoe[place]
    return not same


@compiled
def _other(one: Ints, two: Ints) -> bool:
    """Two kept sets of cards differ."""
    same = True
    for place in range(one[0] + 1):
        same &= bool(one[place] == two[place])
    return not same
