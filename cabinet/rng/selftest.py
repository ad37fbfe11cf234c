"""Known answers of scaling, drawing and watching, with a published stream in the place of the kernel.

The stream is the ChaCha20 key stream of RFC 8439, appendix A.1, test vectors 1 and 2 (key and nonce
zero, blocks 0 and 1). What must come out of it was worked out apart from this program. The checks
run before the first round of every start, and by ``cabinet rng selftest``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cabinet.core.turn import DrawError
from cabinet.rng.health import BLOCK, REPETITIONS, STUCK, WINDOW, StreamHealth
from cabinet.rng.source import REDRAWS_MAX, Source, deal, uniform
from game.cards import CARD_LIMIT

STREAM = bytes.fromhex(
    "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
    "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
    "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
)
# Uniform integers below 312, 311, ... 293 from the beginning of the stream.
SCALED = (
    118, 61, 83, 189, 189, 25, 237, 168, 239, 269, 89, 119, 184, 184, 21, 161, 178, 101, 231, 56,
)  # fmt: skip
# The first twenty cards of a fresh six-deck shoe from the beginning of the stream.
SIX_DECKS = (
    118, 61, 84, 192, 193, 25, 243, 172, 247, 278, 92, 124, 191, 194, 21, 168, 187, 106, 248, 58,
)  # fmt: skip
# All of one deck from the beginning of the stream.
ONE_DECK = (
    32, 46, 33, 16, 0, 31, 48, 42, 21, 7, 50, 22, 30, 41, 15, 36, 14, 13, 19, 9, 43, 2, 44, 51, 28, 40,
    12, 25, 49, 6, 1, 24, 26, 8, 4, 11, 27, 23, 37, 10, 29, 35, 39, 45, 38, 34, 5, 3, 20, 17, 18, 47,
)  # fmt: skip
OFTEN = 0xA5  # any byte


@dataclass(frozen=True, slots=True)
class SelfTestResult:
    name: str
    good: bool


def replayed(data: bytes) -> Source:
    """A source that gives `data` once, from its beginning; then too few bytes."""
    at = 0

    def source(count: int) -> bytes:
        nonlocal at
        at += count
        return data[at - count : at]

    return source


def known_answers() -> tuple[SelfTestResult, ...]:
    """Every check in a fixed order. Takes some milliseconds; raises nothing."""
    return tuple(SelfTestResult(name, _holds(check)) for name, check in _CHECKS)


def _holds(check: Callable[[], bool]) -> bool:
    """Wrong code may also raise: that is a failed check, never a start that ends in a traceback."""
    try:
        return check()
    except Exception:  # noqa: BLE001
        return False


def _scaling() -> bool:
    source = replayed(STREAM)
    return tuple(uniform(312 - i, source) for i in range(len(SCALED))) == SCALED


def _six_decks() -> bool:
    source = replayed(STREAM)
    return tuple(deal(lambda n: uniform(n, source), 6, len(SIX_DECKS))) == SIX_DECKS


def _one_deck() -> bool:
    source = replayed(STREAM)
    return tuple(deal(lambda n: uniform(n, source), 1, len(ONE_DECK))) == ONE_DECK


def _ends_of_ranges() -> bool:
    """For every shoe: the largest value counts, the first one above it is thrown away, not wrapped."""
    for n in range(2, CARD_LIMIT + 1):
        bits = (n - 1).bit_length()
        size = (bits + 7) // 8
        said = [n - 1] if n == 1 << bits else [n - 1, n, 1]
        source = replayed(b"".join(value.to_bytes(size, "little") for value in said))
        if [uniform(n, source) for _ in said[:2]] != said[:1] + said[2:]:
            return False
    return True


def _broken_sources() -> bool:
    """A source that gives nothing usable, or too few bytes, gives no card."""
    for source in (lambda count: b"\xff" * count, replayed(STREAM[:1])):
        try:
            uniform(312, source)
        except DrawError:
            continue
        return False
    return REDRAWS_MAX == 100


def _alarm(data: bytes) -> tuple[str, int]:
    """Which health test alarms and at which byte; ("", 0) for none."""
    health = StreamHealth()
    alarm = health.feed(data)
    return (alarm.partition(":")[0], health.seen) if alarm else ("", 0)


def _every(step: int, first: int) -> bytes:
    """A window of well mixed bytes in which every `step`th byte, from number `first` on, is the same."""
    return bytes(OFTEN if at % step == first else at * 167 % 256 for at in range(WINDOW))


def _health() -> bool:
    """Each health test alarms where it must, and the published stream passes all of them."""
    low = [at * 37 % 128 for at in range(WINDOW)]
    seldom = bytes(value | (128 if at % 8 == 0 else 0) for at, value in enumerate(low))
    return (
        _alarm(STREAM) == ("", 0)
        and _alarm(bytes([OFTEN]) * (REPETITIONS - 1)) == ("", 0)
        and _alarm(bytes([OFTEN]) * REPETITIONS) == ("repetition", REPETITIONS)
        and _alarm(_every(32, 0)) == ("proportion", 449)
        and _alarm(_every(25, 1)) == ("value", 427)
        and _alarm(STREAM[:BLOCK] * 2) == ("blocks", 2 * BLOCK)
        and _alarm(bytes(low[:STUCK])) == ("stuck bit", STUCK)
        and _alarm(seldom) == ("balance", WINDOW)
    )


_CHECKS: tuple[tuple[str, Callable[[], bool]], ...] = (
    ("scaling of published bytes", _scaling),
    ("20 cards of a six-deck shoe", _six_decks),
    ("all cards of one deck", _one_deck),
    ("ends of every range from 2 to 416", _ends_of_ranges),
    ("broken sources are refused", _broken_sources),
    ("health tests raise their alarms", _health),
)
