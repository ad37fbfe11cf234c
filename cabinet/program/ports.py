"""The real ports, lines and buses of this board."""

from __future__ import annotations

from cabinet.program.runtime import RealClock
from drivers.gpio import open_bank
from drivers.i2c import open_bus
from drivers.link import open_serial
from drivers.registry import Io


def field_io() -> Io:
    """As the field program and the commands of a stopped cabinet use them. Nothing is opened yet."""
    return Io(open_serial, open_bank, open_bus, RealClock().now_ms)
