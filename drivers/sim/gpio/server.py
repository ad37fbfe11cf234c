"""GPIO chips and I2C buses for a program in another process: the kernel's interfaces over a unix socket.

The forwarder (ioctlfwd.c) in that program, or a SocketBank, sends system calls as packets; a line's
descriptor is one end of a socket pair, so the program's poll() and read() are the kernel's own.

The server has no thread and no clock. Its owner calls ``serve(now_ms)`` when ``fileno()`` is readable,
in the thread that also moves the panel machine; the program waits in its system call meanwhile.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import socket
import struct
import termios
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from drivers.bank import Pull, chip_of, label_of
from drivers.sim.gpio import abi, i2c_abi
from drivers.sim.gpio.abi import Ioctl, LineFlag, Operation, Packet
from drivers.sim.gpio.board import Board
from drivers.sim.gpio.fram import I2cBus

EVENTS_KEPT = 16  # the kernel's queue for a line; a newer event pushes out the oldest
CONNECTIONS_MOST = 16  # one per process of the program under test
HEADER_DEVICE = "fe200000.gpio"  # what the header's chip of a Pi 4 sits on


@dataclass(slots=True)
class _Chip:
    owner: int
    chip: str
    is_lost: bool = False


@dataclass(slots=True)
class _Bus:
    owner: int
    bus: I2cBus


@dataclass(slots=True)
class _Lines:
    """A line request. `near` sends events; `far` is a second hold on the program's end, to count them."""

    owner: int
    lines: tuple[str, ...]
    flags: tuple[LineFlag, ...]
    near: socket.socket
    far: socket.socket
    is_lost: bool = False
    events: int = 0


class GpioServer:
    """Serves the chips of `board`, and the I2C `buses` by their numbers, at the socket `path`."""

    def __init__(self, path: Path, board: Board, buses: Mapping[int, I2cBus] | None = None) -> None:
        self.path = path
        self._board = board
        self._paths = {f"/dev/gpiochip{number}": chip for number, chip in enumerate(board.chips)}
        self._buses = {f"/dev/i2c-{number}": bus for number, bus in (buses or {}).items()}
        self._handles: dict[int, _Chip | _Lines | _Bus] = {}
        self._handle_of: dict[str, _Lines] = {}
        self._number = 0
        self._connections: dict[int, socket.socket] = {}
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.setblocking(False)
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        self._listener.listen(CONNECTIONS_MOST)
        self._epoll = select.epoll()
        self._epoll.register(self._listener.fileno(), select.EPOLLIN)
        board.watch(self)

    def fileno(self) -> int:
        return self._epoll.fileno()

    def serve(self, now_ms: int) -> None:
        """Answer what waits. Never blocks: the answer to a call fits into the socket that asked."""
        for fd, _events in self._epoll.poll(0):
            if fd == self._listener.fileno():
                self._accept()
            elif fd in self._connections:
                self._answer(self._connections[fd], now_ms)

    def close(self) -> None:
        for fd in list(self._connections):
            self._hang_up(fd)
        self._listener.close()
        self._epoll.close()
        self.path.unlink(missing_ok=True)

    # ---- what the copper tells

    def moved(self, line: str, level: bool, now_ms: int) -> None:
        lines = self._handle_of.get(line)
        if lines is None or not self._board.hears(line):
            return
        place = lines.lines.index(line)
        rising = level != bool(lines.flags[place] & LineFlag.ACTIVE_LOW)
        if not lines.flags[place] & (LineFlag.EDGE_RISING if rising else LineFlag.EDGE_FALLING):
            return
        if _waiting_bytes(lines.far) >= EVENTS_KEPT * abi.EVENT.size:
            lines.far.recv(abi.EVENT.size, socket.MSG_DONTWAIT)
        lines.events += 1
        edge = abi.RISING if rising else abi.FALLING
        offset = _offset_of(line)
        lines.near.send(abi.EVENT.pack(now_ms * 1_000_000, edge, offset, lines.events, lines.events))

    def lost(self, chip: str, now_ms: int) -> None:
        self._paths = {path: name for path, name in self._paths.items() if name != chip}
        for handle in self._handles.values():
            if isinstance(handle, _Bus):
                continue
            name = chip_of(handle.lines[0]) if isinstance(handle, _Lines) else handle.chip
            if name != chip or handle.is_lost:
                continue
            handle.is_lost = True
            if isinstance(handle, _Lines):
                self._forget(handle)

    def restored(self, chip: str, now_ms: int) -> None:
        """It gets the first free number, as in the kernel: not always the one that it had."""
        numbers = (f"/dev/gpiochip{number}" for number in range(len(self._board.chips)))
        self._paths[next(path for path in numbers if path not in self._paths)] = chip

    def silenced(self, chip: str, now_ms: int) -> None:
        """The kernel notices nothing."""

    # ---- connections

    def _accept(self) -> None:
        connection, _address = self._listener.accept()
        if len(self._connections) >= CONNECTIONS_MOST:
            connection.close()
            return
        connection.setblocking(False)
        self._connections[connection.fileno()] = connection
        self._epoll.register(connection.fileno(), select.EPOLLIN)

    def _answer(self, connection: socket.socket, now_ms: int) -> None:
        """One packet. Somebody who sends no packets, or has gone, is hung up on."""
        owner = connection.fileno()
        try:
            packet = abi.decode(connection.recv(abi.PACKET_MOST))
        except (OSError, ValueError):
            self._hang_up(owner)
            return
        descriptor: int | None = None
        try:
            answer, descriptor = self._call(owner, packet, now_ms)
        except (OSError, ValueError, struct.error) as error:
            number = error.errno if isinstance(error, OSError) and error.errno else errno.EINVAL
            answer = Packet(packet.operation, packet.handle, packet.request, packet.body, -1, number)
        try:
            socket.send_fds(connection, [answer.encode()], [] if descriptor is None else [descriptor])
        except OSError:
            self._hang_up(owner)
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _hang_up(self, owner: int) -> None:
        """A process that ends has all its descriptors closed by the kernel."""
        for number in [number for number, handle in self._handles.items() if handle.owner == owner]:
            self._close_handle(number)
        self._epoll.unregister(owner)
        self._connections.pop(owner).close()

    # ---- calls; OSError is the caller's errno

    def _call(self, owner: int, packet: Packet, now_ms: int) -> tuple[Packet, int | None]:
        match packet.operation:
            case Operation.OPEN:
                path = abi.text_of(packet.body)
                bus = self._buses.get(path)
                number = self._keep(_Bus(owner, bus) if bus else _Chip(owner, self._chip_at(path)))
                return Packet(packet.operation, number), os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            case Operation.READLINK:
                return Packet(packet.operation, body=self._link(abi.text_of(packet.body))), None
            case Operation.CLOSE:
                self._close_handle(packet.handle)
                return Packet(packet.operation), None
            case Operation.IOCTL:
                return self._ioctl(owner, packet, now_ms)
            case _:
                raise OSError(errno.ENOSYS, "no such operation")

    def _ioctl(self, owner: int, packet: Packet, now_ms: int) -> tuple[Packet, int | None]:
        handle = self._handles.get(packet.handle)
        if isinstance(handle, _Bus):
            body = i2c_abi.answer(packet.request, packet.body, handle.bus)
            return Packet(packet.operation, packet.handle, packet.request, body), None
        if handle is not None and handle.is_lost:
            raise OSError(errno.ENODEV, "the chip is gone")
        number, descriptor, body = packet.handle, None, packet.body
        match packet.request, handle:
            case Ioctl.GET_CHIPINFO, _Chip(chip=chip):
                name = self._path_of(chip).rpartition("/")[2].encode()
                body = abi.CHIP_INFO.pack(name, label_of(chip).encode(), self._board.size(chip))
            case Ioctl.GET_LINEINFO, _Chip(chip=chip):
                body = self._line_info(chip, abi.LINE_INFO.unpack(body)[2])
            case Ioctl.GET_LINE, _Chip(chip=chip):
                number, descriptor = self._open_lines(owner, chip, abi.decode_line_request(body), now_ms)
            case Ioctl.GET_VALUES, _Lines():
                body = self._get(handle, abi.VALUES.unpack(body)[1])
            case Ioctl.SET_VALUES, _Lines():
                bits, mask = abi.VALUES.unpack(body)
                self._set(handle, bits, mask, now_ms)
            case Ioctl.SET_CONFIG, _Lines():
                handle.flags, _bits = abi.decode_config(body, len(handle.lines))
            case _:
                raise OSError(errno.ENOTTY, "no such call on this handle")
        return Packet(packet.operation, number, packet.request, body), descriptor

    def _chip_at(self, path: str) -> str:
        if path not in self._paths:
            raise OSError(errno.ENOENT, path)
        return self._paths[path]

    def _path_of(self, chip: str) -> str:
        for path, name in self._paths.items():
            if name == chip:
                return path
        raise OSError(errno.ENODEV, chip)

    def _link(self, path: str) -> bytes:
        """/sys/bus/gpio/devices/gpiochipN points below the chip's parent device."""
        name = path.rpartition("/")[2]
        chip = self._chip_at(f"/dev/{name}")
        where = chip.partition("@")[2]
        device = where if not where or "-" in where else f"1-00{where}"
        return f"../../../devices/platform/{device or HEADER_DEVICE}/{name}".encode()

    def _line_info(self, chip: str, offset: int) -> bytes:
        if offset >= self._board.size(chip):
            raise OSError(errno.EINVAL, "no such line")
        line = f"{chip}:{offset}"
        lines = self._handle_of.get(line)
        flags = lines.flags[lines.lines.index(line)] | LineFlag.USED if lines else LineFlag.INPUT
        user = self._board.user_of(line).encode()
        return abi.LINE_INFO.pack(f"GPIO{offset}".encode(), user, offset, 0, flags)

    def _open_lines(self, owner: int, chip: str, wanted: abi.LineRequest, now_ms: int) -> tuple[int, int]:
        lines = tuple(f"{chip}:{offset}" for offset in wanted.offsets)
        claimed: list[str] = []
        try:
            for line in lines:
                self._board.claim(line, wanted.consumer)
                claimed.append(line)
        except OSError:
            for line in claimed:
                self._board.free(line)
            raise
        for line, flags, value in zip(lines, wanted.flags, wanted.values, strict=True):
            if flags & LineFlag.OUTPUT:
                self._board.put(line, value != bool(flags & LineFlag.ACTIVE_LOW), now_ms)
            else:
                self._board.as_input(line, _pull(flags))
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        near.setblocking(False)
        handle = _Lines(owner, lines, wanted.flags, near, far)
        self._handle_of.update(dict.fromkeys(lines, handle))
        return self._keep(handle), os.dup(far.fileno())

    def _get(self, lines: _Lines, mask: int) -> bytes:
        bits = 0
        for place, line in _asked(lines, mask):
            bits |= (self._board.read(line) != bool(lines.flags[place] & LineFlag.ACTIVE_LOW)) << place
        return abi.VALUES.pack(bits, mask)

    def _set(self, lines: _Lines, bits: int, mask: int, now_ms: int) -> None:
        for place, line in _asked(lines, mask):
            if not lines.flags[place] & LineFlag.OUTPUT:
                raise OSError(errno.EPERM, "an input cannot be written")
            self._board.put(
                line, bool(bits >> place & 1) != bool(lines.flags[place] & LineFlag.ACTIVE_LOW), now_ms
            )

    def _keep(self, handle: _Chip | _Lines | _Bus) -> int:
        self._number += 1
        self._handles[self._number] = handle
        return self._number

    def _close_handle(self, number: int) -> None:
        handle = self._handles.pop(number, None)
        if isinstance(handle, _Lines) and not handle.is_lost:
            self._forget(handle)
            for line in handle.lines:
                self._board.free(line)

    def _forget(self, lines: _Lines) -> None:
        """The program's end of the pair becomes readable, with nothing behind it."""
        for line in lines.lines:
            self._handle_of.pop(line, None)
        for end in (lines.near, lines.far):
            end.close()


def _asked(lines: _Lines, mask: int) -> list[tuple[int, str]]:
    return [(place, line) for place, line in enumerate(lines.lines) if mask >> place & 1]


def _pull(flags: LineFlag) -> Pull:
    if flags & LineFlag.PULL_UP:
        return Pull.UP
    return Pull.DOWN if flags & LineFlag.PULL_DOWN else Pull.NONE


def _offset_of(line: str) -> int:
    return int(line.rpartition(":")[2])


def _waiting_bytes(end: socket.socket) -> int:
    """Bytes that nobody has read yet, over all packets."""
    (count,) = struct.unpack("i", fcntl.ioctl(end.fileno(), termios.FIONREAD, struct.pack("i", 0)))
    return int(count)
