"""The lock-up panel and the lines in the top bar."""

from __future__ import annotations

from collections.abc import Iterator

from cabinet.core.conditions import BY_CODE, PRINTER_DOWN, Code, Condition, Lock
from cabinet.core.live import calls, closed
from cabinet.core.look import BannerLook, LockLook, Message
from cabinet.core.money.cashier import locked
from cabinet.core.options import notes_go_to, seat_locked
from cabinet.core.view.sight import KEYS, Sight

_STOPPED: dict[str, str] = {Code.NOTE_JAM: "note_stuck", Code.DOCUMENT_STUCK: "note_inside"}


def lock_look(sight: Sight) -> LockLook | None:
    """The first condition that stops the table; None while only a key is turned or nothing is."""
    row = _stopping(sight)
    if row is None:
        return None
    state = sight.state
    deadline_ms = state.bet_deadline_ms if state.decision_deadline_ms is None else state.decision_deadline_ms
    words = f"lock.{row.code if row.code in BY_CODE else 'unknown'}"
    text = Message(f"{words}.text")
    if rows := sight.live.reading:
        text = Message("lock.reading", (("count", rows),))
    return LockLook(
        code=row.code,
        icon=row.icon,
        title=Message(f"{words}.title"),
        text=text,
        call=Message(f"{words}.call"),
        since_ms=sight.at_ms,
        remaining_ms=sight.left_ms(deadline_ms),
        others=tuple(code for code in sight.codes if code != row.code and code not in KEYS),
    )


def _stopping(sight: Sight) -> Condition | None:
    for row, _, _ in sight.conditions:
        if row.lock is Lock.PLAY and row.code not in KEYS:
            return row
    return None


def banners(sight: Sight) -> tuple[BannerLook, ...]:
    """What the top bar says, the most important first."""
    return tuple(_banners(sight))


def _banners(sight: Sight) -> Iterator[BannerLook]:
    state, live, policy = sight.state, sight.live, sight.policy
    if policy.lab:
        yield _banner("lab")
    if closed(state, live):
        yield _banner("closed")
    restored_ms = state.started_ms + policy.timing.restored_ms
    if state.restored and live.now_ms < restored_ms:
        yield _banner("restored", until_ms=restored_ms)
    for seat, at_ms in sorted(live.restored.items()):
        credit_ms = at_ms + policy.timing.restored_ms
        if live.now_ms < credit_ms:
            yield _banner("credit_restored", until_ms=credit_ms, seat=seat)
    if live.door_closed_ms is not None and not live.inputs.get("door.main"):
        closed_ms = live.door_closed_ms + policy.timing.door_closed_ms
        if live.now_ms < closed_ms:
            yield _banner("door_closed", until_ms=closed_ms)
    if called := _called(sight):
        yield _banner("attendant_seats", seats=called) if policy.seats > 1 else _banner("attendant_called")
    for validator, _ in policy.validators:
        if not policy.is_shared(validator):
            continue
        if locked(state, live, validator):
            continue
        bound, wanted = notes_go_to(live, validator), live.rebinding.get(validator)
        if bound is not None:
            yield _banner("notes_to_seat", seat=bound)
        elif wanted is not None and wanted.seat:
            yield _banner("notes_wait", seat=wanted.seat)
    if _all_stopped(sight):
        yield _banner("no_notes")
    if _no_printer(sight):
        yield _banner("no_tickets")
    elif Code.PAPER_LOW in sight.codes:
        yield _banner("paper_low")


def wins_untold(sight: Sight, seat: int) -> bool:
    """All that an attendant is called for at this seat is a win that is still being shown."""
    state = sight.state
    settled_ms = state.settled_ms
    if settled_ms is None or sight.live.now_ms >= settled_ms + sight.policy.timing.settle_ms:
        return False
    if any(ticket.seat == seat and ticket.unknown for ticket in state.tickets):
        return False
    return all(pay.is_win for pay in state.handpays if pay.seat == seat)


def _called(sight: Sight) -> tuple[int, ...]:
    """Seats where an attendant is awaited: for money, or for a device of their own that only he clears."""
    state, policy = sight.state, sight.policy
    waiting = {seat for seat in state.seats if seat_locked(state, seat) and not wins_untold(sight, seat)}
    waiting |= {note.seat for note in state.notes if note.unresolved and note.seat}
    own = {name: seats[0] for name, seats in (*policy.validators, *policy.printers) if len(seats) == 1}
    for row, device, _ in sight.conditions:
        if device in own and calls(sight.live, row, device):
            waiting.add(own[device])
    return tuple(sorted(waiting))


def trouble(sight: Sight, seat: int) -> Message | None:
    """What an attendant is called for at the seat's own slot, or the guest can mend himself: who has put a
    note in wants to know."""
    asked = [note for note in sight.state.notes if note.seat == seat and note.unresolved]
    if asked:
        return Message("seat.ticket_in_doubt" if asked[0].number else "seat.note_in_doubt")
    validator = sight.policy.validator_of(seat)
    if sight.policy.is_shared(validator) and sight.live.binding.get(validator) != seat:
        return None
    for row, device, _ in sight.conditions:
        if device == validator and row.code == Code.TWO_DOCUMENTS:
            return Message("seat.second_note")
        if device == validator and row.lock is Lock.MONEY and calls(sight.live, row, device):
            return Message(f"seat.{_STOPPED.get(row.code, 'notes_stopped')}")
    return None


def _banner(kind: str, until_ms: int | None = None, **args: int | tuple[int, ...]) -> BannerLook:
    return BannerLook(kind, Message(f"banner.{kind}", tuple(args.items())), until_ms)


def _all_stopped(sight: Sight) -> bool:
    """A condition keeps every validator from taking notes, while play goes on."""
    if sight.locked:
        return False
    stopped = {device for row, device, _ in sight.conditions if row.lock is Lock.MONEY}
    return "" in stopped or all(name in stopped for name, _ in sight.policy.validators)


def _no_printer(sight: Sight) -> bool:
    """Every printer is down, or there are no numbers: cash-outs are paid by hand."""
    if sight.policy.numbers is None:
        return not sight.locked  # a table that stands pays nobody
    down = {device for row, device, _ in sight.conditions if row.code in PRINTER_DOWN}
    return all(name in down for name, _ in sight.policy.printers)
