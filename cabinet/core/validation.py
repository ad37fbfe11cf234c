"""Validation numbers of tickets: 18 digits, made from a machine id and a sequence number.

The "secure enhanced" form is two digits of system id, ``00``, and sixteen digits in two halves.
The sequence number and the machine id (24 bits each) are mixed, three CRC-16/KERMIT values of
two bytes each are taken from the mixture, and the six bytes of the result are written as two
decimal numbers of eight digits whose first digit also carries a check on the other seven.

Sources: a public generator of such numbers and the sample ticket of a printer maker; the CRC is
the one published as CRC-16/KERMIT (check value 0x2189 for ``123456789``).

What a number is worth: it is a claim check and no secret. The same pair always makes the same
number, different pairs make different numbers, and whoever holds one ticket can compute the
next. Therefore the sequence number is stored before the number is used and never goes back.
"""

from __future__ import annotations

DIGITS = 18
HALF_DIGITS = 8
LIMIT_24_BIT = 1 << 24
SYSTEM_ID_MACHINE = "00"  # the machine made the number itself


class SequenceExhaustedError(ValueError):
    """All 2**24 sequence numbers of this machine id are used: a new machine id is needed.

    Wrapping round would print a number a second time, so nothing is printed any more.
    """


def next_sequence(sequence: int) -> int:
    """The sequence number after `sequence`; raises SequenceExhaustedError after 0xFFFFFF."""
    _check_24_bit("sequence", sequence)
    if sequence + 1 >= LIMIT_24_BIT:
        raise SequenceExhaustedError(f"sequence {sequence:06X} was the last one")
    return sequence + 1


def secure_enhanced(machine_id: int, sequence: int) -> str:
    """The 18 digits for one ticket.

    `machine_id` and `sequence` are 24-bit numbers; a sequence that is one too large raises
    SequenceExhaustedError, everything else out of range ValueError.
    """
    _check_24_bit("machine id", machine_id)
    _check_24_bit("sequence", sequence)
    source = sequence.to_bytes(3, "little") + machine_id.to_bytes(3, "little")
    mixed = bytearray(source[:2])
    for place, byte in enumerate(source[2:]):
        mixed.append(byte ^ source[place % 2])
    coded = b"".join(_crc16_kermit(mixed[at : at + 2]).to_bytes(2, "little") for at in (0, 2, 4))
    low = int.from_bytes(coded[:3], "little")
    high = int.from_bytes(coded[3:], "little")
    return SYSTEM_ID_MACHINE + _checked_half(high) + _checked_half(low)


def is_consistent(number: str) -> bool:
    """Whether `number` has the shape and both check digits of a number made here.

    The check is weak (a tenth of all single-digit errors pass): looking the number up in the
    record of issued tickets is the real one.
    """
    if len(number) != DIGITS or not (number.isascii() and number.isdigit()):
        return False
    halves = number[2 : 2 + HALF_DIGITS], number[2 + HALF_DIGITS :]
    return number.startswith(SYSTEM_ID_MACHINE) and all(_half_is_consistent(half) for half in halves)


def origin_of(number: str) -> tuple[int, int] | None:
    """The machine id and the sequence number that `number` was made from; None if no cabinet can have made
    it. Whoever can read this can do the same: it tells where a ticket says it comes from, and proves nothing.
    """
    if not is_consistent(number):
        return None
    value = [
        int(f"{int(half[0]) & 1}{half[1:]}")
        for half in (number[2 : 2 + HALF_DIGITS], number[2 + HALF_DIGITS :])
    ]
    coded = value[1].to_bytes(3, "little") + value[0].to_bytes(3, "little")
    mixed = b"".join(_source_of_crc(int.from_bytes(coded[at : at + 2], "little")) for at in (0, 2, 4))
    source = bytes(byte ^ mixed[place % 2] if place > 1 else byte for place, byte in enumerate(mixed))
    return int.from_bytes(source[3:], "little"), int.from_bytes(source[:3], "little")


def last_four(number: str) -> str:
    """All that a screen or a log may show of a ticket that is not redeemed yet."""
    return number[-4:]


def _check_24_bit(what: str, value: int) -> None:
    if what == "sequence" and value == LIMIT_24_BIT:
        raise SequenceExhaustedError(f"sequence {value:X} does not fit 24 bits")
    if not 0 <= value < LIMIT_24_BIT:
        raise ValueError(f"{what} {value} does not fit 24 bits")


def _crc16_kermit(data: bytes | bytearray) -> int:
    """CRC-16/KERMIT: polynomial 0x1021 reflected, start 0."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if crc & 1 else crc >> 1
    return crc


def _source_of_crc(crc: int) -> bytes:
    """The only two bytes that have this CRC: each of its sixteen steps can be taken back."""
    for _ in range(16):
        crc = ((crc ^ 0x8408) << 1 | 1) if crc & 0x8000 else crc << 1
    return crc.to_bytes(2, "little")


def _checked_half(value: int) -> str:
    """Eight digits of a 24-bit value; its first digit, 0 or 1, takes the check in its upper bits."""
    digits = f"{value:0{HALF_DIGITS}d}"
    first = int(digits[0]) | 2 * (sum(map(int, digits)) % 5)
    return f"{first}{digits[1:]}"


def _half_is_consistent(half: str) -> bool:
    first = int(half[0])
    value_digit, check = first & 1, first >> 1
    total = value_digit + sum(map(int, half[1:]))
    return check == total % 5 and int(f"{value_digit}{half[1:]}") < LIMIT_24_BIT
