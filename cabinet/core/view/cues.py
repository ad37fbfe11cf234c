"""Sounds: those that presses and devices asked for, and those that follow from what is shown.

A cue's `serial` is made of when it became known and of what it is. So equal views have equal cues,
the same sound asked for twice at one time is one sound, and what becomes known later has a higher
serial, also when it is to be heard before something that is known already.
"""

from __future__ import annotations

from collections.abc import Iterator

from cabinet.core.look import Clock, Cue, CueAt, Step
from cabinet.core.view.faces import net_cents
from cabinet.core.view.replay import Drawn, Played
from cabinet.core.view.sight import Sight
from game.round import Purpose
from game.settle import Outcome

STALE_MS = 2_000  # a sound that nobody has played by then is not played any more
TICKS = 5  # a watch ticks in the last seconds of a countdown
CALLS = 24  # a ticket in the chute calls for two minutes; then the printer tells that nobody takes it

_ORDER = {cue: place for place, cue in enumerate(Cue)}
# Places for what becomes known in one millisecond: presses and devices (by cue), the settlement (by
# cue), the ticks of a clock, the calls of each printer's ticket, the cards of a round.
_PER_MS, _SETTLED, _TICK, _CALL, _CARD = 1024, 32, 64, 128, 512

# What follows from the cards, the clock, the settlement and the chute is made here, from what is shown.
_SHOWN = frozenset(
    (
        Cue.CARD,
        Cue.CONTINUATION,
        Cue.BUST,
        Cue.TWENTY_ONE,
        Cue.WIN,
        Cue.PUSH,
        Cue.BLACKJACK,
        Cue.TICK,
        Cue.TAKE_TICKET,
    )
)


def cues(sight: Sight, played: Played | None, steps: tuple[Step, ...]) -> tuple[CueAt, ...]:
    """All sounds that are due or still to come, in the order of their serials."""
    live = sight.live
    asked = (_cue(at.at_ms, _ORDER[at.cue], at.at_ms, at.cue) for at in live.cues if at.cue not in _SHOWN)
    found = [*asked, *_tickets(sight)]
    shown = [*_cards(played), *_settlement(sight)] if played is not None else []
    if sight.locked:
        # Nothing moves and nothing sounds on a table that stands still.
        found += [cue for cue in shown if cue.at_ms <= sight.at_ms]
    else:
        found += [*shown, *_ticks(steps[-1].clock)]
    fresh = live.now_ms - STALE_MS
    return tuple(sorted({cue for cue in found if cue.at_ms > fresh}, key=lambda cue: cue.serial))


def _cue(known_ms: int, place: int, at_ms: int, cue: Cue) -> CueAt:
    return CueAt(known_ms * _PER_MS + place, at_ms, cue)


def _cards(played: Played) -> Iterator[CueAt]:
    """A brush for each card that lands; a card that lies after a restart has not landed."""
    for number, drawn in enumerate(played.drawn):
        land_ms, place = drawn.look.land_ms, _CARD + 2 * number
        if drawn.look.start_ms == land_ms:
            continue
        brush = Cue.CONTINUATION if drawn.purpose is Purpose.CONTINUATION else Cue.CARD
        yield _cue(drawn.told_ms, place, land_ms, brush)
        cue = _of_total(drawn)
        if cue is not None:
            yield _cue(drawn.told_ms, place + 1, land_ms, cue)


def _of_total(drawn: Drawn) -> Cue | None:
    if drawn.best > 21:
        return Cue.BUST
    return Cue.TWENTY_ONE if drawn.best == 21 else None


def _settlement(sight: Sight) -> Iterator[CueAt]:
    """Seven wins at once are one sound. Nothing plays for a loss, nor for a win that is a net loss."""
    state, timing = sight.state, sight.policy.timing
    if state.settled_ms is None or state.settled_ms <= state.started_ms:
        return
    nets = net_cents(state.results).values()
    if any(net > 0 for net in nets):
        blackjack = any(result.outcome is Outcome.BLACKJACK for result in state.results)
        cue = Cue.BLACKJACK if blackjack else Cue.WIN
    elif 0 in nets:
        cue = Cue.PUSH
    else:
        return
    known_ms = state.moves[-1].at_ms if state.moves else state.settled_ms
    at_ms = state.settled_ms + timing.lose_fade_ms + timing.settle_pause_ms
    yield _cue(known_ms, _SETTLED + _ORDER[cue], at_ms, cue)


def _ticks(clock: Clock | None) -> Iterator[CueAt]:
    if clock is None or clock.deadline_ms is None:
        return
    begin_ms = clock.deadline_ms - clock.total_ms
    for left in range(TICKS, 0, -1):
        at_ms = clock.deadline_ms - left * 1000
        if at_ms > begin_ms:
            yield _cue(begin_ms, _TICK + TICKS - left, at_ms, Cue.TICK)


def _tickets(sight: Sight) -> Iterator[CueAt]:
    """A printer at work, and the call of a ticket that nobody has taken."""
    state, live = sight.state, sight.live
    for ticket in state.tickets:
        if not ticket.doubt and not ticket.unknown:
            yield _cue(ticket.since_ms, _ORDER[Cue.PRINTING], ticket.since_ms, Cue.PRINTING)
    every_ms = sight.policy.timing.take_ticket_call_ms
    full = {paper.device for paper in state.presented}
    for number, (device, _) in enumerate(sight.policy.printers):
        printed_ms = live.device(device).printed_ms
        if device in full and printed_ms is not None:
            for call in range(CALLS):
                place = _CALL + CALLS * number + call
                yield _cue(printed_ms, place, printed_ms + call * every_ms, Cue.TAKE_TICKET)
