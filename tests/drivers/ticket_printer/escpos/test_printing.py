"""A ticket at a receipt printer, from the order to its proof."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drivers.device import (
    Fault,
    Identified,
    TicketDone,
    TicketOutcome,
    TicketPresented,
    TicketStarted,
    TicketTaken,
)
from drivers.sim.escpos import Setup
from drivers.ticket_printer.escpos import codec
from support.devices.printers import NUMBERS, ReceiptBench, ticket

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN
MARKS = ("counted", "named")


def asked(bench: ReceiptBench, question: int) -> list[int]:
    return [at for at, data in bench.writes if data == codec.ask(question)]


# ---- before the first ticket


@pytest.mark.requirement("PRN-01")
def test_after_connection_it_only_asks() -> None:
    bench = ReceiptBench()
    bench.run(20_000)
    assert not bench.is_ready()
    assert {data for _, data in bench.writes} == {codec.SPOIL, codec.ask(1), codec.ask(4)}
    assert bench.machine.tray == []


def test_the_first_question_is_dle_eot_1() -> None:
    bench = ReceiptBench()
    bench.run(1000)
    assert next(data for _, data in bench.writes if data != codec.SPOIL) == b"\x10\x04\x01"


def test_once_released_it_shows_that_it_holds_nothing_and_is_ready() -> None:
    bench = ReceiptBench()
    bench.ready()
    (volley,) = bench.sent(codec.ASB_OFF)
    assert volley[1].count(codec.NAMELESS_MARK) == 20
    assert volley[1].startswith(codec.ASB_OFF + codec.ASK_NAME)
    (named,) = bench.of(Identified)
    assert named.text == "TM-T20II"
    assert bench.faults() == {}


def test_a_printer_whose_switch_sends_automatic_status_is_told_to_stop() -> None:
    bench = ReceiptBench(Setup(automatic_status=True))
    bench.ready()
    assert not bench.machine.engine.automatic
    assert bench.print(1) is PRINTED


def test_a_name_is_asked_for_once_and_not_at_all_where_it_would_be_printed() -> None:
    asks = ReceiptBench()
    asks.ready()
    asks.print(1)
    asks.finish(1)
    assert sum(codec.ASK_NAME in data for _, data in asks.writes) == 1
    silent = ReceiptBench(identify=False)
    silent.ready()
    assert not any(codec.ASK_NAME in data for _, data in silent.writes)
    assert silent.of(Identified) == []


# ---- one ticket


@pytest.mark.requirement("PRN-01", "PRN-02")
@pytest.mark.parametrize("marks", MARKS)
def test_a_ticket_from_order_to_proof(marks: str) -> None:
    bench = ReceiptBench(marks=marks)
    bench.ready()
    bench.order(1)
    assert bench.jobs() == []
    assert bench.outcome(1) is PRINTED
    assert bench.whole() == [NUMBERS[0]]
    (started,) = bench.of(TicketStarted)
    (done,) = bench.of(TicketDone)
    (job,) = bench.jobs()
    assert job[0] < started.at_ms < done.at_ms
    bench.finish(1)
    assert bench.is_ready()


def test_a_ticket_goes_out_in_one_write_with_a_mark_behind_each_part() -> None:
    bench = ReceiptBench(marks="named")
    bench.ready()
    bench.print(42)
    (job,) = bench.jobs()
    places = [job[1].index(codec.mark(f"{letter}042")) for letter in "ABCD"]
    assert places == sorted(places)
    assert job[1].endswith(codec.CUT + codec.mark("D042"))
    assert len([data for _, data in bench.writes if codec.mark("E042") in data]) == 1


@pytest.mark.requirement("PRN-02")
def test_it_is_printed_only_after_the_paper_is_cut() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(30_000, until=lambda: bool(bench.machine.tray))
    assert bench.outcomes(1) == []
    assert bench.outcome(1) is PRINTED


@pytest.mark.requirement("PRN-02")
def test_after_the_last_mark_status_is_asked_anew_and_one_more_mark_confirms() -> None:
    bench = ReceiptBench(marks="named")
    bench.ready()
    bench.print(1)
    (job,) = bench.jobs()
    (confirm,) = bench.sent(codec.mark("E001"))
    for question in (1, 2, 3, 4):
        assert any(job[0] < at < confirm[0] for at in asked(bench, question))
    (done,) = bench.of(TicketDone)
    assert 0 < done.at_ms - confirm[0] < 50


def test_nothing_is_sent_before_all_four_answers_are_good() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    at_ms = bench.now_ms
    bench.outcome(1)
    (job,) = bench.jobs()
    assert all(any(at_ms <= at <= job[0] for at in asked(bench, question)) for question in (1, 2, 3, 4))


@pytest.mark.parametrize("marks", MARKS)
def test_three_tickets_in_a_row(marks: str) -> None:
    bench = ReceiptBench(marks=marks)
    bench.ready()
    for ref, number in enumerate(NUMBERS[:3], 1):
        assert bench.print(ref, number) is PRINTED
        bench.finish(ref)
        bench.run(3000, until=bench.is_ready)
    assert bench.whole() == list(NUMBERS[:3])
    assert bench.machine.spoilt_count == 1  # what stood on the paper before the first, if anything did
    assert all(data.startswith(b"\x1b@\x1bt\x00") for _, data in bench.jobs())


def test_there_is_no_sensor_for_a_ticket_that_is_taken() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.print(1)
    printed_ms = bench.now_ms
    bench.run(60_000)
    assert bench.of(TicketPresented) == []
    (taken,) = bench.of(TicketTaken)  # or the guest would be called for it for ever
    assert taken.at_ms == printed_ms + 30_000
    assert Fault.TICKET_NOT_TAKEN not in bench.faults()


@pytest.mark.parametrize("baud", [9600, 19200, 115200])
def test_slow_and_quick_lines(baud: int) -> None:
    bench = ReceiptBench(Setup(baud=baud))
    bench.ready()
    assert bench.print(1) is PRINTED
    assert bench.whole() == [NUMBERS[0]]


def test_a_slow_printer_has_the_time_of_the_line_and_ten_seconds() -> None:
    bench = ReceiptBench(Setup(baud=9600, dots_per_s=80))
    bench.ready()
    bench.order(1)
    assert bench.outcome(1) is UNKNOWN
    (job,), (done,) = bench.jobs(), bench.of(TicketDone)
    line_ms = len(job[1]) * 10_000 // 9600
    assert line_ms + 10_000 <= done.at_ms - job[0] <= line_ms + 10_100
    assert "in time" in done.detail
    patient = ReceiptBench(Setup(baud=9600, dots_per_s=80), give_up_ms=60_000)
    patient.ready()
    assert patient.print(1) is PRINTED


@pytest.mark.parametrize("pin_3", [True, False])
def test_a_drawer_pin_that_is_high_is_normal(pin_3: bool) -> None:
    bench = ReceiptBench(Setup(pin_3=pin_3))
    bench.ready()
    assert bench.print(1) is PRINTED
    assert bench.faults() == {}


# ---- what proves nothing


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", range(0, 4000, 370))
def test_a_false_mark_at_any_moment_proves_no_ticket(moment: int) -> None:
    """The printer loses the job; one stray byte looks like the answer to a mark."""
    bench = ReceiptBench()
    bench.ready()
    bench.inject("swallowed")
    bench.order(1)
    bench.run(moment)
    bench.inject("stray_mark")
    assert bench.outcome(1) is UNKNOWN
    assert bench.whole() == []


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("pause_ms", [2, 60])
def test_a_zero_byte_does_not_stand_in_for_the_mark_that_a_restart_has_swallowed(pause_ms: int) -> None:
    """The ticket is all on paper but never cut off: the last mark is missing, and the line makes a zero or
    two."""
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(10_000, until=lambda: "VOID AFTER 30 DAYS" in bench.machine.roll.strip.lines)
    bench.run(300)
    bench.inject("reset")
    bench.run(1000)
    for _ in range(2):
        bench.inject("stray_mark")
        bench.run(pause_ms)
    assert bench.outcome(1) is UNKNOWN
    assert bench.whole() == []


@pytest.mark.requirement("PRN-02")
def test_answers_that_come_before_the_bytes_can_have_arrived_are_noise() -> None:
    bench = ReceiptBench(Setup(baud=9600))
    bench.ready()
    bench.inject("swallowed")
    bench.order(1)
    bench.run(200, until=lambda: bool(bench.jobs()))
    for _ in range(8):
        bench.inject("stray_mark")
    bench.run(300)
    assert bench.of(TicketStarted) == []
    assert bench.outcome(1) is UNKNOWN


@pytest.mark.requirement("PRN-02")
def test_named_marks_are_not_mistaken_at_all() -> None:
    bench = ReceiptBench(marks="named")
    bench.ready()
    bench.inject("swallowed")
    bench.order(1)
    for _ in range(40):
        bench.run(250)
        bench.inject("stray_mark")
    assert bench.outcome(1) is UNKNOWN


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("fault", ["stray_status", "automatic"])
def test_an_unasked_answer_in_the_middle_of_a_job_spoils_only_its_round(marks: str, fault: str) -> None:
    bench = ReceiptBench(marks=marks)
    bench.ready()
    bench.order(1)
    for _ in range(12):
        bench.run(217)
        bench.inject(fault)
    assert bench.outcome(1) is PRINTED
    assert bench.whole() == [NUMBERS[0]]
    assert bench.faults() == {}


@pytest.mark.requirement("PRN-02")
def test_a_job_that_vanished_is_unknown_and_never_sent_again() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("swallowed")
    assert bench.print(1) is UNKNOWN
    assert len(bench.jobs()) == 1
    bench.order(1)
    assert [done.outcome for done in bench.outcomes(1)] == [UNKNOWN]
    bench.run(1)
    assert [done.outcome for done in bench.outcomes(1)] == [UNKNOWN, UNKNOWN]
    bench.run(60_000)
    assert len(bench.jobs()) == 1


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", [*range(30, 250, 20), *range(250, 3000, 250)])
def test_a_printer_that_restarts_in_a_job_has_lost_its_marks(moment: int) -> None:
    """Also when it is back so quickly that the rest of the job reaches it; it is away for longer than any
    part of the job takes on the line."""
    bench = ReceiptBench(Setup(boot_ms=100))
    bench.ready()
    bench.order(1)
    bench.run(moment)
    bench.inject("reset")
    assert bench.outcome(1) is UNKNOWN
    assert bench.whole() == []


# ---- orders that are not carried out


@pytest.mark.requirement("PRN-01")
def test_an_order_before_the_release_or_for_a_ticket_that_cannot_be_worded_is_answered_at_once() -> None:
    bench = ReceiptBench()
    bench.run(3000)
    assert bench.print(1) is NOT_STARTED
    bench.ready()
    bench.driver.print_ticket(2, replace(ticket(), figures="€85.02"))
    assert bench.outcome(2) is NOT_STARTED
    assert "figures" in bench.outcomes(2)[0].detail
    bench.driver.print_ticket(3, replace(ticket(), validation="12345678901234567"))
    assert bench.outcome(3) is NOT_STARTED
    assert bench.jobs() == []
    assert bench.is_ready()


def test_the_same_order_twice_is_one_ticket_and_one_outcome() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(500)
    bench.order(1)
    bench.driver.inquire(1)
    assert bench.outcome(1) is PRINTED
    bench.run(10_000)
    assert bench.whole() == [NUMBERS[0]]


def test_an_order_while_another_ticket_is_printed() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(500)
    bench.order(2, NUMBERS[1])
    assert bench.outcome(2) is NOT_STARTED
    assert bench.outcome(1) is PRINTED
    assert bench.whole() == [NUMBERS[0]]


@pytest.mark.requirement("PRN-02")
def test_a_ticket_that_is_on_paper_is_never_printed_a_second_time() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.print(1)
    bench.finish(1)
    bench.run(5000, until=bench.is_ready)
    bench.order(1)
    bench.run(10_000)
    assert bench.whole() == [NUMBERS[0]]
    assert [done.outcome for done in bench.outcomes(1)] == [PRINTED, PRINTED]


def test_old_outcomes_are_forgotten() -> None:
    bench = ReceiptBench(Setup(dots_per_s=5000, cut_ms=50))
    bench.ready()
    for ref in range(1, 35):
        assert bench.print(ref) is PRINTED
        bench.driver.recorded(ref)
        bench.run(5000, until=bench.is_ready)
        bench.events = [event for event in bench.events if not isinstance(event, TicketDone)]
    bench.driver.inquire(1)
    assert bench.outcome(1) is UNKNOWN
    bench.driver.inquire(34)
    assert bench.outcome(34) is PRINTED


# ---- the end of the roll


@pytest.mark.requirement("PRN-04")
def test_near_the_end_of_the_roll_is_only_a_warning() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("paper_low")
    bench.run(3000)
    assert Fault.PAPER_LOW in bench.faults()
    assert bench.print(1) is PRINTED
    bench.finish(1)
    bench.inject("load_paper")
    bench.run(3000)
    assert bench.faults() == {}


@pytest.mark.requirement("PRN-04")
def test_a_sensor_that_means_nothing_is_not_believed() -> None:
    bench = ReceiptBench(near_end=False)
    bench.ready()
    bench.inject("paper_low")
    bench.run(5000)
    assert bench.faults() == {}


@pytest.mark.requirement("PRN-04")
def test_without_the_sensor_the_roll_is_counted_in_millimetres_printed_since_it_was_changed() -> None:
    bench = ReceiptBench(Setup(near_end_sensor=False, roll_mm=60_000), roll_mm=2300)
    bench.ready()
    for ref in (1, 2, 3):
        assert Fault.PAPER_LOW not in bench.faults()
        bench.print(ref)
        bench.finish(ref)
        bench.run(3000, until=bench.is_ready)
    bench.run(3000)
    assert "were printed since the roll was changed" in bench.faults()[Fault.PAPER_LOW]
    bench.inject("head_open", "load_paper")
    bench.run(3000)
    bench.inject("head_close")
    bench.run(3000)
    assert bench.faults() == {}
