"""Whether anybody is at the far end of the line."""

from __future__ import annotations

from drivers.device import Fault
from drivers.protocol.faults import FaultBook

REOPEN_MS = 15_000  # an adapter may stay open and silent after a replug


class Presence:
    """Counts requests without an answer and raises LINK_LOST."""

    def __init__(self, faults: FaultBook, port: str, missed_polls: int) -> None:
        self._faults = faults
        self._port = port
        self._missed_polls = missed_polls
        self._missed = 0
        self._heard_ms = 0  # when the device was heard last, or the port opened

    def alive(self, now_ms: int) -> None:
        self._missed = 0
        self._heard_ms = now_ms

    def missed(self, what: str, now_ms: int) -> bool:
        """One more request with ``what``. True if that makes the device lost."""
        self._missed += 1
        if self._missed < self._missed_polls:
            return False
        detail = f"{what} to {self._missed} requests on {self._port}"
        self._faults.keep(Fault.LINK_LOST, detail, now_ms)
        return True

    def looped(self, now_ms: int) -> None:
        detail = f"the line gives our own bytes back: a loop or echo, no validator on {self._port}"
        self._faults.raise_(Fault.LINK_LOST, detail, now_ms)

    def proven(self, now_ms: int) -> None:
        self._faults.clear(Fault.LINK_LOST, now_ms)

    def too_silent(self, now_ms: int) -> str:
        """Why the port should be opened again; "" if it should not."""
        if now_ms - self._heard_ms < REOPEN_MS:
            return ""
        return f"port {self._port} has been silent for {REOPEN_MS // 1000} s"
