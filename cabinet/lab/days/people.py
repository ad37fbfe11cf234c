"""Who comes to the table on a virtual day besides players and attendant: a technician."""

from __future__ import annotations

import random

from cabinet.core.conditions import Code
from cabinet.lab.glance import Glance
from cabinet.lab.people import Hands

TECHNICAL = (Code.LOGIC_AREA_OPEN, Code.RNG_FAILED)  # what only the service key clears
COMES_MS = (3_000, 20_000)
STAYS_MS = (3_000, 12_000)
LOOKS_MS = 1_000


class Technician:
    """Comes for what only the service key clears, turns it, looks, and turns it back. What is still there
    brings him again."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"technician {seed}")
        self.wake_at = LOOKS_MS
        self._turns_ms: int | None = None  # when he turns the key, or turns it back
        self.visits = 0

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        self.wake_at = now_ms + LOOKS_MS
        here = seen.key == "service"
        if not here and not any(code in TECHNICAL for code, _ in seen.conditions):
            self._turns_ms = None
        elif self._turns_ms is None:
            self._turns_ms = now_ms + self._random.randint(*(STAYS_MS if here else COMES_MS))
        elif now_ms >= self._turns_ms:
            self._turns_ms = None
            self.visits += not here
            hands.turn("key.service", not here, now_ms)
