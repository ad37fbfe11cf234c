"""Driver of ticket printers that speak TCL: FutureLogic GEN2, GEN3 and PSA-66, Nanoptix PayCheck 4,
TransAct Epic 950 in its TCL emulation.

What is believed about a ticket is in ``job``; this file says when it may be sent. The printer
keeps its flags until they are cleared, and those flags are the only evidence of what became of a
ticket. So they are cleared in one mode only:

========  ===================================================  ==========================
mode      meaning                                              flags
========  ===================================================  ==========================
watching  connected; the owner has said nothing yet            left alone
job       a ticket is ordered, or asked about                  cleared before the order
holding   its outcome is told and not yet recorded             left alone
clearing  no ticket is open; a printer that may still hold an  cleared until seen clear
          order is reset first
idle      flags seen clear: an order would be carried out      cleared if one appears
========  ===================================================  ==========================

``PrinterReady`` is true in ``idle`` only. An owner that records its intent to print while it is
true may rely on this: a "validation done" that is set later belongs to that ticket.

A printer that may still hold an order (``empty``) gets no other one: the driver resets it, and one
that does not obey is told as failed until somebody has switched it off and on.

A frame has no checksum: faults, the chute and readiness follow what two frames in a row agree on. If
they differ the next poll comes at the waiting pace, so it costs ``poll_waiting_ms`` (250 ms).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from drivers.device import (
    DeviceEvent,
    Fault,
    Frame,
    Identified,
    PrinterReady,
    TicketDone,
    TicketFields,
    TicketOutcome,
    TicketStarted,
)
from drivers.link import PortOpened
from drivers.protocol.faults import FaultBook
from drivers.registry import Io
from drivers.ticket_printer.common.outcomes import remember
from drivers.ticket_printer.common.ticket_text import TicketRefusedError
from drivers.ticket_printer.common.unready import Unready
from drivers.ticket_printer.tcl import codec as tcl_codec
from drivers.ticket_printer.tcl.clear import Clearing, is_clear
from drivers.ticket_printer.tcl.empty import Emptiness
from drivers.ticket_printer.tcl.health import LATCHED, Chute, Health
from drivers.ticket_printer.tcl.job import Job, Phase, Verdict
from drivers.ticket_printer.tcl.line import Line
from drivers.ticket_printer.tcl.options import PREPARE_MS, Options
from drivers.ticket_printer.tcl.status import Agreed, Flag, Status, mask_of

__all__ = ["Options", "TclPrinter", "create"]

_EXPECTING_BITS = mask_of((Flag.BUSY, Flag.CHUTE))


class Mode(StrEnum):
    WATCHING = "watching"
    JOB = "job"
    HOLDING = "holding"
    CLEARING = "clearing"
    IDLE = "idle"


def create(name: str, options: Options, io: Io) -> TclPrinter:
    return TclPrinter(name, options, io)


class TclPrinter:
    """One printer on one serial line. See the module for its modes."""

    def __init__(self, name: str, options: Options, io: Io) -> None:
        self.name = name
        self.port = options.port  # for the service page
        self._options = options
        self._patience = options.patience()
        self._line = Line(options.settings(), io.open_link, options.pace(), options.request())
        self._events: list[DeviceEvent] = []  # emptied by every tick
        self._faults = FaultBook(name, self._events.append)
        self._health = Health(self._faults, cutter=options.cutter, full=options.validation_bit)
        self._chute = Chute(name, self._events.append, self._faults, options.not_taken_ms)
        self._unready = Unready(self._faults)
        self._mode = Mode.WATCHING
        self._job: Job | None = None
        self._start_told = False
        self._held_ref: int | None = None
        self._outcomes: dict[int, Verdict] = {}
        self._status: Status | None = None  # the last that may be judged, of this connection
        self._status_ms = 0  # when it came
        self._agreed = Agreed()
        self._sure: Status | None = None  # what the last two that may be judged agree on
        self._version: str | None = None  # the firmware id, once two frames agreed on it
        self._version_heard: str | None = None
        self._clearing = Clearing()  # of this mode or job
        self._empty = Emptiness(self._health, validation_bit=options.validation_bit)
        self._ready = False
        self._now_ms = 0
        self._is_planned = False
        self._planned_at: int | None = None  # `wake_at`, if it `_is_planned`: until a tick or an order

    # ---- the life of a device

    @property
    def wake_at(self) -> int | None:
        if not self._is_planned:
            self._planned_at, self._is_planned = self._plan(), True
        return self._planned_at

    def _may_act(self, now_ms: int) -> bool:
        """Something is due, or an order has come since the last tick."""
        return not self._is_planned or (self._planned_at is not None and now_ms >= self._planned_at)

    def _plan(self) -> int | None:
        if self._events:
            return self._now_ms
        due = self._line.wake_at(self._order_ms())
        deadlines = (due, self._chute.deadline_ms, None if self._job is None else self._job.deadline_ms)
        return min((at for at in deadlines if at is not None), default=None)

    def fileno(self) -> int | None:
        return self._line.fileno()

    def tick(self, now_ms: int) -> Sequence[DeviceEvent]:
        self._now_ms = now_ms
        happenings, statuses = self._line.listen(now_ms)
        quiet = not happenings and not statuses and self._line.is_open and not self._line.pending
        if quiet and not self._may_act(now_ms):
            return ()  # half a frame has come: nothing is known that was not known before
        self._is_planned = False
        for happening in happenings:
            if isinstance(happening, PortOpened):
                self._faults.clear(Fault.PORT_MISSING, now_ms)
                self._faults.clear(Fault.PORT_UNFIT, now_ms)
            else:
                fault = Fault.PRINTER_FAILED if self._line.held_back else happening.fault
                self._faults.keep(fault, happening.text, now_ms)
                self._disconnected()
        for status in statuses:
            self._hear(status, now_ms)
        self._pass_time(now_ms)
        self._speak(now_ms)
        self._tell_ready(now_ms)
        events = list(self._events)
        self._events.clear()
        return events

    def close(self) -> None:
        self._is_planned = False
        self._line.close()

    def frames(self) -> Sequence[Frame]:
        return self._line.frames()

    def statistics(self) -> Mapping[str, int]:
        return {**self._line.statistics, "lost_bytes": self._line.lost_bytes}

    # ---- orders

    def release(self) -> None:
        self._is_planned = False
        if self._mode is Mode.WATCHING:
            self._begin_clearing()

    def inquire(self, ref: int) -> None:
        self._is_planned = False
        if self._job is not None and self._job.ref == ref:
            return  # it is being answered
        if ref in self._outcomes:
            self._answer(ref, self._outcomes[ref])
        elif self._mode is Mode.WATCHING:
            self._begin_job(Job(ref, b"", self._patience, Phase.DOUBT))
        else:
            self._answer(ref, Verdict(TicketOutcome.UNKNOWN, "the flags of that ticket are gone"))

    def print_ticket(self, ref: int, ticket: TicketFields) -> None:
        self._is_planned = False
        if self._job is not None and self._job.ref == ref:
            return  # one order, one ticket, one outcome
        known = self._outcomes.get(ref)
        if known is not None and (known.is_out or known.outcome is not TicketOutcome.NOT_STARTED):
            self._answer(ref, known)  # its number is or may be in the printer: never a second time
        elif not self._ready or self._version is None or self._mode is not Mode.IDLE:
            self._answer(ref, Verdict(TicketOutcome.NOT_STARTED, f"not ready: {self._why_not_ready()}"))
        else:
            layout = tcl_codec.layout_for(self._version, self._options.layouts)
            try:
                command = tcl_codec.print_command(ticket, self._options.template, layout)
            except TicketRefusedError as error:
                self._answer(ref, Verdict(TicketOutcome.NOT_STARTED, str(error)))
            else:
                self._begin_job(Job(ref, command, self._patience, Phase.PREPARING))

    def recorded(self, ref: int) -> None:
        self._is_planned = False
        if self._mode is Mode.HOLDING and self._held_ref == ref:
            self._begin_clearing()

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

    def _begin_job(self, job: Job) -> None:
        self._mode = Mode.JOB
        self._job = job
        self._start_told = False
        self._clearing.begin()
        self._empty.begin()
        self._line.hurry(self._now_ms)

    def _judge(self, status: Status, now_ms: int) -> None:
        job = self._job
        assert job is not None
        verdict = job.look(status, now_ms)
        sure = self._sure
        if job.phase is Phase.PREPARING and sure is not None and (obstacle := self._health.obstacle(sure)):
            verdict = Verdict(TicketOutcome.NOT_STARTED, f"not sent: {obstacle}")
        if job.started and job.command and not self._start_told:
            self._start_told = True
            self._events.append(TicketStarted(self.name, now_ms, job.ref))
        if verdict is not None:
            self._conclude(verdict)

    def _conclude(self, verdict: Verdict) -> None:
        job = self._job
        assert job is not None
        self._job = None
        verdict = replace(verdict, is_out=job.is_out)
        remember(self._outcomes, job.ref, verdict)
        self._answer(job.ref, verdict)
        if verdict.outcome is TicketOutcome.PRINTED:
            self._empty.proven()  # nothing else was in it when the order went out
            self._chute.printed(self._now_ms)
        if verdict.unsuitable:
            self._health.keep("the printer refuses the template")
        if job.is_out and verdict.outcome is not TicketOutcome.PRINTED and not job.was_cancelled:
            self._empty.doubt(self._sure)
        if verdict.outcome is TicketOutcome.NOT_STARTED:
            self._begin_clearing()
        else:
            self._mode = Mode.HOLDING
            self._held_ref = job.ref
        if self._line.is_held:
            self._line.reopen("the rest of an order that took too long was thrown away")

    def _answer(self, ref: int, verdict: Verdict) -> None:
        self._events.append(TicketDone(self.name, self._now_ms, ref, verdict.outcome, verdict.detail))

    def _begin_clearing(self) -> None:
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
        if self._job is not None and (verdict := self._job.lost()) is not None:
            self._conclude(verdict)

    def _pass_time(self, now_ms: int) -> None:
        self._chute.wait(now_ms)
        job = self._job
        if job is None:
            return
        if job.phase is Phase.SENT and self._line.is_held:
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
            self._job.sent(now_ms, self._line.line_ms(order))
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
        if job is not None and job.phase is Phase.PREPARING:
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
        if self._sure is None:
            return "the printer does not answer"
        if self._mode is not Mode.IDLE:
            return f"it is {self._mode.value}"
        return self._health.obstacle(self._sure) or "its flags are not clear"

    def _tell_ready(self, now_ms: int) -> None:
        sure = self._sure
        ready = (
            self._mode is Mode.IDLE
            and self._line.is_open
            and self._version is not None
            and sure is not None
            and is_clear(sure)
            and not self._health.obstacle(sure)
        )
        if ready != self._ready:
            self._ready = ready
            self._events.append(PrinterReady(self.name, now_ms, ready))
            if ready:
                self._unready.ready()
                self._health.unready("", now_ms)
        if not ready:
            self._watch_unready(now_ms)

    def _watch_unready(self, now_ms: int) -> None:
        waits = self._sure is not None and self._sure.has(Flag.CHUTE)  # for whoever takes the ticket
        if waits or self._mode not in (Mode.CLEARING, Mode.IDLE):
            self._unready.pause()
        elif why := self._unready.waits(now_ms):
            self._health.unready(why, now_ms)
