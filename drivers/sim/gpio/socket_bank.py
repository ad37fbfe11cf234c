"""A bank for a program under test on a machine without a C compiler.

It makes the same calls to the same GPIO server as the forwarder does for python-periphery, and puts
them under the shipped CdevBank, so all but the library itself is what runs in the field.
"""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

from drivers.bank import Bank, InputLine, OutputLine, Pull
from drivers.gpio import CHIPS_MOST, CdevBank, ChipNode, LineHandle
from drivers.sim.gpio import abi
from drivers.sim.gpio.abi import Ioctl, LineFlag, LineRequest, Operation, Packet

ANSWER_LIMIT_S = 10  # a lab that is silent for so long has died

_PULL_FLAG = {Pull.UP: LineFlag.PULL_UP, Pull.DOWN: LineFlag.PULL_DOWN, Pull.NONE: LineFlag(0)}


def open_bank_at(path: Path) -> Bank:
    """A bank on the GPIO server at `path`. OSError if nobody listens there."""
    return CdevBank(SocketChips(Connection(path)))


class Connection:
    """One process's calls to the server. Each waits for its answer, as a system call does."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(ANSWER_LIMIT_S)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise

    def call(
        self, operation: int, handle: int = 0, request: int = 0, body: bytes = b""
    ) -> tuple[Packet, int]:
        """The answer, and the descriptor that came with it or -1. OSError as from the system call."""
        self._socket.send(Packet(operation, handle, request, body).encode())
        data, descriptors, _flags, _address = socket.recv_fds(self._socket, abi.PACKET_MOST, 1)
        if not data:
            raise OSError(errno.ENODEV, "the GPIO server has gone")
        answer = abi.decode(data)
        if answer.result < 0:
            raise OSError(answer.error, os.strerror(answer.error))
        return answer, descriptors[0] if descriptors else -1

    def close(self) -> None:
        self._socket.close()


class SocketChips:
    """drivers.gpio.Chips over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def scan(self) -> tuple[list[ChipNode], list[str]]:
        nodes = []
        for number in range(CHIPS_MOST):
            path = f"/dev/gpiochip{number}"
            try:
                info = self._ask(path, Ioctl.GET_CHIPINFO, bytes(abi.CHIP_INFO.size))
                link = f"/sys/bus/gpio/devices/gpiochip{number}".encode() + b"\0"
                target, _none = self._connection.call(Operation.READLINK, body=link)
            except OSError:
                continue
            label = abi.text_of(abi.CHIP_INFO.unpack(info)[1])
            nodes.append(ChipNode(path, label, Path(target.body.decode()).parent.name))
        return nodes, []

    def user_of(self, path: str, offset: int) -> str:
        wanted = abi.LINE_INFO.pack(b"", b"", offset, 0, 0)
        info = self._ask(path, Ioctl.GET_LINEINFO, wanted)
        return abi.text_of(abi.LINE_INFO.unpack(info)[1])

    def open_input(self, path: str, offset: int, wanted: InputLine) -> LineHandle:
        flags = LineFlag.INPUT | LineFlag.EDGE_RISING | LineFlag.EDGE_FALLING | _PULL_FLAG[wanted.pull]
        return self._open(path, offset, wanted.user, flags, wanted.active_low)

    def open_output(self, path: str, offset: int, wanted: OutputLine) -> LineHandle:
        return self._open(path, offset, wanted.user, LineFlag.OUTPUT, wanted.active_low)

    def close(self) -> None:
        self._connection.close()

    def _open(self, path: str, offset: int, user: str, flags: LineFlag, active_low: bool) -> LineHandle:
        if active_low:
            flags |= LineFlag.ACTIVE_LOW
        chip = self._open_chip(path)
        try:
            body = LineRequest((offset,), user, (flags,), (False,)).encode()
            answer, fd = self._connection.call(Operation.IOCTL, chip, Ioctl.GET_LINE, body)
        finally:
            self._connection.call(Operation.CLOSE, chip)
        return SocketLine(self._connection, answer.handle, fd)

    def _ask(self, path: str, request: Ioctl, body: bytes) -> bytes:
        chip = self._open_chip(path)
        try:
            return self._connection.call(Operation.IOCTL, chip, request, body)[0].body
        finally:
            self._connection.call(Operation.CLOSE, chip)

    def _open_chip(self, path: str) -> int:
        answer, fd = self._connection.call(Operation.OPEN, body=path.encode() + b"\0")
        os.close(fd)  # only a program that opens device files needs it
        return answer.handle


class SocketLine:
    """drivers.gpio.LineHandle: one open line."""

    def __init__(self, connection: Connection, handle: int, fd: int) -> None:
        self._connection = connection
        self._handle = handle
        self.fd = fd

    def read(self) -> bool:
        return bool(self._values(Ioctl.GET_VALUES, 0) & 1)

    def write(self, value: bool) -> None:
        self._values(Ioctl.SET_VALUES, int(value))

    def read_event(self) -> bytes:
        event = os.read(self.fd, abi.EVENT.size)
        if not event:
            raise OSError(errno.ENODEV, "the chip has vanished")
        return event

    def close(self) -> None:
        os.close(self.fd)
        self._connection.call(Operation.CLOSE, self._handle)

    def _values(self, request: Ioctl, bits: int) -> int:
        answer, _none = self._connection.call(
            Operation.IOCTL, self._handle, request, abi.VALUES.pack(bits, 1)
        )
        return int(abi.VALUES.unpack(answer.body)[0])
