"""Behind a key: a round of the past on the table, the figures, and the logs, while the table stands still."""

from __future__ import annotations

import select
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from cabinet.core.conditions import Code
from cabinet.core.live import with_trouble
from cabinet.core.look import LampLook, Scene, ServiceLook, View
from cabinet.core.past.answers import ENTRIES_SHOWN, LogPage, NoAnswer
from cabinet.core.past.logs import Log
from cabinet.core.past.recall import RecalledRound, moments
from cabinet.lab.patience import PATIENCE_S
from cabinet.program.presenter import complete_view
from cabinet.store.journal import Journal
from drivers.device import Fault, FaultRaised, InputChanged
from support.programs.runtime_bench import Bench

Make = Callable[..., Bench]
UP, DOWN, ENTER, BACK = "seat1.bet_minus", "seat1.bet_plus", "seat1.deal", "seat1.cash_out"


def press(b: Bench, *names: str) -> None:
    """One after another, each let go again."""
    for name in names:
        b.press(name)
        b.step(InputChanged("panel1", b.now_ms, name, False))


def answered(b: Bench) -> None:
    """The writer thread has said what the page wants to know."""
    while b.writer.querying:
        assert select.select([b.writer.fileno()], [], [], PATIENCE_S)[0]
        b.step()


def turn(b: Bench, key: str, on: bool = True) -> None:
    b.step(InputChanged("panel1", b.now_ms, f"key.{key}", on))
    b.run(3_000)


def play(b: Bench, rounds: int) -> None:
    """Seat 1 stands on whatever it gets."""
    for _ in range(rounds):
        if b.state.credit(1) < 1_000:
            b.insert(1, 10_000)
        press(b, "seat1.bet_plus", "seat1.deal")
        while b.state.round_open:
            b.run(2_500)
            if b.state.deciding():
                press(b, "seat1.stand")
        b.run(10_000)


def shown(b: Bench) -> View:
    return complete_view(b.state, b.runtime.live, b.runtime.devices, 1)


def page(b: Bench) -> ServiceLook:
    service = shown(b).service
    assert service is not None
    return service


def choose(b: Bench, *labels: str) -> None:
    for label in labels:
        names = [name.split(",")[0] for name in page(b).menu]
        place = names.index(label)
        cursor = page(b).cursor
        press(b, *[DOWN if place > cursor else UP] * abs(place - cursor), ENTER)
        answered(b)


def banner(view: View) -> dict[str, dict[str, object]]:
    return {look.kind: dict(look.text.args) for look in view.banners}


@pytest.mark.requirement("REC-01", "REC-03")
@pytest.mark.parametrize("key", ["attendant", "service"])
def test_the_newest_round_is_recalled_on_the_table_with_a_banner(bench: Make, key: str) -> None:
    b = bench()
    b.start()
    play(b, 3)
    before = b.state.ledger, b.state.meters
    turn(b, key)
    choose(b, "Recall")
    view = shown(b)
    record = b.runtime.live.page_answer
    assert isinstance(record, RecalledRound)
    assert view.scene is Scene.TABLE
    assert view.service is None
    said = banner(view)
    assert said["recall"]["round"] == 3
    assert said["recall_step"] == {"step": moments(record), "steps": moments(record)}
    assert [look.text.key for look in view.banners if look.kind == "recall_end"] == ["recall.past"]
    (step,) = view.steps
    assert all(lamp is LampLook.OFF for seat in step.seats for _, lamp in seat.lamps)
    assert (view.cues, view.lock, step.clock) == ((), None, None)
    press(b, UP)
    assert banner(shown(b))["recall_step"]["step"] == moments(record) - 1
    press(b, ENTER)
    answered(b)
    assert banner(shown(b))["recall"]["round"] == 2
    for _ in range(2):
        press(b, ENTER)
        answered(b)
    assert banner(shown(b))["recall"]["round"] == 3, "after the first comes the newest again"
    press(b, BACK)
    assert shown(b).scene is Scene.SERVICE
    assert (b.state.ledger, b.state.meters.get("rounds")) == (before[0], before[1].get("rounds"))


@pytest.mark.requirement("REC-02", "REC-03")
def test_behind_the_pictures_are_figures_rules_notes_and_every_card(bench: Make) -> None:
    b = bench()
    b.start()
    play(b, 2)
    turn(b, "service")
    choose(b, "Recall")
    record = b.runtime.live.page_answer
    assert isinstance(record, RecalledRound)
    press(b, DOWN)
    figures = page(b)
    assert figures.headline == "RECALL of round 2, settled"
    assert [panel.title for panel in figures.panels][-1] == "CHOICES AND RESULTS"
    money = figures.panels[0].rows
    assert money[0].cells[1:] == ("Came in", "Went out", "Before deal", "Bets", "Returned", "After")
    assert money[1].cells[0] == "Seat 1"
    assert money[1].cells[4] == "$5.00"
    press(b, DOWN)
    assert ("Rule set", record.rules.rules_hash) in [row.cells for row in page(b).panels[0].rows]
    press(b, DOWN, DOWN)
    rows = [row.cells for row in page(b).panels[0].rows]
    assert len(rows) == len(record.steps)
    assert rows[0][3] == f"{record.cards[0].index} of 312"
    press(b, *[UP] * 4)
    assert shown(b).scene is Scene.TABLE


@pytest.mark.requirement("REC-01")
def test_the_open_round_is_recalled_and_then_played_on(bench: Make) -> None:
    b = bench()
    b.start()
    play(b, 1)
    press(b, "seat1.bet_plus", "seat1.deal")
    b.run(3_000)
    press(b, "seat1.hit")
    drawn = len(b.state.moves)
    turn(b, "attendant")
    choose(b, "Recall")
    view = shown(b)
    assert banner(view)["recall"]["round"] == 2
    assert [look.text.key for look in view.banners if look.kind == "recall_end"] == ["recall.open"]
    turn(b, "attendant", on=False)
    assert len(b.state.moves) == drawn
    b.run(20_000)
    assert not b.state.round_open


@pytest.mark.requirement("REC-09")
def test_recall_and_logs_are_read_while_a_printer_is_in_tilt(bench: Make) -> None:
    b = bench()
    b.start()
    play(b, 1)
    b.step(FaultRaised("printer1", b.now_ms, Fault.PAPER_JAM, "it is stuck"))
    b.step(InputChanged("panel1", b.now_ms, "door.main", True))
    turn(b, "service")
    choose(b, "Recall")
    assert banner(shown(b))["recall"]["round"] == 1
    press(b, BACK)
    choose(b, "Logs", "Events")
    told = page(b)
    assert told.headline.startswith("Events: 1 to ")
    rows = [row.cells for row in told.panels[0].rows]
    assert ("D01 main door open", "door.main", "", "open") in [row[1:] for row in rows]
    assert any(row[1] == "T03 printer jam: it is stuck" and row[4] == "open" for row in rows)


@pytest.mark.requirement("REC-09")
def test_recall_is_read_while_the_books_do_not_balance(bench: Make) -> None:
    """Nothing can be recorded any more; what was recorded can still be read."""
    b = bench()
    b.start()
    play(b, 2)
    b.runtime.live = with_trouble(b.runtime.live, Code.ACCOUNTING_ERROR, "meters and accounts do not agree")
    b.step(InputChanged("panel1", b.now_ms, "key.service", True))
    b.now_ms += 3_000
    b.step()
    choose(b, "Recall")
    assert banner(shown(b))["recall"]["round"] == 2
    press(b, ENTER)
    answered(b)
    assert banner(shown(b))["recall"]["round"] == 1


@pytest.mark.requirement("REC-04", "REC-05")
def test_a_log_is_read_screen_by_screen(bench: Make) -> None:
    b = bench()
    b.start()
    for _ in range(ENTRIES_SHOWN + 3):
        b.insert(2, 500)
    turn(b, "service")
    choose(b, "Logs", "Bills")
    assert page(b).headline == f"Bills: 1 to {ENTRIES_SHOWN}, the newest first"
    assert page(b).menu == ("Older",)
    choose(b, "Older")
    assert page(b).headline == "Bills: 15 to 17, the newest first"
    assert page(b).subline == "That is all: 17 entries."
    assert page(b).menu == ("Newer", "Newest")
    choose(b, "Newest")
    told = b.runtime.live.page_answer
    assert isinstance(told, LogPage)
    assert (told.log, told.before, told.more) == (Log.BILLS, 0, True)
    rows = [row.cells[1:4] for row in page(b).panels[0].rows[1:]]
    assert rows == [("note", "seat 2", "$5.00")] * ENTRIES_SHOWN


def test_what_the_journal_cannot_say_is_said_in_words(bench: Make) -> None:
    b = bench()
    b.start()
    turn(b, "service")
    choose(b, "Recall")
    assert isinstance(b.runtime.live.page_answer, NoAnswer)
    assert (page(b).headline, page(b).subline) == (
        "The journal cannot say it", "no round has been played yet",
    )  # fmt: skip
    press(b, BACK)
    assert page(b).path == ()


def test_an_answer_that_comes_too_late_is_for_nobody(bench: Make) -> None:
    """The page waits, and who has left it is not shown what he had asked."""
    b = bench()
    b.start()
    play(b, 1)
    turn(b, "service")
    names = list(page(b).menu)
    slow = threading.Event()
    b.writer._journal, journal = cast(Journal, Slowly(b.journal, slow)), b.journal
    press(b, *[DOWN] * names.index("Recall"), ENTER)
    assert page(b).headline == "Reading the journal"
    press(b, BACK)
    slow.set()
    answered(b)
    b.writer._journal = journal
    assert b.runtime.live.answer is None
    assert page(b).path == ()


class Slowly:
    """A journal that lets itself be read only after a while."""

    def __init__(self, journal: Journal, ready: threading.Event) -> None:
        self._journal, self._ready = journal, ready

    def __getattr__(self, name: str) -> Any:
        assert self._ready.wait(timeout=PATIENCE_S)
        return getattr(self._journal, name)
