"""A bank in memory: the driver sits on the copper itself, in the same process.

It knows every edge and its time, so nothing is polled and a virtual day costs what is done in it. It also
knows when an output has changed behind the driver's back, and asks for a refresh only then.
"""

from __future__ import annotations

import errno
import os

from drivers.bank import BankError, Edges, InputLine, OutputLine, chip_of
from drivers.sim.gpio.board import Board

NO_EDGES = Edges()


class MemoryBank:
    """drivers.bank.Bank straight on the copper. The driver's time begins at `began_ms` of the far end's."""

    def __init__(self, board: Board, began_ms: int = 0) -> None:
        self._board = board
        self._began_ms = began_ms
        self._lines: dict[str, InputLine | OutputLine] = {}
        self._written: dict[str, bool] = {}  # output -> level that the program put there
        self._strayed: set[str] = set()  # outputs that have another level now
        self._edges: dict[str, int] = {}  # input -> time of its first edge that was not told; one each
        self._lost: dict[str, int] = {}
        board.watch_as_bank(self)

    @property
    def needs_polling(self) -> bool:
        return bool(self._strayed)

    @property
    def changed_at(self) -> int | None:
        if not self._edges and not self._lost:
            return None
        return min([*self._edges.values(), *self._lost.values()]) - self._began_ms

    def request_input(self, wanted: InputLine) -> None:
        self._claim(wanted.line, wanted.user)
        self._board.as_input(wanted.line, wanted.pull)
        self._lines[wanted.line] = wanted

    def request_output(self, wanted: OutputLine, now_ms: int) -> None:
        self._claim(wanted.line, wanted.user)
        self._lines[wanted.line] = wanted
        self._put(wanted.line, wanted.active_low, now_ms)

    def read(self, line: str) -> bool:
        try:
            return self._board.read(line) != self._wanted(line).active_low
        except OSError as error:
            raise self._gone(line, error) from None

    def write(self, line: str, active: bool, now_ms: int) -> None:
        try:
            self._put(line, active != self._wanted(line).active_low, now_ms)
        except OSError as error:
            raise self._gone(line, error) from None

    def edges(self) -> Edges:
        if not self._edges and not self._lost:
            return NO_EDGES
        moved, self._edges = self._edges, {}
        lost, self._lost = self._lost, {}
        gone = OSError(errno.ENODEV, "")
        return Edges(tuple(moved), tuple(self._gone(f"{chip}:0", gone) for chip in lost))

    def drop(self, chip: str) -> None:
        for line in [line for line in self._lines if chip_of(line) == chip]:
            del self._lines[line]
            self._edges.pop(line, None)
            self._written.pop(line, None)
            self._strayed.discard(line)
            self._board.free(line)

    def fileno(self) -> int | None:
        return None

    def close(self) -> None:
        for chip in self._board.chips:
            self.drop(chip)

    def moved(self, line: str, level: bool, now_ms: int) -> None:
        match self._lines.get(line):
            case InputLine() if self._board.hears(line):
                self._edges.setdefault(line, now_ms)
            case OutputLine() if level != self._written[line]:
                self._strayed.add(line)

    def lost(self, chip: str, now_ms: int) -> None:
        if any(chip_of(line) == chip for line in self._lines):
            self._lost[chip] = now_ms

    def restored(self, chip: str, now_ms: int) -> None:
        """The owner tries again by itself."""

    def silenced(self, chip: str, now_ms: int) -> None:
        for line in [line for line in self._lines if chip_of(line) == chip]:
            if line not in self._written:
                self._edges.setdefault(line, now_ms)
            elif self._board.level(line) != self._written[line]:
                self._strayed.add(line)

    def _wanted(self, line: str) -> InputLine | OutputLine:
        if line not in self._lines:
            raise OSError(errno.ENODEV, "the line is closed")
        return self._lines[line]

    def _put(self, line: str, level: bool, now_ms: int) -> None:
        self._written[line] = level
        self._board.put(line, level, now_ms + self._began_ms)
        self._strayed.discard(line)

    def _claim(self, line: str, user: str) -> None:
        try:
            self._board.claim(line, user)
        except OSError as error:
            if error.errno == errno.EBUSY:
                why = f"it is in use by '{self._board.user_of(line)}'"
                raise BankError(line, why, "stop that program or wire another line") from None
            raise self._gone(line, error) from None

    def _gone(self, line: str, error: OSError) -> BankError:
        self.drop(chip_of(line))
        why = f"the chip is gone ({os.strerror(error.errno or 0)})"
        return BankError(line, why, "check its cable and supply", chip_lost=True)
