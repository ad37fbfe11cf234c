"""`cabinet tickets`: a house key from one cabinet to another, and an own key that never leaves."""

from __future__ import annotations

import random
from pathlib import Path

import click
import pytest
from msgspec import convert

from cabinet import passphrase
from cabinet.cli import common as cli_common
from cabinet.cli import main as cli
from cabinet.cli import tickets as tickets_cli
from cabinet.config import load
from cabinet.config.tables import DeviceKind as Table
from cabinet.program import contacts, ports
from cabinet.store.directory.lock import DirectoryLock
from cabinet.store.journal import Journal
from cabinet.tickets import keys, sealed
from cabinet.tickets.keys import KeyKind, TicketKey
from drivers.link import open_serial
from drivers.panel.wiring import Options as PanelOptions
from drivers.registry import Io
from drivers.sim.gpio import MemoryBank
from drivers.sim.gpio.board import Board
from drivers.sim.gpio.fram import FramChip, I2cBus
from drivers.sim.panel import PanelMachine
from support.programs.moments import Moments
from support.programs.source import ROOT

SHIPPED = ROOT / "config" / "cabinets" / "table5.toml"
SERIAL = "0003-031"
WORDS = "correct horse battery staple"


class Desk:
    """A technician in front of cabinets with one panel, opened or shut."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (panel,) = load(SHIPPED).of_kind(Table.PANEL)
        options = convert(dict(panel.options), PanelOptions)
        board = Board.of(options)
        self.folder, self.capsys = folder, capsys
        self.panel = PanelMachine(options, board, seed=1)
        self.typed = WORDS
        self.prompts: list[str] = []
        self.out = self.err = ""
        chance = random.Random("desk")
        io = Io(open_serial, lambda: MemoryBank(board), lambda _number: I2cBus({0x50: FramChip()}))
        monkeypatch.setattr(contacts, "RealClock", Moments)
        monkeypatch.setattr(ports, "field_io", lambda: io)
        monkeypatch.setattr(tickets_cli, "kernel", chance.randbytes)
        monkeypatch.setattr(passphrase, "_COST", 16)
        monkeypatch.setattr(click, "prompt", self._prompt)

    def _prompt(self, what: str, **how: object) -> str:
        self.prompts.append(what)
        if "machine number" in what:
            return SERIAL
        assert how.get("hide_input") is True, f"{what} would be shown"
        return self.typed

    def state(self, name: str) -> Path:
        """The state directory of a cabinet that has been started once."""
        state = self.folder / name
        if not state.exists():
            Journal.open(state).close()
            keys.begin(state, random.Random(name).randbytes)
        return state

    def open_up(self) -> None:
        for name in ("door.logic", "key.service"):
            self.panel.set(name, True, 0)

    def run(self, command: str, name: str, *rest: str | Path) -> int:
        args = ["tickets", command, "--config", str(SHIPPED), "--state", str(self.state(name))]
        with pytest.raises(SystemExit) as ended:
            cli.main([*args, *map(str, rest)])
        self.out, self.err = self.capsys.readouterr()
        assert isinstance(ended.value.code, int | None)
        return ended.value.code or 0

    def key(self, name: str) -> TicketKey:
        key = keys.load(self.state(name))
        assert key is not None
        return key


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, monkeypatch, capsys)


@pytest.mark.requirement("PRN-07")
def test_a_house_key_goes_from_one_cabinet_to_another_and_is_never_shown(desk: Desk, tmp_path: Path) -> None:
    desk.open_up()
    file = tmp_path / "house.key"
    told = ""
    for command, name, rest in (
        ("show", "one", ()),
        ("house-key", "one", ()),
        ("export", "one", (file,)),
        ("import", "two", (file,)),
        ("show", "two", ()),
    ):
        assert desk.run(command, name, *rest) == 0, desk.err
        told += desk.out + desk.err
    one, two = desk.key("one"), desk.key("two")
    assert one == two
    assert one.kind is KeyKind.HOUSE
    assert f"{two.label}\n" == desk.out
    for secret in (one.secret.hex(), WORDS):
        assert secret not in told
        assert secret not in file.read_text(encoding="ascii")
    assert file.stat().st_mode & 0o077 == 0
    mine, theirs = keys.taken(one).numbers, keys.taken(two).numbers
    assert mine is not None
    assert theirs is not None
    made = {mine.number("00", 796, sequence) for sequence in range(1, 300)}
    assert made.isdisjoint(theirs.number("00", 797, sequence) for sequence in range(1, 300))


@pytest.mark.requirement("PRN-07")
def test_an_own_key_never_leaves_the_cabinet(desk: Desk, tmp_path: Path) -> None:
    desk.open_up()
    file = tmp_path / "own.key"
    assert desk.run("export", "one", file) == cli_common.WRONG
    assert "its own never leaves it" in desk.err
    assert not file.exists()
    with pytest.raises(ValueError, match="never leaves"):
        sealed.seal(desk.key("one"), WORDS, bytes)


@pytest.mark.requirement("PRN-07")
@pytest.mark.parametrize("command", ["new-key", "house-key", "export", "import"])
def test_who_touches_a_key_stands_at_the_open_cabinet(desk: Desk, tmp_path: Path, command: str) -> None:
    file = tmp_path / "house.key"
    house = TicketKey(bytes(32), KeyKind.HOUSE)
    keys.keep(desk.state("one"), house)
    if command == "import":
        file.write_bytes(sealed.seal(house, WORDS, bytes))
    before = desk.key("one")
    rest = (file,) if command in ("export", "import") else ()
    assert desk.run(command, "one", *rest) == cli_common.WRONG
    assert "the logic area is closed" in desk.err
    assert "the service key is not turned" in desk.err
    desk.open_up()
    assert desk.run(command, "one", "--confirm", "0003-032", *rest) == cli_common.WRONG
    assert "is not the machine number" in desk.err
    assert desk.key("one") == before
    assert command == "import" or not file.exists()


@pytest.mark.requirement("PRN-07")
def test_a_wrong_passphrase_or_a_changed_file_gives_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.open_up()
    file = tmp_path / "house.key"
    data = sealed.seal(TicketKey(bytes(range(32)), KeyKind.HOUSE), WORDS, bytes)
    file.write_bytes(data)
    before = desk.key("two")
    desk.typed = WORDS + "!"
    assert desk.run("import", "two", file) == cli_common.WRONG
    assert "the passphrase is wrong, or the file has been changed" in desk.err
    desk.typed = WORDS
    for place in range(len(data)):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        file.write_bytes(changed)
        if desk.run("import", "two", file) == 0:  # a letter between the fields, or in another case
            assert desk.key("two").secret == bytes(range(32))
            keys.keep(desk.state("two"), before)
        assert desk.key("two") == before
    for strange in (b"", b"{}", b"[" * 3_000, b'{"format": 1}', b"\xff\xfe", b'"salt"', b"x" * 9_000):
        file.write_bytes(strange)
        assert desk.run("import", "two", file) == cli_common.WRONG
        assert str(file) in desk.err
    assert desk.key("two") == before


def test_a_short_passphrase_is_refused_and_no_file_is_written_over(desk: Desk, tmp_path: Path) -> None:
    desk.open_up()
    file = tmp_path / "house.key"
    assert desk.run("house-key", "one") == 0
    desk.typed = "short"
    assert desk.run("export", "one", file) == cli_common.WRONG
    assert "too short" in desk.err
    assert not file.exists()
    desk.typed = WORDS
    file.write_text("somebody's letters", encoding="ascii")
    assert desk.run("export", "one", file) == cli_common.WRONG
    assert "is there already" in desk.err
    assert file.read_text(encoding="ascii") == "somebody's letters"


def test_no_passphrase_is_an_option_or_an_argument() -> None:
    for command in tickets_cli.commands.commands.values():
        names = {name for option in command.params for name in option.opts}
        assert names <= {"--config", "--state", "--confirm", "file"}
        assert all(option.envvar is None for option in command.params)


def test_a_lost_key_is_replaced_by_a_technician(desk: Desk) -> None:
    state = desk.state("one")
    old = desk.key("one")
    (state / "keys" / "ticket").unlink()
    assert desk.run("show", "one") == 0
    assert desk.out == "no key: no ticket is printed\n"
    desk.open_up()
    assert desk.run("new-key", "one") == 0
    assert desk.key("one").kind is KeyKind.OWN
    assert desk.key("one") != old


def test_not_while_the_cabinet_runs_and_not_just_anywhere(desk: Desk, tmp_path: Path) -> None:
    lock = DirectoryLock(desk.state("one"), "cabinet run")
    assert desk.run("show", "one") == cli_common.HELD
    lock.release()
    (tmp_path / "empty").mkdir()
    assert desk.run("new-key", "empty") == cli_common.WRONG
    assert "there is no journal" in desk.err
    assert not (tmp_path / "empty" / "keys").exists()
