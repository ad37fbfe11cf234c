"""Moments of the past: a round that is recalled, and the logs."""

from __future__ import annotations

from cabinet.core.live import Live
from cabinet.core.past.answers import question
from cabinet.core.state import State
from cabinet.lab.moments.pages import MENU, TABLE
from cabinet.lab.moments.stage import Stage, Story


def answered(_: State, live: Live) -> bool:
    return not question(live.menu) or live.page_answer is not None


def _open(stage: Stage, place: int) -> None:
    """From the top of a list, to an item and in, until the journal has answered."""
    for _ in range(place):
        stage.press("1.bet_plus")
    stage.press("1.deal")
    stage.until("answer", answered)
    stage.wait(250)


def _past(stage: Stage) -> None:
    stage.notes({1: 100, 2: 60, 3: 45})
    stage.bet({1: 10, 2: 20, 3: 25})
    stage.deal()
    stage.decide(seat1="split", seat2="hit", seat3="stand")
    while stage.state.round_open:
        stage.until("choices or the end", lambda state, _: bool(state.deciding()) or not state.round_open)
        for seat in stage.state.deciding():
            stage.press(f"{seat}.stand")
    stage.until_settled()
    stage.wait(3_000)
    stage.press("3.cash_out")
    stage.until("ticket", lambda state, _: bool(state.presented))
    stage.fault("validator4.jam_acceptor")
    stage.bet({1: 10, 2: 20})
    stage.deal()
    stage.decide(seat1="hit")
    stage.wait(500)
    stage.switch("door.main", True)
    stage.switch("door.main", False)
    stage.switch("key.service", True)
    stage.wait(3_500)
    _open(stage, MENU["recall"])
    stage.shoot("recall-open-round", "The round that is not finished, as far as it has come")
    stage.press("1.deal")
    stage.until("answer", answered)
    stage.wait(250)
    stage.shoot("recall-end", "A past round as the table showed it: its end")
    for _ in range(7):
        stage.press("1.bet_minus")
    stage.wait(250)
    stage.shoot("recall-step", "The same round, some steps before")
    for _ in range(8):
        stage.press("1.bet_plus")
    stage.wait(250)
    stage.shoot("recall-figures", "What came in and went out, what was bet and given back, and every choice")
    for _ in range(3):  # rules, notes, the order
        stage.press("1.bet_plus")
    stage.wait(250)
    stage.shoot("recall-order", "Every card with its place in the shoe, and every decision")
    stage.press("1.cash_out")
    stage.wait(250)
    _open(stage, MENU["logs"])
    for place, name, caption in (
        (0, "log-events", "Significant events: when each began, and when, how and by whom it ended"),
        (1, "log-bills", "Every note with what became of it"),
        (2, "log-tickets", "Tickets: only the last four digits of their numbers"),
        (5, "log-settings", "Settings: the old and the new value, and by whose word"),
    ):
        _open(stage, place)
        stage.shoot(name, caption)
        stage.press("1.cash_out")
        stage.wait(250)


STORIES = (
    Story(
        "past", "people", TABLE, "8H 8S 6D 3C 5D 10C 2C 10S 4D 9H 10D KC 5C 9S 4H 7D 2D",
        ("recall-open-round", "recall-end", "recall-step", "recall-figures", "recall-order", "log-events",
         "log-bills", "log-tickets", "log-settings"), _past,
    ),
)  # fmt: skip
