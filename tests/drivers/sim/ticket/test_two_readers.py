"""The number in the bar code, read from the picture by two readers, is the number in the text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from drivers.sim.escpos import EscPosMachine, Setup
from drivers.sim.tcl.paper import PrintedTicket
from drivers.sim.ticket.art import PAPER_LENGTH_DOTS, TicketText
from drivers.sim.ticket.reader import read_picture
from drivers.ticket_printer.escpos.encoder import Encoder
from drivers.ticket_printer.tcl.codec import CASHOUT_LAYOUT, print_command
from support.devices.printers import NUMBERS, ticket
from support.devices.scanline import numbers_on

ENCODERS = {576: Encoder("TM-T20II"), 384: Encoder("Sunmi-V2")}


def receipt(number: str, width: int) -> EscPosMachine:
    machine = EscPosMachine(Setup(width_dots=width))
    machine.receive(b"".join(ENCODERS[width].parts(ticket(number), spoilt=False)), 0)
    while (due := machine.wake_at) is not None:
        machine.tick(due)
    return machine


def lying(number: str) -> Image.Image:
    """A ticket of a TCL printer without its leading edge, whose rule crosses the rows of the code."""
    return tcl(number).picture().rotate(90, expand=True).crop((80, 0, PAPER_LENGTH_DOTS, 500))


def tcl(number: str) -> PrintedTicket:
    fields = print_command(ticket(number), "0", CASHOUT_LAYOUT).decode("ascii").split("|")[3:-1]
    return PrintedTicket(TicketText(*fields), PAPER_LENGTH_DOTS, 0)


@pytest.mark.requirement("PRN-03")
@settings(max_examples=8, deadline=None)
@given(number=st.integers(0, 10**18 - 1).map(lambda value: f"{value:018d}"))
def test_both_readers_read_what_was_ordered_from_every_kind_of_paper(number: str) -> None:
    pictures = [receipt(number, width).tray[0].picture() for width in ENCODERS]
    pictures.append(lying(number))
    for picture in pictures:
        assert read_picture(picture) == number
        assert numbers_on(picture) == {number}


@pytest.mark.requirement("PRN-03")
def test_a_code_that_is_cut_off_is_no_number_for_either_reader() -> None:
    whole = receipt(NUMBERS[0], 576).tray[0].picture().convert("L")
    for part in range(100, 500, 40):
        torn = whole.crop((0, 0, part, whole.height))
        assert numbers_on(torn) == set()
        with pytest.raises(ValueError, match="no 18-digit"):
            read_picture(torn)


def test_the_second_reader_can_fail() -> None:
    assert numbers_on(lying("")) == set()
    assert numbers_on(lying(NUMBERS[0]).rotate(180)) == set()  # it reads from left to right only
