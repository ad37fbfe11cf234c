"""The rule by which the battery passes or fails, fixed before any data are seen.

1. An exact test that is violated, or a p-value below 1e-6, is a failure at once.
2. Holm's correction for the number of tests, 1 % for all of them together: two rejected tests or
   more are a failure.
3. The p-values of all tests should be uniform: Kolmogorov and Smirnov, 1 %.
4. A single rejected test, or a set of p-values rejected by 3, is repeated once on fresh data: the
   test alone at 1 %, the set by 3 again. What is rejected a second time is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scipy import stats

from cabinet.analysis.battery.result import Result

LEVEL = 0.01
CATASTROPHE = 1e-6
EXACT_LEVEL = 1e-6
KS = "p-values uniform"


@dataclass(frozen=True, slots=True)
class SampleLook:
    """One look at a set of results."""

    fatal: tuple[str, ...]  # by rule 1
    rejected: tuple[str, ...]  # by Holm, the smallest p first
    ks: float


@dataclass(frozen=True, slots=True)
class BatteryVerdict:
    passed: bool
    reasons: tuple[str, ...]  # why not; or what was repeated
    look: SampleLook
    repeated: tuple[Result, ...] = ()


def look(results: Sequence[Result]) -> SampleLook:
    fatal = [result.name for result in results if result.p < (EXACT_LEVEL if result.exact else CATASTROPHE)]
    ordered = sorted((result for result in results if not result.exact), key=lambda result: result.p)
    rejected: list[str] = []
    for place, result in enumerate(ordered):
        if result.p >= LEVEL / (len(ordered) - place):
            break
        rejected.append(result.name)
    ks = float(stats.kstest([result.p for result in ordered], "uniform").pvalue) if ordered else 1.0
    return SampleLook(tuple(fatal), tuple(rejected), ks)


def judge(
    results: Sequence[Result], again: Callable[[Sequence[str]], Sequence[Result]] | None
) -> BatteryVerdict:
    """By the rule. `again` runs the parts with the named tests on fresh data (all of them for an empty
    list); None when there are no fresh data: a file."""
    first = look(results)
    if first.fatal:
        return BatteryVerdict(False, tuple(f"{name}: p below 1e-6" for name in first.fatal), first)
    if len(first.rejected) > 1:
        return BatteryVerdict(False, tuple(f"{name}: rejected" for name in first.rejected), first)
    doubts = list(first.rejected)
    uneven = first.ks <= LEVEL
    if not doubts and not uneven:
        return BatteryVerdict(True, (), first)
    names = doubts + [KS] * uneven
    if again is None:
        why = "rejected once; a file has no fresh data: collect a second one, the same test must pass there"
        return BatteryVerdict(False, tuple(f"{name}: {why}" for name in names), first)
    fresh = tuple(again([] if uneven else doubts))
    second = look(fresh)
    failed = [f"{name}: p below 1e-6 in the repetition" for name in second.fatal]
    failed += [f"{r.name}: rejected twice" for r in fresh if r.name in doubts and r.p < LEVEL]
    if uneven and second.ks <= LEVEL:
        failed.append(f"{KS}: rejected twice")
    if failed:
        return BatteryVerdict(False, tuple(failed), first, fresh)
    return BatteryVerdict(
        True, tuple(f"{name}: rejected once, passed on fresh data" for name in names), first, fresh
    )
