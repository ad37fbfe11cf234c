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
from typing import Annotated, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from drivers.bank import InputLine, OutputLine, Pull, chip_of, label_of, split_line

HEADER_LINES_MOST = 24
HEADER_OFFSETS = range(28)
HEADER_OUTPUT_OFFSETS = range(9, 28)
EXPANDER_OFFSETS = range(16)
EXPANDER_OUTPUT_ONLY = (7, 15)

INPUT_NAME = re.compile(r"seat[1-9]\.[a-z_]{1,20}|key\.[a-z_]{1,20}|door\.[a-z_]{1,20}")
OUTPUT_NAME = re.compile(r"seat[1-9]\.[a-z_]{1,20}|candle\.[a-z_]{1,20}")
METER_NAME = re.compile(r"meter\.[a-z_]{1,20}")


class Finding(NamedTuple):
    """What is wrong with a wire: where it stands in the table, what stands there, what is allowed."""

    at: tuple[str, ...]
    found: str
    allowed: str


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


def misnamed(lines: Mapping[str, str], form: re.Pattern[str], example: str) -> list[Finding]:
    return [Finding((name,), line, example) for name, line in lines.items() if not form.fullmatch(name)]


def wrong_lines(lines: Mapping[str, str], *, output: bool) -> list[Finding]:
    """What is wrong with single lines, given as name -> line."""
    found = []
    for name, line in lines.items():
        try:
            chip, offset = split_line(line)
        except ValueError:
            found.append(Finding((name,), line, "a GPIO line: label:offset or label@address:offset"))
            continue
        if is_header(chip) and offset not in (HEADER_OUTPUT_OFFSETS if output else HEADER_OFFSETS):
            limits = "9 to 27: lower ones are pulled high while the board boots" if output else "0 to 27"
            found.append(Finding((name,), line, f"the header's lines {limits}"))
        elif is_expander(chip) and offset not in EXPANDER_OFFSETS:
            found.append(Finding((name,), line, "an expander's lines 0 to 15"))
        elif is_expander(chip) and not output and offset in EXPANDER_OUTPUT_ONLY:
            found.append(Finding((name,), line, "another line: 7 and 15 of an MCP23017 are output only"))
    return found


def clashes(lines: Iterable[tuple[tuple[str, ...], str]]) -> list[Finding]:
    """Lines used twice and headers over their lines, over all lines of a cabinet with where they stand."""
    found = []
    users: dict[str, tuple[str, ...]] = {}
    counts: dict[str, int] = {}
    for at, line in lines:
        if line in users:
            found.append(Finding(at, line, f"a line of its own; {' '.join(users[line])} has this one"))
            continue
        users[line] = at
        counts[chip_of(line)] = counts.get(chip_of(line), 0) + 1
    most = f"at most {HEADER_LINES_MOST}; move seat lines to an MCP23017"
    found += [
        Finding((), f"{count} lines of {chip}", most)
        for chip, count in counts.items()
        if is_header(chip) and count > HEADER_LINES_MOST
    ]
    return found


def wrong_resistors(inputs: Mapping[str, str], resistors: Resistors) -> list[Finding]:
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
        found.append(Finding(("inputs", name), line, why))
    return found


def _raise(found: list[Finding]) -> None:
    """One error for each finding, at its own place."""
    if found:
        raise ValidationError.from_exception_data(
            "wiring",
            [
                {"type": "value_error", "loc": at, "input": what, "ctx": {"error": why}}
                for at, what, why in found
            ],
        )


def _inputs(lines: dict[str, str]) -> dict[str, str]:
    names = misnamed(lines, INPUT_NAME, "a name seatN.*, key.* or door.*")
    _raise(names + wrong_lines(lines, output=False))
    return lines


def _outputs(lines: dict[str, str]) -> dict[str, str]:
    names = misnamed(lines, OUTPUT_NAME, "a name seatN.* or candle.*")
    _raise(names + wrong_lines(lines, output=True))
    return lines


def _meters(lines: dict[str, str]) -> dict[str, str]:
    _raise(misnamed(lines, METER_NAME, "a name meter.*") + wrong_lines(lines, output=True))
    return lines


def lines_of(table: Mapping[str, object]) -> list[tuple[tuple[str, ...], str]]:
    """Every line of a panel's table with where it stands, as far as the table can be read."""
    return [
        ((key, name), line)
        for key in ("inputs", "outputs", "meters")
        if isinstance(lines := table.get(key), Mapping)
        for name, line in lines.items()
        if isinstance(line, str)
    ]


def _listed(table: Mapping[str, object], key: str) -> list[object]:
    names = table.get(key)
    return list(names) if isinstance(names, (list, tuple)) else []


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
        _raise(self.across(self.__dict__))
        return self

    def lines(self) -> list[tuple[tuple[str, ...], str]]:
        """Every line with where it stands in the table."""
        return lines_of(self.__dict__)

    @classmethod
    def across(cls, table: Mapping[str, object]) -> list[Finding]:
        """What the parts of a table, also of one with mistakes, have against each other."""
        lines = lines_of(table)
        found = []
        for key, users in (
            ("normally_closed", "inputs"), ("maintained", "inputs"), ("active_low_outputs", "outputs"),
        ):  # fmt: skip
            known = [at[1] for at, _ in lines if at[0] == users]
            names = [name for name in _listed(table, key) if isinstance(name, str) and name not in known]
            found += [Finding((key,), name, f"only names of {users}") for name in names]
        found += clashes(lines)
        resistors = table.get("resistors", Resistors.PULL_UP)
        if resistors in list(Resistors):
            inputs = {at[1]: line for at, line in lines if at[0] == "inputs"}
            found += wrong_resistors(inputs, Resistors(str(resistors)))
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
