"""Scaling without bias, shown by counting; and what a broken source leads to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

import pytest

from cabinet.core.turn import DrawError
from cabinet.rng.source import REDRAWS_MAX, kernel, uniform
from game.cards import CARD_LIMIT


class Counting:
    """A source that gives every number of its lowest `bits` once in each period of 2**bits, in a mixed
    order, with whatever above them."""

    def __init__(self, bits: int = 8) -> None:
        self.bits = bits
        self.given = 0
        self.asked: list[int] = []

    def __call__(self, count: int) -> bytes:
        low = self.given * 0x9E5 % (1 << self.bits)
        high = self.given * 7 << self.bits
        self.given += 1
        self.asked.append(count)
        return ((low | high) & ((1 << 8 * count) - 1)).to_bytes(count, "little")


def test_every_range_that_a_shoe_can_have_is_exactly_uniform() -> None:
    """Over a whole period of the source each card comes equally often: the chi-square statistic of the
    counts is 0 for every n, not merely small."""
    for n in range(2, CARD_LIMIT + 1):
        bits = (n - 1).bit_length()
        source = Counting(bits)
        found: Counter[int] = Counter()
        for _ in range(n):
            found[uniform(n, source)] += 1
        assert source.given <= 1 << bits
        expected = sum(found.values()) / n
        chi_square = sum((found[value] - expected) ** 2 / expected for value in range(n))
        assert (len(found), chi_square) == (n, 0), f"1 of {n} is not uniform: {found}"


@pytest.mark.parametrize(
    ("n", "size"), [(2, 1), (52, 1), (256, 1), (257, 2), (416, 2), (65_536, 2), (65_537, 3)]
)
def test_the_fewest_bytes_are_taken(n: int, size: int) -> None:
    source = Counting()
    uniform(n, source)
    assert source.asked == [size]


def test_one_of_one_needs_no_chance() -> None:
    source = Counting()
    assert uniform(1, source) == 0
    assert source.asked == []


@pytest.mark.parametrize("n", [0, -1])
def test_there_is_no_card_in_an_empty_shoe(n: int) -> None:
    with pytest.raises(ValueError, match="cannot draw one of"):
        uniform(n)


def test_values_that_are_too_large_are_thrown_away_and_never_wrapped() -> None:
    said = iter([63, 52, 60, 51])
    assert uniform(52, lambda count: bytes([next(said)])) == 51


def test_the_upper_bits_of_a_byte_are_not_looked_at() -> None:
    assert uniform(4, lambda count: b"\xfe") == 2


def no_system_call(count: int) -> bytes:
    raise OSError("function not implemented")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (lambda count: b"\xff" * count, f"{REDRAWS_MAX} unusable values"),
        (lambda count: b"", "too few bytes"),
        (lambda count: b"\x00" * (count + 1), "too few bytes"),
        (no_system_call, "function not implemented"),
    ],
    ids=["stuck", "short", "long", "refused"],
)
def test_a_broken_source_is_said_and_gives_no_card(source: Callable[[int], bytes], says: str) -> None:
    with pytest.raises(DrawError, match=says):
        uniform(312, source)


def test_a_stuck_source_is_asked_a_bounded_number_of_times() -> None:
    asked: list[int] = []

    def stuck(count: int) -> bytes:
        asked.append(count)
        return b"\xff" * count

    with pytest.raises(DrawError):
        uniform(52, stuck)
    assert len(asked) == REDRAWS_MAX


def test_cards_come_from_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, int]] = []

    def getrandom(count: int, flags: int) -> bytes:
        calls.append((count, flags))
        return bytes(count)

    assert len(kernel(16)) == 16
    monkeypatch.setattr(os, "getrandom", getrandom)
    assert uniform(312) == 0
    assert calls == [(2, 0)], "flags 0: wait for the pool, never for more"
