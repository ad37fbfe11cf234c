"""Laws of the view, tried on random rounds.

The law that matters most: *nothing is shown before its card has landed*. It is tried in two ways:
against a second replay of the moves up to an instant, and with two futures, equal up to a card:
until that card lands, both must show the same.
"""

from __future__ import annotations

import random
from itertools import pairwise, takewhile

from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.core.look import LampLook, SeatState, Step, TablePhase, View
from cabinet.core.outputs import outputs
from cabinet.core.renewal import replace
from cabinet.core.state import Move, State
from game import needs
from game.cards import DECK_CARDS, text
from game.grid import grid
from game.play import Fate
from game.round import Choice, Round
from support.evenings.evening import Evening
from support.screens.seen import landed, look, step_at

PLAYED = settings(max_examples=40, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)
# Rounds in which something happens: pairs, doubles, naturals; the rest is drawn at random.
STARTS = (
    "",
    "8H 8S 6D",
    "8H 8S AD",
    "AH AS 9D",
    "5H 6S 10D",
    "AH KS AD",
    "AH KS 9D",
    "2H 3S 10D",
    "9H 9S 9D",
)
TURNS_MOST = 200  # words and waits of the longest round of seven seats
WORDS = ("hit", "hit", "stand", "double", "split", "split")


def faces(rng: random.Random, count: int) -> list[str]:
    return [text(card) for card in rng.sample(range(6 * DECK_CARDS), count)]


def table(seats: int, deal: list[str]) -> Evening:
    """Every seat has bet and pressed DEAL; the cards fly."""
    evening = Evening(seats=seats, deal=" ".join(deal))
    for seat in range(1, seats + 1):
        evening.insert(seat, 10_000)
        evening.press(seat, "bet_plus")
    for seat in range(1, seats + 1):
        evening.press(seat, "deal")
    return evening


def partial(state: State, ms: int) -> Round:
    """The round as it is at `ms`, played again from what has landed and what was said by then."""
    assert state.round is not None
    round_ = Round.open(state.round.rules, dict(state.bets))
    for move in state.moves:
        if _time(move) > ms:
            break
        round_ = _told(round_, move)
    return round_


def _time(move: Move) -> int:
    return move.at_ms if move.seat else move.land_ms


def _told(round_: Round, move: Move) -> Round:
    return round_.decide(move.seat, move.choice, move.timed_out) if move.seat else round_.deal(move.card)


def shown(state: State, ms: int) -> Round:
    """As the grid may show it: no turn before the decision opens, no result before the settlement."""
    round_ = partial(state, ms)
    is_open = state.decision_deadline_ms is not None and ms >= state.decision_opened_ms
    if round_.phase is needs.Phase.DECIDE and not is_open:
        return replace(round_, phase=needs.Phase.DRAW)
    if round_.phase is needs.Phase.FINISHED and (state.settled_ms is None or ms < state.settled_ms):
        return replace(round_, phase=needs.Phase.DEALER)
    return round_


def instants(evening: Evening, seen: View) -> list[int]:
    """From now on: when something changes, and the millisecond before."""
    cards = [*seen.dealer, *(card for hand in seen.hands for card in (*hand.cards, *hand.continuation))]
    times = {step.from_ms for step in seen.steps} | {card.land_ms for card in cards}
    return sorted(ms for edge in times for ms in (edge - 1, edge) if ms >= evening.at_ms)


def check(evening: Evening) -> None:
    """One view against what has landed, at each of its instants."""
    state, seen = evening.state, look(evening)
    assert all(before.from_ms < after.from_ms for before, after in pairwise(seen.steps))
    check_lamps(evening, seen)
    for ms in instants(evening, seen):
        step, round_ = step_at(seen, ms), shown(state, ms)
        assert step.grid == grid(round_, state.seats)
        assert landed(seen.dealer, ms) == round_.dealer
        for look_, hand in zip(seen.hands, round_.hands, strict=False):
            assert landed(look_.continuation, ms) == hand.continuation
            assert landed(look_.cards, ms)[-1:] == hand.cards[-1:] or look_.opens_ms is not None
        settled = state.settled_ms is not None and ms >= state.settled_ms
        assert (step.phase is TablePhase.PAID) is settled
        check_seats(step, round_, settled)


def check_lamps(evening: Evening, seen: View) -> None:
    """The screen shows a lamp where a lamp burns."""
    burning = {name for name in outputs(evening.state, evening.live).panel if name.startswith("seat")}
    for step in seen.steps:
        lit = {
            f"seat{seat.seat}.{button.value}"
            for seat in step.seats
            for button, lamp in seat.lamps
            if lamp is not LampLook.OFF
        }
        assert lit == burning


def check_seats(step: Step, round_: Round, settled: bool) -> None:
    for seat in step.seats:
        plays = [
            play for hand in round_.hands if (play := hand.play(seat.seat)) and play.fate is not Fate.SPLIT
        ]
        assert (seat.result_cents is not None) is settled
        assert seat.bet_cents == sum(play.stake_cents for play in plays)
        told = dict(seat.head.args).get("total")
        assert told is None or told in [play.total for play in plays if play.fate is not Fate.LIVE]
        if seat.state is SeatState.BUST:
            assert {play.fate for play in plays} == {Fate.BUST}
        if seat.state is SeatState.TURN:
            assert round_.phase is needs.Phase.DECIDE
            assert seat.seat in round_.hands[round_.active].undecided


def decide(evening: Evening, rng: random.Random) -> None:
    """One seat that is asked says something, or the time runs out."""
    asked = evening.state.deciding()
    if not asked:
        evening.land()
    elif rng.random() < 0.05:
        evening.advance(evening.policy.decide_ms)
    else:
        evening.advance(rng.choice((0, 0, 40, 700)))
        seat = rng.choice(asked)
        round_ = evening.state.round
        assert round_ is not None
        words = [word for word in WORDS if Choice(word) in round_.legal(seat)]
        evening.press(seat, rng.choice(words))


@given(seed=SEEDS, seats=st.sampled_from((1, 2, 3, 7)), start=st.sampled_from(STARTS))
@PLAYED
def test_nothing_is_shown_before_its_card_has_landed(seed: int, seats: int, start: str) -> None:
    rng = random.Random(seed)
    evening = table(seats, start.split() + faces(rng, 40))
    check(evening)
    for _ in range(TURNS_MOST):
        if not evening.state.round_open:
            break
        decide(evening, rng)
        check(evening)
    assert not evening.state.round_open
    evening.land()
    check(evening)


@given(seed=SEEDS, seats=st.sampled_from((1, 3, 7)), start=st.sampled_from(STARTS), known=st.integers(3, 9))
@PLAYED
def test_two_futures_look_the_same_until_the_card_that_parts_them(
    seed: int, seats: int, start: str, known: int
) -> None:
    rng = random.Random(seed)
    deal = start.split() + faces(rng, 40)
    other = deal[:known] + faces(rng, 40)
    one, two = table(seats, deal), table(seats, other)
    words, again = random.Random(seed), random.Random(seed)
    for _ in range(TURNS_MOST):
        if not one.state.round_open:
            break
        decide(one, words)
        decide(two, again)
        if one.state.moves != two.state.moves:
            break
    pairs = zip(one.state.moves, two.state.moves, strict=False)
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    parting = [evening.state.moves[same].land_ms for evening in (one, two) if same < len(evening.state.moves)]
    if not parting:
        return
    first, second = look(one), look(two)
    for ms in instants(one, first) + instants(two, second):
        if ms < min(parting):
            assert step_at(first, ms) == step_at(second, ms)


@given(seed=SEEDS, seats=st.sampled_from((2, 5, 7)), start=st.sampled_from(STARTS))
@PLAYED
def test_the_order_of_presses_at_one_instant_leaves_no_trace(seed: int, seats: int, start: str) -> None:
    rng = random.Random(seed)
    deal = start.split() + faces(rng, 40)
    one, two = table(seats, deal), table(seats, deal)
    for evening in (one, two):
        evening.land()
    asked = one.state.deciding()
    words = {seat: rng.choice(("hit", "stand", "double", "split", "bet_plus", "cash_out")) for seat in asked}
    mixed = rng.sample(asked, len(asked))
    for evening, order in ((one, asked), (two, mixed)):
        for seat in order:
            evening.press(seat, words[seat])
    assert look(one) == look(two)
