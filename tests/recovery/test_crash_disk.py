"""The disk under a crashed evening: what had not been flushed may be gone when power goes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cabinet.lab.crash_checks import Check
from cabinet.lab.crash_cut import Bytes, Cut, Plug
from cabinet.lab.crash_disk import Survival
from cabinet.lab.crash_play import Options, run
from cabinet.lab.crash_record import at_hand
from cabinet.lab.crash_watch import Kind, Point

__test__ = at_hand()  # without strace nobody knows what a disk has flushed

NOTES = Options("slot1", scenes=("notes",))


def lifted(point: Point) -> tuple[Cut, ...]:
    """When a note moves: power goes everywhere, and nothing survives that was not flushed."""
    dark = Cut(Plug.ALL, Bytes.DELIVERED, Survival.NONE)
    return (dark,) if point.kind is Kind.ARRIVED and "lifting" in point.what else ()


@pytest.mark.requirement("MEM-11", "MTR-07", "BIL-02")
def test_a_journal_that_does_not_flush_each_commit_is_found() -> None:
    """A mutant: `synchronous=NORMAL`. The process may be killed as often as one likes; power may not go."""
    careless = run(replace(NOTES, synchronous=1), lifted, enough=lambda outcome: bool(outcome.problems))
    assert careless.checks[Check.ORDERS], "a note is stacked of which the disk knows nothing"
    assert careless.checks[Check.SHOWN]
    assert run(NOTES, lifted).problems == []
