"""The soft meters, what proves them, and what the hard meters still owe."""

from __future__ import annotations

from cabinet.core.look import ServicePanel, ServiceRow
from cabinet.core.state import State
from cabinet.service.page import Body, Desk, check, row
from cabinet.service.words import plural

_MONEY = ("bill_in", "voucher_out", "handpaid", "coin_in", "coin_out")
_HEAD = ("", "Bills in", "Tickets out", "Handpaid", "Bets", "Returned", "Rounds")


def meters(desk: Desk) -> Body:
    state = desk.state
    balanced = _balanced(state)
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


def held_cents(state: State) -> int:
    """What players have in the machine: credit, bets, tickets being printed, hand payments open."""
    kinds = ("credit", "bet", "in_flight", "handpay")
    return sum(cents for account, cents in state.ledger.balances.items() if account.split(".")[0] in kinds)


def _difference_cents(state: State) -> int:
    """What came in, less what went out, less what the house has won: it must be what players hold."""
    counted = state.meters
    inside = counted.get("bill_in", 0) - counted.get("voucher_out", 0) - counted.get("handpaid", 0)
    return inside - counted.get("coin_in", 0) + counted.get("coin_out", 0)


def _balanced(state: State) -> bool:
    return _difference_cents(state) == held_cents(state) and state.ledger.sum == 0


def _identity(desk: Desk, balanced: bool) -> ServicePanel:
    state = desk.state
    return ServicePanel(
        "IDENTITY CHECK",
        (4, 5),
        (
            row("In - out - won", desk.money(_difference_cents(state)), mark=check(balanced)),
            row("Players hold", desk.money(held_cents(state)), mark=check(balanced)),
            row("Sum of accounts", desk.money(state.ledger.sum), mark=check(state.ledger.sum == 0)),
        ),
        half=True,
    )


def _hard_meters(desk: Desk) -> ServicePanel:
    """The electromechanical counters: pulses that are ordered or still to be ordered."""
    state, policy = desk.state, desk.live.policy
    rows = tuple(
        row(name.removeprefix("meter."), f"owes {state.pulses.get(name, 0)}") for name in policy.meters
    )
    unit = desk.money(policy.pulse_cents)
    return ServicePanel(f"HARD METERS, {unit} A PULSE", (4, 5), rows or (row("none", "-"),), half=True)
