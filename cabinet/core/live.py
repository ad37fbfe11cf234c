"""What is true only now: rebuilt from events in every process, never journalled.

Device conditions as they are reported, input levels, which key is turned, which page is open,
which seat's notes a shared validator takes. `sense` folds an event into it; the decider adds
what a person opened or was refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import field

from cabinet.core import conditions
from cabinet.core.conditions import PRIORITY, Clears, Code, Condition, Lock
from cabinet.core.confirm import Confirming
from cabinet.core.look import Cue, CueAt, Message
from cabinet.core.past.answers import Answer, question
from cabinet.core.policy import Policy
from cabinet.core.renewal import replace
from cabinet.core.state import Handpay, State
from drivers.device import (
    BarcodeEscrowed,
    DeviceEvent,
    Fault,
    FaultCleared,
    FaultRaised,
    Holding,
    Identified,
    InputChanged,
    NoteAccepting,
    NoteEscrowed,
    NoteTable,
    NoteType,
    PrinterReady,
    TicketDone,
    TicketOutcome,
    ValidatorEnabled,
    ValidatorReport,
)

# A report that is followed by the end of a document; after the others nothing more is heard of it.
_INSIDE = (Holding.ESCROW, Holding.VEND_VALID)
# In which nothing can be recorded, the most serious first.
TILTS = (Code.MEMORY_FAILED, Code.STORAGE_FAILED, Code.ACCOUNTING_ERROR)
PRESSES_MAX = 24  # what the service page shows of every input's history
CUES_MAX = 24  # a window that draws at all plays them within a frame or two


class DeviceLive(msgspec.Struct, frozen=True):
    kind: str
    faults: tuple[tuple[str, str], ...] = ()  # (condition code, detail): one per row, made from `raised`
    raised: tuple[tuple[Fault, str], ...] = ()  # what the device itself has reported and not cleared
    ready: bool = False
    enabled: bool = False
    text: str = ""
    notes: tuple[NoteType, ...] = ()
    said: bool = False  # it has answered in this session
    taking: bool = False  # a document is inside
    failed: int = 0  # printers: orders in a row that ended in no ticket (core.patience)
    stood_ms: int | None = None  # printers: since when it is not free without telling why
    stands: str = ""  # printers: why cash-outs are not kept waiting for it any more
    printed_ms: int | None = None  # printers: when the last ticket came out
    last_note: tuple[int, int] | None = None  # validators: (at_ms, cents) of the last note in escrow
    read: bool = False  # validators: the document inside has reached escrow
    by_hand: bool = False  # validators: the document inside is paid by hand, the device has not said its last
    change: int = 1  # validators: number of the last change of seat, which its inhibit carries
    closed: int = 0  # validators: the change whose inhibit it has confirmed, with nothing inside
    rejects_ms: tuple[int, ...] = ()  # validators: when the last documents came back unread (core.rejects)
    unknown_ms: tuple[int, ...] = ()  # validators: when tickets that are not ours came back (core.ticket_in)


class Rebinding(msgspec.Struct, frozen=True):
    """A shared validator on its way to another seat (0: nobody's): it has still to confirm its inhibit."""

    seat: int
    since_ms: int


class Live(msgspec.Struct, frozen=True):
    policy: Policy
    now_ms: int = 0
    timed_ms: int = 0  # up to here time has had its effect: everything due by then has happened
    wall_base_ms: int = 0  # local wall clock at session time 0
    believed_base_ms: int = (
        0  # as at the start, or as a key has confirmed it since: many small steps lead far
    )
    devices: Mapping[str, DeviceLive] = field(default_factory=dict)
    inputs: Mapping[str, bool] = field(default_factory=dict)
    presses: tuple[tuple[str, int], ...] = ()
    troubles: Mapping[Code, str] = field(default_factory=dict)  # what the program itself cannot do, and why
    reading: int = 0  # a start reads the journal: so many facts until now
    copies: tuple[tuple[str, str, str], ...] = ()  # where the two differ: name, journal, second copy
    # shared validator -> the seat that what it draws in belongs to; and whose it is to be (core.binding)
    binding: Mapping[str, int] = field(default_factory=dict)
    rebinding: Mapping[str, Rebinding] = field(default_factory=dict)
    key: str = ""  # "", "attendant", "service"
    key_ms: int = 0  # since when
    settled_by_hand_ms: int | None = None  # when the menu last did what counts
    menu: tuple[str, ...] = ()
    cursor: int = 0
    confirming: Confirming | None = None  # an act about money that waits for the key
    outcome: str = ""  # what became of the last one, until the next press
    help: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # seat -> (page, since)
    refused: Mapping[int, tuple[Message, int]] = field(default_factory=dict)
    restored: Mapping[int, int] = msgspec.field(
        default_factory=dict
    )  # seat -> when an earlier note was credited
    pulsing: Mapping[str, int] = field(default_factory=dict)
    attempts: Mapping[int, int] = msgspec.field(
        default_factory=dict
    )  # seat -> tickets of one request, not started
    receipts: tuple[Handpay, ...] = ()  # hand payments whose receipt waits for a printer
    answer: tuple[str, Answer] | None = None  # what the journal said, and to which page
    lamp_test: str = ""  # service: the output that is switched on by hand
    mending: tuple[str, ...] = ()  # devices that the attendant has just mended
    idle_since_ms: int = 0
    door_closed_ms: int | None = None
    # (code, device) -> the last detail that the journal was told (None: it is over) and when; and of which it
    # has still to be told (core.condition_log)
    said: Mapping[tuple[str, str], tuple[str | None, int]] = field(default_factory=dict)
    unsaid: tuple[tuple[str, str], ...] = ()
    since: Mapping[tuple[str, str], int] = field(default_factory=dict)  # (code, device) -> first seen
    stopped_ms: int | None = None  # when the books or the storage failed: the table stands still
    cues: tuple[CueAt, ...] = ()
    stopping: bool = False
    first_ref: int = 0  # the first reference of this session
    restart: bool = False  # nothing but a new start on the disk helps, and a technician has asked for it

    def trouble(self, code: Code) -> str:
        """Why the program cannot do something; "" while it can."""
        return self.troubles.get(code, "")

    @property
    def unrecorded(self) -> str:
        """Why nothing may become true any more; "" while facts can be recorded."""
        return self.tilt[1]

    @property
    def tilt(self) -> tuple[str, str]:
        """Code and words of what is `unrecorded`; two empty texts for nothing."""
        if not self.troubles:  # asked for at every event
            return "", ""
        return next(((code, self.troubles[code]) for code in TILTS if code in self.troubles), ("", ""))

    @property
    def wall_ms(self) -> int:
        return self.wall_base_ms + self.now_ms

    def device(self, name: str) -> DeviceLive:
        return self.devices[name]

    @property
    def page_answer(self) -> Answer | None:
        """What the journal said to the page that is open; None if it asks nothing, or as long as it waits."""
        page = question(self.menu)
        return self.answer[1] if page and self.answer is not None and self.answer[0] == page else None

    def help_open(self, seat: int) -> int:
        """The page of help that a seat has open; 0 for none."""
        return self.help.get(seat, (0, 0))[0]


def begin(policy: Policy, now_ms: int, wall_ms: int) -> Live:
    """What is known before any device has spoken."""
    devices = {name: DeviceLive("bill_validator") for name, _ in policy.validators}
    devices |= {name: DeviceLive("ticket_printer") for name, _ in policy.printers}
    devices |= {name: DeviceLive("panel") for name in policy.panels}
    base_ms = wall_ms - now_ms
    live = Live(policy, now_ms, now_ms, base_ms, base_ms, devices, idle_since_ms=now_ms)
    return with_trouble(live, Code.NO_TICKET_KEY, policy.no_numbers)


def with_trouble(live: Live, code: Code, text: str) -> Live:
    """`text`: why the program cannot do something from now on; "" when it can (again)."""
    troubles = {found: why for found, why in live.troubles.items() if found is not code}
    return replace(live, troubles={**troubles, code: text} if text else troubles)


def sense(live: Live, event: DeviceEvent, now_ms: int | None = None, timed_ms: int | None = None) -> Live:
    """Fold what a device said into `live` (pure; unknown devices are not heard), and what is now in `live`
    if it goes on with the event."""
    now_ms = live.now_ms if now_ms is None else now_ms
    timed_ms = live.timed_ms if timed_ms is None else timed_ms
    known = event.device in live.devices
    if known and isinstance(event, InputChanged):  # the most frequent event, in one step
        return _input(live, event, now_ms, timed_ms)
    if now_ms != live.now_ms or timed_ms != live.timed_ms:
        live = replace(live, now_ms=now_ms, timed_ms=timed_ms)
    return _said(live, event) if known else live


def _said(live: Live, event: DeviceEvent) -> Live:
    match event:
        case FaultRaised(fault=fault, detail=detail):
            return _fault(live, event.device, fault, detail, event.at_ms)
        case FaultCleared(fault=fault):
            return _fault(live, event.device, fault, None, event.at_ms)
        case Identified(text=text):
            return with_device(live, event.device, text=text, said=True)
        case PrinterReady(ready=ready):
            return with_device(live, event.device, ready=ready, said=True)
        case ValidatorEnabled(enabled=enabled, change=change):
            ends: dict[str, Any] = {"taking": False, "by_hand": False, "closed": change}
            return with_device(live, event.device, enabled=enabled, said=True, **ends)
        case NoteTable(notes=notes):
            return with_device(live, event.device, notes=notes)
        case NoteAccepting():
            # Somebody stands here: a table in its attract loop wakes up.
            live = with_device(live, event.device, taking=True, read=False, closed=0, by_hand=False)
            return replace(live, idle_since_ms=event.at_ms)
        case NoteEscrowed(cents=cents):
            return with_device(live, event.device, last_note=(event.at_ms, cents), read=True, closed=0)
        case BarcodeEscrowed():
            return with_device(live, event.device, read=True, closed=0)
        case TicketDone(outcome=TicketOutcome.PRINTED):
            return with_device(live, event.device, printed_ms=event.at_ms)
        case ValidatorReport(holding=holding):
            return with_device(live, event.device, said=True, taking=holding in _INSIDE, closed=0)
    return live


def with_device(live: Live, device: str, **changes: Any) -> Live:
    changed = replace(live.devices[device], **changes)
    return replace(live, devices={**live.devices, device: changed})


def _fault(live: Live, device: str, fault: Fault, detail: str | None, at_ms: int) -> Live:
    """Raise (or, with `detail` None, clear) one fault of a device. One row of the table may have several
    causes: it is over when the last of them is."""
    said = live.device(device)
    raised = tuple(r for r in said.raised if r[0] is not fault)
    if detail is not None:
        raised = (*raised, (fault, detail))
    faults = {conditions.code_of(said.kind, cause): text for cause, text in raised}
    code = conditions.code_of(said.kind, fault)
    live = with_device(live, device, faults=tuple(faults.items()), raised=raised)
    return _noted(live, code, device, code in faults, at_ms)


def _noted(live: Live, code: str, device: str, active: bool, at_ms: int) -> Live:
    """Remember since when a condition is there, for as long as it is."""
    held = (code, device)
    if active:
        return live if held in live.since else replace(live, since={**live.since, held: at_ms})
    return replace(live, since={k: v for k, v in live.since.items() if k != held})


def _input(live: Live, event: InputChanged, now_ms: int, timed_ms: int) -> Live:
    name, active, at_ms = event.name, event.active, event.at_ms
    inputs = {**live.inputs, name: active}
    presses = (*live.presses, (name, at_ms))[-PRESSES_MAX:] if active else live.presses
    closed = at_ms if name == "door.main" and not active and live.inputs.get(name) else live.door_closed_ms
    key, confirming = _keys(live, inputs, name, active, at_ms)
    idle = at_ms if active and name.startswith("seat") else live.idle_since_ms
    if door := conditions.code_of_door(name):
        live = _noted(live, door, "", active, at_ms)
    opened = key != live.key or (confirming is None and live.confirming is not None)
    return replace(
        live,
        now_ms=now_ms,
        timed_ms=timed_ms,
        inputs=inputs,
        presses=presses,
        door_closed_ms=closed,
        key=key,
        key_ms=at_ms if opened else live.key_ms,
        idle_since_ms=idle,
        menu=() if opened else live.menu,
        cursor=0 if opened else live.cursor,
        settled_by_hand_ms=None if opened else live.settled_by_hand_ms,
        lamp_test="" if opened else live.lamp_test,
        answer=None if opened else live.answer,
        confirming=confirming,
        outcome="" if opened else live.outcome,
    )


def _keys(
    live: Live, inputs: Mapping[str, bool], name: str, active: bool, at_ms: int
) -> tuple[str, Confirming | None]:
    """Whose pages are open, and the act that waits for the key (see core.confirm). They stay open while a key
    is off that may be turned on again to confirm."""
    key = next((word for word in ("service", "attendant") if inputs.get(f"key.{word}")), "")
    asked = live.confirming
    if asked is None or key not in ("", live.key):
        return key, None
    if not key and asked.off_ms is None:
        if name == f"key.{live.key}" and asked.may_turn_off(live.timed_ms):
            return live.key, replace(asked, off_ms=at_ms)
        return key, None
    if key and name == f"key.{key}" and active and asked.off_ms is not None and not asked.in_time(at_ms):
        return key, None
    return live.key, asked


def closed_pages(live: Live, at_ms: int) -> Live:
    """The pages of the turned key are closed."""
    return replace(
        live, key="", key_ms=at_ms, menu=(), cursor=0, settled_by_hand_ms=None, lamp_test="", answer=None,
        confirming=None, outcome="",
    )  # fmt: skip


def sound(live: Live, cue: Cue, at_ms: int | None = None, **changes: Any) -> Live:
    """Ask for a sound at a session time (default: now), with what else `changes`."""
    serial = live.cues[-1].serial + 1 if live.cues else 1
    at = CueAt(serial, live.now_ms if at_ms is None else at_ms, cue)
    return replace(live, cues=(*live.cues, at)[-CUES_MAX:], **changes)


Active = tuple[tuple[Condition, str, str], ...]
_last_asked: tuple[State | None, Live | None, Active] = (None, None, ())


def active_conditions(state: State, live: Live) -> Active:
    """Every condition that is true now as (row, device, detail), in the order of priority.

    Lamps, levels and screen ask for each seat of the same moment: the last answer is kept.
    """
    global _last_asked
    for_state, for_live, found = _last_asked
    if for_state is not state or for_live is not live:
        found = _active_conditions(state, live)
        _last_asked = state, live, found
    return found


def _active_conditions(state: State, live: Live) -> Active:
    found: dict[tuple[str, str], str] = {}
    for code, device in state.conditions:
        found[code, "" if conditions.code_of_door(device) else device] = ""
    for device, said in live.devices.items():
        for code, detail in said.faults:
            found[code, device] = detail
        if said.stands:
            found[Code.PRINTER_STANDS, device] = said.stands
    inputs = live.inputs
    for name, door in conditions.DOORS.items():
        if inputs.get(name):
            found[door, ""] = ""
    for code, text in live.troubles.items():
        found[code, ""] = text
    if live.key:
        found[Code.SERVICE_MENU if live.key == "service" else Code.ATTENDANT_MENU, ""] = ""
    for note in state.notes:
        if note.unresolved:
            found[Code.NOTE_UNRESOLVED, note.device] = note.unresolved
    for ticket in state.tickets:
        if ticket.unknown:
            found[Code.TICKET_IN_DOUBT, ticket.device] = ticket.unknown
    shown = state.settled_ms is None or live.now_ms >= state.settled_ms
    for pay in state.handpays:
        if shown or not pay.is_win:  # a win calls nobody before its cards have landed
            found[Code.LARGE_WIN if pay.is_win else Code.HANDPAY, f"seat {pay.seat}"] = pay.reason
    if not found:
        return ()
    rows = [(conditions.row_of(code), device, detail) for (code, device), detail in found.items()]
    return tuple(sorted(rows, key=lambda row: (PRIORITY.get(row[0].code, 0), row[1])))


def calls(live: Live, row: Condition, device: str) -> bool:
    """An attendant has to come for a trouble of one device: only he ends it, or it has lasted."""
    if row.code not in conditions.CALLS_AFTER_MS:
        return row.clears is Clears.ATTENDANT and row.lock is not Lock.PLAY
    since_ms = live.since.get((row.code, device))
    return since_ms is not None and live.now_ms >= since_ms + conditions.CALLS_AFTER_MS[row.code]


def calls_due_ms(live: Live) -> list[int]:
    """When a trouble that lasts begins to call somebody."""
    after = conditions.CALLS_AFTER_MS
    return [since_ms + after[code] for (code, _), since_ms in live.since.items() if code in after]


def play_lock(state: State, live: Live) -> str:
    """The code of the condition that stops the whole table; "" when play may go on."""
    for row, _, _ in active_conditions(state, live):
        if row.lock is Lock.PLAY:
            return row.code
    return ""


def closed(state: State, live: Live) -> bool:
    """No new round is dealt and no note is taken: the attendant has closed the table, or the program ends."""
    return live.stopping or any(row.lock is Lock.ROUNDS for row, _, _ in active_conditions(state, live))


def printer_down(state: State, live: Live, printer: str) -> str:
    """Why a printer cannot be used now, as a condition code; "" when it can."""
    held = (code for code, device in state.conditions if device == printer)
    said = (code for code, _ in live.device(printer).faults)
    stands = (Code.PRINTER_STANDS,) if live.device(printer).stands else ()
    return next((code for code in (*said, *held, *stands) if code in conditions.PRINTER_DOWN), "")
