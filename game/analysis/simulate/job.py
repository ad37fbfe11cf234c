"""What to simulate, and one part of it.

A job is cut into chunks of CHUNK_ROUNDS rounds (the last may be shorter). A chunk begins with a complete
shoe and with chance of its own, made of the job's seed and the chunk's number alone; so it does not matter
who plays which chunk, nor when. With a cut card the shoe is carried from round to round within a chunk,
and the last shoe of a chunk ends where the chunk ends.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from game.analysis.simulate.kernel import CHOICES, SEAT_ROWS, Bytes, Deck, Words
from game.analysis.simulate.rounds import PLAYER_WIDTH, TABLE_WIDTH, play_rounds
from game.analysis.simulate.tables import decisions, full_shoe, numbers_of
from game.analysis.simulate.tally import Tally
from game.chart import Chart
from game.round import MAX_SEATS
from game.rules import Rules, Shuffle, longest_round_cards

# A tenth of a second of one seat: often enough for a progress bar, seldom enough to cost nothing.
CHUNK_ROUNDS = 500_000


@dataclass(frozen=True, slots=True)
class SimulationJob:
    """``rounds`` rounds at a table with one chart per seat, each seat betting the same amount.

    Raises ValueError for no or too many seats, no rounds, or a cut card that a round could overrun.
    """

    rules: Rules
    charts: tuple[Chart, ...]
    rounds: int
    seed: int

    def __post_init__(self) -> None:
        if not 1 <= len(self.charts) <= MAX_SEATS:
            raise ValueError(f"{len(self.charts)} seats: a table has 1 to {MAX_SEATS}")
        if self.rounds < 1:
            raise ValueError(f"{self.rounds} rounds: at least 1 has to be played")
        needed = longest_round_cards(self.rules.decks)
        if self.rules.shuffle is Shuffle.CUT_CARD and self.rules.cards_behind < needed:
            raise ValueError(
                f"{self.rules.cards_behind} cards behind the cut card: a round can take {needed}"
            )

    @property
    def chunks(self) -> int:
        """How many chunks the job has; they are numbered from 0."""
        return -(-self.rounds // CHUNK_ROUNDS)

    def chunk_rounds(self, number: int) -> int:
        """Rounds in one chunk."""
        return min(CHUNK_ROUNDS, self.rounds - number * CHUNK_ROUNDS)

    @property
    def players(self) -> tuple[tuple[Chart, ...], tuple[int, ...]]:
        """The different charts, and which of them each seat plays."""
        different = tuple(dict.fromkeys(self.charts))
        return different, tuple(different.index(chart) for chart in self.charts)


def nothing_played(job: SimulationJob) -> Tally:
    """The tally before the first round."""
    return Tally.empty(job.players[1], job.rules.pays)


def play_chunk(job: SimulationJob, number: int) -> Tally:
    """One chunk of a job, always the same."""
    charts, seats = job.players
    deck = make_deck(job.rules, stream(job.seed, number))
    tables = np.stack([_decisions(chart, job.rules) for chart in charts])
    weights = np.array([seats.count(player) for player in range(len(charts))], np.int64)
    table = np.zeros(TABLE_WIDTH, np.int64)
    players = np.zeros((len(charts), PLAYER_WIDTH), np.int64)
    said = np.zeros((len(charts), CHOICES), np.int64)
    work = np.zeros((SEAT_ROWS, len(charts)), np.int64)
    nets = np.zeros(len(charts), np.int64)
    play_rounds(
        job.chunk_rounds(number),
        deck,
        work,
        tables,
        weights,
        numbers_of(job.rules),
        table,
        players,
        said,
        nets,
    )
    return Tally(
        seats,
        job.rules.pays,
        tuple(table.tolist()),
        tuple(map(tuple, players.tolist())),
        tuple(map(tuple, said.tolist())),
    )


def make_deck(rules: Rules, words: Words) -> Deck:
    """A complete shoe whose order is open, dealt with this chance."""
    shoe = full_shoe(rules.decks)
    return Deck(shoe, np.zeros(len(shoe), np.uint8), np.array([0, 0, len(shoe)], np.int64), words)


def stream(seed: int, number: int) -> Words:
    """The generator's first state for a chunk: 256 bits of SHA-256, so that streams never meet."""
    text = f"common-hand simulation, seed {seed}, chunk {number}"
    return np.frombuffer(hashlib.sha256(text.encode()).digest(), "<u8").astype(np.uint64)


@lru_cache(maxsize=2 * MAX_SEATS)  # of the job that is played, and of one before it
def _decisions(chart: Chart, rules: Rules) -> Bytes:
    return decisions(chart, rules)
