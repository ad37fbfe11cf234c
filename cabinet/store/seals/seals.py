"""Seals over the chain, under keys that only ever go forward: pure, so that a checker needs no database.

The hash chain says that rows fit each other; whoever may write can make another chain that fits. So the last
row of each commit carries a seal, a keyed digest over the head that the commit made. The key of an epoch
gives the key of the next one, and nobody can go back: once the key of an epoch is destroyed its seals can be
checked by who has the first key, and made again by nobody else. That first key is the verification key.
It is shown once and kept by people. (Forward-secure logging; systemd's journal seals its files so.)

An epoch ends with a closing seal by its own key over the head that it ends with. So rows can neither be
changed in it nor cut off at its end. It begins with an opening seal by the next key: another key in its place
is noticed at once.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from dataclasses import dataclass, field

from cabinet.store.chain import Head

KEY_BYTES = 32
EPOCH_MS = 15 * 60 * 1000  # of session time; each start begins an epoch, too
_NUMBERS = struct.Struct(">qq")
_CHECK_DIGITS = 4
_GROUP = 4


@dataclass(frozen=True, slots=True)
class EpochKey:
    number: int  # of the epoch
    secret: bytes = field(repr=False)

    def next(self) -> EpochKey:
        """The key of the next epoch. There is no way back."""
        return EpochKey(self.number + 1, hmac.digest(self.secret, b"common-hand chain: next key", "sha256"))

    def row(self, head: Head) -> bytes:
        """The seal of a commit that ends with `head`."""
        return self._seal(b"row", head)

    def closing(self, head: Head) -> bytes:
        return self._seal(b"closing", head)

    def opening(self, head: Head) -> bytes:
        return self._seal(b"opening", head)

    def snapshot(self, name: SnapshotName) -> bytes:
        head = Head(name.seq, name.digest)
        return self._seal(b"snapshot", head, _NUMBERS.pack(name.schema, len(name.checksum)) + name.checksum)

    def _seal(self, what: bytes, head: Head, more: bytes = b"") -> bytes:
        numbers = _NUMBERS.pack(self.number, head.seq)
        text = b"common-hand seal: " + what + b"\0" + numbers + bytes.fromhex(head.digest) + more
        return hmac.digest(self.secret, text, "sha256")


@dataclass(frozen=True, slots=True)
class SnapshotName:
    """A snapshot without its state: `checksum` is over that."""

    schema: int
    seq: int
    digest: str
    checksum: bytes


@dataclass(frozen=True, slots=True)
class Epoch:
    """The row of an epoch: it began with the head `began`. `closed`: the seal of the epoch before, None for
    the first one. `opened`: its own."""

    number: int
    began: Head
    closed: bytes | None
    opened: bytes


def first_epoch(key: EpochKey, began: Head) -> Epoch:
    return Epoch(key.number, began, None, key.opening(began))


def next_epoch(key: EpochKey, began: Head) -> Epoch:
    """The epoch after that of `key`."""
    return Epoch(key.number + 1, began, key.closing(began), key.next().opening(began))


def same(stored: object, seal: bytes) -> bool:
    return isinstance(stored, bytes) and hmac.compare_digest(stored, seal)


# ---- the verification key, as people keep it


def shown(secret: bytes) -> str:
    """Hex in groups, with a few digits at the end that tell a typing error."""
    text = secret.hex() + _check(secret)
    return "-".join(text[at : at + _GROUP] for at in range(0, len(text), _GROUP))


def parse(text: str) -> bytes:
    """The key in a text that `shown` has made; spaces and case do not matter. ValueError."""
    digits = "".join(text.replace("-", "").split()).lower()
    if len(digits) != 2 * KEY_BYTES + _CHECK_DIGITS:
        wanted = 2 * KEY_BYTES + _CHECK_DIGITS
        raise ValueError(f"a verification key has {wanted} hexadecimal digits, this has {len(digits)}")
    try:
        secret = bytes.fromhex(digits[: 2 * KEY_BYTES])
    except ValueError:
        raise ValueError("a verification key has hexadecimal digits only") from None
    if digits[2 * KEY_BYTES :] != _check(secret):
        raise ValueError("the verification key has a typing error: its last four digits do not fit")
    return secret


def _check(secret: bytes) -> str:
    return hashlib.sha256(b"common-hand verification key" + secret).hexdigest()[:_CHECK_DIGITS]
