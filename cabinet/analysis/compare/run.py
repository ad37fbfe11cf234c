"""Both games, simulated for a comparison."""

from __future__ import annotations

from collections.abc import Callable

from cabinet.analysis.compare.figures import Simulated
from game.analysis.standard import StandardJob, simulate_standard
from game.analysis.standard.common import simulate_common
from game.chart import Chart
from game.round import MAX_SEATS
from game.rules import Rules, Shuffle


def run(
    rules: Rules, chart: Chart, rounds: int, seed: int, batches: int, say: Callable[[str], None]
) -> Simulated:
    """So many rounds of each game with each number of players. ``say`` is told what is being done."""
    say(f"Common-Hand Blackjack, {rounds:,} rounds")
    own_seed = (MAX_SEATS + 1) * seed  # and the next ones: no two simulations have the same chance
    common = simulate_common(StandardJob(rules, (chart,), rounds, own_seed, batches))
    standard = []
    for seats in range(1, MAX_SEATS + 1):
        say(f"standard dealing to {seats}, {rounds:,} rounds")
        standard.append(
            simulate_standard(StandardJob(rules, (chart,) * seats, rounds, own_seed + seats, batches))
        )
    return Simulated(common, standard, rules.shuffle is Shuffle.CUT_CARD)
