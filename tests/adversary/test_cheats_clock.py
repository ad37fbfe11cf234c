"""Somebody who can set the clock, over the network or by a plug, wants tickets to end."""

from __future__ import annotations

import random

import pytest

from cabinet.core.money import clock
from cabinet.core.state.book import TicketState
from cabinet.core.turn import ClockRead
from support.evenings.evening import WALL_MS, Evening

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


class Set(Evening):
    """An evening of the day after a ticket, whose clock is set while the program runs."""

    def __init__(self) -> None:
        super().__init__(seats=2)
        self.number = self.ticket(1, 9_000)
        self.crash()

    def set_ahead(self, ms: int) -> None:
        self.advance(1_000)
        self.wall_ms += ms
        self.feed(ClockRead(self.at_ms, self.wall_ms + self.at_ms))

    def asks(self) -> bool:
        return clock.asked(self.state)

    @property
    def life(self) -> TicketState:
        return self.state.issued[0].state


@pytest.mark.parametrize("step_ms", [HOUR_MS, 7 * HOUR_MS, 23 * HOUR_MS, DAY_MS])
def test_small_steps_of_the_clock_end_no_ticket_before_somebody_is_asked(step_ms: int) -> None:
    evening = Set()
    for _ in range(40 * DAY_MS // step_ms):
        evening.set_ahead(step_ms)
    assert evening.asks()
    assert len(evening.facts("ClockDoubted")) == 1
    assert evening.insert_ticket(2, evening.number), "nobody has said that its last day is over"
    assert evening.state.credit(2) == 9_000


def test_after_a_key_has_confirmed_the_date_steps_are_counted_from_there() -> None:
    evening = Set()
    for _ in range(2):
        evening.set_ahead(20 * HOUR_MS)
    assert evening.asks()
    evening.choose("Date is right")
    assert not evening.asks()
    evening.set_ahead(20 * HOUR_MS)
    assert not evening.asks(), "a day after what was confirmed"
    evening.set_ahead(20 * HOUR_MS)
    assert evening.asks()


def test_a_clock_that_is_set_back_to_where_it_was_believed_ends_the_question_by_itself() -> None:
    evening = Set()
    for _ in range(2):
        evening.set_ahead(20 * HOUR_MS)
    assert evening.asks()
    evening.set_ahead(-40 * HOUR_MS)
    assert not evening.asks()
    assert evening.life is TicketState.PRINTED


def test_summer_time_and_a_month_of_small_corrections_ask_nobody() -> None:
    evening = Set()
    for _ in range(30):
        evening.set_ahead(1_500)
        evening.set_ahead(-1_100)
    evening.set_ahead(HOUR_MS)
    evening.set_ahead(-HOUR_MS)
    assert not evening.asks()


@pytest.mark.parametrize("seed", range(40))
def test_no_clock_that_is_set_at_random_ends_a_ticket_without_an_answer(seed: int) -> None:
    """Back and forth by minutes, hours and days; the ticket is put in at the end. Starts come between,
    each on the true time: what a cabinet that was off may have missed is asked when it is more than a day."""
    dice = random.Random(seed)
    evening = Set()
    for _ in range(60):
        far_ms = dice.choice((60_000, HOUR_MS, 5 * HOUR_MS, 20 * HOUR_MS, 23 * HOUR_MS, 40 * DAY_MS))
        evening.set_ahead(dice.choice((1, 1, -1)) * far_ms)
        if dice.random() < 0.05:
            evening.wall_ms = WALL_MS
            evening.crash()
        assert evening.life is TicketState.PRINTED
    assert evening.insert_ticket(2, evening.number)
