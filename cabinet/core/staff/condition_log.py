"""What the journal is told of conditions that clear themselves.

A flapping device must not fill the journal: of each condition of a device at most one fact is written in ten
seconds. What was left out is not lost: when the ten seconds are over, the journal is told how things stand,
so that a fault that came is in the log, and one that went is too.
"""

from __future__ import annotations

from cabinet.core.conditions import Code
from cabinet.core.facts import ConditionCleared, ConditionRaised
from cabinet.core.live import Live
from cabinet.core.renewal import replace
from cabinet.core.turn import Turn

QUIET_MS = 10_000
# A person does it by hand and a meter counts it: each time is a fact, like every opening of a door.
_EACH_TIME = frozenset({Code.CASH_BOX_REMOVED})


def begun(turn: Turn, code: str, device: str, detail: str) -> None:
    """The condition is there, or has another cause."""
    _changed(turn, (code, device), detail)


def over(turn: Turn, code: str, device: str) -> None:
    _changed(turn, (code, device), None)


def tell(turn: Turn) -> None:
    """Time has passed: say what was left out and is still so."""
    for held in turn.live.unsaid:
        if turn.now_ms >= _from_ms(turn.live, held):
            _changed(turn, held, _now(turn.live, held))


def due_ms(live: Live) -> list[int]:
    """When something that was left out may be said."""
    return [_from_ms(live, held) for held in live.unsaid]


def _from_ms(live: Live, held: tuple[str, str]) -> int:
    return live.said[held][1] + QUIET_MS


def _now(live: Live, held: tuple[str, str]) -> str | None:
    """The detail of a condition as the device (or the program itself) reports it; None while it does not."""
    code, device = held
    if not device:
        return live.trouble(Code(code)) or None
    return next((detail for found, detail in live.device(device).faults if found == code), None)


def _changed(turn: Turn, held: tuple[str, str], detail: str | None) -> None:
    """`detail` is None for a condition that is over."""
    code, device = held
    said, at_ms = turn.live.said.get(held, (None, turn.now_ms - QUIET_MS))
    unsaid = tuple(other for other in turn.live.unsaid if other != held)
    if said == detail and code not in _EACH_TIME:
        turn.live = replace(turn.live, unsaid=unsaid)
    elif turn.now_ms - at_ms < QUIET_MS and code not in _EACH_TIME:
        turn.live = replace(turn.live, unsaid=(*unsaid, held))
    else:
        turn.live = replace(turn.live, unsaid=unsaid, said={**turn.live.said, held: (detail, turn.now_ms)})
        if detail is None:
            turn.add(ConditionCleared(turn.now_ms, code, device, "self"))
        else:
            if said is not None and said != detail:  # another cause: the first has found its end in the log
                turn.add(ConditionCleared(turn.now_ms, code, device, "self"))
            turn.add(ConditionRaised(turn.now_ms, code, device, detail))
