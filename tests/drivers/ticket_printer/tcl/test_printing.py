"""An evening with a ticket printer that works."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from drivers.device import (
    Fault,
    Identified,
    PrinterReady,
    TicketOutcome,
    TicketPresented,
    TicketStarted,
    TicketTaken,
)
from drivers.sim.tcl import Setup
from drivers.sim.ticket.reader import read_number
from drivers.ticket_printer.tcl import codec as tcl_codec
from support.devices.printers import NUMBERS, Bench, ticket

PRINTED, NOT_STARTED = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED


def raw(bench: Bench, command: bytes) -> None:
    """Somebody else's bytes reach the machine."""
    bench.machine.ear.receive(command, bench.now_ms)
    bench.run(50)


def test_after_connection_it_only_watches() -> None:
    bench = Bench()
    bench.run(10_000)
    assert {data for _, data in bench.writes} == {tcl_codec.SPOIL, tcl_codec.EXTENDED_STATUS}
    assert [event.text for event in bench.of(Identified)] == ["5RUSAGE27"]
    assert bench.of(PrinterReady) == []


def test_once_released_it_clears_the_flags_and_is_ready() -> None:
    bench = Bench()
    bench.run(3000)
    bench.ready()
    assert [data for _, data in bench.sent(b"^C")] == [tcl_codec.CLEAR]
    bench.run(10_000)
    assert [event.ready for event in bench.of(PrinterReady)] == [True]
    assert len(bench.sent(b"^C")) == 1


def test_a_ticket_from_order_to_hand() -> None:
    bench = Bench()
    bench.ready()
    bench.events.clear()
    assert bench.print(7) is PRINTED
    bench.finish(7)
    assert bench.names() == [
        "PrinterReady",
        "TicketStarted",
        "TicketPresented",
        "TicketDone",
        "TicketTaken",
        "PrinterReady",
    ]
    (paper,) = bench.machine.tray
    assert paper.complete
    assert read_number(paper.png()) == NUMBERS[0]
    assert bench.machine.printed_cents == 8502
    assert bench.is_ready()


@pytest.mark.requirement("PRN-03")
def test_what_is_on_the_paper_is_what_was_ordered() -> None:
    bench = Bench()
    bench.ready()
    bench.print(1)
    text, order = bench.machine.tray[0].text, ticket()
    assert text.leading_number == text.number == "00-5671-4085-4797-7327"
    assert text.bar_code == text.validation == order.validation
    assert (text.establishment, text.street, text.city) == (order.establishment, order.street, order.city)
    assert (text.title, text.label) == (order.title, "VALIDATION")
    assert (text.date, text.time, text.ticket_no) == (order.date, order.time, order.ticket_no)
    assert (text.words_1, text.words_2, text.figures) == (order.words_1, " ", order.figures)
    assert (text.expiry, text.machine, text.small_print) == (order.expiry, order.machine, order.seat)


def test_three_tickets_in_a_row() -> None:
    bench = Bench()
    bench.ready()
    for ref, number in enumerate(NUMBERS[:3]):
        assert bench.print(ref, number) is PRINTED
        bench.finish(ref)
    assert [paper.text.validation for paper in bench.machine.tray] == list(NUMBERS[:3])
    assert bench.machine.printed_cents == 3 * 8502
    assert len(bench.of(TicketPresented)) == len(bench.of(TicketTaken)) == 3
    assert [event.ref for event in bench.of(TicketStarted)] == [0, 1, 2]


def test_flags_are_seen_clear_before_the_order_and_kept_until_its_outcome_is_recorded() -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.outcome(1)
    (order,) = bench.sent(b"^P")
    clears = [at for at, _ in bench.sent(b"^C")]
    polls = [at for at, _ in bench.sent(tcl_codec.EXTENDED_STATUS)]
    before = max(at for at in clears if at < order[0])
    assert any(before < at < order[0] for at in polls)
    bench.run(20_000)
    assert [at for at, _ in bench.sent(b"^C")] == clears  # the evidence stands until it is recorded
    bench.driver.recorded(99)
    bench.run(2000)
    assert [at for at, _ in bench.sent(b"^C")] == clears
    bench.driver.recorded(1)
    bench.run(2000)
    assert len(bench.sent(b"^C")) > len(clears)


def test_one_command_in_one_write_and_a_pause_before_the_next() -> None:
    bench = Bench()
    bench.ready()
    bench.print(1)
    bench.finish(1)
    for data in {data for _, data in bench.writes} - {tcl_codec.SPOIL}:
        assert data.startswith(b"^")
        assert data.endswith(b"|^")
        assert data.count(b"^") == 2
    times = [at for at, _ in bench.writes]
    assert min(after - before for before, after in itertools.pairwise(times)) >= 100
    assert bench.machine.ear.dropped == len(tcl_codec.SPOIL)


def test_it_asks_often_while_something_is_expected_and_seldom_otherwise() -> None:
    bench = Bench()
    bench.ready()
    bench.run(10_000)
    bench.writes.clear()
    bench.run(10_000)
    assert len(bench.writes) == 10
    bench.order(1)
    bench.run(1000)
    bench.writes.clear()
    bench.run(3000)
    assert len(bench.sent(tcl_codec.EXTENDED_STATUS)) == 12


# ---- the traps


def test_the_start_gap_is_no_success() -> None:
    """For 4.5 s nothing moves: a status from that time looks like a finished ticket."""
    bench = Bench()
    bench.ready()
    bench.inject("slow_start")
    bench.order(1)
    bench.run(4500)
    assert bench.outcomes(1) == []
    assert bench.outcome(1) is PRINTED
    assert bench.machine.printed_count == 1


def test_validation_done_of_the_last_ticket_is_no_success() -> None:
    """The bit of ticket 1 is still set while ticket 2 is wanted: it is not even sent."""
    bench = Bench()
    bench.ready()
    bench.print(1)
    bench.run(1000)
    bench.machine.take()
    bench.run(2000)
    assert not bench.is_ready()
    assert bench.print(2, NUMBERS[1]) is NOT_STARTED
    bench.driver.recorded(1)
    bench.run(3000)
    assert bench.print(3, NUMBERS[1]) is PRINTED
    assert bench.machine.printed_count == 2


@pytest.mark.requirement("PRN-02")
def test_a_status_that_is_older_than_the_order_proves_nothing() -> None:
    """It says that a ticket is printed and the printer idle, and comes after this order was sent."""
    bench = Bench()
    bench.ready()
    bench.inject("swallowed")
    bench.order(1)
    bench.run(2000, until=lambda: bool(bench.sent(b"^P")))
    bench.wire.transport.deliver(b"*S|0|5RUSAGE27|@|@|@|@|`|P0|*")  # its twin never comes
    assert bench.outcome(1) is not PRINTED
    assert bench.machine.printed_count == 0


def test_bar_code_read_and_journal_mode_decide_nothing() -> None:
    bench = Bench()
    bench.ready()
    bench.inject("silent")
    bench.run(100)
    for _ in range(2):
        bench.wire.transport.deliver(b"*S|0|5RUSAGE27|@|@|@|H|B|P0|*")
        bench.run(10)
    assert bench.faults() == {}
    assert bench.is_ready()


def test_a_system_error_bit_that_never_goes_does_not_fail_a_ticket() -> None:
    bench = Bench()
    bench.inject("summary")
    bench.ready()
    assert bench.print(1) is PRINTED
    assert bench.faults() == {}


def test_the_last_sheet_is_a_success() -> None:
    bench = Bench(Setup(papers=1, low_at=0))
    bench.ready()
    assert bench.print(1) is PRINTED
    assert set(bench.faults()) == {Fault.PAPER_LOW, Fault.PAPER_OUT}
    bench.finish(1)
    assert not bench.is_ready()
    assert bench.print(2) is NOT_STARTED
    bench.inject("load_paper")
    bench.run(2000)
    assert bench.faults() == {}
    assert bench.is_ready()


def test_a_printer_without_a_chute_sensor() -> None:
    bench = Bench(Setup(chute_sensor=False))
    bench.ready()
    assert bench.print(1) is PRINTED
    printed_ms = bench.now_ms
    bench.driver.recorded(1)
    bench.run(2000)
    assert bench.is_ready()
    bench.run(60_000)
    assert bench.of(TicketPresented) == []
    (taken,) = bench.of(TicketTaken)  # or the guest would be called for it for ever
    assert taken.at_ms == printed_ms + 30_000


def test_a_hand_that_is_quicker_than_the_sensor_is_read() -> None:
    """The chute is empty again before "printed" is known: it is told once more that the ticket is taken."""
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.run(10_000, until=lambda: bool(bench.machine.tray))
    bench.machine.take()
    assert bench.outcome(1) is PRINTED
    done_ms = bench.now_ms
    bench.run(60_000)
    sooner, later = (event.at_ms for event in bench.of(TicketTaken))
    assert sooner <= done_ms
    assert later == done_ms + 30_000


@pytest.mark.requirement("PRN-05")
def test_the_next_ticket_waits_until_the_last_one_was_taken() -> None:
    bench = Bench()
    bench.ready()
    bench.print(1)
    bench.driver.recorded(1)
    bench.run(10_000)
    assert not bench.is_ready()
    assert bench.print(2, NUMBERS[1]) is NOT_STARTED
    assert "chute" in bench.outcomes(2)[0].detail
    bench.machine.take()
    bench.run(2000)
    assert bench.is_ready()
    assert bench.print(3, NUMBERS[1]) is PRINTED


def test_top_of_form_decides_nothing() -> None:
    bench = Bench(Setup(top_of_form=True))
    bench.ready()
    assert bench.print(1) is PRINTED
    bench.finish(1)
    assert bench.is_ready()


def test_frames_that_nobody_asked_for_are_welcome() -> None:
    bench = Bench(Setup(unasked_ms=170))
    bench.ready()
    assert bench.print(1) is PRINTED
    statistics = bench.driver.statistics()
    assert statistics["answered"] > statistics["polls"]


@pytest.mark.parametrize("baud", [1200, 9600, 19200])
def test_slow_lines(baud: int) -> None:
    bench = Bench(Setup(baud=baud))
    bench.ready()
    assert bench.print(1) is PRINTED
    assert bench.machine.ear.dropped == len(tcl_codec.SPOIL)


# ---- other firmware


def test_a_firmware_without_validation_done_is_judged_by_busy_and_chute() -> None:
    bench = Bench(Setup(validation_bit=False), validation_bit=False)
    bench.ready()
    assert bench.print(1) is PRINTED
    bench.finish(1)
    assert bench.is_ready()


def test_without_validation_done_and_without_a_chute_nobody_can_tell() -> None:
    bench = Bench(Setup(validation_bit=False, chute_sensor=False), validation_bit=False)
    bench.ready()
    assert bench.print(1) is TicketOutcome.UNKNOWN


def test_a_firmware_with_three_flags() -> None:
    bench = Bench(Setup(flags=3), status="standard", validation_bit=False)
    bench.ready()
    assert bench.print(1) is PRINTED


def test_three_flags_where_five_are_needed_are_a_fault_and_no_ticket_is_tried() -> None:
    bench = Bench(Setup(flags=3), status="standard")
    bench.driver.release()
    bench.run(30_000)
    assert "no extended status" in bench.faults()[Fault.PRINTER_FAILED]
    assert bench.print(1) is NOT_STARTED
    assert bench.sent(b"^P") == []


def test_short_frames_between_long_ones_take_nothing_back() -> None:
    """Some printers answer the extended question in full and send the short status unasked."""
    bench = Bench()
    bench.ready()
    bench.inject("paper_low")
    bench.run(2000)
    short = b"*S|0|5RUSAGE27|@|@|@|P0|*"
    for _ in range(5):
        bench.wire.transport.deliver(short)
        bench.run(300)
    assert set(bench.faults()) == {Fault.PAPER_LOW}
    assert bench.is_ready()


def test_short_frames_show_that_a_ticket_began_and_prove_no_end() -> None:
    bench = Bench()
    bench.ready()
    bench.inject("swallowed")
    bench.order(1)
    bench.run(1500)
    bench.inject("silent")
    for flags in (b"`|@|@", b"@|@|H", b"@|@|H", b"@|@|H"):
        bench.wire.transport.deliver(b"*S|0|5RUSAGE27|" + flags + b"|P0|*")
        bench.run(300)
    assert [event.ref for event in bench.of(TicketStarted)] == [1]
    assert bench.outcomes(1) == []
    bench.inject("mend")
    assert bench.outcome(1) is TicketOutcome.UNKNOWN


def test_an_order_wakes_the_driver_at_once() -> None:
    bench = Bench()
    bench.ready()
    bench.run(5000)
    bench.order(1)
    assert bench.driver.wake_at is not None
    assert bench.driver.wake_at <= bench.now_ms
    bench.order(2)  # answered by the next tick
    assert bench.driver.wake_at <= bench.now_ms


def test_another_field_order_for_another_firmware() -> None:
    bench = Bench(layouts={"5RUSA": ["number", "nothing", *["title"] * 14, "bar_code"]})
    bench.ready()
    assert bench.print(1) is PRINTED
    text = bench.machine.tray[0].text
    assert text.leading_number == "00-5671-4085-4797-7327"
    assert text.establishment == " "
    assert text.machine == "CASHOUT TICKET"


def test_an_unknown_template_is_refused_and_not_tried_again_before_somebody_has_looked() -> None:
    bench = Bench(template="9")
    bench.ready()
    assert bench.print(1) is NOT_STARTED
    assert "library reference" in bench.outcomes(1)[0].detail
    bench.run(3000)
    assert bench.faults() == {Fault.PRINTER_FAILED: "the printer refuses the template"}
    assert not bench.is_ready()
    assert len(bench.sent(b"^P")) == 1
    bench.driver.clear_fault()
    bench.run(3000)
    assert bench.faults() == {}
    assert bench.is_ready()


# ---- orders that are no tickets


def test_a_name_with_a_delimiter_in_it() -> None:
    bench = Bench()
    bench.ready()
    bench.driver.print_ticket(1, replace(ticket(), establishment="CASINO ^|^ ROYAL"))
    assert bench.outcome(1) is PRINTED
    assert bench.machine.tray[0].text.establishment == "CASINO --- ROYAL"


@pytest.mark.parametrize("bad", [{"validation": "0" * 17}, {"figures": "10 \u20ac"}, {"words_1": "W" * 61}])
def test_what_the_printer_would_falsify_is_never_sent(bad: dict[str, str]) -> None:
    bench = Bench()
    bench.ready()
    bench.driver.print_ticket(1, replace(ticket(), **bad))
    assert bench.outcome(1) is NOT_STARTED
    bench.run(10_000)
    assert bench.sent(b"^P") == []
    assert bench.is_ready()


def test_a_test_print_has_no_bar_code() -> None:
    bench = Bench()
    bench.ready()
    bench.driver.print_ticket(1, replace(ticket(), validation="", figures="VOID", words_1="VOID"))
    assert bench.outcome(1) is PRINTED
    assert bench.machine.tray[0].text.validation == ""
    assert bench.machine.printed_cents == 0


def test_an_order_before_the_release_is_answered_at_once() -> None:
    bench = Bench()
    bench.order(1)
    assert bench.outcome(1, within_ms=10) is NOT_STARTED
    bench.run(3000)
    bench.order(2)
    bench.run(100)
    assert "watching" in bench.outcomes(2)[0].detail
    bench.run(10_000)
    assert bench.machine.tray == []


def test_an_order_while_another_ticket_is_printed() -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.run(2000)
    bench.order(2, NUMBERS[1])
    assert bench.outcome(2) is NOT_STARTED
    assert bench.outcome(1) is PRINTED
    assert [paper.text.validation for paper in bench.machine.tray] == [NUMBERS[0]]


def test_the_same_order_twice_is_one_ticket_and_one_outcome() -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.run(1000)
    bench.order(1)
    bench.driver.inquire(1)
    assert bench.outcome(1) is PRINTED
    bench.run(20_000)
    assert len(bench.outcomes(1)) == 1
    assert bench.machine.printed_count == 1


@pytest.mark.requirement("PRN-02")
def test_a_ticket_that_is_on_paper_is_never_printed_a_second_time() -> None:
    bench = Bench()
    bench.ready()
    bench.print(1)
    bench.finish(1)
    bench.events.clear()
    assert bench.print(1) is PRINTED
    bench.events.clear()
    bench.driver.inquire(1)
    assert bench.outcome(1) is PRINTED
    bench.run(20_000)
    assert bench.machine.printed_count == 1


def test_a_question_about_a_ticket_whose_flags_are_gone() -> None:
    bench = Bench()
    bench.ready()
    bench.driver.inquire(41)
    assert bench.outcome(41) is TicketOutcome.UNKNOWN


def test_old_outcomes_are_forgotten() -> None:
    bench = Bench()
    for ref in range(100):
        bench.order(ref)
    bench.run(10)
    assert all(len(bench.outcomes(ref)) == 1 for ref in range(100))
    bench.events.clear()
    bench.ready()
    for ref in range(40):
        assert bench.print(ref, NUMBERS[ref % 4]) is PRINTED
        bench.finish(ref)
        bench.writes.clear()
    bench.driver.inquire(39)
    bench.driver.inquire(3)
    bench.run(10)
    assert bench.outcomes(39)[-1].outcome is PRINTED
    assert bench.outcomes(3)[-1].outcome is TicketOutcome.UNKNOWN


# ---- orders that are misheard


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("fault", ["misheard", "swallowed"])
def test_an_order_that_was_not_begun_is_never_sent_again_under_its_number(fault: str) -> None:
    """After the start gap the printer is reset, so that nothing comes of it; then a new number is printed."""
    bench = Bench()
    bench.ready()
    bench.inject(fault)
    assert bench.print(1) is NOT_STARTED
    assert bench.sent(tcl_codec.RESET) != []
    bench.run(3_000)
    assert bench.is_ready()
    bench.events = [event for event in bench.events if "Ready" in type(event).__name__]
    assert bench.print(1) is NOT_STARTED  # from memory
    bench.run(30_000)
    assert len(bench.sent(b"^P")) == 1
    assert bench.machine.tray == []
    assert bench.print(2, NUMBERS[1]) is PRINTED
    assert [paper.text.validation for paper in bench.machine.tray] == [NUMBERS[1]]


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", range(600, 4700, 300))
@pytest.mark.parametrize("start", ["slow_start", "late_start", "very_late_start"])
def test_a_late_start_and_a_garbled_poll_do_not_print_one_number_twice(start: str, moment: int) -> None:
    """The command error belongs to the poll, and is latched: it says nothing about the order."""
    bench = Bench()
    bench.ready()
    bench.inject(start)
    bench.order(1)
    bench.run(moment)
    raw(bench, b"^Xe|^")
    outcome = bench.outcome(1)
    bench.driver.recorded(1)
    bench.run(90_000)
    assert len(bench.sent(b"^P")) <= 1
    assert bench.machine.paper_count <= 1
    assert outcome is not PRINTED or bench.machine.printed_count == 1
    assert outcome is not NOT_STARTED or bench.machine.tray == []


def test_a_command_error_of_a_poll_in_the_start_gap_does_not_print_a_second_ticket() -> None:
    """The order was understood and waits for its start; what was refused, nothing tells."""
    bench = Bench()
    bench.ready()
    bench.inject("slow_start")
    bench.order(1)
    bench.run(1500)
    raw(bench, b"^Xe|^")
    assert bench.outcome(1) is TicketOutcome.UNKNOWN
    bench.run(20_000)
    assert bench.machine.printed_count == 1
    assert len(bench.sent(b"^P")) == 1


def test_flags_that_appear_in_idleness_are_cleared() -> None:
    bench = Bench()
    bench.ready()
    raw(bench, b"^Xe|^")
    bench.run(3000)
    assert [event.ready for event in bench.of(PrinterReady)] == [True, False, True]


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("start", ["late_start", "very_late_start"])
def test_a_late_start_is_taken_back_and_never_passes_for_the_next_ticket(start: str) -> None:
    bench = Bench()
    bench.ready()
    bench.inject(start)
    assert bench.print(1) is NOT_STARTED
    bench.run(3_000)
    assert bench.print(2, NUMBERS[1]) is PRINTED
    bench.finish(2)
    bench.run(90_000)
    assert [paper.text.bar_code for paper in bench.machine.tray] == [NUMBERS[1]]
    assert bench.faults() == {}


@pytest.mark.requirement("PRN-02", "PRN-04")
@pytest.mark.parametrize("start", ["very_late_start", "swallowed"])
def test_a_printer_that_obeys_no_reset_gets_no_other_order_before_it_was_switched_off(start: str) -> None:
    """Nothing in its status tells whose ticket comes out, so its late paper would pass for the next one."""
    bench = Bench(Setup(obeys_reset=False))
    bench.ready()
    bench.inject(start)
    assert bench.print(1) is TicketOutcome.UNKNOWN
    bench.driver.recorded(1)
    bench.run(15_000)
    assert bench.faults()[Fault.PRINTER_FAILED] == "an order may still be in it: switch it off and on"
    bench.run(60_000)
    bench.machine.take()
    bench.run(3_000)
    bench.driver.clear_fault()  # nobody has switched it off
    bench.run(15_000)
    assert not bench.is_ready()
    assert bench.print(2, NUMBERS[1]) is NOT_STARTED
    bench.machine.power_off(bench.now_ms)
    bench.run(3_000)
    bench.machine.power_on(bench.now_ms)
    bench.run(5_000)
    assert bench.faults() == {}
    assert bench.is_ready()
    assert bench.print(3, NUMBERS[1]) is PRINTED
    assert [paper.text.bar_code for paper in bench.machine.tray][-1] == NUMBERS[1]


@pytest.mark.requirement("PRN-02")
def test_what_a_program_before_this_one_has_ordered_never_passes_for_the_next_ticket() -> None:
    """Its ticket was given up and answered for by a person; then the program was started again."""
    bench = Bench(Setup(keeps_orders=True, start_delay_ms=2000, low_at=-1))
    bench.ready()
    bench.order(1)
    bench.run(1500)
    bench.inject("paper_out")
    assert bench.outcome(1) is TicketOutcome.UNKNOWN
    bench.restart_host()
    bench.driver.release()
    bench.run(4_000)
    bench.inject("load_paper")
    bench.run(4_000)
    assert bench.is_ready()
    assert bench.print(2, NUMBERS[1]) is PRINTED
    assert [paper.text.bar_code for paper in bench.machine.tray] == [NUMBERS[1]]


def test_a_ticket_that_comes_without_an_order_is_reported() -> None:
    bench = Bench()
    bench.ready()
    raw(bench, tcl_codec.print_command(ticket(), "0", tcl_codec.CASHOUT_LAYOUT))
    bench.run(10_000)
    assert bench.machine.printed_count == 1
    assert bench.faults()[Fault.PRINTER_FAILED] == "a ticket was printed without an order"
    bench.machine.take()
    bench.run(2000)
    assert not bench.is_ready()
    bench.driver.clear_fault()
    bench.run(3000)
    assert bench.is_ready()


# ---- one bit of one frame

FALSE_FRAMES = [
    b"@|@|@|@|@"[:at] + bytes([0x40 | bit]) + b"@|@|@|@|@"[at + 1 :]
    for at in range(0, 9, 2)
    for bit in (32, 16, 8, 4, 2, 1)
]


@pytest.mark.requirement("PRN-02", "PRN-04")
def test_one_flipped_bit_in_one_frame_is_no_fault_and_no_end_of_readiness() -> None:
    bench = Bench()
    bench.ready()
    for flags in FALSE_FRAMES:
        bench.wire.transport.deliver(b"*S|0|5RUSAGE27|" + flags + b"|P |*")
        bench.run(1500)
    assert bench.faults() == {}
    assert [event.ready for event in bench.of(PrinterReady)] == [True]
    assert bench.of(TicketPresented) == []


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("flags", FALSE_FRAMES)
@pytest.mark.parametrize("at_ms", [100, 2500])
def test_one_flipped_bit_in_one_frame_costs_no_ticket(flags: bytes, at_ms: int) -> None:
    bench = Bench()
    bench.ready()
    bench.order(1)
    bench.run(at_ms)
    bench.wire.transport.deliver(b"*S|0|5RUSAGE27|" + flags + b"|P |*")
    assert bench.outcome(1) is PRINTED
    assert bench.faults() == {}
    assert bench.machine.printed_count == 1


def test_what_two_frames_cost() -> None:
    """A condition is told one poll at the waiting pace later: 250 ms by default."""
    bench = Bench()
    bench.ready()
    bench.run(5_000)
    bench.inject("jam")
    jammed_ms = bench.now_ms
    bench.run(5_000, until=lambda: bool(bench.faults()))
    polls = [at for at, _ in bench.sent(tcl_codec.EXTENDED_STATUS) if at >= jammed_ms]
    assert len(polls) == 2
    assert polls[1] - polls[0] <= 500


# ---- firmware without "validation done"


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("stuck", [False, True])
def test_where_the_bit_means_nothing_nobody_waits_for_it(stuck: bool) -> None:
    """`validation_bit = false`: a bit that is never set, or always."""
    bench = Bench(Setup(validation_bit=False, validation_stuck=stuck), validation_bit=False)
    bench.ready()
    for ref in range(3):
        assert bench.print(ref, NUMBERS[ref]) is PRINTED
        bench.finish(ref)
        assert bench.is_ready()
    assert bench.machine.printed_count == 3
    assert bench.faults() == {}
