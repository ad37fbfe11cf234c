"""Receipt printers differ: in speed, in their line, in when they answer, and in what they answer at all."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from drivers.device import Fault, FaultCleared, FaultRaised, TicketOutcome, TicketStarted
from drivers.sim.escpos import Setup, any_setup
from drivers.sim.escpos.engine import EVERYTHING
from drivers.ticket_printer.escpos import codec
from drivers.ticket_printer.escpos import trial as escpos_trial
from drivers.ticket_printer.escpos.job import Job
from drivers.ticket_printer.escpos.trial import ATTEMPTS, MOVES_MS, OVER_MS, Trial
from support.devices.printers import NUMBERS, ReceiptBench

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN
BAUDS = (9600, 19200, 38400, 57600, 115200)
SPEEDS_MM_S = (40, 80, 120, 160, 200, 250, 300, 350)


def quick(baud: int = 38400, mm_s: int = 250, **habits: object) -> Setup:
    return Setup(baud=baud, dots_per_s=8 * mm_s, **habits)  # type: ignore[arg-type]


# ---- speed


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("usb", [False, True], ids=["serial", "usb"])
@pytest.mark.parametrize("baud", BAUDS)
def test_a_whole_ticket_is_told_printed_at_every_speed_and_on_every_line(baud: int, usb: bool) -> None:
    """A printer that keeps up with its line answers a mark in the very millisecond in which it has come. A
    small buffer stops its host; USB does that by itself."""
    buffers = ((4096, 0),) if usb else ((4096, 0), (1024, 300), (512, 200))
    for mm_s, (size, stops_at), marks in itertools.product(SPEEDS_MM_S, buffers, ("counted", "named")):
        setup = quick(baud, mm_s, buffer_bytes=size, stops_at=stops_at, cut_ms=100)
        bench = ReceiptBench(setup, usb=usb, xonxoff=bool(stops_at), marks=marks)
        bench.ready()
        for ref, number in enumerate(NUMBERS[:3], 1):
            assert bench.print(ref, number) is PRINTED, (mm_s, size, marks)
            bench.driver.recorded(ref)
            bench.run(5000, until=bench.is_ready)
        assert bench.whole() == list(NUMBERS[:3])


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("usb", [False, True], ids=["serial", "usb"])
@pytest.mark.parametrize("mm_s", [40, 120, 200, 350])
def test_half_a_ticket_is_never_told_printed_at_any_speed(mm_s: int, usb: bool) -> None:
    chance = random.Random(mm_s)
    for fault in ("paper_out", "jam", "reset", "head_open", "swallowed"):
        for baud in BAUDS:
            bench = ReceiptBench(quick(baud, mm_s), usb=usb)
            bench.ready()
            if fault == "swallowed":
                bench.inject(fault)
            bench.order(1)
            bench.run(300, until=lambda bench=bench: bool(bench.jobs()))  # type: ignore[misc]
            bench.run(chance.randrange(130 * 1000 // mm_s))
            whole = bench.whole()
            bench.inject(fault)
            assert whole or bench.outcome(1) is UNKNOWN, (fault, baud)
            assert bench.outcomes(1)[:1] != [] or bench.outcome(1) is not NOT_STARTED


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("seed", range(40))
def test_printers_by_chance(seed: int) -> None:
    story(seed)


@pytest.mark.campaign
@pytest.mark.requirement("PRN-02")
def test_ten_thousand_printers_by_chance() -> None:
    for seed in range(10_000):
        story(seed)


def story(seed: int) -> TicketOutcome:
    """One printer, one ticket, and mostly one accident. A ticket in peace is printed."""
    chance = random.Random(seed)
    setup = any_setup(seed)
    usb = chance.random() < 0.3
    if usb:
        setup = replace(setup, buffer_bytes=4096, stops_at=0)
    marks = "named" if setup.named_marks and chance.random() < 0.5 else "counted"
    bench = ReceiptBench(setup, usb=usb, xonxoff=not usb, seed=seed, marks=marks, near_end=False)
    bench.ready()
    faults = ("", "", "paper_out", "jam", "reset", "head_open", "swallowed", "hot", "lost", "lost_request")
    fault = chance.choice(faults)
    bench.order(1)
    bench.run(1000, until=lambda: bool(bench.jobs()))
    bench.run(chance.randrange(3000))
    if fault:
        bench.inject(fault)
    outcome = bench.outcome(1)
    on_paper = bench.whole() == [NUMBERS[0]]
    assert outcome is not PRINTED or on_paper, seed
    assert fault or outcome is PRINTED, seed
    return outcome


# ---- answers that come before the paper


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("usb", [False, True], ids=["serial", "usb"])
@pytest.mark.parametrize("marks", ["counted", "named"])
@pytest.mark.parametrize("baud", BAUDS)
def test_a_printer_that_answers_when_it_reads_is_refused_as_unfit(baud: int, marks: str, usb: bool) -> None:
    for mm_s in (40, 120, 350):
        bench = ReceiptBench(quick(baud, mm_s, ahead=EVERYTHING), usb=usb, marks=marks)
        bench.driver.release()
        bench.run(20_000, until=lambda bench=bench: bool(bench.faults()))  # type: ignore[misc]
        assert "before it has" in bench.faults()[Fault.PRINTER_FAILED]
        bench.run(60_000)
        assert not bench.is_ready()
        assert bench.print(1) is NOT_STARTED
        assert bench.jobs() == []
        assert len(bench.of(FaultRaised)) == 1


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("lines", [1, 3, 10, 40])
def test_a_printer_that_reads_ahead_and_waits_at_the_cut_proves_its_tickets(lines: int) -> None:
    bench = ReceiptBench(quick(ahead=lines))
    bench.ready()
    for ref, number in enumerate(NUMBERS[:3], 1):
        assert bench.print(ref, number) is PRINTED
        assert bench.whole()[-1] == number
        bench.driver.recorded(ref)
        bench.run(5000, until=bench.is_ready)
    assert bench.faults() == {}


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment_ms", range(100, 2000, 100))
def test_one_that_reads_ahead_and_restarts_while_its_host_is_stopped_is_unknown(
    moment_ms: int,
) -> None:
    """It has answered for lines that the restart takes from it, and the end of the ticket comes all the
    same."""
    setup = quick(38400, 240, ahead=40, buffer_bytes=512, stops_at=128, cut_ms=600, boot_ms=2000)
    bench = ReceiptBench(setup, xonxoff=True)
    bench.ready()
    bench.order(1)
    bench.run(1000, until=lambda: bool(bench.jobs()))
    bench.run(moment_ms)
    bench.inject("reset")
    assert bench.outcome(1) is UNKNOWN


@pytest.mark.requirement("PRN-02")
def test_one_that_turns_out_to_answer_early_proves_nothing_and_is_tried_again() -> None:
    """Somebody has put another printer in the place of the one that was tried. Its last answer comes before
    any head can have printed the ticket."""
    bench = ReceiptBench(quick(115200, 40), usb=True)
    bench.ready()
    bench.inject("answers_early")
    bench.order(1)
    bench.run(1000, until=lambda: bool(bench.jobs()))
    bench.run(60)
    assert bench.of(TicketStarted) == []
    assert bench.outcome(1) is UNKNOWN
    bench.driver.recorded(1)
    bench.run(30_000)
    assert "before it has" in bench.faults()[Fault.PRINTER_FAILED]


def test_an_unfit_printer_is_tried_again_after_the_mending_and_behind_every_new_connection() -> None:
    bench = ReceiptBench(quick())
    bench.inject("answers_early")
    bench.driver.release()
    bench.run(30_000)
    bench.driver.clear_fault()
    bench.run(10_000)
    assert not bench.is_ready()
    bench.inject("answers_in_time")
    bench.driver.clear_fault()
    bench.run(10_000, until=bench.is_ready)
    assert bench.is_ready()
    assert bench.faults() == {}
    trials = len([data for _, data in bench.writes if codec.FEED in data])
    bench.inject("unplug")
    bench.run(3000)
    bench.inject("replug")
    bench.run(10_000, until=bench.is_ready)
    assert len([data for _, data in bench.writes if codec.FEED in data]) == trials + 1


def test_a_trial_costs_white_paper_once_in_a_connection() -> None:
    bench = ReceiptBench(quick())
    bench.ready()
    for ref, number in enumerate(NUMBERS, 1):
        bench.print(ref, number)
        bench.driver.recorded(ref)
        bench.run(5000, until=bench.is_ready)
    assert len([data for _, data in bench.writes if codec.FEED in data]) == 1


def answered(trial: Trial, at_ms: int) -> None:
    for _ in range(codec.NAMELESS_COPIES):
        trial.mark("", at_ms)


def test_a_program_that_was_slow_to_listen_proves_nothing_either_way() -> None:
    trial = Trial(named=False)
    for now_ms in range(0, 100_000, 1000):
        trial.begin(now_ms)
        answered(trial, now_ms + 10)
        answered(trial, now_ms + 10 + MOVES_MS)  # both were found when it listened again
        trial.judge(now_ms + 10 + MOVES_MS)
        assert (trial.runs, trial.fit, trial.unfit) == (False, False, False)
    trial.begin(200_000)
    answered(trial, 200_010)
    trial.judge(200_010 + MOVES_MS)
    answered(trial, 200_010 + MOVES_MS + 1)
    assert trial.fit


def test_so_many_early_answers_in_a_row_are_no_accident_and_the_last_were_behind_a_cut() -> None:
    trial = Trial(named=True)
    cuts = 0
    for attempt in range(1, ATTEMPTS + 1):
        cuts += codec.CUT in trial.begin(attempt * 1000)
        trial.mark("t000", attempt * 1000 + 5)
        trial.mark("t001", attempt * 1000 + 5 + MOVES_MS - 1)
        assert trial.unfit == (attempt == ATTEMPTS)
    assert cuts == ATTEMPTS - 2


def test_a_trial_whose_answer_is_lost_is_over_after_a_while() -> None:
    trial = Trial(named=True)
    trial.begin(0)
    assert trial.due_ms == OVER_MS
    trial.judge(OVER_MS)
    assert not trial.runs


# ---- questions that are never answered


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("question", [1, 2, 3, 4])
def test_a_copy_that_ignores_one_question_is_told_with_its_number(question: int) -> None:
    bench = ReceiptBench(Setup(deaf_to=frozenset({question})))
    bench.driver.release()
    bench.run(10_000, until=lambda: bool(bench.faults()))
    assert f"DLE EOT {question} " in bench.faults()[Fault.PRINTER_FAILED]
    bench.run(60_000)
    assert not bench.is_ready()
    assert bench.print(1) is NOT_STARTED
    assert bench.jobs() == []
    assert len(bench.of(FaultRaised)) == 1
    bench.inject("hears_all")
    bench.run(10_000)
    assert bench.faults() == {}
    assert bench.is_ready()
    assert bench.print(2) is PRINTED


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("question", [1, 2, 3, 4])
def test_one_that_stops_answering_a_question_is_told_at_the_next_ticket_at_the_latest(question: int) -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject(f"deaf_{question}")
    bench.run(30_000)
    assert question in (2, 3) or f"DLE EOT {question} " in bench.faults()[Fault.PRINTER_FAILED]
    assert bench.print(1) is NOT_STARTED
    assert f"DLE EOT {question} " in bench.faults()[Fault.PRINTER_FAILED]
    assert bench.jobs() == []


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("question", [2, 4])
def test_paper_that_runs_out_is_told_although_the_question_why_is_ignored(question: int) -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject(f"deaf_{question}", "paper_out")
    bench.run(10_000)
    assert Fault.PRINTER_FAILED in bench.faults()
    assert not bench.is_ready()


def test_a_dead_line_is_a_dead_line_and_no_printer_that_ignores_questions() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("mute")
    bench.run(30_000)
    assert list(bench.faults()) == [Fault.LINK_LOST]


# ---- the button


@pytest.mark.requirement("PRN-04")
def test_a_feed_button_that_is_held_or_stuck_is_a_fault_after_ten_seconds() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("button_held")
    bench.run(9000)
    assert bench.faults() == {}
    assert not bench.is_ready()
    bench.run(4000)
    assert "feed button" in bench.faults()[Fault.PRINTER_FAILED]
    bench.inject("button_up")
    bench.run(5000)
    assert bench.is_ready()
    assert [event.fault for event in bench.of(FaultCleared)] == [Fault.PRINTER_FAILED]


# ---- tickets that vanish


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("fault", ["swallows", "refuses"])
def test_tickets_that_are_thrown_away_are_unknown_every_time(fault: str) -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject(fault)
    for ref, number in enumerate(NUMBERS[:3], 1):
        assert bench.print(ref, number) is UNKNOWN
        bench.driver.recorded(ref)
        bench.run(20_000, until=bench.is_ready)
        assert bench.is_ready()
    assert bench.whole() == []
    bench.inject("prints_again")
    assert bench.print(4, NUMBERS[3]) is PRINTED


# ---- mistakes put in on purpose


@pytest.mark.requirement("PRN-02")
def test_without_the_trial_a_printer_that_answers_early_would_be_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(escpos_trial, "MOVES_MS", 0)
    bench = ReceiptBench(quick(mm_s=40, ahead=EVERYTHING))
    bench.ready()
    assert bench.print(1) is PRINTED
    assert bench.whole() == []


@pytest.mark.requirement("PRN-02")
def test_with_the_rate_of_the_port_as_a_rule_whole_tickets_would_be_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last answer of a ticket judged by the bytes that the port's setting allows: on USB it is early."""
    sent = Job.sent
    monkeypatch.setattr(
        Job, "sent", lambda self, now_ms, line_ms, paper_ms: sent(self, now_ms, line_ms, (line_ms, line_ms))
    )
    bench = ReceiptBench(quick(9600, 350, cut_ms=100), usb=True)
    bench.ready()
    assert bench.print(1) is UNKNOWN
    assert bench.whole() == [NUMBERS[0]]
