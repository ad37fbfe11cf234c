"""A memory on an I2C bus, by way of ``python-periphery``. With drivers/gpio.py its only importer.

For FRAM with two address bytes: MB85RC64 to MB85RC512, FM24W256, FM24V02A and the like. They take
bytes without a delay and keep them for decades without power. An EEPROM of the same pinout wraps
round inside a page of 32 or 64 bytes and is busy for milliseconds after each write; a 24C02 takes
one address byte. Neither is served, and what they make of a record is found when it is read back.

Facts that shape this file (python-periphery 2.4, Linux i2c-dev):

* One call of ``transfer`` is one transaction of the bus: write and read are joined by a repeated start.
  SMBus calls send one address byte only and cannot reach 32 KB.
* The expanders of the panel sit on the same bus, and the loop waits while we hold it. So long records go
  in pieces of ``PIECE_BYTES``: 1.5 ms at 400 kHz.
* A chip that does not acknowledge is EREMOTEIO (or ENXIO) at once; a bus that somebody holds low is
  ETIMEDOUT after a second. An acknowledge says that a byte was heard, not that it was kept: a chip whose
  WP pin is high acknowledges everything and keeps nothing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Protocol

import periphery

PIECE_BYTES = 64
TRIES = 2  # a spike on the wire costs one; to write the same bytes twice changes nothing
ADDRESS_BYTES = 2
REACH_BYTES = 1 << 16  # what two address bytes reach

_REMEDIES = {
    errno.ENOENT: "there is no such bus: check dtparam=i2c_arm=on in config.txt",
    errno.EACCES: "it may not be opened: put the program's user into group i2c",
    errno.EPERM: "it may not be opened: put the program's user into group i2c",
    errno.EREMOTEIO: "no answer: check the chip's supply, its wires and its address pins",
    errno.ENXIO: "no answer: check the chip's supply, its wires and its address pins",
    errno.ETIMEDOUT: "the bus hangs: something holds SDA or SCL low",
    errno.EBUSY: "a driver of the kernel has this address: take the chip's overlay out of config.txt",
}


class Bus(Protocol):
    """One I2C bus. Both calls raise OSError."""

    def write(self, address: int, data: bytes) -> None: ...

    def read(self, address: int, sent: bytes, count: int) -> bytes:
        """Writes ``sent``, then reads ``count`` bytes without letting go of the bus."""
        ...

    def close(self) -> None: ...


OpenBus = Callable[[int], Bus]


class KernelBus:
    """/dev/i2c-NUMBER."""

    def __init__(self, number: int) -> None:
        self._i2c = periphery.I2C(f"/dev/i2c-{number}")

    def write(self, address: int, data: bytes) -> None:
        self._i2c.transfer(address, [periphery.I2C.Message(data)])

    def read(self, address: int, sent: bytes, count: int) -> bytes:
        answer = periphery.I2C.Message(bytes(count), read=True)
        self._i2c.transfer(address, [periphery.I2C.Message(sent), answer])
        return bytes(answer.data)

    def close(self) -> None:
        self._i2c.close()


def open_bus(number: int) -> Bus:
    """A bus of the field program. OSError."""
    return KernelBus(number)


class I2cMemory:
    """The bytes of one chip. It opens the bus when it is first used, and again after any error."""

    def __init__(self, number: int, address: int, opened: OpenBus = open_bus) -> None:
        self._number = number
        self._address = address
        self._open = opened
        self._bus: Bus | None = None

    def __str__(self) -> str:
        return f"/dev/i2c-{self._number} at 0x{self._address:02x}"

    def load(self, offset: int, count: int) -> bytes:
        """``count`` bytes from ``offset`` on. OSError that says what to do."""
        return b"".join(self._read(at, size) for at, size in _pieces(offset, count))

    def store(self, offset: int, data: bytes) -> None:
        """Returns when the chip has acknowledged every byte, in order. OSError that says what to do."""
        for at, size in _pieces(offset, len(data)):
            self._write(at, data[at - offset : at - offset + size])

    def close(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            try:
                bus.close()
            except OSError:
                return  # it is gone; there is nothing left to close

    def _read(self, at: int, size: int) -> bytes:
        for tries_left in reversed(range(TRIES)):
            try:
                return self._opened().read(self._address, _place(at), size)
            except OSError as error:
                self._given_up(error, tries_left)
        raise AssertionError("the last try returns or raises")

    def _write(self, at: int, data: bytes) -> None:
        for tries_left in reversed(range(TRIES)):
            try:
                self._opened().write(self._address, _place(at) + data)
                return
            except OSError as error:
                self._given_up(error, tries_left)

    def _opened(self) -> Bus:
        if self._bus is None:
            self._bus = self._open(self._number)
        return self._bus

    def _given_up(self, error: OSError, tries_left: int) -> None:
        """Closes the bus; without a further try raises the error with the remedy in it."""
        self.close()
        number = error.errno or errno.EIO  # the library has errors of its own without a number
        if not tries_left or number == errno.ETIMEDOUT:  # a bus that hangs has cost a second already
            why = _REMEDIES.get(number) or (os.strerror(number) if error.errno else str(error))
            raise OSError(number, f"{self}: {why}") from None


def _pieces(offset: int, count: int) -> list[tuple[int, int]]:
    end = offset + count
    if not 0 <= offset <= end <= REACH_BYTES:
        raise ValueError(f"{count} bytes from {offset} on are not in {REACH_BYTES}")
    return [(at, min(PIECE_BYTES, end - at)) for at in range(offset, end, PIECE_BYTES)]


def _place(offset: int) -> bytes:
    return offset.to_bytes(ADDRESS_BYTES, "big")
