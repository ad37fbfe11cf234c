"""The second copy: the running totals and the head of the journal, on another medium.

The record is small (at most one slot) and says only what the journal should amount to. It is
written after each COMMIT, so it is equal to the journal or one transaction behind it; anything
else means that one of the two lost money, and a person decides.

A medium is a row of bytes that can be written in place: a file on another disk, a memory on a bus.
It holds two slots, written in turn, so a write cut short anywhere leaves the other slot.
Slot, big-endian, ``SLOT_BYTES`` long:

    magic "CHSC", version u16, length u16, payload (length bytes), zeros ..., sequence u64, CRC-32 u32

The payload goes first, sequence and CRC last. The CRC is over everything before it. The sequence
counts writes, not rows: after a person has accepted a shorter journal the copy must be able to
follow it. Payload: row number u64, chain digest (32 bytes), totals.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from cabinet.store.chain import Head
from cabinet.store.files import sync_directory

SLOT_BYTES = 512
MEDIUM_BYTES = 2 * SLOT_BYTES
_MAGIC = b"CHSC"
_VERSION = 1
_FRONT = struct.Struct(">4sHH")
_HEAD = struct.Struct(">Q32s")
_SEQUENCE = struct.Struct(">Q")
_CRC = struct.Struct(">I")
_BACK_BYTES = _SEQUENCE.size + _CRC.size
TOTALS_LIMIT = SLOT_BYTES - _FRONT.size - _HEAD.size - _BACK_BYTES  # bytes


class SecondCopyError(Exception):
    """The medium did not take or give the record; ``str`` says why."""


@dataclass(frozen=True, slots=True)
class CopyRecord:
    head: Head
    totals: bytes


class SecondCopy(Protocol):
    def write(self, head: Head, totals: bytes) -> None:
        """Keeps ``totals`` (at most TOTALS_LIMIT bytes) for ``head``. SecondCopyError if it could not."""

    def read(self) -> CopyRecord | None:
        """The newest whole record, None if there is none. SecondCopyError if the medium is out of reach."""


class Medium(Protocol):
    """MEDIUM_BYTES bytes that keep without power. Both calls raise OSError."""

    def load(self) -> bytes: ...

    def store(self, offset: int, data: bytes) -> None:
        """Returns when ``data`` is on the medium. Cut short, a beginning of it may be there."""


class Verdict(StrEnum):
    """How the copy compares with the journal at start."""

    EQUAL = "equal"
    BEHIND = "behind"  # by the one transaction that a power cut can cost: take the journal
    STALE = "stale"  # right but older: the copy has not been written for a while; take the journal
    MISSING = "missing"  # no whole record, though the journal has rows: a new or a dead medium
    AHEAD = "ahead"  # the journal lost rows: lock, a person decides
    DIFFERS = "differs"  # same row, another chain: lock, a person decides


def judge(
    record: CopyRecord | None,
    head: Head,
    previous_seq: int,
    digest_at: Callable[[int], str | None],
) -> Verdict:
    """Compares. ``previous_seq`` is the head's number before the last transaction, ``digest_at`` the
    journal's digest of a row (None if it is not there)."""
    if record is None:
        return Verdict.EQUAL if head.seq == 0 else Verdict.MISSING
    if record.head.seq > head.seq:
        return Verdict.AHEAD
    if record.head.digest != digest_at(record.head.seq):
        return Verdict.DIFFERS
    if record.head.seq == head.seq:
        return Verdict.EQUAL
    return Verdict.BEHIND if record.head.seq == previous_seq else Verdict.STALE


def encode_slot(sequence: int, record: CopyRecord) -> tuple[bytes, bytes]:
    """The two parts of a slot in the order in which they are written: front, then sequence and CRC."""
    if len(record.totals) > TOTALS_LIMIT:
        raise ValueError(f"totals of {len(record.totals)} bytes, a slot takes {TOTALS_LIMIT}")
    payload = _HEAD.pack(record.head.seq, bytes.fromhex(record.head.digest)) + record.totals
    front = (_FRONT.pack(_MAGIC, _VERSION, len(payload)) + payload).ljust(SLOT_BYTES - _BACK_BYTES, b"\0")
    numbered = _SEQUENCE.pack(sequence)
    return front, numbered + _CRC.pack(zlib.crc32(front + numbered))


def decode_slot(slot: bytes) -> tuple[int, CopyRecord] | None:
    """Sequence and record of a whole slot, None for anything else."""
    body, (crc,) = slot[: -_CRC.size], _CRC.unpack(slot[-_CRC.size :])
    magic, version, length = _FRONT.unpack_from(slot)
    if magic != _MAGIC or version != _VERSION or zlib.crc32(body) != crc:
        return None
    if not _HEAD.size <= length <= _HEAD.size + TOTALS_LIMIT:
        return None
    payload = slot[_FRONT.size : _FRONT.size + length]
    seq, digest = _HEAD.unpack_from(payload)
    (sequence,) = _SEQUENCE.unpack_from(slot, SLOT_BYTES - _BACK_BYTES)
    return sequence, CopyRecord(Head(seq, digest.hex()), payload[_HEAD.size :])


class SlottedCopy:
    """A SecondCopy on any medium."""

    def __init__(self, medium: Medium) -> None:
        self._medium = medium
        self._next: tuple[int, int] | None = None  # slot and sequence of the next write, None: look first

    def write(self, head: Head, totals: bytes) -> None:
        if self._next is None:
            self.read()
        assert self._next is not None
        slot, sequence = self._next
        front, back = encode_slot(sequence, CopyRecord(head, totals))
        self._next = None  # a write that fails leaves a slot of which we know nothing
        try:
            self._medium.store(slot * SLOT_BYTES, front)
            self._medium.store(slot * SLOT_BYTES + len(front), back)
        except OSError as error:
            raise SecondCopyError(f"the second copy can not be written: {error}") from error
        self._next = (1 - slot, sequence + 1)

    def read(self) -> CopyRecord | None:
        try:
            content = self._medium.load()
        except OSError as error:
            raise SecondCopyError(f"the second copy can not be read: {error}") from error
        slots = (decode_slot(content[:SLOT_BYTES]), decode_slot(content[SLOT_BYTES:MEDIUM_BYTES]))
        whole = [(slot[0], number, slot[1]) for number, slot in enumerate(slots) if slot is not None]
        if not whole:
            self._next = (0, 1)
            return None
        sequence, number, record = max(whole, key=lambda found: found[0])
        self._next = (1 - number, sequence + 1)
        return record


class FileMedium:
    """A file of MEDIUM_BYTES bytes, made full of zeros, written through to the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> bytes:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            content = b""
        return content[:MEDIUM_BYTES].ljust(MEDIUM_BYTES, b"\0")

    def store(self, offset: int, data: bytes) -> None:
        fresh = not self._path.exists()
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if os.pwrite(fd, data, offset) != len(data):
                raise OSError(f"{self._path} took only a part of the record")
            os.fsync(fd)
        finally:
            os.close(fd)
        if fresh:
            sync_directory(self._path.parent)


class FileSecondCopy(SlottedCopy):
    """The second copy in a file: for the lab, and for cabinets with a second card."""

    def __init__(self, path: Path) -> None:
        super().__init__(FileMedium(path))
