"""The key of the present epoch: ``keys/chain`` in the state directory, outside the database.

SQLite keeps old pages for a while; of a file that is replaced whole the system remembers least. (What flash
memory keeps is another matter: docs/trust.md.) With the key stands where its epoch began, so that a journal
that was taken back to an earlier time does not fit it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from cabinet.store.chain import DIGEST_BYTES, Head
from cabinet.store.errors import JournalBroken
from cabinet.store.seals import key_files
from cabinet.store.seals.seals import KEY_BYTES, EpochKey

NAME = "chain"
_VERSION = 1
_MOST = 1 << 62  # of epochs and rows


@dataclass(frozen=True, slots=True)
class ChainKey:
    """`began`: the head with which the epoch of the key began."""

    key: EpochKey
    began: Head


def load(directory: Path) -> ChainKey | None:
    """None if there is none. JournalBroken if it has changed by itself; KeyFileError."""
    data = key_files.read(key_files.path_of(directory, NAME))
    return None if data is None else _decoded(data)


def keep(directory: Path, kept: ChainKey) -> None:
    """In the place of the one before, which is gone then. KeyFileError."""
    key_files.write(key_files.path_of(directory, NAME), _encoded(kept))


def _encoded(kept: ChainKey) -> bytes:
    fields = [_VERSION, kept.key.number, kept.key.secret.hex(), kept.began.seq, kept.began.digest]
    return json.dumps([*fields, _checksum(fields)]).encode()


def _decoded(data: bytes) -> ChainKey:
    """Nothing of what is in the file may stand in an error."""
    try:
        *fields, checksum = json.loads(data)
        version, number, secret, seq, digest = fields
        sizes = len(bytes.fromhex(secret)), len(bytes.fromhex(digest))
        counts = all(type(count) is int and 0 <= count < _MOST for count in (number, seq))
        is_whole = checksum == _checksum(fields) and version == _VERSION
        # Anybody can make a checksum fit: what it covers is looked at as well.
        if is_whole and counts and sizes == (KEY_BYTES, DIGEST_BYTES):
            return ChainKey(EpochKey(number, bytes.fromhex(secret)), Head(seq, digest.lower()))
    except (ValueError, TypeError, RecursionError):
        pass
    raise JournalBroken(f"the key of the chain (keys/{NAME}) is not as it was kept")


def _checksum(fields: list[object]) -> str:
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()
