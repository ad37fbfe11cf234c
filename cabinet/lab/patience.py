"""Waiting in real time for what a process, a thread or a device does, on a machine of any speed.

Nothing fails because it is slow. A wait ends when what it waits for has come; only a wait that nothing can
end any more is given up, long after any machine would have been ready, and then it says what has not come.
A long work says how long it still takes.
"""

from __future__ import annotations

from collections.abc import Callable

from cabinet.program.runtime import RealClock

PATIENCE_S = 600
PATIENCE_MS = PATIENCE_S * 1000


class Remaining:
    """How long a work still takes, if the rest of it goes as what is done. `clock`: ms."""

    def __init__(self, clock: Callable[[], int] | None = None) -> None:
        self._clock = clock or RealClock().now_ms
        self._began_ms = self._clock()

    def text(self, done: float, total: float) -> str:
        """``about 4 min left``, for `done` (more than 0) of `total` in any unit."""
        seconds = (self._clock() - self._began_ms) / 1000 * max(0.0, total - done) / done
        if seconds < 90:
            return f"about {seconds:.0f} s left"
        if seconds < 5400:
            return f"about {seconds / 60:.0f} min left"
        return f"about {seconds / 3600:.1f} h left"


class NotComeError(AssertionError):
    """What was waited for has not come."""


def wait_for(
    clock: RealClock,
    come: Callable[[], object],
    turn: Callable[[], object],
    what: str,
    *,
    story: Callable[[], str] = lambda: "",
    patience_ms: int = PATIENCE_MS,
) -> None:
    """Do `turn` again and again until `come`. NotComeError names `what`, and what `story` knows of it."""
    end_ms = clock.now_ms() + patience_ms
    while not come():
        if clock.now_ms() >= end_ms:
            raise NotComeError(f"{what} has not come in {patience_ms // 1000} s\n{story()}".strip())
        turn()
