"""How a simulated TCL printer cuts the bytes from its host into commands.

Two habits of real firmware, as far as they are known. The strict one takes what comes without a
pause for one message: a command whose parts are too far apart is dropped, and so is one with
anything before or behind it. The patient one waits for the closing ``^`` for ever, so that half a
command from a host that died is completed by whatever comes next.
"""

from __future__ import annotations

from typing import Protocol

from drivers.sim.wire.wire import CHUNK_BYTES

ENQ = 0x05
CARET = 0x5E


class Ear(Protocol):
    dropped: int  # bytes that were no command

    @property
    def due_ms(self) -> int | None:
        """When `commands` has more to say although no byte comes."""
        ...

    def receive(self, data: bytes, now_ms: int) -> None: ...
    def commands(self, now_ms: int) -> list[bytes]:
        """The texts between the carets, oldest first; an ENQ is itself."""
        ...

    def forget(self) -> None:
        """Power is gone."""
        ...


class StrictEar:
    """One message is what comes without a pause of `gap_ms`. Pauses are judged at the line's speed."""

    def __init__(self, gap_ms: int, baud: int, limit: int) -> None:
        self.dropped = 0
        self.overflow = False
        self._gap_ms = gap_ms
        self._byte_us = 10_000_000 // baud
        # Bytes arrive in chunks with the last bit of the chunk: only then is it known that one came.
        self._quiet_ms = gap_ms + 1 + CHUNK_BYTES * self._byte_us // 1000
        self._limit = limit
        self._buffer = bytearray()
        self._last_ms = 0
        self._ready: list[bytes] = []  # at most one message a gap; emptied by every look

    @property
    def due_ms(self) -> int | None:
        if self._ready:
            return self._last_ms
        return self._last_ms + self._quiet_ms if self._buffer else None

    def receive(self, data: bytes, now_ms: int) -> None:
        began_ms = now_ms - len(data) * self._byte_us // 1000
        if self._buffer and began_ms - self._last_ms > self._gap_ms:
            self._end()
        self._buffer += data
        self._last_ms = now_ms
        if len(self._buffer) > self._limit:
            self.overflow = True
            self.dropped += len(self._buffer)
            self._buffer.clear()

    def commands(self, now_ms: int) -> list[bytes]:
        if self._buffer and now_ms >= self._last_ms + self._quiet_ms:
            self._end()
        found, self._ready = self._ready, []
        return found

    def _end(self) -> None:
        message = bytes(self._buffer)
        self._buffer.clear()
        inner = message[1:-1]
        if message == bytes([ENQ]):
            self._ready.append(message)
        elif len(message) > 1 and message[0] == message[-1] == CARET and CARET not in inner:
            self._ready.append(inner)
        else:
            self.dropped += len(message)

    def forget(self) -> None:
        self._buffer.clear()
        self._ready.clear()


class PatientEar:
    """A command is what stands between two carets, whenever they come."""

    def __init__(self, limit: int) -> None:
        self.dropped = 0
        self.overflow = False
        self._limit = limit
        self._open: bytearray | None = None
        self._ready: list[bytes] = []
        self._last_ms = 0

    @property
    def due_ms(self) -> int | None:
        return self._last_ms if self._ready else None

    def receive(self, data: bytes, now_ms: int) -> None:
        self._last_ms = now_ms
        for byte in data:
            if self._open is None:
                self._outside(byte)
            elif byte == CARET:
                self._ready.append(bytes(self._open))
                self._open = None
            elif len(self._open) < self._limit:
                self._open.append(byte)
            else:
                self.overflow = True
                self.dropped += len(self._open)
                self._open = None

    def _outside(self, byte: int) -> None:
        if byte == CARET:
            self._open = bytearray()
        elif byte == ENQ:
            self._ready.append(bytes([ENQ]))
        else:
            self.dropped += 1

    def commands(self, now_ms: int) -> list[bytes]:
        found, self._ready = self._ready, []
        return found

    def forget(self) -> None:
        self._open = None
        self._ready.clear()
