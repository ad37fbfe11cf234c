"""A secret that a person knows: typed without being shown, stretched before it is used or compared.

It is never an argument of a command and never in the environment: both can be read by others.
"""

from __future__ import annotations

import resource

import click
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

SALT_BYTES = 16
SHORTEST = 12  # letters
_COST, _BLOCK = 1 << 16, 8  # 64 MB and about half a second of a Raspberry Pi for each guess


def stretched(passphrase: str, salt: bytes) -> bytes:
    """32 bytes that only this passphrase gives with this salt."""
    return Scrypt(salt=salt, length=32, n=_COST, r=_BLOCK, p=1).derive(
        passphrase.encode("utf-8", "surrogateescape")  # the bytes that were typed, in whatever encoding
    )


def keep_out_of_core_files() -> None:
    """A program that has a secret in its memory leaves no image of it on the disk when it dies."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def typed(what: str) -> str:
    """What a person types, unseen."""
    return _asked(what, twice=False)


def chosen(what: str) -> str:
    """As `typed`, for a new one: typed twice. UsageError when it is too short."""
    said = _asked(what, twice=True)
    if len(said) < SHORTEST:
        raise click.UsageError(f"that is too short: at least {SHORTEST} letters, for example four words")
    return said


def _asked(what: str, *, twice: bool) -> str:
    try:
        said = click.prompt(what, hide_input=True, confirmation_prompt=twice, default="", show_default=False)
    except UnicodeDecodeError as error:
        raise click.UsageError(
            "what was typed is no text in this terminal's encoding: type it again"
        ) from error
    return str(said)
