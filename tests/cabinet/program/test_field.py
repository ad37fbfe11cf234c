"""The field program before it plays: what is wrong is said, and nothing is opened."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cabinet.config import Config
from cabinet.config.assembly import make_devices
from cabinet.core.conditions import Code
from cabinet.core.facts import Fact, decode
from cabinet.core.live import Live, play_lock
from cabinet.core.state import State
from cabinet.core.turn import TroubleReported
from cabinet.core.view import view
from cabinet.lab import begun
from cabinet.memory import check as memory
from cabinet.program import field, start
from cabinet.program.runtime import RealClock, Runtime
from cabinet.records import replay
from cabinet.store.directory.owner import Owner
from cabinet.store.journal import Entry, Journal, StorageError
from cabinet.ui.catalogue import Catalogue
from drivers.device import Device, InputChanged
from drivers.registry import Io
from support.evenings.evening import Evening
from support.evenings.recalled import kept
from support.programs.source import ROOT

SHIPPED = ROOT / "config" / "cabinets" / "slot1.toml"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "TROUBLE_SHOWN_MS", 1)


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
    shipped = ROOT / "config" / "cabinets" / "slot1.toml"
    with caplog.at_level(logging.ERROR):
        assert field.run(shipped, tmp_path / "state") == field.HELD
    journal.close()
    assert "the first one" in caplog.text


def test_a_state_directory_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("a file where a directory should be", encoding="utf-8")
    shipped = ROOT / "config" / "cabinets" / "slot1.toml"
    with caplog.at_level(logging.ERROR):
        assert field.run(shipped, tmp_path / "state") == field.FAILED
    assert str(tmp_path / "state") in caplog.text


@pytest.mark.requirement("MEM-05")
def test_a_state_directory_of_another_board_is_refused_with_what_to_do(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begun.begin(tmp_path / "state", 1, board="10000000aaaa", machine_id=101)
    board = tmp_path / "serial"
    board.write_bytes(b"10000000bbbb\0")
    shipped = ROOT / "config" / "cabinets" / "slot1.toml"
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

    begun.begin(tmp_path / "state", 1, board="of before")
    monkeypatch.setattr(memory, "strangers", lambda *_given: ())
    monkeypatch.setattr(Journal, "bind", refuse)
    shown: list[str] = []

    def watch(state: State, live: Live) -> None:
        shown.append(f"{play_lock(state, live)} {live.trouble(Code.STORAGE_FAILED)}")

    shipped = ROOT / "config" / "cabinets" / "slot1.toml"
    with caplog.at_level(logging.ERROR):
        assert field.run(shipped, tmp_path / "state", on_publish=watch) == field.FAILED
    assert set(shown) == {"M03 the disk is full"}
    assert "the disk is full" in caplog.text
    Journal.open(tmp_path / "state").close()  # nobody holds it any more


class NoWindow:
    """In place of the screen."""

    info = "no window"

    def show(self, *_what: object) -> None:
        """Nothing is seen."""

    def close(self) -> None:
        """Nothing was open."""


@pytest.fixture
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field, "_window", lambda _config, _timing: NoWindow())
    monkeypatch.setattr("signal.signal", lambda _number, _handler: None)


@pytest.mark.requirement("MEM-10")
@pytest.mark.usefixtures("_no_screen")
def test_a_technician_ends_a_program_that_can_record_nothing_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a new start reads the disk again: the service key asks for it, the service manager makes it."""
    begun.begin(tmp_path / "state", 1)
    ended: list[bool] = []

    def played(runtime: Runtime, _clock: RealClock, *, until: Callable[[int], bool], **_rest: object) -> None:
        def key(at_ms: int) -> None:
            for on in (True, False):
                runtime.post(InputChanged("panel1", at_ms, "key.service", on))
                runtime.step(at_ms)
            while not runtime.idle:
                runtime.step(at_ms)
            ended.append(until(at_ms))

        key(1_000)  # all is well: it opens the menu and no more
        runtime.post(TroubleReported(2_000, Code.STORAGE_FAILED, "the disk is read-only"))
        runtime.step(2_000)
        ended.append(until(2_000))
        key(3_000)

    monkeypatch.setattr(field, "loop", played)
    assert field.run(SHIPPED, tmp_path / "state") == field.CLEAN
    assert ended == [False, False, True]


@pytest.mark.requirement("REC-01", "MEM-01")
@pytest.mark.usefixtures("_no_screen")
def test_a_long_start_tells_the_service_manager_that_it_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an update no snapshot is of this program's kind. A start that is killed after a minute because it
    folds a million facts would be killed again and again."""
    evening = Evening(seats=1)
    evening.insert(1, 2_000)
    begun.begin(tmp_path / "state", 1)
    kept(evening, tmp_path / "state", snapshot_every=1 << 30).close()
    monkeypatch.setattr(replay, "PROGRESS_FACTS", 2)
    monkeypatch.setattr(field, "loop", lambda *_args, **_rest: None)
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(tmp_path / "notify"))
    manager.setblocking(False)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    assert field.run(SHIPPED, tmp_path / "state") == field.CLEAN
    said = [manager.recv(200).decode() for _ in range(3)]
    manager.close()
    assert said[0] == "STATUS=reading the journal, 2 facts\nEXTEND_TIMEOUT_USEC=30000000"
    assert said[1].startswith("STATUS=reading the journal, 4 facts")


class Watched:
    """In place of the screen: the words of its lock-up panel, in the order in which they came."""

    def __init__(self, *_given: object) -> None:
        self.said: list[str] = []

    def publish(self, state: State, live: Live) -> None:
        lock = view(state, live).lock
        if lock is not None:
            self.said += [Catalogue().text(message) for message in (lock.title, lock.text, lock.call)]

    def due(self) -> bool:
        return True

    def frame(self, _now_ms: int) -> None:
        self.said.append("drawn")

    def attend(self, *_given: object) -> None:
        self.said.append("attended")

    def close(self) -> None:
        """Nothing was open."""


@pytest.mark.usefixtures("_no_screen")
def test_a_long_start_says_on_the_screen_how_far_it_is_before_any_money_device_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = Evening(seats=1)
    evening.insert(1, 2_000)
    begun.begin(tmp_path / "state", 1)
    kept(evening, tmp_path / "state", snapshot_every=1 << 30).close()
    screen = Watched()

    def devices(config: Config, io: Io) -> Mapping[str, Device]:
        screen.said.append("devices")
        return make_devices(config, io)

    def slowly(kind: str, body: str) -> Fact:
        time.sleep(0.2)  # as from a slow card
        return decode(kind, body)

    monkeypatch.setattr(replay, "PROGRESS_FACTS", 2)
    monkeypatch.setattr(replay, "decode", slowly)
    monkeypatch.setattr(start, "READING_SHOWN_MS", 0)
    monkeypatch.setattr(field, "Display", lambda *_given: screen)
    monkeypatch.setattr(field, "make_devices", devices)
    monkeypatch.setattr(field, "loop", lambda *_args, **_rest: None)
    assert field.run(SHIPPED, tmp_path / "state") == field.CLEAN
    before = screen.said[: screen.said.index("devices")]
    assert before[:3] == [
        "Please wait",
        "Reading the memory: 2 entries. Credits are safe.",
        "Play goes on by itself",
    ]
    assert "drawn" in before
    assert "Reading the memory: 4 entries. Credits are safe." in before
    assert "attended" in screen.said
    assert not any(word.startswith("Reading") for word in screen.said[len(before) :])
