"""The life of one ticket at an ESC/POS printer: what the answers prove about it.

The printer has no "ticket printed" bit, and takes print data without a checksum. What it does have is
marks: it answers one when everything before it is carried out. A ticket goes out in parts with a mark
behind each. It has *started* with the first answer. It is *printed* when

1. the marks of all parts are answered in their order, the last of them, behind the cut, no earlier than the
   paper of the ticket can have come out at the quickest printer,
2. then a whole round of real-time answers shows a printer on line without paper end, cover or error,
3. then one more mark is answered.

How quickly the bytes travel proves nothing: a USB printer has no rate, whatever its port is set to. And a
printer may answer the marks among its lines when it has read them (`trial`).

A printer that reads ahead has answered for lines that a restart takes from it. If flow control holds the rest
of the ticket meanwhile, no mark is missing afterwards. So one that reads ahead must not be silent in it.

If the printer restarts in a ticket, the marks of the parts that it has lost are missing: it is away for
longer than a part takes on the line. A few bytes that the line alone has lost are not noticed; this
language has no checksum, so a line without flow control has to be one that never overruns. If it stops with
paper out or its cover open, the rest waits in its buffer and would be printed under the next roll: such a
ticket is given up at once, so that the buffer is emptied while the printer still stands. A ticket that
was sent is never "not started": nothing that this printer says could prove that. For the same reason a
ticket of an earlier connection stays unknown, whatever the printer says; it is only waited for until the
printer has nothing more to print.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from drivers.device import TicketOutcome
from drivers.ticket_printer.common.outcomes import JobVerdict
from drivers.ticket_printer.escpos.codec import NAMELESS_COPIES, PrinterStatus

TOGETHER_MS = 50  # the answers to one nameless mark come without a pause


class JobPhase(StrEnum):
    PREPARING = "preparing"  # nothing sent yet: the printer is looked at once more
    SENT = "sent"  # its marks are awaited
    CONFIRMING = "confirming"  # all marks answered; the printer is looked at, then asked once more
    DOUBT = "doubt"  # sent on a connection that has ended, by this program or by one before it


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what."""

    prepare_ms: int  # for a printer that could take the job
    give_up_ms: int  # from the last byte on the line to the end


def trouble_of(condition: PrinterStatus, *, near_end: bool = True) -> str:
    """Why a printer would not carry out a job, or has stopped in one; "" if nothing is in the way."""
    if condition.cover_open:
        return "the cover is open"
    if condition.stopped_by_paper or condition.paper_end:
        return "paper out"
    if condition.cutter:
        return "cutter"
    if condition.unrecoverable:
        return "an error that needs service"
    if condition.too_hot:
        return "head temperature"
    if condition.recoverable or condition.error_of_any_kind:
        return "a mechanical error"
    return ""


def obstacle_of(condition: PrinterStatus) -> str:
    """Why a printer in this condition takes no ticket; "" if it does."""
    return trouble_of(condition) or ("off line" if condition.off_line else "")


@dataclass(slots=True)
class Job:
    """One ticket. `parts` is empty for a ticket that another process has ordered."""

    ref: int
    parts: tuple[bytes, ...]
    marks: tuple[str, ...]  # the name of the mark behind each part; "" where marks have none
    patience: Patience
    phase: JobPhase
    begun_ms: int | None = None  # when the present phase began; set by the first look at the clock
    proven: int = 0  # marks answered, of the parts and then one more
    confirming: bool = False  # the one more has been sent
    _paper_ms: tuple[int, int] = (0, 0)  # when the paper of part one, and of all, can have moved
    _ends_ms: int = 0
    _copies: int = 0  # answers to a nameless mark that have come together
    _copy_ms: int = 0  # the last of them
    _stopped: tuple[int, ...] = ()  # by the last round; the next one has to agree
    _seen: str = ""  # trouble that a round has shown since the ticket was sent
    _all_done_ms: int = 0

    def started(self, now_ms: int) -> bool:
        """Whether something is on paper. An answer that comes at once shows only that it has read the job."""
        return self.proven > 0 and now_ms >= self._paper_ms[0]

    @property
    def next_mark(self) -> str:
        """The name of the mark whose answer is awaited."""
        return self.marks[self.proven]

    # ---- what the driver tells

    def sent(self, now_ms: int, line_ms: int, paper_ms: tuple[int, int]) -> None:
        """The job has gone to the port, and may be on the line for `line_ms`. `paper_ms`: how long the paper
        of part one, and that of all parts, takes at the least."""
        self.phase = JobPhase.SENT
        self.begun_ms = now_ms
        self._paper_ms = now_ms + paper_ms[0], now_ms + paper_ms[1]
        self._ends_ms = now_ms + line_ms + self.patience.give_up_ms
        self._stopped = ()

    def lost(self) -> JobVerdict | None:
        """The connection has ended. A job that was not sent yet is certainly not printed."""
        if self.phase is JobPhase.PREPARING:
            return JobVerdict(TicketOutcome.NOT_STARTED, "the connection was lost before the ticket was sent")
        if self.phase is not JobPhase.DOUBT:
            self.phase, self.begun_ms = JobPhase.DOUBT, None  # a line that comes and goes gives no more time
        self._stopped = ()
        return None

    def mark(self, name: str, now_ms: int) -> JobVerdict | None:
        """A mark was answered, or one of the copies of a nameless one."""
        last = self.proven == len(self.parts) - 1
        if self.phase is JobPhase.SENT and last and now_ms < self._paper_ms[1]:
            return None  # noise, or a printer that does not wait for its paper
        if self.phase is JobPhase.SENT and name == self.next_mark:
            self.proven += self._is_whole(name, now_ms)
            if self.proven == len(self.parts):
                self.phase = JobPhase.CONFIRMING
                self._all_done_ms = now_ms
        elif self.phase is JobPhase.CONFIRMING and self.confirming and name == self.next_mark:
            return self._end() if self._is_whole(name, now_ms) else None
        return None

    def _is_whole(self, name: str, now_ms: int) -> bool:
        if name:
            return True
        self._copies = self._copies + 1 if now_ms <= self._copy_ms + TOGETHER_MS else 1
        self._copy_ms = now_ms
        if self._copies < NAMELESS_COPIES:
            return False
        self._copies = 0
        return True

    def _end(self) -> JobVerdict:
        """All is proven. But while a printer stands for a moment, somebody may have torn off the paper."""
        if self._seen:
            return JobVerdict(TicketOutcome.UNKNOWN, f"{self._seen} for a moment in the ticket")
        return JobVerdict(TicketOutcome.PRINTED)

    def look(self, condition: PrinterStatus, began_ms: int) -> JobVerdict | None:
        """A round of real-time answers, asked from `began_ms` on. Two rounds must show the same trouble."""
        trouble = trouble_of(condition)
        if self.phase is not JobPhase.PREPARING:
            self._seen = obstacle_of(condition) or self._seen
        if self.phase is JobPhase.PREPARING or not trouble:
            self._stopped = ()
            return None
        agreed = self._stopped == condition.steady
        self._stopped = condition.steady
        if not agreed:
            return None
        when = "before its end was proven" if self.phase is JobPhase.CONFIRMING else "in the ticket"
        return JobVerdict(TicketOutcome.UNKNOWN, f"{trouble} {when}")

    def stands(self) -> None:
        """The printer was off line for a moment at least."""
        if self.phase is not JobPhase.PREPARING:
            self._seen = self._seen or "off line"

    def may_confirm(self, condition: PrinterStatus, began_ms: int) -> bool:
        """Whether this round shows that the printer is well after all parts were carried out."""
        asked_since = self.phase is JobPhase.CONFIRMING and began_ms >= self._all_done_ms
        return asked_since and not obstacle_of(condition)

    def emptied(self) -> JobVerdict | None:
        """The printer has nothing more to print. A job in doubt ends with that; nobody can tell how."""
        if self.phase is not JobPhase.DOUBT:
            return None
        return JobVerdict(
            TicketOutcome.UNKNOWN, "this printer does not tell what became of an earlier ticket"
        )

    def wait(self, now_ms: int) -> JobVerdict | None:
        """Judge the passing of time; call it after all that was heard."""
        if self.begun_ms is None:
            self.begun_ms = now_ms
            self._ends_ms = now_ms + (
                self.patience.prepare_ms if self.phase is JobPhase.PREPARING else self.patience.give_up_ms
            )
        if now_ms < self._ends_ms:
            return None
        if self.phase is JobPhase.PREPARING:
            return JobVerdict(TicketOutcome.NOT_STARTED, "the printer did not become ready for the ticket")
        if self.phase is JobPhase.DOUBT:
            return JobVerdict(TicketOutcome.UNKNOWN, "the printer gives no clear answer")
        done = f"{min(self.proven, len(self.parts))} of {len(self.parts)} parts proven"
        return JobVerdict(TicketOutcome.UNKNOWN, f"the ticket did not end in time, {done}")

    @property
    def deadline_ms(self) -> int | None:
        """When `wait` has something to say although nothing is heard."""
        return None if self.begun_ms is None else self._ends_ms
