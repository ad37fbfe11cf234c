"""Ticket numbers: 18 digits that nobody without the key can compute, and a counter that stops."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.core import validation
from cabinet.core.validation import SequenceExhaustedError, next_sequence
from cabinet.tickets.keys import KEY_BYTES, KeyedNumbers, TicketKey
from support.devices.old_numbers import has_check_digits, secure_enhanced, source_of

IDS = st.integers(min_value=0, max_value=0xFFFFFF)
KEYS = st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES).map(TicketKey)
NUMBERS = KeyedNumbers(TicketKey(random.Random("ticket numbers").randbytes(KEY_BYTES)))
MACHINE = validation.SYSTEM_ID_MACHINE

# The published procedure, against which the numbers are held: made by an independent program.
OLD_VECTORS = [
    (0x000001, 0x000000, "006000001728978432"),
    (0x000001, 0x000001, "000169370485315032"),
    (0x000001, 0x000002, "006338742623748784"),
    (0x0ABCDE, 0x000001, "000244432642824664"),
    (0x123456, 0x00ABCD, "002860834232083467"),
    (0xABCDEF, 0x001234, "002860850951067985"),
    (0xFFFFFF, 0xFFFFFF, "000000000080061624"),
    (0x00401E, 0x1D7480, "005671408547977327"),  # the sample ticket of a printer maker
]


@pytest.mark.parametrize(("machine_id", "sequence", "number"), OLD_VECTORS)
def test_the_published_procedure_of_these_tests_is_the_published_one(
    machine_id: int, sequence: int, number: str
) -> None:
    assert secure_enhanced(machine_id, sequence) == number
    assert source_of(number) == (machine_id, sequence)
    assert has_check_digits(number)


@pytest.mark.requirement("PRN-07")
@settings(max_examples=100, deadline=None)
@given(KEYS, IDS, IDS)
def test_every_number_has_18_digits_and_is_known_again_by_its_key(
    key: TicketKey, machine_id: int, sequence: int
) -> None:
    numbers = KeyedNumbers(key)
    number = numbers.number(MACHINE, machine_id, sequence)
    assert len(number) == 18
    assert number.isascii()
    assert number.isdigit()
    assert number.startswith("00")
    assert numbers.origin(number) == (machine_id, sequence)


@pytest.mark.requirement("PRN-07")
@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.campaign)])
def test_numbers_are_all_different_and_have_no_structure(count: int) -> None:
    """Of 100 cabinets with one house key. A number by chance has the old check digits once in about 25 times,
    and each digit stands in each of the 16 places about as often as any other."""
    made = [NUMBERS.number(MACHINE, 700 + place % 100, place // 100 + 1) for place in range(count)]
    assert len(set(made)) == count
    checked = sum(has_check_digits(number) for number in made)
    assert 0.8 * count / 25 < checked < 1.2 * count / 25
    for place in range(2, 18):
        found = Counter(number[place] for number in made)
        chi_square = sum((found[digit] - count / 10) ** 2 / (count / 10) for digit in "0123456789")
        assert chi_square < 40, f"place {place}: {found}"  # 9 degrees of freedom: once in 130,000


@pytest.mark.requirement("PRN-07")
def test_no_number_is_the_published_one_and_neighbours_have_nothing_in_common() -> None:
    made = [NUMBERS.number(MACHINE, 796, sequence) for sequence in range(1, 2_001)]
    assert not any(number == secure_enhanced(796, place) for place, number in enumerate(made, 1))
    same = sum(one[place] == other[place] for one, other in pairwise(made) for place in range(2, 18))
    assert 0.09 < same / (1_999 * 16) < 0.11, "as often as chance has it"
    steps = Counter((int(other) - int(one)) % 10**16 for one, other in pairwise(made))
    assert max(steps.values()) == 1, "no step comes twice"


@pytest.mark.requirement("PRN-07")
@settings(max_examples=100, deadline=None)
@given(KEYS, IDS, IDS, IDS, IDS)
def test_two_cabinets_never_make_one_number_under_one_key(
    key: TicketKey, one: int, first: int, other: int, second: int
) -> None:
    numbers = KeyedNumbers(key)
    same = numbers.number(MACHINE, one, first) == numbers.number(MACHINE, other, second)
    assert same == ((one, first) == (other, second))


@pytest.mark.requirement("PRN-07")
def test_another_key_or_another_system_makes_other_numbers() -> None:
    other = KeyedNumbers(TicketKey(bytes(KEY_BYTES)))
    pairs = [(796, sequence) for sequence in range(1, 500)]
    mine = {NUMBERS.number(MACHINE, *pair)[2:] for pair in pairs}
    assert mine.isdisjoint(other.number(MACHINE, *pair)[2:] for pair in pairs)
    assert mine.isdisjoint(NUMBERS.number(validation.SYSTEM_ID_LAB, *pair)[2:] for pair in pairs)


@pytest.mark.parametrize("text", ["", "12345", "0123456789012345678", "00A671408547977327", "0" * 17 + "²"])
def test_what_is_no_number_comes_from_nowhere(text: str) -> None:
    assert NUMBERS.origin(text) is None


def test_numbers_of_another_key_are_not_taken_for_our_own() -> None:
    """The key would make any number from something; that it is one of our pairs is once in 10^16."""
    other = KeyedNumbers(TicketKey(bytes(KEY_BYTES)))
    for sequence in range(1, 300):
        origin = NUMBERS.origin(other.number(MACHINE, 796, sequence))
        assert origin is not None
        assert origin[0] != 796


@pytest.mark.requirement("PRN-07")
def test_the_counter_counts_to_its_end_and_stops_there() -> None:
    assert next_sequence(0) == 1
    assert next_sequence(0xFFFFFE) == 0xFFFFFF
    with pytest.raises(SequenceExhaustedError):
        next_sequence(0xFFFFFF)
    assert len(NUMBERS.number(MACHINE, 0x401E, 0xFFFFFF)) == 18
    with pytest.raises(SequenceExhaustedError):
        NUMBERS.number(MACHINE, 0x401E, 0x1000000)


@pytest.mark.parametrize(("machine_id", "sequence"), [(-1, 0), (1 << 24, 0), (0, -1), (0, (1 << 24) + 1)])
def test_what_does_not_fit_24_bits_is_refused(machine_id: int, sequence: int) -> None:
    with pytest.raises(ValueError, match="24 bits"):
        NUMBERS.number(MACHINE, machine_id, sequence)


def test_screens_and_logs_see_the_last_four_digits() -> None:
    assert validation.last_four("005671408547977327") == "7327"
