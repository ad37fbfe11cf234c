"""The pages behind the attendant's and the service key, as data.

A page is a name and a function that lists its items; an item opens another page or does one
thing. What a page shows besides its items is drawn from the same name by `cabinet.service`.
A new page is one entry in `PAGES` (and, if it shows more than a list, one there).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cabinet.core import confirm
from cabinet.core.conditions import CALLS_AFTER_MS, TABLE, Code
from cabinet.core.live import Live, active_conditions
from cabinet.core.money import cashier, clock
from cabinet.core.past.answers import (
    ENTRIES_SHOWN,
    LOG,
    RECALL,
    LogPage,
    log_asked,
    log_page,
    older_round,
)
from cabinet.core.past.logs import Log
from cabinet.core.past.recall import RecalledRound, moments
from cabinet.core.staff import desk
from cabinet.core.state import State
from cabinet.core.validation import last_four


@dataclass(frozen=True, slots=True)
class MenuItem:
    """`opens` names a page; `does` is an order for the attendant's hand (see attendant.carry_out).

    A label has to be read whole in the list (about 20 letters): what differs stands in it, the amount
    in `about`, beside the button that confirms.
    """

    label: str
    opens: str = ""
    does: tuple[str, ...] = ()
    about: str = ""


# The orders that are recorded at one press. Those about money wait for the key (core.money_acts); the others
# only show, light a lamp or restart a device.
COUNTS = frozenset({"table"})

# Stands first where one press too many must not do anything.
LEAVE = MenuItem("Leave it as it is", does=("back",), about="back")

# What both keys may read of the past.
_PAST = (MenuItem("Recall", opens=f"{RECALL}:0"), MenuItem("Logs", opens="logs"))
LOGS: Mapping[Log, str] = {
    Log.EVENTS: "Events",
    Log.BILLS: "Bills",
    Log.TICKETS_OUT: "Tickets out",
    Log.TICKETS_IN: "Tickets in",
    Log.HANDPAYS: "Hand payments",
    Log.CONFIG: "Settings",
}
CODES_SHOWN = 14  # rows of the table of conditions, on one screen
STEPS_SHOWN = 14  # cards and decisions of a recalled round, on one screen


def _attendant(state: State, live: Live) -> tuple[MenuItem, ...]:
    """Every open matter that an attendant can settle, one line each."""
    currency = live.policy.currency
    items = [
        MenuItem(
            f"Seat {pay.seat}: paid by hand", does=("paid", str(pay.ref)), about=currency.text(pay.cents)
        )
        for pay in state.handpays
    ]
    for ticket in state.tickets:
        if ticket.unknown:
            name, ref = f"Seat {ticket.seat}:", str(ticket.ref)
            paper, worth = (
                ("receipt", "a receipt") if ticket.handpay else ("ticket", currency.text(ticket.cents))
            )
            about = f"{last_four(ticket.number)}, {worth}"
            items.append(MenuItem(f"{name} {paper} in hand", does=("ticket", ref, "yes"), about=about))
            items.append(MenuItem(f"{name} not in hand", does=("ticket", ref, "no"), about=about))
    for note in state.notes:
        if not cashier.is_answerable(live, note):
            continue
        if note.unresolved and note.ref:
            name, ref, about = f"Seat {note.seat}: note", str(note.ref), currency.text(note.cents)
            if note.number:
                name, about = f"Seat {note.seat}: ticket", f"{last_four(note.number)}, {about}"
            items.append(MenuItem(f"{name} in box", does=("note", ref, note.device, "yes"), about=about))
            items.append(MenuItem(f"{name} returned", does=("note", ref, note.device, "no"), about=about))
        elif note.unresolved:
            items.append(MenuItem(f"{note.device} looked into", does=("note", "0", note.device, "no")))
    for code, device in state.conditions:
        if code == Code.UNKNOWN_TICKETS:  # nothing to decide: it says why somebody was called
            items.append(MenuItem(f"{device}: not ours", does=("look",), about="tickets that are not ours"))
    items += [
        MenuItem(f"Restart {device}", does=("restart", device), about=code)
        for device, code in dict(_to_restart(state, live)).items()
    ]
    past = _PAST if live.key == "attendant" else ()
    return (
        *items,
        *_round(state, live),
        *_clock(state),
        MenuItem("Pay a ticket", opens=f"{desk.LIST}:0"),
        MenuItem("Table", opens="table"),
        *past,
    )


def _to_restart(state: State, live: Live) -> list[tuple[str, str]]:
    """Validators that answer nothing, or do not get on: a restart is what helps from here."""
    found = active_conditions(state, live)
    return [(device, row.code) for row, device, _ in reversed(found) if row.code in CALLS_AFTER_MS]


def _round(state: State, live: Live) -> tuple[MenuItem, ...]:
    """What may become of a round that a person holds: one older than a day, or one without cards."""
    held = [code for code, _ in state.conditions]
    back = MenuItem("Round: all bets back", does=("round", "void"))
    if state.round_open and Code.OLD_ROUND in held:
        return (MenuItem("Round: play on", does=("round", "on")), back)
    if state.round_open and live.key == "service" and Code.RNG_FAILED in held:
        return (back,)
    return ()


def _clock(state: State) -> tuple[MenuItem, ...]:
    """Whether the date is right, when it is in question; once it was said to be wrong, whether it is now."""
    if (clock.IN_QUESTION, "") not in state.conditions:
        return ()
    right, wrong = (
        MenuItem("Date is right", does=("clock", "right")),
        MenuItem("Date is wrong", does=("clock", "wrong")),
    )
    return (right,) if state.clock_wrong else (right, wrong)


def _table(state: State, live: Live) -> tuple[MenuItem, ...]:
    """A page of its own, so that nobody closes the table who presses once too often for a matter."""
    if (Code.CLOSED, "") in state.conditions:
        order = MenuItem("Open the table", does=("table", "open"), about="open")
    else:
        order = MenuItem("Close the table", does=("table", "close"), about="close")
    return LEAVE, order


def _pay(state: State, live: Live) -> tuple[MenuItem, ...]:
    """The outstanding tickets, a screen of them."""
    screen = int(live.menu[-1].partition(":")[2])
    lines = desk.outstanding(state, live)
    items = [
        MenuItem(f"{line.ticket_no:04d}  {live.policy.currency.text(line.cents)}", opens=desk.page(line.ref))
        for line in lines[screen * desk.SHOWN : (screen + 1) * desk.SHOWN]
    ]
    if (screen + 1) * desk.SHOWN < len(lines):
        items.append(MenuItem("Older tickets", does=("turn", f"{desk.LIST}:{screen + 1}"), about="show"))
    if screen:
        items.append(MenuItem("Newer tickets", does=("turn", f"{desk.LIST}:{screen - 1}"), about="show"))
    return tuple(items)


def _pay_number(state: State, live: Live) -> tuple[MenuItem, ...]:
    """The ten digits, of which ENTER takes one."""
    ref, digits = desk.asked(live.menu[-1])
    if desk.payable(state, live, ref) is None:
        return ()
    return tuple(
        MenuItem(str(digit), does=("digit", str(ref), f"{digits}{digit}"), about="take")
        for digit in range(10)
    )


def _service(state: State, live: Live) -> tuple[MenuItem, ...]:
    return (
        MenuItem("Status", opens="status"),
        MenuItem("Open matters", opens="attendant"),
        MenuItem("Meters", opens="meters"),
        MenuItem("Devices", opens="devices"),
        MenuItem("Lamps and inputs", opens="inputs"),
        *_PAST,
        MenuItem("Codes", opens="codes:0"),
    )


def _codes(state: State, live: Live) -> tuple[MenuItem, ...]:
    screen = int(live.menu[-1].partition(":")[2])
    items = []
    if (screen + 1) * CODES_SHOWN < len(TABLE):
        items.append(MenuItem("Further codes", does=("turn", f"codes:{screen + 1}"), about="show"))
    if screen:
        items.append(MenuItem("Earlier codes", does=("turn", f"codes:{screen - 1}"), about="show"))
    return tuple(items)


def _meters(state: State, live: Live) -> tuple[MenuItem, ...]:
    """The page itself shows the cabinet's; the rest is one step down."""
    return (
        *(MenuItem(f"Seat {seat}", opens=f"seat_meters:{seat}") for seat in state.seats),
        MenuItem("Doors and keys", opens="occurrences"),
        MenuItem("Faults counted", opens="fault_counts"),
        MenuItem("Notes by value", opens="notes"),
        MenuItem("House rules", opens="rule_sets"),
        MenuItem("Hard meters", opens="hard_meters"),
        MenuItem(f"Period {state.period}", opens="period"),
    )


def _notes(state: State, live: Live) -> tuple[MenuItem, ...]:
    if live.menu[-1] != "notes":
        return ()
    return tuple(MenuItem(name, opens=f"notes:{name}") for name, _ in live.policy.validators)


def _period(state: State, live: Live) -> tuple[MenuItem, ...]:
    """A period in which nothing has counted is not ended: a second press does nothing."""
    if state.meters == state.period_base:
        return ()
    return LEAVE, MenuItem("Begin a new period", does=("period", str(state.period + 1)), about="begin")


def _devices(state: State, live: Live) -> tuple[MenuItem, ...]:
    return tuple(MenuItem(name, opens=f"device:{name}") for name in live.devices)


def _device(state: State, live: Live) -> tuple[MenuItem, ...]:
    name = live.menu[-1].partition(":")[2]
    kind = live.device(name).kind
    items = [MenuItem("Last frames", opens=f"frames:{name}")]
    if kind != "panel":
        items.append(MenuItem("Restart device", does=("restart", name)))
    return tuple(items)


def _inputs(state: State, live: Live) -> tuple[MenuItem, ...]:
    """Every lamp can be switched by hand; the inputs stand beside the list."""
    seats = [
        MenuItem(f"Lamp seat{seat}.{button}", does=("lamp", f"seat{seat}.{button}"))
        for seat in range(1, live.policy.seats + 1)
        for button in LAMP_NAMES
        if button != "buy_in" or live.policy.is_shared(live.policy.validator_of(seat))
    ]
    return (
        *seats,
        MenuItem("Lamp candle.top", does=("lamp", "candle.top")),
        MenuItem("Lamp candle.bottom", does=("lamp", "candle.bottom")),
    )


def _recall(state: State, live: Live) -> tuple[MenuItem, ...]:
    """The pictures of a round, then its figures: UP and DOWN walk through them, ENTER goes a round back."""
    record = live.page_answer
    if not isinstance(record, RecalledRound):
        return ()
    screens = -(-len(record.steps) // STEPS_SHOWN)
    names = [f"Step {number}" for number in range(1, moments(record) + 1)]
    names += ["Figures", "Rules", "Notes", *[f"In order, {number}" for number in range(1, screens + 1)]]
    back = ("turn", older_round(record))
    return tuple(MenuItem(name, does=back, about="older round") for name in names)


def _logs(state: State, live: Live) -> tuple[MenuItem, ...]:
    return tuple(MenuItem(title, opens=log_page(log, 0)) for log, title in LOGS.items())


def _log(state: State, live: Live) -> tuple[MenuItem, ...]:
    page = live.page_answer
    if not isinstance(page, LogPage):
        return ()
    screen = page.before // ENTRIES_SHOWN
    items = (
        [MenuItem("Older", does=("turn", log_page(page.log, screen + 1)), about="show")] if page.more else []
    )
    if screen:
        items.append(MenuItem("Newer", does=("turn", log_page(page.log, screen - 1)), about="show"))
        items.append(MenuItem("Newest", does=("turn", log_page(page.log, 0)), about="show"))
    return tuple(items)


def _nothing(state: State, live: Live) -> tuple[MenuItem, ...]:
    return ()


LAMP_NAMES = (
    "bet_minus", "bet_plus", "deal", "hit", "stand", "double", "split", "cash_out", "help", "buy_in",
)  # fmt: skip

PAGES: Mapping[str, tuple[str, Callable[[State, Live], tuple[MenuItem, ...]]]] = {
    "attendant": ("Open matters", _attendant),
    desk.LIST: ("Pay a ticket", _pay),
    desk.ENTRY: ("Number", _pay_number),
    confirm.PAGE: ("Confirm with the key", _nothing),
    "table": ("Table", _table),
    "service": ("Service", _service),
    "status": ("Status", _nothing),
    "codes": ("Codes", _codes),
    "meters": ("Meters", _meters),
    "seat_meters": ("Seat {}", _nothing),
    "occurrences": ("Doors and keys", _nothing),
    "fault_counts": ("Faults counted", _nothing),
    "notes": ("Notes by value", _notes),
    "rule_sets": ("House rules", _nothing),
    "hard_meters": ("Hard meters", _nothing),
    "period": ("Period", _period),
    "devices": ("Devices", _devices),
    "device": ("{}", _device),
    "frames": ("Last frames", _nothing),
    "inputs": ("Lamps and inputs", _inputs),
    "recall": ("Recall", _recall),
    "logs": ("Logs", _logs),
    "log": ("Log", _log),
}


def path(live: Live) -> tuple[str, ...]:
    """The page names from the root of the turned key to the open page."""
    return (live.key, *live.menu)


def title(page: str) -> str:
    """What a page is called; ``device:validator1`` by its device, ``seat_meters:2`` Seat 2."""
    name, _, argument = page.partition(":")
    if name == LOG:
        return LOGS[log_asked(page)[0]]
    if name == "notes" and argument:
        return argument
    return PAGES[name][0].format(argument)


def items(state: State, live: Live) -> tuple[MenuItem, ...]:
    """The items of the open page."""
    page = path(live)[-1].partition(":")[0]
    return PAGES[page][1](state, live)
