"""What the drivers of all ticket printers share: the life of the device, its orders, and when it is ready.

An order has one ticket and one outcome. What a printer's language can prove of a ticket is in the driver's
``Job``; when an order may be sent, and what else is said to the printer, is in the driver. Modes:

========  =======================================================  ==========================
mode      meaning                                                  the printer's memory of it
========  =======================================================  ==========================
watching  connected; the owner has said nothing yet                left alone
job       a ticket is ordered, or asked about                      the job's
holding   its outcome is told and not yet recorded                 left alone
clearing  no ticket is open; it must show that it holds none       cleared
idle      it has shown it: an order would be carried out           kept clear
========  =======================================================  ==========================

``PrinterReady`` is true in ``idle`` only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from drivers.device import (
    DeviceEvent,
    Fault,
    Frame,
    PrinterReady,
    TicketDone,
    TicketFields,
    TicketOutcome,
    TicketStarted,
)
from drivers.link import PortOpened
from drivers.protocol.faults import FaultBook
from drivers.ticket_printer.common.chute import Chute
from drivers.ticket_printer.common.line import PrinterLine
from drivers.ticket_printer.common.options import PrinterOptions
from drivers.ticket_printer.common.outcomes import JobVerdict, Outcomes
from drivers.ticket_printer.common.ticket_text import TicketRefusedError
from drivers.ticket_printer.common.unready import Unready


class Mode(StrEnum):
    WATCHING = "watching"
    JOB = "job"
    HOLDING = "holding"
    CLEARING = "clearing"
    IDLE = "idle"


class Job(Protocol):
    """One ticket, and what is believed of it."""

    ref: int

    @property
    def deadline_ms(self) -> int | None:
        """When it has something to say although nothing is heard."""

    def lost(self) -> JobVerdict | None:
        """The connection has ended."""


def earlier(one: int | None, other: int | None) -> int | None:
    """The sooner of two due times; None is never."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


L = TypeVar("L", bound=PrinterLine[Any])
J = TypeVar("J", bound=Job)


class Printer(ABC, Generic[L, J]):
    """A TicketPrinter (see drivers.device) whose language is still missing."""

    FORGOTTEN: ClassVar[str]  # said of a ticket that is asked about too late

    def __init__(self, name: str, options: PrinterOptions, line: L) -> None:
        self.name = name
        self.port = options.port  # for the service page
        self._line = line
        self._events: list[DeviceEvent] = []  # emptied by every tick
        self._faults = FaultBook(name, self._events.append)
        self._chute = Chute(name, self._events.append, self._faults, options.not_taken_ms)
        self._unready = Unready(self._faults)
        self._mode = Mode.WATCHING
        self._job: J | None = None
        self._start_told = False
        self._held: tuple[int, TicketOutcome] | None = None  # the ticket whose outcome is not recorded yet
        self._outcomes = Outcomes()
        self._ready = False
        self._now_ms = 0
        self._is_planned = False
        self._planned_at: int | None = None  # `wake_at`, if it `_is_planned`: until a tick or an order

    # ---- what a language adds

    @abstractmethod
    def _due(self) -> int | None:
        """When it wants a tick, its job aside."""

    @abstractmethod
    def _act(self) -> None:
        """Hear what has come, judge the time that has passed, say what is to be said."""

    @abstractmethod
    def _new_job(self, ref: int, ticket: TicketFields | None) -> J:
        """A ticket to print, or (None) one that was ordered before a restart. TicketRefusedError."""

    @abstractmethod
    def _job_begins(self, job: J) -> None: ...

    @abstractmethod
    def _begin_clearing(self, *, in_doubt: bool = False) -> None:
        """No ticket is open. `in_doubt`: the printer may still hold one that was given up."""

    @abstractmethod
    def _obstacle(self) -> str:
        """Why an order would not be carried out in the mode `idle`; "" if it would."""

    @abstractmethod
    def _why_not_ready(self) -> str: ...

    @abstractmethod
    def clear_fault(self) -> None: ...

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
        due = earlier(self._due(), self._chute.deadline_ms)
        return due if self._job is None else earlier(due, self._job.deadline_ms)

    def fileno(self) -> int | None:
        return self._line.fileno()

    def tick(self, now_ms: int) -> Sequence[DeviceEvent]:
        self._now_ms = now_ms
        line = self._line
        happenings = line.listen(now_ms)
        quiet = not happenings and not line.moved and line.is_open and not line.pending
        if quiet and not self._may_act(now_ms):
            return ()  # nothing is known that was not known before
        self._is_planned = False
        for happening in happenings:
            if isinstance(happening, PortOpened):
                self._faults.clear(Fault.PORT_MISSING, now_ms)
                self._faults.clear(Fault.PORT_UNFIT, now_ms)
            else:
                fault = Fault.PRINTER_FAILED if line.held_back else happening.fault
                self._faults.keep(fault, happening.text, now_ms)
                self._disconnected()
        self._act()
        self._tell_ready()
        events = list(self._events)
        self._events.clear()
        return events

    def close(self) -> None:
        self._is_planned = False
        self._line.close()

    def frames(self) -> Sequence[Frame]:
        return self._line.frames()

    def statistics(self) -> Mapping[str, int]:
        return self._line.counters()

    # ---- orders

    def release(self) -> None:
        self._is_planned = False
        if self._mode is Mode.WATCHING:
            self._begin_clearing(in_doubt=True)

    def inquire(self, ref: int) -> None:
        self._is_planned = False
        if self._job is not None and self._job.ref == ref:
            return  # it is being answered
        if ref in self._outcomes:
            self._answer(ref, self._outcomes[ref])
        elif self._mode is Mode.WATCHING:
            self._begin_job(self._new_job(ref, None))
        else:
            self._answer(ref, JobVerdict(TicketOutcome.UNKNOWN, self.FORGOTTEN))

    def print_ticket(self, ref: int, ticket: TicketFields) -> None:
        self._is_planned = False
        if self._job is not None and self._job.ref == ref:
            return  # one order, one ticket, one outcome
        if known := self._outcomes.forbids(ref):
            self._answer(ref, known)
        elif not self._ready or self._mode is not Mode.IDLE:
            self._answer(ref, JobVerdict(TicketOutcome.NOT_STARTED, f"not ready: {self._why_not_ready()}"))
        else:
            try:
                self._begin_job(self._new_job(ref, ticket))
            except TicketRefusedError as error:
                self._answer(ref, JobVerdict(TicketOutcome.NOT_STARTED, str(error)))

    def recorded(self, ref: int) -> None:
        self._is_planned = False
        if self._mode is Mode.HOLDING and self._held is not None and self._held[0] == ref:
            self._begin_clearing(in_doubt=self._held[1] is TicketOutcome.UNKNOWN)

    # ---- the ticket

    def _begin_job(self, job: J) -> None:
        self._mode = Mode.JOB
        self._job = job
        self._start_told = False
        self._job_begins(job)
        self._line.hurry(self._now_ms)

    def _tell_start(self, ref: int) -> None:
        if not self._start_told:
            self._start_told = True
            self._events.append(TicketStarted(self.name, self._now_ms, ref))

    def _conclude(self, verdict: JobVerdict) -> None:
        job = self._job
        assert job is not None
        self._job = None
        self._outcomes[job.ref] = verdict
        self._answer(job.ref, verdict)
        if verdict.outcome is TicketOutcome.PRINTED:
            self._chute.printed(self._now_ms)
        if verdict.outcome is TicketOutcome.NOT_STARTED:
            self._begin_clearing()
        else:
            self._mode = Mode.HOLDING
            self._held = job.ref, verdict.outcome

    def _answer(self, ref: int, verdict: JobVerdict) -> None:
        self._events.append(TicketDone(self.name, self._now_ms, ref, verdict.outcome, verdict.detail))

    # ---- time and the line

    def _disconnected(self) -> None:
        if self._job is not None and (verdict := self._job.lost()) is not None:
            self._conclude(verdict)

    def _tell_ready(self) -> None:
        ready = self._mode is Mode.IDLE and self._line.is_open and not self._obstacle()
        if ready != self._ready:
            self._ready = ready
            self._events.append(PrinterReady(self.name, self._now_ms, ready))
            if ready:
                self._unready.ready(self._now_ms)
        if ready:
            return
        if self._waits_for_a_hand() or self._mode not in (Mode.CLEARING, Mode.IDLE):
            self._unready.pause()
        else:
            self._unready.waits(self._now_ms)

    def _waits_for_a_hand(self) -> bool:
        """Paper is in the way that a guest is to take."""
        return False
