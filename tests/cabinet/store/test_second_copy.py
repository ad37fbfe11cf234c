"""The second copy: a record that survives a write cut short anywhere, and what it says at start."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabinet.store.chain import GENESIS
from cabinet.store.journal import Entry, Head, Journal
from cabinet.store.second_copy import (
    MEDIUM_BYTES,
    SLOT_BYTES,
    TOTALS_LIMIT,
    CopyRecord,
    FileSecondCopy,
    SecondCopyError,
    SlottedCopy,
    Verdict,
    decode_slot,
    encode_slot,
    judge,
)

Facts = Callable[..., Sequence[Entry]]
HEADS = st.builds(Head, st.integers(0, 2**64 - 1), st.binary(min_size=32, max_size=32).map(bytes.hex))
RECORDS = st.builds(CopyRecord, HEADS, st.binary(max_size=TOTALS_LIMIT))


class Memory:
    """A medium like FRAM: bytes that are there at once, until power goes after ``budget`` of them."""

    def __init__(self, content: bytes = bytes(MEDIUM_BYTES), budget: int = 1 << 30) -> None:
        self.content = bytearray(content)
        self.budget = budget
        self.written: list[tuple[int, int]] = []

    def load(self) -> bytes:
        return bytes(self.content)

    def store(self, offset: int, data: bytes) -> None:
        taken = data[: self.budget]
        self.budget -= len(taken)
        self.content[offset : offset + len(taken)] = taken
        self.written.append((offset, len(taken)))
        if len(taken) < len(data):
            raise OSError("power is gone")


def head(seq: int) -> Head:
    return Head(seq, f"{seq:064x}")


def test_what_was_written_last_is_read() -> None:
    medium = Memory()
    copy = SlottedCopy(medium)
    assert copy.read() is None
    for seq in range(1, 6):
        copy.write(head(seq), b"totals %d" % seq)
        assert SlottedCopy(medium).read() == CopyRecord(head(seq), b"totals %d" % seq)


def test_slots_are_taken_in_turn_and_the_number_goes_last() -> None:
    medium = Memory()
    copy = SlottedCopy(medium)
    for seq in (1, 2, 3):
        copy.write(head(seq), b"")
    tail = SLOT_BYTES - 12
    assert medium.written == [
        *((0, tail), (tail, 12)),
        *((SLOT_BYTES, tail), (SLOT_BYTES + tail, 12)),
        *((0, tail), (tail, 12)),
    ]


def test_the_slot_on_the_medium_is_what_the_module_says() -> None:
    medium = Memory()
    SlottedCopy(medium).write(Head(9, "ab" * 32), b"xyz")
    slot = bytes(medium.content[:SLOT_BYTES])
    assert slot[:8] == b"CHSC" + (1).to_bytes(2, "big") + (43).to_bytes(2, "big")
    assert slot[8:51] == (9).to_bytes(8, "big") + b"\xab" * 32 + b"xyz"
    assert slot[51:500] == bytes(449)
    assert slot[500:] == (1).to_bytes(8, "big") + zlib.crc32(slot[:508]).to_bytes(4, "big")


@pytest.mark.parametrize("history", [0, 1, 2, 3])
def test_power_may_go_after_any_byte(history: int) -> None:
    """After k of the 512 bytes of a write the copy is the old one or, with the last byte, the new one."""
    before = Memory()
    copy = SlottedCopy(before)
    for seq in range(1, history + 1):
        copy.write(head(seq), b"totals %d" % seq)
    old = copy.read()
    new = CopyRecord(head(history + 1), b"totals %d" % (history + 1))
    for budget in range(SLOT_BYTES + 1):
        medium = Memory(bytes(before.content), budget)
        try:
            SlottedCopy(medium).write(new.head, new.totals)
            assert budget == SLOT_BYTES
        except SecondCopyError:
            assert budget < SLOT_BYTES
        after = SlottedCopy(medium)
        # The last bytes of a CRC may happen to be right already.
        assert after.read() in ((new,) if budget == SLOT_BYTES else (old, new) if budget > 508 else (old,))
        medium.budget = SLOT_BYTES
        after.write(head(99), b"next")
        assert SlottedCopy(medium).read() == CopyRecord(head(99), b"next")


def test_a_failed_write_is_followed_by_one_into_the_same_slot() -> None:
    medium = Memory()
    copy = SlottedCopy(medium)
    copy.write(head(1), b"one")
    medium.budget = 100
    with pytest.raises(SecondCopyError, match="power is gone"):
        copy.write(head(2), b"two")
    medium.budget = 1 << 30
    copy.write(head(2), b"two")
    assert [offset for offset, _ in medium.written[-2:]] == [SLOT_BYTES, 2 * SLOT_BYTES - 12]
    assert copy.read() == CopyRecord(head(2), b"two")
    assert decode_slot(bytes(medium.content[:SLOT_BYTES])) == (1, CopyRecord(head(1), b"one"))


def test_a_shorter_journal_can_be_followed_after_a_person_has_accepted_it() -> None:
    medium = Memory()
    copy = SlottedCopy(medium)
    copy.write(head(99), b"")
    copy.write(head(100), b"")
    copy.write(head(98), b"accepted")
    assert SlottedCopy(medium).read() == CopyRecord(head(98), b"accepted")


@given(st.integers(0, 2**64 - 1), RECORDS)
def test_any_record_comes_back(sequence: int, record: CopyRecord) -> None:
    front, back = encode_slot(sequence, record)
    assert len(front + back) == SLOT_BYTES
    assert decode_slot(front + back) == (sequence, record)


@given(RECORDS, st.integers(0, SLOT_BYTES * 8 - 1))
def test_one_wrong_bit_makes_a_slot_worthless(record: CopyRecord, bit: int) -> None:
    slot = bytearray(b"".join(encode_slot(5, record)))
    slot[bit // 8] ^= 1 << bit % 8
    assert decode_slot(bytes(slot)) is None


@given(st.binary(min_size=SLOT_BYTES, max_size=SLOT_BYTES))
def test_noise_is_no_record(noise: bytes) -> None:
    assert decode_slot(noise) is None


@pytest.mark.parametrize("length", [0, 39, 40 + TOTALS_LIMIT + 1, 0xFFFF])
def test_an_impossible_length_is_no_record_even_with_a_good_crc(length: int) -> None:
    slot = (b"CHSC\x00\x01" + length.to_bytes(2, "big")).ljust(SLOT_BYTES - 4, b"\0")
    assert decode_slot(slot + zlib.crc32(slot).to_bytes(4, "big")) is None


def test_totals_have_a_bound() -> None:
    copy = SlottedCopy(Memory())
    copy.write(head(1), bytes(TOTALS_LIMIT))
    with pytest.raises(ValueError, match="a slot takes"):
        copy.write(head(2), bytes(TOTALS_LIMIT + 1))
    assert copy.read() == CopyRecord(head(1), bytes(TOTALS_LIMIT))


# ---- in a file


def test_a_file_keeps_the_copy(tmp_path: Path) -> None:
    path = tmp_path / "copy"
    copy = FileSecondCopy(path)
    assert copy.read() is None
    copy.write(head(1), b"one")
    copy.write(head(2), b"two")
    assert path.stat().st_size == MEDIUM_BYTES
    assert FileSecondCopy(path).read() == CopyRecord(head(2), b"two")


def test_a_file_out_of_reach_is_told(tmp_path: Path) -> None:
    with pytest.raises(SecondCopyError, match="can not be read"):
        FileSecondCopy(tmp_path).read()
    with pytest.raises(SecondCopyError, match="can not be written"):
        FileSecondCopy(tmp_path / "missing" / "copy").write(head(1), b"")


def test_a_file_that_takes_only_a_part_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = FileSecondCopy(tmp_path / "copy")
    copy.write(head(1), b"one")
    whole = os.pwrite
    with monkeypatch.context() as broken:
        broken.setattr(os, "pwrite", lambda fd, data, offset: whole(fd, data[:9], offset))
        with pytest.raises(SecondCopyError, match="took only a part"):
            copy.write(head(2), b"two")
    assert copy.read() == CopyRecord(head(1), b"one")


# ---- at start


@pytest.fixture
def stored(journal: Journal, facts: Facts) -> Journal:
    """A journal of five rows, the last two of them in one transaction."""
    journal.commit(facts(2))
    journal.commit(facts(1, first=3))
    journal.commit(facts(2, first=4))
    return journal


def verdict(stored: Journal, record: CopyRecord | None) -> Verdict:
    return judge(record, stored.head, stored.previous_seq, stored.digest_at)


def at(stored: Journal, seq: int) -> CopyRecord:
    digest = stored.digest_at(seq)
    assert digest is not None
    return CopyRecord(Head(seq, digest), b"")


def test_equal_after_a_quiet_stop(stored: Journal) -> None:
    assert verdict(stored, at(stored, 5)) is Verdict.EQUAL


def test_one_transaction_behind_after_a_power_cut(stored: Journal) -> None:
    assert verdict(stored, at(stored, 3)) is Verdict.BEHIND


@pytest.mark.parametrize("seq", [0, 1, 2, 4])
def test_further_behind_is_a_copy_that_was_not_kept(stored: Journal, seq: int) -> None:
    assert verdict(stored, at(stored, seq)) is Verdict.STALE


def test_no_copy(stored: Journal) -> None:
    assert verdict(stored, None) is Verdict.MISSING


def test_ahead_means_that_the_journal_lost_rows(stored: Journal) -> None:
    assert verdict(stored, CopyRecord(head(6), b"")) is Verdict.AHEAD


@pytest.mark.parametrize("seq", [1, 3, 5])
def test_another_chain(stored: Journal, seq: int) -> None:
    assert verdict(stored, CopyRecord(head(seq), b"")) is Verdict.DIFFERS


def test_an_empty_journal(journal: Journal) -> None:
    assert verdict(journal, None) is Verdict.EQUAL
    assert verdict(journal, CopyRecord(GENESIS, b"")) is Verdict.EQUAL
    assert verdict(journal, CopyRecord(head(1), b"")) is Verdict.AHEAD
