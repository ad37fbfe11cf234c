"""One round as the journal remembers it, against what somebody at the table has written down."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cabinet.core.past.recall import CardStep, RecalledRound, WordStep, moments
from drivers.device import Fault
from game.play import Choice
from game.round import DEALER_HAND, Purpose
from game.settle import Outcome
from support.evenings.evening import WALL_MS, Evening
from support.evenings.recalled import gathered, play_rounds

# Eights are split by seat 1 and kept by seat 2, who doubles nothing; seat 3 lets the time run out.
SPLIT = "8H 8S 6D 3C 5D 10C 2C 10S 4D 9H 10D KC 5C QC"


def adds_up(record: RecalledRound) -> bool:
    """What each seat had, got and put down makes what it has."""
    return all(
        seat.before + seat.in_during - seat.out_during - seat.staked + seat.returned == seat.after
        for seat in record.seats
    )


def split_round() -> Evening:
    """A note, a split, a choice that does not come, and a note in the middle of it."""
    evening = Evening(SPLIT, seats=3)
    evening.deal(1, 2, 3)
    evening.press(1, "split")
    evening.press(2, "hit")
    evening.insert(1, 500)
    evening.advance(12_000)
    while evening.playing():
        for seat in evening.state.deciding():
            evening.press(seat, "stand")
        evening.advance(500)
    evening.land()
    return evening


@pytest.mark.requirement("REC-02")
def test_every_field_of_a_round_is_there() -> None:
    evening = split_round()
    state = evening.state
    record = gathered(evening, 1)
    assert (record.number, record.shuffled, record.shoe_cards) == (1, True, 312)
    assert record.rules == evening.policy.rules
    assert record.opened_ms >= WALL_MS
    assert record.settled_ms is not None
    assert record.settled_ms > record.opened_ms
    assert [step.card for step in record.cards] == [move.card for move in state.moves if not move.seat]
    first, second, upcard, third = record.cards[:4]
    assert (first.purpose, first.hand, first.total) == (Purpose.DEAL, 0, 8)
    assert (second.hand, second.total, upcard.hand, upcard.total) == (0, 16, DEALER_HAND, 6)
    assert third.purpose is Purpose.DRAW
    assert [step.purpose for step in record.cards].count(Purpose.SPLIT_CARD) == 2
    said = [(step.seat, step.hand, step.choice, step.timed_out) for step in record.words[:3]]
    assert said == [
        (1, 0, Choice.SPLIT, False),
        (2, 0, Choice.HIT, False),
        (3, 0, Choice.STAND, True),
    ]
    assert [step.stake_cents for step in record.words[:3]] == [500, 0, 0]
    one, two, three = record.seats
    assert (one.in_before, one.before, one.bet, one.in_during) == (10_000, 10_000, 500, 500)
    assert (one.staked, [result.hand for result in one.results]) == (1_000, [1, 2])
    assert (two.staked, three.staked) == (500, 500)
    assert tuple(seat.after for seat in record.seats) == evening.credits()
    assert adds_up(record)
    assert moments(record) == len(record.steps) + 1
    assert "seat 1: note $5.00" in [note.text for note in record.notes]


@pytest.mark.requirement("REC-02")
def test_the_place_of_each_card_in_the_shoe_is_the_one_that_was_drawn() -> None:
    """With the places alone the same cards come out of a complete shoe again."""
    record = gathered(split_round(), 1)
    shoe = list(range(52 * record.rules.decks))
    for step in record.cards:
        assert step.left == len(shoe)
        assert shoe.pop(step.index) == step.card


@pytest.mark.requirement("REC-01", "REC-02")
def test_rounds_follow_each_other_to_the_cent() -> None:
    """What came and went between two rounds leads from the end of one to the beginning of the next."""
    evening = Evening(seats=2)
    jotted = play_rounds(evening, 4, lambda seat, lamps: "hit" if seat == 1 else None)
    evening.press(2, "cash_out")
    evening.printed()
    jotted += play_rounds(evening, 3, lambda seat, lamps: "double" if "double" in lamps else "stand")
    records = [gathered(evening, note.number) for note in jotted]
    for record, note in zip(records, jotted, strict=True):
        assert tuple((s.seat, s.bet) for s in record.seats) == note.bets
        assert tuple(step.card for step in record.cards) == note.cards
        assert tuple((step.seat, step.choice, step.timed_out) for step in record.words) == note.words
        assert tuple(result for seat in record.seats for result in seat.results) == note.results
        assert tuple(seat.after for seat in record.seats) == note.after
        assert adds_up(record)
    for earlier, later in pairwise(records):
        for before, now in zip(earlier.seats, later.seats, strict=True):
            assert before.after + now.in_before - now.out_before == now.before
    assert records[4].seats[1].out_before == jotted[3].after[1]
    assert [record.shuffled for record in records] == [True] * 7


@pytest.mark.requirement("REC-01")
def test_the_round_that_is_not_finished_is_there_as_far_as_it_has_come() -> None:
    evening = Evening(SPLIT, seats=2)
    evening.deal(1, 2)
    evening.press(1, "hit")
    record = gathered(evening, 1)
    assert record.settled_ms is None
    assert (len(record.cards), len(record.words), moments(record)) == (3, 1, 4)
    assert [seat.results for seat in record.seats] == [(), ()]
    assert [seat.after for seat in record.seats] == [9_500, 9_500]


@pytest.mark.requirement("REC-02")
def test_a_power_cut_in_the_middle_is_a_note_and_loses_no_step() -> None:
    evening = Evening(SPLIT, seats=1)
    evening.deal(1)
    evening.press(1, "hit")
    evening.crash()
    evening.land()
    evening.press(1, "stand")
    record = gathered(evening, 1)
    assert [type(step) for step in record.steps[:5]] == [CardStep] * 3 + [WordStep, CardStep]
    assert "started again after a power cut or a crash" in [note.text for note in record.notes]


@pytest.mark.requirement("REC-02")
def test_a_large_win_and_who_paid_it_are_notes_of_the_round() -> None:
    evening = Evening("10H KS 7D 10C", seats=1, large_win_cents=500)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    assert [result.outcome for result in evening.state.results] == [Outcome.WIN]
    evening.choose("paid by hand")
    record = gathered(evening, 1)
    texts = [note.text for note in record.notes]
    assert any(text.startswith("seat 1: $5.00 for an attendant, large win") for text in texts)
    assert "seat 1: $5.00 paid by the attendant" in texts
    assert record.seats[0].after == 10_500, "what the round itself has made"


@pytest.mark.requirement("REC-02")
def test_a_voided_round_says_that_its_stakes_went_back() -> None:
    evening = Evening(SPLIT, seats=1)
    evening.deal(1)
    evening.stacked.broken = True
    evening.press(1, "hit")
    evening.choose("all bets back", key="service")
    record = gathered(evening, 1)
    assert record.voided == "by hand"
    assert record.settled_ms is None
    assert record.seats[0].after == record.seats[0].before == 10_000
    assert record.state.round is not None, "the cards are still to be seen"


@pytest.mark.requirement("REC-02")
def test_a_fault_in_the_round_is_one_of_its_notes() -> None:
    evening = Evening(SPLIT, seats=1)
    evening.deal(1)
    evening.switch("door.main", True)
    evening.switch("door.main", False)
    evening.fault("validator1", Fault.JAM, "it is stuck")
    texts = [note.text for note in gathered(evening, 1).notes]
    assert texts[:2] == [
        "D01 main door open at door.main begins",
        "D01 main door open at door.main is over, by self",
    ]
    assert "B01 note jam at validator1 begins" in texts
