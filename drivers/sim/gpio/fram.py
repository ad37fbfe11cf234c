"""An FRAM on a simulated I2C bus: 32 KB that take every byte at once, until power goes.

The bus is at the level of the kernel's transfers: what a master sends after the chip's address, byte for
byte. In one process it is a ``drivers.i2c.Bus``; for a program of its own ``GpioServer`` carries it.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass, field

FRAM_BYTES = 1 << 15
FAULTS = ("missing", "hang", "write_protected", "one_byte_address", "page_wrap")
PAGE_BYTES = 64  # of an EEPROM that was fitted in its place


@dataclass(frozen=True, slots=True)
class I2cMessage:
    """One message of a transfer: ``data`` is sent, or ``count`` bytes are wanted."""

    data: bytes = b""
    count: int = 0


@dataclass(slots=True)
class FramChip:
    """One chip. ``fault`` is one of FAULTS or ""; ``left`` how many more bytes it keeps before power goes."""

    content: bytearray = field(default_factory=lambda: bytearray(FRAM_BYTES))
    fault: str = ""
    left: int | None = None
    spikes: int = 0  # so many transfers more are not acknowledged
    pointer: int = 0
    written: int = 0  # bytes that it has kept so far

    def transfer(self, messages: Sequence[I2cMessage]) -> list[bytes]:
        """The bytes of every message that wanted some. OSError as the kernel tells it."""
        if self.fault == "hang":
            raise OSError(errno.ETIMEDOUT, "Connection timed out")
        if self.spikes > 0:
            self.spikes -= 1
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        answers = []
        for message in messages:
            if self.fault == "missing" or self.left == 0:
                raise OSError(errno.EREMOTEIO, "Remote I/O error")
            if message.count:
                answers.append(self._give(message.count))
            else:
                self._take(message.data)
        return answers

    def _give(self, count: int) -> bytes:
        size = len(self.content)
        given = bytes(self.content[(self.pointer + place) % size] for place in range(count))
        self.pointer = (self.pointer + count) % size
        return given

    def _take(self, data: bytes) -> None:
        address_bytes = 1 if self.fault == "one_byte_address" else 2
        self.pointer = int.from_bytes(data[:address_bytes], "big") % len(self.content)
        body = data[address_bytes:]
        if not self.fault and self.left is None and self.pointer + len(body) < len(self.content):
            self.content[self.pointer : self.pointer + len(body)] = body  # as below, in one go
            self.written += len(body)
            self.pointer += len(body)
            return
        for byte in body:
            if self.left is not None:
                if self.left == 0:
                    raise OSError(errno.EREMOTEIO, "Remote I/O error")
                self.left -= 1
            self._keep(byte)

    def _keep(self, byte: int) -> None:
        if self.fault != "write_protected":
            self.content[self.pointer] = byte
            self.written += 1
        if self.fault == "page_wrap" and self.pointer % PAGE_BYTES == PAGE_BYTES - 1:
            self.pointer -= PAGE_BYTES
        self.pointer = (self.pointer + 1) % len(self.content)


class I2cBus:
    """A bus with chips at their addresses; also a ``drivers.i2c.Bus`` for the same process."""

    def __init__(self, chips: dict[int, FramChip]) -> None:
        self.chips = chips

    def transfer(self, address: int, messages: Sequence[I2cMessage]) -> list[bytes]:
        if address not in self.chips:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        return self.chips[address].transfer(messages)

    def write(self, address: int, data: bytes) -> None:
        self.transfer(address, [I2cMessage(data)])

    def read(self, address: int, sent: bytes, count: int) -> bytes:
        return self.transfer(address, [I2cMessage(sent), I2cMessage(count=count)])[0]

    def close(self) -> None:
        """The wires stay."""
