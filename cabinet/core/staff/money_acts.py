"""What an act about money means, as a sentence, and whether it is still possible.

`says` is asked when an item is chosen, at every moment while the key is waited for, and once more when the
key confirms. None: there is no such matter (any more): nothing may be recorded.
"""

from __future__ import annotations

from cabinet.core.conditions import Code
from cabinet.core.live import Live
from cabinet.core.money import clock
from cabinet.core.staff import desk
from cabinet.core.state import OpenNote, State
from cabinet.core.validation import last_four

Says = tuple[str, str]

# Orders of the menu that only the key itself confirms: all that moves or settles money, notes and tickets,
# and what no later entry can take back.
CONFIRMED = frozenset({"paid", "ticket", "note", "round", "period", "clock", "pay"})


def says(state: State, live: Live, order: tuple[str, ...]) -> Says | None:
    """What would be recorded, and what follows from it."""
    match order:
        case ("paid", ref):
            return _paid(state, live, int(ref))
        case ("ticket", ref, answer):
            return _ticket(state, live, int(ref), answer == "yes")
        case ("note", ref, device, answer):
            return _note(state, live, int(ref), device, answer == "yes")
        case ("round", answer):
            return _round(state, live, answer == "on")
        case ("pay", ref):
            return _pay(state, live, int(ref))
        case ("clock", answer) if (clock.IN_QUESTION, "") in state.conditions:
            return _clock(state, live, answer == "right")
        case ("period", number) if int(number) == state.period + 1 and state.meters != state.period_base:
            return f"Period {number} of the meters begins", "What counts in a period starts at zero."
    return None


def _paid(state: State, live: Live, ref: int) -> Says | None:
    pay = next((pay for pay in state.handpays if pay.ref == ref), None)
    if pay is None:
        return None
    amount = live.policy.currency.text(pay.cents)
    return (
        f"Seat {pay.seat} has been paid {amount} in cash",
        "The hand payment is closed.",
    )


def _ticket(state: State, live: Live, ref: int, in_hand: bool) -> Says | None:
    ticket = state.ticket(ref)
    if ticket is None or not ticket.unknown:
        return None
    seat = f"Seat {ticket.seat}:"
    if ticket.handpay:
        head = "the receipt is in hand" if in_hand else "there is no receipt"
        return f"{seat} {head}", "A receipt is worth nothing. Nothing more is paid."
    amount, digits = live.policy.currency.text(ticket.cents), last_four(ticket.number)
    if in_hand:
        return (
            f"{seat} the ticket of {amount} is in hand",
            f"Whole and readable (..{digits}): it is worth its amount.",
        )
    return (
        f"{seat} no ticket of {amount} is in hand",
        f"Number ..{digits} is void, the amount is paid by hand.",
    )


def _note(state: State, live: Live, ref: int, device: str, in_box: bool) -> Says | None:
    note = next((n for n in state.notes if n.ref == ref and n.device == device and n.unresolved), None)
    if note is None:
        return None
    if not ref:
        return (
            f"The cash box of {device} was looked into",
            "The note's value is not known. Nobody gets credit.",
        )
    return _document(live, note, in_box)


def _document(live: Live, note: OpenNote, in_box: bool) -> Says:
    what = f"{'ticket' if note.number else 'note'} of {live.policy.currency.text(note.cents)}"
    if in_box:
        gets = f"Seat {note.seat} gets {live.policy.currency.text(note.cents)} of credit."
        return f"The {what} is in the cash box", gets
    after = " The ticket can be used again." if note.number else ""
    return f"The customer has the {what} back", f"Seat {note.seat} gets no credit.{after}"


def _round(state: State, live: Live, play_on: bool) -> Says | None:
    held = [code for code, _ in state.conditions]
    if not state.round_open or not (
        Code.OLD_ROUND in held or (live.key == "service" and Code.RNG_FAILED in held and not play_on)
    ):
        return None
    bets = live.policy.currency.text(sum(state.bet(seat) for seat in state.seats))
    if play_on:
        return "The round is played on", f"The bets stay on the table: {bets}."
    return "The round is void", f"Every bet goes back to its seat: {bets}. No card counts."


def _clock(state: State, live: Live, right: bool) -> Says | None:
    day = clock.date_words(live.wall_ms)
    if not right:
        return f"Today is not {day}", "No ticket expires before a technician has set the clock."
    over = clock.overdue(state, live.wall_ms)
    amount = live.policy.currency.text(sum(line.cents for line in over))
    gone = f"Tickets that expire now: {len(over)}, together {amount}." if over else "No ticket expires now."
    return f"Today is {day}", gone


def _pay(state: State, live: Live, ref: int) -> Says | None:
    line = desk.payable(state, live, ref)
    if line is None:
        return None
    head = f"Ticket {line.ticket_no:04d} of {live.policy.currency.text(line.cents)} is paid at the desk"
    return head, "No machine pays it any more, nor a copy. Keep the paper."
