"""Money in: notes, and the document of either kind (tickets that come back: `ticket_in`).

**Record, then act.** A note is stacked after its intent is recorded, acknowledged after its credit
is. At start-up every open intent is in doubt, nothing is repeated from memory: the device's first
report closes it by `NOTE_AT_START`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cabinet.core import live as now
from cabinet.core import options
from cabinet.core.conditions import Code, Lock
from cabinet.core.facts import (
    NoteClosed,
    NoteCredited,
    NoteIntended,
    NoteRefused,
    NoteReturned,
    NoteUnresolved,
    TicketRedeemed,
)
from cabinet.core.live import Live, active_conditions
from cabinet.core.look import Cue, Message
from cabinet.core.money import rejects
from cabinet.core.money.binding import seat_of
from cabinet.core.renewal import replace
from cabinet.core.state import OpenNote, State
from cabinet.core.state import ledger as accounts
from cabinet.core.turn import (
    AcknowledgeNote,
    AdoptDocument,
    ResetValidator,
    ReturnNote,
    StackNote,
    Turn,
)
from drivers.device import Holding, OpenDocument, ValidatorReport

_SPEAKS_NO_MORE = frozenset(
    {Code.NOTE_JAM, Code.VALIDATOR_FAILED, Code.VALIDATOR_SILENT, Code.VALIDATOR_NOT_READY}
)
NOT_BOUND, LOCKED, LIMIT = "no seat is bound", "locked", "credit limit"
STUCK = "stuck"  # of a note in question: its validator still works on it, and may yet say how it ends
GONE = "gone"  # of a note in question: its validator is not in the cabinet file any more


# ---- which notes are taken


def takes_notes(state: State, live: Live, validator: str) -> bool:
    """The level that a validator gets: whether it may draw a document in now."""
    if locked(state, live, validator):
        return False
    seat = seat_of(live, validator)
    if validator in live.rebinding and not options.document_inside(state, live, validator):
        return False  # what was drawn in before the change is still the seat's, and nothing else
    return seat is not None and _fits(live, validator, _room(state, live, seat))


def locked(state: State, live: Live, validator: str) -> bool:
    """Something stops the table, or this validator."""
    if state.frozen or now.closed(state, live):
        return True
    for row, device, _ in active_conditions(state, live):
        if row.lock is Lock.PLAY or (row.lock is Lock.MONEY and device in ("", validator)):
            return True  # "" is a door: it concerns all of them
    return False


def _fits(live: Live, validator: str, cents: int) -> bool:
    """Whether any note that the validator knows is within `cents`; a ticket may be over any amount."""
    if validator in live.policy.ticket_in:
        return cents >= 1
    notes = live.device(validator).notes
    return any(note.cents <= cents for note in notes) if notes else cents >= 1


def _room(state: State, live: Live, seat: int) -> int:
    """What the seat may still put in before the credit limit, in cents. What it may take back counts."""
    back = state.ledger[accounts.in_flight(seat)]
    back += sum(pay.cents for pay in state.handpays if pay.seat == seat and not pay.is_win)
    return live.policy.credit_limit_cents - state.credit(seat) - state.bet(seat) - back


def refuse(turn: Turn, seat: int, why: Message | None) -> None:
    """Say on the seat's panel why a press did nothing."""
    if why is not None:
        refused = {**turn.live.refused, seat: (why, turn.now_ms)}
        turn.live = now.sound(turn.live, Cue.REFUSED, refused=refused)


# ---- a note's life


def note_escrowed(turn: Turn, device: str, cents: int, code: int, evidence: str) -> None:
    """A note waits in escrow: record the intent and stack it, or give it back with the reason."""
    open_note = turn.state.note(device)
    if open_note is not None and not open_note.credited:
        # The same document after a restart: decided again, not recorded twice.
        same = not open_note.number and open_note.cents == cents
        if same and not why_not(turn, device, open_note.seat, cents):
            turn.act(StackNote(device))
        else:
            turn.act(ReturnNote(device))
        return
    if open_note is not None:
        turn.add(NoteClosed(turn.now_ms, open_note.ref))
    seat = seat_of(turn.live, device)
    why = NOT_BOUND if seat is None else why_not(turn, device, seat, cents)
    if seat is None or why:
        turn.add(NoteRefused(turn.now_ms, device, seat or 0, cents, why))
        turn.act(ReturnNote(device))
        if seat is not None and why == LIMIT:
            refuse(turn, seat, Message("refused.credit_limit"))
        return
    turn.add(NoteIntended(turn.now_ms, turn.state.next_ref, device, seat, cents, code, evidence))
    turn.act(StackNote(device))


def why_not(turn: Turn, device: str, seat: int, cents: int) -> str:
    """Why a document over so many cents may not be stacked now; "" when it may."""
    if locked(turn.state, turn.live, device):
        return LOCKED
    return LIMIT if cents > _room(turn.state, turn.live, seat) else ""


def vend_valid(turn: Turn, device: str, evidence: str) -> None:
    """The note is irrevocably in the box: credit it once, then tell the device that we know."""
    note = in_work(turn.state, device)
    if note is None and turn.live.device(device).by_hand:
        turn.act(AcknowledgeNote(device))  # it was found in the box and paid before the device had said so
        return
    if note is None:
        _vend_unknown(turn, device)
        return
    if not note.credited:
        _credit(turn, note, evidence)
    turn.act(AcknowledgeNote(device))


def in_work(state: State, device: str) -> OpenNote | None:
    """The document that the validator's next word is about: also one that somebody is asked about because it
    does not get on. Whichever comes first settles it, the device's last word or the attendant's."""
    stuck = (note for note in state.notes if note.device == device and note.unresolved == STUCK)
    return state.note(device) or next(stuck, None)


def is_answerable(live: Live, note: OpenNote) -> bool:
    """A person may say where the document in question is. Not while its validator still moves it, or is being
    restarted: then nobody knows yet how it ends. One that is silent or broken is opened and looked into."""
    if note.unresolved != STUCK or note.device not in live.devices:
        return True
    return any(code in _SPEAKS_NO_MORE for code, _ in live.device(note.device).faults)


def document_stuck(turn: Turn, device: str) -> None:
    """The validator does not get on with a document: whether the seat gets its money is a question from now
    on, for a person who looks or for the device when it goes on after all."""
    note = turn.state.note(device)
    if note is not None and not note.credited:
        turn.add(NoteUnresolved(turn.now_ms, note.ref, device, STUCK))


def settled_by_hand(turn: Turn, note: OpenNote, in_box: bool) -> None:
    """Somebody has looked for a document that its validator may still speak of. What was found and paid is
    not paid again when it does."""
    if in_box and note.unresolved not in (Holding.VEND_VALID, GONE):
        turn.live = now.with_device(turn.live, note.device, by_hand=True)


def _vend_unknown(turn: Turn, device: str) -> None:
    """A note is in the box that nobody may credit: the attendant is asked, and his answer acknowledges it."""
    asked = next((n for n in turn.state.notes if n.device == device), None)
    if asked is None or asked.unresolved != Holding.VEND_VALID:
        turn.add(NoteUnresolved(turn.now_ms, asked.ref if asked else 0, device, Holding.VEND_VALID.value))


def _credit(turn: Turn, note: OpenNote, evidence: str) -> None:
    if note.number:
        turn.add(redeemed(turn.now_ms, note, "validator", evidence))
    else:
        turn.add(NoteCredited(turn.now_ms, note.ref, evidence))
    turn.live = now.sound(turn.live, Cue.NOTE)


def redeemed(at_ms: int, note: OpenNote, by: str, evidence: str = "") -> TicketRedeemed:
    """The fact that the ticket in this document is paid."""
    return TicketRedeemed(
        at_ms, note.ref, note.ticket, note.device, note.seat, note.cents, note.number, by, evidence
    )


def note_stacked(turn: Turn, device: str) -> None:
    note = turn.state.note(device)
    if note is not None and note.credited:
        turn.add(NoteClosed(turn.now_ms, note.ref))
    _document_left(turn, device)


def note_returned(turn: Turn, device: str, reason: str) -> None:
    """Never money. A note that was credited cannot come back: that is for the attendant."""
    note = in_work(turn.state, device)
    if note is not None and note.credited:
        turn.add(NoteClosed(turn.now_ms, note.ref))
        turn.add(NoteUnresolved(turn.now_ms, 0, device, "returned after credit"))
    elif note is not None:
        turn.add(NoteReturned(turn.now_ms, note.ref, reason))
    elif turn.live.device(device).by_hand:
        turn.live = now.with_device(turn.live, device, by_hand=False)
        turn.add(NoteUnresolved(turn.now_ms, 0, device, "returned after credit"))
    seat = seat_of(turn.live, device)
    if rejects.document_returned(turn, device, seat, reason) and seat is not None:
        refuse(turn, seat, Message("refused.note_not_read"))
    _document_left(turn, device)


def _document_left(turn: Turn, device: str) -> None:
    turn.live = now.with_device(turn.live, device, taking=False)


def validators_asked(turn: Turn) -> None:
    """At start-up: each validator is told what is open in it. One that the cabinet file names no more reports
    nothing: what was open in it is for a person who finds it."""
    here = [name for name, _ in turn.policy.validators]
    for note in turn.state.notes:
        if note.device in here or note.unresolved:
            continue
        if note.credited:
            turn.add(NoteClosed(turn.now_ms, note.ref))
        else:
            turn.add(NoteUnresolved(turn.now_ms, note.ref, note.device, GONE))
    for device in here:
        turn.act(AdoptDocument(device, _open_document(in_work(turn.state, device))))


def _open_document(note: OpenNote | None) -> OpenDocument | None:
    if note is None:
        return None
    return OpenDocument(note.cents, note.code, note.number, note.credited, note.evidence)


# ---- what a validator says first: one row per (open note, report)

NONE, INTENDED, CREDITED = "none", "intended", "credited"


def _nothing(turn: Turn, device: str, report: ValidatorReport) -> None:
    """Nothing is open and nothing is inside: nothing to do."""


def _return(turn: Turn, device: str, report: ValidatorReport) -> None:
    note = in_work(turn.state, device)
    assert note is not None
    turn.add(NoteReturned(turn.now_ms, note.ref, report.holding.value))


def _close(turn: Turn, device: str, report: ValidatorReport) -> None:
    note = turn.state.note(device)
    assert note is not None
    turn.add(NoteClosed(turn.now_ms, note.ref))


def _credit_lost_report(turn: Turn, device: str, report: ValidatorReport) -> None:
    """The box holds it: it is ours, once. After its reset the device may say VEND VALID for it, so the note
    stays open, acknowledged in advance, until the device has nothing more to say about it."""
    note = in_work(turn.state, device)
    assert note is not None
    if not note.credited:
        _credit(turn, note, report.evidence)
    turn.act(AcknowledgeNote(device))


def _ask(turn: Turn, device: str, report: ValidatorReport) -> None:
    """Only a person who looks into the box can tell."""
    note = in_work(turn.state, device)
    if note is None and any(n.device == device for n in turn.state.notes):
        return
    if note is None and report.holding is Holding.IN_STACKER and turn.live.device(device).by_hand:
        turn.act(AcknowledgeNote(device))
        return
    turn.add(NoteUnresolved(turn.now_ms, note.ref if note else 0, device, report.holding.value))


def _vend(turn: Turn, device: str, report: ValidatorReport) -> None:
    vend_valid(turn, device, report.evidence)


def _wait(turn: Turn, device: str, report: ValidatorReport) -> None:
    """The escrow event that follows decides."""


NOTE_AT_START: Final[dict[tuple[str, Holding], Callable[[Turn, str, ValidatorReport], None]]] = {
    (NONE, Holding.POWER_UP): _nothing,
    (NONE, Holding.IN_ACCEPTOR): _nothing,
    (NONE, Holding.IN_STACKER): _ask,
    (NONE, Holding.ESCROW): _wait,
    (NONE, Holding.VEND_VALID): _vend,
    (NONE, Holding.NOTHING): _nothing,
    (NONE, Holding.RETURNING): _nothing,
    (INTENDED, Holding.POWER_UP): _ask,
    (INTENDED, Holding.IN_ACCEPTOR): _return,
    (INTENDED, Holding.IN_STACKER): _credit_lost_report,
    (INTENDED, Holding.ESCROW): _wait,
    (INTENDED, Holding.VEND_VALID): _vend,
    (INTENDED, Holding.NOTHING): _ask,
    (INTENDED, Holding.RETURNING): _return,
    (CREDITED, Holding.POWER_UP): _close,
    (CREDITED, Holding.IN_ACCEPTOR): _close,
    (CREDITED, Holding.IN_STACKER): _credit_lost_report,
    (CREDITED, Holding.ESCROW): _wait,
    (CREDITED, Holding.VEND_VALID): _vend,
    (CREDITED, Holding.NOTHING): _close,
    (CREDITED, Holding.RETURNING): _close,
}
_RESET_AFTER = (Holding.POWER_UP, Holding.IN_ACCEPTOR, Holding.IN_STACKER)


def validator_reported(turn: Turn, report: ValidatorReport) -> None:
    """The first definite answer of a validator after (re)connection settles what was in doubt."""
    device, holding = report.device, report.holding
    note = in_work(turn.state, device)
    intent = NONE if note is None else CREDITED if note.credited else INTENDED
    NOTE_AT_START[intent, holding](turn, device, report)
    after = turn.state.note(device)
    if note is not None and after is not None and after.credited and not note.credited:
        # Whoever put it in has seen the table go dark: say whose it is.
        turn.live = replace(turn.live, restored={**turn.live.restored, note.seat: turn.now_ms})
    if holding in _RESET_AFTER:
        turn.act(ResetValidator(device))
