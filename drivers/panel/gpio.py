"""A panel of buttons, lamps, keys, doors, candle and hard meters on GPIO lines."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from drivers.panel import wiring
from drivers.panel.wiring import Resistors


def _raise(found: list[str]) -> None:
    if found:
        raise ValueError("; ".join(found))


def _inputs(lines: dict[str, str]) -> dict[str, str]:
    _raise(wiring.misnamed(lines, wiring.INPUT_NAME, "inputs are seatN.*, key.* and door.*"))
    _raise(wiring.wrong_lines(lines, output=False))
    return lines


def _outputs(lines: dict[str, str]) -> dict[str, str]:
    _raise(wiring.misnamed(lines, wiring.OUTPUT_NAME, "outputs are seatN.* and candle.*"))
    _raise(wiring.wrong_lines(lines, output=True))
    return lines


def _meters(lines: dict[str, str]) -> dict[str, str]:
    _raise(wiring.misnamed(lines, wiring.METER_NAME, "meters are meter.*"))
    _raise(wiring.wrong_lines(lines, output=True))
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
        found += wiring.clashes(self.lines())
        found += wiring.wrong_resistors(self.inputs, self.resistors)
        _raise(found)
        return self

    def lines(self) -> list[tuple[str, str]]:
        """All (name, line) pairs. A lamp and its button have the same name on different lines."""
        return list(chain(self.inputs.items(), self.outputs.items(), self.meters.items()))
