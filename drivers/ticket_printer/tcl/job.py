"""The life of one ticket at a TCL printer: what a sequence of status frames proves about it.

The printer answers no order, so everything is judged from its status, with two traps in it:

* After the order nothing changes for up to some seconds (the start gap). A status that is older
  than the order, or newer but inside the gap, looks like a finished ticket.
* "Validation done" stays set from the ticket before. Therefore the flags are cleared and *seen*
  clear before anything is sent; from then on every flag that rises belongs to this ticket.

A ticket has *started* when busy, validation done or the chute has risen or the last template has
changed. It is *printed* when it has started, validation done is set, nothing was refused, busy is
not, and there is no jam, open head, cutter or voltage trouble.

An idle printer proves nothing, however long it is watched: it may begin later, and a refusal that it
shows may belong to a poll that was garbled on the line. So an order that has gone out is never sent
again, and it has *not started* only when the printer was reset after the start gap and has said that
it has restarted, with no sign of a ticket before. Everything else is unknown.

A frame has no checksum, so no single frame decides: two in a row must prove the same. One frame is
enough for doubt: a sign of a start that only one frame shows keeps "not started" from being told.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from drivers.device import TicketOutcome
from drivers.ticket_printer.common.outcomes import JobVerdict
from drivers.ticket_printer.tcl.status import Flag, Status, mask_of

#: Trouble that makes a ticket that has started unknown.
BREAKS_OFF = (Flag.JAM, Flag.HEAD_UP, Flag.CUTTER, Flag.VOLTAGE)
#: Conditions under which a printer may keep an order and carry it out when they end.
HOLDS_BACK = (
    *(Flag.PAPER_OUT, Flag.NO_INDEX, Flag.HEAD_UP, Flag.DRAWER_OPEN, Flag.JAM, Flag.CUTTER, Flag.OFF_LINE),
    *(Flag.VOLTAGE, Flag.HEAD_ERROR, Flag.TEMPERATURE, Flag.XOFF),
)
#: The printer has refused something that it received.
MISHEARD = (Flag.COMMAND_ERROR, Flag.BUFFER_OVERFLOW, Flag.JOB_MEMORY)
#: The printer has refused what it understood: the template or the data do not suit it.
UNSUITABLE = (Flag.LIBRARY_REFERENCE, Flag.REGION_DATA, Flag.LIBRARY_LOAD)
REFUSALS = (*UNSUITABLE, *MISHEARD)

_SIGN_BITS = mask_of((Flag.BUSY, Flag.CHUTE, Flag.VALIDATION_DONE))
# A printer that has just restarted may be busy with itself, and has no last template.
_SIGN_BITS_AFTER_RESTART = mask_of((Flag.CHUTE, Flag.VALIDATION_DONE))

CANCEL_MS = 10_000  # a printer that has not restarted by then does not obey the reset


class JobPhase(StrEnum):
    PREPARING = "preparing"  # nothing sent yet: flags are being cleared
    SENT = "sent"  # the order has gone out on this connection
    DOUBT = "doubt"  # sent on a connection that has ended, by this program or by one before it
    CANCELLING = "cancelling"  # nothing was begun in time: the printer is reset, so that nothing will be


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what, and what the firmware can say."""

    prepare_ms: int  # for clear flags before the order
    start_gap_ms: int  # from the order to the first sign of it
    give_up_ms: int  # from the order to its end
    validation_bit: bool  # whether the firmware has "validation done"
    cutter: bool  # whether the printer has a cutter, so that its flag means something


@dataclass(slots=True)
class Job:
    """One ticket. `command` is empty for a ticket that another process has ordered."""

    ref: int
    command: bytes
    patience: Patience
    phase: JobPhase
    begun_ms: int | None = None  # when the job began, then when its order was sent; set by the first look
    watched_ms: int | None = None  # from when on the start gap counts
    started: bool = False  # two frames in a row have shown a sign of it
    touched: bool = False  # one frame has: enough to doubt that nothing was begun
    restarted: bool = False  # the printer has, by itself or because it was told to
    refused: Flag | None = None
    last: Status | None = None
    last_ms: int = 0
    _cancelling_ms: int = 0
    _not_begun: JobVerdict | None = None  # what is told once the printer has restarted
    _template: str | None = None  # printed last before this order
    _was_busy: bool = False
    _chute_rose: bool = False
    _sign: bool = False  # the last frame has shown one
    _gathered: Status | None = None  # the last frame since the order
    _proven: JobVerdict | None = None  # by the last frame; the next one has to agree

    # ---- what the driver tells

    @property
    def is_out(self) -> bool:
        """Bytes of the order may have reached the printer: it must never be sent again."""
        return self.phase is not JobPhase.PREPARING

    def sent(self, now_ms: int, line_ms: int) -> None:
        """The order has gone to the port; it needs `line_ms` on the line."""
        self.phase = JobPhase.SENT
        self._template = None if self.last is None else self.last.template
        self.begun_ms = now_ms
        self.watched_ms = now_ms + line_ms
        self.refused = self._proven = None

    def hold(self, now_ms: int) -> None:
        """Bytes of the order still wait for the line: the start gap has not begun."""
        self.watched_ms = now_ms

    @property
    def wants_reset(self) -> bool:
        """The printer is to be reset now; not while a ticket may be coming out of it."""
        return self.phase is JobPhase.CANCELLING and not self.touched

    @property
    def was_cancelled(self) -> bool:
        """The printer has restarted because it was told to: it holds no order any more."""
        return self.phase is JobPhase.CANCELLING and self.restarted

    def lost(self) -> JobVerdict | None:
        """The connection has ended. An order that was not sent yet is certainly not printed."""
        if self.phase is JobPhase.PREPARING:
            return JobVerdict(TicketOutcome.NOT_STARTED, "the connection was lost before the order was sent")
        self.phase = JobPhase.DOUBT
        self.watched_ms = None
        self._proven = self._not_begun = None
        self.last = self._gathered = None
        self._sign = False
        return None

    def look(self, status: Status, now_ms: int) -> JobVerdict | None:
        """Judge one frame; a verdict ends the job."""
        if self.phase is not JobPhase.PREPARING:
            self._gather(status)
        if self.patience.validation_bit and not status.extended:
            return None  # three flags show that something happens, but never that nothing does
        first = self.last is None
        self.last, self.last_ms = status, now_ms
        if self.phase is JobPhase.PREPARING:
            return None
        if self.phase is JobPhase.DOUBT and first:
            self.watched_ms = now_ms
        proof = self._judge(status)
        agreed = proof is not None and proof == self._proven
        self._proven = proof
        if not agreed or proof is None:
            return None
        if proof.outcome is TicketOutcome.NOT_STARTED and self.phase is not JobPhase.CANCELLING:
            self.phase, self._cancelling_ms = JobPhase.CANCELLING, now_ms
            self._not_begun, self._proven = proof, None
            return None
        return proof

    def wait(self, now_ms: int) -> JobVerdict | None:
        """Judge the passing of time; call it after `look`."""
        if self.begun_ms is None:
            self.begun_ms = now_ms
        deadline_ms = self.deadline_ms
        if deadline_ms is None or now_ms < deadline_ms:
            return None
        if self.phase is JobPhase.PREPARING:
            return JobVerdict(TicketOutcome.NOT_STARTED, "the printer did not become ready for the order")
        if self.wants_reset:
            text = "it was not begun, and the printer does not obey a reset: it may still come out"
            return JobVerdict(TicketOutcome.UNKNOWN, text)
        what = "the ticket did not end" if self.touched else "no clear answer"
        return JobVerdict(TicketOutcome.UNKNOWN, f"{what} within {self.patience.give_up_ms // 1000} s")

    @property
    def deadline_ms(self) -> int | None:
        """When `wait` has something to say although no frame comes."""
        if self.begun_ms is None:
            return None
        if self.wants_reset:
            return self._cancelling_ms + CANCEL_MS
        preparing = self.phase is JobPhase.PREPARING
        return self.begun_ms + (self.patience.prepare_ms if preparing else self.patience.give_up_ms)

    # ---- what the frames prove

    def _gather(self, status: Status) -> None:
        """Remember what has been seen since the order."""
        before, self._gathered = self._gathered, status
        restarted = status.has(Flag.POWER_UP)
        changed = self._template is not None and status.template != self._template and not restarted
        bits = _SIGN_BITS_AFTER_RESTART if restarted else _SIGN_BITS
        sign = bool(status.bits & bits) or changed
        self.touched |= sign
        self.started |= sign and self._sign
        self._sign = sign
        if before is None:
            return
        self._was_busy |= before.has(Flag.BUSY) and status.has(Flag.BUSY)
        self._chute_rose |= before.has(Flag.CHUTE) and status.has(Flag.CHUTE)
        self.restarted |= restarted and before.has(Flag.POWER_UP)
        both = [flag for flag in REFUSALS if before.has(flag) and status.has(flag)]
        self.refused = both[0] if both else self.refused

    def _judge(self, status: Status) -> JobVerdict | None:
        if status.has(Flag.POWER_UP):
            if self._not_begun is not None and not self.touched:
                return self._not_begun
            return JobVerdict(TicketOutcome.UNKNOWN, "the printer restarted")
        if self.touched and (trouble := self._trouble(status)):
            return JobVerdict(TicketOutcome.UNKNOWN, f"{trouble} while the ticket was printed")
        if self._is_printed(status) and (self.phase is not JobPhase.DOUBT or self._gap_is_over()):
            if refused := self._refusal(status):
                return JobVerdict(
                    TicketOutcome.UNKNOWN, f"it was printed and something was refused: {refused}"
                )
            return JobVerdict(TicketOutcome.PRINTED)
        if self.phase is JobPhase.CANCELLING or not self._gap_is_over() or status.has(Flag.BUSY):
            return None
        return self._after_gap_in_doubt(status) if self.phase is JobPhase.DOUBT else self._after_gap(status)

    def _refusal(self, status: Status) -> str:
        found = self.refused or status.any_of(REFUSALS)
        return "" if found is None else found.name.lower().replace("_", " ")

    def _trouble(self, status: Status) -> str:
        found = self._first(status, BREAKS_OFF)
        return "" if found is None else found.name.lower().replace("_", " ")

    def _first(self, status: Status, flags: tuple[Flag, ...]) -> Flag | None:
        """The first of `flags` that is set and means something on this printer."""
        found = [flag for flag in flags if status.has(flag)]
        return next((flag for flag in found if flag is not Flag.CUTTER or self.patience.cutter), None)

    def _is_printed(self, status: Status) -> bool:
        if not self.touched or status.has(Flag.BUSY):
            return False
        if self.patience.validation_bit:
            return status.has(Flag.VALIDATION_DONE)
        return self.phase is not JobPhase.DOUBT and self._was_busy and self._chute_rose

    def _gap_is_over(self) -> bool:
        """Whether the last frame was read after the start gap."""
        return self.watched_ms is not None and self.last_ms >= self.watched_ms + self.patience.start_gap_ms

    def _after_gap(self, status: Status) -> JobVerdict | None:
        """The order went out on this connection and the printer is idle. Is there no sign of it?"""
        if self.touched or self._first(status, HOLDS_BACK):
            return None
        if self.refused is None:
            return JobVerdict(TicketOutcome.NOT_STARTED, "the printer did not begin")
        what = self.refused.name.lower().replace("_", " ")
        return JobVerdict(
            TicketOutcome.NOT_STARTED, f"the printer refused: {what}", self.refused in UNSUITABLE
        )

    def _after_gap_in_doubt(self, status: Status) -> JobVerdict:
        """Idle, watched for a whole start gap, and not printed: not started, or nobody can tell."""
        if not self.patience.validation_bit:
            return JobVerdict(
                TicketOutcome.UNKNOWN, "this firmware does not tell whether a ticket was printed"
            )
        if self.touched:
            return JobVerdict(TicketOutcome.UNKNOWN, "the ticket was begun and its end was not seen")
        if self._first(status, HOLDS_BACK):
            return JobVerdict(TicketOutcome.UNKNOWN, "the printer has trouble and may still hold the order")
        return JobVerdict(TicketOutcome.NOT_STARTED, "the printer kept power and nothing was begun")
