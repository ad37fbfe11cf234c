"""A house key on its way from one cabinet to another: a small text file, sealed under a passphrase.

AES-256-GCM under a key that scrypt makes of the passphrase. Whoever has the file and not the passphrase has
nothing; a changed file is not opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cabinet.passphrase import SALT_BYTES, stretched
from cabinet.tickets.keys import KEY_BYTES, KeyKind, TicketKey

LARGEST: Final = 4096  # bytes of a file; a sealed key has about 200
_FORMAT: Final = "cabinet house key 1"
_NONCE_BYTES: Final = 12


class SealError(Exception):
    """The file cannot be opened. ``str`` says why and what to do."""


def seal(key: TicketKey, passphrase: str, entropy: Callable[[int], bytes]) -> bytes:
    """The file. ValueError for a key that must not leave its cabinet."""
    if key.kind is not KeyKind.HOUSE:
        raise ValueError("a cabinet's own key never leaves it")
    salt, nonce = entropy(SALT_BYTES), entropy(_NONCE_BYTES)
    sealed = AESGCM(stretched(passphrase, salt)).encrypt(nonce, key.secret, _FORMAT.encode())
    fields = {"format": _FORMAT, "salt": salt.hex(), "nonce": nonce.hex(), "sealed": sealed.hex()}
    return (json.dumps(fields, indent=1) + "\n").encode("ascii")


def unseal(data: bytes, passphrase: str) -> TicketKey:
    """The house key in a file. SealError."""
    try:
        fields = json.loads(data)
        parts = [bytes.fromhex(fields[name]) for name in ("salt", "nonce", "sealed")]
        is_ours = fields["format"] == _FORMAT
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SealError("this is no sealed house key: check the file") from error
    salt, nonce, sealed = parts
    if not is_ours or (len(salt), len(nonce)) != (SALT_BYTES, _NONCE_BYTES):
        raise SealError("another version has sealed this key: export it again with this one")
    try:
        secret = AESGCM(stretched(passphrase, salt)).decrypt(nonce, sealed, _FORMAT.encode())
    except InvalidTag as error:
        raise SealError("the passphrase is wrong, or the file has been changed") from error
    if len(secret) != KEY_BYTES:
        raise SealError("this is no sealed house key: check the file")
    return TicketKey(secret, KeyKind.HOUSE)
