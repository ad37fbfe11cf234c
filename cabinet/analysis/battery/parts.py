"""The battery: which tests run on which cards, numbers and bytes, and on how many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from cabinet.analysis.battery import cards, order, rounds
from cabinet.analysis.battery.result import Floats, Ints, Result, normal, uniform_counts
from cabinet.analysis.battery.supply import Supply
from cabinet.rng.health import START_BYTES
from game.cards import CARD_LIMIT, DECK_CARDS

# The first cards of a six-deck shoe: as many as a round of the table takes, and most of its rounds less.
SHOE_DECKS, SHOE_CARDS = 6, 20
SHUFFLES_PER_SHOE = 4  # one deal of a six-deck shoe for so many shuffles of a deck
# Draws of each bounded integer: so many for every value that it can have.
PER_VALUE_LEAST, PER_VALUE_MOST, SHUFFLES_PER_VALUE = 10, 200, 3_000
DRAWS_LEAST = 1_000
BYTES = 1 << 21
BIT_LAGS = 16
PREFIXES = {1: "deck", 6: "six decks"}


@dataclass(frozen=True, slots=True)
class BatteryPart:
    """Tests that share their data: they are repeated together on fresh data."""

    name: str
    run: Callable[[Supply, int], Iterator[Result]]  # with the number of shuffles that was asked for


def tallies(decks: int, each: int) -> list[cards.CardTally]:
    """Every test that deals of `each` cards from `decks` decks allow."""
    n = decks * DECK_CARDS
    chosen: list[cards.CardTally] = [
        cards.Duplicates(n),
        cards.Positions(n, each),
        order.BetweenDeals(n, each),
    ]
    if each >= 2:
        chosen.append(cards.FirstPair(n))
    if each >= 4:
        chosen += [cards.Collisions(n, each), order.FourCards()]
    if each >= rounds.LEAST_CARDS:
        chosen.append(rounds.Rounds(decks))
    if decks == 1 and each == n:
        chosen += [cards.Neighbours(n), order.Runs(n), order.WithinDeal(n), order.Faces(), order.Structure(n)]
    return chosen


def of_deals(chosen: list[cards.CardTally], pieces: Iterable[Ints], prefix: str) -> Iterator[Result]:
    """The results of all tallies over all pieces. A wrong card ends it: no other number means anything."""
    duplicates = chosen[0]
    for piece in pieces:
        duplicates.add(piece)
        if any(result.p == 0 for result in duplicates.results()):
            break
        for tally in chosen[1:]:
            tally.add(piece)
    found = list(duplicates.results())
    if all(result.p > 0 for result in found):
        found += [result for tally in chosen[1:] for result in tally.results()]
    for result in found:
        yield Result(f"{prefix}: {result.name}", result.p, result.detail, result.exact)


def _one_deck(supply: Supply, shuffles: int) -> Iterator[Result]:
    return of_deals(tallies(1, DECK_CARDS), supply.deals(1, DECK_CARDS, shuffles), PREFIXES[1])


def _six_decks(supply: Supply, shuffles: int) -> Iterator[Result]:
    pieces = supply.deals(SHOE_DECKS, SHOE_CARDS, shoes(shuffles))
    return of_deals(tallies(SHOE_DECKS, SHOE_CARDS), pieces, PREFIXES[SHOE_DECKS])


def shoes(shuffles: int) -> int:
    return max(1, shuffles // SHUFFLES_PER_SHOE)


def draws(n: int, shuffles: int) -> int:
    """How many integers below n are drawn."""
    per_value = min(PER_VALUE_MOST, max(PER_VALUE_LEAST, shuffles // SHUFFLES_PER_VALUE))
    return max(DRAWS_LEAST, n * per_value)


def bytes_needed(shuffles: int) -> int:
    """Bytes that the cards and integers of so many shuffles take, with room for unlucky redraws."""
    deck = sum(_bytes_of(n) for n in range(2, DECK_CARDS + 1))
    whole = SHOE_DECKS * DECK_CARDS
    shoe = sum(_bytes_of(n) for n in range(whole - SHOE_CARDS + 1, whole + 1))
    integers = sum(draws(n, shuffles) * _bytes_of(n) for n in range(2, CARD_LIMIT + 1))
    mean = shuffles * deck + shoes(shuffles) * shoe + integers
    return START_BYTES + int(mean + 20 * mean**0.5)


def _bytes_of(n: int) -> float:
    """The mean number of bytes that one of n takes."""
    bits = (n - 1).bit_length()
    return (bits + 7) // 8 * (1 << bits) / n


def _ranges(supply: Supply, shuffles: int) -> Iterator[Result]:
    """Every bounded integer that a shoe of one to eight decks can ask for, and one number after another."""
    for n in range(2, CARD_LIMIT + 1):
        drawn = supply.numbers(n, draws(n, shuffles))
        yield uniform_counts(f"one of {n}", np.bincount(drawn, minlength=n))


def _bytes(supply: Supply, _shuffles: int) -> Iterator[Result]:
    return of_bytes(supply.take(BYTES))


def of_bytes(data: bytes) -> Iterator[Result]:
    """Bytes, pairs of bytes and bits as the scaling consumes them."""
    values = np.frombuffer(data, dtype=np.uint8).astype(np.int64)
    yield uniform_counts("bytes: values", np.bincount(values, minlength=256))
    even = len(values) // 2 * 2
    pairs = values[0:even:2] * 256 + values[1:even:2]
    yield uniform_counts("bytes: pairs", np.bincount(pairs, minlength=1 << 16))
    for bit in range(8):
        ones = int((values >> bit & 1).sum())
        yield normal(f"bytes: bit {bit}", (ones - len(values) / 2) / (len(values) / 4) ** 0.5)
    bits: Floats = np.unpackbits(np.frombuffer(data, dtype=np.uint8)).astype(np.float64) * 2 - 1
    for lag in range(1, BIT_LAGS + 1):
        products = float(bits[:-lag] @ bits[lag:])
        yield normal(f"bits: correlation at distance {lag}", products / (len(bits) - lag) ** 0.5)


PARTS = (
    BatteryPart("one deck", _one_deck),
    BatteryPart("six decks", _six_decks),
    BatteryPart("integers", _ranges),
    BatteryPart("bytes", _bytes),
)
