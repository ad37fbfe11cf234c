"""A date that jumps is asked about, and no ticket expires before a key has confirmed it."""

from __future__ import annotations

import pytest

from cabinet.core.facts import NEVER_MS, ClockDoubted, ClockJudged, ConditionRaised
from cabinet.core.money import clock
from cabinet.core.money.clock import date_words, trusted
from cabinet.core.state.book import DAY_MS, TicketState
from cabinet.core.turn import ClockRead
from drivers.device import PrinterReady
from support.evenings.evening import WALL_MS, Evening
from support.evenings.service_menu import Bench

HOUR_MS = 3_600_000


def asked(evening: Evening) -> bool:
    return ("P03", "") in evening.state.conditions


def with_ticket() -> tuple[Evening, str]:
    evening = Evening(ticket_expiry_days=30)
    return evening, evening.ticket(1, 8_500)


@pytest.mark.requirement("PRN-07")
def test_one_start_with_a_clock_in_the_future_expires_nothing() -> None:
    evening, number = with_ticket()
    evening.wall_ms += 400 * DAY_MS
    evening.crash()
    assert asked(evening)
    assert evening.last("ConditionRaised") == ConditionRaised(
        0, "P03", "", "400 d 0 h ahead of the newest entry"
    )
    evening.advance(5 * HOUR_MS)
    evening.wall_ms -= 400 * DAY_MS - 6 * HOUR_MS
    evening.crash()
    assert evening.last("ClockJudged") == ClockJudged(0, evening.wall_ms, True, "self")
    assert (asked(evening), trusted(evening.state)) == (False, True)
    assert evening.facts("TicketExpired") == []
    assert evening.insert_ticket(1, number)
    assert evening.credits(1) == (8_500,)


@pytest.mark.requirement("PRN-07")
def test_while_the_date_is_in_question_a_ticket_is_paid_and_play_goes_on() -> None:
    evening, number = with_ticket()
    evening.wall_ms += 400 * DAY_MS
    evening.crash()
    assert evening.insert_ticket(1, number), "not refused for its age"
    evening.press(1, "bet_plus", "deal")
    assert evening.playing()
    assert evening.facts("TicketExpired") == evening.facts("TicketRefused") == []


@pytest.mark.requirement("PRN-07")
@pytest.mark.parametrize(("key", "by"), [("attendant", "attendant"), ("service", "technician")])
def test_a_key_that_vouches_for_the_date_lets_tickets_expire(key: str, by: str) -> None:
    evening, number = with_ticket()
    evening.wall_ms += 31 * DAY_MS
    evening.crash()
    evening.switch("key.attendant", True)
    evening.press(1, "deal")
    evening.switch("key.attendant", False)
    assert evening.facts("TicketExpired") == [], "no button answers it, and no turn of a key alone"
    evening.advance(10_000)
    assert asked(evening)
    evening.choose("Date is right", key)
    assert evening.last("ClockJudged").by == by  # type: ignore[attr-defined]
    assert [line.state for line in evening.state.issued] == [TicketState.EXPIRED]
    assert not asked(evening)
    assert not evening.insert_ticket(1, number)


def test_a_date_that_is_said_to_be_wrong_stays_without_effect_until_the_clock_is_right() -> None:
    evening, number = with_ticket()
    evening.wall_ms += 400 * DAY_MS
    evening.crash()
    evening.choose("Date is wrong")
    assert asked(evening), "a technician has to set the clock"
    evening.advance(DAY_MS)
    evening.crash()
    assert not evening.state.clock_wrong, "the clock of another start is another claim"
    evening.choose("Date is wrong")
    evening.wall_ms = WALL_MS + HOUR_MS
    evening.feed(ClockRead(evening.at_ms, evening.wall_ms + evening.at_ms))
    assert evening.last("ClockJudged").by == "self"  # type: ignore[attr-defined]
    assert (asked(evening), evening.facts("TicketExpired")) == (False, [])
    assert evening.insert_ticket(1, number)


def test_who_has_said_wrong_can_say_right_when_the_clock_was_set() -> None:
    """The clock is a year ahead, then right; but the cabinet had been off for a week."""
    evening, _ = with_ticket()
    evening.wall_ms += 400 * DAY_MS
    evening.crash()
    evening.choose("Date is wrong")
    evening.wall_ms = WALL_MS + 7 * DAY_MS
    evening.feed(ClockRead(evening.at_ms, evening.wall_ms + evening.at_ms))
    assert asked(evening)
    evening.choose("Date is right")
    assert (asked(evening), trusted(evening.state)) == (False, True)
    assert evening.facts("TicketExpired") == []


def test_a_clock_that_has_fallen_back_is_asked_about_and_its_tickets_have_no_last_day() -> None:
    """They are dated months ago: the right date must not end them at once."""
    evening = Evening(ticket_expiry_days=30)
    evening.insert(1, 500)
    evening.wall_ms -= 100 * DAY_MS
    evening.crash()
    assert evening.last("ClockDoubted") == ClockDoubted(0, evening.wall_ms, WALL_MS)
    evening.feed(PrinterReady("printer1", 0, True))
    evening.press(1, "cash_out")
    number = evening.printed().ticket.validation
    assert evening.state.issued[0].expires_ms == NEVER_MS
    evening.advance(60_000)
    evening.wall_ms = WALL_MS + 3 * HOUR_MS
    evening.crash()
    assert (asked(evening), evening.facts("TicketExpired")) == (False, [])
    assert evening.insert_ticket(1, number)


@pytest.mark.parametrize("ms", [0, DAY_MS - 60_000, -HOUR_MS])
def test_a_night_and_the_end_of_summer_time_are_not_asked_about(ms: int) -> None:
    evening, _ = with_ticket()
    evening.wall_ms += ms
    evening.crash()
    assert not asked(evening)


def test_a_question_that_nobody_has_answered_outlives_starts_and_is_told_once() -> None:
    evening, _ = with_ticket()
    evening.wall_ms += 400 * DAY_MS
    for _ in range(3):
        evening.crash()
        evening.wall_ms += HOUR_MS
    assert asked(evening)
    assert len(evening.facts("ClockDoubted")) == len(evening.facts("ConditionRaised")) == 1


def test_the_page_asks_with_the_date_and_says_what_expires() -> None:
    bench = Bench()
    evening = bench.evening = Evening(ticket_expiry_days=30)
    evening.ticket(1, 8_500)
    evening.wall_ms += 31 * DAY_MS
    evening.crash()
    today = date_words(evening.wall_ms)
    bench.turn("attendant")
    assert bench.cells("OPEN")[0][1] == f"is the date right? {today}"
    evening.press(1, "deal")
    assert bench.look().headline == f"Today is {today}?"
    assert bench.facts("WHAT")["Effect"] == "Tickets that expire now: 1, together $85.00."


def test_a_date_is_said_in_words() -> None:
    assert date_words(WALL_MS) == "Sunday, 17 March 2030"
    assert "calendar" in date_words(1 << 62)


def test_an_expiry_that_asks_nobody_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "trusted", lambda _state: True)
    with pytest.raises(AssertionError):
        test_one_start_with_a_clock_in_the_future_expires_nothing()
