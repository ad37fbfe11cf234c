"""Parts of the program that fail on a virtual day when its plan says so: the writer and the generator."""

from __future__ import annotations

from collections.abc import Sequence

from cabinet.core.turn import Draw, DrawError
from cabinet.lab.days.trouble import Action
from cabinet.lab.table import PowerCut
from cabinet.store.errors import StorageError
from cabinet.store.journal import Entry, Journal
from cabinet.store.second_copy import SecondCopy
from cabinet.store.writer import After, Writer


class DayWriter(Writer):
    """A writer without a thread that dies, or whose disk refuses, in the commit of a chosen fact."""

    def __init__(self, journal: Journal, second_copy: SecondCopy | None = None, *, thread: bool) -> None:
        super().__init__(journal, second_copy, self._may_refuse, thread=thread)
        self.copy = second_copy
        self.plan: Action = ()  # ("die", "before" or "after", FACT, ...) or ("full", ..., FACT)
        self._refuses = False

    def submit(
        self, entries: Sequence[Entry], now_ms: int, totals: bytes = b"", after: After | None = None
    ) -> None:
        plan = self.plan
        if not plan or all(entry.kind != plan[2] for entry in entries):
            super().submit(entries, now_ms, totals, after)
            return
        word, when = plan[:2]
        self.plan = ()
        if word == "die":
            if when == "after":
                super().submit(entries, now_ms, totals, after)
            raise PowerCut
        self._refuses = when == "before"
        super().submit(entries, now_ms, totals, _refuse if when == "after" else after)

    def _may_refuse(self) -> None:
        if self._refuses:
            raise StorageError("no room on the disk")


def _refuse(_journal: Journal) -> None:
    raise StorageError("the disk has gone")


class SeededCards:
    """The seeded cards, and a generator that can fail."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self.broken = False

    def __call__(self, n: int) -> int:
        if self.broken:
            raise DrawError("the source has stopped")
        return self._draw(n)
