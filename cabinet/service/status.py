"""What is wrong now, what waits for a person, and which program this is."""

from __future__ import annotations

from collections.abc import Iterator

from cabinet.core.conditions import BY_CODE, TABLE, Clears, Code, Condition, Lock
from cabinet.core.confirm import OFF_MOST_MS
from cabinet.core.live import active_conditions
from cabinet.core.look import ServicePanel, ServiceRow
from cabinet.core.money import clock
from cabinet.core.past.reasons import KEYS as KEY_WORDS
from cabinet.core.past.reasons import handpay_words
from cabinet.core.staff import menu
from cabinet.core.staff.money_acts import says
from cabinet.core.validation import last_four
from cabinet.core.view.sight import KEYS
from cabinet.formats import clock as clock_words
from cabinet.formats import plural
from cabinet.service.page import Body, Desk, row

FAULTS_SHOWN = 10  # what fits above two half panels; the most urgent stand first
COPIES_SHOWN, BESIDE_COPIES = 6, 3  # where both stand; all of what differs: cabinet memory show
MATTERS_SHOWN = 14  # what fits on a page

_KEY_NAMES = {"attendant": "attendant's", "service": "service"}
_CLEARS = {
    Clears.SELF: "when the cause is gone",
    Clears.ATTENDANT: "cause gone, attendant key",
    Clears.TECHNICIAN: "cause gone, service key",
    Clears.RESTART: "cause gone, power off, on",
    Clears.MEMORY_CLEAR: "mended, or memory clear",
}
_LOCKS = {
    Lock.PLAY: "play stopped",
    Lock.ROUNDS: "no new round",
    Lock.MONEY: "device stopped",
    Lock.NONE: "warning",
}


def status(desk: Desk) -> Body:
    """All conditions that are active, then the program and the table."""
    found = _conditions(desk)
    panels = [_program(desk), _table(desk)]
    if desk.live.copies:
        panels.insert(0, _copies(desk))
    if found:
        shown = BESIDE_COPIES if desk.live.copies else FAULTS_SHOWN
        rows = tuple(_fault(desk, *entry) for entry in found[:shown])
        title = "ACTIVE NOW: CODE, WHAT, SINCE, EFFECT, CLEARS"
        if len(found) > shown:
            title = f"ACTIVE NOW, THE MOST URGENT {shown} OF {len(found)}"
        panels.insert(0, ServicePanel(title, (2, 11, 4, 4, 7), rows))
    stopped = any(condition.lock is Lock.PLAY for condition, _, _ in found)
    why = f"Play is stopped: {desk.live.unrecorded}." if desk.live.unrecorded else "Play is stopped."
    return Body(
        headline=plural(len(found), "fault is active", "faults are active").capitalize(),
        subline=why if stopped else "Play goes on when the key is turned back.",
        panels=tuple(panels),
        mark="warn" if found else "check",
        hint="Use the buttons of seat 1. Turn the key back to end.",
    )


def codes(desk: Desk) -> Body:
    """Every code that there is, a screen of them: what it is, what it stops and who ends it."""
    first = int(desk.argument) * menu.CODES_SHOWN
    shown = TABLE[first : first + menu.CODES_SHOWN]
    active = {condition.code for condition, _, _ in _conditions(desk)}
    rows = tuple(
        row(
            condition.code,
            condition.name,
            _LOCKS[condition.lock],
            _CLEARS[condition.clears],
            mark="warn" if condition.code in active else "",
        )
        for condition in shown
    )
    return Body(
        headline=f"Codes {first + 1} to {first + len(shown)} of {len(TABLE)}, the most urgent first",
        subline="A mark stands at those that are active now.",
        panels=(ServicePanel("CODE, WHAT, EFFECT, CLEARS", (2, 9, 5, 8), rows),),
    )


def _copies(desk: Desk) -> ServicePanel:
    """Where journal and second copy differ, both values: a person decides which is right."""
    rows = tuple(row(*entry, mark="warn") for entry in desk.live.copies[:COPIES_SHOWN])
    return ServicePanel("WHAT DIFFERS: JOURNAL, SECOND COPY", (4, 4, 4), rows)


def _conditions(desk: Desk) -> list[tuple[Condition, str, str]]:
    """Without those that the turned key itself makes."""
    return [entry for entry in active_conditions(desk.state, desk.live) if entry[0].code not in KEYS]


def _fault(desk: Desk, condition: Condition, device: str, detail: str) -> ServiceRow:
    what = ", ".join(part for part in (condition.name, device, detail) if part)
    since = _since(desk, condition.code, device)
    effect, clears = _LOCKS[condition.lock], _CLEARS[condition.clears]
    return row(condition.code, what, since, effect, clears, mark="warn")


def _since(desk: Desk, code: str, device: str) -> str:
    """When it was first seen in this session."""
    at_ms = desk.live.since.get((code, device))
    if at_ms is None and code == Code.TICKET_IN_DOUBT:
        at_ms = next((t.since_ms for t in desk.state.tickets if t.device == device and t.unknown), None)
    if at_ms is None and code in (Code.MEMORY_FAILED, Code.STORAGE_FAILED, Code.ACCOUNTING_ERROR):
        at_ms = desk.live.stopped_ms
    if at_ms is not None:
        return desk.clock(at_ms)
    return "earlier" if (code, device) in desk.state.conditions else "-"


def _program(desk: Desk) -> ServicePanel:
    state, policy = desk.state, desk.live.policy
    begun = "after a clean stop" if state.clean else "after a power cut or a crash"
    if state.session == 1:
        begun = "the first one"
    return ServicePanel(
        "PROGRAM",
        (2, 5),
        (
            row("Software", policy.version),
            row("Session", f"{state.session}, {begun}"),
            row("Started", desk.clock(state.started_ms)),
            row("Machine", f"{policy.serial}, id {policy.machine_id:06X}"),
            row("Rule set", policy.rules.rules_hash[:16]),
        ),
        half=True,
    )


def _table(desk: Desk) -> ServicePanel:
    state, policy = desk.state, desk.live.policy
    if state.round_number == 0:
        round_ = "none yet"
    else:
        round_ = f"{state.round_number}, {'open' if state.round_open else 'settled'}"
    credit_cents = sum(state.credit(seat) + state.bet(seat) for seat in state.seats)
    return ServicePanel(
        "TABLE",
        (2, 5),
        (
            row("Seats", str(policy.seats)),
            row("Round", round_),
            row("Opened", clock_words(state.round_wall_ms) if state.round_number else "-"),
            row("On the seats", desk.money(credit_cents)),
            row("Frozen by", _frozen_by(state.frozen)),
        ),
        half=True,
    )


def _frozen_by(code: str) -> str:
    if not code:
        return "-"
    return f"{code} {BY_CODE[code].name}" if code in BY_CODE else code


# ---- the attendant


def attendant(desk: Desk) -> Body:
    """What waits for a person, with the amounts; the menu beside it settles each matter."""
    rows = tuple(_matters(desk))
    if rows:
        headline = plural(len(rows), "matter waits", "matters wait").capitalize()
        subline = _meaning(desk)
    elif subline := _at_device(desk):
        headline = "Look at a device"
    else:
        headline = "Nothing waits"
    return Body(
        headline=headline,
        subline=desk.live.outcome or subline or "Turn the key back to play on.",
        panels=(ServicePanel("OPEN MATTERS", (3, 9, 3), rows[:MATTERS_SHOWN], right=2),) if rows else (),
        mark="warn" if subline else "check",
        hint="Seat 1: BET - and BET + choose, DEAL enters. The key confirms.",
    )


def _at_device(desk: Desk) -> str:
    """Why somebody was called where there is nothing to decide; "" when nobody was."""
    for item in menu.items(desk.state, desk.live):
        match item.does:
            case ("restart", device):
                return f"{device}: {BY_CODE[item.about].name}. Look at it, then restart it here."
            case ("look",):
                return f"{item.label.partition(':')[0]}: {item.about}. See who puts them in."
    return ""


def _meaning(desk: Desk) -> str:
    """What the chosen answer means, in a sentence: nobody has to remember it."""
    items = menu.items(desk.state, desk.live)
    order = items[max(0, min(desk.live.cursor, len(items) - 1))].does
    meant = says(desk.state, desk.live, order)
    return "Choose what is true." if meant is None else f"{meant[0]}. {meant[1]}"


def asked(desk: Desk) -> Body:
    """An act about money, before anything is recorded: what it says and what the key has to do."""
    live = desk.live
    asked = live.confirming
    if asked is None:
        return Body("Nothing is asked")
    head, then = asked.says
    name = _KEY_NAMES[live.key]
    off = asked.off_ms is not None
    steps = (
        row("1", f"Turn the {name} key off", mark="check" if off else "warn"),
        row("2", f"Turn it on again within {OFF_MOST_MS // 1000} seconds", mark="warn" if off else ""),
        row("3", "It is recorded, once, and the list comes back"),
    )
    shown = (row("What", head), row("Effect", then), row("By", KEY_WORDS[live.key]))
    wanted = "on again now: that records it" if off else "off and on again, if this is true"
    return Body(
        headline=f"{head}?",
        subline=f"Nothing is recorded yet. Turn the {name} key {wanted}.",
        panels=(
            ServicePanel("WHAT WILL BE RECORDED", (1, 9), shown),
            ServicePanel("TO RECORD IT, USE THE KEY: NO BUTTON DOES IT", (1, 15), steps),
            ServicePanel(
                "NOT TRUE?",
                (1, 9),
                (row("BACK", "Press CASH OUT of seat 1, or leave the key as it is. Nothing is recorded."),),
            ),
        ),
        mark="warn",
        hint="Only the key confirms. CASH OUT of seat 1 goes back.",
    )


def _matters(desk: Desk) -> Iterator[ServiceRow]:
    state = desk.state
    for pay in state.handpays:
        yield row(f"Seat {pay.seat}", _handpay(pay.reason), desk.money(pay.cents), mark="warn")
    for ticket in state.tickets:
        if ticket.unknown:
            what, amount = "ticket", desk.money(ticket.cents)
            if ticket.handpay:
                what, amount = "receipt", "worth nothing"
            text = f"{what} {last_four(ticket.number)} in doubt: {ticket.unknown}"
            yield row(f"Seat {ticket.seat}", text, amount, mark="warn")
    for note in state.notes:
        if note.unresolved and note.ref:
            what = f"ticket {last_four(note.number)} put in, in doubt" if note.number else "note in doubt"
            text = f"{what}: {_report(note.unresolved)}"
            yield row(f"Seat {note.seat}", text, desk.money(note.cents), mark="warn")
        elif note.unresolved:
            text = f"a note that nobody may credit: {_report(note.unresolved)}"
            yield row(note.device, text, "value not known", mark="warn")
    if (clock.IN_QUESTION, "") in state.conditions:
        asks = "said to be wrong: set the clock" if state.clock_wrong else "is the date right?"
        yield row(
            "Cabinet",
            f"{asks} {clock.date_words(desk.live.wall_ms)}",
            desk.clock(desk.live.now_ms)[:5],
            mark="warn",
        )
    if state.round_open and (Code.OLD_ROUND, "") in state.conditions:
        text = f"round {state.round_number} is older than a day"
        yield row("Table", text, desk.money(sum(state.bet(seat) for seat in state.seats)), mark="warn")


def table(desk: Desk) -> Body:
    """Whether rounds are dealt."""
    shut = (Code.CLOSED, "") in desk.state.conditions
    return Body(
        headline="The table is closed" if shut else "The table is open",
        subline="No round is dealt and no note is taken. Players cash out." if shut else "Rounds are dealt.",
        panels=(_table(desk),),
        mark="warn" if shut else "check",
        hint="A round that is open is played to its end.",
    )


def _report(holding: str) -> str:
    """What a validator said when only a person could tell, in words (drivers.device.Holding)."""
    words = {
        "power_up": "the validator lost power",
        "in_stacker": "found in the box after a power cut",
        "vend_valid": "it lies in the box, unannounced",
        "nothing": "the validator knows nothing of it",
        "gone": "its validator is not in the cabinet file any more",
    }
    return words.get(holding, holding)


def _handpay(reason: str) -> str:
    return f"pay by hand: {handpay_words(reason)}"
