"""Paper, jams and open heads: what is told, when it ends, and what becomes of the ticket."""

from __future__ import annotations

import pytest

from drivers.device import Fault, FaultRaised, PrinterReady, TicketOutcome, TicketStarted
from drivers.sim.tcl import Setup
from drivers.ticket_printer.tcl import codec as tcl_codec
from support.devices.printers import NUMBERS, Bench

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN


def printing(bench: Bench, ref: int = 1) -> None:
    """Order a ticket and wait until paper moves."""
    bench.ready()
    bench.order(ref)
    bench.run(5000, until=lambda: bool(bench.of(TicketStarted)))
    bench.run(500)


def mended(bench: Bench, *remedies: str) -> None:
    """The attendant opens the printer, mends it, and says so."""
    bench.inject(*remedies)
    bench.run(500)
    bench.driver.clear_fault()
    bench.run(4000)


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize(
    ("fault", "remedy", "raised", "detail"),
    [
        ("paper_out", "load_paper", Fault.PAPER_OUT, "paper out"),
        ("head_open", "head_close", Fault.HEAD_OPEN, "the head is up"),
        ("drawer_open", "drawer_close", Fault.HEAD_OPEN, "the drawer is open"),
        ("voltage", "repair", Fault.PRINTER_FAILED, "supply voltage"),
        ("cutter", "repair", Fault.PRINTER_FAILED, "cutter"),
        ("temperature", "repair", Fault.PRINTER_FAILED, "head temperature"),
    ],
)
def test_trouble_in_idleness(fault: str, remedy: str, raised: Fault, detail: str) -> None:
    bench = Bench(Setup(low_at=-1))
    bench.ready()
    bench.inject(fault)
    bench.run(2000)
    assert bench.faults() == {raised: detail}
    assert not bench.is_ready()
    assert bench.print(1) is NOT_STARTED
    assert detail in bench.outcomes(1)[0].detail
    bench.inject(remedy)
    bench.run(2000)
    assert bench.faults() == {}
    assert bench.is_ready()
    assert len(bench.of(FaultRaised)) == 1
    assert bench.sent(b"^P") == []


@pytest.mark.requirement("PRN-04")
def test_paper_low_is_only_a_warning() -> None:
    bench = Bench()
    bench.inject("paper_low")
    bench.ready()
    bench.run(2000)
    assert set(bench.faults()) == {Fault.PAPER_LOW}
    assert bench.print(1) is PRINTED
    bench.inject("load_paper")
    bench.run(2000)
    assert bench.faults() == {}


def test_flags_of_faults_that_no_physics_makes() -> None:
    """Wrong paper, a broken head, damaged fonts, flash, off line: told in words, nothing is printed."""
    for frame, raised, detail in [
        (b"@|@|A|@|@", Fault.PAPER_OUT, "wrong paper, or its index mark was not found"),
        (b"B|@|@|@|@", Fault.PRINTER_FAILED, "print head"),
        (b"@|@|P|@|@", Fault.PRINTER_FAILED, "fonts or templates are damaged"),
        (b"@|@|D|@|@", Fault.PRINTER_FAILED, "flash memory"),
        (b"@|@|B|@|@", Fault.PRINTER_FAILED, "off line"),
    ]:
        bench = Bench()
        bench.ready()
        bench.inject("silent")
        bench.run(100)
        bench.wire.transport.deliver(b"*S|0|5RUSAGE27|" + frame + b"|P0|*")
        bench.run(10)
        assert bench.faults() == {}, "one frame proves nothing"
        assert bench.is_ready()
        bench.wire.transport.deliver(b"*S|0|5RUSAGE27|" + frame + b"|P0|*")
        bench.run(10)
        assert bench.faults() == {raised: detail}
        assert not bench.is_ready()


def test_a_model_without_a_cutter() -> None:
    bench = Bench(cutter=False)
    bench.inject("cutter")
    bench.ready()
    assert bench.faults() == {}
    bench.machine.path.mechanics.cutter = False  # it says so for ever, and prints
    bench.order(1)
    bench.run(1500)
    bench.machine.path.mechanics.cutter = True
    assert bench.outcome(1) is PRINTED
    bench.machine.path.mechanics.cutter = False
    assert bench.machine.printed_count == 1


def test_a_model_without_a_cutter_still_has_a_supply() -> None:
    bench = Bench(cutter=False)
    bench.machine.path.mechanics.cutter = False
    printing(bench)
    bench.inject("voltage")
    bench.machine.path.mechanics.cutter = True
    assert bench.outcome(1) is UNKNOWN
    assert "voltage" in bench.outcomes(1)[0].detail


def test_a_model_without_a_cutter_and_an_order_that_vanished() -> None:
    bench = Bench(cutter=False)
    bench.ready()
    bench.inject("swallowed", "cutter")
    assert bench.print(1) is NOT_STARTED


# ---- tickets that stop on the way


@pytest.mark.requirement("PRN-02", "PRN-04")
@pytest.mark.parametrize(
    ("fault", "remedies", "raised"),
    [
        ("jam", ("repair",), Fault.PAPER_JAM),
        ("head_open", ("head_close",), Fault.HEAD_OPEN),
        ("voltage", ("repair",), Fault.PRINTER_FAILED),
        ("cutter", ("repair",), Fault.PRINTER_FAILED),
    ],
)
def test_trouble_while_it_prints_makes_the_ticket_unknown(
    fault: str, remedies: tuple[str, ...], raised: Fault
) -> None:
    bench = Bench()
    printing(bench)
    bench.inject(fault)
    assert bench.outcome(1) is UNKNOWN
    assert set(bench.faults()) == {raised}
    (paper,) = bench.machine.tray
    assert not paper.complete
    assert bench.machine.printed_cents == 0
    bench.driver.recorded(1)
    mended(bench, *remedies)
    assert bench.faults() == {}
    assert bench.is_ready()
    bench.machine.take()
    assert bench.print(2, NUMBERS[1]) is PRINTED


def test_a_jam_half_way() -> None:
    bench = Bench()
    bench.ready()
    bench.inject("jam_next")
    assert bench.print(1) is UNKNOWN
    assert "jam" in bench.outcomes(1)[0].detail
    assert 600 <= bench.machine.tray[0].printed_rows <= 640
    assert set(bench.faults()) == {Fault.PAPER_JAM}


def test_a_jam_is_cleared_by_the_attendant_and_only_then() -> None:
    bench = Bench()
    printing(bench)
    bench.inject("jam")
    bench.outcome(1)
    bench.driver.recorded(1)
    bench.run(5000)
    assert bench.sent(tcl_codec.CLEAR_JAM) == []
    bench.driver.clear_fault()  # but the paper still sticks
    bench.run(3000)
    assert set(bench.faults()) == {Fault.PAPER_JAM}
    assert not bench.is_ready()
    mended(bench, "repair")
    assert bench.faults() == {}
    assert bench.is_ready()


def test_a_jam_that_is_mended_before_the_outcome_is_recorded_keeps_the_evidence() -> None:
    bench = Bench()
    printing(bench)
    bench.inject("jam")
    assert bench.outcome(1) is UNKNOWN
    mended(bench, "repair")
    assert bench.sent(tcl_codec.CLEAR_JAM) == []
    bench.driver.recorded(1)
    bench.run(3000)
    assert bench.is_ready()


def test_a_jam_before_the_first_ticket_of_the_day() -> None:
    bench = Bench()
    bench.inject("jam")
    bench.driver.release()
    bench.run(5000)
    assert set(bench.faults()) == {Fault.PAPER_JAM}
    assert not bench.is_ready()
    mended(bench, "repair")
    assert bench.is_ready()


def test_a_printer_that_restarts_in_a_ticket() -> None:
    bench = Bench()
    printing(bench)
    bench.inject("reset")
    assert bench.outcome(1) is UNKNOWN
    assert "restarted" in bench.outcomes(1)[0].detail
    bench.driver.recorded(1)
    bench.run(5000)
    assert bench.is_ready()


def test_a_printer_that_restarts_in_the_start_gap() -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.run(800)
    bench.inject("reset")
    assert bench.outcome(1) is UNKNOWN
    assert bench.machine.tray == []


def test_a_printer_that_restarts_in_idleness_needs_nobody() -> None:
    bench = Bench()
    bench.ready()
    bench.inject("reset")
    bench.run(6000)
    assert [event.ready for event in bench.of(PrinterReady)] == [True, False, True]
    assert bench.faults() == {}


def test_a_ticket_that_never_ends_is_given_up_after_half_a_minute() -> None:
    bench = Bench()
    bench.ready()
    bench.inject("never_ends")
    began_ms = bench.now_ms
    assert bench.print(1) is UNKNOWN
    assert 30_000 <= bench.now_ms - began_ms <= 31_000
    bench.driver.recorded(1)
    bench.run(10_000)
    assert "busy" in bench.faults()[Fault.PRINTER_FAILED]
    assert not bench.is_ready()
    mended(bench, "repair")
    assert bench.faults() == {}
    assert bench.is_ready()


# ---- trouble before the start


@pytest.mark.parametrize(
    ("fault", "word"), [("head_open", "head is up"), ("paper_out", "paper out"), ("jam", "jam")]
)
def test_trouble_between_order_and_sending_is_seen_and_nothing_is_sent(fault: str, word: str) -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.inject(fault)
    assert bench.outcome(1) is NOT_STARTED
    assert word in bench.outcomes(1)[0].detail
    assert bench.sent(b"^P") == []


def test_an_order_that_the_printer_may_still_hold_is_unknown() -> None:
    """Paper ran out in the start gap. It is loaded ten minutes later, and out comes the ticket."""
    bench = Bench(Setup(keeps_orders=True, start_delay_ms=2000, low_at=-1))
    bench.ready()
    bench.order(1)
    bench.run(1500)
    assert bench.sent(b"^P")
    bench.inject("paper_out")
    assert bench.outcome(1) is UNKNOWN
    assert bench.machine.tray == []
    bench.run(600_000)
    bench.inject("load_paper")
    bench.run(10_000)
    assert bench.machine.printed_count == 1


def test_flags_that_cannot_be_cleared() -> None:
    bench = Bench()
    bench.machine._clear = lambda jam: None  # type: ignore[method-assign]
    bench.driver.release()
    bench.run(20_000)
    assert bench.faults() == {Fault.PRINTER_FAILED: "cannot be cleared: power up"}
    assert not bench.is_ready()
    assert 15 <= len(bench.sent(tcl_codec.CLEAR)) <= 21
    del bench.machine._clear
    bench.run(3000)
    assert bench.faults() == {}
    assert bench.is_ready()


def test_flags_that_come_back_before_the_order_is_sent() -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.machine._clear = lambda jam: None  # type: ignore[method-assign]
    bench.machine.ear.receive(b"^Xx|^", bench.now_ms)
    assert bench.outcome(1) is NOT_STARTED
    assert bench.sent(b"^P") == []


# ---- the chute


@pytest.mark.requirement("PRN-04")
def test_a_ticket_that_nobody_takes() -> None:
    bench = Bench()
    bench.ready()
    bench.print(1)
    bench.driver.recorded(1)
    bench.run(25_000)
    assert bench.faults() == {}
    bench.run(10_000)
    assert bench.faults() == {Fault.TICKET_NOT_TAKEN: "for 30 s"}
    bench.run(600_000)
    assert len(bench.of(FaultRaised)) == 1
    bench.machine.take()
    bench.run(2000)
    assert bench.faults() == {}
    assert bench.is_ready()


def test_paper_in_the_chute_when_the_cabinet_starts() -> None:
    bench = Bench()
    bench.ready()
    bench.print(1)
    bench.restart_host()
    bench.driver.inquire(1)
    assert bench.outcome(1) is PRINTED
    assert "TicketPresented" in bench.names()
    bench.finish(1)
    assert bench.is_ready()
    assert "TicketTaken" in bench.names()
