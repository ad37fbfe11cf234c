"""The chips under a panel: opened together with all their lines, given up together, opened again.

Nothing here raises. A line of a chip that is not there reads as None and swallows writes; the reasons
are kept for the panel's BOARD_LOST.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from drivers.bank import Bank, BankError, InputLine, OutputLine, chip_of
from drivers.panel.wiring import Options, is_expander

RETRY_FIRST_MS = 1_000
RETRY_MOST_MS = 10_000
# An expander that does not answer reads as all low. That many of its buttons are never held at once.
MUTE_LEAST = 4


@dataclass(slots=True)
class Board:
    """One chip. `why` is the text of its last failure, "" while nothing is wrong."""

    chip: str
    inputs: list[InputLine] = field(default_factory=list)
    outputs: list[OutputLine] = field(default_factory=list)
    is_open: bool = False
    why: str = ""
    retry_at: int = 0
    wait_ms: int = RETRY_FIRST_MS


class Boards:
    """All chips of a panel. `note(now_ms, text)` is told when one is opened or given up."""

    def __init__(self, options: Options, bank: Bank, note: Callable[[int, str], None]) -> None:
        self._bank = bank
        self._note = note
        self._rest_high = options.resistors.rest_high
        self._boards = {chip_of(line): Board(chip_of(line)) for _, line in options.lines()}
        self._board_of = {line: self._boards[chip_of(line)] for _, line in options.lines()}
        for name, line in options.inputs.items():
            self._boards[chip_of(line)].inputs.append(options.input_line(name))
        for output in options.output_lines():
            self._boards[chip_of(output.line)].outputs.append(output)
        self._with_inputs = [board for board in self._boards.values() if board.inputs]
        self._closed = list(self._boards.values())
        self._lost: list[Board] = []
        self._written: dict[str, bool] = {}  # level last written to each output that is open

    def open_due(self, now_ms: int) -> list[Board]:
        """Open what is not open and may be tried again. Returns the boards that are open now."""
        if not self._closed:
            return []
        due = [board for board in self._closed if now_ms >= board.retry_at]
        return [board for board in due if self._open(board, now_ms)]

    @property
    def missing(self) -> bool:
        """Some board is not open."""
        return bool(self._closed)

    def retry_times(self) -> list[int]:
        return [board.retry_at for board in self._closed]

    def reasons(self) -> list[str]:
        """Why each board that is not open is not."""
        return [board.why for board in self._closed]

    def take_lost(self) -> list[Board]:
        """The boards that were open and have been given up since the last call."""
        lost, self._lost = self._lost, []
        return lost

    def is_open(self, line: str) -> bool:
        return self._board_of[line].is_open

    def with_inputs(self) -> list[Board]:
        return self._with_inputs

    def edges(self, now_ms: int) -> tuple[str, ...]:
        """The lines that moved since the last call."""
        found = self._bank.edges()
        for error in found.lost:
            self._give_up(self._boards[error.chip], str(error), now_ms)
        return found.lines

    def read(self, line: str, now_ms: int) -> bool | None:
        if not self.is_open(line):
            return None
        try:
            return self._bank.read(line)
        except BankError as error:
            self._give_up(self._boards[error.chip], str(error), now_ms)
            return None

    def write(self, line: str, active: bool, now_ms: int, *, again: bool = False) -> None:
        """Set an output if it is not there yet, or `again` although it should be."""
        if not self._board_of[line].is_open or (self._written[line] == active and not again):
            return
        try:
            self._bank.write(line, active, now_ms)
            self._written[line] = active
        except BankError as error:
            self._give_up(self._boards[error.chip], str(error), now_ms)

    def given_up_as_mute(self, line: str, now_ms: int) -> bool:
        """Look whether the expander of a line that was just read has stopped answering.

        The kernel reads a silent expander as low on every line: under pull-ups that is each button of
        the seat pressed in the same moment.
        """
        board = self._boards[chip_of(line)]
        try:
            mute = self._is_mute(board)
        except BankError as error:
            self._give_up(board, str(error), now_ms)
            return True
        if mute:
            self._give_up(board, _mute_text(board), now_ms)
        return mute

    def close(self, now_ms: int) -> None:
        """Let every output go dark, then close all lines."""
        for line, active in list(self._written.items()):
            if active:
                self.write(line, False, now_ms)
        self._bank.close()

    def _open(self, board: Board, now_ms: int) -> bool:
        try:
            for wanted in board.inputs:
                self._bank.request_input(wanted)
            for output in board.outputs:
                self._bank.request_output(output, now_ms)
            mute = self._is_mute(board)
        except BankError as error:
            self._give_up(board, str(error), now_ms)
            return False
        if mute:
            self._give_up(board, _mute_text(board), now_ms)
            return False
        board.is_open = True
        self._closed.remove(board)
        self._written.update((output.line, False) for output in board.outputs)
        board.why, board.wait_ms = "", RETRY_FIRST_MS
        self._note(now_ms, f"{board.chip} opened")
        return True

    def _is_mute(self, board: Board) -> bool:
        if not is_expander(board.chip) or not self._rest_high or len(board.inputs) < MUTE_LEAST:
            return False
        # A contact that pulls its line low is active where the line is active-low, and only there.
        return all(self._bank.read(wanted.line) == wanted.active_low for wanted in board.inputs)

    def _give_up(self, board: Board, why: str, now_ms: int) -> None:
        if why != board.why:  # one line in the log for each cause, not one for each try
            self._note(now_ms, why)
        if board.is_open:
            self._lost.append(board)
            self._closed.append(board)
        self._bank.drop(board.chip)
        board.is_open = False
        board.why = why
        board.retry_at = now_ms + board.wait_ms
        board.wait_ms = min(2 * board.wait_ms, RETRY_MOST_MS)
        for output in board.outputs:
            self._written.pop(output.line, None)


def _mute_text(board: Board) -> str:
    return f"{board.chip} does not answer (all its lines are low); check its cable and supply"
