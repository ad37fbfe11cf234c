"""The service manager: what it says of itself in the environment, and what it is told."""

from __future__ import annotations

import logging
import socket
from pathlib import Path

import pytest

from cabinet.program.manager import ServiceManager


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> socket.socket:
    listens = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listens.bind(str(tmp_path / "notify"))
    listens.setblocking(False)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    return listens


def beats(told: socket.socket) -> int:
    """Signs of life in ten seconds."""
    manager = ServiceManager()
    heard = 0
    for now_ms in range(0, 10_000, 100):
        manager.beat(now_ms)
        try:
            heard += told.recv(100) == b"WATCHDOG=1"
        except BlockingIOError:
            continue
    manager.close()
    return heard


def test_signs_of_life_come_twice_as_often_as_they_are_wanted(
    told: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "2000000")
    assert beats(told) == 10
    monkeypatch.delenv("WATCHDOG_USEC")
    assert beats(told) == 0
    told.close()


@pytest.mark.parametrize("text", ["abc", "", "-5", "1.5", " ", "9" * 5000, "\u0663"])
def test_a_watchdog_time_that_is_none_is_said_and_no_watchdog(
    text: str, told: socket.socket, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", text)
    with caplog.at_level(logging.WARNING):
        assert beats(told) == 0
    told.close()
    (line,) = caplog.messages
    assert "WATCHDOG_USEC" in line
    assert len(line) < 120
