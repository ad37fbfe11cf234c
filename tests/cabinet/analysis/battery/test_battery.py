"""The battery passes what is fair and fails what is not: generators and shuffles with known faults."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pytest

from cabinet.analysis.battery import command
from cabinet.analysis.battery.parts import PARTS, BatteryPart, of_deals, tallies
from cabinet.analysis.battery.result import Result
from cabinet.analysis.battery.supply import DrawnCards
from cabinet.analysis.battery.verdict import judge, look
from cabinet.core.turn import Draw
from cabinet.rng import Source, uniform

Ints = npt.NDArray[np.int64]
ONE_DECK, SIX_DECKS, INTEGERS, BYTES = PARTS
SHUFFLES = 6_000


class Fair:
    """Cards, numbers and bytes of a generator with a seed, quick enough for many shuffles."""

    def __init__(self, seed: int) -> None:
        self.chance = np.random.default_rng(seed)

    def deals(self, decks: int, each: int, count: int) -> Iterator[Ints]:
        for start in range(0, count, 5_000):
            some = min(5_000, count - start)
            ordered = np.tile(np.arange(52 * decks, dtype=np.int64), (some, 1))
            yield self.shuffled(ordered)[:, :each].copy()

    def shuffled(self, ordered: Ints) -> Ints:
        return self.chance.permuted(ordered, axis=1)

    def numbers(self, n: int, count: int) -> Ints:
        return self.chance.integers(0, n, count)

    def take(self, count: int) -> bytes:
        return self.chance.bytes(count)


def deck(supply: Fair, shuffles: int = SHUFFLES) -> list[Result]:
    return list(ONE_DECK.run(supply, shuffles))


def failing(results: list[Result]) -> set[str]:
    return {result.name.partition(": ")[2] or result.name for result in results if result.p < 1e-6}


# ---- fair


def test_a_fair_generator_passes() -> None:
    results, verdict = command.tested(Fair(1), 20_000, PARTS, again=True)
    assert verdict.passed, verdict.reasons
    assert len(results) > 650
    assert len({result.name for result in results}) == len(results)
    assert min(result.p for result in results) > 1e-6


def test_the_production_path_passes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a seed in the kernel's place: the live one fails by chance once in a thousand runs."""
    monkeypatch.setattr(command, "kernel", random.Random(13).randbytes)
    report = command.live(1_000)
    assert report.passed, report.reasons
    assert capsys.readouterr().err.splitlines() == [f"battery: {part.name}" for part in PARTS]


def test_p_values_of_fair_shuffles_are_uniform() -> None:
    """All of sixty small batteries together: a wrong degree of freedom or variance bends them."""
    found: dict[str, list[float]] = {}
    for seed in range(60):
        for result in deck(Fair(seed), 1_500):
            if not result.exact:
                found.setdefault(result.name, []).append(result.p)
    small = {name: float(np.mean(np.array(ps) < 0.1)) for name, ps in found.items()}
    assert max(small.values()) < 0.29, {name: p for name, p in small.items() if p >= 0.29}
    assert 0.08 < np.mean(list(small.values())) < 0.12


@pytest.mark.parametrize(("decks", "each"), [(1, 1), (1, 3), (1, 10), (2, 104), (8, 12)])
def test_deals_of_any_shape_can_be_tested(decks: int, each: int) -> None:
    pieces = list(Fair(3).deals(decks, each, 3_000))
    results = list(of_deals(tallies(decks, each), pieces, "cards"))
    assert look(results).fatal == ()
    assert not np.isnan([result.p for result in results]).any()


# ---- wrong shuffles


class Sattolo(Fair):
    """Exchanges with 0 .. i - 1 instead of 0 .. i: only whole cycles come out."""

    least, most = 0, 0

    def shuffled(self, ordered: Ints) -> Ints:
        rows = np.arange(len(ordered))
        for i in range(ordered.shape[1] - 1, 0, -1):
            other = self.other(i, len(ordered), ordered.shape[1])
            ordered[rows, i], ordered[rows, other] = ordered[rows, other], ordered[rows, i].copy()
        return ordered

    def other(self, i: int, count: int, _n: int) -> Ints:
        return self.chance.integers(0, i, count)


class Everywhere(Sattolo):
    """Exchanges with any card at each step: n**n ways for n! orders."""

    def other(self, i: int, count: int, n: int) -> Ints:
        return self.chance.integers(0, n, count)


class Sorted(Fair):
    """Sorts by a random key of eight bits: keys that meet leave their cards in the old order."""

    def shuffled(self, ordered: Ints) -> Ints:
        keys = self.chance.integers(0, 256, ordered.shape)
        return np.argsort(keys, axis=1, kind="stable").astype(np.int64)


class Riffled(Fair):
    """Five riffles by the book of Gilbert, Shannon and Reeds: two too few."""

    def shuffled(self, ordered: Ints) -> Ints:
        for _ in range(5):
            bits = self.chance.integers(0, 2, ordered.shape)
            back = np.argsort(bits, axis=1, kind="stable")
            mixed = np.empty_like(ordered)
            np.put_along_axis(mixed, back, ordered, axis=1)
            ordered = mixed
        return ordered


class Twice(Fair):
    """Draws with putting back."""

    def shuffled(self, ordered: Ints) -> Ints:
        return self.chance.integers(0, ordered.shape[1], ordered.shape)


class Remembering(Fair):
    """Every hundredth deal begins with the cards of the one before."""

    def shuffled(self, ordered: Ints) -> Ints:
        mixed = super().shuffled(ordered)
        mixed[100::100] = mixed[99:-1:100]
        return mixed


class Echo(Fair):
    """Every second round begins with the cards of the one before."""

    def shuffled(self, ordered: Ints) -> Ints:
        mixed = super().shuffled(ordered)
        mixed[1::2] = mixed[0:-1:2]
        return mixed


class Favour(Fair):
    """An ace on top changes places with the fourth card in half of the shuffles: kind to the house."""

    def shuffled(self, ordered: Ints) -> Ints:
        mixed = super().shuffled(ordered)
        moved = (mixed[:, 0] % 13 == 0) & (self.chance.random(len(mixed)) < 0.5)
        mixed[moved, 0], mixed[moved, 3] = mixed[moved, 3], mixed[moved, 0].copy()
        return mixed


@pytest.mark.parametrize(
    ("wrong", "seen_by"),
    [
        (Favour, {"rounds: naturals"}),
        (Echo, {"rounds: result and the one 1 later"}),
        (
            Sattolo,
            {
                "cards that keep their place",
                "cycles",
                "even number of exchanges",
                "table of positions and cards",
            },
        ),
        (Everywhere, {"table of positions and cards"}),
        (Sorted, {"order of four cards", "old neighbours, upwards"}),
        (Riffled, {"rising sequences", "old neighbours, upwards"}),
        (Twice, {"no card twice"}),
        (Remembering, {"deals that begin with the same 10 cards"}),
    ],
)
def test_a_wrong_shuffle_fails(wrong: type[Fair], seen_by: set[str]) -> None:
    results = deck(wrong(2))
    assert failing(results) >= seen_by
    assert not judge(results, lambda _names: deck(wrong(3))).passed


# ---- wrong draws and sources, by the production drawing of cards


def modulo(chance: random.Random) -> tuple[Draw, Source]:
    """A byte, or two, modulo n: the mistake that uniform() exists to avoid."""

    def draw(n: int) -> int:
        return int.from_bytes(chance.randbytes(1 if n <= 256 else 2), "little") % n

    return draw, chance.randbytes


def _scaled(source: Source) -> tuple[Draw, Source]:
    return lambda n: uniform(n, source), source


def low_bits(chance: random.Random) -> tuple[Draw, Source]:
    """The lowest byte of a linear congruential generator: its period is 256."""
    state = chance.getrandbits(32)

    def source(count: int) -> bytes:
        nonlocal state
        data = bytearray()
        for _ in range(count):
            state = (state * 1_664_525 + 1_013_904_223) % 2**32
            data.append(state & 0xFF)
        return bytes(data)

    return _scaled(source)


def stuck_bit(chance: random.Random) -> tuple[Draw, Source]:
    return _scaled(lambda count: bytes(byte | 4 for byte in chance.randbytes(count)))


def biased_bit(chance: random.Random) -> tuple[Draw, Source]:
    """The lowest bit is set in 52 of 100 bytes."""
    return _scaled(lambda count: bytes(byte | (chance.random() < 0.04) for byte in chance.randbytes(count)))


@pytest.mark.parametrize(
    ("wrong", "part", "shuffles"),
    [
        (modulo, ONE_DECK, 6_000),
        (modulo, INTEGERS, 1_000),
        (low_bits, ONE_DECK, 2_000),
        (stuck_bit, ONE_DECK, 2_000),
    ],
)
def test_a_wrong_generator_fails(
    wrong: Callable[[random.Random], tuple[Draw, Source]], part: BatteryPart, shuffles: int
) -> None:
    results = list(part.run(DrawnCards(*wrong(random.Random(4))), shuffles))
    assert look(results).fatal
    assert not judge(results, None).passed


@pytest.mark.parametrize("wrong", [low_bits, stuck_bit, biased_bit])
def test_a_wrong_source_fails_as_bytes(wrong: Callable[[random.Random], tuple[Draw, Source]]) -> None:
    results = list(BYTES.run(DrawnCards(*wrong(random.Random(6))), 1_000))
    assert look(results).fatal


@pytest.mark.campaign
def test_a_million_shuffles_of_the_live_generator() -> None:
    report = command.live(1_000_000)
    assert report.passed, report.reasons
