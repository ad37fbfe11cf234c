"""The audit identity: meters and accounts are two records of the same money, and must agree.

For every seat: what came in (notes, tickets), and was won, less what was bet and went out (tickets, credit
paid by hand) is what the accounts hold for it. A win that is paid by hand never becomes credit: it stands
on neither side. While a round is open its bets are the house's to lose; before the deal they are still
the seat's. Besides, the sum over all accounts is zero, and the meters of the cabinet are the sums of those
of its seats.

Checked with every decision that records something, before it is written, and at every start. What does not
agree is a tilt: nothing is written any more and no device takes or pays money.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from cabinet.core.state import ledger as accounts
from cabinet.core.state.state import State
from game.round import MAX_SEATS

ADDS = ("bill_in", "voucher_in", "coin_out", "bets_returned")
TAKES = ("coin_in", "voucher_out", "cancelled")
SUMMED = (*ADDS, *TAKES, "jackpot", "handpaid", "drop")  # kept for the cabinet and for each seat


def trouble(state: State) -> str:
    """The first thing that does not agree; "" when the books are sound."""
    return next(_disagreements(state), "")


def metered_cents(meters: Mapping[str, int], seat: int) -> int:
    """What a seat must have by its meters, in cents."""
    adds, takes = _keys(seat)
    return sum(meters.get(key, 0) for key in adds) - sum(meters.get(key, 0) for key in takes)


def held_cents(state: State, seat: int) -> int:
    """What the accounts hold for a seat: credit, a ticket in work, credit that is being paid by hand, and
    bets that can still be taken back."""
    held = state.credit(seat) + state.ledger[accounts.in_flight(seat)] + state.ledger[accounts.handpay(seat)]
    if not state.round_open:
        held += state.bet(seat)
    return held - sum(pay.cents for pay in state.handpays if pay.seat == seat and pay.is_win)


def _outstanding(meters: Mapping[str, int]) -> int:
    """What is left on printed tickets: neither put in again nor paid at the desk."""
    get = meters.get
    return get("voucher_out", 0) - get("voucher_in", 0) - get("voucher_desk", 0)


@cache  # seven seats
def _keys(seat: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(f"{name}.{seat}" for name in ADDS), tuple(f"{name}.{seat}" for name in TAKES)


@cache
def _sum_keys(seats: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(f"{name}.{seat}" for seat in range(1, seats + 1))) for name in SUMMED)


def _disagreements(state: State) -> Iterator[str]:
    meters, ledger = state.meters, state.ledger
    if ledger.sum:
        yield f"the sum over all accounts is {ledger.sum}, not 0"
    for seat in state.waiting:
        if seat not in state.seats:
            yield f"seat {seat} waits for its ticket, and there is no such seat"
    for seat in state.seats:
        metered, held = metered_cents(meters, seat), held_cents(state, seat)
        if metered != held:
            yield f"seat {seat}: meters tell {metered} cents, accounts hold {held}"
    get = meters.get
    # Seats that a cabinet once had keep their meters.
    for name, keys in _sum_keys(MAX_SEATS):
        total = sum(filter(None, map(get, keys)))  # this runs for every commit, and has seventy meters to add
        if get(name, 0) != total:
            yield f"{name}: the cabinet counts {get(name, 0)}, its seats {total}"
    for name, counted, account, held in (
        ("notes", get("bill_in", 0), "notes", -ledger["notes"]),
        ("tickets", _outstanding(meters), "tickets_out", ledger["tickets_out"]),
        ("tickets paid at the desk", get("voucher_desk", 0), "desk", ledger["desk"]),
        ("hand payments", get("handpaid", 0), "handpaid", ledger["handpaid"]),
        ("hand payments", get("jackpot", 0) + get("cancelled", 0), "handpaid", ledger["handpaid"]),
        ("the drop", get("drop", 0), "notes and tickets in", get("bill_in", 0) + get("voucher_in", 0)),
    ):
        if counted != held:
            yield f"{name}: meters tell {counted} cents, {account} {held}"
