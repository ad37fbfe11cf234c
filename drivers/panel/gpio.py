"""A panel of buttons, lamps, keys, doors, candle and hard meters on GPIO lines.

Inputs: an edge wakes the panel, then the level is read; besides, levels are read chip by chip, each
chip every `poll_ms`. A level counts when it was stable for `debounce_ms`. Outputs are written when they
change, and all again every `refresh_ms`. A bank that is itself the copper needs neither, so a virtual
day costs nothing while nobody touches the table.

A chip that fails is given up whole and opened again with back-off. Meanwhile its buttons and keys count
as released, its doors keep their last level (BOARD_LOST tells the owner that they are unknown), and its
meter pulses wait.

A button or key that is held for `stuck_ms` raises INPUT_STUCK, which names it, and is quiet until it
is released. If several are stuck the fault names the one that was first and is still stuck.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from drivers.bank import Bank
from drivers.device import (
    DeviceEvent,
    Fault,
    FaultCleared,
    FaultRaised,
    Frame,
    InputChanged,
    Panel,
    Pattern,
    PulsesDone,
)
from drivers.panel.boards import Boards, PanelChip
from drivers.panel.contacts import Contact, step
from drivers.panel.pulses import PulseTrain, lit, next_turn
from drivers.panel.wiring import Options, is_door

if TYPE_CHECKING:
    from drivers.registry import Io

__all__ = ["GpioPanel", "Options", "create"]

FRAMES_MOST = 64  # the service page shows this many
# Answers to orders that could not be taken. The owner waits for each, so more would be its fault.
ANSWERS_MOST = 64


def create(name: str, options: Options, io: Io) -> Panel:
    return GpioPanel(name, options, io.open_bank(), io.clock)


class GpioPanel:
    """The driver; drivers/device.py says what its events mean."""

    def __init__(self, name: str, options: Options, bank: Bank, clock: Callable[[], int] = lambda: 0) -> None:
        """`clock`: ms that go on while a call to the bank lasts; without it no call is ever too slow."""
        self.name = name
        self._options = options
        self._bank = bank
        self._boards = Boards(options, bank, self._note, clock)
        self._now_ms = 0
        self._contacts = dict.fromkeys(options.inputs, Contact())
        self._order = {name: place for place, name in enumerate(options.inputs)}
        self._name_of = {line: name for name, line in options.inputs.items()}
        self._waiting: set[str] = set()  # inputs whose new level is not yet stable
        self._poll_at = 0
        self._poll_place = 0
        self._stuck_at: dict[str, int] = {}  # held button or key -> when it counts as stuck
        self._stuck: list[str] = []  # in the order in which they stuck
        self._boards_lost = False
        self._trains = {
            meter: PulseTrain(options.pulse_on_ms, options.pulse_off_ms) for meter in options.meters
        }
        self._ordered: Mapping[str, Pattern] = {}
        self._picture = dict.fromkeys(options.outputs, Pattern.OFF)
        self._picture_is_new = False
        self._blinking: dict[str, Pattern] = {}
        self._turn_at: int | None = None  # when a blinking output next changes
        self._refresh_at = 0
        self._is_planned = False
        self._planned_at: int | None = None  # what `_plan` has found, if it `_is_planned`
        self._refused: deque[str] = deque(maxlen=ANSWERS_MOST)  # meters whose orders were not taken
        self._frames: deque[Frame] = deque(maxlen=FRAMES_MOST)
        self._counts = dict.fromkeys(("polls", "edges", "changes", "pulses", "refreshes", "boards_lost"), 0)

    def set_outputs(self, levels: Mapping[str, Pattern]) -> None:
        """Names that this panel has no line for are left out: not every cabinet has every lamp."""
        if levels == self._ordered:
            return
        self._ordered = dict(levels)
        picture = {name: levels.get(name, Pattern.OFF) for name in self._picture}
        if picture != self._picture:
            self._picture = picture
            self._picture_is_new = True

    def pulse(self, meter: str, count: int) -> None:
        """An order that cannot be taken (no such meter, full queue) is answered with a count of 0."""
        self._is_planned = False
        train = self._trains.get(meter)
        if train is None or count < 1 or not train.order(count):
            self._refused.append(meter)

    def inputs(self) -> Mapping[str, bool]:
        return {name: contact.active for name, contact in self._contacts.items()}

    def fileno(self) -> int | None:
        return self._bank.fileno()

    def frames(self) -> Sequence[Frame]:
        return tuple(self._frames)

    def statistics(self) -> Mapping[str, int]:
        return dict(self._counts)

    def close(self) -> None:
        self._boards.close(self._now_ms)

    @property
    def wake_at(self) -> int | None:
        """When `tick` has something to do; an instant that has passed means at once."""
        if self._refused or self._picture_is_new:
            return self._now_ms
        if not self._is_planned:
            self._planned_at, self._is_planned = self._plan(), True
        at = self._planned_at
        changed_at = self._bank.changed_at
        if changed_at is not None and (at is None or changed_at < at):
            at = changed_at
        if self._bank.needs_polling:
            polled_at = min(self._poll_at, self._refresh_at)
            at = polled_at if at is None else min(at, polled_at)
        return at

    def _plan(self) -> int | None:
        """When something of our own is due: whatever happens, only a tick or an order changes that."""
        times = [self._turn_at, *self._boards.retry_times(), *self._stuck_at.values()]
        times += [self._stable_at(name) for name in self._waiting]
        times += [
            train.wake_at(self._now_ms)
            for meter, train in self._trains.items()
            if not train.idle and self._boards.is_open(self._options.meters[meter])
        ]
        return min((time for time in times if time is not None), default=None)

    def tick(self, now_ms: int) -> Sequence[DeviceEvent]:
        self._now_ms = now_ms
        self._is_planned = False
        events: list[DeviceEvent] = [PulsesDone(self.name, now_ms, meter, 0) for meter in self._refused]
        self._refused.clear()
        opened = self._boards.open_due(now_ms)
        self._picture_is_new = self._picture_is_new or bool(opened)
        edges = self._boards.edges(now_ms)
        if edges or opened or self._waiting or self._bank.needs_polling:
            moved = {self._name_of[line] for line in edges}
            names = self._waiting | moved | self._polled(now_ms) | _inputs_of(opened)
            self._counts["edges"] += len(moved)
            for name in sorted(names, key=self._order.__getitem__):
                events += self._look(name, name in moved, now_ms)
        if self._stuck_at:
            events += self._found_stuck(now_ms)
        events += self._pulsed(now_ms)
        self._light(now_ms)
        if self._boards.missing or self._boards_lost:
            events += self._let_go_of_lost(now_ms)
            events += self._board_fault(now_ms)
        return events

    # ---- inputs

    def _polled(self, now_ms: int) -> set[str]:
        """The inputs whose turn it is to be read without an edge: one chip at a time, to keep ticks short."""
        boards = self._boards.with_inputs()
        if not self._bank.needs_polling or not boards or now_ms < self._poll_at:
            return set()
        self._poll_at = now_ms + max(1, self._options.poll_ms // len(boards))
        self._poll_place = (self._poll_place + 1) % len(boards)
        self._counts["polls"] += 1
        return _inputs_of([boards[self._poll_place]])

    def _debounce_ms(self, name: str) -> int:
        return self._options.door_debounce_ms if is_door(name) else self._options.debounce_ms

    def _stable_at(self, name: str) -> int | None:
        since_ms = self._contacts[name].since_ms
        return None if since_ms is None else since_ms + self._debounce_ms(name)

    def _look(self, name: str, moved: bool, now_ms: int) -> list[DeviceEvent]:
        """Read one input and say what has changed."""
        line = self._options.inputs[name]
        level = self._boards.read(line, now_ms)
        if level is None:
            return []
        before = self._contacts[name]
        after = step(before, level, moved, now_ms, self._debounce_ms(name))
        flipped = after.active != before.active
        if flipped and self._boards.given_up_as_mute(line, now_ms):
            return []
        self._contacts[name] = after
        (self._waiting.discard if after.since_ms is None else self._waiting.add)(name)
        return self._changed(name, after.active, now_ms) if flipped else []

    def _changed(self, name: str, active: bool, now_ms: int) -> list[DeviceEvent]:
        self._counts["changes"] += 1
        self._note(now_ms, f"{name} {'active' if active else 'at rest'}", bytes([active]))
        events: list[DeviceEvent] = []
        if not active:
            events += self._released(name, now_ms)
        elif not is_door(name) and name not in self._options.maintained:
            self._stuck_at[name] = now_ms + self._options.stuck_ms
        return [*events, InputChanged(self.name, now_ms, name, active)]

    def _found_stuck(self, now_ms: int) -> list[DeviceEvent]:
        events: list[DeviceEvent] = []
        for name in [name for name, at_ms in self._stuck_at.items() if now_ms >= at_ms]:
            del self._stuck_at[name]
            self._stuck.append(name)
            if len(self._stuck) == 1:
                events.append(FaultRaised(self.name, now_ms, Fault.INPUT_STUCK, name))
        return events

    def _released(self, name: str, now_ms: int) -> list[DeviceEvent]:
        self._stuck_at.pop(name, None)
        if name not in self._stuck:
            return []
        was_named = self._stuck[0] == name
        self._stuck.remove(name)
        if not was_named:
            return []
        events: list[DeviceEvent] = [FaultCleared(self.name, now_ms, Fault.INPUT_STUCK)]
        events += [FaultRaised(self.name, now_ms, Fault.INPUT_STUCK, other) for other in self._stuck[:1]]
        return events

    # ---- outputs

    def _pulsed(self, now_ms: int) -> list[DeviceEvent]:
        events: list[DeviceEvent] = []
        for meter, train in self._trains.items():
            if train.idle or not self._boards.is_open(line := self._options.meters[meter]):
                continue
            if train.ends_pulse(now_ms):
                self._cut_if_dropped(meter, train, now_ms)
            done = train.step(now_ms)
            self._boards.write(line, train.level, now_ms)
            if done is not None:
                self._counts["pulses"] += done
                self._note(now_ms, f"{meter} {done} pulses given", sent=True)
                events.append(PulsesDone(self.name, now_ms, meter, done))
        return events

    def _cut_if_dropped(self, meter: str, train: PulseTrain, now_ms: int) -> None:
        """A chip that lost its supply for a moment has dropped its outputs without telling.

        Looked at when a pulse ends, and before outputs are written again: a pulse that rises after
        too short a gap is none for the counter.
        """
        if train.level and self._boards.read(self._options.meters[meter], now_ms) is False:
            train.cut(now_ms)
            self._note(now_ms, f"{meter} lost a pulse; it is given again", sent=True)

    def _light(self, now_ms: int) -> None:
        """Write what has to change; while nothing is new, only what blinks."""
        refresh = self._bank.needs_polling and now_ms >= self._refresh_at
        turn = self._turn_at is not None and now_ms >= self._turn_at
        if not (self._picture_is_new or refresh or turn):
            return
        for name, pattern in (self._picture if self._picture_is_new or refresh else self._blinking).items():
            self._boards.write(self._options.outputs[name], lit(pattern, now_ms), now_ms, again=refresh)
        if self._picture_is_new:
            blinking = (Pattern.SLOW, Pattern.FAST)
            self._blinking = {name: look for name, look in self._picture.items() if look in blinking}
            self._picture_is_new = False
        self._turn_at = min((next_turn(look, now_ms) for look in self._blinking.values()), default=None)
        if refresh:
            for meter, train in self._trains.items():
                self._cut_if_dropped(meter, train, now_ms)
                self._boards.write(self._options.meters[meter], train.level, now_ms, again=True)
            self._refresh_at = now_ms + self._options.refresh_ms
            self._counts["refreshes"] += 1

    # ---- boards

    def _let_go_of_lost(self, now_ms: int) -> list[DeviceEvent]:
        """Inputs and meters of the chips that were lost in this tick."""
        events: list[DeviceEvent] = []
        for board in self._boards.take_lost():
            self._counts["boards_lost"] += 1
            for name in (wanted.user for wanted in board.inputs):
                active = self._contacts[name].active
                self._waiting.discard(name)
                self._contacts[name] = Contact(active and is_door(name))
                if active and not is_door(name):
                    events += self._changed(name, False, now_ms)
            for meter in (output.user for output in board.outputs if output.user in self._trains):
                self._trains[meter].interrupt()
        return events

    def _board_fault(self, now_ms: int) -> list[DeviceEvent]:
        """BOARD_LOST, raised with the first lost chip and cleared when all are back."""
        reasons = self._boards.reasons()
        if bool(reasons) == self._boards_lost:
            return []
        self._boards_lost = bool(reasons)
        if reasons:
            return [FaultRaised(self.name, now_ms, Fault.BOARD_LOST, "; ".join(reasons))]
        return [FaultCleared(self.name, now_ms, Fault.BOARD_LOST)]

    def _note(self, now_ms: int, meaning: str, data: bytes = b"", *, sent: bool = False) -> None:
        self._frames.append(Frame(now_ms, sent, data, meaning))


def _inputs_of(boards: Iterable[PanelChip]) -> set[str]:
    return {wanted.user for board in boards for wanted in board.inputs}
