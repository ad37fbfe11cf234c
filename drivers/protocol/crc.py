"""Checksums of serial protocols."""

from __future__ import annotations


def _kermit_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x8408 if crc & 1 else crc >> 1
        table.append(crc)
    return tuple(table)


_KERMIT = _kermit_table()


def crc16_kermit(data: bytes | bytearray | memoryview) -> int:
    """CRC-16/KERMIT: polynomial 0x1021 reflected, start 0, no final xor; "123456789" gives 0x2189."""
    crc = 0
    for byte in data:
        crc = crc >> 8 ^ _KERMIT[(crc ^ byte) & 0xFF]
    return crc
