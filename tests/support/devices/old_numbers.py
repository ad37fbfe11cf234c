"""The published procedure that makes a ticket number from machine id and sequence, without a secret.

Numbers of tickets were made by it once: whoever holds one ticket can compute the machine's next numbers.
Vectors are in `tests/cabinet/core/test_validation.py`.
"""

from __future__ import annotations


def secure_enhanced(machine_id: int, sequence: int) -> str:
    """The 18 digits for one ticket."""
    source = sequence.to_bytes(3, "little") + machine_id.to_bytes(3, "little")
    mixed = bytearray(source[:2])
    for place, byte in enumerate(source[2:]):
        mixed.append(byte ^ source[place % 2])
    coded = b"".join(_crc16_kermit(mixed[at : at + 2]).to_bytes(2, "little") for at in (0, 2, 4))
    low = int.from_bytes(coded[:3], "little")
    high = int.from_bytes(coded[3:], "little")
    return "00" + _checked_half(high) + _checked_half(low)


def source_of(number: str) -> tuple[int, int]:
    """The machine id and the sequence of a number: each step of the procedure can be taken back."""
    value = [int(f"{int(half[0]) & 1}{half[1:]}") for half in (number[2:10], number[10:])]
    coded = value[1].to_bytes(3, "little") + value[0].to_bytes(3, "little")
    mixed = b"".join(_source_of_crc(int.from_bytes(coded[at : at + 2], "little")) for at in (0, 2, 4))
    source = bytes(byte ^ mixed[place % 2] if place > 1 else byte for place, byte in enumerate(mixed))
    return int.from_bytes(source[3:], "little"), int.from_bytes(source[:3], "little")


def has_check_digits(number: str) -> bool:
    """Both halves carry the check of the procedure. About one in 25 of all other numbers does too."""
    return all(int(half[0]) >> 1 == _check(half) for half in (number[2:10], number[10:]))


def _check(half: str) -> int:
    return ((int(half[0]) & 1) + sum(map(int, half[1:]))) % 5


def _checked_half(value: int) -> str:
    digits = f"{value:08d}"
    return f"{int(digits[0]) | 2 * (sum(map(int, digits)) % 5)}{digits[1:]}"


def _crc16_kermit(data: bytes | bytearray) -> int:
    """CRC-16/KERMIT: polynomial 0x1021 reflected, start 0."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if crc & 1 else crc >> 1
    return crc


def _source_of_crc(crc: int) -> bytes:
    """The only two bytes that have this CRC."""
    for _ in range(16):
        crc = ((crc ^ 0x8408) << 1 | 1) if crc & 0x8000 else crc << 1
    return crc.to_bytes(2, "little")
