"""Waiting in real time for what a process, a thread or a device does, on a machine of any speed.

Nothing fails because it is slow. A wait ends when what it waits for has come; only a wait that nothing can
end any more is given up, long after any machine would have been ready, and then it says what has not come.
"""

from __future__ import annotations

from collections.abc import Callable

from cabinet.program.runtime import RealClock

PATIENCE_S = 600
PATIENCE_MS = PATIENCE_S * 1000


class NotComeError(AssertionError):
    """What was waited for has not come."""


def wait_for(
    clock: RealClock,
    come: Callable[[], object],
    turn: Callable[[], object],
    what: str,
    *,
    told: Callable[[], str] = lambda: "",
    patience_ms: int = PATIENCE_MS,
) -> None:
    """Do `turn` again and again until `come`. NotComeError names `what`, and what `told` knows of it."""
    end_ms = clock.now_ms() + patience_ms
    while not come():
        if clock.now_ms() >= end_ms:
            raise NotComeError(f"{what} has not come in {patience_ms // 1000} s\n{told()}".strip())
        turn()
