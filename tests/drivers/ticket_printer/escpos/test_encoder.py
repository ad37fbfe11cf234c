"""The wording of a ticket for receipt printers: what is sent, what it looks like, what is refused."""

from __future__ import annotations

import gc
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cabinet.core.currency import USD
from cabinet.core.money.amounts import amount_in_figures, amount_in_words, two_lines
from drivers.device import TicketFields
from drivers.sim.escpos import EscPosMachine, Setup
from drivers.sim.escpos.art import BarCode, TextLine
from drivers.sim.escpos.paper import Strip
from drivers.sim.ticket.reader import NoBarcodeError, read_picture
from drivers.ticket_printer.common.ticket_text import TicketRefusedError
from drivers.ticket_printer.escpos import codec
from drivers.ticket_printer.escpos.encoder import Encoder, UnfitProfileError, narrow_dots, paper_of
from support.devices.printers import NUMBERS, ticket

WIDE, NARROW = "TM-T20II", "Sunmi-V2"  # 80 mm paper with 48 letters, 58 mm paper with 32


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(WIDE)


def printed(profile: str, fields: TicketFields, *, spoilt: bool = False) -> list[Strip]:
    """The papers that come out of a simulated printer of this width."""
    encoder = Encoder(profile)
    machine = EscPosMachine(Setup(width_dots=encoder.paper.width_dots))
    machine.receive(b"".join(encoder.parts(fields, spoilt=spoilt)), 0)
    while (due := machine.wake_at) is not None:
        machine.tick(due)
    return machine.tray


def only(profile: str, fields: TicketFields) -> Strip:
    (strip,) = printed(profile, fields)
    return strip


# ---- what is sent


def test_every_job_begins_with_a_reset_and_its_code_page_also_the_second_one(encoder: Encoder) -> None:
    """Left alone the library sends the code page once and believes that a reset printer still has it."""
    for _ in range(2):
        job = b"".join(encoder.parts(ticket(), spoilt=False))
        assert job.startswith(codec.INITIALIZE + b"\x1bt\x00")
        assert job.count(b"\x1bt") == 1


def test_every_line_is_ended_before_the_cut(encoder: Encoder) -> None:
    """A line without an end stays in the printer until the next job."""
    *parts, cut = encoder.parts(ticket(), spoilt=False)
    assert cut == codec.CUT
    assert b"\n" in parts[-1]
    assert re.fullmatch(rb"(?:[\x1b\x1d].[\x00-\x33])*", parts[-1].rpartition(b"\n")[2], re.DOTALL)


def test_no_job_holds_what_a_printer_takes_for_a_real_time_command(encoder: Encoder) -> None:
    """A picture may: some printers obey it there and answer in the middle of the job."""
    for spoilt in (False, True):
        job = b"".join(encoder.parts(ticket(), spoilt=spoilt))
        assert b"\x10" not in job
        assert b"\x1dv0" not in job


def test_only_ascii_is_sent_so_that_no_code_page_matters(encoder: Encoder) -> None:
    job = b"".join(encoder.parts(replace(ticket(), city="Málaga ₺ ✓"), spoilt=False))
    assert max(job) < 0x80
    assert b"Malaga ? ?" in job


def test_nothing_is_said_on_stdout(encoder: Encoder, capsys: pytest.CaptureFixture[str]) -> None:
    encoder.parts(ticket(), spoilt=True)
    assert capsys.readouterr() == ("", "")


def test_an_encoder_that_is_thrown_away_complains_of_nothing() -> None:
    Encoder(WIDE).parts(ticket(), spoilt=False)
    gc.collect()  # an exception in the library's __del__ would be an error here


# ---- what is refused


@pytest.mark.parametrize("number", [NUMBERS[0][:-1], NUMBERS[0] + "0", "x" * 18, "\u0660" * 18])
def test_17_or_19_digits_are_refused_and_never_padded(encoder: Encoder, number: str) -> None:
    """The code interleaves pairs of digits: an odd number of them loses or gains one."""
    with pytest.raises(TicketRefusedError, match="18"):
        encoder.parts(replace(ticket(), validation=number), spoilt=False)


@pytest.mark.parametrize(
    ("name", "bad"),
    [("figures", "€85.02"), ("words_1", "ACHTZIG\xa0EURO"), ("expiry", "30\ndays"), ("date", "29·11·2026")],
)
def test_money_and_evidence_are_printed_as_ordered_or_not_at_all(
    encoder: Encoder, name: str, bad: str
) -> None:
    with pytest.raises(TicketRefusedError, match=name):
        encoder.parts(replace(ticket(), **{name: bad}), spoilt=False)


@pytest.mark.parametrize("profile", ["default", "AF-240", "TUP500", "RP326", "no such printer"])
def test_a_profile_without_a_width_or_too_narrow_for_the_code_is_refused(profile: str) -> None:
    with pytest.raises(UnfitProfileError):
        paper_of(profile)


# ---- the bar code


@pytest.mark.parametrize(
    ("width", "narrow"), [(576, 3), (546, 3), (512, 2), (432, 2), (384, 2), (345, 2), (344, None)]
)
def test_the_code_is_as_wide_as_fits_with_its_quiet_zones_and_never_wider(
    width: int, narrow: int | None
) -> None:
    """A code that is wider than the paper is not printed at all, and no error is given."""
    assert narrow_dots(width) == narrow
    if narrow is not None:
        assert codec.bar_code_dots(narrow) + 20 * narrow <= width


@pytest.mark.requirement("PRN-03")
@pytest.mark.parametrize("profile", [WIDE, NARROW, "TM-T88V"])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_reader_that_shares_no_code_reads_the_number_from_the_paper(profile: str, number: str) -> None:
    strip = only(profile, ticket(number))
    assert strip.complete
    assert strip.text.validation == number
    assert read_picture(strip.picture()) == number


def test_the_code_stands_in_the_middle_with_white_beside_it() -> None:
    for profile in (WIDE, NARROW):
        (code,) = [e for e in only(profile, ticket()).elements if isinstance(e, BarCode)]
        white = (Encoder(profile).paper.width_dots - code.width_dots) / 2
        assert code.align == 1
        assert white >= 10 * code.narrow_dots


# ---- what stands on the paper


@pytest.mark.requirement("PRN-03")
@pytest.mark.parametrize("profile", [WIDE, NARROW, "TM-T88V"])
def test_everything_that_a_ticket_must_carry_is_on_it(profile: str) -> None:
    strip = only(profile, ticket())
    lines = strip.lines
    text = " ".join(lines)
    assert lines[0] == "00-5671-4085-4797-7327"  # the leading edge
    for wanted in (
        *(
            "DEMO CASINO",
            "1 TEST STREET, RENO NV 00000",
            "CASHOUT TICKET",
            "VALIDATION 00-5671-4085-4797-7327",
        ),
        *("$85.02", "EIGHTY FIVE DOLLARS AND TWO CENTS", "11/29/2026 23:40:00", "TICKET # 0045"),
        *("MACHINE# 0003-031", "VOID AFTER 30 DAYS"),
    ):
        assert wanted in re.sub(" +", " ", text), wanted


@pytest.mark.requirement("PRN-06")
def test_the_seat_is_on_it() -> None:
    assert any(line.endswith("SEAT 2") for line in only(WIDE, ticket()).lines)


@pytest.mark.requirement("PRN-03")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cents=st.integers(1, 99_999_999))
def test_any_amount_stands_on_it_whole_in_words_and_in_figures(cents: int) -> None:
    words, figures = amount_in_words(cents, USD), amount_in_figures(cents, USD)
    first, second = two_lines(words)
    fields = replace(ticket(), words_1=first, words_2=second, figures=figures)
    strip = only(NARROW, fields)
    assert strip.complete
    assert strip.cents == cents
    assert words in " ".join(strip.lines)


@pytest.mark.requirement("PRN-03")
@settings(max_examples=25, deadline=None)
@given(name=st.text(max_size=90), title=st.text(max_size=60))
def test_no_name_is_so_long_or_so_strange_that_the_paper_breaks_a_line_by_itself(
    name: str, title: str
) -> None:
    strip = only(NARROW, replace(ticket(), establishment=name, city=name, title=title))
    assert strip.complete
    for element in strip.elements:
        if isinstance(element, TextLine):
            assert sum(run.width_dots for run in element.runs) <= 384
    assert read_picture(strip.picture()) == NUMBERS[0]


@pytest.mark.requirement("PRN-03")
def test_a_ticket_without_a_number_says_void_where_code_and_amount_would_be() -> None:
    strip = only(WIDE, replace(ticket(), validation=""))
    assert strip.lines[0] == "VOID"
    assert strip.lines.count("VOID") == 3
    assert {"VOID CASHOUT TICKET", "NO CASH VALUE"} <= set(strip.lines)
    assert not any("85.02" in line or "DOLLARS" in line for line in strip.lines)
    assert not strip.complete
    assert strip.cents == 0
    with pytest.raises(NoBarcodeError):
        read_picture(strip.picture())


@pytest.mark.requirement("PRN-03")
def test_half_a_ticket_before_it_is_cut_off_and_marked_void() -> None:
    spoilt, whole = printed(WIDE, ticket(), spoilt=True)
    assert spoilt.lines == ["*** VOID ***"]
    assert not spoilt.complete
    assert whole.complete


def test_lines_of_one_text_are_of_much_the_same_length() -> None:
    first, second = two_lines(amount_in_words(99_999_999, USD))
    strip = only(NARROW, replace(ticket(), words_1=first, words_2=second))
    lengths = [len(line) for line in strip.lines if re.search("NINE|DOLLARS|CENTS", line)]
    assert len(lengths) > 2
    assert max(lengths) - min(lengths) <= 8


def test_a_house_without_a_street_leaves_no_gap() -> None:
    strip = only(WIDE, replace(ticket(), street="", city=" "))
    place = strip.lines.index("DEMO CASINO")
    assert strip.lines[place + 1] == "CASHOUT TICKET"


def test_the_paper_is_black_on_white_with_margins() -> None:
    picture = only(WIDE, ticket()).picture()
    assert picture.mode == "1"
    assert picture.width == 640  # 80 mm at 8 dots a millimetre
    pixels = picture.convert("L")
    for edge in ((0, 0, 30, pixels.height), (610, 0, 640, pixels.height), (0, 0, 640, 20)):
        assert pixels.crop(edge).getextrema() == (255, 255)
    title = pixels.crop((32, 200, 608, 280)).histogram()
    assert title[0] > title[255]  # white letters on a black bar
