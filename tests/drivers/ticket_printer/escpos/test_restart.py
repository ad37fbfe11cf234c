"""Receipt printers through restarts and losses of power of either side: never a lie about paper."""

from __future__ import annotations

import random

import pytest

from drivers.device import Fault, TicketDone, TicketOutcome
from drivers.sim.escpos import EscPosMachine, Setup
from drivers.sim.wire import FarEnd
from drivers.ticket_printer.escpos import codec
from drivers.ticket_printer.escpos.sync import Sync
from support.devices.printers import NUMBERS, ReceiptBench

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN
MOMENTS = (5, 25, 40, 80, 150, 600, 1400, 2600)


def ended(bench: ReceiptBench) -> None:
    """The attendant has answered; the next ticket can be printed, alone on its paper."""
    bench.driver.recorded(1)
    bench.driver.release()
    bench.run(15_000, until=bench.is_ready)
    assert bench.print(2, NUMBERS[1]) is PRINTED
    assert bench.whole()[-1] == NUMBERS[1]
    assert len(set(bench.whole())) == len(bench.whole())


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("marks", ["counted", "named"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_host_dies_and_the_printer_lives(moment: int, marks: str) -> None:
    """The answers to the marks went to nobody: what became of the ticket is for a person to say."""
    bench = ReceiptBench(marks=marks)
    bench.ready()
    bench.order(1)
    bench.run(moment)
    bench.restart_host()
    bench.driver.inquire(1)
    assert bench.outcome(1, within_ms=8_000) is UNKNOWN
    assert "does not tell" in bench.outcomes(1)[0].detail, "it is answered when the printer is empty"
    assert bench.machine.buffered == 0  # nothing comes after the question is answered
    before = bench.whole()
    bench.run(10_000)
    assert bench.whole() == before
    ended(bench)


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_host_dies_and_bytes_in_flight_are_lost(moment: int) -> None:
    """Half a command may wait in the printer: zeros end it, and no bar code comes of it."""
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(moment)
    bench.wire.drop_in_flight()
    bench.restart_host()
    bench.driver.inquire(1)
    assert bench.outcome(1) is UNKNOWN
    ended(bench)


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", MOMENTS)
def test_host_and_printer_lose_power_together(moment: int) -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(moment)
    bench.wire.drop_in_flight()
    bench.machine.power_off(bench.now_ms)
    bench.machine.power_on(bench.now_ms)
    bench.restart_host()
    bench.driver.inquire(1)
    assert bench.outcome(1) is UNKNOWN
    ended(bench)


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_printer_loses_power_for_a_minute_and_the_host_lives(moment: int) -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(moment)
    bench.machine.power_off(bench.now_ms)
    bench.run(60_000)
    bench.machine.power_on(bench.now_ms)
    outcome = bench.outcome(1)
    assert outcome is (NOT_STARTED if moment < 20 else UNKNOWN)
    assert len(bench.whole()) <= (outcome is UNKNOWN)
    bench.run(5000)
    assert bench.faults() == {}
    ended(bench)


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_cable_is_pulled_and_put_back(moment: int) -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(moment)
    bench.inject("unplug")
    bench.run(2000)
    bench.inject("replug")
    outcome = bench.outcome(1)
    assert outcome is (NOT_STARTED if moment < 20 else UNKNOWN)
    ended(bench)


@pytest.mark.requirement("PRN-04")
def test_a_cable_that_never_comes_back_leaves_the_ticket_unknown() -> None:
    bench = ReceiptBench(give_up_ms=40_000)
    bench.ready()
    bench.order(1)
    bench.run(500)
    bench.inject("unplug")
    bench.run(35_000)
    assert bench.outcomes(1) == []
    assert bench.outcome(1) is UNKNOWN
    assert Fault.PORT_MISSING in bench.faults()
    assert "no clear answer" in bench.outcomes(1)[0].detail


@pytest.mark.requirement("PRN-02")
def test_a_line_that_comes_and_goes_gives_no_more_time() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(500)
    bench.inject("echo")
    start_ms = bench.now_ms
    assert bench.outcome(1) is UNKNOWN
    assert bench.now_ms - start_ms < 30_000


@pytest.mark.requirement("PRN-02")
def test_a_question_about_a_ticket_while_the_printer_stands_empties_it_before_the_answer() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(900)
    bench.inject("paper_out")
    bench.restart_host()
    bench.run(5000)
    assert bench.machine.buffered > 0  # a restarted host has only looked so far
    bench.driver.inquire(1)
    bench.run(1000)
    assert [done.outcome for done in bench.outcomes(1)] == [UNKNOWN]
    assert bench.machine.buffered == 0
    bench.inject("load_paper")
    bench.run(10_000)
    assert bench.whole() == []
    ended(bench)


@pytest.mark.requirement("PRN-02")
def test_a_ghost_of_a_ticket_that_is_answered_already_is_cleared_at_the_release() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.order(1)
    bench.run(900)
    bench.inject("paper_out")
    bench.restart_host()
    bench.driver.release()
    bench.run(2000)
    assert bench.machine.buffered == 0
    bench.inject("load_paper")
    bench.run(20_000)
    assert bench.is_ready()
    assert bench.whole() == []


def test_a_question_about_a_ticket_that_nobody_knows() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.driver.inquire(9)
    assert bench.outcome(9) is UNKNOWN
    assert bench.is_ready()


@pytest.mark.requirement("PRN-02")
def test_marks_of_an_old_ticket_are_not_mistaken_for_our_own() -> None:
    """A ticket of a host that has died is still being printed; its marks are answered meanwhile."""
    bench = ReceiptBench(Setup(dots_per_s=150))
    bench.ready()
    bench.order(1)
    bench.run(1500)
    bench.restart_host()
    bench.driver.release()  # a careless owner: nothing is open, it says
    bench.run(500)
    bench.machine.engine.stop(bench.now_ms)
    bench.run(30_000, until=bench.is_ready)
    assert bench.machine.buffered == 0


# ---- chance

WIRE = [fault for fault in FarEnd.WIRE_FAULTS if fault != "garbled_request"]
# No printer begins to answer early in the middle of an evening.
NEVER = ("take", "stray_mark", "answers_early")
MACHINE = [fault for fault in EscPosMachine.FAULTS if fault not in NEVER]
REMEDIES = ("repair", "load_paper", "head_close", "on_line", "button_up", "xon", "unmute", "mend", "replug",
            "prints_again", "hears_all")  # fmt: skip


@pytest.mark.requirement("PRN-02", "PRN-04")
@pytest.mark.parametrize("seed", range(16))
def test_a_bad_evening(seed: int) -> None:
    """Random trouble on the wire and in the machine, restarts of both: what is said agrees with the paper."""
    bad_evening(seed, tickets=4)


@pytest.mark.campaign
@pytest.mark.requirement("PRN-02", "PRN-04")
def test_many_bad_evenings() -> None:
    for seed in range(1000, 1600):
        bad_evening(seed, tickets=14)


def bad_evening(seed: int, tickets: int) -> None:
    chance = random.Random(seed)
    setup = Setup(
        automatic_status=chance.random() < 0.3,
        keeps_buffer=chance.random() < 0.8,
        dots_per_s=8 * chance.randint(40, 350),
        ahead=chance.choice((0, 0, 3, 40)),
        pin_3=chance.random() < 0.3,
    )
    bench = ReceiptBench(
        setup, seed=seed, xonxoff=chance.random() < 0.5, marks=chance.choice(("counted", "named"))
    )
    bench.driver.release()
    for ref in range(1, tickets + 1):
        bench.run(30_000, until=bench.is_ready)
        if not bench.is_ready():
            visit(bench)
            continue
        number = f"00{seed:04d}{ref:012d}"
        bench.order(ref, number)
        for _ in range(chance.randrange(4)):
            bench.run(chance.randrange(3000))
            bench.inject(chance.choice((*WIRE, *MACHINE)))
        if chance.random() < 0.25:
            restart(bench, chance, ref)
        bench.run(200_000, until=lambda ref=ref: bool(bench.outcomes(ref)))  # type: ignore[misc]
        outcome = bench.outcomes(ref)[-1].outcome
        bench.run(chance.randrange(3000))
        visit(bench)
        on_paper = number in bench.whole()
        assert on_paper if outcome is PRINTED else outcome is UNKNOWN or not on_paper
        bench.driver.recorded(ref)
        bench.driver.release()
        bench.run(20_000)
        assert (number in bench.whole()) == on_paper  # after the answer nothing comes any more
    assert len(set(bench.whole())) == len(bench.whole())
    visit(bench)
    bench.run(30_000)
    assert bench.is_ready(), bench.faults()


def restart(bench: ReceiptBench, chance: random.Random, ref: int) -> None:
    told = bench.outcomes(ref)
    bench.driver.close()
    if chance.random() < 0.5:
        bench.wire.drop_in_flight()
    if chance.random() < 0.4:
        bench.machine.power_off(bench.now_ms)
        bench.machine.power_on(bench.now_ms)
    bench.events = [event for event in bench.events if isinstance(event, TicketDone)]
    bench.driver = bench.new_driver()
    if not told:
        bench.driver.inquire(ref)


def visit(bench: ReceiptBench) -> None:
    """Somebody with a key makes everything right that a hand can."""
    bench.inject(*REMEDIES)
    bench.driver.clear_fault()
    bench.run(3000)


def test_the_volley_is_larger_than_all_marks_of_a_ticket() -> None:
    bench = ReceiptBench()
    bench.ready()
    bench.print(1)
    sent = b"".join(data for _, data in bench.writes)
    (volley,) = bench.sent(codec.ASB_OFF)
    (trial,) = [data for _, data in bench.writes if codec.FEED in data]
    of_others = volley[1].count(codec.NAMELESS_MARK) + trial.count(codec.NAMELESS_MARK)
    of_ticket = sent.count(codec.NAMELESS_MARK) - of_others
    assert of_ticket == 15 < volley[1].count(codec.NAMELESS_MARK)


def test_a_volley_is_whole_only_when_silence_follows() -> None:
    """Twelve answers of an old ticket and the first eight of ours make twenty too."""
    sync = Sync(named=False, identify=False)
    sync.begin(0)
    assert codec.NAMELESS_MARK * 20 in sync.wanted(0, tried=False)
    for at_ms in (*range(10, 22), *range(30, 38)):
        sync.mark("", at_ms)
    assert not sync.empty(38)
    for at_ms in range(38, 50):
        sync.mark("", at_ms)
    assert not sync.empty(298)
    assert sync.empty(299)
    sync.lost()
    assert not sync.empty(400)


def test_a_volley_of_which_an_answer_was_lost_is_given_again() -> None:
    sync = Sync(named=False, identify=False)
    sync.begin(0)
    assert sync.wanted(0, tried=False)
    for at_ms in range(10, 29):
        sync.mark("", at_ms)
    assert not sync.empty(1000)
    assert not sync.wanted(1999, tried=False)
    assert sync.wanted(2000, tried=False)
