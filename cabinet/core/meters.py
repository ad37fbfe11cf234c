"""Soft meters: counters that only rise, folded from facts in the same transaction as the money.

Keys are ``name`` for the cabinet and ``name.N`` for a seat or ``name.device`` for a device:
``bill_in``, ``voucher_out``, ``handpaid``, ``coin_in`` (bets), ``coin_out`` (returned by the
game) in cents; ``bills``, ``vouchers``, ``handpays``, ``rounds``, ``won``, ``lost``, ``pushed``,
``voided`` (rounds), ``timeouts``, ``power_resets`` and the conditions' ``on.CODE`` as counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from cabinet.core.facts import (
    ConditionRaised,
    Decided,
    Fact,
    HandpayPaid,
    NoteCredited,
    NoteSettledByHand,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SessionStarted,
    TicketPrinted,
)


class _Amount(Protocol):
    @property
    def ref(self) -> int: ...
    @property
    def seat(self) -> int: ...
    @property
    def cents(self) -> int: ...


class _Note(_Amount, Protocol):
    @property
    def device(self) -> str: ...


def after(
    meters: Mapping[str, int],
    fact: Fact,
    notes: Iterable[_Note],
    tickets: Iterable[_Amount],
    handpays: Iterable[_Amount],
) -> Mapping[str, int]:
    """The meters once `fact` is true; the same object when it counts nothing.

    `notes`, `tickets`, `handpays` are the open ones *before* the fact: their amounts count now.
    """
    match fact:
        case NoteCredited(ref=ref):
            return _note(meters, next(n for n in notes if n.ref == ref))
        case NoteSettledByHand(ref=ref, in_box=True) if ref:
            return _note(meters, next(n for n in notes if n.ref == ref))
        case TicketPrinted(ref=ref):
            ticket = next(t for t in tickets if t.ref == ref)
            return _add(meters, ticket.seat, voucher_out=ticket.cents, vouchers=1)
        case HandpayPaid(ref=ref):
            paid = next(h for h in handpays if h.ref == ref)
            return _add(meters, paid.seat, handpaid=paid.cents, handpays=1)
        case RoundOpened():
            return _add(meters, 0, rounds=1)
        case RoundVoided():
            return _add(meters, 0, voided=1)
        case RoundSettled(results=results):
            for seat in sorted({r.seat for r in results}):
                stake = sum(r.stake_cents for r in results if r.seat == seat)
                back = sum(r.returned_cents for r in results if r.seat == seat)
                word = "won" if back > stake else "lost" if back < stake else "pushed"
                meters = _add(meters, seat, coin_in=stake, coin_out=back, played=1, **{word: 1})
            return meters
        case Decided(seat=seat, timed_out=True):
            return _add(meters, seat, timeouts=1)
        case SessionStarted(clean=clean):
            return _add(meters, 0, sessions=1, power_resets=0 if clean else 1)
        case ConditionRaised(code=code):
            return _add(meters, 0, **{f"on.{code}": 1})
    return meters


def _note(meters: Mapping[str, int], note: _Note) -> Mapping[str, int]:
    meters = _add(meters, note.seat, bill_in=note.cents, bills=1)
    key = f"bills.{note.device}.{note.cents}"
    return {**meters, key: meters.get(key, 0) + 1}


def _add(meters: Mapping[str, int], seat: int, **amounts: int) -> Mapping[str, int]:
    """Count for the cabinet and, unless `seat` is 0, for the seat."""
    counted = dict(meters)
    for name, amount in amounts.items():
        if amount:
            counted[name] = counted.get(name, 0) + amount
            if seat:
                counted[f"{name}.{seat}"] = counted.get(f"{name}.{seat}", 0) + amount
    return counted
