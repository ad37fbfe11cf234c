"""Exact laws of a random permutation, as probabilities: what a perfect shuffle of n cards does."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, factorial

import numpy as np

from cabinet.analysis.battery.result import Floats


def floats(law: list[Fraction]) -> Floats:
    return np.array([float(part) for part in law])


@cache
def derangements(n: int) -> int:
    """Permutations of n in which nothing keeps its place."""
    if n < 2:
        return 1 - n
    return (n - 1) * (derangements(n - 1) + derangements(n - 2))


def fixed_points(n: int) -> Floats:
    """P(k cards keep their place), k = 0 .. n."""
    return floats([Fraction(comb(n, k) * derangements(n - k), factorial(n)) for k in range(n + 1)])


def successions(n: int) -> Floats:
    """P(k cards are followed by the one that followed them before), k = 0 .. n - 1."""

    def none(m: int) -> int:
        return derangements(m) + derangements(m - 1) if m > 1 else 1

    return floats([Fraction(comb(n - 1, k) * none(n - k), factorial(n)) for k in range(n)])


def cycles(n: int) -> Floats:
    """P(k cycles), k = 0 .. n: Stirling numbers of the first kind."""
    row = [Fraction(1)]
    for size in range(n):  # element number `size` opens a cycle or stands after one of those before it
        longer = [Fraction(0), *row]
        for k, part in enumerate(row):
            longer[k] += size * part
        row = [part / (size + 1) for part in longer]
    return floats(row)


def first_of(n: int, marked: int) -> Floats:
    """P(the first of `marked` cards is card number j), j = 1 .. n; also the law of the gap from one
    marked card to the next."""
    return floats([Fraction(comb(n - j, marked - 1), comb(n, marked)) for j in range(1, n + 1)])


def coupons(n: int, kinds: int) -> Floats:
    """P(all `kinds` kinds, n / kinds cards of each, have been seen with card number t), t = 1 .. n."""
    each = n // kinds

    def by(t: int) -> Fraction:
        total = sum((-1) ** j * comb(kinds, j) * comb(n - j * each, t) for j in range(kinds + 1))
        return Fraction(total, comb(n, t))

    return floats([by(t) - (by(t - 1) if t else 0) for t in range(1, n + 1)])


def poker() -> Floats:
    """Five cards of one deck by ranks: all different, a pair, two pairs, three, full house, four."""
    return np.array([1_317_888, 1_098_240, 123_552, 54_912, 3_744, 624]) / comb(52, 5)
