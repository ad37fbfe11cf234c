"""What the open page wants to know of the journal, and what it was told.

Recall and logs are no state: the runtime asks the journal what `question` says, on the writer thread, and
the answer comes back as an event. The page's name holds the whole question: ``recall:150`` is a round
(0: the newest), ``log:events:2`` the third screen of a log.
"""

from __future__ import annotations

from dataclasses import dataclass

from cabinet.core.past.logs import Log, LogEntry
from cabinet.core.past.recall import RecalledRound

ENTRIES_SHOWN = 14  # of a log, on one screen
RECALL, LOG = "recall", "log"


@dataclass(frozen=True, slots=True)
class LogPage:
    """One screen of a log. `before`: how many newer entries there are; `known`: how many were read so far,
    `more`: older ones follow; `missing`: the file of the journal that would have them is not here."""

    log: Log
    entries: tuple[LogEntry, ...]
    before: int
    known: int
    more: bool
    missing: str = ""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why the journal could not say it."""

    text: str


Answer = RecalledRound | LogPage | NoAnswer


@dataclass(frozen=True, slots=True)
class Answered:
    """An event: the journal has been asked for `page`."""

    at_ms: int
    page: str
    answer: Answer


def question(menu: tuple[str, ...]) -> str:
    """The page whose answer is wanted; "" when the open page needs none."""
    page = menu[-1] if menu else ""
    return page if page.partition(":")[0] in (RECALL, LOG) else ""


def round_asked(page: str) -> int:
    return int(page.partition(":")[2] or 0)


def log_asked(page: str) -> tuple[Log, int]:
    """Which log, and which screen of it (0: the newest)."""
    _, name, screen = page.split(":")
    return Log(name), int(screen)


def log_page(log: Log, screen: int) -> str:
    return f"{LOG}:{log.value}:{screen}"


def older_round(answer: Answer | None) -> str:
    """The page of the round before the one that is shown; after the first comes the newest."""
    number = answer.number - 1 if isinstance(answer, RecalledRound) else 0
    return f"{RECALL}:{max(0, number)}"
