"""Simulated I2C buses under the unmodified python-periphery of this process.

Functions of `os` and `fcntl` are replaced where they concern /dev/i2c-*; a transfer is read out of the
library's own structs, as the kernel does it.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
from typing import Any

import pytest

from drivers.sim.gpio.fram import I2cBus
from drivers.sim.gpio.i2c_abi import I2C_FUNCS, I2C_RDWR, I2cPart, answer, parts


class I2cShim:
    """Serves ``buses`` by their numbers from now until the test's end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, buses: dict[int, I2cBus]) -> None:
        self._buses = {f"/dev/i2c-{number}": bus for number, bus in buses.items()}
        self._handles: dict[int, I2cBus] = {}
        self._real_open, self._real_close, self._real_ioctl = os.open, os.close, fcntl.ioctl
        self.denied = False
        self.can = 1  # what the adapter says it can do: I2C transfers
        monkeypatch.setattr(os, "open", self._open)
        monkeypatch.setattr(os, "close", self._close)
        monkeypatch.setattr(fcntl, "ioctl", self._ioctl)

    @property
    def open_buses(self) -> int:
        return len(self._handles)

    def _open(self, path: Any, *rest: Any, **named: Any) -> int:
        if not str(path).startswith("/dev/i2c-"):
            return self._real_open(path, *rest, **named)
        if self.denied:
            raise PermissionError(errno.EACCES, "Permission denied")
        if str(path) not in self._buses:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        fd = self._real_open(os.devnull, os.O_RDWR)
        self._handles[fd] = self._buses[str(path)]
        return fd

    def _close(self, fd: int) -> None:
        self._handles.pop(fd, None)
        self._real_close(fd)

    def _ioctl(self, fd: int, request: int, argument: Any = 0, *rest: Any) -> Any:
        bus = self._handles.get(fd)
        if bus is None:
            return self._real_ioctl(fd, request, argument, *rest)
        if request == I2C_FUNCS:
            argument[0] = self.can and int.from_bytes(answer(I2C_FUNCS, b"", bus), "little")
            return 0
        assert request == I2C_RDWR
        messages = [argument.msgs[place] for place in range(argument.nmsgs)]
        asked = [I2cPart(m.addr, bool(m.flags), bytes(m.buf[: m.len])) for m in messages]
        filled = answer(I2C_RDWR, b"".join(part.encode() for part in asked), bus)
        for message, part in zip(messages, parts(filled), strict=True):
            if part.reads:
                ctypes.memmove(message.buf, part.data, len(part.data))
        return 0
