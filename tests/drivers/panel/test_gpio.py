"""An evening at a panel: fingers, keys and doors in, lamps and hard meters out."""

from __future__ import annotations

import pytest

from drivers.device import Device, Fault, FaultCleared, FaultRaised, InputChanged, Panel, Pattern, PulsesDone
from drivers.panel.gpio import ANSWERS_MOST, FRAMES_MOST
from support.devices.panels import HEADER, StartEvening, changes

PRESSED = [("seat1.hit", True), ("seat1.hit", False)]


def test_a_press_is_one_press(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    assert evening.run(500) == []
    evening.machine.press("seat1.hit", evening.now_ms)
    assert evening.run(500) == [
        InputChanged("panel1", 510, "seat1.hit", True),
        InputChanged("panel1", 630, "seat1.hit", False),
    ]


def test_the_driver_is_a_panel(start: StartEvening) -> None:
    panel = start("memory").panel
    assert isinstance(panel, Panel)
    assert isinstance(panel, Device)
    assert panel.fileno() is None


@pytest.mark.parametrize("seed", range(5))
def test_a_bouncing_button_is_one_press(start: StartEvening, bank: str, seed: int) -> None:
    evening = start(bank, seed=seed)
    evening.machine.inject("bouncing", 0)
    evening.run(200)
    for _ in range(4):
        evening.machine.press("seat1.hit", evening.now_ms)
        assert changes(evening.run(300)) == PRESSED


def test_a_spike_is_no_press(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.run(200)
    evening.machine.inject("spikes", evening.now_ms)
    assert evening.run(300) == []


def test_a_touch_shorter_than_the_debounce_time_is_no_press(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.run(200)
    evening.machine.press("seat1.hit", evening.now_ms, hold_ms=9)
    assert evening.run(300) == []
    evening.machine.press("seat1.hit", evening.now_ms, hold_ms=11)
    assert changes(evening.run(300)) == PRESSED


def test_what_is_active_at_power_on_is_reported_once(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.machine.set("door.main", True, 0)
    evening.machine.set("key.attendant", True, 0)
    assert changes(evening.run(2_000)) == [("key.attendant", True), ("door.main", True)]
    assert evening.panel.inputs()["door.main"]
    assert not evening.panel.inputs()["door.drop"]


def test_a_door_must_be_open_longer_than_a_button_is_pressed(start: StartEvening) -> None:
    evening = start("memory")
    evening.run(100)
    evening.machine.set("door.main", True, 100)
    evening.run(49)
    evening.machine.set("door.main", False, 149)
    assert evening.run(500) == []
    evening.machine.set("door.main", True, 649)
    assert evening.run(500) == [InputChanged("panel1", 699, "door.main", True)]


def test_a_cut_wire_is_an_open_door(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.run(200)
    evening.machine.inject("door_wire_cut", evening.now_ms)
    assert changes(evening.run(300)) == [("door.main", True)]
    evening.machine.set("door.main", True, evening.now_ms)
    evening.machine.set("door.main", False, evening.now_ms)
    assert evening.run(300) == []
    evening.machine.inject("door_wire_mended", evening.now_ms)
    assert changes(evening.run(300)) == [("door.main", False)]


def test_presses_of_one_instant_come_in_the_order_of_the_table(start: StartEvening, bank: str) -> None:
    evening = start(bank, seats=3)
    evening.run(200)
    for name in ("seat3.hit", "seat1.stand", "seat2.deal", "key.service"):
        evening.machine.press(name, evening.now_ms)
    pressed = [name for name, active in changes(evening.run(100)) if active]
    assert pressed == ["key.service", "seat1.stand", "seat2.deal", "seat3.hit"]


def test_the_same_evening_over_every_bank(start: StartEvening) -> None:
    """One seed of bounces and presses gives one list of events, whatever carries the levels."""
    lists = []
    for bank in ("memory", "socket", "periphery"):
        evening = start(bank, seats=2, seed=11)
        evening.machine.inject("bouncing", 0)
        evening.run(137)
        for name in ("seat1.deal", "seat2.deal", "door.main", "seat1.hit", "seat2.stand", "key.attendant"):
            evening.machine.press(name, evening.now_ms, hold_ms=150)
            evening.run(43)
        lists.append(evening.run(500) + list(evening.panel.frames()))
    assert lists[0] == lists[1] == lists[2]
    assert len(lists[0]) > 12


# ---- stuck inputs


def test_a_button_held_for_a_minute_is_stuck_until_it_is_released(start: StartEvening) -> None:
    evening = start("memory")
    evening.machine.set("seat1.hit", True, 0)
    assert changes(evening.run(60_009)) == [("seat1.hit", True)]
    assert evening.run(1) == [FaultRaised("panel1", 60_010, Fault.INPUT_STUCK, "seat1.hit")]
    assert evening.run(600_000) == []
    evening.machine.release("seat1.hit", evening.now_ms)
    at_ms = evening.now_ms + 10
    assert evening.run(1_000) == [
        FaultCleared("panel1", at_ms, Fault.INPUT_STUCK),
        InputChanged("panel1", at_ms, "seat1.hit", False),
    ]


def test_doors_and_maintained_keys_are_never_stuck(start: StartEvening) -> None:
    evening = start("memory", maintained=("key.service",))
    evening.machine.set("door.main", True, 0)
    evening.machine.set("key.service", True, 0)
    evening.machine.set("key.attendant", True, 0)
    evening.run(100)
    raised = evening.run(120_000)
    assert [event.detail for event in raised if isinstance(event, FaultRaised)] == ["key.attendant"]


def test_of_several_stuck_inputs_the_fault_names_one_after_the_other(start: StartEvening, bank: str) -> None:
    evening = start(bank, stuck_ms=1_000)
    for at, name in enumerate(("seat1.hit", "seat1.deal", "seat1.stand")):
        evening.run(200 * (at > 0))
        evening.machine.set(name, True, evening.now_ms)
    faults = [event for event in evening.run(2_000) if not isinstance(event, InputChanged)]
    assert [(type(event), getattr(event, "detail", "")) for event in faults] == [(FaultRaised, "seat1.hit")]
    evening.machine.release("seat1.deal", evening.now_ms)
    assert changes(evening.run(100)) == [("seat1.deal", False)]
    evening.machine.release("seat1.hit", evening.now_ms)
    assert [getattr(event, "detail", "") for event in evening.run(100)] == ["", "seat1.stand", ""]
    evening.machine.release("seat1.stand", evening.now_ms)
    assert [type(event) for event in evening.run(100)] == [FaultCleared, InputChanged]


def test_a_stuck_contact_ignores_its_finger(start: StartEvening) -> None:
    evening = start("memory", seed=3)
    evening.machine.inject("stuck_button", 0)
    ((name, active),) = changes(evening.run(100))
    assert active
    evening.machine.press(name, evening.now_ms)
    assert evening.run(1_000) == []
    evening.machine.inject("stuck_freed", evening.now_ms)
    assert changes(evening.run(1_000)) == [(name, False)]


# ---- lamps


def test_lamps_show_the_wanted_picture(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.run(10)
    evening.panel.set_outputs(
        {
            "seat1.hit": Pattern.ON,
            "seat1.deal": Pattern.FAST,
            "candle.top": Pattern.SLOW,
            "seat7.hit": Pattern.ON,
        }
    )
    evening.run(6_000)
    seen = {
        name: evening.machine.seen(name, evening.now_ms) for name in ("seat1.hit", "seat1.deal", "candle.top")
    }
    assert seen == {"seat1.hit": Pattern.ON, "seat1.deal": Pattern.FAST, "candle.top": Pattern.SLOW}
    assert not evening.machine.lamp("seat1.stand")
    evening.panel.set_outputs({"seat1.stand": Pattern.ON})
    evening.run(3_000)
    assert evening.machine.seen("seat1.deal", evening.now_ms) is Pattern.OFF
    assert evening.machine.seen("candle.top", evening.now_ms) is Pattern.OFF
    assert evening.machine.lamp("seat1.stand")
    assert not evening.machine.lamp("seat1.hit")


def test_the_log_of_outputs_has_each_change_once_and_in_phase(start: StartEvening) -> None:
    evening = start("memory")
    evening.panel.set_outputs({"seat1.hit": Pattern.FAST, "seat1.deal": Pattern.FAST})
    evening.run(1_000)
    turns = [(entry.at_ms, entry.level) for entry in evening.board.log]
    assert turns == [
        (at_ms, at_ms % 500 == 0) for at_ms in (0, 0, 250, 250, 500, 500, 750, 750, 1_000, 1_000)
    ]


def test_an_inverted_lamp_is_dark_at_a_high_level_from_the_first_moment(
    start: StartEvening, bank: str
) -> None:
    evening = start(bank, active_low_outputs=("seat1.hit",))
    line = "mcp23017@20:11"
    evening.board.touch(line, True, 0)
    evening.board.log.clear()
    evening.run(50)
    assert evening.board.level(line)
    assert [entry for entry in evening.board.log if entry.line == line] == []
    assert not evening.machine.lamp("seat1.hit")
    evening.panel.set_outputs({"seat1.hit": Pattern.ON})
    evening.run(50)
    assert not evening.board.level(line)
    assert evening.machine.lamp("seat1.hit")


def test_lost_outputs_are_lit_again_within_a_second(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.panel.set_outputs({"seat1.hit": Pattern.ON, "candle.top": Pattern.ON})
    evening.run(100)
    evening.machine.inject("outputs_lost", evening.now_ms)
    assert not evening.machine.lamp("seat1.hit")
    evening.run(1_000)
    assert evening.machine.lamp("seat1.hit")
    assert evening.machine.lamp("candle.top")
    assert evening.panel.statistics()["refreshes"] > 0


def test_the_table_is_dark_when_the_program_has_ended(start: StartEvening, bank: str) -> None:
    evening = start(bank)
    evening.panel.set_outputs({"seat1.hit": Pattern.ON, "candle.top": Pattern.SLOW})
    evening.run(100)
    assert evening.machine.lamp("seat1.hit")
    evening.panel.close()
    assert not evening.machine.lamp("seat1.hit")
    assert not evening.machine.lamp("candle.top")
    evening.board.claim("mcp23017@20:11", "the next program")


# ---- hard meters


@pytest.mark.parametrize("after_ms", [1, 15, 29, 31, 60, 75, 95])
def test_a_pulse_that_the_chip_dropped_is_given_again(start: StartEvening, bank: str, after_ms: int) -> None:
    evening = start(bank, pulse_on_ms=30, pulse_off_ms=40)
    evening.run(100)
    evening.panel.pulse("meter.in", 3)
    evening.run(after_ms)
    evening.machine.inject("outputs_lost", evening.now_ms)
    events = evening.run(1_000)
    assert [(event.meter, event.count) for event in events if isinstance(event, PulsesDone)] == [
        ("meter.in", 3)
    ]
    assert evening.machine.counters["meter.in"].count in (3, 4)


def test_pulses_are_counted_and_answered_once(start: StartEvening, bank: str) -> None:
    evening = start(bank, pulse_on_ms=30, pulse_off_ms=40)
    evening.run(100)
    evening.panel.pulse("meter.in", 3)
    evening.panel.pulse("meter.drop", 2)
    evening.panel.pulse("meter.in", 1)
    assert evening.run(1_000) == [
        PulsesDone("panel1", 240, "meter.drop", 2),
        PulsesDone("panel1", 310, "meter.in", 3),
        PulsesDone("panel1", 380, "meter.in", 1),
    ]
    counter = evening.machine.counters["meter.in"]
    assert (counter.count, counter.too_short, list(counter.widths_ms)) == (4, 0, [30] * 4)
    assert evening.machine.counters["meter.out"].count == 0
    assert evening.panel.statistics()["pulses"] == 6


def test_orders_that_cannot_be_taken_are_answered_with_nothing_given(start: StartEvening) -> None:
    evening = start("memory")
    evening.run(100)
    evening.panel.pulse("meter.nowhere", 3)
    evening.panel.pulse("meter.in", 0)
    assert evening.run(10) == [
        PulsesDone("panel1", 100, "meter.nowhere", 0),
        PulsesDone("panel1", 100, "meter.in", 0),
    ]
    assert evening.machine.counters["meter.in"].count == 0


def test_every_queue_has_a_bound(start: StartEvening) -> None:
    evening = start("memory")
    for _ in range(1_000):
        evening.panel.pulse("meter.in", 1)
        evening.panel.pulse("meter.nowhere", 1)
    assert len(evening.panel.tick(0)) <= ANSWERS_MOST
    for at in range(100):
        evening.machine.press("seat1.hit", 300 * at)
        evening.run(300)
    assert len(evening.panel.frames()) == FRAMES_MOST


# ---- cost


def test_a_quiet_virtual_day_costs_nothing(start: StartEvening) -> None:
    evening = start("memory", seats=5)
    evening.run(1_000)
    evening.ticks = 0
    assert evening.run(86_400_000) == []
    assert evening.ticks == 0


def test_a_day_after_faults_is_as_quiet_as_one_without(start: StartEvening) -> None:
    evening = start("memory", seats=2)
    evening.panel.set_outputs({"seat1.hit": Pattern.ON})
    evening.run(1_000)
    for fault in ("outputs_lost", "expander_mute", "expander_answers", "board_lost", "board_back", "spikes"):
        evening.machine.inject(fault, evening.now_ms)
        evening.run(3_000)
    evening.run(20_000)
    assert evening.machine.lamp("seat1.hit")
    evening.ticks = 0
    evening.run(86_400_000)
    assert evening.ticks == 0


def test_a_bank_that_may_miss_something_is_read_chip_by_chip_every_tenth_of_a_second(
    start: StartEvening,
) -> None:
    evening = start("socket", seats=1)
    evening.run(1_000)
    polls = evening.panel.statistics()["polls"]
    evening.run(1_000)
    assert evening.panel.statistics()["polls"] - polls == pytest.approx(3 * 10, abs=1)
    assert evening.panel.wake_at is not None
    assert evening.panel.wake_at - evening.now_ms <= 34


def test_a_level_that_came_without_an_edge_is_seen_all_the_same(start: StartEvening) -> None:
    evening = start("socket", seats=1)
    evening.run(1_000)
    evening.board.silence("mcp23017@20", True, evening.now_ms)  # its interrupt is gone for a moment
    evening.machine.set("seat1.hit", True, evening.now_ms)
    evening.board.silence("mcp23017@20", False, evening.now_ms)
    assert changes(evening.run(150)) == [("seat1.hit", True)]


def test_the_service_page_sees_what_happened(start: StartEvening) -> None:
    evening = start("memory")
    evening.run(100)
    evening.machine.press("seat1.hit", evening.now_ms)
    evening.panel.pulse("meter.in", 1)
    evening.run(1_000)
    meanings = [frame.meaning for frame in evening.panel.frames()]
    assert meanings[:3] == [f"{HEADER} opened", "mcp23017@20 opened", "mcp23017@27 opened"]
    assert meanings[3:] == ["seat1.hit active", "meter.in 1 pulses given", "seat1.hit at rest"]
