"""What people and machines had to do around a round, in words: the notes of a recalled round."""

from __future__ import annotations

from cabinet.core.conditions import BY_CODE
from cabinet.core.currency import of_settings
from cabinet.core.facts import (
    ClockStepped,
    ConditionCleared,
    ConditionRaised,
    Fact,
    HandpayCancelled,
    HandpayOpened,
    HandpayPaid,
    KeyTurned,
    NoteCredited,
    NoteSettledByHand,
    NoteUnresolved,
    RoundVoided,
    SessionStarted,
    TicketPaidAtDesk,
    TicketPrinted,
    TicketRedeemed,
    TicketUnknown,
)
from cabinet.core.past.reasons import handpay_words, key_words, note_words, step_words
from cabinet.core.state import State


def words(fact: Fact, before: State) -> str:
    """A note about this fact, which happened in `before`; "" if it needs none. Money as it was then."""
    money = of_settings(before.settings).text
    match fact:
        case HandpayOpened(seat=seat, cents=cents, reason=reason):
            return f"seat {seat}: {money(cents)} for an attendant, {handpay_words(reason)}"
        case HandpayPaid(ref=ref, by=by):
            paid = next(h for h in before.handpays if h.ref == ref)
            return f"seat {paid.seat}: {money(paid.cents)} paid by the {by}"
        case HandpayCancelled(ref=ref):
            back = next(h for h in before.handpays if h.ref == ref)
            return f"seat {back.seat}: {money(back.cents)} taken back as credit"
        case TicketRedeemed(seat=seat, cents=cents):
            return f"seat {seat}: ticket of {money(cents)} redeemed"
        case TicketPaidAtDesk(cents=cents, by=by):
            return f"ticket of {money(cents)} paid at the desk by the {by}"
        case NoteCredited(ref=ref):
            note = next(n for n in before.notes if n.ref == ref)
            return f"seat {note.seat}: note {money(note.cents)}"
        case NoteUnresolved(device=device, report=report):
            return f"{device}: note unresolved, {note_words(report)}"
        case NoteSettledByHand(device=device, in_box=in_box, by=by):
            return f"{device}: {'note in the box' if in_box else 'no note of ours'}, says the {by}"
        case TicketPrinted(ref=ref, by=by):
            ticket = next(t for t in before.tickets if t.ref == ref)
            return f"seat {ticket.seat}: ticket {money(ticket.cents)}, told by {by}"
        case TicketUnknown(detail=detail):
            return f"ticket in doubt: {detail}"
        case RoundVoided(reason=reason):
            return f"round voided {reason}, all stakes returned"
        case SessionStarted(clean=clean):
            return "started again" if clean else "started again after a power cut or a crash"
        case ClockStepped(before_ms=before_ms, wall_ms=wall_ms):
            return f"clock set, {step_words(before_ms, wall_ms)}"
        case KeyTurned(key=key, on=on):
            return f"{key_words(key)}: key {'turned' if on else 'turned back'}"
        case ConditionRaised(code=code, device=device):
            return _condition(code, device, "begins")
        case ConditionCleared(code=code, device=device, by=by):
            return f"{_condition(code, device, 'is over')}, by {by}"
    return ""


def _condition(code: str, device: str, what: str) -> str:
    name = BY_CODE[code].name if code in BY_CODE else "condition"
    return f"{code} {name}{f' at {device}' if device else ''} {what}"
