"""The chips under a panel: opened together with all their lines, given up together, opened again.

Nothing here raises. A line of a chip that is not there reads as None and swallows writes; the reasons
are kept for the panel's BOARD_LOST.

Calls on lines are answered at once, or after a second each when something holds the I2C bus low (the
kernel waits that long, and an expander then reads as low). The program has one loop, so a call of
`SLOW_CALL_MS` is the last one to any expander until `SLOW_SHARE` times its length has passed: a bus that
hangs takes a tenth of the loop's time at most, whatever it has on it. Its lines stay open meanwhile: to
close them would ask the same bus, once for each line.
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
SLOW_CALL_MS = 500
SLOW_SHARE = 10


@dataclass(slots=True)
class PanelChip:
    """One chip. `why` is the text of its last failure, "" while nothing is wrong."""

    chip: str
    inputs: list[InputLine] = field(default_factory=list)
    outputs: list[OutputLine] = field(default_factory=list)
    is_open: bool = False
    requested: set[str] = field(default_factory=set)  # lines that the bank has open
    why: str = ""
    retry_at: int = 0
    wait_ms: int = RETRY_FIRST_MS


class Boards:
    """All chips of a panel. `note(now_ms, text)` is told when one is opened or given up. `clock`: ms that go
    on while a call to the bank lasts."""

    def __init__(
        self, options: Options, bank: Bank, note: Callable[[int, str], None], clock: Callable[[], int]
    ) -> None:
        self._bank = bank
        self._clock = clock
        self._note = note
        self._rest_high = options.resistors.rest_high
        self._boards = {chip_of(line): PanelChip(chip_of(line)) for _, line in options.lines()}
        self._board_of = {line: self._boards[chip_of(line)] for _, line in options.lines()}
        for name, line in options.inputs.items():
            self._boards[chip_of(line)].inputs.append(options.input_line(name))
        for output in options.output_lines():
            self._boards[chip_of(output.line)].outputs.append(output)
        self._with_inputs = [board for board in self._boards.values() if board.inputs]
        self._closed = list(self._boards.values())
        self._lost: list[PanelChip] = []
        self._written: dict[str, bool] = {}  # level last written to each output that is open

    def open_due(self, now_ms: int) -> list[PanelChip]:
        """Open what is not open and may be tried again. Returns the boards that are open now."""
        if not self._closed:
            return []
        due = [board for board in self._closed if now_ms >= board.retry_at]
        # One that is found to hang takes the others of its bus out of the row.
        return [board for board in due if now_ms >= board.retry_at and self._open(board, now_ms)]

    @property
    def missing(self) -> bool:
        """Some board is not open."""
        return bool(self._closed)

    def retry_times(self) -> list[int]:
        return [board.retry_at for board in self._closed]

    def reasons(self) -> list[str]:
        """Why each board that is not open is not."""
        return [board.why for board in self._closed]

    def take_lost(self) -> list[PanelChip]:
        """The boards that were open and have been given up since the last call."""
        lost, self._lost = self._lost, []
        return lost

    def is_open(self, line: str) -> bool:
        return self._board_of[line].is_open

    def with_inputs(self) -> list[PanelChip]:
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
        began_ms = self._clock()
        try:
            level = self._bank.read(line)
        except BankError as error:
            self._give_up(self._boards[error.chip], str(error), now_ms)
            return None
        return None if self._hangs(self._board_of[line], began_ms, now_ms) else level

    def write(self, line: str, active: bool, now_ms: int, *, again: bool = False) -> None:
        """Set an output if it is not there yet, or `again` although it should be."""
        if not self._board_of[line].is_open or (self._written.get(line) == active and not again):
            return
        began_ms = self._clock()
        try:
            self._bank.write(line, active, now_ms)
        except BankError as error:
            self._give_up(self._boards[error.chip], str(error), now_ms)
            return
        if not self._hangs(self._board_of[line], began_ms, now_ms):
            self._written[line] = active

    def given_up_as_mute(self, line: str, now_ms: int) -> bool:
        """Look whether the expander of a line that was just read has stopped answering.

        The kernel reads a silent expander as low on every line: under pull-ups that is each button of
        the seat pressed in the same moment.
        """
        board = self._boards[chip_of(line)]
        began_ms = self._clock()
        try:
            mute = self._is_mute(board)
        except BankError as error:
            self._give_up(board, str(error), now_ms)
            return True
        if self._hangs(board, began_ms, now_ms):
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

    def _open(self, board: PanelChip, now_ms: int) -> bool:
        try:
            if not self._request(board, now_ms):
                return False
            began_ms = self._clock()
            mute = self._is_mute(board)
        except BankError as error:
            self._give_up(board, str(error), now_ms)
            return False
        if self._hangs(board, began_ms, now_ms):
            return False
        if mute:
            self._give_up(board, _mute_text(board), now_ms)
            return False
        board.is_open = True
        self._closed.remove(board)
        board.why, board.wait_ms = "", RETRY_FIRST_MS
        self._note(now_ms, f"{board.chip} opened")
        return True

    def _request(self, board: PanelChip, now_ms: int) -> bool:
        """Open the lines that are not open yet; False when the chip hangs. BankError. Where all are open (it
        did hang), one is read: does it answer again?"""
        wanted_lines: list[InputLine | OutputLine] = [*board.inputs, *board.outputs]
        for wanted in [each for each in wanted_lines if each.line not in board.requested]:
            began_ms = self._clock()
            if isinstance(wanted, InputLine):
                self._bank.request_input(wanted)
            else:
                self._bank.request_output(wanted, now_ms)
                self._written[wanted.line] = False
            board.requested.add(wanted.line)
            if self._hangs(board, began_ms, now_ms):
                return False
        began_ms = self._clock()
        self._bank.read(wanted_lines[0].line)
        return not self._hangs(board, began_ms, now_ms)

    def _hangs(self, board: PanelChip, began_ms: int, now_ms: int) -> bool:
        """The call that began at `began_ms` has taken so long that no other may follow: leave the chip alone,
        and all expanders with one, because they share the bus."""
        took_ms = self._clock() - began_ms
        if took_ms < SLOW_CALL_MS:
            return False
        shared = [one for one in self._boards.values() if is_expander(one.chip)]
        for one in shared if is_expander(board.chip) else [board]:
            why = f"{board.chip} has kept the program waiting for {took_ms} ms; {_hang_remedy(board)}"
            if why != one.why and one is board:
                self._note(now_ms, why)
            self._close(one, why)
            one.retry_at = now_ms + (1 + SLOW_SHARE) * took_ms
            for output in one.outputs:
                self._written.pop(output.line, None)  # nobody knows
        return True

    def _is_mute(self, board: PanelChip) -> bool:
        """Whether all its inputs read low. A slow answer ends it: the caller finds that the chip hangs."""
        if not is_expander(board.chip) or not self._rest_high or len(board.inputs) < MUTE_LEAST:
            return False
        for wanted in board.inputs:
            began_ms = self._clock()
            # A contact that pulls its line low is active where the line is active-low, and only there.
            low = self._bank.read(wanted.line) == wanted.active_low
            if not low or self._clock() - began_ms >= SLOW_CALL_MS:
                return False
        return True

    def _close(self, board: PanelChip, why: str) -> None:
        if board.is_open:
            self._lost.append(board)
            self._closed.append(board)
        board.is_open = False
        board.why = why

    def _give_up(self, board: PanelChip, why: str, now_ms: int) -> None:
        if why != board.why:  # one line in the log for each cause, not one for each try
            self._note(now_ms, why)
        self._close(board, why)
        self._bank.drop(board.chip)
        board.requested.clear()
        board.retry_at = now_ms + board.wait_ms
        board.wait_ms = min(2 * board.wait_ms, RETRY_MOST_MS)
        for output in board.outputs:
            self._written.pop(output.line, None)


def _hang_remedy(board: PanelChip) -> str:
    return "something holds the I2C bus low" if is_expander(board.chip) else "check the board"


def _mute_text(board: PanelChip) -> str:
    return f"{board.chip} does not answer (all its lines are low); check its cable and supply"
