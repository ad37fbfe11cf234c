"""Words of the logs for reasons that facts hold as short names."""

from __future__ import annotations

from datetime import UTC, datetime

from cabinet.core.conditions import BY_CODE

_NOTES = {
    "power_up": "the validator lost power",
    "in_stacker": "found in the box after a power cut",
    "in_acceptor": "it stood in the acceptor",
    "returning": "it was on its way back",
    "escrow": "it still waited in escrow",
    "vend_valid": "it lies in the box, unannounced",
    "nothing": "the validator knows of no note",
    "gone": "its validator is not in the cabinet file any more",
}
_HANDPAYS = {
    "large_win": "large win",
    "ticket_limit": "over the ticket limit",
    "ticket_failed": "the ticket is void",
    "credit_limit": "win over the credit limit",
    "residual": "less than a ticket pays",
    "no_ticket_key": "no key for ticket numbers",
    "no_number": "no ticket number is left",
}
KEYS = {"attendant": "attendant", "service": "technician"}


def note_words(reason: str) -> str:
    """Why a note came back, or what the validator said of it (drivers.device.Holding)."""
    return _NOTES.get(reason, reason.replace("_", " "))


def handpay_words(reason: str) -> str:
    """Why an amount is paid by hand."""
    code = reason.removeprefix("printer ")
    if code in BY_CODE:
        return BY_CODE[code].name
    return _HANDPAYS.get(reason, reason.replace("_", " "))


def step_words(before_ms: int, wall_ms: int) -> str:
    """How far a clock was set, and from which time. Local wall clock in ms since 1970."""
    ahead = wall_ms >= before_ms
    minutes, ms = divmod(abs(wall_ms - before_ms), 60_000)
    days, minutes = divmod(minutes, 24 * 60)
    parts = ((days, "d"), (minutes // 60, "h"), (minutes % 60, "min"), (ms // 1000, "s"))
    far = " ".join(f"{count} {unit}" for count, unit in parts if count) or "less than 1 s"
    return f"{far} {'forward' if ahead else 'back'}, from {stamp(before_ms)}"


def stamp(wall_ms: int) -> str:
    """``2026-06-01 19:02:11`` of a local wall clock in ms since 1970-01-01 00:00. What no calendar has (a bit
    that flipped in a log that is read unchecked) is told as it stands."""
    try:
        return datetime.fromtimestamp(wall_ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"clock {wall_ms} ms"


def key_words(key: str) -> str:
    """Who stands behind a key."""
    return KEYS.get(key, key)
