"""The second copy: a record that survives a write cut short anywhere, and what it says at start."""

from __future__ import annotations

import contextlib
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
    BACK_BYTES,
    FRONT_BYTES,
    MEDIUM_BYTES,
    SLOT_BYTES,
    TOTALS_LIMIT,
    CopyRecord,
    CopyVerdict,
    SecondCopyError,
    SlottedCopy,
    decode_slot,
    encode_slot,
    judge,
)
from cabinet.store.second_copy.media import FileSecondCopy, FramSecondCopy
from drivers.sim.gpio.fram import FramChip, I2cBus

Facts = Callable[..., Sequence[Entry]]
HEADS = st.builds(Head, st.integers(0, 2**64 - 1), st.binary(min_size=32, max_size=32).map(bytes.hex))
RECORDS = st.builds(CopyRecord, HEADS, st.binary(max_size=TOTALS_LIMIT))


class Memory:
    """A medium like FRAM: bytes that are there at once, until power goes after ``budget`` of them."""

    def __init__(self, content: bytes = bytes(MEDIUM_BYTES), budget: int = 1 << 30) -> None:
        self.content = bytearray(content)
        self.budget = budget
        self.written: list[tuple[int, int]] = []

    def load(self, offset: int, count: int) -> bytes:
        return bytes(self.content[offset : offset + count])

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


RECORD_BYTES = 8 + 40  # of a slot without totals, before its end


def test_slots_are_taken_in_turn_and_the_number_goes_last() -> None:
    medium = Memory()
    copy = SlottedCopy(medium)
    for seq in (1, 2, 3):
        copy.write(head(seq), b"")
    first, second = ((at, RECORD_BYTES) for at in (0, SLOT_BYTES))
    first_end, second_end = ((at - BACK_BYTES, BACK_BYTES) for at in (SLOT_BYTES, 2 * SLOT_BYTES))
    assert medium.written == [first, first_end, second, second_end, first, first_end]


def test_the_slot_on_the_medium_is_what_the_module_says() -> None:
    medium = Memory()
    SlottedCopy(medium).write(Head(9, "ab" * 32), b"xyz")
    slot = bytes(medium.content[:SLOT_BYTES])
    assert slot[:8] == b"CHSC" + (2).to_bytes(2, "big") + (43).to_bytes(2, "big")
    assert slot[8:51] == (9).to_bytes(8, "big") + b"\xab" * 32 + b"xyz"
    assert slot[51:-12] == bytes(SLOT_BYTES - 51 - 12)
    assert slot[-12:-4] == (1).to_bytes(8, "big")
    assert slot[-4:] == zlib.crc32(slot[:51] + slot[-12:-4]).to_bytes(4, "big")


@pytest.mark.requirement("MEM-02")
@pytest.mark.parametrize("history", [0, 1, 2, 3])
def test_power_may_go_after_any_byte(history: int) -> None:
    """After k of the n bytes of a write the copy is the old one or, with the last byte, the new one."""
    before = Memory()
    copy = SlottedCopy(before)
    for seq in range(1, history + 1):
        copy.write(head(seq), b"totals %d" % seq)
    old = copy.read()
    new = CopyRecord(head(history + 1), b"totals %d" % (history + 1))
    size = len(b"".join(encode_slot(1, new)))
    for budget in range(size + 1):
        medium = Memory(bytes(before.content), budget)
        try:
            SlottedCopy(medium).write(new.head, new.totals)
            assert budget == size
        except SecondCopyError:
            assert budget < size
        after = SlottedCopy(medium)
        # The last bytes of a CRC may happen to be right already.
        assert after.read() in ((new,) if budget == size else (old, new) if budget > size - 4 else (old,))
        medium.budget = SLOT_BYTES
        after.write(head(99), b"next")
        assert SlottedCopy(medium).read() == CopyRecord(head(99), b"next")


@pytest.mark.requirement("MEM-02")
@pytest.mark.parametrize("history", [1, 2])
def test_power_may_go_after_any_byte_that_the_chip_has_kept(history: int) -> None:
    """The same through the driver, which cuts a record into pieces, each with an address of its own."""
    before = FramChip()
    copy = FramSecondCopy(1, 0x50, lambda _number: I2cBus({0x50: before}))
    for seq in range(1, history + 1):
        copy.write(head(seq), b"totals %d" % seq + bytes(200))
    old, new = copy.read(), CopyRecord(head(9), b"totals 9" + bytes(range(200)))
    size = len(b"".join(encode_slot(1, new)))
    for left in range(size + 1):
        chip = FramChip(bytearray(before.content), left=left)
        bus = I2cBus({0x50: chip})
        with contextlib.suppress(SecondCopyError):
            FramSecondCopy(1, 0x50, lambda _number, bus=bus: bus).write(new.head, new.totals)  # type: ignore[misc]
        chip.left = None
        found = FramSecondCopy(1, 0x50, lambda _number, bus=bus: bus).read()  # type: ignore[misc]
        assert found in ((new,) if left == size else (old, new) if left > size - 4 else (old,))
        assert chip.content[2 * SLOT_BYTES :] == before.content[2 * SLOT_BYTES :]


def test_a_failed_write_is_followed_by_one_into_the_same_slot() -> None:
    medium = Memory()
    copy = SlottedCopy(medium)
    copy.write(head(1), b"one")
    medium.budget = 30
    with pytest.raises(SecondCopyError, match="power is gone"):
        copy.write(head(2), b"two")
    medium.budget = 1 << 30
    copy.write(head(2), b"two")
    assert [offset for offset, _ in medium.written[-2:]] == [SLOT_BYTES, 2 * SLOT_BYTES - BACK_BYTES]
    assert copy.read() == CopyRecord(head(2), b"two")
    medium.content[SLOT_BYTES] ^= 1
    assert copy.read() == CopyRecord(head(1), b"one")


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
    assert len(front) <= SLOT_BYTES - BACK_BYTES
    assert decode_slot(front, back) == (sequence, record)


@given(RECORDS, st.integers(0))
def test_one_wrong_bit_makes_a_slot_worthless(record: CopyRecord, bit: int) -> None:
    front, back = encode_slot(5, record)
    slot = bytearray(front + back)
    place = bit % (len(slot) * 8)
    slot[place // 8] ^= 1 << place % 8
    assert decode_slot(bytes(slot[:-BACK_BYTES]), bytes(slot[-BACK_BYTES:])) is None


@given(RECORDS, st.integers(0))
def test_a_slot_that_was_cut_short_is_no_record(record: CopyRecord, left: int) -> None:
    front, back = encode_slot(5, record)
    assert decode_slot(front[: left % len(front)], back) is None
    assert decode_slot(front, back[: left % len(back)]) is None


@given(st.binary(min_size=SLOT_BYTES, max_size=SLOT_BYTES))
def test_noise_is_no_record(noise: bytes) -> None:
    medium = Memory(noise + bytes(MEDIUM_BYTES - SLOT_BYTES))
    found = SlottedCopy(medium).look()
    assert found.record is None
    assert found.bad == ((0,) if any(noise[:FRONT_BYTES] + noise[-BACK_BYTES:]) else ())


@pytest.mark.parametrize("length", [0, 39, 40 + TOTALS_LIMIT + 1, 0xFFFF])
def test_an_impossible_length_is_no_record_even_with_a_good_crc(length: int) -> None:
    front = b"CHSC\x00\x02" + length.to_bytes(2, "big") + bytes(length)
    numbered = bytes(8)
    assert decode_slot(front, numbered + zlib.crc32(front + numbered).to_bytes(4, "big")) is None


def test_totals_have_a_bound() -> None:
    copy = SlottedCopy(Memory())
    copy.write(head(1), bytes(TOTALS_LIMIT))
    with pytest.raises(SecondCopyError, match="a slot takes"):
        copy.write(head(2), bytes(TOTALS_LIMIT + 1))
    assert copy.read() == CopyRecord(head(1), bytes(TOTALS_LIMIT))


# ---- a chip that is not what it says


def test_a_medium_that_keeps_nothing_is_told_at_the_first_write() -> None:
    class Forgetful(Memory):
        def store(self, offset: int, data: bytes) -> None:
            """Acknowledged, like a chip whose WP pin is high."""

    with pytest.raises(SecondCopyError, match="WP pin"):
        SlottedCopy(Forgetful()).write(head(1), b"one")


def test_the_first_record_of_a_session_is_read_back_whole() -> None:
    class Wrapping(Memory):
        def store(self, offset: int, data: bytes) -> None:
            """Like an EEPROM with pages of 32 bytes: what is too long begins again at the page's start."""
            page = offset // 32 * 32
            for place, byte in enumerate(data):
                self.content[page + (offset + place) % 32] = byte

    with pytest.raises(SecondCopyError, match="does not keep"):
        SlottedCopy(Wrapping()).write(head(1), bytes(range(100)))


@pytest.mark.requirement("MEM-03", "MEM-04")
@pytest.mark.parametrize("slot", [0, 1])
def test_a_bit_that_flips_at_rest_is_found_and_both_slots_are_renewed(slot: int) -> None:
    medium = Memory()
    copy = SlottedCopy(medium)
    copy.write(head(1), b"one")
    copy.write(head(2), b"two")
    assert copy.altered() == ""
    medium.content[slot * SLOT_BYTES + 20] ^= 0x10
    assert copy.altered() == f"slot {'AB'[slot]} of the second copy has changed by itself"
    copy.renew(head(2), b"two")
    assert copy.altered() == ""
    for spoilt in (0, 1):
        medium.content[spoilt * SLOT_BYTES + 9] ^= 1
        assert SlottedCopy(medium).read() == CopyRecord(head(2), b"two")
        medium.content[spoilt * SLOT_BYTES + 9] ^= 1


def test_an_erased_copy_gives_no_record() -> None:
    medium = Memory()
    copy = SlottedCopy(medium)
    copy.write(head(8), b"one")
    copy.write(head(9), b"two")
    copy.erase()
    found = SlottedCopy(medium).look()
    assert (found.record, found.bad) == (None, ())
    copy.write(head(1), b"new")
    assert SlottedCopy(medium).read() == CopyRecord(head(1), b"new")


# ---- in a file


def test_a_file_keeps_the_copy(tmp_path: Path) -> None:
    path = tmp_path / "copy"
    copy = FileSecondCopy(path)
    assert copy.read() is None
    copy.write(head(1), b"one")
    copy.write(head(2), b"two")
    assert path.stat().st_size <= MEDIUM_BYTES
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


def verdict(stored: Journal, record: CopyRecord | None) -> CopyVerdict:
    return judge(record, stored.head, stored.previous_seq, stored.digest_at)


def at(stored: Journal, seq: int) -> CopyRecord:
    digest = stored.digest_at(seq)
    assert digest is not None
    return CopyRecord(Head(seq, digest), b"")


def test_equal_after_a_quiet_stop(stored: Journal) -> None:
    assert verdict(stored, at(stored, 5)) is CopyVerdict.EQUAL


def test_one_transaction_behind_after_a_power_cut(stored: Journal) -> None:
    assert verdict(stored, at(stored, 3)) is CopyVerdict.BEHIND


@pytest.mark.parametrize("seq", [0, 1, 2, 4])
def test_further_behind_is_a_copy_that_was_not_kept(stored: Journal, seq: int) -> None:
    assert verdict(stored, at(stored, seq)) is CopyVerdict.STALE


def test_no_copy(stored: Journal) -> None:
    assert verdict(stored, None) is CopyVerdict.MISSING


def test_ahead_means_that_the_journal_lost_rows(stored: Journal) -> None:
    assert verdict(stored, CopyRecord(head(6), b"")) is CopyVerdict.AHEAD


@pytest.mark.parametrize("seq", [1, 3, 5])
def test_another_chain(stored: Journal, seq: int) -> None:
    assert verdict(stored, CopyRecord(head(seq), b"")) is CopyVerdict.DIFFERS


def test_an_empty_journal(journal: Journal) -> None:
    assert verdict(journal, None) is CopyVerdict.EQUAL
    assert verdict(journal, CopyRecord(GENESIS, b"")) is CopyVerdict.EQUAL
    assert verdict(journal, CopyRecord(head(1), b"")) is CopyVerdict.AHEAD
