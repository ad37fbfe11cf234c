"""The table in one process: the cabinet's own loop, simulated devices, people. Real or virtual time."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from cabinet import config as configuration
from cabinet.assembly import make_devices, make_second_copy, policy_of
from cabinet.config import Config
from cabinet.core.live import Live, active_conditions
from cabinet.core.state import State
from cabinet.core.turn import Draw
from cabinet.lab import draws, report
from cabinet.lab import world as worlds
from cabinet.lab.glance import glance
from cabinet.lab.strategy import chart_of
from cabinet.lab.world import World
from cabinet.presenter import Presenter
from cabinet.runtime import RealClock, Runtime, Screen, loop
from cabinet.store.journal import Journal
from cabinet.store.writer import Writer
from game.shoe import Shoe

# Virtual wall time: a fixed date, so that equal seeds print equal tickets. 2026-06-01 19:00 local.
VIRTUAL_WALL_MS = 1_780_340_400_000
ASK_MS = 1_000  # how often a virtual evening in which nothing happens is asked whether it is over
CLOSING_MS = 120_000  # how long an ended evening waits for its last tickets, before `pace`
STANDSTILL_MS = 900_000  # before `pace`; twice what a locked table is left alone by simulated staff
MACHINES_MS = 60_000  # at any pace: devices start, print and count pulses in their own time


class StandstillError(Exception):
    """The evening stands still, for example because of a fault that nobody at the table can mend."""


@dataclass(frozen=True, slots=True)
class Options:
    """The lab's options, as the command line gives them."""

    cabinet: str = "table5"
    pace: int = 1
    headless: bool = False
    autoplay: bool = False
    rounds: int = 0
    seed: int = 1
    virtual: bool = False
    wire: str = "pty"
    shots: Path | None = None
    cards: str = ""
    faults: tuple[tuple[str, int], ...] = ()
    state: Path | None = None
    report: Path | None = None


@dataclass(slots=True)
class Table:
    """One evening: the program and its world, put together."""

    options: Options
    world: World
    runtime: Runtime
    watchers: list[Callable[[State, Live], None]] = field(default_factory=list)
    pending_faults: list[tuple[str, int]] = field(default_factory=list)
    closing_ms: int | None = None
    hurried: bool = False  # asked twice to end
    reached_ms: int = 0  # of virtual time
    progress: tuple[object, int] = ((), 0)  # how far the evening is, and since when

    def end(self, now_ms: int) -> None:
        """No new round and no notes; the evening ends between rounds. Asked again: now."""
        if self.closing_ms is None:
            self.closing_ms = now_ms
            self.runtime.ask_stop(now_ms)
        else:
            self.hurried = True

    @property
    def rounds(self) -> int:
        """Rounds of this evening; a continued journal has those of others too."""
        return self.runtime.state.meters.get("rounds", 0) - self.runtime.restored.state.meters.get(
            "rounds", 0
        )

    def published(self, state: State, live: Live) -> None:
        self.world.tell(lambda: glance(state, live))
        for watcher in self.watchers:
            watcher(state, live)

    def over(self, now_ms: int) -> bool:
        """Between rounds, after the last one: no bets, no open notes, every printer at rest.

        Raises StandstillError when simulated people, alone, have waited too long for anything to happen.
        """
        self._inject(now_ms)
        state = self.runtime.state
        if self.options.autoplay and (self.options.headless or self.options.virtual):
            self._watch(state, now_ms)  # somebody at the window may hold the table as long as he likes
        if self.closing_ms is None:
            if self.options.rounds and self.rounds >= self.options.rounds:
                self.end(now_ms)
            return False
        if self.hurried:
            return True
        if state.live or not self.runtime.idle or not self.runtime.live.stopping:
            return False
        waited_too_long = now_ms - self.closing_ms > self._patience_ms(CLOSING_MS)
        return (self._at_rest(state) and self._all_paid(state)) or waited_too_long

    def _patience_ms(self, ms: int) -> int:
        """`ms` at the pace of this evening, but never less than what machines need."""
        return max(ms // self.options.pace, MACHINES_MS)

    def _watch(self, state: State, now_ms: int) -> None:
        """An evening that nobody can go on with ends with the reason instead of never."""
        progress = (state.round_number, len(state.moves), state.settled_ms, len(state.tickets))
        if progress != self.progress[0]:
            self.progress = progress, now_ms
        elif now_ms - self.progress[1] > self._patience_ms(STANDSTILL_MS):
            rows = active_conditions(state, self.runtime.live)
            why = ", ".join(
                f"{row.code} {row.name}{f' ({place})' if place else ''}" for row, place, _ in rows
            )
            raise StandstillError(
                f"nothing has happened since round {state.round_number}: {why or 'no fault'}"
            )

    def _at_rest(self, state: State) -> bool:
        if not self.options.autoplay:  # a person has ended it: what can go on another day may
            return not state.notes and not state.tickets
        busy = state.notes or state.tickets or state.waiting or state.handpays
        owed = any(state.pulses.values())
        return not busy and not owed and not state.ledger.total("bet")

    def _all_paid(self, state: State) -> bool:
        """With players at the seats the evening ends when all have cashed out."""
        return not self.options.autoplay or not state.ledger.total("credit")

    def _inject(self, now_ms: int) -> None:
        rounds = self.runtime.state.round_number
        for name, at_round in [f for f in self.pending_faults if f[1] <= rounds]:
            self.pending_faults.remove((name, at_round))
            self.world.inject(name, now_ms)


def shipped_cabinet(name: str) -> Path:
    """The cabinet file of a lab table, by its short name."""
    return configuration.shipped_folder() / "cabinets" / f"{name}.toml"


def build(
    options: Options, directory: Path, version: str, wall_ms: int, config: Config | None = None
) -> Table:
    """Everything that an evening needs; `directory` holds the journal and the ends of the wires.
    `config` is a cabinet that has no file among the shipped ones."""
    config = config or configuration.load(shipped_cabinet(options.cabinet))
    wires = directory / "wires"
    wires.mkdir(parents=True, exist_ok=True)
    world = worlds.build(config, wire=options.wire, seed=options.seed, directory=wires)
    for name, _ in options.faults:
        if name not in world.faults():
            raise worlds.NoSuchFaultError(
                f"no fault {name!r} at {options.cabinet}; --fault help lists them all"
            )
    if options.autoplay:
        worlds.people(world, chart_of(config), options.seed, options.pace)
    policy = policy_of(config, version, pace=options.pace, lab=True)
    journal = Journal.open(options.state or directory / "state", started="cabinet lab")
    table: Table

    def shoe() -> Shoe | None:
        return table.runtime.state.shoe

    def published(state: State, live: Live) -> None:
        table.published(state, live)

    draw: Draw = draws.seeded(options.seed)
    if options.cards:
        draw = draws.Stacked(options.cards, config.rules.decks, draw, shoe)
    io = worlds.io_of(world)
    # A chip that is made with the table, as the simulated devices are: it knows nothing of a journal that
    # is continued.
    copy = make_second_copy(config, io) if world.buses else None
    runtime = Runtime(
        policy,
        make_devices(config, io),
        journal,
        draw,
        wall_ms=wall_ms,
        writer=Writer(journal, copy, thread=not options.virtual),
        virtual=options.virtual,
        on_publish=published,
    )
    table = Table(options, world, runtime, pending_faults=list(options.faults))
    return table


def run_virtual(table: Table, until: Callable[[int], bool] | None = None) -> None:
    """Jump from one due instant to the next, up to the end of the evening (or `until`, and on from there
    the next time). Nothing is drawn; nothing waits for the wall."""
    runtime, world = table.runtime, table.world
    now_ms, ask_ms, judged = table.reached_ms, 0, None
    due_ms = now_ms  # when the program next has something to do, if nothing else happens
    while True:
        table.reached_ms = now_ms
        if until is not None and until(now_ms):
            return
        ready = world.advance(now_ms)
        stepped = bool(ready) or now_ms >= due_ms
        if stepped:
            runtime.step(now_ms, ready)
        # Only a new state can end the evening, or (slowly) time: the last tickets, a standstill.
        if runtime.state is not judged or now_ms >= ask_ms or table.closing_ms is not None:
            judged, ask_ms = runtime.state, now_ms + ASK_MS
            if table.over(now_ms):
                return
        if stepped:
            world.take_up(now_ms, runtime.ticked)
        if stepped or table.closing_ms is not None:
            due_ms = runtime.wake_at(now_ms)
        world_ms = world.wake_at
        next_ms = due_ms if world_ms is None or due_ms < world_ms else world_ms
        if next_ms > now_ms:
            now_ms = next_ms


def evening(options: Options, version: str, attach: Callable[[Table], None] | None = None) -> report.Report:
    """Play one evening and count it. `attach` may add watchers before it begins."""
    with tempfile.TemporaryDirectory(prefix="cabinet-lab-") as scratch:
        clock = RealClock()
        wall_ms = VIRTUAL_WALL_MS if options.virtual else clock.wall_ms()
        table = build(options, Path(scratch), version, wall_ms)
        presenter: Presenter | None = None
        screen: Screen | None = None
        if not options.virtual:
            from cabinet.lab import cockpit  # a virtual evening draws nothing and needs no pygame

            presenter = cockpit.presenter_of(table)
            screen = presenter if options.headless else cockpit.of(table, presenter)
        if attach is not None:
            attach(table)
        recorder: Recorder | None = None
        if options.shots is not None:
            from cabinet.lab.gallery import Recorder

            recorder = Recorder(table)
        try:
            if screen is None:
                run_virtual(table)
            else:
                with _stopped_by_signals(table):
                    loop(table.runtime, clock, screen=screen, world=table.world, until=table.over)
        finally:
            table.runtime.close(clean=True, now_ms=table.runtime.live.now_ms)
            table.world.close()
            if presenter is not None:
                presenter.window.close()
        frames = presenter.window.pacer.frames if presenter else 0
        late = presenter.window.late_frames if presenter else 0
        runtime = table.runtime
        before = runtime.restored.state
        # Reading every ticket's picture is for who asks for figures or pictures, or plays in real time.
        look = not options.virtual or options.report is not None or options.shots is not None
        digest = runtime.head.digest
        made = report.make(runtime.state, digest, table.world, frames, late, before=before, read_images=look)
    if recorder is not None and options.shots is not None:
        recorder.write(options.shots, made)
    if options.report is not None:
        report.write(made, options.report)
    return made


def welcome(table: Table) -> str:
    """What a continued evening begins with; "" for a new one."""
    before = table.runtime.restored.state
    if not before.session:
        return ""
    credit = before.ledger.total("credit") + before.ledger.total("bet")
    told = (
        f"session {before.session + 1} goes on {'in' if before.live else 'after'} round {before.round_number}"
    )
    return f"{table.options.state}: {told}, with {credit / 100:.2f} at the seats"


@contextmanager
def _stopped_by_signals(table: Table) -> Iterator[None]:
    """Ctrl-C ends the evening between rounds, a second one at once."""

    def caught(_number: int, _frame: FrameType | None) -> None:
        table.end(table.runtime.live.now_ms)

    before = {number: signal.signal(number, caught) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
