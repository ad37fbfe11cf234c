"""Every way in which a seat can look, told as evenings."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import pytest

from cabinet.core.look import Button, CashOutState, LampLook, Message, SeatState
from drivers.device import Fault, NoteAccepting, NoteGivenBack, TicketOutcome, TicketTaken
from game.rules import Rules
from support.evenings.evening import Evening
from support.screens.seen import look, seat_now, step_at, step_now

HIGH = "10H 6S 9D"  # a hard 16 against a nine


def states(evening: Evening) -> list[str]:
    return [seat.state.value for seat in step_now(evening).seats]


def lit(evening: Evening, seat: int) -> dict[str, str]:
    return {b.value: lamp.value for b, lamp in seat_now(evening, seat).lamps if lamp is not LampLook.OFF}


# ---- between rounds


def test_a_free_seat_asks_for_a_note_and_tells_when_it_checks_one() -> None:
    evening = Evening()
    free = seat_now(evening, 2)
    assert (free.state, free.head.key) == (SeatState.EMPTY, "head.free")
    assert free.message == Message("seat.insert_note_or_ticket")
    evening.feed(NoteAccepting("validator2", evening.at_ms))
    assert seat_now(evening, 2).message == Message("seat.paper_coming")
    evening.switch("door.drop", True)
    assert seat_now(evening, 1).message == Message("seat.notes_not_accepted")


def test_credit_then_a_bet_then_ready_and_the_others_are_asked_in_amber() -> None:
    evening = Evening()
    for seat in (1, 2, 3):
        evening.insert(seat, 10_000)
        evening.press(seat, "bet_minus")  # refused, but the seat has shown itself
    assert states(evening) == ["credit", "credit", "credit", "empty", "empty"]
    assert lit(evening, 1) == {"bet_plus": "lit", "cash_out": "outlined", "help": "outlined"}
    evening.press(1, "bet_plus", "bet_plus")
    assert states(evening) == ["bet", "place_bet", "place_bet", "empty", "empty"]
    first = seat_now(evening, 1)
    assert (first.bets, first.bet_cents, first.credit_cents) == (1, 1_000, 9_000)
    assert lit(evening, 1)["deal"] == "lit"
    evening.press(1, "deal")
    assert states(evening)[0] == "ready"
    assert seat_now(evening, 1).message == Message("seat.waiting_for", (("seats", (2, 3)),))
    evening.press(2, "bet_plus")
    assert seat_now(evening, 1).message == Message("seat.waiting_for", (("seats", (2, 3)),))
    evening.press(2, "deal")
    assert seat_now(evening, 2).message == Message("seat.waiting_for", (("seats", (3,)),))


def test_credit_below_the_lowest_bet_is_not_asked_to_bet() -> None:
    evening = Evening()
    evening.insert(1, 10_000)
    evening.insert(2, 100)
    evening.press(2, "bet_plus")
    evening.press(1, "bet_plus")
    assert states(evening)[:2] == ["bet", "credit"]
    assert seat_now(evening, 2).refused == Message("refused.need_more", (("missing_cents", 400),))


def test_who_sat_a_round_out_is_away_until_he_touches_a_button() -> None:
    evening = Evening(deal=HIGH + " 8C")
    evening.insert(2, 5_000)
    evening.press(2, "help")
    evening.deal(1)
    evening.advance(evening.policy.bet_ms)
    evening.land()
    assert states(evening)[:2] == ["turn", "out"]
    assert lit(evening, 2) == {"cash_out": "outlined", "help": "outlined"}
    evening.press(1, "stand")
    evening.land()
    evening.advance(evening.policy.attract_after_ms)
    assert states(evening)[1] == "credit"
    evening.press(1, "bet_plus")
    away = seat_now(evening, 2)
    assert (away.state, away.message) == (SeatState.AWAY, Message("seat.press_to_return"))
    evening.press(2, "stand")
    assert states(evening)[1] == "place_bet"


def test_who_has_just_put_in_a_note_is_not_away() -> None:
    evening = Evening()
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus")
    evening.insert(2, 2_000)
    assert states(evening)[:2] == ["bet", "place_bet"]


@pytest.mark.requirement("CRD-10")
def test_a_shared_validator_says_where_notes_go() -> None:
    evening = Evening(seats=3, shared=True)
    assert seat_now(evening, 1).message == Message("seat.press_buy_in")
    evening.press(2, "buy_in")
    assert seat_now(evening, 2).message == Message("seat.notes_here", (("seat", 2),))
    assert seat_now(evening, 2).notes_here
    assert not seat_now(evening, 1).notes_here
    assert lit(evening, 2)["buy_in"] == "lit"
    assert [b.text.args for b in look(evening).banners] == [(("seat", 2),)]


def test_only_cabinets_with_a_shared_validator_have_buy_in() -> None:
    assert Button.BUY_IN not in dict(seat_now(Evening(), 1).lamps)
    assert Button.BUY_IN in dict(seat_now(Evening(shared=True), 1).lamps)


# ---- deciding


def test_cards_are_coming_then_it_is_your_turn_with_the_legal_lamps() -> None:
    evening = Evening(deal="5H 6S 9D")
    for seat in (1, 2):
        evening.insert(seat, 2_000 if seat == 1 else 500)
        evening.press(seat, "bet_plus")
    evening.press(1, "deal")
    evening.press(2, "deal")
    assert states(evening)[:3] == ["watch", "watch", "empty"]
    assert seat_now(evening, 1).message == Message("seat.in_play")
    assert lit(evening, 1) == {"help": "outlined"}
    evening.land()
    assert states(evening)[:3] == ["turn", "turn", "empty"]
    assert lit(evening, 1) == {"hit": "lit", "stand": "lit", "double": "lit", "help": "outlined"}
    assert "double" not in lit(evening, 2)  # no credit for a second bet
    evening.press(2, "double")
    refused = seat_now(evening, 2)
    assert refused.refused == Message("refused.need_more", (("missing_cents", 500),))
    assert refused.refused_ms == evening.at_ms
    evening.advance(evening.policy.timing.refused_ms)
    assert seat_now(evening, 2).refused is None


def test_a_decision_is_said_at_once_and_waits_for_the_others() -> None:
    evening = Evening(deal="5H 6S 9D 5C")
    evening.deal(1, 2, 3, 4)
    evening.press(1, "hit")
    evening.press(2, "stand")
    evening.press(3, "double")
    for seat, head in ((1, "head.hit"), (2, "head.stand"), (3, "head.double")):
        said = seat_now(evening, seat)
        assert (said.state, said.head.key) == (SeatState.DECIDED, head)
        assert said.message == Message("seat.waiting_for", (("seats", (4,)),))
    assert (seat_now(evening, 3).bet_cents, seat_now(evening, 3).credit_cents) == (1_000, 9_000)
    assert seat_now(evening, 3).bets == 1
    evening.press(4, "hit")
    now = step_now(evening)
    assert [s.message for s in now.seats[:4]] == [
        Message("seat.in_play"),
        Message("seat.hand_played"),
        Message("seat.one_card_comes"),
        Message("seat.in_play"),
    ]
    assert now.seats[1].head == Message("head.stood", (("total", 11),))
    evening.land()
    assert states(evening)[:4] == ["turn", "stood", "doubled", "turn"]
    assert seat_now(evening, 3).message == Message("seat.one_card_stands", (("total", 16),))


def test_no_choice_in_time_is_a_time_out_and_not_a_word() -> None:
    evening = Evening(deal=HIGH)
    evening.deal(1, 2)
    evening.press(1, "stand")
    evening.advance(evening.policy.decide_ms)
    late = seat_now(evening, 2)
    assert (late.state, late.head.key) == (SeatState.TIME_OUT, "head.time_out")
    assert late.message == Message("seat.no_choice_stands", (("total", 16),))
    assert seat_now(evening, 1).message == Message("seat.dealer_next")  # the hand is completed first


def test_bust_shows_when_the_card_has_landed_and_not_before() -> None:
    evening = Evening(deal=HIGH + " KC 8S")
    evening.deal(1, 2)
    evening.press(1, "hit")
    evening.press(2, "stand")
    seen = look(evening)
    land_ms = seen.hands[0].cards[2].land_ms
    assert step_at(seen, land_ms - 1).seats[0].state is SeatState.DECIDED
    bust = step_at(seen, land_ms).seats[0]
    assert (bust.state, bust.head) == (SeatState.BUST, Message("head.bust", (("total", 26),)))
    assert bust.message == Message("seat.over_21")


def test_21_stands_by_itself() -> None:
    evening = Evening(deal="10H 6S 9D 5C 8S")
    evening.deal(1)
    evening.press(1, "hit")
    seen = look(evening)
    done = step_at(seen, seen.hands[0].cards[2].land_ms).seats[0]
    assert (done.state, done.head) == (SeatState.STOOD, Message("head.stood", (("total", 21),)))


def test_a_natural_is_everybodys_and_waits_for_the_dealers_one_card() -> None:
    evening = Evening(deal="AH KS AD 9C")
    for seat in (1, 2):
        evening.insert(seat, 10_000)
        evening.press(seat, "bet_plus")
    evening.press(1, "deal")
    evening.press(2, "deal")
    seen = look(evening)
    up_ms = seen.dealer[0].land_ms
    assert step_at(seen, up_ms - 1).seats[0].state is SeatState.WATCH
    waits = step_at(seen, up_ms).seats[0]
    assert (waits.state, waits.message) == (SeatState.BLACKJACK, Message("seat.blackjack_dealer_draws"))
    paid = step_at(seen, seen.dealer[1].land_ms).seats[0]
    assert paid.message == Message("seat.blackjack_pays", (("pays", "3:2"),))


def test_a_blackjack_against_a_dealers_is_not_promised_a_payment() -> None:
    evening = Evening(deal="AH KS AD KC")
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    seen = look(evening)
    both = step_at(seen, seen.dealer[1].land_ms).seats[0]
    assert (both.state, both.message) == (SeatState.BLACKJACK, Message("seat.hand_played"))
    assert seen.steps[-1].seats[0].head == Message("head.push")


# ---- splits


def test_some_split_some_keep_the_pair_and_each_panel_says_which() -> None:
    evening = Evening(deal="8H 8S 6D 3C KH 3D 9C 7S 2H 5D")
    evening.deal(1, 2, 3)
    evening.press(1, "split")
    evening.press(2, "hit")
    assert seat_now(evening, 1).head == Message("head.split")
    assert (seat_now(evening, 1).bets, seat_now(evening, 1).bet_cents) == (1, 1_000)
    evening.press(3, "stand")
    one, two, three = step_now(evening).seats[:3]
    assert (one.state, one.message, one.bets, one.bet_cents) == (
        SeatState.SPLIT,
        Message("seat.plays_two"),
        2,
        1_000,
    )
    assert (two.state, two.message) == (SeatState.DECIDED, Message("seat.keeps_pair"))
    assert (three.state, three.head) == (SeatState.STOOD, Message("head.stood", (("total", 16),)))
    evening.land()
    assert states(evening)[:3] == ["split", "turn", "stood"]
    evening.press(2, "stand")
    evening.land()
    assert states(evening)[:3] == ["turn", "stood", "stood"]  # split 1
    assert step_now(evening).line == Message("line.split_to_go", (("hand", 1), ("count", 1)))


def test_the_second_split_hand_is_still_to_come_after_the_first_is_bust() -> None:
    evening = Evening(deal="8H 8S 6D 10C KH 3D")
    evening.deal(1, 2)
    evening.press(1, "split")
    evening.press(2, "split")
    evening.land()
    evening.press(1, "hit")
    assert seat_now(evening, 1).message == Message("seat.split_waits", (("hand", 1), ("seats", (2,))))
    evening.press(2, "stand")
    seen = look(evening)
    hit_ms = seen.hands[1].cards[2].land_ms
    first = step_at(seen, hit_ms).seats[0]
    assert (first.state, first.head) == (SeatState.SPLIT, Message("head.bust", (("total", 28),)))
    assert first.message == Message("seat.split_next", (("hand", 2),))
    second = step_at(seen, hit_ms).seats[1]
    assert (second.state, second.head) == (SeatState.STOOD, Message("head.stood", (("total", 18),)))


def test_a_double_on_a_split_hand_names_the_hand() -> None:
    evening = Evening(deal="8H 8S 6D 3C")
    evening.deal(1, 2)
    evening.press(1, "split")
    evening.press(2, "split")
    evening.land()
    evening.press(1, "double")
    said = seat_now(evening, 1)
    assert said.message == Message("seat.split_doubled", (("hand", 1), ("seats", (2,))))
    assert (said.bets, said.bet_cents, said.credit_cents) == (2, 1_500, 8_500)


def test_split_aces_take_one_card_each_and_ask_nothing() -> None:
    evening = Evening(deal="AH AS 6D 2H 3S 10D 4C")
    evening.deal(1)
    evening.press(1, "split")
    seen = look(evening)
    assert step_now(evening).seats[0].message == Message("seat.one_card_each_ace")
    assert seen.hands[0].gone
    done = step_at(seen, seen.hands[2].cards[1].land_ms).seats[0]
    assert done.state is SeatState.SPLIT


# ---- the settlement


def test_the_block_shows_the_net_of_the_round() -> None:
    evening = Evening(deal="10H 7S 9D 2C 3D 8H", seats=3)  # 17, 19; dealer 9 + 8
    evening.deal(1, 2)
    evening.press(1, "stand")
    evening.press(2, "hit")
    evening.land()
    evening.press(2, "stand")
    seen = look(evening)
    assert seen.settled_ms is not None
    before = step_at(seen, seen.settled_ms - 1)
    assert [(s.credit_cents, s.won_cents, s.result_cents) for s in before.seats[:2]] == [(9_500, 0, None)] * 2
    after = step_at(seen, seen.settled_ms)
    push, win = after.seats[:2]
    assert (push.state, push.head.key, push.result_cents) == (SeatState.PUSH, "head.push", 0)
    assert (win.state, win.head.key, win.result_cents) == (SeatState.WIN, "head.win", 500)
    assert (win.credit_from_cents, win.credit_cents, win.won_from_cents, win.won_cents) == (
        9_500,
        10_500,
        0,
        500,
    )
    timing = evening.policy.timing
    filled_ms = seen.settled_ms + timing.lose_fade_ms + timing.settle_pause_ms + timing.win_fill_ms
    assert win.roll_ms == filled_ms
    evening.land()
    assert seat_now(evening, 2).roll_ms is None
    assert seat_now(evening, 2).state is SeatState.WIN  # until the next bet
    evening.press(2, "bet_plus")
    assert states(evening)[:2] == ["place_bet", "bet"]
    assert seat_now(evening, 2).won_cents == 500


def test_wins_count_up_one_seat_after_another() -> None:
    evening = Evening(deal="10H 9S 7D 10C")
    evening.deal(1, 2, 3)
    for seat in (1, 2, 3):
        evening.press(seat, "stand")
    seats = look(evening).steps[-1].seats
    starts = [seat.roll_ms or 0 for seat in seats[:3]]
    assert [b - a for a, b in pairwise(starts)] == [80, 80]


def test_a_net_loss_is_never_dressed_as_a_win() -> None:
    # Split 1 is doubled and loses, split 2 wins: one bet against two.
    evening = Evening(deal="8H 8S 10D 3C 2D 10S 10C 7H 7D", seats=2)
    evening.deal(1)
    evening.press(1, "split")
    evening.land()
    evening.press(1, "double")
    evening.land()
    while evening.state.round_open:
        evening.press(1, "stand")
        evening.land()
    assert [(r.stake_cents, r.outcome.value) for r in evening.state.results] == [
        (1_000, "lose"),
        (500, "win"),
    ]
    shown = seat_now(evening, 1)
    assert (shown.state, shown.head.key, shown.result_cents) == (SeatState.LOSE, "head.lose", -500)


def test_a_win_and_a_loss_of_the_same_size_are_even() -> None:
    # Split 1 stands on 18 and wins against 17, split 2 on 11 and loses.
    evening = Evening(deal="8H 8S 10D 10C 7S 3C 10S 7D", seats=2)
    evening.deal(1)
    evening.press(1, "split")
    evening.land()
    evening.press(1, "stand")
    evening.land()
    evening.press(1, "stand")
    evening.land()
    assert [r.outcome.value for r in evening.state.results] == ["win", "lose"]
    shown = seat_now(evening, 1)
    assert (shown.state, shown.head.key, shown.result_cents) == (SeatState.PUSH, "head.even", 0)


def test_a_blackjack_win_says_so() -> None:
    evening = Evening(deal="AH KS 9D")
    evening.deal(1)
    evening.land()
    won = seat_now(evening, 1)
    assert (won.state, won.head.key, won.result_cents) == (SeatState.WIN, "head.blackjack", 750)


# ---- money out


@pytest.mark.requirement("PRN-07")
def test_a_ticket_is_printed_in_the_seats_own_panel_and_waits_to_be_taken() -> None:
    evening = Evening(deal=HIGH)
    evening.deal(1)
    evening.insert(2, 23_500)
    evening.press(2, "cash_out")
    out = seat_now(evening, 2)
    assert (out.state, out.head.key) == (SeatState.CASH_OUT, "head.cash_out")
    assert out.ticket is not None
    assert (out.ticket.state, out.ticket.cents) == (CashOutState.PRINTING, 23_500)
    assert out.ticket.last_digits == evening.state.tickets[0].number[-4:]
    assert out.message == Message("seat.printing", (("credit_cents", 0),))
    assert step_now(evening).seats[0].state is SeatState.TURN
    evening.advance(4_000)
    evening.printed()
    taken = seat_now(evening, 2).ticket
    assert taken is not None
    assert (taken.state, taken.since_ms) == (CashOutState.TAKE, evening.at_ms)
    assert len(taken.last_digits) == 4
    evening.feed(TicketTaken("printer2", evening.at_ms))
    assert seat_now(evening, 2).state is SeatState.EMPTY


@pytest.mark.requirement("PRN-06")
def test_a_shared_printer_tells_each_seat_its_place() -> None:
    evening = Evening(seats=3, shared=True)
    for seat in (1, 2, 3):
        evening.press(seat, "buy_in")
        evening.insert(seat, 5_000)
    for seat in (2, 1, 3):
        evening.press(seat, "cash_out")
    tickets = [seat_now(evening, seat).ticket for seat in (2, 1, 3)]
    assert [t.state.value for t in tickets if t] == ["printing", "queued", "queued"]
    assert [t.place for t in tickets if t] == [0, 2, 3]
    assert seat_now(evening, 3).message == Message("seat.queue", (("place", 3),))


@pytest.mark.requirement("CRD-07")
def test_over_the_ticket_limit_an_attendant_pays() -> None:
    evening = Evening(ticket_limit_cents=10_000)
    evening.insert(1, 20_000)
    evening.press(1, "cash_out")
    held = seat_now(evening, 1)
    assert (held.state, held.head.key) == (SeatState.CASH_OUT, "head.handpay")
    assert held.ticket is not None
    assert (held.ticket.state, held.ticket.cents) == (CashOutState.HANDPAY, 20_000)
    assert held.message == Message("seat.handpay_back"), "the amount stands on the slip below"
    evening = Evening(ticket_limit_cents=10_000, handpay_cancel=False)
    evening.insert(1, 20_000)
    evening.press(1, "cash_out")
    assert seat_now(evening, 1).message == Message("seat.handpay", (("amount_cents", 20_000),))
    assert [b.kind for b in look(evening).banners] == ["attendant_seats"]


def test_a_ticket_in_doubt_is_for_the_attendant() -> None:
    evening = Evening()
    evening.insert(1, 20_000)
    evening.press(1, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)
    asked = seat_now(evening, 1)
    assert asked.ticket is not None
    assert (asked.ticket.state, asked.message) == (CashOutState.ASK, Message("seat.ask_ticket"))


@pytest.mark.requirement("CRD-08")
def test_a_large_win_is_shown_to_its_end_before_the_seat_is_locked() -> None:
    evening = Evening(deal="10H 9S 7D 10C", large_win_cents=500)
    evening.deal(1)
    evening.press(1, "stand")
    assert evening.state.handpays
    seen = look(evening)
    assert seen.banners == ()
    assert [seat.credit_cents for seat in (step.seats[0] for step in seen.steps[:-1])] == [9_500] * (
        len(seen.steps) - 1
    )
    assert seen.steps[-1].seats[0].state is SeatState.WIN
    evening.land()
    locked = seat_now(evening, 1)
    assert (locked.state, locked.head.key) == (SeatState.LOCKED, "head.large_win")
    assert locked.message == Message("seat.win_by_hand", (("amount_cents", 500),))
    assert [b.kind for b in look(evening).banners] == ["attendant_seats"]


def test_whoever_has_cashed_out_after_a_round_leaves_a_free_seat() -> None:
    evening = Evening(deal="10H 9S 7D 10C")
    evening.deal(1, 2)
    evening.press(1, "stand")
    evening.press(2, "stand")
    evening.land()
    evening.press(1, "cash_out")
    assert seat_now(evening, 1).state is SeatState.CASH_OUT
    evening.printed()
    evening.feed(TicketTaken("printer1", evening.at_ms))
    assert states(evening)[:2] == ["empty", "win"]


# ---- the one-seat cabinet


@pytest.mark.parametrize(
    ("deal", "doubles", "hint"),
    [
        ("10H 6S 9D", (9, 10, 11), Message("seat.hint_hit_stand", (("total", 16),))),
        ("5H 6S 9D", (9, 10, 11), Message("seat.hint_double", (("bet_cents", 500),))),
        ("8H 8S 9D", (9, 10, 11), Message("seat.hint_split", (("bet_cents", 500),))),
        ("8H 8S 9D", "any", Message("seat.hint_double_or_split", (("bet_cents", 500),))),
    ],
)
def test_one_seat_reads_what_its_lit_buttons_do(
    deal: str, doubles: tuple[int, ...] | Literal["any"], hint: Message
) -> None:
    evening = Evening(deal=deal, seats=1, rules=Rules(double_totals=doubles))
    evening.insert(1, 10_000)
    assert seat_now(evening, 1).message == Message("seat.hint_bet")
    evening.press(1, "bet_plus", "deal")
    evening.land()
    assert seat_now(evening, 1).message == hint


def test_one_seat_is_told_that_deal_repeats_the_bet() -> None:
    evening = Evening(deal="10H 9S 7D 10C", seats=1)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    assert seat_now(evening, 1).message == Message("seat.hint_rebet", (("bet_cents", 500),))


def test_a_table_that_is_held_does_not_promise_cards() -> None:
    """The cards lie and nobody may choose: an old round says who is called, a lock-up says it itself."""
    evening = Evening("5H 4S 7D", seats=2)
    evening.deal(1, 2)
    evening.press(1, "hit")
    evening.switch("door.main", True)
    waits = Message("seat.waiting_for", (("seats", (2,)),))
    assert [seat_now(evening, seat).message for seat in (1, 2)] == [waits, None]
    evening.start(clean=False)
    assert evening.state.awaited() == (2,)
    evening.switch("door.main", True)
    assert [seat_now(evening, seat).message for seat in (1, 2)] == [None, None]
    evening.wall_ms += 25 * 3600 * 1000
    evening.start(clean=False)
    assert evening.state.frozen == "OLD"
    called = Message("seat.attendant_called")
    assert [seat_now(evening, seat).message for seat in (1, 2)] == [called, called]


def test_cards_in_the_air_when_a_door_opens_are_still_coming() -> None:
    evening = Evening("5H 4S 7D", seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    evening.switch("door.main", True)
    assert seat_now(evening, 1).message == Message("seat.in_play")


# ---- what is given back, and what is paid by hand


def test_the_reason_for_a_returned_ticket_stands_until_its_guest_has_taken_it_and_looked_up() -> None:
    evening = Evening(seats=2)
    assert not evening.insert_ticket(1, "012345678901234567")
    evening.press(2, "deal")
    press, paper = seat_now(evening, 2), seat_now(evening, 1)
    assert (press.refused, press.refused_until_ms - press.refused_ms) == (Message("refused.bet_first"), 2_500)
    assert (paper.refused, paper.refused_until_ms - paper.refused_ms) == (
        Message("refused.ticket_unknown"),
        9_000,
    )
    evening.advance(8_900)
    assert (seat_now(evening, 2).refused, seat_now(evening, 1).refused) == (None, paper.refused)
    evening.advance(100)
    assert seat_now(evening, 1).refused is None


def test_a_note_that_is_not_read_is_answered_at_its_seat() -> None:
    evening = Evening(seats=2)
    evening.feed(NoteAccepting("validator2", evening.at_ms))
    evening.feed(NoteGivenBack("validator2", evening.at_ms, "insertion error"))
    assert [seat_now(evening, seat).refused for seat in (1, 2)] == [None, Message("refused.note_not_read")]


def test_a_cash_out_by_hand_says_why_it_is_no_ticket() -> None:
    evening = Evening(seats=3, ticket_limit_cents=10_000, payout_unit_cents=5)
    evening.fault("printer2", Fault.PAPER_OUT)
    for seat, cents in ((1, 20_000), (2, 2_000), (3, 3)):
        evening.insert(seat, cents)
        evening.press(seat, "cash_out")
    slips = [seat_now(evening, seat).ticket for seat in (1, 2, 3)]
    assert [slip and slip.why and slip.why.key for slip in slips] == [
        "seat.why_limit",
        "seat.why_printer",
        "seat.why_residual",
    ]
    evening = Evening(seats=1)
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)
    evening.choose("not in hand")
    slip = seat_now(evening, 1).ticket
    assert slip is not None
    assert slip.why == Message("seat.why_failed")
