"""The flags of a TCL printer cleared, and seen clear before anything is believed of them."""

from __future__ import annotations

from drivers.ticket_printer.tcl import codec as tcl_codec
from drivers.ticket_printer.tcl.health import LATCHED
from drivers.ticket_printer.tcl.status import Flag, Status, mask_of

AGAIN_MS = 1000  # a CLEAR that has not worked by then was lost
FRAMES = 2  # that must be clear, in a row, behind CLEAR and before an order
_UNCLEAR_BITS = mask_of((*LATCHED, Flag.BUSY))


def is_clear(status: Status) -> bool:
    """No latched flag, and not busy."""
    return not status.bits & _UNCLEAR_BITS


class Clearing:
    """What has been sent and seen of it since `begin`."""

    def __init__(self) -> None:
        self.jam = False  # the attendant says that the jam is mended
        self._since_ms: int | None = None  # the first frame
        self._sent_ms: int | None = None  # when CLEAR was sent last
        self._frames = 0  # clear ones in a row since then

    def begin(self) -> None:
        """Also after a connection was lost: nothing that was sent or seen before counts."""
        self._since_ms = None
        self._sent_ms = None
        self._frames = 0

    def look(self, now_ms: int, clear: bool) -> None:
        """One more frame, and whether an order would be carried out by it."""
        if self._since_ms is None:
            self._since_ms = now_ms
        self._frames = self._frames + 1 if clear and self._sent_ms is not None else 0

    def sent(self, now_ms: int) -> None:
        self._sent_ms = now_ms
        self._frames = 0
        self.jam = False

    def lasts_ms(self, now_ms: int) -> int:
        """How long the printer has answered and is not clear: a silent one refuses nothing."""
        return 0 if self._since_ms is None else now_ms - self._since_ms

    @property
    def order(self) -> bytes:
        return tcl_codec.CLEAR_JAM if self.jam else tcl_codec.CLEAR

    @property
    def is_doubtful(self) -> bool:
        """No frame behind CLEAR was clear: it is sent again after a while."""
        return self._frames == 0

    @property
    def is_seen(self) -> bool:
        return self._frames >= FRAMES

    def due_ms(self, now_ms: int) -> int:
        return now_ms if self._sent_ms is None else self._sent_ms + AGAIN_MS
