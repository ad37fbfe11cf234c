"""Where the conversation with an ID-003 device stands."""

from __future__ import annotations

from enum import StrEnum


class SessionPhase(StrEnum):
    CLOSED = "closed"
    PROBE = "probe"
    PROVE = "prove"
    LOOP = "loop"
    WATCH = "watch"
    HELD = "held"
    RESET = "reset"
    STARTING = "starting"
    SETUP = "setup"
