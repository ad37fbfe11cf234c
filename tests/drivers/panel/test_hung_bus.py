"""Something holds the I2C bus low: each call to an expander takes a second and reads low."""

from __future__ import annotations

import pytest

from drivers.bank import InputLine, OutputLine, chip_of
from drivers.device import DeviceEvent, Fault, FaultCleared, FaultRaised, InputChanged, Pattern, PulsesDone
from drivers.panel.boards import SLOW_CALL_MS
from drivers.panel.gpio import GpioPanel
from drivers.panel.wiring import is_expander
from drivers.sim.gpio import MemoryBank
from drivers.sim.gpio.board import Board
from drivers.sim.panel import PanelMachine
from support.devices.panels import options

STEP_MS = 10
CALL_MS = 1_000  # the kernel's own patience with a bus


class HungBank(MemoryBank):
    """The copper behind a bus that may hang. It is asked again and again, as a real chip is."""

    needs_polling = True

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self.hangs = self.slow = False
        self.took_ms = CALL_MS
        self.clock_ms = 0
        self.calls: list[str] = []

    def _called(self, line: str) -> bool:
        """Whether the call has come to nothing. One that is only slow has not."""
        if not ((self.hangs or self.slow) and is_expander(chip_of(line))):
            return False
        self.calls.append(line)
        self.clock_ms += self.took_ms
        return self.hangs

    def request_input(self, wanted: InputLine) -> None:
        self._called(wanted.line)
        super().request_input(wanted)

    def request_output(self, wanted: OutputLine, now_ms: int) -> None:
        self._called(wanted.line)
        super().request_output(wanted, now_ms)

    def read(self, line: str) -> bool:
        if self._called(line):
            return self._wanted(line).active_low  # low, whatever the contact does
        return super().read(line)

    def write(self, line: str, active: bool, now_ms: int) -> None:
        if not self._called(line):
            super().write(line, active, now_ms)

    def drop(self, chip: str) -> None:
        """To close a line asks the bus too."""
        for line in [line for line in self._lines if chip_of(line) == chip]:
            self._called(line)
        super().drop(chip)


class Evening:
    """A table of three seats, whose loop stands still while a call lasts."""

    def __init__(self, seats: int = 3) -> None:
        wired = options(seats)
        self.board = Board.of(wired)
        self.machine = PanelMachine(wired, self.board, seed=1)
        self.bank = HungBank(self.board)
        self.panel = GpioPanel("panel1", wired, self.bank, lambda: self.bank.clock_ms)
        self.stood_ms: list[int] = []  # how long each tick has taken
        self.events: list[DeviceEvent] = []

    @property
    def now_ms(self) -> int:
        return self.bank.clock_ms

    def run(self, ms: int) -> list[DeviceEvent]:
        said: list[DeviceEvent] = []
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms:
            began_ms = self.now_ms
            self.machine.tick(began_ms)
            said += self.panel.tick(began_ms)
            self.stood_ms.append(self.now_ms - began_ms)
            self.bank.clock_ms += STEP_MS
        self.events += said
        return said


def faults(events: list[DeviceEvent]) -> list[str]:
    return [
        type(event).__name__
        for event in events
        if isinstance(event, FaultRaised | FaultCleared) and event.fault is Fault.BOARD_LOST
    ]


def presses(events: list[DeviceEvent]) -> list[tuple[str, bool]]:
    return [(event.name, event.active) for event in events if isinstance(event, InputChanged)]


def test_the_loop_stands_for_one_call_and_the_board_is_told_lost() -> None:
    evening = Evening()
    evening.run(500)
    evening.bank.hangs = True
    said = evening.run(5_000)
    assert faults(said) == ["FaultRaised"]
    (raised,) = [event for event in said if isinstance(event, FaultRaised)]
    assert "holds the I2C bus low" in raised.detail
    assert "1000 ms" in raised.detail
    assert presses(said) == [], "a bus that reads low presses no button"
    assert max(evening.stood_ms) == CALL_MS
    assert len(evening.bank.calls) == 1


@pytest.mark.parametrize("took_ms", [SLOW_CALL_MS, 1_000, 3_000])
def test_a_bus_that_hangs_for_minutes_takes_a_tenth_of_the_time(took_ms: int) -> None:
    evening = Evening(seats=7)
    evening.run(500)
    evening.bank.hangs, evening.bank.took_ms = True, took_ms
    evening.stood_ms.clear()
    evening.run(300_000)
    assert max(evening.stood_ms) == took_ms, "one call of one board, and no other"
    assert sum(evening.stood_ms) <= 300_000 // 10
    assert faults(evening.events) == ["FaultRaised"]


def test_a_bus_that_hangs_at_the_start_lets_the_header_work() -> None:
    evening = Evening()
    evening.bank.hangs = True
    said = evening.run(3_000)
    assert faults(said) == ["FaultRaised"]
    assert max(evening.stood_ms) == CALL_MS
    evening.machine.set("door.main", True, evening.now_ms)
    assert ("door.main", True) in presses(evening.run(500))
    assert max(evening.stood_ms) == CALL_MS


def test_a_bus_that_is_well_again_gives_everything_back() -> None:
    evening = Evening()
    evening.run(500)
    evening.panel.set_outputs({"seat1.hit": Pattern.ON})
    evening.run(100)
    evening.bank.hangs = True
    evening.run(2_000)
    evening.panel.set_outputs({"seat1.stand": Pattern.ON})
    evening.run(15_000)
    evening.bank.hangs = False
    said = evening.run(15_000)
    assert faults(said) == ["FaultCleared"]
    assert evening.machine.seen("seat1.stand", evening.now_ms) is Pattern.ON
    assert evening.machine.seen("seat1.hit", evening.now_ms) is Pattern.OFF
    evening.machine.press("seat1.hit", evening.now_ms)
    assert presses(evening.run(500)) == [("seat1.hit", True), ("seat1.hit", False)]


def test_a_button_that_was_held_is_released_and_pulses_on_the_header_go_on() -> None:
    evening = Evening()
    evening.run(500)
    evening.machine.set("seat1.hit", True, evening.now_ms)
    assert presses(evening.run(100)) == [("seat1.hit", True)]
    evening.panel.pulse("meter.in", 3)
    evening.bank.hangs = True
    said = evening.run(20_000)
    assert presses(said) == [("seat1.hit", False)]
    assert [(event.meter, event.count) for event in said if isinstance(event, PulsesDone)] == [
        ("meter.in", 3)
    ]
    assert evening.machine.counters["meter.in"].count == 3


def test_a_call_that_is_only_a_little_slow_loses_no_board() -> None:
    evening = Evening()
    evening.run(500)
    evening.bank.slow, evening.bank.took_ms = True, 40
    evening.machine.press("seat1.hit", evening.now_ms, hold_ms=3_000)
    assert ("seat1.hit", True) in presses(evening.run(20_000))
    assert faults(evening.events) == []
