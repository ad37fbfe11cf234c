"""Power may go after any system call: every acknowledged row is there, and the second copy agrees.

One run of the journal is recorded (it makes the directory, commits, rotates, commits, stops), and
each disk state that a power cut could leave behind is opened by the shipped code. The same search
must go red for two mutants, or it would prove nothing.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cabinet.lab.crash.disk import Call, DiskAct, calls_of, content_of, lay_out, states
from cabinet.store.journal import Entry, Journal, JournalError
from cabinet.store.second_copy import CopyVerdict, judge
from cabinet.store.second_copy.media import FileSecondCopy
from support.programs import strace
from support.programs.crash_states import record, ships_normal
from support.programs.journal_child import SNAPSHOT_SCHEMA, entry

__test__ = strace.AT_HAND  # without strace there is nothing to record

SEED = 20260117
COMMITS = 30
ROWS_PER_COMMIT = 2


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder without a disk behind it, if there is one: hundreds of recoveries flush a lot."""
    base = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="crash-states-", dir=base if base.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


def recovered(directory: Path, files: dict[str, bytes], acknowledged: int, snapshot_from: float) -> str:
    """Starts on what is left of the disk. Empty if all is well, else what is wrong."""
    shutil.rmtree(directory, ignore_errors=True)
    lay_out(directory, files)
    try:
        journal = Journal.open(directory)
    except JournalError as error:
        return f"does not open: {error}"
    try:
        return trouble(journal, FileSecondCopy(directory / "copy"), acknowledged, snapshot_from)
    except JournalError as error:
        return f"does not replay: {error}"
    finally:
        journal.close()


def trouble(journal: Journal, copy: FileSecondCopy, acknowledged: int, snapshot_from: float) -> str:
    rows = list(journal.rows())
    if len(rows) < acknowledged:
        return f"lost {acknowledged - len(rows)} acknowledged rows"
    if [row.entry for row in rows] != [entry(row.seq) for row in rows] or len(rows) % ROWS_PER_COMMIT:
        return "has other rows than were committed"
    if acknowledged >= snapshot_from and journal.load_snapshot(SNAPSHOT_SCHEMA) != (snapshot_from, b"state"):
        return "lost the snapshot"
    verdict = judge(copy.read(), journal.head, journal.previous_seq, journal.digest_at)
    allowed = {CopyVerdict.EQUAL, CopyVerdict.BEHIND}
    if acknowledged == 0:
        allowed.add(CopyVerdict.MISSING)
    if verdict not in allowed:
        return f"second copy {verdict}"
    journal.commit([Entry("SessionStarted", "{}", 0, 0)])  # and the night goes on
    return ""


def search(memory: Path, *options: str) -> tuple[int, list[str]]:
    """How many states there are, and what is wrong with those that are bad."""
    run = memory / "run"
    run.mkdir(exist_ok=True)
    found = content_of(run)
    calls = record(run, memory / "trace", COMMITS, f"--per-commit={ROWS_PER_COMMIT}", *options)
    snapshot_from = ROWS_PER_COMMIT * (COMMITS // 2 + 1) if "--rotate" in options else math.inf
    count, bad = 0, []
    for where, acknowledged, files in states(calls, SEED, found):
        count += 1
        if wrong := recovered(memory / "state", files, acknowledged, snapshot_from):
            bad.append(f"{where}: {wrong}")
    return count, bad


@pytest.mark.requirement("MEM-02", "MEM-11")
def test_no_power_cut_loses_an_acknowledged_row(memory: Path) -> None:
    count, bad = search(memory, "--rotate")
    assert bad == []
    assert count > 400


@pytest.mark.requirement("MEM-02", "MEM-11")
def test_power_may_go_again_during_recovery(memory: Path) -> None:
    """The recorded run finds what a killed one has left: rows that are only in the write-ahead log."""
    command = strace.child_command(memory / "run", 0, f"--per-commit={ROWS_PER_COMMIT}")
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=strace.environment()) as child:
        assert child.stdout is not None
        for _ in range(5):
            child.stdout.readline()
        child.kill()
        child.stdout.read()
    assert content_of(memory / "run")["journal-000001.db-wal"]
    _, bad = search(memory)
    assert bad == []


def test_the_search_catches_a_journal_that_flushes_too_little(memory: Path) -> None:
    _, bad = search(memory, "--rotate", "--synchronous=1")
    assert any("acknowledged rows" in wrong for wrong in bad)


def test_the_search_catches_a_program_that_ships_with_less(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is tried is the setting that the program has, and not one that the search sets by itself."""
    ships_normal(memory, monkeypatch)
    _, bad = search(memory, "--rotate")
    assert any("acknowledged rows" in wrong for wrong in bad)


def test_the_search_catches_a_second_copy_that_is_written_first(memory: Path) -> None:
    _, bad = search(memory, "--copy-first")
    assert any("second copy ahead" in wrong for wrong in bad)


def test_a_call_that_another_thread_has_split_counts_where_it_has_returned(tmp_path: Path) -> None:
    """A write or a flush that is left out of a recording makes states that no disk ever leaves."""

    def raw(text: str) -> str:
        return "".join(f"\\x{byte:02x}" for byte in text.encode())

    path = raw(f"{tmp_path}/journal-000001.db")
    trace = tmp_path / "trace"
    trace.write_text(
        f'7 pwrite64(5<{path}>, "{raw("rows")}", 4, 4096 <unfinished ...>\n'
        f'8 write(1<{raw("pipe")}>, "{raw("ack 3")}\\x0a", 6) = 6\n'
        "7 <... pwrite64 resumed>)           = 4\n"
        f"7 fdatasync(5<{path}> <unfinished ...>\n"
        "7 <... fdatasync resumed>)          = 0\n"
        f'9 pwrite64(5<{path}>, "{raw("lost")}", 4, 0 <unfinished ...>\n',
        encoding="ascii",
    )
    assert calls_of(trace, tmp_path) == [
        Call(DiskAct.ACKNOWLEDGE, at=3),
        Call(DiskAct.WRITE, "journal-000001.db", at=4096, data=b"rows"),
        Call(DiskAct.SYNC, "journal-000001.db"),
    ]
