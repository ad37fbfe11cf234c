"""A bill validator for ID-003, written from the protocol alone: an opponent for driver and program.

It shares nothing with the driver or with the simulated validators of the lab: frames, check sum,
mechanics and habits are its own. A note is a piece of paper with a place in millimetres, so a power cut
leaves it where it is.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from adversary.id003.habits import (
    ACK,
    BOX_MM,
    ESCROW_MM,
    FAILURES,
    LEVER_MM,
    MOUTH_MM,
    QUEUE_MAX,
    STALE_MS,
    SYNC,
    US_TABLE,
    Habits,
    check_sum,
    frame,
)


class Place(Enum):
    CUSTOMER = "with the customer"
    PATH = "in the unit"
    BOX = "in the box"


class State(Enum):
    OFF = "off"
    BOOT = "booting"
    POWER_UP = "power up"
    INITIALIZE = "initialize"
    READY = "ready"
    ACCEPTING = "accepting"
    ESCROW = "escrow"
    STACKING = "stacking"
    VEND = "vend valid"
    STACKED = "stacked"
    GOES_BACK = "goes back"
    ERROR = "error"


@dataclass(slots=True, eq=False)
class Paper:
    cents: int  # as the seat would be credited; of a ticket 0
    owner: int  # the seat that was bound when it was drawn in; 0: none
    number: str = ""  # of a ticket
    flaw: int = 0
    foreign: bool = False
    place: Place = Place.CUSTOMER
    mm: float = 0.0
    at_ms: int = 0  # drawn in


@dataclass(slots=True)
class Memory:
    """What the unit keeps without power."""

    taken: Paper | None = None  # past the lever by its own records, and not acknowledged


class Id003Unit:
    """The byte machine. `owner` tells whose a note is that is drawn in now."""

    FAULTS: Mapping[str, str] = {
        "jam_in": "the next note that moves jams before the lever",
        "jam_stack": "the next note that is stacked jams behind the lever",
        "pulled_back": "the next note that is stacked is pulled out on a string",
        "full": "the box is full",
        "box_out": "the box is taken out",
        "fails": "a motor fails",
        "deaf": "answers nothing until RESET",
        "dead": "answers nothing until it loses its power",
        "never_ready": "the next self-test does not end until RESET",
        "hangs": "the motor stands still until RESET",
        "slow": "answers take 50 ms to 3 s for 20 s",
        "restarts": "its own supply fails for a moment",
        "second_note": "a second note is pushed in for a while",
        "doubled": "the next answer is sent twice",
        "stutters": "one byte of the next answer is sent twice",
        "left_in_mouth": "the next note that comes back is left where it is for 90 s",
    }

    def __init__(self, name: str, habits: Habits, seed: str, owner: Callable[[], int]) -> None:
        self.name, self.habits, self._owner = name, habits, owner
        self._dice = random.Random(f"unit {seed}")
        self.state = State.OFF
        self.papers: list[Paper] = []  # every one that was ever drawn in
        self.paper: Paper | None = None  # in the path, or on its way into the box
        self.memory = Memory()
        self.error = 0
        self.cause = False  # of the error: still there
        self.deaf = self.dead = False
        self.changed_ms = 0  # when the state last became another
        self.log: deque[tuple[int, str]] = deque(maxlen=400)
        self._armed: list[str] = []
        self._now = 0
        self._buffer = b""
        self._queue: deque[tuple[int, bytes]] = deque()
        self._out: list[tuple[int, bytes]] = []
        self._free_ms = 0  # when the answer in work has been sent
        self._shown: deque[tuple[int, bytes]] = deque(maxlen=60)
        self._settings: dict[int, bytes] = {}
        self._have: set[int] = set()
        self._inhibited = True
        self._inhibit_due: tuple[int, bool] | None = None
        self._polled_ms = 0
        self._due: int | None = None  # of the present stage
        self._after: Callable[[], None] | None = None
        self._leg: tuple[float, float, int] | None = None  # from mm, to mm, since
        self._power_code = 0x40
        self._reason = 0
        self._vend_ms = 0
        self._holding = False
        self._pause_ms = 0
        self._slow_ms = 0
        self._after_init = ""  # VEND VALID after INITIALIZE: "always", or only with the "option"
        self._resetting = False  # the note that goes back is followed by INITIALIZE
        self._back_code = 0x17
        self._tests = False
        self._forget_ms: int | None = None  # when the ACK is stored
        self.power_on(0)

    # ---- time

    @property
    def wake_at(self) -> int | None:
        times = [at for at, _ in self._out]
        if self._queue:
            times.append(max(self._free_ms, self._queue[0][0]))
        times += [at for at in (self._due, self._forget_ms) if at is not None]
        if self._inhibit_due is not None:
            times.append(self._inhibit_due[0])
        if self.state is State.ESCROW:
            times.append(self._polled_ms + self.habits.no_poll_ms)
        if self.state is State.VEND and self.habits.deaf_ms and not self.deaf:
            times.append(self._vend_ms + self.habits.deaf_ms)
        return max(min(times), self._now) if times and self.state is not State.OFF else None

    def tick(self, now_ms: int) -> bytes:
        self._now = now_ms
        if self.state is State.OFF:
            return b""
        for _ in range(8):
            if self._due is None or self._due > now_ms:
                break
            after, self._due, self._after = self._after, None, None
            if after is not None:
                after()
        if self._forget_ms is not None and self._forget_ms <= now_ms:
            self.memory.taken, self._forget_ms = None, None
        if self._inhibit_due is not None and self._inhibit_due[0] <= now_ms:
            self._inhibited, self._inhibit_due = self._inhibit_due[1], None
        if self.state is State.ESCROW and now_ms >= self._polled_ms + self.habits.no_poll_ms:
            self._back(self.habits.back_code, 0x79)
        if self.state is State.VEND and self.habits.deaf_ms and now_ms >= self._vend_ms + self.habits.deaf_ms:
            self.deaf = True
        self._note_status()
        while self._queue and max(self._free_ms, self._queue[0][0]) <= now_ms:
            came_ms, whole = self._queue.popleft()
            if now_ms - came_ms <= STALE_MS:
                self._obey(whole)
            self._note_status()
        out = b"".join(data for at, data in self._out if at <= now_ms)
        self._out = [item for item in self._out if item[0] > now_ms]
        return out

    def _stage(
        self, state: State, after_ms: int | None = None, then: Callable[[], None] | None = None
    ) -> None:
        self.state, self.changed_ms = state, self._now
        self._due = None if after_ms is None else self._now + max(0, after_ms)
        self._after = then
        self.log.append((self._now, state.value))

    def _move(self, state: State, to_mm: float, then: Callable[[], None]) -> None:
        assert self.paper is not None
        start = self.paper.mm
        self._leg = (start, to_mm, self._now)
        self._stage(
            state, int(abs(to_mm - start) / self.habits.speed * 1000) + 1, lambda: self._arrive(to_mm, then)
        )

    def _arrive(self, to_mm: float, then: Callable[[], None]) -> None:
        assert self.paper is not None
        self.paper.mm, self._leg = to_mm, None
        then()

    def _stop_paper(self) -> None:
        """The motor stops here: the paper stays where it is."""
        if self._leg is not None and self.paper is not None:
            start, end, since = self._leg
            gone = (self._now - since) / 1000 * self.habits.speed
            self.paper.mm = min(start + gone, end) if end > start else max(start - gone, end)
        self._leg = self._due = self._after = None

    # ---- paper

    def insert(self, paper: Paper, now_ms: int) -> bool:
        """Somebody holds it to the mouth. Whether it is drawn in."""
        self._now = max(self._now, now_ms)
        if self._inhibit_due is not None and self._inhibit_due[0] <= now_ms:
            self._inhibited, self._inhibit_due = self._inhibit_due[1], None
        if self.state is not State.READY or self._inhibited or self.paper is not None:
            return False
        paper.owner, paper.place, paper.mm, paper.at_ms = self._owner(), Place.PATH, 0.0, now_ms
        self.papers.append(paper)
        self.paper = paper
        if "jam_in" in self._armed:
            self._armed.remove("jam_in")
            self._move(State.ACCEPTING, self._dice.uniform(MOUTH_MM + 1, ESCROW_MM), lambda: self._fail(0x45))
        else:
            self._move(State.ACCEPTING, ESCROW_MM, self._read)
        self._note_status()
        return True

    def _read(self) -> None:
        paper = self.paper
        assert paper is not None
        reason = paper.flaw or self._refusal(paper)
        if reason:
            self._back(0x17, reason)
            return
        self._holding = False
        self._polled_ms = max(self._polled_ms, self._now)
        self._hold()

    def _hold(self) -> None:
        self._stage(State.ESCROW, self.habits.hold_ms, lambda: self._back(0x17, 0x79))

    def _refusal(self, paper: Paper) -> int:
        if self._inhibited and not self.habits.reads_on:
            return 0x79
        bars = (self._settings.get(0xC7) or b"\x00")[0]
        if paper.number:
            if not self._settings.get(0xC6):
                return 0x91
            return 0x79 if bars & 2 else 0
        code = self._code(paper)
        if code is None:
            return 0x76
        masks = self._settings.get(0xC0, b"\x00\x00")
        place = code - 0x61
        disabled = place // 8 < len(masks) and masks[place // 8] >> (place % 8) & 1
        return 0x79 if disabled or bars & 1 else 0

    def _back(self, code: int, reason: int) -> None:
        """The note goes back and stands in the mouth until somebody takes it."""
        self._back_code, self._reason = code, reason
        self._move(State.GOES_BACK, 0.0, self._in_mouth)

    def _in_mouth(self) -> None:
        ms = self._dice.randint(*self.habits.hands_ms)
        if "left_in_mouth" in self._armed:
            self._armed.remove("left_in_mouth")
            ms = 90_000
        self._due, self._after = self._now + ms, self._taken_away

    def _taken_away(self) -> None:
        assert self.paper is not None
        self.paper.place, self.paper = Place.CUSTOMER, None
        self._stage(State.READY)

    def _stack(self, early: bool) -> None:
        if "pulled_back" in self._armed:
            self._armed.remove("pulled_back")
            self._move(State.STACKING, self._dice.uniform(ESCROW_MM, LEVER_MM - 1), self._pulled)
        elif "jam_in" in self._armed:
            self._armed.remove("jam_in")
            self._move(State.STACKING, self._dice.uniform(ESCROW_MM, LEVER_MM - 1), lambda: self._fail(0x45))
        elif "jam_stack" in self._armed:
            self._armed.remove("jam_stack")
            self._move(State.STACKING, self._dice.uniform(LEVER_MM + 1, BOX_MM - 1), lambda: self._fail(0x46))
        else:
            self._move(State.STACKING, LEVER_MM if early else BOX_MM, self._vend if early else self._fallen)

    def _pulled(self) -> None:
        assert self.paper is not None
        self.paper.place, self.paper = Place.CUSTOMER, None
        self._fail(0x48)

    def _fallen(self) -> None:
        """It lies in the box; the plate presses, and then the unit writes it down."""
        assert self.paper is not None
        self.paper.place = Place.BOX
        self._due, self._after = self._now + self.habits.stroke_ms + self.habits.store_ms, self._vend

    def _vend(self) -> None:
        assert self.paper is not None
        self.memory.taken, self._forget_ms = self.paper, None
        self._vend_ms = self._now
        self._stage(State.VEND)

    def _acknowledged(self) -> None:
        paper = self.memory.taken
        self._forget_ms = self._now + self.habits.ack_store_ms
        if paper is not None and paper.place is Place.PATH:  # STACK-1: it still has to fall
            paper.mm, paper.place = BOX_MM, Place.BOX
        self.paper = None
        self._stage(State.STACKED, self.habits.stacked_ms, self._ready)

    def _ready(self) -> None:
        if "full" in self._armed:
            self._armed.remove("full")
            self._fail(0x43)
        else:
            self._stage(State.READY)

    def _fail(self, code: int) -> None:
        self._stop_paper()
        self.error, self.cause = code, True
        self._stage(State.ERROR)

    def attended(self, now_ms: int) -> None:
        """Somebody opens the unit, takes out what is stuck, and closes it."""
        self._now = max(self._now, now_ms)
        if self.dead:
            self.power_off(now_ms)
            self.power_on(now_ms)
            return
        stuck = self.state in (State.ERROR, State.GOES_BACK)
        if stuck and self.paper is not None:
            self._take_out()
        if self.state is State.GOES_BACK:
            if self._resetting:
                self._initialize()
            else:
                self._stage(State.READY)
        if self.state is State.ERROR and self.cause:
            self.cause = False
            if self.habits.recovers:
                self._due, self._after = self._now + 700, self._initialize

    def opened(self, now_ms: int) -> None:
        """Somebody looks for a note and finds it in the path: it comes out, or falls into the box."""
        self._now = max(self._now, now_ms)
        if self.paper is not None and self.paper.place is Place.PATH:
            self._take_out()
            if self.state not in (State.OFF, State.BOOT, State.POWER_UP):
                self.error, self.cause = 0x45, False
                self._stage(State.ERROR, 700, self._initialize if self.habits.recovers else None)

    def _take_out(self) -> None:
        paper = self.paper
        assert paper is not None
        self._stop_paper()
        if paper.place is Place.PATH:
            falls = paper.mm > LEVER_MM and self._dice.random() < 0.5
            paper.place = Place.BOX if falls else Place.CUSTOMER
            if self.memory.taken is paper:
                self.memory.taken = None
        self.paper = None

    # ---- power

    def power_off(self, now_ms: int) -> None:
        self._now = max(self._now, now_ms)
        paper, taken = self.paper, self.memory.taken
        self._stop_paper()
        if paper is not None and paper.place is Place.PATH:
            if paper.mm <= MOUTH_MM:
                paper.place, self.paper = Place.CUSTOMER, None
            elif paper.mm >= LEVER_MM:
                self.memory.taken = paper  # its sensor will see it
        elif paper is not None:
            if taken is None:  # in the box and not written down yet
                self.memory.taken = None if self.habits.forgets else paper
            self.paper = None
        if self._forget_ms is not None and self._forget_ms <= now_ms:
            self.memory.taken = None
        self._forget_ms = None
        self._clear_line()
        self._inhibit_due, self._pause_ms, self._slow_ms = None, 0, 0
        self.deaf = self.dead = self._tests = self._resetting = False
        self._after_init = ""
        self._stage(State.OFF)

    def power_on(self, now_ms: int) -> None:
        self._now = max(self._now, now_ms)
        if self.state is State.OFF:
            self._stage(State.BOOT, self.habits.boot_ms, self._powered)

    def _clear_line(self) -> None:
        self._buffer, self._out, self._free_ms = b"", [], 0
        self._queue.clear()
        self._shown.clear()

    def _powered(self) -> None:
        self._settings.clear()
        self._have.clear()
        if self.habits.zeros:
            self._out.append((self._now, b"\x00" * 3))
        paper = self.paper
        if self.memory.taken is not None:
            self._power_code = 0x42
        else:
            self._power_code = 0x41 if paper is not None else 0x40
        self._stage(State.POWER_UP)

    def _reset(self) -> None:
        """What RESET does depends on where the paper is."""
        self.deaf = False
        was, paper = self.state, self.paper
        if was is State.POWER_UP and self._leg is not None:
            return None  # it is at it
        if self._forget_ms is not None:
            self.memory.taken, self._forget_ms = None, None
        self._stop_paper()
        if was is State.ERROR and self.cause:
            return self._stage(State.ERROR)
        if "hangs" in self._armed:
            self._armed.remove("hangs")
        if paper is not None and paper.place is Place.PATH and paper.mm < LEVER_MM:
            self._back_code, self._reason, self._resetting = self.habits.back_code, 0x7C, True
            self._move(State.GOES_BACK, 0.0, self._cleared)
            return None
        if paper is not None and paper.place is Place.PATH:
            self.memory.taken = paper
            self._power_code = 0x42
            self._move(State.POWER_UP, BOX_MM, lambda: self._pushed(was))
            return None
        if paper is not None and self.memory.taken is None:  # in the box, its stroke broken off
            self.memory.taken = None if self.habits.forgets else paper
        return self._after_reset(was)

    def _cleared(self) -> None:
        self._due, self._after = self._now + self._dice.randint(*self.habits.hands_ms), self._cleared_out

    def _cleared_out(self) -> None:
        assert self.paper is not None
        self.paper.place, self.paper = Place.CUSTOMER, None
        self._initialize()

    def _pushed(self, was: State) -> None:
        assert self.paper is not None
        self.paper.place = Place.BOX
        self._after_reset(was)

    def _after_reset(self, was: State) -> None:
        self.paper = None
        taken = self.memory.taken
        if taken is None:
            return self._initialize()
        if was is State.POWER_UP:
            self._after_init = "option" if self.habits.recovery else ""
            if not self._after_init:
                self.memory.taken = None
            return self._initialize()
        match self.habits.soft_reset:
            case "in_stacker":
                self._power_code = 0x42
                return self._stage(State.POWER_UP)
            case "vend_valid":
                self._after_init = "always"
        if not self._after_init:
            self.memory.taken = None
        return self._initialize()

    def _initialize(self) -> None:
        self._stop_paper()
        self._settings.clear()
        self._have.clear()
        self._tests = self._resetting = False
        self._inhibit_due = None
        self._inhibited = False  # as a unit of this kind starts; it takes nothing before its test
        self.error, self.cause = 0, False
        self._stage(State.INITIALIZE)

    def _may_test(self) -> None:
        if (
            self.state is State.INITIALIZE
            and not self._tests
            and self._leg is None
            and self.habits.needs <= self._have
        ):
            self._tests = True
            if "never_ready" in self._armed:
                self._armed.remove("never_ready")
                return
            self._due, self._after = self._now + self.habits.test_ms, self._tested

    def _tested(self) -> None:
        options = self._settings.get(0xC5, b"\x00")
        again, self._after_init = self._after_init, ""
        if self.memory.taken is not None and (again == "always" or (again == "option" and options[0] & 2)):
            self.paper = self.memory.taken
            self._vend()
            return
        self.memory.taken = None
        self._stage(State.READY)

    # ---- the line

    def receive(self, data: bytes, now_ms: int) -> None:
        self._now = max(self._now, now_ms)
        if self.state in (State.OFF, State.BOOT):
            return
        buffer = self._buffer + data
        while buffer:
            start = buffer.find(SYNC)
            if start < 0:
                buffer = b""
                break
            buffer = buffer[start:]
            if len(buffer) < 2:
                break
            size = buffer[1]
            if size < 5 or size > 40:
                buffer = buffer[1:]
                continue
            if len(buffer) < size:
                break
            whole = buffer[:size]
            if check_sum(whole[:-2]) != whole[-2:]:
                buffer = buffer[1:]
                if self.habits.says_bad_frame and not self.deaf:
                    self._out.append((now_ms + 5, frame(0x4A)))
                continue
            buffer = buffer[size:]
            if len(self._queue) < QUEUE_MAX:
                self._queue.append((now_ms, whole))
        self._buffer = buffer

    def _obey(self, whole: bytes) -> None:
        code, data = whole[2], whole[3:-2]
        if self.dead or (self.deaf and code != 0x40):
            return
        self._polled_ms = self._now
        if code != 0x11:
            self.log.append((self._now, f"< {whole[2:-2].hex()}"))
        answer = self._answer(code, data)
        if answer is None:
            return
        low, high = self.habits.answer_ms
        delay = self._dice.randint(low, high)
        if self._now < self._slow_ms or self._dice.randrange(100) < self.habits.late_percent:
            delay = self._dice.randint(50, 3_000)
        if "doubled" in self._armed:
            self._armed.remove("doubled")
            answer += answer
        if "stutters" in self._armed:
            self._armed.remove("stutters")
            place = self._dice.randrange(len(answer))
            answer = answer[:place] + answer[place : place + 1] + answer[place:]
        self._free_ms = self._now + delay
        self._out.append((self._free_ms, answer))

    def _answer(self, code: int, data: bytes) -> bytes | None:
        if code == ACK:
            if self.state is State.VEND:
                self._acknowledged()
            return None
        if code == 0x11:
            return self._told_status()
        if code == 0x40:
            self._reset()
            return frame(ACK)
        if code == 0x88:
            return frame(0x88, self.habits.version.encode())
        if self.state is State.POWER_UP:
            match self.habits.before_reset:
                case "status":
                    return self._told_status()
                case "4B":
                    return frame(0x4B)
            return None
        if 0xC0 <= code <= 0xC7:
            return self._set(code, data)
        if 0x80 <= code <= 0x87:
            return frame(code, self._settings.get(0xC0 + code - 0x80, b"\x00"))
        match code:
            case 0x89:
                return frame(0x89, b"B05 ")
            case 0x8A:
                return frame(0x8A, self._table())
            case 0x41 | 0x42 | 0x43 | 0x44:
                return self._order(code)
        return frame(0x4B)

    def _set(self, code: int, data: bytes) -> bytes:
        sizes = {0xC2: 1, 0xC3: 1, 0xC4: 1, 0xC7: 1}
        if len(data) != sizes.get(code, 2):
            return frame(0x4B)
        self._settings[code] = data
        self._have.add(code)
        if code == 0xC3:
            late = 0 if self.state is State.INITIALIZE else self.habits.inhibit_late_ms
            self._inhibit_due = (self._now + late, bool(data[0] & 1))
            if not late:
                self._inhibited, self._inhibit_due = self._inhibit_due[1], None
        self._may_test()
        return frame(code, data)

    def _order(self, code: int) -> bytes:
        if self.state is not State.ESCROW:
            return frame(0x4B)
        if code == 0x44:
            self._holding = True
            self._hold()
        elif code == 0x43:
            self._back(self.habits.back_code, 0x79)
        elif "hangs" in self._armed:
            self._stage(State.STACKING)
        else:
            self._stack(early=code == 0x41)
        return frame(ACK)

    def _table(self) -> bytes:
        rows = [bytes((code + self.habits.shift, *rest)) for code, *rest in US_TABLE]
        rows.append(bytes((0x6A + self.habits.shift, 0xE0, 5, 1)))  # a note of another currency
        rows.append(bytes((0x6B + self.habits.shift, 1, 0, 0)))  # not assigned
        return b"".join(rows) + self.habits.trailing

    def _code(self, paper: Paper) -> int | None:
        if paper.foreign:
            return 0x6A + self.habits.shift
        for code, _, base, exponent in US_TABLE:
            if base * 10**exponent * 100 == paper.cents:
                return code + self.habits.shift
        return None

    # ---- statuses

    def _status(self) -> bytes:
        if self._now < self._pause_ms and self.state in (State.ACCEPTING, State.ESCROW, State.STACKING):
            return frame(0x47)
        match self.state:
            case State.POWER_UP:
                return frame(self._power_code)
            case State.INITIALIZE:
                return frame(0x1B)
            case State.READY:
                return frame(0x1A if self._inhibited else 0x11)
            case State.ACCEPTING:
                return frame(0x12)
            case State.ESCROW if self._holding:
                return frame(0x19)
            case State.ESCROW:
                assert self.paper is not None
                if self.paper.number:
                    return frame(0x13, b"\x6f" + self.paper.number.encode())
                return frame(0x13, bytes((self._code(self.paper) or 0,)))
            case State.STACKING:
                return frame(0x14)
            case State.VEND:
                code = None if self.paper is None or self.paper.number else self._code(self.paper)
                return frame(0x15, bytes((code,)) if self.habits.vend_data and code is not None else b"")
            case State.STACKED:
                return frame(0x16)
            case State.GOES_BACK:
                return frame(0x17, bytes((self._reason,))) if self._back_code == 0x17 else frame(0x18)
            case State.ERROR:
                data = bytes((self._reason,)) if self.error == 0x49 else b""
                return frame(self.error, data)
        return b""

    def _note_status(self) -> None:
        status = self._status()
        if status and (not self._shown or self._shown[-1][1] != status):
            self._shown.append((self._now, status))

    def _told_status(self) -> bytes:
        since = self._now - self.habits.shows_late_ms
        told = [status for at, status in self._shown if at <= since]
        return told[-1] if told else self._shown[0][1]

    # ---- what goes wrong

    def inject(self, fault: str, now_ms: int) -> None:
        self._now = max(self._now, now_ms)
        on = self.state not in (State.OFF, State.BOOT)
        match fault:
            case "full" | "box_out" | "fails" if self.state is State.READY:
                self._reason = self._dice.choice(FAILURES)
                self._fail({"full": 0x43, "box_out": 0x44, "fails": 0x49}[fault])
            case "deaf" if on:
                self.deaf, self.changed_ms = True, now_ms
            case "dead" if on:
                self.dead, self.changed_ms = True, now_ms
            case "slow":
                self._slow_ms = now_ms + 20_000
            case "second_note":
                self._pause_ms = now_ms + self._dice.randint(300, 2_500)
            case "hangs" if self.state in (State.ACCEPTING, State.STACKING) and self._leg is not None:
                self._stop_paper()
            case "full" if self.state in (State.VEND, State.STACKED):
                self._armed.append("full")
            case "full" | "box_out" | "fails" | "deaf" | "dead" | "restarts":
                if fault == "restarts" and on:
                    self.power_off(now_ms)
                    self.power_on(now_ms)
            case _:
                if fault not in self._armed:
                    self._armed.append(fault)


@dataclass(slots=True)
class Contents:
    """What lies in a box, for whoever counts."""

    notes: list[Paper] = field(default_factory=list)
    tickets: list[Paper] = field(default_factory=list)


def contents(unit: Id003Unit) -> Contents:
    inside = [paper for paper in unit.papers if paper.place is Place.BOX]
    return Contents([p for p in inside if not p.number], [p for p in inside if p.number])
