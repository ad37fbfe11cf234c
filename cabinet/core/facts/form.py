"""How facts are written down and read back: canonical JSON under the name of their kind and version.

Nothing is guessed: a kind, a version or a field that this program does not know is refused, because whoever
leaves something out of a fact about money misreads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from types import MappingProxyType

import msgspec

from cabinet.core.facts import money, play
from cabinet.core.facts.base import Fact
from cabinet.core.facts.upcasters import UPCASTERS, VERSIONS, Fields
from game.rules import Rules
from game.settle import HandResult

KINDS: Mapping[str, type[Fact]] = MappingProxyType(
    {
        name: cls
        for home in (money, play)
        for name, cls in vars(home).items()
        if isinstance(cls, type) and issubclass(cls, Fact) and cls is not Fact
    }
)
_ENCODER = msgspec.json.Encoder()
_DECODERS = {name: msgspec.json.Decoder(cls) for name, cls in KINDS.items()}
# Records of the game in facts: msgspec passes over fields of theirs that it does not know.
_OF_THE_GAME = {"RulesTaken": "rules", "RoundSettled": "results"}
_FIELDS = {
    "RulesTaken": frozenset(field.name for field in fields(Rules)),
    "RoundSettled": frozenset(field.name for field in fields(HandResult)),
}


class UnknownFactError(ValueError):
    """The journal holds a fact that this program does not know: a newer program wrote it."""


def version_of(kind: str) -> int:
    """The version in which this program writes a kind."""
    return VERSIONS.get(kind, 1)


def spellings(kinds: Iterable[str]) -> tuple[str, ...]:
    """Every name under which facts of these kinds may stand in a journal."""
    return tuple(
        kind if version == 1 else f"{kind}@{version}"
        for kind in kinds
        for version in range(1, version_of(kind) + 1)
    )


def encode(fact: Fact) -> tuple[str, str]:
    """The kind, with its version, and the canonical JSON (fields in the order of the class) of a fact."""
    kind = type(fact).__name__
    version = version_of(kind)
    return kind if version == 1 else f"{kind}@{version}", _ENCODER.encode(fact).decode()


def decode(stored: str, body: str) -> Fact:
    """The fact that `encode` was given, also of an older version. UnknownFactError names kind and reason."""
    decoder = _DECODERS.get(stored)
    if decoder is None or stored in VERSIONS:
        return _versioned(stored, body)
    try:
        fact = decoder.decode(body)
        if stored in _OF_THE_GAME:
            _refuse_more(stored, msgspec.json.decode(body))
    except (msgspec.DecodeError, ValueError) as error:
        raise UnknownFactError(f"{stored}: {error}") from error
    return fact


def _versioned(stored: str, body: str) -> Fact:
    kind, at, digits = stored.partition("@")
    version = int(digits) if digits.isdecimal() else 1
    if kind not in KINDS or (at and (version < 2 or digits != str(version))):
        raise UnknownFactError(f"fact of unknown kind {stored!r}")
    newest = version_of(kind)
    if version > newest:
        raise UnknownFactError(f"{kind} of version {version}: this program knows it up to version {newest}")
    try:
        fields = msgspec.json.decode(body, type=dict)
        while version < newest:
            fields = UPCASTERS[kind, version](fields)
            version += 1
        fact = msgspec.convert(fields, KINDS[kind])
        if kind in _OF_THE_GAME:
            _refuse_more(kind, fields)
    except (msgspec.DecodeError, ValueError, LookupError) as error:
        raise UnknownFactError(f"{stored}: {error}") from error
    return fact


def _refuse_more(kind: str, fields: Fields) -> None:
    """ValueError: a record of the game in this fact has a field more than the game knows."""
    part = fields[_OF_THE_GAME[kind]]
    for record in part if isinstance(part, list) else [part]:
        if more := record.keys() - _FIELDS[kind]:
            raise ValueError(f"Object contains unknown field `{min(more)}`")
