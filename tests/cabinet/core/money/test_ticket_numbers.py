"""Ticket numbers at the table: nobody computes one, none comes twice, and without a key the hand pays."""

from __future__ import annotations

import pytest

from cabinet.core.conditions import BY_CODE
from cabinet.core.facts import ConditionCleared, ConditionRaised, HandpayOpened, TicketIntended, TicketRefused
from cabinet.core.live import active_conditions
from cabinet.core.money.ticket import SKIPPED_MOST
from cabinet.core.outputs import outputs
from cabinet.core.staff.menu import items
from cabinet.core.turn import PrintTicket, ReturnNote
from cabinet.core.validation import Numbers
from cabinet.tickets.keys import KeyedNumbers, TicketKey
from drivers.device import Pattern, PrinterReady
from drivers.sim.ticket.worth import worth_cents
from support.devices.old_numbers import secure_enhanced
from support.evenings.evening import NUMBERS, Evening
from support.screens.seen import look

V1, V2 = "validator1", "validator2"


def codes(evening: Evening) -> list[str]:
    return [row.code for row, _, _ in active_conditions(evening.state, evening.live)]


def restarted(evening: Evening, **policy: object) -> None:
    evening.crash(**policy)
    for name, _ in evening.policy.printers:
        evening.feed(PrinterReady(name, evening.at_ms, True))


def refused(evening: Evening) -> str:
    fact = evening.last("TicketRefused")
    assert isinstance(fact, TicketRefused)
    return fact.reason


# ---- nobody computes a number


class Published(KeyedNumbers):
    """Numbers as they were made once."""

    def number(self, system: str, machine_id: int, sequence: int) -> str:
        return secure_enhanced(machine_id, sequence)


PUBLISHED = Published(TicketKey(bytes(32)))


def forgers_chance(evening: Evening) -> tuple[str, str]:
    """Sequence 1 is the forger's, at seat 1; sequence 2 is worth $300 to seat 2."""
    return evening.ticket(1, 2_000), evening.ticket(2, 30_000)


@pytest.mark.requirement("PRN-07")
def test_the_forger_of_these_tests_would_be_paid_for_published_numbers() -> None:
    """What the next test is worth: a cabinet that goes back to them pays him, and not the neighbour."""
    evening = Evening(seats=2, machine_id=796, numbers=PUBLISHED)
    _, others = forgers_chance(evening)
    assert evening.insert_ticket(1, secure_enhanced(796, 2))
    assert evening.credits(1, 2) == (30_000, 0)
    assert not evening.insert_ticket(2, others)


@pytest.mark.requirement("PRN-07", "PRN-09")
def test_who_holds_one_ticket_cannot_compute_the_next_one() -> None:
    """Seat 1 has the ticket of sequence 1; seat 2 is paid $300 with that of sequence 2. Seat 1 makes forged
    paper by the published procedure."""
    evening = Evening(seats=2, machine_id=796)
    own, others = forgers_chance(evening)
    assert not evening.insert_ticket(1, secure_enhanced(796, 2)), "forged paper"
    assert evening.credits(1, 2) == (0, 0)
    assert refused(evening) == "unknown"
    assert evening.insert_ticket(2, others), "the real one is paid"
    assert evening.credits(1, 2) == (0, 30_000)
    assert evening.insert_ticket(1, own)
    assert evening.credits(1, 2) == (2_000, 30_000)


@pytest.mark.requirement("PRN-07")
def test_neither_the_neighbours_of_a_number_nor_a_strange_key_is_paid() -> None:
    evening = Evening(seats=2)
    own = evening.ticket(1, 2_000)
    evening.ticket(2, 30_000)
    strange = KeyedNumbers(TicketKey(bytes(32)))
    step = int(own) - int(secure_enhanced(0x00401E, 1))
    guesses = [f"{int(own) + by:018}" for by in (-2, -1, 1, 2, step)]
    guesses += [strange.number("00", 0x00401E, sequence) for sequence in range(1, 4)]
    for guess in guesses:
        assert not evening.insert_ticket(1, guess)
    assert evening.credits(1, 2) == (0, 0)


# ---- a ticket in the book before keys


@pytest.mark.requirement("PRN-09")
def test_a_ticket_of_the_version_before_stays_payable() -> None:
    """Its number was made by the published procedure; the book has it."""
    evening = Evening(seats=1, numbers=PUBLISHED)
    before = evening.ticket(1, 4_200)
    assert before == secure_enhanced(0x00401E, 1)
    evening.crash(numbers=NUMBERS)
    assert evening.insert_ticket(1, before)
    assert evening.credits(1) == (4_200,)


# ---- no number comes twice, whatever the key


class Fixed:
    """A key that makes the numbers of a list, one for each sequence."""

    def __init__(self, *made: str) -> None:
        self.made = made

    def number(self, system: str, machine_id: int, sequence: int) -> str:
        return self.made[min(sequence, len(self.made)) - 1]

    def origin(self, number: str) -> tuple[int, int] | None:
        return None


@pytest.mark.requirement("PRN-07")
def test_a_new_key_that_makes_a_number_of_the_book_goes_on_to_the_next_sequence() -> None:
    evening = Evening(seats=1)
    first = evening.ticket(1, 500)
    fresh = "001234567890123456"
    numbers: Numbers = Fixed("", first, first, fresh)
    restarted(evening, numbers=numbers)
    second = evening.ticket(1, 700)
    assert second == fresh
    assert evening.state.sequence == 4, "2 and 3 are used up"
    assert evening.insert_ticket(1, first)
    assert evening.credits(1) == (500,)
    assert evening.insert_ticket(1, second)
    assert evening.credits(1) == (1_200,)


@pytest.mark.requirement("PRN-07")
def test_a_number_that_is_being_printed_is_not_given_to_the_neighbour() -> None:
    same, fresh = "001111111111111111", "002222222222222222"
    evening = Evening(seats=2, numbers=Fixed(same, same, fresh))
    evening.insert(1, 500)
    evening.insert(2, 700)
    evening.press(1, "cash_out")
    evening.press(2, "cash_out")
    intents = [fact for fact in evening.facts("TicketIntended") if isinstance(fact, TicketIntended)]
    assert [(fact.number, fact.sequence) for fact in intents] == [(same, 1), (fresh, 3)]


@pytest.mark.requirement("PRN-07")
def test_a_key_that_only_makes_used_numbers_ends_and_the_hand_pays() -> None:
    evening = Evening(seats=1)
    first = evening.ticket(1, 500)
    restarted(evening, numbers=Fixed(first))
    evening.insert(1, 700)
    evening.press(1, "cash_out")
    (pay,) = evening.state.handpays
    assert (pay.cents, pay.reason) == (700, "no_number")
    assert SKIPPED_MOST < 20, "it ends soon"
    assert evening.state.sequence == 1


# ---- no key


@pytest.mark.requirement("PRN-07")
def test_without_a_key_nothing_is_printed_and_the_hand_pays() -> None:
    evening = Evening(seats=1)
    before = evening.ticket(1, 4_000)
    restarted(evening, numbers=None, no_numbers="state/keys/ticket is gone; put it back")
    assert codes(evening) == ["T09"]
    assert evening.last("ConditionRaised") == ConditionRaised(
        0, "T09", "", "state/keys/ticket is gone; put it back"
    )
    assert "no_tickets" in [banner.kind for banner in look(evening).banners]
    assert evening.insert_ticket(1, before), "what is in the book is paid"
    evening.acts = []
    evening.press(1, "cash_out")
    assert evening.ordered(PrintTicket) == []
    opened = evening.last("HandpayOpened")
    assert isinstance(opened, HandpayOpened)
    assert (opened.cents, opened.reason) == (4_000, "no_ticket_key")
    evening.choose("Seat 1: paid by hand")
    assert evening.ordered(PrintTicket) == [], "no receipt either: it would need a number"
    evening.crash()
    assert len(evening.facts("ConditionRaised")) == 1, "told once"
    restarted(evening, numbers=NUMBERS, no_numbers="")
    assert evening.last("ConditionCleared") == ConditionCleared(0, "T09", "", "restart")
    assert evening.ticket(1, 500)


# ---- tickets that are not ours


def forged(evening: Evening, seat: int = 1, count: int = 1) -> None:
    for place in range(count):
        assert not evening.insert_ticket(seat, f"00{evening.at_ms:012}{place:04}")


@pytest.mark.requirement("PRN-09", "BIL-06")
def test_the_third_unknown_ticket_within_ten_minutes_calls_the_attendant() -> None:
    evening = Evening(seats=2)
    forged(evening, count=2)
    assert codes(evening) == []
    evening.advance(9 * 60_000)
    forged(evening)
    assert codes(evening) == ["B12"]
    assert evening.last("ConditionRaised") == ConditionRaised(540_000, "B12", V1, "3 in 10 minutes")
    assert outputs(evening.state, evening.live).panel["candle.top"] == Pattern.FAST
    assert ("seats", (1,)) in [arg for banner in look(evening).banners for arg in banner.text.args]
    evening.insert(1, 2_000)
    assert evening.credits(1) == (2_000,), "nothing is stopped"


def test_the_key_shows_the_matter_and_ends_it_when_it_is_turned_back() -> None:
    evening = Evening(seats=2)
    forged(evening, count=3)
    evening.switch("key.attendant", True)
    assert "validator1: not ours" in [item.label for item in items(evening.state, evening.live)]
    for _ in range(3):
        evening.press(1, "deal")
    assert codes(evening) == ["B12", "H04"] or codes(evening) == ["H04", "B12"], "no button ends it"
    evening.switch("key.attendant", False)
    assert codes(evening) == []
    assert evening.last("ConditionCleared") == ConditionCleared(evening.at_ms, "B12", V1, "attendant")
    forged(evening, count=2)
    assert codes(evening) == [], "a new count has begun"
    forged(evening)
    assert codes(evening) == ["B12"]


def test_unknown_tickets_are_counted_for_each_validator_and_each_ten_minutes() -> None:
    evening = Evening(seats=2)
    for _ in range(4):
        forged(evening, 1)
        forged(evening, 2)
        evening.advance(5 * 60_000 + 1)
    assert codes(evening) == []
    forged(evening, 1)
    forged(evening, 2, count=2)
    assert [device for row, device, _ in active_conditions(evening.state, evening.live)] == [V2]


def test_what_is_ours_and_not_payable_is_no_forged_ticket() -> None:
    """A paid one, tried again and again, and one that the book has forgotten."""
    evening = Evening(seats=1)
    paid = evening.ticket(1, 500)
    assert evening.insert_ticket(1, paid)
    for _ in range(5):
        assert not evening.insert_ticket(1, paid)
        assert refused(evening) == "paid"
    assert codes(evening) == []


@pytest.mark.requirement("PRN-09")
def test_a_called_attendant_is_awaited_after_a_power_cut_too() -> None:
    evening = Evening(seats=1)
    forged(evening, count=3)
    assert evening.ordered(ReturnNote) == [ReturnNote(V1)]
    evening.crash()
    assert codes(evening) == ["B12"]
    assert BY_CODE["B12"].clears.value == "attendant"


# ---- what a lab prints, and one day


@pytest.mark.requirement("PRN-03", "PRN-07")
def test_a_lab_s_ticket_is_of_its_own_system_and_has_no_amount_of_money_on_it() -> None:
    lab = Evening(seats=1, lab=True)
    lab.insert(1, 8_500)
    lab.press(1, "cash_out")
    paper = lab.printed().ticket
    assert paper.title == "LAB: NO CASH VALUE"
    assert (paper.words_1, paper.words_2) == ("NO CASH VALUE", "")
    assert paper.figures == "LAB 8500", "bare units: no sign, no point, no words"
    assert paper.validation.startswith("99")
    assert worth_cents(paper.figures, (paper.title,)) == 8_500, "which the lab's own books are held against"
    assert lab.insert_ticket(1, paper.validation), "the lab itself takes it back"
    assert lab.credits(1) == (8_500,)


@pytest.mark.requirement("PRN-07", "PRN-09")
def test_no_cabinet_in_play_takes_a_lab_s_ticket_whatever_its_book_says() -> None:
    """The same machine id, the same key, and even the lab's own journal."""
    evening = Evening(seats=1, lab=True)
    number = evening.ticket(1, 8_500)
    restarted(evening, lab=False)
    assert not evening.insert_ticket(1, number)
    assert refused(evening) == "unknown"
    assert evening.credits(1) == (0,)


@pytest.mark.parametrize(("days", "words"), [(1, "1 day"), (2, "2 days"), (30, "30 days")])
def test_one_day_is_no_days(days: int, words: str) -> None:
    evening = Evening(seats=1, ticket_expiry_days=days)
    evening.insert(1, 500)
    evening.press(1, "cash_out")
    assert evening.printed().ticket.expiry == words
