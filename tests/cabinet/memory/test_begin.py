"""``cabinet memory begin`` and the key that it shows, as a technician and an operator use them."""

from __future__ import annotations

import io
import logging
import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from cabinet import passphrase
from cabinet.cli import main as cli
from cabinet.config import file as config
from cabinet.core.conditions import Code
from cabinet.core.facts import MemoryBegun, MemoryCleared, decode
from cabinet.lab import begun
from cabinet.memory import access as memory_access
from cabinet.program import contacts, field, start
from cabinet.store.journal import Journal
from cabinet.store.seals import parse, shown
from support.programs.copies import with_copy

SLOT = config.shipped_folder() / "cabinets" / "slot1.toml"
SERIAL = "0001-101"
CODE = "a clear code of a test"


class Site:
    """A cabinet with a second copy in a file, and somebody at its keyboard."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.state, self.copy, self.file = folder / "state", folder / "copy", folder / "cabinet.toml"
        text = with_copy(SLOT.read_text(encoding="utf-8"), f'kind = "file"\npath = "{self.copy}"')
        self.file.write_text(text, encoding="utf-8")
        self._capsys = capsys
        self.out = self.err = ""

    def run(self, *args: str) -> int:
        with pytest.raises(SystemExit) as ended:
            cli.main(list(args))
        self.out, self.err = self._capsys.readouterr()
        assert isinstance(ended.value.code, int | None)
        return ended.value.code or 0

    def memory(self, command: str, *more: str) -> int:
        given = ("--config", str(self.file), "--state", str(self.state))
        return self.run("memory", command, *given, *more)

    def begin(self) -> str:
        """The key that was shown."""
        assert self.memory("begin", "--who", "J. Smith", "--why", "new cabinet") == 0, self.err
        (key,) = re.findall(r"^ +([0-9a-f-]{60,})$", self.out, re.MULTILINE)
        return str(key)

    def first(self) -> object:
        with closing(Journal.read(self.state)) as journal:
            row = next(journal.rows())
        return decode(row.entry.kind, row.entry.body)


@pytest.fixture
def site(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.setattr(contacts, "missing", lambda _config, _io: [])
    monkeypatch.setattr(passphrase, "typed", lambda _what: CODE)
    monkeypatch.setattr(passphrase, "chosen", lambda _what: CODE)
    return Site(tmp_path, capsys)


@pytest.mark.requirement("MEM-07")
def test_the_first_fact_says_who_and_why(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        key = site.begin()
    assert site.first() == MemoryBegun(0, "J. Smith", "new cabinet")
    assert key not in site.err
    secret = parse(key)
    for path in site.state.parent.rglob("*"):
        if path.is_file() and path.name != "chain":  # there it is until the first start
            assert secret not in path.read_bytes()
            assert secret.hex().encode() not in path.read_bytes()
    assert key[:9] not in caplog.text
    Journal.open(site.state, begun=True).close()
    kept = (site.state / "keys" / "chain").read_bytes()
    assert secret.hex().encode() not in kept
    assert site.state.stat().st_mode & 0o777 == 0o700


@pytest.mark.requirement("MEM-03")
def test_the_key_verifies_the_journal_from_a_file_and_from_the_keyboard(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = site.begin()
    Journal.open(site.state, begun=True).close()
    file = tmp_path / "key"
    file.write_text(key + "\n", encoding="ascii")
    assert site.run("journal", "check", str(site.state), "--key-file", str(file)) == 0, self_told(site)
    assert re.search(r"^seals +from row 1 on, epochs 0 to 1: verified$", site.out, re.MULTILINE)
    monkeypatch.setattr("sys.stdin", io.StringIO(key.replace("-", " ").upper()))
    assert site.run("journal", "check", str(site.state), "--key-file", "-") == 0
    assert site.run("journal", "check", str(site.state)) == 0
    assert "not verified (--key-file)" in site.out
    file.write_text(shown(b"\3" * 32), encoding="ascii")
    assert site.run("journal", "check", str(site.state), "--key-file", str(file)) == 1
    assert "is not of this key" in site.err
    file.write_text(key[:-1] + ("0" if key[-1] != "0" else "1"), encoding="ascii")
    assert site.run("journal", "check", str(site.state), "--key-file", str(file)) == 2
    assert "typing error" in site.err
    assert key[:9] not in site.err


def self_told(site: Site) -> str:
    return f"{site.out}{site.err}"


@pytest.mark.requirement("MEM-07")
def test_it_is_begun_by_somebody_who_says_so_at_the_machine(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site.memory("begin") == 2
    assert site.memory("begin", "--who", " ", "--why", "x") == 2
    monkeypatch.setattr(contacts, "missing", lambda _config, _io: ["the logic area is closed"])
    assert site.memory("begin", "--who", "J. Smith", "--why", "new cabinet") == 2
    assert "the logic area is closed" in site.err
    assert not site.state.exists()


@pytest.mark.requirement("MEM-05", "MEM-07")
def test_a_lost_journal_is_cleared_and_not_begun(site: Site) -> None:
    """The second copy says that there was one, and which numbers are used."""
    site.begin()
    shutil.rmtree(site.state)
    site.state.mkdir(mode=0o700)
    assert site.memory("begin", "--who", "J. Smith", "--why", "new card") == 2
    assert "the second copy knows of a journal with 1 rows" in site.err
    memory_access.set_code(site.state, CODE, bytes)
    assert site.memory("clear", "--confirm", SERIAL) == 0, site.err
    first = site.first()
    assert isinstance(first, MemoryCleared)
    assert first.sequence >= 1_000
    Journal.open(site.state, begun=True).close()
    assert site.memory("begin", "--who", "J. Smith", "--why", "again") == 2
    assert "has been begun" in site.err


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("how", ["missing", "empty", "unsealed"])
def test_the_program_does_not_begin_one_by_itself(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(start, "TROUBLE_SHOWN_MS", 1)
    state = tmp_path / "state"
    if how == "empty":
        state.mkdir(mode=0o700)
    if how == "unsealed":
        Journal.open(state).close()
    assert (
        field.run(SLOT, state, on_publish=lambda _state, live: told.append(live.trouble(Code.MEMORY_FAILED)))
        == field.FOREIGN
    )
    assert f"no memory has been begun in {state}: cabinet memory begin, if the path is right" in told[0]
    assert "cabinet memory begin" in told[0]
    assert len(list(state.glob("*.db"))) == (how == "unsealed")


def test_equal_seeds_of_the_lab_have_equal_keys(tmp_path: Path) -> None:
    one, two, other = (begun.begin(tmp_path / str(n), seed) for n, seed in enumerate((1, 1, 2)))
    assert one == two != other
    assert begun.begin(tmp_path / "0", 1) == b""


@pytest.mark.requirement("MEM-07")
def test_the_second_secret_exists_from_the_first_moment(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.begin()
    assert memory_access.is_code(site.state, CODE)
    assert CODE not in site.out + site.err
    monkeypatch.setattr(passphrase, "typed", lambda _what: "the code of somebody else")
    assert site.memory("code") != 0, "whoever only has the keys chooses no other one"
    assert memory_access.is_code(site.state, CODE)


@pytest.mark.requirement("MEM-07")
def test_a_code_that_is_too_short_begins_nothing(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(contacts, "missing", lambda _config, _io: [])
    monkeypatch.setattr("click.prompt", lambda *_args, **_how: "short")
    assert site.memory("begin", "--who", "J. Smith", "--why", "new cabinet") == 2
    assert "too short" in site.err
    assert not site.state.exists()
