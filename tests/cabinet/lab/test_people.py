"""Simulated people: nobody waits for what cannot come, no hand is quicker than a finger."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from cabinet.config import load
from cabinet.core.renewal import replace
from cabinet.lab.glance import Glance, Laid, Matter, SeatGlance
from cabinet.lab.people import FINGER_MS, Attendant, Habits, Player
from cabinet.lab.strategy import chart_of
from cabinet.lab.table import cabinet_file
from game.cards import parse
from game.rules import Rules

RULES = Rules()
CHART = chart_of(load(cabinet_file("table5")))
ALWAYS, NEVER = 100, 0
CALM = Habits(sleeps_percent=NEVER, leaves_percent=NEVER, sits_out_percent=NEVER, odd_choice_percent=NEVER)

BRINGS = replace(CALM, brings_ticket_percent=ALWAYS)


@dataclass
class Hands:
    """A cabinet that remembers what was done to it. `takes` is whether its validators draw notes in."""

    takes: bool = True
    box: int = 0
    top: str = ""  # the ticket on top in the cash box
    tray: tuple[str, ...] = ()
    done: list[tuple[int, str]] = field(default_factory=list)

    def press(self, name: str, now_ms: int) -> None:
        self.done.append((now_ms, name))

    def turn(self, name: str, on: bool, now_ms: int) -> None:
        self.done.append((now_ms, f"{name} {'on' if on else 'off'}"))

    def insert(self, validator: str, cents: int, now_ms: int) -> bool:
        self.done.append((now_ms, f"note into {validator}"))
        return self.takes

    def take(self, printer: str, now_ms: int) -> None:
        """There is never a ticket in the chute."""

    def in_tray(self, printer: str, number: str) -> bool:
        return number in self.tray

    def own_ticket(self, printer: str, seat: int) -> str:
        return self.tray[-1] if self.tray else ""

    def insert_ticket(self, validator: str, digits: str, now_ms: int) -> bool:
        self.done.append((now_ms, f"ticket {digits} into {validator}"))
        return self.takes

    def on_top(self, validator: str) -> str:
        return self.top

    def box_cents(self, validator: str) -> int:
        return self.box

    def mend(self, device: str, now_ms: int) -> None:
        self.done.append((now_ms, f"mends {device}"))

    @property
    def names(self) -> list[str]:
        return [name for _, name in self.done]


def seat(number: int = 1, **changes: object) -> SeatGlance:
    plain = SeatGlance(number, 0, 0, 0, (), locked=False, waiting=False)
    return replace(plain, **changes)  # type: ignore[arg-type]


def glance(*seats: SeatGlance, live: bool = False, round_number: int = 1, **changes: object) -> Glance:
    seats = seats or (seat(),)
    laid = Laid(round_number, live, ((),), ((),), (parse("6C"),), (), (), ())
    plain = Glance(
        begun=True, now_ms=0, session=1, laid=laid, settled_ms=None, frozen="", opened_ms=0, deciding=(),
        hand=(), seats=seats, matters=(), in_work=(), conditions=(), key="", menu=(), cursor=0,
        confirming=(), key_off=False,
        bills_cents=(("validator1", 0),), binding=(), stopping=False,
    )  # fmt: skip
    return replace(plain, **changes)  # type: ignore[arg-type]


def player(habits: Habits = CALM, seed: int = 1) -> Player:
    return Player(1, RULES, CHART, ("validator1", "printer1"), habits, seed)


def spend(person: Player | Attendant, seen: Glance, hands: Hands, ms: int, since_ms: int = 0) -> int:
    """Let `ms` pass with the same view; when they have passed."""
    end_ms = since_ms + ms
    person.wake_at = max(person.wake_at, since_ms)
    while person.wake_at <= end_ms:
        person.act(seen, hands, person.wake_at)
    return end_ms


# ---- players


def test_buttons_that_walk_through_a_menu_are_not_the_players() -> None:
    hands, locked = Hands(), seat(locked=True, lamps=("cash_out", "deal"))
    impatient = replace(CALM, impatient_percent=100)
    spend(player(impatient), glance(locked, key="attendant"), hands, 10_000)
    assert "seat1.cash_out" not in " ".join(hands.names)
    spend(player(impatient), glance(locked), hands, 10_000)
    assert "seat1.cash_out" in " ".join(hands.names)


def test_a_player_with_a_ticket_of_the_cabinet_puts_it_in_once() -> None:
    """One that comes back goes to the cashier: nobody stands there for ever."""
    person = Player(1, RULES, CHART, ("validator1", "printer1"), BRINGS, 1, barcode=True)
    hands = Hands(tray=("111", "222"))
    spend(person, glance(), hands, 60_000)
    tickets = [name for name in hands.names if name.startswith("ticket")]
    assert tickets == ["ticket 222 into validator1"]
    assert "note into validator1" in hands.names


def test_where_no_tickets_are_read_none_is_put_in() -> None:
    hands = Hands(tray=("222",))
    spend(player(BRINGS), glance(), hands, 60_000)
    assert {name.partition(" ")[0] for name in hands.names} == {"note"}


def test_a_player_without_money_puts_in_a_note() -> None:
    hands = Hands()
    spend(player(), glance(), hands, 5_000)
    assert hands.names[0] == "note into validator1"


def test_a_player_whose_notes_are_never_taken_goes_elsewhere() -> None:
    hands, somebody = Hands(takes=False), player()
    passed_ms = spend(somebody, glance(seat(credit_cents=300)), hands, 120_000)
    assert 2 <= hands.names.count("note into validator1") <= 10
    hands.done.clear()
    spend(somebody, glance(seat(credit_cents=300, lamps=("cash_out",))), hands, 5_000, passed_ms)
    assert "seat1.cash_out" in hands.names


@pytest.mark.parametrize("seed", range(5))
def test_a_last_bet_that_is_too_large_now_does_not_keep_a_player_waiting(seed: int) -> None:
    """DEAL would place it again, but its lamp is dark; a one-seat cabinet has no countdown to help out."""
    hands = Hands()
    poorer = glance(seat(credit_cents=500, last_bet_cents=3_000, lamps=("bet_plus",)))
    spend(player(seed=seed), poorer, hands, 20_000)
    assert "seat1.bet_plus" in hands.names


def test_who_sits_out_comes_back_although_no_round_was_played() -> None:
    hands, somebody = Hands(), player(replace(CALM, sits_out_percent=ALWAYS))
    table = glance(seat(credit_cents=5_000, lamps=("bet_plus",)))
    passed_ms = spend(somebody, table, hands, 30_000)
    assert hands.names == []
    somebody.habits = CALM
    spend(somebody, table, hands, 30_000, passed_ms)
    assert "seat1.bet_plus" in hands.names


def test_a_deal_that_was_not_heard_is_pressed_again() -> None:
    hands = Hands()
    spend(player(), glance(seat(credit_cents=500, bet_cents=500, lamps=("bet_minus", "deal"))), hands, 30_000)
    assert hands.names.count("seat1.deal") > 1


def test_who_has_pressed_deal_waits_for_the_others() -> None:
    hands = Hands()
    spend(player(), glance(seat(bet_cents=500, lamps=("bet_minus",))), hands, 30_000)
    assert hands.names == []


@pytest.mark.parametrize("pace", [1, 8, 1000])
def test_no_hand_presses_a_button_before_it_can_have_come_up_again(pace: int) -> None:
    hands = Hands()
    table = glance(seat(credit_cents=50_000, lamps=("bet_plus", "deal")))
    spend(player(replace(CALM, pace=pace)), table, hands, 60_000)
    times = [at_ms for at_ms, _ in hands.done]
    assert len(times) > 5
    assert min(b - a for a, b in pairwise(times)) >= FINGER_MS


def test_a_decision_is_thought_about_once_and_follows_the_chart() -> None:
    """Hard 16 against a ten is hit; every opening of a decision is a new one, also after a restart."""
    hands, somebody = Hands(), player()
    cards = (parse("10C"), parse("6D"))
    table = glance(
        seat(bet_cents=500, lamps=("hit", "stand")),
        live=True,
        deciding=(1,),
        hand=cards,
        opened_ms=5,
    )
    table = replace(table, laid=replace(table.laid, dealer=(parse("KH"),)))
    passed_ms = spend(somebody, table, hands, 4_500)
    assert hands.names[0] == "seat1.hit"
    first_ms = hands.done[0][0]
    hands.done.clear()
    spend(somebody, replace(table, session=2), hands, 10_000, passed_ms)
    assert hands.done[0][0] - passed_ms > 0
    assert first_ms > 0


def test_whoever_sleeps_at_a_table_without_a_countdown_wakes_up() -> None:
    hands = Hands()
    table = glance(seat(lamps=("hit", "stand")), live=True, deciding=(1,), hand=(parse("10C"), parse("6D")))
    spend(player(replace(CALM, sleeps_percent=ALWAYS)), table, hands, 60_000)
    assert "seat1.hit" in hands.names or "seat1.stand" in hands.names


def test_who_goes_home_cashes_out_during_the_round_of_the_others() -> None:
    hands, somebody = Hands(), player()
    somebody.go_home()
    spend(somebody, glance(seat(credit_cents=700, lamps=("cash_out",)), live=True), hands, 5_000)
    assert "seat1.cash_out" in hands.names
    hands.done.clear()
    spend(somebody, glance(), hands, 120_000, 5_000)
    assert hands.names == [], "he has gone"


def test_a_note_can_be_put_in_in_the_middle_of_a_round() -> None:
    hands, somebody = Hands(), player()
    somebody.buy_more()
    spend(somebody, glance(seat(credit_cents=700, bet_cents=500), live=True), hands, 10_000)
    assert hands.names == ["note into validator1"]


def test_at_a_shared_validator_a_seat_is_claimed_before_the_note() -> None:
    hands, somebody = Hands(), player()
    free = glance(seat(lamps=("buy_in",)), binding=(("validator1", 2),))
    passed_ms = spend(somebody, free, hands, 4_000)
    assert hands.names[0] == "seat1.buy_in"
    assert "note into validator1" not in hands.names, "it would be seat 2's money"
    spend(somebody, replace(free, binding=(("validator1", 1),)), hands, 4_000, passed_ms)
    assert hands.names[-1] == "note into validator1"


@pytest.mark.parametrize(("frozen", "key"), [("D01", ""), ("H04", "attendant")])
def test_nobody_plays_while_the_table_stands(frozen: str, key: str) -> None:
    hands = Hands()
    table = glance(seat(credit_cents=700, lamps=("bet_plus",)), frozen=frozen, key=key)
    spend(player(), table, hands, 20_000)
    assert hands.names == []


# ---- the attendant

NOTE = Matter("note", 7, 2, 2_000, "validator1")
NUMBER = "007056714085471234"
TICKET = Matter("ticket", 9, 1, 4_500, "printer1", NUMBER)


def at_work(*matters: Matter, menu: tuple[tuple[str, ...], ...] = (), cursor: int = 0) -> Glance:
    lamps = ("bet_minus", "bet_plus", "deal", "cash_out")
    return glance(seat(lamps=lamps), key="attendant", matters=matters, menu=menu, cursor=cursor)


def test_nobody_comes_uncalled() -> None:
    hands = Hands()
    spend(Attendant(1), glance(), hands, 60_000)
    assert hands.names == []


def test_an_open_matter_brings_the_attendant_and_his_key() -> None:
    hands, attendant = Hands(), Attendant(1)
    spend(attendant, glance(matters=(NOTE,)), hands, 12_000)
    assert hands.names[0] == "key.attendant on"
    assert attendant.visits >= 1


def test_the_attendant_walks_to_the_line_and_chooses_it_there() -> None:
    menu = (("note", "7", "validator1", "yes"), ("note", "7", "validator1", "no"), ("paid", "3"))
    hands, attendant = Hands(), Attendant(1, pace=8)
    spend(attendant, at_work(NOTE, menu=menu), hands, 1_100)
    assert hands.names == ["seat1.bet_plus"]
    hands.done.clear()
    spend(attendant, at_work(NOTE, menu=menu, cursor=1), hands, 350, 1_200)
    assert hands.names[0] == "seat1.deal"
    hands.done.clear()
    spend(attendant, at_work(NOTE, menu=menu, cursor=2), hands, 250, 1_800)
    assert hands.names[0] == "seat1.bet_minus"


def test_the_attendant_waits_for_the_lamps_of_the_menu() -> None:
    hands = Hands()
    dark = replace(at_work(NOTE, menu=(("note", "7", "validator1", "no"),)), seats=(seat(),))
    spend(Attendant(1), dark, hands, 5_000)
    assert hands.names == []


@pytest.mark.parametrize(("in_box_cents", "said"), [(2_000, "yes"), (1_000, "no"), (0, "no")])
def test_a_note_is_in_the_box_if_the_box_holds_more_than_the_meters_say(in_box_cents: int, said: str) -> None:
    menu = (("note", "7", "validator1", said),)
    hands, attendant = Hands(box=3_000 + in_box_cents), Attendant(1)
    seen = replace(at_work(NOTE, menu=menu), bills_cents=(("validator1", 3_000),))
    spend(attendant, seen, hands, 1_200)
    assert hands.names == ["seat1.deal"]


@pytest.mark.parametrize(("tray", "said"), [((NUMBER,), "yes"), ((), "no"), (("111111111111111234",), "no")])
def test_a_ticket_is_looked_for_in_the_tray(tray: tuple[str, ...], said: str) -> None:
    hands, attendant = Hands(tray=tray), Attendant(1)
    spend(attendant, at_work(TICKET, menu=(("ticket", "9", said),)), hands, 1_200)
    assert hands.names == ["seat1.deal"]


def test_when_nothing_is_left_to_do_the_key_is_turned_back() -> None:
    hands, attendant = Hands(), Attendant(1)
    spend(attendant, at_work(), hands, 1_200)
    assert hands.names == ["key.attendant off"]


def test_what_the_screen_asks_is_confirmed_with_the_key_and_what_is_not_true_is_left() -> None:
    hands, attendant = Hands(tray=(NUMBER,)), Attendant(1)
    asked = replace(at_work(TICKET), confirming=("ticket", "9", "yes"))
    passed_ms = spend(attendant, asked, hands, 2_600)
    spend(attendant, replace(asked, key_off=True), hands, 700, passed_ms)
    assert hands.names[:2] == ["key.attendant off", "key.attendant on"]
    hands.done.clear()
    spend(Attendant(1), replace(asked, confirming=("ticket", "9", "no")), hands, 1_200)
    assert hands.names == ["seat1.cash_out"]


def test_a_device_that_needs_a_hand_gets_one_without_a_key() -> None:
    hands, attendant = Hands(), Attendant(1)
    spend(attendant, glance(conditions=(("T02", "printer1"),)), hands, 9_500)
    assert hands.names == ["mends printer1"]


def test_a_jam_is_cleared_before_the_key_is_turned() -> None:
    hands, attendant = Hands(), Attendant(1)
    spend(attendant, glance(conditions=(("B01", "validator1"),)), hands, 9_500)
    assert hands.names[:2] == ["mends validator1", "key.attendant on"]


def test_a_silent_device_is_left_alone_until_it_has_been_silent_for_long() -> None:
    """It may be starting, with an answer about a note that only it can give."""
    hands, attendant = Hands(), Attendant(1)
    silent = glance(conditions=(("B04", "validator1"),))
    passed_ms = spend(attendant, silent, hands, 15_000)
    passed_ms = spend(attendant, glance(), hands, 2_000, passed_ms)
    passed_ms = spend(attendant, silent, hands, 15_000, passed_ms)
    assert hands.names == []
    spend(attendant, silent, hands, 20_000, passed_ms)
    assert "mends validator1" in hands.names


def test_a_note_in_question_is_no_reason_to_restart_its_validator() -> None:
    hands, attendant = Hands(), Attendant(1)
    spend(attendant, glance(matters=(NOTE,), conditions=(("B06", "validator1"),)), hands, 9_500)
    assert hands.names[0] == "key.attendant on"
    assert "mends validator1" not in hands.names


def test_a_round_of_yesterday_is_played_on() -> None:
    hands, attendant = Hands(), Attendant(1)
    spend(
        attendant, at_work(Matter("round", 0, 0, 0), menu=(("round", "on"), ("round", "void"))), hands, 1_200
    )
    assert hands.names == ["seat1.deal"]
