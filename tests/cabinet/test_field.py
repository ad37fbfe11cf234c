"""The field program before it plays: what is wrong is said, and nothing is opened."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from cabinet import field
from cabinet.store.journal import Entry, Journal
from cabinet.store.second_copy_media import FileSecondCopy


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field, "TROUBLE_SHOWN_MS", 1)


def _entry(number: int) -> Entry:
    return Entry("BettingClosed", f'{{"at_ms":{number}}}', at_ms=number, wall_ms=number)


def test_a_wrong_cabinet_file_is_said_line_by_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    wrong = tmp_path / "cabinet.toml"
    wrong.write_text("[cabinet]\nseats = 9\n", encoding="utf-8")
    with caplog.at_level(logging.ERROR):
        assert field.run(wrong, tmp_path / "state") == field.WRONG
    assert any("seats" in record.getMessage() for record in caplog.records)
    assert not (tmp_path / "state").exists()


def test_a_second_start_names_the_holder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal.open(tmp_path / "state", started="the first one")
    shipped = Path(field.__file__).parent.parent / "config" / "cabinets" / "slot1.toml"
    with caplog.at_level(logging.ERROR):
        assert field.run(shipped, tmp_path / "state") == field.HELD
    journal.close()
    assert "the first one" in caplog.text


def test_a_state_directory_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("a file where a directory should be", encoding="utf-8")
    shipped = Path(field.__file__).parent.parent / "config" / "cabinets" / "slot1.toml"
    with caplog.at_level(logging.ERROR):
        assert field.run(shipped, tmp_path / "state") == field.FAILED
    assert str(tmp_path / "state") in caplog.text


def test_a_second_copy_that_knows_more_than_the_journal_is_a_tilt(tmp_path: Path) -> None:
    copy = FileSecondCopy(tmp_path / "copy")
    journal = Journal.open(tmp_path / "state")
    journal.commit([_entry(1)])
    assert field.copy_trouble(journal, copy) == ""  # a new medium
    copy.write(journal.head, b"totals")
    assert field.copy_trouble(journal, copy) == ""
    journal.commit([_entry(2)])
    assert field.copy_trouble(journal, copy) == ""  # one transaction behind: power went in between
    copy.write(journal.head, b"totals")
    journal.close()
    (tmp_path / "older").mkdir()
    older = Journal.open(tmp_path / "older")
    older.commit([_entry(1)])
    assert "ahead" in field.copy_trouble(older, copy)
    older.commit([_entry(3)])
    assert "differs" in field.copy_trouble(older, copy)
    older.close()
    assert field.copy_trouble(older, None) == ""
