"""What each button of a seat would do now: one answer for lamps, screen and presses.

A lamp that is dark refuses the press and says why; so lamp and refusal come from the same place.
"""

from __future__ import annotations

from collections.abc import Mapping

from cabinet.core.live import Live, closed, play_lock
from cabinet.core.look import Button, LampLook, Message
from cabinet.core.state import State
from game.round import Choice

CHOICES = {
    Button.HIT: Choice.HIT,
    Button.STAND: Choice.STAND,
    Button.DOUBLE: Choice.DOUBLE,
    Button.SPLIT: Choice.SPLIT,
}
_OFF, _OUTLINED, _LIT = LampLook.OFF, LampLook.OUTLINED, LampLook.LIT

# With a key turned, four buttons of one seat walk through the menu, and the screen says so. Not those of
# every seat: nobody may answer from the far end of the table while the attendant reads the question.
MENU_SEAT = 1
MENU_BUTTONS = (Button.CASH_OUT, Button.BET_MINUS, Button.BET_PLUS, Button.DEAL)
# A press that crosses the turning of the key was meant for the game: a player's DEAL must not answer for
# the attendant whether a ticket is in hand. So long takes a person to see it and to hold back.
MENU_AFTER_MS = 1_000
# The next matter moves up under the cursor when one is settled: the second tap of a hasty ENTER must not say
# that another seat has been paid.
ENTER_AFTER_MS = 1_000


# Refusals of what somebody has put in, and not of a press.
_OF_PAPER = ("refused.ticket_", "refused.note_", "refused.credit_limit")
CANCEL_AFTER_MS = 1_000

# Pages of help: on the whole screen (how to play, the house rules, when seats disagree; one more when
# there is a strategy chart), and the short ones inside a seat's own panel.
HELP_PAGES = 3
SEAT_HELP_PAGES = 5

# A table with money on it goes into its attract loop too, after so many times the usual wait.
LONG_IDLE = 10


def settled_shown_ms(state: State, live: Live) -> int:
    """When the settlement of the round on the table has been shown to its end."""
    return (state.settled_ms or 0) + live.policy.timing.settle_ms


def betting_open_ms(state: State, live: Live) -> int:
    """From when bets for the next round are taken."""
    if state.settled_ms is None:
        return 0
    hold_ms = state.settled_ms + live.policy.timing.hold_result_ms
    return max(settled_shown_ms(state, live), hold_ms)


def betting_open(state: State, live: Live) -> bool:
    """Bets are taken. The instant itself opens the betting, not a press that was read after it: behind a
    slow commit that press would bet before its seat has seen what the last round paid."""
    return not state.round_open and live.timed_ms >= betting_open_ms(state, live)


def seat_locked(state: State, seat: int) -> bool:
    """A hand payment or a ticket in doubt holds the seat until an attendant has come."""
    if not state.handpays and not state.tickets:
        return False
    return any(h.seat == seat for h in state.handpays) or any(
        t.seat == seat and t.unknown for t in state.tickets
    )


def paying_out(state: State, seat: int) -> bool:
    """The seat's credit is on its way to paper, or waits for the printer."""
    if not state.tickets:
        return seat in state.waiting
    return seat in state.waiting or any(t.seat == seat and not t.handpay for t in state.tickets)


def document_inside(state: State, live: Live, validator: str) -> bool:
    """A note is on its way through the validator: whose it will be is settled."""
    return live.device(validator).taking or state.note(validator) is not None


def notes_go_to(live: Live, validator: str) -> int | None:
    """The seat of a shared validator of which it is true that notes go there; None while it changes."""
    return None if validator in live.rebinding else live.binding.get(validator)


def cancel_from_ms(state: State, live: Live, seat: int) -> int | None:
    """From when CASH OUT takes back what waits for an attendant; None when it does not. Not at once: the
    second half of a double press must not undo the first."""
    mine = [pay for pay in state.handpays if pay.seat == seat]
    asked = any(t.seat == seat and t.unknown for t in state.tickets)
    if not mine or asked or not live.policy.handpay_cancel or any(pay.is_win for pay in mine):
        return None
    return max(pay.since_ms for pay in mine) + CANCEL_AFTER_MS


def can_cash_out(state: State, live: Live, seat: int) -> bool:
    if state.plays(seat) or paying_out(state, seat) or seat_locked(state, seat):
        return False
    counting = state.settled_ms is not None and live.timed_ms < settled_shown_ms(state, live)
    if counting and state.record(seat).in_last_round:
        return False
    return state.credit(seat) + state.bet(seat) > 0


def holds_up(state: State, live: Live, seat: int) -> bool:
    """The deal waits for this seat: it has a bet, or is with us and could place one, and has not
    pressed DEAL."""
    record = state.record(seat)
    if record.ready:
        return False
    if state.bet(seat):
        return True
    leaves = paying_out(state, seat) or seat_locked(state, seat)
    return record.active and state.credit(seat) >= live.policy.rules.min_bet_cents and not leaves


def help_in_seat(state: State, live: Live) -> bool:
    """Help stays inside the asking seat's own panel: a round is open or still counted up, or there
    are bets on the table. Otherwise it takes the whole screen."""
    return state.round_open or not betting_open(state, live) or any(state.bet(seat) for seat in state.seats)


def help_ms(state: State, live: Live) -> int:
    """How long a page of help stays open by itself."""
    timing = live.policy.timing
    return timing.help_seat_ms if help_in_seat(state, live) else timing.help_page_ms


def refused_for_ms(live: Live, why: Message) -> int:
    """How long the screen says why something was refused."""
    timing = live.policy.timing
    return timing.paper_refused_ms if why.key.startswith(_OF_PAPER) else timing.refused_ms


def help_pages(state: State, live: Live) -> int:
    """How many pages of help there are now."""
    return SEAT_HELP_PAGES if help_in_seat(state, live) else HELP_PAGES + (live.policy.chart is not None)


def help_page(state: State, live: Live, seat: int) -> int:
    """The page of help that a seat is shown now; 0 for none."""
    page, since_ms = live.help.get(seat, (0, 0))
    return page if page and live.now_ms < since_ms + help_ms(state, live) else 0


def menu_from_ms(live: Live) -> int:
    """From when buttons walk through the menu of the turned key."""
    return live.key_ms + MENU_AFTER_MS


def walks_from_ms(live: Live, button: Button) -> int:
    """From when a button walks through the menu."""
    return enter_from_ms(live) if button is Button.DEAL else menu_from_ms(live)


def walks(live: Live, button: Button) -> bool:
    """A button walks through the menu now. The instant itself lights its lamp, no press that was read after
    it: behind a slow commit the screen still shows the matter that is settled, or no menu at all."""
    return live.timed_ms >= walks_from_ms(live, button)


def enter_from_ms(live: Live) -> int:
    """From when ENTER does something in the menu: a moment later than all others after it has counted."""
    done_ms = live.settled_by_hand_ms
    begins_ms = menu_from_ms(live)
    return begins_ms if done_ms is None else max(begins_ms, done_ms + ENTER_AFTER_MS)


Lamps = Mapping[Button, LampLook]


class _Moment:
    """The lamps of one state and live: what holds for the whole table, and the seats asked for so far."""

    def __init__(self, state: State, live: Live) -> None:
        self.state = state
        self.live = live
        self.dark = bool(state.frozen or play_lock(state, live))
        self.deciding = state.deciding()
        self.betting = betting_open(state, live)
        self.lamps: dict[int, Lamps] = {}


_last_moment: _Moment | None = None


def lamps(state: State, live: Live, seat: int) -> Lamps:
    """The lamp of every button of the seat. Buttons that are not named are dark.

    Levels, screen and watchers ask for the same moment: its answers are kept until the next one.
    """
    global _last_moment
    moment = _last_moment
    if moment is None or moment.state is not state or moment.live is not live:
        moment = _last_moment = _Moment(state, live)
    found = moment.lamps.get(seat)
    if found is None:
        found = moment.lamps[seat] = _lamps(moment, seat)
    return found


def _lamps(moment: _Moment, seat: int) -> Lamps:
    state, live = moment.state, moment.live
    if live.key and seat != MENU_SEAT:
        return {}
    if live.confirming is not None:
        return {Button.CASH_OUT: _OUTLINED} if walks(live, Button.CASH_OUT) else {}
    if live.key:
        return {button: _OUTLINED if walks(live, button) else _OFF for button in MENU_BUTTONS}
    if moment.dark:
        return {}
    found = {Button.HELP: _OUTLINED}
    if live.policy.is_shared(validator := live.policy.validator_of(seat)):
        if notes_go_to(live, validator) == seat:
            found[Button.BUY_IN] = _LIT
        elif not document_inside(state, live, validator) and not paying_out(state, seat):
            found[Button.BUY_IN] = _OUTLINED
    if seat_locked(state, seat):
        cancel_ms = cancel_from_ms(state, live, seat)
        if cancel_ms is None or live.timed_ms < cancel_ms:
            return {Button.HELP: _OUTLINED}
        return {Button.HELP: _OUTLINED, Button.CASH_OUT: _OUTLINED}
    if seat in moment.deciding:
        found |= _decision_lamps(state, seat)
    elif moment.betting and not paying_out(state, seat):
        found |= _bet_lamps(state, live, seat)
    if can_cash_out(state, live, seat):
        found[Button.CASH_OUT] = _OUTLINED
    return found


def _decision_lamps(state: State, seat: int) -> dict[Button, LampLook]:
    assert state.round is not None
    legal = state.round.legal(seat)
    return {
        button: _LIT
        for button, choice in CHOICES.items()
        if choice in legal and state.round.extra_stake(seat, choice) <= state.credit(seat)
    }


def _bet_lamps(state: State, live: Live, seat: int) -> dict[Button, LampLook]:
    found: dict[Button, LampLook] = {}
    bet, credit, record = state.bet(seat), state.credit(seat), state.record(seat)
    if closed(state, live):  # no round will be dealt: a bet can only be taken back
        return {Button.BET_MINUS: _OUTLINED} if bet else {}
    if next_bet_cents(state, live, seat) is not None:
        found[Button.BET_PLUS] = _OUTLINED if bet else _LIT
    if bet:
        found[Button.BET_MINUS] = _OUTLINED
        if not record.ready:
            found[Button.DEAL] = _LIT
    elif record.last_bet_cents <= credit and live.policy.rules.is_bet(record.last_bet_cents):
        found[Button.DEAL] = _OUTLINED
    return found


def next_bet_cents(state: State, live: Live, seat: int) -> int | None:
    """What BET + would move from credit now; None when it would move nothing."""
    rules, bet = live.policy.rules, state.bet(seat)
    step = rules.bet_step_cents if bet else rules.min_bet_cents
    if bet + step > rules.max_bet_cents or state.credit(seat) < step:
        return None
    return step


def refusal(state: State, live: Live, seat: int, button: Button) -> Message | None:
    """Why a dark button does nothing; None when saying nothing is right (cards in the air)."""
    rules = live.policy.rules
    if state.frozen or play_lock(state, live):
        return Message("refused.not_now")
    if seat_locked(state, seat):
        return Message("seat.attendant_called")
    match button:
        case Button.HIT | Button.STAND | Button.DOUBLE | Button.SPLIT:
            return _decision_refusal(state, seat, button)
        case Button.CASH_OUT:
            if state.plays(seat):
                return Message("refused.cash_out_later")
            held = state.credit(seat) + state.bet(seat)  # on its way to paper, or still counted up
            return Message("refused.not_now" if paying_out(state, seat) or held else "refused.no_credit")
        case Button.BUY_IN if (other := _putting_in(state, live, seat)) is not None:
            return Message("refused.wait_for_note", (("seat", other),))
        case Button.HELP | Button.BUY_IN:
            return Message("refused.not_now")
    if state.round_open:
        return Message("refused.round_running")
    if not betting_open(state, live) or paying_out(state, seat):
        return Message("refused.not_now")
    if closed(state, live):
        return Message("refused.closed")
    if button is Button.BET_PLUS:
        if state.bet(seat) + rules.bet_step_cents > rules.max_bet_cents:
            return Message("refused.max_bet", (("amount_cents", rules.max_bet_cents),))
        step = rules.bet_step_cents if state.bet(seat) else rules.min_bet_cents
        return Message("refused.need_more", (("missing_cents", step - state.credit(seat)),))
    if button is Button.BET_MINUS or state.record(seat).ready:
        return Message("refused.is_ready" if state.bet(seat) else "refused.bet_first")
    last = state.record(seat).last_bet_cents
    if last > state.credit(seat) > 0:
        return Message("refused.need_more", (("missing_cents", last - state.credit(seat)),))
    return Message("refused.bet_first")


def _putting_in(state: State, live: Live, seat: int) -> int | None:
    """The other seat whose note or ticket is in the validator that both share."""
    validator = live.policy.validator_of(seat)
    bound = live.binding.get(validator)
    return bound if bound != seat and document_inside(state, live, validator) else None


def _decision_refusal(state: State, seat: int, button: Button) -> Message | None:
    if not state.plays(seat):
        return None
    if seat not in state.deciding() or state.round is None:
        return None  # cards are in the air, or the seat has decided: the lamp was dark
    choice = CHOICES[button]
    if choice in state.round.legal(seat):
        missing = state.round.extra_stake(seat, choice) - state.credit(seat)
        return Message("refused.need_more", (("missing_cents", missing),))
    if button is Button.SPLIT:
        return Message("refused.not_pair")
    return Message("refused.only_9_10_11")
