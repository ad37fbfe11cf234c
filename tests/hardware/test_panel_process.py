"""The shipped GPIO code in a child process: edges, busy and missing lines, unplugging, lamps, meters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cabinet.lab.bench.forwarder import build_forwarder
from drivers.sim.panel import COUNTER_LEAST_MS
from support.devices.panels import HEADER, Evening, changes, options

PROGRAMS = ("forwarder", "socket")  # without a compiler both are the socket bank
PRESSES = ("seat1.deal", "seat2.deal", "seat1.hit", "key.attendant", "seat2.cash_out", "seat1.help")


def input_changes(events: list[dict[str, Any]]) -> list[tuple[str, bool]]:
    return [(event["name"], event["active"]) for event in events if event["event"] == "InputChanged"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_bouncing_presses_give_the_list_that_memory_gives(make_child: Any, program: str) -> None:
    evening = Evening(options(2), seed=1)
    evening.machine.inject("bouncing", 0)
    evening.run(500)
    expected = []
    for name in PRESSES:
        evening.machine.press(name, evening.now_ms)
        expected += changes(evening.run(500))

    child = make_child(program, seed=1)
    child.machine.inject("bouncing", 0)
    child.start()
    found = []
    for name in PRESSES:
        # Held until it was seen, so that a busy machine makes the test slow and not wrong.
        child.machine.set(name, True, child.now_ms)
        child.run_until(lambda name=name: (name, True) in input_changes(child.events), f"{name} pressed")
        child.machine.release(name, child.now_ms)
        child.run_until(lambda name=name: (name, False) in input_changes(child.events), f"{name} released")
        found += input_changes(child.events)
        child.events.clear()
    child.end()
    assert found + input_changes(child.events) == expected
    assert len(expected) == 2 * len(PRESSES)


def test_doors_and_keys_that_are_active_at_power_on(make_child: Any) -> None:
    child = make_child("forwarder")
    child.machine.set("door.main", True, 0)
    child.machine.set("key.service", True, 0)
    child.start()
    child.run_until(lambda: len(child.events) == 2, "both")
    assert sorted(input_changes(child.events)) == [("door.main", True), ("key.service", True)]
    child.end()


def test_a_busy_line_names_its_user_and_is_taken_when_it_is_free(make_child: Any) -> None:
    child = make_child("forwarder")
    child.board.claim(f"{HEADER}:24", "old-firmware")
    child.start()
    fault = child.wait_for("FaultRaised", fault="board_lost")
    assert f"{HEADER}:24" in fault["detail"]
    assert "in use by 'old-firmware'" in fault["detail"]
    child.board.free(f"{HEADER}:24")
    child.wait_for("FaultCleared", fault="board_lost")
    child.end()


def test_a_missing_expander_is_named_with_what_is_there(make_child: Any) -> None:
    child = make_child("forwarder")
    child.board.lose("mcp23017@21", 0)
    child.start()
    fault = child.wait_for("FaultRaised", fault="board_lost")
    assert "there is no chip mcp23017@21" in fault["detail"]
    assert "mcp23017@1-0020" in fault["detail"]
    child.board.restore("mcp23017@21", child.now_ms)
    child.wait_for("FaultCleared", fault="board_lost")
    child.end()


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_unplugged_expander_is_lost_and_comes_back_under_another_number(
    make_child: Any, program: str
) -> None:
    child = make_child(program)
    child.start()
    child.order(outputs={"seat1.hit": "on"})
    child.run_until(lambda: child.machine.lamp("seat1.hit"), "the lamp")
    child.machine.set("seat1.deal", True, child.now_ms)
    child.wait_for("InputChanged", name="seat1.deal", active=True)
    for chip in ("mcp23017@20", "mcp23017@27"):
        child.board.lose(chip, child.now_ms)
    assert not child.machine.lamp("seat1.hit")
    fault = child.wait_for("FaultRaised", fault="board_lost")
    assert "mcp23017@20" in fault["detail"]
    for chip in ("mcp23017@27", "mcp23017@20"):  # each takes the other's number
        child.board.restore(chip, child.now_ms)
    child.wait_for("FaultCleared", fault="board_lost")
    child.run_until(lambda: child.machine.lamp("seat1.hit"), "the lamp again")
    child.machine.release("seat1.deal", child.now_ms)
    child.machine.set("seat2.cash_out", True, child.now_ms)  # held until it was seen
    child.wait_for("InputChanged", name="seat2.cash_out", active=True)
    child.end()


def test_meter_pulses_are_given_in_full_width(make_child: Any) -> None:
    child = make_child("forwarder", pulse_on_ms=250, pulse_off_ms=100)
    child.start()
    child.order(pulse=["meter.in", 2])
    child.order(pulse=["meter.drop", 1])
    assert child.wait_for("PulsesDone", meter="meter.in")["count"] == 2
    counter = child.machine.counters["meter.in"]
    assert (counter.count, counter.too_short) == (2, 0)
    assert all(width_ms >= COUNTER_LEAST_MS for width_ms in counter.widths_ms)
    assert child.machine.counters["meter.drop"].count == 1
    child.end()


def test_the_log_of_the_lamps_shows_each_turn(make_child: Any) -> None:
    child = make_child("forwarder", active_low_outputs=("seat1.deal",))
    child.start()
    child.order(outputs={"seat1.deal": "on", "seat1.hit": "fast", "candle.top": "on"})
    blinking = child.options.outputs["seat1.hit"]

    def turns(line: str) -> list[bool]:
        return [entry.level for entry in child.board.log if entry.line == line]

    child.run_until(lambda: len(turns(blinking)) >= 5, "five turns of a fast lamp")
    assert turns(blinking)[:5] == [True, False, True, False, True]
    assert child.machine.lamp("seat1.deal")
    assert not child.board.level(child.options.outputs["seat1.deal"])
    child.end()
    assert turns(child.options.outputs["candle.top"]) == [True, False]
    assert not child.machine.lamp("seat1.deal")


def test_a_killed_program_frees_its_lines_for_the_next(make_child: Any) -> None:
    child = make_child("forwarder")
    child.start()
    child.order(outputs={"candle.top": "on"})
    child.run_until(lambda: child.machine.lamp("candle.top"), "the candle")
    child.kill()
    assert child.machine.lamp("candle.top")  # the board knows nothing of programs
    child.events.clear()
    child.start()
    child.run_until(lambda: not child.machine.lamp("candle.top"), "the next program's own picture")
    child.machine.set("seat1.hit", True, child.now_ms)
    child.wait_for("InputChanged", name="seat1.hit", active=True)
    child.end()
    assert [event for event in child.events if event["event"] == "FaultRaised"] == []


def test_without_a_compiler_there_is_no_library(tmp_path: Path) -> None:
    assert build_forwarder(tmp_path, compilers=("no-such-compiler",)) is None


def test_a_compiler_that_cannot_compile_is_none(tmp_path: Path) -> None:
    assert build_forwarder(tmp_path, compilers=("false",)) is None


def test_a_library_is_built_once(tmp_path: Path, library: Path | None) -> None:
    first = build_forwarder(tmp_path)
    assert (first is None) == (library is None)
    if first is not None:
        built_at = first.stat().st_mtime_ns
        assert build_forwarder(tmp_path) == first
        assert first.stat().st_mtime_ns == built_at
        assert list(tmp_path.iterdir()) == [first]


def test_words_of_a_compiler_that_fails_are_kept(tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text(
        '#!/bin/sh\ncase "$*" in *-fsyntax-only*) exit 0;; esac\necho "no such header" >&2\nexit 1\n'
    )
    compiler.chmod(0o755)
    with pytest.raises(RuntimeError, match="no such header"):
        build_forwarder(tmp_path / "cache", compilers=(str(compiler),))
