"""``decide(state, live, event, draw)``: pure, total and quick.

What an event makes true (facts, committed first) and what it orders (acts, given only after the
commit). Afterwards the same follow-ups always run: freeze or release, open a decision, end the
betting, serve the printers, owe the hard meters. ``due`` says when time alone will change
something.
"""

from __future__ import annotations

from dataclasses import dataclass

from cabinet.core import confirm, dealer, options
from cabinet.core.conditions import Code
from cabinet.core.facts import Fact, SessionStarted, SessionStopped
from cabinet.core.live import TILTS, Live, calls_due_ms, closed_pages, sense, with_trouble
from cabinet.core.look import Button, LampLook
from cabinet.core.money import (
    binding,
    cashier,
    clock,
    hard_meters,
    patience,
    payout,
    receipts,
    ticket_in,
)
from cabinet.core.options import CHOICES
from cabinet.core.past.answers import Answered
from cabinet.core.renewal import replace
from cabinet.core.staff import attendant, condition_log, settings
from cabinet.core.state import State, identity
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.turn import (
    Act,
    ClockRead,
    Draw,
    DrawError,
    ReturnNote,
    Started,
    StopAsked,
    StorageSlow,
    TimerDue,
    TroubleReported,
    Turn,
)
from drivers.device import (
    BarcodeEscrowed,
    DeviceEvent,
    FaultCleared,
    FaultRaised,
    InputChanged,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteVendValid,
    PulsesDone,
    TicketDone,
    TicketStarted,
    TicketTaken,
    ValidatorReport,
)

_BUTTONS = frozenset(Button)
Event = DeviceEvent | Started | ClockRead | TimerDue | TroubleReported | StorageSlow | StopAsked | Answered


@dataclass(frozen=True, slots=True)
class Decision:
    """`state` is what the facts make of the state before; `live` what the event made of now."""

    facts: tuple[Fact, ...]
    acts: tuple[Act, ...]
    state: State
    live: Live


_WITHOUT_WORDS = {  # a failure that says nothing is one all the same
    Code.STORAGE_FAILED: "the journal cannot be written",
    Code.MEMORY_FAILED: "what is stored has changed by itself",
}


def decide(state: State, live: Live, event: Event, draw: Draw) -> Decision:
    """Judge one event by the time at which it was read. Raises nothing."""
    now_ms = max(live.now_ms, event.at_ms)
    timed_ms = now_ms if isinstance(event, TimerDue) else live.timed_ms
    if isinstance(event, DeviceEvent):
        live = sense(live, event, now_ms, timed_ms)
        if event.device not in live.devices:
            return Decision((), (), state, live)  # not of this cabinet
    else:
        live = replace(live, now_ms=now_ms, timed_ms=timed_ms)
    if isinstance(event, ClockRead):
        live = replace(live, wall_base_ms=event.wall_ms - event.at_ms)
    if isinstance(event, TroubleReported) and event.code is not Code.NO_SECOND_COPY:  # that goes to the log
        live = with_trouble(live, event.code, event.text or _WITHOUT_WORDS.get(event.code, ""))
    if live.unrecorded:
        return _without_books(state, live, event)
    try:
        return _decided(Turn(state, live, event.at_ms, draw), event)
    except DrawError as error:
        live = with_trouble(live, Code.RNG_FAILED, str(error) or "failed")
    except FactRefusedError as error:
        return _without_books(state, with_trouble(live, Code.ACCOUNTING_ERROR, str(error)), event)
    try:
        # Nothing of the first try is true. This one finds the table locked: no card is asked for, and
        # what the event itself says (a note in the box) still counts.
        return _decided(Turn(state, live, event.at_ms, draw), event)
    except (DrawError, FactRefusedError) as error:
        return _without_books(state, with_trouble(live, Code.ACCOUNTING_ERROR, str(error)), event)


def _decided(turn: Turn, event: Event) -> Decision:
    state, live = turn.state, turn.live
    if not isinstance(event, Started):  # nothing comes before the first fact of a session
        attendant.generator(turn)
    _judge(turn, event)
    attendant.keep_asking(turn, time=isinstance(event, TimerDue))
    _follow(turn, event, state)
    _audit(turn)
    if live.key and turn.live.key and not isinstance(event, InputChanged):
        attendant.keep_cursor(turn, state, live)
    return Decision(tuple(turn.facts), tuple(turn.acts), turn.state, turn.live)


def _without_books(state: State, live: Live, event: Event) -> Decision:
    """Nothing can be recorded: returning an escrowed note is the one act that is allowed. With a key turned
    the pages can still be read."""
    if live.stopped_ms is None:
        live = replace(live, stopped_ms=live.now_ms)
    if live.confirming is not None:
        off = live.confirming.off_ms is not None
        live = closed_pages(live, live.now_ms) if off else replace(live, menu=(), cursor=0, confirming=None)
    if isinstance(event, InputChanged) and event.name == "key.service" and not event.active:
        # The technician has done what he could. What is true is on the disk, and only a new start reads it.
        # Books that were wrong at this start would be wrong at the next one too; a disk can be mended.
        came = bool(live.stopped_ms) and Code.ACCOUNTING_ERROR in live.troubles
        live = replace(live, restart=Code.STORAGE_FAILED in live.troubles or came)
    acts: tuple[Act, ...] = ()
    if isinstance(event, NoteEscrowed | BarcodeEscrowed):
        acts = (ReturnNote(event.device),)
    elif isinstance(event, TroubleReported) and event.code in TILTS:
        acts = tuple(ReturnNote(name) for name, _ in live.policy.validators)
    elif isinstance(event, InputChanged) and live.key and (button := _menu_button(live, event)):
        turn = Turn(state, live, event.at_ms, _no_cards)
        attendant.press(turn, button, reading=True)
        live = turn.live
    elif isinstance(event, Answered):
        turn = Turn(state, live, event.at_ms, _no_cards)
        attendant.answered(turn, event.page, event.answer)
        live = turn.live
    return Decision((), acts, state, live)


def _menu_button(live: Live, event: InputChanged) -> Button | None:
    """The button of a press that walks through the pages of the turned key."""
    place, _, word = event.name.partition(".")
    mine = place == f"seat{options.MENU_SEAT}" and event.active and word in _BUTTONS
    return Button(word) if mine and options.walks(live, Button(word)) else None


def _no_cards(_count: int) -> int:
    raise DrawError("nothing can be recorded")


def _judge(turn: Turn, event: Event) -> None:
    match event:
        case Started():
            _started(turn, event)
        case TimerDue():
            _timer(turn)
        case ClockRead(wall_ms=wall_ms):
            attendant.clock_set(turn, wall_ms)
        case TroubleReported(code=Code.NO_SECOND_COPY, text=text):
            attendant.second_copy(turn, text)
        case TroubleReported(code=code, text=text):
            attendant.trouble(turn, code, text)
        case StorageSlow(text=text):
            attendant.storage_slow(turn, text)
        case StopAsked():
            turn.live = replace(turn.live, stopping=True)
        case InputChanged():
            _input(turn, event)
        case NoteEscrowed(device=device, cents=cents, code=code, evidence=evidence):
            cashier.note_escrowed(turn, device, cents, code, evidence)
        case BarcodeEscrowed(device=device, digits=digits, evidence=evidence):
            ticket_in.barcode_escrowed(turn, device, digits, evidence)
        case NoteVendValid(device=device, evidence=evidence):
            cashier.vend_valid(turn, device, evidence)
        case NoteStacked(device=device):
            cashier.note_stacked(turn, device)
        case NoteGivenBack(device=device, reason=reason):
            cashier.note_returned(turn, device, reason)
        case ValidatorReport():
            cashier.validator_reported(turn, event)
        case TicketStarted(ref=ref):
            payout.ticket_begun(turn, ref)
        case TicketDone(device=device, ref=ref, outcome=outcome, detail=detail):
            patience.ended(turn, device, ref, outcome)
            payout.ticket_done(turn, device, ref, outcome, detail)
        case TicketTaken(device=device):
            payout.ticket_taken(turn, device)
        case PulsesDone(meter=meter, count=count):
            hard_meters.given(turn, meter, count)
        case Answered(page=page, answer=answer):
            attendant.answered(turn, page, answer)
        case FaultRaised() | FaultCleared():
            attendant.fault(turn, event)


def _started(turn: Turn, event: Started) -> None:
    state, policy = turn.state, turn.policy
    turn.live = replace(turn.live, first_ref=state.next_ref)
    if state.round_open and len(state.seat_records) != policy.seats:
        raise FactRefusedError(
            f"a round of {len(state.seat_records)} seats is open, the cabinet has {policy.seats}"
        )
    turn.add(SessionStarted(turn.now_ms, state.session + 1, event.clean, event.wall_ms, policy.version))
    attendant.trouble_before(turn, *event.trouble)
    attendant.generator(turn)
    if settings.take(turn):
        dealer.take_rules(turn)
    clock.judge(turn, event.wall_ms, event.last_wall_ms)
    attendant.old_round(turn, event.wall_ms)
    payout.take_sequence(turn, event.last_sequence)
    payout.take_key(turn)
    clock.expire(turn)
    payout.printers_asked(turn)
    cashier.validators_asked(turn)


def _timer(turn: Turn) -> None:
    deadline = turn.state.decision_deadline_ms
    if deadline is not None and turn.now_ms >= deadline and not turn.state.frozen:
        dealer.time_out(turn)


def _audit(turn: Turn) -> None:
    """Raises RefusedError when meters and accounts do not tell the same. Nothing of it has been written.

    Every decision that records something is asked, not only one that moves money: a note must not be
    stacked for a seat whose books are in question."""
    if turn.facts and (why := identity.trouble(turn.state)):
        raise FactRefusedError(why)


def _follow(turn: Turn, event: Event, before: State) -> None:
    """What follows from any event. Time closes and opens things only when no input waits: a press that
    was read before, or lies queued behind a commit, is judged by the table that its seat has seen."""
    attendant.freeze(turn)
    if isinstance(event, TimerDue):
        condition_log.tell(turn)
        dealer.open_decision(turn)
    dealer.betting(turn, time=isinstance(event, TimerDue))
    patience.watch(turn, time=isinstance(event, TimerDue))
    receipts.serve(turn)
    payout.serve(turn)
    binding.unbind(turn)
    binding.settle(turn)
    hard_meters.owe(turn, before)
    hard_meters.give(turn)


# ---- inputs


def _input(turn: Turn, event: InputChanged) -> None:
    place, _, word = event.name.partition(".")
    if place == "key":
        attendant.key(turn, word, event.active)
    elif place == "door":
        attendant.door(turn, event.name, event.active)
    elif place.startswith("seat") and event.active and word in _BUTTONS:
        seat = place.removeprefix("seat")
        if seat.isdecimal() and int(seat) in turn.state.seats:
            _press(turn, int(seat), Button(word), event.at_ms)


def _press(turn: Turn, seat: int, button: Button, at_ms: int) -> None:
    """One press of one button: what its lamp allows happens, what it does not is refused with why."""
    state = turn.state
    if turn.live.key:
        if seat == options.MENU_SEAT and options.walks(turn.live, button):
            attendant.press(turn, button)
        return
    if button in CHOICES and at_ms < state.decision_opened_ms:
        return  # pressed before the present decision opened: its lamp was dark
    if options.lamps(state, turn.live, seat).get(button, LampLook.OFF) is LampLook.OFF:
        cashier.refuse(turn, seat, options.refusal(state, turn.live, seat, button))
        dealer.touch(turn, seat)
        return
    if seat in turn.live.refused:
        turn.live = replace(turn.live, refused={k: v for k, v in turn.live.refused.items() if k != seat})
    if button is not Button.HELP and turn.live.help:
        _close_help(turn, seat)
    match button:
        case Button.HIT | Button.STAND | Button.DOUBLE | Button.SPLIT:
            dealer.decide(turn, seat, CHOICES[button])
        case Button.BET_MINUS | Button.BET_PLUS | Button.DEAL:
            dealer.bet(turn, seat, button)
        case Button.CASH_OUT:
            if options.seat_locked(state, seat):
                payout.cancel_hand_pay(turn, seat)
            else:
                payout.cash_out(turn, seat)
        case Button.BUY_IN:
            dealer.touch(turn, seat)
            binding.bind(turn, seat)
        case Button.HELP:
            dealer.touch(turn, seat)
            _help(turn, seat)


def _help(turn: Turn, seat: int) -> None:
    """HELP turns the pages and closes after the last one."""
    page = options.help_page(turn.state, turn.live, seat) + 1
    shown = {k: v for k, v in turn.live.help.items() if k != seat}
    if page <= options.help_pages(turn.state, turn.live):
        shown[seat] = (page, turn.now_ms)
    turn.live = replace(turn.live, help=shown)


def _close_help(turn: Turn, seat: int) -> None:
    """Another button closes the seat's own help; help on the whole screen is in everybody's way."""
    own = options.help_in_seat(turn.state, turn.live)
    shown = {k: v for k, v in turn.live.help.items() if own and k != seat}
    turn.live = replace(turn.live, help=shown)


# ---- time


def due(state: State, live: Live) -> int | None:
    """The next instant at which time alone changes state, lamps or screen; None when nothing will.

    It lies before `live.now_ms` when something was due and other events came first.
    """
    timing = live.policy.timing
    instants = [ms for ms in (state.decision_deadline_ms, state.bet_deadline_ms) if ms is not None]
    stands = state.frozen or live.unrecorded  # a decision that cannot open is never due
    if state.awaited() and state.decision_deadline_ms is None and not stands:
        instants.append(max(state.landed_ms, live.timed_ms + 1))
    if state.settled_ms is not None:
        shown_ms = options.settled_shown_ms(state, live)
        instants += [state.settled_ms, shown_ms, options.betting_open_ms(state, live)]
    instants += [at_ms + options.refused_for_ms(live, why) for why, at_ms in live.refused.values()]
    help_ms = options.help_ms(state, live)
    instants += [at_ms + help_ms for _, at_ms in live.help.values()]
    if state.restored:
        instants.append(state.started_ms + timing.restored_ms)
    instants += [at_ms + timing.restored_ms for at_ms in live.restored.values()]
    if live.key:
        instants += [options.menu_from_ms(live), options.enter_from_ms(live)]
    if live.confirming is not None:
        instants += [live.confirming.since_ms + confirm.SHOWN_MS, live.confirming.ends_ms]
    for seat in {pay.seat: None for pay in state.handpays}:
        cancel_ms = options.cancel_from_ms(state, live, seat)
        instants += [] if cancel_ms is None else [cancel_ms]
    if live.door_closed_ms is not None:
        instants.append(live.door_closed_ms + timing.door_closed_ms)
    instants += condition_log.due_ms(live)
    instants += [] if stands else patience.due_ms(live)
    instants += binding.due_ms(live)
    instants += calls_due_ms(live)
    idle_ms = live.policy.attract_after_ms
    instants += [live.idle_since_ms + idle_ms, live.idle_since_ms + options.LONG_IDLE * idle_ms]
    return min((ms for ms in instants if ms > live.timed_ms), default=None)


def stop(state: State, at_ms: int) -> tuple[Fact, ...]:
    """The last facts of a session that was asked to end."""
    return (SessionStopped(at_ms),)
