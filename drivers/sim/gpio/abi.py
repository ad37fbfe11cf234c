"""The packets between a program and the GPIO server, and the kernel structs inside them.

A packet is a header and a body. The forwarder (ioctlfwd.c) sends one for each system call on a GPIO
chip, with the caller's struct as the body, and gets it back filled in; a descriptor may come along.
Struct layouts and numbers: Linux, include/uapi/linux/gpio.h, version 2 of the line interface.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag


class Operation(IntEnum):
    OPEN = 1  # body: path; answer: a handle and a descriptor
    IOCTL = 2
    CLOSE = 3
    READLINK = 4  # body: path; answer: where it points


class Ioctl(IntEnum):
    """The ioctl numbers."""

    GET_CHIPINFO = 0x8044B401
    GET_LINEINFO = 0xC100B405
    GET_LINE = 0xC250B407
    SET_CONFIG = 0xC110B40D
    GET_VALUES = 0xC010B40E
    SET_VALUES = 0xC010B40F


class LineFlag(IntFlag):
    USED = 0x1
    ACTIVE_LOW = 0x2
    INPUT = 0x4
    OUTPUT = 0x8
    EDGE_RISING = 0x10
    EDGE_FALLING = 0x20
    PULL_UP = 0x100
    PULL_DOWN = 0x200


class Attribute(IntEnum):
    FLAGS = 1
    OUTPUT_VALUES = 2


PACKET_MOST = 4096  # the largest body is a line request of 592 bytes
LINES_MOST = 64
ATTRIBUTES_MOST = 10
RISING, FALLING = 1, 2

_HEADER = struct.Struct("=IIQIii4x")
CHIP_INFO = struct.Struct("=32s32sI")
LINE_INFO = struct.Struct("=32s32sIIQ176x")
VALUES = struct.Struct("=QQ")  # bits, mask
EVENT = struct.Struct("=QIIII24x")  # time stamp, edge, offset, number, number on the line
_OFFSETS = struct.Struct("=64I")
_CONFIG = struct.Struct("=QI20x")
_ATTRIBUTE = struct.Struct("=I4xQQ")
_CONFIG_AT = 288
_COUNT_AT = 560
LINE_REQUEST_BYTES = 592


@dataclass(frozen=True, slots=True)
class Packet:
    """`result` is what the system call returns; -1 comes with the error number in `error`."""

    operation: int
    handle: int = 0
    request: int = 0
    body: bytes = b""
    result: int = 0
    error: int = 0

    def encode(self) -> bytes:
        return (
            _HEADER.pack(self.operation, self.handle, self.request, len(self.body), self.result, self.error)
            + self.body
        )


def decode(data: bytes) -> Packet:
    """ValueError for anything that is not one whole packet."""
    if len(data) < _HEADER.size:
        raise ValueError("a packet without a header")
    operation, handle, request, length, result, error = _HEADER.unpack_from(data)
    body = data[_HEADER.size :]
    if len(body) != length:
        raise ValueError(f"a packet of {len(body)} bytes that says {length}")
    return Packet(operation, handle, request, body, result, error)


@dataclass(frozen=True, slots=True)
class LineRequest:
    """struct gpio_v2_line_request: `flags` and `values` have one entry per offset."""

    offsets: tuple[int, ...]
    consumer: str
    flags: tuple[LineFlag, ...]
    values: tuple[bool, ...]  # logical levels that outputs start with

    def encode(self) -> bytes:
        """With one set of flags, as a program that wants its lines alike asks for them."""
        count = len(self.offsets)
        bits = sum(value << place for place, value in enumerate(self.values))
        config = _CONFIG.pack(self.flags[0], 1)
        config += _ATTRIBUTE.pack(Attribute.OUTPUT_VALUES, bits, (1 << count) - 1)
        config += bytes(_ATTRIBUTE.size * (ATTRIBUTES_MOST - 1))
        offsets = _OFFSETS.pack(*self.offsets, *[0] * (LINES_MOST - count))
        consumer = self.consumer.encode("ascii")[:31].ljust(32, b"\0")
        return (offsets + consumer + config + struct.pack("=I", count)).ljust(LINE_REQUEST_BYTES, b"\0")


def decode_line_request(body: bytes) -> LineRequest:
    """ValueError if the struct is not one."""
    if len(body) != LINE_REQUEST_BYTES:
        raise ValueError("not a line request")
    (count,) = struct.unpack_from("=I", body, _COUNT_AT)
    if not 1 <= count <= LINES_MOST:
        raise ValueError(f"{count} lines in one request")
    flags, bits = decode_config(body[_CONFIG_AT:_COUNT_AT], count)
    values = tuple(bool(bits >> place & 1) for place in range(count))
    return LineRequest(_OFFSETS.unpack_from(body)[:count], text_of(body[256:288]), flags, values)


def decode_config(body: bytes, count: int) -> tuple[tuple[LineFlag, ...], int]:
    """struct gpio_v2_line_config -> the flags of each line, and the bits of output values."""
    common, attributes = _CONFIG.unpack_from(body)
    if attributes > ATTRIBUTES_MOST:
        raise ValueError(f"{attributes} attributes")
    flags, bits = [LineFlag(common)] * count, 0
    for place in range(attributes):
        kind, value, mask = _ATTRIBUTE.unpack_from(body, _CONFIG.size + place * _ATTRIBUTE.size)
        if kind == Attribute.FLAGS:
            flags = [LineFlag(value) if mask >> line & 1 else old for line, old in enumerate(flags)]
        elif kind == Attribute.OUTPUT_VALUES:
            bits |= value & mask
    return tuple(flags), bits


def text_of(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("ascii", "replace")
