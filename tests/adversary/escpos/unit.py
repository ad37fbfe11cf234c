"""A receipt printer for ESC/POS, from the public facts about the language, to be held against the program.

It shares nothing with the simulated printers of the lab: parser, buffers, engine and paper are its own, so
that a mistake which driver and simulator make together cannot hide here. Bytes go into a receive buffer; the
parser takes them out at its own pace and makes rows of them; the engine moves paper under the head, row by
row, in millimetres a second. Questions in real time are answered past the buffer; GS r and GS I in its order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from adversary.escpos.habits import Habits
from adversary.escpos.language import DLE, ESC, FS, GS, Mouth, length_of
from adversary.escpos.paper import Piece, Row, in_bars, in_picture
from adversary.escpos.status import Sensors

XON, XOFF = b"\x11", b"\x13"
DOTS_PER_MM = 8
ROLL_MM = 60_000
NEAR_END_MM = 1_500
NEW_ROLL_MS = 2_500
FEED_TO_CUTTER_MM = 14  # from the head to the knife
SOFT, HANGS, STALLS, REFUSES, SWALLOWS = "", "hangs", "stalls", "refuses", "swallows"


class EscPosUnit:
    """The machine at the far end of the wire (`drivers.sim.wire.Machine`)."""

    FAULTS: Mapping[str, str] = {}

    def __init__(self, habits: Habits, *, xonxoff: bool, waits: bool = False) -> None:
        """`waits`: a wire, or USB, keeps bytes at the host while this unit has no room or no power."""
        self.habits, self.xonxoff, self._waits = habits, xonxoff, waits
        self._held = bytearray()  # at the host
        self.pieces: list[Piece] = []
        self.power = True
        self.boots_ms = habits.boot_ms
        self.cover_open = False
        self.roll_mm = float(ROLL_MM)
        self.no_paper = False  # under the sensor
        self.cutter_stuck = False  # it will not turn the next time
        self.cutter_error = False
        self.button = False
        self.fault = SOFT
        self.log: list[tuple[int, str]] = []
        self.job = 0
        self._buffer = bytearray()
        self._queue: deque[Row] = deque()
        self._done_at = -1  # when the head has finished the first row of the queue
        self._started = False
        self._parse_at = -1
        self._starved = False  # a command has begun, and its rest has not come
        self._out: list[tuple[int, bytes]] = []  # (due, bytes)
        self._mouth = Mouth()
        self._line, self._rows_in_job = "", 0
        self._bars = (162, 3)  # height in dots, module
        self._spacing = 30
        self._tall = 1
        self._asb = 0xFF if habits.tells_changes else 0
        self._told = b""
        self._xoff = False
        self._stopped = False  # was off-line at the last look, with work begun
        self._relight_ms = self._shut_ms = -1  # what a hand will do then
        self._now = 0

    # ---- Machine

    @property
    def wake_at(self) -> int | None:
        due = [at for at, _ in self._out]
        due += [at for at in (self._relight_ms, self._shut_ms) if at >= 0]
        if self.power and self.boots_ms >= 0:
            due.append(self.boots_ms)
        if self._working:
            if self._queue:
                due.append(self._done_at if self._started else self._now)
            if self._buffer and self._room and not self._starved:
                due.append(max(self._parse_at, self._now))
        return min(due) if due else None

    @property
    def _awake(self) -> bool:
        return self.power and self.boots_ms < 0 and self.fault != HANGS

    @property
    def _working(self) -> bool:
        return self._awake and not self.off_line and self.fault != STALLS

    @property
    def _room(self) -> bool:
        return len(self._queue) < self.habits.rows_ahead

    @property
    def off_line(self) -> bool:
        return self.stops or self.fault == REFUSES

    @property
    def stops(self) -> bool:  # for a reason that can be seen
        return self.cover_open or self.no_paper or self.cutter_error or self.button

    @property
    def usable(self) -> bool:  # a job would come out now
        return self._working and self.fault == SOFT

    @property
    def holds(self) -> bool:  # some of a job
        return bool(self._queue or self._buffer)

    def receive(self, data: bytes, now_ms: int) -> None:
        self._now = max(self._now, now_ms)
        if self._waits:
            self._held += data
            data = b""
        elif not self._awake:
            return
        self._hear(data)
        self._let_in()
        self._flow()

    def line_opened(self) -> None:
        """The host has opened its port again: what waited there is gone."""
        self._held.clear()

    def _let_in(self) -> None:
        """What has waited at the host, as far as there is room."""
        if self._held and self._awake and (room := self.habits.buffer_bytes - len(self._buffer)) > 0:
            data = bytes(self._held[:room])
            del self._held[:room]
            self._hear(data)

    def _hear(self, data: bytes) -> None:
        now_ms = self._now
        for byte in data:
            data, command = self._mouth.hear(byte)
            if command and not self.habits.at_once:
                data, command = command, b""
            if data:
                self._take_in(data)
            if command:
                self._at_once(command)
        self._starved = False
        if self._buffer and self._parse_at < now_ms:
            self._parse_at = now_ms + 1

    def tick(self, now_ms: int) -> bytes:
        self._now = max(self._now, now_ms)
        if 0 <= self._shut_ms <= now_ms:
            self._shut_ms = -1
            self.shut_cover(now_ms)
        if self._relight_ms >= 0 and now_ms >= self._relight_ms:
            self._relight_ms = -1
            self.power_on(now_ms)
        if self.power and 0 <= self.boots_ms <= now_ms:
            self.boots_ms = -1
            if self.habits.cuts_when_shut:
                self._tear()
            if self.habits.xon_at_start and self.xonxoff:
                self._say(XON)
            if self.habits.first_ms:
                self._say(b"\x00", self.habits.first_ms)
            if self._buffer:
                self._parse_at = now_ms + 1
        self._let_in()
        self._look()
        moves = 0
        while self._working and moves < 10_000:
            moves += 1
            if not (self._print_on(now_ms) or self._parse_on(now_ms)):
                break
        self._look()
        self._let_in()
        self._flow()
        out = b"".join(data for at, data in self._out if at <= now_ms)
        self._out = [item for item in self._out if item[0] > now_ms]
        return out if self._awake else b""

    def inject(self, fault: str, now_ms: int) -> None:
        raise KeyError(fault)

    def power_off(self, now_ms: int) -> None:
        if not self.power:
            return
        self.note(now_ms, "power off")
        self.power = False
        self._out.clear()
        self._mouth = Mouth()
        self.fault = SOFT
        self.cutter_error = False
        self._asb = 0xFF if self.habits.tells_changes else 0
        self._told = b""
        self._xoff = False
        if self._started and self._queue and self.habits.row_at_stop == "lost":
            self._queue.popleft()
        self._started = False
        if not self.habits.battery:
            self._forget()

    def power_on(self, now_ms: int) -> None:
        if not self.power:
            self.note(now_ms, "power on")
            self.power = True
            self.boots_ms = now_ms + self.habits.boot_ms

    # ---- hands

    def note(self, now_ms: int, what: str) -> None:
        self.log.append((now_ms, what))

    def open_cover(self, now_ms: int) -> None:
        self.note(now_ms, "cover open")
        self.cover_open = True
        self._halt()

    def shut_cover(self, now_ms: int) -> None:
        if self.cover_open:
            self.note(now_ms, "cover shut")
            if self.habits.cuts_when_shut:
                self._tear()
        self.cover_open = False
        self._look()

    def say_anyway(self, data: bytes, at_ms: int) -> None:
        """What an earlier host had asked for, or nobody."""
        self._out.append((at_ms, data))

    def go_on(self, now_ms: int) -> None:
        """Whatever it was, it is over by itself."""
        if self.fault:
            self.note(now_ms, "goes on")
        self.fault = SOFT
        self._look()

    def end_paper(self, now_ms: int, after_mm: float = 0.0) -> None:
        """The roll ends so many millimetres further on."""
        self.note(now_ms, f"paper ends in {after_mm:.0f} mm")
        self.roll_mm = after_mm
        if after_mm <= 0:
            self._no_paper()

    def hold_button(self, now_ms: int, down: bool) -> None:
        self.note(now_ms, f"button {down}")
        self.button = down
        if down:
            self._halt()

    def break_down(self, now_ms: int, fault: str) -> None:
        self.note(now_ms, fault)
        self.fault = fault

    def mend(self, now_ms: int) -> None:
        """What a person with a key does: what can be seen is put right, else it is switched off and on."""
        if self.no_paper or self.roll_mm < NEAR_END_MM:
            self.open_cover(now_ms)  # no roll is changed under a cover that is shut
            self.note(now_ms, "new roll")
            self._tear()
            self.roll_mm, self.no_paper = float(ROLL_MM), False
            self._shut_ms = now_ms + NEW_ROLL_MS
        elif self._shut_ms < 0:
            self.shut_cover(now_ms)
        self.cutter_stuck = self.button = False
        if self.cutter_error or self.fault or not self.power:
            self._tear()
            self.power_off(now_ms)
            self._relight_ms = now_ms + 2_000
        self._look()

    def _tear(self) -> None:
        for piece in self.pieces:
            piece.loose = True

    # ---- hearing

    def _at_once(self, command: bytes) -> None:
        match command[1], command[2]:
            case 0x04, 1 | 2 | 3 | 4:
                if command[2] not in self.habits.deaf_to:
                    self._say(bytes([self.sensors.real_time(command[2])]), self.habits.answer_ms)
            case 0x05, 1 if self.cutter_error and not self.cutter_stuck:
                self.cutter_error = False
            case 0x05, 2:
                clears = self.habits.clears_by_enq
                if clears == "always" or (clears == "error" and self.cutter_error):
                    self._forget()
                    if not self.cutter_stuck:
                        self.cutter_error = False
            case 0x14, 8 if self.habits.clears_by_dc4 and command[3:] == b"\x01\x03\x14\x01\x06\x02\x08":
                self._forget()
                self._say(b"\x37\x25\x00", self.habits.answer_ms)

    def _take_in(self, data: bytes) -> None:
        room = self.habits.buffer_bytes - len(self._buffer)
        self._buffer += data[:room]

    def _flow(self) -> None:
        if not self.xonxoff or not self._awake:
            return
        room = self.habits.buffer_bytes - len(self._buffer)
        if not self._xoff and room < 128:
            self._xoff = True
            self._say(XOFF)
        elif self._xoff and room > 256:
            self._xoff = False
            self._say(XON)

    def _say(self, data: bytes, after_ms: int = 0) -> None:
        self._out.append((self._now + after_ms, data))

    # ---- status

    @property
    def sensors(self) -> Sensors:
        habits, low = self.habits, self.roll_mm < self.habits.near_end_mm
        return Sensors(
            drawer=habits.drawer_high,
            off_line=self.off_line,
            button=self.button,
            cover=self.cover_open,
            stopped=self.no_paper,
            cutter=self.cutter_error,
            near_end=low and habits.near_end != "none",
            end=self.no_paper or (low and habits.near_end == "as_end"),
        )

    def _look(self) -> None:
        """What has changed, for a host that wants to be told; and whether work goes on after a stop."""
        if not self._awake:
            return
        if self._asb and (now := self.sensors.changes()) != self._told:
            if self._told:
                self._say(now)
            self._told = now
        if self.stops:
            self._halt()
        elif self._stopped:
            self._stopped = False
            if self.habits.after_stop == "drops":
                self._forget()
            self._parse_at = self._now + 1

    def _halt(self) -> None:
        """The head stops where it is."""
        under_head = self._started and bool(self._queue) and self._queue[0].kind == "row"
        if under_head and self.habits.row_at_stop == "lost":
            self._queue.popleft()
        self._started = False
        if self.holds:
            self._stopped = True

    def _no_paper(self) -> None:
        self.roll_mm, self.no_paper = 0.0, True
        self._tear()  # its end has left the machine
        self._halt()

    def _forget(self) -> None:
        self._buffer.clear()
        self._starved = False
        self._queue.clear()
        self._line, self._started = "", False
        self._stopped = False

    # ---- the engine

    def _print_on(self, now_ms: int) -> bool:
        if not self._queue:
            return False
        row = self._queue[0]
        if not self._started:
            self._started = True
            took = {"row": row.mm * 1000 / self.habits.mm_a_s, "cut": self._cut_ms(), "tell": 0}[row.kind]
            self._done_at = self._now + round(took)
        if self._done_at > now_ms:
            return False
        if row.kind == "cut" and self.cutter_stuck:
            self.cutter_error, self._started = True, False
            self._queue.popleft()
            return True
        if self.roll_mm < row.mm:
            self._no_paper()
            return True
        self._queue.popleft()
        self._started = False
        self.roll_mm -= row.mm
        if row.kind == "tell":
            self._say(row.answer, self.habits.answer_ms)
        elif row.kind == "row":
            self._piece_of(row.job).rows.append(row)
            self.pieces[-1].last_ms = self._done_at
        elif self.pieces:
            self._tear()
        if self._buffer and self._parse_at < now_ms:
            self._parse_at = now_ms
        return True

    def _cut_ms(self) -> float:
        return self.habits.cut_ms + FEED_TO_CUTTER_MM * 1000 / self.habits.mm_a_s

    def _piece_of(self, job: int) -> Piece:
        if not self.pieces or self.pieces[-1].loose or self.pieces[-1].job != job:
            self.pieces.append(Piece(job))
        return self.pieces[-1]

    # ---- the parser

    def _parse_on(self, now_ms: int) -> bool:
        if not self._buffer or not self._room or self._parse_at > now_ms:
            return False
        took = self._command()
        if not took:
            self._starved = True
            return False
        self._parse_at = max(self._parse_at, now_ms) + -(-took // self.habits.bytes_a_ms)
        return True

    def _command(self) -> int:
        """Carry out what stands first in the buffer. Its length; 0 while it is not complete."""
        data = self._buffer
        first = data[0]
        if first in (ESC, GS, FS, DLE):
            length = length_of(data)
            if not length or length > len(data):
                return 0
            command = bytes(data[:length])
            del data[:length]
            self._do(command)
            return length
        del data[0]
        if first == 0x0A:
            self._row(self._line, (self._spacing if self._tall == 1 else 24 * self._tall + 6) / DOTS_PER_MM)
            self._line = ""
        elif first >= 0x20:
            self._line += chr(first) if first < 0x7F else "?"
        return 1

    def _do(self, command: bytes) -> None:
        if command[0] == DLE and len(command) >= 3:
            self._at_once(command)
        match command[:2]:
            case b"\x1b@":
                self._line, self._spacing, self._tall, self._bars = "", 30, 1, (162, 3)
                if self._rows_in_job:
                    self.job, self._rows_in_job = self.job + 1, 0
            case b"\x1b3":
                self._spacing = command[2]
            case b"\x1b2":
                self._spacing = 30
            case b"\x1b!":
                self._tall = 2 if command[2] & 0x10 else 1
            case b"\x1d!":
                self._tall = (command[2] & 7) + 1
            case b"\x1bd":
                self._row(self._line, command[2] * self._spacing / DOTS_PER_MM)
                self._line = ""
            case b"\x1bJ":
                self._row(self._line, command[2] / DOTS_PER_MM / 2)
                self._line = ""
            case b"\x1dh":
                self._bars = command[2], self._bars[1]
            case b"\x1dw":
                self._bars = self._bars[0], command[2]
            case b"\x1dk":
                height, module = self._bars
                self._row("", height / DOTS_PER_MM, in_bars(command, module, self.habits.width_dots))
            case b"\x1dv":
                down = command[6] + 256 * command[7]
                self._row("", down / DOTS_PER_MM, in_picture(command, self.habits.width_dots))
            case b"\x1dV":
                self._cut(command)
            case b"\x1da":
                self._asb = command[2]
                self._told = self.sensors.changes()
                if self._asb:
                    self._say(self._told, self.habits.answer_ms)
            case b"\x1dr":
                self._answer(bytes([self.sensors.paper() if command[2] in (1, 49) else 0]))
            case b"\x1dI" if self.habits.has_name:
                self._answer(b"_TM-ADV\x00" if command[2] >= 65 else b"\x20")

    def _answer(self, data: bytes) -> None:
        if self.fault == SWALLOWS:
            return
        if self.habits.answers_when_parsed:
            self._say(data, self.habits.answer_ms)
        else:
            self._queue.append(Row("tell", answer=data))

    def _row(self, text: str, mm: float, digits: str = "") -> None:
        if self.fault != SWALLOWS:
            self._queue.append(Row("row", self.job, text, digits, mm))
            self._rows_in_job += 1

    def _cut(self, command: bytes) -> None:
        if self.fault != SWALLOWS:
            if self._line:
                self._row(self._line, self._spacing / DOTS_PER_MM)
            self._queue.append(Row("cut", self.job))
        self._line = ""
        if self._rows_in_job:
            self.job, self._rows_in_job = self.job + 1, 0
