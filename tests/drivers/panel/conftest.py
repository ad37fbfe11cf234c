"""The same evening over every bank: copper in memory, the socket bank, and python-periphery itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.bank import Bank
from drivers.gpio import open_bank
from drivers.sim.gpio import MemoryBank
from drivers.sim.gpio.socket_bank import open_bank_at
from support.devices.ioctl_shim import IoctlShim
from support.devices.panels import Evening, ServerThread, StartEvening, options

BANKS = ("memory", "socket", "periphery")


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartEvening]:
    """Power on a panel over the named bank. Everything is closed at the end."""
    to_close: list[Callable[[], None]] = []

    def begin(bank: str, *, seats: int = 1, seed: int = 0, **changes: Any) -> Evening:
        def open_one(evening: Evening) -> Bank:
            if bank == "memory":
                return MemoryBank(evening.board)
            path = tmp_path / f"gpio{len(to_close)}"
            server = ServerThread(path, evening.board, lambda: evening.now_ms)
            if bank == "socket":
                to_close.append(server.close)
                return open_bank_at(path)
            shim = IoctlShim(monkeypatch, path)
            to_close.extend([server.close, monkeypatch.undo, shim.hang_up])
            return open_bank()

        evening = Evening(options(seats, **changes), open_one, seed=seed)
        to_close.append(evening.panel.close)
        return evening

    yield begin
    for close in reversed(to_close):
        close()


@pytest.fixture(params=BANKS)
def bank(request: pytest.FixtureRequest) -> str:
    return str(request.param)
