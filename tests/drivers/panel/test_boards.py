"""Chips that are missing, busy, unplugged or silent, and what the table makes of it."""

from __future__ import annotations

import pytest

from drivers.bank import BankError
from drivers.device import DeviceEvent, Fault, FaultCleared, FaultRaised, InputChanged, Pattern, PulsesDone
from drivers.panel.boards import RETRY_MOST_MS
from drivers.sim.gpio import MemoryBank
from support.devices.panels import GAME_BUTTONS, HEADER, Evening, StartEvening, changes, options


def faults(events: list[DeviceEvent]) -> list[tuple[str, str]]:
    return [
        (type(event).__name__, getattr(event, "detail", ""))
        for event in events
        if isinstance(event, FaultRaised | FaultCleared) and event.fault is Fault.BOARD_LOST
    ]


def settled(evening: Evening) -> Evening:
    assert evening.run(200) == []
    return evening


def test_a_chip_that_is_missing_at_start_is_named_and_found_later(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.board.lose("mcp23017@20", 0)
    ((kind, detail),) = faults(evening.run(500))
    assert kind == "FaultRaised"
    assert "mcp23017@20" in detail
    assert "cable" in detail
    evening.board.restore("mcp23017@20", evening.now_ms)
    assert faults(evening.run(1_000)) == [("FaultCleared", "")]
    evening.machine.press("seat1.hit", evening.now_ms)
    assert changes(evening.run(500)) == [("seat1.hit", True), ("seat1.hit", False)]


def test_all_missing_chips_are_one_fault_that_names_each(start: StartEvening, bank: str) -> None:
    evening = start(bank, seats=3)
    for chip in ("mcp23017@20", "mcp23017@22"):
        evening.board.lose(chip, 0)
    ((_, detail),) = faults(evening.run(500))
    assert "mcp23017@20" in detail
    assert "mcp23017@22" in detail
    assert "mcp23017@21:" not in detail
    evening.board.restore("mcp23017@22", evening.now_ms)
    assert faults(evening.run(3_000)) == []
    evening.board.restore("mcp23017@20", evening.now_ms)
    assert faults(evening.run(5_000)) == [("FaultCleared", "")]


def test_a_busy_line_is_named_with_its_user(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.board.claim("mcp23017@20:11", "old-firmware")
    ((_, detail),) = faults(evening.run(500))
    assert "mcp23017@20:11" in detail
    assert "in use by 'old-firmware'" in detail
    evening.board.free("mcp23017@20:11")
    assert faults(evening.run(1_000)) == [("FaultCleared", "")]


def test_an_unplugged_chip_releases_its_buttons_and_keeps_its_doors(start: StartEvening, bank: str) -> None:
    evening = settled(start(bank))
    evening.machine.set("seat1.hit", True, evening.now_ms)
    evening.machine.set("door.main", True, evening.now_ms)
    evening.machine.set("key.attendant", True, evening.now_ms)
    evening.run(100)
    for chip in ("mcp23017@20", HEADER):
        evening.board.lose(chip, evening.now_ms)
    events = evening.run(100)
    assert sorted(changes(events)) == [("key.attendant", False), ("seat1.hit", False)]
    ((_, detail),) = faults(events)
    assert "No such device" in detail
    assert evening.panel.inputs()["door.main"]


def test_a_replugged_chip_has_another_number_and_its_levels_are_read_again(
    start: StartEvening, bank: str
) -> None:
    evening = settled(start(bank))
    evening.panel.set_outputs({"seat1.hit": Pattern.ON})
    evening.machine.set("door.main", True, evening.now_ms)
    evening.run(100)
    evening.board.lose(HEADER, evening.now_ms)
    evening.board.lose("mcp23017@20", evening.now_ms)
    evening.machine.set("door.main", False, evening.now_ms)
    evening.machine.set("seat1.deal", True, evening.now_ms)
    evening.run(100)
    assert not evening.machine.lamp("seat1.hit")
    evening.board.restore("mcp23017@20", evening.now_ms)  # takes the header's old number
    evening.board.restore(HEADER, evening.now_ms)
    events = evening.run(1_200)
    assert faults(events) == [("FaultCleared", "")]
    assert sorted(changes(events)) == [("door.main", False), ("seat1.deal", True)]
    assert evening.machine.lamp("seat1.hit")


def test_an_unplugged_chip_is_left_alone(start: StartEvening, bank: str) -> None:
    """Its descriptors would be readable for ever: a loop that kept them would never sleep again."""
    evening = settled(start(bank))
    evening.board.lose("mcp23017@20", evening.now_ms)
    evening.run(10)
    evening.ticks = 0
    evening.run(20_000)
    polls = 0 if bank == "memory" else 20_000 // 33 + 20_000 // 1_000
    assert evening.ticks <= polls + 20_000 // RETRY_MOST_MS + 10


def test_tries_become_rarer_but_never_stop(start: StartEvening) -> None:
    evening = start("memory")
    evening.board.lose("mcp23017@20", 0)
    tried = []
    for _ in range(7):
        evening.run(0)
        wake_at = evening.panel.wake_at
        assert wake_at is not None
        tried.append(wake_at - evening.now_ms)
        evening.run(wake_at - evening.now_ms)
    assert tried == [1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]
    assert len(evening.panel.frames()) == 3  # one line for the cause, two for the chips that are there


def test_a_chip_that_vanishes_between_edge_and_read_is_lost_too(start: StartEvening, bank: str) -> None:
    """The line that fails may be any: an input that is read or a lamp that is written."""
    evening = settled(start(bank))
    evening.board.lose("mcp23017@20", evening.now_ms)
    evening.panel.set_outputs({"seat1.hit": Pattern.ON})
    assert [kind for kind, _ in faults(evening.run(100))] == ["FaultRaised"]


def test_a_silent_expander_is_no_seat_full_of_pressed_buttons(start: StartEvening, bank: str) -> None:
    """Its lines read low, and so does a pressed button."""
    evening = settled(start(bank))
    evening.machine.inject("expander_mute", evening.now_ms)
    events = evening.run(500)
    assert changes(events) == []
    ((kind, detail),) = faults(events)
    assert kind == "FaultRaised"
    assert "mcp23017@20 does not answer" in detail
    assert faults(evening.run(5_000)) == []  # one fault, not one for each try
    evening.machine.inject("expander_answers", evening.now_ms)
    assert faults(evening.run(8_000)) == [("FaultCleared", "")]
    assert evening.panel.statistics()["boards_lost"] == 1
    evening.machine.press("seat1.hit", evening.now_ms)
    assert changes(evening.run(500)) == [("seat1.hit", True), ("seat1.hit", False)]


def test_several_buttons_at_once_are_still_presses(start: StartEvening, bank: str) -> None:
    evening = settled(start(bank))
    names = ("seat1.bet_plus", "seat1.deal", "seat1.hit", "seat1.stand", "seat1.double", "seat1.split")
    for name in names:
        evening.machine.press(name, evening.now_ms)
    assert {name for name, active in changes(evening.run(500)) if active} == set(names)


def test_a_pulse_that_was_cut_is_given_again(start: StartEvening, bank: str) -> None:
    """The counter may be one over, never under, and there is one answer."""
    evening = settled(start(bank))
    evening.panel.pulse("meter.in", 3)
    evening.run(120)  # the second pulse is being given
    evening.board.lose(HEADER, evening.now_ms)
    assert [event for event in evening.run(500) if isinstance(event, PulsesDone)] == []
    evening.board.restore(HEADER, evening.now_ms)
    done = [event for event in evening.run(3_000) if isinstance(event, PulsesDone)]
    assert [(event.meter, event.count) for event in done] == [("meter.in", 3)]
    counter = evening.machine.counters["meter.in"]
    assert 3 <= counter.count + counter.too_short <= 4
    assert counter.count >= 3


def test_a_stuck_button_on_a_lost_board_is_no_longer_reported(start: StartEvening) -> None:
    evening = start("memory", stuck_ms=1_000)
    evening.machine.set("seat1.hit", True, 0)
    evening.run(2_000)
    evening.machine.inject("board_lost", evening.now_ms)
    kinds = [(type(event), getattr(event, "fault", None)) for event in evening.run(100)]
    assert kinds == [
        (FaultCleared, Fault.INPUT_STUCK),
        (InputChanged, None),
        (FaultRaised, Fault.BOARD_LOST),
    ]


@pytest.mark.parametrize("fault", ["board_lost", "expander_mute", "outputs_lost", "spikes", "door_wire_cut"])
def test_a_panel_that_was_upset_works_again(start: StartEvening, bank: str, fault: str) -> None:
    evening = settled(start(bank))
    evening.machine.inject(fault, evening.now_ms)
    evening.run(2_500)
    for cure in ("board_back", "expander_answers", "door_wire_mended"):
        evening.machine.inject(cure, evening.now_ms)
    evening.run(12_000)
    assert not any(evening.panel.inputs().values())
    evening.panel.set_outputs({"seat1.hit": Pattern.ON})
    evening.machine.press("seat1.hit", evening.now_ms)
    assert changes(evening.run(1_000)) == [("seat1.hit", True), ("seat1.hit", False)]
    assert evening.machine.lamp("seat1.hit")


class FailingBank(MemoryBank):
    """A bus that fails in the middle of a call, with no other sign of trouble."""

    fails = ""

    def read(self, line: str) -> bool:
        self._fail("read", line)
        return super().read(line)

    def write(self, line: str, active: bool, now_ms: int) -> None:
        self._fail("write", line)
        super().write(line, active, now_ms)

    def _fail(self, call: str, line: str) -> None:
        if call == self.fails and line.startswith("mcp23017@20:"):
            self.drop("mcp23017@20")
            raise BankError(line, "the chip is gone (Remote I/O error)", "check its cable", chip_lost=True)


@pytest.mark.parametrize("call", ["read", "write"])
def test_a_bus_that_fails_in_the_middle_of_a_call_is_a_lost_board(call: str) -> None:
    banks: list[FailingBank] = []

    def open_bank(evening: Evening) -> FailingBank:
        banks.append(FailingBank(evening.board))
        return banks[-1]

    evening = settled(Evening(options(1), open_bank))
    banks[0].fails = call
    evening.machine.press("seat1.hit", evening.now_ms)
    evening.machine.press("seat1.deal", evening.now_ms)
    evening.panel.set_outputs({"seat1.hit": Pattern.ON, "seat1.deal": Pattern.ON, "candle.top": Pattern.ON})
    ((kind, detail),) = faults(evening.run(500))
    assert (kind, "Remote I/O error" in detail) == ("FaultRaised", True)
    assert evening.machine.lamp("candle.top")
    banks[0].fails = ""
    assert faults(evening.run(10_000)) == [("FaultCleared", "")]
    assert evening.machine.lamp("seat1.hit")


def test_a_bus_that_fails_while_a_silent_expander_is_looked_for() -> None:
    """The press is real, the look at its neighbours fails: no press, a lost board."""

    class LateBank(FailingBank):
        def read(self, line: str) -> bool:
            if line == "mcp23017@20:0" and evening.now_ms >= 210:
                self.fails = "read"
            return super().read(line)

    evening = Evening(options(1), lambda made: LateBank(made.board))
    settled(evening)
    evening.machine.press("seat1.hit", evening.now_ms)
    events = evening.run(500)
    assert changes(events) == []
    assert [kind for kind, _ in faults(events)] == ["FaultRaised"]


def test_a_line_whose_board_goes_with_the_line_before_it_is_no_press() -> None:
    """Two buttons of one instant: the first finds the expander silent, the second must not count."""
    evening = settled(Evening(options(1)))
    names = [f"seat1.{button}" for button in GAME_BUTTONS]
    for name in names:
        evening.machine.set(name, True, evening.now_ms)
    events = evening.run(100)
    assert changes(events) == []
    assert [kind for kind, _ in faults(events)] == ["FaultRaised"]
    for name in names[1:]:
        evening.machine.set(name, False, evening.now_ms)
    events = evening.run(5_000)
    assert changes(events) == [(names[0], True)]
    assert [kind for kind, _ in faults(events)] == ["FaultCleared"]
