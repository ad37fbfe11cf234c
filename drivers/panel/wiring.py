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

from drivers.bank import Pull, chip_of, label_of, split_line

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
