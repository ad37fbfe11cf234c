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

from collections.abc import Callable, Sequence

from drivers.bill_validator.id003.accept import Acceptance
from drivers.bill_validator.id003.codec import (
    Command,
    Id003Message,
    Status,
    frame,
    parse_currency_table,
    printable,
)
from drivers.bill_validator.id003.document import IDLE, Want
from drivers.bill_validator.id003.line import Line, Request, RequestKind
from drivers.bill_validator.id003.note import NoteDesk
from drivers.bill_validator.id003.options import Options
from drivers.bill_validator.id003.patience import Patience, held_by
from drivers.bill_validator.id003.presence import Presence, PresencePhase
from drivers.bill_validator.id003.setup import NoteValues, SetupStep, SetupSteps, judge, steps
from drivers.bill_validator.id003.status import DEFINITE, POWER_UPS, STATUS_FAULTS, STATUSES, fault_of
from drivers.device import DeviceEvent, Fault, Holding, ValidatorReport
from drivers.link import OpenLink, PortHappening, PortOpened, SerialSettings
from drivers.protocol.exchange import next_beat
from drivers.protocol.faults import FaultBook

ATTEMPTS = 3  # for requests that may be repeated: RESET, settings, information
LOOP_RETRY_MS = 2000
START_MS = 6000  # RESET to INITIALIZE; then RESET again
STALE_MS = 1000  # after RESET the device may show its old status for a moment
SETUP_RETRY_MS = 1000
SELF_TEST_MS = 15_000  # end of setup to idle; then setup again
PROVE_AGAIN_MS = 20_000  # idle and open, as an echo would be too

_POLL = Request(RequestKind.POLL)
_WATCH = PresencePhase.WATCH  # looked up at each tick
_POLL_FRAME = frame(Command.STATUS_REQUEST)
_ORDERS = {Want.STACK: Command.STACK_2, Want.GIVE_BACK: Command.RETURN, Want.HOLD: Command.HOLD}


class Session:
    """Everything that is known about the device. The owner's orders go to ``desk`` and ``accept``."""

    def __init__(
        self, name: str, options: Options, open_link: OpenLink, emit: Callable[[DeviceEvent], None]
    ) -> None:
        self.now_ms = 0  # set by the owner before anything else happens in an instant
        self.phase = PresencePhase.CLOSED
        self._name = name
        self._options = options
        self._emit = emit
        self._faults = FaultBook(name, emit)
        self._presence = Presence(self._faults, options.port, options.missed_polls)
        self._patience = Patience(self._faults)
        self.accept = Acceptance(name, emit)
        self._values = NoteValues(options.currency, options.enabled_cents)
        first_steps = steps(high_security=options.high_security, tickets=options.barcode)
        self._setup = SetupSteps(name, emit, self._faults, self._values, first_steps, options.firmware)
        self.desk = NoteDesk(name, emit, self._faults, self._values, tickets=options.barcode)
        # Some units wire RTS to a lamp in their bezel: leave it off.
        settings = SerialSettings(options.port, options.baud, parity="E", rts=False)
        self.line = Line(settings, open_link, answer_ms=options.answer_ms, hear=self._hear, lapse=self._lapse)
        self._phase_since_ms = 0
        self._poll_at = 0
        self._reported = False  # ValidatorReport since the line came up
        self._reset_ordered = False
        self._was_reset = False  # before it was proven
        self._proven_ms = 0  # when the last text came, which no echo gives
        self._held: int | None = None  # the power-up status that was reported and not yet left
        self._testing = False  # set up, and not seen idle since
        self._escrow_unread = False  # a note waits and the currency table is not known

    # ---- the line

    def port_changed(self, happenings: Sequence[PortHappening]) -> None:
        for happening in happenings:
            if isinstance(happening, PortOpened):
                self._faults.clear(Fault.PORT_MISSING, self.now_ms)
                self._faults.clear(Fault.PORT_UNFIT, self.now_ms)
                self._poll_at = self.now_ms
                self._presence.alive(self.now_ms)
                self._enter(PresencePhase.PROBE)
            else:
                self._faults.keep(happening.fault, happening.text, self.now_ms)

    def _enter(self, phase: PresencePhase) -> None:
        self.phase = phase
        self._phase_since_ms = self.now_ms

    def _lose(self, phase: PresencePhase) -> None:
        """The device is gone: nothing that was known about it holds any more."""
        self._enter(phase)
        self._patience.lost(self.now_ms)
        self.line.drop()
        self.desk.forget()
        self._setup.forget()
        self.accept.forget()
        self._reported = self._reset_ordered = self._was_reset = self._escrow_unread = False
        self._held = None

    def reset(self) -> None:
        """Ordered by the owner. A silent device gets it too: some are deaf to all else after a minute of
        VEND VALID without ACK."""
        if self.phase in (PresencePhase.PROBE, PresencePhase.WATCH, PresencePhase.HELD, PresencePhase.SETUP):
            self._reset_ordered = True

    def tick(self) -> None:
        """Something was heard, or something is due."""
        line, now_ms = self.line, self.now_ms
        if line.port.is_open:
            line.keep_time(now_ms)
            if self.phase is not _WATCH or self._testing:
                self._watch_start()
            elif not self._patience.is_heard:
                self._patience.answers()
            if line.free(now_ms):
                self._send()
        if not line.port.is_open and self.phase is not PresencePhase.CLOSED:
            self._lose(PresencePhase.CLOSED)

    def _watch_start(self) -> None:
        """The phases in which a unit is not ready, and a silent one that only RESET revives."""
        patience, now_ms = self._patience, self.now_ms
        match self.phase:
            case PresencePhase.PROBE:
                patience.silent(now_ms)
                # What it holds is asked first: it gets RESET after many polls that nobody answers.
                if not self._was_reset and patience.may_restart(now_ms):
                    self._reset_ordered = True
            case PresencePhase.HELD | PresencePhase.RESET | PresencePhase.STARTING | PresencePhase.SETUP if (
                not self._setup.trouble
            ):
                patience.answers()
                patience.unready(f"it does not come up ({self.phase.value})", now_ms)
            case PresencePhase.WATCH:
                patience.answers()
                patience.unready("its self-test does not end", now_ms)
            case PresencePhase.PROVE:
                patience.answers()

    # ---- what to say next

    def next_at(self) -> int:
        """When there is something to say."""
        now, desk = self.now_ms, self.desk
        match self.phase:
            case PresencePhase.PROVE:
                return now
            case _ if self._reset_ordered:
                return now
            case PresencePhase.WATCH:
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
            if self.phase is PresencePhase.PROBE:
                self.line.ask(Request(RequestKind.RESET), frame(Command.RESET), now)
                return
            self._patience.document(None, now)
            self._enter(PresencePhase.RESET)
        match self.phase:
            case PresencePhase.PROVE:
                self._ask(RequestKind.VERSION, Command.VERSION)
            case PresencePhase.RESET:
                self._ask(RequestKind.RESET, Command.RESET)
            case PresencePhase.LOOP if now >= self._poll_at:
                self._poll_at = now + LOOP_RETRY_MS
                self.line.ask(Request(RequestKind.VERSION), frame(Command.VERSION), now)
            case PresencePhase.SETUP if now >= self._poll_at:
                step = self._setup.step
                self.line.ask(Request(RequestKind.STEP), frame(step.code, step.data), now, ATTEMPTS)
            case PresencePhase.WATCH if self._send_in_watch():
                pass
            case PresencePhase.PROBE | PresencePhase.WATCH | PresencePhase.HELD | PresencePhase.STARTING:
                if now >= self._poll_at or self.desk.poll_soon:
                    self._poll_at = next_beat(now, self._options.poll_ms)
                    self.line.ask(_POLL, _POLL_FRAME, now)
            case _:
                pass

    def _send_in_watch(self) -> bool:
        now = self.now_ms
        want = self.desk.wants(now)
        if want is Want.ACKNOWLEDGE:
            self.line.acknowledge(now)
            self.desk.sent(want)
        elif want is not None:
            # Sent once: whether a lost STACK was taken is asked with a poll before it is said again.
            self.line.ask(Request(RequestKind.NOTE, want=want), frame(_ORDERS[want]), now)
            self.desk.sent(want)
        elif self._escrow_unread:
            self._ask(RequestKind.TABLE, Command.CURRENCY)
        elif self._telling_due() and now >= self.accept.tell_at:
            step = SetupStep(Command.INHIBIT, self.accept.telling(self._may_accept(), now))
            self.line.ask(Request(RequestKind.INHIBIT, step=step), frame(step.code, step.data), now)
        else:
            return False
        return True

    def _ask(self, kind: RequestKind, command: Command) -> None:
        self.line.ask(Request(kind), frame(command), self.now_ms, ATTEMPTS)

    def _may_accept(self) -> bool:
        if not self.accept.wanted or self._setup.trouble or self._setup.wrong_firmware:
            return False
        return not self._faults.raised or Fault.WRONG_CURRENCY not in self._faults

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
                self._values.rows = () if refused else parse_currency_table(message.data)
                self._escrow_unread = False
                self._poll_at = self.now_ms
            case RequestKind.RESET if code == Status.ACK or refused:
                self._poll_at = self.now_ms
                if self.phase is PresencePhase.PROBE:
                    self._was_reset = True  # it is proven before anything else is believed
                    return True
                self._enter(PresencePhase.STARTING)
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
                    self.accept.echoed(request.step.data)
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
                self._enter(PresencePhase.PROBE)
            case RequestKind.RESET if final and self.phase is PresencePhase.RESET:
                self._enter(PresencePhase.STARTING)
            case RequestKind.STEP if final:
                self._enter(PresencePhase.WATCH)
            case RequestKind.INHIBIT:
                self.accept.tell_at = self.now_ms  # whichever got lost, the order or its echo: at once again
            case _:
                pass
        self._miss("no answer")

    def _miss(self, what: str) -> None:
        if not self._presence.missed(what, self.now_ms):
            return
        if self.phase is not PresencePhase.PROBE:
            self._lose(PresencePhase.PROBE)
        if why := self._presence.too_silent(self.now_ms):
            self.line.port.reopen(why)

    def _looped(self) -> None:
        self._presence.looped(self.now_ms)
        if self.phase is not PresencePhase.LOOP:
            self._lose(PresencePhase.LOOP)
            self._poll_at = self.now_ms + LOOP_RETRY_MS

    def _proven(self, identity: str) -> None:
        self._presence.proven(self.now_ms)
        self._proven_ms = self.now_ms
        self._enter(PresencePhase.STARTING if self._was_reset else PresencePhase.WATCH)
        self._was_reset = False
        self._poll_at = self.now_ms
        self._setup.identify(identity, self.now_ms)

    # ---- statuses

    def _hear_status(self, message: Id003Message) -> None:
        code = message.code
        if self.phase is PresencePhase.PROBE:
            self._enter(PresencePhase.PROVE)
            return
        if code in (Status.COMMUNICATION_ERROR, Status.INVALID_COMMAND):
            self._miss("only error messages")
            return
        self._presence.alive(self.now_ms)
        fault = fault_of(message)
        bars = self._setup.trouble or self._setup.wrong_firmware
        trouble = fault or (Fault.DEVICE_FAILED if bars else None, bars)
        if fault is not None:  # it has said itself what is wrong
            self._patience.document(None, self.now_ms)
            self._patience.ready(self.now_ms)
        if self._faults or trouble[0] is not None:
            self._faults.only(*trouble, STATUS_FAULTS, self.now_ms)
        match self.phase:
            case PresencePhase.HELD:
                self._status_held(message, fault is not None)
            case PresencePhase.STARTING:
                self._status_starting(message, fault is not None)
            case PresencePhase.WATCH if fault is not None:
                if code != Status.PAUSE:  # a pause says nothing about the document
                    self.desk.fault_seen(self.now_ms)
            case PresencePhase.WATCH:
                self._status_watched(message)
            case _:
                pass

    def _status_held(self, message: Id003Message, is_fault: bool) -> None:
        if message.code in POWER_UPS:
            if message.code != self._held:
                self._report_power_up(message.code)
        elif not is_fault:  # it came up without us
            self._enter(PresencePhase.WATCH)
            self._status_watched(message)

    def _status_starting(self, message: Id003Message, is_fault: bool) -> None:
        code, age_ms = message.code, self.now_ms - self._phase_since_ms
        if code == Status.INITIALIZE:
            self._start_setup()
        elif code in POWER_UPS and code not in (self._held, Status.POWER_UP):
            self._report_power_up(code)
        elif code == Status.VEND_VALID:
            self._enter(PresencePhase.WATCH)
            self._status_watched(message)
        elif code in (Status.REJECTING, Status.RETURNING):
            self.desk.see(code, message.data, self.now_ms)
        elif is_fault and age_ms >= STALE_MS:
            self._enter(PresencePhase.WATCH)  # the owner resets again when the cause is gone
        elif code in IDLE and age_ms >= STALE_MS:
            self._start_setup()
        elif not is_fault and age_ms >= START_MS:
            self._enter(PresencePhase.RESET)

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
        if code not in IDLE:
            self._patience.ready(now)
            self._patience.document(held_by(code, self.desk.document), now)
        if code == Status.ESCROW and self._values.rows is None:
            self._escrow_unread = True
            return
        if self._reported:
            self.desk.invites = self.accept.invites
            self.desk.see(code, message.data, now)
        else:
            holding = DEFINITE.get(code)
            if holding is None:
                return
            self._report(holding, message.data)
        if code in IDLE and self.desk.document is None:
            self._status_idle(code)
        else:
            self.accept.doubt()

    def _report(self, holding: Holding, data: bytes = b"") -> None:
        self._reported = True
        self._emit(ValidatorReport(self._name, self.now_ms, holding))
        self.desk.adopt(holding, data, self.now_ms)

    def _report_power_up(self, code: int) -> None:
        self._held = code
        self._setup.is_done = False
        self.accept.forget()
        self._enter(PresencePhase.HELD)
        self._report(POWER_UPS[code])

    def _status_idle(self, code: int) -> None:
        self._patience.document(None, self.now_ms)
        self._faults.clear(Fault.ILLEGAL_SEQUENCE, self.now_ms)
        if not self._setup.is_done:
            self._enter(PresencePhase.RESET)
            return
        opened = code == Status.IDLING
        plausible = self.accept.confirm(opened, self.now_ms)
        if not plausible or (opened and self.now_ms - self._proven_ms >= PROVE_AGAIN_MS):
            self._enter(PresencePhase.PROVE)
        if opened is self._may_accept():
            self._patience.ready(self.now_ms)
        else:
            why = "it goes on taking notes" if opened else "it stays inhibited"
            self._patience.unready(f"{why} although told otherwise", self.now_ms, shut=not opened)
        if self._patience.wants_restart and self._patience.may_restart(self.now_ms):
            self._enter(PresencePhase.RESET)

    # ---- setup

    def _start_setup(self) -> None:
        self._held = None
        self.accept.forget()
        self._patience.began_again()
        self._setup.begin()
        self._poll_at = self.now_ms + (SETUP_RETRY_MS if self._setup.trouble else 0)
        self._enter(PresencePhase.SETUP)

    def _setup_ended(self) -> None:
        """Well or not: the next poll shows where the device stands."""
        if self._setup.is_done:
            self._testing = True
            self.accept.setting = False  # the setup has told it to inhibit
        self._enter(PresencePhase.WATCH)
        self._poll_at = self.now_ms
