"""A process that is killed in the middle of commits: what it had acknowledged is there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cabinet.store.journal import Journal
from cabinet.store.second_copy import CopyVerdict, judge
from cabinet.store.second_copy.media import FileSecondCopy
from support.programs.journal_child import entry
from support.programs.strace import child_command, environment


@pytest.mark.requirement("MEM-11")
@pytest.mark.parametrize("per_commit", [1, 7])
def test_kill_9_loses_no_acknowledged_row(directory: Path, per_commit: int) -> None:
    acknowledged = 0
    for acks in (1, 2, 5, 23):
        command = child_command(directory, 0, f"--per-commit={per_commit}")
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) as child:
            assert child.stdout is not None
            for _ in range(acks):
                child.stdout.readline()
            child.kill()
            rest = child.stdout.read().splitlines()
        acknowledged += per_commit * (acks + len(rest))

        journal = Journal.open(directory)
        rows = list(journal.rows())
        assert not journal.was_clean
        assert acknowledged <= len(rows) <= acknowledged + per_commit
        assert len(rows) % per_commit == 0
        assert [row.entry for row in rows] == [entry(row.seq) for row in rows]
        record = FileSecondCopy(directory / "copy").read()
        verdict = judge(record, journal.head, journal.previous_seq, journal.digest_at)
        assert verdict in (CopyVerdict.EQUAL, CopyVerdict.BEHIND)
        journal.close()
        acknowledged = len(rows)
