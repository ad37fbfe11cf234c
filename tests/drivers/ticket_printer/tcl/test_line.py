"""The line to the printer: noise, silence, stopped output, lost ports, and two kinds of wire."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.device import DeviceEvent, Fault, FaultCleared, FaultRaised, TicketOutcome
from drivers.registry import OptionsError, check, drivers_of
from drivers.sim.tcl import Setup
from drivers.ticket_printer.tcl import codec as tcl_codec
from support.devices.printers import NUMBERS, Bench

PRINTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.UNKNOWN


def whole_ticket(bench: Bench) -> None:
    assert bench.print(1) is PRINTED
    bench.finish(1)
    assert bench.machine.printed_count == 1
    assert bench.is_ready()


@pytest.mark.parametrize("fault", ["lost", "garbled", "delayed", "split", "glued", "noise", "lost_request"])
@pytest.mark.parametrize("moment", [0, 300, 900, 4700, 5400])
def test_one_accident_on_the_wire_costs_nothing(fault: str, moment: int) -> None:
    bench = Bench(seed=moment)
    bench.ready()
    bench.order(1)
    bench.run(moment)
    if not (fault == "lost_request" and moment == 300):  # that is the order itself
        bench.inject(fault)
    assert bench.outcome(1) is PRINTED
    bench.finish(1)
    assert bench.is_ready()


def test_noise_is_counted() -> None:
    bench = Bench()
    bench.ready()
    for _ in range(20):
        bench.inject("noise")
        bench.run(400)
    statistics = bench.driver.statistics()
    assert statistics["lost_bytes"] > 20
    assert set(statistics) == {"polls", "answered", "bad_checksum", "no_answer", "resent", "lost_bytes"}
    assert bench.faults() == {}


def test_one_false_frame_proves_nothing() -> None:
    """A frame has no checksum: a single one that says printed, busy no more, is not believed."""
    bench = Bench()
    bench.ready()
    bench.inject("swallowed")
    bench.order(1)
    bench.run(1500)
    bench.wire.transport.deliver(b"*S|0|5RUSAGE27|@|@|H|@|`|P0|*")
    bench.run(10)
    assert bench.outcomes(1) == []
    assert bench.outcome(1) is UNKNOWN  # something was seen to start: nobody can be sure any more
    assert bench.machine.tray == []


def test_one_false_validation_done_in_idleness_is_no_stray_ticket() -> None:
    bench = Bench()
    bench.ready()
    bench.wire.transport.deliver(b"*S|0|5RUSAGE27|@|@|@|@|`|P0|*")
    bench.run(5000)
    assert bench.faults() == {}
    assert bench.is_ready()


def test_another_firmware_id_is_believed_when_it_is_repeated() -> None:
    bench = Bench()
    bench.ready()
    bench.wire.transport.deliver(b"*S|0|5RUSAGX27|@|@|@|@|@|P0|*")
    bench.run(3000)
    assert bench.names().count("Identified") == 1


# ---- silence


@pytest.mark.requirement("PRN-04")
def test_a_dead_line_in_idleness_is_noticed_after_five_seconds() -> None:
    bench = Bench()
    bench.ready()
    bench.run(5000)
    bench.inject("silent")
    bench.run(4000)
    assert bench.faults() == {}
    bench.run(2000)
    (detail,) = bench.faults().values()
    assert detail == "no answer for 5000 ms on port printer1"
    assert not bench.is_ready()
    bench.run(60_000)
    assert list(bench.faults()) == [Fault.LINK_LOST]
    assert bench.driver.statistics()["no_answer"] > 20
    bench.inject("mend")
    bench.run(5000)
    assert bench.faults() == {}
    assert bench.is_ready()


def test_a_dead_line_in_a_ticket_is_noticed_after_two_seconds_and_the_ticket_is_not_lost() -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.run(2000)
    bench.inject("silent")
    bench.run(2500)
    assert list(bench.faults()) == [Fault.LINK_LOST]
    assert bench.outcomes(1) == []
    bench.run(8000)
    bench.inject("mend")
    assert bench.outcome(1) is PRINTED


def test_a_line_that_echoes_is_a_dead_line() -> None:
    bench = Bench()
    bench.ready()
    bench.inject("echo")
    bench.run(10_000)
    assert list(bench.faults()) == [Fault.LINK_LOST]


@pytest.mark.requirement("PRN-04")
def test_a_cabinet_without_its_printer() -> None:
    bench = Bench()
    bench.wire.unplug(0)
    bench.driver.release()
    bench.run(60_000)
    assert [event.fault for event in bench.of(FaultRaised)] == [Fault.PORT_MISSING]
    assert bench.print(1) is TicketOutcome.NOT_STARTED
    bench.wire.replug(bench.now_ms)
    bench.run(10_000)
    assert bench.faults() == {}
    assert bench.is_ready()
    assert bench.driver.wake_at is not None


def test_a_cable_that_is_pulled_in_idleness() -> None:
    bench = Bench()
    bench.ready()
    bench.wire.unplug(bench.now_ms)
    bench.run(3000)
    assert set(bench.faults()) == {Fault.LINK_LOST, Fault.PORT_MISSING}
    assert not bench.is_ready()
    bench.wire.replug(bench.now_ms)
    bench.run(10_000)
    assert bench.is_ready()
    assert [event.fault for event in bench.of(FaultCleared)] == [Fault.PORT_MISSING, Fault.LINK_LOST]
    whole_ticket(bench)


def test_a_closed_driver_rests() -> None:
    bench = Bench()
    bench.ready()
    assert bench.driver.fileno() is None  # a wire in memory has no descriptor
    bench.driver.close()
    bench.writes.clear()
    bench.run(5000)
    assert bench.writes == []


# ---- flow control


def test_xoff_in_the_middle_of_the_order() -> None:
    bench = Bench(Setup(baud=9600), xonxoff=True)
    bench.ready()
    bench.order(1)
    bench.run(5000, until=lambda: bool(bench.sent(b"^P")))
    bench.run(60)
    bench.inject("xoff")
    bench.run(1000)
    assert bench.machine.tray == []
    bench.inject("xon")
    assert bench.outcome(1) in (PRINTED, TicketOutcome.NOT_STARTED)
    assert all(paper.text.validation == NUMBERS[0] for paper in bench.machine.tray)


def test_xoff_in_the_middle_of_the_order_of_a_patient_printer() -> None:
    """Here the rest of the order is understood when it comes: one ticket."""
    bench = Bench(Setup(baud=9600, part_gap_ms=None), xonxoff=True)
    bench.ready()
    bench.order(1)
    bench.run(5000, until=lambda: bool(bench.sent(b"^P")))
    bench.run(60)
    bench.inject("xoff")
    bench.run(1000)
    bench.inject("xon")
    assert bench.outcome(1) is PRINTED
    assert bench.machine.printed_count == 1


def test_xoff_for_ever() -> None:
    """The line is as good as dead; what was held back is never sent later."""
    bench = Bench(Setup(baud=9600, part_gap_ms=None), xonxoff=True)
    bench.ready()
    bench.order(1)
    bench.run(5000, until=lambda: bool(bench.sent(b"^P")))
    bench.run(60)
    bench.inject("xoff")
    outcome = bench.outcome(1)
    assert outcome is UNKNOWN
    bench.inject("xon")
    bench.driver.recorded(1)
    bench.run(20_000)
    assert bench.machine.printed_count <= 1


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("flow", ["none", "xonxoff"])
def test_a_printer_that_holds_xoff_is_busy_and_not_lost(flow: str) -> None:
    """For 20 s; then it has a condition of its own. No lone caret is sent into what waits."""
    bench = Bench(xonxoff=flow == "xonxoff")
    bench.ready()
    bench.run(3_000)
    bench.inject("xoff")
    bench.run(15_000)
    assert bench.faults() == {}
    bench.run(10_000, until=lambda: bool(bench.faults()))
    assert bench.faults() == {Fault.PRINTER_FAILED: "it has held its host back (XOFF) for 20 s"}
    assert not bench.is_ready()
    assert tcl_codec.LONE_CARET not in {data for _, data in bench.writes}
    bench.inject("xon")
    bench.run(10_000)
    assert bench.faults() == {}
    assert bench.is_ready()
    whole_ticket(bench)


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("flow", ["none", "xonxoff"])
@pytest.mark.parametrize("span_ms", [300, 3_000, 12_000])
def test_xoff_that_ends_in_time_costs_nothing(flow: str, span_ms: int) -> None:
    bench = Bench(xonxoff=flow == "xonxoff")
    bench.ready()
    bench.order(1)
    bench.run(3_000)
    bench.inject("xoff")
    bench.run(span_ms)
    bench.inject("xon")
    assert bench.outcome(1) is PRINTED
    assert bench.faults() == {}


def test_a_printer_that_answers_and_says_that_it_holds_its_host_back() -> None:
    """Busy, so no order goes out; a failure after 20 s."""
    bench = Bench()
    bench.ready()
    bench.inject("silent")
    held = b"*S|0|5RUSAGE27|@|@|@|@|H|P |*"
    for _ in range(19):
        bench.wire.transport.deliver(held)
        bench.run(1_000)
    assert not bench.is_ready()
    assert bench.faults() == {}
    for _ in range(3):
        bench.wire.transport.deliver(held)
        bench.run(1_000)
    assert bench.faults() == {Fault.PRINTER_FAILED: "it holds its host back (XOFF)"}


def test_output_that_waits_in_this_program_is_thrown_away_with_the_order() -> None:
    """The line took nothing of the order: given up, and the bytes never leave later."""
    bench = Bench(xonxoff=True, silence_waiting_ms=10_000, give_up_ms=20_000)
    bench.ready()
    link = bench.wire.transport.link  # type: ignore[attr-defined]
    write = link.write

    def stopped_by_the_order(data: bytes) -> None:
        link._stopped = link._stopped or data.startswith(b"^P")
        write(data)

    link.write = stopped_by_the_order
    bench.order(1)
    bench.run(20_000, until=lambda: link.pending > 0)
    assert bench.outcome(1) is not PRINTED
    bench.run(10_000)
    assert link.dead
    bench.driver.recorded(1)
    bench.run(10_000)
    assert bench.machine.tray == []
    assert bench.is_ready()


def test_an_idle_printer_that_speaks_unasked_says_nothing_about_an_order_that_it_has_not_got() -> None:
    bench = Bench(Setup(unasked_ms=200), xonxoff=True, give_up_ms=20_000)
    bench.ready()
    link = bench.wire.transport.link  # type: ignore[attr-defined]
    write = link.write

    def stopped_by_the_order(data: bytes) -> None:
        link._stopped = link._stopped or data.startswith(b"^P")
        write(data)

    link.write = stopped_by_the_order
    bench.order(1)
    bench.run(20_000, until=lambda: link.pending > 0)
    bench.run(15_000)
    assert bench.outcomes(1) == []
    assert bench.outcome(1) is UNKNOWN


def test_a_printer_that_restarts_while_output_waits_never_gets_the_rest_of_the_order() -> None:
    bench = Bench(Setup(unasked_ms=200), xonxoff=True)
    bench.ready()
    link = bench.wire.transport.link  # type: ignore[attr-defined]
    write = link.write

    def stopped_by_the_order(data: bytes) -> None:
        link._stopped = link._stopped or data.startswith(b"^P")
        write(data)

    link.write = stopped_by_the_order
    bench.order(1)
    bench.run(20_000, until=lambda: link.pending > 0)
    bench.inject("reset")
    assert bench.outcome(1) is UNKNOWN
    bench.driver.recorded(1)
    bench.run(10_000)
    assert link.dead
    assert bench.machine.tray == []
    assert bench.is_ready()


def test_stray_flow_control_bytes_do_no_harm() -> None:
    bench = Bench()
    bench.ready()
    bench.inject("xoff", "xon")
    bench.run(2000)
    whole_ticket(bench)


@pytest.mark.parametrize("flow", ["none", "xonxoff", "rtscts", "rtscts+xonxoff"])
def test_every_flow_control_can_be_set(flow: str) -> None:
    bench = Bench(flow=flow)
    bench.ready()
    whole_ticket(bench)
    settings = bench.wire.transport.link.settings  # type: ignore[attr-defined]
    assert (settings.xonxoff, settings.rtscts) == ("xonxoff" in flow, "rtscts" in flow)
    assert (settings.data_bits, settings.parity, settings.stop_bits) == (8, "N", 1)


# ---- what a technician sees


def test_the_frames_of_the_line_are_kept_in_words_and_without_numbers() -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.run(1500)
    frames = bench.driver.frames()
    meanings = [frame.meaning for frame in frames]
    assert meanings[0] == "make a half command unprintable"
    for meaning in ("what is your status", "clear the flags", "print a ticket", "P : idle", "P : power_up"):
        assert meaning in meanings
    assert not any(NUMBERS[0].encode() in frame.data for frame in frames)
    bench.run(60_000)
    assert len(bench.driver.frames()) == 64
    bench.driver.clear_fault()
    bench.machine.receive(b"^", bench.now_ms)
    bench.run(2000)


def test_a_lone_caret_and_a_mended_jam_in_words() -> None:
    bench = Bench(Setup(part_gap_ms=None))
    bench.ready()
    bench.driver.clear_fault()
    bench.run(2000)
    assert "clear the flags, the jam is mended" in {frame.meaning for frame in bench.driver.frames()}
    bench.machine.receive(b"^", bench.now_ms)
    bench.run(5000)
    assert "end a command that was broken off" in {frame.meaning for frame in bench.driver.frames()}


# ---- a pty gives what the wire in memory gives


def story(bench: Bench) -> list[DeviceEvent]:
    bench.ready()
    bench.print(1)
    bench.finish(1)
    bench.inject("lost", "split", "glued", "noise", "garbled", "delayed")
    bench.run(3000)
    bench.inject("jam_next")
    bench.print(2, NUMBERS[1])
    bench.driver.recorded(2)
    bench.inject("repair")
    bench.run(500)
    bench.driver.clear_fault()
    bench.run(3000)
    bench.order(3, NUMBERS[2])
    bench.run(2000)
    bench.wire.unplug(bench.now_ms)
    bench.run(2000)
    bench.wire.replug(bench.now_ms)
    bench.outcome(3)
    bench.finish(3)
    return bench.events


def test_both_wires_tell_the_same_story(tmp_path: Path) -> None:
    in_memory = Bench(seed=3)
    expected = story(in_memory)
    on_pty = Bench(seed=3, pty=tmp_path / "printer")
    try:
        heard = story(on_pty)
    finally:
        on_pty.close()
    assert [event_text(event, tmp_path) for event in heard] == [
        event_text(event, tmp_path) for event in expected
    ]
    assert on_pty.machine.tray == in_memory.machine.tray
    assert [data for _, data in on_pty.writes] == [data for _, data in in_memory.writes]
    assert {"TicketDone", "FaultRaised", "FaultCleared"} <= set(on_pty.names())


def event_text(event: DeviceEvent, folder: Path) -> str:
    return str(event).replace(str(folder / "printer"), "printer1")


# ---- the table in the cabinet file


def test_the_driver_is_found_by_its_name_and_its_helpers_are_not() -> None:
    assert [name for name in drivers_of("ticket_printer") if name.startswith("tcl")] == ["tcl"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("port", ""),
        ("baud", 115200),
        ("flow", "dtrdsr"),
        ("template", "^"),
        ("template", "|"),
        ("template", "00"),
        ("layouts", {"5R": []}),
        ("layouts", {"5R": ["amount"]}),
        ("start_gap_ms", 1000),
        ("give_up_ms", 1000),
        ("poll_waiting_ms", 50),
        ("poll_idle_ms", 5000),
        ("gap_ms", 10),
        ("copies", 2),
    ],
)
def test_what_the_table_may_not_say(key: str, value: object) -> None:
    (wrong, *_) = check("ticket_printer", "tcl", {"port": "/dev/printer", key: value})
    assert wrong.key.split(".")[0] == key
    with pytest.raises(OptionsError):
        Bench(**{key: value})  # type: ignore[arg-type]


def test_the_longest_patience_is_within_its_bounds() -> None:
    assert check("ticket_printer", "tcl", {"port": "p", "give_up_ms": 120_000, "start_gap_ms": 15_000}) == []
    assert tcl_codec.EXTENDED_STATUS == b"^Se|^"
