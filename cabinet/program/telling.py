"""What a session tells besides its screen: the log in words, and one line for the service manager.

The system journal takes the priority of a line from its first characters (``<3>`` error, ``<4>`` warning,
``<6>`` information: sd-daemon(3)). `JOURNAL_STREAM` says whether standard error goes there (systemd.exec(5)).
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable

from cabinet.core.conditions import Condition, Lock
from cabinet.core.live import Live, active_conditions
from cabinet.core.state import State
from cabinet.program.display import Display
from cabinet.program.manager import ServiceManager
from drivers.device import Pattern

LOG = logging.getLogger("cabinet")
Publish = Callable[[State, Live], None]
FORMAT = "%(levelname)s %(name)s: %(message)s"
PRIORITIES = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}


class _Prioritised(logging.Formatter):
    """Every line with its priority: the system journal takes a line as a message."""

    def format(self, record: logging.LogRecord) -> str:
        sign = f"<{PRIORITIES.get(record.levelno, 6)}>"
        return "\n".join(sign + line for line in super().format(record).splitlines())


def begin_log() -> None:
    """The program's log on standard error; with priorities if the system journal reads it."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Prioritised(FORMAT) if _to_the_journal() else logging.Formatter(FORMAT))
    logging.basicConfig(handlers=[handler], level=logging.INFO)


def _to_the_journal() -> bool:
    try:
        there = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):  # closed, or no file
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"


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
        self._said: dict[tuple[str, str], tuple[Condition, str]] = {}  # (code, device) -> (row, detail)

    def tell(self, state: State, live: Live) -> None:
        if live is self._live:
            return
        self._live = live
        active = active_conditions(state, live)
        now = {(row.code, device): (row, detail) for row, device, detail in active}
        for code, device in now.keys() - self._said.keys():
            row, detail = now[code, device]
            place, why = f" at {device}" if device else "", f": {detail}" if detail else ""
            level = logging.ERROR if row.bottom is Pattern.FAST else logging.WARNING  # as the candle has it
            LOG.log(level, "%s %s%s%s", code, row.name, place, why)
        for code, device in self._said.keys() - now.keys():
            LOG.info(
                "%s %s is over%s", code, self._said[code, device][0].name, f" at {device}" if device else ""
            )
        self._said = now
        stops = next((row for row, _, _ in active if row.lock is Lock.PLAY), None)
        reason = now[stops.code, ""][1] if stops is not None and (stops.code, "") in now else ""
        why = f": {reason}" if reason else ""
        self._manager.status("running" if stops is None else f"stands, {stops.code} {stops.name}{why}")
