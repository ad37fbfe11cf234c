"""The law of a whole round under a chart: every result with its probability, to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from game.analysis.exact.dealer import DEALER_BUST, DEALER_NATURAL, OUTCOMES, Floats, Ints
from game.analysis.exact.play import DOUBLE, HIT, SPLIT, STAND, chart_actions, doubled, is_whole, reach
from game.analysis.exact.split import BUST_ONE, BUST_TWO, CLASSES, TOTALS, SplitHands
from game.analysis.exact.states import OddsTable
from game.rules import SPLIT_RANKS


@dataclass(frozen=True, slots=True)
class RoundLaw:
    """Probabilities of a round; ``doubles`` is the expected number of doubled hands.

    ``net`` is in bets, with keys -4..4 and the payout of a natural, ascending. ``hands`` (class,) is
    the expected number of hands that end so, naturals left out.
    """

    net: dict[Fraction, float]
    hands: Floats
    natural: float
    split: float
    double: float
    doubles: float


def round_law(table: OddsTable, letters: Ints, say: Callable[[str], None]) -> RoundLaw:
    """The exact law of a round that is played by a chart (as numbers, see ``letters_of``)."""
    actions = chart_actions(table, letters)
    payout = Fraction(*table.odds.pays)
    net = dict.fromkeys(sorted({*map(Fraction, range(-4, 5)), payout}), 0.0)
    naturals = np.where(table.hands.natural[:, None], table.dealt, 0.0)
    natural = float(naturals.sum())
    pushed = float((naturals * table.law[:, :, DEALER_NATURAL]).sum())
    net[Fraction(0)] += pushed
    net[payout] += natural - pushed

    one = _one_hand(table, actions)
    _add(net, one, _RESULTS, table.odds.takes_all)
    hands = one.sum(axis=1)
    double = doubles = float(hands[TOTALS:].sum())
    split = 0.0
    both = np.zeros((CLASSES, CLASSES, OUTCOMES))
    split_hands = SplitHands(table, actions)
    for state, up in np.argwhere((actions == SPLIT) & (table.dealt > 0)):
        rank = int(table.hands.pair[state])
        say(f"both hands of a split pair of {SPLIT_RANKS[rank]} against {SPLIT_RANKS[up]}")
        both += table.dealt[state, up] * split_hands.joint(rank, int(up))
        split += float(table.dealt[state, up])
    pairs = both.sum(axis=2)
    hands = hands + pairs.sum(axis=0) + pairs.sum(axis=1)
    double += float(pairs.sum() - pairs[:TOTALS, :TOTALS].sum())
    doubles += float(pairs[TOTALS:].sum() + pairs[:, TOTALS:].sum())
    _add(net, both, _RESULTS[:, None, :] + _RESULTS[None, :, :], table.odds.takes_all)
    return RoundLaw(net, hands, natural, split, double, doubles)


def _one_hand(table: OddsTable, actions: Ints) -> Floats:
    """(class, outcome) of rounds without a split and without a natural.

    Of the dealer a bust hand knows only whether he has a natural: all else is called DEALER_BUST.
    """
    hands = table.hands
    mass = np.where(is_whole(table)[:, None], reach(table, actions), 0.0)
    stood = np.where(actions == STAND, mass, 0.0)
    double = np.where(actions == DOUBLE, mass, 0.0)
    law = np.zeros((CLASSES, OUTCOMES))
    for first, ends in ((0, stood), (TOTALS, doubled(table, double, table.draw))):
        np.add.at(law, first + hands.best - 4, np.einsum("su,suo->so", ends, table.law))
    for kind, drawing in ((BUST_ONE, np.where(actions == HIT, mass, 0.0)), (BUST_TWO, double)):
        law[kind, DEALER_NATURAL] = (drawing * table.bust_natural).sum()
        law[kind, DEALER_BUST] = (drawing * table.bust_chance).sum() - law[kind, DEALER_NATURAL]
    return law


def _results() -> Ints:
    """(class, outcome) what a hand wins in bets if a dealer natural takes everything."""
    results = np.zeros((CLASSES, OUTCOMES), dtype=np.int64)
    for kind in range(CLASSES):
        stake, total = 1 + kind // TOTALS, kind % TOTALS + 4
        for outcome in range(OUTCOMES):
            if total > 21 or outcome == DEALER_NATURAL:
                results[kind, outcome] = -stake
            elif outcome == DEALER_BUST:
                results[kind, outcome] = stake
            else:
                results[kind, outcome] = stake * np.sign(total - (17 + outcome))
    return results


_RESULTS = _results()


def _add(net: dict[Fraction, float], law: Floats, results: Ints, takes_all: bool) -> None:
    """Adds the probabilities of a law to the results that they lead to."""
    if not takes_all:
        results = results.copy()
        results[..., DEALER_NATURAL] = -1
    for result in range(-4, 5):
        net[Fraction(result)] += float(law[results == result].sum())
