"""The journal in good days, and what it says when somebody has been at its file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from cabinet.store import journal as journal_module
from cabinet.store import schema
from cabinet.store.chain import GENESIS, link, packed
from cabinet.store.journal import (
    ChainRow,
    Entry,
    Head,
    Journal,
    JournalBroken,
    JournalError,
    JournalUnsafe,
    StorageError,
)
from cabinet.store.journal_file import JournalFile, settle

Facts = Callable[..., Sequence[Entry]]


def edit(directory: Path, *statements: str) -> None:
    """What a person with the card in a reader can do: a second connection, the guards taken away."""
    with closing(sqlite3.connect(directory / "journal-000001.db", isolation_level=None)) as db:
        triggers = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")]
        for trigger in triggers:
            db.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            db.execute(statement)


def filled(directory: Path, entries: Sequence[Entry]) -> Head:
    journal = Journal.open(directory)
    head = journal.commit(entries)
    journal.mark_clean()
    journal.close()
    return head


def test_an_empty_journal_ends_at_the_genesis(journal: Journal) -> None:
    assert journal.head == GENESIS
    assert list(journal.rows()) == []
    assert journal.was_clean
    assert journal.digest_at(0) == GENESIS.digest


@pytest.mark.requirement("MEM-01")
def test_facts_come_back_in_order_after_a_restart(directory: Path, facts: Facts) -> None:
    entries = facts(5)
    journal = Journal.open(directory)
    journal.commit(entries[:2])
    head = journal.commit(entries[2:])
    journal.close()

    again = Journal.open(directory)
    rows = list(again.rows())
    again.close()
    assert [row.entry for row in rows] == list(entries)
    assert [row.seq for row in rows] == [1, 2, 3, 4, 5]
    assert again.head == head == Head(5, rows[-1].digest)


def test_rows_can_begin_in_the_middle(journal: Journal, facts: Facts) -> None:
    journal.commit(facts(1300))  # more than two batches
    assert [row.seq for row in journal.rows(after_seq=1290)] == list(range(1291, 1301))
    assert list(journal.rows(after_seq=1300)) == []
    assert len(list(journal.rows())) == 1300


def test_asking_beyond_the_end_is_a_mistake_of_the_caller(journal: Journal, facts: Facts) -> None:
    journal.commit(facts(3))
    with pytest.raises(ValueError, match="ends at row 3"):
        list(journal.rows(after_seq=4))
    assert journal.digest_at(4) is None
    assert journal.digest_at(-1) is None


def test_the_digests_follow_from_the_entries_alone(journal: Journal, facts: Facts, tmp_path: Path) -> None:
    entries = facts(4)
    journal.commit(entries)
    one_by_one = Journal.open(tmp_path / "elsewhere", started="at another time")
    for entry in entries:
        one_by_one.commit([entry])
    assert one_by_one.head == journal.head
    one_by_one.close()
    rows = [ChainRow(0, Entry("", "", 0, 0), GENESIS.digest), *journal.rows()]
    for before, row in pairwise(rows):
        assert row.digest == link(bytes.fromhex(before.digest), row.seq, packed(row.entry)).hex()


def test_digest_at_a_row(journal: Journal, facts: Facts) -> None:
    journal.commit(facts(3))
    assert [journal.digest_at(row.seq) for row in journal.rows()] == [row.digest for row in journal.rows()]


def test_nothing_to_commit_leaves_the_head(journal: Journal, facts: Facts) -> None:
    head = journal.commit(facts(1))
    assert journal.commit([]) == head


def test_previous_seq_is_the_head_before_the_last_transaction(directory: Path, facts: Facts) -> None:
    journal = Journal.open(directory)
    journal.commit(facts(2))
    journal.commit(facts(3, first=3))
    assert journal.previous_seq == 2
    journal.close()
    journal = Journal.open(directory)
    assert journal.previous_seq == 2
    journal.close()


def test_an_entry_that_can_not_be_stored_is_refused_before_anything_is_written(
    journal: Journal, facts: Facts
) -> None:
    journal.commit(facts(1))
    with pytest.raises(ValueError):
        journal.commit([*facts(1, first=2), Entry("", "{}", 0, 0)])
    assert journal.head.seq == 1
    journal.commit(facts(1, first=2))
    assert [row.entry for row in journal.rows()] == list(facts(2))


def test_only_an_asked_for_stop_is_clean(directory: Path, facts: Facts) -> None:
    filled(directory, facts(1))
    journal = Journal.open(directory)
    assert journal.was_clean
    journal.close()  # the mark was taken away at open: this counts as a crash

    journal = Journal.open(directory)
    assert not journal.was_clean
    journal.mark_clean()
    journal.commit(facts(1, first=2))  # a commit after the mark takes it away
    journal.close()
    journal = Journal.open(directory)
    assert not journal.was_clean
    journal.close()


@pytest.mark.requirement("REC-07")
def test_facts_can_not_be_changed_removed_or_replaced(
    journal: Journal, facts: Facts, directory: Path
) -> None:
    journal.commit(facts(2))
    with closing(sqlite3.connect(directory / "journal-000001.db", isolation_level=None)) as db:
        for statement in (
            "UPDATE facts SET body = '{}' WHERE seq = 1",
            "DELETE FROM facts WHERE seq = 2",
            "INSERT OR REPLACE INTO facts VALUES (1, 'NoteCredited', '{}', 0, 0, x'00', NULL, NULL)",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(statement)
    assert [row.entry for row in journal.rows()] == list(facts(2))


@pytest.mark.requirement("MEM-03")
@pytest.mark.parametrize(
    ("statement", "seq", "what"),
    [
        (
            "UPDATE facts SET body = replace(body, '500', '5000') WHERE seq = 3",
            3,
            "'NoteCredited' gives the digest",
        ),
        ("UPDATE facts SET wall_ms = wall_ms + 1 WHERE seq = 2", 2, "digest"),
        ("UPDATE facts SET at_ms = 0 WHERE seq = 5", 5, "digest"),
        ("UPDATE facts SET kind = 'NoteReturned' WHERE seq = 1", 1, "NoteReturned"),
        ("UPDATE facts SET kind = '' WHERE seq = 4", 4, "never committed like this"),
        ("DELETE FROM facts WHERE seq = 2", 2, "missing"),
        ("UPDATE facts SET digest = zeroblob(32) WHERE seq = 4", 4, "the stored one is 000000"),
        ("UPDATE facts SET body = CAST(x'ff' AS TEXT) WHERE seq = 1", None, "decode"),
    ],
)
def test_an_edited_row_is_named(
    directory: Path, facts: Facts, statement: str, seq: int | None, what: str
) -> None:
    filled(directory, facts(6))
    edit(directory, statement)
    journal = Journal.open(directory)
    with pytest.raises(JournalBroken, match="journal is broken") as broken:
        list(journal.rows())
    journal.close()
    assert broken.value.seq == seq
    assert what in broken.value.text
    assert "cents" not in broken.value.text, "a body may have the number of a ticket in it"


@pytest.mark.requirement("MEM-03")
def test_a_bit_in_the_description_of_the_tables_is_damage_like_any_other(
    directory: Path, facts: Facts
) -> None:
    """SQLite quotes it in its own words, which may be no text."""
    filled(directory, facts(2))
    path = directory / "journal-000001.db"
    whole = path.read_bytes()
    begin = whole.index(b"CREATE TABLE facts")
    told = set()
    for place in range(begin + 30, begin + 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x80]) + whole[place + 1 :])
        for opened in (Journal.open, Journal.read):
            try:
                opened(directory).close()
            except JournalBroken as error:
                told.add(error.what.partition(" (")[0])
    assert "the description of its tables is damaged" in told


def test_rows_before_the_bad_one_are_still_given(directory: Path, facts: Facts) -> None:
    filled(directory, facts(6))
    edit(directory, "UPDATE facts SET body = '{}' WHERE seq = 4")
    journal = Journal.open(directory)
    seen: list[ChainRow] = []
    with pytest.raises(JournalBroken):
        seen.extend(journal.rows())
    assert [row.seq for row in seen] == [1, 2, 3]
    assert [row.seq for row in journal.rows(after_seq=4)] == [5, 6]  # what follows a snapshot still fits
    journal.close()


@pytest.mark.requirement("MEM-03")
@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DELETE FROM facts WHERE seq = 6", "the rows end with"),
        ("UPDATE meta SET head_seq = 7", "the stored head is"),
        ("UPDATE meta SET format = 0", "not a journal of format"),
        ("DELETE FROM meta", "not a journal of format"),
        ("DROP TABLE meta", "no such table: meta"),
    ],
)
def test_a_head_that_does_not_fit_the_rows_is_found_at_open(
    directory: Path, facts: Facts, statement: str, what: str
) -> None:
    filled(directory, facts(6))
    edit(directory, statement)
    for _ in range(2):  # the lock is free again after a refusal
        with pytest.raises(JournalBroken, match=what):
            Journal.open(directory)


def test_a_reader_finds_rows_cut_off_at_the_end(directory: Path, facts: Facts) -> None:
    filled(directory, facts(6))
    edit(directory, "DELETE FROM facts WHERE seq > 4")
    reader = Journal.read(directory)
    with pytest.raises(JournalBroken, match="the rows end with"):
        list(reader.rows())
    with pytest.raises(JournalBroken, match="row is missing") as broken:
        list(reader.rows(after_seq=5))
    assert broken.value.seq == 5
    assert reader.digest_at(5) is None
    reader.close()


@pytest.mark.requirement("MEM-03")
def test_a_damaged_page_is_found_at_open(directory: Path, facts: Facts) -> None:
    filled(directory, facts(500))
    path = directory / "journal-000001.db"
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = bytes(64)
    path.write_bytes(content)
    with pytest.raises(JournalBroken):
        Journal.open(directory)


@pytest.mark.parametrize("clean", [True, False])
def test_after_a_crash_the_thorough_check_runs(directory: Path, facts: Facts, clean: bool) -> None:
    """quick_check does not compare an index with its table, integrity_check does."""
    filled(directory, facts(3))
    edit(
        directory,
        "CREATE TABLE extra (one TEXT, two TEXT)",
        "CREATE INDEX extra_by ON extra (one)",
        "INSERT INTO extra VALUES ('a', 'b')",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = 'CREATE INDEX extra_by ON extra (two)' WHERE name = 'extra_by'",
        f"UPDATE meta SET clean = {int(clean)}",
    )
    if clean:
        Journal.open(directory).close()
    else:
        with pytest.raises(JournalBroken, match="missing from index extra_by"):
            Journal.open(directory)


def test_no_file_at_all_for_a_reader(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no journal in"):
        Journal.read(tmp_path)


def test_something_else_under_the_name_of_a_journal(directory: Path) -> None:
    directory.mkdir()
    (directory / "journal-000001.db").write_text("not a database\n" * 400)
    with pytest.raises(JournalBroken, match="not a database"):
        Journal.open(directory)
    with pytest.raises(JournalBroken, match="not a database"):
        Journal.read(directory)
    (directory / "journal-000001.db").write_bytes(b"")  # a database without tables
    with pytest.raises(JournalBroken, match="no such table"):
        Journal.read(directory)


# ---- settings


@pytest.mark.requirement("MEM-11")
def test_every_setting_of_the_writer_is_in_force(journal: Journal, directory: Path) -> None:
    reader = Journal.read(directory)
    for opened, pragmas in ((journal, schema.WRITER_PRAGMAS), (reader, schema.READER_PRAGMAS)):
        for name, wanted in pragmas:
            assert opened._file.db.execute(f"PRAGMA {name}").fetchone() == (wanted,)
    reader.close()
    settings = dict(schema.WRITER_PRAGMAS)
    assert settings["journal_mode"] == "wal"
    assert settings["synchronous"] == 2
    assert settings["wal_autocheckpoint"] == 0
    assert settings["mmap_size"] == 0


def test_a_database_that_does_not_turn_to_wal_is_refused() -> None:
    """An in-memory database answers `memory`, as quietly as a disk with an I/O error answers `delete`."""
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as db,
        pytest.raises(JournalUnsafe, match=r"journal_mode=wal, it answered 'memory'"),
    ):
        settle(db, schema.WRITER_PRAGMAS)


@pytest.mark.requirement("MEM-11")
def test_a_setting_that_sqlite_does_not_know_is_refused() -> None:
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as db,
        pytest.raises(JournalUnsafe, match="it answered nothing"),
    ):
        settle(db, [("synchronuos", 2)])


@pytest.mark.requirement("MEM-11")
def test_a_refused_setting_keeps_the_cabinet_from_opening(
    directory: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(directory, facts(1))
    with monkeypatch.context() as broken:
        broken.setattr(schema, "WRITER_PRAGMAS", (("page_size", 5000), *schema.WRITER_PRAGMAS))
        with pytest.raises(JournalUnsafe, match="page_size=5000"):
            Journal.open(directory)
    Journal.open(directory).close()  # and leaves the directory unlocked


# ---- a reader beside the cabinet


def test_a_reader_follows_the_running_cabinet(journal: Journal, directory: Path, facts: Facts) -> None:
    journal.commit(facts(2))
    reader = Journal.read(directory)
    assert reader.head == journal.head
    journal.commit(facts(1, first=3))
    assert [row.entry for row in reader.rows()] == list(facts(3))
    assert reader.head == journal.head
    journal.idle()
    assert len(list(reader.rows())) == 3
    reader.close()


def test_a_reader_changes_nothing(journal: Journal, directory: Path, facts: Facts) -> None:
    journal.commit(facts(1))
    wal = directory / "journal-000001.db-wal"
    before = wal.read_bytes()
    reader = Journal.read(directory)
    with pytest.raises(StorageError):
        reader.commit(facts(1, first=2))
    reader.close()
    assert wal.read_bytes() == before  # not even a checkpoint at close
    assert journal.commit(facts(1, first=2)).seq == 2


def test_a_reader_in_the_middle_of_a_row_list_does_not_hold_up_a_commit(
    journal: Journal, directory: Path, facts: Facts
) -> None:
    journal.commit(facts(1200))
    reader = Journal.read(directory)
    rows = reader.rows()
    next(rows)
    journal.commit(facts(1, first=1201))
    journal.idle()
    assert (directory / "journal-000001.db-wal").stat().st_size == 0
    assert len(list(rows)) == 1199  # up to the head at the time of asking
    reader.close()


@pytest.fixture
def read_only_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program is told about a directory on a card that is mounted read-only."""
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)


@pytest.mark.usefixtures("read_only_card")
def test_a_card_in_a_reader_is_read_without_a_trace(directory: Path, facts: Facts) -> None:
    head = filled(directory, facts(3))
    before = sorted(directory.iterdir())
    reader = Journal.read(directory)
    assert reader.head == head
    assert [row.entry for row in reader.rows()] == list(facts(3))
    reader.close()
    assert sorted(directory.iterdir()) == before


@pytest.mark.usefixtures("read_only_card")
def test_a_card_after_a_power_cut_must_be_copied_first(directory: Path, facts: Facts) -> None:
    filled(directory, facts(3))
    (directory / "journal-000001.db-wal").write_bytes(b"")
    Journal.read(directory).close()
    (directory / "journal-000001.db-wal").write_bytes(b"rows")
    with pytest.raises(JournalError, match="copy that directory to another disk"):
        Journal.read(directory)


def test_what_only_a_writer_may_mend_is_not_called_a_failing_card(directory: Path, facts: Facts) -> None:
    filled(directory, facts(2))
    (directory / "journal-000001.db-wal").write_bytes(b"rows")
    (directory / "journal-000001.db-journal").write_bytes(bytes(range(1, 200)) * 30)
    with pytest.raises(JournalError, match="start the cabinet, or look at a copy of the directory"):
        Journal.read(directory)
    journal = Journal.open(directory)
    assert [row.entry for row in journal.rows()] == list(facts(2))
    journal.close()


@pytest.mark.usefixtures("read_only_card")
def test_a_running_cabinet_of_another_user_is_followed(
    journal: Journal, directory: Path, facts: Facts
) -> None:
    journal.commit(facts(1))
    reader = Journal.read(directory)
    journal.commit(facts(1, first=2))
    assert [row.seq for row in reader.rows()] == [1, 2]
    reader.close()


# ---- the write-ahead log


def test_idle_empties_the_write_ahead_log(journal: Journal, directory: Path, facts: Facts) -> None:
    wal = directory / "journal-000001.db-wal"
    journal.commit(facts(1))
    assert wal.stat().st_size > 0
    journal.idle()
    assert wal.stat().st_size == 0


def test_the_write_ahead_log_is_bounded_without_an_idle_moment(
    journal: Journal, directory: Path, facts: Facts
) -> None:
    wal = directory / "journal-000001.db-wal"
    largest = 0
    for number in range(600):
        journal.commit(facts(1, first=number + 1))
        largest = max(largest, wal.stat().st_size)
        journal.relieve()
    assert 4_000_000 < largest < 4_300_000
    assert wal.stat().st_size < largest


def test_a_reader_that_stays_does_not_hold_up_every_commit(
    directory: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it looks, no checkpoint can finish, and each attempt waits for it."""
    monkeypatch.setattr(journal_module, "WAL_LIMIT_BYTES", 50_000)
    journal = Journal.open(directory)
    journal.commit(facts(1))
    reader = sqlite3.connect(f"file:{directory}/journal-000001.db?mode=ro", uri=True, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM facts").fetchone()
    tried: list[bool] = []
    checkpoint = JournalFile.checkpoint

    def counted(file: JournalFile) -> bool:
        tried.append(checkpoint(file))
        return tried[-1]

    monkeypatch.setattr(JournalFile, "checkpoint", counted)
    journal._file.db.execute("PRAGMA busy_timeout = 1")  # how long each waits
    wal = directory / "journal-000001.db-wal"
    for number in range(60):
        journal.commit(facts(1, first=number + 2))
        journal.relieve()
    assert wal.stat().st_size > 250_000
    assert 1 <= len(tried) <= wal.stat().st_size // 50_000
    assert not any(tried)
    reader.close()
    for number in range(60, 120):
        journal.commit(facts(1, first=number + 2))
        journal.relieve()
    assert any(tried)
    assert wal.stat().st_size < 250_000
    journal.close()


# ---- the end


def test_a_closed_journal_says_so(directory: Path, facts: Facts) -> None:
    journal = Journal.open(directory)
    journal.close()
    journal.close()
    for call in (
        lambda: journal.commit(facts(1)),
        lambda: list(journal.rows()),
        journal.idle,
        journal.relieve,
        journal.mark_clean,
        lambda: journal.snapshot(1, 0, b""),
        lambda: journal.load_snapshot(1),
    ):
        with pytest.raises(StorageError, match="closed"):
            call()


def test_free_bytes_are_those_of_the_disk(journal: Journal) -> None:
    assert journal.free_bytes() > 0
