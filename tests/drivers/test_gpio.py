"""The kernel's GPIO lines through python-periphery: what is asked for, and what is said when it fails."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from drivers.bank import Bank, BankError, InputLine, OutputLine, Pull
from drivers.gpio import CdevBank, ChipNode, KernelChips, LineHandle, open_bank
from drivers.sim.gpio.board import Board
from drivers.sim.gpio.socket_bank import open_bank_at
from support.devices.ioctl_shim import IoctlShim
from support.devices.panels import ServerThread

HEADER, FIRST, SECOND = "pinctrl-bcm2711", "mcp23017@20", "mcp23017@3-0021"
BUTTON = InputLine(f"{FIRST}:3", "seat1.hit", Pull.UP, active_low=True)
DOOR = InputLine(f"{HEADER}:16", "door.main", Pull.UP, active_low=False)
LAMP = OutputLine(f"{FIRST}:11", "seat1.hit", active_low=False)


class Bench:
    def __init__(self, board: Board, shim: IoctlShim) -> None:
        self.board = board
        self.shim = shim
        self.bank = open_bank()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    board = Board({HEADER: 58, FIRST: 16, SECOND: 16, "odd": 4})
    server = ServerThread(tmp_path / "gpio", board, lambda: 0)
    bench = Bench(board, IoctlShim(monkeypatch, tmp_path / "gpio"))
    yield bench
    bench.bank.close()
    bench.shim.hang_up()
    monkeypatch.undo()
    server.close()


def readable(bank: Bank) -> bool:
    fd = bank.fileno()
    assert fd is not None
    return bool(select.select([fd], [], [], 0)[0])


def test_chips_are_known_by_label_and_parent_device(bench: Bench) -> None:
    nodes, denied = KernelChips().scan()
    assert nodes == [
        ChipNode("/dev/gpiochip0", "pinctrl-bcm2711", "fe200000.gpio"),
        ChipNode("/dev/gpiochip1", "mcp23017", "1-0020"),
        ChipNode("/dev/gpiochip2", "mcp23017", "3-0021"),
        ChipNode("/dev/gpiochip3", "odd", "fe200000.gpio"),
    ]
    assert denied == []


def test_no_chips_on_a_machine_without_any() -> None:
    nodes, _denied = KernelChips().scan()
    assert all(node.path.startswith("/dev/gpiochip") for node in nodes)
    assert KernelChips()._device(99) == ""


def test_an_input_tells_its_edges_and_its_level(bench: Bench) -> None:
    bench.bank.request_input(BUTTON)
    assert not readable(bench.bank)
    assert bench.bank.read(BUTTON.line) is False  # the pull-up holds it, and low is active
    bench.board.touch(BUTTON.line, False, 5)
    assert readable(bench.bank)
    assert bench.bank.edges().lines == (BUTTON.line,)
    assert bench.bank.read(BUTTON.line) is True
    assert bench.bank.edges().lines == ()
    assert not readable(bench.bank)


def test_a_storm_of_edges_is_one_moved_line_and_the_last_level(bench: Bench) -> None:
    bench.bank.request_input(BUTTON)
    bench.bank.request_input(DOOR)
    for at in range(101):
        bench.board.touch(BUTTON.line, bool(at % 2), at)
    bench.board.touch(DOOR.line, False, 200)
    assert set(bench.bank.edges().lines) == {BUTTON.line, DOOR.line}
    assert not readable(bench.bank)
    assert bench.bank.read(BUTTON.line) is True


def test_an_output_starts_dark_whatever_its_polarity(bench: Bench) -> None:
    inverted = OutputLine(f"{FIRST}:12", "seat1.stand", active_low=True)
    bench.board.touch(inverted.line, True, 0)
    bench.bank.request_output(LAMP, 0)
    bench.bank.request_output(inverted, 0)
    assert (bench.board.level(LAMP.line), bench.board.level(inverted.line)) == (False, True)
    assert list(bench.board.log) == []
    for line in (LAMP.line, inverted.line):
        bench.bank.write(line, True, 0)
        assert bench.bank.read(line) is True
    assert (bench.board.level(LAMP.line), bench.board.level(inverted.line)) == (True, False)


def test_the_user_of_a_line_can_be_seen_from_outside(bench: Bench) -> None:
    bench.bank.request_input(BUTTON)
    assert KernelChips().user_of("/dev/gpiochip1", 3) == "seat1.hit"
    assert KernelChips().user_of("/dev/gpiochip1", 4) == ""
    with pytest.raises(OSError, match=r"(?i)invalid argument"):
        KernelChips().user_of("/dev/gpiochip1", 16)


def refusal(bench: Bench, line: str) -> BankError:
    with pytest.raises(BankError) as caught:
        bench.bank.request_input(InputLine(line, "seat1.hit", Pull.UP, active_low=True))
    assert caught.value.line == line
    assert caught.value.chip == line.rpartition(":")[0]
    assert str(caught.value) == f"{line}: {caught.value.why}; {caught.value.remedy}"
    return caught.value


def test_a_busy_line_is_refused_with_its_user_and_leaks_nothing(bench: Bench) -> None:
    bench.board.claim(BUTTON.line, "old-firmware")
    bench.board.claim(LAMP.line, "old-firmware")
    assert refusal(bench, BUTTON.line).why == "it is in use by 'old-firmware'"
    with pytest.raises(BankError, match="in use by 'old-firmware'"):
        bench.bank.request_output(LAMP, 0)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        refusal(bench, BUTTON.line)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize(
    ("line", "why", "lost"),
    [
        ("mcp23017@22:3", "there is no chip mcp23017@22 (found: pinctrl-bcm2711@fe200000.gpio, ", True),
        ("mcp23017:3", "several chips fit", False),
        (f"{FIRST}:16", "the chip refuses the line", False),
    ],
)
def test_a_line_that_is_not_there_is_refused_with_what_is(
    bench: Bench, line: str, why: str, lost: bool
) -> None:
    error = refusal(bench, line)
    assert error.why.startswith(why)
    assert error.chip_lost == lost


def test_a_chip_that_may_not_be_opened_asks_for_the_group(bench: Bench) -> None:
    bench.shim.denied = True
    error = refusal(bench, BUTTON.line)
    assert "/dev/gpiochip1 may not be opened" in str(error) or "/dev/gpiochip0, " in str(error)
    assert "group gpio" in error.remedy


def test_an_unplugged_chip_is_told_once_and_its_lines_are_closed(bench: Bench) -> None:
    bench.bank.request_input(BUTTON)
    bench.bank.request_output(LAMP, 0)
    bench.bank.request_input(DOOR)
    bench.board.touch(BUTTON.line, False, 1)
    bench.board.lose(FIRST, 2)
    found = bench.bank.edges()
    assert [error.chip for error in found.lost] == [FIRST]
    assert found.lost[0].chip_lost
    assert "No such device" in found.lost[0].why
    assert not readable(bench.bank)
    for act in (lambda: bench.bank.read(BUTTON.line), lambda: bench.bank.write(LAMP.line, True, 3)):
        with pytest.raises(BankError, match="the chip is gone"):
            act()
    assert bench.bank.read(DOOR.line) is True


@pytest.mark.parametrize("is_write", [False, True])
def test_a_call_on_an_unplugged_chip_finds_it_lost(bench: Bench, is_write: bool) -> None:
    bench.bank.request_input(BUTTON)
    bench.bank.request_output(LAMP, 0)
    bench.board.lose(FIRST, 2)
    act = partial(bench.bank.write, LAMP.line, True, 2) if is_write else partial(bench.bank.read, BUTTON.line)
    with pytest.raises(BankError) as caught:
        act()
    assert caught.value.chip_lost
    assert bench.bank.edges().lost == ()


def test_a_chip_that_comes_back_is_found_by_its_name_under_another_number(bench: Bench) -> None:
    bench.bank.request_input(BUTTON)
    for chip in (HEADER, FIRST):
        bench.board.lose(chip, 1)
    bench.bank.edges()
    for chip in (FIRST, HEADER):
        bench.board.restore(chip, 2)
    assert [node.device for node in KernelChips().scan()[0]][:2] == ["1-0020", "fe200000.gpio"]
    bench.bank.request_input(BUTTON)
    assert bench.bank.read(BUTTON.line) is False


def test_an_eighth_expander_of_a_pi_5_is_found(tmp_path: Path) -> None:
    """It has gpiochip21: the board's own chips go up to 13."""
    own = {f"own{number}": 4 for number in range(14)}
    board = Board(own | {f"mcp23017@2{number}": 16 for number in range(8)})
    server = ServerThread(tmp_path / "pi5", board, lambda: 0)
    bank = open_bank_at(tmp_path / "pi5")
    bank.request_input(InputLine("mcp23017@27:3", "seat1.hit", Pull.UP, active_low=True))
    assert board.user_of("mcp23017@27:3") == "seat1.hit"
    bank.close()
    server.close()


def test_a_bank_on_the_kernel_has_to_be_polled(bench: Bench) -> None:
    assert bench.bank.needs_polling
    assert bench.bank.changed_at is None


# ---- what only a kernel can do, with chips made for the purpose


class OddHandle:
    """A line of a chip with a fault of its own."""

    def __init__(self, *, event: Exception | None = None, close: Exception | None = None) -> None:
        self.near, self.fd = os.pipe()[::-1]
        self._event, self._close = event, close

    def read(self) -> bool:
        raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def write(self, value: bool) -> None:
        raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def read_event(self) -> object:
        os.read(self.fd, 1)
        if self._event is not None:
            raise self._event
        return None

    def close(self) -> None:
        os.close(self.near)
        os.close(self.fd)
        if self._close is not None:
            raise self._close


class OddChips:
    """One chip that answers every request in its own way."""

    def __init__(self, answer: LineHandle | OSError) -> None:
        self.answer = answer

    def scan(self) -> tuple[list[ChipNode], list[str]]:
        return [ChipNode("/dev/gpiochip0", "mcp23017", "1-0020")], []

    def user_of(self, path: str, offset: int) -> str:
        raise OSError(errno.ENODEV, path)

    def open_input(self, path: str, offset: int, wanted: InputLine) -> LineHandle:
        if isinstance(self.answer, OSError):
            raise self.answer
        return self.answer

    def open_output(self, path: str, offset: int, wanted: OutputLine) -> LineHandle:
        return self.open_input(path, offset, BUTTON)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("number", "words", "lost"),
    [
        (errno.ENXIO, "mcp23017 gives no interrupt; wire its INT pin", False),
        (errno.EBUSY, "it is in use by somebody", False),
        (errno.EPERM, "/dev/gpiochip0 may not be opened; put the program's user into group gpio", False),
        (errno.EREMOTEIO, "the chip is gone (Remote I/O error); check its cable", True),
    ],
)
def test_what_the_kernel_says_becomes_something_to_do(number: int, words: str, lost: bool) -> None:
    bank = CdevBank(OddChips(OSError(number, os.strerror(number))))
    with pytest.raises(BankError) as caught:
        bank.request_input(BUTTON)
    assert words in str(caught.value)
    assert caught.value.chip_lost == lost
    bank.close()


@pytest.mark.parametrize("event", [ValueError("Buffer size too small"), OSError(errno.ENODEV, "gone")])
def test_a_line_without_events_behind_it_is_lost(event: Exception) -> None:
    handle = OddHandle(event=event, close=OSError(errno.ENODEV, "gone"))
    bank = CdevBank(OddChips(handle))
    bank.request_input(BUTTON)
    os.write(handle.near, b"x")
    (error,) = bank.edges().lost
    assert error.chip_lost
    bank.close()


def test_a_bus_that_fails_is_a_lost_chip() -> None:
    bank = CdevBank(OddChips(OddHandle()))
    bank.request_input(BUTTON)
    with pytest.raises(BankError, match=r"the chip is gone \(Remote I/O error\)"):
        bank.read(BUTTON.line)
    bank.close()
