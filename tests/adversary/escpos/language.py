"""How long each command of ESC/POS is: what a parser has to know of those that it does not obey."""

from __future__ import annotations

from collections.abc import Mapping

DLE, ESC, FS, GS = 0x10, 0x1B, 0x1C, 0x1D
# Bytes that follow the two of a command, by command; what is not here has a length of its own.
PLAIN: Mapping[bytes, int] = {
    b"\x1b@": 0, b"\x1b!": 1, b"\x1bE": 1, b"\x1bG": 1, b"\x1ba": 1, b"\x1bt": 1, b"\x1bR": 1, b"\x1bM": 1,
    b"\x1b-": 1, b"\x1b{": 1, b"\x1bd": 1, b"\x1bJ": 1, b"\x1b2": 0, b"\x1b3": 1, b"\x1b ": 1, b"\x1b$": 2,
    b"\x1b\\": 2, b"\x1bc": 2, b"\x1bp": 3, b"\x1br": 1, b"\x1bV": 1, b"\x1b=": 1, b"\x1bS": 0, b"\x1bL": 0,
    b"\x1bi": 0, b"\x1bm": 0, b"\x1be": 1, b"\x1bT": 1, b"\x1bU": 1, b"\x1bv": 0,
    b"\x1d!": 1, b"\x1dB": 1, b"\x1dH": 1, b"\x1dh": 1, b"\x1dw": 1, b"\x1df": 1, b"\x1dL": 2, b"\x1dW": 2,
    b"\x1da": 1, b"\x1dr": 1, b"\x1dI": 1, b"\x1dP": 2, b"\x1db": 1, b"\x1d/": 1, b"\x1d:": 0,
    b"\x1c&": 0, b"\x1c.": 0, b"\x1c!": 1, b"\x1cC": 1, b"\x1cS": 2,
}  # fmt: skip


def length_of(data: bytearray) -> int:
    """Of the command that stands first; 0 if that cannot be known yet."""
    if len(data) < 2:
        return 0
    head = bytes(data[:2])
    if data[0] == DLE:
        return (10 if data[2:3] == b"\x08" else 5) if data[1] == 0x14 else 3 if data[1] in (4, 5) else 1
    if head in PLAIN:
        return 2 + PLAIN[head]
    if len(data) < 4:
        return 3 if head == b"\x1dV" and len(data) == 3 and data[2] in (0, 1, 48, 49) else 0
    if head == b"\x1dV":
        return 3 if data[2] in (0, 1, 48, 49) else 4
    if head == b"\x1dk":
        if data[2] >= 65:
            return 4 + data[3]
        return data.index(0, 3) + 1 if 0 in data[3:] else 0
    if head == b"\x1dv":
        return 8 + (data[4] + 256 * data[5]) * (data[6] + 256 * data[7]) if len(data) >= 8 else 0
    if head == b"\x1b*":
        return 5 + (data[3] + 256 * data[4]) * (3 if data[2] >= 32 else 1) if len(data) >= 5 else 0
    if head == b"\x1bD":
        return data.index(0, 2) + 1 if 0 in data[2:] else 0
    if data[1] == 0x28:  # GS ( x, ESC ( x, FS ( x
        return 5 + data[3] + 256 * data[4] if len(data) >= 5 else 0
    return 2


class Mouth:
    """Real-time commands are seen where bytes come in; everything else goes into the buffer."""

    def __init__(self) -> None:
        self._begun = bytearray()

    def hear(self, byte: int) -> tuple[bytes, bytes]:
        """Bytes for the buffer, and a command that is complete."""
        begun = self._begun
        begun.append(byte)
        if begun[0] == DLE and len(begun) > 1 and begun[1] not in (0x04, 0x05, 0x14):
            begun.clear()
            return self._after(byte)
        if begun[0] != DLE:
            begun.clear()
            return bytes([byte]), b""
        if len(begun) < 3 or (begun[1] == 0x14 and len(begun) < (10 if begun[2] == 8 else 5)):
            return b"", b""
        command = bytes(begun)
        begun.clear()
        return b"", command

    def _after(self, byte: int) -> tuple[bytes, bytes]:
        """A DLE that was data, and what follows it."""
        data, command = self.hear(byte)
        return bytes([DLE]) + data, command
