"""Soft meters: exact counters, folded from facts in the same transaction as the money.

A key is a name of `meter_list` for the cabinet and ``name.N`` for a seat. Besides:

======================  ====================================================================
``bills.DEVICE.CENTS``  notes of one value in the box of one validator
``in_box.DEVICE``       documents in its box since the box was last taken out
``in_box_cents.DEVICE`` their value
``on.CODE``             how often a condition (a door, a fault) has begun
``menu.KEY``            how often a key has opened its pages
``pulses.METER``        what a hard meter was given
``rules.HASH.NAME``     bets, wins and games under one set of house rules
======================  ====================================================================

What is kept is exact and never rolls over, so no meter can upset another one; what is *shown* rolls
over to zero after `TOP` - 1 (`shown`), on every page, print and line to a host. Nothing resets a meter. The
names of `SINCE` are no meters but counts since something happened, and begin again with it. A period is
a difference to what all meters were when it began.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache

from cabinet.core.conditions import Code
from cabinet.core.facts import (
    WINS,
    ConditionCleared,
    ConditionRaised,
    Decided,
    DeskNumberWrong,
    Fact,
    HandpayOpened,
    HandpayPaid,
    KeyTurned,
    NoteCredited,
    NoteSettledByHand,
    NoteUnresolved,
    PeriodReset,
    PulseDone,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SessionStarted,
    TicketPaidAtDesk,
    TicketPrinted,
    TicketRedeemed,
    TicketUnknown,
)
from cabinet.core.renewal import replace
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.state.state import State
from game.rules import Rules
from game.settle import HandResult

TOP = 10**10  # ten digits are shown: 9,999,999,999 cents, or as many games
SINCE = ("since_power", "since_door", "in_box", "in_box_cents")
_Counted = dict[str, int]


def shown(count: int) -> int:
    """What a meter shows: it has ten digits and begins again at zero."""
    return count % TOP


def in_period(state: State, key: str) -> int:
    """What a meter has counted in this period."""
    return state.meters.get(key, 0) - state.period_base.get(key, 0)


def digest(meters: Mapping[str, int]) -> str:
    """SHA-256 in hex over all meters: equal before and after what must change none of them."""
    text = "".join(f"{key} = {count}\n" for key, count in sorted(meters.items()))
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=8)
def rule_set(rules: Rules) -> str:
    """What house rules are called in keys and on pages: enough of their hash to tell them apart."""
    return rules.rules_hash[:16]


def after(state: State, fact: Fact) -> Mapping[str, int]:
    """The meters once `fact` is true in `state`; the same object when it counts nothing."""
    counted: _Counted | None = dict(state.meters) if isinstance(fact, _COUNTING) else None
    if counted is None:
        return state.meters
    match fact:
        case NoteCredited(ref=ref) | NoteSettledByHand(ref=ref, in_box=True) if ref:
            _note(counted, state, ref)
        case RoundOpened() | Decided() | RoundSettled() | RoundVoided():
            _play(counted, state, fact)
        case TicketPrinted(ref=ref):
            ticket = next(t for t in state.tickets if t.ref == ref)
            if not ticket.handpay:  # the receipt of a hand payment is no money
                _count(counted, ticket.seat, voucher_out=ticket.cents, vouchers=1)
        case TicketRedeemed(device=device, seat=seat, cents=cents):
            _count(counted, seat, voucher_in=cents, vouchers_in=1)
            _boxed(counted, device, seat, cents)
        case TicketPaidAtDesk(cents=cents):
            _count(counted, voucher_desk=cents, vouchers_desk=1)
        case DeskNumberWrong():
            _count(counted, desk_wrong=1)
        case HandpayOpened(seat=seat, cents=cents, reason=reason) if reason in WINS:
            # Coin out is what the machine itself pays. The settlement of the same decision has counted it.
            _count(counted, seat, coin_out=-cents)
        case HandpayPaid(ref=ref):
            _handpaid(counted, state, ref)
        case SessionStarted(clean=clean):
            _again(counted, "since_power")
            _count(counted, sessions=1, power_resets=0 if clean else 1)
        case ConditionRaised() | ConditionCleared():
            _condition(counted, fact)
        case NoteUnresolved() | TicketUnknown():
            code = Code.NOTE_UNRESOLVED if isinstance(fact, NoteUnresolved) else Code.TICKET_IN_DOUBT
            _count(counted, **{f"on.{code}": 1})
        case KeyTurned(key=key, on=True):
            _count(counted, **{f"menu.{key}": 1})
        case PulseDone(meter=meter, count=count):
            _count(counted, **{f"pulses.{meter}": count})
    return counted


_COUNTING = (
    NoteCredited,
    NoteSettledByHand,
    RoundOpened,
    Decided,
    RoundSettled,
    RoundVoided,
    TicketPrinted,
    TicketRedeemed,
    TicketPaidAtDesk,
    DeskNumberWrong,
    HandpayOpened,
    HandpayPaid,
    SessionStarted,
    ConditionRaised,
    ConditionCleared,
    KeyTurned,
    PulseDone,
    NoteUnresolved,
    TicketUnknown,
)


def _count(counted: _Counted, seat: int = 0, **amounts: int) -> None:
    """Count for the cabinet and, unless `seat` is 0, for the seat."""
    for name, amount in amounts.items():
        if amount:
            counted[name] = counted.get(name, 0) + amount
            if seat:
                counted[f"{name}.{seat}"] = counted.get(f"{name}.{seat}", 0) + amount


def _again(counted: _Counted, name: str) -> None:
    """A count of `SINCE` begins again, for the cabinet and every seat, or for one device."""
    for key in [key for key in counted if key == name or key.startswith(f"{name}.")]:
        del counted[key]


# ---- money in and out


def _note(counted: _Counted, state: State, ref: int) -> None:
    note = next(n for n in state.notes if n.ref == ref)
    _count(counted, note.seat, bill_in=note.cents, bills=1)
    key = f"bills.{note.device}.{note.cents}"
    counted[key] = counted.get(key, 0) + 1
    _boxed(counted, note.device, note.seat, note.cents)


def _boxed(counted: _Counted, device: str, seat: int, cents: int) -> None:
    """Something of value has gone into the box of a validator."""
    _count(counted, seat, drop=cents)
    for key, amount in ((f"in_box.{device}", 1), (f"in_box_cents.{device}", cents)):
        counted[key] = counted.get(key, 0) + amount


def _handpaid(counted: _Counted, state: State, ref: int) -> None:
    paid = next(h for h in state.handpays if h.ref == ref)
    _count(counted, paid.seat, handpaid=paid.cents, handpays=1)
    if paid.is_win:
        _count(counted, paid.seat, jackpot=paid.cents, jackpots=1)
    else:
        _count(counted, paid.seat, cancelled=paid.cents, cancels=1)


# ---- play


def _play(counted: _Counted, state: State, fact: RoundOpened | Decided | RoundSettled | RoundVoided) -> None:
    """A bet counts when it can no longer be taken back, a game when it is settled."""
    assert state.rules is not None
    rules = f"rules.{rule_set(state.rules)}"
    match fact:
        case RoundOpened(bets=bets):
            _count(counted, rounds=1)
            for seat, cents in bets:
                _count(counted, seat, coin_in=cents)
            _count(counted, **{f"{rules}.coin_in": sum(cents for _, cents in bets)})
        case Decided(seat=seat, stake_cents=cents, timed_out=timed_out):
            _count(counted, seat, coin_in=cents, timeouts=int(timed_out))
            _count(counted, **{f"{rules}.coin_in": cents})
        case RoundSettled(results=results):
            _count(counted, since_power=1, since_door=1)
            for seat in sorted({r.seat for r in results}):
                _settled(counted, rules, seat, [r for r in results if r.seat == seat])
        case RoundVoided():
            _count(counted, voided=1)
            for seat, _ in state.bets:
                _count(counted, seat, bets_returned=state.bet(seat))
            returned = sum(state.bet(seat) for seat, _ in state.bets)
            _count(counted, **{f"{rules}.bets_returned": returned})


def _settled(counted: _Counted, rules: str, seat: int, mine: list[HandResult]) -> None:
    """One game of one seat: all its hands together have won, lost or neither."""
    stake = sum(r.stake_cents for r in mine)
    back = sum(r.returned_cents for r in mine)
    word = "won" if back > stake else "lost" if back < stake else "pushed"
    _count(counted, seat, coin_out=back, played=1, **{word: 1})
    for name in ("since_power", "since_door"):
        counted[f"{name}.{seat}"] = counted.get(f"{name}.{seat}", 0) + 1
    # The rules pay a win, whoever hands it over: this is what the theoretical return is held against.
    _count(counted, **{f"{rules}.won_cents": back, f"{rules}.played": 1})


# ---- conditions and periods


def _condition(counted: _Counted, fact: ConditionRaised | ConditionCleared) -> None:
    if isinstance(fact, ConditionRaised):
        _count(counted, **{f"on.{fact.code}": 1})
        if fact.code == Code.CASH_BOX_REMOVED:
            _again(counted, f"in_box.{fact.device}")
            _again(counted, f"in_box_cents.{fact.device}")
    if fact.code == Code.MAIN_DOOR_OPEN:
        _again(counted, "since_door")


def new_period(state: State, fact: PeriodReset) -> State:
    """A period ends and the next one begins: the meters themselves stay what they are."""
    if fact.number != state.period + 1:
        raise FactRefusedError(f"period {fact.number} cannot follow period {state.period}")
    wall_ms = state.wall_base_ms + fact.at_ms
    return replace(state, period=fact.number, period_wall_ms=wall_ms, period_base=state.meters)
