"""How far a long count is, how quick, and how long it will take: one line on standard error."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import click

EVERY_MS = 1_000


class Progress:
    """Told the rounds played so far, it says so now and then: on a terminal each second in one line
    that is written again, elsewhere each ten seconds in a new line.

    The pace is that since the first rounds came: before them code was compiled and workers started.
    """

    def __init__(self, rounds: int, now_ms: Callable[[], int], terminal: bool) -> None:
        self._rounds, self._now_ms, self._terminal = rounds, now_ms, terminal
        self._since: tuple[int, int] | None = None  # when the first rounds had come, and how many
        self._next_ms = now_ms() + EVERY_MS
        self._open = False

    def __call__(self, done: int) -> None:
        now_ms = self._now_ms()
        if self._since is None:
            self._since = now_ms, done
        if now_ms < self._next_ms and done < self._rounds:
            return
        self._next_ms = now_ms + (EVERY_MS if self._terminal else 10 * EVERY_MS)
        since_ms, before = self._since
        line = progress_text(done, self._rounds, done - before, now_ms - since_ms)
        click.echo(f"\r\x1b[K{line}" if self._terminal else line, nl=not self._terminal, err=True)
        self._open = self._terminal

    def end(self) -> None:
        """Whatever comes next begins a line of its own."""
        if self._open:
            click.echo(err=True)
            self._open = False


def progress_text(done: int, rounds: int, timed: int, timed_ms: int) -> str:
    """ "cabinet simulate: 4,000,000 of 10,000,000 rounds, 2.1 million a second, 3 s left".

    `timed` rounds took `timed_ms`.
    """
    line = f"cabinet simulate: {done:,} of {rounds:,} rounds"
    if timed <= 0 or timed_ms <= 0:
        return line
    rate = 1000 * timed / timed_ms
    pace = f"{rate / 1e6:.1f} million" if rate >= 1e6 else f"{rate:,.0f}"
    left = f", {span((rounds - done) / rate)} left" if done < rounds else ""
    return f"{line}, {pace} a second{left}"


def span(seconds: float) -> str:
    """ "8 s", "3 min 20 s", "2 h 5 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


@contextmanager
def stopped_by_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Ctrl-C asks for an end with what there is; a second one ends at once."""
    asked = False

    def caught(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    before = signal.signal(signal.SIGINT, caught)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
