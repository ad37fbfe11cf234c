"""No button completes an act about money: the key does, off and on again while the screen says what."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from cabinet.core import confirm
from cabinet.core.conditions import Code
from cabinet.core.confirm import OFF_LEAST_MS, OFF_MOST_MS, SHOWN_MS, WAITS_MS
from cabinet.core.facts import NoteSettledByHand
from cabinet.core.options import MENU_AFTER_MS
from cabinet.core.renewal import replace
from cabinet.core.staff import menu, money_acts
from cabinet.core.staff.money_acts import CONFIRMED
from cabinet.core.turn import TroubleReported
from drivers.device import (
    BarcodeEscrowed,
    Fault,
    Holding,
    InputChanged,
    NoteEscrowed,
    NoteVendValid,
    TicketDone,
    TicketOutcome,
    ValidatorReport,
)
from support.evenings.evening import Evening
from support.evenings.service_menu import Bench

PRESSES = 5_000  # of chance, in the default suite; the campaign has 100,000
KEY = "key.attendant"


def open_matters() -> Evening:
    """One of each: a hand payment, a ticket, a note, a ticket put in, a note of unknown value, a receipt, an
    old round."""
    evening = Evening(seats=5, ticket_limit_cents=50_000)
    number = evening.ticket(5, 7_000)
    evening.insert(1, 60_000)
    evening.press(1, "cash_out")
    evening.insert(2, 9_000)
    evening.press(2, "cash_out")
    evening.feed(TicketDone("printer2", evening.at_ms, evening.state.tickets[0].ref, TicketOutcome.UNKNOWN))
    evening.insert(4, 60_000)
    evening.press(4, "cash_out")
    evening.choose("Seat 4: paid")
    receipt = next(ticket for ticket in evening.state.tickets if ticket.handpay)
    evening.feed(TicketDone("printer4", evening.at_ms, receipt.ref, TicketOutcome.UNKNOWN))
    evening.feed(NoteEscrowed("validator3", evening.at_ms, 10_000, 0x67))
    evening.feed(ValidatorReport("validator3", evening.at_ms, Holding.NOTHING))
    evening.feed(BarcodeEscrowed("validator5", evening.at_ms, number))
    evening.feed(ValidatorReport("validator5", evening.at_ms, Holding.NOTHING))
    evening.feed(NoteVendValid("validator4", evening.at_ms))
    return evening


def old_round() -> Evening:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1, 2)
    evening.wall_ms += 25 * 3600 * 1000
    evening.crash()
    return evening


def no_cards() -> Evening:
    evening = Evening("5H 4S 7D", seats=1)
    evening.deal(1)
    evening.stacked.broken = True
    evening.press(1, "hit")
    return evening


def period() -> Evening:
    evening = Evening(seats=2)
    evening.insert(1, 5_000)
    return evening


# A story, the key, and the way to the page with what it is about.
PAGES: dict[str, tuple[Callable[[], Evening], str, tuple[str, ...]]] = {
    "attendant": (open_matters, "attendant", ()),
    "technician": (open_matters, "service", ("Open matters",)),
    "old round": (old_round, "attendant", ()),
    "no cards": (no_cards, "service", ("Open matters",)),
    "period": (period, "service", ("Meters", "Period 1")),
}


def at_page(name: str) -> Evening:
    story, key, way = PAGES[name]
    evening = story()
    evening.switch(f"key.{key}", True)
    evening.walk(*way)
    return evening


def books(evening: Evening) -> tuple[object, ...]:
    """Everything that is money, or says whose it is."""
    state = evening.state
    return (
        state.ledger, state.notes, state.tickets, state.handpays, state.issued, state.round_open,
        state.period,
    )  # fmt: skip


def tap(evening: Evening, button: str, seat: int = 1) -> None:
    """As quickly as it comes, whether its lamp is lit or not."""
    name = f"seat{seat}.{button}"
    evening.feed(InputChanged("panel1", evening.at_ms, name, True))
    evening.feed(InputChanged("panel1", evening.at_ms, name, False))


BUTTONS = ("deal", "bet_minus", "bet_plus", "cash_out")


def pressed_by_chance(name: str, presses: int, seed: int) -> dict[tuple[str, ...], int]:
    """How often each act was asked for. No account may change."""
    dice = random.Random(f"{name} {seed}")
    evening = at_page(name)
    before, asked = books(evening), dict[tuple[str, ...], int]()
    wanted = money_items(evening)
    home = evening.live.menu
    for _ in range(presses):
        waiting = evening.live.confirming
        evening.advance(dice.choice((0, 5, 40, 200, 400, 1_000, 1_100, 3_000)))
        if evening.live.menu[: len(home)] != home:  # astray: back to the page that this is about
            evening.live = replace(evening.live, menu=home, cursor=0, confirming=None)
        if dice.random() < 0.1:
            tap(
                evening,
                dice.choice((*BUTTONS, "hit", "stand", "double", "split", "help")),
                dice.choice((1, 2)),
            )
        else:
            tap(evening, dice.choices(BUTTONS, (5, 2, 7, 1))[0])
        now = evening.live.confirming
        if now is not None and now is not waiting:
            asked[now.order] = asked.get(now.order, 0) + 1
        assert books(evening) == before
        del evening.journal[:-50]  # thousands of presses close and open the table
    assert set(asked) == wanted, "every act was reached"
    return asked


def money_items(evening: Evening) -> set[tuple[str, ...]]:
    return {
        item.does
        for item in menu.items(evening.state, evening.live)
        if item.does and item.does[0] in CONFIRMED
    }


@pytest.mark.requirement("CRD-13")
@pytest.mark.parametrize("name", PAGES)
def test_no_presses_of_buttons_change_an_account(name: str) -> None:
    pressed_by_chance(name, PRESSES, seed=1)


@pytest.mark.campaign
@pytest.mark.requirement("CRD-13")
@pytest.mark.parametrize("name", PAGES)
def test_a_hundred_thousand_presses_change_no_account(name: str) -> None:
    asked = pressed_by_chance(name, 100_000, seed=2)
    assert min(asked.values()) >= 100, asked


@pytest.mark.requirement("CRD-13")
@pytest.mark.parametrize("name", PAGES)
def test_no_six_presses_change_an_account(name: str) -> None:
    """All sequences, quick and slow; what two of them have in common is pressed once."""
    evening = at_page(name)
    evening.advance(MENU_AFTER_MS)
    before = books(evening)
    reached: dict[object, Evening] = {None: evening}
    asked: set[tuple[str, ...]] = set()
    for _ in range(6):
        found: dict[object, Evening] = {}
        for place in reached.values():
            for button in BUTTONS:
                for wait_ms in (0, SHOWN_MS + 1):
                    twin = place.fork()
                    twin.advance(wait_ms)
                    tap(twin, button)
                    assert books(twin) == before
                    if twin.live.confirming is not None:
                        asked.add(twin.live.confirming.order)
                    lit = frozenset(twin.lamps(1))
                    found.setdefault((twin.live.menu, twin.live.cursor, twin.live.confirming, lit), twin)
        reached = found
    near = [item.does for item in menu.items(evening.state, evening.live)][:6]
    assert asked >= {order for order in near if order and order[0] in CONFIRMED}


# ---- the key


def asked_note() -> Evening:
    """The attendant has chosen "note in box", and has read what it means."""
    evening = Evening(seats=1)
    evening.feed(NoteEscrowed("validator1", 0, 10_000, 0x67))
    evening.feed(ValidatorReport("validator1", 0, Holding.NOTHING))
    evening.switch(KEY, True)
    evening.press(1, "deal")
    evening.advance(SHOWN_MS)
    return evening


def off_and_on(evening: Evening, off_ms: int) -> None:
    evening.switch(KEY, False)
    evening.advance(off_ms)
    evening.switch(KEY, True)


@pytest.mark.requirement("CRD-13")
@pytest.mark.parametrize("off_ms", [OFF_LEAST_MS, 2_000, OFF_MOST_MS])
def test_the_key_off_and_on_again_confirms_once(off_ms: int) -> None:
    evening = asked_note()
    assert evening.facts("NoteSettledByHand") == []
    off_and_on(evening, off_ms)
    assert evening.facts("NoteSettledByHand") == [
        NoteSettledByHand(evening.at_ms, 1, "validator1", True, "attendant")
    ]
    assert evening.credits() == (10_000,)
    assert (menu.path(evening.live), evening.live.confirming) == (("attendant",), None)
    off_and_on(evening, 1_000)
    evening.advance(60_000)
    off_and_on(evening, 1_000)
    assert len(evening.facts("NoteSettledByHand")) == 1


def test_who_has_turned_the_service_key_is_named_as_the_technician() -> None:
    evening = open_matters()
    evening.choose("Seat 3: note in box", "service")
    assert evening.last("NoteSettledByHand").by == "technician"  # type: ignore[attr-defined]


@pytest.mark.requirement("CRD-13")
def test_a_key_that_comes_on_too_late_confirms_nothing() -> None:
    evening = asked_note()
    evening.switch(KEY, False)
    evening.advance(OFF_MOST_MS)
    assert (evening.live.key, evening.state.frozen) == ("attendant", "H04"), (
        "the page stays, the table stands"
    )
    evening.advance(1)
    assert (evening.live.key, evening.state.frozen) == ("", "")
    evening.switch(KEY, True)
    assert evening.live.confirming is None
    assert evening.credits() == (0,)


def test_a_late_key_confirms_nothing_when_the_timer_has_not_been_heard_yet() -> None:
    evening = asked_note()
    evening.switch(KEY, False)
    evening.feed(InputChanged("panel1", evening.at_ms + OFF_MOST_MS + 1, KEY, True))
    assert (evening.credits(), evening.live.menu, evening.live.confirming) == ((0,), (), None)


def test_a_key_that_is_turned_off_before_the_sentence_could_be_read_only_closes_the_pages() -> None:
    evening = Evening(seats=1)
    evening.feed(NoteEscrowed("validator1", 0, 10_000, 0x67))
    evening.feed(ValidatorReport("validator1", 0, Holding.NOTHING))
    evening.switch(KEY, True)
    evening.press(1, "deal")
    evening.advance(SHOWN_MS - 1)
    evening.switch(KEY, False)
    assert (evening.live.key, evening.live.confirming) == ("", None)
    evening.advance(500)
    evening.switch(KEY, True)
    assert evening.credits() == (0,)


def test_a_page_that_a_slow_commit_keeps_from_the_screen_is_not_confirmed() -> None:
    """The press and the key are read in one step: nobody has seen what the press asked for."""
    evening = Evening(seats=1)
    evening.feed(NoteEscrowed("validator1", 0, 10_000, 0x67))
    evening.feed(ValidatorReport("validator1", 0, Holding.NOTHING))
    evening.switch(KEY, True)
    evening.press(1, "deal")
    at_ms = evening.at_ms + 10 * SHOWN_MS
    evening.feed(InputChanged("panel1", at_ms, KEY, False))
    evening.feed(InputChanged("panel1", at_ms + 500, KEY, True))
    assert evening.credits() == (0,)


@pytest.mark.requirement("CRD-13")
def test_half_a_minute_withdraws_it() -> None:
    evening = asked_note()
    evening.advance(WAITS_MS - SHOWN_MS)
    assert menu.path(evening.live) == ("attendant",)
    off_and_on(evening, 1_000)
    assert evening.credits() == (0,)


@pytest.mark.requirement("CRD-13")
@pytest.mark.parametrize("seed", range(200))
def test_a_bad_contact_never_confirms(seed: int) -> None:
    """It opens and closes again and again, never for as long as a person takes."""
    dice = random.Random(seed)
    evening = asked_note()
    for _ in range(40):
        off_and_on(evening, dice.randrange(OFF_LEAST_MS))
        evening.advance(dice.randrange(400))
        if dice.random() < 0.2:
            tap(evening, "deal")
    assert evening.credits() == (0,)
    assert evening.facts("NoteSettledByHand") == []


def test_after_a_bad_contact_a_true_turn_still_counts_once() -> None:
    evening = asked_note()
    for gap_ms in (3, 40, OFF_LEAST_MS - 1):
        off_and_on(evening, gap_ms)
    off_and_on(evening, 800)
    assert evening.credits() == (10_000,)


@pytest.mark.requirement("CRD-13")
def test_another_amount_withdraws_it() -> None:
    """What is confirmed is what was read, to the cent."""
    evening = asked_note()
    evening.switch(KEY, False)
    (note,) = evening.state.notes
    evening.state = replace(evening.state, notes=(replace(note, cents=5_000),))
    evening.books_may_fail = True
    evening.audit.check = lambda *_args: None  # type: ignore[method-assign]
    evening.advance(500)
    evening.switch(KEY, True)
    assert evening.facts("NoteSettledByHand") == []


def test_a_matter_that_ends_by_itself_meanwhile_is_not_recorded_a_second_time() -> None:
    evening = old_round()
    evening.switch(KEY, True)
    evening.press(1, "bet_plus", "deal")
    assert evening.live.confirming is not None
    evening.state = replace(evening.state, conditions=())
    evening.fault("printer1", Fault.PAPER_LOW)
    assert menu.path(evening.live) == ("attendant",)
    assert evening.live.outcome.startswith("Nothing was recorded")
    off_and_on(evening, 1_000)
    assert evening.facts("RoundVoided") == []


def test_back_another_key_and_a_restart_withdraw_it() -> None:
    evening = asked_note()
    evening.press(1, "cash_out")
    off_and_on(evening, 1_000)
    evening = asked_note()
    evening.switch(KEY, False)
    evening.switch("key.service", True)
    evening.switch(KEY, True)
    evening.switch("key.service", False)
    assert evening.credits() == (0,)
    evening = asked_note()
    evening.switch(KEY, False)
    evening.crash()
    evening.advance(500)
    evening.switch(KEY, True)
    assert evening.credits() == (0,)


def test_a_button_while_the_key_is_off_plays_no_game_and_confirms_nothing() -> None:
    evening = asked_note()
    evening.switch(KEY, False)
    for button in ("deal", "bet_plus", "bet_minus", "help"):
        tap(evening, button)
    assert evening.live.confirming is not None
    evening.press(1, "cash_out")
    assert not evening.live.key, "BACK, and the key is off"


def test_a_tilt_withdraws_it() -> None:
    evening = asked_note()
    evening.switch(KEY, False)
    evening.feed(TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full"))
    assert (evening.live.confirming, evening.live.key) == (None, "")
    evening.advance(500)
    evening.switch(KEY, True)
    assert evening.facts("NoteSettledByHand") == []


def test_the_generator_is_tried_when_the_service_key_has_stayed_off() -> None:
    """What the end of the technician's visit brings about waits for the end of the question."""
    evening = at_page("no cards")
    evening.press(1, "deal")
    evening.advance(SHOWN_MS)
    evening.stacked.broken = False
    evening.switch("key.service", False)
    assert ("F04", "") in evening.state.conditions
    evening.advance(OFF_MOST_MS + 1)
    assert ("F04", "") not in evening.state.conditions
    assert evening.facts("RoundVoided") == []


def test_closing_the_table_takes_one_press() -> None:
    evening = Evening(seats=1)
    evening.switch(KEY, True)
    evening.walk("Table")
    evening.press(1, "bet_plus", "deal")
    assert ("H06", "") in evening.state.conditions


# ---- what the screen says


def test_the_page_says_what_will_be_recorded_and_how() -> None:
    bench = Bench()
    evening = bench.evening = Evening(seats=1)
    evening.feed(NoteEscrowed("validator1", 0, 10_000, 0x67))
    evening.feed(ValidatorReport("validator1", 0, Holding.NOTHING))
    bench.turn("attendant")
    evening.press(1, "deal")
    page = bench.look()
    assert page.headline == "The note of $100.00 is in the cash box?"
    assert (
        page.subline == "Nothing is recorded yet. Turn the attendant's key off and on again, if this is true."
    )
    assert bench.facts("WHAT")["Effect"] == "Seat 1 gets $100.00 of credit."
    assert (page.menu, page.enter, page.back) == (("Seat 1: note in box",), "", "to Open matters")
    evening.advance(SHOWN_MS)
    evening.switch(KEY, False)
    assert "on again now" in bench.look().subline
    evening.advance(600)
    evening.switch(KEY, True)
    assert bench.look().subline == "Recorded: The note of $100.00 is in the cash box."


# ---- what these tests would find


def test_a_menu_that_settles_at_one_press_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(money_acts, "CONFIRMED", frozenset())
    for name in ("attendant", "old round", "period"):
        with pytest.raises(AssertionError):
            pressed_by_chance(name, 500, seed=1)


def test_a_key_that_any_bad_contact_turns_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirm, "OFF_LEAST_MS", 0)
    with pytest.raises(AssertionError):
        test_a_bad_contact_never_confirms(1)


def test_a_confirmation_that_is_not_judged_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ("whatever", "was said")
    monkeypatch.setattr(money_acts, "says", lambda *_args: said)
    with pytest.raises(AssertionError):
        test_a_matter_that_ends_by_itself_meanwhile_is_not_recorded_a_second_time()
