"""The line to a receipt printer: one question at a time, silence, flow control, and its table."""

from __future__ import annotations

import os
import termios
import tty
from itertools import pairwise
from pathlib import Path

import pytest

from drivers.device import DeviceEvent, Fault, TicketOutcome
from drivers.link import SerialSettings, open_serial
from drivers.registry import OptionsError, check, drivers_of
from drivers.sim.escpos import Setup
from drivers.ticket_printer.escpos import codec
from support.devices.printers import NUMBERS, ReceiptBench

PRINTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.UNKNOWN
QUESTIONS = tuple(codec.ask(number) for number in (1, 2, 3, 4))


def questions(bench: ReceiptBench) -> list[tuple[int, int]]:
    return [(at, QUESTIONS.index(data) + 1) for at, data in bench.writes if data in QUESTIONS]


# ---- questions and answers


def test_one_question_at_a_time_and_the_next_one_only_after_its_answer() -> None:
    bench = ReceiptBench(Setup(answer_ms=150))
    bench.run(3000)
    times = [at for at, _ in questions(bench)]
    assert len(times) > 6
    assert all(later - sooner >= 150 for sooner, later in pairwise(times))


def test_while_all_is_well_it_asks_two_questions_a_second() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.run(2000)
    bench.writes.clear()
    bench.run(10_000)
    assert [number for _, number in questions(bench)] in ([1, 4] * 10, [4, *([1, 4] * 9), 1], [1, 4] * 9)


def test_a_printer_off_line_is_asked_why_in_the_same_round() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.run(3000)
    bench.writes.clear()
    bench.inject("head_open")
    bench.run(1100)
    asked = [number for _, number in questions(bench)]
    assert asked[asked.index(1) :][:4] == [1, 2, 3, 4]


@pytest.mark.parametrize("moment", range(0, 1200, 170))
@pytest.mark.parametrize("fault", ["lost", "delayed", "glued", "split", "garbled", "noise", "lost_request"])
def test_one_accident_on_the_wire_is_no_fault_and_costs_no_ticket(fault: str, moment: int) -> None:
    """A late answer is not taken for that of the next question: near the end of the roll and ready look
    alike, and which question a byte answers it does not say."""
    bench = ReceiptBench(seed=moment, marks="named")
    bench.ready()
    bench.run(1000 + moment)
    bench.inject(fault)
    bench.run(4000)
    assert bench.faults() == {}
    assert bench.is_ready()
    assert bench.print(1) is PRINTED


def test_a_late_answer_is_not_taken_for_that_of_the_next_question() -> None:
    """Paper near its end, said too late, would be a printer off line to the question after it."""
    bench = ReceiptBench(Setup(answer_ms=200), answer_ms=500)
    bench.inject("paper_low")
    bench.ready()
    bench.run(2000)
    bench.writes.clear()
    bench.run(2000, until=lambda: bool(bench.sent(codec.ask(4))))
    bench.inject("delayed")
    bench.events.clear()
    bench.run(5000)
    assert bench.events == []


def test_bytes_that_nobody_asked_for_are_counted() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("stray_status")
    bench.run(2000)
    assert bench.driver.statistics()["lost_bytes"] == 1
    bench.inject("mute")
    bench.run(3000)
    assert bench.driver.statistics()["no_answer"] >= 1


def test_an_answer_with_a_stray_one_beside_it_is_not_believed() -> None:
    """Which of the two was meant nobody can say: the line rests, and the round begins again."""
    bench = ReceiptBench()
    bench.ready()
    bench.run(3000)
    bench.writes.clear()
    bench.run(3000, until=lambda: bool(bench.sent(codec.ask(1))))
    bench.inject("glued")
    bench.run(20)
    bench.inject("stray_status")
    bench.run(1000)
    (first, again, after) = questions(bench)[:3]
    assert (first[1], again[1], after[1]) == (1, 1, 4)
    assert again[0] - first[0] >= 200
    assert bench.driver.statistics()["lost_bytes"] == 1
    assert bench.faults() == {}


# ---- silence


@pytest.mark.requirement("PRN-04")
def test_a_dead_line_in_idleness_is_noticed_after_five_seconds_and_comes_back() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.inject("silent")
    silent_ms = bench.now_ms
    bench.run(20_000, until=lambda: Fault.LINK_LOST in bench.faults())
    assert 4500 <= bench.now_ms - silent_ms <= 6500
    assert not bench.is_ready()
    bench.inject("mend")
    bench.run(10_000)
    assert bench.faults() == {}
    assert bench.is_ready()


@pytest.mark.requirement("PRN-04")
def test_a_line_that_echoes_is_a_dead_line() -> None:
    """Its own zeros and print data look like answers to marks."""
    bench = ReceiptBench()
    bench.ready()
    bench.inject("echo")
    bench.run(20_000)
    assert Fault.LINK_LOST in bench.faults()
    assert not bench.is_ready()


@pytest.mark.requirement("PRN-04")
def test_answers_to_marks_are_no_sign_of_life() -> None:
    """Zeros come from a line that is broken as well. What counts is the answer to a question."""
    bench = ReceiptBench(Setup(real_time=False))
    bench.driver.release()
    for _ in range(150):
        bench.inject("stray_mark")
        bench.run(100)
    assert Fault.LINK_LOST in bench.faults()
    assert not bench.is_ready()


@pytest.mark.requirement("PRN-02")
def test_a_ticket_on_a_line_that_begins_to_echo_is_never_proven() -> None:
    for moment in range(0, 3200, 400):
        bench = ReceiptBench()
        bench.ready()
        bench.order(1)
        bench.run(moment)
        bench.inject("echo")
        assert bench.outcome(1) is not PRINTED, moment


@pytest.mark.requirement("PRN-04")
def test_a_cabinet_without_its_printer() -> None:
    bench = ReceiptBench()
    bench.wire.unplug(0)
    bench.driver.release()
    bench.run(10_000)
    assert Fault.PORT_MISSING in bench.faults()
    bench.wire.replug(bench.now_ms)
    bench.run(20_000, until=bench.is_ready)
    assert bench.faults() == {}


def test_a_closed_driver_rests() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.driver.close()
    assert bench.driver.fileno() is None
    bench.run(10_000)
    assert bench.driver.wake_at is None


# ---- flow control


@pytest.mark.requirement("PRN-02")
def test_xoff_in_the_middle_of_a_job() -> None:
    bench = ReceiptBench(xonxoff=True)
    bench.ready()
    bench.order(1)
    bench.run(60)
    bench.inject("xoff")
    bench.run(1000)
    bench.inject("xon")
    assert bench.outcome(1) in (PRINTED, UNKNOWN)
    assert len(bench.whole()) == 1


@pytest.mark.requirement("PRN-02")
def test_xoff_for_ever_never_blocks_and_ends_as_unknown() -> None:
    bench = ReceiptBench(xonxoff=True)
    bench.ready()
    bench.order(1)
    bench.run(60)
    bench.inject("xoff")
    assert bench.outcome(1) is UNKNOWN
    assert bench.whole() == []


def test_status_passes_a_line_with_flow_control() -> None:
    bench = ReceiptBench(xonxoff=True)
    bench.ready()
    for fault in ("paper_low", "head_open", "paper_out", "jam"):
        bench.inject(fault)
    bench.run(3000)
    assert set(bench.faults()) == {Fault.PAPER_OUT, Fault.HEAD_OPEN, Fault.PAPER_JAM}


def test_any_byte_of_the_printer_must_not_restart_a_stopped_output(tmp_path: Path) -> None:
    """IXANY would let every status byte undo an XOFF."""
    master, slave = os.openpty()
    tty.setraw(slave)
    name = tmp_path / "printer"
    name.symlink_to(os.ttyname(slave))
    link = open_serial(SerialSettings(str(name), 38400, xonxoff=True))
    try:
        flags = termios.tcgetattr(slave)[0]
        assert flags & termios.IXON
        assert not flags & termios.IXANY
    finally:
        link.close()
        os.close(slave)
        os.close(master)


# ---- what is kept for people


@pytest.mark.requirement("PRN-07")
def test_the_frames_of_the_line_are_kept_in_words_and_without_numbers() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(1500)
    frames = bench.driver.frames()
    assert {"print a ticket", "are you on line", "is there paper"} <= {frame.meaning for frame in frames}
    kept = b"".join(frame.data for frame in frames)
    assert NUMBERS[0].encode() not in kept
    assert b"00-5671" not in kept
    assert b"7327" in kept


# ---- both wires


def story(bench: ReceiptBench) -> list[DeviceEvent]:
    bench.ready()
    bench.print(1)
    bench.finish(1)
    bench.run(3000)
    bench.inject("lost", "noise", "delayed")
    bench.order(2, NUMBERS[1])
    bench.run(900)
    bench.inject("paper_out")
    bench.outcome(2)
    bench.inject("load_paper")
    bench.driver.recorded(2)
    bench.run(10_000, until=bench.is_ready)
    bench.order(3, NUMBERS[2])
    bench.run(500)
    bench.wire.unplug(bench.now_ms)
    bench.run(2000)
    bench.wire.replug(bench.now_ms)
    bench.outcome(3)
    return bench.events


def test_both_wires_tell_the_same_story(tmp_path: Path) -> None:
    in_memory = ReceiptBench(seed=3, xonxoff=True)
    expected = [str(event) for event in story(in_memory)]
    on_pty = ReceiptBench(seed=3, xonxoff=True, pty=tmp_path / "printer")
    try:
        heard = [str(event).replace(str(tmp_path / "printer"), "printer1") for event in story(on_pty)]
    finally:
        on_pty.close()
    assert heard == expected
    assert on_pty.machine.tray == in_memory.machine.tray
    assert [data for _, data in on_pty.writes] == [data for _, data in in_memory.writes]


# ---- the table in the cabinet file


def test_the_driver_is_found_by_its_name_and_its_parts_are_not() -> None:
    assert drivers_of("ticket_printer") == ["escpos", "tcl"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("port", ""),
        ("baud", 4800),
        ("flow", "dtrdsr"),
        ("profile", "default"),
        ("profile", "no such printer"),
        ("profile", "AF-240"),
        ("status", "usb"),
        ("marks", "sometimes"),
        ("clear", "none"),
        ("roll_mm", -1),
        ("poll_waiting_ms", 50),
        ("poll_idle_ms", 5000),
        ("answer_ms", 50),
        ("give_up_ms", 5000),
        ("copies", 2),
    ],
)
def test_what_the_table_may_not_say(key: str, value: object) -> None:
    (wrong, *_) = check("ticket_printer", "escpos", {"port": "/dev/printer", key: value})
    assert wrong.key == key
    with pytest.raises(OptionsError):
        ReceiptBench(**{key: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("flow", ["none", "xonxoff", "rtscts", "rtscts+xonxoff"])
def test_every_flow_control_can_be_set(flow: str) -> None:
    bench = ReceiptBench(flow=flow)
    bench.ready()
    assert bench.print(1) is PRINTED
