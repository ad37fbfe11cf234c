"""Two seats at one validator: a note is the money of the seat that was bound when it was drawn in, whatever
is pressed while it is on its way, on a sound line and on a bad one, with quick units and slow ones."""

from __future__ import annotations

import random

import pytest

from cabinet.core.facts import RedeemIntended
from cabinet.core.money import binding
from cabinet.core.outputs import outputs
from cabinet.core.turn import ReturnNote, StackNote, Turn
from drivers.device import (
    BarcodeEscrowed,
    NoteAccepting,
    NoteEscrowed,
    NoteStacked,
    NoteVendValid,
    ValidatorEnabled,
)
from drivers.sim.validator.path import Quirks
from support.evenings.evening import Evening
from support.evenings.shared_slot import V1, Slot
from support.screens.seen import look, step_now

NOTE = 10_000


def habits(seed: int) -> Quirks:
    """A unit of another make: how fast it moves, how late it says so, what it does when inhibited."""
    chance = random.Random(seed)
    return Quirks(
        speed_percent=chance.choice((40, 70, 100, 160, 250)),
        shows_late_ms=chance.choice((0, 0, 60, 150)),
        reads_on=chance.random() < 0.5,
        stacked_polls=chance.choice((0, 1, 2)),
        turnaround_ms=chance.choice((0, 10, 25)),
    )


def note_and_press(offset_ms: int, lost: int = 0, quirks: Quirks | None = None, seed: int = 1) -> Slot:
    """Seat 1 is bound and puts in a note; seat 2 presses BUY IN `offset_ms` later, or earlier. From the first
    of the two on `lost` answers of the unit do not arrive."""
    slot = Slot(quirks, seed=seed)
    slot.bind(1)
    slot.pass_ms(1_000 + seed % 200)
    for _ in range(lost):
        slot.wired.far_end.inject("lost" if seed % 2 else "lost_request", slot.wired.now_ms)
    if offset_ms < 0:
        slot.press(2, "buy_in")
        slot.pass_ms(-offset_ms)
        slot.put_in(NOTE)
    else:
        slot.put_in(NOTE)
        slot.pass_ms(offset_ms)
        slot.press(2, "buy_in")
    slot.pass_ms(12_000)
    return slot


@pytest.mark.requirement("CRD-10")
@pytest.mark.parametrize("late", [False, True], ids=["clean", "lost answers"])
def test_a_neighbour_who_presses_buy_in_at_any_moment_of_a_note_does_not_get_it(late: bool) -> None:
    """Every 5 ms from 0.4 s before the note is pushed in until it lies in the box."""
    credited = 0
    for number, offset_ms in enumerate(range(-400, 1_000, 5)):
        slot = note_and_press(offset_ms, lost=number % 4 if late else 0, seed=number)
        assert slot.wrong() == "", offset_ms
        credited += slot.state.credit(1) > 0
    # And its owner gets it, although the neighbour has pressed, unless the unit itself gives it back.
    assert credited > (80 if late else 190)


@pytest.mark.requirement("CRD-10")
@pytest.mark.parametrize("seed", range(12))
def test_units_of_every_speed_and_habit_keep_to_it(seed: int) -> None:
    for offset_ms in range(-500 + 7 * seed % 23, 1_500, 67):
        slot = note_and_press(offset_ms, lost=seed % 4, quirks=habits(seed), seed=seed * 31 + offset_ms)
        assert slot.wrong() == "", offset_ms


@pytest.mark.requirement("CRD-10")
def test_a_program_that_binds_at_once_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same moments find it."""

    def at_once(turn: Turn, seat: int) -> None:
        binding._bound(turn, V1, seat)

    monkeypatch.setattr(binding, "bind", at_once)
    found = [offset_ms for offset_ms in range(0, 200, 5) if note_and_press(offset_ms, seed=offset_ms).wrong()]
    assert found


@pytest.mark.requirement("CRD-10")
@pytest.mark.parametrize("seed", range(10))
def test_three_seats_that_press_put_in_and_leave_at_random(seed: int) -> None:
    """Also with a line that loses bytes, and a program that is killed and starts again."""
    chance = random.Random(seed)
    slot = Slot(habits(seed), seed=seed)
    kept: dict[int, int] = {}
    for _ in range(120):
        slot.pass_ms(chance.choice((0, 5, 40, 120, 300, 900, 2_500)))
        match chance.randrange(12):
            case 0 | 1 | 2 | 3:
                slot.press(chance.randint(1, 3), "buy_in")
            case 4 | 5 | 6 | 7:
                slot.put_in(chance.choice((100, 500, 2_000)))
            case 8 | 9:
                fault = chance.choice(("lost", "lost_request", "garbled", "delayed", "split", "noise"))
                slot.wired.far_end.inject(fault, slot.wired.now_ms)
            case 10:
                seat = chance.randint(1, 3)
                before = slot.state.credit(seat)
                slot.press(seat, "cash_out")
                if slot.state.credit(seat) == 0 and before:
                    kept[seat] = kept.get(seat, 0) + before
                    slot.printed()
            case _ if seed % 2:
                slot.new_program()
    slot.pass_ms(40_000)
    for seat in slot.state.seats:
        mine = slot.state.credit(seat) + kept.get(seat, 0)
        mine += sum(n.cents for n in slot.state.notes if n.seat == seat)
        assert mine <= slot.owed.get(seat, 0), seat


# ---- step by step


def two_seats() -> Evening:
    """Seat 1 is bound; the validator confirms only when the test says so."""
    evening = Evening(seats=3, shared=True)
    evening.press(1, "buy_in")
    evening.obedient = False
    return evening


def says(evening: Evening) -> list[str]:
    return [banner.kind for banner in look(evening).banners]


@pytest.mark.requirement("CRD-10")
def test_the_screen_says_where_notes_go_only_when_it_is_true() -> None:
    evening = two_seats()
    assert "notes_to_seat" in says(evening)
    evening.press(2, "buy_in")
    assert "notes_to_seat" not in says(evening)
    assert "notes_wait" in says(evening)
    texts = [seat.message.key if seat.message else "" for seat in step_now(evening).seats]
    assert texts[:2] == ["seat.press_buy_in", "seat.notes_wait"]
    evening.confirm(V1)
    assert evening.live.binding == {V1: 2}
    assert "notes_to_seat" in says(evening)


def accepts(evening: Evening) -> bool:
    return outputs(evening.state, evening.live).accept[V1]


@pytest.mark.requirement("CRD-10")
def test_it_is_inhibited_first_and_bound_only_when_it_has_confirmed_that() -> None:
    evening = two_seats()
    assert accepts(evening)
    evening.press(2, "buy_in")
    assert not accepts(evening)
    assert evening.live.binding == {V1: 1}, "what comes now was on its way before"
    evening.advance(900)
    assert evening.live.binding == {V1: 1}
    evening.confirm(V1)
    assert evening.live.binding == {V1: 2}
    assert accepts(evening)


@pytest.mark.requirement("CRD-10")
def test_what_it_said_of_an_earlier_inhibit_is_no_confirmation() -> None:
    """Read in the same step as the press, or behind a slow commit: it is not about this change."""
    evening = two_seats()
    before = evening.live.device(V1).change
    evening.press(2, "buy_in")
    for change in (0, before):
        evening.feed(ValidatorEnabled(V1, evening.at_ms, False, change))
        assert evening.live.binding == {V1: 1}
    evening.feed(ValidatorEnabled(V1, evening.at_ms, True))
    assert evening.live.binding == {V1: 1}


@pytest.mark.requirement("CRD-10")
def test_a_note_that_shows_up_during_the_wait_is_the_first_seats() -> None:
    evening = two_seats()
    evening.press(2, "buy_in")
    evening.feed(NoteAccepting(V1, evening.at_ms))
    assert accepts(evening), "it is drawn in already: let it come"
    evening.feed(NoteEscrowed(V1, evening.at_ms, NOTE, 1))
    assert evening.ordered(StackNote)
    evening.feed(NoteVendValid(V1, evening.at_ms))
    evening.feed(NoteStacked(V1, evening.at_ms))
    assert evening.credits(1, 2) == (NOTE, 0)
    assert not accepts(evening), "and then the change goes on"
    evening.confirm(V1)
    assert evening.live.binding == {V1: 2}


@pytest.mark.requirement("CRD-10", "PRN-09")
def test_a_ticket_that_shows_up_during_the_wait_is_the_first_seats() -> None:
    evening = Evening(seats=3, shared=True)
    number = evening.ticket(3, 5_000)
    evening.press(1, "buy_in")
    evening.obedient = False
    evening.press(2, "buy_in")
    evening.feed(NoteAccepting(V1, evening.at_ms))
    evening.feed(BarcodeEscrowed(V1, evening.at_ms, number))
    redeem = evening.last("RedeemIntended")
    assert isinstance(redeem, RedeemIntended)
    assert redeem.seat == 1


@pytest.mark.requirement("CRD-10")
def test_of_two_seats_that_press_during_a_change_the_last_one_gets_it() -> None:
    evening = two_seats()
    evening.press(2, "buy_in")
    evening.press(3, "buy_in")
    evening.press(3, "buy_in")
    evening.confirm(V1)
    assert evening.live.binding == {V1: 3}


@pytest.mark.requirement("CRD-10")
def test_the_seat_that_is_still_bound_takes_its_validator_back_at_once() -> None:
    evening = two_seats()
    evening.press(2, "buy_in")
    change = evening.live.device(V1).change
    evening.press(1, "buy_in")
    assert accepts(evening)
    evening.feed(ValidatorEnabled(V1, evening.at_ms, False, change))
    assert evening.live.binding == {V1: 1}
    evening.press(2, "buy_in")
    evening.feed(ValidatorEnabled(V1, evening.at_ms, False, change))
    assert evening.live.binding == {V1: 1}, "the first change is over: this is another one"
    evening.confirm(V1)
    assert evening.live.binding == {V1: 2}


@pytest.mark.requirement("CRD-10")
def test_a_seat_that_leaves_gives_the_validator_up_when_it_is_shut() -> None:
    """And whoever presses meanwhile waits for the same word."""
    evening = Evening(seats=3, shared=True)
    evening.press(1, "buy_in")
    evening.insert(1, NOTE)
    evening.obedient = False
    evening.press(1, "cash_out")
    assert not accepts(evening)
    assert "notes_to_seat" not in says(evening)
    evening.press(2, "buy_in")
    assert evening.live.binding == {V1: 1}
    evening.confirm(V1)
    assert evening.live.binding == {V1: 2}
    evening.press(3, "buy_in")
    evening.press(2, "cash_out")
    assert evening.live.rebinding[V1].seat == 3


@pytest.mark.requirement("CRD-10")
def test_a_validator_that_never_confirms_is_nobodys() -> None:
    evening = two_seats()
    evening.press(2, "buy_in")
    evening.advance(binding.CONFIRM_MS - 1)
    assert evening.live.rebinding
    evening.advance(1)
    assert (dict(evening.live.binding), dict(evening.live.rebinding)) == ({}, {})
    evening.feed(NoteEscrowed(V1, evening.at_ms, NOTE, 1))
    assert evening.ordered(ReturnNote), "nobody is bound: the note goes back"
    assert evening.credits(1, 2) == (0, 0)


@pytest.mark.requirement("CRD-10")
def test_a_program_that_starts_anew_during_a_change_binds_nobody() -> None:
    slot = Slot()
    slot.bind(1)
    slot.put_in(NOTE)
    slot.press(2, "buy_in")
    slot.new_program()
    slot.pass_ms(20_000)
    assert slot.live.binding == {}
    assert slot.credits(1, 2) == (0, 0)
    assert slot.machine.returned_cents == NOTE
    slot.bind(2)
    assert slot.put_in(500)
    slot.pass_ms(6_000)
    assert slot.credits(1, 2) == (0, 500)
