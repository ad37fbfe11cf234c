"""Orders to the printer: byte by byte, and everything that must never leave the house."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.device import TicketFields
from drivers.ticket_printer.common.ticket_text import TicketRefusedError
from drivers.ticket_printer.tcl import codec as tcl_codec
from drivers.ticket_printer.tcl.codec import CASHOUT_LAYOUT, FieldName, layout_for, plain, print_command
from support.devices.printers import ticket

VECTOR = tomllib.loads((Path(__file__).parents[3] / "vectors" / "tcl.toml").read_text())["print"][0]["text"]


def sent(order: TicketFields) -> list[str]:
    """The 17 data fields of what would be sent."""
    parts = print_command(order, "0", CASHOUT_LAYOUT).decode("ascii").split("|")
    assert parts[:3] == ["^P", "0", "1"]
    assert parts[-1] == "^"
    return parts[3:-1]


@pytest.mark.requirement("PRN-03")
def test_the_worked_ticket_is_sent_as_the_trade_sends_it() -> None:
    order = replace(ticket(), seat="")
    assert print_command(order, "0", CASHOUT_LAYOUT) == VECTOR.encode("ascii")


@pytest.mark.requirement("PRN-03", "PRN-06")
def test_the_seat_stands_in_the_second_small_field() -> None:
    assert sent(ticket())[13] == "SEAT 2"


def test_copies_are_always_one() -> None:
    assert print_command(ticket(), "0", CASHOUT_LAYOUT).startswith(b"^P|0|1|")


@pytest.mark.parametrize("number", ["1", "0" * 17, "0" * 19, "00567140854797732x", "\uff10" * 18])
def test_a_number_that_has_not_18_digits_is_refused(number: str) -> None:
    with pytest.raises(TicketRefusedError, match="18"):
        sent(ticket(number))


@pytest.mark.requirement("PRN-03")
def test_paper_without_a_number_carries_no_amount_either() -> None:
    """Nobody shall take a test print for money."""
    parts = sent(ticket("", figures="$85.02"))
    assert (parts[10], parts[11], parts[12]) == ("NO CASH VALUE", " ", "VOID")
    assert not any("85" in part or "DOLLARS" in part for part in parts)


def test_a_ticket_without_a_number_is_a_test_print_and_has_no_bar_code() -> None:
    parts = sent(ticket("", figures="VOID"))
    assert parts[0] == parts[6] == "VOID"
    assert parts[16] == " "


@pytest.mark.parametrize("name", ["figures", "words_1", "words_2", "date", "time", "ticket_no", "expiry"])
@pytest.mark.parametrize("bad", ["1^2", "1|2", "10 \u20ac", "10\u00a0", "a\nb", "\u0131", "a\x11"])
def test_money_and_evidence_are_printed_as_ordered_or_not_at_all(name: str, bad: str) -> None:
    with pytest.raises(TicketRefusedError, match=name):
        sent(replace(ticket(), **{name: bad}))


@pytest.mark.parametrize("name", ["figures", "words_1", "expiry"])
def test_a_field_that_the_printer_would_cut_is_refused(name: str) -> None:
    assert sent(replace(ticket(), **{name: "x" * tcl_codec.FIELD_LIMIT}))
    with pytest.raises(TicketRefusedError, match="longer"):
        sent(replace(ticket(), **{name: "x" * (tcl_codec.FIELD_LIMIT + 1)}))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("CASINO ^ ROYAL", "CASINO - ROYAL"),
        ("ROUGE|NOIR", "ROUGE-NOIR"),
        ("CASINO DE MONTR\u00c9AL", "CASINO DE MONTREAL"),
        ("Z\u00dcRICH\u00a0WEST", "ZURICH WEST"),
        ("\u8d4c\u573a", "??"),
        ("A\tB\r\nC", "A B  C"),
    ],
)
def test_names_of_places_lose_what_the_printer_has_not(name: str, shown: str) -> None:
    assert plain(name) == shown
    assert sent(replace(ticket(), establishment=name))[1] == shown


def test_a_name_that_is_too_long_is_cut() -> None:
    assert sent(replace(ticket(), establishment="M" * 99))[1] == "M" * tcl_codec.FIELD_LIMIT


def test_an_empty_field_would_bring_the_firmware_s_own_text() -> None:
    bare = replace(ticket(), establishment="", street="", city="", title="", words_2="", machine="", seat="")
    parts = sent(bare)
    assert [parts[at] for at in (1, 2, 3, 11, 15)] == [" "] * 5
    assert parts[4] == ""  # the firmware's own title is wanted
    assert parts[13] == ""


TEXTS = st.text(max_size=70)


@given(st.fixed_dictionaries({field.name: TEXTS for field in fields(TicketFields)}))
def test_whatever_is_ordered_the_order_is_one_whole_command_or_none(texts: dict[str, str]) -> None:
    for order in (TicketFields(**texts), replace(TicketFields(**texts), validation="0" * 18)):
        try:
            command = print_command(order, "0", CASHOUT_LAYOUT)
        except TicketRefusedError:
            continue
        assert command.count(b"^") == 2
        assert command.startswith(b"^P|0|1|")
        assert command.endswith(b"|^")
        assert command.count(b"|") == 3 + 17
        assert all(0x20 <= byte <= 0x7E for byte in command)


def test_the_field_order_goes_by_the_longest_beginning_of_the_firmware_id() -> None:
    short = (FieldName.NUMBER, FieldName.BAR_CODE)
    other = (FieldName.BAR_CODE, FieldName.NOTHING)
    layouts = {"5R": short, "5RUSAGE": other}
    assert layout_for("5RUSAGE27", layouts) is other
    assert layout_for("5RGBR", layouts) is short
    assert layout_for("GURUSAG18", layouts) is CASHOUT_LAYOUT
    assert print_command(ticket(), "9", other) == b"^P|9|1|005671408547977327| |^"


@pytest.mark.requirement("PRN-07")
def test_the_log_of_the_line_shows_no_whole_number() -> None:
    shown = tcl_codec.masked(print_command(ticket(), "0", CASHOUT_LAYOUT))
    assert b"5671" not in shown
    assert shown.count(b"7327") == 3
    assert b"$85.02" in shown
    assert tcl_codec.masked(tcl_codec.CLEAR) == tcl_codec.CLEAR


def test_spoiling_holds_no_caret_and_more_fields_than_any_command() -> None:
    assert b"^" not in tcl_codec.SPOIL
    assert tcl_codec.SPOIL.count(b"|") > len(CASHOUT_LAYOUT)
