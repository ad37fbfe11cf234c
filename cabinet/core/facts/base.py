"""What every fact has. The facts themselves are in `facts` and `money`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """Base of all facts. `at_ms` is the session time of the event that made it true."""

    at_ms: int
