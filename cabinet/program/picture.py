"""A recalled round as a PNG file, drawn by the table's own scene without a display."""

from __future__ import annotations

import os

from cabinet.core.currency import of_settings
from cabinet.core.live import begin
from cabinet.core.past.recall import RecalledRound, moments
from cabinet.core.policy import Policy
from cabinet.core.timing import Timing
from cabinet.core.view.recall import recall_view
from cabinet.program.presenter import open_window

SIZE = (1920, 1080)


def picture(record: RecalledRound, step: int | None = None) -> bytes:
    """The round after `step` (from 1); at its end without one, or when it has fewer."""
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    seats, currency = len(record.seats), of_settings(record.state.settings)
    served = [(seat,) for seat in range(1, seats + 1)]
    policy = Policy(
        name="",
        serial="",
        machine_id=0,
        establishment="",
        street="",
        city="",
        currency=currency,
        seats=seats,
        rules=record.rules,
        validators=tuple((f"validator{seats[0]}", seats) for seats in served),
        printers=tuple((f"printer{seats[0]}", seats) for seats in served),
        panels=(),
    )
    place = min(step or moments(record), moments(record)) - 1
    window = open_window(None, Timing(), lab=True, size=SIZE, currency=currency)
    try:
        return window.png(recall_view(record, place, begin(policy, 0, record.opened_ms)), 0)
    finally:
        window.close()
