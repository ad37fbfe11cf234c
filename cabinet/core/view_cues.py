"""Sounds: those that presses and devices asked for, and those that follow from what is shown.

A cue is known by its time and its meaning: the same sound at the same time is one sound, however
many seats caused it, and equal views have equal cues. `serial` is made of the two, so it rises
with time; a window keeps the serials that it has played, because a press may be told after a
sound of a later time.
"""

from __future__ import annotations

from collections.abc import Iterator

from cabinet.core.look import Clock, Cue, CueAt, Step
from cabinet.core.view_faces import net_cents
from cabinet.core.view_replay import Drawn, Played
from cabinet.core.view_sight import Sight
from game.round import Purpose
from game.settle import Outcome

STALE_MS = 2_000  # a sound that nobody has played by then is not played any more
TICKS = 5  # a watch ticks in the last seconds of a countdown
CALLS = 12  # a ticket in the chute calls for a minute; then the printer says that nobody takes it

_ORDER = {cue: place for place, cue in enumerate(Cue)}
_PER_MS = 32  # more than there are cues

# What follows from the cards, the clock and the settlement is made here, from what is shown.
_SHOWN = frozenset(
    (Cue.CARD, Cue.CONTINUATION, Cue.BUST, Cue.TWENTY_ONE, Cue.WIN, Cue.PUSH, Cue.BLACKJACK, Cue.TICK)
)


def cues(sight: Sight, played: Played | None, steps: tuple[Step, ...]) -> tuple[CueAt, ...]:
    """All sounds that are due or still to come, in the order of their times."""
    live = sight.live
    found = {(at.at_ms, at.cue) for at in live.cues if at.cue not in _SHOWN}
    found.update(_tickets(sight))
    shown = [*_cards(played), *_settlement(sight)] if played is not None else []
    if not sight.locked:
        shown += _ticks(steps[-1].clock)
    # Nothing moves and nothing sounds on a table that stands still.
    found.update(entry for entry in shown if not sight.locked or entry[0] <= sight.at_ms)
    serials = [(at_ms * _PER_MS + _ORDER[cue], at_ms, cue) for at_ms, cue in found]
    fresh = live.now_ms - STALE_MS
    return tuple(CueAt(*entry) for entry in sorted(serials) if entry[1] > fresh)


def _cards(played: Played) -> Iterator[tuple[int, Cue]]:
    """A brush for each card that lands; a card that lies after a restart has not landed."""
    for drawn in played.drawn:
        if drawn.look.start_ms == drawn.look.land_ms:
            continue
        land_ms = drawn.look.land_ms
        yield land_ms, Cue.CONTINUATION if drawn.purpose is Purpose.CONTINUATION else Cue.CARD
        cue = _of_total(drawn)
        if cue is not None:
            yield land_ms, cue


def _of_total(drawn: Drawn) -> Cue | None:
    if drawn.best > 21:
        return Cue.BUST
    return Cue.TWENTY_ONE if drawn.best == 21 else None


def _settlement(sight: Sight) -> Iterator[tuple[int, Cue]]:
    """Seven wins at once are one sound. Nothing plays for a loss, nor for a win that is a net loss."""
    state, timing = sight.state, sight.policy.timing
    if state.settled_ms is None or state.settled_ms <= state.started_ms:
        return
    nets = net_cents(state.results).values()
    at_ms = state.settled_ms + timing.lose_fade_ms + timing.settle_pause_ms
    if any(net > 0 for net in nets):
        blackjack = any(result.outcome is Outcome.BLACKJACK for result in state.results)
        yield at_ms, Cue.BLACKJACK if blackjack else Cue.WIN
    elif 0 in nets:
        yield at_ms, Cue.PUSH


def _ticks(clock: Clock | None) -> Iterator[tuple[int, Cue]]:
    if clock is None or clock.deadline_ms is None:
        return
    begin_ms = clock.deadline_ms - clock.total_ms
    for left in range(TICKS, 0, -1):
        at_ms = clock.deadline_ms - left * 1000
        if at_ms > begin_ms:
            yield at_ms, Cue.TICK


def _tickets(sight: Sight) -> Iterator[tuple[int, Cue]]:
    """A printer at work, and the call of a ticket that nobody has taken."""
    for ticket in sight.state.tickets:
        if not ticket.doubt and not ticket.unknown:
            yield ticket.since_ms, Cue.PRINTING
    every_ms, now_ms = sight.policy.timing.take_ticket_call_ms, sight.live.now_ms
    for device in dict.fromkeys(name for name, _, _ in sight.state.presented):
        printed_ms = sight.live.device(device).printed_ms
        if printed_ms is None:
            continue
        first = max(0, (now_ms - STALE_MS - printed_ms) // every_ms)
        for number in range(first, first + CALLS):
            yield printed_ms + number * every_ms, Cue.TAKE_TICKET
