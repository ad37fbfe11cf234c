"""What a session tells besides its screen: the log in words, and one line for the service manager."""

from __future__ import annotations

import logging
from collections.abc import Callable

from cabinet.core.conditions import Lock
from cabinet.core.live import Live, active_conditions
from cabinet.core.state import State
from cabinet.program.display import Display
from cabinet.program.manager import ServiceManager

LOG = logging.getLogger("cabinet")
Publish = Callable[[State, Live], None]


def publisher(manager: ServiceManager, display: Display, on_publish: Publish | None) -> Publish:
    """Where committed states go: to the screen, the log, the service manager, and the bench."""
    talk = ConditionLog(manager)

    def publish(state: State, live: Live) -> None:
        display.publish(state, live)
        talk.tell(state, live)
        if on_publish is not None:
            on_publish(state, live)

    return publish


class ConditionLog:
    """Every condition that begins or ends as one line of the log, in words; what stops the table also as the
    unit's status."""

    def __init__(self, manager: ServiceManager) -> None:
        self._manager = manager
        self._live: Live | None = None
        self._said: dict[tuple[str, str], tuple[str, str]] = {}  # (code, device) -> (name, detail)

    def tell(self, state: State, live: Live) -> None:
        if live is self._live:
            return
        self._live = live
        active = active_conditions(state, live)
        now = {(row.code, device): (row.name, detail) for row, device, detail in active}
        for code, device in now.keys() - self._said.keys():
            name, detail = now[code, device]
            place, why = f" at {device}" if device else "", f": {detail}" if detail else ""
            LOG.warning("%s %s%s%s", code, name, place, why)
        for code, device in self._said.keys() - now.keys():
            LOG.info("%s %s is over%s", code, self._said[code, device][0], f" at {device}" if device else "")
        self._said = now
        stops = next((row for row, _, _ in active if row.lock is Lock.PLAY), None)
        _, reason = now.get((stops.code, ""), ("", "")) if stops is not None else ("", "")
        why = f": {reason}" if reason else ""
        self._manager.status("running" if stops is None else f"stands, {stops.code} {stops.name}{why}")
