"""What all parts of one view look at: state, live, and what is found out once for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cabinet.core import options
from cabinet.core.conditions import Code, Condition, Lock
from cabinet.core.live import Live, active_conditions
from cabinet.core.look import Button, LampLook
from cabinet.core.policy import Policy
from cabinet.core.state import State

# A turned key opens pages of its own and needs no lock-up panel.
KEYS = (Code.ATTENDANT_MENU, Code.SERVICE_MENU)


@dataclass(frozen=True, slots=True)
class Sight:
    """`at_ms` is the time that the table is shown for: now, or when it was stopped."""

    state: State
    live: Live
    conditions: tuple[tuple[Condition, str, str], ...]
    locked: bool  # a condition (or a key) stops the whole table
    at_ms: int
    lamps: tuple[Mapping[Button, LampLook], ...]

    @property
    def policy(self) -> Policy:
        return self.live.policy

    @property
    def codes(self) -> tuple[str, ...]:
        """Active conditions in the order of priority, each once."""
        return tuple(dict.fromkeys(row.code for row, _, _ in self.conditions))

    def left_ms(self, deadline_ms: int | None) -> int | None:
        """What is left of a countdown while the table stands still."""
        if self.state.frozen:
            return self.state.remaining_ms
        return None if deadline_ms is None else max(0, deadline_ms - self.at_ms)


def sight(state: State, live: Live) -> Sight:
    """Everything that is costly to find out, once."""
    found = active_conditions(state, live)
    locked = any(row.lock is Lock.PLAY for row, _, _ in found)
    lamps = tuple(options.lamps(state, live, seat) for seat in state.seats)
    return Sight(state, live, found, locked, stopped_ms(state, live, locked), lamps)


def stopped_ms(state: State, live: Live, locked: bool) -> int:
    """When the table was stopped; now while it is not. Without storage no fact tells it."""
    if state.frozen:
        return state.frozen_ms
    if locked and live.stopped_ms is not None:
        return live.stopped_ms
    return live.now_ms
