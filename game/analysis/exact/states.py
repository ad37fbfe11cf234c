"""Every hand that a player can hold, as one table of columns, and what is drawn and lost on it.

A *state* is the set of cards of one hand in one *context*: the hand of a round without a split, or a
hand that grew from one card of a split pair of some rank, where the other card of the pair is known
to be gone. All columns have one entry per state, most of them one more per upcard.

Order does not matter in a hand, and cards that nobody has looked at are as good as undealt, so a
state says all that a player can use who looks only at his own hand and at the upcard.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np

from game.analysis.exact.dealer import (
    ACE,
    DEALER_BUST,
    DEALER_NATURAL,
    OUTCOMES,
    RANK_COUNT,
    Bools,
    Floats,
    Ints,
    dealer_laws,
    full_shoe,
    hole_rank,
)
from game.rules import SPLIT_RANKS, Rules, Takes

# The context of hands that did not come from a split; others are the rank of the split pair.
WHOLE = -1

# Cells of a chart by total: hard 4..20, then soft 12..20.
HARD_CELLS = 17
TOTAL_CELLS = HARD_CELLS + 9


@dataclass(frozen=True, slots=True)
class Odds:
    """What the mathematics takes from ``Rules``: limits, steps and seconds are left out.

    ``splits[rank]``: the pair may be split. ``doubles`` are hard totals, or "any".
    """

    decks: int
    hits_soft_17: bool
    doubles: tuple[int, ...] | Literal["any"]
    after_split: bool
    splits: tuple[bool, ...]
    takes_all: bool
    pays: tuple[int, int]

    @classmethod
    def of(cls, rules: Rules) -> Odds:
        """The part of a rule set that decides about odds."""
        return cls(
            rules.decks,
            rules.dealer_hits_soft_17,
            rules.double_totals,
            rules.double_after_split,
            tuple(rank in rules.splittable for rank in SPLIT_RANKS),
            rules.dealer_blackjack_takes is Takes.ALL,
            rules.pays,
        )


@dataclass(frozen=True, slots=True)
class HandStates:
    """The states themselves, by number of cards: ``levels[k]`` are those of k cards. n states.

    ``children[s, rank]`` is the state after one more card, ``parents[s, rank]`` the one before it;
    n stands for none. A child that is bust, or of a hand that may not be hit, is none. ``bust[s,
    rank]``: that card busts it. ``pair``: the rank of a dealt pair, else -1.
    """

    own: Ints  # (n, rank) cards of the hand
    context: Ints
    best: Ints
    soft: Bools
    levels: tuple[slice, ...]
    children: Ints
    parents: Ints
    bust: Bools
    pair: Ints
    natural: Bools  # a dealt ace and ten
    root: Ints  # by rank: the state of one card of a split pair

    @property
    def cells(self) -> Ints:
        """The chart's cell of each state by its total; -1 where nothing is to be decided."""
        cells = np.where(self.soft, HARD_CELLS + self.best - 12, self.best - 4)
        return np.where(self.decided, cells, -1)

    @property
    def decided(self) -> Bools:
        """A decision is due: two cards or more, below 21, no split ace."""
        decided: Bools = (self.own.sum(axis=1) >= 2) & (self.best < 21) & (self.context != ACE)
        return decided


def _sets(most_points: int, first: int, cards: list[int]) -> list[tuple[int, ...]]:
    """All sets of ranks from ``first`` on with at most so many points, aces as 1, each with ``cards``."""
    found = [tuple(cards)]
    for rank in range(first, RANK_COUNT):
        if rank + 1 <= most_points:
            cards[rank] += 1
            found += _sets(most_points - rank - 1, rank, cards)
            cards[rank] -= 1
    return found


def _entries() -> list[tuple[int, tuple[int, ...]]]:
    """Context and cards of every state, ascending by the number of cards."""
    sets = _sets(21, 0, [0] * RANK_COUNT)
    entries = [(WHOLE, cards) for cards in sets if sum(cards) >= 2]
    for rank in range(RANK_COUNT):
        most_cards = 2 if rank == ACE else 21
        entries += [(rank, cards) for cards in sets if cards[rank] and sum(cards) <= most_cards]
    return sorted(entries, key=lambda entry: sum(entry[1]))


@lru_cache(maxsize=1)  # there is only one
def all_hands() -> HandStates:
    """The table of states: the same for every rule set, also where a few decks lack the cards."""
    entries = _entries()
    places = {entry: place for place, entry in enumerate(entries)}
    none = len(entries)
    own = np.array([cards for _, cards in entries], dtype=np.int64)
    context = np.array([context for context, _ in entries], dtype=np.int64)
    children = np.full((none, RANK_COUNT), none, dtype=np.int64)
    parents = np.full((none, RANK_COUNT), none, dtype=np.int64)
    for place, (where, cards) in enumerate(entries):
        for rank in range(RANK_COUNT):
            more = (*cards[:rank], cards[rank] + 1, *cards[rank + 1 :])
            child = places.get((where, more), none)
            if child != none:
                children[place, rank] = child
                parents[child, rank] = place
    points = own @ np.arange(1, RANK_COUNT + 1)
    soft = (own[:, ACE] > 0) & (points <= 11)
    best = points + 10 * soft
    sizes = own.sum(axis=1)
    bounds = np.searchsorted(sizes, np.arange(sizes[-1] + 2))
    dealt = (context == WHOLE) & (sizes == 2)
    bust = (points[:, None] + np.arange(1, RANK_COUNT + 1) > 21) & ~((context == ACE) & (sizes == 2))[:, None]
    return HandStates(
        own=own,
        context=context,
        best=best,
        soft=soft,
        levels=tuple(slice(int(low), int(high)) for low, high in pairwise(bounds)),
        children=children,
        parents=parents,
        bust=bust,
        pair=np.where(dealt & (own.max(axis=1) == 2), own.argmax(axis=1), -1),
        natural=dealt & (best == 21),
        root=np.array(
            [places[rank, tuple(np.eye(RANK_COUNT, dtype=int)[rank].tolist())] for rank in range(RANK_COUNT)]
        ),
    )


@dataclass(frozen=True, slots=True)
class OddsTable:
    """The states with the odds of one rule set. Last axis of most columns: the ten upcards.

    Values are per unit of one bet. Where a dealer blackjack takes the original bet only, they leave
    that event out (count it as 0): it costs one bet whatever was decided, and is charged by
    ``natural_costs`` once per round.
    """

    odds: Odds
    hands: HandStates
    dealt: Floats  # (n, up) probability of these two cards and this upcard; 0 elsewhere
    draw: Floats  # (n + 1, rank, up) of the next card; 0 in the last row
    law: Floats  # (n, up, outcome) of the dealer
    stand: Floats  # (n, up)
    bust_cost: Floats  # (n, up) what one more card loses by busting, times its probability
    bust_natural: Floats  # (n, up) probability that one more card busts and the dealer has a natural
    double: Floats  # (n, up) of two units
    may_double: Bools  # (n,)

    @property
    def natural_costs(self) -> Floats:
        """(n, up) what a dealer natural costs beside the values: 0 unless it takes originals only."""
        return np.zeros_like(self.stand) if self.odds.takes_all else self.law[:, :, DEALER_NATURAL]

    @property
    def bust_chance(self) -> Floats:
        """(n, up) that one more card busts the hand."""
        chance: Floats = np.einsum("sru,sr->su", self.draw[:-1], self.hands.bust.astype(np.float64))
        return chance


def may_double(odds: Odds, hands: HandStates) -> Bools:
    """States that the rules allow to double, as ``Rules.may_double`` does."""
    two: Bools = (hands.own.sum(axis=1) == 2) & hands.decided
    if not odds.after_split:
        two &= hands.context == WHOLE
    if odds.doubles != "any":
        two &= ~hands.soft & np.isin(hands.best, np.array(odds.doubles, dtype=np.int64))
    return two


@lru_cache(maxsize=2)  # 25 MB each: one rule set and the one it is compared with
def make_table(odds: Odds) -> OddsTable:
    """Everything about the states that no strategy changes. About half a second."""
    hands = all_hands()
    count = len(hands.best)
    gone = hands.own.copy()
    split = np.nonzero(hands.context != WHOLE)[0]
    gone[split, hands.context[split]] += 1  # the other card of the pair
    draw = np.zeros((count + 1, RANK_COUNT, RANK_COUNT))
    law = np.zeros((count, RANK_COUNT, OUTCOMES))
    bust_natural = np.zeros((count, RANK_COUNT))
    for up in range(RANK_COUNT):
        left = full_shoe(odds.decks) - gone
        left[:, up] -= 1
        # Hands for which a deck lacks the cards are never reached; they only must not upset the sums.
        left = np.maximum(left, 0)
        cards = left.sum(axis=1, keepdims=True)
        draw[:-1, :, up] = left / cards
        law[:, up] = dealer_laws(left, up, odds.hits_soft_17)
        hole = hole_rank(up)
        if hole is not None:
            holes = left[:, [hole]] - (np.arange(RANK_COUNT) == hole)
            bust_natural[:, up] = (left / cards * hands.bust * holes / (cards - 1)).sum(axis=1)
    bust_chance = np.einsum("sru,sr->su", draw[:-1], hands.bust.astype(np.float64))
    bust_cost = bust_chance if odds.takes_all else bust_chance - bust_natural
    stand = _stand(hands, law, odds.takes_all)
    after = np.vstack([stand, np.zeros((1, RANK_COUNT))])
    double = 2 * (np.einsum("sru,sru->su", draw[:-1], after[hands.children]) - bust_cost)
    return OddsTable(
        odds, hands, _dealt(odds, hands), draw, law, stand, bust_cost, bust_natural, double,
        may_double(odds, hands),
    )  # fmt: skip


def _stand(hands: HandStates, law: Floats, takes_all: bool) -> Floats:
    """Wins less losses of standing."""
    totals = np.arange(17, 22)
    beats = (hands.best[:, None] > totals).astype(np.float64)
    beaten = (hands.best[:, None] < totals).astype(np.float64)
    value: Floats = np.einsum("suo,so->su", law[:, :, :5], beats - beaten) + law[:, :, DEALER_BUST]
    return value - law[:, :, DEALER_NATURAL] if takes_all else value


def _dealt(odds: Odds, hands: HandStates) -> Floats:
    """The probability of two cards, in either order, and the upcard after them."""
    shoe = full_shoe(odds.decks)
    cards = int(shoe.sum())
    dealt = np.zeros((len(hands.best), RANK_COUNT))
    for state in range(hands.levels[2].start, hands.levels[2].stop):
        if hands.context[state] != WHOLE:
            continue
        own = hands.own[state]
        first, second = int(own.argmax()), int(RANK_COUNT - 1 - own[::-1].argmax())
        ways = shoe[first] * (shoe[first] - 1) if first == second else 2 * shoe[first] * shoe[second]
        dealt[state] = ways / (cards * (cards - 1)) * (shoe - own) / (cards - 2)
    return dealt
