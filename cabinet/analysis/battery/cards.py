"""Which card lies where: tests of deals. Each tally takes deals in pieces and then says its results.

Deals are integer arrays of shape (deals, cards of each deal); an item is one card of the shoe,
0 .. n - 1, so two cards of one face from two decks are two items.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from cabinet.analysis.battery.result import (
    EXPECTED_LEAST,
    Ints,
    Result,
    chi_square,
    poisson,
    uniform_counts,
)

NO_CARD_TWICE = "no card twice"
TABLE = "table of positions and cards"
FIRST_POSITION = "card at position 1"


class CardTally(Protocol):
    def add(self, deals: Ints) -> None: ...
    def results(self) -> Iterator[Result]: ...


class Duplicates:
    """Exact: no card twice in a deal, no card that the shoe does not have."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.deals = self.wrong = 0

    def add(self, deals: Ints) -> None:
        in_order = np.sort(deals, axis=1)
        twice = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
        strange = (in_order[:, 0] < 0) | (in_order[:, -1] >= self.n)
        self.wrong += int((twice | strange).sum())
        self.deals += len(deals)

    def results(self) -> Iterator[Result]:
        text = f"{self.wrong} of {self.deals} deals with a card twice or a strange one"
        yield Result(NO_CARD_TWICE, 0.0 if self.wrong else 1.0, text, exact=True)


class Positions:
    """Every card equally often at every position: each position alone, then the table as a whole.

    The cells of the table hang together, because a card lies at one position of a deal. With P
    positions of n: the part that differs between positions has (P - 1)(n - 1) degrees of freedom and
    variance 1/(n - 1) a deal; what all positions share has n - 1 and (1 - P/n)/(n - 1), nothing when
    P = n.
    """

    def __init__(self, n: int, each: int) -> None:
        self.n = n
        self.deals = 0
        self.table: Ints = np.zeros((each, n), dtype=np.int64)
        self._offset = np.arange(each, dtype=np.int64) * n

    def add(self, deals: Ints) -> None:
        self.deals += len(deals)
        cells = np.bincount((deals + self._offset).ravel(), minlength=self.table.size)
        self.table += cells.reshape(self.table.shape)

    def results(self) -> Iterator[Result]:
        n, positions = self.n, len(self.table)
        if self.deals < EXPECTED_LEAST * n:
            return
        for place, row in enumerate(self.table, 1):
            yield uniform_counts(f"card at position {place}", row)
        off = self.table - self.deals / n
        shared = off.mean(axis=0)
        if positions > 1:
            between = float(((off - shared) ** 2).sum()) * (n - 1) / self.deals
            yield chi_square(TABLE, between, (positions - 1) * (n - 1))
        if 1 < positions < n:
            variance = self.deals * (1 - positions / n) / (n - 1) / positions
            yield chi_square("cards over all positions", float((shared**2).sum()) / variance, n - 1)


class FirstPair:
    """The ordered pair of the first two cards: n (n - 1) cells; by ranks when those are too many."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.deals = 0
        self.codes: list[Ints] = []

    def add(self, deals: Ints) -> None:
        self.deals += len(deals)
        self.codes.append(deals[:, 0] * self.n + deals[:, 1])

    def results(self) -> Iterator[Result]:
        n = self.n
        codes = np.concatenate(self.codes)
        if self.deals >= EXPECTED_LEAST * n * (n - 1):
            table = np.bincount(codes, minlength=n * n).reshape(n, n)
            yield uniform_counts("first two cards in order", table[~np.eye(n, dtype=bool)])
        ranks = (codes // n % 13) * 13 + codes % n % 13
        seen = np.bincount(ranks, minlength=169).astype(float)
        of_rank = n // 13
        expected = np.full((13, 13), of_rank * of_rank) - np.diag(np.full(13, of_rank))
        wanted = (expected / (n * (n - 1))).ravel() * self.deals
        if wanted.min() >= EXPECTED_LEAST:
            yield chi_square(
                "ranks of the first two cards", float(((seen - wanted) ** 2 / wanted).sum()), 168
            )


class Neighbours:
    """Unordered pairs of cards that lie side by side in a complete shuffle: n (n - 1)/2 cells.

    The positions are paired as 1-2, 3-4, ... and again as 2-3, 4-5, ..., n-1: two perfect matchings.
    In a random matching each card has one partner, which leaves n (n - 3)/2 degrees of freedom with the
    variance (n - 2)/((n - 1)(n - 3)) a deal in every one of them.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.deals = 0
        self.tables: Ints = np.zeros((2, n * n), dtype=np.int64)

    def add(self, deals: Ints) -> None:
        self.deals += len(deals)
        for table, cards in zip(self.tables, (deals, np.roll(deals, -1, axis=1)), strict=True):
            one, other = cards[:, 0::2], cards[:, 1::2]
            codes = np.minimum(one, other) * self.n + np.maximum(one, other)
            table += np.bincount(codes.ravel(), minlength=self.n * self.n)

    def results(self) -> Iterator[Result]:
        n = self.n
        if self.deals < EXPECTED_LEAST * (n - 1):
            return
        variance = self.deals * (n - 2) / ((n - 1) * (n - 3))
        cells = np.triu(np.ones((n, n), dtype=bool), 1)
        for name, table in zip(("1-2, 3-4 ..", "2-3, 4-5 .."), self.tables, strict=True):
            off = table.reshape(n, n)[cells] - self.deals / (n - 1)
            statistic = float((off**2).sum()) / variance
            yield chi_square(f"pairs side by side, positions {name}", statistic, n * (n - 3) // 2)


class Collisions:
    """Pairs of deals that begin with the same cards: as often as chance says for four cards, practically
    never for as many as fit into a word (ten of one deck, six or seven of more)."""

    def __init__(self, n: int, each: int) -> None:
        self.n = n
        self.longest = min(each, int(62 / np.log2(n)), 10)
        self.codes: dict[int, list[Ints]] = {4: [], self.longest: []}

    def add(self, deals: Ints) -> None:
        code = np.zeros(len(deals), dtype=np.int64)
        for place in range(self.longest):
            code = code * self.n + deals[:, place]
            if place + 1 in self.codes:
                self.codes[place + 1].append(code)

    def results(self) -> Iterator[Result]:
        for length, pieces in self.codes.items():
            codes = np.concatenate(pieces)
            _, times = np.unique(codes, return_counts=True)
            seen = int((times * (times - 1) // 2).sum())
            cells = np.prod(np.arange(self.n, self.n - length, -1, dtype=float))
            mean = len(codes) * (len(codes) - 1) / 2 / float(cells)
            yield poisson(f"deals that begin with the same {length} cards", seen, mean)
