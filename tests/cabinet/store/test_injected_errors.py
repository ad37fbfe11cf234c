"""The Nth system call fails: the cabinet says so in words, stops, and has kept what it acknowledged.

strace makes single calls fail or kills the process at one. A few places are tried on each run; the
campaign tries every call of a run that opens, commits, rotates and stops. (A call that claims success
and does nothing is a lying disk: nothing that runs on it can notice, so it is not among the faults.)
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.store.journal import Journal
from cabinet.store.second_copy import CopyVerdict, judge
from cabinet.store.second_copy.media import FileSecondCopy
from support.programs import strace
from support.programs.journal_child import entry

__test__ = strace.AT_HAND

FAULTS = {
    "flush fails": "fdatasync:error=EIO",
    "full": "pwrite64:error=ENOSPC",
    "write fails": "pwrite64:error=EIO",
    "own flush fails": "fsync:error=EIO",
    "no new file": "openat:error=EACCES",
    "not renamed": "rename:error=EROFS",
    "killed at a write": "pwrite64:signal=KILL",
    "killed at a flush": "fdatasync:signal=KILL",
}
SOME = [
    *(("flush fails", number) for number in (1, 2, 4, 6, 9, 14)),
    *(("full", number) for number in (3, 11, 24, 41)),
    *(("own flush fails", number) for number in (1, 3)),
    *(("not renamed", number) for number in (1,)),
    *(("killed at a write", number) for number in (12, 30)),
    *(("killed at a flush", number) for number in (5,)),
]
CALLS = {
    "fdatasync": 40,
    "pwrite64": 90,
    "fsync": 25,
    "openat": 30,
    "rename": 2,
}  # a little over what a run needs


def inject(directory: Path, fault: str, number: int) -> tuple[int, str]:
    """Runs the child with a fault in its Nth call (of each thread). Returns what it acknowledged and said."""
    rule = f"{FAULTS[fault]}:when={number}"
    call = rule.partition(":")[0]
    only = ("-P", str(directory)) if call == "openat" else ()
    options = ("-o", "/dev/null", *only, "-e", f"trace={call}", "-e", f"inject={rule}")
    run = strace.run_child(directory, 4, "--rotate", strace=options)
    assert "Traceback" not in run.stderr
    return strace.acknowledged(run.stdout), run.stdout


def check(directory: Path, acknowledged: int, said: str) -> None:
    lines = said.splitlines()
    errors = [line for line in lines if line.startswith("error") and "second copy" not in line]
    if errors:
        assert lines[-1] == errors[0]  # nothing was acknowledged after the first refusal
        assert any(
            word in errors[0] for word in ("the disk", "the journal file", "permission", "SQLite did not")
        )
    journal = Journal.open(directory)
    rows = list(journal.rows())
    assert len(rows) >= acknowledged
    assert [row.entry for row in rows] == [entry(row.seq) for row in rows]
    record = FileSecondCopy(directory / "copy").read()
    verdict = judge(record, journal.head, journal.previous_seq, journal.digest_at)
    assert verdict in (CopyVerdict.EQUAL, CopyVerdict.BEHIND, CopyVerdict.MISSING, CopyVerdict.STALE)
    journal.close()
    assert strace.acknowledged(strace.run_child(directory, 1).stdout) == len(rows) + 1


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize(("fault", "number"), SOME)
def test_a_failing_call_while_playing(directory: Path, fault: str, number: int) -> None:
    assert strace.run_child(directory, 1).stdout == "ack 1\ndone\n"
    acknowledged, said = inject(directory, fault, number)
    check(directory, max(1, acknowledged), said)


@pytest.mark.parametrize(("fault", "number"), [("flush fails", 3), ("full", 12), ("own flush fails", 2)])
def test_a_failing_call_at_the_very_first_start(directory: Path, fault: str, number: int) -> None:
    directory.mkdir()
    check(directory, *inject(directory, fault, number))


@pytest.mark.campaign
@pytest.mark.requirement("MEM-10", "MEM-11")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("fresh", [True, False])
def test_every_call_may_fail(tmp_path: Path, fault: str, fresh: bool) -> None:
    for number in range(1, CALLS[FAULTS[fault].partition(":")[0]] + 1):
        directory = tmp_path / str(number)
        directory.mkdir()
        if not fresh:
            strace.run_child(directory, 1)
        acknowledged, said = inject(directory, fault, number)
        check(directory, acknowledged if fresh else max(1, acknowledged), said)
