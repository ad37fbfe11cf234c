"""In which order the cards of a whole deck come: runs, correlation, gaps, cycles, old neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from cabinet.analysis.battery import laws
from cabinet.analysis.battery.result import Floats, Ints, Result, counts, normal, uniform_counts

ROUND_LAGS = 10
_ORDERS = {order: number for number, order in enumerate(permutations(range(4)))}


class Runs:
    """Runs up and down, and runs above and below the median: how often the order turns round."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.deals = self.up_down = self.median = 0

    def add(self, deals: Ints) -> None:
        self.deals += len(deals)
        rising = deals[:, 1:] > deals[:, :-1]
        self.up_down += int((rising[:, 1:] != rising[:, :-1]).sum()) + len(deals)
        above = deals >= self.n // 2
        self.median += int((above[:, 1:] != above[:, :-1]).sum()) + len(deals)

    def results(self) -> Iterator[Result]:
        n, deals = self.n, self.deals
        z = (self.up_down - deals * (2 * n - 1) / 3) / (deals * (16 * n - 29) / 90) ** 0.5
        yield normal("runs up and down", z)
        half = n / 2  # both sides of the median; their number of runs is that of Wald and Wolfowitz
        product = 2 * half * half
        variance = product * (product - n) / (n * n * (n - 1))
        z = (self.median - deals * (product / n + 1)) / (deals * variance) ** 0.5
        yield normal("runs above and below the median", z)


class WithinDeal:
    """Serial correlation of card numbers at every distance inside a deal."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.deals = 0
        self.sums: Floats = np.zeros(n)
        self.squares: Floats = np.zeros(n)

    def add(self, deals: Ints) -> None:
        self.deals += len(deals)
        off = deals - (self.n - 1) / 2
        for lag in range(1, self.n):
            products = np.einsum("ij,ij->i", off[:, :-lag], off[:, lag:])
            self.sums[lag] += products.sum()
            self.squares[lag] += (products**2).sum()

    def results(self) -> Iterator[Result]:
        n, deals = self.n, self.deals
        for lag in range(1, n):
            mean = self.sums[lag] / deals
            expected = -(n - lag) * (n * n - 1) / 12 / (n - 1)
            variance = max(self.squares[lag] / deals - mean**2, 1e-12)
            yield normal(
                f"correlation in a deal at distance {lag}", (mean - expected) / (variance / deals) ** 0.5
            )


class BetweenDeals:
    """Correlation of one deal with later ones: position by position with the next, whole deals with the
    next ten."""

    def __init__(self, n: int, each: int) -> None:
        self.n = n
        self.pairs = 0
        self.places: Floats = np.zeros(each)
        self.whole: Floats = np.zeros(ROUND_LAGS + 1)
        self.whole_pairs: Ints = np.zeros(ROUND_LAGS + 1, dtype=np.int64)
        self._before: Floats = np.zeros((0, each))

    def add(self, deals: Ints) -> None:
        off = deals - (self.n - 1) / 2
        both = np.concatenate([self._before, off])
        old = len(self._before)
        for lag in range(1, ROUND_LAGS + 1):
            start = max(0, old - lag)
            if len(both) <= start + lag:
                continue
            products = both[start : len(both) - lag] * both[start + lag :]
            self.whole[lag] += products.sum()
            self.whole_pairs[lag] += len(products)
            if lag == 1:
                self.places += products.sum(axis=0)
        self._before = both[-ROUND_LAGS:]

    def results(self) -> Iterator[Result]:
        n, each = self.n, len(self.places)
        square = (n * n - 1) / 12
        for place, total in enumerate(self.places, 1):
            yield normal(f"position {place} and the next deal", total / (square * self.whole_pairs[1] ** 0.5))
        # Cards of one deal repel one another a little: the sum over positions varies less.
        rest = -square / (n - 1)
        variance = each * square**2 + each * (each - 1) * rest**2
        for lag in range(1, ROUND_LAGS + 1):
            z = self.whole[lag] / (variance * self.whole_pairs[lag]) ** 0.5
            yield normal(f"deals {lag} apart", z)


class FourCards:
    """The order of four cards that follow one another: 24 orders."""

    def __init__(self) -> None:
        self.seen: Ints = np.zeros(24, dtype=np.int64)
        self._number = np.zeros(256, dtype=np.int64)
        for order, number in _ORDERS.items():
            self._number[np.dot(order, (64, 16, 4, 1))] = number

    def add(self, deals: Ints) -> None:
        groups = deals[:, : deals.shape[1] // 4 * 4].reshape(-1, 4)
        order = np.argsort(groups, axis=1) @ np.array([64, 16, 4, 1])
        self.seen += np.bincount(self._number[order], minlength=24)

    def results(self) -> Iterator[Result]:
        yield uniform_counts("order of four cards", self.seen)


class Faces:
    """Gaps, poker hands and coupons: when ranks and suits turn up in a deck of 52."""

    def __init__(self) -> None:
        self.deals = 0
        self._seen: dict[str, Ints] = {}

    def add(self, deals: Ints) -> None:
        self.deals += len(deals)
        places = np.argsort(deals, axis=1)  # of every card
        by_suit = places.reshape(-1, 4, 13)
        aces = np.sort(by_suit[:, :, 0], axis=1)
        tens = np.sort(by_suit[:, :, 9:].reshape(-1, 16), axis=1)
        hearts = np.sort(by_suit[:, 1, :], axis=1)
        self._count("first ace", aces[:, 0])
        self._count("gap between the last two aces", aces[:, 3] - aces[:, 2] - 1)
        self._count("first ten-valued card", tens[:, 0])
        self._count("gap between the first ten-valued cards", tens[:, 1] - tens[:, 0] - 1)
        self._count("gap between the first hearts", hearts[:, 1] - hearts[:, 0] - 1)
        self._count("all ranks seen", by_suit.min(axis=1).max(axis=1))
        self._count("all suits seen", by_suit.min(axis=2).max(axis=1))
        self._count("poker hand of the first five cards", _poker(deals[:, :5]))
        self._count("poker hand of the last five cards", _poker(deals[:, -5:]))

    def _count(self, name: str, values: Ints) -> None:
        self._seen[name] = np.bincount(values, minlength=52) + self._seen.get(name, 0)

    def results(self) -> Iterator[Result]:
        four, sixteen, thirteen = (laws.first_of(52, marked) for marked in (4, 16, 13))
        hands = laws.poker()
        for name, law in (
            ("first ace", four),
            ("gap between the last two aces", four),
            ("first ten-valued card", sixteen),
            ("gap between the first ten-valued cards", sixteen),
            ("gap between the first hearts", thirteen),
            ("all ranks seen", laws.coupons(52, 13)),
            ("all suits seen", laws.coupons(52, 4)),
            ("poker hand of the first five cards", hands),
            ("poker hand of the last five cards", hands),
        ):
            yield counts(name, self._seen[name][: len(law)], law * self.deals)


def _poker(hands: Ints) -> Ints:
    """0 all different, 1 a pair, 2 two pairs, 3 three, 4 full house, 5 four of a kind."""
    ranks = np.sort(hands % 13, axis=1)
    alike = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=(1, 2))  # 5 + 2 for every pair of equal ranks
    number = np.full(26, -1, dtype=np.int64)
    number[[5, 7, 9, 11, 13, 17]] = range(6)
    found: Ints = number[alike]
    return found


class Structure:
    """What a shuffle leaves of the order before it: old neighbours, rising sequences, cards that stay,
    cycles, and whether the number of exchanges is even."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.deals = self.falls = self.even = 0
        self._seen: dict[str, Ints] = {}

    def add(self, deals: Ints) -> None:
        self.deals += len(deals)
        n, step = self.n, np.diff(deals, axis=1)
        places = np.argsort(deals, axis=1)
        self.falls += int((np.diff(places, axis=1) < 0).sum())
        cycles = _cycles(deals)
        self.even += int(((n - cycles) % 2 == 0).sum())
        for name, values in (
            ("old neighbours, upwards", (step == 1).sum(axis=1)),
            ("old neighbours, downwards", (step == -1).sum(axis=1)),
            ("cards that keep their place", (deals == np.arange(n)).sum(axis=1)),
            ("cycles", cycles),
        ):
            self._seen[name] = np.bincount(values, minlength=n + 1) + self._seen.get(name, 0)

    def results(self) -> Iterator[Result]:
        n, deals = self.n, self.deals
        near = laws.successions(n)
        for name, law in (
            ("old neighbours, upwards", near),
            ("old neighbours, downwards", near),
            ("cards that keep their place", laws.fixed_points(n)),
            ("cycles", laws.cycles(n)),
        ):
            yield counts(name, self._seen[name][: len(law)], law * deals)
        yield normal("rising sequences", (self.falls - deals * (n - 1) / 2) / (deals * (n + 1) / 12) ** 0.5)
        yield normal("even number of exchanges", (self.even - deals / 2) / (deals / 4) ** 0.5)


def _cycles(deals: Ints) -> Ints:
    """The number of cycles of each deal, by doubling: each card learns the least card of its cycle."""
    least = np.broadcast_to(np.arange(deals.shape[1]), deals.shape)
    step = deals
    for _ in range(int(deals.shape[1]).bit_length()):
        least = np.minimum(least, np.take_along_axis(least, step, axis=1))
        step = np.take_along_axis(step, step, axis=1)
    found: Ints = (least == np.arange(deals.shape[1])).sum(axis=1)
    return found
