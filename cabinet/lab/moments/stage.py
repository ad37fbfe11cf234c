"""A stage for scripted moments: the real program on a virtual clock, and hands that do what a script says.

A story is a function of a `Stage`. It puts in notes, presses buttons of the simulated panel, turns
keys, breaks machines and lets time pass; whenever the table shows what is to be seen, it calls
`Stage.shoot`. Nothing reaches the screen that the program has not committed itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from cabinet.config import Config, DeviceKind, DeviceTable
from cabinet.config import file as configuration
from cabinet.core import options
from cabinet.core.live import Live
from cabinet.core.look import TablePhase, View
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.lab import table as tables
from cabinet.lab.table import VIRTUAL_WALL_MS, LabOptions, Table, cabinet_file
from cabinet.program.presenter import complete_view

PRESS_MS = 160  # a press and its release: the panel machine holds a button for 120 ms
MENU_MS = 1_200
LIMIT_MS = 180_000  # what a story waits for comes sooner, or it never comes
SEVEN = "table7"  # a cabinet without a file: the five-seat table with two more seats


class StoryError(Exception):
    """A story waits for something that does not happen."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One moment: the view that the program made, and the time at which it is drawn."""

    name: str
    caption: str
    cabinet: str
    view: View
    now_ms: int


@dataclass(frozen=True, slots=True)
class Story:
    """`moments` are the names of what `play` shoots, in its order; `group` is a key of `moments.GROUPS`."""

    name: str
    group: str
    cabinet: str
    cards: str
    moments: tuple[str, ...]
    play: Callable[[Stage], None]


class Stage:
    """One cabinet for one story. Times in ms of its session."""

    def __init__(self, story: Story, directory: Path) -> None:
        self.story = story
        self.shots: list[Shot] = []
        self._directory = directory
        self._config = config_of(story.cabinet)
        self._wall_ms = VIRTUAL_WALL_MS
        self._sessions = 0
        self._seq = 0
        self.now_ms = 0
        self.table = self._build()

    # ---- the program

    @property
    def state(self) -> State:
        return self.table.runtime.state

    @property
    def live(self) -> Live:
        return self.table.runtime.live

    def view(self) -> View:
        """What the program shows now."""
        self._seq += 1
        devices = self.table.runtime.devices
        return complete_view(self.state, self.live, devices, self._seq, self.now_ms)

    def _build(self) -> Table:
        options = LabOptions(virtual=True, wire="memory", cards=self.story.cards, seed=5)
        directory = self._directory / f"session{self._sessions}"
        options = replace(options, state=self._directory / "state")
        directory.mkdir(parents=True)
        self._sessions += 1
        return tables.build(options, directory, "1.0", self._wall_ms, self._config)

    def power_cut(self, later_ms: int = 1_000) -> None:
        """The program dies without a word, every device loses power; both come back on the same journal."""
        self.table.runtime.close(clean=False, now_ms=self.now_ms)
        self.table.world.close()
        self._wall_ms += self.now_ms + later_ms
        self.now_ms = 0
        self.table = self._build()

    def close(self) -> None:
        if not self.table.runtime.stopped:
            self.table.runtime.close(clean=False, now_ms=self.now_ms)
        self.table.world.close()

    # ---- time

    def wait(self, ms: int) -> None:
        self._advance(self.now_ms + ms, lambda: False)

    def wait_for(self, at_ms: int) -> None:
        """Until a time of the session."""
        self._advance(at_ms, lambda: False)

    def until(self, what: str, true: Callable[[State, Live], bool]) -> None:
        """Until the program's state is as wanted; StoryError when it never is."""
        if not self._advance(self.now_ms + LIMIT_MS, lambda: true(self.state, self.live)):
            raise StoryError(f"story {self.story.name}: no {what} within {LIMIT_MS // 1000} s")

    def _advance(self, end_ms: int, true: Callable[[], bool]) -> bool:
        runtime, world = self.table.runtime, self.table.world
        while True:
            ready = world.advance(self.now_ms)
            runtime.step(self.now_ms, ready)
            world.take_up(self.now_ms, runtime.ticked)
            if true():
                return True
            next_ms = min(end_ms, runtime.wake_at(self.now_ms))
            if (world_ms := world.wake_at) is not None:
                next_ms = min(next_ms, world_ms)
            if self.now_ms >= end_ms:
                return False
            self.now_ms = max(self.now_ms, next_ms)

    # ---- hands

    def press(self, *names: str) -> None:
        """Push buttons together, e.g. "2.hit", "5.stand"; it takes as long as a press does."""
        for name in names:
            self.table.world.press(f"seat{name}", self.now_ms)
        self.wait(PRESS_MS)

    def switch(self, name: str, on: bool) -> None:
        """Turn a key, open or close a door. Behind a key the buttons take a moment to be the menu's."""
        self.table.world.turn(name, on, self.now_ms)
        self.wait(MENU_MS if name.startswith("key.") else PRESS_MS)

    def fault(self, name: str) -> None:
        """Break something: DEVICE.FAULT."""
        self.table.world.inject(name, self.now_ms)
        self.wait(20)

    def insert(self, seat: int, dollars: int) -> None:
        """Push a note into the validator of a seat, and do not wait for it."""
        validator = self.live.policy.validator_of(seat)
        if not self.table.world.insert(validator, dollars * 100, self.now_ms):
            raise StoryError(f"story {self.story.name}: {validator} does not draw in {dollars} dollars")

    def insert_ticket(self, seat: int, digits: str) -> None:
        """Push a ticket into the validator of a seat, and do not wait for it."""
        validator = self.live.policy.validator_of(seat)
        if not self.table.world.insert_ticket(validator, digits, self.now_ms):
            raise StoryError(f"story {self.story.name}: {validator} does not draw in a ticket")

    def notes(self, amounts: Mapping[int, int]) -> None:
        """Put in notes until each seat has had its amount in dollars, at all seats together."""
        left = {seat: in_notes(dollars) for seat, dollars in amounts.items()}
        while left:
            seats = tuple(left)
            self.until("idle validators", partial(_are_idle, seats=seats))
            wanted = {seat: self.state.credit(seat) + 100 * notes[0] for seat, notes in left.items()}
            for seat in seats:
                self.insert(seat, left[seat].pop(0))
            self.until("credit", partial(_are_credited, wanted=wanted))
            left = {seat: notes for seat, notes in left.items() if notes}
        self.until("notes at rest", lambda state, _: not state.notes)

    def bet(self, bets: Mapping[int, int]) -> None:
        """Bets in dollars, with BET + at each seat."""
        while short := [seat for seat, dollars in bets.items() if self.state.bet(seat) < dollars * 100]:
            if self.state.round_open:
                raise StoryError(f"story {self.story.name}: the clock ran out before all bets were placed")
            self.press(*[f"{seat}.bet_plus" for seat in short])

    def deal(self) -> None:
        """DEAL at every seat with a bet, then until the choices are open or the round is over."""
        state = self.state
        self.press(
            *[f"{seat}.deal" for seat in state.seats if state.bet(seat) and not state.record(seat).ready]
        )
        self.until("round", lambda state, _: state.round_open or state.settled_ms is not None)

    def decide(self, **choices: str) -> None:
        """Wait for the choices to open, then press them: ``decide(seat1="hit", seat3="stand")``."""
        self.until("open choices", lambda state, _: bool(state.deciding()))
        self.wait(300)
        self.press(*[f"{name.removeprefix('seat')}.{choice}" for name, choice in choices.items()])

    def all_say(self, choice: str) -> None:
        """Every seat that is asked presses the same button."""
        self.until("open choices", lambda state, _: bool(state.deciding()))
        self.decide(**{f"seat{seat}": choice for seat in self.state.deciding()})

    # ---- looking

    def until_phase(self, phase: TablePhase, count: int = 1, plus_ms: int = 0) -> None:
        """Until the `count`-th picture of a phase (from 1; negative from the last), and `plus_ms` more."""
        steps = [step for step in self.view().steps if step.phase is phase]
        if len(steps) < abs(count):
            raise StoryError(f"story {self.story.name}: {phase} has only {len(steps)} pictures")
        step = steps[count - 1] if count > 0 else steps[count]
        self.wait_for(max(self.now_ms, step.from_ms + plus_ms))

    def until_settled(self, plus_ms: int = 2_600) -> None:
        """Until the result has been shown to its end."""
        self.until("settlement", lambda state, _: state.settled_ms is not None)
        settled_ms = self.state.settled_ms
        assert settled_ms is not None
        self.wait_for(max(self.now_ms, settled_ms + plus_ms))

    def shoot(self, name: str, caption: str) -> None:
        """Keep what the screen shows now."""
        self.shots.append(Shot(name, caption, self.story.cabinet, self.view(), self.now_ms))


def _are_idle(state: State, live: Live, seats: tuple[int, ...]) -> bool:
    """The validators of these seats wait for a note; a shared one waits for a note of this seat."""
    for seat in seats:
        name = live.policy.validator_of(seat)
        shared = len(live.policy.seats_of(name)) > 1
        if shared and options.notes_go_to(live, name) != seat:
            return False
        if not live.device(name).enabled or live.device(name).taking or state.note(name) is not None:
            return False
    return True


def _are_credited(state: State, _: Live, wanted: Mapping[int, int]) -> bool:
    return all(state.credit(seat) >= cents for seat, cents in wanted.items())


def in_notes(dollars: int) -> list[int]:
    """An amount in as few notes as possible."""
    found = []
    for note in (100, 50, 20, 10, 5, 1):
        count, dollars = divmod(dollars, note)
        found += [note] * count
    return found


def config_of(cabinet: str) -> Config:
    """The cabinet file of a story; `SEVEN` is made from the five-seat table."""
    if cabinet != SEVEN:
        return configuration.load(cabinet_file(cabinet))
    config = configuration.load(cabinet_file("table5"))
    seats = range(6, 8)
    devices = list(config.devices)
    for kind in (DeviceKind.BILL_VALIDATOR, DeviceKind.TICKET_PRINTER):
        first = config.of_kind(kind)[0]
        devices += [_one_more(first, seat) for seat in seats]
    order = list(DeviceKind)
    wider = [_wider_panel(device, seats) if device.kind is DeviceKind.PANEL else device for device in devices]
    wider.sort(key=lambda device: order.index(device.kind))
    return replace(
        config,
        cabinet=replace(config.cabinet, name="TABLE 7", seats=7),
        devices=tuple(wider),
    )


def _one_more(device: DeviceTable, seat: int) -> DeviceTable:
    name = device.name.replace("1", str(seat))
    port = str(device.options["port"]).replace("1", str(seat))
    return replace(
        device, name=name, seats=(seat,), options=MappingProxyType({**device.options, "port": port})
    )


def _wider_panel(panel: DeviceTable, seats: range) -> DeviceTable:
    """Each further seat on an expander of its own: inputs from line 0, lamps behind them."""
    inputs, outputs = dict(panel.options["inputs"]), dict(panel.options["outputs"])
    buttons = [name.removeprefix("seat1.") for name in inputs if name.startswith("seat1.")]
    for seat in seats:
        chip = f"mcp23017@{20 + seat}"
        for place, button in enumerate(buttons):
            inputs[f"seat{seat}.{button}"] = f"{chip}:{place + (place >= 7)}"
        for place, button in enumerate(buttons):
            line = (7, 10, 11, 12, 13, 14, 15)
            spare = f"mcp23017@25:{10 + 2 * (seat - 6) + place - len(line)}"
            outputs[f"seat{seat}.{button}"] = f"{chip}:{line[place]}" if place < len(line) else spare
    options = MappingProxyType({**panel.options, "inputs": inputs, "outputs": outputs})
    return replace(panel, options=options)
