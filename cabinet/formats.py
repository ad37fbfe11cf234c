"""How service pages write times, counts and bytes."""

from __future__ import annotations

from cabinet.core.past.reasons import stamp

__all__ = ["clock", "day", "hex_bytes", "plural", "stamp"]

DAY_MS = 24 * 3600 * 1000
BYTES_SHOWN = 16  # of one frame; a template of a ticket has hundreds


def clock(wall_ms: int) -> str:
    """``HH:MM:SS.mmm`` of a local wall clock in ms since 1970-01-01 00:00."""
    of_day = wall_ms % DAY_MS
    seconds = of_day // 1000
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{of_day % 1000:03d}"


def day(wall_ms: int) -> str:
    """``2026-06-01`` of a local wall clock."""
    return stamp(wall_ms)[:10]


def hex_bytes(data: bytes) -> str:
    """``FC 05 11 27 56``; a long frame ends with its length."""
    shown = data[:BYTES_SHOWN].hex(" ").upper()
    return shown if len(data) <= BYTES_SHOWN else f"{shown} .. {len(data)} bytes"


def plural(count: int, one: str, many: str) -> str:
    """``1 fault``, ``3 faults``, ``no faults``."""
    return f"{count or 'no'} {one if count == 1 else many}"
