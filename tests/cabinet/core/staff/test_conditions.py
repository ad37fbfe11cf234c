"""Each row of the condition table: what raises it, what it stops, what the candle says, who clears it."""

from __future__ import annotations

import pytest

from cabinet.core import conditions
from cabinet.core.conditions import BY_CODE, TABLE, Clears, Condition, Lock
from cabinet.core.facts import ConditionCleared, ConditionRaised
from cabinet.core.live import active_conditions, play_lock
from cabinet.core.look import Cue
from cabinet.core.outputs import outputs
from cabinet.core.past import meter_list
from cabinet.core.turn import MendPrinter, ResetValidator
from drivers.device import Fault, FaultRaised, Pattern
from support.evenings.evening import Evening
from support.evenings.tilts import FOR_EVER, P1, ROWS, STORIES, V1, table


def active(evening: Evening) -> list[str]:
    return [row.code for row, _, _ in active_conditions(evening.state, evening.live)]


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
    if row.clears is Clears.SELF or row.code == "T09":  # without its key the cabinet is started again
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
            evening.at_ms, row.code, {"B": V1, "T": P1}[row.code[0]], "attendant"
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
