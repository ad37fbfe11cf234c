"""What became of the last tickets, as every printer's driver remembers it: an order that is or may be on
paper is answered from here and never carried out a second time."""

from __future__ import annotations

from typing import TypeVar

Verdict = TypeVar("Verdict")

OUTCOMES_KEPT = 32  # the owner asks again about its last ticket, never about an old one


def remember(outcomes: dict[int, Verdict], ref: int, verdict: Verdict) -> None:
    """Enter the verdict on a ticket, and forget the oldest of too many."""
    outcomes[ref] = verdict
    if len(outcomes) > OUTCOMES_KEPT:
        del outcomes[next(iter(outcomes))]
