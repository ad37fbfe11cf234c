"""What lies in a state directory and is not of this program: it is named, and nothing else is touched."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.store.directory.files import too_open
from cabinet.store.errors import JournalStrange
from cabinet.store.journal import Entry, Journal, JournalBroken

Facts = Callable[..., Sequence[Entry]]


def filled(directory: Path, facts: Facts) -> None:
    journal = Journal.open(directory)
    journal.commit(facts(3))
    journal.close()


@pytest.mark.parametrize("content", [b"", b"notes of a technician", b"SQLite format 3\0"])
def test_a_file_with_the_name_of_a_journal_is_named(directory: Path, facts: Facts, content: bytes) -> None:
    filled(directory, facts)
    (directory / "journal-999999.db").write_bytes(content)
    for opened in (Journal.open, Journal.read):
        with pytest.raises(
            JournalStrange, match=r"journal-999999\.db does not follow journal-000001\.db"
        ) as told:
            opened(directory)
        assert "move it elsewhere" in told.value.text
    (directory / "journal-999999.db").unlink()
    journal = Journal.open(directory)
    assert journal.head.seq == 3
    journal.close()


@pytest.mark.parametrize("content", [b"", b"notes of a technician", b"SQLite format 3\0"])
def test_a_strange_file_in_the_next_place_is_named(directory: Path, facts: Facts, content: bytes) -> None:
    filled(directory, facts)
    (directory / "journal-000002.db").write_bytes(content)
    with pytest.raises(JournalBroken, match=r"journal-000002\.db"):
        Journal.open(directory)


@pytest.mark.parametrize("number", [4, 9, 1_000])
def test_a_journal_of_another_version_is_told_so_and_left_alone(
    directory: Path, facts: Facts, number: int
) -> None:
    filled(directory, facts)
    with closing(sqlite3.connect(directory / "journal-000001.db")) as db:
        db.execute("UPDATE meta SET format = ?", (number,))
        db.commit()
    for opened in (Journal.open, Journal.read):
        with pytest.raises(JournalStrange) as told:
            opened(directory)
        assert f"written by another version of the program (format {number}," in told.value.text
        assert "install that version" in told.value.text
        assert "clear" not in told.value.text


@pytest.mark.parametrize(
    ("mode", "fine"),
    [(0o700, True), (0o750, True), (0o755, False), (0o770, False), (0o777, False), (0o704, False)],
)
def test_who_may_look_into_a_state_directory(directory: Path, mode: int, fine: bool) -> None:
    directory.mkdir()
    directory.chmod(mode)
    told = too_open(directory)
    assert (told == "") is fine
    if not fine:
        assert f"has the permissions {mode:04o}" in told
        assert f"chmod 0700 {directory}" in told


def test_a_directory_that_the_journal_makes_is_its_users_alone(directory: Path) -> None:
    Journal.open(directory).close()
    assert directory.stat().st_mode & 0o777 == 0o700
