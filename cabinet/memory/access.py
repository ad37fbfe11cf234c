"""The clear code: who clears the memory knows it, besides standing at the open logic area (`contacts`).

It was chosen by the operator and stands nowhere at the cabinet; kept is what scrypt makes of it
(``keys/clear-code``).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from pathlib import Path

from cabinet.passphrase import SALT_BYTES, stretched
from cabinet.store.seals import key_files
from cabinet.store.seals.key_files import KeyFileError

CODE_FILE = "clear-code"
_HEAD = b"cabinet clear code 1\n"


def set_code(state_dir: Path, code: str, entropy: Callable[[int], bytes]) -> None:
    """Keeps a new clear code. `entropy` gives random bytes. KeyFileError."""
    salt = entropy(SALT_BYTES)
    kept = _HEAD + salt.hex().encode() + b"\n" + stretched(code, salt).hex().encode() + b"\n"
    key_files.write(key_files.path_of(state_dir, CODE_FILE), kept)


def has_code(state_dir: Path) -> bool:
    """Whether a clear code was ever chosen. KeyFileError."""
    return key_files.read(key_files.path_of(state_dir, CODE_FILE)) is not None


def is_code(state_dir: Path, said: str) -> bool:
    """Whether this is the clear code. KeyFileError, also for a file that is damaged."""
    path = key_files.path_of(state_dir, CODE_FILE)
    kept = key_files.read(path) or b""
    lines = kept.removeprefix(_HEAD).decode("latin-1").split("\n")
    try:
        salt, expected = (bytes.fromhex(line) for line in lines[:2])
    except ValueError as error:
        raise KeyFileError(f"{path} is damaged: put it back from a copy") from error
    if not kept.startswith(_HEAD) or len(salt) != SALT_BYTES or len(expected) != 32:
        raise KeyFileError(f"{path} is damaged: put it back from a copy")
    return hmac.compare_digest(stretched(said, salt), expected)
