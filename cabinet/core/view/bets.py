"""Seats without a bet in the round: free, sitting out, placing a bet, away."""

from __future__ import annotations

from cabinet.core import options
from cabinet.core.live import closed
from cabinet.core.look import Button, Message, SeatState
from cabinet.core.money.cashier import locked, takes_notes
from cabinet.core.policy import Policy
from cabinet.core.view.faces import SeatFace
from cabinet.core.view.replay import RoundMoment
from cabinet.core.view.round_messages import message
from cabinet.core.view.sight import Sight
from game.hand import total


def watching_face(sight: Sight, seat: int) -> SeatFace:
    """The seat sits this round out."""
    if not sight.state.credit(seat):
        return _free(sight, seat)
    free = Button.CASH_OUT in sight.lamps[seat - 1]
    return SeatFace(SeatState.OUT, message("head.sits_out"), None if free else message("seat.sits_out"))


def betting_face(sight: Sight, seat: int) -> SeatFace:
    """The seat while bets are placed."""
    state, record = sight.state, sight.state.record(seat)
    if state.bet(seat):
        return _ready(sight) if record.ready else SeatFace(SeatState.BET, message("head.bet_in"))
    if not state.credit(seat):
        return _free(sight, seat)
    if _betting_runs(sight) and sight.policy.seats > 1:
        if not record.active and not _just_paid(sight, seat):
            return SeatFace(SeatState.AWAY, message("head.away"), message("seat.press_to_return"))
        if state.credit(seat) >= sight.policy.rules.min_bet_cents and not options.paying_out(state, seat):
            return SeatFace(SeatState.PLACE_BET, message("head.place_bet"))
    return SeatFace(SeatState.CREDIT, message("head.credit"))


def _betting_runs(sight: Sight) -> bool:
    """The betting clock runs, or stands still in a lock-up."""
    state = sight.state
    if state.round_open or closed(state, sight.live) or not any(state.bet(seat) for seat in state.seats):
        return False
    return state.bet_deadline_ms is not None or state.remaining_ms is not None


def _just_paid(sight: Sight, seat: int) -> bool:
    """A note has just come in here: somebody is at the seat, though he has not pressed a button yet."""
    live, policy = sight.live, sight.policy
    validator = policy.validator_of(seat)
    note = live.device(validator).last_note
    here = not policy.is_shared(validator) or live.binding.get(validator) == seat
    return here and note is not None and live.now_ms < note[0] + policy.attract_after_ms


def _ready(sight: Sight) -> SeatFace:
    """DEAL is pressed: who is the table waiting for?"""
    held = tuple(seat for seat in sight.state.seats if options.holds_up(sight.state, sight.live, seat))
    text = message("seat.waiting_for", seats=held) if held else None
    return SeatFace(SeatState.READY, message("head.ready"), text)


def _free(sight: Sight, seat: int) -> SeatFace:
    """Nobody's money is here: how to begin."""
    state, live, policy = sight.state, sight.live, sight.policy
    validator = policy.validator_of(seat)
    shared = policy.is_shared(validator)
    wanted, inside = live.rebinding.get(validator), options.document_inside(state, live, validator)
    if wanted is not None and wanted.seat == seat:
        text = message("seat.notes_wait")
    elif shared and seat != (live.binding.get(validator) if inside else options.notes_go_to(live, validator)):
        text = message("seat.notes_not_accepted" if locked(state, live, validator) else "seat.press_buy_in")
    elif inside:
        text = message("seat.paper_coming" if _tickets(policy, validator) else "seat.note_coming")
    elif not takes_notes(state, live, validator):
        text = message("seat.notes_not_accepted")
    else:
        text = message("seat.notes_here", seat=seat) if shared else _insert(policy, validator)
    return SeatFace(SeatState.EMPTY, message("head.free"), text)


def _insert(policy: Policy, validator: str) -> Message:
    """What the validator takes."""
    return message("seat.insert_note_or_ticket" if _tickets(policy, validator) else "seat.insert_note")


def _tickets(policy: Policy, validator: str) -> bool:
    return policy.redeems and validator in policy.ticket_in


# ---- hints of the one-seat cabinet


def deciding_hint(sight: Sight, moment: RoundMoment, seat: int) -> Message:
    """What the lit buttons would do."""
    lit = sight.lamps[seat - 1]
    bet_cents = moment.round.bet(seat)
    double, split = Button.DOUBLE in lit, Button.SPLIT in lit
    if double and split:
        return message("seat.hint_double_or_split", bet_cents=bet_cents)
    if double:
        return message("seat.hint_double", bet_cents=bet_cents)
    if split:
        return message("seat.hint_split", bet_cents=bet_cents)
    return message("seat.hint_hit_stand", total=total(moment.round.hands[moment.round.active].cards).best)


def betting_hint(sight: Sight, seat: int) -> Message:
    """DEAL repeats the last bet when its lamp says so."""
    state = sight.state
    if not state.bet(seat) and Button.DEAL in sight.lamps[seat - 1]:
        return message("seat.hint_rebet", bet_cents=state.record(seat).last_bet_cents)
    return message("seat.hint_bet")
