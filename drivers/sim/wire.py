"""The wire between a driver and a simulated machine.

``FarEnd`` stands for everything between the driver's descriptor and the machine: both UARTs, the
cable, and what can go wrong with them. It paces both directions at the baud rate in microseconds.
A UART hands bytes over when its FIFO is full or the line falls silent, so bytes travel in chunks
of at most 16 and arrive with the last bit of the chunk.

Two transports carry the bytes between the driver and the far end: ``MemoryTransport`` for speed and
``PtyTransport`` for honesty (the shipped serial code opens it like any tty). Both give the driver
the same bytes at the same millisecond, if their user keeps to one order within an instant:
``far_end.tick(now)``, then the driver's ``tick(now)``, then ``far_end.tick(now)`` again to take up
what the driver wrote.
"""

from __future__ import annotations

import contextlib
import os
import random
import termios
import tty
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from drivers.device import Fault
from drivers.link import OUTGOING_LIMIT_BYTES, Link, LinkError, OpenLink, SerialSettings

CHUNK_BYTES = 16  # FIFO of a PL011 or 16550
BUFFER_LIMIT_BYTES = 4096  # input buffer of the kernel's line discipline; more is lost as on a real line
XON, XOFF = 0x11, 0x13


class Machine(Protocol):
    """A byte machine with physics: the far end of a wire."""

    FAULTS: Mapping[str, str]  # fault name -> one line of what it does

    @property
    def wake_at(self) -> int | None: ...
    def receive(self, data: bytes, now_ms: int) -> None:
        """Bytes that have fully arrived."""
        ...

    def tick(self, now_ms: int) -> bytes:
        """Advance the physics; the bytes to put on the line now."""
        ...

    def inject(self, fault: str, now_ms: int) -> None: ...
    def power_off(self, now_ms: int) -> None: ...
    def power_on(self, now_ms: int) -> None: ...


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
        self._written = bytearray()

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
        if not self._written:
            return b""
        data = bytes(self._written)
        self._written.clear()
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
        self._written.clear()
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
        self._in = bytearray()
        self._out = bytearray()
        self._stopped = False

    @property
    def pending(self) -> int:
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
        if not self._in:
            return b""
        data = bytes(self._in)
        self._in.clear()
        return data

    def write(self, data: bytes) -> None:
        if self.dead:
            raise LinkError(Fault.LINK_LOST, f"port {self.settings.port} was unplugged")
        if len(self._out) + len(data) > OUTGOING_LIMIT_BYTES:
            text = f"port {self.settings.port} takes no more bytes ({len(self._out)} are waiting)"
            raise LinkError(Fault.LINK_LOST, text)
        self._out += data
        if not self._stopped:
            self._pump()

    def _pump(self) -> None:
        self._transport.write(bytes(self._out))
        self._out.clear()

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
        from drivers.link import open_serial

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


# --------------------------------------------------------------------------------------
# The far end


@dataclass(slots=True)
class _Lane:
    """One direction of the line. Times in microseconds of session time."""

    waiting: bytearray  # not yet begun
    chunk: bytes = b""  # being sent
    done_us: int = 0  # when the last bit of ``chunk`` arrives
    free_us: int = 0  # when the line is free for the next chunk


class FarEnd:
    """Wire and machine together, as the lab and the tests drive them.

    ``bits`` is start + data + parity + stop bits (11 for 8E1 and 8N2, 10 for 8N1 and 7E1).
    """

    WIRE_FAULTS: Mapping[str, str] = {
        "lost": "the next answer of the machine does not arrive",
        "lost_request": "the next bytes from the host do not arrive",
        "garbled": "one bit of the next answer is turned over",
        "garbled_request": "one bit of the next bytes from the host is turned over",
        "delayed": "the next answer comes 400 ms late",
        "split": "the next answer comes in two halves, 60 ms apart",
        "glued": "the next answer is held back and comes together with the one after it",
        "noise": "rubbish bytes arrive at the host now",
        "silent": "nothing passes in either direction until mended",
        "echo": "the host hears its own bytes instead of the machine until mended",
        "mend": "ends silent and echo",
        "unplug": "the cable is pulled: the host's port disappears",
        "replug": "the cable is put back",
    }

    def __init__(
        self,
        machine: Machine,
        transport: Transport,
        *,
        baud: int,
        bits: int = 11,
        xonxoff: bool = False,
        seed: int = 0,
    ) -> None:
        self.machine = machine
        self.transport = transport
        self.plugged = True
        self._baud = baud
        self._bits_us = bits * 1_000_000
        self._xonxoff = xonxoff
        self._random = random.Random(seed)
        self._to_machine = _Lane(bytearray())
        self._to_host = _Lane(bytearray())
        self._stopped = False  # the host's UART obeys an XOFF
        self._armed: list[str] = []  # one-time faults, oldest first; bounded by their number in a scenario
        self._held = b""  # by ``glued``
        self._later: list[tuple[int, bytes]] = []  # (due_ms, bytes) by ``delayed`` and ``split``
        self._mode = ""  # "", "silent" or "echo"
        self._now_ms = 0
        self._line_at: int | None = None

    # ---- time

    @property
    def wake_at(self) -> int | None:
        """The next millisecond at which a chunk arrives or the machine moves."""
        machine_at, line_at = self.machine.wake_at, self._line_at
        if machine_at is None:
            return line_at
        return machine_at if line_at is None or machine_at < line_at else line_at

    def _note_due(self) -> None:
        """Bring ``_line_at`` up to date: when the next chunk or late answer is due."""
        due = [-(-lane.done_us // 1000) for lane in (self._to_machine, self._to_host) if lane.chunk]
        if self._later:
            due += [due_ms for due_ms, _ in self._later]
        self._line_at = min(due) if due else None

    def tick(self, now_ms: int) -> None:
        """Take up what the host wrote, then let everything happen that is due, in its order."""
        data = self.transport.take()
        if data:
            self._from_host(data, now_ms)
            self._note_due()
        while (due := self.wake_at) is not None and due <= now_ms:
            # A machine whose wake_at has passed moves now; nothing happens before what has happened.
            at = self._now_ms = max(self._now_ms, due)
            self._step(at)
            self._note_due()
            if (machine_at := self.machine.wake_at) is not None and machine_at <= at:
                break  # it asks for the same instant again: next tick
        self._now_ms = max(self._now_ms, now_ms)

    def fileno(self) -> int | None:
        return self.transport.fileno()

    def _step(self, at_ms: int) -> None:
        lane = self._to_machine
        if lane.chunk and lane.done_us <= at_ms * 1000:
            data, lane.chunk = lane.chunk, b""
            if self._mode == "":
                self.machine.receive(data, at_ms)
            elif self._mode == "echo":
                self._queue(self._to_host, data, at_ms)
            if not self._stopped:
                self._begin(lane, lane.free_us)
        out = self.machine.tick(at_ms)
        if out:
            self._from_machine(out, at_ms)
        if self._later:
            for item in [item for item in self._later if item[0] <= at_ms]:
                self._later.remove(item)
                self._queue(self._to_host, item[1], at_ms)
        lane = self._to_host
        if lane.chunk and lane.done_us <= at_ms * 1000:
            data, lane.chunk = lane.chunk, b""
            self._deliver(data, at_ms)
            self._begin(lane, lane.free_us)

    # ---- the two lanes

    def _queue(self, lane: _Lane, data: bytes, at_ms: int) -> None:
        lane.waiting += data
        if not lane.chunk and not (lane is self._to_machine and self._stopped):
            self._begin(lane, at_ms * 1000)

    def _begin(self, lane: _Lane, from_us: int) -> None:
        """Send the next chunk; ``from_us`` is now, or the end of the chunk before in one long burst."""
        if not lane.waiting:
            return
        lane.chunk = bytes(lane.waiting[:CHUNK_BYTES])
        del lane.waiting[:CHUNK_BYTES]
        start_us = max(lane.free_us, from_us)
        lane.done_us = lane.free_us = start_us + -(-len(lane.chunk) * self._bits_us // self._baud)

    def _deliver(self, data: bytes, at_ms: int) -> None:
        if self._xonxoff and (XON in data or XOFF in data) and self.transport.host_obeys_xonxoff():
            self._stopped = max(data.rfind(XON), data.rfind(XOFF)) == data.rfind(XOFF)
            if not self._stopped and not self._to_machine.chunk:
                self._begin(self._to_machine, at_ms * 1000)
        self.transport.deliver(data)

    def _from_host(self, data: bytes, at_ms: int) -> None:
        if self._armed and (fault := self._fire("lost_request", "garbled_request")):
            data = b"" if fault == "lost_request" else self._flip(data)
        if data and self.plugged and self._mode != "silent":
            self._queue(self._to_machine, data, at_ms)

    def _from_machine(self, data: bytes, at_ms: int) -> None:
        if not self.plugged or self._mode:
            return
        data, self._held = self._held + data, b""
        match self._fire("lost", "garbled", "delayed", "split", "glued") if self._armed else "":
            case "lost":
                return
            case "garbled":
                data = self._flip(data)
            case "delayed":
                self._later.append((at_ms + 400, data))
                return
            case "split":
                self._later.append((at_ms + 60, data[len(data) // 2 :]))
                data = data[: len(data) // 2]
            case "glued":
                self._held = data
                return
        self._queue(self._to_host, data, at_ms)

    def _flip(self, data: bytes) -> bytes:
        place = self._random.randrange(len(data))
        turned = data[place] ^ (1 << self._random.randrange(8))
        return data[:place] + bytes([turned]) + data[place + 1 :]

    def _fire(self, *names: str) -> str:
        """The oldest armed fault among ``names``, used up; "" if none."""
        for fault in self._armed:
            if fault in names:
                self._armed.remove(fault)
                return fault
        return ""

    # ---- what goes wrong

    def inject(self, fault: str, now_ms: int) -> None:
        """One of WIRE_FAULTS, or one of the machine's own FAULTS. KeyError for any other name."""
        if fault in self.machine.FAULTS:
            self.machine.inject(fault, now_ms)
            return
        match fault:
            case "unplug":
                self.unplug(now_ms)
            case "replug":
                self.replug(now_ms)
            case "silent" | "echo":
                self._mode = fault
            case "mend":
                self._mode = ""
            case "noise":
                rubbish = bytes(
                    self._random.choice((0x00, 0xFC, 0xFF, self._random.randrange(256)))
                    for _ in range(self._random.randint(1, 12))
                )
                self._queue(self._to_host, rubbish, now_ms)
                self._note_due()
            case _ if fault in self.WIRE_FAULTS:
                self._armed.append(fault)
            case _:
                raise KeyError(fault)

    def unplug(self, now_ms: int) -> None:
        """Pull the cable: bytes on the line are lost, the machine lives on."""
        self.plugged = False
        self.drop_in_flight()
        self.transport.unplug()

    def replug(self, now_ms: int) -> None:
        self.plugged = True
        self.transport.replug()

    def drop_in_flight(self) -> None:
        """Lose all bytes that are on the line (a power cut of either side)."""
        self.transport.take()
        self._to_machine = _Lane(bytearray())
        self._to_host = _Lane(bytearray())
        self._stopped = False
        self._held = b""
        self._later.clear()
        self._line_at = None

    def close(self) -> None:
        self.transport.close()


def memory_wire(
    machine: Machine, *, baud: int, bits: int = 11, xonxoff: bool = False, seed: int = 0
) -> tuple[OpenLink, FarEnd]:
    """A machine behind a wire in memory, and the opener that reaches it."""
    transport = MemoryTransport()
    far_end = FarEnd(machine, transport, baud=baud, bits=bits, xonxoff=xonxoff, seed=seed)
    return transport.open_link, far_end


def pty_wire(
    machine: Machine, path: str, *, baud: int, bits: int = 11, xonxoff: bool = False, seed: int = 0
) -> tuple[OpenLink, FarEnd]:
    """A machine behind a pty; ``path`` is the name under which the driver opens it."""
    transport = PtyTransport(path)
    far_end = FarEnd(machine, transport, baud=baud, bits=bits, xonxoff=xonxoff, seed=seed)
    return transport.open_link, far_end


def patch_bay(wires: Mapping[str, Callable[[SerialSettings], Link]]) -> OpenLink:
    """One opener for several wires, by port name."""

    def open_link(settings: SerialSettings) -> Link:
        wire = wires.get(settings.port)
        if wire is None:
            text = f"port {settings.port} does not exist: check the cable or the udev rule"
            raise LinkError(Fault.PORT_MISSING, text)
        return wire(settings)

    return open_link
