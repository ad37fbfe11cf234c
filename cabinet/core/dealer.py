"""Bets, the deal, decisions and settlement: what the dealer does at a table.

Cards are drawn only here, and only when no choice that could affect them is open: all cards
between two decisions are drawn in one decision of the machine and recorded before they are seen.
"""

from __future__ import annotations

from cabinet.core import live as now
from cabinet.core import options
from cabinet.core.facts import (
    BetMoved,
    BettingClosed,
    BettingOpened,
    CardsDrawn,
    Decided,
    DecisionOpened,
    DrawnCard,
    HandpayOpened,
    RoundOpened,
    RoundSettled,
    RulesTaken,
    SeatReady,
    SeatTouched,
)
from cabinet.core.look import Button, Cue
from cabinet.core.renewal import replace
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.timing import Timing
from cabinet.core.turn import Turn
from game.round import ENGINE, ON_TIME_OUT, Choice, Finished, NeedCard, NeedDecisions, Purpose, Round
from game.settle import settle

_CUES = {
    Choice.HIT: Cue.DECIDED,
    Choice.STAND: Cue.DECIDED,
    Choice.DOUBLE: Cue.DOUBLED,
    Choice.SPLIT: Cue.SPLIT,
}


# The pair and the dealer's first card: what lies on the table when a pair is split.
CARDS_AT_SPLIT = 3


# ---- bets


def bet(turn: Turn, seat: int, button: Button) -> None:
    """BET +, BET - or DEAL of a seat whose lamp allows it."""
    state, rules = turn.state, turn.policy.rules
    match button:
        case Button.BET_PLUS:
            cents = options.next_bet_cents(state, turn.live, seat) or 0
            turn.add(BetMoved(turn.now_ms, seat, cents))
        case Button.BET_MINUS:
            left = state.bet(seat) - rules.bet_step_cents
            back = state.bet(seat) if left < rules.min_bet_cents else rules.bet_step_cents
            turn.add(BetMoved(turn.now_ms, seat, -back))
        case Button.DEAL:
            if not state.bet(seat):
                turn.add(BetMoved(turn.now_ms, seat, state.record(seat).last_bet_cents))
            turn.add(SeatReady(turn.now_ms, seat))
    turn.live = now.sound(turn.live, Cue.DEAL if button is Button.DEAL else Cue.BET)


def touch(turn: Turn, seat: int) -> None:
    """A press of a seat that did not play: the table waits for its DEAL again."""
    state = turn.state
    if not (state.record(seat).active or state.round_open or state.frozen) and state.credit(seat) > 0:
        turn.add(SeatTouched(turn.now_ms, seat))


def take_rules(turn: Turn) -> None:
    """House rules or seats that changed while the program stood: bets made under the old ones go back.
    A round that is open is played by the rules that it began with. Raises RefusedError for a seat less
    while something is open for it."""
    state, policy = turn.state, turn.policy
    same = state.rules is policy.rules or state.rules == policy.rules  # comparing them costs more than asking
    same = same and state.engine == ENGINE
    if state.round_open or (same and len(state.seat_records) == policy.seats):
        return
    held = [*(note.seat for note in state.notes), *(ticket.seat for ticket in state.tickets)]
    if (seat := max(held, default=0)) > policy.seats:  # what it becomes is the seat's: nobody could pay it
        raise FactRefusedError(f"something is still open for seat {seat}, it cannot be taken away")
    for seat in state.seats:
        if state.bet(seat):
            turn.add(BetMoved(turn.now_ms, seat, -state.bet(seat)))
    turn.add(RulesTaken(turn.now_ms, policy.rules, policy.seats, ENGINE))


def betting(turn: Turn, time: bool) -> None:
    """Open, close or end the betting; start the round when everybody is ready or, if `time` alone is the
    event, when time is up."""
    if turn.state.round_open or turn.state.frozen:
        return
    if options.betting_open(turn.state, turn.live):
        take_rules(turn)
    state, policy = turn.state, turn.policy
    has_bets = any(state.bet(seat) for seat in state.seats)
    if not has_bets:
        if state.bet_deadline_ms is not None:
            turn.add(BettingClosed(turn.now_ms))
        return
    if now.closed(state, turn.live):
        return
    if state.bet_deadline_ms is None and policy.seats > 1:
        turn.add(BettingOpened(turn.now_ms, turn.now_ms + policy.bet_ms))
    deadline = turn.state.bet_deadline_ms
    is_over = time and deadline is not None and turn.now_ms >= deadline
    if is_over or _all_ready(turn):
        _open_round(turn)


def _all_ready(turn: Turn) -> bool:
    """Every seat that could play and is with us has pressed DEAL."""
    return not any(options.holds_up(turn.state, turn.live, seat) for seat in turn.state.seats)


# ---- the round


def _open_round(turn: Turn) -> None:
    state = turn.state
    bets = tuple((seat, state.bet(seat)) for seat in state.seats if state.bet(seat))
    shuffles = state.shoe is None or turn.policy.rules.must_shuffle(len(state.shoe))
    turn.add(RoundOpened(turn.now_ms, state.round_number + 1, bets, shuffles))
    play_on(turn)


def decide(turn: Turn, seat: int, choice: Choice) -> None:
    """A seat's final decision; the last one of the table draws the cards."""
    assert turn.state.round is not None
    stake = turn.state.round.extra_stake(seat, choice)
    turn.add(Decided(turn.now_ms, seat, choice, False, stake))
    turn.live = now.sound(turn.live, _CUES[choice])
    if not isinstance(turn.state.round.needs(), NeedDecisions):
        play_on(turn)


def time_out(turn: Turn) -> None:
    """Decides for whoever has not decided in time."""
    for seat in turn.state.deciding():
        turn.add(Decided(turn.now_ms, seat, ON_TIME_OUT, True, 0))
    play_on(turn)


def play_on(turn: Turn) -> None:
    """Draw every card up to the next decision, or to the end of the round and its settlement."""
    state = turn.state
    assert state.round is not None
    assert state.shoe is not None
    round_, shoe = state.round, state.shoe
    flight = FlightPlan(turn.policy.timing, turn.now_ms, round_)
    if len(round_.hands) > 1 and len(round_.cards) == CARDS_AT_SPLIT:
        flight.at_ms += turn.policy.timing.split_ms  # the pair slides apart first
    drawn: list[DrawnCard] = []
    while isinstance(need := round_.needs(), NeedCard):
        card, shoe = shoe.take(turn.draw(len(shoe)))
        drawn.append(flight.card(card, need))
        round_ = round_.deal(card)
        flight.round = round_
    if drawn:
        turn.add(CardsDrawn(turn.now_ms, tuple(drawn)))
    if isinstance(round_.needs(), Finished):
        show_ms = flight.at_ms + turn.policy.timing.before_settle_ms
        turn.add(RoundSettled(turn.now_ms, settle(round_).hands, show_ms))
        _wins_by_hand(turn)


class FlightPlan:
    """Gives each card its time in the air, one after another, with the pauses people need."""

    def __init__(self, timing: Timing, at_ms: int, round_: Round) -> None:
        self.timing = timing
        self.at_ms = at_ms  # when the last card has landed
        self.round = round_
        self._last: Purpose | None = None

    def card(self, card: int, need: NeedCard) -> DrawnCard:
        """The flight of the next card, which the round needs for `need`."""
        timing, purpose = self.timing, need.purpose
        if purpose in (Purpose.DEAL, Purpose.UPCARD):
            flight = timing.deal_flight_ms
            start = self.at_ms + timing.deal_gap_ms - flight if self._last else self.at_ms
        else:
            flight = (
                timing.continuation_flight_ms if purpose is Purpose.CONTINUATION else timing.draw_flight_ms
            )
            start = self.at_ms + self._pause_ms(purpose)
        self._last = purpose
        self.at_ms = start + flight
        return DrawnCard(card, start, self.at_ms)

    def _pause_ms(self, purpose: Purpose) -> int:
        timing, first = self.timing, self._last is not purpose
        match purpose:
            case Purpose.CONTINUATION if first:
                return timing.between_cards_ms + timing.lane_ms
            case Purpose.DEALER if first:
                return timing.before_dealer_ms
            case _ if self._last is None:
                return 0
        return timing.between_cards_ms


def _wins_by_hand(turn: Turn) -> None:
    """A win at or over the limit (the total of a seat's hands), or one that takes the credit over its own
    limit, waits for an attendant: it is paid, and does not become credit."""
    policy = turn.policy
    for seat, _ in turn.state.bets:
        won = turn.state.record(seat).won_cents
        if won and 0 < policy.large_win_cents <= won:
            turn.add(HandpayOpened(turn.now_ms, turn.state.next_ref, seat, won, "large_win"))
        elif won and turn.state.credit(seat) > policy.credit_limit_cents:
            turn.add(HandpayOpened(turn.now_ms, turn.state.next_ref, seat, won, "credit_limit"))


def open_decision(turn: Turn) -> None:
    """Once the last card lies, the seats may decide and their countdown starts."""
    state = turn.state
    if state.frozen or state.decision_deadline_ms is not None or not state.awaited():
        return
    if turn.now_ms >= state.landed_ms:
        turn.add(DecisionOpened(turn.now_ms, turn.now_ms + turn.policy.decide_ms))
        turn.live = replace(now.sound(turn.live, Cue.TURN), refused={})
