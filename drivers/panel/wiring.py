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
from itertools import chain
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from drivers.bank import InputLine, OutputLine, Pull, chip_of, label_of, split_line

HEADER_LINES_MOST = 24
HEADER_OFFSETS = range(28)
HEADER_OUTPUT_OFFSETS = range(9, 28)
EXPANDER_OFFSETS = range(16)
EXPANDER_OUTPUT_ONLY = (7, 15)

INPUT_NAME = re.compile(r"seat[1-9]\.[a-z_]{1,20}|key\.[a-z_]{1,20}|door\.[a-z_]{1,20}")
OUTPUT_NAME = re.compile(r"seat[1-9]\.[a-z_]{1,20}|candle\.[a-z_]{1,20}")
METER_NAME = re.compile(r"meter\.[a-z_]{1,20}")


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


def misnamed(names: Iterable[str], form: re.Pattern[str], example: str) -> list[str]:
    return [f"{name} is no name of this kind; {example}" for name in names if not form.fullmatch(name)]


def wrong_lines(lines: Mapping[str, str], *, output: bool) -> list[str]:
    """What is wrong with single lines, given as name -> line. Each finding names both."""
    found = []
    for name, line in lines.items():
        try:
            chip, offset = split_line(line)
        except ValueError as error:
            found.append(f"{name}: {error}")
            continue
        if is_header(chip) and offset not in (HEADER_OUTPUT_OFFSETS if output else HEADER_OFFSETS):
            limits = "9 to 27: lower ones are pulled high while the board boots" if output else "0 to 27"
            found.append(f"{name}: {line} cannot be used; the header has lines {limits}")
        elif is_expander(chip) and offset not in EXPANDER_OFFSETS:
            found.append(f"{name}: {line} does not exist; an expander has lines 0 to 15")
        elif is_expander(chip) and not output and offset in EXPANDER_OUTPUT_ONLY:
            found.append(f"{name}: {line} is an output only; lines 7 and 15 of an MCP23017 cannot be inputs")
    return found


def clashes(lines: Iterable[tuple[str, str]]) -> list[str]:
    """Lines used twice and headers over their lines, over all (name, line) pairs of a cabinet."""
    found = []
    users: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name, line in lines:
        if line in users:
            found.append(f"{line} is used by both {users[line]} and {name}")
            continue
        users[line] = name
        counts[chip_of(line)] = counts.get(chip_of(line), 0) + 1
    found += [
        f"{chip} has {count} lines in use, at most {HEADER_LINES_MOST} are free on a header; "
        "move seat lines to an MCP23017"
        for chip, count in counts.items()
        if is_header(chip) and count > HEADER_LINES_MOST
    ]
    return found


def wrong_resistors(inputs: Mapping[str, str], resistors: Resistors) -> list[str]:
    """Resistors that an input's chip does not have, or that would hide an open door."""
    found = []
    for name, line in inputs.items():
        if not is_expander(chip_of(line)):
            continue
        if resistors is Resistors.PULL_DOWN:
            found.append(f"{name}: {line} has no pull-down; fit resistors and write external_down")
        elif is_door(name) and resistors.rest_high:
            found.append(
                f"{name}: {line} would read as closed when its expander is dead; wire doors to the header"
            )
    return found


def _raise(found: list[str]) -> None:
    if found:
        raise ValueError("; ".join(found))


def _inputs(lines: dict[str, str]) -> dict[str, str]:
    _raise(misnamed(lines, INPUT_NAME, "inputs are seatN.*, key.* and door.*"))
    _raise(wrong_lines(lines, output=False))
    return lines


def _outputs(lines: dict[str, str]) -> dict[str, str]:
    _raise(misnamed(lines, OUTPUT_NAME, "outputs are seatN.* and candle.*"))
    _raise(wrong_lines(lines, output=True))
    return lines


def _meters(lines: dict[str, str]) -> dict[str, str]:
    _raise(misnamed(lines, METER_NAME, "meters are meter.*"))
    _raise(wrong_lines(lines, output=True))
    return lines


class Options(BaseModel):
    """The panel's table in the cabinet file: names on lines, and how they are wired.

    Meters are driven high for a pulse and never the other way round: an inverted meter would count
    at every start of the board.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    inputs: Annotated[dict[str, str], AfterValidator(_inputs)]
    outputs: Annotated[dict[str, str], AfterValidator(_outputs)] = Field(default_factory=dict)
    meters: Annotated[dict[str, str], AfterValidator(_meters)] = Field(default_factory=dict)
    resistors: Resistors = Resistors.PULL_UP
    normally_closed: tuple[str, ...] = ()  # inputs besides doors whose contact opens when active
    maintained: tuple[str, ...] = ()  # keys that may stay turned: never reported as stuck
    active_low_outputs: tuple[str, ...] = ()  # outputs that light at a low level
    debounce_ms: int = Field(default=10, ge=1, le=100)
    door_debounce_ms: int = Field(default=50, ge=1, le=500)
    stuck_ms: int = Field(default=60_000, ge=1_000, le=600_000)
    pulse_on_ms: int = Field(default=50, ge=10, le=500)
    pulse_off_ms: int = Field(default=50, ge=10, le=500)
    poll_ms: int = Field(default=100, ge=20, le=1_000)  # how often levels are read without an edge
    refresh_ms: int = Field(default=1_000, ge=100, le=10_000)  # how often outputs are written again

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        named = [("normally_closed", self.normally_closed, self.inputs)]
        named += [("maintained", self.maintained, self.inputs)]
        named += [("active_low_outputs", self.active_low_outputs, self.outputs)]
        found = [
            f"{key} names {name}, which has no line here"
            for key, names, lines in named
            for name in names
            if name not in lines
        ]
        found += clashes(self.lines())
        found += wrong_resistors(self.inputs, self.resistors)
        _raise(found)
        return self

    def lines(self) -> list[tuple[str, str]]:
        """All (user, line) pairs. A lamp is called "output seat1.hit": its button has the same name."""
        lamps = ((f"output {name}", line) for name, line in self.outputs.items())
        return list(chain(self.inputs.items(), lamps, self.meters.items()))

    def input_line(self, name: str) -> InputLine:
        high = active_high(name, self.resistors, self.normally_closed)
        return InputLine(self.inputs[name], name, self.resistors.pull, active_low=not high)

    def output_lines(self) -> list[OutputLine]:
        """Lamps, candle and meters."""
        lamps = [
            OutputLine(line, name, name in self.active_low_outputs) for name, line in self.outputs.items()
        ]
        return lamps + [OutputLine(line, name, active_low=False) for name, line in self.meters.items()]
