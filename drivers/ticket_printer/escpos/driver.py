"""Driver of ordinary receipt printers that speak ESC/POS, on a serial line or a USB serial adapter.

What is believed about a ticket is in `job`, the modes are in `common.printer`; this file says when a ticket
may be sent, and keeps ghosts away: a job that stopped with paper out waits in the printer's buffer and would
come out under the next roll, long after its number was declared void. So the buffer is emptied in the same
moment in which a ticket is given up, again until the printer is on line, and before the first ticket of a
connection. And no ticket is sent before the printer has shown that its buffer is empty, by answering marks
behind everything that may still be in it (`Sync`).

These printers have no sensor that sees a ticket taken: there is no TicketPresented here, and a printed
ticket is held to be taken after a while, so that nobody is called to take it for ever.
"""

from __future__ import annotations

from drivers.device import Fault, Identified, TicketFields, TicketOutcome
from drivers.registry import Io
from drivers.ticket_printer.common.outcomes import JobVerdict
from drivers.ticket_printer.common.printer import Mode, Printer, earlier
from drivers.ticket_printer.escpos import codec as escpos_codec
from drivers.ticket_printer.escpos.codec import MarkReply, NameReply
from drivers.ticket_printer.escpos.encoder import PARTS, Encoder, least_mm
from drivers.ticket_printer.escpos.health import Health
from drivers.ticket_printer.escpos.job import Job, JobPhase, obstacle_of
from drivers.ticket_printer.escpos.line import Line, Stands, StatusRound
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


def create(name: str, options: Options, io: Io) -> EscPosPrinter:
    return EscPosPrinter(name, options, io)


class EscPosPrinter(Printer[Line, Job]):
    """One printer on one serial line."""

    FORGOTTEN = "nothing is known of that ticket"

    def __init__(self, name: str, options: Options, io: Io) -> None:
        super().__init__(name, options, Line(options, io.open_link))
        self._patience = options.patience()
        self._encoder = Encoder(options.profile)
        self._empties = options.clearing()
        self._named = options.marks == "named"
        self._health = Health(self._faults, self._unready, near_end=options.near_end, roll_mm=options.roll_mm)
        self._sync = Sync(named=self._named, identify=options.identify)
        self._unanswered = 0  # questions, when the ticket was sent
        self._spoilt = True  # a ticket may stand half printed on the paper: nobody has seen it yet
        self._clear_at: int | None = None  # when the buffer is to be emptied
        self._clearing_since_ms: int | None = None
        self._off_line = False  # by the last round
        self._ordered_ms = 0
        if options.status == "none":
            self._health.keep("status", NO_STATUS)
            self._health.tell(0)

    def _due(self) -> int | None:
        due = self._line.wake_at
        if self._line.is_open and not self._line.pending:
            due = earlier(due, self._clear_at)
            if self._wants_sync():
                due = earlier(due, self._sync.due_ms)
        return due

    def _act(self) -> None:
        for found in self._line.heard:
            match found:
                case StatusRound(condition=condition, began_ms=began_ms):
                    self._faults.clear(Fault.LINK_LOST, self._now_ms)
                    self._look(condition, began_ms)
                case Stands():
                    if self._job is not None:
                        self._job.stands()
                case MarkReply(name=name):
                    self._marked(name)
                case NameReply(text=text):
                    if self._sync.identified(text):
                        self._events.append(Identified(self.name, self._now_ms, text))
        self._listen_for_silence()
        self._pass_time()
        self._speak()

    def clear_fault(self) -> None:
        self._is_planned = False
        given_up = self._held is not None and self._held[1] is TicketOutcome.UNKNOWN
        if self._mode in (Mode.IDLE, Mode.CLEARING) or (self._mode is Mode.HOLDING and given_up):
            self._clear_at = self._now_ms  # never while a ticket may still be printed
            if self._sync.unfit:
                self._sync.lost(printer=True)
                self._begin_clearing()
        if self._mode is Mode.IDLE:
            self._begin_clearing()

    # ---- hearing

    def _look(self, condition: escpos_codec.PrinterStatus, began_ms: int) -> None:
        self._off_line = condition.off_line
        self._health.look(condition, self._now_ms)
        job = self._job
        if job is None:
            return
        if verdict := job.look(condition, began_ms):
            self._conclude(verdict)
        elif job.phase is JobPhase.PREPARING and began_ms >= self._ordered_ms:
            if not obstacle_of(condition):
                self._send(job)
            elif self._health.agreed is not None:
                detail = f"not sent: {self._health.obstacle()}"
                self._conclude(JobVerdict(TicketOutcome.NOT_STARTED, detail))
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
        if job is None or job.phase is JobPhase.DOUBT:
            self._sync.mark(name, self._now_ms)
            return
        verdict = job.mark(name, self._now_ms)
        if job.started(self._now_ms):
            self._tell_start(job.ref)
        if verdict is not None:
            was_silent = self._line.statistics["no_answer"] != self._unanswered
            doubt = self._sync.reads_ahead and was_silent and verdict.outcome is TicketOutcome.PRINTED
            self._conclude(JobVerdict(TicketOutcome.UNKNOWN, RESTARTED) if doubt else verdict)

    # ---- the ticket

    def _new_job(self, ref: int, ticket: TicketFields | None) -> Job:
        if ticket is None:
            return Job(ref, (), (), self._patience, JobPhase.DOUBT)
        parts = self._encoder.parts(ticket, spoilt=self._spoilt)
        # A mark behind each part, and one more to confirm. Letters, digits: no name is that of a sync.
        marks = tuple(f"{chr(65 + at)}{ref % 1000:03d}" if self._named else "" for at in range(PARTS + 1))
        return Job(ref, parts, marks, self._patience, JobPhase.PREPARING)

    def _job_begins(self, job: Job) -> None:
        self._ordered_ms = self._now_ms
        if job.phase is JobPhase.DOUBT:
            self._sync.begin(self._now_ms)

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

    def _conclude(self, verdict: JobVerdict) -> None:
        super()._conclude(verdict)
        if verdict.outcome is TicketOutcome.PRINTED:
            self._health.ticket_was_printed()
        elif verdict.outcome is TicketOutcome.UNKNOWN:
            self._spoilt = True
            self._sync.lost(printer=True)
            self._clear_at = self._now_ms  # in this very tick: before anybody has loaded paper
            if self._line.pending:
                self._line.reopen("the rest of a ticket that took too long was thrown away")

    def _begin_clearing(self, *, in_doubt: bool = False) -> None:
        if in_doubt:
            self._clear_at = self._now_ms
        self._mode = Mode.CLEARING
        self._clearing_since_ms = None
        self._sync.begin(self._now_ms)
        self._line.hurry(self._now_ms)

    # ---- time and the line

    def _disconnected(self) -> None:
        self._health.disconnected()
        self._sync.lost(printer=True)
        if self._mode is Mode.IDLE:
            self._begin_clearing()
        super()._disconnected()

    def _pass_time(self) -> None:
        self._chute.wait(self._now_ms)
        if self._sync.judge(self._now_ms):
            self._clearing_since_ms = None
            self._health.keep("unfit", UNFIT if self._sync.unfit else "")
            self._health.tell(self._now_ms)
        if self._wants_sync():
            if self._mode is Mode.CLEARING and self._sync.done(self._now_ms):
                self._mode = Mode.IDLE
                self._stuck(False)
            elif self._sync.empty(self._now_ms) and self._job and (verdict := self._job.emptied()):
                self._conclude(verdict)
        if self._job is not None and (verdict := self._job.wait(self._now_ms)):
            self._conclude(verdict)
        if self._mode is Mode.CLEARING and self._wants_sync():
            since = self._clearing_since_ms = (
                self._now_ms if self._clearing_since_ms is None else self._clearing_since_ms
            )
            if self._now_ms - since >= PREPARE_MS:
                self._stuck(True)
        elif self._mode is Mode.CLEARING:
            self._clearing_since_ms = None

    def _stuck(self, stuck: bool) -> None:
        self._health.keep("stuck", STUCK if stuck else "")
        self._health.tell(self._now_ms)

    def _wants_sync(self) -> bool:
        """Whether the printer is to show that it holds nothing, and could."""
        asked = self._mode is Mode.CLEARING and not self._sync.unfit
        asked = asked or (self._job is not None and self._job.phase is JobPhase.DOUBT)
        agreed = self._health.agreed if self._line.complete else None
        return asked and agreed is not None and not obstacle_of(agreed)

    def _speak(self) -> None:
        now_ms, line = self._now_ms, self._line
        line.waiting = self._mode not in (Mode.IDLE, Mode.WATCHING) or self._health.agreed is None
        job = self._job
        unheard = self._mode is not Mode.WATCHING and not (line.complete and not line.deaf_to)
        line.thorough = unheard or (
            job is not None and job.phase in (JobPhase.PREPARING, JobPhase.CONFIRMING)
        )
        if line.is_open and not line.pending:
            if self._clear_at is not None and now_ms >= self._clear_at:
                line.send(self._empties, now_ms)
                self._clear_at = now_ms + CLEAR_AGAIN_MS if self._off_line else None
                self._sync.begin(now_ms)
            if self._wants_sync() and (data := self._sync.wanted(now_ms, tried=job is None)):
                line.send(data, now_ms)
        line.poll(now_ms)

    def _why_not_ready(self) -> str:
        if why := self._obstacle():
            return why
        doing = {Mode.IDLE: "being looked at", Mode.CLEARING: "syncing"}
        return f"it is {doing.get(self._mode, self._mode.value)}"

    def _obstacle(self) -> str:
        return self._health.obstacle()
