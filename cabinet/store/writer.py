"""The writer thread: the only thread of the field program.

A card may take a second to flush. The loop meanwhile goes on drawing and polling devices, so the
commit runs here. One commit is in flight at most: what happens meanwhile is decided when it is
done, on the state that it made. Order: COMMIT, second copy, ``after``, then ``poll`` answers.

Logs and recall are queries that run here too, one at a time, and only when no commit waits. When nobody
wants anything for a while, the checker looks at a slice of what is stored.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cabinet.store.checker import PAUSE_S, Checker, Finding
from cabinet.store.journal import Entry, Head, Journal, JournalError
from cabinet.store.seals import EPOCH_MS
from cabinet.store.second_copy import CopyMismatch, SecondCopy, SecondCopyError

COPY_AGAIN_MS = 10_000


@dataclass(frozen=True, slots=True)
class Committed:
    """The entries are on the disk. ``copy_error`` is not empty if the second copy did not take them."""

    head: Head
    copy_error: str = ""


@dataclass(frozen=True, slots=True)
class CommitFailed:
    """Whether the entries are on the disk is known only after a restart. Nothing is tried again: every
    later commit is answered with this one's text."""

    error_text: str


@dataclass(frozen=True, slots=True)
class QueryDone:
    value: Any


@dataclass(frozen=True, slots=True)
class QueryFailed:
    error_text: str


After = Callable[[Journal], None]
Query = Callable[[Journal], Any]


@dataclass(frozen=True, slots=True)
class _Commit:
    entries: Sequence[Entry]
    now_ms: int
    totals: bytes
    after: After | None


class Writer:
    """Owns the journal until ``close``; all methods are for the owner's thread.

    ``delay_for_tests`` is called on the writer thread before each commit, to play a slow card. Without a
    ``thread`` a commit is done when ``submit`` returns, in the same steps: for virtual time, which stands
    still meanwhile, so that a thread would only be waited for.
    """

    def __init__(
        self,
        journal: Journal,
        second_copy: SecondCopy | None = None,
        delay_for_tests: Callable[[], None] | None = None,
        *,
        thread: bool = True,
        checker: Checker | None = None,
    ) -> None:
        self._journal = journal
        self._second_copy = second_copy
        self._delay = delay_for_tests
        self._checker = checker
        self._written: tuple[Head, bytes] | None = None  # what the second copy was given last
        self.finding: Finding | None = None  # of the checker, until somebody takes it
        self._event = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._changed = threading.Condition()
        # Each place holds one thing: the bound of these queues is one, refused above.
        self._commit: _Commit | None = None
        self._query: Query | None = None
        self._commit_result: Committed | CommitFailed | None = None
        self._query_result: QueryDone | QueryFailed | None = None
        self._stopping = False
        self._epoch_over = False
        self.epoch_ms = EPOCH_MS
        self.epoch_due_ms = -1  # below 0: the session has only begun
        self._since_ms = 0
        self._copy_error = ""
        self._copy_again_ms = 0
        self._failure: CommitFailed | None = None  # the first one answers every later commit
        self.busy = False  # from submit until poll or wait has given the result
        self.querying = False  # from query until poll_query has given the result
        self._thread: threading.Thread | None = None
        if thread:
            self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()

    def submit(
        self, entries: Sequence[Entry], now_ms: int, totals: bytes = b"", after: After | None = None
    ) -> None:
        """Starts a commit. ``totals`` go to the second copy with the new head. ``after`` runs on the writer
        thread when both are done (a snapshot, the clean mark). RuntimeError while another is in flight."""
        if self.busy or self._stopping:
            raise RuntimeError("one commit at a time: the writer is busy or closed")
        self.busy = True
        self._since_ms = now_ms
        with self._changed:
            self._commit = _Commit(tuple(entries), now_ms, totals, after)
            self._changed.notify_all()
        self._work_here()

    def pass_time(self, now_ms: int) -> None:
        """The session is so old: now and then an epoch of the chain's keys ends, on the writer thread."""
        if now_ms < self.epoch_due_ms:
            return
        is_first, self.epoch_due_ms = self.epoch_due_ms < 0, now_ms + self.epoch_ms
        if is_first or self._stopping:
            return
        if self._thread is None:
            self._end_epoch()
            return
        with self._changed:
            self._epoch_over = True
            self._changed.notify_all()

    def running_ms(self, now_ms: int) -> int:
        """For how long the commit in flight has been running, 0 if there is none."""
        return now_ms - self._since_ms if self.busy else 0

    def poll(self) -> Committed | CommitFailed | None:
        """The result of the commit, once; None while it runs or if there is none."""
        with self._changed:
            return self._take_commit()

    def wait(self, limit_s: float | None = None) -> Committed | CommitFailed | None:
        """Like ``poll``, but blocks while a commit is in flight: virtual time stands still. With a limit None
        may mean that it still is."""
        with self._changed:
            self._changed.wait_for(lambda: not self.busy or self._commit_result is not None, limit_s)
            return self._take_commit()

    def query(self, ask: Query) -> None:
        """Runs ``ask(journal)`` on the writer thread. RuntimeError while another one runs."""
        if self.querying or self._stopping:
            raise RuntimeError("one query at a time: the writer is busy or closed")
        self.querying = True
        with self._changed:
            self._query = ask
            self._changed.notify_all()
        self._work_here()

    def poll_query(self) -> QueryDone | QueryFailed | None:
        with self._changed:
            result, self._query_result = self._query_result, None
            if result is not None:
                self.querying = False
                self._quiet()
            return result

    def take_finding(self) -> Finding | None:
        """What the checker has found, once. After damage it looks no further."""
        with self._changed:
            finding, self.finding = self.finding, None
            if finding is not None:
                self._quiet()
            return finding

    def check(self) -> None:
        """One slice of the checker, here and now: what a writer without a thread does when it is told to."""
        if self._checker is None or self.finding is not None or self._failure is not None:
            return
        try:
            finding = self._checker.step(self._journal, self._written)
        except Exception as error:  # noqa: BLE001 - the same as in a commit
            finding = Finding(broken=f"what is stored cannot be checked: {error!r}")
        if finding is None:
            return
        self._tell(finding)

    def _tell(self, finding: Finding) -> None:
        if finding.broken or finding.storage:
            self._checker = None
        with self._changed:
            self.finding = finding
            if self._event >= 0:
                os.eventfd_write(self._event, 1)

    def fileno(self) -> int:
        """Readable while a result waits to be polled."""
        return self._event

    def close(self, limit_s: float | None = None) -> bool:
        """Finishes what is in flight and ends the thread; results can still be polled. The journal stays
        open: the owner marks it clean, if the stop is one, and closes it. False: the disk has not answered
        within `limit_s`; the thread hangs in a call and still has the journal, so nobody may touch it."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(limit_s)
            if self._thread.is_alive():
                return False
        if self._event >= 0:
            os.close(self._event)
            self._event = -1
        return True

    def _take_commit(self) -> Committed | CommitFailed | None:
        result, self._commit_result = self._commit_result, None
        if result is not None:
            self.busy = False
            self._quiet()
        return result

    def _quiet(self) -> None:
        waiting = (self._commit_result, self._query_result, self.finding)
        if self._event >= 0 and all(result is None for result in waiting):
            os.eventfd_read(self._event)

    def _work_here(self) -> None:
        if self._thread is None:
            try:
                self._work(self._commit, self._query)
            except BaseException:  # Ctrl-C in the middle of it: whoever asked must not wait for an answer
                self._broken_off()
                raise
            finally:
                self._commit = self._query = None

    def _broken_off(self) -> None:
        self._failure = self._failure or CommitFailed("the program was broken off in the middle of it")
        if self._commit is not None and self._commit_result is None:
            self._commit_result = self._failure
        elif self._query is not None and self._query_result is None:
            self._query_result = QueryFailed(self._failure.error_text)
        os.eventfd_write(self._event, 1)

    # ---- on the writer thread

    def _run(self) -> None:
        while True:
            with self._changed:
                pause_s = None if self._checker is None else PAUSE_S
                asked = self._changed.wait_for(self._is_asked, pause_s)
                commit, query, ends = self._commit, self._query, False
                if commit is not None:
                    self._commit = None
                elif query is not None:
                    self._query = None
                elif self._epoch_over:
                    self._epoch_over = False
                    asked = ends = True
                elif asked:
                    return
            if ends:
                self._end_epoch()
            elif asked:
                self._work(commit, query)
            else:
                self.check()

    def _is_asked(self) -> bool:
        return self._commit is not None or self._query is not None or self._epoch_over or self._stopping

    def _work(self, commit: _Commit | None, query: Query | None) -> None:
        """One of the two; a commit goes first."""
        if commit is not None:
            commit_result = self._do_commit(commit)
            with self._changed:
                self._commit_result = commit_result
                os.eventfd_write(self._event, 1)
                self._changed.notify_all()
            self._relieve()
        elif query is not None:
            query_result = self._do_query(query)
            with self._changed:
                self._query_result = query_result
                os.eventfd_write(self._event, 1)
                self._changed.notify_all()

    def _do_commit(self, commit: _Commit) -> Committed | CommitFailed:
        if self._failure is None:
            result = self._try_commit(commit)
            self._failure = result if isinstance(result, CommitFailed) else None
            return result
        return self._failure

    def _try_commit(self, commit: _Commit) -> Committed | CommitFailed:
        try:
            if self._delay is not None:
                self._delay()
            head = self._journal.commit(commit.entries)
            copy_error = self._copy(head, commit)
            if commit.after is not None:
                commit.after(self._journal)
        except JournalError as error:
            return CommitFailed(error.text)
        except Exception as error:  # noqa: BLE001 - a thread that dies would leave its owner waiting for ever
            return CommitFailed(f"the journal program failed: {error!r}")
        return Committed(head, copy_error)

    def _copy(self, head: Head, commit: _Commit) -> str:
        """Why the second copy did not take the commit, "" if it did. One that has failed is left alone for a
        while: a bus that hangs costs a second or two each time."""
        if self._second_copy is None:
            return ""
        if self._copy_error and commit.now_ms < self._copy_again_ms:
            return self._copy_error
        try:
            self._second_copy.write(head, commit.totals)
            self._copy_error = ""
            self._written = (head, commit.totals)
        except SecondCopyError as error:
            if isinstance(error, CopyMismatch):
                self._tell(Finding(broken=str(error)))
            self._copy_error = str(error)
            self._copy_again_ms = commit.now_ms + COPY_AGAIN_MS
        return self._copy_error

    def _do_query(self, ask: Query) -> QueryDone | QueryFailed:
        try:
            return QueryDone(ask(self._journal))
        except JournalError as error:
            return QueryFailed(error.text)
        except Exception as error:  # noqa: BLE001 - the same
            return QueryFailed(f"the query failed: {error!r}")

    def _end_epoch(self) -> None:
        """A failure kills the journal and is told by the next commit."""
        if self._failure is not None:
            return
        try:
            self._journal.evolve()
        except JournalError:
            return

    def _relieve(self) -> None:
        """Keeps the write-ahead log within its bound, after the result is out. A failure kills the journal
        and is told by the next commit."""
        try:
            self._journal.relieve()
        except JournalError:
            return
