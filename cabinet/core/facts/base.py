"""What every fact has. The facts themselves are in `facts.money` and `facts.play`."""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all facts. `at_ms` is the session time of the event that made it true."""

    at_ms: int
