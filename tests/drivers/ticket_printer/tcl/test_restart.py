"""The plug is pulled: of the host, of the printer, of both, of the cable, at any moment.

However it happens, the outcome of a ticket that was ordered must agree with the paper:

* PRINTED: exactly one whole ticket came out.
* NOT_STARTED: nothing came out, and nothing ever will.
* UNKNOWN: anything; but never where the printer kept power and the wire was sound.
"""

from __future__ import annotations

import random

import pytest

from drivers.device import Fault, FaultRaised, TicketOutcome
from drivers.sim.tcl import Setup
from drivers.sim.tcl.paper import PrintedTicket
from drivers.ticket_printer.tcl import codec as tcl_codec
from support.devices.printers import NUMBERS, Bench, ticket

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN

# From the order (0) over CLEAR (0), the order to print (about 500), the start (1300) and the bar
# code (4700) to the end (5300) and the last look (5700).
MOMENTS = [0, 50, 300, 500, 505, 520, 560, 900, 1310, 2500, 4720, 5250, 5350, 5700]


def ordered(setup: Setup | None = None, **options: object) -> Bench:
    bench = Bench(setup, **options)  # type: ignore[arg-type]
    bench.ready()
    bench.order(1)
    return bench


def agrees(bench: Bench, outcome: TicketOutcome) -> None:
    """The outcome against the paper, also long afterwards, when the printer is released."""
    bench.driver.recorded(1)
    bench.run(12_000)
    whole = [paper for paper in bench.machine.tray if paper.complete]
    assert all(is_right(paper) for paper in bench.machine.tray)
    match outcome:
        case TicketOutcome.PRINTED:
            assert len(whole) == 1
        case TicketOutcome.NOT_STARTED:
            assert bench.machine.tray == []
        case _:
            assert len(whole) <= 1


def is_right(paper: PrintedTicket) -> bool:
    order = ticket()
    text = paper.text
    return (text.validation, text.figures, text.words_1, text.machine) == (
        *(order.validation, order.figures, order.words_1, order.machine),
    )


# ---- the host


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_host_dies_and_the_printer_lives(moment: int) -> None:
    bench = ordered()
    bench.run(moment)
    bench.restart_host()
    bench.run(2000)  # start-up reads the journal
    bench.driver.inquire(1)
    outcome = bench.outcome(1)
    assert outcome is not UNKNOWN
    assert bench.of(FaultRaised) == []
    agrees(bench, outcome)


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_host_is_away_for_a_minute(moment: int) -> None:
    """The printer with its own supply finishes the ticket; somebody has taken it long ago."""
    bench = ordered(Setup(take_after_ms=3000))
    bench.run(moment)
    bench.restart_host()
    bench.wire.drop_in_flight()
    later_ms = bench.now_ms + 60_000
    while bench.wire.wake_at is not None and bench.wire.wake_at <= later_ms:
        bench.wire.tick(bench.wire.wake_at)
    bench.now_ms = later_ms
    bench.driver.inquire(1)
    outcome = bench.outcome(1)
    assert outcome is not UNKNOWN
    agrees(bench, outcome)


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", MOMENTS)
def test_host_and_printer_lose_power_together(moment: int) -> None:
    bench = ordered()
    bench.run(moment)
    bench.restart_host()
    bench.wire.drop_in_flight()
    bench.machine.power_off(bench.now_ms)
    bench.run(5000)
    bench.machine.power_on(bench.now_ms)
    bench.driver.inquire(1)
    outcome = bench.outcome(1)
    assert outcome is UNKNOWN
    assert "restarted" in bench.outcomes(1)[0].detail
    agrees(bench, outcome)


def test_before_the_outcome_is_recorded_a_restart_finds_the_evidence_again() -> None:
    bench = ordered()
    assert bench.outcome(1) is PRINTED
    for _ in range(3):
        bench.restart_host()
        bench.driver.inquire(1)
        assert bench.outcome(1) is PRINTED
    bench.finish(1)
    assert bench.is_ready()
    assert bench.machine.printed_count == 1


def test_a_question_is_answered_only_after_the_start_gap() -> None:
    """The order may still be on its way into the machine."""
    bench = Bench()
    bench.ready()
    bench.inject("slow_start")
    bench.order(1)
    bench.run(1000)
    bench.restart_host()
    began_ms = bench.now_ms
    bench.driver.inquire(1)
    bench.run(4000)
    assert bench.outcomes(1) == []
    assert bench.outcome(1) is PRINTED
    assert bench.now_ms - began_ms >= 5000


def test_a_question_leaves_the_flags_alone_until_the_answer_is_recorded() -> None:
    bench = ordered()
    bench.run(5500)
    bench.restart_host()
    bench.writes.clear()
    bench.driver.inquire(1)
    bench.outcome(1)
    bench.driver.release()  # it comes too late: the ticket is open until it is recorded
    bench.run(10_000)
    assert bench.sent(b"^C") == []
    bench.driver.recorded(1)
    bench.run(2000)
    assert bench.sent(b"^C") != []


def test_after_a_ticket_that_was_not_started_the_next_one_is_printed() -> None:
    bench = ordered()
    bench.run(100)
    bench.restart_host()
    bench.driver.inquire(1)
    assert bench.outcome(1) is NOT_STARTED
    bench.driver.recorded(1)
    bench.run(3000)
    assert bench.is_ready()
    assert bench.sent(tcl_codec.RESET) != [], "else it might still come out"
    assert bench.print(2, NUMBERS[1]) is PRINTED
    assert bench.machine.printed_count == 1


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [("head_open", UNKNOWN), ("jam", UNKNOWN), ("paper_out", UNKNOWN), ("paper_low", NOT_STARTED)],
)
def test_a_printer_in_trouble_is_no_proof(fault: str, outcome: TicketOutcome) -> None:
    """Idle and clear would be "not started", but something has happened to the printer meanwhile."""
    bench = Bench(Setup(low_at=5))
    bench.ready()
    bench.inject("swallowed")
    bench.order(1)
    bench.run(800)
    bench.restart_host()
    bench.inject(fault)
    bench.driver.inquire(1)
    assert bench.outcome(1) is outcome


def test_paper_in_the_chute_without_validation_done_is_no_proof() -> None:
    bench = ordered()
    bench.outcome(1)
    bench.machine._clear(jam=False)
    bench.restart_host()
    bench.driver.inquire(1)
    assert bench.outcome(1) is UNKNOWN


def test_a_firmware_without_validation_done_cannot_answer() -> None:
    bench = ordered(Setup(validation_bit=False), validation_bit=False)
    bench.outcome(1)
    bench.restart_host()
    bench.driver.inquire(1)
    assert bench.outcome(1) is UNKNOWN
    assert "does not tell" in bench.outcomes(1)[0].detail


def test_a_printer_that_does_not_answer_is_no_proof_either() -> None:
    bench = ordered()
    bench.run(600)
    bench.restart_host()
    bench.inject("silent")
    bench.driver.inquire(1)
    began_ms = bench.now_ms
    assert bench.outcome(1) is UNKNOWN
    assert 30_000 <= bench.now_ms - began_ms <= 36_000


def test_a_printer_that_comes_back_while_it_is_asked() -> None:
    bench = ordered()
    bench.run(2000)
    bench.restart_host()
    bench.wire.unplug(bench.now_ms)
    bench.driver.inquire(1)
    bench.run(9000)
    bench.wire.replug(bench.now_ms)
    assert bench.outcome(1) is PRINTED


# ---- the printer


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_printer_loses_power_and_the_host_lives(moment: int) -> None:
    bench = ordered()
    bench.run(moment)
    bench.machine.power_off(bench.now_ms)
    bench.run(1500)
    bench.machine.power_on(bench.now_ms)
    agrees(bench, bench.outcome(1))


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_printer_loses_power_for_a_minute(moment: int) -> None:
    bench = ordered()
    bench.run(moment)
    bench.machine.power_off(bench.now_ms)
    bench.run(60_000)
    bench.machine.power_on(bench.now_ms)
    agrees(bench, bench.outcome(1))
    assert Fault.LINK_LOST not in bench.faults()


# ---- the cable


@pytest.mark.parametrize("away_ms", [300, 12_000])
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_cable_is_pulled_and_put_back(moment: int, away_ms: int) -> None:
    bench = ordered()
    bench.run(moment)
    bench.wire.unplug(bench.now_ms)
    bench.run(away_ms)
    bench.wire.replug(bench.now_ms)
    outcome = bench.outcome(1)
    agrees(bench, outcome)
    assert outcome is not UNKNOWN


def test_a_cable_that_is_away_too_long() -> None:
    bench = ordered()
    bench.run(2000)
    bench.wire.unplug(bench.now_ms)
    assert bench.outcome(1) is UNKNOWN
    bench.driver.recorded(1)
    bench.wire.replug(bench.now_ms)
    bench.run(10_000)
    bench.machine.take()
    bench.run(2000)
    assert bench.is_ready()


# ---- half commands

PATIENT = Setup(part_gap_ms=None, baud=1200, start_delay_ms=300, print_ms=1500)


@pytest.mark.parametrize("cut_ms", range(20, 2700, 170))
def test_half_an_order_is_in_the_printer_when_the_host_dies(cut_ms: int) -> None:
    """The firmware waits for the rest for ever. What it has must not become a ticket of its own."""
    bench = ordered(PATIENT)
    bench.run(10_000, until=lambda: bool(bench.sent(b"^P")))
    bench.run(cut_ms)
    bench.restart_host()
    bench.wire.drop_in_flight()
    bench.driver.inquire(1)
    outcome = bench.outcome(1)
    agrees(bench, outcome)
    assert outcome is (PRINTED if bench.machine.tray else NOT_STARTED)


@pytest.mark.parametrize("missing", [1, 2, 3, 10, 19, 20, 24])
def test_the_last_bytes_of_an_order_were_lost(missing: int) -> None:
    """All fields but the end are there: the next caret would complete the order with a short number."""
    bench = Bench(Setup(part_gap_ms=None))
    bench.ready()
    order = tcl_codec.print_command(ticket(), "0", tcl_codec.CASHOUT_LAYOUT)
    bench.machine.receive(order[:-missing], bench.now_ms)
    bench.restart_host()
    bench.driver.inquire(1)
    assert bench.outcome(1) is NOT_STARTED
    agrees(bench, NOT_STARTED)


def test_half_a_clear_and_half_a_poll() -> None:
    for half in (b"^", b"^C", b"^C|", b"^S", b"^Se|", b"^X|1|2"):
        bench = Bench(Setup(part_gap_ms=None))
        bench.machine.receive(half, 0)
        bench.ready()
        assert bench.faults() == {}
        assert bench.print(1) is PRINTED


def test_a_command_that_lost_its_end_on_a_running_line() -> None:
    """Now every caret opens where it should close. A lone caret puts it right, within the silence."""
    bench = Bench(Setup(part_gap_ms=None))
    bench.ready()
    bench.run(5000)
    bench.machine.receive(b"^", bench.now_ms)
    bench.run(10_000)
    assert bench.of(FaultRaised) == []
    assert tcl_codec.LONE_CARET in {data for _, data in bench.writes}
    assert bench.is_ready()


# ---- chance


@pytest.mark.parametrize("seed", range(30))
def test_a_bad_evening(seed: int) -> None:
    """Random trouble on the wire and in the machine, a random restart: the outcome agrees with the paper."""
    chance = random.Random(seed)
    bench = Bench(Setup(take_after_ms=chance.choice([None, 2000])), seed=seed)
    bench.ready()
    wire = ["lost", "lost", "garbled", "delayed", "split", "glued", "noise", "lost_request"]
    machine = ["jam", "head_open", "reset", "paper_out", "drawer_open", "slow_start", "misheard", "swallowed"]
    bench.order(1)
    alive = True
    for _ in range(chance.randrange(1, 12)):
        bench.run(chance.randrange(1, 1500))
        bench.inject(chance.choice(wire))
        if chance.random() < 0.15:
            bench.inject(chance.choice(machine))
        if chance.random() < 0.1 and alive and not bench.outcomes(1):
            alive = False
            bench.restart_host()
            bench.driver.inquire(1)
    outcome = bench.outcome(1)
    agrees(bench, outcome)
    (done,) = bench.outcomes(1)
    assert done.outcome is outcome


@pytest.mark.requirement("PRN-02")
def test_a_number_is_never_on_two_papers_however_often_it_is_ordered() -> None:
    bench = Bench()
    bench.ready()
    for fault in ("swallowed", "misheard", "slow_start"):
        bench.inject(fault)
        bench.events = [event for event in bench.events if "Ready" in type(event).__name__]
        bench.order(1, NUMBERS[0])
        bench.outcome(1)
        bench.finish(1)
    assert bench.machine.printed_count <= 1
