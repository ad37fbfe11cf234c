"""Keys, doors, faults and locks: what people with keys do, and what stops the table."""

from __future__ import annotations

from cabinet.core import confirm
from cabinet.core import live as now
from cabinet.core.conditions import BY_CODE, STANDS_STILL, Clears, Code, code_of, code_of_door, row_of
from cabinet.core.facts import (
    ClockStepped,
    ConditionCleared,
    ConditionRaised,
    Frozen,
    KeyTurned,
    NoteSettledByHand,
    PeriodReset,
    Released,
    RoundVoided,
)
from cabinet.core.live import Live, play_lock, printer_down
from cabinet.core.look import Button, Cue
from cabinet.core.money import cashier, clock, patience, payout, receipts, ticket_in
from cabinet.core.money.ticket_in import UNKNOWN_TICKETS
from cabinet.core.past.answers import Answer, question
from cabinet.core.past.recall import RecalledRound, moments
from cabinet.core.renewal import replace
from cabinet.core.staff import condition_log, desk, menu, money_acts
from cabinet.core.state import State
from cabinet.core.turn import AcknowledgeNote, DrawError, MendPrinter, ResetValidator, Turn
from drivers.device import Fault, FaultCleared, FaultRaised

OLD_ROUND_MS = 24 * 3600 * 1000  # a live round of the day before waits for a person
SLOW_QUIET_MS = 60_000
WRONG_NUMBER = "Nothing was recorded: that is not the number of this ticket."
NOT_RECORDED = "Nothing was recorded: the matter has changed meanwhile."
TOO_LATE = "Nothing was recorded: the key was not turned in time."
_LOOKED_AT = (Code.PRINTER_FAILED, Code.PRINTER_STANDS)
_HANDS = {"attendant": "attendant", "service": "technician"}  # who stands behind a key


# ---- conditions


def fault(turn: Turn, event: FaultRaised | FaultCleared) -> None:
    """A device's condition begins or ends: what counts becomes a fact."""
    code = code_of(turn.live.device(event.device).kind, event.fault)
    row, held = BY_CODE[code], (code, event.device)
    if isinstance(event, FaultRaised):
        kept = tuple(name for name in turn.live.mending if name != event.device)
        turn.live = replace(turn.live, mending=kept)  # trouble after the mending is new trouble
        if row.clears is not Clears.SELF:
            if held not in turn.state.conditions:
                turn.add(ConditionRaised(turn.now_ms, code, event.device, event.detail))
        else:
            condition_log.begun(turn, code, event.device, event.detail)
        if row.alarm:
            turn.live = now.sound(turn.live, Cue.ALARM)
        if event.fault is Fault.DOCUMENT_STUCK:
            cashier.document_stuck(turn, event.device)
    elif _still_reported(turn, code, event.device):
        return  # another fault of the same row
    elif held in turn.state.conditions:
        if turn.live.key or event.device in turn.live.mending:
            by = _hand(turn)
            turn.add(ConditionCleared(turn.now_ms, code, event.device, by))
    elif row.clears is Clears.SELF:
        condition_log.over(turn, code, event.device)


def door(turn: Turn, name: str, is_open: bool) -> None:
    code = code_of_door(name)
    if code is None:
        return
    row = BY_CODE[code]
    if is_open:
        # Also when somebody has still to answer for the last time: every opening counts.
        turn.add(ConditionRaised(turn.now_ms, code, name, ""))
        if row.alarm:
            turn.live = now.sound(turn.live, Cue.ALARM)
    elif row.clears is Clears.SELF:
        turn.add(ConditionCleared(turn.now_ms, code, name, "self"))
    elif turn.live.key == "service" and (code, name) in turn.state.conditions:
        turn.add(ConditionCleared(turn.now_ms, code, name, "technician"))


def generator(turn: Turn) -> None:
    """No card can be drawn: the table is locked before anything else of the event counts."""
    if why := turn.live.trouble(Code.RNG_FAILED):
        if (Code.RNG_FAILED, "") not in turn.state.conditions:
            turn.add(ConditionRaised(turn.now_ms, Code.RNG_FAILED, "", why))
        freeze(turn)


def second_copy(turn: Turn, text: str) -> None:
    """The second copy has failed, or is sound again: both are for the log. Play goes on with one."""
    failed_before = Code.NO_SECOND_COPY in turn.live.troubles
    turn.live = now.with_trouble(turn.live, Code.NO_SECOND_COPY, text)
    if text and not failed_before:
        turn.add(ConditionRaised(turn.now_ms, Code.NO_SECOND_COPY, "", text))
    elif failed_before and not text:
        turn.add(ConditionCleared(turn.now_ms, Code.NO_SECOND_COPY, "", "self"))


def trouble(turn: Turn, code: Code, detail: str) -> None:
    """The program itself cannot do something, or can again."""
    if detail:
        condition_log.begun(turn, code, "", detail)
    else:
        condition_log.over(turn, code, "")


def trouble_before(turn: Turn, code: str, text: str) -> None:
    """What kept the session before from recording anything is over: this one could be begun."""
    if code:
        turn.add(ConditionRaised(turn.now_ms, code, "", text))
        turn.add(ConditionCleared(turn.now_ms, code, "", "restart"))


def storage_slow(turn: Turn, text: str) -> None:
    """It is over when it can be written down. A card that is slow all the time is told of once a minute: what
    is written about it makes it no quicker."""
    held = (Code.STORAGE_SLOW, "")
    _, told_ms = turn.live.said.get(held, ("", turn.now_ms - SLOW_QUIET_MS))
    if turn.now_ms - told_ms >= SLOW_QUIET_MS:
        turn.live = replace(turn.live, said={**turn.live.said, held: (None, turn.now_ms)})
        turn.add(ConditionRaised(turn.now_ms, Code.STORAGE_SLOW, "", text))
        turn.add(ConditionCleared(turn.now_ms, Code.STORAGE_SLOW, "", "self"))


def freeze(turn: Turn) -> None:
    """Stop or release the table as the conditions say; both are facts."""
    code = play_lock(turn.state, turn.live)
    if code and code != turn.state.frozen:
        turn.add(Frozen(turn.now_ms, code))
    elif not code and turn.state.frozen:
        turn.add(Released(turn.now_ms))


def old_round(turn: Turn, wall_ms: int) -> None:
    """At start-up: players of a round that began more than a day ago are not at the table any more."""
    state = turn.state
    if (
        state.round_open
        and wall_ms - state.round_wall_ms > OLD_ROUND_MS
        and (Code.OLD_ROUND, "") not in state.conditions
    ):
        turn.add(ConditionRaised(turn.now_ms, Code.OLD_ROUND, "", ""))


def clock_set(turn: Turn, wall_ms: int) -> None:
    """The clock was set while the table ran: by the network, by a person, or at the change of summer time."""
    before_ms = turn.state.wall_base_ms + turn.now_ms
    turn.add(ClockStepped(turn.now_ms, before_ms, wall_ms, turn.live.first_ref))
    clock.judge(turn, wall_ms, before_ms, believed_ms=turn.live.believed_base_ms + turn.now_ms)


# ---- keys


def key(turn: Turn, name: str, on: bool) -> None:
    """A key is turned. The attendant's key clears what it may; both open their pages."""
    if name not in _HANDS:
        return
    turn.add(KeyTurned(turn.now_ms, name, on))
    turn.live = now.sound(turn.live, Cue.KEY)
    if turn.live.confirming is not None and name == turn.live.key:
        if on:
            _on_again(turn, turn.live.confirming)
        return
    if not on:
        _turned_off(turn, name)
        return
    mended: list[str] = []
    for code, device in turn.state.conditions:
        row = row_of(code)
        if row.clears is Clears.TECHNICIAN and name != "service":
            continue
        if row.clears is Clears.RESTART or code == UNKNOWN_TICKETS:
            continue  # the list of open matters says it as long as the key is turned
        if code in (Code.OLD_ROUND, Code.RNG_FAILED, Code.CLOSED, clock.IN_QUESTION):
            continue  # the menu asks what shall become of round or table, and whether the date is right
        if code == Code.NEW_SETTINGS and not turn.live.inputs.get("door.logic", False):
            continue  # who accepts them has access to the file that they are in
        if code == Code.PRINTS_NOTHING and any(t.device == device for t in turn.state.tickets):
            continue  # who comes to look for its ticket has not mended it yet
        if code_of_door(device):
            gone = not turn.live.inputs.get(device, False)
        else:
            gone = not _still_reported(turn, code, device)
        if gone:
            turn.add(ConditionCleared(turn.now_ms, code, device, _HANDS[name]))
            patience.came_out(turn, device)
        elif device in turn.live.devices and device not in mended:
            _mend(turn, device)
            mended.append(device)
    for printer, _ in turn.policy.printers:  # what he has mended there no status may show
        down = printer_down(turn.state, turn.live, printer) in _LOOKED_AT
        if down and printer not in mended and not any(t.device == printer for t in turn.state.tickets):
            _mend(turn, printer)
            mended.append(printer)
    for device, said in turn.live.devices.items():
        if device not in mended and any(code in STANDS_STILL for code, _ in said.faults):
            _mend(turn, device)
            mended.append(device)
    turn.live = replace(turn.live, mending=tuple(mended))


def _turned_off(turn: Turn, name: str) -> None:
    """The pages of a key are closed."""
    turn.live = replace(turn.live, lamp_test="")
    if name == "service":
        _try_generator(turn)
    for code, device in turn.state.conditions:
        if code == UNKNOWN_TICKETS:
            turn.add(ConditionCleared(turn.now_ms, code, device, _HANDS[name]))


# ---- acts that the key confirms


def _ask(turn: Turn, order: tuple[str, ...]) -> None:
    """An act about money is chosen: say what it means, and wait for the key."""
    says = money_acts.says(turn.state, turn.live, order)
    if says is None:
        return
    live = turn.live
    asked = confirm.Confirming(order, says, live.menu, live.cursor, turn.now_ms)
    turn.live = replace(live, menu=(*live.menu, confirm.PAGE), cursor=0, answer=None, confirming=asked)


def _on_again(turn: Turn, asked: confirm.Confirming) -> None:
    """The key was off and is on again: that confirms what the screen says, once."""
    if asked.off_ms is None:
        return
    if asked.bounced(turn.now_ms):
        turn.live = replace(turn.live, confirming=replace(asked, off_ms=None))
        return
    still = money_acts.says(turn.state, turn.live, asked.order) == asked.says
    outcome = f"Recorded: {asked.says[0]}." if still else NOT_RECORDED
    turn.live = replace(
        turn.live,
        menu=asked.back,
        cursor=asked.cursor,
        key_ms=turn.now_ms,
        settled_by_hand_ms=turn.now_ms,
        confirming=None,
        outcome=outcome,
    )
    if still:
        carry_out(turn, asked.order)
    _cursor(turn, turn.live.cursor, len(menu.items(turn.state, turn.live)))


def keep_asking(turn: Turn, *, time: bool) -> None:
    """With every event: an act that waits for the key is withdrawn when it does not say the truth any more,
    or when nobody has confirmed it in time."""
    asked = turn.live.confirming
    if asked is None:
        return
    if money_acts.says(turn.state, turn.live, asked.order) != asked.says:
        withdraw(turn, NOT_RECORDED)
    elif time and turn.now_ms >= asked.ends_ms:
        withdraw(turn, TOO_LATE)


def withdraw(turn: Turn, outcome: str = "") -> None:
    """Nothing is recorded. If the key is off, that is what it means from now on."""
    asked, live = turn.live.confirming, turn.live
    if asked is None:
        return
    if asked.off_ms is None:
        turn.live = replace(live, menu=asked.back, cursor=asked.cursor, confirming=None, outcome=outcome)
        _cursor(turn, turn.live.cursor, len(menu.items(turn.state, turn.live)))
        return
    key = live.key
    turn.live = now.closed_pages(live, turn.now_ms)
    _turned_off(turn, key)


def _hand(turn: Turn) -> str:
    """Who does what is done now: whose key is turned."""
    return _HANDS.get(turn.live.key, "attendant")


def _try_generator(turn: Turn) -> None:
    """The technician has done what he could. One of one takes nothing from the generator; one that has
    failed for good says so here, before anybody puts money in again. Else the next card shows it."""
    if (Code.RNG_FAILED, "") not in turn.state.conditions:
        return
    try:
        turn.draw(1)
    except DrawError as error:
        turn.live = now.with_trouble(turn.live, Code.RNG_FAILED, str(error) or "failed")
        return
    turn.live = now.with_trouble(turn.live, Code.RNG_FAILED, "")
    turn.add(ConditionCleared(turn.now_ms, Code.RNG_FAILED, "", "technician"))


def _still_reported(turn: Turn, code: str, device: str) -> bool:
    said = turn.live.devices.get(device)
    return said is not None and any(c == code for c, _ in said.faults)


def _mend(turn: Turn, device: str) -> None:
    """Tell a device that a person has removed the cause."""
    if turn.live.device(device).kind == "ticket_printer":
        turn.act(MendPrinter(device))
    else:
        turn.act(ResetValidator(device))


# ---- the menu


def press(turn: Turn, button: Button, *, reading: bool = False) -> None:
    """One of the four buttons that walk through the menu while a key is turned. `reading`: nothing can be
    recorded, so that pages open and close and nothing on them is done."""
    items = menu.items(turn.state, turn.live)
    turn.live = now.sound(turn.live, Cue.KEY, outcome="")
    match button:
        case Button.BET_MINUS:
            _step(turn, -1, len(items))
        case Button.BET_PLUS:
            _step(turn, 1, len(items))
        case Button.CASH_OUT if turn.live.confirming is not None:
            withdraw(turn)
        case Button.CASH_OUT if (shorter := _one_digit_less(turn.live)) is not None:
            turn.live = replace(turn.live, menu=(*turn.live.menu[:-1], shorter))
        case Button.CASH_OUT:
            turn.live = replace(turn.live, menu=turn.live.menu[:-1], cursor=0, lamp_test="", answer=None)
        case Button.DEAL if items:
            item = items[min(turn.live.cursor, len(items) - 1)]
            if item.opens or item.does[:1] == ("turn",) or not reading:
                _enter(turn, item)


def _step(turn: Turn, way: int, count: int) -> None:
    """UP or DOWN. After the last digit of a number comes the first: no digit is far away."""
    place = turn.live.cursor + way
    if count and turn.live.menu and turn.live.menu[-1].startswith(f"{desk.ENTRY}:"):
        place %= count
    _cursor(turn, place, count)


def _one_digit_less(live: Live) -> str | None:
    """While a number is entered: the page before the last digit; None when there is no digit to take back."""
    if not live.menu or not live.menu[-1].startswith(f"{desk.ENTRY}:"):
        return None
    ref, digits = desk.asked(live.menu[-1])
    return desk.page(ref, digits[:-1]) if digits else None


def _cursor(turn: Turn, place: int, count: int) -> None:
    turn.live = replace(turn.live, cursor=max(0, min(place, count - 1)))


def keep_cursor(turn: Turn, state: State, live: Live) -> None:
    """A matter that opens or ends by itself moves the list, not the hand of who reads it: `state` and
    `live` are those before."""
    before, items = menu.items(state, live), menu.items(turn.state, turn.live)
    if live.cursor < len(before) and (chosen := before[live.cursor]) in items:
        _cursor(turn, items.index(chosen), len(items))


def _enter(turn: Turn, item: menu.MenuItem) -> None:
    if item.opens:
        turn.live = replace(turn.live, menu=(*turn.live.menu, item.opens), cursor=0, answer=None)
        return
    if item.does[0] in money_acts.CONFIRMED:
        _ask(turn, item.does)
        return
    carry_out(turn, item.does)
    if item.does[0] in menu.COUNTS:
        turn.live = replace(turn.live, settled_by_hand_ms=turn.now_ms)
    _cursor(turn, turn.live.cursor, len(menu.items(turn.state, turn.live)))


def answered(turn: Turn, page: str, answer: Answer) -> None:
    """The journal has said what a page wants to know, if that is still the page. A round is shown from its
    end: that is what people ask about."""
    if not turn.live.key or question(turn.live.menu) != page:
        return
    cursor = moments(answer) - 1 if isinstance(answer, RecalledRound) else turn.live.cursor
    turn.live = replace(turn.live, answer=(page, answer))
    _cursor(turn, cursor, len(menu.items(turn.state, turn.live)))


def carry_out(turn: Turn, order: tuple[str, ...]) -> None:
    """Do what a menu item says. A matter that somebody has settled meanwhile changes nothing."""
    match order:
        case ("paid", ref):
            receipts.paid(turn, int(ref), _hand(turn))
        case ("ticket", ref, answer):
            ticket = turn.state.ticket(int(ref))
            payout.ticket_answered(turn, int(ref), answer == "yes", _hand(turn))
            if ticket is not None and answer == "yes":
                patience.came_out(turn, ticket.device)
        case ("note", ref, device, answer):
            _note(turn, int(ref), device, answer == "yes")
        case ("round", answer) if turn.state.round_open:
            _round(turn, answer == "on")
        case ("period", number) if int(number) == turn.state.period + 1:
            turn.add(PeriodReset(turn.now_ms, int(number)))
        case ("clock", answer) if (clock.IN_QUESTION, "") in turn.state.conditions:
            clock.answered(turn, right=answer == "right", wall_ms=turn.live.wall_ms, by=_hand(turn))
        case ("digit", ref, digits):
            _entered(turn, int(ref), digits)
        case ("pay", ref):
            desk.pay(turn, int(ref), _hand(turn))
        case ("table", word):
            _table(turn, close=word == "close")
        case ("restart", device):
            _mend(turn, device)
        case ("back",):
            turn.live = replace(turn.live, menu=turn.live.menu[:-1], cursor=0)
        case ("turn", page):  # to another round, or another screen of a log
            turn.live = replace(turn.live, menu=(*turn.live.menu[:-1], page), answer=None)
        case ("lamp", name):
            turn.live = replace(turn.live, lamp_test="" if turn.live.lamp_test == name else name)


def _entered(turn: Turn, ref: int, digits: str) -> None:
    """One more digit of a ticket that the desk wants to pay; after the last one the key is asked, or not."""
    pages = turn.live.menu[:-1]
    if len(digits) < desk.COUNT:
        turn.live = replace(turn.live, menu=(*pages, desk.page(ref, digits)))
        return
    line = desk.payable(turn.state, turn.live, ref)
    turn.live = replace(turn.live, menu=pages, cursor=0)
    if line is not None and desk.is_right(line, digits):
        _ask(turn, ("pay", str(ref)))
        return
    if line is not None:
        desk.wrong(turn, ref, _hand(turn))
    turn.live = replace(turn.live, outcome=WRONG_NUMBER if line is not None else NOT_RECORDED)


def _round(turn: Turn, play_on: bool) -> None:
    """A round that was held is played on, or every stake goes back and no card counts."""
    if not play_on:
        turn.add(RoundVoided(turn.now_ms, "by hand"))
    if (Code.OLD_ROUND, "") in turn.state.conditions:
        turn.add(ConditionCleared(turn.now_ms, Code.OLD_ROUND, "", _hand(turn)))


def _table(turn: Turn, *, close: bool) -> None:
    """Close the table after the round that is open, or open it again."""
    held = (Code.CLOSED, "") in turn.state.conditions
    if close and not held:
        turn.add(ConditionRaised(turn.now_ms, Code.CLOSED, "", ""))
    elif held and not close:
        turn.add(ConditionCleared(turn.now_ms, Code.CLOSED, "", _hand(turn)))


def _note(turn: Turn, ref: int, device: str, in_box: bool) -> None:
    """The attendant has looked into the cash box. A validator that still waits in VEND VALID for a
    note of unknown value is told that it was seen; nobody gets credit for it."""
    note = next((n for n in turn.state.notes if n.ref == ref and n.device == device and n.unresolved), None)
    if note is None:
        return
    cashier.settled_by_hand(turn, note, in_box)
    if note.number:
        ticket_in.answered(turn, note, in_box, _hand(turn))
        return
    turn.add(NoteSettledByHand(turn.now_ms, ref, device, in_box, _hand(turn)))
    if note.unresolved in ("vend_valid", "in_stacker"):
        turn.act(AcknowledgeNote(device))
