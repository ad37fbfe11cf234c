"""The field program before it plays: what is wrong is said, and nothing is opened."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from cabinet import field
from cabinet.store.journal import Entry, Journal, StorageError
from cabinet.store.owner import Owner


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


@pytest.mark.requirement("MEM-05")
def test_a_state_directory_of_another_board_is_refused_with_what_to_do(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = Journal.open(tmp_path / "state")
    journal.bind(Owner("10000000aaaa", "", 101))
    journal.commit([_entry(1)])
    journal.close()
    board = tmp_path / "serial"
    board.write_bytes(b"10000000bbbb\0")
    shipped = Path(field.__file__).parent.parent / "config" / "cabinets" / "slot1.toml"
    with caplog.at_level(logging.ERROR):
        assert field.run(shipped, tmp_path / "state", board=board) == field.FOREIGN
    assert "it was kept on the board 10000000aaaa, this one is 10000000bbbb" in caplog.text
    assert "cabinet memory bind" in caplog.text
    Journal.open(tmp_path / "state").close()  # nobody holds it any more


@pytest.mark.requirement("MEM-10")
def test_a_disk_that_fails_while_the_memory_is_compared_is_told_and_let_go(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Journal, _owner: Owner) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(Journal, "bind", refuse)
    shown: list[str] = []
    monkeypatch.setattr(field, "_show_trouble", lambda _config, storage: shown.append(storage))
    shipped = Path(field.__file__).parent.parent / "config" / "cabinets" / "slot1.toml"
    with caplog.at_level(logging.ERROR):
        assert field.run(shipped, tmp_path / "state") == field.FAILED
    assert shown == ["the disk is full"]
    assert "the disk is full" in caplog.text
    Journal.open(tmp_path / "state").close()  # nobody holds it any more
