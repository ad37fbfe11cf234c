"""What a statistical test of the battery says, and the ways from a statistic to a p-value.

A p-value is two-sided: data that fit too well are as strange as data that do not fit. Only a
chi-square of few cells is one-sided: its counts can be exactly right by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

TWO_SIDED_DF = 8
EXPECTED_LEAST = 5.0  # a chi-square cell with less is put together with its neighbours


@dataclass(frozen=True, slots=True)
class Result:
    """`exact`: no p-value of a continuous statistic; it counts by itself and not among the others."""

    name: str
    p: float
    detail: str
    exact: bool = False


def two_sided(upper: float) -> float:
    """From the probability of a larger statistic to that of one as far out on either side."""
    return min(1.0, 2 * min(upper, 1 - upper))


def chi_square(name: str, statistic: float, df: int) -> Result:
    upper, lower = float(stats.chi2.sf(statistic, df)), float(stats.chi2.cdf(statistic, df))
    p = upper if df < TWO_SIDED_DF else min(1.0, 2 * min(upper, lower))
    return Result(name, p, f"chi-square {statistic:.1f}, {df} df")


def counts(name: str, observed: Ints, expected: Floats) -> Result:
    """Counts of categories against their expectation, thin neighbours put together."""
    seen, wanted = _merged(observed.astype(float), expected)
    return chi_square(name, float(((seen - wanted) ** 2 / wanted).sum()), len(wanted) - 1)


def uniform_counts(name: str, observed: Ints) -> Result:
    """Counts that should all be equal."""
    expected = observed.sum() / len(observed)
    return chi_square(name, float(((observed - expected) ** 2).sum() / expected), len(observed) - 1)


def normal(name: str, z: float) -> Result:
    return Result(name, min(1.0, 2 * float(stats.norm.sf(abs(z)))), f"z {z:+.2f}")


def poisson(name: str, seen: int, mean: float) -> Result:
    """A count of rare events. Below a mean of 5 it counts by itself: its p-values have few steps."""
    if mean < EXPECTED_LEAST:
        return Result(
            name, float(stats.poisson.sf(seen - 1, mean)), f"{seen}, expected {mean:.2g}", exact=True
        )
    at = float(stats.poisson.pmf(seen, mean))
    upper = float(stats.poisson.sf(seen, mean)) + at / 2
    return Result(name, two_sided(upper), f"{seen}, expected {mean:.1f}")


def _merged(observed: Floats, expected: Floats) -> tuple[Floats, Floats]:
    """Neighbours put together until each cell expects enough."""
    seen, wanted = [0.0], [0.0]
    for count, mean in zip(observed, expected, strict=True):
        if wanted[-1] >= EXPECTED_LEAST:
            seen.append(0.0)
            wanted.append(0.0)
        seen[-1] += count
        wanted[-1] += mean
    if len(wanted) > 1 and wanted[-1] < EXPECTED_LEAST:
        seen[-2] += seen.pop()
        wanted[-2] += wanted.pop()
    return np.array(seen), np.array(wanted)
