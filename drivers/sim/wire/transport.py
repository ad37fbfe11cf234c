"""What carries the bytes between a driver and the far end of its wire: memory, or a pty.

``MemoryTransport`` is for speed. ``PtyTransport`` is for honesty: the shipped serial code opens it
like any tty.
"""

from __future__ import annotations

import contextlib
import os
import termios
import tty
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from drivers.device import Fault
from drivers.link import OUTGOING_LIMIT_BYTES, Link, LinkError, OpenLink, SerialSettings, open_serial

BUFFER_LIMIT_BYTES = 4096  # input buffer of the kernel's line discipline; more is lost as on a real line
XON, XOFF = 0x11, 0x13


class Transport(Protocol):
    """The piece between the host's descriptor and the host's UART."""

    def take(self) -> bytes:
        """What the host has written since the last call."""
        ...

    def deliver(self, data: bytes) -> None:
        """Put bytes into the host's input; lost if nobody listens or the buffer is full."""
        ...

    def host_obeys_xonxoff(self) -> bool: ...
    def fileno(self) -> int | None: ...
    def host_gone(self) -> None:
        """The program at the near end died."""
        ...

    def unplug(self) -> None: ...
    def replug(self) -> None: ...
    def close(self) -> None: ...


# --------------------------------------------------------------------------------------
# Memory


class MemoryTransport:
    """A cable in memory. ``open_link`` is the near end: one opener at a time, as with a real port."""

    def __init__(self) -> None:
        self.plugged = True
        self.link: MemoryLink | None = None
        self._written = b""

    def open_link(self, settings: SerialSettings) -> Link:
        if not self.plugged:
            text = f"port {settings.port} does not exist: check the cable or the udev rule"
            raise LinkError(Fault.PORT_MISSING, text)
        if self.link is not None:
            raise LinkError(Fault.PORT_MISSING, f"port {settings.port} is in use by another program")
        self.link = MemoryLink(self, settings)
        return self.link

    def write(self, data: bytes) -> None:
        self._written += data

    def take(self) -> bytes:
        data, self._written = self._written, b""
        return data

    def deliver(self, data: bytes) -> None:
        if self.link is not None:
            self.link.feed(data)

    def host_obeys_xonxoff(self) -> bool:
        return self.link is not None and self.link.settings.xonxoff

    def fileno(self) -> int | None:
        return None

    def host_gone(self) -> None:
        """The program at the near end died: the kernel has closed its descriptor."""
        if self.link is not None:
            self.link.close()

    def unplug(self) -> None:
        self.plugged = False
        self._written = b""
        if self.link is not None:
            self.link.dead = True

    def replug(self) -> None:
        self.plugged = True
        if self.link is not None and self.link.dead:
            self.link = None  # the old descriptor stays dead; the new device is free to open

    def close(self) -> None:
        self.unplug()


class MemoryLink:
    """The near end of a MemoryTransport."""

    def __init__(self, transport: MemoryTransport, settings: SerialSettings) -> None:
        self.settings = settings
        self.dead = False
        self._transport = transport
        self._in = b""
        self._out = b""
        self._stopped = False

    @property
    def pending(self) -> int:
        return len(self._out)

    @property
    def unsent(self) -> int:
        return len(self._out)

    def fileno(self) -> int | None:
        return None

    def feed(self, data: bytes) -> None:
        """What the host's UART hands over; with XON/XOFF the kernel keeps those two to itself."""
        if self.settings.xonxoff:
            kept = bytearray()
            for byte in data:
                if byte == XON:
                    self._stopped = False
                elif byte == XOFF:
                    self._stopped = True
                else:
                    kept.append(byte)
            data = bytes(kept)
        self._in += data[: BUFFER_LIMIT_BYTES - len(self._in)]

    def read(self) -> bytes:
        if self.dead:
            raise LinkError(Fault.LINK_LOST, f"port {self.settings.port} was unplugged")
        if self._out and not self._stopped:
            self._pump()
        data, self._in = self._in, b""
        return data

    def write(self, data: bytes) -> None:
        if self.dead:
            raise LinkError(Fault.LINK_LOST, f"port {self.settings.port} was unplugged")
        if len(self._out) + len(data) > OUTGOING_LIMIT_BYTES:
            text = f"port {self.settings.port} takes no more bytes ({len(self._out)} are waiting)"
            raise LinkError(Fault.LINK_LOST, text)
        if not self._out and not self._stopped:
            self._transport.write(data)
            return
        self._out += data
        if not self._stopped:
            self._pump()

    def _pump(self) -> None:
        self._transport.write(self._out)
        self._out = b""

    def close(self) -> None:
        self.dead = True
        if self._transport.link is self:
            self._transport.link = None


# --------------------------------------------------------------------------------------
# Pty


class PtyTransport:
    """A cable made of a pty, under a stable name.

    ``path`` is a symlink to the slave, swapped atomically as udev would. The slave stays open here
    as well: otherwise the master fails whenever the host has closed its end. Unplugging closes the
    master; replugging makes a new pty.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._master: int | None = None
        self._slave: int | None = None
        self.replug()

    def open_link(self, settings: SerialSettings) -> Link:
        """For composition roots that treat all wires alike: the real opener on the real path."""
        return open_serial(settings)

    def take(self) -> bytes:
        if self._master is None:
            return b""
        parts = []
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._master, BUFFER_LIMIT_BYTES):
                parts.append(part)
        return b"".join(parts)

    def deliver(self, data: bytes) -> None:
        if self._master is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._master, data)

    def host_obeys_xonxoff(self) -> bool:
        return self._slave is not None and bool(termios.tcgetattr(self._slave)[0] & termios.IXON)

    def fileno(self) -> int | None:
        return self._master

    def host_gone(self) -> None:
        """Nothing to do: the kernel closes the descriptors of a program that died."""

    def unplug(self) -> None:
        for descriptor in (self._master, self._slave):
            if descriptor is not None:
                os.close(descriptor)
        if self._master is not None:
            Path(self.path).unlink(missing_ok=True)
        self._master = self._slave = None

    def replug(self) -> None:
        if self._master is not None:
            return
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)  # otherwise it echoes and translates
        os.set_blocking(self._master, False)
        beside = f"{self.path}.new"
        Path(beside).unlink(missing_ok=True)
        Path(beside).symlink_to(os.ttyname(self._slave))
        Path(beside).replace(self.path)

    def close(self) -> None:
        self.unplug()


def patch_bay(wires: Mapping[str, Callable[[SerialSettings], Link]]) -> OpenLink:
    """One opener for several wires, by port name."""

    def open_link(settings: SerialSettings) -> Link:
        wire = wires.get(settings.port)
        if wire is None:
            text = f"port {settings.port} does not exist: check the cable or the udev rule"
            raise LinkError(Fault.PORT_MISSING, text)
        return wire(settings)

    return open_link
