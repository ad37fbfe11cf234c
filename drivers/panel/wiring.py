"""How a panel is wired: which lines exist, which are free, and which level means what.

Facts used here:

* Lines 0 to 27 of a Raspberry Pi's main chip are on the 40-pin header. The cabinet's I2C bus, its
  console UART and the identity EEPROM's two lines leave about 24 of them.
* A chip pulls GPIO 0 to 8 up and 9 to 27 down before the program runs (BCM2711 data sheet 5.3), so
  outputs belong on 9 to 27: lamps stay dark and no meter counts while the board boots.
* Lines 7 and 15 of an MCP23017 (GPA7, GPB7) are outputs only (Microchip DS20001952 revision D, 2022:
  as inputs they can disturb SDA). It has pull-ups, no pull-downs.
* The kernel's MCP23017 driver reads every line as low when the expander does not answer on I2C. With
  pull-ups a door contact would then read as closed, so such a door must be on the header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from drivers.bank import InputLine, OutputLine, Pull, chip_of, label_of, split_line
from drivers.tables import TableModel, Wrong, shown

HEADER_LINES_MOST = 24
HEADER_OFFSETS = range(28)
HEADER_OUTPUT_OFFSETS = range(9, 28)
EXPANDER_OFFSETS = range(16)
EXPANDER_OUTPUT_ONLY = (7, 15)

INPUT_NAME = re.compile(r"seat[1-9]\.[a-z_]{1,20}|key\.[a-z_]{1,20}|door\.[a-z_]{1,20}")
OUTPUT_NAME = re.compile(r"seat[1-9]\.[a-z_]{1,20}|candle\.[a-z_]{1,20}")
METER_NAME = re.compile(r"meter\.[a-z_]{1,20}")
NAMES = (
    ("inputs", INPUT_NAME, "a name seatN.*, key.* or door.*"),
    ("outputs", OUTPUT_NAME, "a name seatN.* or candle.*"),
    ("meters", METER_NAME, "a name meter.*"),
)


class Resistors(StrEnum):
    """What holds an input whose contact is open. It also says what a closed contact connects to."""

    PULL_UP = "pull_up"  # inside the chip; contacts close to ground
    PULL_DOWN = "pull_down"  # inside the chip; contacts close to 3.3 V; not on an MCP23017
    EXTERNAL_UP = "external_up"
    EXTERNAL_DOWN = "external_down"

    @property
    def rest_high(self) -> bool:
        return self in (Resistors.PULL_UP, Resistors.EXTERNAL_UP)

    @property
    def pull(self) -> Pull:
        match self:
            case Resistors.PULL_UP:
                return Pull.UP
            case Resistors.PULL_DOWN:
                return Pull.DOWN
            case _:
                return Pull.NONE


def is_header(chip: str) -> bool:
    """The main chip of a Raspberry Pi: pinctrl-bcm2711 (4), pinctrl-rp1 (5), pinctrl-bcm2835 (Zero, 3)."""
    return label_of(chip).startswith("pinctrl-")


def is_expander(chip: str) -> bool:
    return label_of(chip).startswith("mcp23")


def is_door(name: str) -> bool:
    return name.startswith("door.")


def opens_when_active(name: str, normally_closed: Iterable[str]) -> bool:
    """Doors always do: a cut wire or a pulled plug then reads as an open door."""
    return is_door(name) or name in normally_closed


def active_high(name: str, resistors: Resistors, normally_closed: Iterable[str]) -> bool:
    """The electrical level of an active input: an open contact shows the resistor's level."""
    return opens_when_active(name, normally_closed) == resistors.rest_high


def misnamed(names: Mapping[str, str], key: str, form: re.Pattern[str], example: str) -> list[Wrong]:
    wrong = {name: line for name, line in names.items() if not form.fullmatch(name)}
    return [Wrong((key, name), shown(line), example) for name, line in wrong.items()]


def wrong_lines(lines: Mapping[str, str], key: str) -> list[Wrong]:
    """What is wrong with single lines, given as name -> line, in the table `key`."""
    found = []
    output = key != "inputs"
    for name, line in lines.items():
        try:
            chip, offset = split_line(line)
        except ValueError:
            why = "a GPIO line: label:offset or label@address:offset"
        else:
            why = _why_not(chip, offset, output=output)
        if why:
            found.append(Wrong((key, name), shown(line), why))
    return found


def _why_not(chip: str, offset: int, *, output: bool) -> str:
    """What is allowed instead of this line; "" if it may be used."""
    if is_header(chip) and offset not in (HEADER_OUTPUT_OFFSETS if output else HEADER_OFFSETS):
        limits = "9 to 27: lower ones are pulled high while the board boots" if output else "0 to 27"
        return f"the header's lines {limits}"
    if is_expander(chip) and offset not in EXPANDER_OFFSETS:
        return "an expander's lines 0 to 15"
    if is_expander(chip) and not output and offset in EXPANDER_OUTPUT_ONLY:
        return "another line: 7 and 15 of an MCP23017 are output only"
    return ""


def clashes(lines: Iterable[tuple[tuple[str, ...], str]]) -> list[Wrong]:
    """Lines used twice and headers over their lines, over all lines of a cabinet with where they stand."""
    found = []
    users: dict[str, tuple[str, ...]] = {}
    counts: dict[str, int] = {}
    for at, line in lines:
        if line in users:
            found.append(Wrong(at, shown(line), f"a line of its own; {' '.join(users[line])} has this one"))
            continue
        users[line] = at
        counts[chip_of(line)] = counts.get(chip_of(line), 0) + 1
    most = f"at most {HEADER_LINES_MOST}; move seat lines to an MCP23017"
    found += [
        Wrong((), f"{count} lines of {chip}", most)
        for chip, count in counts.items()
        if is_header(chip) and count > HEADER_LINES_MOST
    ]
    return found


def wrong_resistors(inputs: Mapping[str, str], resistors: Resistors) -> list[Wrong]:
    """Resistors that an input's chip does not have, or that would hide an open door."""
    found = []
    for name, line in inputs.items():
        if not is_expander(chip_of(line)):
            continue
        if resistors is Resistors.PULL_DOWN:
            why = "a chip with pull-downs: an MCP23017 has none; fit resistors and write external_down"
        elif is_door(name) and resistors.rest_high:
            why = "a line of the header: on an expander that is dead a door would read as closed"
        else:
            continue
        found.append(Wrong(("inputs", name), shown(line), why))
    return found


def lines_of(table: Mapping[str, object]) -> list[tuple[tuple[str, str], str]]:
    """Every line of a panel's table with where it stands, as far as the table can be read."""
    return [
        ((key, name), line)
        for key, _, _ in NAMES
        if isinstance(lines := table.get(key), Mapping)
        for name, line in lines.items()
        if isinstance(line, str)
    ]


def _listed(table: Mapping[str, object], key: str) -> list[object]:
    names = table.get(key)
    return list(names) if isinstance(names, (list, tuple)) else []


class Options(TableModel, frozen=True, kw_only=True):
    """The panel's table in the cabinet file: names on lines, and how they are wired.

    Meters are driven high for a pulse and never the other way round: an inverted meter would count
    at every start of the board.
    """

    inputs: dict[str, str]
    outputs: dict[str, str] = msgspec.field(default_factory=dict)
    meters: dict[str, str] = msgspec.field(default_factory=dict)
    resistors: Resistors = Resistors.PULL_UP
    normally_closed: tuple[str, ...] = ()  # inputs besides doors whose contact opens when active
    maintained: tuple[str, ...] = ()  # keys that may stay turned: never reported as stuck
    active_low_outputs: tuple[str, ...] = ()  # outputs that light at a low level
    debounce_ms: Annotated[int, Meta(ge=1, le=100)] = 10
    door_debounce_ms: Annotated[int, Meta(ge=1, le=500)] = 50
    stuck_ms: Annotated[int, Meta(ge=1_000, le=600_000)] = 60_000
    pulse_on_ms: Annotated[int, Meta(ge=10, le=500)] = 50
    pulse_off_ms: Annotated[int, Meta(ge=10, le=500)] = 50
    poll_ms: Annotated[int, Meta(ge=20, le=1_000)] = 100  # how often levels are read without an edge
    refresh_ms: Annotated[int, Meta(ge=100, le=10_000)] = 1_000  # how often outputs are written again

    def lines(self) -> list[tuple[tuple[str, str], str]]:
        """Every line with where it stands in the table."""
        return lines_of(msgspec.structs.asdict(self))

    @classmethod
    def across(cls, table: Mapping[str, object]) -> list[Wrong]:
        lines = lines_of(table)
        found = []
        of: dict[str, dict[str, str]] = {key: {} for key, _, _ in NAMES}
        for (key, name), line in lines:
            of[key][name] = line
        for key, form, example in NAMES:
            found += misnamed(of[key], key, form, example) + wrong_lines(of[key], key)
        for key, users in (
            ("normally_closed", "inputs"), ("maintained", "inputs"), ("active_low_outputs", "outputs"),
        ):  # fmt: skip
            names = [name for name in _listed(table, key) if isinstance(name, str) and name not in of[users]]
            found += [Wrong((key,), shown(name), f"only names of {users}") for name in names]
        found += clashes(lines)
        resistors = table.get("resistors", Resistors.PULL_UP)
        if resistors in list(Resistors):
            found += wrong_resistors(of["inputs"], Resistors(str(resistors)))
        return found

    def input_line(self, name: str) -> InputLine:
        high = active_high(name, self.resistors, self.normally_closed)
        return InputLine(self.inputs[name], name, self.resistors.pull, active_low=not high)

    def output_lines(self) -> list[OutputLine]:
        """Lamps, candle and meters."""
        lamps = [
            OutputLine(line, name, name in self.active_low_outputs) for name, line in self.outputs.items()
        ]
        return lamps + [OutputLine(line, name, active_low=False) for name, line in self.meters.items()]
