"""Money that a person pays: locked, visible, taken back where that is allowed, never lost or doubled."""

from __future__ import annotations

import pytest

from cabinet.core.facts import HandpayCancelled, HandpayOpened, TicketIntended
from cabinet.core.live import active_conditions
from cabinet.core.renewal import replace
from cabinet.core.staff import menu
from cabinet.core.state.fold import after
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.turn import PrintTicket
from drivers import device as d
from drivers.device import Fault, TicketOutcome
from support.evenings.evening import Evening

WON = "10H 9S 7D 10C"  # 19 against 17


def over_limit(**policy: object) -> Evening:
    evening = Evening(ticket_limit_cents=9_999, **policy)  # type: ignore[arg-type]
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    return evening


# ---- taken back


@pytest.mark.requirement("CRD-07", "CRD-02")
def test_a_seat_takes_back_what_waits_for_the_attendant_and_plays_on() -> None:
    evening = over_limit()
    assert evening.lamps(1) == set(), "the second half of a double press undoes nothing"
    evening.press(1, "cash_out")
    assert evening.told(1) == "seat.attendant_called"
    evening.advance(1_000)
    assert evening.lamps(1) == {"cash_out"}
    evening.press(1, "cash_out")
    assert evening.last("HandpayCancelled") == HandpayCancelled(evening.at_ms, 2)
    assert evening.credits(1) == (10_000,)
    assert evening.state.ledger.total("handpay") == 0
    assert evening.state.meters.get("handpaid", 0) == 0
    evening.press(1, "bet_plus")
    assert evening.state.bet(1) == 500


@pytest.mark.requirement("CRD-07", "CRD-10")
def test_a_seat_takes_back_only_what_is_its_own() -> None:
    evening = over_limit(seats=2)
    evening.insert(2, 20_000)
    evening.press(2, "cash_out")
    evening.advance(1_000)
    evening.press(1, "cash_out")
    assert evening.credits(1, 2) == (10_000, 0)
    assert [(pay.seat, pay.cents) for pay in evening.state.handpays] == [(2, 20_000)]


@pytest.mark.requirement("CRD-07")
def test_after_a_restart_it_can_still_be_taken_back_but_not_at_once() -> None:
    evening = over_limit()
    evening.advance(5_000)
    evening.crash()
    assert evening.lamps(1) == set()
    evening.advance(1_000)
    evening.press(1, "cash_out")
    assert evening.credits(1) == (10_000,)


@pytest.mark.requirement("CRD-07", "PRN-02")
def test_a_ticket_that_failed_can_be_asked_for_again_under_a_new_number() -> None:
    evening = Evening()
    evening.insert(1, 5_000)
    evening.press(1, "cash_out")
    first = evening.state.tickets[0]
    evening.feed(d.TicketDone("printer1", 0, first.ref, TicketOutcome.UNKNOWN))
    evening.advance(2_000)
    assert evening.lamps(1) == set(), "not while somebody has to look for it"
    evening.choose("not in hand")
    evening.advance(2_000)
    evening.press(1, "cash_out")
    evening.press(1, "cash_out")
    intent = evening.last("TicketIntended")
    assert isinstance(intent, TicketIntended)
    assert intent.number != first.number
    assert evening.state.ledger.total("in_flight") == 5_000


@pytest.mark.requirement("CRD-07")
def test_where_it_is_not_allowed_only_the_attendant_ends_it() -> None:
    evening = over_limit(handpay_cancel=False)
    evening.advance(60_000)
    assert evening.lamps(1) == set()
    evening.press(1, "cash_out")
    assert evening.credits(1) == (0,)
    evening.choose("paid by hand")
    assert evening.state.ledger["handpaid"] == 10_000


@pytest.mark.requirement("CRD-07", "CRD-13")
def test_what_was_taken_back_is_no_matter_for_the_attendant_any_more() -> None:
    evening = over_limit()
    evening.advance(1_000)
    evening.press(1, "cash_out")
    evening.switch("key.attendant", True)
    labels = [item.label for item in menu.items(evening.state, evening.live)]
    assert not any("paid by hand" in label for label in labels)


@pytest.mark.requirement("CRD-09")
def test_what_may_be_taken_back_counts_against_the_credit_limit() -> None:
    evening = over_limit(credit_limit_cents=12_000)
    evening.insert(1, 5_000)
    assert evening.told(1) == "refused.credit_limit"
    evening.insert(1, 2_000)
    evening.advance(1_000)
    evening.press(1, "cash_out")
    assert evening.credits(1) == (12_000,)


# ---- wins


@pytest.mark.requirement("CRD-08")
def test_a_large_win_is_never_taken_back() -> None:
    evening = Evening(WON, large_win_cents=500)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    (pay,) = evening.state.handpays
    assert (pay.cents, pay.reason) == (500, "large_win")
    assert ("H02", "seat 1") in [
        (row.code, device) for row, device, _ in active_conditions(evening.state, evening.live)
    ]
    evening.advance(60_000)
    assert evening.lamps(1) == set()
    evening.press(1, "cash_out")
    assert evening.told(1) == "seat.attendant_called"
    with pytest.raises(FactRefusedError, match="is a win"):
        after(evening.state, HandpayCancelled(0, pay.ref))
    evening.choose("paid by hand")
    assert evening.state.meters["jackpot.1"] == 500


@pytest.mark.requirement("CRD-08")
def test_all_hands_of_a_seat_together_are_one_win() -> None:
    """Two split hands of $5 win less than the limit each, and the limit together."""
    evening = Evening("8H 8S 6D 10H 10C 10S KD", large_win_cents=1_000)
    evening.deal(1)
    evening.press(1, "split")
    while evening.playing():
        evening.land()
        evening.press(1, "stand")
    assert evening.state.record(1).won_cents == 1_000
    assert [pay.cents for pay in evening.state.handpays] == [1_000]


@pytest.mark.requirement("CRD-09", "CRD-08")
def test_a_win_that_passes_the_credit_limit_is_paid_by_hand() -> None:
    evening = Evening(WON, credit_limit_cents=10_000)
    evening.deal(1)
    evening.press(1, "stand")
    assert evening.last("HandpayOpened") == HandpayOpened(evening.at_ms, 2, 1, 500, "credit_limit")
    assert evening.credits(1) == (10_000,)
    evening.land()
    assert evening.lamps(1) == set(), "the seat is locked"
    evening.choose("paid by hand")
    assert evening.state.ledger["handpaid"] == 500
    assert "cash_out" in evening.lamps(1)


@pytest.mark.requirement("CRD-09")
def test_a_win_up_to_the_credit_limit_becomes_credit() -> None:
    evening = Evening(WON, credit_limit_cents=10_500)
    evening.deal(1)
    evening.press(1, "stand")
    assert evening.credits(1) == (10_500,)
    assert evening.state.handpays == ()


# ---- below the payout unit


@pytest.mark.requirement("CRD-06")
def test_what_is_below_the_payout_unit_stays_on_the_meter_and_the_attendant_pays_it() -> None:
    evening = Evening(payout_unit_cents=5)
    evening.insert(1, 37)
    evening.press(1, "cash_out")
    assert evening.printed().ticket.figures == "$0.35"
    assert evening.credits(1) == (2,)
    evening.press(1, "cash_out")
    assert evening.last("HandpayOpened") == HandpayOpened(0, 3, 1, 2, "residual")
    evening.choose("paid by hand")
    assert evening.credits(1) == (0,)
    assert evening.state.ledger["handpaid"] == 2


@pytest.mark.requirement("CRD-06", "CRD-07")
def test_the_hand_pays_the_odd_cents_with_the_rest() -> None:
    evening = Evening(payout_unit_cents=5, ticket_limit_cents=100)
    evening.insert(1, 137)
    evening.press(1, "cash_out")
    assert evening.state.handpays[0].cents == 137


# ---- receipts for the cashier


@pytest.mark.requirement("PRN-08", "PRN-03")
@pytest.mark.parametrize(("redeems", "title"), [(True, "CASHOUT TICKET"), (False, "RECEIPT FOR CASHIER")])
def test_a_receipt_says_that_it_is_one(redeems: bool, title: str) -> None:
    evening = Evening(redeems=redeems)
    evening.insert(1, 5_000)
    evening.press(1, "cash_out")
    order = evening.printed()
    assert isinstance(order, PrintTicket)
    assert order.ticket.title == title
    assert evening.state.issued[0].redeemable is redeems


@pytest.mark.requirement("PRN-03")
@pytest.mark.parametrize("redeems", [True, False])
def test_paper_of_a_lab_says_that_it_is_no_money(redeems: bool) -> None:
    evening = Evening(redeems=redeems, lab=True)
    evening.insert(1, 5_000)
    evening.press(1, "cash_out")
    order = evening.printed()
    assert order.ticket.title == "LAB: NO CASH VALUE"


# ---- receipts of hand payments


def receipts(evening: Evening) -> list[tuple[str, str]]:
    orders = [act for act in evening.ordered(PrintTicket) if isinstance(act, PrintTicket)]
    assert all(order.ticket.expiry == "payment" for order in orders), "printers put VOID AFTER before it"
    return [(order.ticket.title, order.ticket.figures) for order in orders]


@pytest.mark.requirement("CRD-13", "PRN-03", "PRN-01")
def test_a_hand_payment_is_followed_by_a_receipt_that_is_worth_nothing() -> None:
    evening = over_limit()
    evening.choose("paid by hand")
    assert receipts(evening) == [("HANDPAY RECEIPT", "$100.00")]
    ticket = evening.state.tickets[0]
    evening.insert(1, 2_000)
    assert "bet_plus" in evening.lamps(1), "nobody waits for it"
    evening.feed(d.TicketDone("printer1", 0, ticket.ref, TicketOutcome.PRINTED))
    assert evening.state.ledger["tickets_out"] == 0
    assert "vouchers" not in evening.state.meters
    assert evening.state.presented == ()
    assert not evening.insert_ticket(1, ticket.number)
    assert evening.told(1) == "refused.ticket_receipt"


@pytest.mark.requirement("PRN-03")
def test_every_paper_has_the_next_number_a_receipt_too() -> None:
    evening = over_limit()
    evening.choose("paid by hand")
    numbers = []
    for _ in range(2):
        numbers.append(evening.printed().ticket.ticket_no)
        evening.insert(1, 500)
        evening.press(1, "cash_out")
    assert numbers == ["TICKET # 0001", "TICKET # 0002"]


@pytest.mark.requirement("CRD-08", "PRN-03")
def test_a_win_that_was_paid_by_hand_gets_a_jackpot_receipt() -> None:
    evening = Evening(WON, large_win_cents=500)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.choose("paid by hand")
    assert receipts(evening) == [("JACKPOT RECEIPT", "$5.00")]


def test_without_a_printer_that_works_there_is_no_receipt() -> None:
    evening = Evening()
    evening.insert(1, 5_000)
    evening.fault("printer1", Fault.PAPER_OUT)
    evening.press(1, "cash_out")
    evening.choose("paid by hand")
    evening.mended("printer1", Fault.PAPER_OUT)
    evening.advance(60_000)
    assert receipts(evening) == []
    evening = over_limit(handpay_receipts=False)
    evening.choose("paid by hand")
    assert receipts(evening) == []


@pytest.mark.requirement("PRN-06")
def test_a_receipt_waits_for_a_shared_printer_that_is_busy() -> None:
    evening = Evening(seats=2, shared=True, ticket_limit_cents=6_000)
    for seat, cents in ((1, 5_000), (2, 7_000)):
        evening.press(seat, "buy_in")
        evening.insert(seat, cents)
    for seat in (1, 2):
        evening.press(seat, "cash_out")
    evening.choose("Seat 2: paid by hand")
    assert len(evening.state.tickets) == 1
    evening.acts = []
    ref = evening.state.tickets[0].ref
    evening.feed(d.TicketDone("printer1", evening.at_ms, ref, TicketOutcome.PRINTED))
    assert receipts(evening) == [("HANDPAY RECEIPT", "$70.00")]


def test_a_receipt_waits_until_the_door_is_closed() -> None:
    evening = over_limit()
    evening.feed(d.PrinterReady("printer1", evening.at_ms, False))
    evening.choose("paid by hand")
    evening.switch("door.main", True)
    evening.feed(d.PrinterReady("printer1", evening.at_ms, True))
    assert receipts(evening) == []
    evening.switch("door.main", False)
    assert receipts(evening) == [("HANDPAY RECEIPT", "$100.00")]


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize("outcome", [TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN])
def test_a_receipt_that_failed_is_not_paid_again(outcome: TicketOutcome) -> None:
    evening = over_limit()
    evening.choose("paid by hand")
    ticket = evening.state.tickets[0]
    evening.feed(d.TicketStarted("printer1", evening.at_ms, ticket.ref))
    evening.feed(d.TicketDone("printer1", evening.at_ms, ticket.ref, outcome))
    if outcome is TicketOutcome.UNKNOWN:
        evening.choose("not in hand")
    assert evening.state.tickets == ()
    assert evening.state.handpays == ()
    assert evening.state.ledger["handpaid"] == 10_000
    assert evening.state.waiting == ()


def test_without_a_number_left_there_is_no_receipt() -> None:
    evening = over_limit()
    evening.state = replace(evening.state, sequence=0xFFFFFF)
    evening.choose("paid by hand")
    assert receipts(evening) == []
    assert evening.state.ledger["handpaid"] == 10_000


def test_a_receipt_in_work_at_a_restart_is_asked_about_like_a_ticket() -> None:
    evening = over_limit()
    evening.choose("paid by hand")
    ref = evening.state.tickets[0].ref
    evening.crash()
    evening.feed(d.TicketDone("printer1", 0, ref, TicketOutcome.NOT_STARTED))
    assert evening.state.tickets == ()
    assert receipts(evening) == [], "nobody waits for it after a restart"


# ---- the binding of a shared validator


@pytest.mark.requirement("CRD-10")
@pytest.mark.parametrize("limit", [100_000, 1_000])
def test_a_cash_out_ends_the_binding(limit: int) -> None:
    """The next customer's note must not go to a seat that somebody has just left."""
    evening = Evening(seats=3, shared=True, ticket_limit_cents=limit)
    evening.press(2, "buy_in")
    evening.insert(2, 5_000)
    assert evening.live.binding == {"validator1": 2}
    evening.press(2, "cash_out")
    assert evening.live.binding == {}
    assert "buy_in" not in evening.lamps(2)
    evening.press(3, "buy_in")
    evening.insert(3, 500)
    assert evening.credits(1, 2, 3) == (0, 0, 500)


@pytest.mark.requirement("CRD-10")
def test_a_win_that_waits_for_the_attendant_keeps_the_binding() -> None:
    evening = Evening(WON, seats=3, shared=True, large_win_cents=500)
    evening.press(1, "buy_in")
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    assert evening.live.binding == {"validator1": 1}


def test_a_printer_that_is_down_pays_by_hand_and_may_be_asked_again() -> None:
    evening = Evening()
    evening.insert(1, 5_000)
    evening.fault("printer1", Fault.PAPER_OUT)
    evening.press(1, "cash_out")
    evening.mended("printer1", Fault.PAPER_OUT)
    evening.advance(1_000)
    evening.press(1, "cash_out")
    evening.press(1, "cash_out")
    assert [ticket.cents for ticket in evening.state.tickets] == [5_000]
