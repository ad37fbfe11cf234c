"""What the panel needs from GPIO lines, whoever serves them.

A line is written ``label:offset``. The label is the one the kernel gives the chip (`gpiodetect`
prints it); chip numbers change between boards and boots, so they are never used. The kernel calls
every MCP23017 on I2C ``mcp23017``; where several are fitted, the device under the chip tells them
apart: ``mcp23017@20:3`` is line 3 of the one at address 0x20, ``mcp23017@1-0020:3`` the same with
the I2C bus named too.

A bank never waits. Levels are logical: ``True`` is active, after the line's `active_low`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

_LINE = re.compile(r"([A-Za-z0-9._-]{1,31}(?:@[A-Za-z0-9.-]{1,31})?):(0|[1-9][0-9]{0,2})")


class Pull(StrEnum):
    """The resistor inside the chip. The values are python-periphery's words for `bias`."""

    UP = "pull_up"
    DOWN = "pull_down"
    NONE = "disable"  # a resistor outside the chip holds the line


@dataclass(frozen=True, slots=True)
class InputLine:
    line: str
    user: str  # who uses it, e.g. "door.main"; `gpioinfo` shows it; at most 31 characters
    pull: Pull
    active_low: bool


@dataclass(frozen=True, slots=True)
class OutputLine:
    line: str
    user: str
    active_low: bool


class BankError(Exception):
    """A line cannot be used. `chip_lost` says that the whole chip has to be opened again."""

    def __init__(self, line: str, why: str, remedy: str, *, chip_lost: bool = False) -> None:
        super().__init__(f"{line}: {why}; {remedy}")
        self.line = line
        self.chip = chip_of(line)
        self.why = why
        self.remedy = remedy
        self.chip_lost = chip_lost


@dataclass(frozen=True, slots=True)
class Edges:
    """What happened since the last look: `lines` moved at least once, `lost` are vanished chips."""

    lines: tuple[str, ...] = ()
    lost: tuple[BankError, ...] = ()


class Bank(Protocol):
    """Lines of any number of chips.

    `needs_polling`: levels can change and outputs can be lost without the bank noticing, so the
    owner reads levels now and then and writes its outputs again. False only where the bank is
    itself the copper.

    When a chip is lost (BankError with `chip_lost`, or Edges.lost) all its lines are closed already
    and must be requested again.
    """

    @property
    def needs_polling(self) -> bool: ...

    @property
    def changed_at(self) -> int | None:
        """Session time of the oldest edge that `edges` has not told yet, where the bank knows it."""
        ...

    def request_input(self, wanted: InputLine) -> None:
        """Open an input with both edges. BankError."""
        ...

    def request_output(self, wanted: OutputLine, now_ms: int) -> None:
        """Open an output; it starts inactive. Its direction never changes again. BankError."""
        ...

    def read(self, line: str) -> bool: ...
    def write(self, line: str, active: bool, now_ms: int) -> None: ...

    def edges(self) -> Edges:
        """Take the edges that wait. Never raises."""
        ...

    def drop(self, chip: str) -> None:
        """Close every line of a chip."""
        ...

    def fileno(self) -> int | None:
        """Readable when `edges` has something to tell; None if nothing can be waited for."""
        ...

    def close(self) -> None: ...


def split_line(line: str) -> tuple[str, int]:
    """``"mcp23017@20:3"`` -> ``("mcp23017@20", 3)``. ValueError with the form that is wanted."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f'"{line}" is no GPIO line; write label:offset or label@address:offset')
    return match[1], int(match[2])


@lru_cache(maxsize=1024)  # a cabinet has some two hundred lines and names them all the time
def chip_of(line: str) -> str:
    """The chip part of a line's name; the whole text if it has no offset."""
    return line.rpartition(":")[0] or line


def label_of(chip: str) -> str:
    """``"mcp23017@20"`` -> ``"mcp23017"``."""
    return chip.partition("@")[0]


def is_chip(chip: str, label: str, device: str) -> bool:
    """Whether the wanted `chip` is the one that the kernel calls `label`, sitting on `device`.

    `device` is the name of the chip's parent device: ``1-0020`` is I2C bus 1, address 0x20.
    """
    wanted_label, _, where = chip.partition("@")
    return wanted_label == label and where in ("", device, device.rpartition("-00")[2])
