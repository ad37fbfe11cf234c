"""The inside of a simulated ESC/POS printer: its buffer, its commands, its head, rollers and cutter."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from drivers.sim.escpos.art import CELL, BarCode, Element, Feed, LetterRun, Style, TextLine
from drivers.sim.escpos.ear import HeardCommand
from drivers.sim.escpos.paper import Roll, Strip

EVERYTHING = 1 << 30  # lines read ahead, cuts too: it answers what it has received
FEED_TO_CUTTER_DOTS = 96
FEED_LINE_DOTS = 30  # of ESC d and of a line of letters
QUESTIONS = ("GS r", "GS I", "GS (")
LINES = ("LF", "ESC d", "GS k")
BAR_CODE_AT_FIRST = 162, 3  # height and narrow element, as after power-up


@dataclass(frozen=True, slots=True)
class Setup:
    """What differs between printers and installations. Times in milliseconds."""

    model: str = "TM-T20II"
    baud: int = 38400
    width_dots: int = 576
    dots_per_s: int = 320  # 40 mm/s; printers have 40 to 350
    ahead: int = 0  # lines that it reads ahead of its paper; an answer among them comes at once
    deaf_to: frozenset[int] = frozenset()  # DLE EOT questions that it never answers
    stops_at: int = 0  # XOFF when so few bytes are free in its buffer; 0: it never stops its host
    cut_ms: int = 400
    answer_ms: int = 2
    boot_ms: int = 500
    roll_mm: int = 30_000
    low_mm: int = 2_000
    near_end_sensor: bool = True
    buffer_bytes: int = 4096
    real_time: bool = True  # answers DLE EOT; cheap copies do not
    named_marks: bool = True  # knows GS ( H
    obeys_enq: bool = True
    obeys_dc4: bool = True
    keeps_buffer: bool = True  # a job that stops waits for paper; other printers forget it
    automatic_status: bool = False  # a DIP switch: gives it after power-up without being asked
    pin_3: bool = False  # of the drawer connector: high without a drawer on some


def any_setup(seed: int) -> Setup:
    """One of the printers that there are, in good order: quick and slow ones, with their habits."""
    chance = random.Random(seed)
    baud, ahead = chance.choice((9600, 19200, 38400, 57600, 115200)), chance.choice((0, 0, 1, 4, 40))
    buffer_bytes = chance.choice((1024, 4096) if ahead else (512, 1024, 4096))
    return Setup(
        baud=baud,
        width_dots=chance.choice((512, 576)),
        dots_per_s=8 * chance.randint(40, 350),
        ahead=ahead,
        stops_at=buffer_bytes // 4,
        buffer_bytes=buffer_bytes,
        cut_ms=chance.randint(100, 600),
        answer_ms=chance.randint(0, 20),
        boot_ms=chance.randint(300, 3000),
        named_marks=chance.random() < 0.5,
        obeys_enq=chance.random() < 0.8,
        obeys_dc4=chance.random() < 0.5,
        keeps_buffer=chance.random() < 0.8,
        automatic_status=chance.random() < 0.3,
        pin_3=chance.random() < 0.5,
        near_end_sensor=chance.random() < 0.7,
    )


@dataclass(slots=True)
class Parts:
    """What a person can see or break; true until somebody changes it."""

    cover_open: bool = False
    jammed: bool = False  # paper sticks; the error stays until the host recovers from it
    jam_error: bool = False
    cutter: bool = False
    cutter_error: bool = False
    broken: bool = False
    hot_until_ms: int | None = None
    switched_off_line: bool = False
    button: bool = False
    button_held: bool = False  # for so long that it feeds paper, and does nothing else

    @property
    def error(self) -> bool:
        return self.jam_error or self.cutter_error or self.broken or self.hot_until_ms is not None

    def recover(self) -> None:
        """The host or a restart takes back errors whose cause is gone."""
        self.jam_error, self.cutter_error = self.jammed, self.cutter


class Engine:
    """Carries out one command after the other while it is on line. `say` puts an answer on the line."""

    def __init__(self, setup: Setup, say: Callable[[bytes, int], None]) -> None:
        self.parts = Parts()
        self.tray: list[Strip] = []
        self.roll = Roll(setup.width_dots, setup.roll_mm, self.tray)
        self.printed_count = 0  # whole tickets
        self.printed_cents = 0  # the sum of their figures
        self.spoilt_count = 0  # other paper with something on it
        self.automatic = setup.automatic_status
        self.jams_next = False
        self.ahead = setup.ahead
        self._setup = setup
        self._say = say
        self._buffer: deque[HeardCommand] = deque()
        self.buffered = 0  # bytes
        self._moving_ms: int | None = None  # until then the paper moves or the cutter works
        self._began_ms = 0  # of this move
        self._free_ms = 0  # from when on the next command may be carried out
        self._cutting = False
        self._jam_ms: int | None = None  # `jams_next` strikes
        self._style = Style()
        self._code = BAR_CODE_AT_FIRST
        self._runs: list[LetterRun] = []  # the line that is not ended

    # ---- what can be seen

    @property
    def off_line(self) -> bool:
        parts = self.parts
        by_hand = parts.cover_open or parts.switched_off_line or parts.button_held
        return by_hand or self.roll.left_mm == 0 or parts.error

    @property
    def low(self) -> bool:
        return self._setup.near_end_sensor and self.roll.left_mm <= self._setup.low_mm

    @property
    def paper_sensor(self) -> int:
        return 0x03 * self.low | 0x0C * (self.roll.left_mm == 0)

    @property
    def stage(self) -> str:
        """How far a ticket has come; "" if there is none."""
        if not self._buffer and self._moving_ms is None:
            return ""
        if any(isinstance(element, BarCode) and not element.torn for element in self.roll.strip.elements):
            return "ticket proven"
        return "ticket printing" if self.roll.strip.lines or self._moving_ms is not None else "ticket ordered"

    # ---- time

    @property
    def due_ms(self) -> int | None:
        due = [self._moving_ms, self.parts.hot_until_ms, self._jam_ms]
        if self._buffer and self._moving_ms is None and not self.off_line:
            due.append(self._free_ms)
        return min((at for at in due if at is not None), default=None)

    def touched(self, now_ms: int) -> None:
        """Something has changed from outside: nothing happens before that."""
        self._free_ms = max(self._free_ms, now_ms)

    def take(self, command: HeardCommand, now_ms: int) -> None:
        self._buffer.append(command)
        self.buffered += command.size
        self._read_ahead(now_ms)

    def _read_ahead(self, at_ms: int) -> None:
        """Answer what stands among the lines that are read before their paper has come."""
        if not self.ahead or self.off_line or (self._cutting and self.ahead < EVERYTHING):
            return
        lines, waits = 0, []
        while self._buffer and lines < self.ahead:
            command = self._buffer.popleft()
            if command.what in QUESTIONS:
                self.buffered -= command.size
                self._answer(command, command.data[0] if command.data else 0, at_ms)
                continue
            waits.append(command)
            lines += command.what in LINES
            if command.what == "GS V" and self.ahead < EVERYTHING:
                break
        self._buffer.extendleft(reversed(waits))

    def move(self, at_ms: int) -> None:
        """Everything that is due."""
        if self.parts.hot_until_ms is not None and self.parts.hot_until_ms <= at_ms:
            self.parts.hot_until_ms = None
        if self._jam_ms is not None and self._jam_ms <= at_ms:
            self.jam(at_ms)
        if self._moving_ms is not None and self._moving_ms <= at_ms:
            self._moving_ms, self._free_ms = None, at_ms
            if self._cutting:
                self._cutting = False
                self.out(at_ms, cut=True)
        while self._buffer and self._moving_ms is None and not self.off_line:
            command = self._buffer.popleft()
            self.buffered -= command.size
            self._carry_out(command, at_ms)
        self._read_ahead(at_ms)

    # ---- commands

    def _carry_out(self, command: HeardCommand, at_ms: int) -> None:
        data = command.data
        number = data[0] if data else 0
        match command.what:
            case "text":
                self._letter(chr(number), at_ms)
            case "LF":
                self._end_line(at_ms)
            case "ESC @":
                self._style, self._code = Style(), BAR_CODE_AT_FIRST
                self._runs.clear()
            case "ESC a":
                self._set(align=number % 48)
            case "ESC E":
                self._set(bold=bool(number & 1))
            case "GS B":
                self._set(invert=bool(number & 1))
            case "GS !":
                self._set(wide=(number >> 4) + 1, tall=(number & 15) + 1)
            case "GS h":
                self._code = number, self._code[1]
            case "GS w":
                self._code = self._code[0], number
            case "GS k":
                self._bar_code(data[2:].decode("ascii"), at_ms)
            case "ESC d":
                self._end_line(at_ms)
                self._feed(Feed(number * FEED_LINE_DOTS), at_ms)
            case "GS V":
                self._cut(at_ms)
            case "GS a":
                self.automatic = bool(number)
            case _:
                self._answer(command, number, at_ms)

    def _answer(self, command: HeardCommand, number: int, at_ms: int) -> None:
        """Questions in their place among the print data."""
        data = command.data
        if command.what == "GS r":
            self._say(bytes((self.paper_sensor if number in (1, 49) else 0,)), at_ms)
        elif command.what == "GS I" and number == 67:
            self._say(b"\x5f" + self._setup.model.encode("ascii") + b"\x00", at_ms)
        elif command.what == "GS (" and data[:1] + data[3:5] == b"H00" and self._setup.named_marks:
            self._say(b"\x37\x22" + data[5:9] + b"\x00", at_ms)

    def _set(self, **changes: int | bool) -> None:
        now = {name: getattr(self._style, name) for name in ("wide", "tall", "bold", "invert", "align")}
        self._style = Style(**{**now, **changes})

    def _letter(self, letter: str, at_ms: int) -> None:
        used = sum(run.width_dots for run in self._runs)
        if used + CELL[0] * self._style.wide > self._setup.width_dots:
            self._end_line(at_ms)  # the printer breaks a line that is too long wherever it is
        if self._runs and self._runs[-1].style == self._style:
            self._runs[-1] = LetterRun(self._runs[-1].text + letter, self._style)
        else:
            self._runs.append(LetterRun(letter, self._style))

    def _end_line(self, at_ms: int) -> None:
        tallest = max((run.style.tall for run in self._runs), default=self._style.tall)
        line = TextLine(tuple(self._runs), max(FEED_LINE_DOTS, tallest * CELL[1] + 6))
        self._runs.clear()
        self._feed(line, at_ms)

    def _bar_code(self, digits: str, at_ms: int) -> None:
        code = BarCode(digits, self._code[1], self._code[0], self._style.align)
        if len(digits) % 2 or not 2 <= code.narrow_dots <= 6 or code.width_dots > self._setup.width_dots:
            return  # what does not fit is not printed, and nobody is told
        self._feed(code, at_ms)
        if self.jams_next:
            self.jams_next = False
            self._jam_ms = at_ms + 500 * code.height_dots // self._setup.dots_per_s

    def _feed(self, element: Element, at_ms: int) -> None:
        """Paper moves under the head, behind what moves now."""
        self.roll.add(element)
        self._began_ms = max(at_ms, self._moving_ms or 0)
        self._moving_ms = self._began_ms + max(1, element.height_dots * 1000 // self._setup.dots_per_s)

    def _cut(self, at_ms: int) -> None:
        """Feed to the cutter and cut. A line that was not ended is printed first."""
        if self._runs:
            self._end_line(at_ms)
        if self.parts.cutter:
            self.parts.cutter_error = True
            return
        self._cutting = True
        feed_ms = FEED_TO_CUTTER_DOTS * 1000 // self._setup.dots_per_s
        self._moving_ms = max(at_ms, self._moving_ms or 0) + feed_ms + self._setup.cut_ms

    # ---- from outside

    def out(self, at_ms: int, *, cut: bool) -> None:
        """A strip leaves the printer, cut off or pulled out."""
        strip = self.roll.end(at_ms, cut=cut)
        if strip is None:
            return
        if strip.complete:
            self.printed_count += 1
            self.printed_cents += strip.cents
        else:
            self.spoilt_count += 1

    def load(self, now_ms: int) -> None:
        """A new roll: what hung in the printer comes out with the old one. Nobody reaches into a printer
        that prints."""
        if self._moving_ms is None:
            self.out(now_ms, cut=False)
            self.roll.left_mm = self._setup.roll_mm

    def jam(self, now_ms: int) -> None:
        self.parts.jammed = self.parts.jam_error = True
        self.stand(now_ms)

    def stand(self, now_ms: int) -> None:
        """It stops where it is; most printers keep the rest of the job."""
        self.stop(now_ms)
        if not self._setup.keeps_buffer:
            self.forget()

    def stop(self, at_ms: int) -> None:
        """The paper stands still; a line that was being printed is torn in the middle."""
        if self._moving_ms is not None and self._moving_ms > at_ms and not self._cutting:
            self.roll.tear(max(0, at_ms - self._began_ms) * self._setup.dots_per_s // 1000)
        self._moving_ms = self._jam_ms = None
        self._cutting = False

    def forget(self) -> None:
        """The buffers are cleared."""
        self._buffer.clear()
        self.buffered = 0
        self._runs.clear()

    def power_off(self, now_ms: int) -> None:
        """What is on paper stays on paper; everything else is lost."""
        self.stop(now_ms)
        self.forget()
        self._style, self._code = Style(), BAR_CODE_AT_FIRST
        self.automatic = self._setup.automatic_status
        self.parts.hot_until_ms = None
