"""The generator of the field program: tested before use, watched in use, silent after one failure."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable

import pytest

from cabinet.core.turn import DrawError
from cabinet.rng import selftest as rng_selftest
from cabinet.rng.generator import FINAL, NOT_TESTED, Generator
from cabinet.rng.health import START_BYTES, StreamHealth
from cabinet.rng.selftest import ONE_DECK, SCALED, SIX_DECKS, STREAM, known_answers, replayed
from cabinet.rng.source import Source, deal, uniform


class Tap:
    """A fair source with a seed. From byte number `breaks` on `broken` says what it gives."""

    def __init__(self, breaks: int | None = None, broken: Source = bytes) -> None:
        self.chance = random.Random(11)
        self.given = 0
        self.asked: list[int] = []
        self.breaks = breaks
        self.broken = broken

    def __call__(self, count: int) -> bytes:
        self.asked.append(count)
        self.given += count
        fair = self.chance.randbytes(count)
        if self.breaks is None or self.given <= self.breaks:
            return fair
        return self.broken(count)


def refused(_count: int) -> bytes:
    raise OSError("no such device")


def ready(tap: Tap) -> Generator:
    generator = Generator(tap)
    assert generator.start() == ""
    return generator


# ---- start


def test_no_card_before_the_start_up_tests() -> None:
    generator = Generator(Tap())
    for ask in (lambda: generator(312), lambda: generator(1), lambda: generator.take(1)):
        with pytest.raises(DrawError, match=NOT_TESTED):
            ask()
    assert generator.start() == ""
    assert 0 <= generator(312) < 312


def test_the_bytes_of_the_start_up_test_become_no_cards() -> None:
    tap = Tap()
    generator = ready(tap)
    assert tap.asked == [START_BYTES]
    after = random.Random(11)
    after.randbytes(START_BYTES)
    assert generator.take(8) == after.randbytes(8)
    assert generator.bytes_seen == START_BYTES + 8


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (bytes, "repetition"),
        (lambda count: b"\x00\xff" * (count // 2), "proportion"),
        (lambda count: random.Random(3).randbytes(count - 16) + b"\x05" * 16, "repetition"),
        (lambda count: b"\x01", "too few bytes"),
        (refused, "no such device"),
    ],
    ids=["zeros", "alternating", "stuck at the end", "short", "refused"],
)
def test_a_source_that_is_broken_at_the_start_is_never_used(broken: Source, says: str) -> None:
    tap = Tap(0, broken)
    generator = Generator(tap)
    assert says in generator.start()
    assert generator.trouble.endswith(FINAL)
    tap.breaks = None
    assert says in generator.start(), "a second try in the same process is not a new start"
    with pytest.raises(DrawError, match=says):
        generator(52)
    assert tap.asked == [START_BYTES]


@pytest.mark.parametrize("name", ["SCALED", "SIX_DECKS", "ONE_DECK", "STREAM"])
def test_a_known_answer_that_does_not_come_out_means_no_cards(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    known = getattr(rng_selftest, name)
    changed = bytes([known[0] ^ 1]) + known[1:] if name == "STREAM" else (known[0] ^ 1, *known[1:])
    monkeypatch.setattr(rng_selftest, name, changed)
    tap = Tap()
    generator = Generator(tap)
    assert generator.start().startswith("self-test failed: ")
    assert tap.asked == []
    with pytest.raises(DrawError, match="self-test failed"):
        generator(312)


def modulo(n: int, source: Source) -> int:
    return int.from_bytes(source(2), "little") % n


def wrapped(n: int, source: Source) -> int:
    """Forgets to throw away what is too large."""
    size = ((n - 1).bit_length() + 7) // 8
    return min(n - 1, int.from_bytes(source(size), "little") & ((1 << (n - 1).bit_length()) - 1))


def crashing(n: int, source: Source) -> int:
    raise ZeroDivisionError


@pytest.mark.parametrize("wrong", [modulo, wrapped, crashing])
def test_wrong_scaling_code_fails_the_self_test(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[int, Source], int]
) -> None:
    monkeypatch.setattr(rng_selftest, "uniform", wrong)
    failed = {check.name for check in known_answers() if not check.good}
    assert "scaling of published bytes" in failed
    assert "ends of every range from 2 to 416" in failed


def test_health_tests_that_see_nothing_fail_the_self_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StreamHealth, "feed", lambda _self, _data: "")
    assert [check.name for check in known_answers() if not check.good] == ["health tests raise their alarms"]


# ---- the known answers, worked out a second time


def rfc_8439_block(counter: int) -> bytes:
    """A ChaCha20 block with key and nonce zero, written from section 2.3 of the RFC."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *[0] * 8, counter, 0, 0, 0]
    x = list(start)

    def turn(a: int, b: int, c: int, d: int) -> None:
        for p, q, r, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[p] = (x[p] + x[q]) % 2**32
            mixed = x[r] ^ x[p]
            x[r] = mixed << bits & 0xFFFFFFFF | mixed >> 32 - bits

    for _ in range(10):
        for column in range(4):
            turn(column, column + 4, column + 8, column + 12)
        for column in range(4):
            turn(column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12)
    return b"".join(((a + b) % 2**32).to_bytes(4, "little") for a, b in zip(x, start, strict=True))


def by_hand(n: int, stream: list[int]) -> int:
    """Bits as text: the last ones of as many bytes as hold n - 1, until they are below n."""
    bits = len(f"{n - 1:b}")
    while True:
        number = [stream.pop(0) for _ in range(-(-bits // 8))]
        text = "".join(f"{byte:08b}" for byte in reversed(number))
        if int(text[-bits:], 2) < n:
            return int(text[-bits:], 2)


def test_the_stream_is_that_of_the_rfc() -> None:
    assert rfc_8439_block(0) + rfc_8439_block(1) == STREAM


def test_the_known_answers_are_what_another_way_of_counting_gives() -> None:
    stream = list(STREAM)
    assert tuple(by_hand(312 - i, stream) for i in range(20)) == SCALED
    for cards, known in ((312, SIX_DECKS), (52, ONE_DECK)):
        stream, left = list(STREAM), list(range(cards))
        dealt = [left.pop(by_hand(len(left), stream) if len(left) > 1 else 0) for _ in known]
        assert tuple(dealt) == known


def test_a_stream_that_is_over_gives_too_few_bytes() -> None:
    source = replayed(b"\x01\x02")
    assert uniform(256, source) == 1
    with pytest.raises(DrawError, match="too few"):
        uniform(312, source)


# ---- in use


def draws_until_it_fails(generator: Generator, n: int) -> tuple[int, str]:
    for count in range(1, 10_000):
        try:
            generator(n)
        except DrawError as error:
            return count, str(error)
    raise AssertionError("it never failed")


def test_draws_are_those_of_the_plain_scaling() -> None:
    """Watching changes no card."""
    tap, plain = Tap(), Tap()
    generator = ready(tap)
    plain(START_BYTES)
    assert [generator(312 - i) for i in range(200)] == [uniform(312 - i, plain) for i in range(200)]
    assert plain.given == tap.given == generator.bytes_seen


def test_asking_takes_nothing_from_the_source() -> None:
    tap = Tap()
    generator = ready(tap)
    given = tap.given
    assert generator(1) == 0
    assert tap.given == given


@pytest.mark.parametrize(
    ("broken", "says", "draws"),
    [
        (bytes, "repetition", 3),
        (lambda count: b"\x00\xff"[:count], "came", 24),
        (lambda count: b"", "too few bytes", 1),
        (refused, "no such device", 1),
    ],
    ids=["zeros", "alternating", "short", "refused"],
)
def test_a_source_that_breaks_in_use_stops_the_generator_for_good(
    broken: Source, says: str, draws: int
) -> None:
    """Within so many draws of a six-deck shoe, redraws counted: a constant cannot give a third one."""
    tap = Tap()
    generator = ready(tap)
    deal(generator, 6, 40)
    tap.breaks, tap.broken = tap.given, broken
    count, text = draws_until_it_fails(generator, 312)
    assert says in text
    assert count <= draws
    assert generator.trouble.endswith(FINAL)
    tap.breaks, given = None, tap.given
    for ask in (lambda: generator(312), lambda: generator(1), lambda: generator.take(1)):
        with pytest.raises(DrawError, match=says):
            ask()
    assert generator.start() == generator.trouble
    assert tap.given == given, "a generator that has failed asks its source no more"


def test_values_that_are_never_usable_stop_it_too() -> None:
    """Health tests may be content with bytes that scaling can do nothing with."""
    tap = Tap()
    generator = ready(tap)
    tap.breaks = tap.given
    tap.broken = lambda count: bytes([tap.chance.randrange(256), 1])  # 256 to 511, never below 257
    _, text = draws_until_it_fails(generator, 257)
    assert generator.trouble == text


def test_a_shoe_without_cards_is_a_mistake_of_the_program_and_no_failure_of_the_source() -> None:
    generator = ready(Tap())
    with pytest.raises(ValueError, match="cannot draw one of 0"):
        generator(0)
    assert generator.trouble == ""


def test_a_deal_is_a_shoe_in_some_order() -> None:
    generator = ready(Tap())
    assert sorted(deal(generator, 6, 312)) == list(range(312))
    assert len(set(deal(generator, 8, 60))) == 60
    firsts = Counter(deal(generator, 1, 1)[0] for _ in range(2_000))
    assert len(firsts) == 52


def test_the_field_draws_from_the_kernel_byte_by_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    """No buffer: what a card is made of exists from the moment at which it is drawn."""
    chance, calls = random.Random(2), list[tuple[int, int]]()

    def getrandom(count: int, flags: int) -> bytes:
        calls.append((count, flags))
        return chance.randbytes(count)

    monkeypatch.setattr(os, "getrandom", getrandom)
    generator = Generator()
    assert generator.start() == ""
    generator(52)
    assert calls[0] == (START_BYTES, 0)
    assert set(calls[1:]) == {(1, 0)}
