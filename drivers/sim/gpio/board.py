"""The copper between a program and a panel: chips, lines and what pulls on them.

A line's level is that of the output that drives it, else of the contact that is closed on it, else of
its resistor. The far end (drivers/sim/panel/panel.py) closes and opens contacts; the program's end claims
lines and reads and drives them, through a memory bank or through the GPIO server. Both see the same
copper, so one panel machine serves every way of running the program.

Program-side calls fail as the kernel's do, with OSError and the same numbers.
"""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from drivers.bank import Pull, chip_of, label_of, split_line
from drivers.panel.wiring import Options, is_expander, is_header

HEADER_LINES = {"pinctrl-bcm2711": 58, "pinctrl-rp1": 54, "pinctrl-bcm2835": 54}
EXPANDER_LINES = 16
OTHER_LINES = 64  # what one request of the kernel's interface can name
LOG_MOST = 4096  # an hour of a candle that blinks slowly; tests look at the last minutes


class Watcher(Protocol):
    """Who wants to know what happens on the copper."""

    def moved(self, line: str, level: bool, now_ms: int) -> None: ...
    def lost(self, chip: str, now_ms: int) -> None: ...
    def restored(self, chip: str, now_ms: int) -> None: ...
    def silenced(self, chip: str, now_ms: int) -> None:
        """The chip has stopped answering, or answers again: what a program reads may be another level."""
        ...


@dataclass(slots=True)
class Copper:
    """One line. `user` is the program's name for it, None while nobody has it."""

    pull: Pull = Pull.NONE
    resistor: bool | None = None  # a resistor outside the chip
    contact: bool | None = None  # the level that a closed contact puts on it
    output: bool | None = None
    user: str | None = None

    @property
    def level(self) -> bool:
        if self.output is not None:
            return self.output
        if self.contact is not None:
            return self.contact
        return self.pull is Pull.UP if self.resistor is None else self.resistor


@dataclass(frozen=True, slots=True)
class OutputChange:
    at_ms: int
    line: str
    level: bool


class Board:
    """`chips` is how many lines each chip has, in the order in which the kernel finds them."""

    def __init__(self, chips: Mapping[str, int]) -> None:
        self.chips = dict(chips)
        self.log: deque[OutputChange] = deque(maxlen=LOG_MOST)
        self._lines: dict[str, Copper] = {}
        self._watchers: list[Watcher] = []
        self._banks: list[Watcher] = []  # banks inside the program's own process
        self._lost: set[str] = set()
        self._mute: set[str] = set()

    @classmethod
    def of(cls, *panels: Options) -> Board:
        """The chips that these panels name."""
        lines = (line for options in panels for _, line in options.lines())
        return cls({chip: _size(chip) for chip in dict.fromkeys(chip_of(line) for line in lines)})

    def watch(self, watcher: Watcher) -> None:
        self._watchers.append(watcher)

    def watch_as_bank(self, bank: Watcher) -> None:
        """For a bank that lives and dies with the program (see host_gone)."""
        self._banks.append(bank)

    def host_gone(self) -> None:
        """The program in this process died: its lines are free, its banks hear nothing any more."""
        self._banks.clear()
        for copper in self._lines.values():
            copper.user = None

    # ---- the far end

    def level(self, line: str) -> bool:
        """The electrical level, whatever the program sees of it."""
        return self._line(line).level

    def touch(self, line: str, level: bool | None, now_ms: int) -> None:
        """A contact puts `level` on the line, or lets it go (None)."""
        copper = self._line(line)
        before = copper.level
        copper.contact = level
        self._tell(line, before, now_ms)

    def fit_resistor(self, line: str, level: bool) -> None:
        self._line(line).resistor = level

    def lose(self, chip: str, now_ms: int) -> None:
        """The chip vanishes, and with it what its outputs did."""
        if chip in self._lost:
            return
        self._lost.add(chip)
        self._mute.discard(chip)
        self._forget(chip, now_ms)
        for line, copper in self._lines.items():
            if chip_of(line) == chip:
                copper.user = None
        for watcher in [*self._watchers, *self._banks]:
            watcher.lost(chip, now_ms)

    def restore(self, chip: str, now_ms: int) -> None:
        if chip in self._lost:
            self._lost.remove(chip)
            for watcher in [*self._watchers, *self._banks]:
                watcher.restored(chip, now_ms)

    def silence(self, chip: str, mute: bool, now_ms: int) -> None:
        """The expander stops answering on its bus: the kernel reads all low and writes into nothing."""
        if mute == (chip in self._mute):
            return
        (self._mute.add if mute else self._mute.discard)(chip)
        for watcher in [*self._watchers, *self._banks]:
            watcher.silenced(chip, now_ms)

    def forget_outputs(self, chip: str, now_ms: int) -> None:
        """The chip's outputs fall low and nobody has told the program."""
        for line, copper in self._lines.items():
            if chip_of(line) == chip and copper.output:
                copper.output = False
                self._tell(line, True, now_ms)

    def is_lost(self, chip: str) -> bool:
        return chip in self._lost

    # ---- the program's end

    def size(self, chip: str) -> int:
        self._check(chip)
        return self.chips[chip]

    def user_of(self, line: str) -> str:
        return self._line(line).user or ""

    def claim(self, line: str, user: str) -> None:
        chip, offset = split_line(line)
        self._check(chip)
        if offset >= self.chips[chip]:
            raise OSError(errno.EINVAL, f"{line} does not exist")
        copper = self._line(line)
        if copper.user is not None:
            raise OSError(errno.EBUSY, f"{line} is held by {copper.user}")
        copper.user = user

    def free(self, line: str) -> None:
        """The line keeps its level, as on a Raspberry Pi."""
        self._line(line).user = None

    def as_input(self, line: str, pull: Pull) -> None:
        copper = self._line(line)
        copper.pull, copper.output = pull, None

    def read(self, line: str) -> bool:
        self._check(chip_of(line))
        return chip_of(line) not in self._mute and self._line(line).level

    def put(self, line: str, level: bool, now_ms: int) -> None:
        """Drive an output."""
        chip = chip_of(line)
        self._check(chip)
        if chip in self._mute:
            return
        copper = self._line(line)
        before = copper.level
        copper.output = level
        self._tell(line, before, now_ms)

    def hears(self, line: str) -> bool:
        """Whether the chip gives edges now."""
        return chip_of(line) not in self._mute and chip_of(line) not in self._lost

    def _check(self, chip: str) -> None:
        if chip not in self.chips or chip in self._lost:
            raise OSError(errno.ENODEV, f"{chip} is not there")

    def _line(self, line: str) -> Copper:
        if line not in self._lines:
            self._lines[line] = Copper()
        return self._lines[line]

    def _forget(self, chip: str, now_ms: int) -> None:
        for line, copper in self._lines.items():
            if chip_of(line) == chip and copper.output is not None:
                before = copper.level
                copper.output = None
                self._tell(line, before, now_ms, driven=True)

    def _tell(self, line: str, before: bool, now_ms: int, *, driven: bool = False) -> None:
        copper = self._lines[line]
        level = copper.level
        if level == before:
            return
        if driven or copper.output is not None:
            self.log.append(OutputChange(now_ms, line, level))
        for watcher in [*self._watchers, *self._banks]:
            watcher.moved(line, level, now_ms)


def _size(chip: str) -> int:
    if is_header(chip):
        return HEADER_LINES.get(label_of(chip), 54)
    return EXPANDER_LINES if is_expander(chip) else OTHER_LINES
