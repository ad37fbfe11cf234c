"""Status frames: the published ones, and every way in which bytes can arrive."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.ticket_printer.tcl.status import FRAME_LIMIT_BYTES, Flag, Status, StatusReader

WORKED = tomllib.loads((Path(__file__).parents[3] / "vectors" / "tcl.toml").read_text())
VECTORS, TABLE = WORKED["status"], WORKED["flag"]


def frame_of(row: dict[str, Any]) -> bytes:
    return bytes.fromhex(row["frame"]) if "frame" in row else bytes(row["text"], "ascii")


FRAMES = [frame_of(row) for row in VECTORS]
IDLE = FRAMES[1]
LAST_SHEET = next(frame for frame in FRAMES if b"|||" in frame)


def read(data: bytes) -> list[Status]:
    return StatusReader().feed(data)


def raws(statuses: list[Status]) -> list[bytes]:
    return [status.raw for status in statuses]


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["why"])
def test_worked_frames(row: dict[str, Any]) -> None:
    (status,) = read(frame_of(row))
    assert status.version == row["version"]
    assert status.flags == bytes.fromhex(row["flags"])
    assert status.template == row["template"]
    assert status.extended is (len(status.flags) == 5)
    assert [flag.name.lower() for flag in Flag if status.has(flag)] == row["set"]
    assert status.raw == frame_of(row)


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["name"])
def test_every_bit_of_the_table_means_what_the_table_says(row: dict[str, Any]) -> None:
    flags = [0x40] * 5
    flags[row["byte"] - 1] |= int(row["bit"], 16)
    frame = b"*S|0|5RUSAGE27|" + b"|".join(bytes((flag,)) for flag in flags) + b"|P0|*"
    (status,) = read(frame)
    assert [flag.name.lower() for flag in Flag if status.has(flag)] == [row["name"]]


def test_bits_that_say_nothing_are_no_jam_and_no_journal() -> None:
    """One public program has the jam and the journal there; every other one contradicts it."""
    (status,) = read(b"*S|0|5RUSAGE27|@|@|@|p|@|P0|*")
    assert status.flags[3] == 0x70
    assert [flag for flag in Flag if status.has(flag)] == []
    assert len(TABLE) == len(Flag)


def test_every_flag_has_a_bit_of_its_own() -> None:
    assert len({flag.value for flag in Flag}) == len(Flag)
    assert {byte for byte, _ in (flag.value for flag in Flag)} == {1, 2, 3, 4, 5}


def test_flags_that_a_short_frame_does_not_carry_are_not_set() -> None:
    (status,) = read(b"*S|0|GRUSA4100|\x7f|\x7f|\x7f|P0|*")
    assert not status.has(Flag.VALIDATION_DONE)
    assert not status.has(Flag.JAM)
    assert status.has(Flag.BUSY)


def test_a_status_says_in_words_what_it_means() -> None:
    assert read(IDLE)[0].meaning() == "Px: idle"
    assert read(LAST_SHEET)[0].meaning() == "P0: busy, system_error, head_up, paper_out, drawer_open"


# ---- how bytes arrive


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_may_be_split_at_every_byte(frame: bytes) -> None:
    for at in range(1, len(frame)):
        reader = StatusReader()
        assert reader.feed(frame[:at]) == []
        assert raws(reader.feed(frame[at:])) == [frame]
        assert reader.lost_bytes == 0


def test_frames_may_be_glued() -> None:
    reader = StatusReader()
    assert raws(reader.feed(b"".join(FRAMES))) == FRAMES
    assert reader.lost_bytes == 0


def test_a_frame_that_broke_off_does_not_swallow_the_next() -> None:
    for at in range(1, len(LAST_SHEET) - 1):
        assert raws(read(LAST_SHEET[:at] + IDLE)) == [IDLE]
    # Only its last star is missing: the next one is taken for it, and nothing false is read.
    assert raws(read(LAST_SHEET[:-1] + IDLE)) == [LAST_SHEET]


def test_flow_control_bytes_inside_a_frame_are_no_part_of_it() -> None:
    assert raws(read(IDLE[:9] + b"\x13" + IDLE[9:20] + b"\x11" + IDLE[20:])) == [IDLE]


@pytest.mark.parametrize(
    "broken",
    [
        b"*S|0|GURUSAG18|@|@|@|@|\x3f|Px|*",  # a flag below 0x40
        b"*S|0|GURUSAG18|@|@|@|@|\x80|Px|*",  # and above 0x7F
        b"*S|0|GURUSAG18|@|@|@|@@|A|Px|*",  # no delimiter behind a flag
        b"*S|0|GURUSAG18|@|@|@|@|A|@|Px|*",  # six flags
        b"*S|0|GURUSAG18|@|@|@|@|A|Px|+",  # no end
        b"*S|0|GURUSAG18|@|@|@|@|A|Qx|*",
        b"*S|00000|GURUSAG18|@|@|@|@|A|Px|*",  # a unit that is too long
        b"*S|0|" + b"V" * 25 + b"|@|@|@|@|A|Px|*",
        b"*S|0|GURUSAG18|@|@|@|@|A|P" + b"t" * 17 + b"|*",
        b"*S|0|GURU\x00AG18|@|@|@|@|A|Px|*",
        b"*G|\x12\x34|*",  # an answer to a question that we never ask
    ],
)
def test_what_is_no_frame_is_lost_and_counted_and_the_next_frame_is_read(broken: bytes) -> None:
    reader = StatusReader()
    assert raws(reader.feed(broken + IDLE)) == [IDLE]
    assert reader.lost_bytes == len(broken)


# ---- properties


TEXT = st.text(
    st.sampled_from([chr(code) for code in range(0x20, 0x7F) if chr(code) not in "*|"]), max_size=16
)
FLAGS = st.lists(st.integers(0x40, 0x7F), min_size=3, max_size=5).filter(lambda flags: len(flags) != 4)


@st.composite
def frames(draw: st.DrawFn) -> bytes:
    flags = b"".join(bytes([flag]) + b"|" for flag in draw(FLAGS))
    version, template = draw(TEXT).encode(), draw(TEXT).encode()
    return b"*S|0|" + version + b"|" + flags + b"P" + template + b"|*"


@given(frames())
def test_any_frame_is_read_as_it_is(frame: bytes) -> None:
    (status,) = read(frame)
    assert status.raw == frame
    assert frame.startswith(b"*S|0|" + status.version.encode() + b"|")
    assert frame.endswith(b"P" + status.template.encode() + b"|*")


@given(st.lists(frames(), max_size=5), st.lists(st.integers(1, 40), max_size=30), st.binary(max_size=20))
def test_cutting_changes_nothing(given_frames: list[bytes], cuts: list[int], noise: bytes) -> None:
    """The same bytes give the same frames, in whatever portions they come."""
    data = noise + b"".join(given_frames)
    reader = StatusReader()
    found, at = [], 0
    for size in [*cuts, len(data)]:
        found += reader.feed(data[at : at + size])
        at += size
    assert found == read(data)


@given(st.binary(max_size=40), frames())
def test_a_frame_behind_noise_is_found(noise: bytes, frame: bytes) -> None:
    """Unless the noise itself can be read on into the frame."""
    statuses = read(noise.replace(b"*", b"") + frame)
    assert raws(statuses) == [frame]


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_no_input_makes_it_grow_or_fail(chunks: list[bytes]) -> None:
    reader = StatusReader()
    fed = 0
    for chunk in chunks:
        fed += len(chunk)
        statuses = reader.feed(chunk)
        assert all(len(status.raw) <= FRAME_LIMIT_BYTES for status in statuses)
        assert len(reader._buffer) <= FRAME_LIMIT_BYTES
        assert reader.lost_bytes <= fed


@given(frames(), st.integers(0, 7), st.data())
def test_a_turned_bit_gives_a_frame_of_its_own_or_none(frame: bytes, bit: int, data: st.DataObject) -> None:
    """There is no checksum: what the driver makes of a false frame is another test."""
    at = data.draw(st.integers(0, len(frame) - 1))
    turned = frame[:at] + bytes([frame[at] ^ 1 << bit]) + frame[at + 1 :]
    for status in read(turned):
        assert status.raw in turned.translate(None, b"\x11\x13"), "XON and XOFF are no part of a frame"
