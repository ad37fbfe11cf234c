"""Random printers, lines and evenings: paper and books agree, whatever comes together.

Each story has its own printer (start after 0 to 60 s, 1.5 to 9 s a ticket, firmware habits), many orders,
faults of line and machine, garbled, lost and doubled polls, power cuts and restarts of the program.
"""

from __future__ import annotations

import pytest

from drivers.device import TicketOutcome
from drivers.sim.tcl import Setup
from drivers.ticket_printer.common.outcomes import JobVerdict
from drivers.ticket_printer.tcl import empty as tcl_empty
from drivers.ticket_printer.tcl.job import Job, JobPhase
from drivers.ticket_printer.tcl.status import Agreed, Status
from support.devices.printer_stories import Story
from support.devices.printers import NUMBERS, Bench

Patch = pytest.MonkeyPatch
MUTANT_STORIES = 60


def told(seed: int) -> list[str]:
    story = Story(seed)
    story.tell()
    return story.problems()


@pytest.mark.requirement("PRN-02", "PRN-04")
@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_no_number_on_two_papers_and_nothing_printed_without_its_own_paper(seed: int) -> None:
    for one in range(seed, seed + 5):
        assert told(one) == [], one


@pytest.mark.campaign
@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(1000, 11_000, 500))
def test_many_more_stories(seed: int) -> None:
    for one in range(seed, seed + 500):
        assert told(one) == [], one


# ---- faults put into the driver on purpose: the stories must find each, or they prove nothing


def no_reset(patch: Patch) -> None:
    """An idle printer is taken for an empty one, as soon as the start gap is over."""
    look = Job.look

    def trusting(job: Job, status: Status, now_ms: int) -> JobVerdict | None:
        verdict = look(job, status, now_ms)
        return job._not_begun if verdict is None and job.phase is JobPhase.CANCELLING else verdict

    patch.setattr(Job, "look", trusting)
    patch.setattr(tcl_empty.Emptiness, "__bool__", lambda self: True)


def sent_again(patch: Patch) -> None:
    """An order that was refused is sent once more."""
    look = Job.look

    def stubborn(job: Job, status: Status, now_ms: int) -> JobVerdict | None:
        verdict = look(job, status, now_ms)
        if job.phase is JobPhase.CANCELLING and job.refused is not None and job.command:
            job.phase, job.begun_ms, job.refused = JobPhase.PREPARING, None, None
        return verdict

    patch.setattr(Job, "look", stubborn)


def test_the_stories_find_a_driver_that_trusts_an_idle_printer(monkeypatch: Patch) -> None:
    no_reset(monkeypatch)
    found = next((problems for seed in range(MUTANT_STORIES) if (problems := told(seed))), [])
    assert any("whole papers" in problem for problem in found), found


def test_a_driver_that_forgets_an_unknown_order_takes_its_paper_for_the_next_ticket(
    monkeypatch: Patch,
) -> None:
    monkeypatch.setattr(tcl_empty.Emptiness, "__bool__", lambda self: True)
    bench = Bench(Setup(obeys_reset=False))
    bench.ready()
    bench.inject("very_late_start")
    assert bench.print(1) is TicketOutcome.UNKNOWN
    bench.driver.recorded(1)
    bench.run(26_000)
    assert bench.is_ready()
    bench.inject("swallowed")
    assert bench.print(2, NUMBERS[1]) is TicketOutcome.PRINTED
    assert [paper.text.validation for paper in bench.machine.tray] == [NUMBERS[0]]


def test_a_driver_that_sends_an_order_again_prints_one_number_twice(monkeypatch: Patch) -> None:
    sent_again(monkeypatch)
    bench = Bench()
    bench.ready()
    bench.inject("late_start")
    bench.order(1)
    bench.run(2_000)
    bench.machine.ear.receive(b"^Xe|^", bench.now_ms)
    bench.run(60_000)
    numbers = [paper.text.validation for paper in bench.machine.tray]
    assert len(numbers) == 2
    assert len(set(numbers)) == 1


def test_a_driver_that_believes_one_frame_calls_a_jam_for_one_bit(monkeypatch: Patch) -> None:
    monkeypatch.setattr(Agreed, "hear", lambda self, status: status)
    bench = Bench()
    bench.ready()
    bench.wire.transport.deliver(b"*S|0|5RUSAGE27|@|@|@|B|@|P |*")
    bench.run(100)
    assert bench.faults() != {}


def test_a_driver_that_forgets_a_refusal_tells_printed(monkeypatch: Patch) -> None:
    monkeypatch.setattr(Job, "_refusal", lambda self, status: "")
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.run(2_500)
    bench.machine.ear.receive(b"^Xe|^", bench.now_ms)
    assert bench.outcome(1) is TicketOutcome.PRINTED
