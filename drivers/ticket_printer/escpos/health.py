"""The condition of an ESC/POS printer: which faults it has, and why it could not print now.

A real-time answer is one byte without a checksum, so nothing is raised or cleared before two rounds in a
row say the same. A single bad round is enough to hold a ticket back.
"""

from __future__ import annotations

from drivers.device import Fault
from drivers.protocol.faults import FaultBook
from drivers.ticket_printer.common.unready import Unready
from drivers.ticket_printer.escpos.codec import PrinterStatus
from drivers.ticket_printer.escpos.job import obstacle_of, trouble_of

TICKET_MM = 130  # what one ticket takes off the roll, roughly
BUTTON_MS = 10_000  # whoever feeds paper by its button does it for a shorter time
LAST_MM = 2000  # that much is left when a roll of known length is called low


class Health:
    """Turns rounds into faults, each raised once and cleared once."""

    def __init__(self, book: FaultBook, unready: Unready, *, near_end: bool, roll_mm: int) -> None:
        """`near_end`: its sensor means something. `roll_mm`: length of a full roll, 0 if unknown."""
        self._book = book
        self._unready = unready
        self._near_end = near_end
        self._roll_mm = roll_mm
        self._printed_mm = 0  # since the paper was changed, as far as this program has seen it
        self._last: tuple[int, int, int, int] | None = None
        self._changing = False  # the cover is open or there is no paper
        self._kept: dict[str, str] = {}  # trouble that no status shows
        self._fed_since_ms: int | None = None  # off line by its feed button
        self.agreed: PrinterStatus | None = None  # what two rounds in a row have said last

    def disconnected(self) -> None:
        self._last = self.agreed = None

    def keep(self, what: str, why: str) -> None:
        """A fault that no status shows, until it is called with an empty `why`."""
        self._kept = {**{k: v for k, v in self._kept.items() if k != what}, **({what: why} if why else {})}

    def ticket_was_printed(self) -> None:
        self._printed_mm += TICKET_MM

    def obstacle(self) -> str:
        """Why a ticket would not be printed now; "" if it would."""
        if self._kept:
            return next(iter(self._kept.values()))
        if self.agreed is None:
            return "the printer does not answer"
        return obstacle_of(self.agreed)

    def look(self, condition: PrinterStatus, now_ms: int) -> None:
        """One round. A round that differs from the one before it only holds tickets back."""
        agreed = condition.steady == self._last
        self._last = condition.steady
        if not agreed:
            if obstacle_of(condition):
                self.agreed = None
            return
        self.agreed = condition
        self._roll(condition)
        self.tell(now_ms)

    def _roll(self, condition: PrinterStatus) -> None:
        changing = condition.cover_open or condition.paper_end
        if self._changing and not changing:
            self._printed_mm = 0
        self._changing = changing

    def tell(self, now_ms: int) -> None:
        """Raise and clear what follows from the last agreed round and from what is kept."""
        said = self.agreed or PrinterStatus()
        out = said.paper_end or said.stopped_by_paper
        self._book.set(Fault.PAPER_OUT, "" if out else None, now_ms)
        self._book.set(Fault.PAPER_LOW, None if out else self._low(said), now_ms)
        self._book.set(Fault.HEAD_OPEN, "the cover is open" if said.cover_open else None, now_ms)
        jam = said.recoverable and not said.cutter
        self._book.set(Fault.PAPER_JAM, "a mechanical error, as of jammed paper" if jam else None, now_ms)
        if not (said.off_line and said.fed_by_button):
            self._fed_since_ms = None
        elif self._fed_since_ms is None:
            self._fed_since_ms = now_ms
        failure = self._failure(said, now_ms) or self._unready.fault_words or None
        self._book.set(Fault.PRINTER_FAILED, failure, now_ms)

    def _low(self, said: PrinterStatus) -> str | None:
        if said.near_end and self._near_end:
            return ""
        if self._roll_mm and self._printed_mm > self._roll_mm - LAST_MM:
            return f"about {self._printed_mm // 1000} m were printed since the roll was changed"
        return None

    def _failure(self, said: PrinterStatus, now_ms: int) -> str | None:
        if self._kept:
            return next(iter(self._kept.values()))
        if said.cutter:
            return "cutter"
        if said.unrecoverable:
            return "an error that needs service"
        if said.too_hot:
            return "head temperature"
        if said.error_of_any_kind and not said.recoverable:
            return "an error without a name"
        if not said.off_line or trouble_of(said):
            return None
        if self._fed_since_ms is None:
            return "off line"
        return "its feed button is held down" if now_ms >= self._fed_since_ms + BUTTON_MS else None
