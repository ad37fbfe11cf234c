"""Words of the logs for reasons that facts hold as short names."""

from __future__ import annotations

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


def key_words(key: str) -> str:
    """Who stands behind a key."""
    return KEYS.get(key, key)
