"""Every row of the condition table as a laboratory goes through it: shown to the player and to staff, logged
when it comes and when it goes and by whom, and no hindrance to reading what has been."""

from __future__ import annotations

import pytest

from cabinet.core.conditions import Clears, Condition, Lock
from cabinet.core.facts import ConditionRaised
from cabinet.core.live import active_conditions
from cabinet.core.look import Message
from cabinet.core.past.answers import Answered, NoAnswer, question
from cabinet.core.past.logs import Log, LogEntry
from cabinet.core.staff import menu
from cabinet.service.pages import service_look
from cabinet.ui.catalogue import Catalogue
from drivers.device import BarcodeEscrowed, Holding, NoteEscrowed, ValidatorReport
from support.evenings.evening import Evening
from support.evenings.recalled import log_of
from support.evenings.tilts import DAY_MS, FOR_EVER, ROWS, STORIES, V1, Story, table
from support.screens.seen import look

LOGGED = [row for row in ROWS if row.code not in FOR_EVER]
BY = {
    Clears.SELF: "self",
    Clears.ATTENDANT: "attendant",
    Clears.TECHNICIAN: "technician",
    Clears.RESTART: "restart",
}
# Who turns the key of these tests, and what ends a key that is turned.
ENDS_BY = {"H05": "technician", "H04": "attendant"}


def codes(evening: Evening) -> list[str]:
    return [row.code for row, _, _ in active_conditions(evening.state, evening.live)]


def end(evening: Evening, row: Condition, story: Story) -> None:
    """The cause goes, and whoever has to come does."""
    story.end(evening)
    if story.settle:
        evening.choose(story.settle)
    elif row.clears not in (Clears.SELF, Clears.RESTART):
        key = "attendant" if row.clears is Clears.ATTENDANT else "service"
        if row.code == "H08":  # who accepts new settings has access to the file that they are in
            evening.switch("door.logic", True)
        evening.switch(f"key.{key}", True)
        evening.switch("door.logic", False)
        evening.switch(f"key.{key}", False)


def logged(evening: Evening, code: str) -> LogEntry:
    return next(entry for entry in log_of(evening, Log.EVENTS) if entry.code == code)


@pytest.mark.requirement("REC-10")
@pytest.mark.parametrize("row", LOGGED, ids=lambda row: row.code)
def test_it_stands_in_the_log_with_its_beginning_its_end_and_who_ended_it(row: Condition) -> None:
    evening = table()
    story = STORIES[row.code]
    story.begin(evening)
    entry = logged(evening, row.code)
    assert (entry.end, entry.momentary) == (None, False), "it is still there"
    evening.advance(15_000)
    end(evening, row, story)
    evening.advance(15_000)
    assert row.code not in codes(evening)
    entry = logged(evening, row.code)
    assert entry.end is not None, "it has an end"
    assert entry.end.by == ENDS_BY.get(row.code, BY[row.clears])
    if row.clears is not Clears.RESTART:  # the time of these tests begins again with each start
        assert entry.end.wall_ms >= entry.wall_ms + 15_000


@pytest.mark.requirement("BIL-06", "PRN-04")
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.code not in ("H04", "H05")], ids=lambda row: row.code
)
def test_staff_read_on_the_status_page_what_it_is_and_who_ends_it(row: Condition) -> None:
    """Or the key that opens the page has ended it; then the log has it."""
    evening = table()
    STORIES[row.code].begin(evening)
    evening.switch("key.service", True)
    if row.code not in codes(evening):
        assert row.code in ("M06", "B07", "T11")
        assert logged(evening, row.code).end is not None
        return
    evening.walk("Status")
    page = service_look(evening.state, evening.live, {})
    active = next(panel for panel in page.panels if panel.title.startswith("ACTIVE"))
    cells = next(found.cells for found in active.rows if found.cells[0] == row.code)
    assert cells[1].startswith(row.name)
    assert (
        cells[3]
        == {
            Lock.PLAY: "play stopped",
            Lock.ROUNDS: "no new round",
            Lock.MONEY: "device stopped",
            Lock.NONE: "warning",
        }[row.lock]
    )
    assert cells[4]


@pytest.mark.requirement("BIL-06", "PRN-04")
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.lock is Lock.PLAY and row.code[0] != "H"], ids=lambda row: row.code
)
def test_what_stops_play_fills_the_players_screen_with_what_it_is_and_whom_to_call(row: Condition) -> None:
    evening = table()
    STORIES[row.code].begin(evening)
    lock = look(evening).lock
    assert lock is not None
    assert lock.code == row.code
    book = Catalogue()
    for text in (lock.title, lock.text, lock.call):
        assert book.text(text)


@pytest.mark.requirement("REC-09")
@pytest.mark.parametrize("key", ["attendant", "service"])
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.code not in ("M02", "M03")], ids=lambda row: row.code
)
def test_recall_and_logs_are_opened_by_either_key_whatever_is_wrong(row: Condition, key: str) -> None:
    evening = table()
    STORIES[row.code].begin(evening)
    evening.switch("key.service", False)
    evening.switch("key.attendant", False)
    evening.switch(f"key.{key}", True)
    evening.walk("Recall")
    page = question(evening.live.menu)
    assert page == "recall:0", "the journal is asked for the newest round"
    evening.feed(Answered(evening.at_ms, page, NoAnswer("no round has been played yet")))
    assert evening.live.page_answer == NoAnswer("no round has been played yet"), (
        "and its answer is on the page"
    )
    evening.press(1, "cash_out")
    evening.walk("Logs")
    for log, title in menu.LOGS.items():
        evening.walk(title)
        assert question(evening.live.menu) == f"log:{log.value}:0"
        evening.press(1, "cash_out")


@pytest.mark.requirement("MTR-09")
@pytest.mark.parametrize("row", [row for row in ROWS if row.code != "M02"], ids=lambda row: row.code)
def test_meters_are_read_by_key_whatever_is_wrong(row: Condition) -> None:
    evening = table()
    evening.insert(2, 2_000)
    STORIES[row.code].begin(evening)
    counted = evening.state.meters.get("bill_in.2", 0)
    assert counted or row.code == "M06"
    evening.switch("key.service", True)
    evening.walk("Meters", "Seat 2")
    page = service_look(evening.state, evening.live, {})
    money = {cells[0]: cells[1] for cells in (found.cells for found in page.panels[0].rows)}
    assert money["Notes in"] == f"${counted // 100}.00"
    assert (page.headline_mark == "warn") == (row.code in FOR_EVER), page.headline


# ---- rows with a law of their own


def test_a_clock_that_stands_before_the_newest_entry_is_told_and_play_goes_on() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 10_000)
    evening.advance(5 * 3_600_000)
    evening.insert(1, 500)
    evening.wall_ms += 3_600_000 + 30_000
    evening.crash()
    assert evening.last("ConditionRaised") == ConditionRaised(
        0, "P03", "", "3 h 59 min behind the newest entry"
    )
    evening.press(1, "bet_plus", "deal")
    assert evening.playing()
    evening.crash()
    assert codes(evening) == ["P03"], "a power cut does not set a clock"
    assert len(evening.facts("ConditionRaised")) == 1
    evening.choose("Date is right")
    assert codes(evening) == []
    evening.wall_ms += 40 * DAY_MS
    evening.crash()
    assert "P03" in codes(evening), "a month without power looks like a wrong clock"


def test_the_end_of_summer_time_is_no_fault_of_the_clock() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 10_000)
    evening.wall_ms -= 3_600_000
    evening.crash()
    assert codes(evening) == []


@pytest.mark.parametrize("holding", [Holding.IN_STACKER, Holding.VEND_VALID])
def test_a_note_that_a_power_cut_has_caught_is_credited_and_the_seat_is_told(holding: Holding) -> None:
    evening = Evening(seats=2)
    evening.feed(NoteEscrowed("validator2", 0, 2_000, 1))
    evening.crash()
    evening.feed(ValidatorReport("validator2", evening.at_ms, holding))
    assert evening.credits(2) == (2_000,)
    told = Message("banner.credit_restored", (("seat", 2),))
    assert told in [banner.text for banner in look(evening).banners]
    assert Catalogue().text(told) == "CREDIT RESTORED, SEAT 2"
    evening.feed(ValidatorReport("validator2", evening.at_ms, holding))
    assert evening.credits(2) == (2_000,), "once"
    evening.advance(evening.policy.timing.restored_ms)
    assert told not in [banner.text for banner in look(evening).banners]


@pytest.mark.parametrize("holding", [Holding.IN_ACCEPTOR, Holding.NOTHING, Holding.POWER_UP])
def test_where_nothing_was_credited_nothing_is_said(holding: Holding) -> None:
    evening = Evening(seats=2)
    evening.feed(NoteEscrowed(V1, 0, 2_000, 1))
    evening.crash()
    evening.feed(ValidatorReport(V1, evening.at_ms, holding))
    assert "credit_restored" not in [banner.kind for banner in look(evening).banners]


@pytest.mark.requirement("CRD-13", "REC-08", "REC-10")
@pytest.mark.parametrize(("key", "who"), [("attendant", "attendant"), ("service", "technician")])
def test_what_is_settled_by_hand_says_whose_key_it_was(key: str, who: str) -> None:
    evening = Evening(seats=3, ticket_limit_cents=5_000)
    number = evening.ticket(3, 3_000)
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    evening.feed(NoteEscrowed("validator2", evening.at_ms, 2_000, 1))
    evening.feed(ValidatorReport("validator2", evening.at_ms, Holding.NOTHING))
    in_question(evening, number)
    for label in ("Seat 1: paid by hand", "Seat 2: note in box", "Seat 3: ticket returned"):
        evening.choose(label, key)
    ends = {(e.code, e.device): e.end for e in log_of(evening, Log.EVENTS) if e.code in ("H01", "B06")}
    assert len(ends) == 3
    for ending in ends.values():
        assert ending is not None
        assert ending.by == who
    (paid,) = log_of(evening, Log.HANDPAYS)
    bills = {entry.seat: entry.end for entry in log_of(evening, Log.BILLS)}
    (ticket,) = log_of(evening, Log.TICKETS_IN)
    assert [end.by for end in (paid.end, bills[2], ticket.end) if end is not None] == [who] * 3


def in_question(evening: Evening, number: str) -> None:
    """The ticket is in its validator when power goes, and the validator knows of nothing."""
    evening.feed(BarcodeEscrowed("validator3", evening.at_ms, number))
    evening.feed(ValidatorReport("validator3", evening.at_ms, Holding.NOTHING))
