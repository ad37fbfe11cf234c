"""What every combination of status bits makes of a ticket that was ordered: a table without a gap.

The bits that decide nothing (system error, journal mode, top of form, bar code read, paper low) are left out
of the product and tried on top of it. The rule is written here once more, from the outcomes that a person
would want, and compared with the driver's own.
"""

from __future__ import annotations

import itertools

import pytest

from drivers.device import TicketOutcome
from drivers.ticket_printer.tcl.job import CANCEL_MS, Job, JobPhase, Patience
from drivers.ticket_printer.tcl.status import Flag, Status

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN
PATIENCE = Patience(prepare_ms=5000, start_gap_ms=5000, give_up_ms=30_000, validation_bit=True, cutter=True)

STOPPED = {Flag.JAM, Flag.HEAD_UP, Flag.CUTTER, Flag.VOLTAGE}
REFUSED = {
    *(Flag.COMMAND_ERROR, Flag.BUFFER_OVERFLOW, Flag.JOB_MEMORY),
    *(Flag.LIBRARY_REFERENCE, Flag.REGION_DATA, Flag.LIBRARY_LOAD),
}
HELD = {
    *(Flag.PAPER_OUT, Flag.NO_INDEX, Flag.DRAWER_OPEN, Flag.OFF_LINE),
    *(Flag.HEAD_ERROR, Flag.TEMPERATURE, Flag.XOFF),
}
CORE = [Flag.BUSY, Flag.VALIDATION_DONE, Flag.CHUTE, Flag.POWER_UP]
NOTHING = [Flag.SYSTEM_ERROR, Flag.JOURNAL, Flag.PAPER_LOW, Flag.TOP_OF_FORM, Flag.BAR_CODE_READ]
OTHERS = [*sorted(STOPPED | REFUSED | HELD, key=lambda flag: flag.name), Flag.LIBRARY_CORRUPT, Flag.FLASH]


def status(flags: set[Flag], template: str = "0") -> Status:
    bits = sum(flag.mask for flag in flags) | 0x4040404040
    return Status("5RUSAGE27", bits.to_bytes(5, "little"), template)


def outcome_of(
    flags: set[Flag], *, began: bool, obeys: bool, phase: JobPhase = JobPhase.SENT
) -> TicketOutcome:
    """A ticket is ordered at 0, is seen busy or is not, and then the printer says `flags` for ever; told to
    reset, it shows a restart or does not."""
    job = Job(1, b"^P|0|1|...|^", PATIENCE, JobPhase.PREPARING)
    job.look(status(set()), 0)
    job.sent(0, 0)
    if phase is JobPhase.DOUBT:
        job.lost()
    if began:
        job.look(status({Flag.BUSY}), 500)
        job.look(status({Flag.BUSY}), 750)
    for at_ms in range(1000, 30_000 + CANCEL_MS + 1000, 250):
        shown = status({Flag.POWER_UP}, " ") if job.wants_reset and obeys else status(flags)
        if (verdict := job.look(shown, at_ms) or job.wait(at_ms)) is not None:
            return verdict.outcome
    raise AssertionError(f"no outcome for {flags}")


def wanted(flags: set[Flag], *, began: bool, obeys: bool) -> TicketOutcome:
    touched = began or bool(flags & {Flag.BUSY, Flag.VALIDATION_DONE, Flag.CHUTE})
    if Flag.POWER_UP in flags:
        return UNKNOWN  # it has restarted, nobody knows when
    if touched:
        whole = Flag.VALIDATION_DONE in flags and Flag.BUSY not in flags
        return PRINTED if whole and not flags & (STOPPED | REFUSED) else UNKNOWN
    if flags & (STOPPED | HELD) or not obeys:
        return UNKNOWN  # it may still hold the order
    return NOT_STARTED


def stories() -> list[set[Flag]]:
    """Every combination of the four bits that lead, with up to two of all others."""
    found = []
    for size in range(len(CORE) + 1):
        for core in itertools.combinations(CORE, size):
            for more in range(3):
                found += [{*core, *others} for others in itertools.combinations(OTHERS, more)]
    return found


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("obeys", [True, False])
@pytest.mark.parametrize("began", [True, False])
def test_every_combination_of_bits_has_its_outcome(began: bool, obeys: bool) -> None:
    table = stories()
    assert len(table) > 3000
    for flags in table:
        assert outcome_of(flags, began=began, obeys=obeys) is wanted(flags, began=began, obeys=obeys), flags


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("obeys", [True, False])
def test_bits_that_decide_nothing_change_no_outcome(obeys: bool) -> None:
    for flags in ({*core} for size in range(5) for core in itertools.combinations(CORE, size)):
        for size in range(len(NOTHING) + 1):
            for more in itertools.combinations(NOTHING, size):
                for began in (True, False):
                    plain = outcome_of(flags, began=began, obeys=obeys)
                    assert outcome_of(flags | set(more), began=began, obeys=obeys) is plain, more


@pytest.mark.requirement("PRN-02")
def test_of_an_order_whose_line_was_lost_no_combination_says_more_than_on_a_sound_one() -> None:
    for flags in stories():
        doubted = outcome_of(flags, began=False, obeys=True, phase=JobPhase.DOUBT)
        sound = outcome_of(flags, began=False, obeys=True)
        assert doubted is sound or doubted is UNKNOWN, flags
