"""The hash chain over the facts: pure, so that a checker can follow it without a database.

Each digest is SHA-256 over the digest before it and everything that the row says: its number,
session time, wall time, kind and body. Nothing else goes in (no path, process or host name), so
two virtual runs with one seed, whose wall time is a fixed date plus session time, end in the
same digest. Lengths are hashed too, so that no text can move from ``kind`` to ``body``.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass

BODY_LIMIT = 1 << 16  # characters: far over any fact, and small enough to read a page of them at once
KIND_LIMIT = 64
DIGEST_BYTES = 32
_FIXED = struct.Struct(">qqII")
_SEQ = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact as the caller hands it over. ``body`` is canonical JSON made by the caller."""

    kind: str
    body: str
    at_ms: int  # session time, milliseconds
    wall_ms: int  # wall time, milliseconds since 1970: for people, it never orders anything


@dataclass(frozen=True, slots=True)
class ChainRow:
    """One fact as it is stored: ``digest`` is the chain up to and with this row, in hex."""

    seq: int
    entry: Entry
    digest: str


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the chain: the last row's number and digest. Two heads are equal only if all rows are."""

    seq: int
    digest: str


GENESIS = Head(0, hashlib.sha256(b"common-hand journal, chain 1").hexdigest())


def packed(entry: Entry) -> bytes:
    """The bytes of an entry that are hashed. ValueError if it can not be stored exactly as given."""
    kind, body = entry.kind.encode(), entry.body.encode()
    if not 0 < len(entry.kind) <= KIND_LIMIT or len(entry.body) > BODY_LIMIT:
        raise ValueError(f"a fact's kind has 1 to {KIND_LIMIT} characters, its body up to {BODY_LIMIT}")
    try:
        return _FIXED.pack(entry.at_ms, entry.wall_ms, len(kind), len(body)) + kind + body
    except struct.error as error:
        raise ValueError(f"the times of a fact are 64-bit integers: {error}") from None


def link(before: bytes, seq: int, content: bytes) -> bytes:
    """The digest of row ``seq`` with ``content`` (see ``packed``) after the digest ``before``."""
    return hashlib.sha256(before + _SEQ.pack(seq) + content).digest()


def chained(head: Head, entries: Sequence[Entry]) -> tuple[list[tuple[object, ...]], Head]:
    """The rows of `entries` after `head`, as they are stored, and the head that they make. ValueError."""
    rows: list[tuple[object, ...]] = []
    digest = bytes.fromhex(head.digest)
    for seq, entry in enumerate(entries, head.seq + 1):
        digest = link(digest, seq, packed(entry))
        rows.append((seq, entry.kind, entry.body, entry.at_ms, entry.wall_ms, digest))
    return rows, Head(head.seq + len(rows), digest.hex())
