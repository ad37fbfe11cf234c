"""The wall clock is set while the table runs: paper, logs and expiry follow, and nothing is timed by it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cabinet.core.facts import ClockStepped
from cabinet.core.past.logs import Log, LoggedFact, LogReader
from cabinet.core.state.book import DAY_MS
from cabinet.core.turn import ClockRead, PrintTicket
from support.evenings.evening import WALL_MS, Evening

HOUR_MS = 3_600_000


def set_clock(evening: Evening, ms: int) -> None:
    """Somebody, or the network, sets the clock by so much."""
    evening.wall_ms += ms
    evening.feed(ClockRead(evening.at_ms, evening.wall_ms + evening.at_ms))


def date_on_paper(evening: Evening, seat: int) -> str:
    evening.insert(seat, 2_000)
    evening.press(seat, "cash_out")
    order = evening.printed()
    assert isinstance(order, PrintTicket)
    return f"{order.ticket.date} {order.ticket.time}"


def paper(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms // 1000, UTC):%m/%d/%Y %H:%M:%S}"


def test_a_board_without_a_clock_prints_the_date_that_it_is_told_seconds_after_the_start() -> None:
    evening = Evening(start=False)
    evening.wall_ms = WALL_MS - 40 * DAY_MS
    evening.start()
    evening.advance(5_000)
    assert date_on_paper(evening, 1) == paper(WALL_MS - 40 * DAY_MS + 5_000)
    set_clock(evening, 40 * DAY_MS)
    assert date_on_paper(evening, 2) == paper(WALL_MS + 5_000)


def test_no_ticket_of_minutes_ago_has_expired_because_the_clock_was_slow() -> None:
    """Dated 40 days back and good for 30: the next start must pay it."""
    evening = Evening(start=False, ticket_expiry_days=30)
    evening.wall_ms = WALL_MS - 40 * DAY_MS
    evening.start()
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")
    number = evening.printed().ticket.validation
    evening.insert(2, 1_000)
    evening.press(2, "cash_out")  # still in the printer when the clock is set
    set_clock(evening, 40 * DAY_MS)
    late = evening.printed().ticket.validation
    evening.advance(120_000)
    evening.crash()
    assert evening.facts("TicketExpired") == []
    assert evening.insert_ticket(1, number)
    assert evening.insert_ticket(1, late)


def test_a_clock_that_is_set_makes_no_older_ticket_live_longer() -> None:
    evening = Evening(ticket_expiry_days=3)
    number = evening.ticket(1, 500)
    evening.crash()
    (before,) = evening.state.issued
    set_clock(evening, HOUR_MS)
    assert evening.state.issued == (before,)
    set_clock(evening, -HOUR_MS)
    assert evening.state.issued == (before,)
    assert evening.insert_ticket(1, number)


def test_a_clock_that_is_set_back_takes_nothing_from_a_ticket_of_today() -> None:
    evening = Evening(ticket_expiry_days=3)
    evening.ticket(1, 500)
    (before,) = evening.state.issued
    set_clock(evening, -2 * DAY_MS)
    assert evening.state.issued == (before,)


def test_a_step_changes_no_timer_and_no_round() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    deadline = evening.state.bet_deadline_ms, evening.state.decision_deadline_ms
    for ms in (HOUR_MS, -3 * HOUR_MS, 400 * DAY_MS, -400 * DAY_MS):
        set_clock(evening, ms)
    assert (evening.state.bet_deadline_ms, evening.state.decision_deadline_ms) == deadline
    assert evening.state.frozen == ""


def test_a_round_of_a_slow_clock_is_not_of_yesterday_when_the_clock_is_right() -> None:
    evening = Evening("7S 8H 9C", seats=1, start=False)
    evening.wall_ms = WALL_MS - 40 * DAY_MS
    evening.start()
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    assert evening.state.round_open
    set_clock(evening, 40 * DAY_MS)
    evening.crash()
    assert not [fact for fact in evening.facts("ConditionRaised") if getattr(fact, "code", "") == "OLD"]


@pytest.mark.parametrize(
    ("step_ms", "words"),
    [
        (40 * DAY_MS + HOUR_MS, "40 d 1 h forward"),
        (-HOUR_MS, "1 h back"),
        (61_500, "1 min 1 s forward"),
        (400, "less than 1 s forward"),
    ],
)
def test_the_log_says_how_far_the_clock_was_set(step_ms: int, words: str) -> None:
    evening = Evening()
    evening.advance(7_000)
    set_clock(evening, step_ms)
    fact = evening.last("ClockStepped")
    assert fact == ClockStepped(7_000, WALL_MS + 7_000, WALL_MS + 7_000 + step_ms, evening.live.first_ref)
    (entry,) = LogReader(Log.EVENTS).read(LoggedFact(9, WALL_MS + 7_000 + step_ms, fact))
    assert (entry.what, entry.detail) == ("clock set", f"{words}, from {stamp(WALL_MS + 7_000)}")


def stamp(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%d %H:%M:%S}"


def test_the_screen_shows_the_clock_also_when_nothing_can_be_recorded() -> None:
    evening = Evening()
    evening.commit_fails(ClockRead(1_000, WALL_MS), on_disk=False)
    journal = len(evening.journal)
    set_clock(evening, HOUR_MS)
    assert evening.live.wall_base_ms == WALL_MS + HOUR_MS
    assert len(evening.journal) == journal
