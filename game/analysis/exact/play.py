"""Values and frequencies of all states under a way to play.

*Actions* have one number per state and upcard. A chart gives them through ``chart_actions``, letter
by letter as ``game.chart.advise`` reads it.

Why one hand of a split is enough for the expectation: the cards that hand 1 has taken are, for one who
looks only at hand 2, the upcard and the split pair, a stretch of an unknown shuffled shoe that ended
where a rule about its own cards said so. What follows such a stretch is as well shuffled as what it
was cut from. So hand 2 and the dealer have the very law that hand 1 and the dealer have, and a split
is worth twice one of its hands, played with the other card of the pair gone.
"""

from __future__ import annotations

import numpy as np

from game.analysis.exact.dealer import RANK_COUNT, Bools, Floats, Ints
from game.analysis.exact.states import HARD_CELLS, TOTAL_CELLS, WHOLE, OddsTable
from game.chart import Chart

# Actions. The first four are the letters of a chart; a natural is not played at all.
HIT, STAND, DOUBLE, SPLIT, NATURAL = range(5)
LETTERS = "HSDP"

# Rows of letters: the cells by total, then pairs A, 2, .. 10. NO_ROW: the pair is played by its total.
CELLS = TOTAL_CELLS + RANK_COUNT
NO_ROW = -1

# Columns of a chart are 2 .. 10, A; upcards are numbered from the ace.
_COLUMN = [(up + 9) % 10 for up in range(RANK_COUNT)]


def letters_of(chart: Chart, splits: tuple[bool, ...]) -> Ints:
    """A chart as numbers, shape (CELLS, up). Rows of pairs that may not be split are not looked at."""
    letters = np.full((CELLS, RANK_COUNT), NO_ROW, dtype=np.int64)
    pairs = [row if may else "" for row, may in zip(chart.pairs, splits, strict=True)]
    for cell, row in enumerate((*chart.hard, *chart.soft, *pairs)):
        if row:
            letters[cell] = [LETTERS.index(row[column]) for column in _COLUMN]
    return letters


def chart_of(letters: Ints, name: str) -> Chart:
    """The chart that ``letters_of`` reads so."""
    rows = []
    for line in letters:
        by_column = sorted(range(RANK_COUNT), key=lambda up: _COLUMN[up])
        rows.append("" if line[0] == NO_ROW else "".join(LETTERS[line[up]] for up in by_column))
    return Chart(
        name, tuple(rows[:HARD_CELLS]), tuple(rows[HARD_CELLS:TOTAL_CELLS]), tuple(rows[TOTAL_CELLS:])
    )


def fall_back_stands(table: OddsTable) -> Bools:
    """(n,) where a double that is not legal is a stand: from hard 17 and soft 18 on."""
    stands: Bools = table.hands.best >= np.where(table.hands.soft, 18, 17)
    return stands


def by_pair(table: OddsTable, letters: Ints) -> Bools:
    """(n,) states that follow the row of a pair: dealt pairs that have one."""
    has_row = letters[TOTAL_CELLS:, 0] != NO_ROW
    follows: Bools = (table.hands.pair >= 0) & has_row[table.hands.pair]
    return follows


def chart_actions(table: OddsTable, letters: Ints) -> Ints:
    """(n, up) the action in each state. A pair that was split follows its total afterwards, because
    the row that said P then says nothing else."""
    hands = table.hands
    cell = np.where(by_pair(table, letters), TOTAL_CELLS + hands.pair, hands.cells)
    actions = letters[cell]
    illegal = (actions == DOUBLE) & ~table.may_double[:, None]
    actions = np.where(illegal, np.where(fall_back_stands(table), STAND, HIT)[:, None], actions)
    actions[~hands.decided] = STAND
    actions[hands.root] = HIT
    actions[hands.natural] = NATURAL
    return actions


def natural_value(table: OddsTable) -> Floats:
    """(n, up) of a player's blackjack: it pushes against the dealer's."""
    win, stake = table.odds.pays
    return win / stake * (1 - table.law[:, :, -1])


def values(table: OddsTable, actions: Ints) -> tuple[Floats, Floats]:
    """(n, up) the value of playing on by these actions, and of hitting once and then playing so."""
    hands = table.hands
    value = np.zeros((len(hands.best) + 1, RANK_COUNT))
    hit = np.zeros((len(hands.best), RANK_COUNT))
    for level in reversed(hands.levels):
        hit[level] = (table.draw[level] * value[hands.children[level]]).sum(axis=1) - table.bust_cost[level]
        choices = (hit[level], table.stand[level], table.double[level], table.stand[level])
        value[level] = np.choose(np.minimum(actions[level], SPLIT), choices)
    value = value[:-1]
    value = np.where(actions == SPLIT, split_value(table, value), value)
    return np.where(actions == NATURAL, natural_value(table), value), hit


def split_value(table: OddsTable, value: Floats) -> Floats:
    """(n, up) twice one split hand, where a dealt pair may be split; meaningless elsewhere."""
    hands = table.hands
    worth: Floats = 2 * value[hands.root[np.maximum(hands.pair, 0)]]
    return worth


def best_values(table: OddsTable) -> Floats:
    """(n, up) with every decision made from the exact cards of the hand."""
    hands = table.hands
    value = np.zeros((len(hands.best) + 1, RANK_COUNT))
    forced = ~hands.decided
    forced[hands.root] = False
    for level in reversed(hands.levels):
        hit = (table.draw[level] * value[hands.children[level]]).sum(axis=1) - table.bust_cost[level]
        best = np.maximum(hit, table.stand[level])
        doubled = np.maximum(best, table.double[level])
        best = np.where(table.may_double[level, None], doubled, best)
        value[level] = np.where(forced[level, None], table.stand[level], best)
        roots = hands.root[(hands.root >= level.start) & (hands.root < level.stop)]
        value[roots] = hit[roots - level.start]
    value = value[:-1]
    may_split = (hands.pair >= 0) & np.array(table.odds.splits)[hands.pair]
    split = np.maximum(value, split_value(table, value))
    value = np.where(may_split[:, None], split, value)
    return np.where(hands.natural[:, None], natural_value(table), value)


def round_value(table: OddsTable, value: Floats) -> Floats:
    """(up,) what a round is worth with this upcard, times the probability of the upcard."""
    costs = np.where(table.hands.natural[:, None], 0.0, table.natural_costs)
    worth: Floats = (table.dealt * (value - costs)).sum(axis=0)
    return worth


def reach(table: OddsTable, actions: Ints) -> Floats:
    """(n, up) how often a round comes to each state; both hands of a split count."""
    hands = table.hands
    start = table.dealt.copy()
    pairs = np.nonzero(hands.pair >= 0)[0]
    start[hands.root[hands.pair[pairs]]] = np.where(actions[pairs] == SPLIT, 2 * table.dealt[pairs], 0)
    return spread(table, start, actions == HIT, table.draw)


def spread(table: OddsTable, start: Floats, hits: Bools, draw: Floats) -> Floats:
    """(n, up) ``start`` and everything that hits carry on from it, weighted by ``draw``."""
    hands = table.hands
    mass = np.vstack([start, np.zeros((1, RANK_COUNT))])
    going = np.vstack([hits, np.zeros((1, RANK_COUNT), dtype=np.bool_)])
    ranks = np.arange(RANK_COUNT)
    for level in hands.levels[2:]:
        parents = hands.parents[level]
        mass[level] += (mass[parents] * going[parents] * draw[parents, ranks]).sum(axis=1)
    return mass[:-1]


def doubled(table: OddsTable, mass: Floats, draw: Floats) -> Floats:
    """(n, up) how often a double ends in each state, from how often each state is doubled."""
    padded = np.vstack([mass, np.zeros((1, RANK_COUNT))])
    parents = table.hands.parents
    ends: Floats = (padded[parents] * draw[parents, np.arange(RANK_COUNT)]).sum(axis=1)
    return ends


def is_whole(table: OddsTable) -> Bools:
    """(n,) states of rounds without a split."""
    whole: Bools = table.hands.context == WHOLE
    return whole
