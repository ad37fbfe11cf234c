"""The figures of a tally with their standard errors, each beside its exact value.

Rounds are taken for independent in the errors of shares, which with a cut card they nearly are; the
error of the edge is counted over whole shoes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from cabinet.analysis.par.sheet import result_name
from cabinet.analysis.simulate.report import SimulatedFigure
from game.analysis.exact import Distribution
from game.analysis.simulate import rounds as counted
from game.analysis.simulate.run import Figures, Tally, figures

PERCENT = "%"


def findings(tally: Tally, exact: Distribution) -> tuple[SimulatedFigure, ...]:
    """Of one seat (all play the same chart), then of the table."""
    made = figures(tally)
    return (*_seat(made, tally, exact), *_net(made, exact), *_table(made, exact))


def _seat(made: Figures, tally: Tally, exact: Distribution) -> Iterator[SimulatedFigure]:
    seat = made.seats[0]
    error = seat.standard_error
    yield SimulatedFigure(
        "house_edge_percent", "house edge", 100 * seat.edge, 100 * error, -100 * exact.mean, PERCENT
    )
    yield SimulatedFigure(
        "edge_per_unit_staked_percent",
        "edge of everything staked",
        100 * seat.edge_per_unit_staked,
        100 * error / seat.bet_per_round,
        100 * exact.edge_per_unit_staked,
        PERCENT,
    )
    yield SimulatedFigure(
        "bet_per_round",
        "staked, in first bets",
        seat.bet_per_round,
        _stake_error(tally),
        exact.bet_per_round,
    )
    yield SimulatedFigure(
        "variance", "variance", seat.variance, variance_error(_floats(seat.net), made.rounds), exact.variance
    )
    for key, name in (
        ("win", "win"),
        ("push", "push"),
        ("loss", "loss"),
        ("split", "rounds with a split"),
        ("double", "rounds with a double"),
    ):
        yield _share(f"{key}_percent", name, getattr(seat, key), getattr(exact, key), made)
    yield _share("natural_percent", "blackjack", made.natural, exact.natural, made)


def _net(made: Figures, exact: Distribution) -> Iterator[SimulatedFigure]:
    net = made.seats[0].net
    for result, chance in sorted(exact.net.items()):
        if chance or net.get(result):
            name = result_name(result)
            yield _share(f"net_{name}_percent", f"net {name}", net.get(result, 0.0), chance, made)


def _table(made: Figures, exact: Distribution) -> Iterator[SimulatedFigure]:
    seats = len(made.seats)
    if seats > 1:
        yield SimulatedFigure(
            "table_variance",
            f"variance of {seats} seats",
            made.table_variance,
            variance_error(_floats(made.table_net), made.rounds),
            seats * seats * exact.variance,
        )
    cards = {float(number): count / made.rounds for number, count in made.cards.items()}
    yield SimulatedFigure(
        "cards_per_round", "cards in a round", made.cards_per_round, _mean_error(cards, made.rounds)
    )


def _share(key: str, name: str, share: float, exact: float, made: Figures) -> SimulatedFigure:
    """The error is that of the exact share, so that a rare result that never came has one too."""
    return SimulatedFigure(key, name, 100 * share, 100 * made.error_of(exact), 100 * exact, PERCENT)


def _stake_error(tally: Tally) -> float:
    counts = tally.players[tally.seats[0]][counted.STAKE : counted.STAKE + counted.STAKES]
    law = {float(stake): count / tally.rounds for stake, count in enumerate(counts)}
    return _mean_error(law, tally.rounds)


def _floats(law: Mapping[Fraction, float]) -> dict[float, float]:
    return {float(result): chance for result, chance in law.items()}


def _mean_error(law: Mapping[float, float], rounds: int) -> float:
    mean = math.fsum(value * chance for value, chance in law.items())
    return math.sqrt(math.fsum((value - mean) ** 2 * chance for value, chance in law.items()) / rounds)


def variance_error(law: Mapping[float, float], rounds: int) -> float:
    """The standard error of a variance, from the fourth moment."""
    mean = math.fsum(value * chance for value, chance in law.items())
    second = math.fsum((value - mean) ** 2 * chance for value, chance in law.items())
    fourth = math.fsum((value - mean) ** 4 * chance for value, chance in law.items())
    return math.sqrt(max(0.0, fourth - second * second) / rounds)
