"""What a receipt printer knows about itself, and the bytes that say so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sensors:
    drawer: bool
    off_line: bool
    button: bool
    cover: bool
    stopped: bool  # by the end of the paper
    cutter: bool
    near_end: bool
    end: bool

    def real_time(self, n: int) -> int:
        """The answer to DLE EOT n."""
        bits: tuple[tuple[bool, int], ...]
        match n:
            case 1:
                bits = (self.drawer, 0x04), (self.off_line, 0x08), (self.button, 0x40)
            case 2:
                bits = (self.cover, 0x04), (self.button, 0x08), (self.stopped, 0x20), (self.cutter, 0x40)
            case 3:
                bits = ((self.cutter, 0x08),)
            case _:
                bits = (self.near_end, 0x0C), (self.end, 0x60)
        return 0x12 | sum(bit for on, bit in bits if on)

    def paper(self) -> int:
        """The answer to GS r 1, and the third byte of what is told unasked."""
        return 0x03 * self.near_end | 0x0C * self.end

    def changes(self) -> bytes:
        """What a host is told unasked that has asked for it once (ASB)."""
        one = 0x10 | 0x04 * self.drawer | 0x08 * self.off_line | 0x20 * self.cover | 0x40 * self.button
        return bytes([one, 0x08 * self.cutter, self.paper(), 0x0F])
