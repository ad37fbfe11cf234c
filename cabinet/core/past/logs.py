"""Logs: what the journal says about notes, tickets, hand payments, events and settings.

A log is read from the newest fact back, so an end is met before its beginning: `LogReader` keeps the
ends that it has seen, and makes one entry when it comes to what had begun. An entry has both: when
it occurred and when, how and by whom it was settled. A ticket's number is in no entry: only its last
four digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from cabinet.core.conditions import BY_CODE, Clears, Code
from cabinet.core.facts import (
    BY_HAND,
    WINS,
    ClockJudged,
    ClockStepped,
    ConditionCleared,
    ConditionRaised,
    DeskNumberWrong,
    Fact,
    HandpayCancelled,
    HandpayOpened,
    HandpayPaid,
    KeyTurned,
    MemoryBegun,
    MemoryCleared,
    NoteCredited,
    NoteIntended,
    NoteRefused,
    NoteRejected,
    NoteReturned,
    NoteSettledByHand,
    NoteUnresolved,
    PeriodReset,
    RedeemIntended,
    RoundVoided,
    RulesTaken,
    SessionStarted,
    SessionStopped,
    SettingsTaken,
    TicketExpired,
    TicketIntended,
    TicketPaidAtDesk,
    TicketPrinted,
    TicketRedeemed,
    TicketRefused,
    TicketUnknown,
    TicketVoided,
)
from cabinet.core.past.reasons import handpay_words, key_words, note_words, step_words
from cabinet.core.validation import last_four


class Log(StrEnum):
    BILLS = "bills"
    TICKETS_OUT = "tickets_out"
    TICKETS_IN = "tickets_in"
    HANDPAYS = "handpays"
    EVENTS = "events"
    CONFIG = "config"


# How many entries are shown; the journal keeps them all. Older ones make room for new ones in the view.
LIMITS: Mapping[Log, int] = {
    Log.BILLS: 1_000,
    Log.TICKETS_OUT: 1_000,
    Log.TICKETS_IN: 1_000,
    Log.HANDPAYS: 1_000,
    Log.EVENTS: 10_000,
    Log.CONFIG: 1_000,
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How something ended. `by`: self, attendant, technician, printer, validator, or a restart."""

    wall_ms: int
    how: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """`wall_ms` is local wall clock, `seq` the row of the journal. `end` None: it is still open."""

    seq: int
    wall_ms: int
    what: str
    seat: int = 0
    device: str = ""
    cents: int | None = None
    code: str = ""
    detail: str = ""
    end: Ending | None = None
    momentary: bool = False  # it has no end


@dataclass(frozen=True, slots=True)
class LoggedFact:
    """One fact with its place and time."""

    seq: int
    wall_ms: int
    fact: Fact


class LogReader:
    """Reads one log. Give it the facts of `kinds`, the newest first."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.kinds, self._read = _LOGS[log]
        self.ends: dict[object, Ending] = {}
        self.session: Ending | None = None  # the start that followed

    def read(self, logged: LoggedFact) -> Iterable[LogEntry]:
        """The entries that are complete with this fact."""
        return self._read(self, logged)

    def ended(self, key: object, logged: LoggedFact, how: str, by: str = "") -> tuple[()]:
        """Remember an end; a later one counts more than those before it."""
        self.ends.setdefault(key, Ending(logged.wall_ms, how, by))
        return ()


# ---- notes


def _bills(reader: LogReader, logged: LoggedFact) -> Iterable[LogEntry]:
    match logged.fact:
        case NoteCredited(ref=ref):
            return reader.ended(ref, logged, "accepted", "validator")
        case NoteReturned(ref=ref, reason=reason, by=by):
            return reader.ended(ref, logged, f"returned: {note_words(reason)}", by)
        case NoteSettledByHand(ref=ref, device=device, in_box=in_box, by=by):
            how = "accepted: found in the box" if in_box and ref else "given back or not ours"
            return reader.ended(ref or device, logged, how, by)
        case NoteUnresolved(ref=0, device=device, report=report):
            end = reader.ends.pop(device, None)
            return (
                _entry(logged, "note of unknown value", device=device, detail=note_words(report), end=end),
            )
        case NoteIntended(ref=ref, device=device, seat=seat, cents=cents):
            end = reader.ends.pop(ref, None)
            return (_entry(logged, "note", seat=seat, device=device, cents=cents, end=end),)
        case NoteRefused(device=device, seat=seat, cents=cents, reason=reason):
            end = Ending(logged.wall_ms, f"returned: {note_words(reason)}", "cabinet")
            return (_entry(logged, "note refused", seat=seat, device=device, cents=cents, end=end),)
        case NoteRejected(device=device, seat=seat, reason=reason):
            end = Ending(logged.wall_ms, f"returned: {note_words(reason)}", "validator")
            return (_entry(logged, "not read", seat=seat, device=device, end=end),)
    return ()


# ---- tickets and hand payments


def _tickets_out(reader: LogReader, logged: LoggedFact) -> Iterable[LogEntry]:
    match logged.fact:
        case TicketRedeemed(ticket=ref, by=by):
            return reader.ended(ref, logged, "redeemed here", by)
        case TicketPaidAtDesk(ref=ref, by=by):
            return reader.ended(ref, logged, "paid at the desk", by)
        case TicketExpired(ref=ref):
            return reader.ended(ref, logged, "expired")
        case TicketPrinted(ref=ref, by=by):
            return reader.ended(ref, logged, "printed", by)
        case TicketVoided(ref=ref, detail=detail, by=by):
            return reader.ended(ref, logged, f"void: {detail}", by)
        case TicketUnknown(ref=ref, detail=detail):
            return reader.ended(ref, logged, f"in doubt: {detail}", "printer")
        case TicketIntended(ref=ref, seat=seat, device=device, cents=cents, number=number, ticket_no=no):
            kind = "receipt" if logged.fact.handpay else "ticket"
            what, end = f"{kind} {no:04d}", reader.ends.pop(ref, None)
            return (
                _entry(logged, what, seat=seat, device=device, cents=cents, detail=_short(number), end=end),
            )
    return ()


def _tickets_in(reader: LogReader, logged: LoggedFact) -> Iterable[LogEntry]:
    match logged.fact:
        case TicketRedeemed(ref=ref, by=by):
            return reader.ended(ref, logged, "redeemed", by)
        case NoteReturned(ref=ref, reason=reason, by=by):
            return reader.ended(ref, logged, f"returned: {note_words(reason)}", by)
        case NoteUnresolved(ref=ref, report=report) if ref:
            return reader.ended(ref, logged, f"in doubt: {note_words(report)}", "validator")
        case RedeemIntended(ref=ref, seat=seat, device=device, cents=cents, number=number):
            end = reader.ends.pop(ref, None)
            detail = _short(number)
            return (_entry(logged, "ticket", seat=seat, device=device, cents=cents, detail=detail, end=end),)
        case TicketRefused(device=device, seat=seat, number=number, reason=reason):
            end = Ending(logged.wall_ms, f"returned: {note_words(reason)}", "cabinet")
            return (
                _entry(logged, "ticket refused", seat=seat, device=device, detail=_short(number), end=end),
            )
    return ()


def _short(number: str) -> str:
    """All that may be shown of a ticket's number."""
    return f"..{last_four(number)}" if number else ""


def _handpays(reader: LogReader, logged: LoggedFact) -> Iterable[LogEntry]:
    match logged.fact:
        case HandpayPaid(ref=ref, by=by):
            return reader.ended(("handpay", ref), logged, "paid", by)
        case HandpayCancelled(ref=ref):
            return reader.ended(("handpay", ref), logged, "taken back as credit", "player")
        case HandpayOpened(ref=ref, seat=seat, cents=cents, reason=reason):
            end = reader.ends.pop(("handpay", ref), None)
            detail = handpay_words(reason)
            code = Code.LARGE_WIN if reason in WINS else Code.HANDPAY
            return (
                _entry(logged, "hand payment", seat=seat, cents=cents, detail=detail, code=code, end=end),
            )
    return ()


# ---- events


def _events(reader: LogReader, logged: LoggedFact) -> Iterable[LogEntry]:
    match logged.fact:
        case ConditionRaised() | ConditionCleared():
            return _condition(reader, logged, logged.fact)
        case SessionStarted() | SessionStopped():
            return _session(reader, logged, logged.fact)
        case ClockStepped(before_ms=before_ms, wall_ms=wall_ms):
            detail = step_words(before_ms, wall_ms)
            return (_entry(logged, "clock set", code=Code.DATE_IN_QUESTION, detail=detail, momentary=True),)
        case ClockJudged(right=right, by=by):
            what = "date said to be right" if right else "date said to be wrong"
            return (_entry(logged, what, end=Ending(logged.wall_ms, "recorded", by)),)
        case TicketPaidAtDesk(cents=cents, by=by):
            paid = Ending(logged.wall_ms, "recorded", by)
            return (_entry(logged, "ticket paid at the desk", cents=cents, end=paid),)
        case DeskNumberWrong(by=by):
            return (_entry(logged, "wrong number at the desk", end=Ending(logged.wall_ms, "refused", by)),)
        case KeyTurned(key=key, on=False):
            return reader.ended(("key", key), logged, "turned back", key_words(key))
        case KeyTurned(key=key, on=True):
            end = reader.ends.pop(("key", key), None) or reader.session
            return (
                _entry(
                    logged,
                    f"{key} key turned",
                    code=Code.SERVICE_MENU if key == "service" else Code.ATTENDANT_MENU,
                    end=end,
                ),
            )
        case HandpayOpened() | HandpayPaid() | HandpayCancelled():
            return _handpays(reader, logged)
        case TicketPrinted(ref=ref, by=by):
            return reader.ended(("ticket", ref), logged, "printed", by)
        case TicketVoided(ref=ref, detail=detail, by=by):
            return reader.ended(("ticket", ref), logged, f"void: {detail}", by)
        case TicketUnknown(ref=ref, detail=detail):
            end = reader.ends.pop(("ticket", ref), None)
            return (_entry(logged, "ticket in doubt", code=Code.TICKET_IN_DOUBT, detail=detail, end=end),)
        case NoteSettledByHand(ref=ref, device=device, in_box=in_box, by=by):
            how = "was in the box" if in_box else "given back or not ours"
            return reader.ended(("note", ref or device), logged, how, by)
        case TicketRedeemed(ref=ref, by=by) if by != "validator":
            return reader.ended(("note", ref), logged, "was in the box", by)
        case NoteReturned(ref=ref, reason=reason, by=by) if reason == BY_HAND:
            return reader.ended(("note", ref), logged, "given back", by)
        case NoteUnresolved(ref=ref, device=device, report=report):
            end = reader.ends.pop(("note", ref or device), None)
            detail = note_words(report)
            return (
                _entry(
                    logged,
                    "note unresolved",
                    device=device,
                    code=Code.NOTE_UNRESOLVED,
                    detail=detail,
                    end=end,
                ),
            )
        case MemoryBegun(who=who, why=why):
            return (_entry(logged, "memory begun", detail=f"by {who}: {why}", momentary=True),)
        case MemoryCleared(why=why):
            end = reader.ends.pop(("condition", Code.MEMORY_CLEARED, ""), None)
            return (_entry(logged, "memory cleared", code=Code.MEMORY_CLEARED, detail=why, end=end),)
        case PeriodReset(number=number):
            return (_entry(logged, "meter period begun", detail=f"period {number}", momentary=True),)
        case RoundVoided(reason=reason):
            return (_entry(logged, "round voided", detail=f"stakes returned, {reason}", momentary=True),)
        case SettingsTaken(by=by, changes=changes):
            detail = f"{len(changes)} by {by}" if by else str(len(changes))
            return (
                _entry(logged, "settings changed", code=Code.NEW_SETTINGS, detail=detail, momentary=True),
            )
        case RulesTaken(rules=rules):
            detail = f"rule set {rules.rules_hash[:16]}"
            return (
                _entry(logged, "house rules taken", code=Code.NEW_SETTINGS, detail=detail, momentary=True),
            )
    return ()


def _condition(
    reader: LogReader, logged: LoggedFact, fact: ConditionRaised | ConditionCleared
) -> Iterable[LogEntry]:
    key = ("condition", fact.code, fact.device)
    if isinstance(fact, ConditionCleared):
        reader.ends[key] = Ending(logged.wall_ms, "over", fact.by)  # the next one after the beginning counts
        return ()
    row = BY_CODE.get(fact.code)
    end = reader.ends.pop(key, None)
    if end is None and (row is None or row.clears is Clears.SELF):
        end = reader.session  # what lasted longer was told again
    name = row.name if row is not None else "condition"
    return (_entry(logged, name, device=fact.device, code=fact.code, detail=fact.detail, end=end),)


def _session(
    reader: LogReader, logged: LoggedFact, fact: SessionStarted | SessionStopped
) -> Iterable[LogEntry]:
    if isinstance(fact, SessionStopped):
        return (_entry(logged, "stopped as asked", momentary=True),)
    reader.session = Ending(logged.wall_ms, "over or told again", "restart")
    why = "after a clean stop" if fact.clean else "after a power cut or a crash"
    detail = f"session {fact.number}, software {fact.version}"
    return (
        _entry(
            logged, f"start {why}", code="" if fact.clean else Code.POWER_LOST, detail=detail, momentary=True
        ),
    )


# ---- settings


def _config(reader: LogReader, logged: LoggedFact) -> Iterable[LogEntry]:
    if not isinstance(logged.fact, SettingsTaken):
        return ()
    return tuple(
        _entry(
            logged,
            change.name,
            detail=f"{change.old or 'none'} -> {change.new or 'none'}",
            end=Ending(logged.wall_ms, "taken", logged.fact.by),
        )
        for change in reversed(logged.fact.changes)
    )


def _entry(
    logged: LoggedFact,
    what: str,
    *,
    seat: int = 0,
    device: str = "",
    cents: int | None = None,
    code: str = "",
    detail: str = "",
    end: Ending | None = None,
    momentary: bool = False,
) -> LogEntry:
    return LogEntry(logged.seq, logged.wall_ms, what, seat, device, cents, code, detail, end, momentary)


_Read = Callable[[LogReader, LoggedFact], Iterable[LogEntry]]


def _names(*kinds: type[Fact]) -> tuple[str, ...]:
    return tuple(kind.__name__ for kind in kinds)


_NOTES = (
    NoteIntended, NoteCredited, NoteReturned, NoteUnresolved, NoteSettledByHand, NoteRefused, NoteRejected,
)  # fmt: skip
_TICKETS = (
    TicketIntended, TicketPrinted, TicketUnknown, TicketVoided, TicketRedeemed, TicketExpired,
    TicketPaidAtDesk,
)  # fmt: skip
_TICKETS_IN = (
    RedeemIntended, TicketRedeemed, TicketRefused, NoteReturned, NoteUnresolved,
)  # fmt: skip
_HANDPAYS = (HandpayOpened, HandpayPaid, HandpayCancelled)
_EVENTS = (
    SessionStarted, SessionStopped, ClockStepped, ClockJudged, SettingsTaken, RulesTaken, ConditionRaised,
    ConditionCleared, KeyTurned, *_HANDPAYS, TicketUnknown, TicketPrinted, TicketVoided, NoteUnresolved,
    NoteSettledByHand, TicketRedeemed, NoteReturned, RoundVoided, MemoryBegun, MemoryCleared, PeriodReset,
    TicketPaidAtDesk, DeskNumberWrong,
)  # fmt: skip
_LOGS: Mapping[Log, tuple[tuple[str, ...], _Read]] = {
    Log.BILLS: (_names(*_NOTES), _bills),
    Log.TICKETS_OUT: (_names(*_TICKETS), _tickets_out),
    Log.TICKETS_IN: (_names(*_TICKETS_IN), _tickets_in),
    Log.HANDPAYS: (_names(*_HANDPAYS), _handpays),
    Log.EVENTS: (_names(*_EVENTS), _events),
    Log.CONFIG: (_names(SettingsTaken), _config),
}
