"""A simulated ESC/POS receipt printer: a byte machine with a roll of paper, a cutter and a buffer.

What matters about these printers is what they do when they stop. Off line (paper out, cover open, an
error) they carry out nothing, answer only real-time commands, and keep what they have received: once
somebody has loaded paper, the rest of the job comes out as if nothing had happened. Marks among the data
are answered when everything before them is done. Nothing tells a host that its ticket was printed.

Lines take their time on paper: a ticket of the usual length takes three seconds, or a third of one. Printers
differ in that, in when they answer a mark, and in what they answer at all (`Setup`, `any_setup`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from drivers.sim.escpos.ear import Ear, HeardCommand, RealTime
from drivers.sim.escpos.engine import EVERYTHING, Engine, Parts, Setup, any_setup
from drivers.sim.escpos.paper import Roll, Strip
from drivers.sim.printers import PrinterMachine

__all__ = ["BAUD", "BITS", "KEEPS_EVIDENCE", "MACHINE", "EscPosMachine", "Setup", "any_setup"]

BAUD = 38400
BITS = 10  # start, eight data, stop
XON, XOFF = b"\x11", b"\x13"
ANSWERS_LIMIT = 64  # a host that asks faster than the line carries loses answers
HOT_MS = 5000  # until the head has cooled by itself
QUESTION_BYTES = 3
SILENCE_MS = 20  # behind print data
REFUSES_MS = 1500  # it is off line for a ticket that it throws away


class EscPosMachine(PrinterMachine):
    """See the module. `tray` holds all paper that came out, oldest first; a person may `take` it."""

    FAULTS: Mapping[str, str] = {
        "paper_low": "the roll is near its end",
        "paper_out": "the roll ends here; the rest of a ticket waits in the buffer",
        "load_paper": "somebody puts in a new roll, unless it prints just now",
        "jam": "the paper jams now; a ticket that is being printed stays half done",
        "jam_next": "the next ticket jams at its bar code",
        "head_open": "the cover is opened; a ticket that is being printed stays half done",
        "head_close": "the cover is closed",
        "cutter": "the cutter does not return",
        "hot": "the head is too hot; it goes on by itself when it has cooled",
        "broken": "an error that needs service",
        "repair": "somebody takes out jammed paper and mends what is broken inside",
        "off_line": "somebody switches it off line",
        "on_line": "and on line again",
        "button_down": "somebody presses the feed button",
        "button_held": "and holds it, or it sticks: it feeds paper and is off line",
        "button_up": "and lets it go",
        "reset": "the printer restarts by itself",
        "xoff": "it stops its host and reads nothing",
        "xon": "it reads again",
        "swallowed": "what its host sends next vanishes without a trace, questions aside",
        "swallows": "every ticket vanishes without a trace, until it prints again",
        "refuses": "every ticket takes it off line for a moment and is thrown away, until it prints again",
        "prints_again": "ends swallows and refuses",
        "answers_early": "it answers marks when it has read them, and prints later",
        "answers_in_time": "it answers marks when it has printed what is before them",
        "deaf_1": "it does not answer DLE EOT 1 any more",
        "deaf_2": "it does not answer DLE EOT 2 any more",
        "deaf_3": "it does not answer DLE EOT 3 any more",
        "deaf_4": "it does not answer DLE EOT 4 any more",
        "hears_all": "it answers all questions again",
        "automatic": "it gives its automatic status without being asked",
        "stray_status": "it gives a real-time answer that nobody asked for",
        "stray_mark": "it gives the answer to a mark that nobody sent",
        "mute": "it answers nothing",
        "unmute": "it answers again",
        "take": "somebody takes what came out last",
    }

    def __init__(self, setup: Setup | None = None) -> None:
        self.setup = setup or Setup()
        self.engine = Engine(self.setup, self._say)
        self.ear = Ear()
        self._powered = True
        self._boot_ms: int | None = None
        self._last_sent: bytes | None = None  # the last automatic status
        self._answers: deque[tuple[int, bytes]] = deque()
        self._swallows: int | None = None  # until the line is silent; 0: what comes next
        self._stopped = False
        self._held = bytearray()  # received while stopped
        self._mute = False
        self._deaf_to = set(self.setup.deaf_to)
        self._loses = ""  # "swallows" or "refuses": what it does with every ticket
        self._losing_ms = -SILENCE_MS - 1  # when the last byte of such a ticket came
        self._refusing_ms: int | None = None  # until then it is off line for one
        self._full = False  # it has stopped its host because its buffer is
        self._taken = 0  # strips that somebody has taken

    # ---- what the lab and the tests look at

    @property
    def mechanics(self) -> Engine:
        return self.engine

    @property
    def tray(self) -> list[Strip]:
        return self.engine.tray

    @property
    def ordered(self) -> list[str]:
        """The number of the strip under the head, once its bar code is on it."""
        number = self.roll.strip.text.validation
        return [number] if number else []

    @property
    def roll(self) -> Roll:
        return self.engine.roll

    @property
    def parts(self) -> Parts:
        return self.engine.parts

    @property
    def buffered(self) -> int:
        """Bytes that wait to be carried out."""
        return self.engine.buffered + self.ear.waiting

    @property
    def paper_count(self) -> int:
        """All paper that ever came out."""
        return self.printed_count + self.spoilt_count

    def sweep(self, kept: int) -> None:
        """Old paper is swept up."""
        del self.tray[:-kept]

    @property
    def paper_left(self) -> str:
        return f"{self.roll.left_mm / 1000:.1f} m"

    @property
    def paper_stands(self) -> bool:
        """A strip lies before it that nobody has taken."""
        return self._taken < self.paper_count

    @property
    def trouble(self) -> str:
        """What somebody sees who stands before it; "" if nothing is wrong."""
        parts = self.parts
        troubles = (
            (parts.cover_open, "cover open"),
            (parts.jam_error, "paper jam"),
            (parts.cutter_error, "cutter stuck"),
            (parts.broken, "broken"),
            (parts.hot_until_ms is not None, "too hot"),
            (self.roll.left_mm == 0, "paper out"),
            (parts.switched_off_line, "off line"),
        )
        return next((text for is_so, text in troubles if is_so), "")

    def take(self) -> Strip | None:
        """Somebody takes what came out last; None if nothing lies there."""
        if not self.paper_stands:
            return None
        self._taken = self.paper_count
        return self.tray[-1]

    # ---- the far end of the wire

    @property
    def wake_at(self) -> int | None:
        if not self._powered:
            return self._boot_ms
        due_ms = self.engine.due_ms
        if self._refusing_ms is not None and (due_ms is None or self._refusing_ms < due_ms):
            due_ms = self._refusing_ms
        if self._answers and (due_ms is None or self._answers[0][0] < due_ms):
            return self._answers[0][0]
        return due_ms

    def receive(self, data: bytes, now_ms: int) -> None:
        if not self._powered:
            return
        if self._stopped:
            self._held += data[: self.setup.buffer_bytes - len(self._held)]
            return
        if self._swallowed(data, now_ms):
            return
        self.engine.touched(now_ms)
        for heard in self.ear.hear(data):
            if isinstance(heard, RealTime):
                self._obey_at_once(heard, now_ms)
            elif self._loses and self._loses_ticket(heard, now_ms):
                continue
            elif self.buffered + heard.size <= self.setup.buffer_bytes:
                self.engine.take(heard, now_ms)
        self._stop_or_go(now_ms)

    def _loses_ticket(self, heard: HeardCommand, now_ms: int) -> bool:
        """A ticket begins with a reset and is over when the line has been silent."""
        if heard.what == "ESC @":
            self._losing_ms = now_ms
        lost = now_ms - self._losing_ms <= SILENCE_MS
        if lost:
            self._losing_ms = now_ms
            if self._loses == "refuses":
                self.parts.switched_off_line, self._refusing_ms = True, now_ms + REFUSES_MS
        return lost

    def _stop_or_go(self, now_ms: int) -> None:
        """Flow control by the printer itself, where its switches say so."""
        full = self.setup.buffer_bytes - self.buffered <= self.setup.stops_at
        if self.setup.stops_at and full != self._full:
            if not full and self.buffered > self.setup.stops_at:
                return  # it goes on with some room only
            self._full = full
            self._answers.append((now_ms, XOFF if full else XON))

    def _swallowed(self, data: bytes, now_ms: int) -> bool:
        if self._swallows is None or (not self._swallows and len(data) <= QUESTION_BYTES):
            return False
        if self._swallows and now_ms - self._swallows > SILENCE_MS:
            self._swallows = None
            return False
        self._swallows = now_ms
        return True

    def tick(self, now_ms: int) -> bytes:
        out = b""
        while (due := self.wake_at) is not None and due <= now_ms:
            out += self._happen(due)
        return out

    def _happen(self, at_ms: int) -> bytes:
        """Everything that is due at `at_ms`."""
        if not self._powered:
            self._powered, self._boot_ms = True, None
            self.engine.touched(at_ms)
            self.parts.recover()
            return XON  # its host may still obey the XOFF of before
        if self._refusing_ms is not None and self._refusing_ms <= at_ms:
            self.parts.switched_off_line, self._refusing_ms = False, None
            self.engine.touched(at_ms)
        self.engine.move(at_ms)
        self._stop_or_go(at_ms)
        if not self.engine.automatic:
            self._last_sent = None
        elif (status := self._automatic_status()) != self._last_sent:
            self._last_sent = status
            self._say(status, at_ms)
        out = b""
        while self._answers and self._answers[0][0] <= at_ms:
            out += self._answers.popleft()[1]
        return out

    def power_off(self, now_ms: int) -> None:
        """What is on paper stays on paper; the buffer and all settings are lost."""
        self.engine.power_off(now_ms)
        self.ear.forget()
        self._powered = False
        self._boot_ms = None
        self._answers.clear()
        self._stopped = self._mute = self._full = False
        self._held.clear()
        self._last_sent = None

    def power_on(self, now_ms: int) -> None:
        if not self._powered:
            self._boot_ms = now_ms + self.setup.boot_ms

    # ---- answers

    def _say(self, data: bytes, at_ms: int) -> None:
        if len(self._answers) < ANSWERS_LIMIT and not self._mute:
            self._answers.append((at_ms + self.setup.answer_ms, data))

    def _obey_at_once(self, said: RealTime, at_ms: int) -> None:
        match said.what:
            case "status" if self.setup.real_time and said.number not in self._deaf_to:
                self._say(bytes((0x12 | self._bits(said.number),)), at_ms)
            case "recover" if self.setup.obeys_enq:
                self.parts.recover()
                if said.number == 2:
                    self._clear(at_ms)
            case "clear" if self.setup.obeys_dc4:
                self._clear(at_ms)
                self._say(b"\x37\x25\x00", at_ms)

    def _clear(self, at_ms: int) -> None:
        self.engine.stop(at_ms)
        self.engine.forget()
        self.ear.forget()

    def _bits(self, question: int) -> int:
        parts, out = self.parts, self.roll.left_mm == 0
        match question:
            case 1:
                return 0x04 * self.setup.pin_3 | 0x08 * self.engine.off_line | 0x40 * parts.button
            case 2:
                by_button = 0x08 * (parts.button and not out)
                return 0x04 * parts.cover_open | by_button | 0x20 * out | 0x40 * parts.error
            case 3:
                return self._errors()
            case _:
                return 0x60 * out | 0x0C * self.engine.low

    def _errors(self) -> int:
        parts = self.parts
        broken = 0x20 * parts.broken | 0x40 * (parts.hot_until_ms is not None)
        return 0x04 * parts.jam_error | 0x08 * parts.cutter_error | broken

    def _automatic_status(self) -> bytes:
        first = 0x10 | 0x04 * self.setup.pin_3 | 0x08 * self.engine.off_line
        first |= 0x20 * self.parts.cover_open | 0x40 * self.parts.button
        return bytes((first, self._errors(), self.engine.paper_sensor, 0x0F))

    # ---- what goes wrong

    def inject(self, fault: str, now_ms: int) -> None:
        """One of FAULTS; KeyError for any other name."""
        if fault not in self.FAULTS:
            raise KeyError(fault)
        self.engine.touched(now_ms)
        match fault:
            case "reset":
                self.power_off(now_ms)
                self.power_on(now_ms)
            case "xoff":
                self._stopped = True
                self._answers.append((now_ms, XOFF))
            case "xon":
                self._stopped = False
                self._answers.append((now_ms, XON))
                held, self._held = bytes(self._held), bytearray()
                self.receive(held, now_ms)
            case "swallowed":
                self._swallows = 0
            case "swallows" | "refuses" | "prints_again":
                self._loses = "" if fault == "prints_again" else fault
            case "answers_early" | "answers_in_time":
                self.engine.ahead = EVERYTHING if fault == "answers_early" else self.setup.ahead
            case "deaf_1" | "deaf_2" | "deaf_3" | "deaf_4":
                self._deaf_to.add(int(fault[-1]))
            case "hears_all":
                self._deaf_to.clear()
            case "automatic":
                self._say(self._automatic_status(), now_ms)
            case "stray_status":
                self._say(b"\x16", now_ms)
            case "stray_mark":
                self._say(b"\x00", now_ms)
            case "mute" | "unmute":
                self._mute = fault == "mute"
            case "take":
                self.take()
            case _:
                self._break(fault, now_ms)

    def _break(self, fault: str, now_ms: int) -> None:
        """Faults of the mechanics, and what ends them."""
        parts, engine = self.parts, self.engine
        match fault:
            case "paper_low":
                engine.roll.left_mm = min(engine.roll.left_mm, self.setup.low_mm)
            case "paper_out":
                engine.roll.left_mm = 0
                engine.stand(now_ms)
            case "load_paper":
                engine.load(now_ms)
            case "jam":
                engine.jam(now_ms)
            case "jam_next":
                engine.jams_next = True
            case "head_open":
                parts.cover_open = True
                engine.stand(now_ms)
            case "head_close":
                parts.cover_open = False
            case "cutter":
                parts.cutter = True
            case "hot":
                parts.hot_until_ms = now_ms + HOT_MS
            case "broken":
                parts.broken = True
                engine.stand(now_ms)
            case "repair":
                parts.jammed = parts.cutter = parts.broken = False
            case "off_line" | "on_line":
                parts.switched_off_line = fault == "off_line"
            case "button_down" | "button_held" | "button_up":
                parts.button, parts.button_held = fault != "button_up", fault == "button_held"


KEEPS_EVIDENCE = False  # answers to marks are lost with the host that waits for them
#: How the lab and the contract tests make one.
MACHINE = EscPosMachine


def make(baud: int, _currency: str) -> EscPosMachine:
    """As a cabinet with this line has it."""
    return EscPosMachine(Setup(baud=baud))
