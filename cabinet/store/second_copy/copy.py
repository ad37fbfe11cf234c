"""The second copy: the running totals and the head of the journal, on another medium.

The record is small (at most one slot) and says only what the journal should amount to. It is
written after each COMMIT, so it is equal to the journal or one transaction behind it; anything
else means that one of the two lost money, and a person decides.

A medium is a row of bytes that can be written in place (`media`): a memory on a bus, or a
file on another disk. It begins with two slots, written in turn, so a write cut short anywhere leaves
the other slot. Slot, big-endian, ``SLOT_BYTES`` long:

    magic "CHSC", version u16, length u16, payload (length bytes) ..., sequence u64, CRC-32 u32

The payload goes first; sequence and CRC stand at the end of the slot and go last. What lies between is
never written, so a record costs the bus no more than it needs. The CRC is over everything else of
the record. The sequence counts writes, not rows: after a person has accepted a shorter journal the
copy must be able to follow it. Payload: row number u64, chain digest (32 bytes), totals.

Sequence and CRC are read back after each write (a chip that is write-protected acknowledges everything and
keeps nothing), the whole record after the first write of a session and whenever it is checked.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from cabinet.store.chain import Head

SLOT_BYTES = 2048
READS = 4  # of what makes no sense, before it is taken for what is there
MEDIUM_BYTES = 2 * SLOT_BYTES + 128  # the slots, then who the medium is (`identity`)
SLOT_MAGIC = b"CHSC"
_VERSION = 2
_FRONT = struct.Struct(">4sHH")
_HEAD = struct.Struct(">Q32s")
_SEQUENCE = struct.Struct(">Q")
_CRC = struct.Struct(">I")
_MOST_WRITES = 1 << 62  # no program has counted so far, and the next numbers must be ones, too
FRONT_BYTES = _FRONT.size
BACK_BYTES = _SEQUENCE.size + _CRC.size
TOTALS_LIMIT = SLOT_BYTES - _FRONT.size - _HEAD.size - BACK_BYTES  # bytes


class SecondCopyError(Exception):
    """The medium did not take, keep or give the record; ``str`` says why."""


class CopyMismatch(SecondCopyError):  # noqa: N818 - a state of the memory
    """It knows of money that the journal does not: it is not written, a person decides."""


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

    def load(self, offset: int, count: int) -> bytes: ...

    def store(self, offset: int, data: bytes) -> None:
        """Returns when ``data`` is on the medium. Cut short, a beginning of it may be there."""


class CopyVerdict(StrEnum):
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
) -> CopyVerdict:
    """Compares. ``previous_seq`` is the head's number before the last transaction, ``digest_at`` the
    journal's digest of a row (None if it is not there)."""
    if record is None:
        return CopyVerdict.EQUAL if head.seq == 0 else CopyVerdict.MISSING
    if record.head.seq > head.seq:
        return CopyVerdict.AHEAD
    if record.head.digest != digest_at(record.head.seq):
        return CopyVerdict.DIFFERS
    if record.head.seq == head.seq:
        return CopyVerdict.EQUAL
    return CopyVerdict.BEHIND if record.head.seq == previous_seq else CopyVerdict.STALE


def encode_slot(sequence: int, record: CopyRecord) -> tuple[bytes, bytes]:
    """The two parts of a slot in the order in which they are written: its beginning, then its end.
    SecondCopyError if the totals are too long."""
    if len(record.totals) > TOTALS_LIMIT:
        raise SecondCopyError(f"totals of {len(record.totals)} bytes, a slot takes {TOTALS_LIMIT}")
    payload = _HEAD.pack(record.head.seq, bytes.fromhex(record.head.digest)) + record.totals
    front = _FRONT.pack(SLOT_MAGIC, _VERSION, len(payload)) + payload
    numbered = _SEQUENCE.pack(sequence)
    return front, numbered + _CRC.pack(zlib.crc32(front + numbered))


def decode_slot(front: bytes, back: bytes) -> tuple[int, CopyRecord] | None:
    """Sequence and record of the two parts of a slot, None if they are not one whole record."""
    length = payload_bytes(front)
    numbered = back[: _SEQUENCE.size]
    if length is None or len(front) != _FRONT.size + length or len(back) != BACK_BYTES:
        return None
    if (zlib.crc32(front + numbered),) != _CRC.unpack(back[_SEQUENCE.size :]):
        return None
    seq, digest = _HEAD.unpack_from(front, _FRONT.size)
    (sequence,) = _SEQUENCE.unpack(numbered)
    return sequence, CopyRecord(Head(seq, digest.hex()), front[_FRONT.size + _HEAD.size :])


def payload_bytes(front: bytes) -> int | None:
    """How long the payload of a slot is, by its beginning; None if that is no beginning of a slot."""
    if len(front) < FRONT_BYTES:
        return None
    magic, version, length = _FRONT.unpack_from(front)
    fits = magic == SLOT_MAGIC and version == _VERSION and _HEAD.size <= length <= _HEAD.size + TOTALS_LIMIT
    return length if fits else None


@dataclass(frozen=True, slots=True)
class SlotsFound:
    """What a look at both slots has found. ``bad`` names the slots (0, 1) that hold no whole record although
    something has been written there."""

    record: CopyRecord | None
    bad: tuple[int, ...]
    slot: int  # of the next write
    sequence: int  # of the next write


class SlottedCopy:
    """A SecondCopy on any medium."""

    def __init__(self, medium: Medium) -> None:
        self.medium = medium
        self.again: Callable[[], None] = lambda: None  # before the first write after an outage; may refuse it
        self.unfit = ""  # why nothing is written to it
        self._next: tuple[int, int] | None = None  # slot and sequence of the next write, None: look first
        self._written: list[CopyRecord | None] = [None, None]  # what this session has put into each slot
        self._proven = False  # a record of this session has been read back whole

    def write(self, head: Head, totals: bytes) -> None:
        if self.unfit:
            raise SecondCopyError(self.unfit)
        if self._next is None:
            self.again()  # it was out of reach: it may have been changed meanwhile
            self.look()
        assert self._next is not None
        slot, sequence = self._next
        record = CopyRecord(head, totals)
        front, back = encode_slot(sequence, record)
        self._next = None  # a write that fails leaves a slot of which we know nothing
        self._written[slot] = None
        end = (slot + 1) * SLOT_BYTES
        try:
            self.medium.store(slot * SLOT_BYTES, front)
            self.medium.store(end - BACK_BYTES, back)
            kept = self.medium.load(end - BACK_BYTES, BACK_BYTES) == back
            if kept and not self._proven:
                kept = self.medium.load(slot * SLOT_BYTES, len(front)) == front
        except OSError as error:
            raise SecondCopyError(f"the second copy can not be written: {_words(error)}") from error
        if not kept:
            raise SecondCopyError(
                "the second copy does not keep what is written: check that its chip is an FRAM with two"
                " address bytes, and that the WP pin is low"
            )
        self._proven = True
        self._written[slot] = record
        self._next = (1 - slot, sequence + 1)

    def read(self) -> CopyRecord | None:
        return self.look().record

    def look(self) -> SlotsFound:
        """Reads both slots. SecondCopyError."""
        parts, slots = zip(*(self._slot(number) for number in (0, 1)), strict=True)
        bad = tuple(number for number in (0, 1) if slots[number] is None and any(b"".join(parts[number])))
        whole = [(slot[0], number, slot[1]) for number, slot in enumerate(slots) if slot is not None]
        found = SlotsFound(None, bad, 0, 1)
        if whole:
            sequence, number, record = max(whole, key=lambda entry: entry[0])
            found = SlotsFound(record, bad, 1 - number, sequence + 1)
        self._next = (found.slot, found.sequence)
        return found

    def _slot(self, number: int) -> tuple[tuple[bytes, bytes], tuple[int, CopyRecord] | None]:
        """The parts of a slot and what they say. Read again if that is nothing: a spike on the bus must not
        hide a record that knows more than the journal."""
        for _ in range(READS):
            parts = self._parts(number)
            if (slot := decode_slot(*parts)) is not None and slot[0] <= _MOST_WRITES:
                return parts, slot
        return parts, None

    def _parts(self, number: int) -> tuple[bytes, bytes]:
        """The beginning of a slot, as long as it says, and its end. SecondCopyError."""
        start, end = number * SLOT_BYTES, (number + 1) * SLOT_BYTES
        try:
            front = self.medium.load(start, FRONT_BYTES)
            if length := payload_bytes(front):
                front += self.medium.load(start + FRONT_BYTES, length)
            return front, self.medium.load(end - BACK_BYTES, BACK_BYTES)
        except OSError as error:
            raise SecondCopyError(f"the second copy can not be read: {_words(error)}") from error

    def altered(self) -> str:
        """Compares what both slots hold with what this session has written: "" if it is all there, else what
        is not. SecondCopyError."""
        for number, record in enumerate(self._written):
            if record is None:
                continue
            slot = decode_slot(*self._parts(number))
            if slot is None or slot[1] != record:
                self._written[number] = None
                return f"slot {'AB'[number]} of the second copy has changed by itself"
        return ""

    def renew(self, head: Head, totals: bytes) -> None:
        """Writes both slots again and reads both back whole. SecondCopyError."""
        for _ in range(2):
            self._proven = False
            self.write(head, totals)

    def erase(self) -> None:
        """Leaves no record: for a memory clear. SecondCopyError."""
        self._next, self._written = None, [None, None]
        try:
            for number in (0, 1):
                self.medium.store(number * SLOT_BYTES, bytes(FRONT_BYTES))
                self.medium.store((number + 1) * SLOT_BYTES - BACK_BYTES, bytes(BACK_BYTES))
        except OSError as error:
            raise SecondCopyError(f"the second copy can not be erased: {_words(error)}") from error
        if self.look().record is not None:
            raise SecondCopyError("the second copy can not be erased: it still gives a record")


def _words(error: OSError) -> str:
    return error.strerror or str(error)
