"""The wire between a driver and a simulated machine.

``FarEnd`` stands for everything between the driver's descriptor and the machine: both UARTs, the
cable, and what can go wrong with them. It paces both directions at the baud rate in microseconds.
A UART hands bytes over when its FIFO is full or the line falls silent, so bytes travel in chunks
of at most 16 and arrive with the last bit of the chunk.

Two transports carry the bytes between the driver and the far end (``drivers.sim.wire.transport``). Both give
the driver the same bytes at the same millisecond, if their user keeps to one order within an instant:
``far_end.tick(now)``, then the driver's ``tick(now)``, then ``far_end.tick(now)`` again to take up
what the driver wrote.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from drivers.link import OpenLink
from drivers.sim.wire.transport import XOFF, XON, MemoryTransport, PtyTransport, Transport, patch_bay

__all__ = [
    "CHUNK_BYTES",
    "FarEnd",
    "Machine",
    "MemoryTransport",
    "PtyTransport",
    "Transport",
    "memory_wire",
    "patch_bay",
    "pty_wire",
]

CHUNK_BYTES = 16  # FIFO of a PL011 or 16550
NEVER = 1 << 62  # a due time that does not come: numbers compare quicker than None


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


@dataclass(slots=True)
class _Lane:
    """One direction of the line. The line itself counts microseconds of session time."""

    waiting: bytes = b""  # not yet begun
    chunk: bytes = b""  # being sent
    due_ms: int = NEVER  # the first millisecond at which the last bit of ``chunk`` has arrived
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
        self.news = False  # the host's end has something to find out; whoever ticks the driver resets it
        self._baud = baud
        self._bits_us = bits * 1_000_000
        self._xonxoff = xonxoff
        self._random = random.Random(seed)
        self._to_machine = _Lane()
        self._to_host = _Lane()
        self._stopped = False  # the host's UART obeys an XOFF
        self._armed: list[str] = []  # one-time faults, oldest first; bounded by their number in a scenario
        self._held = b""  # by ``glued``
        self._later: list[tuple[int, bytes]] = []  # (due_ms, bytes) by ``delayed`` and ``split``
        self._mode = ""  # "", "silent" or "echo"
        self._now_ms = 0

    # ---- time

    @property
    def wake_at(self) -> int | None:
        """The next millisecond at which a chunk arrives or the machine moves."""
        due_ms = self._due_ms(self.machine.wake_at)
        return None if due_ms == NEVER else due_ms

    def _due_ms(self, machine_at: int | None) -> int:
        """When the next chunk, late answer or move of the machine is due; or NEVER."""
        due_ms = self._to_host.due_ms
        if machine_at is not None and machine_at < due_ms:
            due_ms = machine_at
        if self._to_machine.due_ms < due_ms:
            due_ms = self._to_machine.due_ms
        if self._later:
            due_ms = min(due_ms, *(later_ms for later_ms, _ in self._later))
        return due_ms

    def tick(self, now_ms: int) -> int | None:
        """Take up what the host wrote, then let everything happen that is due, in its order. Gives
        ``wake_at``."""
        if self._stopped and not self.transport.host_obeys_xonxoff():
            self._stopped = False  # the port was closed: what the kernel held back is gone with it
            self._to_machine.waiting = b""
        if data := self.transport.take():
            self._from_host(data, now_ms)
        machine = self.machine
        machine_at = machine.wake_at
        due_ms = self._due_ms(machine_at)
        while due_ms <= now_ms:
            # A machine whose wake_at has passed moves now; nothing happens before what has happened.
            at = self._now_ms = max(self._now_ms, due_ms)
            self._step(at, moves=machine_at is not None and machine_at <= at)
            machine_at = machine.wake_at
            due_ms = self._due_ms(machine_at)
            if machine_at is not None and machine_at <= at:
                break  # it asks for the same instant again: next tick
        if now_ms > self._now_ms:
            self._now_ms = now_ms
        return None if due_ms == NEVER else due_ms

    def take_up(self, now_ms: int) -> bool:
        """Only take up what the host has written. False if there is nothing: then nothing has changed."""
        data = self.transport.take()
        if data:
            self._from_host(data, now_ms)
        return bool(data)

    def fileno(self) -> int | None:
        return self.transport.fileno()

    def _step(self, at_ms: int, *, moves: bool) -> None:
        """Everything that is due at `at_ms`; `moves`: the machine too, whether or not it hears something."""
        if self._to_machine.due_ms <= at_ms:
            moves = True
            data = self._arrived(self._to_machine, stopped=self._stopped)
            if self._mode == "":
                self.machine.receive(data, at_ms)
            elif self._mode == "echo":
                self._queue(self._to_host, data, at_ms)
        if moves and (out := self.machine.tick(at_ms)):
            self._from_machine(out, at_ms)
        if self._later:
            for item in [item for item in self._later if item[0] <= at_ms]:
                self._later.remove(item)
                self._queue(self._to_host, item[1], at_ms)
        if self._to_host.due_ms <= at_ms:
            self._deliver(self._arrived(self._to_host), at_ms)

    # ---- the two lanes

    def _queue(self, lane: _Lane, data: bytes, at_ms: int) -> None:
        lane.waiting += data
        if not lane.chunk and not (lane is self._to_machine and self._stopped):
            self._begin(lane, at_ms * 1000)

    def _begin(self, lane: _Lane, from_us: int) -> None:
        """Send the next chunk; ``from_us`` is now, or the end of the chunk before in one long burst."""
        waiting = lane.waiting
        if not waiting:
            return
        lane.chunk, lane.waiting = waiting[:CHUNK_BYTES], waiting[CHUNK_BYTES:]
        start_us = max(lane.free_us, from_us)
        lane.free_us = start_us + -(-len(lane.chunk) * self._bits_us // self._baud)
        lane.due_ms = -(-lane.free_us // 1000)

    def _arrived(self, lane: _Lane, *, stopped: bool = False) -> bytes:
        """Take the chunk off the line, which goes on with the next one unless it is ``stopped``."""
        data, lane.chunk, lane.due_ms = lane.chunk, b"", NEVER
        if lane.waiting and not stopped:
            self._begin(lane, lane.free_us)
        return data

    def _deliver(self, data: bytes, at_ms: int) -> None:
        if self._xonxoff and (XON in data or XOFF in data) and self.transport.host_obeys_xonxoff():
            self._stopped = max(data.rfind(XON), data.rfind(XOFF)) == data.rfind(XOFF)
            if not self._stopped and not self._to_machine.chunk:
                self._begin(self._to_machine, at_ms * 1000)
        self.news = True
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
            case _ if fault in self.WIRE_FAULTS:
                self._armed.append(fault)
            case _:
                raise KeyError(fault)

    def unplug(self, now_ms: int) -> None:
        """Pull the cable: bytes on the line are lost, the machine lives on."""
        self.plugged = False
        self.news = True
        self.drop_in_flight()
        self.transport.unplug()

    def replug(self, now_ms: int) -> None:
        self.plugged = True
        self.transport.replug()

    def drop_in_flight(self) -> None:
        """Lose all bytes that are on the line (a power cut of either side)."""
        self.transport.take()
        self._to_machine = _Lane()
        self._to_host = _Lane()
        self._stopped = False
        self._held = b""
        self._later.clear()

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
