"""The best chart by totals of a rule set, found and proven.

What is best for a total depends on the cards that make it up, so on how often each set of cards comes
to that total, and so on the letters played before; what it is worth depends on the letters played
after. The search is a policy iteration on the expectation of the whole round: under the present
chart every cell has, for every letter, the exact change of the round's expectation if that one cell
changed (a hand comes to a cell at most once, because totals only grow). It ends when no change of a
single cell gains anything. Upcards do not touch each other, so each column climbs by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from game.analysis.exact.dealer import RANK_COUNT, Bools, Floats, Ints
from game.analysis.exact.play import (
    CELLS,
    DOUBLE,
    HIT,
    NO_ROW,
    SPLIT,
    STAND,
    by_pair,
    chart_actions,
    fall_back_stands,
    is_whole,
    reach,
    round_value,
    split_value,
    spread,
    values,
)
from game.analysis.exact.states import HARD_CELLS, TOTAL_CELLS, OddsTable
from game.rules import SPLIT_RANKS

# A change must gain more than the rounding of the sums, in units of a bet per round.
_GAIN = 1e-15

# Far above the ten or so rounds that a column takes; each strictly gains, so it cannot go in circles.
_ROUNDS = 500


@dataclass(frozen=True, slots=True)
class Worth:
    """(letter, cell, up) sums over the hands of each cell; ``weight`` (cell, up) is their frequency.

    Sums are in bets, dealer naturals included. Letters are worth what the chart's reader makes of
    them: a double that is not legal is a hit or a stand. ``legal`` (letter, cell): the letter means
    something of its own there.
    """

    sums: Floats
    weight: Floats
    legal: Bools


class Search:
    """Charts of one table, as numbers of letters: shape (CELLS, up)."""

    def __init__(self, table: OddsTable) -> None:
        self.table = table
        hands = table.hands
        self._splits = np.array(table.odds.splits)
        self._totals = hands.cells
        # How often each total is made if everybody always hits: the weights where a chart never comes.
        start = np.where(hands.natural[:, None], 0.0, table.dealt)
        self._always = spread(table, start, np.ones_like(start, dtype=np.bool_), table.draw)
        self._stands = fall_back_stands(table)[:, None]
        # A dealer natural that takes the original bet only costs each hand of a split half of it.
        self._costs = table.natural_costs * np.where(is_whole(table), 1.0, 0.5)[:, None]
        self._legal = self._legal_letters()

    def careless(self, stand_from: int, split: bool) -> Ints:
        """A first chart: stand from a total on, and split all or nothing."""
        letters = np.full((CELLS, RANK_COUNT), NO_ROW, dtype=np.int64)
        totals = np.array([*range(4, 21), *range(12, 21)])
        letters[:TOTAL_CELLS] = np.where(totals >= stand_from, STAND, HIT)[:, None]
        letters[TOTAL_CELLS:][self._splits] = SPLIT if split else STAND
        return letters

    def worth(self, letters: Ints, weights: Floats | None = None) -> Worth:
        """Every letter in every cell, all else being played by the chart.

        ``weights`` (n, up) are the frequencies of states to average over; without them those of the
        chart itself, and of constant hitting for cells where the chart never comes. A cell of totals
        without weight of its own takes over the pairs that have a row.
        """
        table = self.table
        actions = chart_actions(table, letters)
        value, hit = values(table, actions)
        double = np.where(table.may_double[:, None], table.double, np.where(self._stands, table.stand, hit))
        paired = by_pair(table, letters)
        cells = np.where(paired, TOTAL_CELLS + table.hands.pair, self._totals)
        mass = reach(table, actions) if weights is None else weights
        spare = self._always if weights is None else weights
        weight, other = _by_cell(mass, cells), _by_cell(spare, self._totals)
        unused = (weight <= 0) & (other > 0)
        sums = np.zeros((4, CELLS, RANK_COUNT))
        for letter, worth in enumerate((hit, table.stand, double, split_value(table, value))):
            worth = worth - self._costs
            sums[letter] = np.where(
                unused, _by_cell(spare * worth, self._totals), _by_cell(mass * worth, cells)
            )
        return Worth(sums, np.where(unused, other, weight), self._legal)

    def _legal_letters(self) -> Bools:
        hands = self.table.hands
        legal = np.ones((4, CELLS), dtype=np.bool_)
        legal[DOUBLE, :TOTAL_CELLS] = np.isin(np.arange(TOTAL_CELLS), self._totals[self.table.may_double])
        legal[DOUBLE, TOTAL_CELLS:] = np.isin(np.arange(RANK_COUNT), hands.pair[self.table.may_double])
        legal[SPLIT, :TOTAL_CELLS] = False
        legal[:, TOTAL_CELLS:] &= self._splits
        return legal

    def gains(self, letters: Ints) -> Floats:
        """(letter, cell, up) what the round gains by changing one cell; -inf where that is no choice."""
        worth = self.worth(letters)
        now = np.take_along_axis(worth.sums, np.maximum(letters, 0)[None], axis=0)
        return np.where(worth.legal[:, :, None], worth.sums - now, -np.inf)

    def value(self, letters: Ints) -> Floats:
        """(up,) the expectation of a round by upcard, times the upcard's probability."""
        return round_value(self.table, values(self.table, chart_actions(self.table, letters))[0])

    def climb(self, letters: Ints) -> Ints:
        """The chart improved until no change of one cell gains."""
        value = self.value(letters)
        for _ in range(_ROUNDS):
            gains = self.gains(letters)
            if gains.max() <= _GAIN:
                return letters
            # All that gains by itself usually gains together; where it does not, the best one does.
            together = np.where(gains.max(axis=0) > _GAIN, gains.argmax(axis=0), letters)
            new = self.value(together)
            one = _best_change(letters, gains)
            letters = np.where(new > value + _GAIN, together, one)
            value = self.value(letters)
        raise ArithmeticError(f"no best chart after {_ROUNDS} rounds")

    def best(self) -> Ints:
        """The best of the tops reached from two opposite charts, column by column."""
        bold = self.climb(self.careless(stand_from=17, split=True))
        shy = self.climb(self.careless(stand_from=12, split=False))
        return np.where(self.value(bold) >= self.value(shy), bold, shy)


def _by_cell(amounts: Floats, cells: Ints) -> Floats:
    """(CELLS, up) sums over the states of each cell; states of cell -1 are left out."""
    sums = np.zeros((CELLS + 1, RANK_COUNT))
    np.add.at(sums, cells, amounts)
    return sums[:CELLS]


def _best_change(letters: Ints, gains: Floats) -> Ints:
    """The chart with the one change that gains most in each column where something gains."""
    changed = letters.copy()
    best = gains.max(axis=0)
    for up in range(RANK_COUNT):
        cell = int(best[:, up].argmax())
        if best[cell, up] > _GAIN:
            changed[cell, up] = int(gains[:, cell, up].argmax())
    return changed


def cell_names(splits: tuple[bool, ...]) -> dict[str, int]:
    """The cells of a chart by name, without pairs that may not be split."""
    names = {f"hard {cell + 4}": cell for cell in range(HARD_CELLS)}
    names |= {f"soft {cell + 12}": HARD_CELLS + cell for cell in range(TOTAL_CELLS - HARD_CELLS)}
    return names | {
        f"pair {rank}": TOTAL_CELLS + place for place, rank in enumerate(SPLIT_RANKS) if splits[place]
    }
