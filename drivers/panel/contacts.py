"""Debouncing as a pure function of level samples.

A contact has one accepted level. Another level is accepted when it has been seen without an edge in
between for the whole debounce time. Edges are never counted: they only start the wait again.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Contact:
    """`active` is the accepted level, `since_ms` when the other level began; None: nothing waits."""

    active: bool = False
    since_ms: int | None = None


def step(contact: Contact, level: bool, moved: bool, now_ms: int, debounce_ms: int) -> Contact:
    """The contact after a sample of `level`; `moved` says that edges came since the last sample."""
    if level == contact.active:
        return contact if contact.since_ms is None else Contact(contact.active)
    if contact.since_ms is None or moved:
        return Contact(contact.active, now_ms)
    if now_ms - contact.since_ms >= debounce_ms:
        return Contact(level)
    return contact
