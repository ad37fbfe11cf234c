"""The key that ticket numbers are made with: drawn once, kept in ``keys/ticket``, told to nobody.

A cabinet's **own** key is drawn when its memory begins and never leaves it. A **house** key may take its
place (`cabinet.tickets.sealed`): cabinets with different machine ids and one house key never make the same
number.

A number is FF1 of 16 digits: machine id (8 digits) and sequence (8). The two never come twice together, and
FF1 gives each text an image of its own, so that no number of one key comes twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from cabinet.core.validation import DIGITS, HALF_DIGITS, check_24_bit
from cabinet.store.seals import key_files
from cabinet.store.seals.key_files import KeyFileError
from cabinet.tickets.ff1 import Ff1

NAME: Final = "ticket"  # in the folder of keys
KEY_BYTES: Final = 32  # AES-256
SETTING: Final = "ticket_key"  # how the log of changed settings calls it
MISSING, DAMAGED = "missing", "unusable"
_HEAD: Final = "cabinet ticket key 1"
_TWEAK: Final = b"cabinet ticket number, system "  # so numbers of a lab and of play share nothing
_REMEDY: Final = (
    "until then no ticket is printed and credit is paid by hand. Put the file back from a copy; or, with the"
    " program stopped, give the cabinet a key: cabinet tickets import (of the house), cabinet tickets new-key"
)


class KeyKind(StrEnum):
    OWN = "own"
    HOUSE = "house"


@dataclass(frozen=True, slots=True)
class TicketKey:
    """A key; its ``repr`` tells which one it is and nothing of what it is."""

    secret: bytes = field(repr=False)
    kind: KeyKind = KeyKind.OWN

    def __post_init__(self) -> None:
        if len(self.secret) != KEY_BYTES:
            raise ValueError(f"a ticket key has {KEY_BYTES} bytes")

    def __repr__(self) -> str:
        return f"TicketKey({self.label})"

    @property
    def label(self) -> str:
        """Kind and check value: equal for equal keys. Nothing of the key can be computed from it."""
        check = hashlib.sha256(b"cabinet ticket key, check value" + self.secret).hexdigest()[:8]
        return f"{self.kind.value} {check}"


class KeyedNumbers:
    """Makes the numbers of one key and knows its own again (`cabinet.core.validation.Numbers`)."""

    def __init__(self, key: TicketKey) -> None:
        self._ff1: Final = Ff1(key.secret, 10)
        self._label: Final = key.label

    def __repr__(self) -> str:
        return f"KeyedNumbers({self._label})"

    def number(self, system: str, machine_id: int, sequence: int) -> str:
        check_24_bit("machine id", machine_id)
        check_24_bit("sequence", sequence)
        text = f"{machine_id:0{HALF_DIGITS}}{sequence:0{HALF_DIGITS}}"
        image = self._ff1.encrypt([int(digit) for digit in text], _tweak(system))
        return system + "".join(map(str, image))

    def origin(self, number: str) -> tuple[int, int] | None:
        if len(number) != DIGITS or not (number.isascii() and number.isdigit()):
            return None
        system, digits = number[:2], [int(digit) for digit in number[2:]]
        text = "".join(map(str, self._ff1.decrypt(digits, _tweak(system))))
        return int(text[:HALF_DIGITS]), int(text[HALF_DIGITS:])


def _tweak(system: str) -> bytes:
    return _TWEAK + system.encode("ascii")


# ---- in the folder of keys


def begin(state_dir: Path, entropy: Callable[[int], bytes]) -> None:
    """A memory begins: draws the cabinet's own key. A key that stands there belonged to a memory that is no
    more; its sequence begins again, and its numbers must not come again. `entropy` gives random bytes: in a
    cabinet the kernel's. KeyFileError."""
    keep(state_dir, TicketKey(entropy(KEY_BYTES)))


def keep(state_dir: Path, key: TicketKey) -> None:
    """Puts a key in the place of the one before, durably. KeyFileError."""
    lines = [_HEAD, key.kind.value, key.secret.hex()]
    key_files.write(key_files.path_of(state_dir, NAME), "\n".join([*lines, _sum(lines), ""]).encode("ascii"))


def load(state_dir: Path) -> TicketKey | None:
    """The key of a state directory; None if there is no file. KeyFileError when there is one that is not
    whole, or that others could have read."""
    path = key_files.path_of(state_dir, NAME)
    data = key_files.read(path)
    if data is None:
        return None
    lines = data.decode("latin-1").split("\n")
    if len(lines) != 5 or lines[0] != _HEAD or lines[3:] != [_sum(lines[:3]), ""]:
        raise KeyFileError(f"{path} is damaged or no ticket key")
    try:
        return TicketKey(bytes.fromhex(lines[2]), KeyKind(lines[1]))
    except ValueError:  # anybody can make a sum fit. What is in the file may not stand in an error
        raise KeyFileError(f"{path} is damaged or no ticket key") from None


def _sum(lines: list[str]) -> str:
    """Tells a whole file from a damaged one."""
    return hashlib.sha256("\n".join(lines).encode("latin-1")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Taken:
    """What a start has found. `numbers`: None when no ticket may be printed; `trouble` then says why and what
    to do. `setting`: what the log of changed settings is told."""

    numbers: KeyedNumbers | None
    setting: str
    trouble: str = ""


def take(state_dir: Path, recorded: str, entropy: Callable[[int], bytes], *, is_empty: bool = False) -> Taken:
    """At a start: the key that is there. One is drawn only for a memory that has never told of one
    (`recorded` is ""): a lost or damaged key is never replaced without a person. `is_empty`: nothing was ever
    written, so that the memory begins with this start."""
    try:
        if is_empty:
            begin(state_dir, entropy)
        key = load(state_dir)
        if key is None and not recorded:
            begin(state_dir, entropy)
            key = load(state_dir)
    except KeyFileError as error:
        return Taken(None, DAMAGED, f"{error.text}; {_REMEDY}")
    if key is None:
        path = key_files.path_of(state_dir, NAME)
        return Taken(None, MISSING, f"the key of the ticket numbers, {path}, is gone; {_REMEDY}")
    return taken(key)


def taken(key: TicketKey) -> Taken:
    return Taken(KeyedNumbers(key), key.label)
