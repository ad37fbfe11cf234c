"""Serial ports that never block, and ports that come back.

This file is the only importer of ``serial``. pyserial opens and configures the line; after that
the descriptor is read and written with ``os.read`` and ``os.write``, because pyserial's own
``write`` spins on a full buffer and its setters reconfigure the line (which a pty refuses).

``Link`` is an open byte stream. ``Port`` is what a driver holds: it opens its link by a stable
name, closes it at the first trouble and tries again with a growing pause.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
import termios
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import serial

from drivers import uart
from drivers.device import Fault
from drivers.uart import REMEDY, errno_of, trouble_text

OUTGOING_LIMIT_BYTES = 8192  # several of the longest print jobs; more means that nobody takes our bytes
READ_BYTES = 4096  # the size of the kernel's own line buffer: one read empties it
DRAIN_READS = 16  # at open at most 64 KB of stale input are thrown away; a babbling line cannot hold us
PENDING_WAIT_MS = 5  # while output waits: a line at 9600 baud takes about one byte a millisecond
PTY_FOLDER = "/dev/pts/"

_TROUBLE = (OSError, termios.error, serial.SerialException)


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """One line. ``port`` should be a name that survives replugging (/dev/serial/by-id, by-path, udev)."""

    port: str
    baud: int
    data_bits: int = 8
    parity: Literal["N", "E", "O"] = "N"
    stop_bits: int = 1
    xonxoff: bool = False
    rtscts: bool = False
    rts: bool = True  # the level of RTS where it is not used for flow control


class LinkError(Exception):
    """A port cannot be used. ``fault`` is PORT_MISSING, PORT_UNFIT or LINK_LOST; ``text`` is for people."""

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(text)
        self.fault = fault
        self.text = text


class Link(Protocol):
    """An open byte stream that never blocks."""

    @property
    def pending(self) -> int:
        """Bytes that are still in the outgoing buffer of this program."""
        ...

    @property
    def unsent(self) -> int:
        """Bytes that are not on the line yet, also those that the kernel holds back (XOFF)."""
        ...

    def fileno(self) -> int | None: ...
    def read(self) -> bytes:
        """What is there now, ``b""`` if nothing. Also pushes pending output. LinkError when dead."""
        ...

    def write(self, data: bytes) -> None:
        """Queue ``data`` and push what the line takes now. LinkError when dead or over the bound."""
        ...

    def close(self) -> None: ...


OpenLink = Callable[[SerialSettings], Link]


# --------------------------------------------------------------------------------------
# The real thing: a tty or a pty.


def open_serial(settings: SerialSettings) -> Link:
    """Open a tty for this program alone. Raises LinkError; see ``trouble_text`` for the wording."""
    real = os.path.realpath(settings.port)
    on_pty = real.startswith(PTY_FOLDER)
    if settings.parity != "N" and uart.is_mini_uart(real):
        reason = "this is the Pi mini UART, which has no parity bit"
        raise LinkError(Fault.PORT_UNFIT, f"{settings.port}: {reason}. {REMEDY}")
    try:
        device = _open_device(settings)
    except _TROUBLE as error:
        if not (on_pty and errno_of(error) == errno.EINVAL):
            raise LinkError(Fault.PORT_MISSING, trouble_text(settings.port, error)) from error
        # A pty has no parity and no 7-bit characters; asked again for them it refuses the whole request.
        try:
            device = _open_device(settings, plain=True)
        except _TROUBLE as second:
            raise LinkError(Fault.PORT_MISSING, trouble_text(settings.port, second)) from second
    try:
        descriptor = device.fileno()
        taken = termios.tcgetattr(descriptor)
        reason = "" if on_pty else _unfit(settings, taken[2], taken[5])
        if reason:
            raise LinkError(Fault.PORT_UNFIT, f"{settings.port}: {reason}. {REMEDY}")
        # With VMIN 0 a read of an idle line and of a dead one both give nothing. With VMIN 1 an idle
        # line says EAGAIN, and nothing means that the far end hung up.
        taken[6][termios.VMIN] = 1
        termios.tcsetattr(descriptor, termios.TCSANOW, taken)
        link = SerialLink(device, settings.port)
        link.discard_input()
        return link
    except LinkError:
        device.close()
        raise
    except _TROUBLE as error:
        device.close()
        raise LinkError(Fault.PORT_MISSING, trouble_text(settings.port, error)) from error


def _open_device(settings: SerialSettings, plain: bool = False) -> serial.Serial:
    """Everything is set before the port opens; nothing is assigned afterwards."""
    device = serial.Serial(
        port=None,
        baudrate=settings.baud,
        bytesize=8 if plain else settings.data_bits,
        parity="N" if plain else settings.parity,
        stopbits=settings.stop_bits,
        timeout=0,
        write_timeout=0,
        xonxoff=settings.xonxoff,
        rtscts=settings.rtscts,
        exclusive=True,
    )
    device.rts = settings.rts
    device.port = settings.port
    device.open()
    return device


def _unfit(settings: SerialSettings, cflag: int, speed: int) -> str:
    return uart.unfit_reason(
        baud=settings.baud,
        data_bits=settings.data_bits,
        parity=settings.parity,
        stop_bits=settings.stop_bits,
        cflag=cflag,
        speed=speed,
    )


class SerialLink:
    """A tty that pyserial has opened; read and written without waiting."""

    def __init__(self, device: serial.Serial, port: str) -> None:
        self._device = device
        self._port = port
        self._fd: int | None = device.fileno()
        self._out = bytearray()

    @property
    def pending(self) -> int:
        return len(self._out)

    @property
    def unsent(self) -> int:
        if self._fd is None:
            return 0
        try:
            answer = fcntl.ioctl(self._fd, termios.TIOCOUTQ, b"\0\0\0\0")
        except _TROUBLE:
            return len(self._out)  # a read will tell
        (held,) = struct.unpack("i", answer)
        return len(self._out) + int(held)

    def fileno(self) -> int | None:
        return self._fd

    def read(self) -> bytes:
        if self._fd is None:
            raise LinkError(Fault.LINK_LOST, f"port {self._port} is closed")
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            data = b""
        except _TROUBLE as error:
            raise self._dead(error) from error
        else:
            if not data:
                raise LinkError(Fault.LINK_LOST, f"port {self._port} was unplugged")
        if self._out:  # after the read: an XON in what has just come may have reopened the line
            self._pump(self._fd)
        return data

    def write(self, data: bytes) -> None:
        if self._fd is None:
            raise LinkError(Fault.LINK_LOST, f"port {self._port} is closed")
        if len(self._out) + len(data) > OUTGOING_LIMIT_BYTES:
            text = f"port {self._port} takes no more bytes ({len(self._out)} are waiting)"
            raise LinkError(Fault.LINK_LOST, text)
        self._out += data
        self._pump(self._fd)

    def _pump(self, descriptor: int) -> None:
        try:
            while self._out:
                del self._out[: os.write(descriptor, self._out)]
        except BlockingIOError:
            pass
        except _TROUBLE as error:
            raise self._dead(error) from error

    def _dead(self, error: BaseException) -> LinkError:
        return LinkError(Fault.LINK_LOST, f"port {self._port} was lost: {error}")

    def discard_input(self) -> None:
        """Throw away what came before we listened. Reading also collects what the kernel still holds back."""
        for _ in range(DRAIN_READS):
            if not self.read():
                return

    def close(self) -> None:
        """Close at once. Unsent bytes are dropped first, or the kernel would wait for them up to 30 s."""
        if self._fd is None:
            return
        with contextlib.suppress(*_TROUBLE):  # a device that is gone took its bytes with it
            termios.tcflush(self._fd, termios.TCOFLUSH)
        self._fd = None
        with contextlib.suppress(*_TROUBLE):
            self._device.close()


# --------------------------------------------------------------------------------------
# A port that comes back.


@dataclass(frozen=True, slots=True)
class PortOpened:
    text: str


@dataclass(frozen=True, slots=True)
class PortTrouble:
    """Said once until the port opens or the kind of trouble changes. ``fault`` as in LinkError."""

    fault: Fault
    text: str


PortHappening = PortOpened | PortTrouble


class Port:
    """A serial port by its stable name: opened when possible, closed at once when it fails.

    ``tick`` opens and reports; ``read`` and ``write`` never raise. After a failed ``read`` or
    ``write`` the port is closed, ``wake_at`` is due and the next ``tick`` tells why.
    """

    def __init__(
        self,
        settings: SerialSettings,
        open_link: OpenLink,
        *,
        first_wait_ms: int = 250,
        longest_wait_ms: int = 5000,
    ) -> None:
        self.settings = settings
        self._open_link = open_link
        self._first_wait_ms = first_wait_ms
        self._longest_wait_ms = longest_wait_ms
        self._link: Link | None = None
        self.is_open = False
        self._wait_ms = first_wait_ms
        self._next_try_ms = 0
        self._now_ms = 0
        self._failed: LinkError | None = None  # not yet told
        self._raised: Fault | None = None  # the trouble that was told last and has not ended
        self._closed = False

    @property
    def pending(self) -> int:
        return 0 if self._link is None else self._link.pending

    @property
    def unsent(self) -> int:
        return 0 if self._link is None else self._link.unsent

    @property
    def wake_at(self) -> int | None:
        """When ``tick`` or ``read`` has something to do without input."""
        if self._closed:
            return None
        if self._failed is not None:
            return self._now_ms + 1
        if self._link is None:
            return self._next_try_ms
        return self._now_ms + PENDING_WAIT_MS if self._link.pending else None

    def fileno(self) -> int | None:
        return None if self._link is None else self._link.fileno()

    def tick(self, now_ms: int) -> tuple[PortHappening, ...]:
        """Open the port when it is time; say what has happened since the last call."""
        self._now_ms = now_ms
        if self._link is not None or self._closed:
            return ()
        if self._failed is not None:
            error, self._failed = self._failed, None
            self._wait_ms = self._first_wait_ms
            self._next_try_ms = now_ms + self._wait_ms
            return self._tell(error)
        if now_ms < self._next_try_ms:
            return ()
        try:
            self._link = self._open_link(self.settings)
        except LinkError as error:
            self._next_try_ms = now_ms + self._wait_ms
            self._wait_ms = min(self._wait_ms * 2, self._longest_wait_ms)
            return self._tell(error)
        self.is_open = True
        self._wait_ms = self._first_wait_ms
        self._raised = None
        return (PortOpened(f"port {self.settings.port} is open"),)

    def _tell(self, error: LinkError) -> tuple[PortHappening, ...]:
        if error.fault is self._raised:
            return ()
        self._raised = error.fault
        return (PortTrouble(error.fault, error.text),)

    def read(self) -> bytes:
        """What has come; ``b""`` if nothing or if the port is (now) closed."""
        if self._link is None:
            return b""
        try:
            return self._link.read()
        except LinkError as error:
            self._fail(error)
            return b""

    def write(self, data: bytes) -> bool:
        """False if the port is (now) closed: the bytes are gone."""
        if self._link is None:
            return False
        try:
            self._link.write(data)
        except LinkError as error:
            self._fail(error)
            return False
        return True

    def reopen(self, text: str) -> None:
        """Close and try again: for adapters that stay open and silent after a replug."""
        if self._link is not None:
            self._fail(LinkError(Fault.LINK_LOST, text))

    def _fail(self, error: LinkError) -> None:
        assert self._link is not None
        self._link.close()
        self._link = None
        self.is_open = False
        self._failed = error

    def close(self) -> None:
        """For good: ``tick`` does not open it again."""
        self._closed = True
        if self._link is not None:
            self._link.close()
            self._link = None
            self.is_open = False
