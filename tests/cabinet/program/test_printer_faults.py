"""A simulated printer, the driver of the field and the decider together: what goes wrong at the paper is
seen, told and lit, and no cash-out is lost by it or paid twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.facts import ConditionRaised
from cabinet.core.live import active_conditions
from cabinet.core.outputs import outputs
from cabinet.core.state.book import TicketState
from cabinet.core.turn import InquireTicket, MendPrinter, PrintTicket, ReleasePrinter, TicketRecorded
from drivers.device import Pattern
from drivers.sim.tcl import Setup
from support.devices.printers import Bench, ReceiptBench
from support.evenings.evening import Evening
from support.screens.seen import look

P1 = "printer1"
AnyBench = Bench | ReceiptBench


class Wired:
    """Seat 1 of a cabinet with two, whose printer is a machine on a wire."""

    def __init__(self, bench: AnyBench | None = None) -> None:
        self.evening = Evening(start=False, seats=2, handpay_receipts=False)
        self.bench: AnyBench = bench or Bench(Setup())
        self.evening.start(printers=False)
        self.run(3_000)
        assert self.evening.live.device(P1).ready
        self.evening.insert(1, 8_500)
        self.evening.insert(2, 10_000)

    def run(self, ms: int) -> None:
        for _ in range(ms // 100):
            heard = len(self.bench.events)
            self._orders()
            self.bench.run(100)
            self.evening.advance(max(0, self.bench.now_ms - self.evening.at_ms))
            for event in self.bench.events[heard:]:
                self.evening.feed(event)
            self._orders()

    def _orders(self) -> None:
        kinds = (PrintTicket, TicketRecorded, ReleasePrinter, InquireTicket, MendPrinter)
        driver = self.bench.driver
        for act in self.evening.ordered(*kinds):
            match act:
                case PrintTicket(device=device, ref=ref, ticket=fields) if device == P1:
                    driver.print_ticket(ref, fields)
                case TicketRecorded(device=device, ref=ref) if device == P1:
                    driver.recorded(ref)
                case InquireTicket(device=device, ref=ref) if device == P1:
                    driver.inquire(ref)
                case ReleasePrinter(device=device) if device == P1:
                    driver.release()
                case MendPrinter(device=device) if device == P1:
                    driver.clear_fault()

    def cash_out(self) -> None:
        self.evening.press(1, "cash_out")
        self.run(12_000)

    def codes(self) -> list[str]:
        return [row.code for row, _, _ in active_conditions(self.evening.state, self.evening.live)]

    def told(self) -> None:
        """In the log, on the candle; and the rest of the table goes on."""
        evening = self.evening
        logged = {fact.code for fact in evening.facts("ConditionRaised") if isinstance(fact, ConditionRaised)}
        assert set(self.codes()) - {"H01", "T05"} <= logged
        panel = outputs(evening.state, evening.live).panel
        assert panel.get("candle.top", Pattern.OFF) is not Pattern.OFF or self.codes() == ["T06"]
        evening.press(2, "bet_plus")
        assert evening.state.bet(2) == 500


def injected(fault: str) -> Callable[[Wired], None]:
    return lambda wired: wired.bench.inject(fault)


def unplugged(wired: Wired) -> None:
    wired.bench.wire.unplug(wired.bench.now_ms)


def without_power(wired: Wired) -> None:
    wired.bench.machine.power_off(wired.bench.now_ms)


DOWN: dict[str, tuple[Callable[[Wired], None], str]] = {
    "paper out": (injected("paper_out"), "T02"),
    "jam": (injected("jam"), "T03"),
    "head open": (injected("head_open"), "T07"),
    "drawer open": (injected("drawer_open"), "T07"),
    "cutter": (injected("cutter"), "T08"),
    "supply out of range": (injected("voltage"), "T08"),
    "unplugged": (unplugged, "T04"),
    "no power": (without_power, "T04"),
}


@pytest.mark.requirement("PRN-04", "CRD-07")
@pytest.mark.parametrize("fault", DOWN)
def test_a_printer_that_cannot_print_sends_its_seat_to_the_attendant(fault: str) -> None:
    wired = Wired()
    begin, code = DOWN[fault]
    begin(wired)
    wired.run(8_000)
    assert code in wired.codes()
    wired.cash_out()
    (pay,) = wired.evening.state.handpays
    assert (pay.seat, pay.cents, pay.reason) == (1, 8_500, f"printer {code}")
    wired.told()


@pytest.mark.requirement("PRN-02", "PRN-04")
@pytest.mark.parametrize("fault", ["jam", "head_open", "voltage", "cutter"])
def test_a_ticket_that_breaks_off_is_asked_about_and_paid_once(fault: str) -> None:
    wired = Wired()
    wired.evening.press(1, "cash_out")
    wired.run(3_000)
    wired.bench.inject(fault)
    wired.run(10_000)
    assert "T05" in wired.codes()
    wired.told()
    wired.evening.choose("not in hand")
    wired.evening.choose("paid by hand")
    assert wired.evening.state.ledger["handpaid"] == 8_500
    assert wired.evening.state.ledger["tickets_out"] == 0


@pytest.mark.requirement("PRN-04")
def test_little_paper_is_a_warning_and_the_ticket_is_printed() -> None:
    wired = Wired()
    wired.bench.inject("paper_low")
    wired.run(2_000)
    assert wired.codes() == ["T01"]
    assert "paper_low" in [banner.kind for banner in look(wired.evening).banners]
    wired.told()
    wired.cash_out()
    assert wired.evening.state.ledger["tickets_out"] == 8_500


@pytest.mark.requirement("PRN-04", "PRN-05")
def test_a_ticket_that_nobody_takes_is_told_and_the_next_one_waits() -> None:
    wired = Wired()
    wired.cash_out()
    assert wired.evening.state.ledger["tickets_out"] == 8_500
    wired.evening.insert(1, 500)
    wired.evening.press(1, "cash_out")
    wired.run(45_000)
    assert "T06" in wired.codes()
    assert wired.evening.state.waiting == (1,)
    assert wired.evening.state.credit(1) == 500, "money moves when the turn comes"
    wired.bench.inject("take")
    wired.run(12_000)
    assert wired.evening.state.ledger["tickets_out"] == 9_000
    assert not wired.evening.state.waiting


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("start", ["late_start", "very_late_start"])
def test_a_late_ticket_never_passes_for_the_next_one_also_over_a_restart(start: str) -> None:
    """Its number is void when the program starts again. Its paper would pass for the ticket ordered next."""
    wired = Wired()
    wired.bench.inject(start)
    wired.evening.press(1, "cash_out")
    while not wired.evening.facts("TicketVoided"):
        wired.run(100)
    wired.evening.start(clean=False, printers=False)
    wired.bench.restart_host()
    wired.run(90_000)
    assert wired.evening.state.ledger["tickets_out"] == 8_500
    (line,) = [line for line in wired.evening.state.issued if line.state is TicketState.PRINTED]
    assert [paper.text.validation for paper in wired.bench.machine.tray] == [line.number]


@pytest.mark.requirement("PRN-02", "PRN-04")
@pytest.mark.parametrize("again", [False, True])
def test_a_printer_that_may_still_hold_an_order_is_for_the_attendant(again: bool) -> None:
    """It begins 45 s late and obeys no reset. Every other seat is paid by hand until it was switched off."""
    wired = Wired()
    wired.bench.inject("deaf_to_reset", "very_late_start")
    wired.cash_out()
    wired.run(10_000)
    assert "T05" in wired.codes()
    if again:
        wired.evening.start(clean=False, printers=False)
        wired.bench.restart_host()
    wired.evening.choose("not in hand")
    wired.evening.choose("paid by hand")
    assert wired.evening.state.ledger["handpaid"] == 8_500
    wired.run(15_000)
    assert "T08" in wired.codes()
    wired.evening.insert(1, 2_000)
    wired.run(90_000)
    wired.bench.inject("take")
    wired.run(5_000)
    wired.cash_out()
    assert [pay.cents for pay in wired.evening.state.handpays] == [2_000]
    assert wired.evening.state.ledger["tickets_out"] == 0
    assert len(wired.bench.machine.tray) == 1, "the late one, whose number is void"


# ---- nobody waits for ever


def test_a_feed_button_that_is_held_is_told_and_cash_outs_are_paid_by_hand() -> None:
    wired = Wired(ReceiptBench())
    wired.bench.inject("button_held")
    wired.run(2_000)
    wired.evening.press(1, "cash_out")
    wired.run(15_000)
    assert wired.codes() == ["T08", "H01"]
    wired.told()
    wired.bench.inject("button_up")
    wired.run(5_000)
    assert wired.codes() == ["H01"]


def test_a_copy_that_ignores_a_question_is_told_and_cash_outs_are_paid_by_hand() -> None:
    wired = Wired(ReceiptBench())
    wired.bench.inject("deaf_4", "paper_out")
    wired.run(10_000)
    wired.evening.press(1, "cash_out")
    assert wired.codes() == ["T08", "H01"]
    wired.told()


def test_a_ticket_that_is_left_in_the_chute_keeps_nobody_waiting_for_longer_than_a_minute() -> None:
    wired = Wired()
    wired.cash_out()
    wired.evening.insert(1, 4_000)
    wired.evening.press(1, "cash_out")
    wired.run(59_000)
    assert wired.evening.state.waiting == (1,)
    wired.run(3_000)
    assert [pay.cents for pay in wired.evening.state.handpays] == [4_000]
    assert "T12" in wired.codes()
    assert wired.bench.machine.paper_count == 1, "nothing is printed onto it"
    wired.bench.machine.take()
    wired.run(5_000)
    assert wired.codes() == ["H01"]


@pytest.mark.parametrize("kind", ["tcl", "escpos"])
def test_a_printer_that_swallows_every_order_is_told_and_the_hand_pays(kind: str) -> None:
    bench = Bench(Setup()) if kind == "tcl" else ReceiptBench()
    wired = Wired(bench)
    tries = 0
    while "T11" not in wired.codes():
        tries += 1
        assert tries <= 4
        bench.inject(*(["swallowed"] * 2 if kind == "tcl" else ["swallows"]))
        wired.cash_out()
        wired.run(28_000)
        if "T05" in wired.codes():
            wired.evening.choose("not in hand")
            wired.run(30_000)
        if "T11" not in wired.codes() and wired.evening.state.handpays:
            wired.evening.press(1, "cash_out")  # it is taken back
    wired.run(20_000)
    assert sum(pay.cents for pay in wired.evening.state.handpays) == 8_500
    assert bench.machine.printed_count == 0
    if kind == "escpos":
        bench.inject("prints_again")
    wired.evening.choose("paid by hand")
    wired.run(30_000)
    assert wired.codes() == []
    wired.evening.insert(1, 2_000)
    wired.cash_out()
    assert bench.machine.printed_count == 1
