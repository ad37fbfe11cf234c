"""GPIO lines of the kernel's character devices. The only importer of ``periphery``.

Facts that shape this file (python-periphery 2.4, kernel GPIO uAPI v2):

* The edge is given to the constructor. Setting it later, like changing direction or bias, closes and
  opens the line again, which lets an output go for a moment; so nothing is changed after opening.
* ``"low"`` and ``"high"`` are electrical: an inverted output is dark when it is opened ``"high"``.
* The kernel keeps 16 events per line and drops the oldest without notice: events say that a line
  moved, never how often. Levels are read afterwards.
* After a chip has vanished, poll() calls its lines readable for ever and every call on them fails
  with ENODEV: they have to be closed.
* The library says neither which chip has which label nor who holds a busy line; two ioctls of the
  same uAPI, made here, do.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import periphery

from drivers.bank import (
    Bank,
    BankError,
    Edges,
    InputLine,
    OutputLine,
    Pull,
    chip_of,
    is_chip,
    label_of,
    split_line,
)

__all__ = [
    "Bank",
    "BankError",
    "CdevBank",
    "ChipNode",
    "Chips",
    "Edges",
    "InputLine",
    "KernelChips",
    "LineHandle",
    "OutputLine",
    "Pull",
    "open_bank",
]

# Chips are looked for under these many numbers. A Pi 5 has its own at 0 and 10 to 13; expanders follow.
CHIPS_MOST = 32
EVENTS_PER_LINE = 16  # the kernel's own queue; more cannot wait

_GET_CHIPINFO = 0x8044B401  # struct gpiochip_info: name[32], label[32], lines
_GET_LINEINFO = 0xC100B405  # struct gpio_v2_line_info: name[32], consumer[32], offset, ... 256 bytes


@dataclass(frozen=True, slots=True)
class ChipNode:
    """A chip that can be opened. `device` is its parent, e.g. ``1-0020``; "" if the kernel names none."""

    path: str
    label: str
    device: str


class LineHandle(Protocol):
    """An open line. Every method may raise OSError; the shape is that of ``periphery.GPIO``."""

    @property
    def fd(self) -> int: ...
    def read(self) -> bool: ...
    def write(self, value: bool) -> None: ...
    def read_event(self) -> object: ...
    def close(self) -> None: ...


class Chips(Protocol):
    """A way to GPIO chips. KernelChips is the real one."""

    def scan(self) -> tuple[list[ChipNode], list[str]]:
        """All chips, and the paths that exist but may not be opened."""
        ...

    def user_of(self, path: str, offset: int) -> str:
        """Who holds a line, "" if nobody says. OSError."""
        ...

    def open_input(self, path: str, offset: int, wanted: InputLine) -> LineHandle: ...
    def open_output(self, path: str, offset: int, wanted: OutputLine) -> LineHandle: ...
    def close(self) -> None: ...


class KernelChips:
    """/dev/gpiochip0 to 31, through python-periphery."""

    def scan(self) -> tuple[list[ChipNode], list[str]]:
        nodes, denied = [], []
        for number in range(CHIPS_MOST):
            path = f"/dev/gpiochip{number}"
            try:
                label = self._ask(path, _GET_CHIPINFO, bytes(68))[32:64]
            except PermissionError:
                denied.append(path)
            except OSError:
                continue  # no such chip, or it is just going
            else:
                nodes.append(ChipNode(path, _text(label), self._device(number)))
        return nodes, denied

    def user_of(self, path: str, offset: int) -> str:
        return _text(self._ask(path, _GET_LINEINFO, struct.pack("=64xI188x", offset))[32:64])

    def open_input(self, path: str, offset: int, wanted: InputLine) -> LineHandle:
        bias = wanted.pull.value
        return _open(path, offset, "in", wanted.user, edge="both", bias=bias, inverted=wanted.active_low)

    def open_output(self, path: str, offset: int, wanted: OutputLine) -> LineHandle:
        dark = "high" if wanted.active_low else "low"
        return _open(path, offset, dark, wanted.user, inverted=wanted.active_low)

    def close(self) -> None:
        """Every descriptor belongs to a line."""

    @staticmethod
    def _ask(path: str, request: int, data: bytes) -> bytes:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            buffer = bytearray(data)
            fcntl.ioctl(fd, request, buffer)
            return bytes(buffer)
        finally:
            os.close(fd)

    @staticmethod
    def _device(number: int) -> str:
        try:
            return Path(f"/sys/bus/gpio/devices/gpiochip{number}").readlink().parent.name
        except OSError:
            return ""


def _open(path: str, offset: int, direction: str, user: str, **options: Any) -> LineHandle:
    """A line of the library. OSError.

    When it fails, its half-made object keeps the chip open for as long as the error's traceback lives.
    So that error ends here, and another one without its frames is raised.
    """
    try:
        return periphery.GPIO(path, offset, direction, label=user, **options)
    except OSError as error:
        number = error.errno or errno.EIO
    raise OSError(number, os.strerror(number))


class CdevBank:
    """A bank on GPIO character devices. One epoll descriptor wakes the owner for all its inputs."""

    needs_polling = True
    changed_at: int | None = None

    def __init__(self, chips: Chips) -> None:
        self._chips = chips
        self._nodes: list[ChipNode] = []  # of the last scan
        self._handles: dict[str, LineHandle] = {}
        self._input_of: dict[int, str] = {}  # file descriptor -> line
        self._epoll = select.epoll()

    def request_input(self, wanted: InputLine) -> None:
        path, offset = self._find(wanted.line)
        try:
            handle = self._chips.open_input(path, offset, wanted)
        except OSError as error:
            raise self._refusal(wanted.line, path, error) from None
        self._handles[wanted.line] = handle
        self._input_of[handle.fd] = wanted.line
        self._epoll.register(handle.fd, select.EPOLLIN | select.EPOLLPRI)

    def request_output(self, wanted: OutputLine, now_ms: int) -> None:
        path, offset = self._find(wanted.line)
        try:
            self._handles[wanted.line] = self._chips.open_output(path, offset, wanted)
        except OSError as error:
            raise self._refusal(wanted.line, path, error) from None

    def read(self, line: str) -> bool:
        try:
            return self._handle(line).read()
        except OSError as error:
            raise self._lost(line, error) from None

    def write(self, line: str, active: bool, now_ms: int) -> None:
        try:
            self._handle(line).write(active)
        except OSError as error:
            raise self._lost(line, error) from None

    def edges(self) -> Edges:
        moved: dict[str, None] = {}
        lost: list[BankError] = []
        for _ in range(EVENTS_PER_LINE):
            ready = self._epoll.poll(0)
            if not ready:
                break
            for fd, _events in ready:
                line = self._input_of.get(fd)
                if line is None:
                    continue  # closed a moment ago, when its chip was found lost
                try:
                    self._handles[line].read_event()
                except (OSError, ValueError) as error:  # ValueError: a cut event is as dead as none
                    lost.append(self._lost(line, error))
                else:
                    moved[line] = None
        return Edges(tuple(moved), tuple(lost))

    def drop(self, chip: str) -> None:
        for line in [line for line in self._handles if chip_of(line) == chip]:
            handle = self._handles.pop(line)
            for fd in [fd for fd, name in self._input_of.items() if name == line]:
                del self._input_of[fd]
                self._epoll.unregister(fd)
            try:
                handle.close()
            except OSError:
                continue  # the chip is gone; there is nothing left to close
        self._nodes = []  # the chip may come back under another number

    def fileno(self) -> int | None:
        return self._epoll.fileno()

    def close(self) -> None:
        for chip in {chip_of(line): None for line in self._handles}:
            self.drop(chip)
        self._epoll.close()
        self._chips.close()

    def _handle(self, line: str) -> LineHandle:
        if line not in self._handles:
            raise OSError(errno.ENODEV, "the line is closed")
        return self._handles[line]

    def _find(self, line: str) -> tuple[str, int]:
        chip, offset = split_line(line)
        denied: list[str] = []
        fitting = [node for node in self._nodes if is_chip(chip, node.label, node.device)]
        if not fitting:  # it may have come since the last scan
            self._nodes, denied = self._chips.scan()
            fitting = [node for node in self._nodes if is_chip(chip, node.label, node.device)]
        if len(fitting) == 1:
            return fitting[0].path, offset
        seen = ", ".join(f"{node.label}@{node.device}" for node in self._nodes) or "none"
        if fitting:
            raise BankError(line, f"several chips fit (found: {seen})", f"write {chip}@ADDRESS:{offset}")
        if denied:
            why = f"{', '.join(denied)} may not be opened"
            raise BankError(line, why, "put the program's user into group gpio", chip_lost=True)
        remedy = "check its cable and its dtoverlay line in config.txt"
        raise BankError(line, f"there is no chip {chip} (found: {seen})", remedy, chip_lost=True)

    def _refusal(self, line: str, path: str, error: OSError) -> BankError:
        """Why a line could not be opened."""
        match error.errno:
            case errno.EBUSY:
                why = f"it is in use by {self._user_of(line, path)}"
                return BankError(line, why, "stop that program or wire another line")
            case errno.EINVAL:
                return BankError(line, "the chip refuses the line", "check the offset in the cabinet file")
            case errno.ENXIO:
                remedy = "wire its INT pin and name it in the dtoverlay (gpiopin=)"
                return BankError(line, f"{label_of(chip_of(line))} gives no interrupt", remedy)
            case errno.EACCES | errno.EPERM:
                return BankError(line, f"{path} may not be opened", "put the program's user into group gpio")
            case _:
                return self._lost(line, error)

    def _user_of(self, line: str, path: str) -> str:
        try:
            return f"'{self._chips.user_of(path, split_line(line)[1])}'"
        except OSError:
            return "somebody"

    def _lost(self, line: str, error: OSError | ValueError) -> BankError:
        self.drop(chip_of(line))
        why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        return BankError(line, f"the chip is gone ({why})", "check its cable and supply", chip_lost=True)


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("ascii", "replace")


def open_bank() -> Bank:
    """The bank of the field program. It opens no chip before a line is requested."""
    return CdevBank(KernelChips())
