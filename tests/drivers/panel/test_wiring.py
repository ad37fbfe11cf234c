"""What check-config refuses in a panel's table, and which level means what."""

from __future__ import annotations

from typing import Any

import pytest

from drivers import registry
from drivers.bank import Pull, chip_of, is_chip, label_of, split_line
from drivers.panel import wiring
from drivers.panel.wiring import Resistors
from support.devices.panels import HEADER, options
from support.devices.panels import wiring as plan


def refusals(**changes: Any) -> str:
    return "; ".join(f"{row.key}: {row.allowed}" for row in registry.check("panel", "gpio", plan() | changes))


def test_the_line_plan_fits_from_one_to_seven_seats() -> None:
    for seats in range(1, 8):
        panel = options(seats)
        assert len(panel.inputs) == 6 + 9 * seats
        assert len(panel.outputs) == 2 + 9 * seats


@pytest.mark.parametrize("line", ["17", "gpio:x", "a b:1", "chip:-1", "chip:01", ":4", "chip@:4", "chip@20"])
def test_a_line_is_a_label_and_an_offset(line: str) -> None:
    with pytest.raises(ValueError, match="label:offset"):
        split_line(line)
    assert "label:offset" in refusals(inputs={"door.main": line})


def test_the_parts_of_a_line() -> None:
    assert split_line("mcp23017@1-0020:13") == ("mcp23017@1-0020", 13)
    assert chip_of("mcp23017@20:13") == "mcp23017@20"
    assert chip_of("mcp23017@20") == "mcp23017@20"
    assert label_of("mcp23017@20") == "mcp23017"


@pytest.mark.parametrize(
    ("wanted", "label", "device", "fits"),
    [
        ("pinctrl-bcm2711", "pinctrl-bcm2711", "fe200000.gpio", True),
        ("mcp23017@20", "mcp23017", "1-0020", True),
        ("mcp23017@1-0020", "mcp23017", "1-0020", True),
        ("mcp23017", "mcp23017", "1-0020", True),
        ("mcp23017@21", "mcp23017", "1-0020", False),
        ("mcp23017@3-0020", "mcp23017", "1-0020", False),
        ("mcp23017@20", "mcp23s17", "1-0020", False),
        ("mcp23017@20", "mcp23017", "", False),
    ],
)
def test_a_chip_is_found_by_label_and_by_what_it_sits_on(
    wanted: str, label: str, device: str, fits: bool
) -> None:
    assert is_chip(wanted, label, device) == fits


def test_a_line_used_twice_names_both_users() -> None:
    found = refusals(inputs=plan()["inputs"] | {"seat1.help": "mcp23017@20:3"})
    assert found == 'inputs."seat1.help": a line of its own; inputs seat1.hit has this one'


def test_a_lamp_on_its_button_s_line_is_refused() -> None:
    found = refusals(outputs={"seat1.hit": "mcp23017@20:3"})
    assert found == 'outputs."seat1.hit": a line of its own; inputs seat1.hit has this one'


def test_a_header_has_twenty_four_lines_to_give() -> None:
    inputs = {f"seat{1 + at // 10}.b{chr(97 + at % 10)}": f"{HEADER}:{at}" for at in range(25)}
    [row] = registry.check("panel", "gpio", plan() | {"inputs": inputs, "outputs": {}, "meters": {}})
    assert row.found == f"25 lines of {HEADER}"
    assert row.allowed == "at most 24; move seat lines to an MCP23017"
    inputs.popitem()
    assert refusals(inputs=inputs, outputs={}, meters={}) == ""


def test_two_panels_share_the_header_s_budget() -> None:
    lines = [(("first", str(at)), f"{HEADER}:{at}") for at in range(13)]
    assert wiring.clashes(lines) == []
    assert wiring.clashes(lines + [(("second", str(at)), f"{HEADER}:{at + 13}") for at in range(12)]) != []


@pytest.mark.parametrize(
    ("kind", "name", "line", "why"),
    [
        ("inputs", "seat1.hit", "mcp23017@20:7", "output only"),
        ("inputs", "seat1.hit", "mcp23017@20:15", "output only"),
        ("inputs", "seat1.hit", "mcp23017@20:16", "lines 0 to 15"),
        ("inputs", "key.service", f"{HEADER}:28", "0 to 27"),
        ("outputs", "candle.top", f"{HEADER}:8", "pulled high while the board boots"),
        ("meters", "meter.in", f"{HEADER}:5", "pulled high while the board boots"),
        ("inputs", "button1", f"{HEADER}:5", "a name seatN"),
        ("inputs", "seat0.hit", f"{HEADER}:5", "a name seatN"),
        ("outputs", "door.main", f"{HEADER}:20", "a name seatN"),
        ("meters", "in", f"{HEADER}:20", "a name meter"),
    ],
)
def test_lines_that_cannot_be_what_they_are_wired_as(kind: str, name: str, line: str, why: str) -> None:
    assert why in refusals(**({"inputs": {}, "outputs": {}, "meters": {}} | {kind: {name: line}}))


def test_lists_name_lines_that_exist() -> None:
    for key, name, users in (
        ("normally_closed", "seat9.hit", "inputs"),
        ("maintained", "key.cellar", "inputs"),
        ("active_low_outputs", "meter.in", "outputs"),
    ):
        [row] = registry.check("panel", "gpio", plan() | {key: (name,)})
        assert (row.key, row.found, row.allowed) == (key, f'"{name}"', f"only names of {users}")


def test_every_mistake_of_a_table_is_found_at_once_and_none_prints_the_table() -> None:
    """A wrong line hides neither a line that is used twice nor a name in a list."""
    wrong = {"seat1.help": "mcp23017@20:3", "seat1.deal": "mcp23017@27:7", "door.main": "17"}
    inputs = plan()["inputs"] | wrong
    table = plan() | {"inputs": inputs, "maintained": ["key.cellar"], "debounce_ms": 0}
    rows = registry.check("panel", "gpio", table)
    assert sorted((row.key, row.found) for row in rows) == [
        ("debounce_ms", "0"),
        ('inputs."door.main"', '"17"'),
        ('inputs."seat1.deal"', '"mcp23017@27:7"'),
        ('inputs."seat1.help"', '"mcp23017@20:3"'),
        ("maintained", '"key.cellar"'),
    ]


def test_a_table_that_is_none_is_named_and_not_printed() -> None:
    [row] = registry.check("panel", "gpio", plan() | {"resistors": plan()["inputs"]})
    assert row.found == "a table"


def test_an_expander_has_no_pull_down() -> None:
    assert "an MCP23017 has none" in refusals(resistors="pull_down")
    assert refusals(resistors="external_down") == ""


def test_a_door_that_would_read_as_closed_on_a_dead_expander_is_refused() -> None:
    door = {"inputs": {"door.main": "mcp23017@20:0"}, "outputs": {}, "meters": {}}
    assert "a line of the header" in refusals(**door)
    assert refusals(**door, resistors="external_down") == ""


@pytest.mark.parametrize(
    "key", ["debounce_ms", "door_debounce_ms", "stuck_ms", "pulse_on_ms", "pulse_off_ms"]
)
@pytest.mark.parametrize("value", [0, 10_000_000, "x"])
def test_times_have_bounds(key: str, value: object) -> None:
    assert refusals(**{key: value}).startswith(f"{key}: ")


def test_an_unknown_key_is_refused_with_the_known_ones() -> None:
    found = refusals(debounce=5)
    assert found.startswith('debounce: did you mean "debounce_ms"? one of ')


@pytest.mark.parametrize(
    ("resistors", "pull", "button_high", "door_high"),
    [
        (Resistors.PULL_UP, Pull.UP, False, True),
        (Resistors.EXTERNAL_UP, Pull.NONE, False, True),
        (Resistors.EXTERNAL_DOWN, Pull.NONE, True, False),
        (Resistors.PULL_DOWN, Pull.DOWN, True, False),
    ],
)
def test_a_cut_wire_is_an_open_door_and_no_pressed_button(
    resistors: Resistors, pull: Pull, button_high: bool, door_high: bool
) -> None:
    panel = options(0, resistors=resistors, normally_closed=("key.service",))
    for name, high in (("key.attendant", button_high), ("door.main", door_high), ("key.service", door_high)):
        line = panel.input_line(name)
        assert (line.pull, line.active_low, line.user) == (pull, not high, name)
    assert resistors.rest_high == door_high  # a cut wire shows the resistor's level
