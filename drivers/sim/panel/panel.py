"""The panel at the far end of the copper: fingers, keys, doors, lamps, hard meters, and their faults.

The same machine drives every way of running the program: a memory bank in one process, or the GPIO
server behind the unmodified firmware.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from drivers.bank import chip_of
from drivers.device import Pattern
from drivers.panel.pulses import FAST_HALF_MS, SLOW_HALF_MS
from drivers.panel.wiring import Options, is_door, is_expander, opens_when_active
from drivers.sim.gpio.board import Board

HOLD_MS = 120  # a quick press
COUNTER_LEAST_MS = 20  # what an electromechanical counter needs, each way, to move on
SCHEDULED_MOST = 1024  # fingers of seven seats in a bouncing second; more is a fault of the test
BOUNCES_MOST = 3  # of a contact, at one per 2 ms: cheap switches settle within some 5 ms
TURNS_KEPT = 4  # of each output: enough to tell a blinking lamp from one that was switched


@dataclass(order=True, slots=True)
class _Due:
    at_ms: int
    number: int  # in the order of orders, so that equal instants have one order
    name: str = field(compare=False)
    active: bool = field(compare=False)
    act: int = field(compare=False)  # the act of the hand that this belongs to
    bounce: bool = field(compare=False)  # the contact moves, the hand does not


@dataclass(slots=True)
class Counter:
    """A hard meter: `count` pulses moved it, `too_short` did not."""

    count: int = 0
    too_short: int = 0
    widths_ms: deque[int] = field(default_factory=lambda: deque(maxlen=64))
    rose_at: int | None = None
    fell_at: int | None = None

    def turn(self, level: bool, now_ms: int) -> None:
        if level:
            gap_is_short = self.fell_at is not None and now_ms - self.fell_at < COUNTER_LEAST_MS
            self.too_short += gap_is_short
            self.rose_at = None if gap_is_short else now_ms
        elif self.rose_at is not None:
            width_ms = now_ms - self.rose_at
            self.widths_ms.append(width_ms)
            if width_ms < COUNTER_LEAST_MS:
                self.too_short += 1
            else:
                self.count += 1
            self.rose_at = None
        if not level:
            self.fell_at = now_ms


class PanelMachine:
    """What people do with a panel and what they see of it.

    ``press``, ``release`` and ``set`` move contacts, with bounces where a fault says so; ``lamp``,
    ``seen`` and ``counters`` read what the program does with the outputs.
    """

    FAULTS: ClassVar[Mapping[str, str]] = {
        "bouncing": "contacts bounce for some milliseconds whenever they move",
        "bouncing_ends": "contacts move cleanly again",
        "spikes": "a disturbance of one millisecond on every input",
        "stuck_button": "a seat button stays down, whatever its finger does",
        "stuck_freed": "the stuck button comes up",
        "door_wire_cut": "the wire of the first door is cut",
        "door_wire_mended": "the wire is whole again",
        "board_lost": "the chip of the first button vanishes",
        "board_back": "all vanished chips come back",
        "expander_mute": "the first expander stops answering on its bus",
        "expander_answers": "all expanders answer again",
        "outputs_lost": "all outputs fall low without the program's doing",
    }

    def __init__(self, options: Options, board: Board, *, seed: int = 0) -> None:
        self._options = options
        self._board = board
        self._random = random.Random(seed)
        self._active = dict.fromkeys(options.inputs, False)  # what the hand wants
        self._acts = dict.fromkeys(options.inputs, 0)
        self._due: list[_Due] = []
        self._number = 0
        self._bouncing = False
        self._stuck: str | None = None
        self._cut: str | None = None
        self._lines = dict([*options.outputs.items(), *options.meters.items()])
        self._name_of = {line: name for name, line in self._lines.items()}
        self._turns: dict[str, deque[int]] = {name: deque(maxlen=TURNS_KEPT) for name in options.outputs}
        self.counters = {meter: Counter() for meter in options.meters}
        for name, line in options.inputs.items():
            board.fit_resistor(line, options.resistors.rest_high)
            self._put(name, False, 0)
        board.watch(self)

    # ---- hands

    def press(self, name: str, now_ms: int, hold_ms: int = HOLD_MS) -> None:
        """Push a button, or turn a key, and let go after `hold_ms`."""
        self.set(name, True, now_ms)
        self._plan(now_ms + hold_ms, name, False, bounce=False)

    def release(self, name: str, now_ms: int) -> None:
        self.set(name, False, now_ms)

    def set(self, name: str, active: bool, now_ms: int) -> None:
        """Hold a button, turn a key, open a door; or the other way round."""
        self._acts[name] += 1  # what was planned for this contact no longer holds
        self._move(name, active, now_ms)

    def active(self, name: str) -> bool:
        """What the hand holds; a stuck contact may disagree."""
        return self._active[name]

    # ---- eyes

    @property
    def held(self) -> tuple[str, ...]:
        """The contacts that a hand holds active now."""
        return tuple(name for name, active in self._active.items() if active)

    def lamp(self, name: str) -> bool:
        """Whether an output is lit."""
        return self._board.level(self._lines[name]) != (name in self._options.active_low_outputs)

    def seen(self, name: str, now_ms: int) -> Pattern:
        """The pattern that somebody who watches the output sees."""
        turns = self._turns[name]
        steady = Pattern.ON if self.lamp(name) else Pattern.OFF
        if len(turns) < 3 or now_ms - turns[-1] > 2 * SLOW_HALF_MS:
            return steady
        half_ms = (turns[-1] - turns[-3]) // 2
        if half_ms > 2 * SLOW_HALF_MS or now_ms - turns[-1] > 2 * half_ms:
            return steady  # it was switched some time ago, or has stopped blinking
        return Pattern.FAST if half_ms < (FAST_HALF_MS + SLOW_HALF_MS) // 2 else Pattern.SLOW

    # ---- time

    @property
    def wake_at(self) -> int | None:
        return self._due[0].at_ms if self._due else None

    def tick(self, now_ms: int) -> None:
        while self._due and self._due[0].at_ms <= now_ms:
            due = heapq.heappop(self._due)
            if due.act != self._acts[due.name]:
                continue  # the hand has done something else since
            if due.bounce:
                self._put(due.name, due.active, due.at_ms)
            else:
                self._move(due.name, due.active, due.at_ms)

    # ---- faults

    def inject(self, fault: str, now_ms: int) -> None:
        """One of FAULTS. A fault of something that this panel does not have does nothing."""
        match fault:
            case "bouncing" | "bouncing_ends":
                self._bouncing = fault == "bouncing"
            case "spikes":
                for name, active in self._active.items():
                    self._put(name, not active, now_ms)
                    self._plan(now_ms + 1, name, active, bounce=True)
            case "stuck_button" | "stuck_freed":
                self._stick(fault == "stuck_button", now_ms)
            case "door_wire_cut" | "door_wire_mended":
                self._cut_door(fault == "door_wire_cut", now_ms)
            case "board_lost":
                buttons = self._seat_buttons() or list(self._active)
                self._board.lose(chip_of(self._options.inputs[buttons[0]]), now_ms)
            case "board_back":
                for chip in self._board.chips:
                    self._board.restore(chip, now_ms)
            case "expander_mute":
                for chip in [chip for chip in self._board.chips if is_expander(chip)][:1]:
                    self._board.silence(chip, True, now_ms)
            case "expander_answers":
                for chip in self._board.chips:
                    self._board.silence(chip, False, now_ms)
            case "outputs_lost":
                for chip in self._board.chips:
                    self._board.forget_outputs(chip, now_ms)
            case _:
                raise ValueError(f"a panel has no fault {fault}; it has {', '.join(self.FAULTS)}")

    # ---- the copper

    def moved(self, line: str, level: bool, now_ms: int) -> None:
        name = self._name_of.get(line)
        if name in self._turns:
            self._turns[name].append(now_ms)
        elif name in self.counters:
            self.counters[name].turn(level, now_ms)

    def lost(self, chip: str, now_ms: int) -> None:
        """Its lamps are dark already: the copper has told."""

    def restored(self, chip: str, now_ms: int) -> None:
        """Contacts are where they were."""

    def silenced(self, chip: str, now_ms: int) -> None:
        """Nobody at the table can see that."""

    def _move(self, name: str, active: bool, now_ms: int) -> None:
        self._active[name] = active
        self._put(name, active, now_ms)
        if self._bouncing:
            for bounce in range(self._random.randint(1, BOUNCES_MOST)):
                self._plan(now_ms + 2 * bounce + 1, name, not active, bounce=True)
                self._plan(now_ms + 2 * bounce + 2, name, active, bounce=True)

    def _plan(self, at_ms: int, name: str, active: bool, *, bounce: bool) -> None:
        assert len(self._due) < SCHEDULED_MOST, "more presses are planned than hands can give"
        self._number += 1
        heapq.heappush(self._due, _Due(at_ms, self._number, name, active, self._acts[name], bounce))

    def _put(self, name: str, active: bool, now_ms: int) -> None:
        """Move the contact itself, or what its fault makes of that."""
        options = self._options
        active = active or name == self._stuck
        closed = active != opens_when_active(name, options.normally_closed) and name != self._cut
        level = not options.resistors.rest_high if closed else None
        self._board.touch(options.inputs[name], level, now_ms)

    def _seat_buttons(self) -> list[str]:
        return [name for name in self._active if name.startswith("seat")]

    def _stick(self, stuck: bool, now_ms: int) -> None:
        freed, self._stuck = self._stuck, None
        if stuck and self._seat_buttons():
            self._stuck = freed or self._random.choice(self._seat_buttons())
        for name in (freed, self._stuck):
            if name is not None:
                self._put(name, self._active[name], now_ms)

    def _cut_door(self, cut: bool, now_ms: int) -> None:
        doors = [name for name in self._active if is_door(name)][:1]
        self._cut = doors[0] if cut and doors else None
        for name in doors:
            self._put(name, self._active[name], now_ms)
