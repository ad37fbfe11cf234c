"""Common-Hand Blackjack against standard dealing as data: one row for each number of players.

Every seat plays the same chart with one bet. On a common hand such seats always do the same, so one
simulation of one seat serves any number of them: the cards are the same, k seats are asked at once,
and the table's variance is k * k times that of a seat. Standard dealing is simulated for each number.
The simulations are cut into batches; standard errors are measured from batch to batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TypeVar

from cabinet.analysis.compare.timing import RoundParts, TableTiming, Work, seconds
from cabinet.analysis.compare.work import common_work, standard_work
from game.analysis.standard import StandardTally
from game.analysis.standard.common import CommonTally

_Batch = TypeVar("_Batch")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A simulated mean and its standard error, in the same unit."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Game:
    """One of the two games with some number of seats. Per round, money in first bets.

    ``decisions`` are words of seats, ``waits`` how often the table waits for somebody to decide (for
    all who are asked at the same time once). ``variance`` is of the sum over all seats;
    ``seat_variance`` of one seat, ``covariance`` between two seats.
    """

    cards: Estimate
    decisions: Estimate
    waits: Estimate
    variance: Estimate
    seat_variance: Estimate
    covariance: Estimate


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    seats: int
    common: Game
    standard: Game


@dataclass(frozen=True, slots=True)
class Pace:
    """One game under a timing model."""

    round_s: Estimate
    rounds_per_hour: Estimate
    parts: RoundParts


@dataclass(frozen=True, slots=True)
class PaceRow:
    """``gain`` is the speed of the common hand over that of standard dealing; 1 is equally fast."""

    seats: int
    common: Pace
    standard: Pace
    gain: Estimate


@dataclass(frozen=True, slots=True)
class Simulated:
    """The batches of both games; ``standard[k - 1]`` those of k seats. ``cut_card``: shoes last."""

    common: Sequence[CommonTally]
    standard: Sequence[Sequence[StandardTally]]
    cut_card: bool


def figure(batches: Sequence[_Batch], of: Callable[[_Batch], float]) -> Estimate:
    """The mean over batches of equal size, and its standard error from their spread."""
    values = [of(batch) for batch in batches]
    return Estimate(fmean(values), stdev(values) / math.sqrt(len(values)))


def rows(simulated: Simulated) -> tuple[ComparisonRow, ...]:
    cut_card = simulated.cut_card
    return tuple(
        ComparisonRow(seats, _common(simulated.common, seats, cut_card), _standard(batches, seats, cut_card))
        for seats, batches in enumerate(simulated.standard, start=1)
    )


def paces(simulated: Simulated, timing: TableTiming) -> tuple[PaceRow, ...]:
    """The same rounds under a timing model. Batches of the two games are independent."""
    found = []
    for seats, batches in enumerate(simulated.standard, start=1):
        common = _pace(timing, [common_work(batch, seats, simulated.cut_card) for batch in simulated.common])
        standard = _pace(timing, [standard_work(batch, simulated.cut_card) for batch in batches])
        gain = common.rounds_per_hour.value / standard.rounds_per_hour.value
        error = gain * math.hypot(_relative(common.round_s), _relative(standard.round_s))
        found.append(PaceRow(seats, common, standard, Estimate(gain, error)))
    return tuple(found)


def faster_from(rows_: Sequence[PaceRow]) -> int | None:
    """The least number of seats from which on the common hand is faster, for certain (3 errors)."""
    first = None
    for row in reversed(rows_):
        if row.gain.value - 3 * row.gain.error <= 1:
            break
        first = row.seats
    return first


def _pace(timing: TableTiming, works: Sequence[Work]) -> Pace:
    """Rounds per hour are 3600 by the mean seconds: the long-run rate, whatever single rounds take."""
    parts = [seconds(timing, work) for work in works]
    round_s = figure(parts, lambda part: part.round_s)
    per_hour = 3600 / round_s.value
    names = ("cards_s", "decisions_s", "settlement_s", "bets_s")
    mean = RoundParts(*(fmean(getattr(part, name) for part in parts) for name in names))
    return Pace(round_s, Estimate(per_hour, per_hour * _relative(round_s)), mean)


def _relative(of: Estimate) -> float:
    return of.error / of.value


def _common(batches: Sequence[CommonTally], seats: int, cut_card: bool) -> Game:
    variance = figure(batches, _own_variance)
    table = Estimate(seats**2 * variance.value, seats**2 * variance.error)
    works = [common_work(batch, seats, cut_card) for batch in batches]
    return Game(
        cards=figure(works, lambda work: work.cards),
        decisions=figure(works, lambda work: work.registered),
        waits=figure(works, lambda work: sum(work.asked)),
        variance=table,
        seat_variance=variance,
        covariance=variance if seats > 1 else Estimate(0.0, 0.0),
    )


def _standard(batches: Sequence[StandardTally], seats: int, cut_card: bool) -> Game:
    works = [standard_work(batch, cut_card) for batch in batches]
    asked = figure(works, lambda work: sum(work.asked))
    return Game(
        cards=figure(works, lambda work: work.cards),
        decisions=asked,
        waits=asked,
        variance=figure(batches, _table_variance),
        seat_variance=figure(batches, _seat_variance),
        covariance=figure(batches, _covariance) if seats > 1 else Estimate(0.0, 0.0),
    )


def _own_variance(batch: CommonTally) -> float:
    mean = batch.net / batch.part / batch.rounds
    return batch.net_squares / batch.part**2 / batch.rounds - mean**2


def _table_variance(batch: StandardTally) -> float:
    mean = batch.net / batch.part / batch.rounds
    return batch.net_squares / batch.part**2 / batch.rounds - mean**2


def _seat_variance(batch: StandardTally) -> float:
    seat_rounds = batch.rounds * batch.seats
    mean = batch.net / batch.part / seat_rounds
    return batch.seat_squares / batch.part**2 / seat_rounds - mean**2


def _covariance(batch: StandardTally) -> float:
    """What the table's variance is above that of so many single seats, by pairs of seats."""
    above = _table_variance(batch) - batch.seats * _seat_variance(batch)
    return above / (batch.seats * (batch.seats - 1))
