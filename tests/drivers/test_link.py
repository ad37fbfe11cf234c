"""Serial links on ptys, what a UART may refuse, and ports that come back."""

from __future__ import annotations

import errno
import os
import termios
import tty
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import serial

from drivers import link, uart
from drivers.device import Fault
from drivers.link import (
    OUTGOING_LIMIT_BYTES,
    Link,
    LinkError,
    Port,
    PortHappening,
    PortOpened,
    PortTrouble,
    SerialLink,
    SerialSettings,
    open_serial,
)

# ---- a pty as the port


@dataclass
class Pty:
    master: int
    slave: int
    path: str

    def close(self) -> None:
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self.slave = -1


@pytest.fixture
def pty() -> Iterator[Pty]:
    master, slave = os.openpty()
    tty.setraw(slave)
    device = Pty(master, slave, os.ttyname(slave))
    yield device
    device.close()


def test_bytes_go_both_ways_without_waiting(pty: Pty) -> None:
    near = open_serial(SerialSettings(pty.path, 9600))
    assert near.read() == b""
    near.write(b"\xfc\x05\x00\xff")
    assert os.read(pty.master, 100) == b"\xfc\x05\x00\xff"
    os.write(pty.master, bytes(range(256)))
    assert near.read() == bytes(range(256))
    assert near.fileno() is not None
    near.close()
    assert near.fileno() is None
    near.close()


@pytest.mark.parametrize("settings", [{"parity": "E"}, {"data_bits": 7, "parity": "E"}, {"stop_bits": 2}])
def test_a_pty_is_opened_again_and_again_with_settings_that_it_cannot_have(
    pty: Pty, settings: dict[str, Any]
) -> None:
    for _ in range(3):
        near = open_serial(SerialSettings(pty.path, 9600, **settings))
        near.write(b"x")
        assert os.read(pty.master, 10) == b"x"
        near.close()


def test_stale_bytes_are_thrown_away_at_open(pty: Pty) -> None:
    os.write(pty.master, b"old")
    near = open_serial(SerialSettings(pty.path, 9600))
    assert near.read() == b""
    near.close()


def test_one_program_at_a_time(pty: Pty) -> None:
    near = open_serial(SerialSettings(pty.path, 9600))
    with pytest.raises(LinkError, match="in use by another program") as caught:
        open_serial(SerialSettings(pty.path, 9600))
    assert caught.value.fault is Fault.PORT_MISSING
    near.close()
    open_serial(SerialSettings(pty.path, 9600)).close()


def test_an_unplugged_port_says_so(pty: Pty) -> None:
    near = open_serial(SerialSettings(pty.path, 9600))
    pty.close()
    with pytest.raises(LinkError, match="unplugged") as caught:
        near.read()
    assert caught.value.fault is Fault.LINK_LOST
    with pytest.raises(LinkError, match="lost"):
        near.write(b"x")
    near.close()
    with pytest.raises(LinkError, match="closed"):
        near.read()
    with pytest.raises(LinkError, match="closed"):
        near.write(b"x")


def test_a_full_line_keeps_bytes_up_to_a_bound_and_goes_on_later(pty: Pty) -> None:
    near = open_serial(SerialSettings(pty.path, 9600))
    sent = 0
    while near.pending == 0:
        near.write(b"a" * 1000)
        sent += 1000
    room = OUTGOING_LIMIT_BYTES - near.pending
    near.write(b"b" * room)
    sent += room
    with pytest.raises(LinkError, match="takes no more bytes"):
        near.write(b"c")
    assert near.pending == OUTGOING_LIMIT_BYTES
    taken = 0
    while taken < sent:
        taken += len(os.read(pty.master, 65536))
        near.read()
    assert near.pending == 0
    near.close()


def test_xoff_stops_the_line_and_xon_starts_it(pty: Pty) -> None:
    near = open_serial(SerialSettings(pty.path, 9600, xonxoff=True))
    os.write(pty.master, b"\x13")
    assert near.read() == b"", "flow control is not data"
    near.write(b"page")
    assert near.pending == 4
    os.write(pty.master, b"\x11")
    assert near.read() == b""
    assert near.pending == 0
    assert os.read(pty.master, 10) == b"page"
    near.close()


def test_closing_does_not_wait_for_unsent_bytes(pty: Pty) -> None:
    near = open_serial(SerialSettings(pty.path, 9600, xonxoff=True))
    os.write(pty.master, b"\x13")
    near.read()
    near.write(b"stuck")
    near.close()


# ---- what cannot be opened


def test_a_missing_port_names_the_cable_and_the_udev_rule(tmp_path: Path) -> None:
    with pytest.raises(LinkError, match="does not exist: check the cable or the udev rule") as caught:
        open_serial(SerialSettings(str(tmp_path / "validator1"), 9600))
    assert caught.value.fault is Fault.PORT_MISSING
    assert str(caught.value) == caught.value.text


def test_a_file_is_no_port(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LinkError, match=r"is not a serial port|cannot be opened"):
        open_serial(SerialSettings(str(tmp_path / "file"), 9600))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENXIO, "does not exist"),
        (errno.EACCES, "check its group"),
        (errno.EBUSY, "in use"),
        (errno.ENOTTY, "not a serial port"),
        (errno.EIO, "cannot be opened"),
    ],
)
def test_the_reason_is_worded_for_people(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: int, words: str
) -> None:
    def refuse(*_: object) -> None:
        raise termios.error(number, "refused")

    monkeypatch.setattr(serial.Serial, "open", refuse)
    with pytest.raises(LinkError, match=words):
        open_serial(SerialSettings(str(tmp_path), 9600))


def test_a_pty_that_refuses_even_8n1_is_reported(monkeypatch: pytest.MonkeyPatch, pty: Pty) -> None:
    def refuse(*_: object) -> None:
        raise termios.error(errno.EINVAL, "refused")

    monkeypatch.setattr(serial.Serial, "open", refuse)
    with pytest.raises(LinkError, match="cannot be opened"):
        open_serial(SerialSettings(pty.path, 9600, parity="E"))


def test_trouble_after_opening_closes_the_port(monkeypatch: pytest.MonkeyPatch, pty: Pty) -> None:
    def refuse(*_: object) -> None:
        raise termios.error(errno.EIO, "refused")

    with monkeypatch.context() as patch:
        patch.setattr(SerialLink, "discard_input", refuse)
        with pytest.raises(LinkError, match="cannot be opened"):
            open_serial(SerialSettings(pty.path, 9600))
    open_serial(SerialSettings(pty.path, 9600)).close()


# ---- a UART that does not take what was asked


def test_a_validator_port_is_opened_8e1(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def note(self: serial.Serial) -> None:
        asked.update(self.get_settings(), port=self.port, exclusive=self.exclusive, rts=self.rts)
        raise OSError(errno.ENOENT, "gone")

    monkeypatch.setattr(serial.Serial, "open", note)
    with pytest.raises(LinkError):
        open_serial(SerialSettings("/dev/ttyAMA0", 9600, parity="E", rts=False))
    wanted = {"baudrate": 9600, "bytesize": 8, "parity": "E", "stopbits": 1, "timeout": 0, "xonxoff": False}
    assert asked.items() >= (wanted | {"exclusive": True, "rts": False, "port": "/dev/ttyAMA0"}).items()


def test_a_uart_without_parity_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch, pty: Pty) -> None:
    monkeypatch.setattr(link, "PTY_FOLDER", "/nowhere/")  # take the pty for a real UART
    with pytest.raises(LinkError, match="mini UART") as caught:
        open_serial(SerialSettings(pty.path, 9600, parity="E"))
    assert caught.value.fault is Fault.PORT_UNFIT
    assert "ttyAMA0" in caught.value.text
    assert "USB-RS232" in caught.value.text


def test_the_mini_uart_is_known_by_name_even_if_it_pretends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uart, "is_mini_uart", lambda real: real == "/dev/ttyS0")
    with pytest.raises(LinkError, match="no parity bit") as caught:
        open_serial(SerialSettings("/dev/ttyS0", 9600, parity="E"))
    assert caught.value.fault is Fault.PORT_UNFIT


# ---- a port that comes back


@dataclass
class FakeLink:
    incoming: list[bytes] = field(default_factory=list)
    dead: bool = False
    closed: bool = False
    pending: int = 0
    unsent: int = 0

    def fileno(self) -> int | None:
        return 7

    def read(self) -> bytes:
        if self.dead:
            raise LinkError(Fault.LINK_LOST, "unplugged")
        return self.incoming.pop(0) if self.incoming else b""

    def write(self, data: bytes) -> None:
        if self.dead:
            raise LinkError(Fault.LINK_LOST, "unplugged")

    def close(self) -> None:
        self.closed = True


class Opener:
    """Opens FakeLinks, or refuses with ``refusal``."""

    def __init__(self) -> None:
        self.refusal: LinkError | None = None
        self.links: list[FakeLink] = []
        self.tries: list[int] = []

    def __call__(self, settings: SerialSettings) -> Link:
        if self.refusal is not None:
            raise self.refusal
        self.links.append(FakeLink())
        return self.links[-1]


MISSING = LinkError(Fault.PORT_MISSING, "does not exist")
UNFIT = LinkError(Fault.PORT_UNFIT, "no parity")


def told(port: Port, opener: Opener, until_ms: int) -> list[tuple[int, PortHappening]]:
    """Tick at every millisecond at which the port wants it."""
    happenings: list[tuple[int, PortHappening]] = []
    now = 0
    while now <= until_ms:
        opener.tries.append(now)
        happenings += [(now, happening) for happening in port.tick(now)]
        if port.wake_at is None:
            break
        now = max(port.wake_at, now)
    return happenings


def test_a_missing_port_is_told_once_and_tried_with_growing_pauses() -> None:
    opener = Opener()
    opener.refusal = MISSING
    port = Port(SerialSettings("p", 9600), opener)
    assert told(port, opener, 20_000) == [(0, PortTrouble(Fault.PORT_MISSING, "does not exist"))]
    pauses = [later - earlier for earlier, later in zip(opener.tries, opener.tries[1:], strict=False)]
    assert pauses == [250, 500, 1000, 2000, 4000, 5000, 5000]
    assert not port.is_open
    assert port.read() == b""
    assert port.write(b"x") is False
    assert port.fileno() is None
    assert port.pending == 0


def test_another_kind_of_trouble_is_told_and_opening_ends_it() -> None:
    opener = Opener()
    opener.refusal = MISSING
    port = Port(SerialSettings("p", 9600), opener)
    port.tick(0)
    opener.refusal = UNFIT
    assert port.tick(250) == (PortTrouble(Fault.PORT_UNFIT, "no parity"),)
    opener.refusal = None
    assert port.tick(300) == (), "not before its time"
    assert port.tick(750) == (PortOpened("port p is open"),)
    assert port.is_open
    assert port.fileno() == 7
    assert port.wake_at is None
    assert port.tick(760) == ()


def test_a_dead_port_is_closed_at_once_and_comes_back() -> None:
    opener = Opener()
    port = Port(SerialSettings("p", 9600), opener)
    port.tick(0)
    assert port.write(b"x") is True
    opener.links[0].incoming.append(b"y")
    assert port.read() == b"y"
    opener.links[0].dead = True
    port.tick(1000)
    assert port.read() == b""
    assert opener.links[0].closed
    assert not port.is_open
    assert port.wake_at == 1001
    assert port.tick(1001) == (PortTrouble(Fault.LINK_LOST, "unplugged"),)
    assert port.wake_at == 1251
    assert port.tick(1251) == (PortOpened("port p is open"),)
    opener.links[1].dead = True
    assert port.write(b"x") is False
    assert port.tick(1252) == (PortTrouble(Fault.LINK_LOST, "unplugged"),)


def test_waiting_output_wakes_the_port_and_a_driver_may_ask_for_a_new_start() -> None:
    opener = Opener()
    port = Port(SerialSettings("p", 9600), opener)
    port.tick(100)
    opener.links[0].pending = 3
    assert port.pending == 3
    assert port.wake_at == 105
    port.reopen("silent for 15 s")
    assert port.tick(200) == (PortTrouble(Fault.LINK_LOST, "silent for 15 s"),)
    port.reopen("closed already")
    assert port.tick(450) == (PortOpened("port p is open"),)


def test_a_closed_port_stays_closed() -> None:
    opener = Opener()
    port = Port(SerialSettings("p", 9600), opener)
    port.tick(0)
    port.close()
    assert opener.links[0].closed
    assert port.tick(10_000) == ()
    assert port.wake_at is None
    port.close()
