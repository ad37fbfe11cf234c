"""What takes time in rounds of Common-Hand Blackjack with one seat: cards by what they are for.

The rounds are those of ``game.analysis.simulate.rounds``; this looks at where each card went. Seats
that play one chart always do the same on a common hand, so one seat tells all that such a table deals,
however many they are. Counting is in batches, as in ``game.analysis.standard``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import SeedSequence

from game.analysis.simulate.jit import compiled
from game.analysis.simulate.kernel import (
    ALL_SPLIT,
    CHOICES,
    CONTINUED,
    SEAT_ROWS,
    TO_DEALER,
    Bytes,
    Deck,
    Ints,
    RuleNumbers,
)
from game.analysis.simulate.rounds import (
    DEALER,
    DEALER_NONE,
    NET,
    NET_PAID,
    NET_ZERO,
    NETS,
    PATTERN,
    PLAYER_WIDTH,
    TABLE_WIDTH,
    play_round,
)
from game.analysis.simulate.tables import full_shoe, numbers_of
from game.analysis.standard.dealing import StandardJob, decision_table, in_batches

# Hands are 0 to 2. What is seen beside the simulation's own counts: cards by where they went (a place
# for each number in ``Deck.given``), hands that got continuation cards, complete shoes.
HANDS = 3
CONTINUED_HANDS, SHOES, SEEN = TO_DEALER + 1, TO_DEALER + 2, TO_DEALER + 3


@dataclass(frozen=True, slots=True)
class CommonTally:
    """Sums over ``rounds`` rounds of one seat. Money in parts of a bet, ``part`` to one bet.

    ``drawn`` are the cards of hits, doubles and splits; ``continuation`` are continuation cards, laid on
    ``continued`` hands; ``dealer_cards`` came after the upcard, in ``dealer_turns`` rounds.
    """

    part: int
    rounds: int
    drawn: int
    continuation: int
    continued: int
    dealer_cards: int
    dealer_turns: int
    splits: int
    decisions: int
    net: int
    net_squares: int
    shoes: int


class PlayTable(NamedTuple):
    """What ``play_round`` plays on, in the order of its arguments."""

    deck: Deck
    seats: Ints
    charts: Bytes
    weights: Ints
    numbers: RuleNumbers
    table: Ints
    players: Ints
    said: Ints
    nets: Ints


def simulate_common(
    job: StandardJob, progress: Callable[[int], None] = lambda _rounds: None
) -> tuple[CommonTally, ...]:
    """One tally for each batch of a job with one chart."""
    if len(job.charts) != 1:
        raise ValueError(f"one chart, not {len(job.charts)}")
    tallies = []
    for rounds, seed in in_batches(job):
        table, seen = make_table(job, seed), np.zeros(SEEN, np.int64)
        watch_rounds(*table, seen, rounds)
        tallies.append(tally_of(rounds, table, seen))
        progress(sum(tally.rounds for tally in tallies))
    return tuple(tallies)


@compiled
def watch_rounds(
    deck: Deck, seats: Ints, charts: Bytes, weights: Ints, numbers: RuleNumbers, table: Ints, players: Ints,
    said: Ints, nets: Ints, seen: Ints, rounds: int,
) -> None:  # fmt: skip
    """That many rounds, each looked at when it is over."""
    place = deck.place
    for _ in range(rounds):
        if place[2] - place[0] <= numbers.behind:
            place[0] = place[1] = 0
            seen[SHOES] += 1
        start = place[0]
        play_round(deck, seats, charts, weights, numbers, table, players, said, nets)
        continued = 0
        for at in range(start, place[0]):
            to = deck.given[at]
            seen[to] += 1
            if CONTINUED <= to < TO_DEALER:
                continued |= 1 << (to - CONTINUED)
        seen[CONTINUED_HANDS] += (continued & 1) + (continued >> 1 & 1) + (continued >> 2 & 1)


def make_table(job: StandardJob, seed: SeedSequence) -> PlayTable:
    """One seat before its first round, the shoe to be shuffled, all counters 0."""
    shoe = full_shoe(job.rules.decks)
    return PlayTable(
        deck=Deck(
            shoe,
            given=np.zeros(len(shoe), np.uint8),
            place=np.array([len(shoe), len(shoe), len(shoe)], np.int64),
            words=seed.generate_state(4, np.uint64).astype(np.uint64),
        ),
        seats=np.zeros((SEAT_ROWS, 1), np.int64),
        charts=decision_table(job.charts[0], job.rules)[None],
        weights=np.ones(1, np.int64),
        numbers=numbers_of(job.rules),
        table=np.zeros(TABLE_WIDTH, np.int64),
        players=np.zeros((1, PLAYER_WIDTH), np.int64),
        said=np.zeros((1, CHOICES), np.int64),
        nets=np.zeros(1, np.int64),
    )


def tally_of(rounds: int, table: PlayTable, seen: Ints) -> CommonTally:
    """All counters of a batch as plain integers."""
    part = table.numbers.pays_stake
    worth = (np.arange(NETS) - NET_ZERO) * part
    worth[NET_PAID] = table.numbers.pays_win
    often = table.players[0, NET : NET + NETS]
    return CommonTally(
        part=part,
        rounds=rounds,
        drawn=int(seen[:HANDS].sum()) - 2 * rounds,
        continuation=int(seen[CONTINUED : CONTINUED + HANDS].sum()),
        continued=int(seen[CONTINUED_HANDS]),
        dealer_cards=int(seen[TO_DEALER]) - rounds,
        dealer_turns=rounds - int(table.table[DEALER + DEALER_NONE]),
        splits=int(table.table[PATTERN + ALL_SPLIT]),
        decisions=int(table.said.sum()),
        net=int((often * worth).sum()),
        net_squares=int((often * worth**2).sum()),
        shoes=int(seen[SHOES]),
    )
