"""Where a second copy in a file may be: not with the journal, and not in place of anything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cabinet.cli import common as cli_common
from cabinet.cli import main as cli
from cabinet.config import copy_place
from cabinet.config import file as config
from cabinet.config.copy_place import checker
from cabinet.core.conditions import Code
from cabinet.program import field, start
from cabinet.store.chain import GENESIS
from cabinet.store.journal import Entry, Journal
from cabinet.store.second_copy import SecondCopyError
from cabinet.store.second_copy.media import FileSecondCopy
from support.programs.copies import with_copy

SLOT = config.shipped_folder() / "cabinets" / "slot1.toml"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    directory = tmp_path / "state"
    journal = Journal.open(directory)
    journal.commit([Entry("BettingClosed", '{"at_ms":1}', 1, 1)])
    journal.close()
    return directory


def cabinet(folder: Path, copy: Path) -> Path:
    """A cabinet file whose second copy is in `copy`."""
    place = folder / "cabinet.toml"
    text = SLOT.read_text(encoding="utf-8")
    place.write_text(with_copy(text, f'kind = "file"\npath = "{copy}"'), encoding="utf-8")
    return place


def told(folder: Path, copy: Path, state: Path | None = None, *, same_disk: bool = False) -> str:
    try:
        config.load(cabinet(folder, copy), checker(state, same_disk=same_disk))
    except config.ConfigError as error:
        return str(error)
    return ""


@pytest.mark.requirement("MEM-02")
@pytest.mark.parametrize("with_state", [True, False])
@pytest.mark.parametrize(
    "name", ["journal-000001.db", "journal-000002.db", "journal-000001.db-wal", "copy", "a/b"]
)
def test_a_copy_in_the_state_directory_is_refused(
    tmp_path: Path, state: Path, name: str, with_state: bool
) -> None:
    said = told(tmp_path, state / name, state if with_state else None, same_disk=True)
    assert "[second_copy] path" in said
    assert "journal" in said or "state directory" in said


def test_links_are_followed(tmp_path: Path, state: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "soft").symlink_to(state / "journal-000001.db")
    (elsewhere / "hard").hardlink_to(state / "journal-000001.db")
    (elsewhere / "folder").symlink_to(state)
    for name in ("soft", "hard", "folder/copy"):
        assert told(tmp_path, elsewhere / name, state, same_disk=True), name


@pytest.mark.requirement("MEM-02")
def test_a_copy_on_the_disk_of_the_journal_is_refused(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "elsewhere" / "copy"
    assert "on the same disk as the state directory" in told(tmp_path, place, state)
    assert told(tmp_path, place, state, same_disk=True) == ""
    monkeypatch.setattr(copy_place, "disk_of", lambda path: 1 if "elsewhere" in path.parts else 2)
    assert told(tmp_path, place, state) == ""


def test_a_file_that_is_something_else_is_refused_and_never_written(tmp_path: Path) -> None:
    precious = tmp_path / "accounts.txt"
    precious.write_text("of somebody else")
    assert "a file that is no second copy" in told(tmp_path, precious)
    copy = FileSecondCopy(precious)
    assert copy.read() is None
    with pytest.raises(SecondCopyError, match="nothing is written over it"):
        copy.write(GENESIS, b"{}")
    with pytest.raises(SecondCopyError, match="nothing is written over it"):
        copy.erase()
    assert precious.read_text() == "of somebody else"


def test_a_copy_of_this_program_and_a_blank_file_are_fine(tmp_path: Path) -> None:
    for number, content in enumerate((None, b"", bytes(64))):
        place = tmp_path / f"copy{number}"
        if content is not None:
            place.write_bytes(content)
        assert told(tmp_path, place) == ""
        FileSecondCopy(place).write(GENESIS, b"{}")
        assert told(tmp_path, place) == ""


@pytest.mark.requirement("MEM-02")
def test_check_config_says_so(tmp_path: Path, state: Path) -> None:
    before = (state / "journal-000001.db").read_bytes()
    file = cabinet(tmp_path, state / "journal-000001.db")
    result = CliRunner().invoke(cli.commands, ["check-config", str(file)])
    assert result.exit_code == cli_common.WRONG
    assert "in the directory of a journal" in result.output
    file = cabinet(tmp_path, tmp_path / "copy")
    assert CliRunner().invoke(cli.commands, ["check-config", str(file)]).exit_code == 0
    result = CliRunner().invoke(cli.commands, ["check-config", str(file), "--state", str(state)])
    assert result.exit_code == cli_common.WRONG
    assert "same disk" in result.output
    assert (state / "journal-000001.db").read_bytes() == before


@pytest.mark.requirement("MEM-02")
def test_a_start_refuses_it_too_and_writes_nothing(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(start, "TROUBLE_SHOWN_MS", 1)
    before = (state / "journal-000001.db").read_bytes()
    assert field.run(cabinet(tmp_path, state / "journal-000001.db"), state) == field.WRONG
    assert (state / "journal-000001.db").read_bytes() == before
    assert "in the state directory" in caplog.text


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("mode", [0o755, 0o770])
def test_a_start_refuses_a_state_directory_that_is_open_to_others(
    tmp_path: Path, state: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "TROUBLE_SHOWN_MS", 1)
    shown: list[str] = []
    state.chmod(mode)
    assert (
        field.run(SLOT, state, on_publish=lambda _state, live: shown.append(live.trouble(Code.MEMORY_FAILED)))
        == field.FOREIGN
    )
    assert f"chmod 0700 {state}" in shown[0]


@pytest.mark.requirement("MEM-05")
def test_a_start_names_a_strange_file_and_offers_no_clear(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "TROUBLE_SHOWN_MS", 1)
    shown: list[str] = []
    (state / "journal-999999.db").write_bytes(b"")
    assert (
        field.run(SLOT, state, on_publish=lambda _state, live: shown.append(live.trouble(Code.MEMORY_FAILED)))
        == field.FOREIGN
    )
    assert "journal-999999.db does not follow journal-000001.db" in shown[0]
    assert "clear" not in shown[0]
