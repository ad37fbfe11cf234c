"""Validation numbers of tickets: 18 digits, two of the system that made them and sixteen that are keyed.

A number stands for a machine id and a sequence number (24 bits each). Who makes it from them is told to the
decider (`Numbers`): a permutation under a secret key, so that two pairs never make one number and nobody who
holds tickets can compute another one (`cabinet.tickets.keys`).

What a number is worth: it is a claim check. The book of issued tickets decides what is paid; the number only
cannot be guessed. It is never shown or logged whole while its ticket is not redeemed. The sequence number
is stored before the number is used and never goes back.
"""

from __future__ import annotations

from typing import Protocol

DIGITS = 18
HALF_DIGITS = 8
LIMIT_24_BIT = 1 << 24
SYSTEM_ID_MACHINE = "00"  # the machine made the number itself
SYSTEM_ID_LAB = "99"  # a lab made it: no cabinet in play pays it


class Numbers(Protocol):
    """Makes numbers under a key. Pure: the same arguments give the same answer."""

    def number(self, system: str, machine_id: int, sequence: int) -> str:
        """The 18 digits for one ticket. ValueError outside 24 bits."""
        ...

    def origin(self, number: str) -> tuple[int, int] | None:
        """The machine id and the sequence that this key makes `number` from; None if it is no number. Of a
        number of another key they are any two numbers of eight digits: it tells people where a ticket
        comes from, and decides nothing."""
        ...


class NoNumberError(ValueError):
    """No number can be had for a ticket: a hand pays."""


class SequenceExhaustedError(NoNumberError):
    """All 2**24 sequence numbers are used. Wrapping round would print a number a second time, so nothing is
    printed any more."""


def next_sequence(sequence: int) -> int:
    """The sequence number after `sequence`; raises SequenceExhaustedError after 0xFFFFFF."""
    check_24_bit("sequence", sequence)
    if sequence + 1 >= LIMIT_24_BIT:
        raise SequenceExhaustedError(f"sequence {sequence:06X} was the last one")
    return sequence + 1


def last_four(number: str) -> str:
    """All that a screen or a log may show of a ticket that is not redeemed yet."""
    return number[-4:]


def check_24_bit(what: str, value: int) -> None:
    """ValueError for what does not fit; SequenceExhaustedError for the sequence that is one too large."""
    if what == "sequence" and value == LIMIT_24_BIT:
        raise SequenceExhaustedError(f"sequence {value:X} does not fit 24 bits")
    if not 0 <= value < LIMIT_24_BIT:
        raise ValueError(f"{what} {value} does not fit 24 bits")
