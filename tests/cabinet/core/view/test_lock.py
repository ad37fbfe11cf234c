"""What stops the table on the screen, what the top bar says, and what is heard."""

from __future__ import annotations

import pytest

from cabinet.core.conditions import Code
from cabinet.core.look import Cue, Message, SeatState
from cabinet.core.turn import TroubleReported
from drivers.device import (
    BarcodeEscrowed,
    Fault,
    FaultCleared,
    FaultRaised,
    Holding,
    NoteAccepting,
    NoteEscrowed,
    TicketTaken,
    ValidatorReport,
)
from support.evenings.evening import Evening
from support.screens.seen import look

HIGH = "10H 6S 9D"


# ---- locks and banners


def test_an_open_door_freezes_the_picture_and_keeps_what_is_left_of_the_clock() -> None:
    evening = Evening(deal=HIGH)
    evening.deal(1, 2)
    evening.press(1, "stand")
    evening.advance(3_000)
    left_ms = (evening.state.decision_deadline_ms or 0) - evening.at_ms
    evening.switch("door.main", True)
    since_ms = evening.at_ms
    evening.advance(60_000)
    seen = look(evening)
    assert seen.lock is not None
    assert (seen.lock.code, seen.lock.since_ms, seen.lock.remaining_ms) == ("D01", since_ms, left_ms)
    assert seen.lock.title == Message("lock.D01.title")
    step = seen.steps[-1]
    assert step.clock is not None
    assert (step.clock.deadline_ms, step.clock.remaining_ms) == (None, left_ms)
    assert [seat.state.value for seat in step.seats[:2]] == ["decided", "turn"]
    evening.switch("door.main", False)
    assert look(evening).lock is None
    assert [banner.kind for banner in look(evening).banners] == ["door_closed"]
    evening.advance(evening.policy.timing.door_closed_ms)
    assert look(evening).banners == ()


def test_a_frozen_table_shows_nothing_of_the_cards_to_come() -> None:
    evening = Evening(deal="10H 9S 7D 10C")
    evening.deal(1)
    evening.press(1, "stand")
    assert len(look(evening).steps) > 2
    evening.switch("door.main", True)
    seen = look(evening)
    assert all(step.from_ms <= evening.at_ms for step in seen.steps)
    assert seen.steps[-1].seats[0].result_cents is None
    table = {Cue.CARD, Cue.CONTINUATION, Cue.WIN, Cue.PUSH, Cue.BLACKJACK, Cue.TICK}
    assert [cue for cue in seen.cues if cue.cue in table and cue.at_ms > evening.at_ms] == []


def test_the_bets_clock_stands_still_too() -> None:
    evening = Evening()
    for seat in (1, 2):
        evening.insert(seat, 10_000)
    evening.press(2, "bet_minus")
    evening.press(1, "bet_plus")
    evening.advance(5_000)
    evening.switch("door.main", True)
    seen = look(evening)
    assert seen.lock is not None
    assert seen.lock.remaining_ms == 10_000
    assert seen.steps[-1].seats[1].state is SeatState.PLACE_BET


@pytest.mark.requirement("BIL-06", "PRN-04")
def test_other_faults_are_named_in_order_and_keys_are_not_faults() -> None:
    evening = Evening()
    evening.feed(FaultRaised("printer1", evening.at_ms, Fault.PAPER_LOW))
    evening.feed(FaultRaised("validator1", evening.at_ms, Fault.JAM))
    evening.switch("key.attendant", True)
    evening.switch("door.main", True)
    evening.switch("door.logic", True)
    lock = look(evening).lock
    assert lock is not None
    assert (lock.code, lock.others) == ("D02", ("D01", "B01", "T01"))


def test_without_storage_the_table_stands_still_though_no_fact_can_say_so() -> None:
    evening = Evening(deal=HIGH)
    evening.deal(1)
    evening.advance(2_000)
    left_ms = (evening.state.decision_deadline_ms or 0) - evening.at_ms
    evening.feed(TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full"))
    failed_ms = evening.at_ms
    evening.at_ms += 5_000
    evening.press(1, "hit")
    seen = look(evening)
    assert seen.lock is not None
    assert (seen.lock.code, seen.lock.since_ms, seen.lock.remaining_ms) == ("M03", failed_ms, left_ms)
    assert seen.steps[-1].seats[0].state is SeatState.TURN


@pytest.mark.requirement("BIL-06", "PRN-04")
def test_banners_say_what_the_table_cannot_do() -> None:
    evening = Evening(seats=2, lab=True)
    assert [banner.kind for banner in look(evening).banners] == ["lab"]
    evening.feed(FaultRaised("printer1", evening.at_ms, Fault.PAPER_LOW))
    assert [banner.kind for banner in look(evening).banners] == ["lab", "paper_low"]
    for seat in (1, 2):
        evening.feed(FaultRaised(f"printer{seat}", evening.at_ms, Fault.PAPER_OUT))
        evening.feed(FaultRaised(f"validator{seat}", evening.at_ms, Fault.STACKER_FULL))
    assert [banner.kind for banner in look(evening).banners] == ["lab", "no_notes", "no_tickets"]


def test_a_table_that_stands_without_a_key_of_its_tickets_promises_no_hand_payment() -> None:
    evening = Evening(seats=2, numbers=None)
    assert [banner.kind for banner in look(evening).banners] == ["no_tickets"]
    evening.feed(TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "the disk is full"))
    assert look(evening).banners == ()


def called(evening: Evening) -> list[Message]:
    return [banner.text for banner in look(evening).banners if banner.kind == "attendant_seats"]


def test_one_line_names_all_seats_where_an_attendant_is_awaited() -> None:
    evening = Evening(seats=5, ticket_limit_cents=5_000)
    for seat in (1, 4):
        evening.insert(seat, 10_000)
        evening.press(seat, "cash_out")
    evening.feed(FaultRaised("validator2", evening.at_ms, Fault.JAM))
    evening.feed(FaultRaised("validator5", evening.at_ms, Fault.STACKER_FULL))  # ends by itself
    assert called(evening) == [Message("banner.attendant_seats", (("seats", (1, 2, 4)),))]


def test_on_a_cabinet_with_one_seat_the_attendant_needs_no_number() -> None:
    evening = Evening(seats=1, ticket_limit_cents=5_000)
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    assert [banner.kind for banner in look(evening).banners] == ["attendant_called"]


def test_whoever_has_put_in_a_note_is_told_what_became_of_it() -> None:
    evening = Evening(seats=3)
    evening.insert(1, 2_000)
    evening.feed(FaultRaised("validator1", evening.at_ms, Fault.JAM))
    evening.feed(FaultRaised("validator2", evening.at_ms, Fault.CHEATED))
    evening.feed(FaultRaised("validator3", evening.at_ms, Fault.STACKER_FULL))  # no attendant is called
    assert troubles(evening) == ["seat.note_stuck", "seat.notes_stopped", ""]
    evening.fault("validator1", Fault.JAM)
    evening.switch("key.attendant", True)
    evening.feed(FaultCleared("validator1", evening.at_ms, Fault.JAM))
    evening.switch("key.attendant", False)
    assert troubles(evening)[0] == ""


def test_a_second_note_in_the_slot_is_for_the_guest_to_take_out() -> None:
    evening = Evening(seats=2)
    evening.fault("validator1", Fault.TWO_DOCUMENTS, "pause")
    assert troubles(evening) == ["seat.second_note", ""]
    assert called(evening) == [], "nobody is called"
    evening.mended("validator1", Fault.TWO_DOCUMENTS)
    assert troubles(evening) == ["", ""]


def test_a_note_or_ticket_in_doubt_is_named_at_its_seat_until_the_attendant_has_answered() -> None:
    evening = Evening(seats=2)
    number = evening.ticket(2, 5_000)
    evening.feed(NoteEscrowed("validator1", evening.at_ms, 2_000, 0x63))
    evening.feed(BarcodeEscrowed("validator2", evening.at_ms, number))
    for seat in (1, 2):
        evening.feed(ValidatorReport(f"validator{seat}", evening.at_ms, Holding.NOTHING))
    assert troubles(evening) == ["seat.note_in_doubt", "seat.ticket_in_doubt"]
    evening.choose("note returned")
    evening.choose("ticket in box")
    assert troubles(evening) == ["", ""]


def test_the_trouble_of_a_shared_slot_stands_at_the_seat_that_it_is_bound_to() -> None:
    evening = Evening(seats=3, shared=True)
    evening.press(2, "buy_in")
    evening.feed(NoteAccepting("validator1", evening.at_ms))
    evening.feed(FaultRaised("validator1", evening.at_ms, Fault.JAM))
    assert troubles(evening) == ["", "seat.note_stuck", ""]


def troubles(evening: Evening) -> list[str]:
    seats = look(evening).steps[-1].seats
    return ["" if seat.trouble is None else seat.trouble.key for seat in seats]


def test_a_jam_in_a_shared_validator_is_no_seats_own() -> None:
    evening = Evening(seats=3, shared=True)
    evening.feed(FaultRaised("validator1", evening.at_ms, Fault.JAM))
    assert called(evening) == []


# ---- sounds


def heard(evening: Evening) -> list[tuple[int, str]]:
    return [(cue.at_ms - evening.at_ms, cue.cue.value) for cue in look(evening).cues]


def test_every_card_is_heard_when_it_lands_and_extra_cards_darker() -> None:
    evening = Evening(deal="10H 3S 9D 2C KS 8C")
    evening.deal(1)
    evening.press(1, "hit")
    seen = look(evening)
    lands = {card.land_ms for card in seen.hands[0].cards[2:]}
    assert {cue.at_ms for cue in seen.cues if cue.cue is Cue.CARD and cue.at_ms > evening.at_ms} == lands
    evening.land()
    evening.press(1, "stand")
    seen = look(evening)
    dark = [cue.at_ms for cue in seen.cues if cue.cue is Cue.CONTINUATION]
    assert dark == [card.land_ms for card in seen.hands[0].continuation]


def test_a_bust_thuds_and_21_rings_with_the_card_and_a_loss_is_silent() -> None:
    evening = Evening(deal="10H 6S 9D KC")
    evening.deal(1)
    evening.press(1, "hit")
    assert [word for _, word in heard(evening)][-2:] == ["card", "bust"]
    lucky = Evening(deal="10H 6S 9D 5C")
    lucky.deal(1)
    lucky.press(1, "hit")
    assert "twenty_one" in [word for _, word in heard(lucky)]


def test_a_win_that_is_a_net_loss_is_silent() -> None:
    evening = Evening(deal="8H 8S 10D 3C 2D 10S 10C 7H 7D", seats=2)
    evening.deal(1)
    evening.press(1, "split")
    evening.land()
    evening.press(1, "double")
    evening.land()
    evening.press(1, "stand")
    assert [r.outcome.value for r in evening.state.results] == ["lose", "win"]
    assert {"win", "push"}.isdisjoint(word for _, word in heard(evening))


def test_the_last_five_seconds_tick() -> None:
    evening = Evening(deal=HIGH)
    evening.deal(1)
    deadline_ms = evening.state.decision_deadline_ms or 0
    ticks = [cue.at_ms for cue in look(evening).cues if cue.cue is Cue.TICK]
    assert ticks == [deadline_ms - left * 1000 for left in (5, 4, 3, 2, 1)]


def test_a_ticket_calls_every_five_seconds_until_it_is_taken() -> None:
    evening = Evening()
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")
    assert (0, "printing") in heard(evening)
    evening.printed()
    printed_ms = evening.at_ms
    evening.advance(12_000)
    calls = [cue.at_ms - printed_ms for cue in look(evening).cues if cue.cue is Cue.TAKE_TICKET]
    assert calls[:3] == [15_000, 20_000, 25_000]
    evening.feed(TicketTaken("printer1", evening.at_ms))
    assert Cue.TAKE_TICKET not in {cue.cue for cue in look(evening).cues}


def test_equal_views_have_equal_cues_and_a_sound_keeps_its_serial() -> None:
    evening = Evening(deal=HIGH)
    evening.deal(1, 2)
    assert look(evening) == look(evening)
    before = look(evening).cues
    evening.advance(1_000)
    after = look(evening).cues
    assert {cue for cue in before if cue.cue is Cue.TICK} <= set(after)


def test_what_is_asked_for_later_has_a_higher_serial_though_it_is_heard_first() -> None:
    evening = Evening(deal=HIGH)
    evening.deal(1, 2)
    known = [cue.serial for cue in look(evening).cues]
    evening.advance(1_000)
    evening.press(1, "split")
    new = [cue for cue in look(evening).cues if cue.serial not in known]
    assert [cue.cue for cue in new] == [Cue.REFUSED]
    assert new[0].serial > max(known)
    assert new[0].at_ms < max(cue.at_ms for cue in look(evening).cues)


def test_seven_hits_at_once_are_one_click() -> None:
    evening = Evening(seats=7, deal="5H 4S 7D 2C")
    evening.deal(*range(1, 8))
    for seat in range(1, 8):
        evening.press(seat, "hit")
    assert [word for after, word in heard(evening) if after == 0].count("decided") == 1
