"""A clock for commands that wait for a contact."""

from __future__ import annotations

from cabinet.program.runtime import RealClock


class Moments(RealClock):
    """Time goes by where the program waits, and nowhere else: a busy machine opens no door later."""

    _at_ms = 0

    def now_ms(self) -> int:
        return self._at_ms

    def wait(self, descriptors: object, until_ms: int) -> None:
        self._at_ms = until_ms
