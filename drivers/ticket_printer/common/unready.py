"""The last resort of a printer driver: no printer stands still for long without a fault that says so.

Each step towards "ready" has a limit and words of its own. A line on which the steps begin again and
again would pass all of them: answers that never agree, trials that are judged too late. So the time is
counted since the printer was ready last, whatever was tried meanwhile.
"""

from __future__ import annotations

from drivers.device import Fault
from drivers.protocol.faults import FaultBook

UNREADY_MS = 30_000
WORDS = f"not ready for {UNREADY_MS // 1000} s, and it does not say why; switch it off and on"
# The reasons for which a printer is not ready. Little paper is none.
_REASONS = (Fault.LINK_LOST, Fault.PORT_MISSING, Fault.PORT_UNFIT, Fault.PAPER_OUT, Fault.PAPER_JAM,
            Fault.HEAD_OPEN, Fault.PRINTER_FAILED, Fault.TICKET_NOT_TAKEN)  # fmt: skip


class Unready:
    """Counts the time without readiness and without a reason. It stands still while either is there to see
    or the printer is at work; only readiness sets it back."""

    def __init__(self, faults: FaultBook) -> None:
        self.fault_words = (
            ""  # the words of its fault, which is no obstacle: it is over when the printer is ready
        )
        self._faults = faults
        self._spent_ms = 0
        self._seen_ms: int | None = None  # when it was last counted

    def ready(self, now_ms: int) -> None:
        self._spent_ms = 0
        self._seen_ms = None
        if self.fault_words:
            self.fault_words = ""
            self._faults.clear(Fault.PRINTER_FAILED, now_ms)

    def pause(self) -> None:
        """It is at work, or waits for a person or its owner."""
        self._seen_ms = None

    def waits(self, now_ms: int) -> None:
        """It should get ready. Once it has taken too long, that is told where no other failure is. Times may
        not come evenly: a program that stood counts what has passed."""
        if any(reason in self._faults for reason in _REASONS):
            self._seen_ms = None
        else:
            self._spent_ms += 0 if self._seen_ms is None else now_ms - self._seen_ms
            self._seen_ms = now_ms
        if self._spent_ms >= UNREADY_MS and not self.fault_words:
            self.fault_words = WORDS
            self._faults.keep(Fault.PRINTER_FAILED, WORDS, now_ms)
