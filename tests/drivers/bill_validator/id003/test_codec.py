"""Frames of ID-003 against the worked frames, and against everything a bad line can do to them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.bill_validator.id003.codec import (
    SYNC,
    CurrencyRow,
    Decoder,
    Id003Message,
    Status,
    denomination_mask,
    frame,
    meaning,
    parse_currency_table,
)
from drivers.device import NoteType
from drivers.protocol.crc import crc16_kermit

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "id003.json").read_text())
IDLE = frame(Status.IDLING)


@pytest.mark.parametrize("row", VECTORS, ids=[row["meaning"] for row in VECTORS])
def test_worked_frames(row: dict[str, str]) -> None:
    raw, code, data = bytes.fromhex(row["frame"]), int(row["code"], 16), bytes.fromhex(row["data"])
    assert frame(code, data) == raw
    assert Decoder().feed(raw) == [Id003Message(code, data)]
    bytewise = Decoder()
    found = [message for byte in raw for message in bytewise.feed(bytes((byte,)))]
    assert found == [Id003Message(code, data)]
    assert bytewise.lost_bytes == 0
    assert meaning(raw, sent=False) != "not a frame"


def test_glued_and_split_frames() -> None:
    decoder = Decoder()
    stream = frame(Status.ESCROW, b"\x63") + frame(Status.STACKING) + frame(Status.VEND_VALID)
    assert decoder.feed(stream[:3]) == []
    assert decoder.feed(stream[3:9]) == [Id003Message(Status.ESCROW, b"\x63")]
    assert [message.code for message in decoder.feed(stream[9:])] == [Status.STACKING, Status.VEND_VALID]


def test_zero_bytes_of_a_unit_that_powers_up_are_skipped() -> None:
    decoder = Decoder()
    assert decoder.feed(b"\0\0\0" + IDLE) == [Id003Message(Status.IDLING)]
    assert decoder.lost_bytes == 3


def test_a_false_sync_does_not_hide_the_frame_behind_it() -> None:
    decoder = Decoder()
    assert decoder.feed(bytes((SYNC, 7)) + IDLE) == [Id003Message(Status.IDLING)]
    assert decoder.bad_checksums == 1
    assert decoder.lost_bytes == 2
    assert decoder.feed(bytes((SYNC, SYNC, 3)) + IDLE) == [], "the first SYNC announces 252 bytes"
    assert decoder.give_up() == [Id003Message(Status.IDLING)]


def test_a_long_false_length_is_given_up_when_the_line_falls_silent() -> None:
    decoder = Decoder()
    assert decoder.feed(bytes((SYNC, 0xF0)) + IDLE) == []
    assert decoder.give_up() == [Id003Message(Status.IDLING)]
    assert decoder.give_up() == []
    assert decoder.feed(IDLE) == [Id003Message(Status.IDLING)]


def test_impossible_lengths_are_no_frames() -> None:
    decoder = Decoder()
    for length in range(5):
        assert decoder.feed(bytes((SYNC, length)) + IDLE) == [Id003Message(Status.IDLING)]


messages = st.builds(Id003Message, st.integers(0, 255), st.binary(max_size=40))


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[start:end] for start, end in pairwise(edges)]


@given(st.lists(messages, max_size=6), st.lists(st.integers(0, 10_000), max_size=8))
def test_any_split_of_a_valid_stream_gives_its_messages(sent: list[Id003Message], places: list[int]) -> None:
    stream = b"".join(frame(message.code, message.data) for message in sent)
    decoder = Decoder()
    assert [message for part in cut(stream, places) for message in decoder.feed(part)] == sent
    assert decoder.lost_bytes == 0


def frames_in(stream: bytes) -> list[Id003Message]:
    """Every frame that stands anywhere in ``stream``, by brute force."""
    found = []
    for start, byte in enumerate(stream):
        if byte != SYNC or start + 1 >= len(stream):
            continue
        end = start + stream[start + 1]
        body = stream[start : end - 2]
        if (
            stream[start + 1] >= 5
            and end <= len(stream)
            and crc16_kermit(body) == int.from_bytes(stream[end - 2 : end], "little")
        ):
            found.append(Id003Message(body[2], bytes(body[3:])))
    return found


noise = st.lists(st.one_of(st.just(SYNC), st.integers(0, 12), st.integers(0, 255)), max_size=30).map(bytes)


@given(st.lists(st.tuples(noise, messages), max_size=4), noise, st.lists(st.integers(0, 999), max_size=5))
def test_noise_never_makes_a_message_and_the_line_recovers(
    parts: list[tuple[bytes, Id003Message]], tail: bytes, places: list[int]
) -> None:
    stream = b"".join(rubbish + frame(message.code, message.data) for rubbish, message in parts) + tail
    decoder = Decoder()
    found = [message for part in cut(stream, places) for message in decoder.feed(part)]
    found += decoder.give_up()
    true = frames_in(stream)
    assert all(message in true for message in found)
    assert decoder.feed(IDLE) == [Id003Message(Status.IDLING)], (
        "after silence the next frame is heard at once"
    )


@given(st.lists(messages, min_size=1, max_size=4), st.data())
def test_one_turned_bit_costs_no_other_message(sent: list[Id003Message], data: st.DataObject) -> None:
    frames = [bytearray(frame(message.code, message.data)) for message in sent]
    hit = data.draw(st.integers(0, len(frames) - 1))
    place = data.draw(st.integers(0, len(frames[hit]) - 1))
    frames[hit][place] ^= 1 << data.draw(st.integers(0, 7))
    stream = b"".join(frames)
    decoder = Decoder()
    found = decoder.feed(stream) + decoder.give_up()
    true = frames_in(stream)
    assert all(message in true for message in found)
    if not any(SYNC in message.data for message in sent):  # else a frame may lie inside another's data
        assert [message for message in found if message in sent] == [
            message for number, message in enumerate(sent) if number != hit
        ] or len(set(sent)) < len(sent)


@given(st.binary(max_size=2000))
def test_the_buffer_is_bounded(stream: bytes) -> None:
    decoder = Decoder()
    decoder.feed(stream)
    assert len(decoder._buffer) <= 254


def test_the_currency_table_is_read_with_its_exponents() -> None:
    usd = "61 01 01 00  62 01 00 00  63 01 05 00  67 01 01 02"
    table = bytes.fromhex(f"{usd}  64 E0 05 00  65 0A 01 03  66 99 01 00")
    assert parse_currency_table(table) == (
        CurrencyRow(0x61, 0x01, "USD", 100),
        CurrencyRow(0x63, 0x01, "USD", 500),
        CurrencyRow(0x67, 0x01, "USD", 10_000),
        CurrencyRow(0x64, 0xE0, "EUR", 500),
        CurrencyRow(0x65, 0x0A, "JPY", 1000),
        CurrencyRow(0x66, 0x99, "", 100),
    )


def test_a_remainder_and_impossible_values_of_the_table_are_ignored() -> None:
    assert parse_currency_table(bytes.fromhex("61 01 01 00 62 01 05")) == (CurrencyRow(0x61, 1, "USD", 100),)
    assert parse_currency_table(bytes.fromhex("61 01 01 FE")) == ()
    assert parse_currency_table(b"") == ()


def test_the_mask_forbids_what_is_not_money_here() -> None:
    assert denomination_mask(()) == b"\xff\xff"
    usual = tuple(NoteType(code, "USD", 100) for code in (0x61, 0x63, 0x64, 0x65, 0x66, 0x67))
    assert denomination_mask(usual) == b"\x82\xff"
    assert denomination_mask((NoteType(0x69, "USD", 100), NoteType(0x75, "USD", 100))) == b"\xff\xfe"


@pytest.mark.parametrize(
    ("raw", "sent", "words"),
    [
        (frame(0x11), True, "STATUS REQUEST"),
        (frame(0x11), False, "IDLING"),
        (frame(0x42), True, "STACK 2"),
        (frame(0x42), False, "POWER UP IN STACKER"),
        (frame(0xC3, b"\x01"), True, "INHIBIT 01"),
        (frame(0xC3, b"\x01"), False, "INHIBIT 01"),
        (frame(0x17, b"\x71"), False, "REJECTING: insertion"),
        (frame(0x17, b"\xee"), False, "REJECTING: reason EE"),
        (frame(0x17), False, "REJECTING"),
        (frame(0x49, b"\xa2"), False, "FAILURE: stacker motor"),
        (frame(0x49, b"\x01"), False, "FAILURE: code 01"),
        (frame(0x13, b"\x6f0123"), False, "ESCROW ticket 0123"),
        (frame(0x13, b"\x63"), False, "ESCROW 63"),
        (frame(0x88, b"U(USA)\x01"), False, "VERSION U(USA)"),
        (frame(0xF0, b"\x20"), False, "code F0 20"),
        (b"\xfc", False, "not a frame"),
        (b"12345", True, "not a frame"),
    ],
)
def test_frames_in_words(raw: bytes, sent: bool, words: str) -> None:
    assert meaning(raw, sent) == words
