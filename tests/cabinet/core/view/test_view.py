"""What the whole screen shows: scenes, and the words of the table."""

from __future__ import annotations

import pytest

from cabinet.core.live import active_conditions
from cabinet.core.look import Cue, HandTurn, HelpLook, Message, Scene, SeatState, Step, TablePhase
from cabinet.core.state import State
from cabinet.core.turn import StopAsked
from cabinet.core.view.build import view
from drivers.device import NoteAccepting, NoteTable, NoteType, TicketTaken
from game.grid import CellState
from game.rules import Rules, Shuffle, Takes
from support.evenings.evening import Evening
from support.screens.seen import look, step_at, step_now

HIGH = "10H 6S 9D"


def key(message: Message | None) -> str | None:
    return None if message is None else message.key


def at_each_card(evening: Evening, hand: int = 0) -> list[Step]:
    seen = look(evening)
    cards = seen.dealer if hand < 0 else (*seen.hands[hand].cards, *seen.hands[hand].continuation)
    return [step_at(seen, card.land_ms) for card in cards]


# ---- scenes


def test_a_table_that_nobody_has_touched_attracts_at_once() -> None:
    evening = Evening()
    assert (look(evening).scene, look(evening).attract_ms) == (Scene.ATTRACT, 0)
    evening.advance(1_000)
    evening.press(1, "hit")
    assert look(evening).scene is Scene.TABLE
    touched_ms = evening.at_ms
    evening.advance(evening.policy.attract_after_ms - 1)
    assert look(evening).scene is Scene.TABLE
    evening.advance(1)
    assert look(evening).scene is Scene.ATTRACT
    assert look(evening).attract_ms == touched_ms + evening.policy.attract_after_ms


def test_a_note_on_its_way_in_wakes_the_table() -> None:
    evening = Evening()
    evening.feed(NoteAccepting("validator1", evening.at_ms))
    assert look(evening).scene is Scene.TABLE
    evening.insert(1, 2_000)
    evening.advance(evening.policy.attract_after_ms)
    assert look(evening).scene is Scene.TABLE  # there is credit on it
    evening.advance(9 * evening.policy.attract_after_ms)
    seen = look(evening)
    assert seen.scene is Scene.ATTRACT
    assert seen.steps[-1].seats[0].state is SeatState.CREDIT


def test_a_ticket_in_the_chute_keeps_the_table() -> None:
    evening = Evening()
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")
    evening.printed()
    evening.advance(evening.policy.attract_after_ms)
    assert look(evening).scene is Scene.TABLE
    evening.feed(TicketTaken("printer1", evening.at_ms))
    assert look(evening).scene is Scene.ATTRACT


def test_help_takes_the_screen_only_while_nobody_plays() -> None:
    evening = Evening(deal=HIGH)
    evening.insert(1, 10_000)
    evening.press(2, "help", "help")
    assert look(evening).scene is Scene.HELP
    assert look(evening).help == HelpLook(seat=2, page=2, pages=3)
    evening.press(1, "bet_plus")
    seen = look(evening)
    assert (seen.scene, seen.help) == (Scene.TABLE, None)
    assert [seat.help_page for seat in seen.steps[-1].seats] == [0] * 5
    evening.press(2, "help", "help")
    assert look(evening).scene is Scene.TABLE
    assert [seat.help_page for seat in step_now(evening).seats] == [0, 2, 0, 0, 0]
    evening.press(1, "bet_plus")
    assert [seat.help_page for seat in step_now(evening).seats] == [0, 2, 0, 0, 0]
    evening.advance(evening.policy.timing.help_seat_ms)
    assert [seat.help_page for seat in step_now(evening).seats] == [0] * 5


def test_a_page_of_help_closes_by_itself() -> None:
    evening = Evening()
    evening.press(2, "help")
    evening.advance(evening.policy.timing.help_page_ms - 1)
    assert look(evening).scene is Scene.HELP
    evening.advance(1)
    assert look(evening).help is None


def test_a_key_opens_the_service_scene_over_the_frozen_table() -> None:
    evening = Evening(deal=HIGH)
    evening.deal(1)
    evening.switch("key.service", True)
    seen = look(evening)
    assert (seen.scene, seen.lock) == (Scene.SERVICE, None)
    assert seen.steps[-1].seats[0].state is SeatState.TURN
    evening.switch("key.service", False)
    assert look(evening).scene is Scene.TABLE


def test_a_state_without_rules_or_seats_can_be_shown_too() -> None:
    evening = Evening(seats=3, start=False)
    seen = view(State(), evening.live)
    assert [seat.state for seat in seen.steps[-1].seats] == [SeatState.EMPTY] * 3


def test_seq_is_the_callers_and_top_and_rules_are_the_policys() -> None:
    evening = Evening()
    seen = view(evening.state, evening.live, 7)
    assert seen.seq == 7
    assert (seen.top.min_bet_cents, seen.top.max_bet_cents) == (500, 20_000)
    assert seen.top.wall_ms == evening.live.wall_base_ms
    assert (seen.rules.double_totals, seen.rules.decide_seconds) == ("9, 10, 11", 12)
    assert look(Evening(seats=1)).rules.decide_seconds == 300


# ---- the words of the table


def test_bets_are_placed_under_a_clock() -> None:
    evening = Evening()
    assert (step_now(evening).phase, key(step_now(evening).line)) == (TablePhase.IDLE, "line.place_bet")
    assert key(step_now(evening).shoe_note) == "shoe.shuffle_each_round"
    for seat in (1, 2):
        evening.insert(seat, 10_000)
        evening.press(seat, "bet_minus")
    evening.press(1, "bet_plus")
    step = step_now(evening)
    assert (step.phase, key(step.line)) == (TablePhase.BET, "line.or_sit_out")
    assert step.clock is not None
    assert (step.clock.total_ms, step.clock.deadline_ms) == (15_000, evening.at_ms + 15_000)
    assert [cell.state for cell in step.grid.rows[0].cells][:3] == [
        CellState.IN,
        CellState.TURN,
        CellState.EMPTY,
    ]
    assert step.row_notes == (Message("row.seats_in", (("count", 1),)),)
    evening.press(2, "bet_plus")
    assert key(step_now(evening).line) == "line.all_bets_in"


def test_at_the_cut_card_the_shoe_goes_on() -> None:
    rules = Rules(shuffle=Shuffle.CUT_CARD, decks=1, penetration=0.3)
    evening = Evening(deal="10H 9S 7D 10C", rules=rules)
    assert key(step_now(evening).shoe_note) == "shoe.new_shuffle"
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.press(1, "bet_plus")
    assert key(step_now(evening).shoe_note) == "shoe.goes_on"


def test_alone_at_the_table_nobody_is_called_all() -> None:
    evening = Evening(deal="10H 9S 7D 10C 10S", seats=1)
    evening.deal(1)
    evening.press(1, "stand")
    assert (step_now(evening).phase, key(step_now(evening).line)) == (
        TablePhase.COMPLETE,
        "line.all_decided_one",
    )


def test_a_round_from_the_deal_to_the_settlement() -> None:
    evening = Evening(deal="10H 3S 9D 2C 5D 8C 7H")
    for seat in (1, 2):
        evening.insert(seat, 10_000)
        evening.press(seat, "bet_plus")
    evening.press(1, "deal")
    evening.press(2, "deal")
    dealt = step_now(evening)
    assert (dealt.phase, key(dealt.line), dealt.clock) == (TablePhase.DEAL, "line.cards_first", None)
    assert dealt.row_notes == (Message("row.seats_in", (("count", 2),)),)
    evening.land()
    asked = step_now(evening)
    assert asked.phase is TablePhase.DECIDE
    assert asked.line == Message("line.seats_to_go", (("count", 2),))
    assert asked.clock is not None
    assert asked.clock.deadline_ms == evening.state.decision_deadline_ms
    assert asked.row_notes == (None,)
    evening.press(1, "stand")
    assert step_now(evening).line == Message("line.seats_to_go", (("count", 1),))
    evening.press(2, "hit")
    assert (step_now(evening).phase, key(step_now(evening).line)) == (TablePhase.DRAW, "line.next_card")
    assert step_now(evening).clock is None
    evening.land()
    evening.press(2, "stand")
    one, two, three, first, second = at_each_card(evening)
    assert [one, two, three] == [step_at(look(evening), 0)] * 3  # what is over is not made again
    begun = step_now(evening)
    assert (begun.phase, key(begun.line)) == (TablePhase.COMPLETE, "line.all_decided")
    assert (key(begun.story), begun.row_notes) == ("story.completion", (None,))
    assert first.row_notes == (Message("row.now_extra", (("total", 20),)),)
    assert second.row_notes == (Message("row.final_total", (("total", 28),)),)
    assert (second.phase, key(second.line)) == (TablePhase.DEALER, "line.dealer_to_17")
    assert key(second.story) == "story.dealer_draws"
    seen = look(evening)
    assert seen.settled_ms is not None
    assert seen.steps[-2].phase is TablePhase.DEALER
    paid = seen.steps[-1]
    assert (paid.from_ms, paid.phase, paid.line, paid.story) == (seen.settled_ms, TablePhase.PAID, None, None)
    evening.land()
    assert key(step_now(evening).line) == "line.again_or_cash_out"


def test_nobody_is_asked_before_the_decision_is_open() -> None:
    evening = Evening(deal=HIGH)
    for seat in (1, 2):
        evening.insert(seat, 10_000)
        evening.press(seat, "bet_plus")
    evening.press(1, "deal")
    evening.press(2, "deal")
    step = step_at(look(evening), evening.state.landed_ms)
    assert (step.phase, step.clock) == (TablePhase.DEAL, None)
    assert [cell.state for cell in step.grid.rows[0].cells][:3] == [
        CellState.IN,
        CellState.IN,
        CellState.EMPTY,
    ]
    assert step.grid.lines == ()
    evening.land()
    assert [cell.state for cell in step_now(evening).grid.rows[0].cells][:2] == [CellState.TURN] * 2


def test_results_stand_in_the_grid_from_the_settlement_on() -> None:
    evening = Evening(deal="10H 9S 7D 10C")
    evening.deal(1)
    evening.press(1, "stand")
    steps = look(evening).steps
    assert [step.grid.rows[0].cells[0].result for step in steps[:-1]] == [None] * (len(steps) - 1)
    assert steps[-1].grid.rows[0].cells[0].result is not None


@pytest.mark.parametrize(
    ("deal", "stories"),
    [
        ("AH KS AD 9C", ["story.natural_dealer_ace", "story.natural"]),
        ("AH KS 10D 9C", ["story.natural_dealer_ten", "story.natural"]),
        ("AH KS AD KC", ["story.natural_dealer_ace", "story.natural_push"]),
        ("AH KS 9D", ["story.natural"]),
    ],
)
def test_the_story_of_a_natural(deal: str, stories: list[str]) -> None:
    alone = Evening(seats=1, deal=deal)
    alone.insert(1, 10_000)
    alone.press(1, "bet_plus", "deal")
    ends = "story.natural_push" if stories[-1] == "story.natural_push" else "story.natural_one"
    assert [key(step.story) for step in at_each_card(alone, -1)] == ["story.dealer_one_card", ends][
        -len(stories) :
    ]
    evening = Evening(deal=deal)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")
    assert [key(step.story) for step in at_each_card(evening, -1)] == stories
    assert key(look(evening).steps[-1].story) == stories[-1]
    assert key(at_each_card(evening, -1)[0].line) == "line.blackjack"


def test_the_story_of_a_pair_that_some_split() -> None:
    evening = Evening(deal="8H 8S 6D 3C 5C KH 3D")
    evening.deal(1, 2, 3)
    assert step_now(evening).story is None
    evening.press(1, "split")
    evening.press(2, "hit")
    evening.press(3, "split")
    told = step_now(evening)
    assert told.story == Message(
        "story.pair_some_split", (("rank", 8), ("splitters", (1, 3)), ("keepers", (2,)))
    )
    assert told.hand_status == (HandTurn.NOW, HandTurn.NEXT, HandTurn.NEXT)
    seen = look(evening)
    assert [hand.owners for hand in seen.hands] == [(2,), (1, 3), (1, 3)]
    assert [hand.opens_ms for hand in seen.hands] == [evening.at_ms] * 3
    assert [hand.cards[0].land_ms for hand in seen.hands[1:]] == [evening.at_ms + 400] * 2
    evening.land()
    assert step_now(evening).line == Message("line.pair_to_go", (("count", 1),))
    evening.press(2, "stand")
    assert key(step_now(evening).story) == "story.completion_pair"
    assert key(step_now(evening).line) == "line.to_21_or_bust"
    evening.land()
    assert step_now(evening).hand_status == (HandTurn.DONE, HandTurn.NOW, HandTurn.NEXT)
    assert [row.total for row in step_now(evening).grid.rows] == [19, 18, 8]


@pytest.mark.parametrize(
    ("seats", "deal", "story"),
    [
        (2, "8H 8S 6D 3C", "story.pair_all_split"),
        (1, "8H 8S 6D 3C", "story.pair_one_seat_split"),
        (2, "AH AS 6D 3C", "story.aces_split"),
    ],
)
def test_the_story_of_a_pair_that_is_gone(seats: int, deal: str, story: str) -> None:
    evening = Evening(seats=seats, deal=deal)
    evening.deal(*range(1, seats + 1))
    for seat in range(1, seats + 1):
        evening.press(seat, "split")
    assert key(step_now(evening).story) == story
    assert key(step_now(evening).row_notes[0]) == "row.all_split"
    assert look(evening).hands[0].gone


def test_a_pair_that_nobody_splits_is_one_hand() -> None:
    evening = Evening(deal="8H 8S 6D 3C")
    evening.deal(1)
    evening.press(1, "hit")
    assert key(step_now(evening).story) == "story.pair_none_split"
    evening.land()
    assert step_now(evening).story is None


def test_the_dealer_says_why_he_draws_one_card_or_none() -> None:
    bust = Evening(deal="10H 6S 9D KC")
    bust.deal(1)
    bust.press(1, "hit")
    assert key(look(bust).steps[-1].story) == "story.dealer_draws_nothing"
    assert look(bust).steps[-1].row_notes == (Message("row.bust", (("total", 26),)),)


def test_a_dealer_blackjack_is_told_when_its_second_card_lies() -> None:
    evening = Evening(deal="10H 9S AD 2C KC")
    evening.deal(1)
    evening.press(1, "stand")
    assert [key(step.story) for step in at_each_card(evening, -1)][1] == "story.dealer_blackjack"


def test_a_dealer_blackjack_that_takes_the_first_bet_only_says_so() -> None:
    evening = Evening(deal="5H 6S AD 10C KC", rules=Rules(dealer_blackjack_takes=Takes.ORIGINAL))
    evening.deal(1)
    evening.press(1, "double")
    assert [key(step.story) for step in at_each_card(evening, -1)][1] == "story.dealer_blackjack_original"
    split = Evening(
        deal="8H 8S AD 10C KC 10S KS 9C", seats=1, rules=Rules(dealer_blackjack_takes=Takes.ORIGINAL)
    )
    split.deal(1)
    split.press(1, "split")
    split.land()
    split.press(1, "hit")
    split.land()
    split.press(1, "hit")
    # Both hands are bust, and a dealer blackjack would still give one of the bets back.
    assert [key(step.story) for step in at_each_card(split, 2)][-1] == "story.dealer_one_card"


def test_a_table_that_closes_says_so() -> None:
    evening = Evening(deal="10H 9S 7D 10C")
    evening.deal(1)
    evening.feed(StopAsked(evening.at_ms))
    assert [banner.kind for banner in look(evening).banners] == ["closed"]
    evening.press(1, "stand")
    assert key(look(evening).steps[-1].line) == "line.closed"
    resting = Evening()
    resting.insert(1, 10_000)
    resting.press(1, "bet_plus")
    resting.feed(StopAsked(resting.at_ms))
    shut = step_now(resting)
    assert (key(shut.line), shut.phase, shut.clock, shut.shoe_note) == (
        "line.closed",
        TablePhase.CLOSED,
        None,
        None,
    )


# ---- a restart


def test_after_a_restart_the_round_lies_as_it_was_and_says_so() -> None:
    evening = Evening(deal="5H 6S 9D 2C")
    evening.deal(1, 2)
    evening.press(1, "hit")
    evening.start(clean=False)
    assert [seat.state.value for seat in step_now(evening).seats[:2]] == ["decided", "watch"]
    evening.advance(1)
    seen = look(evening)
    assert seen.scene is Scene.TABLE
    assert [banner.kind for banner in seen.banners] == ["restored"]
    assert key(step_now(evening).story) == "story.restored"
    assert [card.land_ms for card in (*seen.hands[0].cards, *seen.dealer)] == [0, 0, 0]
    assert [seat.state.value for seat in step_now(evening).seats[:2]] == ["decided", "turn"]
    assert [cue.cue for cue in seen.cues if cue.at_ms <= evening.at_ms] == [Cue.TURN]
    evening.advance(evening.policy.timing.restored_ms)
    assert look(evening).banners == ()
    assert step_now(evening).story is None


def test_a_split_that_was_cut_off_by_a_restart_is_not_slid_again() -> None:
    evening = Evening(deal="8H 8S 6D 3C")
    evening.deal(1)
    evening.press(1, "split")
    evening.start(clean=False)
    assert [hand.cards[0].land_ms for hand in look(evening).hands[1:]] == [0, 0]


def test_a_pair_slides_apart_before_the_first_card_after_the_split() -> None:
    evening = Evening(deal="8S 8D 6H 3C")
    evening.deal(1, 2)
    evening.press(1, "split")
    evening.press(2, "hit")
    seen = look(evening)
    opens_ms, third = seen.hands[1].opens_ms, seen.hands[0].cards[2]
    assert opens_ms is not None
    assert third.start_ms >= opens_ms + evening.policy.timing.split_ms


def test_a_large_win_calls_the_attendant_only_when_its_cards_lie() -> None:
    evening = Evening(deal="10H 9S 7D 10C", large_win_cents=500)
    evening.deal(1)
    evening.press(1, "stand")
    assert "H02" not in [row.code for row, _, _ in active_conditions(evening.state, evening.live)]
    evening.land()
    assert "H02" in [row.code for row, _, _ in active_conditions(evening.state, evening.live)]


def test_the_attract_loop_comes_back_to_a_table_that_was_left_with_credit() -> None:
    evening = Evening(deal=HIGH)
    evening.insert(1, 10_000)
    evening.advance(evening.policy.attract_after_ms * 10 + 1)
    assert look(evening).scene is Scene.ATTRACT


@pytest.mark.requirement("BIL-08")
def test_players_read_which_notes_are_taken_at_every_seat() -> None:
    evening = Evening(seats=2)
    assert look(evening).top.notes_cents == (), "nobody has told yet"
    dollars = {cents: NoteType(code, "USD", cents) for code, cents in enumerate((500, 2_000, 10_000), 0x63)}
    evening.feed(NoteTable("validator1", evening.at_ms, tuple(dollars.values())))
    assert look(evening).top.notes_cents == (500, 2_000, 10_000)
    evening.feed(NoteTable("validator2", evening.at_ms, (dollars[2_000], dollars[500])))
    assert look(evening).top.notes_cents == (500, 2_000)
    evening.feed(NoteTable("validator2", evening.at_ms, ()))
    assert look(evening).top.notes_cents == (500, 2_000, 10_000), "one that takes nothing says so at its seat"
