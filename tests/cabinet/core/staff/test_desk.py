"""A ticket is paid once, at the desk or by a machine, whoever comes first and whatever is photocopied."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from cabinet.core.facts import DeskNumberWrong, TicketPaidAtDesk
from cabinet.core.past.logs import Log, LoggedFact, LogReader
from cabinet.core.past.meter_list import lines
from cabinet.core.renewal import replace
from cabinet.core.staff import desk, menu
from cabinet.core.state.book import DAY_MS, TicketState
from cabinet.core.state.fold import after
from cabinet.core.state.identity import trouble
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.turn import StackNote
from cabinet.core.view import view
from drivers.device import BarcodeEscrowed, Holding, InputChanged, NoteVendValid, ValidatorReport
from support.evenings.evening import WALL_MS, Evening
from support.evenings.service_menu import Bench

KEY = "key.attendant"


def choose_ticket(evening: Evening, amount: str = "$85.00") -> None:
    evening.switch(KEY, True)
    evening.walk("Pay a ticket", amount)


def enter(evening: Evening, digits: str) -> None:
    """With UP, DOWN and ENTER, the nearer way round."""
    for digit in digits:
        while evening.live.cursor != int(digit):
            far = (int(digit) - evening.live.cursor) % 10
            evening.press(1, "bet_plus" if far <= 5 else "bet_minus")
        evening.press(1, "deal")


def pay_at_desk(evening: Evening, number: str, amount: str = "$85.00") -> None:
    choose_ticket(evening, amount)
    enter(evening, number[desk.ENTERED])
    evening.confirm_by_key()
    evening.switch(KEY, False)


def refused(evening: Evening) -> str:
    return evening.last("TicketRefused").reason  # type: ignore[attr-defined, no-any-return]


@pytest.mark.requirement("PRN-09", "CRD-13")
def test_what_the_desk_has_paid_no_machine_pays_again() -> None:
    """The original is cashed, a photocopy is put in; then the original too."""
    evening = Evening(seats=2)
    number = evening.ticket(1, 8_500)
    pay_at_desk(evening, number)
    assert evening.last("TicketPaidAtDesk") == TicketPaidAtDesk(evening.at_ms, 2, 8_500, "attendant")
    for seat in (1, 2):
        assert not evening.insert_ticket(seat, number)
        assert (refused(evening), evening.told(seat)) == ("paid", "refused.ticket_paid")
    assert evening.credits() == (0, 0)
    assert (evening.state.ledger["tickets_out"], evening.state.ledger["desk"]) == (0, 8_500)


@pytest.mark.requirement("PRN-09", "CRD-13")
def test_what_a_machine_has_paid_the_desk_does_not_pay_again() -> None:
    """The photocopy is put in first, the original comes to the desk."""
    evening = Evening(seats=2)
    number = evening.ticket(1, 8_500)
    assert evening.insert_ticket(2, number)
    evening.switch(KEY, True)
    evening.walk("Pay a ticket")
    assert menu.items(evening.state, evening.live) == ()
    with pytest.raises(FactRefusedError):
        after(evening.state, TicketPaidAtDesk(0, 2, 8_500, "attendant"))
    assert evening.state.ledger["desk"] == 0


@pytest.mark.requirement("PRN-09")
def test_a_ticket_inside_a_validator_is_not_paid_at_the_desk() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(1, 8_500)
    evening.feed(BarcodeEscrowed("validator2", evening.at_ms, number))
    evening.switch(KEY, True)
    evening.walk("Pay a ticket")
    assert menu.items(evening.state, evening.live) == ()
    with pytest.raises(FactRefusedError):
        after(evening.state, TicketPaidAtDesk(0, 2, 8_500, "attendant"))
    evening.feed(NoteVendValid("validator2", evening.at_ms))
    assert evening.credits() == (0, 8_500)


def test_a_ticket_that_is_put_in_while_its_number_is_entered_is_not_paid_at_the_desk() -> None:
    """It was in escrow before the key was turned; its report comes late."""
    evening = Evening(seats=2)
    number = evening.ticket(1, 8_500)
    choose_ticket(evening)
    enter(evening, number[desk.ENTERED])
    assert evening.live.confirming is not None
    evening.state = replace(
        evening.state, issued=tuple(replace(x, state=TicketState.REDEEMED) for x in evening.state.issued)
    )
    evening.confirm_by_key()
    assert evening.facts("TicketPaidAtDesk") == []
    assert evening.live.confirming is None


@pytest.mark.requirement("CRD-13")
def test_wrong_digits_are_refused_and_counted_and_nothing_is_asked() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(1, 8_500)
    other = evening.ticket(1, 1_000)
    choose_ticket(evening)
    enter(evening, other[desk.ENTERED])
    assert evening.live.confirming is None
    assert evening.last("DeskNumberWrong") == DeskNumberWrong(evening.at_ms, 2, "attendant")
    assert evening.state.meters["desk_wrong"] == 1
    assert menu.path(evening.live) == ("attendant", "pay:0")
    assert "not the number" in evening.live.outcome
    evening.switch(KEY, False)
    assert evening.insert_ticket(1, number)


def test_a_digit_can_be_taken_back() -> None:
    evening = Evening(seats=1)
    number = evening.ticket(1, 8_500)
    asked = number[desk.ENTERED]
    choose_ticket(evening)
    enter(evening, asked[:3] + "77")
    evening.press(1, "cash_out", "cash_out")
    enter(evening, asked[3:])
    assert evening.live.confirming is not None
    evening.press(1, "cash_out")
    assert menu.path(evening.live) == ("attendant", "pay:0")
    evening.walk("$85.00")
    evening.press(1, "cash_out")
    assert menu.path(evening.live) == ("attendant", "pay:0")


@pytest.mark.requirement("CRD-13")
def test_no_button_pays_it_even_with_the_right_digits() -> None:
    evening = Evening(seats=1)
    number = evening.ticket(1, 8_500)
    dice, before = random.Random(5), evening.state.ledger
    for _ in range(100):
        choose_ticket(evening)
        enter(evening, number[desk.ENTERED])
        assert evening.live.confirming is not None
        for _ in range(10):
            evening.advance(dice.choice((0, 100, 1_000, 2_000)))
            evening.press(1, dice.choice(("deal", "bet_plus", "bet_minus", "deal")))
        evening.switch(KEY, False)
        evening.advance(10_000)
    assert evening.state.ledger == before
    assert evening.facts("TicketPaidAtDesk") == []


@pytest.mark.requirement("CRD-13", "REC-08")
@pytest.mark.parametrize("step", range(5))
def test_a_power_cut_at_each_step_leaves_it_payable_or_paid(step: int) -> None:
    evening = Evening(seats=1)
    number = evening.ticket(1, 8_500)

    def on_again() -> None:
        evening.advance(1_000)
        evening.switch(KEY, True)

    steps: tuple[Callable[[], None], ...] = (
        lambda: choose_ticket(evening),
        lambda: enter(evening, number[desk.ENTERED]),
        lambda: evening.advance(2_000),
        lambda: evening.switch(KEY, False),
        on_again,
    )
    for do in steps[: step + 1]:
        do()
    evening.crash()
    evening.advance(500)
    evening.switch(KEY, True)
    evening.switch(KEY, False)
    paid = step == len(steps) - 1
    assert len(evening.facts("TicketPaidAtDesk")) == paid
    assert evening.insert_ticket(1, number) is not paid
    assert evening.state.ledger["desk"] + evening.credits()[0] == 8_500


def test_a_commit_that_fails_leaves_it_payable_or_paid() -> None:
    """The key has confirmed and the disk gives no answer: only the restart tells, and never both."""
    for on_disk in (False, True):
        evening = Evening(seats=1)
        number = evening.ticket(1, 8_500)
        choose_ticket(evening)
        enter(evening, number[desk.ENTERED])
        evening.advance(1_000)
        evening.switch(KEY, False)
        evening.advance(500)
        evening.commit_fails(InputChanged("panel1", evening.at_ms, KEY, True), on_disk)
        evening.crash()
        assert evening.insert_ticket(1, number) is not on_disk


def test_the_technician_is_named_as_who_has_paid() -> None:
    evening = Evening(seats=1)
    number = evening.ticket(1, 8_500)
    evening.switch("key.service", True)
    evening.walk("Open matters", "Pay a ticket", "$85.00")
    enter(evening, number[desk.ENTERED])
    evening.confirm_by_key()
    assert evening.last("TicketPaidAtDesk").by == "technician"  # type: ignore[attr-defined]


@pytest.mark.requirement("MTR-11")
def test_meters_accounts_and_exports_tell_the_same() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(1, 8_500)
    evening.ticket(2, 1_500)
    pay_at_desk(evening, number)
    state = evening.state
    assert trouble(state) == ""
    counts = {line.meter.key: line.count for line in lines(state) if line.place == "cabinet"}
    assert (counts["voucher_out"], counts["voucher_desk"], counts["vouchers_desk"]) == (10_000, 8_500, 1)
    assert state.ledger["tickets_out"] == 1_500
    for account in ("desk", "tickets_out"):
        assert trouble(replace(state, ledger=state.ledger.move(account, "house", 100))) != ""


def test_a_receipt_for_the_cashier_is_paid_and_recorded_too() -> None:
    evening = Evening(seats=1, redeems=False)
    number = evening.ticket(1, 8_500)
    pay_at_desk(evening, number)
    assert evening.state.issued[0].state is TicketState.PAID


def test_what_is_over_is_not_paid_at_the_desk_unless_the_date_is_in_question() -> None:
    evening = Evening(seats=1, ticket_expiry_days=3)
    evening.ticket(1, 8_500)
    evening.wall_ms += 5 * DAY_MS
    evening.crash()
    assert len(desk.outstanding(evening.state, evening.live)) == 1
    evening.choose("Date is right")
    assert desk.outstanding(evening.state, evening.live) == ()


def test_a_receipt_of_a_hand_payment_and_a_void_ticket_are_no_money() -> None:
    evening = Evening(seats=1, ticket_limit_cents=5_000)
    evening.insert(1, 8_000)
    evening.press(1, "cash_out")
    evening.choose("paid by hand")
    evening.printed()
    assert desk.outstanding(evening.state, evening.live) == ()
    line = evening.state.issued[0]
    with pytest.raises(FactRefusedError):
        after(evening.state, TicketPaidAtDesk(0, line.ref, line.cents, "attendant"))


def test_the_amount_of_a_desk_payment_is_that_of_the_ticket() -> None:
    evening = Evening(seats=1)
    evening.ticket(1, 8_500)
    for ref, cents in ((2, 8_501), (2, 0), (99, 8_500)):
        with pytest.raises(FactRefusedError):
            after(evening.state, TicketPaidAtDesk(0, ref, cents, "attendant"))


def test_the_log_of_tickets_says_who_has_paid_it() -> None:
    evening = Evening(seats=1)
    pay_at_desk(evening, evening.ticket(1, 8_500))
    for log, what, how in (
        (Log.TICKETS_OUT, "ticket 0001", "paid at the desk"),
        (Log.EVENTS, "ticket paid at the desk", "recorded"),
    ):
        reader = LogReader(log)
        told = [
            LoggedFact(seq, WALL_MS, fact)
            for kind in reader.kinds
            for seq, fact in enumerate(evening.facts(kind), 1)
        ]
        told.sort(key=lambda one: one.fact.at_ms, reverse=True)
        entries = [entry for one in told for entry in reader.read(one)]
        (entry,) = [entry for entry in entries if entry.what == what]
        assert entry.end is not None
        assert (entry.end.how, entry.end.by) == (how, "attendant")


# ---- the pages


@pytest.mark.requirement("PRN-08")
def test_the_pages_show_what_is_outstanding_and_never_a_whole_number() -> None:
    bench = Bench()
    evening = bench.evening = Evening(seats=2)
    numbers = [evening.ticket(1, 100 * cents) for cents in range(5, 25)]
    bench.turn("attendant")
    bench.choose("Pay a ticket")
    page = bench.look()
    assert page.headline == "20 tickets are outstanding"
    assert page.menu[0] == "0020  $24.00"
    assert page.menu[-1] == "Older tickets"
    bench.choose("Older tickets", "Older tickets")
    assert bench.look().menu == ("0004  $8.00", "0003  $7.00", "0002  $6.00", "0001  $5.00", "Newer tickets")
    bench.choose("0004")
    asked = numbers[3][desk.ENTERED]
    enter(evening, asked[:7])
    page = bench.look()
    assert page.headline == f"xx-xxxx-{asked[:4]}-{asked[4:7]}[{evening.live.cursor}]-xxxx"
    assert page.back == "last digit back"
    shown = repr(page) + repr(view(evening.state, evening.live, 0))
    assert not any(number in shown.replace("-", "") for number in numbers)
    enter(evening, asked[7:])
    assert bench.look().headline == "Ticket 0004 of $8.00 is paid at the desk?"
    assert bench.facts("WHAT")["Effect"].startswith("No machine pays it any more")
    evening.confirm_by_key()
    assert bench.look().subline == "Recorded: Ticket 0004 of $8.00 is paid at the desk."
    assert bench.look().headline == "19 tickets are outstanding"


def test_a_ticket_in_question_in_a_validator_has_a_page_that_says_so() -> None:
    bench = Bench()
    evening = bench.evening = Evening(seats=2)
    number = evening.ticket(1, 8_500)
    bench.turn("attendant")
    bench.choose("Pay a ticket", "0001")
    evening.switch(KEY, False)
    evening.acts.clear()
    evening.feed(BarcodeEscrowed("validator2", evening.at_ms, number))
    assert StackNote("validator2") in evening.acts
    evening.feed(ValidatorReport("validator2", evening.at_ms, Holding.NOTHING))
    bench.turn("attendant")
    evening.live = replace(evening.live, menu=("pay:0", desk.page(2)))
    assert bench.look().headline == "This ticket cannot be paid now"
