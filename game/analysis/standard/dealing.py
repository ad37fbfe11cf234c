"""Standard dealing: each of 1 to 7 seats has a hand of its own. What the common hand is compared with.

The rules are those of the game wherever they can be: the same shoe, choices, payments and dealer, who
has no hole card; one split a seat; each seat plays by its chart. What differs is what makes the other
game: every seat gets its own two cards, seats play one after another, and no hand is dealt on after
its owner has finished. The dealer draws when a bet is open, as in Common-Hand Blackjack.

Counting is in batches with their own chance, so that every figure, also one that is made of several
counters, has a standard error that is measured and not assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.random import SeedSequence

from game.analysis.simulate.kernel import Bytes, Deck, Ints, RuleNumbers
from game.analysis.simulate.tables import decisions, full_shoe, numbers_of
from game.analysis.standard import kernel
from game.chart import Chart
from game.round import MAX_SEATS
from game.rules import Rules

# Each batch asks again; a job has up to seven charts.
decision_table = lru_cache(maxsize=16)(decisions)


@dataclass(frozen=True, slots=True)
class StandardTally:
    """Sums over ``rounds`` rounds of ``seats`` seats. Money in parts of a bet, ``part`` to one bet.

    ``cards`` are all cards dealt: two a seat and the dealer's upcard, then ``drawn`` (hits and
    doubles), ``split_cards`` (second cards of split hands) and ``dealer_cards`` (after the upcard, in
    ``dealer_turns`` rounds). ``passes`` counts how often the turn went from one seat to the next;
    seats with a blackjack have no turn. ``settled`` counts bets (two for a seat that split),
    ``shoes`` complete shoes begun. ``net`` and ``net_squares`` are of the whole table,
    ``seat_squares`` the sum over seats of each seat's own square.
    """

    seats: int
    part: int
    rounds: int
    cards: int
    drawn: int
    split_cards: int
    dealer_cards: int
    dealer_turns: int
    decisions: int
    passes: int
    splits: int
    settled: int
    staked: int
    net: int
    net_squares: int
    seat_squares: int
    shoes: int


@dataclass(frozen=True, slots=True)
class StandardJob:
    """What to play: one chart for each seat, 1 to 7 of them; ``rounds`` in ``batches`` of equal size.

    Rounds that do not fill the batches evenly go one each to the first ones. Equal jobs have equal
    results, on every machine.
    """

    rules: Rules
    charts: tuple[Chart, ...]
    rounds: int
    seed: int
    batches: int = 20

    def __post_init__(self) -> None:
        if not 1 <= len(self.charts) <= MAX_SEATS:
            raise ValueError(f"1 to {MAX_SEATS} seats, not {len(self.charts)}")
        if not 1 <= self.batches <= self.rounds:
            raise ValueError(f"{self.rounds} rounds do not fill {self.batches} batches")


def simulate_standard(
    job: StandardJob, progress: Callable[[int], None] = lambda _rounds: None
) -> tuple[StandardTally, ...]:
    """One tally for each batch. ``progress`` is told the rounds played so far, after each."""
    tallies = []
    for rounds, seed in in_batches(job):
        table = make_table(job.rules, job.charts, seed)
        kernel.play_rounds(*table, rounds)
        tallies.append(_tally(job, table.counts))
        progress(sum(tally.rounds for tally in tallies))
    return tuple(tallies)


def in_batches(job: StandardJob) -> Iterator[tuple[int, SeedSequence]]:
    """How many rounds each batch has, and its own chance."""
    each, over = divmod(job.rounds, job.batches)
    for batch, seed in enumerate(SeedSequence(job.seed).spawn(job.batches)):
        yield each + (batch < over), seed


class LoopTable(NamedTuple):
    """What the compiled loop plays on, in the order of its arguments; see ``kernel``."""

    deck: Deck
    charts: Bytes
    numbers: RuleNumbers
    counts: Ints
    seats: Ints
    nets: Ints


def make_table(rules: Rules, charts: Sequence[Chart], seed: SeedSequence) -> LoopTable:
    """A table before its first round, its shoe to be shuffled, all counters 0."""
    shoe = full_shoe(rules.decks)
    return LoopTable(
        deck=Deck(
            shoe,
            given=np.zeros(len(shoe), np.uint8),
            place=np.array([len(shoe), len(shoe), len(shoe), 0], np.int64),
            words=seed.generate_state(4, np.uint64).astype(np.uint64),
        ),
        charts=np.stack([decision_table(chart, rules) for chart in charts]),
        numbers=numbers_of(rules),
        counts=np.zeros(kernel.COUNTERS, np.int64),
        seats=np.zeros((len(charts), kernel.SEAT_WIDTH), np.int64),
        nets=np.zeros(len(charts), np.int64),
    )


def _tally(job: StandardJob, counts: Ints) -> StandardTally:
    """The counters of one batch as plain integers."""
    return StandardTally(
        seats=len(job.charts),
        part=job.rules.pays[1],
        rounds=int(counts[kernel.ROUNDS]),
        cards=int(counts[kernel.CARDS]),
        drawn=int(counts[kernel.DRAWN]),
        split_cards=int(counts[kernel.SPLIT_CARDS]),
        dealer_cards=int(counts[kernel.DEALER_CARDS]),
        dealer_turns=int(counts[kernel.DEALER_TURNS]),
        decisions=int(counts[kernel.DECISIONS]),
        passes=int(counts[kernel.PASSES]),
        splits=int(counts[kernel.SPLITS]),
        settled=int(counts[kernel.SETTLED]),
        staked=int(counts[kernel.STAKED]),
        net=int(counts[kernel.NET]),
        net_squares=int(counts[kernel.NET_SQUARES]),
        seat_squares=int(counts[kernel.SEAT_SQUARES]),
        shoes=int(counts[kernel.SHOES]),
    )
