"""Every meter by name: what it is called and in which unit it counts. Pages, prints and exports follow it.

Names are the trade's. Promotional money does not exist on this cabinet and has no meters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cabinet.core.conditions import TABLE, Code
from cabinet.core.state import State


class Unit(StrEnum):
    CENTS = "cents"  # minor units of the cabinet's currency
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Meter:
    key: str
    name: str
    unit: Unit = Unit.COUNT


# For the cabinet and for each seat.
MONEY: Final = (
    Meter("coin_in", "Coin in (bets)", Unit.CENTS),
    Meter("coin_out", "Coin out (wins)", Unit.CENTS),
    Meter("jackpot", "Wins by hand", Unit.CENTS),
    Meter("cancelled", "Credit by hand", Unit.CENTS),
    Meter("bill_in", "Notes in", Unit.CENTS),
    Meter("voucher_in", "Tickets in", Unit.CENTS),
    Meter("voucher_out", "Tickets out", Unit.CENTS),
    Meter("drop", "Drop", Unit.CENTS),
    Meter("bets_returned", "Bets given back", Unit.CENTS),
)
PLAY: Final = (
    Meter("played", "Games played"),
    Meter("won", "Games won"),
    Meter("lost", "Games lost"),
    Meter("pushed", "Games pushed"),
    Meter("timeouts", "Timed out"),
    Meter("bills", "Notes in"),
    Meter("vouchers_in", "Tickets in"),
    Meter("vouchers", "Tickets out"),
    Meter("jackpots", "Wins by hand"),
    Meter("cancels", "Credits by hand"),
)
# Games; no meters, but counts since something happened.
SINCE: Final = (
    Meter("since_power", "Since power-up"),
    Meter("since_door", "Since door shut"),
)
# Of the cabinet only.
DOORS: Final = (
    Meter(f"on.{Code.MAIN_DOOR_OPEN}", "Main door opened"),
    Meter(f"on.{Code.LOGIC_AREA_OPEN}", "Logic area opened"),
    Meter(f"on.{Code.PRINTER_DOOR_OPEN}", "Printer door opened"),
    Meter(f"on.{Code.CASH_BOX_DOOR_OPEN}", "Cash-box door opened"),
    Meter(f"on.{Code.DROP_DOOR_OPEN}", "Drop door opened"),
    Meter(f"on.{Code.CASH_BOX_REMOVED}", "Cash box removed"),
    Meter("menu.attendant", "Attendant menu entered"),
    Meter("menu.service", "Service menu entered"),
)
CABINET: Final = (
    Meter("rounds", "Rounds dealt"),
    Meter("voided", "Rounds voided"),
    Meter("sessions", "Starts"),
    Meter("power_resets", "Power resets"),
    Meter("handpays", "Hand payments"),
    Meter("voucher_desk", "Paid at desk", Unit.CENTS),
    Meter("vouchers_desk", "Tickets at desk"),
    Meter("desk_wrong", "Wrong at desk"),
)
# Conditions that no fact begins: while the first ones last nothing can be recorded, the others are counted
# as what they are (menus entered, hand payments).
UNCOUNTED: Final = frozenset(
    {
        Code.MEMORY_FAILED,
        Code.STORAGE_FAILED,
        Code.NOT_CONFIGURED,
        Code.ACCOUNTING_ERROR,
        Code.MEMORY_CLEARED,
        Code.HANDPAY,
        Code.LARGE_WIN,
        Code.ATTENDANT_MENU,
        Code.SERVICE_MENU,
    }
)
FAULTS: Final = tuple(
    Meter(f"on.{row.code}", f"{row.code} {row.name}")
    for row in TABLE
    if row.code not in UNCOUNTED and f"on.{row.code}" not in {meter.key for meter in DOORS}
)
OF_RULES: Final = (
    Meter("played", "Games played"),
    Meter("coin_in", "Bets", Unit.CENTS),
    Meter("bets_returned", "Bets given back", Unit.CENTS),
    Meter("won_cents", "Wins with stakes", Unit.CENTS),
)


@dataclass(frozen=True, slots=True)
class MeterLine:
    """One meter at one place: what an export or a print says of it."""

    place: str  # "cabinet", "seat 2", "validator1", "rules 604b126b6b500f61"
    meter: Meter
    count: int
    period: int | None  # None: a count since something has no period


def lines(state: State) -> Iterator[MeterLine]:
    """Every meter of the cabinet with its place, in a fixed order."""
    for meter in (*MONEY, *PLAY, *CABINET, *DOORS, *FAULTS):
        yield _line(state, "cabinet", meter, meter.key)
    yield from _since(state, "cabinet", "")
    for seat in state.seats:
        for meter in (*MONEY, *PLAY):
            yield _line(state, f"seat {seat}", meter, f"{meter.key}.{seat}")
        yield from _since(state, f"seat {seat}", f".{seat}")
    for device, cents in notes_of(state):
        meter = Meter("bills", f"Notes of {cents} cents")
        yield _line(state, device, meter, f"bills.{device}.{cents}")
    for rules in rule_sets_of(state):
        for meter in OF_RULES:
            yield _line(state, f"rules {rules}", meter, f"rules.{rules}.{meter.key}")


def _line(state: State, place: str, meter: Meter, key: str) -> MeterLine:
    count = state.meters.get(key, 0)
    return MeterLine(place, meter, count, count - state.period_base.get(key, 0))


def _since(state: State, place: str, suffix: str) -> Iterator[MeterLine]:
    for meter in SINCE:
        yield MeterLine(place, meter, state.meters.get(meter.key + suffix, 0), None)


def notes_of(state: State) -> tuple[tuple[str, int], ...]:
    """(validator, value in cents) of every kind of note that has ever been stacked, in order."""
    keys = (key.split(".") for key in state.meters if key.startswith("bills."))
    return tuple(sorted((key[1], int(key[2])) for key in keys if len(key) == 3))


def rule_sets_of(state: State) -> tuple[str, ...]:
    """The house rules that have ever been played, by `meters.rule_set`."""
    return tuple(sorted({key.split(".")[1] for key in state.meters if key.startswith("rules.")}))
