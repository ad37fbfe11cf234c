"""The table in one process: the cabinet's own loop, simulated devices, people. Real or virtual time."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cabinet.config import Config
from cabinet.config import file as configuration
from cabinet.config.assembly import make_devices, make_second_copy, policy_of
from cabinet.core.facts import Fact
from cabinet.core.live import Live, active_conditions
from cabinet.core.policy import Policy
from cabinet.core.state import State
from cabinet.core.turn import Draw
from cabinet.lab import begun, draws
from cabinet.lab import world as worlds
from cabinet.lab.glance import glance
from cabinet.lab.patience import PATIENCE_MS
from cabinet.lab.strategy import chart_of
from cabinet.lab.world import World
from cabinet.program.runtime import RealClock, Runtime
from cabinet.store.journal import Journal
from cabinet.store.writer import Writer
from cabinet.tickets import keys as ticket_keys
from game.shoe import Shoe

# Virtual wall time: a fixed date, so that equal seeds print equal tickets. 2026-06-01 19:00 local.
VIRTUAL_WALL_MS = begun.WALL_MS
ASK_MS = 1_000  # how often a virtual evening in which nothing happens is asked whether it is over
CLOSING_MS = 120_000  # how long an ended evening waits for its last tickets, before `pace`
HURRY_MS = 1_000  # of real time that a virtual evening has to come to its end after Ctrl-C
STANDSTILL_MS = 900_000  # before `pace`; twice what a locked table is left alone by simulated staff
MACHINES_MS = 60_000  # at any pace: devices start, print and count pulses in their own time


class StandstillError(Exception):
    """The evening stands still, for example because of a fault that nobody at the table can mend."""


class PowerCut(Exception):  # noqa: N818 - no error: what a lab does to a program
    """The firmware has lost its power in the middle of a step."""


@dataclass(frozen=True, slots=True)
class LabOptions:
    """The lab's options, as the command line gives them."""

    cabinet: str = "table5"
    pace: int = 1
    headless: bool = False
    autoplay: bool = False
    bring_tickets: bool = False
    rounds: int = 0
    seed: int = 1
    virtual: bool = False
    wire: str = "pty"
    shots: Path | None = None
    cards: str = ""
    faults: tuple[tuple[str, int], ...] = ()
    state: Path | None = None
    report: Path | None = None


Watcher = Callable[[State, Live], None]
OnFacts = Callable[[tuple[Fact, ...]], None]


@dataclass(slots=True)
class Table:
    """One evening: the program and its world, put together.

    The world's time goes on while the program has no power; each start of it counts its own session time
    from 0, which is `began_ms` of the world.
    """

    options: LabOptions
    world: World
    policy: Policy
    state_dir: Path
    draw: Draw
    on_facts: OnFacts | None = None
    make_writer: Callable[..., Writer] = Writer
    _runtime: Runtime | None = None
    began_ms: int = 0
    until_ms: int | None = None  # `run_virtual` comes back then, or when the evening is over
    watchers: list[Watcher] = field(default_factory=list)
    pending_faults: list[tuple[str, int]] = field(default_factory=list)
    closing_ms: int | None = None
    hurried: bool = False  # asked twice to end
    asked: RealClock | None = None  # of a virtual evening: runs since Ctrl-C
    reached_ms: int = 0  # of virtual time
    progress: tuple[object, int] = ((), 0)  # how far the evening is, and since when

    # ---- the program

    @property
    def runtime(self) -> Runtime:
        assert self._runtime is not None, "the program has no power"
        return self._runtime

    @property
    def has_power(self) -> bool:
        return self._runtime is not None

    def start(self, now_ms: int, wall_ms: int) -> None:
        """Switch the program on: a new process on the same journal, devices and cards."""
        assert self._runtime is None, "it is on"
        self.began_ms = now_ms
        config, io = self.world.config, worlds.io_of(self.world, now_ms)
        # A chip that is made with the table, as the simulated devices are: it knows nothing of a journal
        # that is continued.
        copy = make_second_copy(config, io) if self.world.buses else None
        begun.begin(self.state_dir, self.options.seed, wall_ms=wall_ms, copy=copy)
        journal = Journal.open(self.state_dir, started="cabinet lab")
        self._runtime = Runtime(
            self.policy,
            make_devices(config, io),
            journal,
            self.draw,
            wall_ms=wall_ms,
            writer=self.make_writer(journal, copy, thread=not self.options.virtual),
            virtual=self.options.virtual,
            on_publish=self.published,
            on_facts=self.on_facts,
        )

    def cut(self, now_ms: int, *, lose_bytes: bool) -> None:
        """The program loses its power: what is not in the journal never was. Bytes on the wires are lost
        too, or reach whoever they are for."""
        runtime, self._runtime = self.runtime, None
        self.world.host_gone(now_ms, lose_bytes=lose_bytes)
        runtime.drop()
        del runtime
        gc.collect()  # a process that has died leaves nothing behind, rings of objects neither

    # ---- the evening

    def end(self, now_ms: int) -> None:
        """No new round and no notes; the evening ends between rounds. Asked again: now."""
        if self.closing_ms is None:
            self.closing_ms = now_ms
            self.runtime.ask_stop(now_ms - self.began_ms)
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
        if self.runtime.live.restart:  # a cabinet's service manager would start the program again now
            return True
        state = self.runtime.state
        if self.options.autoplay and (self.options.headless or self.options.virtual):
            self._watch(state, now_ms)  # somebody at the window may hold the table as long as he likes
        if self.closing_ms is None:
            if self.options.rounds and self.rounds >= self.options.rounds:
                self.end(now_ms)
            return False
        if self.hurried or (self.asked is not None and self.asked.now_ms() >= HURRY_MS):
            return True
        if state.round_open or not self.runtime.idle or not self.runtime.live.stopping:
            return False
        waited_too_long = now_ms - self.closing_ms > self._patience_ms(CLOSING_MS)
        return (self._at_rest(state) and self._all_paid(state)) or waited_too_long

    def _patience_ms(self, ms: int) -> int:
        """`ms` at the pace of this evening, but never less than what machines need; in real time this
        computer may be busy with other things too."""
        return max(ms // self.options.pace, MACHINES_MS if self.options.virtual else PATIENCE_MS)

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


def cabinet_file(name: str) -> Path:
    """The cabinet file of a lab table: a shipped one by its short name, another by its path (*.toml)."""
    if name.endswith(".toml"):
        return Path(name)
    return configuration.shipped_folder() / "cabinets" / f"{name}.toml"


def assemble(options: LabOptions, directory: Path, version: str, config: Config | None = None) -> Table:
    """Everything that an evening needs; `directory` holds the journal and the ends of the wires.
    `config` is a cabinet that has no file among the shipped ones."""
    config = config or configuration.load(cabinet_file(options.cabinet))
    wires = directory / "wires"
    wires.mkdir(parents=True, exist_ok=True)
    world = worlds.build(config, wire=options.wire, seed=options.seed, directory=wires)
    for name, _ in options.faults:
        world.must_have(name)
    if options.autoplay:
        worlds.people(
            world, chart_of(config), options.seed, options.pace, bring_tickets=options.bring_tickets
        )
    state_dir = options.state or directory / "state"
    tickets = ticket_keys.take(state_dir, "", draws.entropy(options.seed))
    policy = policy_of(config, version, pace=options.pace, lab=True, tickets=tickets)
    table: Table

    def shoe() -> Shoe | None:
        return table.runtime.state.shoe

    draw: Draw = draws.seeded(options.seed)
    if options.cards:
        draw = draws.Stacked(options.cards, config.rules.decks, draw, shoe)
    table = Table(options, world, policy, state_dir, draw)
    table.pending_faults = list(options.faults)
    return table


def build(
    options: LabOptions, directory: Path, version: str, wall_ms: int, config: Config | None = None
) -> Table:
    """As `assemble`, and the program is switched on."""
    table = assemble(options, directory, version, config)
    table.start(0, wall_ms)
    return table


def run_virtual(table: Table) -> None:
    """Jump from one due instant to the next, up to the end of the evening (or `table.until_ms`, and on from
    there the next time). Nothing is drawn; nothing waits for the wall."""
    runtime, world, began_ms = table.runtime, table.world, table.began_ms
    now_ms, ask_ms, judged = table.reached_ms, 0, None
    due_ms = now_ms  # when the program next has something to do, if nothing else happens
    while True:
        if table.until_ms is not None and now_ms >= table.until_ms:
            table.reached_ms = table.until_ms
            return
        table.reached_ms = now_ms
        ready = world.advance(now_ms)
        stepped = bool(ready) or now_ms >= due_ms
        if stepped:
            runtime.step(now_ms - began_ms, ready)
        # Only a new state can end the evening, or (slowly) time: the last tickets, a standstill.
        if now_ms >= ask_ms or table.closing_ms is not None or (stepped and runtime.state is not judged):
            judged, ask_ms = runtime.state, now_ms + ASK_MS
            if table.over(now_ms):
                return
            due_ms = runtime.wake_at(now_ms - began_ms) + began_ms
        if stepped:
            world.take_up(now_ms, runtime.ticked)
            due_ms = runtime.wake_at(now_ms - began_ms) + began_ms
        world_ms = world.wake_at
        next_ms = due_ms if world_ms is None or due_ms < world_ms else world_ms
        if next_ms > now_ms:
            now_ms = next_ms


def run_dark(table: Table) -> None:
    """The program has no power: the world goes on alone, up to `table.until_ms`."""
    world = table.world
    assert table.until_ms is not None
    now_ms = table.reached_ms
    while now_ms < table.until_ms:
        world.advance(now_ms)
        world_ms = world.wake_at
        now_ms = table.until_ms if world_ms is None else min(max(world_ms, now_ms + 1), table.until_ms)
    table.reached_ms = now_ms


def welcome(table: Table) -> str:
    """What a continued evening begins with; "" for a new one."""
    before = table.runtime.restored.state
    if not before.session:
        return ""
    credit = before.ledger.total("credit") + before.ledger.total("bet")
    where = f"{'in' if before.round_open else 'after'} round {before.round_number}"
    goes_on = f"session {before.session + 1} goes on {where}"
    return f"{table.options.state}: {goes_on}, with {credit / 100:.2f} at the seats"
