"""What the books of a virtual day hold to be impossible, and what they do not."""

from __future__ import annotations

import pytest

from cabinet.config import load
from cabinet.core.facts import NoteClosed, NoteCredited, NoteIntended, NoteSettledByHand, NoteUnresolved
from cabinet.lab import table, world
from cabinet.lab.days.audit import DayAudit
from drivers.sim.validator.path import PathState as Motion
from drivers.sim.validator.path import Where
from drivers.sim.validator.sheets import Sheet

V1 = "validator1"


@pytest.fixture
def audit() -> DayAudit:
    """After an echo on the line, with a note on its way into the box: the attendant was asked for it."""
    made = DayAudit(world.build(load(table.cabinet_file("slot1")), wire="memory", seed=1))
    made.follow(NoteIntended(0, 1, V1, 1, 500, 0x63))
    made.follow(NoteUnresolved(0, 1, V1, "nothing"))
    return made


def test_a_note_that_was_found_by_hand_may_be_announced_by_its_validator_later(audit: DayAudit) -> None:
    audit.follow(NoteSettledByHand(0, 1, V1, in_box=True))
    audit.follow(NoteUnresolved(0, 0, V1, "vend_valid"))
    assert audit.problems == []


def test_a_note_that_was_not_found_may_not(audit: DayAudit) -> None:
    audit.follow(NoteSettledByHand(0, 1, V1, in_box=False))
    audit.follow(NoteUnresolved(0, 0, V1, "vend_valid"))
    assert audit.problems == ["validator1 holds a note that no fact intends: vend_valid"]


def test_the_next_note_ends_it(audit: DayAudit) -> None:
    audit.follow(NoteSettledByHand(0, 1, V1, in_box=True))
    for fact in (NoteIntended(0, 2, V1, 1, 500, 0x63), NoteCredited(0, 2), NoteClosed(0, 2)):
        audit.follow(fact)
    audit.follow(NoteUnresolved(0, 0, V1, "vend_valid"))
    assert audit.problems == ["validator1 holds a note that no fact intends: vend_valid"]


@pytest.mark.parametrize("motion", [Motion.OFF, Motion.POWER_UP, Motion.STARTING])
def test_a_note_in_the_stacker_of_a_validator_without_power_may_be_credited(
    audit: DayAudit, motion: Motion
) -> None:
    """Power went again after the credit and before the RESET that drops it into the box."""
    audit.follow(NoteCredited(0, 1))
    path = audit.world.validator(V1).path
    path.paper, path.where, path.state = Sheet(500), Where.STACKER, motion
    audit._boxes()
    assert (audit.problems == []) is (motion is not Motion.STARTING)
