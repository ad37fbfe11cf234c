"""What the forwarder library does, done by replacing functions of `os` and `fcntl` in this process.

So the shipped GPIO code and the unmodified python-periphery run against the GPIO server where no
compiler is at hand, and where their lines can be counted by the coverage tool.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from drivers.sim.gpio.abi import Ioctl, Operation
from drivers.sim.gpio.socket_bank import Connection


class IoctlShim:
    """Forwards calls on GPIO chips from now until the test's end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, server: Path) -> None:
        self._connection = Connection(server)
        self._handles: dict[int, int] = {}
        self._real_open, self._real_close, self._real_read = os.open, os.close, os.read
        self._real_ioctl, self._real_readlink = fcntl.ioctl, os.readlink
        self.denied = False
        monkeypatch.setattr(os, "open", self._open)
        monkeypatch.setattr(os, "close", self._close)
        monkeypatch.setattr(os, "read", self._read)
        monkeypatch.setattr(os, "readlink", self._readlink)
        monkeypatch.setattr(fcntl, "ioctl", self._ioctl)

    def hang_up(self) -> None:
        self._connection.close()

    def _open(self, path: Any, *rest: Any, **named: Any) -> int:
        if not str(path).startswith("/dev/gpiochip"):
            return self._real_open(path, *rest, **named)
        if self.denied:
            raise PermissionError(errno.EACCES, "Permission denied")
        answer, fd = self._connection.call(Operation.OPEN, body=str(path).encode() + b"\0")
        self._handles[fd] = answer.handle
        return fd

    def _close(self, fd: int) -> None:
        if fd in self._handles:
            self._connection.call(Operation.CLOSE, self._handles.pop(fd))
        self._real_close(fd)

    def _read(self, fd: int, size: int) -> bytes:
        data = self._real_read(fd, size)
        if not data and fd in self._handles:
            raise OSError(errno.ENODEV, "No such device")
        return data

    def _readlink(self, path: Any, **named: Any) -> str:
        if not str(path).startswith("/sys/bus/gpio/devices/"):
            return str(self._real_readlink(path, **named))
        answer, _fd = self._connection.call(Operation.READLINK, body=str(path).encode() + b"\0")
        return answer.body.decode()

    def _ioctl(self, fd: int, request: int, argument: Any = 0, *rest: Any) -> Any:
        if fd not in self._handles:
            return self._real_ioctl(fd, request, argument, *rest)
        answer, new_fd = self._connection.call(Operation.IOCTL, self._handles[fd], request, bytes(argument))
        body = bytearray(answer.body)
        if request == Ioctl.GET_LINE:
            self._handles[new_fd] = answer.handle
            body[-4:] = new_fd.to_bytes(4, "little")
        if isinstance(argument, ctypes.Structure):
            ctypes.memmove(ctypes.addressof(argument), bytes(body), len(body))
        else:
            argument[:] = body
        return 0
