"""A ticket printer that speaks TCL, made from its protocol alone.

It shares nothing with `drivers.sim` but the shape of a machine at the end of a wire. The driver and the
simulator of this repository could be wrong in agreement; this unit knows neither. Where the protocol leaves
a choice, the choice is a habit of the unit, drawn by seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

XON, XOFF, ENQ, CARET = 0x11, 0x13, 0x05, 0x5E
NEVER = 1 << 62
FIELDS = 17  # of template 0
VERSIONS = ("GURUSAG18", "5RUSAGE27", "3RUSAGE05", "GRUSA4100", "PAY-6.22B")
STARTS_MS = ((0, 300), (300, 3_000), (2_000, 4_500), (5_000, 20_000), (20_000, 60_000))
QUEUE_BYTES = 4_000  # answers that wait; more are lost


@dataclass(frozen=True, slots=True)
class Habits:
    """What units of one language do differently."""

    version: str = "GURUSAG18"
    bytes_per_ms: int = 20  # that it parses
    buffer_bytes: int = 2_048
    frame_ms: int = 1_000  # a command that stays open so long is dropped
    complains: bool = True  # of such a one, by command error
    gap_ms: int = 0  # a command that comes sooner after another is not heard
    answer_ms: tuple[int, int] = (5, 40)
    start_ms: tuple[int, int] = (300, 3_000)
    print_ms: tuple[int, int] = (4_000, 6_000)
    bar_percent: int = 60  # of a ticket, when the last bar of its barcode is burnt
    chute_percent: int = 80  # when paper stands in the chute
    jobs: int = 1  # that wait behind the first
    busy_early: bool = False  # from the order on, not from the first line
    validation_bit: bool = True
    chute_sensor: bool = True
    top_bit: bool = False  # whether "at top of form" is ever set
    stale_at_power_up: bool = False  # "validation done" is set by nothing but the start
    summary_stays: bool = False  # the summary bit, after a print
    long_template: bool = False  # `P#8000`
    no_template: str = " "  # what stands for "none yet"
    three_flags: bool = False  # in answer to `^S|^`
    unasked_ms: int = 0  # it tells its status so often by itself; 0: never
    holds: bool = True  # an order that comes while it cannot print waits; else it is forgotten
    resumes: bool = False  # after paper was loaded a ticket that was cut short is printed again
    keeps_job: bool = False  # over a loss of power
    kept_ms: tuple[int, int] = (500, 4_000)  # from its start until it begins with that
    knows_reset: bool = True  # else `^r` is a command error
    waits_for_chute: bool = True  # else the next ticket pushes the last one out
    boot_ms: int = 2_500
    xonxoff: bool = False


def habits(dice: random.Random, *, validation_bit: bool = True, xonxoff: bool = False) -> Habits:
    """A unit as it may come out of the box."""
    keeps_job = dice.random() < 0.2
    least_ms = dice.choice((4_000, 5_000, 8_000, 14_000))
    return Habits(
        version=dice.choice(VERSIONS),
        bytes_per_ms=dice.choice((1, 2, 4, 20)),
        buffer_bytes=dice.choice((512, 1_024, 4_096)),
        frame_ms=dice.choice((120, 500, 3_000)),
        complains=dice.random() < 0.6,
        gap_ms=dice.choice((0, 0, 30)),
        answer_ms=dice.choice(((2, 10), (5, 60), (50, 250), (200, 900))),
        start_ms=dice.choices(STARTS_MS, (6, 6, 4, 2, 1))[0],
        print_ms=(least_ms, least_ms + dice.randint(200, 4_000)),
        bar_percent=dice.randint(15, 97),
        chute_percent=dice.randint(30, 100),
        jobs=dice.choice((0, 1, 2)),
        busy_early=dice.random() < 0.2,
        validation_bit=validation_bit,
        chute_sensor=not validation_bit or dice.random() < 0.8,
        top_bit=dice.random() < 0.5,
        stale_at_power_up=validation_bit and dice.random() < 0.2,
        summary_stays=dice.random() < 0.2,
        long_template=dice.random() < 0.1,
        no_template=dice.choice((" ", "x", "")),
        three_flags=dice.random() < 0.5,
        unasked_ms=dice.choice((0, 0, 0, 2_000, 700)),
        holds=dice.random() < 0.5,
        resumes=dice.random() < 0.3,
        keeps_job=keeps_job,
        knows_reset=keeps_job or dice.random() < 0.75,
        waits_for_chute=dice.random() < 0.6,
        boot_ms=dice.randint(300, 9_000),
        xonxoff=xonxoff,
    )


@dataclass(eq=False, slots=True)
class Paper:
    """What has come out, whole or not. `where`: "path", "chute", "hand", "floor", "box" or "bin"."""

    unit: str
    fields: tuple[str, ...]
    at_ms: int
    whole: bool = False
    damaged: bool = False  # its order was changed on the line
    where: str = "path"

    @property
    def number(self) -> str:
        return self.fields[16]

    @property
    def cents(self) -> int:
        return int("".join(c for c in self.fields[12] if c.isdecimal()) or "0")

    @property
    def consistent(self) -> bool:
        """The same number at the edge, in the middle and in the bars, grouped 2-4-4-4-4."""
        n = self.number
        grouped = "-".join((n[:2], n[2:6], n[6:10], n[10:14], n[14:]))
        return self.fields[0] == grouped == self.fields[6]


@dataclass(slots=True)
class Job:
    fields: tuple[str, ...]
    copies: int
    damaged: bool
    starts_ms: int


@dataclass(slots=True)
class Print:
    """A ticket that is being printed. Times are moved on by whatever stops the paper."""

    job: Job
    paper: Paper
    bar_ms: int
    chute_ms: int
    end_ms: int
    jams_ms: int = NEVER


@dataclass(slots=True)
class Sensors:
    """What somebody, or wear, does to the unit; all ended by `TclUnit.mend`."""

    paper_out: bool = False
    paper_low: bool = False
    last_sheet: bool = False  # the ticket after this order is the last of the stack
    head_up: bool = False
    drawer: bool = False
    voltage: bool = False
    head_error: bool = False
    cutter: bool = False
    cutter_next: bool = False
    index: bool = False
    off_line: bool = False
    stuck: bool = False  # it hangs, and says that it is busy
    deaf_to_orders: int = 0  # so many orders are heard and forgotten
    mute: bool = False
    chute_dirty: bool = False
    hot_until_ms: int = 0


class TclUnit:
    """The machine. `on_job(number)` is told of each order that it has understood."""

    FAULTS: Mapping[str, str] = {
        "paper_out": "the paper ends now, in a ticket or not",
        "last_sheet": "the next ticket is the last one",
        "paper_low": "there is little paper left",
        "head_up": "somebody lifts the head",
        "drawer": "somebody opens the drawer",
        "jam": "paper jams now, or in the next ticket",
        "cutter": "the next ticket is not cut off",
        "voltage": "the supply is bad",
        "head_error": "the head is bad",
        "index": "the index mark is not found",
        "off_line": "somebody presses the off-line button",
        "stuck": "the firmware hangs and looks busy",
        "swallows": "the next two orders are heard and forgotten",
        "swallows_all": "every order is heard and forgotten",
        "mute": "no answer leaves the unit",
        "chute_dirty": "the chute's sensor sees paper that is not there",
        "hot": "the head cools down for some seconds",
        "xoff": "it stops the host and forgets to let it go on",
        "command_error": "a latched command error",
        "library": "a latched error of the libraries",
        "late": "the next ticket starts up to a minute late",
        "flip": "one bit of the next bytes from the host turns over",
        "drop": "one of the next bytes from the host is lost",
        "soft_reset": "its watchdog restarts it",
    }

    def __init__(self, name: str, made: Habits, seed: str, *, powered: bool = True) -> None:
        self.name, self.habits = name, made
        self.papers: list[Paper] = []
        self.chute: list[Paper] = []
        self.on_job: Callable[[str], object] | None = None
        self.sensors = Sensors()
        self.copies_asked = 1  # the most that anybody ever asked for
        self._dice = random.Random(seed)
        self._now_ms = 0
        self._powered = False
        self._boots_ms = NEVER
        self._ready_bytes: list[tuple[int, int, bool]] = []  # (parsed at, byte, damaged)
        self._frame: bytearray | None = None
        self._frame_hurt = False
        self._frame_ms = 0
        self._closed_ms = -NEVER
        self._jobs: list[Job] = []
        self._print: Print | None = None
        self._kept: Job | None = None
        self._answers: list[tuple[int, bytes]] = []
        self._unasked_ms = NEVER
        self._stopped = False  # XOFF is out
        self._xoff_stays = False
        self._hurt = ""  # "flip" or "drop"
        self._jams_next = False
        self._late_next = False
        # command, region, reference, overflow, memory, validation, reset, jam
        self._latched: set[str] = set()
        self._template = ""
        self._sticky = False
        self._top = False
        if powered:
            self.power_on(0)
            self._boots_ms = 0

    # ---- what somebody who stands before it can see and do

    @property
    def alive(self) -> bool:
        return self._powered and self._boots_ms == NEVER

    @property
    def looks_ready(self) -> bool:
        """By its own signs it would print the next order."""
        s = self.sensors
        bad = s.paper_out or s.head_up or s.drawer or s.voltage or s.head_error or s.cutter or s.index
        bad = bad or s.off_line or s.stuck or s.mute or self._stopped or self._chute_seen or self._busy
        return self.alive and not bad and not self._latched - {"validation", "reset"}

    @property
    def late(self) -> bool:
        """It has begun, or may yet begin, with a ticket long after its order."""
        return self.habits.start_ms[1] > 5_000 or any(job.starts_ms > self._now_ms for job in self._jobs)

    def take(self) -> list[Paper]:
        """Whatever stands in the chute or lies in the tray."""
        taken, self.chute = self.chute, []
        for paper in taken:
            paper.where = "hand"
        return taken

    def mend(self, now_ms: int) -> list[Paper]:
        """A person opens it, pulls out what is stuck, loads paper, shuts it. Gives what was in it."""
        self.tick_physics(now_ms)
        found = [paper for paper in self.papers if paper.where == "path"]
        if self._print is not None and (self._needs_hand or "jam" in self._latched):
            self._cut_short(forget=True)
        elif self._print is not None:
            found.remove(self._print.paper)
        for paper in found:
            paper.where = "hand" if paper.whole else "bin"
        if self.sensors.stuck and self._powered:
            self.power_off(now_ms)
            self.power_on(now_ms)
        hot_ms = self.sensors.hot_until_ms
        self.sensors = Sensors(hot_until_ms=hot_ms)
        if self._xoff_stays:
            self._xoff_stays = False
        return found

    @property
    def _needs_hand(self) -> bool:
        s = self.sensors
        return s.stuck or s.cutter or s.head_up or s.paper_out

    # ---- machine (drivers.sim.wire.Machine)

    @property
    def wake_at(self) -> int | None:
        if not self._powered:
            return None
        due_ms = min(self._boots_ms, self._unasked_ms, self._next_physics_ms())
        if self._ready_bytes:
            due_ms = min(due_ms, self._ready_bytes[0][0])
        if self._frame is not None:
            due_ms = min(due_ms, self._frame_ms + self.habits.frame_ms)
        if self._answers:
            due_ms = min(due_ms, self._answers[0][0])
        if self._stopped and not self._xoff_stays and not self._ready_bytes:
            due_ms = min(due_ms, self._now_ms + 1)
        return None if due_ms >= NEVER else max(due_ms, self._now_ms + 1)

    def receive(self, data: bytes, now_ms: int) -> None:
        if not self._powered or self._boots_ms != NEVER:
            return
        hurt, hurt_at = "", -1
        if self._hurt and data:
            hurt, self._hurt = self._hurt, ""
            hurt_at = self._dice.randrange(len(data))
        ready_us = max(now_ms, self._ready_bytes[-1][0] if self._ready_bytes else 0) * 1_000
        for place, byte in enumerate(data):
            touched = place == hurt_at
            if touched and hurt == "drop":
                self._frame_hurt = True
                continue
            if touched:
                byte ^= 1 << self._dice.randrange(8)
            if len(self._ready_bytes) >= self.habits.buffer_bytes:
                self._latched.add("overflow")
                self._frame_hurt = True
                continue
            ready_us += 1_000 // self.habits.bytes_per_ms
            self._ready_bytes.append((-(-ready_us // 1_000), byte, touched))
        full = len(self._ready_bytes) > self.habits.buffer_bytes * 8 // 10
        if full and not self._stopped and self.habits.xonxoff:
            self._stop_host(now_ms)

    def tick(self, now_ms: int) -> bytes:
        if not self._powered:
            self._now_ms = now_ms
            return b""
        self.tick_physics(now_ms)
        if self._boots_ms <= now_ms:
            self._booted(now_ms)
        while self._ready_bytes and self._ready_bytes[0][0] <= now_ms:
            _, byte, hurt = self._ready_bytes.pop(0)
            self._parse(byte, hurt, now_ms)
        if self._frame is not None and now_ms >= self._frame_ms + self.habits.frame_ms:
            self._frame = None
            if self.habits.complains:
                self._latched.add("command")
        drained = len(self._ready_bytes) < self.habits.buffer_bytes * 4 // 10
        if self._stopped and not self._xoff_stays and drained:
            self._stopped = False
            self._answers.insert(0, (now_ms, bytes([XON])))
        self.tick_physics(now_ms)
        if self._unasked_ms <= now_ms:
            self._unasked_ms = now_ms + self.habits.unasked_ms
            self._say(self._status(5), now_ms)
        out = b""
        while self._answers and self._answers[0][0] <= now_ms:
            out += self._answers.pop(0)[1]
        return b"" if self.sensors.mute else out

    def power_off(self, now_ms: int) -> None:
        if not self._powered:
            return
        self.tick_physics(now_ms)
        job = None
        if self._print is not None:
            job = self._print.job
            self._cut_short(forget=True)
        elif self._jobs:
            job = self._jobs[0]
        self._kept = job if self.habits.keeps_job else None
        self._powered, self._boots_ms, self._unasked_ms = False, NEVER, NEVER
        self._forget()

    def power_on(self, now_ms: int) -> None:
        if self._powered:
            return
        self._powered = True
        self._now_ms = max(self._now_ms, now_ms)
        self._boots_ms = now_ms + self.habits.boot_ms
        self.sensors.stuck = False

    def inject(self, fault: str, now_ms: int) -> None:
        self.tick_physics(now_ms)
        s, dice = self.sensors, self._dice
        match fault:
            case "paper_out" if self._print is not None and self._print.bar_ms <= now_ms:
                s.last_sheet = True  # a ticket is one sheet: behind its bars there is no next one
            case "paper_out":
                s.paper_out = True
                self._halt()
            case "last_sheet" | "paper_low" | "voltage" | "head_error" | "index" | "off_line" | "mute":
                setattr(s, fault, True)
            case "head_up":
                s.head_up = True
                self._halt()
            case "drawer":
                s.drawer = True
            case "jam" if self._print is not None:
                self._print.jams_ms = now_ms + dice.randint(0, 1_500)
            case "jam":
                self._jams_next = True
            case "cutter":
                s.cutter_next = True
            case "stuck":
                s.stuck = True
            case "swallows":
                s.deaf_to_orders = 2
            case "swallows_all":
                s.deaf_to_orders = 1_000
            case "chute_dirty":
                s.chute_dirty = self.habits.chute_sensor
            case "hot":
                self._pause(now_ms, dice.randint(2_000, 12_000))
            case "xoff" if self.habits.xonxoff:
                self._xoff_stays = True
                self._stop_host(now_ms)
            case "xoff":
                pass
            case "command_error":
                self._latched.add("command")
            case "library":
                self._latched.add("reference")
            case "late":
                self._late_next = True
            case "flip" | "drop":
                self._hurt = fault
            case "soft_reset":
                self.power_off(now_ms)
                self.power_on(now_ms)
            case _:
                raise KeyError(fault)

    # ---- start

    def _forget(self) -> None:
        self._ready_bytes.clear()
        self._frame, self._frame_hurt = None, False
        self._jobs.clear()
        self._answers.clear()
        self._stopped = self._sticky = self._top = False
        self._latched.clear()
        self._template = ""

    def _booted(self, now_ms: int) -> None:
        self._boots_ms = NEVER
        self._forget()
        self._latched.add("reset")
        if self.habits.stale_at_power_up:
            self._latched.add("validation")
        if self.habits.unasked_ms:
            self._unasked_ms = now_ms + self.habits.unasked_ms
        if self._kept is not None:
            self._kept.starts_ms = now_ms + self._dice.randint(*self.habits.kept_ms)
            self._jobs.append(self._kept)
            self._kept = None

    # ---- line

    def _stop_host(self, now_ms: int) -> None:
        self._stopped = True
        self._answers.insert(0, (now_ms, bytes([XOFF])))

    def _say(self, data: bytes, now_ms: int) -> None:
        if sum(len(answer) for _, answer in self._answers) < QUEUE_BYTES:
            after_ms = self._answers[-1][0] if self._answers else 0
            self._answers.append((max(after_ms, now_ms + self._dice.randint(*self.habits.answer_ms)), data))

    def _parse(self, byte: int, hurt: bool, now_ms: int) -> None:
        if self._frame is None:
            if byte == ENQ:
                self._say(self._status(5), now_ms)
            elif byte == CARET and now_ms - self._closed_ms >= self.habits.gap_ms:
                self._frame, self._frame_ms, self._frame_hurt = bytearray(), now_ms, hurt
            return
        self._frame_hurt = self._frame_hurt or hurt
        self._frame_ms = now_ms
        if byte != CARET:
            self._frame.append(byte)
            return
        if not self._frame:
            return  # the end of something that was lost: a command begins here
        text, was_hurt = bytes(self._frame).decode("latin-1"), self._frame_hurt
        self._frame, self._frame_hurt, self._closed_ms = None, False, now_ms
        self._obey(text, was_hurt, now_ms)

    def _obey(self, text: str, hurt: bool, now_ms: int) -> None:
        parts = text.split("|")
        match parts:
            case ["Se", ""]:
                self._say(self._status(5), now_ms)
            case ["S", ""]:
                self._say(self._status(3 if self.habits.three_flags else 5), now_ms)
            case ["C", ""]:
                self._clear()
            case ["C", "j" | "a", ""]:
                self._clear()
                if not any(paper.where == "path" for paper in self.papers):
                    self._latched.discard("jam")
            case ["r", ""] if self.habits.knows_reset:
                self.power_off(now_ms)
                self._kept = None
                self.power_on(now_ms)
            case ["P", template, copies, *fields, ""] if copies.isdecimal() and len(fields) == FIELDS:
                self._order(template, int(copies), tuple(fields), hurt, now_ms)
            case _:
                self._latched.add("command")

    def _clear(self) -> None:
        self._latched &= {"jam"}
        self._sticky = False

    def _order(self, template: str, copies: int, fields: tuple[str, ...], hurt: bool, now_ms: int) -> None:
        if not hurt:
            self.copies_asked = max(self.copies_asked, copies)
        if self.on_job is not None:
            self.on_job(fields[16])
        number = fields[16]
        if self.sensors.deaf_to_orders:
            self.sensors.deaf_to_orders -= 1
        elif template != "0":
            self._latched.add("reference")
        elif len(number) != 18 or not number.isdecimal() or not 1 <= copies <= 9_999:
            self._latched.add("region")
        elif len(self._jobs) + (self._print is not None) > self.habits.jobs:
            self._latched.add("memory")
        elif not self.habits.holds and not self._can_print:
            pass  # forgotten
        else:
            start_ms = self._dice.randint(*self.habits.start_ms)
            if self._late_next:
                self._late_next, start_ms = False, self._dice.randint(4_000, 60_000)
            self._jobs.append(Job(fields, min(copies, 3), hurt, now_ms + start_ms))

    # ---- status

    @property
    def _busy(self) -> bool:
        early = self.habits.busy_early and bool(self._jobs)
        return self._print is not None or self.sensors.stuck or early

    @property
    def _chute_seen(self) -> bool:
        if not self.habits.chute_sensor:
            return False
        rising = self._print is not None and self._now_ms >= self._print.chute_ms
        return bool(self.chute) or rising or self.sensors.chute_dirty

    def _status(self, flags: int) -> bytes:
        s, on = self.sensors, self._latched
        hot = self._now_ms < s.hot_until_ms
        error = s.head_up or s.paper_out or s.head_error or s.voltage or s.cutter or s.index or "jam" in on
        error = error or bool(on & {"command", "region", "reference", "overflow", "memory"})
        empty = s.paper_out
        groups = (
            (self._busy, error or self._sticky, s.head_up, empty, s.head_error, s.voltage),
            (hot, "reference" in on, "region" in on, False, "overflow" in on, "memory" in on),
            ("command" in on, False, self._chute_seen, False, s.off_line, s.index),
            (False, False, False, s.cutter, "jam" in on, s.paper_low or s.last_sheet),
            ("validation" in on, self._top, self._stopped, s.drawer, False, "reset" in on),
        )
        body = b"".join(bytes([_byte(group)]) + b"|" for group in groups[:flags])
        template = self._template or self.habits.no_template
        return f"*S|0|{self.habits.version}|".encode() + body + f"P{template}|*".encode()

    # ---- paper

    @property
    def _can_print(self) -> bool:
        s = self.sensors
        bad = s.paper_out or s.head_up or s.drawer or s.off_line or s.stuck or s.cutter or s.head_error
        return not (bad or s.voltage or s.index or "jam" in self._latched)

    def _next_physics_ms(self) -> int:
        if self.sensors.stuck:
            return NEVER
        if (p := self._print) is not None:
            if self.sensors.paper_out or self.sensors.head_up:
                return NEVER
            steps = [ms for ms in (p.bar_ms, p.chute_ms, p.jams_ms) if ms > self._now_ms]
            return min([p.end_ms, *steps])
        if self._jobs and self._may_begin:
            return self._jobs[0].starts_ms
        return NEVER

    @property
    def _may_begin(self) -> bool:
        waits = self.chute and self.habits.waits_for_chute and self.habits.chute_sensor
        return self._can_print and not waits and self._boots_ms == NEVER

    def tick_physics(self, now_ms: int) -> None:
        """Paper moves up to `now_ms`."""
        while self._powered:
            due_ms = self._next_physics_ms()
            if due_ms > now_ms:
                break
            self._now_ms = max(self._now_ms, due_ms)
            if self._print is None:
                self._begin(self._jobs.pop(0))
            else:
                self._go_on(self._print)
        self._now_ms = max(self._now_ms, now_ms)

    def _begin(self, job: Job) -> None:
        now_ms, h = self._now_ms, self.habits
        self._push_out()
        self._latched.discard("validation")
        self._top = False
        length_ms = self._dice.randint(*h.print_ms)
        paper = Paper(self.name, job.fields, now_ms, damaged=job.damaged)
        self.papers.append(paper)
        bar_ms = now_ms + length_ms * h.bar_percent // 100
        chute_ms = now_ms + length_ms * h.chute_percent // 100
        self._print = Print(job, paper, bar_ms, chute_ms, now_ms + length_ms)
        if self._jams_next:
            self._jams_next = False
            self._print.jams_ms = now_ms + self._dice.randint(1, length_ms + 500)

    def _go_on(self, p: Print) -> None:
        now_ms = self._now_ms
        if now_ms >= p.bar_ms and self.habits.validation_bit and p.bar_ms >= 0:
            self._latched.add("validation")
            p.bar_ms = -1
        if p.jams_ms <= now_ms:
            p.paper.whole = False
            self._latched.add("jam")
            self._print = None  # the paper stays in the path
        elif p.end_ms <= now_ms:
            self._end(p)

    def _end(self, p: Print) -> None:
        s = self.sensors
        p.paper.whole = True
        self._template = "#8000" if self.habits.long_template else "0"
        self._sticky = self.habits.summary_stays
        self._top = self.habits.top_bit
        self._print = None
        if s.last_sheet:
            s.last_sheet, s.paper_out = False, True
        if s.cutter_next:
            s.cutter_next, s.cutter = False, True
            return  # it hangs in the path, whole
        p.paper.where = "chute"
        self.chute.append(p.paper)
        if p.job.copies > 1:
            p.job.copies -= 1
            p.job.starts_ms = self._now_ms
            self._jobs.insert(0, p.job)

    def _halt(self) -> None:
        """The paper has ended or the head is up: what is printed just now is cut short."""
        if self._print is not None:
            self._cut_short(forget=not self.habits.resumes)

    def _cut_short(self, *, forget: bool) -> None:
        assert self._print is not None
        p, self._print = self._print, None
        if not p.paper.whole:
            p.paper.where = "path" if self._dice.random() < 0.5 else "chute"
            if p.paper.where == "chute":
                self.chute.append(p.paper)
        if not forget:
            p.job.starts_ms = self._now_ms + self._dice.randint(500, 3_000)
            self._jobs.insert(0, p.job)

    def _push_out(self) -> None:
        """Paper that nobody has taken falls to the floor; scraps in the path too."""
        for paper in self.chute:
            paper.where = "floor"
        self.chute = []
        for paper in self.papers:
            if paper.where == "path":
                paper.where = "floor"

    def _pause(self, now_ms: int, ms: int) -> None:
        self.sensors.hot_until_ms = now_ms + ms
        if (p := self._print) is not None:
            p.end_ms += ms
            p.chute_ms += ms if p.chute_ms > now_ms else 0
            p.bar_ms += ms if p.bar_ms > now_ms else 0


def _byte(bits: tuple[bool, ...]) -> int:
    value = 0x40
    for place, on in enumerate(bits):
        value |= (0x20 >> place) if on else 0
    return value
