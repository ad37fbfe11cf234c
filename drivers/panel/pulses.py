"""Output patterns and hard-meter pulses as functions of time."""

from __future__ import annotations

from collections import deque
from enum import StrEnum

from drivers.device import Pattern

SLOW_HALF_MS = 1_000  # 0.5 Hz
FAST_HALF_MS = 250  # 2 Hz
# The cabinet gives groups of at most 10 pulses and waits for each; 64 groups is a fault of the owner.
ORDERS_MOST = 64


def lit(pattern: Pattern, now_ms: int) -> bool:
    """Whether an output is lit now. All outputs of a pattern blink together, from session time 0."""
    match pattern:
        case Pattern.OFF:
            return False
        case Pattern.ON:
            return True
        case Pattern.SLOW:
            return now_ms // SLOW_HALF_MS % 2 == 0
        case Pattern.FAST:
            return now_ms // FAST_HALF_MS % 2 == 0


def next_turn(pattern: Pattern, now_ms: int) -> int:
    """When `lit` of a blinking pattern next gives another answer."""
    half_ms = FAST_HALF_MS if pattern is Pattern.FAST else SLOW_HALF_MS
    return (now_ms // half_ms + 1) * half_ms


class _Phase(StrEnum):
    REST = "rest"
    HIGH = "high"
    GAP = "gap"


class PulseTrain:
    """The pulses of one hard meter: orders in a queue, one pulse at a time.

    A width is counted from the first step after the one that set the level: by then the line has it, however
    long the program was held up between reading the clock and writing. A late loop makes pulses longer,
    never too short to count.
    """

    def __init__(self, on_ms: int, off_ms: int) -> None:
        self._on_ms = on_ms
        self._off_ms = off_ms
        self._orders: deque[int] = deque()
        self._phase = _Phase.REST
        self._until_ms = 0
        self._set_now = False  # by the last step: its time has not begun yet
        self._left = 0

    @property
    def level(self) -> bool:
        return self._phase is _Phase.HIGH

    @property
    def idle(self) -> bool:
        return not self._orders

    def order(self, count: int) -> bool:
        """Queue `count` pulses; False if the queue is full."""
        if len(self._orders) >= ORDERS_MOST:
            return False
        self._orders.append(count)
        return True

    def wake_at(self, now_ms: int) -> int | None:
        if self.idle:
            return None
        return now_ms if self._set_now or self._phase is _Phase.REST else self._until_ms

    def step(self, now_ms: int) -> int | None:
        """Advance `level`. Returns the count of an order whose last gap has just ended."""
        done = None
        if self._set_now:
            self._begin(now_ms)
        if self._phase is _Phase.HIGH and now_ms >= self._until_ms:
            self._phase, self._set_now = _Phase.GAP, True
            self._left -= 1
        elif self._phase is _Phase.GAP and now_ms >= self._until_ms:
            self._phase = _Phase.REST
            if self._left == 0:
                done = self._orders.popleft()
        if self._phase is _Phase.REST and self._orders:
            self._left = self._left or self._orders[0]
            self._phase, self._set_now = _Phase.HIGH, True
        return done

    def _begin(self, now_ms: int) -> None:
        """The level is on the line: from now on it lasts."""
        self._set_now = False
        self._until_ms = now_ms + (self._on_ms if self._phase is _Phase.HIGH else self._off_ms)

    def ends_pulse(self, now_ms: int) -> bool:
        """The next `step` ends a pulse: the moment to look whether the level held until now."""
        return self._phase is _Phase.HIGH and not self._set_now and now_ms >= self._until_ms

    def cut(self, now_ms: int) -> None:
        """The level did not hold. After a gap the pulse is given again: over, never under."""
        self._phase, self._set_now = _Phase.GAP, True

    def interrupt(self) -> None:
        """The line was lost. A pulse that was being given is given again: over, never under."""
        self._set_now = False
        if self._phase is _Phase.HIGH:
            self._phase = _Phase.REST
        elif self._phase is _Phase.GAP:
            self._until_ms = 0  # the pulse itself was whole; go on as soon as the line is back
