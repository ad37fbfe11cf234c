"""How long a validator may stay in a state before somebody is called, and when it is restarted unasked.

Every state but "idle, as ordered" has a limit. A unit that answers every poll is not therefore well: paper
that never arrives anywhere, a self-test without an end, an inhibit that is not lifted.
"""

from __future__ import annotations

from enum import StrEnum

from drivers.bill_validator.common.document import Document, DocumentStage, ValidatorStatus
from drivers.device import Fault
from drivers.protocol.faults import FaultBook

# From power-up or RESET to idle as ordered, all attempts together: a slow self-test takes 15 s. Also the
# time that an idle unit may take to do as it was told (accept, inhibit).
NOT_READY_MS = 45_000
# Restarts unasked. A deaf unit gets its first one early, one that does not open when its condition has stood
# for a while; then after twice the time each, up to the last. Again when it was well for so long.
DEAF_MS = 20_000  # silent after it was heard
UNHEARD_MS = 120_000  # never heard: what it will say first is evidence, so it is given more time
RESTART_FIRST_MS = 60_000
RESTART_LAST_MS = 300_000
WELL_MS = 600_000
# After a loss of the line that was shorter, a document that waits for the same is the same one.
SAME_DOCUMENT_MS = 30_000


class Held(StrEnum):
    """What the document is waiting for; what stays the same while statuses alternate."""

    ACCEPTING = "it draws a document in and does not read it"
    UNDECIDED = "a document waits in escrow and nobody decides"
    ORDERED = "it does not carry out what it was ordered to do with the document"
    ACKNOWLEDGED = "it does not go on after the document was acknowledged"
    BACK = "the document it gives back is not taken out"


LIMITS_MS = {
    Held.ACCEPTING: 15_000,
    Held.UNDECIDED: 45_000,
    Held.ORDERED: 30_000,
    Held.ACKNOWLEDGED: 20_000,
    Held.BACK: 30_000,
}


def held_by(status: ValidatorStatus, document: Document | None) -> Held | None:
    """Which limit a status is under; None for one that may last."""
    match status:
        case ValidatorStatus.ACCEPTING:
            return Held.ACCEPTING
        case ValidatorStatus.ESCROW | ValidatorStatus.HOLDING:
            undecided = document is None or (
                document.stage is DocumentStage.ESCROW and document.order is None
            )
            return Held.UNDECIDED if undecided else Held.ORDERED
        case ValidatorStatus.STACKING:
            return Held.ORDERED
        case ValidatorStatus.VEND_VALID:  # the owner may have to ask somebody before it acknowledges
            return Held.ACKNOWLEDGED if document is not None and document.acknowledged else None
        case ValidatorStatus.STACKED:
            return Held.ACKNOWLEDGED
        case ValidatorStatus.REJECTING | ValidatorStatus.RETURNING:
            return Held.BACK
    return None


class Patience:
    """Raises DOCUMENT_STUCK and NOT_READY, and says when a restart unasked is due."""

    def __init__(self, faults: FaultBook) -> None:
        self._faults = faults
        self._held: Held | None = None
        self._held_since_ms = 0
        # What it waited for when the line was lost: for how long by then, and when that was.
        self._before: tuple[Held, int, int] | None = None
        self._unready_ms = 0  # spent answering without being ready; a lost line does not count
        self._seen_ms: int | None = None  # when it was last counted
        # Since when it does not open although told to: only a new start shows whether it does now.
        self._latched_ms: int | None = None
        self._silent_since_ms: int | None = None
        self._heard = False  # ever
        self.is_heard = False  # now
        self._restart_after_ms = RESTART_FIRST_MS
        self._restarted_ms = 0
        self._well_since_ms: int | None = None

    # ---- a document

    def document(self, held: Held | None, now_ms: int) -> None:
        """A status has come, and this is what the document waits for."""
        if held is not self._held:
            before, self._before = self._before, None
            same = before is not None and before[0] is held and now_ms - before[2] < SAME_DOCUMENT_MS
            waited_ms = before[1] if before is not None and same else 0
            self._held, self._held_since_ms = held, now_ms - waited_ms
            self._faults.clear(Fault.DOCUMENT_STUCK, now_ms)
        if held is not None and now_ms - self._held_since_ms >= LIMITS_MS[held]:
            detail = f"for {LIMITS_MS[held] // 1000} s: {held.value}"
            self._faults.raise_(Fault.DOCUMENT_STUCK, detail, now_ms)

    # ---- ready or not

    def ready(self, now_ms: int) -> None:
        """It is idle as it was told to be, or works on a document, or has said what its trouble is."""
        self._seen_ms = None
        if self._latched_ms is not None:
            return
        self._unready_ms = 0
        self._faults.clear(Fault.NOT_READY, now_ms)
        if self._well_since_ms is None:
            self._well_since_ms = now_ms
        elif now_ms - self._well_since_ms >= WELL_MS:
            self._restart_after_ms = RESTART_FIRST_MS

    def unready(self, why: str, now_ms: int, *, shut: bool = False) -> None:
        """It answers and is not what it should be. `shut`: it stays inhibited though told to accept; when
        the owner then stops asking, that proves nothing."""
        passed_ms = 0 if self._seen_ms is None else now_ms - self._seen_ms
        self._seen_ms = now_ms
        self._unready_ms += passed_ms
        if self._unready_ms >= NOT_READY_MS:
            self._well_since_ms = None
            if shut and self._latched_ms is None:
                self._latched_ms = now_ms
            self._faults.keep(Fault.NOT_READY, f"for {NOT_READY_MS // 1000} s: {why}", now_ms)

    def began_again(self) -> None:
        """It has been restarted: one that did not open gets another chance."""
        if self._latched_ms is not None:
            self._unready_ms = 0
        self._latched_ms = None

    # ---- the line

    def silent(self, now_ms: int) -> None:
        """Nobody answers (any more)."""
        if self._silent_since_ms is None:
            self._silent_since_ms = now_ms
            self.is_heard = False
        self._seen_ms = None

    def answers(self) -> None:
        self._heard = self.is_heard = True
        self._silent_since_ms = None

    def lost(self, now_ms: int) -> None:
        """Nothing that was known holds any more: the lost line is the condition now. How long the document
        has waited is kept for a line that comes and goes: else nobody would ever be called for it."""
        if self._held is not None:
            self._before = self._held, now_ms - self._held_since_ms, now_ms
        self._held = None
        self._latched_ms = None
        self._seen_ms = None
        self._faults.clear(Fault.DOCUMENT_STUCK, now_ms)
        self._faults.clear(Fault.NOT_READY, now_ms)

    # ---- restarts unasked

    @property
    def wants_restart(self) -> bool:
        """It stands idle and does not open."""
        return self._latched_ms is not None

    def may_restart(self, now_ms: int) -> bool:
        """A restart unasked is due, of a unit that is deaf or does not open. True once for each."""
        if self._silent_since_ms is not None:
            patience_ms = DEAF_MS if self._heard else UNHEARD_MS
            if now_ms - self._silent_since_ms < patience_ms:
                return False
        elif self._latched_ms is None or now_ms - self._latched_ms < self._restart_after_ms:
            return False
        if self._restarted_ms and now_ms - self._restarted_ms < self._restart_after_ms:
            return False
        if self._restarted_ms:
            self._restart_after_ms = min(2 * self._restart_after_ms, RESTART_LAST_MS)
        self._restarted_ms = max(1, now_ms)
        self._well_since_ms = None
        return True
