"""The frames' own schedule. `Clock.tick` of pygame rounds to whole milliseconds; this does not.

Deadlines lie a fixed number of nanoseconds apart. A frame that is late is counted and the
schedule goes on from now, so that one stall is one late frame and not a burst.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

NS_PER_MS: Final = 1_000_000
NS_PER_S: Final = 1_000_000_000


class Pacer:
    """When the next frame is due, by a clock in nanoseconds."""

    def __init__(self, frames_per_second: int, clock_ns: Callable[[], int]) -> None:
        self._step_ns: Final = NS_PER_S // frames_per_second
        self._clock_ns = clock_ns
        self._next_ns = clock_ns()
        self._end_ns = self._next_ns
        self.late_frames = 0
        self.frames = 0

    def due(self) -> bool:
        """Whether a frame is due now; if so, the next deadline is set."""
        now = self._clock_ns()
        if now < self._next_ns:
            return False
        late_ns = now - self._next_ns
        if late_ns >= self._step_ns:
            self.late_frames += 1
            self._next_ns = now + self._step_ns
        else:
            self._next_ns += self._step_ns
        self.frames += 1
        return True

    def begin(self) -> None:
        """The schedule begins now: before the first picture there is none that a frame could be late for."""
        self._next_ns = self._clock_ns() + self._step_ns
        self.frames = self.late_frames = 0

    def wait_ms(self) -> float:
        """How long the owner may sleep until the next frame."""
        return max(0, self._next_ns - self._clock_ns()) / NS_PER_MS

    def allow(self, ms: int) -> None:
        """From now on `is_over` says whether `ms` milliseconds have passed."""
        self._end_ns = self._clock_ns() + ms * NS_PER_MS

    def is_over(self) -> bool:
        """Whether the time that was allowed is over."""
        return self._clock_ns() >= self._end_ns
