"""A worked example: the driver of a bill validator that keeps a tally of its notes and acknowledges nothing.

Its protocol. A frame is ``<``, a letter, what belongs to it, CRC-16/KERMIT over these as four hexadecimal
digits, ``>``; the host asks, the device answers within 50 ms:

======  ===================================  ==================================================
host    meaning                              answer
======  ===================================  ==================================================
``Q``   what is going on?                    ``q`` state, three digits of tally, a digit: note
``T``   your notes?                          ``t`` and for each a digit, currency, five of value
``V``   who are you?                         ``v`` and a text
``A1``  take notes (``A0``: take none)       ``y`` it is done, ``n`` it is not
``S``   stack the note (``R``: give it back) the same
``Z``   start again                          the same
======  ===================================  ==================================================

States: ``P`` power came back and nothing is inside, ``p`` a note is before the point of no return, ``b`` past
it; ``W`` starting; ``O`` open, ``I`` inhibited, ``A`` accepting, ``E`` in escrow, ``M`` stacking,
``B`` giving back.

The tally grows by one with each note that falls into the box, is kept without power and goes on after 999
with 0. It is the only word of a credit, and the device does not wait for ours: so the tally is the evidence
that goes to the journal, and after a restart the note is in the box if the tally has moved on since.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from drivers.bill_validator.common.document import EscrowedPaper, ValidatorStatus, Want
from drivers.bill_validator.common.line import LineTiming, ValidatorLine
from drivers.bill_validator.common.options import ValidatorOptions
from drivers.bill_validator.common.session import ValidatorSession
from drivers.bill_validator.common.validator import Validator
from drivers.bill_validator.common.values import NoteRow
from drivers.device import DeviceEvent, Fault, Holding, OpenDocument
from drivers.link import OpenLink, SerialSettings
from drivers.protocol.crc import crc16_kermit
from drivers.protocol.exchange import next_beat
from drivers.registry import Io

# ---- the codec: bytes in, texts out; no time, no port

LONGEST = 128  # bytes of a frame
TALLIES = 1000


def frame(text: str) -> bytes:
    body = text.encode("ascii")
    return b"<%s%04X>" % (body, crc16_kermit(body))


class Decoder:
    """Finds frames in whatever the line brings. It keeps at most an unfinished one."""

    def __init__(self) -> None:
        self.lost_bytes = 0
        self.bad_checksums = 0
        self._buffer = b""

    def feed(self, data: bytes) -> list[str]:
        found: list[str] = []
        self._buffer += data
        while (end := self._buffer.find(b">")) >= 0:
            part, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
            start = part.rfind(b"<")
            body, check = part[start + 1 : -4], part[-4:]
            if start < 0 or not body or check != b"%04X" % crc16_kermit(body) or not body.isascii():
                self.bad_checksums += 1
                self.lost_bytes += len(part) + 1
            else:
                self.lost_bytes += start
                found.append(body.decode("ascii"))
        if len(self._buffer) > LONGEST:
            self.give_up()
        return found

    def give_up(self) -> list[str]:
        """The line has been silent: what looks like an unfinished frame is none, and hides none."""
        self.lost_bytes += len(self._buffer)
        self._buffer = b""
        return []


def note_rows(text: str) -> tuple[NoteRow, ...]:
    """Of ``t1USD00001...``, whole notes."""
    rows = (text[place : place + 9] for place in range(1, len(text) - 8, 9))
    return tuple(
        NoteRow(int(row[0]), row[1:4], 100 * int(row[4:]))
        for row in rows
        if row[0].isdigit() and row[4:].isdigit()
    )


def meaning(data: bytes, sent: bool) -> str:
    """For the service page."""
    text = data.decode("ascii", "replace")
    return f"{'asked' if sent else 'answered'} {text[1:-5]}"


# ---- the driver

SEEN = {
    "O": ValidatorStatus.OPEN,
    "I": ValidatorStatus.INHIBITED,
    "A": ValidatorStatus.ACCEPTING,
    "E": ValidatorStatus.ESCROW,
    "M": ValidatorStatus.STACKING,
    "B": ValidatorStatus.RETURNING,
}
POWER_UPS = {"P": Holding.POWER_UP, "p": Holding.IN_ACCEPTOR, "b": Holding.IN_STACKER}
ORDERS = {Want.STACK: "S", Want.GIVE_BACK: "R"}
START_MS = 6000  # from the order to start again to "starting"; then it is given again
STALE_MS = 1000  # so long the device may show its old state after it


class Options(ValidatorOptions, frozen=True, kw_only=True):
    """Nothing of its own. It reads no tickets: there is no ``barcode``."""


class TallyPhase(StrEnum):
    CLOSED = "closed"
    PROBE = "probe"  # polled until something answers
    WATCH = "watch"
    HELD = "held"  # it lost power: what it holds is reported, it is started again when the owner says so
    STARTING = "starting"


@dataclass(frozen=True, slots=True)
class Question:
    """What an answer will belong to."""

    text: str
    want: Want | None = None


def create(name: str, options: Options, io: Io) -> Validator:
    events: list[DeviceEvent] = []
    return Validator(name, options.port, TallySession(name, options, io.open_link, events.append), events)


class TallySession(ValidatorSession):
    line: ValidatorLine[Question, str]

    def __init__(
        self, name: str, options: Options, open_link: OpenLink, emit: Callable[[DeviceEvent], None]
    ) -> None:
        super().__init__(name, options, emit, tickets=False, hold_every_ms=None)
        self.line = ValidatorLine(
            SerialSettings(options.port, options.baud),
            open_link,
            timing=LineTiming(answer=options.answer_ms, gap=10, rest=200),
            decoder=Decoder(),
            meaning=meaning,
            masked=frame,
            hear=self._hear,
            lapse=self._lapse,
        )
        self._phase = TallyPhase.CLOSED
        self._since_ms = 0
        self._adopted = False
        self._known: int | None = None  # the tally as the owner knows it
        self._tally = 0  # as the device tells it
        self._setup: list[str] = []  # what is still to be asked
        self._reset_ordered = False

    # ---- the line

    @property
    def _is_connected(self) -> bool:
        return self._phase is not TallyPhase.CLOSED

    def _enter(self, phase: TallyPhase) -> None:
        self._phase, self._since_ms = phase, self.now_ms

    def _opened(self) -> None:
        self._enter(TallyPhase.PROBE)
        self._setup = ["T", "V"]

    def _lose(self, phase: TallyPhase) -> None:
        self._enter(phase)
        self._forget()
        self._setup = ["T", "V"]
        self._reset_ordered = False

    def _closed(self) -> None:
        self._lose(TallyPhase.CLOSED)

    def _silent(self) -> None:
        if self._phase is not TallyPhase.PROBE:
            self._lose(TallyPhase.PROBE)

    @property
    def _barred(self) -> str:
        return self._identity.wrong

    def _watch(self) -> None:
        if self._phase is TallyPhase.PROBE:
            self._patience.silent(self.now_ms)
            if self._patience.may_restart(self.now_ms):
                self._reset_ordered = True
            return
        self._patience.answers()
        if self._phase is not TallyPhase.WATCH:
            self._patience.unready(f"it does not come up ({self._phase.value})", self.now_ms)

    # ---- orders

    def adopt(self, document: OpenDocument | None) -> None:
        """Before this nothing is reported: the tally alone does not say what is new."""
        self._adopted = True
        if document is not None and document.evidence.isdigit():
            self._known = int(document.evidence)

    def reset(self) -> None:
        if self._phase is not TallyPhase.CLOSED:
            self._reset_ordered = True

    # ---- what to say next

    def next_at(self) -> int:
        now = self.now_ms
        if self._reset_ordered or self.desk.poll_soon:
            return now
        if self._phase is not TallyPhase.WATCH:
            return self._poll_at
        if self.desk.wants(now) is not None or self._setup:
            return now
        return min(self._poll_at, self.accept.tell_at) if self._telling_due() else self._poll_at

    def _telling_due(self) -> bool:
        return self._reported and not self._setup and self.accept.setting is not self._may_accept()

    def _send(self) -> None:
        now = self.now_ms
        if self._reset_ordered:
            self._reset_ordered = False
            self.line.ask(Question("Z"), frame("Z"), now)
        elif self._phase is TallyPhase.WATCH and self._send_in_watch():
            pass
        elif now >= self._poll_at or self.desk.poll_soon:
            self._poll_at = next_beat(now, self._options.poll_ms)
            self.line.poll(Question("Q"), frame("Q"), now)

    def _send_in_watch(self) -> bool:
        now = self.now_ms
        want = self.desk.wants(now)
        if want is Want.ACKNOWLEDGE:  # nothing is sent: from now on this tally is the owner's too
            self._known = self._tally
            self.desk.sent(want)
            self._poll_at = now
            return False
        if want is not None:
            order = ORDERS[want]
            self.line.ask(Question(order, want), frame(order), now)
            self.desk.sent(want)
        elif self._setup:
            self.line.ask(Question(self._setup[0]), frame(self._setup[0]), now, attempts=3)
        elif self._telling_due() and now >= self.accept.tell_at:
            text = "A1" if self._may_accept() else "A0"
            self.accept.telling(text == "A1", now)
            self.line.ask(Question(text), frame(text), now)
        else:
            return False
        return True

    # ---- what comes back

    def _hear(self, asked: Question, answer: str) -> bool:
        """Does it answer the question? If so, act on it."""
        done = answer == "y"
        match asked.text:
            case "Q" if answer[0] == "q" and len(answer) == 6 and answer[2:].isdigit():
                self._presence.alive(self.now_ms)
                self._presence.proven(self.now_ms)
                if self._adopted:
                    self._hear_state(answer[1], int(answer[2:5]), int(answer[5]))
                return True
            case "T" if answer[0] == "t":
                self._setup.remove("T")
                self._values.learn(note_rows(answer), self.now_ms)
            case "V" if answer[0] == "v":
                self._setup.remove("V")
                self._identity.judge(answer[1:], self.now_ms)
                self._faults.set(Fault.DEVICE_FAILED, self._barred or None, self.now_ms)
            case _ if answer not in ("y", "n"):
                return False
            case "Z" if done:
                self._patience.document(None, self.now_ms)
                self._start()
            case "A0" | "A1" if done:
                self.accept.taken(asked.text == "A1")
            case _ if asked.want is not None:
                self.desk.answered(asked.want, done, self.now_ms)
        self._presence.alive(self.now_ms)
        return True

    def _lapse(self, asked: Question, final: bool) -> None:
        """No answer to one attempt."""
        if asked.want is not None:
            self.desk.answered(asked.want, None, self.now_ms)
            self._poll_at = self.now_ms
        elif asked.text in ("A0", "A1"):
            self.accept.tell_at = self.now_ms  # whichever got lost, the order or its answer: at once again
        self._miss("no answer")

    def _start(self) -> None:
        """It starts again and has lost its settings."""
        self.accept.forget()
        self._patience.began_again()
        self._setup = ["T", "V"]
        self._poll_at = self.now_ms
        self._enter(TallyPhase.STARTING)

    def _hear_state(self, state: str, tally: int, code: int) -> None:
        if self._known is None:
            self._known = tally
        ahead = (tally - self._known) % TALLIES
        if ahead > TALLIES // 2:
            return  # an answer that has come late
        self._tally = tally
        age_ms = self.now_ms - self._since_ms
        if self._phase is TallyPhase.PROBE:
            self._enter(TallyPhase.WATCH)
        if state in POWER_UPS:
            if self._phase is TallyPhase.WATCH:
                self._hear_power_up(state, ahead)
            elif self._phase is TallyPhase.STARTING and age_ms >= START_MS:
                self._reset_ordered = True
        elif state == "W":
            if self._phase is not TallyPhase.STARTING:
                self._start()
        elif state in SEEN:
            if self._phase is TallyPhase.STARTING and age_ms < STALE_MS:
                return
            self._enter(TallyPhase.WATCH)
            if not self._setup:  # before that nobody knows what a note is worth
                self._hear_status(state, code, ahead)

    def _hear_power_up(self, state: str, ahead: int) -> None:
        self.accept.forget()
        self._enter(TallyPhase.HELD)
        self._known = self._tally
        self._report(Holding.IN_STACKER if ahead else POWER_UPS[state], evidence=str(self._tally))

    def _hear_status(self, state: str, code: int, ahead: int) -> None:
        evidence = str(self._tally)
        # Until the owner has acknowledged the note that has fallen, nothing else is looked at.
        status = ValidatorStatus.VEND_VALID if ahead else SEEN[state]
        paper: EscrowedPaper | None = None
        if status is ValidatorStatus.ESCROW:
            paper = self._values.note(b"%d of %d" % (code, self._tally), code, evidence)
        self._see(status, paper=paper, evidence=evidence)

    def _stands_idle(self, *, opened: bool) -> None:
        self._confirm(opened=opened)
        if self._patience.wants_restart and self._patience.may_restart(self.now_ms):
            self._reset_ordered = True
