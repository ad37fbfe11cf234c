"""What a start makes of the key, from real state directories; and that nobody is told what it is."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cabinet.cli import main as cli
from cabinet.config import load
from cabinet.core.facts import MemoryBegun
from cabinet.core.renewal import replace
from cabinet.lab import evening
from cabinet.lab.table import LabOptions
from cabinet.memory import begin as memory_begin
from cabinet.memory import check as memory
from cabinet.program import start as process_start
from cabinet.rng import kernel
from cabinet.store.journal import Journal
from cabinet.tickets import keys
from support.programs.source import ROOT

SHIPPED = ROOT / "config" / "cabinets" / "slot1.toml"
PLAYED = LabOptions("slot1", virtual=True, autoplay=True, rounds=4, seed=11, wire="memory")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state directory of an evening with tickets."""
    state = tmp_path_factory.mktemp("played") / "state"
    made = evening.play(replace(PLAYED, state=state), "test")
    assert made.problems == []
    assert made.sim_ticket_numbers
    return state


@pytest.fixture
def state(played: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "state"
    shutil.copytree(played, copy)
    return copy


def start(state: Path, damage: str = "") -> keys.Taken:
    """What the program asks of the key before it opens a device."""
    cabinet = load(SHIPPED).cabinet
    journal = Journal.open(state, "test")
    try:
        checked = memory.check(
            journal, None, "", kernel, machine_id=cabinet.machine_id, seats=cabinet.seats, damage=damage
        )
        return process_start._ticket_key(state, journal, checked)
    finally:
        journal.close()


@pytest.mark.requirement("PRN-07", "MEM-07")
def test_an_empty_memory_begins_with_a_key_of_its_own(tmp_path: Path) -> None:
    first = start(tmp_path / "one")
    second = start(tmp_path / "two")
    assert first.numbers is not None
    assert second.numbers is not None
    assert first.setting != second.setting
    assert first.setting.startswith("own ")


@pytest.mark.requirement("PRN-07")
def test_a_journal_that_is_gone_does_not_bring_its_numbers_back(state: Path) -> None:
    """The sequence begins again, and so does the key, though its file is still there."""
    before = keys.load(state)
    for path in state.glob("journal-*"):
        path.unlink()
    assert before is not None
    memory_begin.begin(
        state, MemoryBegun(0, "the technician", "new card"), wall_ms=1, draw=kernel, copy=None, board="",
        machine_id=load(SHIPPED).cabinet.machine_id, started="test",
        first=lambda directory: keys.begin(directory, kernel),
    )  # fmt: skip
    after = start(state)
    assert after.numbers is not None
    assert after.setting != before.label


@pytest.mark.requirement("PRN-07")
def test_the_key_of_a_played_memory_is_taken_and_a_lost_one_is_not_replaced(state: Path) -> None:
    key = keys.load(state)
    assert key is not None
    assert start(state).setting == key.label
    (state / "keys" / "ticket").unlink()
    for _ in range(2):
        lost = start(state)
        assert (lost.numbers, lost.setting) == (None, "missing")
        assert "cabinet tickets new-key" in lost.trouble
    assert not (state / "keys" / "ticket").exists()


@pytest.mark.requirement("PRN-07")
def test_where_the_memory_cannot_be_read_no_key_is_drawn(state: Path) -> None:
    (state / "keys" / "ticket").unlink()
    assert start(state, damage="the journal is broken").numbers is None
    assert not (state / "keys" / "ticket").exists()


@pytest.mark.requirement("PRN-07")
def test_a_memory_of_a_version_without_keys_is_given_one(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (state / "keys" / "ticket").unlink()
    monkeypatch.setattr(keys, "SETTING", "not written by that version")
    assert start(state).numbers is not None


@pytest.mark.requirement("PRN-07", "REC-05")
def test_the_key_is_in_its_file_and_nowhere_else(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Journal, snapshots, what commands print of them, and every file of an export."""
    key = keys.load(state)
    assert key is not None
    told = b""
    for args in (
        ["journal", "check", str(state)],
        ["journal", "export", str(state), "--csv", str(tmp_path / "export")],
        ["tickets", "show", "--config", str(SHIPPED), "--state", str(state)],
        ["memory", "show", "--config", str(SHIPPED), "--state", str(state)],
    ):
        with pytest.raises(SystemExit):
            cli.main(args)
        out, err = capsys.readouterr()
        told += (out + err).encode()
    files = list(_files(state, tmp_path / "export"))
    assert len(files) > 5
    told += b"".join(path.read_bytes() for path in files)
    assert key.label.encode() in told, "its check value is for people"
    for hidden in (
        key.secret,
        key.secret.hex().encode(),
        key.secret.hex().upper().encode(),
        base64.b64encode(key.secret)[:40],
        json.dumps(list(key.secret)).encode(),
    ):
        assert hidden not in told


def _files(state: Path, export: Path) -> Iterator[Path]:
    for path in (*state.rglob("*"), *export.rglob("*")):
        if path.is_file() and path.parent.name != "keys":
            yield path
