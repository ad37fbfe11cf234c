"""What a sequence of status frames proves, without a line: refusals that no simulated physics makes."""

from __future__ import annotations

import pytest

from drivers.device import TicketOutcome
from drivers.ticket_printer.common.outcomes import JobVerdict
from drivers.ticket_printer.tcl.job import MISHEARD, UNSUITABLE, Job, JobPhase, Patience
from drivers.ticket_printer.tcl.status import Flag, Status

PATIENCE = Patience(prepare_ms=5000, start_gap_ms=5000, give_up_ms=30_000, validation_bit=True, cutter=True)
NOT_STARTED, UNKNOWN = TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN


def status(*flags: Flag, template: str = "0") -> Status:
    bits = sum(flag.mask for flag in flags) | 0x4040404040
    return Status("5RUSAGE27", bits.to_bytes(5, "little"), template)


def sent(*, template: str = "0") -> Job:
    """A ticket that was ordered at 0."""
    job = Job(1, b"^P|0|1|...|^", PATIENCE, JobPhase.PREPARING)
    assert job.look(status(template=template), 0) is None
    job.sent(0, 0)
    return job


def idle_until_the_gap_is_over(job: Job, *flags: Flag) -> JobVerdict | None:
    verdict = None
    for at_ms in range(250, 6000, 250):
        verdict = job.look(status(*flags), at_ms) or verdict
    return verdict


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("flag", [*MISHEARD, *UNSUITABLE])
def test_an_order_that_was_refused_is_not_started_only_when_the_printer_has_restarted(flag: Flag) -> None:
    """What was refused may have been a poll that the line has garbled: the ticket may still come."""
    job = sent()
    assert idle_until_the_gap_is_over(job, flag) is None
    assert job.wants_reset
    assert job.is_out
    assert job.look(status(Flag.POWER_UP, template=" "), 6500) is None
    verdict = job.look(status(Flag.POWER_UP, template=" "), 6750)
    assert verdict is not None
    assert verdict.outcome is NOT_STARTED
    assert verdict.unsuitable == (flag in UNSUITABLE)
    assert job.restarted


@pytest.mark.requirement("PRN-02")
def test_an_order_that_begins_before_the_reset_is_obeyed_is_a_ticket_like_any_other() -> None:
    job = sent()
    assert idle_until_the_gap_is_over(job) is None
    job.look(status(Flag.BUSY), 6000)
    assert not job.wants_reset, "it would tear the paper"
    job.look(status(Flag.VALIDATION_DONE), 9000)
    assert job.look(status(Flag.VALIDATION_DONE), 9250) == JobVerdict(TicketOutcome.PRINTED)


@pytest.mark.requirement("PRN-02")
def test_an_order_that_began_and_met_the_reset_is_for_a_person() -> None:
    job = sent()
    assert idle_until_the_gap_is_over(job) is None
    job.look(status(Flag.BUSY), 6000)
    job.look(status(Flag.POWER_UP, template=" "), 7000)
    assert job.look(status(Flag.POWER_UP, template=" "), 7250) == JobVerdict(UNKNOWN, "the printer restarted")


@pytest.mark.requirement("PRN-02")
def test_a_printer_that_does_not_obey_the_reset_leaves_the_order_unknown() -> None:
    job = sent()
    assert idle_until_the_gap_is_over(job) is None
    for at_ms in range(6000, 15_250, 250):
        assert job.look(status(), at_ms) is None
        assert job.wait(at_ms) is None
    verdict = job.wait(15_250)
    assert verdict is not None
    assert verdict.outcome is UNKNOWN
    assert not job.restarted


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("flag", [*MISHEARD, *UNSUITABLE])
def test_a_ticket_that_is_printed_while_something_is_refused_is_for_a_person(flag: Flag) -> None:
    """A refusal together with "validation done": nothing tells which of them is true of this order."""
    job = sent()
    job.look(status(Flag.BUSY), 1000)
    assert job.look(status(Flag.VALIDATION_DONE, flag), 4000) is None
    verdict = job.look(status(Flag.VALIDATION_DONE, flag), 4250)
    assert verdict is not None
    assert verdict.outcome is UNKNOWN


@pytest.mark.requirement("PRN-02")
def test_a_refusal_that_one_frame_alone_shows_fails_no_ticket() -> None:
    job = sent()
    job.look(status(Flag.BUSY), 1000)
    assert job.look(status(Flag.VALIDATION_DONE, Flag.COMMAND_ERROR), 4000) is None
    assert job.look(status(Flag.VALIDATION_DONE), 4250) is None
    assert job.look(status(Flag.VALIDATION_DONE), 4500) == JobVerdict(TicketOutcome.PRINTED)


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("flag", [*MISHEARD, *UNSUITABLE])
def test_whatever_is_refused_after_it_has_begun_is_never_sent_again(flag: Flag) -> None:
    job = sent()
    job.look(status(Flag.BUSY), 1000)
    assert job.touched
    verdict = idle_until_the_gap_is_over(job, flag)
    assert verdict is None or verdict.outcome is UNKNOWN
    assert job.wait(30_000) == JobVerdict(UNKNOWN, "the ticket did not end within 30 s")


@pytest.mark.requirement("PRN-02")
def test_a_last_template_that_changes_shows_that_it_has_begun() -> None:
    job = sent(template=" ")
    job.look(status(template="0"), 1000)
    job.look(status(template="0"), 1250)
    assert job.started
    assert idle_until_the_gap_is_over(job) is None


@pytest.mark.requirement("PRN-02")
def test_an_order_that_waits_for_the_line_has_not_had_its_time_to_begin() -> None:
    """Flow control holds its rest back: an idle printer says nothing about a ticket that it has not got."""
    job = sent()
    for at_ms in range(250, 20_000, 250):
        job.hold(at_ms)
        assert job.look(status(), at_ms) is None
    assert job.look(status(), 24_749) is None
    assert job.look(status(), 24_750) is None, "it counts when two frames say so"
    assert not job.wants_reset
    assert job.look(status(), 25_000) is None
    assert job.wants_reset


@pytest.mark.requirement("PRN-02")
def test_an_order_in_doubt_is_watched_for_its_whole_time_whatever_is_seen() -> None:
    """The order of a process that has died may still be on its way to the printer."""
    job = Job(1, b"", PATIENCE, JobPhase.DOUBT)
    verdicts = [job.look(status(Flag.VALIDATION_DONE), at_ms) for at_ms in range(1_000, 6_500, 250)]
    assert verdicts[:21] == [None] * 21
    assert verdicts[21] == JobVerdict(TicketOutcome.PRINTED)
