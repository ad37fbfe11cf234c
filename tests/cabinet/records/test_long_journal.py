"""A start does not grow with the years: a snapshot and the facts since are all that is folded."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.core.facts import KeyTurned, encode
from cabinet.core.past.answers import RECALL
from cabinet.program.inquiry import Inquiry
from cabinet.program.runtime import SNAPSHOT_EVERY
from cabinet.records.lookup import SLICE_FACTS, recall
from cabinet.records.replay import restore
from cabinet.store.journal import ROTATE_BYTES, Entry, Journal
from cabinet.store.writer import Committed, Writer
from support.programs.long_journal import COMMIT_FACTS, write

SLACK_BYTES = 2 << 20  # a file is followed by the next one at the first snapshot after it has become large


def started(directory: Path) -> tuple[float, int]:
    """Seconds until the state is known, and how many facts were folded for it."""
    began = time.perf_counter()
    with closing(Journal.open(directory)) as journal:
        restored = restore(journal)
        taken_s = time.perf_counter() - began
        assert restored.trouble == ""
        return taken_s, restored.facts


@pytest.mark.requirement("REC-01", "MEM-01")
def test_a_start_folds_the_facts_since_the_last_snapshot_and_no_more(tmp_path: Path) -> None:
    written = write(tmp_path, 9_000, rotate_bytes=500_000)
    with closing(Journal.open(tmp_path)) as journal:
        restored = restore(journal)
        assert restored.state == written.state
        assert restored.facts <= SNAPSHOT_EVERY + 2 * COMMIT_FACTS < 9_000
        assert recall(journal, 1).number == 1, "older files stay readable"


@pytest.mark.requirement("REC-01")
def test_a_round_that_takes_long_to_find_lets_every_commit_through(tmp_path: Path) -> None:
    """After an update no snapshot is of this program's kind, and the first fact is where it begins: cards and
    notes of the table must not wait for that."""
    written = write(tmp_path, 4_000)
    with closing(Journal.open(tmp_path)) as journal:
        journal._file.db.execute("DELETE FROM snapshot")
        number = written.state.round_number - 20
        expected = recall(journal, number)
        writer = Writer(journal, thread=False)
        inquiry = Inquiry(writer)
        inquiry.want(f"{RECALL}:{number}")
        commits = 0
        while (told := inquiry.poll()) is None:
            writer.submit([Entry(*encode(KeyTurned(commits, "attendant", bool(commits % 2))), commits, 0)], 0)
            assert isinstance(writer.poll(), Committed)
            commits += 1
        assert told == (f"{RECALL}:{number}", expected)
        assert commits >= 3_000 // SLICE_FACTS
        writer.close()


@pytest.mark.campaign
@pytest.mark.requirement("REC-01", "MEM-01")
def test_a_million_facts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The times are for docs/recall-and-logs.md; what is asserted is what makes them short."""
    written = write(tmp_path / "long", 1_000_000)
    empty_s, _ = started(tmp_path / "empty")
    empty_s, _ = started(tmp_path / "empty")
    long_s, facts = started(tmp_path / "long")
    assert facts <= SNAPSHOT_EVERY + 2 * COMMIT_FACTS
    sizes = [path.stat().st_size for path in sorted((tmp_path / "long").glob("journal-*.db"))]
    assert max(sizes) < ROTATE_BYTES + SLACK_BYTES
    with closing(Journal.read(tmp_path / "long")) as journal:
        assert recall(journal, 137).number == 137
    with capsys.disabled():
        print(
            f"\n{written.facts:,} facts, {written.state.round_number:,} rounds, {len(sizes)} files: a start"
            f" takes {long_s:.2f} s and folds {facts} facts; an empty one takes {empty_s:.2f} s"
        )
