"""Documents that a validator gives back unread: each is logged, and too many of them call the attendant.

Somebody tries paper that is no money, or the head is dirty; either way a person should look. What was read
and went back on our own word does not count.
"""

from __future__ import annotations

from cabinet.core.conditions import Code
from cabinet.core.facts import ConditionRaised, NoteRejected
from cabinet.core.live import with_device
from cabinet.core.turn import Turn

MOST = 20  # within so long; a customer with one bad note gives up earlier
WITHIN_MS = 5 * 60_000


def document_returned(turn: Turn, device: str, seat: int | None, reason: str) -> bool:
    """A document came back: was it unread? A new count begins when the attendant has been called."""
    said = turn.live.device(device)
    if said.read or not said.taking:
        return False
    turn.add(NoteRejected(turn.now_ms, device, seat or 0, reason))
    times = (*(ms for ms in said.rejects_ms if turn.now_ms - ms < WITHIN_MS), turn.now_ms)
    if len(times) >= MOST:
        times = ()
        if (Code.TOO_MANY_REFUSED, device) not in turn.state.conditions:
            detail = f"{MOST} in {WITHIN_MS // 60_000} minutes"
            turn.add(ConditionRaised(turn.now_ms, Code.TOO_MANY_REFUSED, device, detail))
    turn.live = with_device(turn.live, device, rejects_ms=times)
    return True
