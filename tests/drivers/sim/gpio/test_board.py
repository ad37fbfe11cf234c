"""The copper: who pulls, who drives, who is told."""

from __future__ import annotations

import errno

import pytest

from drivers.bank import BankError, InputLine, OutputLine, Pull
from drivers.sim.gpio.bank import MemoryBank
from drivers.sim.gpio.board import LOG_MOST, Board, OutputChange
from support.devices.panels import HEADER, options

LINE = "mcp23017@20:3"
BUTTON = InputLine(LINE, "seat1.hit", Pull.UP, active_low=True)
LAMP = OutputLine("mcp23017@20:11", "seat1.hit", active_low=False)


def board() -> Board:
    return Board({HEADER: 58, "mcp23017@20": 16})


def test_a_board_has_the_chips_of_its_panels() -> None:
    made = Board.of(options(2))
    assert made.chips == {HEADER: 58, "mcp23017@20": 16, "mcp23017@27": 16, "mcp23017@21": 16}
    plain = {
        "inputs": {"door.main": "usb-io:5", "key.service": "pinctrl-other:4"},
        "outputs": {},
        "meters": {},
    }
    assert Board.of(options(0, **plain)).chips == {"usb-io": 64, "pinctrl-other": 54}


def test_an_output_wins_over_a_contact_a_contact_over_a_resistor_a_resistor_over_the_pull() -> None:
    made = board()
    assert not made.level(LINE)
    made.as_input(LINE, Pull.UP)
    levels = [made.level(LINE)]
    made.fit_resistor(LINE, False)
    levels.append(made.level(LINE))
    made.touch(LINE, True, 0)
    levels.append(made.level(LINE))
    made.put(LINE, False, 0)
    levels.append(made.level(LINE))
    made.touch(LINE, None, 0)
    made.as_input(LINE, Pull.DOWN)
    levels.append(made.level(LINE))
    assert levels == [True, False, True, False, False]


def test_only_changes_of_outputs_are_logged() -> None:
    made = board()
    made.touch(LINE, True, 1)
    for at_ms, level in ((2, False), (3, True), (4, True), (5, False)):
        made.put(LAMP.line, level, at_ms)
    assert list(made.log) == [OutputChange(3, LAMP.line, True), OutputChange(5, LAMP.line, False)]


def test_the_log_has_a_bound() -> None:
    made = board()
    for at_ms in range(LOG_MOST + 10):
        made.put(LAMP.line, at_ms % 2 == 0, at_ms)
    assert len(made.log) == LOG_MOST
    assert made.log[-1].at_ms == LOG_MOST + 9


@pytest.mark.parametrize(
    ("line", "number"),
    [("mcp23017@20:16", errno.EINVAL), ("mcp23017@21:1", errno.ENODEV), (LINE, errno.EBUSY)],
)
def test_claims_fail_as_in_the_kernel(line: str, number: int) -> None:
    made = board()
    made.claim(LINE, "old-firmware")
    with pytest.raises(OSError, match=r"mcp23017") as caught:
        made.claim(line, "seat1.hit")
    assert caught.value.errno == number


def test_a_lost_chip_frees_its_lines_and_drops_its_outputs() -> None:
    made = board()
    made.claim(LAMP.line, "seat1.hit")
    made.put(LAMP.line, True, 1)
    made.lose("mcp23017@20", 2)
    made.lose("mcp23017@20", 3)
    assert made.is_lost("mcp23017@20")
    assert not made.level(LAMP.line)
    assert made.log[-1] == OutputChange(2, LAMP.line, False)
    with pytest.raises(OSError, match="not there"):
        made.read(LAMP.line)
    made.restore("mcp23017@20", 4)
    made.restore("mcp23017@20", 5)
    made.claim(LAMP.line, "seat1.hit")
    assert made.read(LAMP.line) is False


def test_a_silent_expander_reads_low_and_takes_nothing() -> None:
    made = board()
    made.as_input(LINE, Pull.UP)
    made.silence("mcp23017@20", True, 0)
    made.put(LAMP.line, True, 1)
    assert (made.read(LINE), made.level(LINE), made.level(LAMP.line)) == (False, True, False)
    made.silence("mcp23017@20", False, 2)
    assert made.read(LINE)


def test_a_memory_bank_tells_when_its_first_edge_was() -> None:
    made = board()
    bank = MemoryBank(made)
    bank.request_input(BUTTON)
    bank.request_output(LAMP, 0)
    times = [bank.changed_at]
    made.touch(LINE, False, 7)
    made.touch(LINE, None, 9)
    bank.write(LAMP.line, True, 9)
    times.append(bank.changed_at)
    assert bank.edges().lines == (LINE,)
    assert [*times, bank.changed_at] == [None, 7, None]
    assert bank.read(LINE) is False
    assert bank.read(LAMP.line) is True


def test_a_memory_bank_fails_like_a_kernel_bank() -> None:
    made = board()
    bank = MemoryBank(made)
    made.claim(LINE, "old-firmware")
    with pytest.raises(BankError, match="in use by 'old-firmware'"):
        bank.request_input(BUTTON)
    made.free(LINE)
    bank.request_input(BUTTON)
    bank.request_output(LAMP, 0)
    made.lose("mcp23017@20", 3)
    assert bank.changed_at == 3
    with pytest.raises(BankError, match="the chip is gone"):
        bank.read(LINE)
    with pytest.raises(BankError, match="the chip is gone") as caught:
        bank.write(LAMP.line, True, 3)
    assert caught.value.chip_lost
    assert [error.chip for error in bank.edges().lost] == ["mcp23017@20"]
    with pytest.raises(BankError, match="the chip is gone"):
        bank.request_input(BUTTON)


def test_a_memory_bank_asks_for_a_refresh_only_while_an_output_has_strayed() -> None:
    made = board()
    bank = MemoryBank(made)
    bank.request_output(LAMP, 0)
    bank.write(LAMP.line, True, 0)
    asked = [bank.needs_polling]
    made.forget_outputs("mcp23017@20", 1)
    asked.append(bank.needs_polling)
    bank.write(LAMP.line, True, 2)
    asked.append(bank.needs_polling)
    made.silence("mcp23017@20", True, 3)
    bank.write(LAMP.line, False, 3)
    made.silence("mcp23017@20", False, 4)
    asked.append(bank.needs_polling)
    bank.write(LAMP.line, False, 5)
    assert [*asked, bank.needs_polling] == [False, True, False, True, False]
    assert not made.level(LAMP.line)


def test_a_memory_bank_looks_at_its_inputs_when_a_chip_falls_silent_or_speaks_again() -> None:
    made = board()
    bank = MemoryBank(made)
    bank.request_input(BUTTON)
    for mute in (True, False):
        made.silence("mcp23017@20", mute, 3)
        made.silence("mcp23017@20", mute, 4)
        assert bank.changed_at == 3
        assert bank.edges().lines == (LINE,)


def test_a_program_that_dies_leaves_its_lines_free_and_its_lamps_lit() -> None:
    made = board()
    bank = MemoryBank(made)
    bank.request_input(BUTTON)
    bank.request_output(LAMP, 0)
    bank.write(LAMP.line, True, 0)
    made.host_gone()
    made.touch(LINE, False, 5)
    assert bank.changed_at is None
    assert made.level(LAMP.line)
    successor = MemoryBank(made)
    successor.request_input(BUTTON)
    assert successor.read(LINE) is True
