"""Driver of ticket printers that speak TCL: FutureLogic GEN2, GEN3 and PSA-66, Nanoptix PayCheck 4,
TransAct Epic 950 in its TCL emulation.

What is believed about a ticket is in ``job``, the modes are in ``common.printer``; this file says when a
ticket may be sent. The printer keeps its flags until they are cleared, and those flags are the only evidence
of what became of a ticket. So they are left alone in the modes watching and holding, cleared before an order
and in the mode clearing (a printer that may still hold an order is reset first), and in the mode idle if one
appears.

An owner that records its intent to print while ``PrinterReady`` is true may rely on this: a "validation
done" that is set later belongs to that ticket.

A printer that may still hold an order (``empty``) gets no other one: the driver resets it, and one
that does not obey is told as failed until somebody has switched it off and on.

A frame has no checksum: faults, the chute and readiness follow what two frames in a row agree on. If
they differ the next poll comes at the waiting pace, so it costs ``poll_waiting_ms`` (250 ms).
"""

from __future__ import annotations

from dataclasses import replace

from drivers.device import Fault, Identified, TicketFields, TicketOutcome
from drivers.registry import Io
from drivers.ticket_printer.common.outcomes import JobVerdict
from drivers.ticket_printer.common.printer import Mode, Printer
from drivers.ticket_printer.tcl import codec as tcl_codec
from drivers.ticket_printer.tcl.clear import Clearing, is_clear
from drivers.ticket_printer.tcl.empty import Emptiness
from drivers.ticket_printer.tcl.health import LATCHED, Health
from drivers.ticket_printer.tcl.job import Job, JobPhase
from drivers.ticket_printer.tcl.line import Line
from drivers.ticket_printer.tcl.options import PREPARE_MS, Options
from drivers.ticket_printer.tcl.status import Agreed, Flag, Status, mask_of

__all__ = ["Options", "TclPrinter", "create"]

_EXPECTING_BITS = mask_of((Flag.BUSY, Flag.CHUTE))


def create(name: str, options: Options, io: Io) -> TclPrinter:
    return TclPrinter(name, options, io)


class TclPrinter(Printer[Line, Job]):
    """One printer on one serial line."""

    FORGOTTEN = "the flags of that ticket are gone"

    def __init__(self, name: str, options: Options, io: Io) -> None:
        super().__init__(name, options, Line(options, io.open_link))
        self._options = options
        self._patience = options.patience()
        self._health = Health(self._faults, self._unready, cutter=options.cutter, full=options.validation_bit)
        self._status: Status | None = None  # the last that may be judged, of this connection
        self._status_ms = 0  # when it came
        self._agreed = Agreed()
        self._sure: Status | None = None  # what the last two that may be judged agree on
        self._version: str | None = None  # the firmware id, once two frames agreed on it
        self._version_heard: str | None = None
        self._clearing = Clearing()  # of this mode or job
        self._empty = Emptiness(self._health, validation_bit=options.validation_bit)

    def _due(self) -> int | None:
        return self._line.wake_at(self._order_ms())

    def _act(self) -> None:
        for status in self._line.heard:
            self._hear(status, self._now_ms)
        self._pass_time(self._now_ms)
        self._speak(self._now_ms)

    def clear_fault(self) -> None:
        self._is_planned = False
        self._health.mended()
        self._clearing.jam = True
        self._empty.vouched()
        if self._mode is Mode.IDLE:
            self._begin_clearing()

    # ---- hearing

    def _hear(self, status: Status, now_ms: int) -> None:
        self._faults.clear(Fault.LINK_LOST, now_ms)
        self._identify(status.version, now_ms)
        if not self._options.validation_bit:
            status = status.without(Flag.VALIDATION_DONE)  # whatever this firmware means by it
        judged = status.extended or not self._options.validation_bit
        sure = self._agreed.hear(status)
        if judged:
            self._status, self._status_ms, self._sure = status, now_ms, sure
            self._clearing.look(now_ms, is_clear(status) and not self._health.obstacle(status))
        if sure is not None:
            self._believe(sure, now_ms)
        if self._mode is Mode.JOB:
            self._judge(status, now_ms)
        elif judged and sure is not None:
            self._settle(sure)

    def _believe(self, sure: Status, now_ms: int) -> None:
        clearing_ms = self._clearing.lasts_ms(now_ms) if self._mode is Mode.CLEARING else 0
        held = not self._empty
        self._empty.believe(sure, clearing_ms)
        if held and self._empty:
            self._clearing.begin()  # before the restart nothing was cleared, so nothing has refused to go
        due = sure.has(Flag.BUSY) or not held  # while it may hold an order nothing but that is waited for
        self._health.update(sure, due and clearing_ms >= PREPARE_MS, now_ms)
        self._chute.watch(sure.has(Flag.CHUTE), now_ms)

    def _settle(self, sure: Status) -> None:
        if self._mode is Mode.CLEARING and self._empty and is_clear(sure):
            if not self._clearing.jam:
                self._mode = Mode.IDLE
        elif self._mode is Mode.IDLE:
            self._notice(sure)

    def _identify(self, version: str, now_ms: int) -> None:
        if version == self._version_heard != self._version:
            self._version = version
            self._events.append(Identified(self.name, now_ms, version))
        self._version_heard = version

    def _notice(self, status: Status) -> None:
        """Latched flags that appear without an order: a restart, a misheard poll, a stray ticket."""
        only_restarted = status.has(Flag.POWER_UP) and not status.template.strip()  # some set it at power-up
        if status.has(Flag.VALIDATION_DONE) and not only_restarted:
            self._health.keep("a ticket was printed without an order")
        if status.any_of(LATCHED):
            self._begin_clearing()

    # ---- the ticket

    def _new_job(self, ref: int, ticket: TicketFields | None) -> Job:
        if ticket is None:
            return Job(ref, b"", self._patience, JobPhase.DOUBT)
        assert self._version is not None, "it is ready"
        layout = tcl_codec.layout_for(self._version, self._options.layouts)
        command = tcl_codec.print_command(ticket, self._options.template, layout)
        return Job(ref, command, self._patience, JobPhase.PREPARING)

    def _job_begins(self, job: Job) -> None:
        self._clearing.begin()
        self._empty.begin()

    def _judge(self, status: Status, now_ms: int) -> None:
        job = self._job
        assert job is not None
        verdict = job.look(status, now_ms)
        sure = self._sure
        if job.phase is JobPhase.PREPARING and sure is not None and (obstacle := self._health.obstacle(sure)):
            verdict = JobVerdict(TicketOutcome.NOT_STARTED, f"not sent: {obstacle}")
        if job.started and job.command:
            self._tell_start(job.ref)
        if verdict is not None:
            self._conclude(verdict)

    def _conclude(self, verdict: JobVerdict) -> None:
        job = self._job
        assert job is not None
        super()._conclude(replace(verdict, is_out=job.is_out))
        if verdict.outcome is TicketOutcome.PRINTED:
            self._empty.proven()  # nothing else was in it when the order went out
        elif job.is_out and not job.was_cancelled:
            self._empty.doubt(self._sure)
        if verdict.unsuitable:
            self._health.keep("the printer refuses the template")
        if self._line.is_held:
            self._line.reopen("the rest of an order that took too long was thrown away")

    def _begin_clearing(self, *, in_doubt: bool = False) -> None:
        self._mode = Mode.CLEARING
        self._clearing.begin()
        self._empty.begin()
        self._line.hurry(self._now_ms)

    # ---- time and the line

    def _disconnected(self) -> None:
        self._status = self._sure = None
        self._agreed = Agreed()
        self._clearing.begin()
        self._health.connected()
        super()._disconnected()

    def _pass_time(self, now_ms: int) -> None:
        self._chute.wait(now_ms)
        job = self._job
        if job is None:
            return
        if job.phase is JobPhase.SENT and self._line.is_held:
            job.hold(now_ms)
        if (verdict := job.wait(now_ms)) is not None:
            self._conclude(verdict)

    def _speak(self, now_ms: int) -> None:
        status, sure = self._status, self._sure
        differ = status is not None and (sure is None or sure.flags != status.flags)
        if differ:
            self._line.hurry(now_ms)
        settled = self._mode in (Mode.IDLE, Mode.WATCHING) and status is not None and not differ
        self._line.waiting = not settled or (status is not None and bool(status.bits & _EXPECTING_BITS))
        due_ms = self._order_ms()
        order = self._order() if due_ms is not None and due_ms <= now_ms else b""
        if not self._line.speak(now_ms, order):
            return
        if self._job is not None and order == self._job.command:
            self._job.sent(now_ms, self._line.line_ms(len(order)))
        elif order == tcl_codec.RESET:
            self._empty.reset_sent(now_ms)
        else:
            self._clearing.sent(now_ms)

    def _order(self) -> bytes:
        """What is to be sent besides polls: RESET, CLEAR, or the ticket once the flags were seen clear."""
        job, status = self._job, self._status
        if status is None:
            return b""
        clear = self._clearing.order
        if job is not None and job.phase is JobPhase.PREPARING:
            if self._clearing.is_seen:
                return job.command
            return clear if self._clearing.is_doubtful else b""
        if job is not None and job.wants_reset and not status.has(Flag.POWER_UP):
            return tcl_codec.RESET
        if self._mode is not Mode.CLEARING or status.has(Flag.BUSY):
            return b""
        if self._empty or self._empty.waits_for_clear or (self._clearing.jam and status.has(Flag.JAM)):
            return clear
        return b"" if status.has(Flag.POWER_UP) else tcl_codec.RESET

    def _order_ms(self) -> int | None:
        """When `_order` may go out; None if there is none."""
        order = self._order()
        if not order:
            return None
        if order == tcl_codec.RESET:
            return self._empty.reset_at(self._now_ms, self._status_ms)
        is_ticket = self._job is not None and order == self._job.command
        return self._now_ms if is_ticket else self._clearing.due_ms(self._now_ms)

    def _why_not_ready(self) -> str:
        if self._sure is not None and self._mode is not Mode.IDLE:
            return f"it is {self._mode.value}"
        return self._obstacle() or "its flags are not clear"

    def _obstacle(self) -> str:
        sure = self._sure
        if sure is None or self._version is None:
            return "the printer does not answer"
        return self._health.obstacle(sure) or ("" if is_clear(sure) else "its flags are not clear")

    def _waits_for_a_hand(self) -> bool:
        return self._sure is not None and self._sure.has(Flag.CHUTE)
