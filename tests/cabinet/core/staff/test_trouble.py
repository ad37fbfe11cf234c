"""When the ground gives way: the disk, the generator, the books."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.conditions import BY_CODE, Code, Lock
from cabinet.core.decide import Decision, decide, stop
from cabinet.core.facts import ConditionCleared, ConditionRaised, SessionStopped
from cabinet.core.live import active_conditions, play_lock, with_trouble
from cabinet.core.outputs import outputs
from cabinet.core.past.answers import Answered, NoAnswer
from cabinet.core.renewal import replace
from cabinet.core.turn import (
    DrawError,
    ReturnNote,
    StackNote,
    Started,
    StopAsked,
    TimerDue,
    TroubleReported,
)
from drivers.device import (
    BarcodeEscrowed,
    DeviceEvent,
    Fault,
    FaultRaised,
    InputChanged,
    NoteEscrowed,
    NoteStacked,
    NoteVendValid,
    PrinterReady,
    TicketDone,
    TicketOutcome,
)
from support.evenings.evening import WALL_MS, Evening

V1 = "validator1"


def everything(at_ms: int) -> list[DeviceEvent]:
    """One of each event that would otherwise make something true."""
    return [
        InputChanged("panel1", at_ms, "seat1.bet_plus", True),
        InputChanged("panel1", at_ms, "seat1.deal", True),
        InputChanged("panel1", at_ms, "seat1.cash_out", True),
        InputChanged("panel1", at_ms, "door.main", True),
        InputChanged("panel1", at_ms, "key.service", True),
        NoteVendValid(V1, at_ms),
        NoteStacked(V1, at_ms),
        TicketDone("printer1", at_ms, 2, TicketOutcome.PRINTED),
        PrinterReady("printer1", at_ms, True),
        FaultRaised(V1, at_ms, Fault.JAM),
    ]


# ---- every trouble of the program


@pytest.mark.parametrize("code", [Code.NO_DISPLAY, Code.NO_SOUND, Code.STORAGE_SLOW, Code.NOT_CONFIGURED])
def test_a_trouble_of_the_program_is_one_row_and_one_event(code: Code) -> None:
    evening = Evening(seats=1)
    evening.feed(TroubleReported(evening.at_ms, code, "it has gone"))
    assert (BY_CODE[code], "", "it has gone") in active_conditions(evening.state, evening.live)
    assert (play_lock(evening.state, evening.live) == code) == (BY_CODE[code].lock is Lock.PLAY)
    evening.advance(20_000)
    evening.feed(TroubleReported(evening.at_ms, code, ""))
    assert active_conditions(evening.state, evening.live) == ()
    (raised,), (cleared,) = evening.facts("ConditionRaised"), evening.facts("ConditionCleared")
    assert isinstance(raised, ConditionRaised)
    assert (raised.code, raised.detail) == (code, "it has gone")
    assert isinstance(cleared, ConditionCleared)
    assert cleared.code == code


# ---- the disk


@pytest.mark.requirement("BIL-04", "MEM-10")
def test_a_failed_commit_returns_the_note_in_escrow_and_stops_everything() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.feed(NoteEscrowed(V1, 0, 2_000, 1))
    state = evening.state
    evening.acts = []
    evening.feed(TroubleReported(5, Code.STORAGE_FAILED, "disk full"))
    assert evening.acts == [ReturnNote("validator1"), ReturnNote("validator2")]
    assert evening.live.trouble(Code.STORAGE_FAILED) == "disk full"
    assert evening.live.stopped_ms == 5
    assert play_lock(evening.state, evening.live) == "M03"
    assert not any(outputs(evening.state, evening.live).accept.values())
    assert evening.lamps(1) == evening.lamps(2) == set()
    evening.acts = []
    for event in everything(10):
        evening.feed(event)
    evening.advance(3_600_000)
    assert evening.state is state
    assert evening.acts == []


@pytest.mark.requirement("BIL-04", "MEM-06")
def test_with_a_failed_disk_every_document_goes_back() -> None:
    evening = Evening(seats=1)
    evening.feed(TroubleReported(0, Code.STORAGE_FAILED, ""))
    assert evening.live.trouble(Code.STORAGE_FAILED)
    evening.acts = []
    evening.feed(NoteEscrowed(V1, 0, 2_000, 1))
    evening.feed(BarcodeEscrowed(V1, 0, "0" * 18))
    assert evening.acts == [ReturnNote(V1), ReturnNote(V1)]


@pytest.mark.parametrize("code", ["M03", "M05"])
def test_the_technicians_key_asks_for_a_new_start(code: str) -> None:
    """What is true is on the disk: only a new start reads it. The attendant's key changes nothing."""
    evening = Evening(seats=1)
    evening.insert(1, 10_000)
    evening.advance(1_000)
    if code == "M03":
        evening.feed(TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full"))
    else:
        evening.live = with_trouble(
            evening.live, Code.ACCOUNTING_ERROR, "seat 1: meters tell 1 cents, accounts hold 0"
        )
    assert play_lock(evening.state, evening.live) == code
    for key in ("key.attendant", "key.service"):
        assert not evening.live.restart
        evening.switch(key, True)
        assert not evening.live.restart, "the service pages can be read first"
        evening.switch(key, False)
    assert evening.live.restart
    evening.crash()
    assert play_lock(evening.state, evening.live) == ""
    assert evening.credits(1) == (10_000,)


def test_a_trouble_that_the_start_has_found_is_not_started_away() -> None:
    """Starting again and again would only end with a cabinet that its service manager leaves dark."""
    evening = Evening(seats=1, start=False)
    evening.live = with_trouble(evening.live, Code.ACCOUNTING_ERROR, "journal row 7 cannot be true")
    evening.feed(Started(0, False, WALL_MS))
    evening.advance(60_000)
    evening.switch("key.service", True)
    evening.switch("key.service", False)
    assert play_lock(evening.state, evening.live) == "M05"
    assert not evening.live.restart


# ---- the generator


def lost_generator() -> Evening:
    evening = Evening("5H 4S 7D 2C 3C", seats=2)
    evening.deal(1, 2)
    evening.press(1, "hit")
    evening.stacked.broken = True
    return evening


def test_without_a_card_the_press_did_not_happen_and_the_bets_stay() -> None:
    evening = lost_generator()
    evening.press(2, "double")
    assert len(evening.facts("Decided")) == 1, "the decision that needs a card waits with it"
    assert evening.state.frozen == "F04"
    assert evening.state.bet(1) == evening.state.bet(2) == 500
    assert evening.state.credit(2) == 9_500
    assert len(evening.facts("CardsDrawn")) == 1


def test_the_round_goes_on_when_the_technician_has_been_there() -> None:
    evening = lost_generator()
    evening.press(2, "hit")
    evening.switch("key.attendant", True)
    evening.switch("key.attendant", False)
    assert evening.state.frozen == "F04"
    evening.stacked.broken = False
    evening.switch("key.service", True)
    evening.switch("key.service", False)
    evening.advance(1)
    assert evening.state.deciding() == (2,)
    evening.press(2, "hit")
    assert len(evening.facts("CardsDrawn")) == 2


def test_a_generator_that_still_fails_keeps_the_table_locked() -> None:
    """The service key asks it; nobody puts money in for a card that cannot come."""
    evening = lost_generator()
    evening.press(2, "hit")
    evening.switch("key.service", True)
    evening.switch("key.service", False)
    assert evening.state.frozen == "F04"
    assert evening.live.trouble(Code.RNG_FAILED) == "stuck source"
    assert not any(outputs(evening.state, evening.live).accept.values())
    evening.advance(20_000)
    assert evening.state.frozen == "F04"
    assert "timeouts" not in evening.state.meters


def test_a_generator_that_fails_again_locks_again() -> None:
    evening = lost_generator()
    evening.press(2, "hit")
    evening.stacked.broken = False
    evening.switch("key.service", True)
    evening.switch("key.service", False)
    assert evening.state.frozen == ""
    evening.stacked.broken = True
    evening.advance(20_000)
    assert evening.state.frozen == "F04", "the time-out needs a card too"
    assert "timeouts" not in evening.state.meters


def test_a_round_without_cards_may_be_given_up() -> None:
    evening = lost_generator()
    evening.press(2, "hit")
    evening.choose("all bets back", key="service")
    assert evening.credits() == (10_000, 10_000)
    assert not evening.playing()
    assert evening.state.frozen == "F04", "the bets are back, but there are still no cards"
    evening.stacked.broken = False
    evening.switch("key.service", True)
    evening.switch("key.service", False)
    evening.press(1, "deal")
    evening.press(2, "deal")
    assert evening.playing()


def test_a_generator_that_fails_at_the_deal_leaves_the_bets() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus")
    evening.stacked.broken = True
    evening.advance(60_000)
    assert evening.state.frozen == "F04"
    assert evening.state.bet(1) == 500
    assert evening.facts("RoundOpened") == []


def test_a_press_whose_consequence_needs_a_card_is_refused_as_a_whole() -> None:
    """CASH OUT of the last seat that was waited for deals the round of the others; no card comes."""
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.insert(2, 500)
    evening.press(2, "bet_plus")
    evening.press(1, "bet_plus", "deal")
    evening.stacked.broken = True
    evening.press(2, "cash_out")
    assert evening.state.frozen == "F04"
    assert (evening.state.bet(1), evening.state.bet(2)) == (500, 500)
    assert evening.facts("CashOutAsked") == []
    assert evening.told(2) == "refused.not_now"


# ---- the books


@pytest.mark.requirement("CRD-02")
def test_a_fact_that_cannot_be_true_is_never_written() -> None:
    """A driver that calls a note of nothing money: refused, and the table stands until a restart."""
    evening = Evening(seats=1)
    evening.insert(1, 500)
    before = evening.state
    made = decide(evening.state, evening.live, NoteEscrowed(V1, 7, 0, 1), lambda n: 0)
    assert (made.facts, made.acts) == ((), (ReturnNote(V1),))
    assert made.state is before
    assert "a note of 0 cents" in made.live.trouble(Code.ACCOUNTING_ERROR)
    assert made.live.stopped_ms == 7
    assert play_lock(made.state, made.live) == "M05"
    evening.live = made.live
    for event in everything(10):
        evening.feed(event)
    assert evening.state is before
    evening.crash()
    assert evening.live.trouble(Code.ACCOUNTING_ERROR) == ""


def test_a_draw_that_fails_twice_stops_the_table_too() -> None:
    """The second judgement asks for no card. If a mistake in the program made it ask, it is told."""
    evening = Evening(seats=1)
    evening.insert(1, 500)
    evening.press(1, "bet_plus")

    def broken(n: int) -> int:
        raise DrawError("")

    made = decide(evening.state, evening.live, InputChanged("panel1", 0, "seat1.deal", True), broken)
    assert made.live.trouble(Code.RNG_FAILED) == "failed"
    assert made.live.trouble(Code.ACCOUNTING_ERROR) == ""
    assert [type(fact).__name__ for fact in made.facts] == ["ConditionRaised", "Frozen"]


# ---- the end of the evening


def test_a_second_copy_that_is_sound_is_no_news() -> None:
    evening = Evening(seats=1)
    assert evening.feed(TroubleReported(0, Code.NO_SECOND_COPY, "")).facts == ()
    for text in ("no answer", "still no answer", "", ""):
        evening.feed(TroubleReported(0, Code.NO_SECOND_COPY, text))
    assert (len(evening.facts("ConditionRaised")), len(evening.facts("ConditionCleared"))) == (1, 1)


def test_an_answer_to_a_page_that_is_closed_or_another_one_is_not_shown() -> None:
    evening = Evening(seats=1)
    late = Answered(0, "recall:0", NoAnswer("no round yet"))
    evening.feed(late)
    assert evening.live.answer is None
    evening.switch("key.attendant", True)
    evening.feed(late)
    assert evening.live.answer is None
    evening.live = replace(evening.live, menu=("recall:7",))
    evening.feed(late)
    assert evening.live.answer is None
    evening.feed(replace(late, page="recall:7"))
    assert evening.live.answer is not None


@pytest.mark.requirement("CRD-04")
def test_asked_to_stop_the_table_takes_no_notes_and_deals_no_round() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus")
    evening.feed(StopAsked(0))
    assert evening.lamps(1) == {"bet_minus", "cash_out"}
    evening.press(1, "deal")
    assert evening.told(1) == "refused.closed"
    evening.advance(60_000)
    assert not evening.playing()
    evening.press(1, "cash_out")
    assert evening.printed().ticket.figures == "$100.00"


def test_a_round_that_is_open_is_played_to_its_end_after_the_stop_was_asked() -> None:
    evening = Evening("10H 9S 7D 10C", seats=2)
    evening.deal(1)
    evening.feed(StopAsked(evening.at_ms))
    evening.press(1, "stand")
    assert evening.state.credit(1) == 10_500


def test_the_last_fact_of_a_session() -> None:
    evening = Evening(seats=1)
    assert stop(evening.state, 77) == (SessionStopped(77),)


@pytest.mark.parametrize(
    "before",
    [lambda evening: None, lambda evening: evening.feed(TroubleReported(0, Code.STORAGE_FAILED, "gone"))],
)
def test_time_that_is_told_twice_has_its_effect_once(before: Callable[[Evening], Decision | None]) -> None:
    evening = Evening("10H 9S 7D 10C", seats=2)
    evening.deal(1)
    before(evening)
    deadline_ms = evening.state.decision_deadline_ms
    assert deadline_ms is not None
    first = evening.feed(TimerDue(deadline_ms))
    second = evening.feed(TimerDue(deadline_ms))
    assert len(first.facts) in (0, 3)
    assert second.facts == ()
    assert StackNote(V1) not in second.acts
