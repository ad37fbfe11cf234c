"""The conversation with an ID-003 device: what to say next, and what an answer means.

    CLOSED -> PROBE   poll until something answers like a validator
           -> PROVE   VERSION must be answered with a text: a looped line gives it back empty (LOOP)
           -> WATCH   poll; the first definite status is told to the owner (ValidatorReport)
              HELD    it lost power (40, 41, 42): its answer is evidence, RESET waits for reset()
              RESET -> STARTING -> SETUP -> WATCH   after reset(), and whenever it is not set up

INITIALIZE at any time means that the device restarted itself: SETUP again. While the device is open for notes
it is proven again and again: the echo of a poll is the status "idle", so a line that has become a loop looks
as well as can be.
"""

from __future__ import annotations

from collections.abc import Callable

from drivers.bill_validator.common.document import WAITING, EscrowedPaper, ValidatorStatus, Want
from drivers.bill_validator.common.line import LineTiming, ValidatorLine
from drivers.bill_validator.common.session import ValidatorSession
from drivers.bill_validator.id003.codec import (
    REJECTS,
    TICKET_CODE,
    Command,
    Decoder,
    Id003Message,
    Status,
    frame,
    masked,
    meaning,
    printable,
)
from drivers.bill_validator.id003.options import Options
from drivers.bill_validator.id003.phase import SessionPhase
from drivers.bill_validator.id003.request import Request, RequestKind
from drivers.bill_validator.id003.setup import (
    ACCEPT,
    INHIBIT,
    SetupStep,
    SetupSteps,
    judge,
    note_rows,
    steps,
)
from drivers.bill_validator.id003.status import (
    IDLE_CODES,
    POWER_UPS,
    SEEN,
    STATUS_FAULTS,
    STATUSES,
    fault_of,
)
from drivers.device import DeviceEvent, Fault, OpenDocument
from drivers.link import OpenLink, SerialSettings
from drivers.protocol.exchange import next_beat

GAP_MS = 10
REST_MS = 200
HOLD_EVERY_MS = 8000  # the device gives a note back about 10 s after ESCROW or HOLD
ATTEMPTS = 3  # for requests that may be repeated: RESET, settings, information
LOOP_RETRY_MS = 2000
START_MS = 6000  # RESET to INITIALIZE; then RESET again
STALE_MS = 1000  # after RESET the device may show its old status for a moment
SETUP_RETRY_MS = 1000
SELF_TEST_MS = 15_000  # end of setup to idle; then setup again
PROVE_AGAIN_MS = 20_000  # idle and open, as an echo would be too

_POLL = Request(RequestKind.POLL)
_WATCH = SessionPhase.WATCH  # looked up at each tick
_POLL_FRAME = frame(Command.STATUS_REQUEST)
_ACK_FRAME = frame(Command.ACK)
_ORDERS = {Want.STACK: Command.STACK_2, Want.GIVE_BACK: Command.RETURN, Want.HOLD: Command.HOLD}


class Id003Session(ValidatorSession):
    """The phases of the conversation, and what is said in each."""

    line: ValidatorLine[Request, Id003Message]

    def __init__(
        self, name: str, options: Options, open_link: OpenLink, emit: Callable[[DeviceEvent], None]
    ) -> None:
        super().__init__(name, options, emit, tickets=options.barcode, hold_every_ms=HOLD_EVERY_MS)
        self.phase = SessionPhase.CLOSED
        first_steps = steps(high_security=options.high_security, tickets=options.barcode)
        self._setup = SetupSteps(self._values, self._identity, first_steps)
        self.line = ValidatorLine(
            # Some units wire RTS to a lamp in their bezel: leave it off.
            SerialSettings(options.port, options.baud, parity="E", rts=False),
            open_link,
            timing=LineTiming(answer=options.answer_ms, gap=GAP_MS, rest=REST_MS),
            decoder=Decoder(),
            meaning=meaning,
            masked=masked,
            hear=self._hear,
            lapse=self._lapse,
        )
        self._phase_since_ms = 0
        self._reset_ordered = False
        self._was_reset = False  # before it was proven
        self._proven_ms = 0  # when the last text came, which no echo gives
        self._held: int | None = None  # the power-up status that was reported and not yet left
        self._testing = False  # set up, and not seen idle since
        self._escrow_unread = False  # a note waits and the currency table is not known

    # ---- the line

    @property
    def _is_connected(self) -> bool:
        return self.phase is not SessionPhase.CLOSED

    def _opened(self) -> None:
        self._enter(SessionPhase.PROBE)

    def _closed(self) -> None:
        self._lose(SessionPhase.CLOSED)

    def _silent(self) -> None:
        if self.phase is not SessionPhase.PROBE:
            self._lose(SessionPhase.PROBE)

    def _enter(self, phase: SessionPhase) -> None:
        self.phase = phase
        self._phase_since_ms = self.now_ms

    def _lose(self, phase: SessionPhase) -> None:
        self._enter(phase)
        self._forget()
        self._setup.forget()
        self._reset_ordered = self._was_reset = self._escrow_unread = False
        self._held = None

    def adopt(self, document: OpenDocument | None) -> None:
        """The device itself says what is open, and goes on saying it."""

    def reset(self) -> None:
        """Ordered by the owner. A silent device gets it too: some are deaf to all else after a minute of
        VEND VALID without ACK."""
        if self.phase in (SessionPhase.PROBE, SessionPhase.WATCH, SessionPhase.HELD, SessionPhase.SETUP):
            self._reset_ordered = True

    def _watch(self) -> None:
        if self.phase is not _WATCH or self._testing:
            self._watch_start()
        elif not self._patience.is_heard:
            self._patience.answers()

    def _watch_start(self) -> None:
        """The phases in which a unit is not ready, and a silent one that only RESET revives."""
        patience, now_ms = self._patience, self.now_ms
        match self.phase:
            case SessionPhase.PROBE:
                patience.silent(now_ms)
                # What it holds is asked first: it gets RESET after many polls that nobody answers.
                if not self._was_reset and patience.may_restart(now_ms):
                    self._reset_ordered = True
            case SessionPhase.HELD | SessionPhase.RESET | SessionPhase.STARTING | SessionPhase.SETUP if (
                not self._setup.trouble
            ):
                patience.answers()
                patience.unready(f"it does not come up ({self.phase.value})", now_ms)
            case SessionPhase.WATCH:
                patience.answers()
                patience.unready("its self-test does not end", now_ms)
            case SessionPhase.PROVE:
                patience.answers()

    # ---- what to say next

    def next_at(self) -> int:
        """When there is something to say."""
        now, desk = self.now_ms, self.desk
        match self.phase:
            case SessionPhase.PROVE:
                return now
            case _ if self._reset_ordered:
                return now
            case SessionPhase.WATCH:
                if desk.poll_soon or desk.wants(now) is not None or self._escrow_unread:
                    return now
                at = self._poll_at
                if self._telling_due():
                    at = min(at, self.accept.tell_at)
                if desk.document is None:
                    return at
                return at if desk.hold_at is None else min(at, desk.hold_at)
            case _:
                return self._poll_at

    def _send(self) -> None:
        now = self.now_ms
        if self._reset_ordered:
            self._reset_ordered = False
            if self.phase is SessionPhase.PROBE:
                self.line.ask(Request(RequestKind.RESET), frame(Command.RESET), now)
                return
            self._patience.document(None, now)
            self._enter(SessionPhase.RESET)
        match self.phase:
            case SessionPhase.PROVE:
                self._ask(RequestKind.VERSION, Command.VERSION)
            case SessionPhase.RESET:
                self._ask(RequestKind.RESET, Command.RESET)
            case SessionPhase.LOOP if now >= self._poll_at:
                self._poll_at = now + LOOP_RETRY_MS
                self.line.ask(Request(RequestKind.VERSION), frame(Command.VERSION), now)
            case SessionPhase.SETUP if now >= self._poll_at:
                step = self._setup.step
                self.line.ask(Request(RequestKind.STEP), frame(step.code, step.data), now, ATTEMPTS)
            case SessionPhase.WATCH if self._send_in_watch():
                pass
            case SessionPhase.PROBE | SessionPhase.WATCH | SessionPhase.HELD | SessionPhase.STARTING:
                if now >= self._poll_at or self.desk.poll_soon:
                    self._poll_at = next_beat(now, self._options.poll_ms)
                    self.line.poll(_POLL, _POLL_FRAME, now)
            case _:
                pass

    def _send_in_watch(self) -> bool:
        now = self.now_ms
        want = self.desk.wants(now)
        if want is Want.ACKNOWLEDGE:
            self.line.tell(_ACK_FRAME, now)
            self.desk.sent(want)
        elif want is not None:
            # Sent once: whether a lost STACK was taken is asked with a poll before it is said again.
            self.line.ask(Request(RequestKind.NOTE, want=want), frame(_ORDERS[want]), now)
            self.desk.sent(want)
        elif self._escrow_unread:
            self._ask(RequestKind.TABLE, Command.CURRENCY)
        elif self._telling_due() and now >= self.accept.tell_at:
            allowed = self._may_accept()
            self.accept.telling(allowed, now)
            step = SetupStep(Command.INHIBIT, ACCEPT if allowed else INHIBIT)
            self.line.ask(Request(RequestKind.INHIBIT, step=step), frame(step.code, step.data), now)
        else:
            return False
        return True

    def _ask(self, kind: RequestKind, command: Command) -> None:
        self.line.ask(Request(kind), frame(command), self.now_ms, ATTEMPTS)

    @property
    def _barred(self) -> str:
        return self._setup.trouble or self._identity.wrong

    def _telling_due(self) -> bool:
        if not self._setup.is_done or self._testing:
            return False
        return self.accept.setting is not self._may_accept()

    # ---- what comes back

    def _hear(self, request: Request, message: Id003Message) -> bool:
        """Does ``message`` answer ``request``? If so, act on it."""
        code, refused = message.code, message.code == Status.INVALID_COMMAND
        match request.kind:
            case RequestKind.POLL:
                if code not in STATUSES:
                    return False
                self._hear_status(message)
                return True
            case RequestKind.VERSION if code == Command.VERSION and not message.data:
                self._looped()
                return True
            case RequestKind.VERSION if code == Command.VERSION or refused:
                self._proven(printable(message.data))
            case RequestKind.TABLE if code == Command.CURRENCY or refused:
                self._values.rows = () if refused else note_rows(message.data)
                self._escrow_unread = False
                self._poll_at = self.now_ms
            case RequestKind.RESET if code == Status.ACK or refused:
                self._poll_at = self.now_ms
                if self.phase is SessionPhase.PROBE:
                    self._was_reset = True  # it is proven before anything else is believed
                    return True
                self._enter(SessionPhase.STARTING)
            case RequestKind.STEP:
                taken = self._setup.take(message, self.now_ms)
                if taken is None:
                    return False
                if not taken or self._setup.is_done:
                    self._setup_ended()
            case RequestKind.INHIBIT if request.step is not None:
                taken = judge(request.step, message)
                if taken is None:
                    return False
                if taken:
                    self.accept.taken(request.step.data == ACCEPT)
            case RequestKind.NOTE if request.want is not None and (code == Status.ACK or refused):
                self.desk.answered(request.want, not refused, self.now_ms)
            case _:
                return False
        self._presence.alive(self.now_ms)
        return True

    def _lapse(self, request: Request, final: bool) -> None:
        """No answer to one attempt of ``request``."""
        match request.kind:
            case RequestKind.NOTE if request.want is not None:
                self.desk.answered(request.want, None, self.now_ms)
                self._poll_at = self.now_ms
            case RequestKind.TABLE if final:
                self._values.rows = ()  # then the note is unknown and goes back
                self._escrow_unread = False
            case RequestKind.VERSION if final:
                self._enter(SessionPhase.PROBE)
            case RequestKind.RESET if final and self.phase is SessionPhase.RESET:
                self._enter(SessionPhase.STARTING)
            case RequestKind.STEP if final:
                self._enter(SessionPhase.WATCH)
            case RequestKind.INHIBIT:
                self.accept.tell_at = self.now_ms  # whichever got lost, the order or its echo: at once again
            case _:
                pass
        self._miss("no answer")

    def _looped(self) -> None:
        self._presence.looped(self.now_ms)
        if self.phase is not SessionPhase.LOOP:
            self._lose(SessionPhase.LOOP)
            self._poll_at = self.now_ms + LOOP_RETRY_MS

    def _proven(self, identity: str) -> None:
        self._presence.proven(self.now_ms)
        self._proven_ms = self.now_ms
        self._enter(SessionPhase.STARTING if self._was_reset else SessionPhase.WATCH)
        self._was_reset = False
        self._poll_at = self.now_ms
        self._identity.tell(identity, self.now_ms)

    # ---- statuses

    def _hear_status(self, message: Id003Message) -> None:
        code = message.code
        if self.phase is SessionPhase.PROBE:
            self._enter(SessionPhase.PROVE)
            return
        if code in (Status.COMMUNICATION_ERROR, Status.INVALID_COMMAND):
            self._miss("only error messages")
            return
        self._presence.alive(self.now_ms)
        fault = fault_of(message)
        bars = self._barred
        trouble = fault or (Fault.DEVICE_FAILED if bars else None, bars)
        if fault is not None:  # it has said itself what is wrong
            self._patience.document(None, self.now_ms)
            self._patience.ready(self.now_ms)
        if self._faults or trouble[0] is not None:
            self._faults.only(*trouble, STATUS_FAULTS, self.now_ms)
        match self.phase:
            case SessionPhase.HELD:
                self._status_held(message, fault is not None)
            case SessionPhase.STARTING:
                self._status_starting(message, fault is not None)
            case SessionPhase.WATCH if fault is not None:
                if code != Status.PAUSE:  # a pause says nothing about the document
                    self.desk.fault_seen(self.now_ms)
            case SessionPhase.WATCH:
                self._status_watched(message)
            case _:
                pass

    def _status_held(self, message: Id003Message, is_fault: bool) -> None:
        if message.code in POWER_UPS:
            if message.code != self._held:
                self._report_power_up(message.code)
        elif not is_fault:  # it came up without us
            self._enter(SessionPhase.WATCH)
            self._status_watched(message)

    def _status_starting(self, message: Id003Message, is_fault: bool) -> None:
        code, age_ms = message.code, self.now_ms - self._phase_since_ms
        if code == Status.INITIALIZE:
            self._start_setup()
        elif code in POWER_UPS and code not in (self._held, Status.POWER_UP):
            self._report_power_up(code)
        elif code == Status.VEND_VALID:
            self._enter(SessionPhase.WATCH)
            self._status_watched(message)
        elif code in (Status.REJECTING, Status.RETURNING):
            self.desk.see(SEEN[code], self.now_ms, reason=_reason(message))
        elif is_fault and age_ms >= STALE_MS:
            self._enter(SessionPhase.WATCH)  # the owner resets again when the cause is gone
        elif code in IDLE_CODES and age_ms >= STALE_MS:
            self._start_setup()
        elif not is_fault and age_ms >= START_MS:
            self._enter(SessionPhase.RESET)

    def _status_watched(self, message: Id003Message) -> None:
        code, now = message.code, self.now_ms
        if code in POWER_UPS:
            self._report_power_up(code)
            return
        if code == Status.INITIALIZE:
            if not (self._testing and now - self._phase_since_ms < SELF_TEST_MS):
                self._start_setup()
            return
        self._testing = False
        status = SEEN[code]
        if status is ValidatorStatus.ESCROW and self._values.rows is None:
            self._works_on(status)
            self._escrow_unread = True
        else:
            self._see(status, paper=self._paper(message), reason=_reason(message))

    def _paper(self, message: Id003Message) -> EscrowedPaper | None:
        data = message.data
        if not data or SEEN.get(message.code) not in WAITING:
            return None
        if data[0] == TICKET_CODE:
            return self._values.ticket(data, data[1:].decode("ascii", "replace"))
        return self._values.note(data, data[0])

    def _report_power_up(self, code: int) -> None:
        self._held = code
        self._setup.is_done = False
        self.accept.forget()
        self._enter(SessionPhase.HELD)
        self._report(POWER_UPS[code])

    def _stands_idle(self, *, opened: bool) -> None:
        if not self._setup.is_done:
            self._enter(SessionPhase.RESET)
            return
        if not self._confirm(opened=opened) or (opened and self.now_ms - self._proven_ms >= PROVE_AGAIN_MS):
            self._enter(SessionPhase.PROVE)
        if self._patience.wants_restart and self._patience.may_restart(self.now_ms):
            self._enter(SessionPhase.RESET)

    # ---- setup

    def _start_setup(self) -> None:
        self._held = None
        self.accept.forget()
        self._patience.began_again()
        self._setup.begin()
        self._poll_at = self.now_ms + (SETUP_RETRY_MS if self._setup.trouble else 0)
        self._enter(SessionPhase.SETUP)

    def _setup_ended(self) -> None:
        """Well or not: the next poll shows where the device stands."""
        if self._setup.is_done:
            self._testing = True
            self.accept.setting = False  # the setup has told it to inhibit
        self._enter(SessionPhase.WATCH)
        self._poll_at = self.now_ms


def _reason(message: Id003Message) -> str:
    """Why it gives a document back by itself."""
    if message.code != Status.REJECTING:
        return ""
    data = message.data
    return REJECTS.get(data[0], f"unknown reason {data[0]:02X}") if data else "rejected"
