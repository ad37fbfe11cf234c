"""Hard meters: electromechanical counters that get a pulse for every `pulse_cents`.

What they have to count is owed in the same transaction as the money, and given afterwards in groups of
at most ten. A group whose end was not recorded is given again after a restart: a counter may show up to
ten too many then, never too few.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cabinet.core.facts import PulseDone, PulseIntended
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.turn import GivePulses, Turn

PULSE_GROUP = 10
# Which soft meters, added up, a hard meter follows.
FOLLOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "meter.in": ("bill_in", "voucher_in"),
    "meter.out": ("voucher_out",),
    "meter.drop": ("drop",),
}


def counted_cents(state: State, meter: str) -> int:
    """What a hard meter has to show since the first start, in cents."""
    return sum(state.meters.get(name, 0) for name in FOLLOWS[meter])


def owe(turn: Turn, before: State) -> None:
    """Owe every hard meter what its soft meters have counted since `before`. What is left below a pulse is
    not lost: it counts with the next amount."""
    if turn.state.meters is before.meters:
        return
    unit = turn.policy.pulse_cents
    for meter, _ in turn.policy.meters:
        owed = counted_cents(turn.state, meter) // unit - counted_cents(before, meter) // unit
        if owed > 0:
            turn.add(PulseIntended(turn.now_ms, meter, owed))


def given(turn: Turn, meter: str, count: int) -> None:
    """A panel has given `count` pulses. 0: it cannot take the order; it is not asked again before the next
    start, and the service page shows what is owed."""
    owed = turn.state.pulses.get(meter, 0)
    if not count:
        return
    if owed:
        turn.add(PulseDone(turn.now_ms, meter, min(count, owed)))
    turn.live = replace(turn.live, pulsing={k: v for k, v in turn.live.pulsing.items() if k != meter})


def give(turn: Turn) -> None:
    """Order the next group of every meter that owes and is still, from the panel that has it."""
    for meter, panel in turn.policy.meters:
        owed = turn.state.pulses.get(meter, 0)
        if owed and meter not in turn.live.pulsing:
            count = min(owed, PULSE_GROUP)
            turn.live = replace(turn.live, pulsing={**turn.live.pulsing, meter: count})
            turn.act(GivePulses(panel, meter, count))
