"""The chain: every word of every fact counts, and nothing else does."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabinet.core.renewal import replace
from cabinet.store.chain import BODY_LIMIT, GENESIS, KIND_LIMIT, Entry, link, packed

TIMES = st.integers(min_value=-(2**63), max_value=2**63 - 1)
KINDS = st.text(min_size=1, max_size=KIND_LIMIT).filter(lambda text: text.isprintable())
ENTRIES = st.builds(Entry, KINDS, st.text(alphabet=st.characters(codec="utf-8")), TIMES, TIMES)


def test_a_link_is_what_the_module_says() -> None:
    entry = Entry("DoorOpened", '{"door":"main"}', 1500, 1_700_000_001_500)
    stored = bytes(31) + b"\x01"
    expected = hashlib.sha256(
        stored
        + (7).to_bytes(8, "big")
        + (1500).to_bytes(8, "big")
        + (1_700_000_001_500).to_bytes(8, "big")
        + (10).to_bytes(4, "big")
        + (15).to_bytes(4, "big")
        + b'DoorOpened{"door":"main"}'
    )
    assert link(stored, 7, packed(entry)) == expected.digest()


def test_the_empty_journal_has_a_fixed_digest() -> None:
    assert GENESIS.seq == 0
    assert GENESIS.digest == hashlib.sha256(b"common-hand journal, chain 1").hexdigest()


@given(ENTRIES, ENTRIES)
def test_two_entries_have_one_digest_only_if_they_are_equal(one: Entry, other: Entry) -> None:
    assert (packed(one) == packed(other)) == (one == other)


def test_text_can_not_move_from_kind_to_body() -> None:
    entry = Entry("Note", "Credited", 1, 2)
    assert packed(entry) != packed(replace(entry, kind="NoteC", body="redited"))


@pytest.mark.parametrize(
    "entry",
    [
        Entry("", "{}", 0, 0),
        Entry("k" * (KIND_LIMIT + 1), "{}", 0, 0),
        Entry("Note", "x" * (BODY_LIMIT + 1), 0, 0),
        Entry("Note", "\ud800", 0, 0),
        Entry("Note", "{}", 2**63, 0),
        Entry("Note", "{}", 0, -(2**63) - 1),
    ],
)
def test_what_can_not_be_stored_exactly_is_refused(entry: Entry) -> None:
    with pytest.raises(ValueError):
        packed(entry)
