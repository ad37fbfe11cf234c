"""Nobody waits for a printer for ever.

A printer may be neither in trouble that it tells nor able to print: its feed button is held, a sensor in its
chute is stuck, somebody else's ticket is not taken, it never gets ready again. And it may take every order
and print none. Both are noticed here, whatever the kind of printer:

* **T12**: it has not been free for `Policy.payout_wait_ms` while somebody waits for it, or without a reason.
* **T11**: `ORDERS_WITHOUT_TICKET` orders in a row have not ended in a ticket.

Cash-outs are paid by hand meanwhile; nothing is printed onto a ticket that nobody has taken. What is counted
is not in the state: a new process looks again. T11, once raised, waits for the attendant's key.
"""

from __future__ import annotations

from typing import Final

from cabinet.core.conditions import Code
from cabinet.core.facts import ConditionCleared, ConditionRaised
from cabinet.core.live import Live, play_lock, printer_down, with_device
from cabinet.core.money.payout import is_free
from cabinet.core.turn import Turn
from drivers.device import TicketOutcome

ORDERS_WITHOUT_TICKET: Final = 4  # two cash-outs, each with a second try


def watch(turn: Turn, *, time: bool) -> None:
    """Notice printers that stand, and those that go on. `time`: time has passed, and no input waits."""
    halted = bool(turn.state.frozen or play_lock(turn.state, turn.live))
    for printer, _ in turn.policy.printers:
        said = turn.live.device(printer)
        if said.ready and said.stood_ms is None and not said.stands and not turn.state.tickets:
            continue  # this runs after every event
        free = is_free(turn, printer)
        if free and said.stands:
            turn.live = with_device(turn.live, printer, stands="", stood_ms=None)
            turn.add(ConditionCleared(turn.now_ms, Code.PRINTER_STANDS, printer, "self"))
            continue
        why = "" if halted or free else _stands(turn, printer)
        if bool(why) != (said.stood_ms is not None):
            turn.live = with_device(turn.live, printer, stood_ms=turn.now_ms if why else None)
            said = turn.live.device(printer)
        over = said.stood_ms is not None and turn.now_ms >= said.stood_ms + turn.policy.payout_wait_ms
        if time and over and why and not said.stands:
            turn.live = with_device(turn.live, printer, stands=why)
            turn.add(ConditionRaised(turn.now_ms, Code.PRINTER_STANDS, printer, why))


def due_ms(live: Live) -> list[int]:
    """When a printer will have stood for too long."""
    waits_ms = live.policy.payout_wait_ms
    stood = [live.device(name) for name, _ in live.policy.printers]
    return [said.stood_ms + waits_ms for said in stood if said.stood_ms is not None and not said.stands]


def _stands(turn: Turn, printer: str) -> str:
    """Why a printer that is not free stands, if it works at nothing and has told no trouble; else ""."""
    state, policy = turn.state, turn.policy
    if printer_down(state, turn.live, printer):
        return ""
    tickets = [ticket for ticket in state.tickets if ticket.device == printer]
    if any(not ticket.unknown for ticket in tickets):
        return ""  # its outcome will be told
    waits = any(policy.printer_of(seat) == printer for seat in state.waiting)
    waits = waits or any(policy.printer_of(pay.seat) == printer for pay in turn.live.receipts)
    taken = not any(paper.device == printer for paper in state.presented)
    if not waits and (tickets or not taken or not turn.live.device(printer).said):
        return ""  # that is told elsewhere, and nobody is kept waiting by it
    if tickets:
        return "a ticket in doubt is not answered"
    return "it does not get ready" if taken else "a ticket is not taken"


# ---- orders that end in no ticket


def ended(turn: Turn, printer: str, ref: int, outcome: TicketOutcome) -> None:
    """The outcome of one order, if it is the first that is told of it."""
    ticket = turn.state.ticket(ref)
    if ticket is None or ticket.unknown:
        return
    if outcome is TicketOutcome.PRINTED:
        came_out(turn, printer)
        return
    failed = turn.live.device(printer).failed + 1
    turn.live = with_device(turn.live, printer, failed=failed)
    if failed >= ORDERS_WITHOUT_TICKET and (Code.PRINTS_NOTHING, printer) not in turn.state.conditions:
        turn.add(
            ConditionRaised(turn.now_ms, Code.PRINTS_NOTHING, printer, f"{failed} orders without a ticket")
        )


def came_out(turn: Turn, printer: str) -> None:
    """It has printed one, or somebody with a key has mended it."""
    if printer in turn.live.devices:
        turn.live = with_device(turn.live, printer, failed=0)
