"""How facts about notes, hand payments and hard meters change the state."""

from __future__ import annotations

from cabinet.core.facts import (
    HandpayCancelled,
    HandpayOpened,
    HandpayPaid,
    NoteClosed,
    NoteCredited,
    NoteIntended,
    NoteReturned,
    NoteSettledByHand,
    NoteUnresolved,
)
from cabinet.core.renewal import replace
from cabinet.core.state import ledger as accounts
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.state.state import Handpay, OpenNote, State

# ---- notes


def note(state: State, fact: NoteIntended | NoteCredited | NoteClosed | NoteReturned) -> State:
    if isinstance(fact, NoteIntended):
        if fact.ref != state.next_ref:
            raise FactRefusedError(f"note reference {fact.ref} is not the next one, {state.next_ref}")
        if state.note(fact.device) is not None:
            raise FactRefusedError(f"{fact.device} has a note in work already")
        if fact.cents <= 0 or fact.seat not in state.seats:
            raise FactRefusedError(f"a note of {fact.cents} cents for seat {fact.seat} cannot be")
        note = OpenNote(fact.ref, fact.device, fact.seat, fact.cents, fact.code, evidence=fact.evidence)
        return replace(state, notes=(*state.notes, note), next_ref=fact.ref + 1)
    note = open_note(state, fact.ref)
    if isinstance(fact, NoteCredited):
        if note.credited:
            raise FactRefusedError(f"note {fact.ref} is credited already")
        if note.number:
            raise FactRefusedError(f"document {fact.ref} is a ticket: it is redeemed")
        ledger = state.ledger.move("notes", accounts.credit(note.seat), note.cents)
        return with_note(replace(state, ledger=ledger), note, credited(note, fact.evidence))
    if isinstance(fact, NoteReturned) and note.credited:
        raise FactRefusedError(f"note {fact.ref} is credited and cannot be returned")
    if isinstance(fact, NoteClosed) and not note.credited:
        raise FactRefusedError(f"note {fact.ref} is not credited and cannot be closed")
    return with_note(state, note, None)


def credited(note: OpenNote, evidence: str) -> OpenNote:
    """The document when its money is credited. Its end is still open."""
    return replace(note, credited=True, unresolved="", evidence=evidence or note.evidence)


def open_note(state: State, ref: int) -> OpenNote:
    """The document with this reference; RefusedError if there is none."""
    for note in state.notes:
        if note.ref == ref:
            return note
    raise FactRefusedError(f"no open note {ref}")


def with_note(state: State, note: OpenNote, changed: OpenNote | None) -> State:
    """The state with another `note` in its place, or (None) without it."""
    kept = tuple(changed if n is note else n for n in state.notes)
    return replace(state, notes=tuple(n for n in kept if n is not None))


def note_by_hand(state: State, fact: NoteUnresolved | NoteSettledByHand) -> State:
    if isinstance(fact, NoteUnresolved):
        if fact.ref:
            note = open_note(state, fact.ref)
            return with_note(state, note, replace(note, unresolved=fact.report))
        others = tuple(n for n in state.notes if n.ref or n.device != fact.device)
        strange = OpenNote(0, fact.device, 0, 0, 0, unresolved=fact.report)
        return replace(state, notes=(*others, strange))
    asked = [n for n in state.notes if n.ref == fact.ref and n.device == fact.device and n.unresolved]
    if not asked:
        raise FactRefusedError(f"note {fact.ref} of {fact.device} is not in question")
    note = asked[0]
    if note.number:
        raise FactRefusedError(f"document {fact.ref} is a ticket: it is redeemed or given back")
    if fact.in_box and fact.ref:
        ledger = state.ledger.move("notes", accounts.credit(note.seat), note.cents)
        state = replace(state, ledger=ledger)
    return with_note(state, note, None)


# ---- paid by hand


def handpay(state: State, fact: HandpayOpened | HandpayPaid | HandpayCancelled) -> State:
    if isinstance(fact, HandpayOpened):
        if fact.ref != state.next_ref or fact.cents <= 0:
            raise FactRefusedError(f"hand payment {fact.ref} over {fact.cents} cents cannot be")
        ledger = state.ledger.move(accounts.credit(fact.seat), accounts.handpay(fact.seat), fact.cents)
        pay = Handpay(fact.ref, fact.seat, fact.cents, fact.reason, fact.at_ms)
        return replace(
            state,
            ledger=ledger,
            handpays=(*state.handpays, pay),
            waiting=tuple(s for s in state.waiting if s != fact.seat),
            next_ref=fact.ref + 1,
        )
    paid = next((h for h in state.handpays if h.ref == fact.ref), None)
    if paid is None:
        raise FactRefusedError(f"no hand payment {fact.ref} waits")
    if isinstance(fact, HandpayCancelled) and paid.is_win:
        raise FactRefusedError(f"hand payment {fact.ref} is a win")
    target = accounts.credit(paid.seat) if isinstance(fact, HandpayCancelled) else "handpaid"
    ledger = state.ledger.move(accounts.handpay(paid.seat), target, paid.cents)
    return replace(state, ledger=ledger, handpays=tuple(h for h in state.handpays if h is not paid))


def pulse_intended(state: State, meter: str, count: int) -> State:
    if count <= 0:
        raise FactRefusedError(f"hard meter {meter} cannot owe {count} pulses more")
    return replace(state, pulses={**state.pulses, meter: state.pulses.get(meter, 0) + count})


def pulse_done(state: State, meter: str, count: int) -> State:
    left = state.pulses.get(meter, 0) - count
    if left < 0 or count <= 0:
        raise FactRefusedError(
            f"hard meter {meter} owed {state.pulses.get(meter, 0)} pulses, {count} were given"
        )
    return replace(state, pulses={**state.pulses, meter: left})
