"""Hands, eyes and faults of the simulated panel."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.device import Pattern
from drivers.sim.gpio.board import Board
from drivers.sim.panel.panel import BOUNCES_MOST, COUNTER_LEAST_MS, SCHEDULED_MOST, PanelMachine
from support.devices.panels import options


class Bench:
    def __init__(self, seed: int = 0, **changes: Any) -> None:
        self.options = options(1, **changes)
        self.board = Board.of(self.options)
        self.machine = PanelMachine(self.options, self.board, seed=seed)
        self.turns: list[tuple[int, str, bool]] = []
        self.board.watch(self)

    def moved(self, line: str, level: bool, now_ms: int) -> None:
        self.turns.append((now_ms, line, level))

    def lost(self, chip: str, now_ms: int) -> None:
        self.turns.append((now_ms, chip, False))

    def restored(self, chip: str, now_ms: int) -> None:
        self.turns.append((now_ms, chip, True))

    def silenced(self, chip: str, now_ms: int) -> None:
        self.turns.append((now_ms, chip, False))

    def blink(self, name: str, half_ms: int, times: int, at_ms: int = 0) -> int:
        for turn in range(times):
            self.board.put(self.options.outputs[name], turn % 2 == 0, at_ms + turn * half_ms)
        return at_ms + (times - 1) * half_ms


HIT = "mcp23017@20:3"


def test_a_press_closes_the_contact_and_lets_it_go() -> None:
    bench = Bench()
    bench.machine.press("seat1.hit", 100)
    assert bench.machine.wake_at == 220
    bench.machine.tick(219)
    assert bench.machine.active("seat1.hit")
    bench.machine.tick(230)
    assert bench.turns == [(100, HIT, False), (220, HIT, True)]
    assert bench.machine.wake_at is None


def test_a_second_press_holds_on() -> None:
    bench = Bench()
    bench.machine.press("seat1.hit", 100)
    bench.machine.press("seat1.hit", 200)
    bench.machine.tick(1_000)
    assert bench.turns == [(100, HIT, False), (320, HIT, True)]


def test_a_release_in_between_ends_the_press() -> None:
    bench = Bench()
    bench.machine.press("seat1.hit", 100)
    bench.machine.release("seat1.hit", 150)
    bench.machine.set("seat1.hit", True, 200)
    bench.machine.tick(1_000)
    assert [at_ms for at_ms, _, _ in bench.turns] == [100, 150, 200]


def test_bounces_are_few_short_and_the_same_for_the_same_seed() -> None:
    runs = []
    for seed in (4, 4, 5):
        bench = Bench(seed=seed)
        bench.machine.inject("bouncing", 0)
        for at_ms in range(0, 2_000, 200):
            bench.machine.press("seat1.hit", at_ms)
            bench.machine.tick(at_ms + 199)
        runs.append(bench.turns)
    assert runs[0] == runs[1] != runs[2]
    assert 10 * 4 <= len(runs[0]) <= 10 * 2 * (1 + 2 * BOUNCES_MOST)
    assert all(at_ms % 200 <= 2 * BOUNCES_MOST or 120 <= at_ms % 200 <= 126 for at_ms, _, _ in runs[0])
    bench.machine.inject("bouncing_ends", 2_000)
    bench.turns.clear()
    bench.machine.press("seat1.hit", 2_000)
    bench.machine.tick(2_300)
    assert len(bench.turns) == 2


def test_more_fingers_than_a_table_has_are_a_fault_of_the_test() -> None:
    bench = Bench()
    for at_ms in range(SCHEDULED_MOST):
        bench.machine.press("seat1.hit", at_ms)
    with pytest.raises(AssertionError, match="more presses"):
        bench.machine.press("seat1.hit", SCHEDULED_MOST)


def test_a_counter_counts_whole_pulses_only() -> None:
    bench = Bench()
    line = bench.options.meters["meter.in"]
    least = COUNTER_LEAST_MS
    at_ms = 0
    for width_ms, gap_ms in ((least, least), (least - 1, least), (least, least - 1), (least, least)):
        bench.board.put(line, True, at_ms)
        bench.board.put(line, False, at_ms + width_ms)
        at_ms += width_ms + gap_ms
    counter = bench.machine.counters["meter.in"]
    assert (counter.count, counter.too_short) == (2, 2)
    assert list(counter.widths_ms) == [least, least - 1, least]


def test_eyes_see_blinking_and_its_end() -> None:
    bench = Bench()
    look = bench.machine.seen
    assert look("candle.top", 0) is Pattern.OFF
    at_ms = bench.blink("candle.top", 250, 5)
    assert look("candle.top", at_ms + 100) is Pattern.FAST
    assert look("candle.top", at_ms + 600) is Pattern.ON
    at_ms = bench.blink("candle.bottom", 1_000, 6)
    assert look("candle.bottom", at_ms + 900) is Pattern.SLOW
    assert look("candle.bottom", at_ms + 2_100) is Pattern.OFF
    at_ms = bench.blink("seat1.hit", 5_000, 5)
    assert look("seat1.hit", at_ms + 100) is Pattern.ON  # switched now and then, not blinking


def test_a_lamp_that_lights_at_a_low_level() -> None:
    bench = Bench(active_low_outputs=("seat1.hit",))
    assert bench.machine.lamp("seat1.hit")
    bench.board.put(bench.options.outputs["seat1.hit"], True, 0)
    assert not bench.machine.lamp("seat1.hit")


def test_a_cut_wire_and_a_stuck_button() -> None:
    bench = Bench(seed=1)
    door = bench.options.inputs["door.main"]
    assert not bench.board.level(door)
    bench.machine.inject("door_wire_cut", 0)
    assert bench.board.level(door)
    bench.machine.inject("door_wire_mended", 1)
    assert not bench.board.level(door)
    bench.machine.inject("stuck_button", 2)
    bench.machine.inject("stuck_button", 3)
    down = [line for at_ms, line, level in bench.turns if at_ms >= 2 and not level]
    assert len(down) == 1
    bench.machine.inject("stuck_freed", 4)
    assert bench.board.level(down[0])


def test_every_fault_can_be_given_to_every_panel() -> None:
    tables: list[dict[str, Any]] = [
        {},
        {"inputs": {"door.main": "pinctrl-rp1:4"}, "outputs": {}, "meters": {}},
        {"inputs": {"key.service": "usb-io:4"}, "outputs": {}, "meters": {}},
    ]
    for table in tables:
        for fault, text in PanelMachine.FAULTS.items():
            bench = Bench(**table)
            bench.machine.inject(fault, 5)
            bench.machine.tick(1_000)
            assert text


def test_an_unknown_fault_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="it has bouncing, "):
        Bench().machine.inject("fire", 0)


def test_a_lost_chip_takes_its_lamps_and_comes_back() -> None:
    bench = Bench()
    bench.board.put(bench.options.outputs["seat1.hit"], True, 0)
    bench.machine.inject("board_lost", 5)
    assert not bench.machine.lamp("seat1.hit")
    bench.machine.inject("board_back", 6)
    assert [turn for turn in bench.turns if turn[1] == "mcp23017@20"] == [
        (5, "mcp23017@20", False),
        (6, "mcp23017@20", True),
    ]
