"""Somebody with a file, a terminal or a disk wants a secret out of the tools for money."""

from __future__ import annotations

import json
import random
import resource
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cabinet import passphrase
from cabinet.cli import main as cli
from cabinet.tickets import sealed
from cabinet.tickets.keys import KeyKind, TicketKey

WORDS = "correct horse battery staple"
SECRET = bytes(range(100, 132))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passphrase, "_COST", 2)


@pytest.fixture
def cores_allowed() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CORE, before)


def a_file() -> bytes:
    return sealed.seal(TicketKey(SECRET, KeyKind.HOUSE), WORDS, random.Random(1).randbytes)


def test_a_sealed_file_that_ends_at_any_byte_or_has_any_byte_changed_gives_no_key() -> None:
    whole = a_file()
    tried = [whole[:end] for end in range(len(whole) - 2)]
    for place in range(len(whole)):
        changed = (bytes((whole[place] ^ change,)) for change in (1, 4, 0x20, 0x80))
        tried += [whole[:place] + byte + whole[place + 1 :] for byte in changed]
    for data in tried:
        try:
            key = sealed.unseal(data, WORDS)
        except sealed.SealError:
            continue
        assert key.secret == SECRET, "another key than was sealed"
        assert json.loads(data) is not None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b'"x"',
        b"5",
        b"[" * 4_000,
        b'{"format": "cabinet house key 1", "salt": 5, "nonce": "", "sealed": ""}',
        b'{"format": "cabinet house key 1", "salt": "' + b"00" * 16 + b'", "nonce": "' + b"00" * 12
        + b'", "sealed": ""}',
        b'{"salt": null}',
    ],
)  # fmt: skip
def test_what_is_no_sealed_key_is_told_as_such(data: bytes) -> None:
    with pytest.raises(sealed.SealError):
        sealed.unseal(data, WORDS)


def test_nothing_of_key_or_passphrase_is_in_the_file_or_in_an_error() -> None:
    whole = a_file()
    assert SECRET not in whole
    assert SECRET.hex().encode() not in whole
    assert WORDS.encode() not in whole
    with pytest.raises(sealed.SealError) as caught:
        sealed.unseal(whole, WORDS + "!")
    trace = repr(caught.value) + repr(caught.value.__cause__)
    assert WORDS not in trace


@pytest.mark.parametrize("group", ["tickets", "memory"])
@pytest.mark.usefixtures("cores_allowed")
def test_a_tool_that_handles_secrets_leaves_no_core_file(group: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        cli.main([group, "show", "--config", str(tmp_path / "none.toml"), "--state", str(tmp_path)])
    assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0


def test_a_passphrase_in_another_encoding_is_taken_by_its_bytes_or_refused_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    salt = b"\1" * passphrase.SALT_BYTES
    assert passphrase.stretched("caf\udce9 with milk", salt) != passphrase.stretched("cafe with milk", salt)

    def cannot(*_what: object, **_how: object) -> str:
        raise UnicodeDecodeError("utf-8", b"\xe9", 0, 1, "invalid")

    monkeypatch.setattr(click, "prompt", cannot)
    for ask in (passphrase.typed, passphrase.chosen):
        with pytest.raises(click.UsageError, match="encoding"):
            ask("Passphrase")
