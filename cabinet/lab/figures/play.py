"""How many rounds a second are played: by the engine of the game, and by its simulation."""

from __future__ import annotations

import random
import time

from game.chart import Chart, advise
from game.round import NeedCard, NeedDecisions, Round
from game.rules import Rules
from game.settle import settle

# Orders are drawn before the clock starts: chance is not what is measured.
_ORDERS = 2000


def engine_rounds_per_s(chart: Chart, rounds: int) -> float:
    """One-seat rounds a second on one core, played by the chart from the bet to the settlement."""
    rules = Rules()
    generator = random.Random(1)
    cards = range(rules.decks * 52)
    orders = [generator.sample(cards, 60) for _ in range(_ORDERS)]
    start = time.process_time()
    for number in range(rounds):
        _play(rules, chart, orders[number % _ORDERS])
    return rounds / (time.process_time() - start)


def _play(rules: Rules, chart: Chart, order: list[int]) -> int:
    state = Round.open(rules, {1: 1000})
    used = 0
    while True:
        need = state.needs()
        if type(need) is NeedCard:
            state = state.deal(order[used])
            used += 1
        elif type(need) is NeedDecisions:
            cards = state.hands[need.hand].cards
            state = state.decide(1, advise(chart, rules, cards, state.dealer[0], state.legal(1)))
        else:
            return settle(state).net_cents(1)


def simulated_rounds_per_s(chart: Chart, rounds: int) -> float:
    """One-seat rounds a second on one core, simulated; compiled code is ready before the clock starts."""
    from game.analysis.simulate.run import SimulationJob, simulate

    simulate(SimulationJob(Rules(), (chart,), 1000, seed=1))
    start = time.process_time()
    simulate(SimulationJob(Rules(), (chart,), rounds, seed=1))
    return rounds / (time.process_time() - start)
