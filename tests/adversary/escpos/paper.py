"""What comes out of a receipt printer, and who reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(slots=True)
class Row:
    """Something that the engine does: print a row, cut, or tell that it has come so far."""

    kind: str  # "row", "cut", "tell"
    job: int = 0
    text: str = ""
    digits: str = ""  # of a bar code that can be read
    mm: float = 0.0
    answer: bytes = b""


@dataclass(slots=True)
class Piece:
    """Paper that has come out, of one job on one strip."""

    job: int
    rows: list[Row] = field(default_factory=list)
    loose: bool = False  # cut or torn off
    last_ms: int = 0

    @property
    def text(self) -> str:
        return "\n".join(row.text for row in self.rows)

    @property
    def number(self) -> str:
        """As printed, without its dashes; "" if it is not on this paper."""
        found = re.search(r"(?<!\d)(\d\d)-(\d{4})-(\d{4})-(\d{4})-(\d{4})(?!\d)", self.text)
        return "".join(found.groups()) if found else ""

    @property
    def cents(self) -> int:
        found = re.search(r"\$\s?([\d,]+)\.(\d\d)(?!\d)", self.text)
        return int(found[1].replace(",", "") + found[2]) if found else -1

    @property
    def whole(self) -> bool:
        """Everything that makes it a ticket: number, the same in bars, amount, ticket, machine and seat."""
        names = ("TICKET #", "MACHINE#", "SEAT ")
        bars = [row.digits for row in self.rows if row.digits]
        told = self.cents >= 0 and all(name in self.text for name in names)
        return bool(self.number) and bars == [self.number] and told


# Which two of the five elements of a digit are wide.
_ITF = {"nnwwn": "0", "wnnnw": "1", "nwnnw": "2", "wwnnn": "3", "nnwnw": "4",
        "wnwnn": "5", "nwwnn": "6", "nnnww": "7", "wnnwn": "8", "nwnwn": "9"}  # fmt: skip


def read_itf(line: bytes) -> str:
    """The digits of an Interleaved 2 of 5 code in one line of dots; "" if there is none."""
    dots = "".join(f"{byte:08b}" for byte in line).strip("0")
    runs = [len(run[0]) for run in re.finditer(r"1+|0+", dots)]
    if len(runs) < 17 or (len(runs) - 7) % 10:
        return ""
    limit = (min(runs) + max(runs)) / 2
    marks = "".join("w" if run > limit else "n" for run in runs)
    if marks[:4] != "nnnn" or marks[-3:] != "wnn":
        return ""
    digits = ""
    for at in range(4, len(marks) - 3, 10):
        pair = marks[at : at + 10]
        bars, gaps = pair[::2], pair[1::2]
        if bars not in _ITF or gaps not in _ITF:
            return ""
        digits += _ITF[bars] + _ITF[gaps]
    return digits


def in_bars(command: bytes, module: int, width_dots: int) -> str:
    """The digits that can be read where GS k has been printed. Only ITF; one that is wider than the paper,
    its quiet zones with it, is not printed, and nobody is told."""
    kind, digits = command[2], command[4:] if command[2] >= 65 else command[3:-1]
    wide = (8 * len(digits) + 8.5) * module  # three narrow, two of 2.5 modules a digit; start and stop
    reads = kind in (5, 70) and digits.isdigit() and len(digits) % 2 == 0 and module >= 2
    return digits.decode("ascii") if reads and wide <= width_dots - 20 * module else ""


def in_picture(command: bytes, width_dots: int) -> str:
    """The digits that can be read in the picture of GS v 0."""
    across, down = command[4] + 256 * command[5], command[6] + 256 * command[7]
    middle = command[8:][across * (down // 2) : across * (down // 2 + 1)]
    return "" if across * 8 > width_dots else read_itf(middle)
