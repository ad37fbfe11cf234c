"""Asks the journal what the open page wants to know: on the writer thread, a slice at a time."""

from __future__ import annotations

from cabinet.core.past.answers import (
    ENTRIES_SHOWN,
    LOG,
    Answer,
    LogPage,
    NoAnswer,
    log_asked,
    round_asked,
)
from cabinet.records.lookup import LogSearch, RoundSearch
from cabinet.store.writer import QueryDone, QueryFailed, Writer


class Inquiry:
    """One question at a time; a newer one makes the older void. For the thread that owns the writer."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._page = ""  # what is wanted
        self._asked = ""  # what the query in flight is about
        self._answered = ""
        self._search: LogSearch | None = None  # of the log that is open: read on, not again
        self._round: RoundSearch | None = None  # of the round that is being read

    def want(self, page: str) -> None:
        """The page that is open now; "" for none that asks anything."""
        if page == self._page:
            return
        self._page, self._answered, self._round = page, "", None
        if self._search is not None and (not page.startswith(f"{LOG}:") or self._is_new(page)):
            self._search = None
        self._ask()

    def poll(self) -> tuple[str, Answer] | None:
        """The page and its answer, once."""
        result = self._writer.poll_query() if self._writer.querying else None
        if result is None:
            return None
        asked, self._asked = self._asked, ""
        if asked == self._page and (answer := self._judge(result)) is not None:
            self._answered = asked
            return asked, answer
        self._ask()
        return None

    def _ask(self) -> None:
        page = self._page
        if not page or page == self._answered or self._writer.querying:
            return
        self._asked = page
        if page.startswith(f"{LOG}:"):
            self._search = self._search or LogSearch(log_asked(page)[0])
            self._writer.query(self._search.read_on)
        else:
            self._round = self._round or RoundSearch(round_asked(page))
            self._writer.query(self._round.read_on)

    def _is_new(self, page: str) -> bool:
        """A log is read from its newest entry again."""
        log, screen = log_asked(page)
        return screen == 0 or self._search is None or self._search.log is not log

    def _judge(self, result: QueryDone | QueryFailed) -> Answer | None:
        """The answer; None if there is more to be read."""
        if isinstance(result, QueryFailed):
            return NoAnswer(result.error_text)
        if self._page.startswith(f"{LOG}:"):
            return self._log_page()
        return None if self._round is None else self._round.record

    def _log_page(self) -> LogPage | None:
        search = self._search
        assert search is not None
        log, screen = log_asked(self._page)
        before = screen * ENTRIES_SHOWN
        enough = len(search.entries) > before + ENTRIES_SHOWN
        if not enough and not search.complete:
            return None
        entries = tuple(search.entries[before : before + ENTRIES_SHOWN])
        more = len(search.entries) > before + ENTRIES_SHOWN
        return LogPage(log, entries, before, len(search.entries), more, search.missing)
