"""Rules of the money, one by one: whose it is, how exactly it is paid, what is told."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from cabinet.core.decide import Decision, Event
from cabinet.core.facts import CardsDrawn, RoundOpened, TicketIntended, TicketPrinted, decode
from cabinet.core.look import Button
from cabinet.core.staff import menu
from cabinet.core.state import State
from cabinet.core.state.fold import after
from cabinet.core.turn import PrintTicket
from cabinet.service.pages import service_look
from drivers.device import Holding, NoteEscrowed, TicketOutcome, ValidatorReport
from game.rules import Rules, RulesError
from support.evenings.evening import Evening
from support.evenings.machines import Crowd
from support.screens.seen import look

NATURAL = "AH KS 5D"
EIGHTEEN_DIGITS = re.compile(r"\d{18}|(\d{2}-)(\d{4}-){3}\d{4}")


# ---- credit


@pytest.mark.requirement("CRD-01")
def test_a_credit_meter_holds_the_credit_limit_after_the_largest_win() -> None:
    """A double after a split wins four bets of the highest limit."""
    rules = Rules(max_bet_cents=100_000, bet_step_cents=500)
    evening = Evening("8H 8S 6D 3C 10C 3D 10D 10S KD", seats=2, rules=rules, credit_limit_cents=100_000_000)
    evening.insert(1, 99_600_000)
    evening.press(1, *["bet_plus"] * 200, "deal")
    evening.land()
    assert evening.state.bet(1) == 100_000
    evening.press(1, "split")
    while evening.playing():
        evening.land()
        evening.press(1, "double" if "double" in evening.lamps(1) else "stand")
    evening.land()
    won = evening.state.record(1).won_cents
    assert won == 400_000
    assert evening.credits() == (100_000_000, 0), "of its own: the neighbour has nothing"
    shown = look(evening).steps[-1].seats[0]
    assert (shown.credit_cents, shown.won_cents) == (100_000_000, 400_000)


@pytest.mark.requirement("CRD-01", "CRD-10")
def test_seven_seats_have_seven_credits() -> None:
    evening = Evening(seats=7)
    amounts = tuple(500 * 2**seat for seat in range(7))
    for seat, cents in enumerate(amounts, 1):
        evening.insert(seat, cents)
    assert evening.credits() == amounts
    evening.press(4, "cash_out")
    evening.printed()
    assert evening.credits() == (*amounts[:3], 0, *amounts[4:])


# What may move the credit of a seat, and which way: a note, a ticket, a win, a bet that comes back and what
# could not be paid out raise it; a bet, a cash-out and a hand payment lower it.
RISES = {
    "NoteCredited", "NoteSettledByHand", "TicketRedeemed", "RoundSettled", "BetMoved", "RoundVoided",
    "TicketVoided", "HandpayCancelled",
}  # fmt: skip
FALLS = {"BetMoved", "Decided", "TicketIntended", "HandpayOpened"}


@pytest.mark.requirement("CRD-02")
@pytest.mark.parametrize(("seed", "shared"), [(31, False), (32, True)])
def test_credit_rises_and_falls_by_these_facts_and_no_others(seed: int, shared: bool) -> None:
    """Every fact of an evening of random play, faults and power cuts, and what it did to each seat."""
    crowd = Crowd(Evening(seats=3, shared=shared, large_win_cents=1_500, ticket_limit_cents=20_000), seed)
    for _ in range(1_000):
        crowd.step()
    state, seen = State(), set[str]()
    for kind, body in crowd.evening.journal:
        following = after(state, decode(kind, body))
        moved = [following.credit(seat) - state.credit(seat) for seat in state.seats]
        if any(moved):
            assert kind in RISES or max(moved) <= 0, f"{kind} raised a credit"
            assert kind in FALLS or min(moved) >= 0, f"{kind} lowered a credit"
            seen.add(kind)
        state = following
    assert {"NoteCredited", "BetMoved", "RoundSettled", "TicketIntended", "HandpayOpened"} <= seen


# ---- bets


class Watched(Evening):
    """Keeps the decision that drew the first card."""

    first: Decision | None = None
    credit_before = 0

    def feed(self, event: Event) -> Decision:
        before = self.state.credit(1)
        made = super().feed(event)
        if self.first is None and any(isinstance(fact, CardsDrawn) for fact in made.facts):
            self.first, self.credit_before = made, before
        return made


@pytest.mark.requirement("CRD-11")
def test_a_bet_has_left_the_credit_and_the_round_is_recorded_with_its_first_card() -> None:
    """One transaction holds the round and its cards; the bet was written before it. So a power cut finds
    either a bet that can be taken back or the whole deal."""
    evening = Watched("10H 5S 7D", seats=1)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus")
    assert evening.state.credit(1) == 9_500
    evening.crash()
    evening.land()
    assert (evening.state.credit(1), evening.state.bet(1)) == (9_500, 500)
    evening.press(1, "deal")
    assert evening.first is not None
    kinds = [type(fact) for fact in evening.first.facts]
    assert kinds.index(RoundOpened) < kinds.index(CardsDrawn)
    assert evening.credit_before == 9_500
    evening.crash()
    assert evening.playing()
    assert (evening.state.credit(1), evening.state.bet(1)) == (9_500, 500)


# ---- what only the attendant may do


def matters() -> Evening:
    """A win that waits for a hand payment, a ticket in question, a note in question."""
    evening = Evening("10H 9S 7D 10C 10S", seats=3, large_win_cents=500)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.insert(2, 5_000)
    evening.press(2, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)
    evening.feed(NoteEscrowed("validator3", evening.at_ms, 2_000, 1))
    evening.feed(ValidatorReport("validator3", evening.at_ms, Holding.NOTHING))
    return evening


HANDS = ("HandpayPaid", "TicketPrinted", "TicketVoided", "NoteSettledByHand", "ConditionRaised")


@pytest.mark.requirement("CRD-13")
def test_without_a_key_no_button_pays_by_hand_or_answers_for_the_attendant() -> None:
    evening = matters()
    before = [len(evening.facts(kind)) for kind in HANDS]
    for _ in range(3):
        for seat in evening.state.seats:
            for button in Button:
                evening.press(seat, button.value)
        evening.advance(2_000)
    assert [len(evening.facts(kind)) for kind in HANDS] == before


@pytest.mark.requirement("CRD-13", "REC-08")
@pytest.mark.parametrize(("key", "who"), [("attendant", "attendant"), ("service", "technician")])
def test_each_use_of_the_key_is_logged_with_amount_and_seat(key: str, who: str) -> None:
    evening = matters()
    (pay,) = evening.state.handpays
    (ticket,) = evening.state.tickets
    (note,) = evening.state.notes
    for label in ("paid by hand", "in hand", "in box"):
        evening.choose(label, key)
    turned = [fact.key for fact in evening.facts("KeyTurned")]  # type: ignore[attr-defined]
    assert turned == [key] * 12, "turned, off and on again to confirm, and turned back"
    assert evening.last("HandpayPaid").ref == pay.ref  # type: ignore[attr-defined]
    printed = evening.last("TicketPrinted")
    assert isinstance(printed, TicketPrinted)
    assert (printed.ref, printed.by) == (ticket.ref, who)
    assert evening.last("NoteSettledByHand").ref == note.ref  # type: ignore[attr-defined]
    assert ((pay.seat, pay.cents), (ticket.seat, ticket.cents), (note.seat, note.cents)) == (
        (1, 500), (2, 5_000), (3, 2_000),
    )  # fmt: skip


# ---- exact pay


def one_bet(cents: int, pays: str = "3:2") -> Rules:
    """The rules of a table with one bet."""
    return Rules.parse(
        {"blackjack_pays": pays, "min_bet_cents": cents, "max_bet_cents": cents, "bet_step_cents": 10}
    )


@pytest.mark.requirement("CRD-12")
@pytest.mark.parametrize("pays", ["3:2", "6:5", "7:5", "1:1", "2:1"])
@pytest.mark.parametrize("bet_cents", [10, 30, 70, 110, 130, 170, 190])
def test_a_blackjack_on_an_odd_bet_is_paid_to_the_cent(pays: str, bet_cents: int) -> None:
    evening = Evening(NATURAL, seats=1, rules=one_bet(bet_cents, pays))
    evening.insert(1, 1_000)
    evening.press(1, "bet_plus", "deal")
    evening.land()
    win, stake = (int(part) for part in pays.split(":"))
    exact = Fraction(bet_cents * win, stake)
    assert exact.denominator == 1
    assert evening.state.record(1).won_cents == exact
    assert evening.state.credit(1) == 1_000 + exact


@pytest.mark.requirement("CRD-12")
@pytest.mark.parametrize(("pays", "bet_cents"), [("3:2", 5), ("3:2", 25), ("6:5", 12), ("7:5", 33)])
def test_a_bet_that_cannot_be_paid_exactly_is_never_offered(pays: str, bet_cents: int) -> None:
    """There is nothing to round: such a table is refused before it opens."""
    with pytest.raises(RulesError, match="exactly in cents"):
        one_bet(bet_cents, pays)


@pytest.mark.requirement("CRD-12")
@pytest.mark.parametrize(
    ("deal", "press", "net"),
    [
        ("10H 9S 7D 10C 10S", "stand", 130),  # 19 against 17
        ("10H 7S 7D 10C 10S", "stand", 0),  # a push
        ("10H 6S 7D 10C 10S", "stand", -130),  # 16 against 17
        ("5H 6S 7D 10C 10S", "double", 260),  # two bets won
        (NATURAL, "", 195),  # three to two
    ],
)
def test_every_result_of_an_odd_bet_is_exact(deal: str, press: str, net: int) -> None:
    evening = Evening(deal, seats=1, rules=one_bet(130))
    evening.insert(1, 1_000)
    evening.press(1, "bet_plus", "deal")
    evening.land()
    if press:
        evening.press(1, press)
        evening.land()
    assert not evening.playing()
    assert evening.state.credit(1) == 1_000 + net


# ---- tickets


@pytest.mark.requirement("PRN-03", "PRN-06")
def test_a_ticket_says_all_that_it_has_to_say() -> None:
    evening = Evening(seats=3, shared=True, ticket_expiry_days=60)
    evening.press(2, "buy_in")
    evening.insert(2, 123_45)
    evening.press(2, "cash_out")
    (order,) = evening.ordered(PrintTicket)
    assert isinstance(order, PrintTicket)
    intent = evening.last("TicketIntended")
    assert isinstance(intent, TicketIntended)
    ticket = order.ticket
    assert (ticket.establishment, ticket.street, ticket.city) == (
        "DEMO CASINO",
        "1 TEST STREET",
        "RENO NV 00000",
    )
    assert (ticket.machine, ticket.seat) == ("MACHINE# 0003-031", "SEAT 2")
    assert (ticket.date, ticket.time) == ("03/17/2030", "17:46:40")
    assert ticket.figures == "$123.45"
    assert f"{ticket.words_1} {ticket.words_2}" == "ONE HUNDRED TWENTY THREE DOLLARS AND FORTY FIVE CENTS"
    assert (ticket.validation, ticket.ticket_no) == (intent.number, "TICKET # 0001")
    assert ticket.expiry == "60 days"


@pytest.mark.requirement("PRN-07", "REC-05")
@pytest.mark.parametrize("outcome", [None, TicketOutcome.PRINTED, TicketOutcome.UNKNOWN])
def test_no_screen_shows_the_whole_number_of_a_ticket(outcome: TicketOutcome | None) -> None:
    """Whoever reads the number of a ticket over a shoulder could forge it."""
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    intent = evening.last("TicketIntended")
    assert isinstance(intent, TicketIntended)
    if outcome is not None:
        evening.printed(outcome)
    screens = [repr(look(evening))]
    for key in ("attendant", "service"):
        evening.switch(f"key.{key}", True)
        for item in menu.items(evening.state, evening.live):
            if item.opens:
                evening.walk(item.label)
                screens.append(repr(service_look(evening.state, evening.live, {})))
                evening.press(1, "cash_out")
        screens.append(repr(service_look(evening.state, evening.live, {})))
        evening.switch(f"key.{key}", False)
    assert len(screens) > 6
    for screen in screens:
        assert intent.number not in screen
        assert not EIGHTEEN_DIGITS.search(screen)
    assert intent.number[-4:] in screens[0] or outcome is TicketOutcome.UNKNOWN
