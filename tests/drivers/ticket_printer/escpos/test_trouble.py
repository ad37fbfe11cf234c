"""Receipt printers that stand: faults, tickets that stop half way, and the ghosts that must not come."""

from __future__ import annotations

import pytest

from drivers.device import Fault, FaultRaised, TicketOutcome
from drivers.sim.escpos import Setup
from drivers.ticket_printer.escpos import codec
from support.devices.printers import NUMBERS, ReceiptBench

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize(
    ("fault", "remedy", "raised", "detail"),
    [
        ("paper_out", "load_paper", Fault.PAPER_OUT, ""),
        ("head_open", "head_close", Fault.HEAD_OPEN, "cover"),
        ("jam", "repair", Fault.PAPER_JAM, "mechanical"),
        ("broken", "repair", Fault.PRINTER_FAILED, "service"),
        ("hot", "", Fault.PRINTER_FAILED, "temperature"),
        ("off_line", "on_line", Fault.PRINTER_FAILED, "off line"),
    ],
)
def test_trouble_in_idleness_is_told_and_ends(fault: str, remedy: str, raised: Fault, detail: str) -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject(fault)
    bench.run(3000)
    assert list(bench.faults()) == [raised]
    assert detail in bench.faults()[raised]
    assert not bench.is_ready()
    assert bench.print(1) is NOT_STARTED
    if remedy:
        bench.inject(remedy)
    bench.run(3000)
    bench.driver.clear_fault()
    bench.run(10_000)
    assert bench.faults() == {}
    assert bench.is_ready()
    assert bench.jobs() == []


@pytest.mark.requirement("PRN-04")
def test_a_cutter_that_does_not_return_makes_the_ticket_unknown() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("cutter")
    assert bench.print(1) is UNKNOWN
    bench.run(1000)
    assert bench.faults() == {Fault.PRINTER_FAILED: "cutter"}
    bench.inject("repair")
    bench.driver.recorded(1)
    bench.driver.clear_fault()
    bench.run(10_000)
    assert bench.is_ready()
    assert bench.whole() == []  # it was never cut off
    assert bench.print(2, NUMBERS[1]) is PRINTED
    assert bench.whole() == [NUMBERS[1]]


def test_one_odd_answer_raises_no_fault() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.run(2000)
    bench.inject("off_line")
    bench.run(1100, until=lambda: not bench.is_ready())
    bench.inject("on_line")
    bench.run(3000)
    assert bench.of(FaultRaised) == []
    assert bench.is_ready()


def test_the_feed_button_is_no_fault() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("button_down")
    bench.run(5000)
    assert bench.faults() == {}
    bench.inject("button_up")
    bench.run(5000)
    assert bench.is_ready()


@pytest.mark.requirement("PRN-04")
def test_trouble_between_order_and_sending_is_seen_and_nothing_is_sent() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("paper_out")
    bench.order(1)
    assert bench.outcome(1) is NOT_STARTED
    assert "paper out" in bench.outcomes(1)[0].detail
    assert bench.jobs() == []


def test_trouble_that_was_over_before_the_ticket_was_sent_is_none_of_its_own() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("head_open")
    bench.order(1)
    bench.run(100)
    bench.inject("head_close")
    assert bench.jobs() == []
    assert bench.outcome(1) is PRINTED


# ---- ghosts


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("clear", ["enq", "dc4", "both"])
@pytest.mark.parametrize(("fault", "remedy"), [("paper_out", "load_paper"), ("head_open", "head_close")])
@pytest.mark.parametrize("moment", [100, 700, 1500, 2400])
def test_the_rest_of_a_ticket_never_comes_out_under_the_next_roll(
    moment: int, fault: str, remedy: str, clear: str
) -> None:
    """The host is told of paper out while the printer still holds the job; somebody loads paper a second
    later; the attendant answers after that."""
    bench = ReceiptBench(clear=clear)
    bench.ready()
    bench.order(1)
    bench.run(moment)
    bench.inject(fault)
    bench.run(1000)
    (done,) = bench.outcomes(1)
    assert done.outcome is UNKNOWN
    assert bench.machine.buffered == 0
    bench.inject(remedy)
    bench.run(10_000)
    assert bench.whole() == []
    bench.driver.recorded(1)
    bench.run(10_000)
    assert bench.is_ready()
    assert bench.print(2, NUMBERS[1]) is PRINTED
    assert bench.whole() == [NUMBERS[1]]


@pytest.mark.requirement("PRN-02")
def test_a_lost_order_to_clear_is_given_again_while_the_printer_stands() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(1000)
    bench.inject("paper_out")
    bench.run(2000, until=lambda: bool(bench.outcomes(1)))
    bench.run(100)
    bench.machine.receive(b"GHOST\n", bench.now_ms)  # as if the first order to clear had been lost
    assert bench.machine.buffered > 0
    bench.run(1500)
    assert bench.machine.buffered == 0


@pytest.mark.requirement("PRN-02")
def test_a_printer_that_obeys_no_order_to_clear_takes_no_ticket_before_its_ghost_is_out() -> None:
    """Nothing can stop the ghost; but the ticket stays unknown, and no other one is sent meanwhile."""
    bench = ReceiptBench(Setup(obeys_enq=False, obeys_dc4=False, dots_per_s=100), give_up_ms=60_000)
    bench.ready()
    bench.order(1)
    bench.run(1000)
    bench.inject("off_line")
    bench.run(1000)
    bench.inject("head_open")
    assert bench.outcome(1) is UNKNOWN
    bench.inject("on_line", "head_close")
    bench.driver.recorded(1)
    bench.run(4000)
    assert not bench.is_ready()
    bench.run(20_000, until=bench.is_ready)
    assert bench.machine.buffered == 0
    assert len(bench.jobs()) == 1


@pytest.mark.requirement("PRN-02")
def test_half_a_ticket_on_the_paper_is_marked_void_and_cut_off_before_the_next_one() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(2700)
    bench.inject("jam")
    assert bench.outcome(1) is UNKNOWN
    bench.inject("repair")
    bench.driver.recorded(1)
    bench.driver.clear_fault()
    bench.run(10_000)
    assert bench.print(2, NUMBERS[1]) is PRINTED
    _, spoilt, whole = bench.machine.tray
    assert spoilt.lines[0] == "00-5671-4085-4797-7327"
    assert spoilt.lines[-1] == "*** VOID ***"
    assert not spoilt.complete
    assert whole.complete
    bench.finish(2)
    bench.run(5000)
    assert bench.print(3, NUMBERS[2]) is PRINTED
    assert len(bench.machine.tray) == 4  # no more strips of VOID


@pytest.mark.requirement("PRN-02")
def test_a_program_that_starts_does_not_trust_the_paper() -> None:
    """A cut of power may leave paper that was being cut off. Nobody remembers it, so the first ticket of each
    start comes behind a strip of its own."""
    bench = ReceiptBench()
    bench.ready()
    assert bench.print(1) is PRINTED
    assert [strip.complete for strip in bench.machine.tray] == [False, True]
    assert bench.machine.tray[0].lines == ["*** VOID ***"]


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", [200, 900, 1700, 2500])
def test_a_cover_that_was_open_for_a_moment_leaves_the_ticket_unknown(moment: int) -> None:
    """The printer goes on as if nothing had happened, and all marks are answered."""
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(moment)
    bench.inject("head_open")
    bench.run(280)
    bench.inject("head_close")
    assert bench.outcome(1) is UNKNOWN
    assert "cover" in bench.outcomes(1)[0].detail


@pytest.mark.requirement("PRN-02")
def test_one_bad_round_does_not_break_off_a_ticket() -> None:
    """It is not proven any more, but whole: the attendant finds it."""
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(1000)
    bench.machine.parts.broken = True
    bench.run(255)
    bench.machine.parts.broken = False
    assert bench.outcome(1) is UNKNOWN
    assert "for a moment" in bench.outcomes(1)[0].detail
    assert bench.whole() == [NUMBERS[0]]


@pytest.mark.requirement("PRN-02")
def test_paper_that_ends_behind_the_last_line_is_not_proven() -> None:
    bench = ReceiptBench(marks="named")
    bench.ready()
    bench.order(1)
    bench.run(10_000, until=lambda: bool(bench.whole()))
    bench.inject("paper_out")
    assert bench.outcome(1) is UNKNOWN
    assert "before its end was proven" in bench.outcomes(1)[0].detail
    assert bench.whole() == [NUMBERS[0]]


@pytest.mark.requirement("PRN-04")
def test_what_the_attendant_mends_never_clears_a_ticket_that_is_being_printed() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(1000)
    bench.driver.clear_fault()
    assert bench.outcome(1) is PRINTED
    bench.driver.clear_fault()
    bench.run(1000)
    bench.driver.recorded(1)
    bench.run(5_000, until=bench.is_ready)
    assert bench.sent(codec.CLEAR_ERROR)[-1][0] < bench.jobs()[0][0]


# ---- printers that cannot be trusted


@pytest.mark.requirement("PRN-02", "PRN-04")
def test_a_printer_that_gives_no_status_prints_no_tickets() -> None:
    bench = ReceiptBench(Setup(real_time=False), status="none")
    bench.driver.release()
    bench.run(30_000)
    assert "no status" in bench.faults()[Fault.PRINTER_FAILED]
    assert not bench.is_ready()
    assert bench.print(1) is NOT_STARTED
    assert bench.jobs() == []
    bench.driver.close()
    asked = ReceiptBench(Setup(real_time=False), status="none")
    asked.driver.inquire(7)
    assert asked.outcome(7) is UNKNOWN


@pytest.mark.requirement("PRN-04")
def test_a_silent_printer_is_a_dead_line_and_not_one_with_plenty_of_paper() -> None:
    bench = ReceiptBench(Setup(real_time=False))
    bench.driver.release()
    bench.run(10_000)
    assert "no answer" in bench.faults()[Fault.LINK_LOST]
    assert not bench.is_ready()


def test_a_printer_that_never_answers_a_mark_is_stuck_and_says_so() -> None:
    bench = ReceiptBench(Setup(named_marks=False), marks="named")
    bench.driver.release()
    bench.run(30_000)
    assert "switch it off and on" in bench.faults()[Fault.PRINTER_FAILED]
    assert not bench.is_ready()
    assert bench.machine.tray == []


def test_a_printer_is_not_stuck_while_somebody_has_its_cover_open() -> None:
    bench = ReceiptBench(Setup(named_marks=False), marks="named")
    bench.driver.release()
    bench.run(8_000)
    bench.inject("head_open")
    bench.run(10_000)
    bench.inject("head_close")
    bench.run(6_000)
    assert bench.faults() == {}
    bench.run(6_000)
    assert Fault.PRINTER_FAILED in bench.faults()
