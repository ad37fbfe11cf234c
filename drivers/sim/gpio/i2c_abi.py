"""The kernel's I2C calls as packets of the GPIO server: what a bus can do, and transfers.

A transfer is its messages one behind the other, each a head (address, flags, length) and its bytes; the
bytes of a message that reads are filled in by the answer. Numbers: Linux, include/uapi/linux/i2c.h
and i2c-dev.h.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from drivers.sim.gpio.fram import I2cBus, I2cMessage

I2C_FUNCS = 0x0705
I2C_RDWR = 0x0707
FUNC_I2C = 0x1
READS = 0x1  # I2C_M_RD
MESSAGES_MOST = 42  # the kernel's own bound of one transfer

_FUNCTIONS = struct.Struct("@L")
_HEAD = struct.Struct("=HHH")


@dataclass(frozen=True, slots=True)
class I2cPart:
    """One message as it stands in a packet. ``data``: the bytes that are sent, or the room for an answer."""

    address: int
    reads: bool
    data: bytes

    def encode(self) -> bytes:
        return _HEAD.pack(self.address, READS if self.reads else 0, len(self.data)) + self.data


def parts(body: bytes) -> Iterator[I2cPart]:
    """ValueError or struct.error for anything that is not whole messages."""
    at = 0
    while at < len(body):
        address, flags, length = _HEAD.unpack_from(body, at)
        at += _HEAD.size
        if flags & ~READS or at + length > len(body):
            raise ValueError("flags or a length that no transfer of ours has")
        yield I2cPart(address, bool(flags & READS), body[at : at + length])
        at += length


def answer(request: int, body: bytes, bus: I2cBus) -> bytes:
    """The caller's struct filled in. OSError as from the system call."""
    if request == I2C_FUNCS:
        return _FUNCTIONS.pack(FUNC_I2C)
    if request != I2C_RDWR:
        raise OSError(errno.ENOTTY, "no such call on a bus")
    asked = list(parts(body))
    if not 1 <= len(asked) <= MESSAGES_MOST or len({part.address for part in asked}) != 1:
        raise OSError(errno.EINVAL, "a transfer has 1 to 42 messages; here all go to one chip")
    wanted = [I2cMessage(count=len(part.data)) if part.reads else I2cMessage(part.data) for part in asked]
    given = iter(bus.transfer(asked[0].address, wanted))
    filled = [I2cPart(part.address, True, next(given)) if part.reads else part for part in asked]
    return b"".join(part.encode() for part in filled)
