"""The first access to the disk, on a thread of its own: a disk may never answer, and meanwhile the program
must say so and end when it is asked to. The thread ends before the writer's begins."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Opening(Generic[T]):
    """Runs `work(progress)` once; `progress` is to be called with a count now and then."""

    def __init__(self, work: Callable[[Callable[[int], None]], T]) -> None:
        self._work = work
        self._event = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._value: T | None = None
        self._error: BaseException | None = None
        self.progress = 0  # changes while it goes on
        self.done = False
        threading.Thread(target=self._run, name="opening", daemon=True).start()

    def _run(self) -> None:
        try:
            self._value = self._work(self._count)
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is taken
            self._error = error
        os.eventfd_write(self._event, 1)
        self.done = True  # from here on the owner closes it

    def _count(self, count: int) -> None:
        self.progress = count

    def fileno(self) -> int:
        """Readable when it is done."""
        return self._event

    def result(self) -> T:
        """What `work` has returned; raises what it has raised. Once, when it is done."""
        os.close(self._event)
        if self._error is not None:
            raise self._error
        assert self._value is not None
        return self._value
