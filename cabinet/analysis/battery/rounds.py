"""Rounds of the game on collected cards, against the exact law of such rounds.

One seat plays a stated chart that hits, doubles and splits. Several seats of a table share one hand, so
what one of them wins tells what the others win: that they go together is the game and no fault of the
cards. What must not go together are the results of different rounds, and a result and the bet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from cabinet.analysis.battery.result import Floats, Ints, Result, counts, normal, two_sided
from game.analysis.exact import Distribution, distribution_of
from game.analysis.simulate.jit import compiled
from game.analysis.simulate.job import make_deck, stream
from game.analysis.simulate.kernel import ALL_SPLIT, CHOICES, NATURAL, SEAT_ROWS, Bytes, Deck, RuleNumbers
from game.analysis.simulate.rounds import (
    DEALER_ENDS,
    DOUBLED,
    PATTERN,
    PLAYER_WIDTH,
    TABLE_WIDTH,
    dealer_cards,
    play_round,
)
from game.analysis.simulate.tables import decisions, numbers_of
from game.cards import DECK_CARDS, POINTS
from game.chart import HARD_TOTALS, SOFT_TOTALS, UPCARDS, Chart
from game.rules import SPLIT_RANKS, Rules

# A round rarely takes more cards. Those behind them come from the simulation's own generator: every
# order of what is left is as likely, so the law of the round stays what it is.
LEAST_CARDS = 20
# Where the cards of the dealer alone begin: behind what nearly every round takes.
DEALERS_PLACE = 10
LAGS = 5
BETS = 5  # bets of 1 to 5 units in turn, whatever happens

_HIT, _STAND, _DOUBLE, _SPLIT = (letter * len(UPCARDS) for letter in "HSDP")
CHART = Chart(
    "Everything happens",
    hard=tuple(_DOUBLE if 9 <= total <= 11 else _HIT if total < 17 else _STAND for total in HARD_TOTALS),
    soft=tuple(_HIT if total < 18 else _STAND for total in SOFT_TOTALS),
    pairs=(_SPLIT,) * len(SPLIT_RANKS),
)


class Rounds:
    """Dealers, naturals, splits, doubles and net results of one round on each deal."""

    def __init__(self, decks: int) -> None:
        self.rules = Rules(decks=decks)
        self.deals = 0
        self.nets: list[Ints] = []
        self.dealers: Ints = np.zeros(DEALER_ENDS, np.int64)
        self.table: Ints = np.zeros(TABLE_WIDTH, np.int64)
        self.players: Ints = np.zeros((1, PLAYER_WIDTH), np.int64)
        self.deck = make_deck(self.rules, stream(0, 0))

    def add(self, deals: Ints) -> None:
        self.deals += len(deals)
        points = np.array(POINTS, np.uint8)[deals]
        nets = np.zeros(len(deals), np.int64)
        chart, numbers = _tables(self.rules)
        _play(points, self.deck, chart, numbers, _work(), self.table, self.players, self.dealers, nets)
        self.nets.append(nets)

    def results(self) -> Iterator[Result]:
        law = _law(self.rules)
        ends = self.dealers[17:DEALER_ENDS]
        yield counts("rounds: the dealer's total", ends, self.deals * _floats(law.dealer_totals.values()))
        for name, seen, share in (
            ("naturals", self.table[PATTERN + NATURAL], law.natural),
            ("splits", self.table[PATTERN + ALL_SPLIT], law.split),
            ("doubles", self.players[0, DOUBLED], law.double),
        ):
            yield _share(f"rounds: {name}", int(seen), self.deals, share)
        nets = np.concatenate(self.nets) / self.rules.pays[1]
        results = [float(result) for result in law.net]
        seen = np.array([(nets == result).sum() for result in results], np.int64)
        yield counts("rounds: net results", seen, self.deals * _floats(law.net.values()))
        off = (nets - law.mean) / law.sd
        for lag in range(1, min(LAGS, self.deals - 1) + 1):
            z = float(off[:-lag] @ off[lag:]) / math.sqrt(self.deals - lag)
            yield normal(f"rounds: result and the one {lag} later", z)
        bets = np.arange(self.deals) % BETS - (BETS - 1) / 2
        yield normal("rounds: result and bet", float(bets @ off) / math.sqrt(float(bets @ bets)))


def _share(name: str, seen: int, rounds: int, share: float) -> Result:
    """Rounds of one kind against their exact share."""
    law = stats.binom(rounds, share)
    upper = float(law.sf(seen)) + float(law.pmf(seen)) / 2
    return Result(name, two_sided(upper), f"{seen}, expected {rounds * share:.1f}")


def _floats(values: Iterable[float]) -> Floats:
    return np.array(list(values), np.float64)


@lru_cache(maxsize=8)
def _law(rules: Rules) -> Distribution:
    return distribution_of(rules, CHART)


@lru_cache(maxsize=8)
def _tables(rules: Rules) -> tuple[Bytes, RuleNumbers]:
    return decisions(CHART, rules)[None], numbers_of(rules)


class _Work(NamedTuple):
    """Room for one round: the compiled code makes no arrays of its own."""

    weights: Ints
    seats: Ints
    said: Ints
    net: Ints
    left: Ints  # cards of each number of points that the deal did not show


def _work() -> _Work:
    return _Work(
        np.ones(1, np.int64),
        np.zeros((SEAT_ROWS, 1), np.int64),
        np.zeros((1, CHOICES), np.int64),
        np.zeros(1, np.int64),
        np.zeros(11, np.int64),
    )


@compiled
def _play(
    points: Bytes,
    deck: Deck,
    charts: Bytes,
    numbers: RuleNumbers,
    work: _Work,
    table: Ints,
    players: Ints,
    dealers: Ints,
    nets: Ints,
) -> None:
    """One round on the first cards of each deal, and one dealer alone further back."""
    shoe, place = deck.shoe, deck.place
    cards = len(shoe)
    known = points.shape[1]
    left, net = work.left, work.net
    for deal in range(len(points)):
        left[:] = cards // DECK_CARDS * 4
        left[10] *= 4
        for at in range(known):
            card = points[deal, at]
            shoe[at] = card
            left[card] -= 1
        at = known
        for card in range(1, 11):
            for _ in range(left[card]):
                shoe[at] = card
                at += 1
        place[0] = 0
        place[1] = known
        play_round(deck, work.seats, charts, work.weights, numbers, table, players, work.said, net)
        nets[deal] = net[0]
        net[0] = 0
        place[0] = DEALERS_PLACE + 1
        place[1] = max(place[1], place[0])
        upcard: Any = np.int64(shoe[DEALERS_PLACE])
        dealers[dealer_cards(deck, upcard, numbers.hits_soft_17, 0)] += 1
