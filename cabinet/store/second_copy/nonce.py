"""Which medium it is: a number that it was given when it first met a journal, kept twice behind the slots.

Block, big-endian, 64 bytes: magic "CHID", version u16, number (16 bytes), CRC-32 u32, zeros. The number is
drawn, so no two chips have the same, and it is written only to a chip that has none or at a memory clear.
"""

from __future__ import annotations

import struct
import zlib

from cabinet.store.second_copy.copy import READS, SLOT_BYTES, Medium, SecondCopyError

NONCE_BYTES = 16
_BLOCK_BYTES = 64
NONCE_PLACES = (2 * SLOT_BYTES, 2 * SLOT_BYTES + _BLOCK_BYTES)
_BLOCK = struct.Struct(f">4sH{NONCE_BYTES}s")
_CRC = struct.Struct(">I")
NONCE_MAGIC, _VERSION = b"CHID", 1


def encode(nonce: str) -> bytes:
    body = _BLOCK.pack(NONCE_MAGIC, _VERSION, bytes.fromhex(nonce))
    return (body + _CRC.pack(zlib.crc32(body))).ljust(_BLOCK_BYTES, b"\0")


def decode(block: bytes) -> str:
    """The number in hex; "" for anything that is not one whole block."""
    body = block[: _BLOCK.size]
    if _CRC.unpack_from(block, _BLOCK.size) != (zlib.crc32(body),):
        return ""
    magic, version, nonce = _BLOCK.unpack(body)
    return nonce.hex() if magic == NONCE_MAGIC and version == _VERSION else ""


class MediumTooSmall(SecondCopyError):  # noqa: N818 - what it is
    """What is written behind its end lands at its beginning: it is of no use."""


def read(medium: Medium) -> str:
    """The medium's number, "" if it has none. An answer without a number is asked for again: a spike on the
    bus looks like a blank chip. SecondCopyError; MediumTooSmall."""
    for _ in range(READS):
        first, second = _blocks(medium)
        if first or second:
            break
    return first or second


def mend(medium: Medium, nonce: str) -> None:
    """Writes a block again that does not hold the number: it has changed by itself, or a memory clear was cut
    off between the two. SecondCopyError."""
    for place, known in zip(NONCE_PLACES, _blocks(medium), strict=True):
        if known != nonce:
            _store(medium, place, nonce)


def write(medium: Medium, nonce: str) -> None:
    """Gives the medium its number and reads it back. SecondCopyError; MediumTooSmall."""
    for place in NONCE_PLACES:
        _store(medium, place, nonce)
    if _blocks(medium) != [nonce, nonce]:
        raise SecondCopyError("the second copy does not keep what is written")


def _blocks(medium: Medium) -> list[str]:
    try:
        # Sizes are powers of two: behind the end of a chip that is too small lies its beginning.
        begin, *found = (decode(medium.load(place, _BLOCK_BYTES)) for place in (0, *NONCE_PLACES))
    except OSError as error:
        raise SecondCopyError(f"the second copy can not be read: {error.strerror or error}") from error
    if begin:
        raise MediumTooSmall("the chip of the second copy is too small: fit one of 8 KB or more")
    return found


def _store(medium: Medium, place: int, nonce: str) -> None:
    try:
        medium.store(place, encode(nonce))
    except OSError as error:
        raise SecondCopyError(f"the second copy can not be written: {error.strerror or error}") from error
