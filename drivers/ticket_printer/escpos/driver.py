"""Driver of ordinary receipt printers that speak ESC/POS, on a serial line or a USB serial adapter.

What is believed about a ticket is in `job`; this file says when it may be sent, and keeps ghosts
away: a job that stopped with paper out waits in the printer's buffer and would come out under the next
roll, long after its number was declared void. So the buffer is emptied in the same moment in which a
ticket is given up, again until the printer is on line, and before the first ticket of a connection. And no
ticket is sent before the printer has shown that its buffer is empty, by answering marks behind everything
that may still be in it (`_Sync`).

========  =====================================================================
mode      meaning
========  =====================================================================
watching  connected; the owner has said nothing yet: it is only looked at
job       a ticket is ordered, or asked about
holding   its outcome is told and not yet recorded
syncing   no ticket is open; the printer must show that it holds none either
idle      it has shown it: an order would be carried out
========  =====================================================================

These printers have no sensor that sees a ticket taken: there is no TicketPresented here, and a printed
ticket is held to be taken after a while, so that nobody is called to take it for ever.
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
    TicketTaken,
)
from drivers.link import PortOpened
from drivers.protocol.faults import FaultBook
from drivers.registry import Io
from drivers.ticket_printer.common.outcomes import remember
from drivers.ticket_printer.common.ticket_text import TicketRefusedError
from drivers.ticket_printer.common.unready import Unready
from drivers.ticket_printer.escpos import codec as escpos_codec
from drivers.ticket_printer.escpos.codec import MarkReply, NameReply
from drivers.ticket_printer.escpos.encoder import PARTS, Encoder, least_mm
from drivers.ticket_printer.escpos.health import Health
from drivers.ticket_printer.escpos.job import Job, Phase, Verdict, obstacle_of
from drivers.ticket_printer.escpos.line import Line, Round, Stands
from drivers.ticket_printer.escpos.options import PREPARE_MS, Options
from drivers.ticket_printer.escpos.sync import Sync
from drivers.ticket_printer.escpos.trial import QUICKEST_MM_S

__all__ = ["EscPosPrinter", "Options", "create"]

CLEAR_AGAIN_MS = 1000  # to a printer that stands; one that was lost must not leave a ghost
NO_STATUS = "it gives no status: nothing that it prints can be proven"
STUCK = "it does not finish what it holds; switch it off and on"
UNFIT = "it says that it has printed before it has: nothing that it prints can be proven"
RESTARTED = "it reads ahead and was silent in the ticket: it may have restarted"
DEAF = "it gives no answer to DLE EOT {} ({}): nothing that it prints can be proven"


class Mode(StrEnum):
    WATCHING = "watching"
    JOB = "job"
    HOLDING = "holding"
    SYNCING = "syncing"
    IDLE = "idle"


def create(name: str, options: Options, io: Io) -> EscPosPrinter:
    return EscPosPrinter(name, options, io)


class EscPosPrinter:
    """One printer on one serial line. See the module for its modes."""

    def __init__(self, name: str, options: Options, io: Io) -> None:
        self.name = name
        self.port = options.port  # for the service page
        self._patience = options.patience()
        self._encoder = Encoder(options.profile)
        self._clearing = options.clearing()
        self._named = options.marks == "named"
        self._line = Line(options.settings(), io.open_link, options.pace(), asks=options.status != "none")
        self._events: list[DeviceEvent] = []  # emptied by every tick
        self._faults = FaultBook(name, self._events.append)
        self._health = Health(self._faults, near_end=options.near_end, roll_mm=options.roll_mm)
        self._unready = Unready(self._faults)
        self._sync = Sync(named=self._named, identify=options.identify)
        self._mode = Mode.WATCHING
        self._job: Job | None = None
        self._start_told = False
        self._unanswered = 0  # questions, when the ticket was sent
        self._held: tuple[int, TicketOutcome] | None = None  # the ticket whose outcome is not recorded yet
        self._spoilt = True  # a ticket may stand half printed on the paper: nobody has seen it yet
        self._outcomes: dict[int, Verdict] = {}
        self._clear_at: int | None = None  # when the buffer is to be emptied
        self._syncing_since_ms: int | None = None
        self._off_line = False  # by the last round
        self._ordered_ms = 0
        self._not_taken_ms = options.not_taken_ms
        self._taken_at: int | None = None  # when the last ticket is held to be taken
        self._ready = False
        self._now_ms = 0
        self._is_planned = False
        self._planned_at: int | None = None  # `wake_at`, if it `_is_planned`: until a tick or an order
        if options.status == "none":
            self._health.keep("status", NO_STATUS)
            self._health.tell(0)

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
        due = [self._line.wake_at, None if self._job is None else self._job.deadline_ms, self._taken_at]
        if self._line.is_open and not self._line.pending:
            due.append(self._clear_at)
            if self._wants_sync():
                due.append(self._sync.due_ms)
        return min((at for at in due if at is not None), default=None)

    def fileno(self) -> int | None:
        return self._line.fileno()

    def tick(self, now_ms: int) -> Sequence[DeviceEvent]:
        self._now_ms = now_ms
        happenings, heard = self._line.listen(now_ms)
        quiet = not happenings and not self._line.moved and self._line.is_open and not self._line.pending
        if quiet and not self._may_act(now_ms):
            return ()
        self._is_planned = False
        for happening in happenings:
            if isinstance(happening, PortOpened):
                self._faults.clear(Fault.PORT_MISSING, now_ms)
                self._faults.clear(Fault.PORT_UNFIT, now_ms)
            else:
                self._faults.keep(happening.fault, happening.text, now_ms)
                self._disconnected()
        for found in heard:
            match found:
                case Round(condition=condition, began_ms=began_ms):
                    self._faults.clear(Fault.LINK_LOST, now_ms)
                    self._look(condition, began_ms)
                case Stands():
                    if self._job is not None:
                        self._job.stands()
                case MarkReply(name=name):
                    self._marked(name)
                case NameReply(text=text):
                    if self._sync.identified(text):
                        self._events.append(Identified(self.name, now_ms, text))
        self._listen_for_silence()
        self._pass_time()
        self._speak()
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
        return {**self._line.statistics, "lost_bytes": self._line.lost_bytes}

    # ---- orders

    def release(self) -> None:
        self._is_planned = False
        if self._mode is Mode.WATCHING:
            self._clear_at = self._now_ms
            self._begin_syncing()

    def inquire(self, ref: int) -> None:
        self._is_planned = False
        if self._job is not None and self._job.ref == ref:
            return  # it is being answered
        if ref in self._outcomes:
            self._answer(ref, self._outcomes[ref])
        elif self._mode is Mode.WATCHING:
            self._begin_job(Job(ref, (), (), self._patience, Phase.DOUBT))
            self._sync.begin(self._now_ms)
        else:
            self._answer(ref, Verdict(TicketOutcome.UNKNOWN, "nothing is known of that ticket"))

    def print_ticket(self, ref: int, ticket: TicketFields) -> None:
        self._is_planned = False
        if self._job is not None and self._job.ref == ref:
            return  # one order, one ticket, one outcome
        known = self._outcomes.get(ref)
        if known is not None and known.outcome is not TicketOutcome.NOT_STARTED:
            self._answer(ref, known)  # it is or may be on paper: never a second time
        elif not self._ready or self._mode is not Mode.IDLE:
            self._answer(ref, Verdict(TicketOutcome.NOT_STARTED, f"not ready: {self._why_not_ready()}"))
        else:
            try:
                parts = self._encoder.parts(ticket, spoilt=self._spoilt)
            except TicketRefusedError as error:
                self._answer(ref, Verdict(TicketOutcome.NOT_STARTED, str(error)))
            else:
                self._begin_job(Job(ref, parts, self._mark_names(ref), self._patience, Phase.PREPARING))

    def _mark_names(self, ref: int) -> tuple[str, ...]:
        """A mark behind each part, and one more to confirm. Letters, digits: no name is that of a sync."""
        return tuple(f"{chr(65 + at)}{ref % 1000:03d}" if self._named else "" for at in range(PARTS + 1))

    def recorded(self, ref: int) -> None:
        self._is_planned = False
        if self._mode is Mode.HOLDING and self._held is not None and self._held[0] == ref:
            if self._held[1] is TicketOutcome.UNKNOWN:
                self._clear_at = self._now_ms
            self._begin_syncing()

    def clear_fault(self) -> None:
        self._is_planned = False
        given_up = self._held is not None and self._held[1] is TicketOutcome.UNKNOWN
        if self._mode in (Mode.IDLE, Mode.SYNCING) or (self._mode is Mode.HOLDING and given_up):
            self._clear_at = self._now_ms  # never while a ticket may still be printed
            if self._sync.unfit:
                self._sync.lost(printer=True)
                self._begin_syncing()
        if self._mode is Mode.IDLE:
            self._begin_syncing()

    # ---- hearing

    def _look(self, condition: escpos_codec.Condition, began_ms: int) -> None:
        self._off_line = condition.off_line
        self._health.look(condition, self._now_ms)
        job = self._job
        if job is None:
            return
        if verdict := job.look(condition, began_ms):
            self._conclude(verdict)
        elif job.phase is Phase.PREPARING and began_ms >= self._ordered_ms:
            if not obstacle_of(condition):
                self._send(job)
            elif self._health.agreed is not None:
                detail = f"not sent: {self._health.obstacle()}"
                self._conclude(Verdict(TicketOutcome.NOT_STARTED, detail))
        elif job.may_confirm(condition, began_ms):
            self._line.statistics["resent"] += job.confirming
            job.confirming = self._line.send(escpos_codec.mark(job.next_mark), self._now_ms)

    def _listen_for_silence(self) -> None:
        """One that answers some questions and not others would be looked at for ever."""
        question = self._line.deaf_to
        self._health.keep("deaf", DEAF.format(question, escpos_codec.QUESTIONS[question]) if question else "")
        if question:
            self._faults.clear(Fault.LINK_LOST, self._now_ms)
            self._health.tell(self._now_ms)

    def _marked(self, name: str) -> None:
        job = self._job
        if job is None or job.phase is Phase.DOUBT:
            self._sync.mark(name, self._now_ms)
            return
        verdict = job.mark(name, self._now_ms)
        if job.started(self._now_ms) and not self._start_told:
            self._start_told = True
            self._events.append(TicketStarted(self.name, self._now_ms, job.ref))
        if verdict is not None:
            was_silent = self._line.statistics["no_answer"] != self._unanswered
            doubt = self._sync.reads_ahead and was_silent and verdict.outcome is TicketOutcome.PRINTED
            self._conclude(Verdict(TicketOutcome.UNKNOWN, RESTARTED) if doubt else verdict)

    # ---- the ticket

    def _begin_job(self, job: Job) -> None:
        self._mode = Mode.JOB
        self._job = job
        self._start_told = False
        self._ordered_ms = self._now_ms
        self._line.hurry(self._now_ms)

    def _send(self, job: Job) -> None:
        marks = [escpos_codec.mark(name) for name in job.marks]
        data = b"".join(part + mark for part, mark in zip(job.parts, marks, strict=False))
        paper_ms = [least_mm(part) * 1000 // QUICKEST_MM_S for part in job.parts]
        self._sync.lost()  # from here on the buffer is not known to be empty
        self._spoilt = False
        self._unanswered = self._line.statistics["no_answer"]
        line_ms = max(0, self._line.free_ms - self._now_ms) + self._line.line_ms(len(data))
        job.sent(self._now_ms, line_ms, (paper_ms[0], sum(paper_ms)))
        self._line.send(data, self._now_ms)

    def _conclude(self, verdict: Verdict) -> None:
        job = self._job
        assert job is not None
        self._job = None
        remember(self._outcomes, job.ref, verdict)
        self._answer(job.ref, verdict)
        if verdict.outcome is TicketOutcome.NOT_STARTED:
            self._begin_syncing()
            return
        self._mode = Mode.HOLDING
        self._held = job.ref, verdict.outcome
        if verdict.outcome is TicketOutcome.PRINTED:
            self._taken_at = self._now_ms + self._not_taken_ms
            self._health.ticket_was_printed()
            return
        self._spoilt = True
        self._sync.lost(printer=True)
        self._clear_at = self._now_ms  # in this very tick: before anybody has loaded paper
        if self._line.pending:
            self._line.reopen("the rest of a ticket that took too long was thrown away")

    def _answer(self, ref: int, verdict: Verdict) -> None:
        self._events.append(TicketDone(self.name, self._now_ms, ref, verdict.outcome, verdict.detail))

    def _begin_syncing(self) -> None:
        self._mode = Mode.SYNCING
        self._syncing_since_ms = None
        self._sync.begin(self._now_ms)
        self._line.hurry(self._now_ms)

    # ---- time and the line

    def _disconnected(self) -> None:
        self._health.disconnected()
        self._sync.lost(printer=True)
        if self._mode is Mode.IDLE:
            self._begin_syncing()
        if self._job is not None and (verdict := self._job.lost()) is not None:
            self._conclude(verdict)

    def _pass_time(self) -> None:
        if self._taken_at is not None and self._now_ms >= self._taken_at:
            self._taken_at = None
            self._events.append(TicketTaken(self.name, self._now_ms))
        if self._sync.judge(self._now_ms):
            self._syncing_since_ms = None
            self._health.keep("unfit", UNFIT if self._sync.unfit else "")
            self._health.tell(self._now_ms)
        if self._wants_sync():
            if self._mode is Mode.SYNCING and self._sync.done(self._now_ms):
                self._mode = Mode.IDLE
                self._stuck(False)
            elif self._sync.empty(self._now_ms) and self._job and (verdict := self._job.emptied()):
                self._conclude(verdict)
        if self._job is not None and (verdict := self._job.wait(self._now_ms)):
            self._conclude(verdict)
        if self._mode is Mode.SYNCING and self._wants_sync():
            since = self._syncing_since_ms = (
                self._now_ms if self._syncing_since_ms is None else self._syncing_since_ms
            )
            if self._now_ms - since >= PREPARE_MS:
                self._stuck(True)
        elif self._mode is Mode.SYNCING:
            self._syncing_since_ms = None

    def _stuck(self, stuck: bool) -> None:
        self._health.keep("stuck", STUCK if stuck else "")
        self._health.tell(self._now_ms)

    def _wants_sync(self) -> bool:
        """Whether the printer is to show that it holds nothing, and could."""
        asked = self._mode is Mode.SYNCING and not self._sync.unfit
        asked = asked or (self._job is not None and self._job.phase is Phase.DOUBT)
        agreed = self._health.agreed if self._line.complete else None
        return asked and agreed is not None and not obstacle_of(agreed)

    def _speak(self) -> None:
        now_ms, line = self._now_ms, self._line
        line.waiting = self._mode not in (Mode.IDLE, Mode.WATCHING) or self._health.agreed is None
        job = self._job
        unheard = self._mode is not Mode.WATCHING and not (line.complete and not line.deaf_to)
        line.thorough = unheard or (job is not None and job.phase in (Phase.PREPARING, Phase.CONFIRMING))
        if line.is_open and not line.pending:
            if self._clear_at is not None and now_ms >= self._clear_at:
                line.send(self._clearing, now_ms)
                self._clear_at = now_ms + CLEAR_AGAIN_MS if self._off_line else None
                self._sync.begin(now_ms)
            if self._wants_sync() and (data := self._sync.wanted(now_ms, tried=job is None)):
                line.send(data, now_ms)
        line.poll(now_ms)

    def _why_not_ready(self) -> str:
        if why := self._health.obstacle():
            return why
        return f"it is {self._mode.value}" if self._mode is not Mode.IDLE else "it is being looked at"

    def _tell_ready(self) -> None:
        ready = self._mode is Mode.IDLE and self._line.is_open and not self._health.obstacle()
        if ready != self._ready:
            self._ready = ready
            self._events.append(PrinterReady(self.name, self._now_ms, ready))
        self._watch_unready()

    def _watch_unready(self) -> None:
        if self._ready:
            self._unready.ready()
            self._health.unready("", self._now_ms)
        elif self._mode not in (Mode.SYNCING, Mode.IDLE):
            self._unready.pause()
        elif why := self._unready.waits(self._now_ms):
            self._health.unready(why, self._now_ms)
