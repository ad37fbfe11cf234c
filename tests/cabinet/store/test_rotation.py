"""Snapshots, and the new file that starts with one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.store import history as histories
from cabinet.store.directory import files
from cabinet.store.journal import SNAPSHOT_LIMIT, Entry, Journal, JournalBroken, StorageError
from cabinet.store.journal_file import FoundFact

Facts = Callable[..., Sequence[Entry]]
SCHEMA = 3


def small(directory: Path) -> Journal:
    """A journal that begins a new file at every idle moment with a fresh snapshot."""
    return Journal.open(directory, rotate_bytes=1)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("*.db"))


def edit(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(statement)


# ---- snapshots


def test_a_snapshot_comes_back_after_a_restart(directory: Path, facts: Facts) -> None:
    journal = Journal.open(directory)
    assert journal.load_snapshot(SCHEMA) is None
    journal.commit(facts(4))
    journal.snapshot(SCHEMA, 2, b"state after two")
    journal.snapshot(SCHEMA, 3, b"state after three")
    journal.close()
    journal = Journal.open(directory)
    assert journal.load_snapshot(SCHEMA) == (3, b"state after three")
    assert [row.seq for row in journal.rows(after_seq=3)] == [4]
    journal.close()


def test_a_snapshot_of_another_schema_is_not_used(journal: Journal, facts: Facts) -> None:
    journal.commit(facts(1))
    journal.snapshot(SCHEMA, 1, b"state")
    assert journal.load_snapshot(SCHEMA + 1) is None
    assert len(list(journal.rows())) == 1  # the state is rebuilt from these


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE snapshot SET state = x'00'",
        "UPDATE snapshot SET seq = 1",
        "UPDATE snapshot SET digest = (SELECT digest FROM facts WHERE seq = 1)",
        "UPDATE snapshot SET seal = zeroblob(32)",
        "DELETE FROM snapshot",
    ],
)
def test_a_torn_snapshot_is_not_used(directory: Path, facts: Facts, damage: str) -> None:
    journal = Journal.open(directory)
    journal.commit(facts(2))
    journal.snapshot(SCHEMA, 2, b"state")
    journal.close()
    edit(directory / "journal-000001.db", damage)
    journal = Journal.open(directory)
    assert journal.load_snapshot(SCHEMA) is None
    journal.close()


def test_a_snapshot_of_another_journal_is_not_used(directory: Path, tmp_path: Path, facts: Facts) -> None:
    """It is whole and of the right row, but the chain up to that row is another one."""
    for place, first in ((directory, 1), (tmp_path / "other", 7)):
        journal = Journal.open(place)
        journal.commit(facts(2, first=first))
        journal.snapshot(SCHEMA, 2, b"state")
        journal.close()
    edit(directory / "journal-000001.db", "DELETE FROM snapshot")
    with closing(sqlite3.connect(directory / "journal-000001.db", isolation_level=None)) as db:
        db.execute("ATTACH ? AS other", (str(tmp_path / "other" / "journal-000001.db"),))
        db.execute("INSERT INTO snapshot SELECT * FROM other.snapshot")
    journal = Journal.open(directory)
    assert journal.load_snapshot(SCHEMA) is None
    journal.close()


def test_a_snapshot_is_of_a_stored_row_and_bounded(journal: Journal, facts: Facts) -> None:
    journal.commit(facts(1))
    with pytest.raises(ValueError, match="stored row"):
        journal.snapshot(SCHEMA, 2, b"state")
    with pytest.raises(ValueError, match="up to"):
        journal.snapshot(SCHEMA, 1, bytes(SNAPSHOT_LIMIT + 1))
    journal.snapshot(SCHEMA, 1, bytes(SNAPSHOT_LIMIT))


# ---- rotation


def test_a_new_file_carries_chain_snapshot_and_history(directory: Path, facts: Facts) -> None:
    journal = small(directory)
    journal.commit(facts(3))
    head = journal.commit(facts(2, first=4))
    assert journal.rotation_due
    journal.snapshot(SCHEMA, 5, b"state after five")
    journal.idle()
    assert names(directory) == ["journal-000001.db", "journal-000002.db"]
    assert journal.head == head
    assert journal.previous_seq == 3
    assert journal.load_snapshot(SCHEMA) == (5, b"state after five")

    journal.commit(facts(2, first=6))
    assert [row.entry for row in journal.rows()] == list(facts(7))
    assert [row.seq for row in journal.rows(after_seq=5)] == [6, 7]
    assert [row.seq for row in journal.rows(after_seq=4)] == [5, 6, 7]
    assert journal.digest_at(2) == list(journal.rows())[1].digest
    assert journal.digest_at(5) == head.digest
    journal.close()

    again = Journal.open(directory)
    assert [row.entry for row in again.rows()] == list(facts(7))
    again.close()


def test_the_digests_do_not_depend_on_the_files(directory: Path, tmp_path: Path, facts: Facts) -> None:
    many, one = small(directory), Journal.open(tmp_path / "one file")
    for number in range(1, 9):
        many.commit(facts(1, first=number))
        many.snapshot(SCHEMA, number, b"state")
        many.idle()
        one.commit(facts(1, first=number))
    assert len(names(directory)) == 9
    assert many.head == one.head
    assert list(many.rows()) == list(one.rows())
    many.close()
    one.close()


def test_no_new_file_without_a_snapshot_of_the_head(directory: Path, facts: Facts) -> None:
    journal = small(directory)
    journal.commit(facts(1))
    journal.idle()
    journal.snapshot(SCHEMA, 1, b"state")
    journal.commit(facts(1, first=2))
    journal.idle()
    assert names(directory) == ["journal-000001.db"]
    journal.close()


def test_no_new_file_while_the_file_is_small(journal: Journal, directory: Path, facts: Facts) -> None:
    journal.commit(facts(1))
    journal.snapshot(SCHEMA, 1, b"state")
    assert not journal.rotation_due
    journal.idle()
    assert names(directory) == ["journal-000001.db"]


def test_a_reader_in_a_transaction_puts_the_new_file_off(directory: Path, facts: Facts) -> None:
    """The old file must be whole without its write-ahead log before it is left behind."""
    journal = small(directory)
    journal.commit(facts(1))
    with closing(sqlite3.connect(directory / "journal-000001.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM facts").fetchall()
        journal.commit(facts(1, first=2))
        journal.snapshot(SCHEMA, 2, b"state")
        journal.idle()
        assert names(directory) == ["journal-000001.db"]
        reader.execute("COMMIT")
    journal.idle()
    assert names(directory) == ["journal-000001.db", "journal-000002.db"]
    journal.close()


def test_a_reader_opened_later_sees_all_files(directory: Path, facts: Facts) -> None:
    journal = small(directory)
    early = Journal.read(directory)
    for number in (1, 2, 3):
        journal.commit(facts(1, first=number))
        journal.snapshot(SCHEMA, number, b"state")
        journal.idle()
    late = Journal.read(directory)
    assert [row.entry for row in late.rows()] == list(facts(3))
    assert [row.entry for row in early.rows()] == list(facts(1))  # its own file's end; it opens the next
    early.close()
    late.close()
    journal.close()


@pytest.fixture
def three_files(directory: Path, facts: Facts) -> Path:
    journal = small(directory)
    for number in (1, 3):
        journal.commit(facts(2, first=number))
        journal.snapshot(SCHEMA, number + 1, b"state")
        journal.idle()
    journal.commit(facts(2, first=5))
    journal.close()
    assert len(names(directory)) == 3
    return directory


def test_reading_old_files_leaves_no_trace_beside_them(three_files: Path, facts: Facts) -> None:
    before = {path.name: path.read_bytes() for path in three_files.glob("journal-00000[12]*")}
    journal = Journal.open(three_files)
    assert [row.entry for row in journal.rows()] == list(facts(6))
    assert {path.name: path.read_bytes() for path in three_files.glob("journal-00000[12]*")} == before
    assert sorted(before) == ["journal-000001.db", "journal-000002.db"]
    journal.close()


def test_a_file_that_was_moved_away_is_missed_only_when_needed(three_files: Path) -> None:
    (three_files / "journal-000001.db").unlink()
    journal = Journal.open(three_files)
    assert [row.seq for row in journal.rows(after_seq=2)] == [3, 4, 5, 6]
    with pytest.raises(JournalBroken, match=r"journal-000001\.db is missing"):
        list(journal.rows())
    with pytest.raises(JournalBroken, match=r"journal-000001\.db is missing"):
        journal.digest_at(1)
    journal.close()


def test_a_file_of_another_chain_is_found(three_files: Path, tmp_path: Path, facts: Facts) -> None:
    other = small(tmp_path / "other")
    other.commit(facts(2, first=70))
    other.close()
    (tmp_path / "other" / "journal-000001.db").replace(three_files / "journal-000001.db")
    journal = Journal.open(three_files)
    with pytest.raises(JournalBroken, match=r"journal-000002\.db does not follow the file before it"):
        list(journal.rows())
    journal.close()


def test_an_archived_file_that_is_no_database_is_found(three_files: Path) -> None:
    (three_files / "journal-000001.db").write_text("not a database\n" * 400)
    journal = Journal.open(three_files)
    with pytest.raises(JournalBroken, match="not a database"):
        list(journal.rows())
    with pytest.raises(JournalBroken, match="not a database"):
        journal.digest_at(1)
    journal.close()


def test_a_file_that_was_not_finished_is_thrown_away(directory: Path, facts: Facts) -> None:
    """Power went while the next file was being built: it had not got its name yet."""
    journal = small(directory)
    journal.commit(facts(1))
    journal.close()
    (directory / files.BUILDING).write_bytes(b"half a file")
    (directory / f"{files.BUILDING}-wal").write_bytes(b"half a log")
    journal = Journal.open(directory)
    assert [row.entry for row in journal.rows()] == list(facts(1))
    assert names(directory) == ["journal-000001.db"]
    journal.close()


def test_a_new_file_that_can_not_be_made_kills_the_journal(directory: Path, facts: Facts) -> None:
    journal = small(directory)
    journal.commit(facts(1))
    journal.snapshot(SCHEMA, 1, b"state")
    (directory / files.BUILDING).mkdir()
    with pytest.raises(StorageError):
        journal.idle()
    with pytest.raises(StorageError):
        journal.commit(facts(1, first=2))
    journal.close()
    (directory / files.BUILDING).rmdir()
    journal = Journal.open(directory)
    assert [row.entry for row in journal.rows()] == list(facts(1))
    journal.close()


# ---- looking back


def looked_back(journal: Journal, *kinds: str) -> tuple[list[int], str]:
    """The rows of these kinds, the newest first, and what is missing."""
    seen: list[int] = []
    last_seq = journal.head.seq
    with journal.history() as history:
        while True:
            found = history.newest_of(kinds, last_seq)
            seen += [each.seq for each in found.found]
            last_seq = found.last_seq
            if last_seq == 0 or found.missing:
                return seen, found.missing


@pytest.mark.requirement("REC-07")
def test_facts_are_looked_up_by_kind_across_files_in_short_slices(
    directory: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "SLICE_ROWS", 3)
    journal = small(directory)
    for number in range(1, 23):
        journal.commit([Entry("Odd" if number % 2 else "Even", "{}", number, number)])
        if number % 5 == 0:
            journal.snapshot(SCHEMA, number, b"state after %d" % number)
            journal.idle()
    assert len(names(directory)) == 5
    assert looked_back(journal, "Odd") == ([*range(21, 0, -2)], "")
    assert looked_back(journal, "Odd", "Even") == ([*range(22, 0, -1)], "")
    assert looked_back(journal, "None") == ([], "")
    with journal.history() as history:
        assert history.next_of(("Even",), 0) == FoundFact(2, Entry("Even", "{}", 2, 2))
        assert history.next_of(("Even",), 10) == FoundFact(12, Entry("Even", "{}", 12, 12))
        assert history.next_of(("Odd",), 21) is None
        assert history.begins_after() == 0
        kept = [history.snapshot_before(SCHEMA, seq) for seq in (4, 5, 9, 10, 22)]
        assert [found and found[0] for found in kept] == [None, 5, 5, 10, 20]
        assert kept[-1] == (20, b"state after 20")
    assert [row.seq for row in journal.rows(4, 11)] == [*range(5, 12)]
    (directory / "journal-000002.db").rename(directory.parent / "kept elsewhere")
    assert looked_back(journal, "Odd") == ([21, 19, 17, 15, 13, 11], "journal-000002.db")
    with journal.history() as history:
        assert history.begins_after() == 10
        assert history.snapshot_before(SCHEMA, 9) is None
    journal.close()


@pytest.mark.requirement("MEM-04")
def test_a_bad_snapshot_gives_way_to_the_one_before_it(directory: Path, facts: Facts) -> None:
    journal = Journal.open(directory)
    journal.commit(facts(4))
    journal.snapshot(SCHEMA, 2, b"state after two")
    journal.snapshot(SCHEMA, 4, b"state after four")
    journal.close()
    edit(directory / "journal-000001.db", "UPDATE snapshot SET state = x'00' WHERE seq = 4")
    journal = Journal.open(directory)
    assert journal.load_snapshot(SCHEMA) == (2, b"state after two")
    journal.close()


def test_a_file_of_the_format_before_keeps_one_snapshot_and_goes_on(directory: Path, facts: Facts) -> None:
    journal = small(directory)
    journal.commit(facts(3))
    journal.close()
    edit(directory / "journal-000001.db", "DROP TABLE snapshot")
    edit(
        directory / "journal-000001.db",
        "CREATE TABLE snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), schema INTEGER NOT NULL,"
        " seq INTEGER NOT NULL, digest BLOB NOT NULL, state BLOB NOT NULL, seal BLOB NOT NULL) STRICT",
    )
    edit(directory / "journal-000001.db", "UPDATE meta SET format = 1")
    journal = small(directory)
    assert journal.load_snapshot(SCHEMA) is None
    journal.snapshot(SCHEMA, 2, b"two")
    journal.snapshot(SCHEMA, 3, b"three")
    assert journal.load_snapshot(SCHEMA) == (3, b"three")
    journal.idle()
    assert len(names(directory)) == 2
    journal.commit(facts(1, first=4))
    assert [row.seq for row in journal.rows()] == [1, 2, 3, 4]
    journal.close()
