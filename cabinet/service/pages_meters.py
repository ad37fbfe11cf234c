"""The soft meters, what proves them, and what the hard meters still owe."""

from __future__ import annotations

from cabinet.core import identity
from cabinet.core.look import ServicePanel, ServiceRow
from cabinet.core.state import State
from cabinet.service.page import Body, Desk, check, row
from cabinet.service.words import clock, plural

_MONEY = ("bill_in", "voucher_out", "handpaid", "coin_in", "coin_out")
_HEAD = ("", "Bills in", "Tickets out", "Handpaid", "Bets", "Returned", "Rounds")


def meters(desk: Desk) -> Body:
    state = desk.state
    balanced = not identity.trouble(state)
    owed = sum(desk.state.pulses.values())
    rows = (row(*_HEAD), _cabinet(desk), *(_seat(desk, seat) for seat in state.seats))
    return Body(
        headline="The books balance" if balanced else "The books do not balance",
        subline=f"Hard meters owe {plural(owed, 'pulse', 'pulses')}.",
        panels=(
            ServicePanel("SOFT METERS SINCE THE FIRST START", (3, 4, 4, 4, 4, 4, 3), rows),
            _identity(desk, balanced),
            _hard_meters(desk),
        ),
        mark=check(balanced),
        hint="Amounts count when they are final.",
    )


def _cabinet(desk: Desk) -> ServiceRow:
    counted = desk.state.meters
    amounts = [desk.money(counted.get(name, 0)) for name in _MONEY]
    return row("Cabinet", *amounts, str(counted.get("rounds", 0)))


def _seat(desk: Desk, seat: int) -> ServiceRow:
    counted = desk.state.meters
    amounts = [desk.money(counted.get(f"{name}.{seat}", 0)) for name in _MONEY]
    return row(f"Seat {seat}", *amounts, str(counted.get(f"played.{seat}", 0)))


# ---- what must be equal


def _told_cents(state: State) -> int:
    return sum(identity.told_cents(state.meters, seat) for seat in state.seats)


def _held_cents(state: State) -> int:
    return sum(identity.held_cents(state, seat) for seat in state.seats)


def _identity(desk: Desk, balanced: bool) -> ServicePanel:
    state = desk.state
    return ServicePanel(
        "IDENTITY CHECK",
        (4, 5),
        (
            row("Meters tell", desk.money(_told_cents(state)), mark=check(balanced)),
            row("Accounts hold", desk.money(_held_cents(state)), mark=check(balanced)),
            row("Sum of accounts", desk.money(state.ledger.sum), mark=check(state.ledger.sum == 0)),
        ),
        half=True,
    )


def _hard_meters(desk: Desk) -> ServicePanel:
    """The electromechanical counters: pulses that are ordered or still to be ordered."""
    state, policy = desk.state, desk.live.policy
    rows = tuple(
        row(name.removeprefix("meter."), f"owes {state.pulses.get(name, 0)}") for name, _ in policy.meters
    )
    unit = desk.money(policy.pulse_cents)
    return ServicePanel(f"HARD METERS, {unit} A PULSE", (4, 5), rows or (row("none", "-"),), half=True)


# ---- the period


def period(desk: Desk) -> Body:
    state = desk.state
    begun = "with the first start" if not state.period_wall_ms else f"at {clock(state.period_wall_ms)}"
    return Body(
        headline=f"Period {state.period} began {begun}",
        subline="A new period begins at zero. The meters themselves are never reset.",
    )
