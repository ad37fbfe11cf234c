"""Driver of ticket printers that speak TCL: FutureLogic GEN2, GEN3 and PSA-66, Nanoptix PayCheck 4,
TransAct Epic 950 in its TCL emulation.

What is believed about a ticket is in ``tcl_job``; this file says when it may be sent. The printer
keeps its flags until they are cleared, and those flags are the only evidence of what became of a
ticket. So they are cleared in one mode only:

========  ===================================================  ==========================
mode      meaning                                              flags
========  ===================================================  ==========================
watching  connected; the owner has said nothing yet            left alone
job       a ticket is ordered, or asked about                  cleared before the order
holding   its outcome is told and not yet recorded             left alone
clearing  no ticket is open                                    cleared until seen clear
idle      flags seen clear: an order would be carried out      cleared if one appears
========  ===================================================  ==========================

``PrinterReady`` is true in ``idle`` only. An owner that records its intent to print while it is
true may rely on this: a "validation done" that is set later belongs to that ticket.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from drivers.ticket_printer import tcl_codec
from drivers.ticket_printer.outcomes import remember
from drivers.ticket_printer.tcl_health import LATCHED, Chute, Health
from drivers.ticket_printer.tcl_job import Job, Phase, Verdict
from drivers.ticket_printer.tcl_line import Line
from drivers.ticket_printer.tcl_options import PREPARE_MS, Options
from drivers.ticket_printer.tcl_status import Flag, Status, mask_of
from drivers.ticket_printer.ticket_text import TicketRefusedError

__all__ = ["Options", "TclPrinter", "create"]

CLEAR_AGAIN_MS = 1000  # a CLEAR that has not worked by then was lost
_UNCLEAR_BITS = mask_of((*LATCHED, Flag.BUSY))
_EXPECTING_BITS = mask_of((Flag.BUSY, Flag.CHUTE))
# A printer that has not begun an order in time may do so later, and nothing in its status says whose ticket
# comes out. So none is ordered until its paper would have been seen: the seat would else hold the void
# ticket before while this one counts.
LATE_MS = 15_000


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
        self._mode = Mode.WATCHING
        self._job: Job | None = None
        self._start_told = False
        self._held_ref: int | None = None
        self._outcomes: dict[int, Verdict] = {}
        self._status: Status | None = None  # the last that may be judged, of this connection
        self._version: str | None = None  # the firmware id, once two frames agreed on it
        self._version_heard: str | None = None
        self._cleared_ms: int | None = None  # when CLEAR was sent last, in this mode or job
        self._clearing_since_ms = 0
        self._clear_jam = False  # the attendant says that the jam is mended
        self._stray = False  # a "validation done" without an order was seen once
        self._late_until_ms = 0  # until then an order that was not begun may still come out
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
                self._faults.keep(happening.fault, happening.text, now_ms)
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
        if known is not None and known.outcome is not TicketOutcome.NOT_STARTED:
            self._answer(ref, known)  # it is or may be on paper: never a second time
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
        self._clear_jam = True
        if self._mode is Mode.IDLE:
            self._begin_clearing()

    # ---- hearing

    def _hear(self, status: Status, now_ms: int) -> None:
        self._faults.clear(Fault.LINK_LOST, now_ms)
        self._identify(status.version, now_ms)
        stubborn = self._mode is Mode.CLEARING and now_ms - self._clearing_since_ms >= PREPARE_MS
        self._health.update(status, stubborn, now_ms)
        self._chute.watch(status.has(Flag.CHUTE), now_ms)
        judged = status.extended or not self._options.validation_bit
        if judged:
            self._status = status
        match self._mode:
            case Mode.JOB:
                self._judge(status, now_ms)
            case Mode.CLEARING if judged and self._is_clear(status):
                if not self._clear_jam:
                    self._mode = Mode.IDLE
            case Mode.IDLE if judged:
                self._notice(status)
            case _:
                pass

    def _identify(self, version: str, now_ms: int) -> None:
        if version == self._version_heard != self._version:
            self._version = version
            self._events.append(Identified(self.name, now_ms, version))
        self._version_heard = version

    def _is_clear(self, status: Status) -> bool:
        return not status.bits & _UNCLEAR_BITS

    def _notice(self, status: Status) -> None:
        """Latched flags that appear without an order: a restart, a misheard poll, a stray ticket."""
        if status.has(Flag.VALIDATION_DONE) and not self._stray:
            self._stray = True  # one frame proves nothing
            return
        if status.has(Flag.VALIDATION_DONE):
            self._health.keep("a ticket was printed without an order")
        self._stray = False
        if status.any_of(LATCHED):
            self._begin_clearing()

    # ---- the ticket

    def _begin_job(self, job: Job) -> None:
        self._mode = Mode.JOB
        self._job = job
        self._start_told = False
        self._cleared_ms = None
        self._line.hurry(self._now_ms)

    def _judge(self, status: Status, now_ms: int) -> None:
        job = self._job
        assert job is not None
        verdict = job.look(status, now_ms)
        if job.phase is Phase.PREPARING and (obstacle := self._health.obstacle(status)):
            verdict = Verdict(TicketOutcome.NOT_STARTED, f"not sent: {obstacle}")
        if job.started and job.command and not self._start_told:
            self._start_told = True
            self._events.append(TicketStarted(self.name, now_ms, job.ref))
        if verdict is not None:
            self._conclude(verdict)

    def _conclude(self, verdict: Verdict) -> None:
        job = self._job
        assert job is not None
        if verdict.outcome is TicketOutcome.NOT_STARTED and job.again():
            self._line.statistics["resent"] += 1
            self._cleared_ms = None
            return
        self._job = None
        remember(self._outcomes, job.ref, verdict)
        self._answer(job.ref, verdict)
        if verdict.outcome is TicketOutcome.PRINTED:
            self._chute.printed(self._now_ms)
        if verdict.unsuitable:
            self._health.keep("the printer refuses the template")
        if verdict.outcome is TicketOutcome.NOT_STARTED:
            if job.phase is not Phase.PREPARING and job.refused is None:
                self._late_until_ms = self._now_ms + LATE_MS
            self._begin_clearing()
        else:
            self._mode = Mode.HOLDING
            self._held_ref = job.ref
        if self._line.pending:
            self._line.reopen("the rest of an order that took too long was thrown away")

    def _answer(self, ref: int, verdict: Verdict) -> None:
        self._events.append(TicketDone(self.name, self._now_ms, ref, verdict.outcome, verdict.detail))

    def _begin_clearing(self) -> None:
        self._mode = Mode.CLEARING
        self._cleared_ms = None
        self._clearing_since_ms = self._now_ms
        self._stray = False
        self._line.hurry(self._now_ms)

    # ---- time and the line

    def _disconnected(self) -> None:
        self._status = None
        self._stray = False
        self._health.connected()
        if self._job is not None and (verdict := self._job.lost()) is not None:
            self._conclude(verdict)

    def _pass_time(self, now_ms: int) -> None:
        self._chute.wait(now_ms)
        job = self._job
        if job is None:
            return
        if job.phase is Phase.SENT and self._line.pending:
            job.hold(now_ms)
        if (verdict := job.wait(now_ms)) is not None:
            self._conclude(verdict)

    def _speak(self, now_ms: int) -> None:
        status = self._status
        settled = self._mode in (Mode.IDLE, Mode.WATCHING) and status is not None
        self._line.waiting = not settled or (status is not None and bool(status.bits & _EXPECTING_BITS))
        due_ms = self._order_ms()
        order = self._order() if due_ms is not None and due_ms <= now_ms else b""
        if not self._line.speak(now_ms, order):
            return
        if self._job is not None and order == self._job.command:
            self._job.sent(now_ms, self._line.line_ms(order))
        else:
            self._cleared_ms = now_ms
            self._clear_jam = False

    def _order(self) -> bytes:
        """What is to be sent besides polls: CLEAR, or the ticket once the flags were seen clear."""
        job, status = self._job, self._status
        if status is None:
            return b""
        clear = tcl_codec.CLEAR_JAM if self._clear_jam else tcl_codec.CLEAR
        if job is not None and job.phase is Phase.PREPARING:
            seen = self._cleared_ms is not None and job.last_ms > self._cleared_ms and job.last is not None
            return job.command if seen and self._is_clear(status) else clear
        if self._mode is Mode.CLEARING and not status.has(Flag.BUSY):
            return clear
        return b""

    def _order_ms(self) -> int | None:
        """When `_order` may go out; None if there is none."""
        order = self._order()
        if not order:
            return None
        is_ticket = self._job is not None and order == self._job.command
        if self._cleared_ms is None or is_ticket:
            return self._now_ms
        return self._cleared_ms + CLEAR_AGAIN_MS

    def _why_not_ready(self) -> str:
        if self._status is None:
            return "the printer does not answer"
        if self._mode is not Mode.IDLE:
            return f"it is {self._mode.value}"
        if self._now_ms < self._late_until_ms:
            return "a ticket that it did not begin may still come out"
        return self._health.obstacle(self._status) or "its flags are not clear"

    def _tell_ready(self, now_ms: int) -> None:
        status = self._status
        ready = (
            self._mode is Mode.IDLE
            and self._line.is_open
            and self._version is not None
            and status is not None
            and self._is_clear(status)
            and now_ms >= self._late_until_ms
            and not self._health.obstacle(status)
        )
        if ready != self._ready:
            self._ready = ready
            self._events.append(PrinterReady(self.name, now_ms, ready))
