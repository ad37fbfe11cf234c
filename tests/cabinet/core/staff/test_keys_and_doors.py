"""Freeze and release, keys, the menu behind them, help."""

from __future__ import annotations

import pytest

from cabinet.core.decide import due
from cabinet.core.facts import Frozen, HandpayPaid, KeyTurned, Released
from cabinet.core.options import MENU_AFTER_MS, MENU_BUTTONS
from cabinet.core.outputs import outputs
from cabinet.core.staff import menu
from cabinet.core.turn import MendPrinter, ResetValidator
from drivers.device import (
    Fault,
    FaultRaised,
    Holding,
    InputChanged,
    NoteEscrowed,
    Pattern,
    TicketDone,
    TicketOutcome,
    ValidatorReport,
)
from support.evenings.evening import Evening

DAY_MS = 24 * 3600 * 1000
V1, P1 = "validator1", "printer1"


def door(evening: Evening, is_open: bool) -> None:
    evening.switch("door.main", is_open)


# ---- countdowns stand still


def test_a_door_in_the_betting_keeps_what_remained_and_release_starts_it_in_full() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus")
    evening.advance(5_000)
    door(evening, True)
    assert evening.last("Frozen") == Frozen(5_000, "D01")
    assert (evening.bets_end_ms(), evening.state.remaining_ms) == (None, 10_000)
    evening.advance(3_600_000)
    assert not evening.playing()
    assert evening.state.remaining_ms == 10_000
    door(evening, False)
    assert evening.last("Released") == Released(evening.at_ms)
    assert evening.bets_end_ms() == evening.at_ms + 15_000
    assert evening.state.bet(1) == 500


def test_a_door_in_the_decision_keeps_what_remained_and_release_starts_it_in_full() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1, 2)
    evening.press(1, "hit")
    evening.advance(evening.state.decision_opened_ms + 4_000 - evening.at_ms)
    door(evening, True)
    assert evening.state.remaining_ms == 8_000
    assert evening.state.deciding() == ()
    assert evening.lamps(2) == set()
    evening.press(2, "hit")
    assert evening.told(2) == "refused.not_now"
    evening.advance(600_000)
    door(evening, False)
    evening.advance(1)
    assert evening.state.deciding() == (2,), "what seat 1 said stays said"
    assert evening.state.decision_deadline_ms == evening.state.decision_opened_ms + 12_000
    assert evening.facts("Decided")[0].at_ms < 4_000


def test_a_door_while_cards_fly_lets_them_land_and_opens_the_decision_after_the_release() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    evening.advance(100)
    door(evening, True)
    evening.advance(60_000)
    assert evening.state.deciding() == ()
    door(evening, False)
    evening.advance(1)
    assert evening.state.deciding() == (1,)
    assert max(move.land_ms for move in evening.state.moves) <= evening.at_ms


def test_a_door_while_the_settlement_is_shown() -> None:
    evening = Evening("10H 9S 7D 10C", seats=2)
    evening.deal(1)
    evening.press(1, "stand")
    door(evening, True)
    assert evening.state.credit(1) == 10_500, "money is settled with the last card"
    evening.advance(60_000)
    door(evening, False)
    evening.land()
    assert "deal" in evening.lamps(1)


def test_a_door_at_an_idle_table() -> None:
    evening = Evening(seats=2)
    door(evening, True)
    assert evening.state.remaining_ms is None
    door(evening, False)
    assert evening.state.frozen == ""


def test_the_last_millisecond_before_the_door_counts() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1)
    deadline_ms = evening.state.decision_deadline_ms
    assert deadline_ms is not None
    evening.at_ms = deadline_ms + 5  # a late loop reads the door first
    door(evening, True)
    assert evening.state.remaining_ms == 0
    evening.advance(60_000)
    assert evening.facts("Decided") == [], "time that was frozen is no time-out"


def test_a_second_lock_takes_over_without_a_new_freeze() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1)
    evening.advance(evening.state.decision_opened_ms + 2_000 - evening.at_ms)
    evening.switch("key.attendant", True)
    frozen_ms = evening.state.frozen_ms
    evening.advance(1_000)
    door(evening, True)
    assert evening.state.frozen == "D01"
    assert (evening.state.frozen_ms, evening.state.remaining_ms) == (frozen_ms, 10_000)
    door(evening, False)
    assert evening.state.frozen == "H04"
    evening.switch("key.attendant", False)
    assert evening.state.frozen == ""
    assert len(evening.facts("Released")) == 1


def test_freeze_and_release_change_neither_money_nor_cards() -> None:
    def play(doors: bool) -> Evening:
        evening = Evening("8H 8S 6D 3C 10C 2C 4C 5C KC KD QC", seats=2)
        evening.deal(1, 2)
        for word in ("split", "stand"):
            for seat in (1, 2):
                if doors:
                    door(evening, True)
                    evening.advance(7_000)
                    door(evening, False)
                    evening.advance(1)
                evening.press(seat, word if seat == 1 else "hit")
            evening.land()
        while evening.playing():
            evening.advance(12_000)
        return evening

    quiet, noisy = play(doors=False), play(doors=True)
    assert quiet.state.results == noisy.state.results
    assert quiet.state.ledger == noisy.state.ledger
    assert quiet.state.shoe == noisy.state.shoe


# ---- restart


def test_after_a_restart_all_cards_lie_and_each_countdown_runs_in_full() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1, 2)
    evening.press(2, "hit")
    evening.advance(9_000)
    round_ = evening.state.round
    evening.crash()
    evening.advance(1)
    assert evening.state.round == round_
    assert evening.state.restored
    assert evening.state.deciding() == (1,)
    assert evening.state.decision_deadline_ms == 12_001
    evening.press(1, "hit")
    evening.land()
    evening.crash()
    assert evening.state.meters["power_resets"] == 2


def test_bets_on_the_table_have_a_full_countdown_after_a_restart() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus")
    evening.advance(14_000)
    evening.crash()
    assert evening.bets_end_ms() == 15_000
    evening.advance(15_000)
    assert evening.state.bets == ((1, 500),)


def test_a_settled_round_is_still_shown_after_a_restart() -> None:
    evening = Evening("10H 9S 7D 10C", seats=2)
    evening.deal(1)
    evening.press(1, "stand")
    evening.crash()
    assert evening.state.round is not None
    assert evening.state.settled_ms == 0
    assert not evening.state.restored
    evening.land()
    assert "deal" in evening.lamps(1)


@pytest.mark.parametrize(
    ("answer", "credit", "over"), [("play on", 9_500, False), ("all bets back", 10_000, True)]
)
def test_a_round_older_than_a_day_waits_for_the_attendant(answer: str, credit: int, over: bool) -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1)
    evening.wall_ms += DAY_MS + 1_000
    evening.crash()
    evening.advance(3_600_000)
    assert evening.state.frozen == "OLD"
    evening.switch("key.attendant", True)
    evening.switch("key.attendant", False)
    assert evening.state.frozen == "OLD", "the key alone decides nothing"
    evening.choose(answer)
    evening.advance(1)
    assert evening.state.frozen == ""
    assert evening.credits(1) == (credit,)
    assert evening.playing() != over
    assert evening.state.meters.get("voided", 0) == over


def test_a_round_of_yesterday_evening_is_not_old() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1)
    evening.wall_ms += DAY_MS - 60_000
    evening.crash()
    evening.advance(1)
    assert evening.state.deciding() == (1,)


def test_a_clock_that_lost_its_time_makes_no_round_old() -> None:
    evening = Evening("5H 4S 7D 2C", seats=2)
    evening.deal(1)
    evening.wall_ms = 0
    evening.crash()
    evening.advance(1)
    assert evening.state.deciding() == (1,)
    evening.wall_ms = 2_000_000_000_000
    evening.crash()
    assert evening.state.frozen == "OLD"
    evening.crash()
    assert [fact.code for fact in evening.facts("ConditionRaised")] == ["P03", "OLD"]  # type: ignore[attr-defined]


# ---- keys and the menu


def test_a_turned_key_is_written_and_lights_the_four_buttons_of_the_menu() -> None:
    evening = Evening(seats=2)
    evening.switch("key.attendant", True)
    assert evening.last("KeyTurned") == KeyTurned(0, "attendant", True)
    evening.advance(MENU_AFTER_MS)
    assert evening.lamps(1) == {button.value for button in MENU_BUTTONS}
    assert not evening.lamps(2)
    evening.switch("key.attendant", False)
    assert evening.last("KeyTurned") == KeyTurned(evening.at_ms, "attendant", False)


def test_the_service_key_goes_before_the_attendants() -> None:
    evening = Evening(seats=2)
    evening.switch("key.attendant", True)
    evening.switch("key.service", True)
    assert (evening.live.key, evening.state.frozen) == ("service", "H05")
    evening.switch("key.service", False)
    assert (evening.live.key, evening.state.frozen) == ("attendant", "H04")
    evening.switch("key.attendant", False)
    assert (evening.live.key, evening.state.frozen) == ("", "")


def test_presses_walk_through_the_menu_and_play_nothing() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 10_000)
    evening.switch("key.service", True)
    evening.press(1, "bet_minus", "hit", "help")
    assert evening.live.cursor == 0
    evening.walk("Devices", "validator2")
    assert menu.path(evening.live) == ("service", "devices", "device:validator2")
    assert menu.title("device:validator2") == "validator2"
    assert menu.title("devices") == "Devices"
    evening.walk("Last frames")
    assert menu.items(evening.state, evening.live) == ()
    evening.press(2, "bet_plus", "deal")
    evening.press(1, "cash_out", "cash_out")
    assert menu.path(evening.live) == ("service", "devices")
    evening.press(1, *["bet_plus"] * 20)
    assert evening.live.cursor == len(menu.items(evening.state, evening.live)) - 1
    evening.press(1, *["cash_out"] * 5)
    assert menu.path(evening.live) == ("service",)
    assert evening.state.bet(1) == 0
    assert evening.facts("CashOutAsked") == []


def test_every_page_of_the_service_menu_can_be_opened() -> None:
    evening = Evening(seats=1)
    evening.switch("key.service", True)
    for label in ("Status", "Open matters", "Meters", "Devices", "Lamps and inputs"):
        evening.walk(label)
        assert isinstance(menu.items(evening.state, evening.live), tuple)
        evening.press(1, "cash_out")
    evening.walk("Devices", "panel1")
    assert [item.label for item in menu.items(evening.state, evening.live)] == ["Last frames"]


def test_a_device_is_restarted_from_its_page() -> None:
    evening = Evening(seats=1)
    evening.switch("key.service", True)
    evening.walk("Devices", V1, "Restart")
    assert evening.ordered(ResetValidator) == [ResetValidator(V1)]
    evening.press(1, "cash_out")
    evening.walk(P1, "Restart")
    assert evening.ordered(MendPrinter) == [MendPrinter(P1)]


def test_a_lamp_is_tested_by_hand_until_the_page_is_left() -> None:
    evening = Evening(seats=2)
    evening.switch("key.service", True)
    evening.walk("Lamps and inputs", "Lamp seat2.split")

    def lamp(name: str) -> Pattern:
        return outputs(evening.state, evening.live).panel.get(name, Pattern.OFF)

    assert lamp("seat2.split") is Pattern.ON
    evening.walk("Lamp candle.bottom")
    assert lamp("seat2.split") is Pattern.OFF
    evening.walk("Lamp candle.bottom")
    assert evening.live.lamp_test == ""
    evening.walk("Lamp seat1.hit")
    evening.press(1, "cash_out")
    assert lamp("seat1.hit") is Pattern.OFF
    evening.walk("Lamps and inputs", "Lamp seat1.hit")
    evening.switch("key.service", False)
    assert lamp("seat1.hit") is Pattern.OFF


def many_matters() -> Evening:
    """Two hand payments, a ticket and two notes in question."""
    evening = Evening(seats=3, ticket_limit_cents=5_000)
    evening.insert(3, 500)
    evening.press(3, "cash_out")
    evening.feed(TicketDone("printer3", 0, evening.state.tickets[0].ref, TicketOutcome.UNKNOWN))
    for seat in (1, 2):
        evening.insert(seat, 10_000)
        evening.press(seat, "cash_out")
    evening.feed(NoteEscrowed("validator2", 0, 2_000, 1))
    evening.feed(ValidatorReport("validator2", 0, Holding.NOTHING))
    evening.feed(ValidatorReport("validator3", 0, Holding.IN_STACKER))
    return evening


def test_the_attendants_page_lists_every_open_matter() -> None:
    evening = many_matters()
    evening.switch("key.attendant", True)
    number = evening.state.tickets[0].number[-4:]
    assert [(item.label, item.about) for item in menu.items(evening.state, evening.live)] == [
        ("Seat 1: paid by hand", "$100.00"),
        ("Seat 2: paid by hand", "$100.00"),
        ("Seat 3: ticket in hand", f"{number}, $5.00"),
        ("Seat 3: not in hand", f"{number}, $5.00"),
        ("Seat 2: note in box", "$20.00"),
        ("Seat 2: note returned", "$20.00"),
        ("validator3 looked into", ""),
        ("Pay a ticket", ""),
        ("Table", ""),
        ("Recall", ""),
        ("Logs", ""),
    ]
    evening.walk("Seat 2: paid", "not in hand", "in box", "looked into")
    evening.walk("Seat 1: paid", "Seat 3: paid")
    left = [item.label for item in menu.items(evening.state, evening.live)]
    assert left == ["Pay a ticket", "Table", "Recall", "Logs"]
    evening.press(1, "deal")
    evening.switch("key.attendant", False)
    assert evening.state.ledger["handpaid"] == 20_500
    assert evening.credits() == (0, 2_000, 0)


def test_the_cursor_stays_when_nothing_of_the_list_has_changed() -> None:
    evening = many_matters()
    evening.switch("key.attendant", True)
    evening.press(1, "bet_plus", "bet_plus", "bet_plus")
    chosen = menu.items(evening.state, evening.live)[evening.live.cursor]
    assert "not in hand" in chosen.label
    evening.feed(TicketDone("printer3", 0, 999, TicketOutcome.PRINTED))
    evening.feed(FaultRaised("panel1", 0, Fault.INPUT_STUCK, "seat2.hit"))
    assert menu.items(evening.state, evening.live)[evening.live.cursor] == chosen


def test_a_number_that_fails_while_the_menu_is_open_moves_no_hand() -> None:
    """A ticket turns into a hand payment, which stands higher in the list."""
    evening = Evening(seats=3)
    for seat in (1, 2):
        evening.insert(seat, 500)
        evening.press(seat, "cash_out")
    one, two = evening.state.tickets
    evening.feed(TicketDone(one.device, 0, one.ref, TicketOutcome.UNKNOWN))
    evening.switch("key.attendant", True)
    evening.press(1, "bet_plus")
    assert "not in hand" in menu.items(evening.state, evening.live)[1].label
    evening.fault(two.device, Fault.HEAD_OPEN)
    evening.feed(TicketDone(two.device, 0, two.ref, TicketOutcome.NOT_STARTED))
    assert evening.live.cursor == 2
    evening.press(1, "deal")
    evening.confirm_by_key()
    assert [pay.seat for pay in evening.state.handpays] == [2, 1]
    assert evening.facts("HandpayPaid") == []


def test_a_matter_that_is_settled_twice_counts_once() -> None:
    evening = Evening(seats=1, ticket_limit_cents=5_000)
    evening.insert(1, 10_000)
    evening.press(1, "cash_out")
    ref = evening.state.handpays[0].ref
    evening.switch("key.attendant", True)
    evening.press(1, "deal")
    evening.confirm_by_key()
    paid_ms = evening.at_ms
    evening.press(1, "deal")
    evening.confirm_by_key()
    assert evening.facts("HandpayPaid") == [HandpayPaid(paid_ms, ref)]


def test_the_menu_closes_with_the_key() -> None:
    evening = Evening(seats=1)
    evening.switch("key.service", True)
    evening.walk("Devices")
    evening.switch("key.service", False)
    evening.switch("key.service", True)
    assert menu.path(evening.live) == ("service",)


# ---- help


def test_help_turns_its_pages_and_closes_after_the_last() -> None:
    evening = Evening(seats=1)
    pages = []
    for _ in range(5):
        evening.press(1, "help")
        pages.append(evening.live.help_open(1))
    assert pages == [1, 2, 3, 0, 1]


def test_help_that_has_closed_by_itself_opens_at_its_first_page() -> None:
    evening = Evening(seats=1)
    evening.press(1, "help", "help")
    evening.advance(evening.policy.timing.help_page_ms)
    evening.press(1, "help")
    assert evening.live.help_open(1) == 1


def instants(evening: Evening, span_ms: int) -> list[int]:
    """When time alone is awaited, from now on, in ms after now."""
    start_ms, found = evening.at_ms, []
    while (next_ms := due(evening.state, evening.live)) is not None and next_ms < start_ms + span_ms:
        found.append(next_ms - start_ms)
        evening.advance(next_ms - evening.at_ms)
    return found


def test_the_screen_is_asked_again_when_something_on_it_ends() -> None:
    evening = Evening(seats=1, attract_after_ms=20_000)
    timing = evening.policy.timing
    evening.press(1, "help", "bet_minus")
    door(evening, True)
    door(evening, False)
    ends = [timing.refused_ms, timing.door_closed_ms, 20_000, timing.help_page_ms]
    assert instants(evening, 60_000) == ends


def test_short_help_closes_sooner_while_a_round_is_open() -> None:
    evening = Evening("5H 4S 7D 2C", seats=1, attract_after_ms=10**9)
    evening.deal(1)
    evening.press(1, "help")
    assert evening.policy.timing.help_seat_ms in instants(evening, 60_000)


def test_game_restored_ends_by_itself() -> None:
    evening = Evening("5H 4S 7D 2C", seats=1, attract_after_ms=10**9)
    evening.deal(1)
    evening.crash()
    assert evening.policy.timing.restored_ms in instants(evening, 60_000)


def test_pressing_is_seen_by_the_service_page() -> None:
    evening = Evening(seats=1)
    for _ in range(40):
        evening.feed(InputChanged("panel1", 0, "seat1.help", True))
    assert len(evening.live.presses) == 24
    assert evening.live.inputs["seat1.help"]


def test_a_press_that_crosses_the_turning_key_was_meant_for_the_game() -> None:
    """A player's DEAL in the moment of the key would otherwise say that a ticket is in somebody's hand."""
    evening = Evening(seats=2)
    evening.insert(2, 5_000)
    evening.press(2, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)
    evening.insert(1, 5_000)
    evening.press(1, "bet_plus")
    evening.switch("key.attendant", True)
    for wait_ms in (0, 40, MENU_AFTER_MS - 41):
        evening.advance(wait_ms)
        evening.feed(InputChanged("panel1", evening.at_ms, "seat1.deal", True))
        evening.feed(InputChanged("panel1", evening.at_ms, "seat1.deal", False))
    assert evening.lamps(1) == set()
    assert evening.facts("TicketPrinted") == evening.facts("SeatReady") == []
    evening.advance(1)
    assert "deal" in evening.lamps(1), "from here on the menu is walked"
    evening.press(2, "deal")
    assert evening.facts("TicketPrinted") == []
    evening.press(1, "deal")
    evening.confirm_by_key()
    assert len(evening.facts("TicketPrinted")) == 1
