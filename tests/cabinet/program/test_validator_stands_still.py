"""Units that answer every poll and do nothing: within a minute there is a condition, a lamp, an item on the
attendant's page, and a seat that says what to do and invites no notes. The money inside goes as ever."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from cabinet.core.facts import Fact, NoteUnresolved
from cabinet.core.live import active_conditions
from cabinet.core.outputs import outputs
from cabinet.core.staff import menu
from cabinet.core.turn import AcknowledgeNote
from drivers.device import (
    Fault,
    Holding,
    NoteAccepting,
    NoteEscrowed,
    NoteGivenBack,
    NoteVendValid,
    Pattern,
    ValidatorReport,
)
from drivers.sim.validator.path import PathState, Quirks
from support.evenings.evening import Evening
from support.evenings.shared_slot import V1, Slot
from support.screens.seen import look, step_now

NOTE = 2_000
MINUTE_MS = 60_000


def codes(evening: Evening) -> list[str]:
    return [row.code for row, _, _ in active_conditions(evening.state, evening.live)]


def items(evening: Evening) -> list[str]:
    """What stands on the attendant's page, without turning the key (which restarts the device)."""
    return [item.label for item in menu._attendant(evening.state, evening.live)]


def until(slot: Slot, state: PathState) -> None:
    slot.pass_ms(8_000, until=lambda: slot.machine.path.state is state)
    assert slot.machine.path.state is state


def put_in_until(state: PathState, fault: str) -> Callable[[Slot], None]:
    def story(slot: Slot) -> None:
        slot.bind(1)
        slot.put_in(NOTE)
        until(slot, state)
        slot.machine.inject(fault, slot.wired.now_ms)

    return story


def ignored(slot: Slot) -> None:
    slot.bind(1)
    slot.machine.inject("ignores_stack", slot.wired.now_ms)
    slot.put_in(NOTE)


def goes_back(slot: Slot) -> None:
    slot.bind(1)
    slot.machine.insert(NOTE, slot.wired.now_ms, flaw=0x77)
    until(slot, PathState.REJECTING)
    slot.machine.inject("stands_still", slot.wired.now_ms)


def bound(*faults: str) -> Callable[[Slot], None]:
    def story(slot: Slot) -> None:
        slot.bind(1)
        for fault in faults:
            slot.machine.inject(fault, slot.wired.now_ms)

    return story


def closed(fault: str) -> Callable[[Slot], None]:
    """The unit is inhibited, and the next BUY IN finds that it does not open."""

    def story(slot: Slot) -> None:
        slot.machine.inject(fault, slot.wired.now_ms)
        slot.press(1, "buy_in")

    return story


STORIES: dict[str, tuple[Callable[[Slot], None], str]] = {
    "ACCEPTING for ever": (put_in_until(PathState.ACCEPTING, "stands_still"), "B09"),
    "STACKING for ever": (put_in_until(PathState.LIFTING, "stands_still"), "B09"),
    "STACKING for ever, past the point of no return": (
        put_in_until(PathState.PUSHING, "stands_still"),
        "B09",
    ),
    "STACKED for ever": (put_in_until(PathState.STACKED, "stands_still"), "B09"),
    "REJECTING for ever": (goes_back, "B09"),
    "STACK is not carried out": (ignored, "B09"),
    "INITIALIZE for ever": (bound("never_ready"), "B13"),
    "POWER UP after each RESET": (bound("powers_up", "restart"), "B13"),
    "inhibited though told to accept": (closed("stays_inhibited"), "B13"),
    "the order to accept is refused": (closed("refuses_accept"), "B13"),
    "the order to accept is echoed wrongly": (closed("echoes_wrongly"), "B13"),
    "inhibited after a restart, though told to accept": (bound("stays_inhibited", "restart"), "B13"),
    "refuses to accept after a restart": (bound("refuses_accept", "restart"), "B13"),
    "echoes accept wrongly after a restart": (bound("echoes_wrongly", "restart"), "B13"),
    "deaf until RESET": (bound("mute"), "B04"),
}


def speed(seed: int) -> Quirks:
    return Quirks(speed_percent=(100, 60, 180)[seed], stacked_polls=9)


@pytest.mark.requirement("BIL-06", "BIL-09")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("story", STORIES)
def test_within_a_minute_it_is_a_condition_an_item_a_lamp_and_a_seat_that_says_so(
    story: str, seed: int
) -> None:
    begin, code = STORIES[story]
    slot = Slot(speed(seed))
    begin(slot)
    if story.startswith("POWER UP"):
        slot.machine.path.power_off()
        slot.machine.power_on(slot.wired.now_ms)
    slot.pass_ms(MINUTE_MS)
    assert code in codes(slot)
    assert f"Restart {V1}" in items(slot)
    levels = outputs(slot.state, slot.live)
    assert levels.panel["candle.top"] is not Pattern.OFF
    assert not levels.accept[V1]
    seen = look(slot)
    assert "notes_to_seat" not in [banner.kind for banner in seen.banners]
    assert "no_notes" in [banner.kind for banner in seen.banners]
    for seat in step_now(slot).seats:
        said = seat.trouble or seat.message
        assert said is not None
        assert said.key not in ("seat.press_buy_in", "seat.notes_here", "seat.insert_note")
    slot.pass_ms(3 * MINUTE_MS)
    if "accept" not in story:  # one that can only be tried is tried again, with longer and longer pauses
        assert code in codes(slot)


@pytest.mark.requirement("BIL-06")
def test_a_unit_of_ones_own_that_stands_still_calls_somebody_to_its_seat() -> None:
    evening = Evening(seats=2)
    evening.fault(V1, Fault.NOT_READY)
    assert step_now(evening).seats[0].trouble.key == "seat.notes_stopped"  # type: ignore[union-attr]
    assert [b.kind for b in look(evening).banners if b.kind == "attendant_seats"]
    evening.mended(V1, Fault.NOT_READY)
    evening.fault(V1, Fault.LINK_LOST)
    assert not [b.kind for b in look(evening).banners if b.kind == "attendant_seats"], "it may be a plug"
    evening.advance(30_000)
    assert [b.kind for b in look(evening).banners if b.kind == "attendant_seats"]


@pytest.mark.requirement("BIL-06")
@pytest.mark.parametrize("fault", [Fault.STACKER_OPEN, Fault.STACKER_FULL])
def test_a_unit_that_speaks_of_its_box_until_it_is_restarted_can_be_restarted(fault: Fault) -> None:
    evening = Evening(seats=2)
    evening.fault(V1, fault)
    assert f"Restart {V1}" in items(evening)
    assert not [b.kind for b in look(evening).banners if b.kind == "attendant_seats"], (
        "a box is being changed"
    )
    evening.advance(30_000)
    assert [b.kind for b in look(evening).banners if b.kind == "attendant_seats"]


@pytest.mark.requirement("BIL-06")
def test_a_line_that_comes_and_goes_does_not_hide_a_stuck_document() -> None:
    """Each loss of the line began the wait again, so that nobody was ever called."""
    slot = Slot()
    slot.bind(1)
    slot.put_in(NOTE)
    until(slot, PathState.PUSHING)
    slot.machine.inject("stands_still", slot.wired.now_ms)
    found: set[str] = set()
    for _ in range(5):
        slot.pass_ms(9_000)
        found |= set(codes(slot))
        slot.wired.far_end.inject("silent", slot.wired.now_ms)
        slot.pass_ms(3_000)
        slot.wired.far_end.inject("mend", slot.wired.now_ms)
    assert {"B04", "B09"} <= found | set(codes(slot))


# ---- the money that is inside


def stuck(evening: Evening | None = None) -> Evening:
    """A note that was to be stacked, and its validator does not get on."""
    evening = evening or Evening(seats=2)
    evening.feed(NoteAccepting(V1, evening.at_ms))
    evening.feed(NoteEscrowed(V1, evening.at_ms, NOTE, 1))
    evening.fault(V1, Fault.DOCUMENT_STUCK)
    return evening


def unresolved(evening: Evening) -> list[str]:
    return [note.unresolved for note in evening.state.notes if note.unresolved]


@pytest.mark.requirement("BIL-02")
def test_a_late_vend_valid_credits_it_as_usual() -> None:
    evening = stuck()
    assert unresolved(evening) == ["stuck"]
    assert step_now(evening).seats[0].trouble.key == "seat.note_in_doubt"  # type: ignore[union-attr]
    evening.ordered(AcknowledgeNote)
    evening.feed(NoteVendValid(V1, evening.at_ms))
    assert evening.credits(1) == (NOTE,)
    assert evening.ordered(AcknowledgeNote)
    assert unresolved(evening) == []


@pytest.mark.requirement("BIL-02")
def test_a_late_return_is_no_money_and_no_question() -> None:
    evening = stuck()
    evening.feed(NoteGivenBack(V1, evening.at_ms, "returned"))
    assert (evening.credits(1), evening.state.notes) == ((0,), ())


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize(
    ("holding", "credit", "asked"),
    [
        (Holding.NOTHING, 0, ["nothing"]),
        (Holding.POWER_UP, 0, ["power_up"]),
        (Holding.IN_ACCEPTOR, 0, []),
        (Holding.RETURNING, 0, []),
        (Holding.IN_STACKER, NOTE, []),
        (Holding.VEND_VALID, NOTE, []),
    ],
)
@pytest.mark.parametrize("crash", [False, True])
def test_what_the_unit_says_after_its_restart_settles_it(
    holding: Holding, credit: int, asked: list[str], crash: bool
) -> None:
    evening = stuck()
    if crash:
        evening.crash()
    evening.feed(ValidatorReport(V1, evening.at_ms, holding))
    assert (evening.credits(1), unresolved(evening)) == ((credit,), asked)


def silent(evening: Evening) -> Evening:
    """It says nothing any more: a person opens it."""
    evening.mended(V1, Fault.DOCUMENT_STUCK)
    evening.fault(V1, Fault.LINK_LOST)
    return evening


@pytest.mark.requirement("BIL-02")
def test_nobody_is_asked_while_the_unit_still_moves_it() -> None:
    evening = stuck()
    assert not [label for label in items(evening) if "note in box" in label]
    silent(evening)
    assert [label for label in items(evening) if "note in box" in label]


@pytest.mark.requirement("BIL-02")
def test_what_was_paid_by_hand_is_not_paid_again_when_the_unit_goes_on() -> None:
    evening = silent(stuck())
    evening.choose("note in box")
    assert evening.credits(1) == (NOTE,)
    evening.mended(V1, Fault.LINK_LOST)
    evening.ordered(AcknowledgeNote)
    evening.feed(NoteVendValid(V1, evening.at_ms))
    assert evening.credits(1) == (NOTE,)
    assert evening.ordered(AcknowledgeNote), "it is told that we know"
    assert unresolved(evening) == []


@pytest.mark.requirement("BIL-02")
def test_what_was_paid_by_hand_and_comes_back_after_all_is_asked_about() -> None:
    evening = silent(stuck())
    evening.choose("note in box")
    evening.feed(NoteGivenBack(V1, evening.at_ms, "returned"))
    assert unresolved(evening) == ["returned after credit"]


@pytest.mark.requirement("BIL-02")
def test_a_note_that_was_said_to_be_returned_and_lies_in_the_box_is_asked_about_without_money() -> None:
    evening = silent(stuck())
    evening.choose("returned")
    evening.feed(NoteVendValid(V1, evening.at_ms))
    assert unresolved(evening) == ["vend_valid"]
    evening.choose(f"{V1} looked into")
    assert evening.credits(1) == (0,)


@pytest.mark.requirement("BIL-01", "BIL-02")
@pytest.mark.parametrize(
    "state", [PathState.ACCEPTING, PathState.LIFTING, PathState.PUSHING, PathState.VEND_VALID]
)
@pytest.mark.parametrize("restart", [False, True], ids=["", "program restarted"])
@pytest.mark.parametrize("end", ["healed", "key"])
def test_a_document_that_stands_still_ends_right_to_the_cent(
    state: PathState, restart: bool, end: str
) -> None:
    """By itself after minutes, or with the attendant's key; also with a new program meanwhile."""
    for soft_reset in ("initialize", "vend_valid", "in_stacker"):
        slot = Slot(Quirks(soft_reset=soft_reset))
        put_in_until(state, "stands_still")(slot)
        if restart:
            slot.new_program()
        slot.pass_ms(3 * MINUTE_MS)
        if end == "healed":
            slot.machine.inject("healed", slot.wired.now_ms)
        else:
            slot.switch("key.attendant", True)
            slot.pass_ms(2_000)
            slot.switch("key.attendant", False)
        slot.pass_ms(MINUTE_MS)
        open_cents = sum(note.cents for note in slot.state.notes if note.unresolved)
        credit, boxed = slot.state.credit(1), slot.machine.stacked_cents
        assert credit <= boxed <= credit + open_cents
        assert credit + open_cents <= NOTE
        assert {"B09", "B13", "B04"}.isdisjoint(codes(slot)), "and it works again"


@pytest.mark.requirement("BIL-06", "BIL-09")
@pytest.mark.parametrize("fault", ["stays_inhibited", "refuses_accept", "echoes_wrongly"])
def test_a_unit_that_did_not_open_is_tried_again_and_works_when_it_is_well(fault: str) -> None:
    slot = Slot()
    closed(fault)(slot)
    slot.pass_ms(2 * MINUTE_MS)
    slot.machine.inject("healed", slot.wired.now_ms)
    slot.pass_ms(6 * MINUTE_MS)
    assert "B13" not in codes(slot)
    slot.bind(1)
    assert slot.put_in(NOTE)
    slot.pass_ms(8_000)
    assert slot.credits(1) == (NOTE,)


@pytest.mark.requirement("BIL-06")
def test_a_unit_that_is_deaf_until_reset_gets_it_unasked() -> None:
    slot = Slot()
    slot.bind(1)
    slot.machine.inject("deaf", slot.wired.now_ms)
    slot.pass_ms(45_000)
    assert "B04" not in codes(slot)
    slot.bind(1)


@pytest.mark.requirement("BIL-06")
def test_a_unit_that_reset_does_not_help_gets_it_less_and_less_often() -> None:
    slot = Slot()
    slot.machine.inject("mute", slot.wired.now_ms)
    began_ms = slot.wired.now_ms
    given: list[int] = []
    reset = slot.machine.path.reset

    def count(now_ms: int) -> None:
        given.append(now_ms - began_ms)
        reset(now_ms)

    slot.machine.path.reset = count  # type: ignore[method-assign]
    slot.pass_ms(30 * MINUTE_MS)
    assert 18_000 < given[0] < 30_000
    pauses = [later - earlier for earlier, later in pairwise(given)]
    assert all(pause >= 55_000 for pause in pauses)
    assert pauses[:3] == sorted(pauses[:3])
    assert 5 <= len(given) <= 10


def told(evening: Evening) -> list[Fact]:
    return evening.facts("NoteUnresolved")


@pytest.mark.requirement("BIL-02", "BIL-06")
def test_a_document_that_stands_still_is_written_down_once() -> None:
    evening = stuck()
    evening.mended(V1, Fault.DOCUMENT_STUCK)
    evening.fault(V1, Fault.DOCUMENT_STUCK)
    assert told(evening) == [NoteUnresolved(0, 1, V1, "stuck")]
