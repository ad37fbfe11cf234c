"""The manners of the line to an ESC/POS printer: one question at a time, rounds of questions, silence.

The real-time answers look alike, so a question is asked, its one byte awaited, and only then the next one
asked. An answer that does not come, or a byte that nobody asked for, spoils the round: the line is left
alone for a moment, what still comes is thrown away, and the round begins again. So no answer is ever taken
for that of another question.

Print data and marks may be sent between rounds at any time; the answers to marks are told apart by their
fixed bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.link import OpenLink
from drivers.ticket_printer.common.line import PrinterLine
from drivers.ticket_printer.escpos import codec as escpos_codec
from drivers.ticket_printer.escpos.codec import MarkReply, NameReply, PrinterStatus, ReplyReader, StatusReply
from drivers.ticket_printer.escpos.options import Options

FLUSH_MS = 200  # after a spoiled round; late answers come within it
JOB_BYTES, STOPPED_MS = (
    300,
    10_000,
)  # with flow control a printer may stop its host in a job, and hear nothing
DEAF_AFTER = 5  # times in a row that one question gets no answer while others do: 3 s, 8 s on a bad line


@dataclass(frozen=True, slots=True)
class StatusRound:
    """All answers of one round, and when its first question was asked."""

    condition: PrinterStatus
    began_ms: int


@dataclass(frozen=True, slots=True)
class Stands:
    """The printer is off line; the rest of the round will say why, if it comes."""


Heard = StatusRound | Stands | MarkReply | NameReply


class Line(PrinterLine[Heard]):
    """An open, polled line. `listen` first, then `send` what is to be sent, then `poll`, once in a tick."""

    def __init__(self, options: Options, open_link: OpenLink) -> None:
        super().__init__(options, open_link, escpos_codec.wording)
        self.thorough = False  # ask all four questions, whatever the first answer is
        settings = self._port.settings
        self._may_be_stopped = settings.xonxoff or settings.rtscts
        self._answer_ms = options.answer_ms
        self._asks = options.status != "none"  # whether the printer answers real-time questions at all
        self._reader = ReplyReader()
        self._stray_bytes = 0  # answers to nothing
        self._questions: list[int] = []  # of this round, not yet asked
        self._answers: dict[int, int] = {}
        self._missed: dict[int, int] = {}  # how often in a row a question got no answer, and others did
        self._answers_some = False  # since the last question without an answer
        self._unanswered = 0  # the question that went unanswered last: the next round asks it last
        self.complete = False  # all four questions were answered on this connection
        self._asked = 0  # the question that waits for its answer; 0: none
        self._asked_ms = 0
        self._began_ms = 0  # this round
        self._hurried = False  # the next round follows this one at once
        self._round_ms = 0  # when the next round is due
        self._flush_ms = 0  # until then answers are thrown away

    # ---- state

    @property
    def lost_bytes(self) -> int:
        return self._reader.lost_bytes + self._stray_bytes

    @property
    def deaf_to(self) -> int:
        """The question to which it gives no answer, though it answers others; 0 for none."""
        return next((question for question, times in self._missed.items() if times >= DEAF_AFTER), 0)

    @property
    def free_ms(self) -> int:
        """When the last byte that was written has left, unless flow control holds it."""
        return self._free_ms

    @property
    def wake_at(self) -> int | None:
        port_at = self._port.wake_at
        if not self._port.is_open or not self._asks:
            return port_at
        due = self._heard_ms + self._silence_ms
        if not self._port.pending:
            due = min(due, self._answer_due_ms() if self._asked else self._ask_due_ms())
        return due if port_at is None else min(due, port_at)

    def _ask_due_ms(self) -> int:
        return max(self._round_ms, self._flush_ms, self._free_ms)

    def _answer_due_ms(self) -> int:
        return max(self._asked_ms, self._free_ms) + self._answer_ms

    # ---- listening

    def _take(self, data: bytes, now_ms: int) -> list[Heard]:
        self._log.add(now_ms, False, data)
        lost = self._reader.lost_bytes
        answers = [self._hear(reply, now_ms) for reply in self._reader.feed(data)]
        heard = [answer for answer in answers if answer is not None]
        if self._reader.lost_bytes != lost:
            self._spoil_round(now_ms)
            heard = [answer for answer in heard if answer != MarkReply("")]  # noise has zeros in it
        return heard

    def _opened(self, now_ms: int) -> None:
        self._reader.flush()
        self._asked = self._unanswered = 0
        self._missed.clear()
        self._answers_some = False
        self.complete = False
        self._questions.clear()
        self._free_ms = self._round_ms = self._heard_ms = self._flush_ms = now_ms
        self._write(escpos_codec.SPOIL, now_ms)

    def _hear(self, reply: escpos_codec.Reply, now_ms: int) -> Heard | None:
        match reply:
            case StatusReply(bits=bits):
                return self._status(bits, now_ms)
            case MarkReply() | NameReply():
                return reply  # no sign of life: a line that echoes gives such bytes too
            case _:
                return None

    def _status(self, bits: int, now_ms: int) -> StatusRound | Stands | None:
        if not self._asked or now_ms < self._flush_ms:
            self._stray_bytes += 1
            self._spoil_round(now_ms)
            return None
        self.statistics["answered"] += 1
        self._heard_ms = max(self._heard_ms, now_ms)
        self._answers[self._asked] = bits
        self._missed.pop(self._asked, None)
        self._answers_some = True
        off_line = self._asked == escpos_codec.PRINTER and PrinterStatus(printer=bits).off_line
        if off_line and escpos_codec.CAUSE not in self._questions:
            self._questions = list(escpos_codec.ALL_QUESTIONS[1:])  # why?
        self._asked = 0
        if self._questions:
            return Stands() if off_line else None
        got = self._answers
        self._unanswered = 0
        self.complete = self.complete or len(got) == len(escpos_codec.ALL_QUESTIONS)
        condition = PrinterStatus(*(got.get(question, 0x12) for question in escpos_codec.ALL_QUESTIONS))
        self._round_ms = now_ms if self._hurried else now_ms + self._poll_every_ms
        self._hurried = False
        return StatusRound(condition, self._began_ms)

    def _spoil_round(self, now_ms: int) -> None:
        """Something does not fit: leave the line alone for a moment and begin the round again."""
        self._asked = 0
        self._questions.clear()
        self._round_ms = now_ms
        self._flush_ms = now_ms + FLUSH_MS

    # ---- speaking

    def send(self, data: bytes, now_ms: int) -> bool:
        """Print data, marks, or commands. False if the port is (now) closed."""
        if not self._port.is_open:
            return False
        return self._write(data, now_ms)

    def poll(self, now_ms: int) -> None:
        """Do what the line itself needs now: ask, give up an answer, give up the port."""
        if not self._port.is_open or not self._asks:
            return
        if self._is_silent(now_ms):
            return
        if self._port.pending:
            return  # what waits for the line waits before the question
        if self._asked and now_ms >= self._answer_due_ms():
            self.statistics["no_answer"] += 1
            self._missed[self._asked] = self._missed.get(self._asked, 0) + self._answers_some
            self._answers_some = False
            self._unanswered = self._asked
            self._reader.flush()
            self._spoil_round(now_ms)
        if not self._asked and now_ms >= self._ask_due_ms():
            self._ask(now_ms)

    def _ask(self, now_ms: int) -> None:
        if not self._questions:
            questions = escpos_codec.ALL_QUESTIONS if self.thorough else escpos_codec.FEW_QUESTIONS
            # What was not answered is asked last: the others show whether anything answers at all.
            self._questions = sorted(questions, key=lambda question: (question <= self._unanswered, question))
            self._answers.clear()
            self._began_ms = now_ms
        self._asked = self._questions.pop(0)
        self._asked_ms = now_ms
        self.statistics["polls"] += 1
        self._write(escpos_codec.ask(self._asked), now_ms)

    def hurry(self, now_ms: int) -> None:
        self.waiting = True
        self._hurried = bool(self._asked)  # a round that has begun shows what was before
        self._round_ms = min(self._round_ms, now_ms)

    def _write(self, data: bytes, now_ms: int) -> bool:
        taken_ms = self.line_ms(len(data))
        self._free_ms = max(self._free_ms, now_ms) + taken_ms
        self._heard_ms += taken_ms if len(data) > 3 else 0  # a long job alone may take longer than a silence
        self._heard_ms += STOPPED_MS if self._may_be_stopped and len(data) > JOB_BYTES else 0
        self._log.add(now_ms, True, escpos_codec.masked(data))
        return self._port.write(data)
