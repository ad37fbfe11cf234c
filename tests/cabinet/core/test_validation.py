"""Validation numbers: the published vectors, the check digits, and a counter that stops."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.core import validation
from cabinet.core.validation import (
    SequenceExhaustedError,
    is_consistent,
    next_sequence,
    origin_of,
    secure_enhanced,
)

IDS = st.integers(min_value=0, max_value=0xFFFFFF)

VECTORS = [
    (0x000001, 0x000000, "006000001728978432"),
    (0x000001, 0x000001, "000169370485315032"),
    (0x000001, 0x000002, "006338742623748784"),
    (0x0ABCDE, 0x000001, "000244432642824664"),
    (0x123456, 0x00ABCD, "002860834232083467"),
    (0xABCDEF, 0x001234, "002860850951067985"),
    (0xFFFFFF, 0xFFFFFF, "000000000080061624"),
    (0x00401E, 0x1D7480, "005671408547977327"),  # the sample ticket of a printer maker
]


@pytest.mark.requirement("PRN-07")
@pytest.mark.parametrize(("machine_id", "sequence", "number"), VECTORS)
def test_published_numbers(machine_id: int, sequence: int, number: str) -> None:
    assert secure_enhanced(machine_id, sequence) == number
    assert is_consistent(number)


@pytest.mark.requirement("PRN-07")
@given(IDS, IDS)
def test_every_number_has_18_digits_and_passes_its_own_check(machine_id: int, sequence: int) -> None:
    number = secure_enhanced(machine_id, sequence)
    assert len(number) == 18
    assert number.isascii()
    assert number.isdigit()
    assert number.startswith(validation.SYSTEM_ID_MACHINE)
    assert is_consistent(number)


@pytest.mark.requirement("PRN-07")
def test_no_two_tickets_of_a_machine_or_of_two_machines_share_a_number() -> None:
    chance = random.Random(5)
    pairs = {(chance.randrange(1 << 24), chance.randrange(1 << 24)) for _ in range(5000)}
    pairs |= {(0x401E, sequence) for sequence in range(5000)}
    assert len({secure_enhanced(*pair) for pair in pairs}) == len(pairs)


@pytest.mark.requirement("PRN-07")
@settings(deadline=None)
@given(IDS, IDS, IDS, IDS)
def test_two_cabinets_never_make_one_number(one: int, first: int, other: int, second: int) -> None:
    """Only the same machine id with the same sequence number gives the same number."""
    same = secure_enhanced(one, first) == secure_enhanced(other, second)
    assert same == ((one, first) == (other, second))


@settings(deadline=None)
@given(IDS, IDS)
def test_a_number_tells_where_it_says_it_comes_from(machine_id: int, sequence: int) -> None:
    """Which is why two pairs cannot have one number, and why a number alone is no proof of anything."""
    assert origin_of(secure_enhanced(machine_id, sequence)) == (machine_id, sequence)


def test_a_number_that_nobody_made_has_no_origin() -> None:
    assert origin_of("000668517014172830") is None
    assert origin_of("") is None


@pytest.mark.parametrize(
    "number",
    [
        "000668517014172830",  # found in public code, made by a host
        "010000000000000000",  # another system id
        "00567140854797732",
        "0056714085479773270",
        "00567140854797732x",
        "009999999999999999",  # a half above 24 bits
        "005677721600000000",  # a half of 2 ** 24
        "000000000056777216",
    ],
)
def test_numbers_that_were_not_made_here(number: str) -> None:
    assert not is_consistent(number)
    assert origin_of(number) is None


def test_a_wrong_check_digit_is_seen_in_either_half() -> None:
    number = "005671408547977327"
    assert not is_consistent(number[:2] + "3" + number[3:])
    assert not is_consistent(number[:10] + "2" + number[11:])


def test_the_counter_counts_to_its_end_and_stops_there() -> None:
    assert next_sequence(0) == 1
    assert next_sequence(0xFFFFFE) == 0xFFFFFF
    assert is_consistent(secure_enhanced(0x401E, 0xFFFFFF))
    with pytest.raises(SequenceExhaustedError):
        next_sequence(0xFFFFFF)
    with pytest.raises(SequenceExhaustedError):
        secure_enhanced(0x401E, 0x1000000)


@pytest.mark.parametrize(("machine_id", "sequence"), [(-1, 0), (0, -1), (0x1000000, 0), (0, 0x1000001)])
def test_nothing_outside_24_bits_makes_a_number(machine_id: int, sequence: int) -> None:
    with pytest.raises(ValueError, match="24 bits"):
        secure_enhanced(machine_id, sequence)


@pytest.mark.requirement("PRN-07", "REC-05")
def test_only_four_digits_are_ever_shown() -> None:
    assert validation.last_four("005671408547977327") == "7327"
