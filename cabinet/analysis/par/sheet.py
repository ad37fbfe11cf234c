"""The PAR sheet as data: everything exact that is to be said about a rule set."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction

from scipy.stats import norm

from cabinet.config.chart_file import rows_of
from game.analysis.exact import ALWAYS_STAND, Analysis, ChartCell, Distribution, analyse, distribution_of
from game.rules import Rules

BAND_ROUNDS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
CONFIDENCES = (90, 95, 99)  # percent
# More decimals than any reader needs and fewer than double precision has, so that every machine
# writes the same figures.
DECIMALS = 10


@dataclass(frozen=True, slots=True)
class Band:
    """Between which returns (percent) `confidence` percent of all series of `rounds` rounds end.

    `low`, `high` are of the first bets, `staked_low`, `staked_high` of everything staked.
    """

    rounds: int
    confidence: int
    low: float
    high: float
    staked_low: float
    staked_high: float


@dataclass(frozen=True, slots=True)
class ParSheet:
    """One rule set. `timed_out` is the law of a round of a player who never presses a button."""

    title: str
    rules: Rules
    odds: Analysis
    timed_out: Distribution
    bands: tuple[Band, ...]

    @property
    def is_default(self) -> bool:
        """These are the odds of the rules that 0.66 % was published for."""
        return self.rules.odds_hash == Rules().odds_hash


def make_sheet(title: str, rules: Rules, say: Callable[[str], None]) -> ParSheet:
    """Takes a few seconds. ``say`` is told what is being done."""
    odds = analyse(rules, say)
    say("a player who never decides")
    timed_out = distribution_of(rules, ALWAYS_STAND)
    bands = tuple(_band(odds, rounds, share) for rounds in BAND_ROUNDS for share in CONFIDENCES)
    return ParSheet(title, rules, odds, timed_out, bands)


def _band(odds: Distribution, rounds: int, confidence: int) -> Band:
    """By the central limit: the mean of a thousand rounds is as good as normal.

    The return of all that is staked is a quotient of two sums; what the second one moves is less than
    a fifth of a percent of the width and is left out.
    """
    wide = half_width(odds, rounds, confidence)
    first, staked = 100 + 100 * odds.mean, 100 - 100 * odds.edge_per_unit_staked
    staked_wide = wide / odds.bet_per_round
    return Band(rounds, confidence, first - wide, first + wide, staked - staked_wide, staked + staked_wide)


def half_width(odds: Distribution, rounds: int, confidence: int) -> float:
    """Half of a band around the return of the first bets, in percent."""
    quantile = float(norm.ppf(0.5 + confidence / 200))
    return 100 * quantile * odds.sd / math.sqrt(rounds)


def result_name(result: Fraction) -> str:
    """A net result in plain figures: "-1", "0", "1.5"; what has no short decimal form stays "8/7"."""
    if result.denominator == 1:
        return str(result.numerator)
    exact = Fraction(str(float(result)))
    return str(float(result)) if exact == result else f"{result.numerator}/{result.denominator}"


def figures_of(odds: Analysis) -> dict[str, float]:
    """The figures that stand in a chart file, and first in the JSON."""
    return {
        "house_edge_td_percent": percent(odds.edge_td),
        "house_edge_cd_percent": percent(odds.edge_cd),
        "bet_per_round": rounded(odds.bet_per_round),
        "edge_per_unit_staked_percent": percent(odds.edge_per_unit_staked),
        "sd": rounded(odds.sd),
        "variance": rounded(odds.variance),
    }


def as_json(sheet: ParSheet) -> dict[str, object]:
    """Everything on the sheet. Percents are of 100; probabilities and shares of 1."""
    odds, rules = sheet.odds, sheet.rules
    return {
        "title": sheet.title,
        **figures_of(odds),
        "return_percent": rounded(100 - 100 * odds.edge_td),
        "return_of_staked_percent": rounded(100 - 100 * odds.edge_per_unit_staked),
        **_round_figures(odds),
        "natural_percent": percent(odds.natural),
        "net": _net(odds),
        "rtp_bands": [
            {
                "rounds": band.rounds,
                "confidence_percent": band.confidence,
                "low_percent": rounded(band.low),
                "high_percent": rounded(band.high),
                "of_staked_low_percent": rounded(band.staked_low),
                "of_staked_high_percent": rounded(band.staked_high),
            }
            for band in sheet.bands
        ],
        "time_outs": {
            "house_edge_percent": percent(-sheet.timed_out.mean),
            "return_percent": rounded(100 + 100 * sheet.timed_out.mean),
            "sd": rounded(sheet.timed_out.sd),
            **_round_figures(sheet.timed_out),
            "net": _net(sheet.timed_out),
        },
        "hand_totals": {name: rounded(share) for name, share in odds.hand_totals.items()},
        "dealer_totals": {name: rounded(share) for name, share in odds.dealer_totals.items()},
        "chart": rows_of(odds.chart),
        "cells": _cells(odds.cells),
        "cells_as_dealt": _cells(odds.dealt),
        "rules": asdict(rules),
        "rules_hash": rules.rules_hash,
        "odds_hash": rules.odds_hash,
    }


def _round_figures(law: Distribution) -> dict[str, float]:
    return {
        f"{name}_percent": percent(getattr(law, name)) for name in ("win", "push", "loss", "split", "double")
    }


def _net(law: Distribution) -> dict[str, float]:
    return {result_name(result): rounded(chance) for result, chance in sorted(law.net.items())}


def _cells(cells: Mapping[tuple[str, str], ChartCell]) -> dict[str, dict[str, dict[str, object]]]:
    """By hand, by upcard: the letter and what each choice is worth (null: not possible)."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for (hand, upcard), cell in cells.items():
        worth: dict[str, object] = {
            key: value if isinstance(value, str | None) else rounded(value)
            for key, value in asdict(cell).items()
        }
        found.setdefault(hand, {})[upcard] = worth
    return found


def rounded(value: float) -> float:
    return round(value, DECIMALS) + 0.0  # never -0.0


def percent(share: float) -> float:
    return rounded(100 * share)
