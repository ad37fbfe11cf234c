"""A table that stands still does not wake its loop: a decision that cannot open is never due."""

from __future__ import annotations

from cabinet.core.conditions import Code
from cabinet.core.decide import due
from cabinet.core.turn import TimerDue, TroubleReported
from support.evenings.evening import Evening

WAKES_MOST = 20  # refusals, help and attract loop may still end


def wakes(evening: Evening, ms: int) -> int:
    """How often time alone wakes the machine in the next `ms`."""
    count, end = 0, evening.at_ms + ms
    while (next_ms := due(evening.state, evening.live)) is not None and next_ms <= end:
        evening.at_ms = max(evening.at_ms, next_ms)
        evening.feed(TimerDue(evening.at_ms))
        count += 1
        assert count <= WAKES_MOST, "the loop never sleeps"
    return count


def cards_fly(evening: Evening) -> None:
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    assert evening.playing()
    assert not evening.state.deciding()


def test_a_disk_that_fails_while_cards_fly_does_not_wake_the_loop_each_millisecond() -> None:
    evening = Evening("10H 6S 9D", seats=1)
    cards_fly(evening)
    evening.feed(TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full"))
    wakes(evening, 60_000)
    assert not evening.state.deciding()


def test_a_round_of_another_cabinet_does_not_wake_the_loop_each_millisecond() -> None:
    evening = Evening("10H 6S 9D", seats=1)
    cards_fly(evening)
    evening.books_may_fail = True
    evening.crash(
        seats=2,
        validators=(("validator1", (1,)), ("validator2", (2,))),
        printers=(("printer1", (1,)), ("printer2", (2,))),
    )
    assert evening.live.trouble(Code.ACCOUNTING_ERROR)
    wakes(evening, 60_000)


def test_after_a_sound_start_the_decision_opens_by_time_alone() -> None:
    evening = Evening("10H 6S 9D", seats=1)
    evening.deal(1)
    evening.crash()
    assert wakes(evening, 100) >= 1
    assert evening.state.deciding() == (1,)
