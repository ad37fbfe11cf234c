"""Whether the date can be believed: no ticket expires by a clock that nobody has vouched for.

A start whose clock stands more than a day after the newest entry, or more than an hour before it, asks
the attendant (P03): a cabinet that was off over a weekend, an empty battery and a wrong setting all look
alike. Steps that the clock makes while the program runs are asked about when they lead a day ahead together.
Until a key has confirmed the date, play goes on and no ticket expires or is refused for its age; one
that is printed meanwhile has no last day in the book. An answer "wrong" leaves it so. A clock that is back
where it was expected, at a start or set while the program runs, ends the question by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from cabinet.core.conditions import Code
from cabinet.core.facts import (
    NEVER_MS,
    ClockDoubted,
    ClockJudged,
    ConditionCleared,
    ConditionRaised,
    TicketExpired,
)
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.state.book import IssuedTicket, TicketState, expiry_ms
from cabinet.core.turn import Turn

IN_QUESTION: Final = Code.DATE_IN_QUESTION
BEHIND_MS: Final = 3600 * 1000  # an hour back is the end of summer time
AHEAD_MS: Final = 24 * 3600 * 1000
_MINUTE_MS: Final = 60_000


def trusted(state: State) -> bool:
    """The date counts."""
    return not state.clock_known_ms


def asked(state: State) -> bool:
    """An attendant has still to say whether the date is right."""
    return (IN_QUESTION, "") in state.conditions and not state.clock_wrong


def judge(turn: Turn, wall_ms: int, last_wall_ms: int, *, believed_ms: int | None = None) -> None:
    """The clock says `wall_ms` after it has said `last_wall_ms` (0: never), before a start or a setting.
    While the program runs `believed_ms` is what it would say without any setting since somebody believed it:
    many settings of some hours lead as far as one of days."""
    state = turn.state
    known_ms = state.clock_known_ms or last_wall_ms
    if known_ms and believed_ms is not None and trusted(state) and wall_ms - believed_ms > AHEAD_MS:
        known_ms = believed_ms
    if not known_ms:
        return
    step_ms = wall_ms - known_ms
    if -BEHIND_MS <= step_ms <= AHEAD_MS:
        if state.clock_known_ms:
            answered(turn, right=True, wall_ms=wall_ms, by="self")
        return
    if trusted(state) or state.clock_wrong:  # what was said to be wrong was said of another start
        turn.add(ClockDoubted(turn.now_ms, wall_ms, known_ms))
    if (IN_QUESTION, "") not in state.conditions:
        turn.add(ConditionRaised(turn.now_ms, IN_QUESTION, "", step_words(step_ms)))


def answered(turn: Turn, *, right: bool, wall_ms: int, by: str) -> None:
    """Somebody, or the clock itself, has said whether the date is right."""
    turn.add(ClockJudged(turn.now_ms, wall_ms, right, by))
    if right:
        turn.live = replace(turn.live, believed_base_ms=wall_ms - turn.now_ms)
        turn.add(ConditionCleared(turn.now_ms, IN_QUESTION, "", by))
        expire(turn)


def expire(turn: Turn) -> None:
    """Tickets whose last day is over. One that waits in a validator is its own matter."""
    if trusted(turn.state):
        for line in overdue(turn.state, turn.live.wall_ms):
            turn.add(TicketExpired(turn.now_ms, line.ref))


def overdue(state: State, wall_ms: int) -> tuple[IssuedTicket, ...]:
    """The tickets that expire if the date is right."""
    return tuple(_overdue(state, wall_ms))


def _overdue(state: State, wall_ms: int) -> Iterator[IssuedTicket]:
    inside = {note.ticket for note in state.notes}
    for line in state.issued:
        if line.state is TicketState.PRINTED and wall_ms >= line.expires_ms and line.ref not in inside:
            yield line


def is_over(state: State, line: IssuedTicket, wall_ms: int) -> bool:
    """The last day of a ticket is over, by a date that counts."""
    return trusted(state) and wall_ms >= line.expires_ms


def last_day_ms(state: State, wall_ms: int, days: int) -> int:
    """Until when a machine pays a ticket that is printed now. The date on its paper may be wrong."""
    return expiry_ms(wall_ms, days) if trusted(state) else NEVER_MS


# ---- words


def step_words(step_ms: int) -> str:
    """``3 h 59 min behind the newest entry``, ``400 d 2 h ahead of the newest entry``."""
    minutes = abs(step_ms) // _MINUTE_MS
    days, hours = divmod(minutes // 60, 24)
    far = f"{days} d {hours} h" if days else f"{hours} h {minutes % 60} min"
    return f"{far} {'ahead of' if step_ms > 0 else 'behind'} the newest entry"


def date_words(wall_ms: int) -> str:
    """``Monday, 30 November 2026``."""
    try:
        day = datetime.fromtimestamp(wall_ms // 1000, UTC)
    except (OverflowError, ValueError, OSError):  # a clock that shows no year of ours
        return f"a day that no calendar has ({wall_ms})"
    return f"{day:%A}, {day.day} {day:%B %Y}"
