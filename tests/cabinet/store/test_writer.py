"""The writer thread: the loop never waits for the disk, and hears of a commit only when it is done."""

from __future__ import annotations

import errno
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from cabinet.store.journal import Entry, Head, Journal, StorageError
from cabinet.store.journal_file import JournalFile
from cabinet.store.second_copy import TOTALS_LIMIT, CopyRecord, SecondCopyError
from cabinet.store.second_copy.media import FileSecondCopy
from cabinet.store.writer import COPY_AGAIN_MS, CommitFailed, Committed, QueryDone, QueryFailed, Writer

Facts = Callable[..., Sequence[Entry]]


class SlowCard:
    """A card that is collecting garbage: each commit stops here until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Semaphore(0)
        self.ready = threading.Semaphore(0)

    def __call__(self) -> None:
        self.reached.release()
        self.ready.acquire()


@pytest.fixture
def card() -> SlowCard:
    return SlowCard()


@pytest.fixture
def slow(journal: Journal, card: SlowCard) -> Iterator[Writer]:
    writer = Writer(journal, delay_for_tests=card)
    yield writer
    card.ready.release(100)
    writer.close()


@pytest.fixture(params=(True, False), ids=("thread", "virtual time"))
def writer(journal: Journal, request: pytest.FixtureRequest) -> Iterator[Writer]:
    made = Writer(journal, thread=request.param)
    yield made
    made.close()


def readable(writer: Writer, timeout_s: float = 0) -> bool:
    return bool(select.select([writer.fileno()], [], [], timeout_s)[0])


def committed(writer: Writer) -> Committed:
    result = writer.wait()
    assert isinstance(result, Committed)
    return result


def test_the_loop_goes_on_while_the_card_stalls(slow: Writer, card: SlowCard, facts: Facts) -> None:
    slow.submit(facts(2), now_ms=1000)
    card.reached.acquire()  # the commit is on its way and does not come back
    for now_ms in range(1016, 3000, 16):
        assert slow.busy
        assert slow.poll() is None
        assert slow.running_ms(now_ms) == now_ms - 1000
        assert not readable(slow)
    card.ready.release()
    assert readable(slow, timeout_s=PATIENCE_S)  # wakes a sleeping loop
    result = slow.poll()
    assert isinstance(result, Committed)
    assert result.head.seq == 2
    assert not slow.busy
    assert slow.running_ms(5000) == 0
    assert not readable(slow)
    assert slow.poll() is None


def test_waiting_stands_still_until_the_commit_is_done(slow: Writer, card: SlowCard, facts: Facts) -> None:
    slow.submit(facts(1), now_ms=0)
    threading.Timer(0.05, card.ready.release).start()
    assert committed(slow).head.seq == 1


def test_waiting_without_a_commit_does_not_wait(writer: Writer) -> None:
    assert writer.wait() is None
    assert writer.poll() is None


def test_one_commit_at_a_time(slow: Writer, card: SlowCard, facts: Facts) -> None:
    slow.submit(facts(1), now_ms=0)
    with pytest.raises(RuntimeError, match="one commit at a time"):
        slow.submit(facts(1, first=2), now_ms=0)
    card.ready.release()
    assert committed(slow).head.seq == 1
    card.ready.release()
    slow.submit(facts(1, first=2), now_ms=0)
    assert committed(slow).head.seq == 2


def test_a_commit_that_is_done_but_not_polled_counts_as_running(writer: Writer, facts: Facts) -> None:
    writer.submit(facts(1), now_ms=0)
    assert readable(writer, timeout_s=PATIENCE_S)
    assert writer.busy
    with pytest.raises(RuntimeError):
        writer.submit(facts(1, first=2), now_ms=0)


def test_the_writer_keeps_its_own_list_of_the_entries(slow: Writer, card: SlowCard, facts: Facts) -> None:
    entries = list(facts(2))
    slow.submit(entries, now_ms=0)
    entries.clear()
    card.ready.release()
    assert committed(slow).head.seq == 2


# ---- second copy and what runs after


class Recorder:
    """A second copy that tells what was on the disk when it was written."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.seen: list[tuple[Head, bytes, Head]] = []
        self.error = ""

    def write(self, head: Head, totals: bytes) -> None:
        reader = Journal.read(self.directory)
        self.seen.append((head, totals, reader.head))
        reader.close()
        if self.error:
            raise SecondCopyError(self.error)

    def read(self) -> CopyRecord | None:
        return None


@pytest.mark.requirement("MEM-02")
def test_commit_then_second_copy_then_after_then_the_answer(
    journal: Journal, directory: Path, facts: Facts
) -> None:
    copy = Recorder(directory)
    writer = Writer(journal, copy)
    order: list[str] = []

    def after(opened: Journal) -> None:
        order.append(f"{len(copy.seen)} copies, {threading.current_thread().name}, {writer.poll()}")
        opened.snapshot(1, opened.head.seq, b"state")

    writer.submit(facts(3), now_ms=0, totals=b"credit 1500", after=after)
    head = committed(writer).head
    assert copy.seen == [(head, b"credit 1500", head)]
    assert order == ["1 copies, journal, None"]
    writer.close()
    assert journal.load_snapshot(1) == (3, b"state")


def test_a_copy_that_fails_is_told_beside_a_good_commit(
    journal: Journal, directory: Path, facts: Facts
) -> None:
    copy = Recorder(directory)
    writer = Writer(journal, copy)
    copy.error = "no answer from 0x50"
    writer.submit(facts(1), now_ms=0)
    assert writer.wait() == Committed(journal.head, "no answer from 0x50")
    copy.error = ""
    writer.submit(facts(1, first=2), now_ms=COPY_AGAIN_MS - 1)
    assert writer.wait() == Committed(journal.head, "no answer from 0x50")
    assert len(copy.seen) == 1  # a bus that hangs costs a second each time: it is left alone
    writer.submit(facts(1, first=3), now_ms=COPY_AGAIN_MS)
    assert writer.wait() == Committed(journal.head)
    writer.close()


def test_totals_that_do_not_fit_a_slot_fail_the_copy_and_not_the_commit(
    journal: Journal, tmp_path: Path, facts: Facts
) -> None:
    writer = Writer(journal, FileSecondCopy(tmp_path / "copy"))
    writer.submit(facts(1), now_ms=0, totals=bytes(TOTALS_LIMIT + 1))
    result = writer.wait()
    assert isinstance(result, Committed)
    assert "a slot takes" in result.copy_error
    writer.close()


# ---- failure


def test_a_failed_commit_is_not_tried_again(journal: Journal, directory: Path, facts: Facts) -> None:
    def full() -> None:
        raise StorageError("the disk is full: free space")

    calls: list[int] = []
    writer = Writer(journal, delay_for_tests=lambda: full() if not calls else None)
    writer.submit(facts(1), now_ms=0)
    assert writer.wait() == CommitFailed("the disk is full: free space")
    calls.append(1)  # the disk has room again, but what was decided since is not to be trusted
    writer.submit(facts(1, first=2), now_ms=0)
    assert writer.wait() == CommitFailed("the disk is full: free space")
    writer.close()
    assert journal.head.seq == 0


def test_an_error_of_the_program_is_an_answer_too(writer: Writer, journal: Journal) -> None:
    writer.submit([Entry("", "{}", 0, 0)], now_ms=0)
    result = writer.wait()
    assert isinstance(result, CommitFailed)
    assert "a fact's kind has 1 to 64 characters" in result.error_text
    assert journal.head.seq == 0


def test_a_checkpoint_that_fails_between_commits_is_told_by_the_next(
    journal: Journal, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_disk(_file: JournalFile) -> int:
        raise OSError(errno.EIO, "Input/output error")

    writer = Writer(journal)
    with monkeypatch.context() as broken:
        broken.setattr(JournalFile, "wal_bytes", no_disk)
        writer.submit(facts(1), now_ms=0)
        assert committed(writer).head.seq == 1
        writer.submit(facts(1, first=2), now_ms=0)
        result = writer.wait()
    writer.close()
    assert isinstance(result, CommitFailed)
    assert "replace the card" in result.error_text


# ---- queries


def test_a_query_runs_behind_the_commits(writer: Writer, facts: Facts) -> None:
    assert writer.poll_query() is None
    writer.submit(facts(3), now_ms=0)
    committed(writer)
    writer.query(lambda journal: [row.seq for row in journal.rows(1)])
    assert [writer.querying, readable(writer, timeout_s=PATIENCE_S)] == [True, True]
    assert writer.poll_query() == QueryDone([2, 3])
    assert [writer.querying] == [False]
    assert not readable(writer)


@pytest.mark.parametrize(("thread", "name"), [(True, "journal"), (False, "MainThread")])
def test_only_virtual_time_works_without_the_writer_thread(journal: Journal, thread: bool, name: str) -> None:
    writer = Writer(journal, thread=thread)
    writer.query(lambda journal: threading.current_thread().name)
    assert readable(writer, timeout_s=PATIENCE_S)
    assert writer.poll_query() == QueryDone(name)
    writer.close()


def test_one_query_at_a_time(writer: Writer) -> None:
    writer.query(lambda journal: journal.head)
    with pytest.raises(RuntimeError, match="one query at a time"):
        writer.query(lambda journal: journal.head)


def test_a_query_that_fails_harms_nothing(writer: Writer, facts: Facts) -> None:
    def impossible(journal: Journal) -> list[object]:
        return list(journal.rows(after_seq=7))

    def storage(journal: Journal) -> None:
        raise StorageError("the disk is gone")

    for ask, text in ((impossible, "asked for rows after 7"), (storage, "the disk is gone")):
        writer.query(ask)
        assert readable(writer, timeout_s=PATIENCE_S)
        result = writer.poll_query()
        assert isinstance(result, QueryFailed)
        assert text in result.error_text
    writer.submit(facts(1), now_ms=0)
    assert committed(writer).head.seq == 1


def test_a_commit_goes_before_a_waiting_query(slow: Writer, card: SlowCard, facts: Facts) -> None:
    slow.submit(facts(1), now_ms=0)
    card.reached.acquire()
    slow.query(lambda journal: journal.head.seq)
    card.ready.release(2)
    committed(slow)
    slow.submit(facts(1, first=2), now_ms=0)
    assert committed(slow).head.seq == 2
    assert readable(slow, timeout_s=PATIENCE_S)
    assert isinstance(slow.poll_query(), QueryDone)


def test_the_loop_stays_awake_until_both_results_are_taken(writer: Writer, facts: Facts) -> None:
    writer.query(lambda journal: journal.head.seq)
    assert readable(writer, timeout_s=PATIENCE_S)
    writer.submit(facts(1), now_ms=0)
    committed(writer)
    assert readable(writer)
    assert writer.poll_query() == QueryDone(0)
    assert not readable(writer)


# ---- the end


def test_closing_finishes_what_is_in_flight(journal: Journal, card: SlowCard, facts: Facts) -> None:
    writer = Writer(journal, delay_for_tests=card)
    writer.submit(facts(1), now_ms=0)
    writer.query(lambda opened: opened.head.seq)
    card.ready.release()
    writer.close()
    assert isinstance(writer.poll(), Committed)
    assert writer.poll_query() == QueryDone(1)
    assert journal.head.seq == 1
    with pytest.raises(RuntimeError, match="closed"):
        writer.submit(facts(1, first=2), now_ms=0)
    with pytest.raises(RuntimeError, match="closed"):
        writer.query(lambda opened: None)
    writer.close()
