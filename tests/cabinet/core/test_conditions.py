"""Each row of the condition table: what raises it, what it stops, what the candle says, who clears it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from cabinet.core import conditions, meter_list
from cabinet.core.conditions import BY_CODE, TABLE, Clears, Condition, Lock
from cabinet.core.facts import ConditionCleared, ConditionRaised, MemoryCleared, encode
from cabinet.core.live import active_conditions, play_lock
from cabinet.core.look import Cue
from cabinet.core.outputs import outputs
from cabinet.core.turn import CopyReported, MemoryFailed, MendPrinter, ResetValidator, StorageFailed
from drivers.device import (
    Fault,
    FaultRaised,
    Holding,
    NoteAccepting,
    NoteEscrowed,
    NoteReturned,
    Pattern,
    TicketDone,
    TicketOutcome,
    ValidatorReport,
)
from game.cards import parse
from support.audit import Audit
from support.evening import Evening

V1, P1, PANEL = "validator1", "printer1", "panel1"
DAY_MS = 24 * 3600 * 1000


@dataclass(frozen=True)
class Story:
    """How a condition begins and how its cause goes away. `settle`: an answer in the menu ends it."""

    begin: Callable[[Evening], object]
    end: Callable[[Evening], object] = lambda evening: None
    settle: str = ""


def device_fault(device: str, fault: Fault) -> Story:
    return Story(lambda evening: evening.fault(device, fault), lambda evening: evening.mended(device, fault))


def switch(name: str) -> Story:
    return Story(lambda evening: evening.switch(name, True), lambda evening: evening.switch(name, False))


def generator_fails(evening: Evening) -> None:
    evening.stacked.broken = True
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")


def generator_works(evening: Evening) -> None:
    evening.stacked.broken = False


def old_round(evening: Evening) -> None:
    evening.deal(1)
    evening.wall_ms += DAY_MS + 1_000
    evening.start(clean=False)


def note_in_question(evening: Evening) -> None:
    evening.feed(NoteEscrowed(V1, 0, 2_000, 1))
    evening.feed(ValidatorReport(V1, 0, Holding.NOTHING))


def ticket_in_question(evening: Evening) -> None:
    evening.insert(1, 500)
    evening.press(1, "cash_out")
    evening.feed(TicketDone(P1, 0, evening.state.tickets[0].ref, TicketOutcome.UNKNOWN))


def wins_much(evening: Evening) -> None:
    evening.policy = replace(evening.policy, large_win_cents=500)
    evening.start()
    evening.stacked.cards = [parse(word) for word in ("10H", "9S", "7D", "10C")]
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()


def over_the_limit(evening: Evening) -> None:
    evening.insert(1, 600_000)
    evening.press(1, "cash_out")


def refused_often(evening: Evening) -> None:
    for _ in range(20):
        evening.feed(NoteAccepting(V1, evening.at_ms))
        evening.feed(NoteReturned(V1, evening.at_ms, "photo pattern"))


def new_settings(evening: Evening) -> None:
    if evening.state.credit(2):
        evening.press(2, "cash_out")
        evening.printed()
    evening.crash(settings=(("cabinet.ticket_limit_cents", "2"),))


def books_wrong(evening: Evening) -> None:
    """A driver that reports a note of no value: a fact that cannot be true."""
    evening.audit.check = lambda *_args: None  # type: ignore[method-assign]
    evening.feed(NoteEscrowed(V1, evening.at_ms, 0, 1))


def memory_cleared(evening: Evening) -> None:
    """The journal that the command begins anew, at its first start."""
    evening.journal = [encode(MemoryCleared(0, 900, "ab" * 32, 40, 30, 30, "asked for"))]
    evening.audit = Audit()
    evening.start()


STORIES: dict[str, Story] = {
    "M02": Story(lambda evening: evening.feed(MemoryFailed(evening.at_ms, "row 9 has changed"))),
    "M06": Story(memory_cleared),
    "M01": Story(
        lambda evening: evening.feed(CopyReported(evening.at_ms, "no answer")),
        lambda evening: evening.feed(CopyReported(evening.at_ms, "")),
    ),
    "M03": Story(lambda evening: evening.feed(StorageFailed(evening.at_ms, "disk full"))),
    "M05": Story(books_wrong),
    "F04": Story(generator_fails, generator_works),
    "D02": switch("door.logic"),
    "D01": switch("door.main"),
    "S07": device_fault(PANEL, Fault.BOARD_LOST),
    "OLD": Story(old_round, settle="all bets back"),
    "H08": Story(new_settings),
    "H05": switch("key.service"),
    "H04": switch("key.attendant"),
    "H06": Story(lambda evening: evening.choose("Table > Close the table"), settle="Table > Open the table"),
    "D04": switch("door.cash_box"),
    "D05": switch("door.drop"),
    "B05": device_fault(V1, Fault.CHEATED),
    "B06": Story(note_in_question, settle="returned"),
    "B01": device_fault(V1, Fault.JAM),
    "B07": Story(refused_often),
    "D06": device_fault(V1, Fault.STACKER_OPEN),
    "B02": device_fault(V1, Fault.STACKER_FULL),
    "B03": device_fault(V1, Fault.DEVICE_FAILED),
    "B04": device_fault(V1, Fault.LINK_LOST),
    "T05": Story(ticket_in_question, settle="in hand"),
    "T03": device_fault(P1, Fault.PAPER_JAM),
    "T07": device_fault(P1, Fault.HEAD_OPEN),
    "T02": device_fault(P1, Fault.PAPER_OUT),
    "T08": device_fault(P1, Fault.PRINTER_FAILED),
    "T04": device_fault(P1, Fault.LINK_LOST),
    "H02": Story(wins_much, settle="paid by hand"),
    "H01": Story(over_the_limit, settle="paid by hand"),
    "T06": device_fault(P1, Fault.TICKET_NOT_TAKEN),
    "T01": device_fault(P1, Fault.PAPER_LOW),
    "S03": device_fault(PANEL, Fault.INPUT_STUCK),
}
# Of settings that are no good or may not be taken yet (M04) tells test_settings.
ROWS = tuple(row for row in TABLE if row.code != "M04")
FOR_EVER = ("M02", "M03", "M05")  # only a restart knows what is on the disk


def active(evening: Evening) -> list[str]:
    return [row.code for row, _, _ in active_conditions(evening.state, evening.live)]


def table() -> Evening:
    settings = (("cabinet.ticket_limit_cents", "1"),)
    return Evening(seats=2, credit_limit_cents=10_000_000, settings=settings)


def test_every_row_has_its_story() -> None:
    assert set(STORIES) == {row.code for row in ROWS}
    assert len(BY_CODE) == len(TABLE)


@pytest.mark.requirement("BIL-06", "BIL-09", "PRN-04")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_what_a_condition_stops(row: Condition) -> None:
    evening = table()
    evening.insert(2, 10_000)
    STORIES[row.code].begin(evening)
    assert row.code in active(evening)
    levels = outputs(evening.state, evening.live)
    match row.lock:
        case Lock.PLAY:
            assert play_lock(evening.state, evening.live) == row.code
            assert levels.accept == {"validator1": False, "validator2": False}
            assert evening.state.frozen == ("" if row.code in FOR_EVER else row.code)
            evening.press(2, "bet_plus")
            assert evening.state.bet(2) == 0
        case Lock.ROUNDS:
            assert play_lock(evening.state, evening.live) == ""
            assert levels.accept == {"validator1": False, "validator2": False}
            evening.press(2, "bet_plus", "deal")
            assert not evening.playing()
        case Lock.MONEY:
            assert play_lock(evening.state, evening.live) == ""
            on_doors = row.code in ("D04", "D05")
            validators = row.code[0] == "B" or row.code == "D06"
            assert levels.accept == {"validator1": not (on_doors or validators), "validator2": not on_doors}
            evening.press(2, "bet_plus", "deal")
            assert evening.playing()
        case Lock.NONE:
            assert levels.accept == {"validator1": True, "validator2": True}
            evening.press(2, "bet_plus", "deal")
            assert evening.playing()


@pytest.mark.requirement("BIL-06", "PRN-04")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_what_the_candle_says(row: Condition) -> None:
    evening = table()
    STORIES[row.code].begin(evening)
    panel = outputs(evening.state, evening.live).panel
    assert panel.get("candle.top", Pattern.OFF) == row.top
    assert panel.get("candle.bottom", Pattern.OFF) == row.bottom
    if row.alarm:
        assert Cue.ALARM in [cue.cue for cue in evening.live.cues]


@pytest.mark.requirement("MTR-03")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_it_is_counted_when_it_begins_or_not_listed_among_the_meters(row: Condition) -> None:
    evening = table()
    STORIES[row.code].begin(evening)
    listed = f"on.{row.code}" in {meter.key for meter in (*meter_list.FAULTS, *meter_list.DOORS)}
    assert evening.state.meters.get(f"on.{row.code}", 0) == int(listed)


@pytest.mark.requirement("REC-10")
@pytest.mark.parametrize("row", [row for row in ROWS if row.code != "H08"], ids=lambda row: row.code)
def test_who_clears_it(row: Condition) -> None:
    evening = table()
    story = STORIES[row.code]
    story.begin(evening)
    story.end(evening)
    if row.clears is Clears.SELF:
        assert row.code not in active(evening)
        assert evening.state.frozen == ""
        return
    assert row.code in active(evening), "it stays until somebody has come"
    if story.settle:
        evening.choose(story.settle)
        assert row.code not in active(evening)
        return
    evening.switch("key.attendant", True)
    evening.switch("key.attendant", False)
    if row.clears is Clears.ATTENDANT:
        assert row.code not in active(evening)
        assert evening.last("ConditionCleared") == ConditionCleared(
            0, row.code, {"B": V1, "T": P1}[row.code[0]], "attendant"
        )
        return
    assert row.code in active(evening), "the attendant's key is not enough"
    evening.switch("key.service", True)
    evening.switch("key.service", False)
    assert (row.code in active(evening)) == (row.code in FOR_EVER)
    assert evening.state.frozen == ""


@pytest.mark.requirement("MEM-01")
@pytest.mark.parametrize("row", [r for r in ROWS if r.clears is not Clears.SELF], ids=lambda row: row.code)
def test_what_a_person_must_clear_outlives_a_power_cut(row: Condition) -> None:
    evening = table()
    STORIES[row.code].begin(evening)
    evening.crash()
    assert (row.code in active(evening)) == (row.code not in FOR_EVER)
    if row.lock is Lock.PLAY and row.code not in FOR_EVER:
        assert evening.state.frozen == row.code


@pytest.mark.parametrize("row", [r for r in ROWS if r.clears is Clears.SELF], ids=lambda row: row.code)
def test_what_clears_itself_is_measured_again_after_a_power_cut(row: Condition) -> None:
    evening = table()
    STORIES[row.code].begin(evening)
    evening.crash()
    assert row.code not in active(evening)


# ---- how facts are written


def test_a_flapping_device_writes_one_fact_in_ten_seconds() -> None:
    evening = table()
    for _ in range(40):
        evening.fault(P1, Fault.LINK_LOST)
        evening.mended(P1, Fault.LINK_LOST)
        evening.advance(500)
    written = evening.facts("ConditionRaised") + evening.facts("ConditionCleared")
    assert [fact.at_ms for fact in written] == [0, 10_000]
    evening.fault("printer2", Fault.LINK_LOST)
    assert len(evening.facts("ConditionRaised")) == 2, "another device has its own measure"


@pytest.mark.requirement("REC-10")
def test_a_fault_that_comes_with_another_or_goes_too_soon_is_in_the_log_all_the_same() -> None:
    """The last sheet is used up: paper low and paper out are told at one moment, and loading ends both."""
    evening = table()
    evening.fault(P1, Fault.PAPER_LOW)
    evening.fault(P1, Fault.PAPER_OUT)
    assert [fact.code for fact in evening.facts("ConditionRaised")] == ["T01", "T02"]  # type: ignore[attr-defined]
    evening.advance(3_000)
    evening.mended(P1, Fault.PAPER_LOW)
    evening.mended(P1, Fault.PAPER_OUT)
    assert evening.facts("ConditionCleared") == [], "ten seconds are not over"
    evening.advance(60_000)
    assert evening.facts("ConditionCleared") == [
        ConditionCleared(10_000, "T01", P1, "self"),
        ConditionCleared(10_000, "T02", P1, "self"),
    ]
    assert len(evening.facts("ConditionRaised")) == 2


@pytest.mark.requirement("REC-10")
def test_a_fault_that_is_there_when_the_ten_seconds_are_over_is_told_with_what_it_is_now() -> None:
    evening = table()
    evening.fault(V1, Fault.DEVICE_FAILED, "pause")
    evening.advance(1_000)
    evening.mended(V1, Fault.DEVICE_FAILED)
    evening.fault(V1, Fault.DEVICE_FAILED, "failure A2: stacker motor")
    evening.advance(60_000)
    assert evening.facts("ConditionRaised") == [
        ConditionRaised(0, "B03", V1, "pause"),
        ConditionRaised(10_000, "B03", V1, "failure A2: stacker motor"),
    ]
    evening.mended(V1, Fault.DEVICE_FAILED)
    assert evening.facts("ConditionCleared") == [
        ConditionCleared(10_000, "B03", V1, "self"),
        ConditionCleared(61_000, "B03", V1, "self"),
    ]


def test_what_a_person_must_clear_is_written_once_until_it_is_cleared() -> None:
    evening = table()
    for _ in range(5):
        evening.fault(V1, Fault.JAM)
        evening.mended(V1, Fault.JAM)
    assert evening.facts("ConditionRaised") == [ConditionRaised(0, "B01", V1, "")]
    assert evening.facts("ConditionCleared") == []
    assert evening.state.meters["on.B01"] == 1


def test_two_faults_of_one_row_are_over_when_both_are() -> None:
    evening = table()
    evening.fault(V1, Fault.WRONG_CURRENCY, "EUR")
    evening.fault(V1, Fault.DEVICE_FAILED, "A1")
    evening.advance(20_000)
    evening.mended(V1, Fault.DEVICE_FAILED)
    assert "B03" in active(evening)
    assert [fact.at_ms for fact in evening.facts("ConditionCleared")] == [10_000], (
        "the first cause was replaced"
    )
    evening.mended(V1, Fault.WRONG_CURRENCY)
    assert active(evening) == []
    assert [fact.at_ms for fact in evening.facts("ConditionCleared")] == [10_000, 20_000]


def test_the_logic_door_is_one_condition_open_or_closed() -> None:
    evening = table()
    evening.switch("door.logic", True)
    assert active(evening) == ["D02"]
    evening.switch("door.logic", False)
    assert active(evening) == ["D02"]
    evening.switch("door.logic", True)
    assert active(evening) == ["D02"]
    assert len(evening.facts("ConditionRaised")) == evening.state.meters["on.D02"] == 2


def test_the_logic_door_that_closes_under_the_service_key_is_cleared() -> None:
    evening = table()
    evening.switch("door.logic", True)
    evening.switch("key.service", True)
    assert "D02" in active(evening)
    evening.switch("door.logic", False)
    assert evening.last("ConditionCleared") == ConditionCleared(
        evening.at_ms, "D02", "door.logic", "technician"
    )
    evening.switch("key.service", False)
    assert evening.state.frozen == ""


def test_inputs_that_are_no_doors_raise_nothing() -> None:
    evening = table()
    evening.switch("door.garage", True)
    evening.switch("key.golden", True)
    assert active(evening) == []
    assert evening.facts("KeyTurned") == []


def test_a_fault_without_a_row_of_its_own_is_a_failed_device() -> None:
    assert conditions.code_of("ticket_printer", Fault.JAM) == "T08"
    assert conditions.code_of("panel", Fault.JAM) == "S07"


def test_conditions_stand_in_the_order_of_priority() -> None:
    evening = table()
    evening.fault(P1, Fault.PAPER_LOW)
    evening.fault(V1, Fault.JAM)
    evening.switch("door.main", True)
    evening.switch("key.attendant", True)
    assert active(evening) == ["D01", "H04", "B01", "T01"]
    assert evening.state.frozen == "D01"
    panel = outputs(evening.state, evening.live).panel
    assert (panel["candle.top"], "candle.bottom" in panel) == (Pattern.FAST, False)


# ---- mending


def test_the_key_resets_a_jammed_validator_and_its_clearing_then_counts() -> None:
    evening = table()
    evening.fault(V1, Fault.JAM)
    evening.fault(V1, Fault.CHEATED)
    evening.switch("key.attendant", True)
    assert evening.ordered(ResetValidator, MendPrinter) == [ResetValidator(V1)], "once for both"
    evening.switch("key.attendant", False)
    evening.mended(V1, Fault.JAM)
    evening.mended(V1, Fault.CHEATED)
    assert evening.state.conditions == ()


def test_a_jam_after_the_mending_is_a_new_one() -> None:
    evening = table()
    evening.fault(V1, Fault.JAM)
    evening.switch("key.attendant", True)
    evening.switch("key.attendant", False)
    evening.mended(V1, Fault.JAM)
    evening.fault(V1, Fault.JAM)
    evening.mended(V1, Fault.JAM)
    assert list(evening.state.conditions) == [("B01", V1)]
    evening.switch("key.attendant", True)
    assert evening.state.conditions == ()


def test_a_fault_that_goes_away_while_a_key_is_turned_is_cleared_by_whoever_turned_it() -> None:
    evening = table()
    evening.fault(V1, Fault.JAM)
    evening.switch("key.service", True)
    evening.mended(V1, Fault.JAM)
    assert evening.last("ConditionCleared") == ConditionCleared(evening.at_ms, "B01", V1, "technician")


def test_events_of_a_fault_carry_its_detail() -> None:
    evening = table()
    evening.feed(FaultRaised(P1, 0, Fault.PAPER_JAM, "cutter"))
    assert evening.last("ConditionRaised") == ConditionRaised(0, "T03", P1, "cutter")
    ((_, device, detail),) = active_conditions(evening.state, evening.live)
    assert (device, detail) == (P1, "cutter")
