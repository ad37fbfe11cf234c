"""Tickets as pictures: they must read back, and look like a ticket of a thermal printer."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
import zxingcpp
from PIL import Image

from drivers.sim.tcl.paper import BAR_CODE_DONE_ROW, PrintedTicket
from drivers.sim.ticket import art as ticket_art
from drivers.sim.ticket import itf
from drivers.sim.ticket.art import PAPER_LENGTH_DOTS, PAPER_WIDTH_DOTS, TicketText, render, render_png
from drivers.sim.ticket.reader import NoBarcodeError, read_number

NUMBER = "002860834232083467"
GROUPED = "00-2860-8342-3208-3467"
TICKET = TicketText(
    leading_number=GROUPED,
    establishment="DEMO CASINO",
    street="1 TEST STREET",
    city="RENO NV 00000",
    title="CASHOUT TICKET",
    label="VALIDATION",
    number=GROUPED,
    date="11/29/2026",
    time="22:09:14",
    ticket_no="TICKET # 0045",
    words_1="TWO HUNDRED THIRTY FIVE DOLLARS AND NO CENTS",
    words_2=" ",
    figures="$235.00",
    small_print="SEAT 2",
    expiry="30 days",
    machine="MACHINE# 0003-031",
    bar_code=NUMBER,
)


def is_black(picture: Image.Image, x: int, y: int) -> bool:
    return picture.getpixel((x, y)) == 0


def ink_box(picture: Image.Image, box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Where the black dots within `box` lie."""
    found = picture.crop(box).convert("L").point(lambda grey: 255 - grey).getbbox()
    assert found is not None
    return found


def test_the_paper_is_a_ticket_of_a_203_dpi_head_in_black_and_white() -> None:
    picture = Image.open(io.BytesIO(render_png(TICKET)))
    assert picture.format == "PNG"
    assert picture.size == (PAPER_WIDTH_DOTS, PAPER_LENGTH_DOTS) == (500, 1240)
    assert picture.mode == "1"


@pytest.mark.requirement("PRN-03")
@pytest.mark.parametrize("number", [NUMBER, "005671408547977327", "000000000080061624", "990000000000000000"])
def test_a_reader_that_shares_no_code_reads_the_number(number: str) -> None:
    assert read_number(render_png(replace(TICKET, bar_code=number))) == number


def test_the_code_has_its_place_and_its_quiet_zones() -> None:
    """Read lying, the code is 781 x 120 dots, centred on x 652, and white for 190 dots on either side."""
    picture = render(TICKET)
    lying = picture.transpose(Image.Transpose.ROTATE_90)
    row = itf_row = 224
    black = [x for x in range(PAPER_LENGTH_DOTS) if is_black(lying, x, row)]
    code = [x for x in black if x > 70]  # the rule of the leading edge stands at x 66
    assert (code[0], code[-1]) == (261, 1041)
    assert code[0] - 68 > itf.QUIET_DOTS
    assert PAPER_LENGTH_DOTS - code[-1] > itf.QUIET_DOTS
    drawn = [x for offset, width in itf.bars(NUMBER) for x in range(261 + offset, 261 + offset + width)]
    assert code == drawn
    assert all(is_black(lying, 261, y) for y in (164, itf_row, 283))
    assert not is_black(lying, 261, 284)


@pytest.mark.requirement("PRN-03")
def test_the_leading_edge_shows_the_number_over_a_rule() -> None:
    picture = render(TICKET)
    left, top, right, bottom = ink_box(picture, (0, 0, 500, 60))
    assert abs((left + right) / 2 - 250) < 4
    assert (top, bottom) == (22, 46)
    assert all(is_black(picture, x, 67) for x in range(20, 480))
    assert not is_black(picture, 10, 67)


def test_the_title_is_white_on_a_black_bar() -> None:
    lying = render(TICKET).transpose(Image.Transpose.ROTATE_90)
    assert is_black(lying, 322, 92)
    assert is_black(lying, 981, 155)
    assert not is_black(lying, 321, 92)
    bar = lying.crop((322, 92, 982, 156)).convert("L")
    letters = bar.getbbox()
    assert letters is not None
    assert letters[1] >= 8
    assert letters[3] <= 60


def amount_height(ticket: TicketText) -> int:
    lying = render(ticket).transpose(Image.Transpose.ROTATE_90)
    box = ink_box(lying, (400, 418, 900, 500))
    return box[3] - box[1]


def test_long_words_take_a_second_line_and_the_figures_shrink_for_it() -> None:
    first = "SEVEN HUNDRED SEVENTY SEVEN THOUSAND SEVEN HUNDRED"
    long = replace(TICKET, words_1=first, words_2="SEVENTY SEVEN DOLLARS AND SEVENTY SEVEN CENTS")
    assert amount_height(long) < amount_height(TICKET)
    lying = render(long).transpose(Image.Transpose.ROTATE_90)
    two_lines = ink_box(lying, (400, 362, 900, 412))
    assert two_lines[3] - two_lines[1] > 40


def test_words_shrink_before_they_are_cut() -> None:
    wide = replace(TICKET, words_1="W" * 50)
    lying = render(wide).transpose(Image.Transpose.ROTATE_90)
    left, _, right, _ = ink_box(lying, (70, 368, 1240, 400))
    assert left + 70 >= 90
    assert right + 70 <= 1215


def test_a_name_that_never_fits_is_cut_as_a_printer_cuts_it() -> None:
    lying = render(replace(TICKET, establishment="M" * 300)).transpose(Image.Transpose.ROTATE_90)
    left, _, right, _ = ink_box(lying, (70, 0, 1240, 50))
    assert right - left <= ticket_art.LINE_WIDTH


@pytest.mark.requirement("PRN-03")
def test_a_test_print_says_void_where_the_code_would_be() -> None:
    void = replace(TICKET, bar_code=" ", number="VOID", words_1="VOID", figures="VOID", title="*** VOID ***")
    png = render_png(void)
    assert zxingcpp.read_barcodes(Image.open(io.BytesIO(png)).convert("L")) == []
    with pytest.raises(NoBarcodeError):
        read_number(png)
    lying = render(void).transpose(Image.Transpose.ROTATE_90)
    left, top, right, bottom = ink_box(lying, (70, 160, 1240, 290))
    assert right - left > 700
    assert bottom - top > 70


def test_empty_fields_fall_back_on_the_words_of_the_firmware() -> None:
    bare = replace(TICKET, title="", label=" ")
    assert render_png(bare) == render_png(replace(TICKET, title="CASHOUT TICKET", label="VALIDATION"))


@pytest.mark.requirement("PRN-03")
def test_the_places_of_the_corner_texts() -> None:
    lying = render(TICKET).transpose(Image.Transpose.ROTATE_90)
    left, _, _, _ = ink_box(lying, (70, 415, 400, 480))
    assert 94 <= left + 70 <= 100
    _, _, right, _ = ink_box(lying, (900, 415, 1240, 480))
    assert 1212 <= right + 900 <= 1218


# ---- tickets that stopped on the way


def test_paper_behind_the_place_where_it_stopped_is_white() -> None:
    picture = render(TICKET, 700)
    assert picture.crop((0, 700, 500, 1240)).convert("L").getextrema() == (255, 255)
    assert picture.crop((0, 0, 500, 700)).tobytes() == render(TICKET).crop((0, 0, 500, 700)).tobytes()


@pytest.mark.parametrize("rows", range(280, BAR_CODE_DONE_ROW, 37))
def test_a_torn_code_is_never_taken_for_a_number(rows: int) -> None:
    """A reader may find a shorter number in it; exactly 18 digits are asked for."""
    with pytest.raises(NoBarcodeError):
        read_number(PrintedTicket(TICKET, rows, 0).png())


def test_a_ticket_whose_code_is_whole_reads_although_its_end_is_missing() -> None:
    ticket = PrintedTicket(TICKET, BAR_CODE_DONE_ROW + 60, 0)
    assert not ticket.complete
    assert read_number(ticket.png()) == NUMBER


@pytest.mark.parametrize(
    ("figures", "cents"),
    [("$235.00", 23500), ("$1,234.56", 123456), ("EUR 12.05", 1205), ("VOID", 0), (" ", 0), ("$0.01", 1)],
)
def test_the_amount_of_a_ticket_is_read_from_its_figures(figures: str, cents: int) -> None:
    assert PrintedTicket(replace(TICKET, figures=figures), PAPER_LENGTH_DOTS, 0).cents == cents


def test_nothing_is_drawn_before_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[TicketText] = []

    def picture(ticket: TicketText, _rows: int) -> bytes:
        drawn.append(ticket)
        return b"picture"

    monkeypatch.setattr(ticket_art, "render_png", picture)
    ticket = PrintedTicket(TICKET, PAPER_LENGTH_DOTS, 0)
    assert ticket.complete
    assert drawn == []
    assert ticket.png() == b"picture"
    assert drawn == [TICKET]
