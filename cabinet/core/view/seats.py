"""The seats: what stands in the panel of each at a moment of the round, or while bets are placed."""

from __future__ import annotations

from dataclasses import dataclass

from cabinet.core import options
from cabinet.core.conditions import Code
from cabinet.core.look import Button, LampLook, Message, SeatLook, SeatState, TicketLook
from cabinet.core.view.bets import betting_face, betting_hint, deciding_hint, watching_face
from cabinet.core.view.faces import SeatFace, net_cents, play_face, result_face
from cabinet.core.view.lock import trouble
from cabinet.core.view.payout import payout
from cabinet.core.view.replay import RoundMoment
from cabinet.core.view.round_messages import message
from cabinet.core.view.sight import Sight
from game.round import Round
from game.settle import HandResult


def is_asked(look: SeatLook) -> bool:
    """The seat is asked for a bet while the clock runs."""
    return look.state is SeatState.PLACE_BET


@dataclass(frozen=True, slots=True)
class _Still:
    """What does not change from step to step: it is so now, whatever the cards do."""

    lamps: tuple[tuple[Button, LampLook], ...]
    paid: tuple[SeatFace, TicketLook | None] | None
    refused: Message | None
    refused_ms: int
    refused_until_ms: int
    trouble: Message | None
    help_page: int
    notes_here: bool


@dataclass(frozen=True, slots=True)
class _Money:
    bets: int
    bet_cents: int
    credit_cents: int
    won_cents: int
    result_cents: int | None = None
    credit_from_cents: int = 0
    won_from_cents: int = 0
    roll_ms: int | None = None


class SeatFaces:
    """Makes the panels of all seats for any moment of one view."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._still = [_still(sight, seat) for seat in sight.state.seats]
        final = {} if sight.state.round is None else _stakes(sight.state.round)
        # By seat: the credit before the settlement, and all that it has put on the table by then.
        self._before = {seat: (_before_cents(sight, seat), cents) for seat, (_, cents) in final.items()}
        self._last: tuple[RoundMoment, tuple[SeatLook, ...]] | None = None

    def at(self, moment: RoundMoment) -> tuple[SeatLook, ...]:
        """The panels while a round is on the table."""
        if self._last is not None and _same(self._last[0], moment):
            return self._last[1]
        stakes = _stakes(moment.round)
        looks = tuple(self._in_round(moment, seat, stakes.get(seat)) for seat in self._sight.state.seats)
        self._last = moment, looks
        return looks

    def betting(self) -> tuple[SeatLook, ...]:
        """The panels without a round."""
        return tuple(self._resting(seat, betting_face(self._sight, seat)) for seat in self._sight.state.seats)

    def _in_round(self, moment: RoundMoment, seat: int, stakes: tuple[int, int] | None) -> SeatLook:
        sight, state = self._sight, self._sight.state
        if stakes is None:
            over = moment.settled and options.betting_open(state, sight.live)
            return self._resting(seat, betting_face(sight, seat) if over else watching_face(sight, seat))
        if moment.settled:
            results = tuple(r for r in state.results if r.seat == seat)
            paid = sum(r.returned_cents for r in results) > 0
            if paid and not state.credit(seat) and self._gone(seat):
                return self._resting(seat, betting_face(sight, seat))
            face, money = result_face(results), _settled_money(sight, seat, results)
        else:
            face, money = self._held(play_face(moment, seat)), self._money_in_play(seat, *stakes)
        if sight.policy.seats == 1:
            face = face._replace(text=_hint(sight, moment, face))
        return self._look(seat, face, money)

    def _held(self, face: SeatFace) -> SeatFace:
        """While the table stands still and waits for a decision no card is coming."""
        state = self._sight.state
        if face.text is None or face.text.key != "seat.in_play" or not state.frozen or not state.awaited():
            return face
        if self._sight.at_ms < state.landed_ms:
            return face
        old = (Code.OLD_ROUND, "") in state.conditions
        return face._replace(text=message("seat.attendant_called") if old else None)

    def _money_in_play(self, seat: int, bets: int, stakes_cents: int) -> _Money:
        """What the seat has while the round goes on: as if the settlement had not been decided yet."""
        before_cents, final_cents = self._before[seat]
        return _Money(bets, stakes_cents, before_cents + final_cents - stakes_cents, 0)

    def _gone(self, seat: int) -> bool:
        """What the round paid has left the seat again, and is not being paid out."""
        state = self._sight.state
        return self._still[seat - 1].paid is None and not any(h.seat == seat for h in state.handpays)

    def _resting(self, seat: int, face: SeatFace) -> SeatLook:
        state = self._sight.state
        bet_cents = 0 if state.round_open else state.bet(seat)
        money = _Money(int(bet_cents > 0), bet_cents, state.credit(seat), state.record(seat).won_cents)
        if self._sight.policy.seats == 1 and face.text is None:
            face = face._replace(text=betting_hint(self._sight, seat))
        return self._look(seat, face, money)

    def _look(self, seat: int, face: SeatFace, money: _Money) -> SeatLook:
        still = self._still[seat - 1]
        ticket = None
        if still.paid is not None:
            state = self._sight.state
            face, ticket = still.paid
            money = _Money(0, 0, state.credit(seat), state.record(seat).won_cents)
        return SeatLook(
            seat=seat,
            state=face.state,
            head=face.head,
            bets=money.bets,
            bet_cents=money.bet_cents,
            credit_cents=money.credit_cents,
            won_cents=money.won_cents,
            lamps=still.lamps,
            message=face.text,
            result_cents=money.result_cents,
            ticket=ticket,
            credit_from_cents=money.credit_from_cents,
            won_from_cents=money.won_from_cents,
            roll_ms=money.roll_ms,
            refused=still.refused,
            refused_ms=still.refused_ms,
            refused_until_ms=still.refused_until_ms,
            trouble=still.trouble,
            help_page=still.help_page,
            notes_here=still.notes_here,
        )


def _same(before: RoundMoment, after: RoundMoment) -> bool:
    """The seats look the same at both moments: only cards of the dealer or of nobody came between."""
    old, new = before.round, after.round
    if (before.phase, before.opened, before.settled) != (after.phase, after.opened, after.settled):
        return False
    if old.phase is not new.phase or old.active != new.active or len(old.hands) != len(new.hands):
        return False
    pairs = zip(old.hands, new.hands, strict=True)
    return all(a is b or (a.plays is b.plays and a.cards is b.cards) for a, b in pairs)


def _still(sight: Sight, seat: int) -> _Still:
    live, policy = sight.live, sight.policy
    validator = policy.validator_of(seat)
    shared = policy.is_shared(validator)
    lit = sight.lamps[seat - 1]
    buttons = [button for button in Button if shared or button is not Button.BUY_IN]
    refused, refused_ms = live.refused.get(seat, (None, 0))
    until_ms = 0 if refused is None else refused_ms + options.refused_for_ms(live, refused)
    if live.now_ms >= until_ms:
        refused, refused_ms, until_ms = None, 0, 0
    in_seat = options.help_in_seat(sight.state, live)
    return _Still(
        lamps=tuple((button, lit.get(button, LampLook.OFF)) for button in buttons),
        paid=payout(sight, seat),
        refused=refused,
        refused_ms=refused_ms,
        refused_until_ms=until_ms,
        trouble=trouble(sight, seat),
        help_page=options.help_page(sight.state, live, seat) if in_seat else 0,
        notes_here=shared and options.notes_go_to(live, validator) == seat,
    )


# ---- money


def _stakes(round_: Round) -> dict[int, tuple[int, int]]:
    """By seat: how many bets it has on the table, and what they are worth in cents."""
    found = {seat: (0, 0) for seat, _ in round_.bets}
    for hand in round_.hands:
        for play in hand.plays:
            if play.stake_cents:
                bets, cents = found[play.seat]
                found[play.seat] = bets + 1, cents + play.stake_cents
    return found


def _before_cents(sight: Sight, seat: int) -> int:
    """The credit without what the settlement has moved to it. A large win went on to a hand payment."""
    state = sight.state
    returned_cents = sum(r.returned_cents for r in state.results if r.seat == seat)
    won = (h.cents for h in state.handpays if h.seat == seat and h.is_win)
    return max(0, state.credit(seat) + sum(won) - returned_cents) if returned_cents else state.credit(seat)


def _settled_money(sight: Sight, seat: int, results: tuple[HandResult, ...]) -> _Money:
    """The result, and the roll of the meters for as long as it lasts."""
    state, timing = sight.state, sight.policy.timing
    assert state.settled_ms is not None
    stakes_cents = sum(r.stake_cents for r in results)
    returned_cents = sum(r.returned_cents for r in results)
    credit_cents, won_cents = state.credit(seat), state.record(seat).won_cents
    rolls = returned_cents > 0 and sight.live.now_ms < options.settled_shown_ms(state, sight.live)
    roll_ms = None
    if rolls:
        fill_ms = timing.lose_fade_ms + timing.settle_pause_ms + timing.win_fill_ms
        roll_ms = state.settled_ms + fill_ms + timing.win_stagger_ms * _wins_before(sight, seat)
    return _Money(
        bets=len(results),
        bet_cents=stakes_cents,
        credit_cents=credit_cents,
        won_cents=won_cents,
        result_cents=returned_cents - stakes_cents,
        credit_from_cents=_before_cents(sight, seat) if rolls else credit_cents,
        won_from_cents=0 if rolls else won_cents,
        roll_ms=roll_ms,
    )


def _wins_before(sight: Sight, seat: int) -> int:
    """How many seats with a lower number have won: they are filled and counted up one by one."""
    return sum(other < seat and net > 0 for other, net in net_cents(sight.state.results).items())


def _hint(sight: Sight, moment: RoundMoment, face: SeatFace) -> Message | None:
    """The one-seat cabinet always has room for two lines."""
    if moment.settled:
        return betting_hint(sight, 1) if options.betting_open(sight.state, sight.live) else None
    return deciding_hint(sight, moment, 1) if face.state is SeatState.TURN else face.text
