"""The key of the ticket numbers: drawn once, kept apart, told to nobody, never replaced without a person."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from cabinet.core.renewal import replace
from cabinet.store.seals import key_files
from cabinet.store.seals.key_files import KeyFileError
from cabinet.tickets import keys
from cabinet.tickets.keys import KEY_BYTES, KeyKind, TicketKey
from support.evenings.evening import policy

SECRET = bytes(range(100, 100 + KEY_BYTES))


def entropy(seed: int = 1) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


def nobody(_count: int) -> bytes:
    raise AssertionError("no key may be drawn now")


def test_a_key_is_kept_and_is_the_same_at_every_start(tmp_path: Path) -> None:
    first = keys.take(tmp_path, "", entropy())
    assert first.numbers is not None
    assert first.trouble == ""
    again = keys.take(tmp_path, first.setting, nobody)
    assert again.numbers is not None
    assert again.setting == first.setting
    assert again.numbers.number("00", 796, 1) == first.numbers.number("00", 796, 1)
    assert (tmp_path / "keys" / "ticket").stat().st_mode & 0o777 == 0o600


def test_power_that_goes_before_the_first_fact_leaves_the_key_or_none(tmp_path: Path) -> None:
    """The memory has told of no key yet: what is there is used, what is not is drawn."""
    keys.begin(tmp_path, entropy())
    there = keys.load(tmp_path)
    assert there is not None
    assert keys.take(tmp_path, "", nobody).setting == there.label


@pytest.mark.requirement("PRN-07")
def test_a_memory_that_begins_anew_has_a_new_key(tmp_path: Path) -> None:
    """Its sequence begins again too: under the old key it would make its old numbers again."""
    chance = entropy()
    keys.begin(tmp_path, chance)
    first = keys.take(tmp_path, "", nobody).numbers
    keys.begin(tmp_path, chance)
    second = keys.take(tmp_path, "", nobody).numbers
    assert first is not None
    assert second is not None
    old = {first.number("00", 796, sequence) for sequence in range(1, 200)}
    assert old.isdisjoint(second.number("00", 796, sequence) for sequence in range(1, 200))


@pytest.mark.requirement("PRN-07")
def test_a_lost_key_is_not_replaced_and_no_number_is_made(tmp_path: Path) -> None:
    found = keys.take(tmp_path, "own 01234567", nobody)
    assert (found.numbers, found.setting) == (None, "missing")
    assert "cabinet tickets new-key" in found.trouble
    assert str(tmp_path / "keys" / "ticket") in found.trouble
    assert keys.take(tmp_path, found.setting, nobody).numbers is None, "nor at the start after that"


@pytest.mark.requirement("PRN-07")
@pytest.mark.parametrize("recorded", ["", "own 01234567"])
def test_a_key_with_any_byte_changed_is_damaged(tmp_path: Path, recorded: str) -> None:
    keys.keep(tmp_path, TicketKey(SECRET))
    path = tmp_path / "keys" / "ticket"
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        found = keys.take(tmp_path, recorded, nobody)
        assert (found.numbers, found.setting) == (None, "unusable"), f"byte {place}"
        assert SECRET.hex()[:16] not in found.trouble
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert keys.take(tmp_path, recorded, nobody).numbers is None, f"cut to {length}"
    path.write_bytes(whole)
    assert keys.take(tmp_path, recorded, nobody).numbers is not None


def test_a_key_that_others_could_have_read_is_not_used(tmp_path: Path) -> None:
    keys.keep(tmp_path, TicketKey(SECRET))
    (tmp_path / "keys" / "ticket").chmod(0o640)
    found = keys.take(tmp_path, "", nobody)
    assert found.numbers is None
    assert "chmod 600" in found.trouble


def test_a_full_disk_is_told_and_no_number_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise KeyFileError("the disk is full")

    monkeypatch.setattr(key_files, "write", full)
    found = keys.take(tmp_path, "", entropy())
    assert found.numbers is None
    assert "the disk is full" in found.trouble


def test_own_and_house_keys_are_told_apart_and_equal_keys_are_seen(tmp_path: Path) -> None:
    assert TicketKey(SECRET, KeyKind.HOUSE).label == TicketKey(SECRET, KeyKind.HOUSE).label
    assert TicketKey(SECRET).label.split()[1] == TicketKey(SECRET, KeyKind.HOUSE).label.split()[1]
    assert TicketKey(SECRET).label != TicketKey(SECRET[::-1]).label
    keys.keep(tmp_path, TicketKey(SECRET, KeyKind.HOUSE))
    assert keys.load(tmp_path) == TicketKey(SECRET, KeyKind.HOUSE)
    with pytest.raises(ValueError, match="32 bytes"):
        TicketKey(SECRET[:-1])


def test_neither_repr_nor_log_nor_error_tells_the_key(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key = TicketKey(SECRET)
    keys.keep(tmp_path, key)
    taken = keys.take(tmp_path, "", nobody)
    assert taken.numbers is not None
    with pytest.raises(ValueError, match="24 bits") as wrong:
        taken.numbers.number("00", -1, 1)
    table = replace(policy(), numbers=taken.numbers)
    told = f"{key!r} {key} {taken!r} {taken.numbers!r} {wrong.value!r} {caplog.text} {table!r}"
    for text in (SECRET.hex(), str(SECRET), str(list(SECRET)), SECRET.hex()[:12]):
        assert text not in told
    assert key.label in told
