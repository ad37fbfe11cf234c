"""Which seat's notes a shared validator takes.

A note belongs to the seat that was bound when it was drawn in. It is drawn in before anybody is told of it,
so a change of seat goes step by step: take nothing more; wait until the device has *confirmed* that, which
also tells of every document that was on its way; only then take notes for the other seat. What shows up
during the wait is still the first seat's. A seat that leaves gives its binding up the same way.
"""

from __future__ import annotations

from cabinet.core import live as now
from cabinet.core import options
from cabinet.core.live import Live, Rebinding
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.turn import Turn

# A unit on a sound line confirms within half a second, with lost answers within two. One that does not is
# silent, jammed or does not obey, and has a condition of its own by now: nobody is bound to it.
CONFIRM_MS = 10_000
NOBODY = 0


def seat_of(live: Live, validator: str) -> int | None:
    """The seat whose credit a document of this validator would be; None while nobody is bound."""
    seats = live.policy.seats_of(validator)
    return seats[0] if len(seats) == 1 else live.binding.get(validator)


def bind(turn: Turn, seat: int) -> None:
    """BUY IN: the shared validator is to work for this seat. (With a document inside its lamp is dark.)

    Of two seats that press while a change is under way the last one gets it. The seat that is still bound
    takes its validator back at once: what is drawn in meanwhile is its own.
    """
    validator = turn.policy.validator_of(seat)
    bound = turn.live.binding.get(validator)
    if bound == seat:
        _drop(turn, validator)
    elif bound is None and validator not in turn.live.rebinding and _confirmed(turn.live, validator):
        _bound(turn, validator, seat)
    else:
        _change(turn, validator, seat)


def unbind(turn: Turn) -> None:
    """Whoever is on the way out takes the validator's binding along: the next customer has to press BUY IN.
    A document that is inside is still the seat's."""
    for validator, seat in turn.live.binding.items():
        stays = validator in turn.live.rebinding or not _leaves(turn.state, seat)
        if not stays and not options.document_inside(turn.state, turn.live, validator):
            _change(turn, validator, NOBODY)
    for validator, wanted in turn.live.rebinding.items():
        if wanted.seat and _leaves(turn.state, wanted.seat):
            _change(turn, validator, NOBODY)


def settle(turn: Turn) -> None:
    """End the changes whose validator has confirmed that it takes nothing, and those that have waited too
    long for it."""
    for validator, wanted in turn.live.rebinding.items():
        if options.document_inside(turn.state, turn.live, validator):
            kept = {**turn.live.rebinding, validator: replace(wanted, since_ms=turn.now_ms)}
            turn.live = replace(turn.live, rebinding=kept)
        elif _confirmed(turn.live, validator):
            _bound(turn, validator, wanted.seat)
        elif turn.now_ms >= wanted.since_ms + CONFIRM_MS:
            _bound(turn, validator, NOBODY)
            _renumber(turn, validator)


def due_ms(live: Live) -> list[int]:
    """When a change has waited too long."""
    return [wanted.since_ms + CONFIRM_MS for wanted in live.rebinding.values()]


def _leaves(state: State, seat: int) -> bool:
    """The seat's credit is on its way out."""
    by_hand = any(pay.seat == seat and not pay.is_win for pay in state.handpays)
    return by_hand or options.paying_out(state, seat)


def _confirmed(live: Live, validator: str) -> bool:
    """The device has confirmed the last inhibit: nothing is or comes inside until it is told otherwise."""
    said = live.device(validator)
    return said.closed == said.change


def _change(turn: Turn, validator: str, seat: int) -> None:
    before = turn.live.rebinding.get(validator)
    if before is None:
        _renumber(turn, validator)
    since_ms = turn.now_ms if before is None else before.since_ms
    turn.live = replace(turn.live, rebinding={**turn.live.rebinding, validator: Rebinding(seat, since_ms)})


def _renumber(turn: Turn, validator: str) -> None:
    """What was confirmed before does not count for what comes now."""
    turn.live = now.with_device(turn.live, validator, change=turn.live.device(validator).change + 1)


def _drop(turn: Turn, validator: str) -> None:
    if validator in turn.live.rebinding:
        kept = {name: wanted for name, wanted in turn.live.rebinding.items() if name != validator}
        turn.live = replace(turn.live, rebinding=kept)


def _bound(turn: Turn, validator: str, seat: int) -> None:
    _drop(turn, validator)
    binding = {name: bound for name, bound in turn.live.binding.items() if name != validator}
    if seat != NOBODY:
        binding[validator] = seat
    turn.live = replace(turn.live, binding=binding)
