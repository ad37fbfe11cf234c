"""The double-entry ledger: money only ever moves from one account to another.

Accounts and their meaning (integer cents; the sum over all of them is always zero):

========================  ==================================================================
``notes``                 what came in as notes, negative (the outside world gave it)
``credit.N``              what seat N may play or cash out; never negative
``bet.N``                 what seat N has on the table; never negative
``in_flight.N``           on a ticket that is being printed
``handpay.N``             waits for an attendant
``tickets_out``           left on printed tickets
``handpaid``              left by an attendant's hand
``desk``                  left for tickets that the desk has paid
``house``                 what the house has won; may be negative
========================  ==================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec
from msgspec import field

MAY_BE_NEGATIVE = ("notes", "house")


class FactRefusedError(ValueError):
    """A fact that cannot be true in this state: refused before anything is written."""


class LedgerError(FactRefusedError):
    """A movement of money that cannot be."""


class Ledger(msgspec.Struct, frozen=True):
    balances: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, account: str) -> int:
        return self.balances.get(account, 0)

    def move(self, source: str, target: str, cents: int) -> Ledger:
        """Move `cents` (0 or more). Raises LedgerError when the source does not hold it."""
        if cents < 0:
            raise LedgerError(f"cannot move {cents} cents from {source} to {target}")
        if cents == 0:
            return self
        left = self[source] - cents
        if left < 0 and source not in MAY_BE_NEGATIVE:
            raise LedgerError(f"{source} holds {self[source]} cents, {cents} are asked for {target}")
        balances = dict(self.balances)
        balances[source] = left
        balances[target] = balances.get(target, 0) + cents
        return Ledger(balances)

    def total(self, prefix: str) -> int:
        """Sum over one account, or over all seats' accounts of that name."""
        return sum(v for k, v in self.balances.items() if k == prefix or k.startswith(prefix + "."))

    @property
    def sum(self) -> int:
        """Zero, always."""
        return sum(self.balances.values())


@cache  # seven seats, each asked for several times in every decision
def credit(seat: int) -> str:
    return f"credit.{seat}"


@cache
def bet(seat: int) -> str:
    return f"bet.{seat}"


def in_flight(seat: int) -> str:
    return f"in_flight.{seat}"


def handpay(seat: int) -> str:
    return f"handpay.{seat}"
