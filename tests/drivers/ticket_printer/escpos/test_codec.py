"""The bytes of ESC/POS, against worked frames that do not come from this code."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.ticket_printer.escpos import codec
from drivers.ticket_printer.escpos.codec import (
    MarkReply,
    NameReply,
    OtherReply,
    PrinterStatus,
    Reply,
    ReplyReader,
    StatusReply,
)
from support.devices.printers import NUMBERS

VECTORS = tomllib.loads((Path(__file__).parents[3] / "vectors" / "escpos.toml").read_text(encoding="utf-8"))
KINDS: dict[type[Reply], str] = {
    StatusReply: "status", MarkReply: "mark", NameReply: "name", OtherReply: "other",
}  # fmt: skip
FACTS = (
    "off_line", "waits_for_recovery", "cover_open", "fed_by_button", "stopped_by_paper", "error_of_any_kind",
    "recoverable", "cutter", "unrecoverable", "too_hot", "near_end", "paper_end",
)  # fmt: skip


def why(row: dict[str, Any]) -> str:
    return str(row["why"])


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("row", VECTORS["round"], ids=why)
def test_every_answer_of_the_table_means_what_the_table_says(row: dict[str, Any]) -> None:
    condition = PrinterStatus(*(int(answer, 16) for answer in row["answers"]))
    assert {fact for fact in FACTS if getattr(condition, fact)} == set(row["set"])


@pytest.mark.parametrize("row", VECTORS["reply"], ids=why)
def test_kinds_of_answers_are_told_apart_by_their_fixed_bits(row: dict[str, Any]) -> None:
    reader = ReplyReader()
    found = reader.feed(bytes.fromhex(row["bytes"]))
    assert [KINDS[type(reply)] for reply in found] == row["kinds"]
    assert reader.lost_bytes == 0


@pytest.mark.parametrize("row", VECTORS["order"], ids=why)
def test_orders_are_those_of_the_command_reference(row: dict[str, Any]) -> None:
    orders = {
        "ask 4": codec.ask(4),
        "clear error": codec.CLEAR_ERROR,
        "clear buffers": codec.CLEAR_BUFFERS,
        "automatic off": codec.ASB_OFF,
        "mark": codec.NAMELESS_MARK,
        "mark A042": codec.mark("A042"),
        "initialize": codec.INITIALIZE,
        "cut": codec.CUT,
        "bar code": codec.bar_code(NUMBERS[0], 90, 2),
    }
    assert orders[row["name"]] == bytes.fromhex(row["bytes"])


def test_a_byte_that_is_not_of_the_pattern_is_no_real_time_answer() -> None:
    """Of 256 bytes exactly those with the fixed bits are one: 0xx1xx10."""
    status = {byte for byte in range(256) if isinstance(_one(byte), StatusReply)}
    assert status == {byte for byte in range(256) if f"{byte:08b}"[0::3] + f"{byte:08b}"[7] == "0110"}
    assert len(status) == 16


def test_no_answer_can_be_a_flow_control_byte() -> None:
    for byte in (0x11, 0x13):
        assert _one(byte) is None
    reader = ReplyReader()
    assert reader.feed(b"\x11\x12\x13\x11") == [StatusReply(0x12)]
    assert reader.lost_bytes == 0


def _one(byte: int) -> Reply | None:
    found = ReplyReader().feed(bytes((byte,)))
    return found[0] if found else None


@pytest.mark.parametrize("stale", ["1400000F", "10000C00"])
def test_left_over_automatic_status_is_taken_for_no_answer(stale: str) -> None:
    """A reader that takes the last byte calls the first one on line and the second one out of paper."""
    reader = ReplyReader()
    found = reader.feed(bytes.fromhex(stale) + b"\x12")
    assert found == [OtherReply(bytes.fromhex(stale)), StatusReply(0x12)]


def test_names_and_texts_are_read() -> None:
    reader = ReplyReader()
    assert reader.feed(b"\x5fTM-T20II\x00\x37\x22A042\x00\x00") == [
        NameReply("TM-T20II"),
        MarkReply("A042"),
        MarkReply(""),
    ]


@pytest.mark.parametrize(
    "broken", [b"\x5fTM\x80", b"\x5f" + b"x" * 60, b"\x37\x22A04\x00", b"\x37\x26\x00", b"\x37\x00"]
)
def test_a_block_that_is_none_is_lost_and_what_follows_is_read(broken: bytes) -> None:
    reader = ReplyReader()
    assert reader.feed(broken + b"\x1e")[-1] == StatusReply(0x1E)
    assert reader.lost_bytes > 0


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_no_input_makes_the_reader_grow_or_fail_and_cutting_changes_nothing(chunks: list[bytes]) -> None:
    one, many = ReplyReader(), ReplyReader()
    whole = one.feed(b"".join(chunks))
    assert [reply for chunk in chunks for reply in many.feed(chunk)] == whole
    assert len(many._block) <= 41
    for reply in whole:
        assert not isinstance(reply, StatusReply) or reply.bits & 0x93 == 0x12


def test_the_drawer_s_contact_and_the_feed_button_do_not_make_rounds_differ() -> None:
    assert PrinterStatus(0x16).steady == PrinterStatus(0x12).steady == PrinterStatus(0x52, 0x1A).steady
    assert PrinterStatus(0x1A).steady != PrinterStatus(0x12).steady


@pytest.mark.parametrize(("narrow", "dots"), [(2, 305), (3, 458), (4, 610)])
def test_the_width_of_a_ticket_s_bar_code(narrow: int, dots: int) -> None:
    assert codec.bar_code_dots(narrow) == dots


@pytest.mark.requirement("PRN-07")
def test_the_log_of_the_line_shows_no_whole_number() -> None:
    job = b"\x1b@00-5671-4085-4797-7327\n" + codec.bar_code(NUMBERS[0], 90, 2) + b"$85.02\n"
    masked = codec.masked(job)
    assert len(masked) == len(job)
    assert b"xx-xxxx-xxxx-xxxx-7327" in masked
    assert b"xxxxxxxxxxxxxx7327" in masked
    assert b"5671" not in masked
    assert b"$85.02" in masked


@pytest.mark.parametrize(
    ("data", "sent", "words"),
    [
        (codec.ask(1), True, "are you on line"),
        (codec.ask(2), True, "why off line"),
        (codec.ask(3), True, "which error"),
        (codec.ask(4), True, "is there paper"),
        (codec.SPOIL, True, "end a command that was broken off"),
        (codec.CLEAR_ERROR + codec.CLEAR_BUFFERS, True, "clear the buffers"),
        (codec.INITIALIZE + b"$1.00\n", True, "print a ticket"),
        (codec.NAMELESS_MARK, True, "have you done everything"),
        (b"\x1e", False, "status 1E"),
        (b"\x00", False, "done so far"),
        (b"\x37\x22A042\x00", False, "done so far A042"),
        (b"\x5fTM-T20II\x00", False, "TM-T20II"),
        (b"\x37\x25\x00", False, "buffers cleared"),
        (b"\x10\x00\x00\x00", False, "automatic status"),
        (b"\xff", False, "not an answer"),
    ],
)
def test_frames_are_told_in_words(data: bytes, sent: bool, words: str) -> None:
    assert codec.wording(data, sent) == words


def test_a_condition_is_told_in_words() -> None:
    assert PrinterStatus().meaning() == "ready"
    assert PrinterStatus(0x1A, 0x32, 0x12, 0x7E).meaning() == (
        "off line, stopped by paper end, paper near its end, paper end"
    )
