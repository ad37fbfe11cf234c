"""What every panel driver keeps, whatever its wire. Drivers are found by name."""

from __future__ import annotations

import pytest

from drivers import registry
from drivers.device import Device, Fault, FaultCleared, FaultRaised, InputChanged, Panel, Pattern, PulsesDone
from support.devices.panel_benches import BENCHES, PanelBench


@pytest.fixture(params=registry.drivers_of("panel"))
def bench(request: pytest.FixtureRequest) -> PanelBench:
    assert request.param in BENCHES, f"panel driver {request.param} brings no simulated device"
    made: PanelBench = BENCHES[request.param]()
    return made


def test_it_is_a_panel(bench: PanelBench) -> None:
    assert isinstance(bench.panel, Panel)
    assert isinstance(bench.panel, Device)
    assert bench.panel.name == "panel1"
    assert bench.panel.wake_at is not None, "the first tick opens the board; it must be asked for"
    fd = bench.panel.fileno()
    assert fd is None or fd >= 0


def test_a_press_is_two_events_that_carry_name_and_time(bench: PanelBench) -> None:
    bench.run(500)
    bench.set("seat1.hit", True)
    down_ms = bench.now_ms
    (down,) = bench.run(300)
    bench.set("seat1.hit", False)
    (up,) = bench.run(300)
    for event, active in ((down, True), (up, False)):
        assert isinstance(event, InputChanged)
        assert (event.device, event.name, event.active) == ("panel1", "seat1.hit", active)
    assert down_ms <= down.at_ms <= down_ms + 100


def test_a_quick_second_press_is_not_lost(bench: PanelBench) -> None:
    bench.run(500)
    found = []
    for _ in range(5):
        for active in (True, False):
            bench.set("seat1.deal", active)
            found += bench.run(40)
    assert [event.active for event in found if isinstance(event, InputChanged)] == [True, False] * 5


def test_inputs_that_are_active_at_start_are_told_once(bench: PanelBench) -> None:
    bench.set("door.main", True)
    bench.set("key.attendant", True)
    found = bench.run(3_000)
    assert sorted(event.name for event in found if isinstance(event, InputChanged)) == [
        "door.main",
        "key.attendant",
    ]
    active = {name for name, is_active in bench.panel.inputs().items() if is_active}
    assert active == {"door.main", "key.attendant"}


def test_a_panel_may_be_ticked_more_often_than_it_asks(bench: PanelBench) -> None:
    other = type(bench)()
    lists = []
    for subject, every_ms in ((bench, None), (other, 1)):
        found = []
        for active in (True, False, True, False):
            found += subject.run(137, every_ms=every_ms)
            subject.set("seat1.stand", active)
            subject.panel.pulse("meter.out", 1)
        lists.append(found + subject.run(2_000, every_ms=every_ms))
    assert lists[0] == lists[1]
    assert len(lists[0]) == 8


def test_lamps_show_every_pattern_and_those_not_named_are_dark(bench: PanelBench) -> None:
    bench.run(100)
    picture = {"seat1.hit": Pattern.ON, "seat1.deal": Pattern.FAST, "candle.top": Pattern.SLOW}
    bench.panel.set_outputs(picture)
    bench.run(8_000)
    assert {name: bench.seen(name) for name in picture} == picture
    assert bench.seen("seat1.stand") is Pattern.OFF
    bench.panel.set_outputs({})
    bench.run(5_000)
    assert {bench.seen(name) for name in picture} == {Pattern.OFF}


@pytest.mark.parametrize("counts", [[1], [10], [3, 1, 10]])
def test_every_pulse_order_has_one_answer_and_its_pulses(bench: PanelBench, counts: list[int]) -> None:
    bench.run(100)
    for count in counts:
        bench.panel.pulse("meter.in", count)
    found = bench.run(30_000)
    assert [(event.meter, event.count) for event in found if isinstance(event, PulsesDone)] == [
        ("meter.in", count) for count in counts
    ]
    assert len(found) == len(counts)
    assert bench.counted("meter.in") == sum(counts)
    assert bench.counted("meter.out") == 0


def test_an_order_that_cannot_be_taken_is_answered_too(bench: PanelBench) -> None:
    bench.run(100)
    bench.panel.pulse("meter.nowhere", 2)
    (answer,) = bench.run(1_000)
    assert isinstance(answer, PulsesDone)
    assert (answer.meter, answer.count) == ("meter.nowhere", 0)


def test_a_lost_board_is_one_fault_and_one_cure(bench: PanelBench) -> None:
    bench.run(500)
    bench.lose_board()
    lost = [event for event in bench.run(30_000) if isinstance(event, FaultRaised | FaultCleared)]
    assert [(type(event), event.fault) for event in lost] == [(FaultRaised, Fault.BOARD_LOST)]
    bench.restore_board()
    back = [event for event in bench.run(30_000) if isinstance(event, FaultRaised | FaultCleared)]
    assert [(type(event), event.fault) for event in back] == [(FaultCleared, Fault.BOARD_LOST)]


def test_no_pulse_is_lost_with_a_board(bench: PanelBench) -> None:
    bench.run(500)
    bench.panel.pulse("meter.in", 5)
    bench.run(230)
    bench.lose_board()
    bench.run(1_000)
    bench.restore_board()
    done = [event.count for event in bench.run(30_000) if isinstance(event, PulsesDone)]
    assert done == [5]
    assert 5 <= bench.counted("meter.in") <= 6


def test_a_held_button_is_stuck_after_a_minute_and_free_when_released(bench: PanelBench) -> None:
    bench.run(500)
    bench.set("seat1.hit", True)
    found = bench.run(120_000)
    assert [type(event) for event in found] == [InputChanged, FaultRaised]
    assert isinstance(found[1], FaultRaised)
    assert (found[1].fault, found[1].detail) == (Fault.INPUT_STUCK, "seat1.hit")
    assert found[1].at_ms - found[0].at_ms == 60_000
    bench.set("seat1.hit", False)
    assert sorted(type(event).__name__ for event in bench.run(1_000)) == ["FaultCleared", "InputChanged"]


def test_what_the_service_page_reads(bench: PanelBench) -> None:
    bench.run(500)
    for active in [True, False] * 50:
        bench.set("seat1.hit", active)
        bench.run(50)
    frames = bench.panel.frames()
    assert 0 < len(frames) <= 64
    assert [frame.at_ms for frame in frames] == sorted(frame.at_ms for frame in frames)
    assert all(frame.meaning for frame in frames)
    assert all(count >= 0 for count in bench.panel.statistics().values())
    assert bench.panel.statistics()["changes"] == 100


def test_it_leaves_the_table_dark(bench: PanelBench) -> None:
    bench.run(100)
    bench.panel.set_outputs({"seat1.hit": Pattern.ON})
    bench.run(100)
    bench.panel.close()
    assert bench.seen("seat1.hit") is Pattern.OFF


def test_the_same_hands_give_the_same_events(bench: PanelBench) -> None:
    lists = []
    for subject in (bench, type(bench)()):
        found = []
        for step, name in enumerate(("seat1.hit", "door.main", "seat1.hit", "key.service", "door.main")):
            subject.set(name, step < 2)
            subject.panel.set_outputs({"candle.top": Pattern.FAST})
            found += subject.run(777)
        lists.append(found)
    assert lists[0] == lists[1]
