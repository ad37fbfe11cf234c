"""The levels of all devices as a function of (state, live). The runtime applies the difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from cabinet.core import options
from cabinet.core.live import Live, active_conditions
from cabinet.core.look import Button, LampLook
from cabinet.core.money import cashier
from cabinet.core.state import State
from drivers.device import Pattern

_STRENGTH = {Pattern.OFF: 0, Pattern.ON: 1, Pattern.SLOW: 2, Pattern.FAST: 3}


@dataclass(frozen=True, slots=True)
class Outputs:
    """`panel`: output name to pattern, only what is not off. `accept`: validator to whether it may
    draw a document in; `changes`: the number of that wish, by which the device confirms it."""

    panel: Mapping[str, Pattern]
    accept: Mapping[str, bool]
    changes: Mapping[str, int]


def outputs(state: State, live: Live) -> Outputs:
    accept = {name: cashier.takes_notes(state, live, name) for name, _ in live.policy.validators}
    changes = {name: live.device(name).change for name in accept}
    return Outputs(_panel(state, live), accept, changes)


def _panel(state: State, live: Live) -> Mapping[str, Pattern]:
    """Lamps are on for lit and outlined alike; the screen tells which is the expected answer."""
    levels: dict[str, Pattern] = {}
    for seat in state.seats:
        for button, look in options.lamps(state, live, seat).items():
            if look is not LampLook.OFF:
                levels[_lamp_name(seat, button)] = Pattern.ON
    if live.lamp_test:
        levels[live.lamp_test] = Pattern.ON
    levels.update(_candle(state, live))
    return levels


@cache  # seven seats with ten lamps each
def _lamp_name(seat: int, button: Button) -> str:
    return f"seat{seat}.{button.value}"


def _candle(state: State, live: Live) -> Mapping[str, Pattern]:
    """The strongest pattern that any active condition asks for, top and bottom apart."""
    rows = [row for row, _, _ in active_conditions(state, live)]
    if not rows:
        return {}
    top = max((row.top for row in rows), key=_STRENGTH.__getitem__)
    bottom = max((row.bottom for row in rows), key=_STRENGTH.__getitem__)
    wanted = {"candle.top": top, "candle.bottom": bottom}
    return {name: pattern for name, pattern in wanted.items() if pattern is not Pattern.OFF}
