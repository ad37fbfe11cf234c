"""One life of the program in a world that outlives it: the shipped loop in virtual time, watched at every
I/O point. The world's clock runs on from one life to the next; each session's own begins at 0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cabinet.config import DeviceKind
from cabinet.config.assembly import make_devices, policy_of
from cabinet.core.live import Live, active_conditions
from cabinet.core.state import State
from cabinet.core.turn import Draw
from cabinet.lab import begun, draws
from cabinet.lab.bench.bench import phase_of
from cabinet.lab.crash.script import CARDS, Script
from cabinet.lab.crash.watch import (
    COMMIT_MS,
    AtPoint,
    PointKind,
    ShiftedBank,
    SlowWriter,
    Watch,
    WatchedCopy,
    WatchedJournal,
    WatchedRuntime,
)
from cabinet.lab.glance import Glance, Laid, glance, laid
from cabinet.lab.people import Habits, Player
from cabinet.lab.strategy import chart_of
from cabinet.lab.table import VIRTUAL_WALL_MS
from cabinet.lab.world import World
from cabinet.memory import check as memory
from cabinet.store.journal import JournalError
from cabinet.store.second_copy.media import FileSecondCopy
from cabinet.tickets import keys as ticket_keys
from drivers.link import OpenLink
from drivers.registry import Io
from drivers.sim.gpio import MemoryBank

COPY_NAME = "copy"  # of the totals; beside the journal, so that one recording of the disk has both
EPOCH_MS = 5_000  # of session time: keys follow each other often enough to be crashed between
LIFE_LIMIT_MS = 1_200_000  # twenty minutes: no evening of a few rounds takes so long
PACE = 8  # of presentation and countdowns; machines and wires have their own time


class EndlessError(Exception):
    """The evening does not come to its end: what everybody waits for."""


class Life:
    """From one start of the program to its end. `start_ms` is the world's time of the start."""

    def __init__(
        self,
        world: World,
        state_dir: Path,
        *,
        seed: int,
        open_link: OpenLink,
        start_ms: int = 0,
        script: Script | None = None,
        at_point: AtPoint = lambda _point: None,
        commit_ms: int = COMMIT_MS,
    ) -> None:
        self.world = world
        self.state_dir = state_dir
        self.start_ms = self.now_ms = start_ms
        self.script = script
        self.shown: list[tuple[int, Laid]] = []  # what has been published: the first and the last
        self.seen: Glance | None = None
        self._latest: tuple[State, Live] | None = None
        self.watch = Watch(world, at_point)
        copy = FileSecondCopy(state_dir / COPY_NAME)
        machine_id = world.config.cabinet.machine_id
        begun.begin(state_dir, seed, copy=copy, machine_id=machine_id)
        journal = WatchedJournal.open(state_dir, started="cabinet lab crash", begun=True)
        assert isinstance(journal, WatchedJournal)
        journal.watch = self.watch
        board = world.board
        assert board is not None
        io = Io(open_link=open_link, open_bank=lambda: ShiftedBank(MemoryBank(board), start_ms))
        config = world.config
        try:
            checked = memory.check(
                journal,
                copy,
                "",
                bytes,  # the number of the copy: nobody else is here
                machine_id=config.cabinet.machine_id,
                seats=config.cabinet.seats,
            )
        except JournalError:
            journal.close()
            raise
        key = ticket_keys.TicketKey(draws.entropy(seed)(ticket_keys.KEY_BYTES))
        self.writer = SlowWriter(journal, WatchedCopy(copy, self.watch), self.watch, commit_ms)
        self.writer.epoch_ms = EPOCH_MS
        self.runtime = WatchedRuntime(
            policy_of(config, "crash", pace=PACE, lab=True, tickets=ticket_keys.taken(key)),
            make_devices(config, io),
            journal,
            self._draw(seed, first=script is not None),
            wall_ms=VIRTUAL_WALL_MS + start_ms,
            writer=self.writer,
            on_publish=self._published,
            memory=checked.found.memory,
            copy=checked.found.copy,
            restored=checked.restored,
        )
        self.runtime.watch = self.watch

    def _draw(self, seed: int, *, first: bool) -> Draw:
        draw = draws.seeded(seed + self.start_ms)
        if not first:
            return draw
        return draws.Stacked(CARDS, self.world.config.rules.decks, draw, lambda: self.runtime.state.shoe)

    def _published(self, state: State, live: Live) -> None:
        self._latest, self.seen = (state, live), None
        now = (state.session, laid(state))
        self.shown = [now, now] if not self.shown else [self.shown[0], now]
        self.world.tell(self.look)

    def look(self) -> Glance:
        """What can be seen of the cabinet now."""
        if self.seen is None:
            assert self._latest is not None
            self.seen = glance(*self._latest)
        return self.seen

    # ---- time

    def run(self, until: Callable[[], bool]) -> None:
        """From one due instant to the next, until `until` says so. EndlessError if it never does."""
        runtime, world, watch, start_ms = self.runtime, self.world, self.watch, self.start_ms
        limit_ms, due_ms = self.now_ms + LIFE_LIMIT_MS, self.now_ms
        while True:
            now_ms = watch.now_ms = self.now_ms
            if self.script is not None and self._latest is not None and now_ms >= self.script.wake_at:
                self.script.act(world, self.look(), now_ms)
            ready = world.advance(now_ms)
            watch.instant(PointKind.ARRIVED)
            done_ms = self.writer.due_ms
            stepped = bool(ready) or now_ms >= due_ms or (done_ms is not None and now_ms >= done_ms)
            if stepped:
                runtime.step(now_ms - start_ms, ready)
                world.take_up(now_ms, runtime.ticked)
                watch.instant(PointKind.SENT)
                due_ms = runtime.wake_at(now_ms - start_ms) + start_ms
            if until():
                return
            if now_ms > limit_ms:
                raise EndlessError(self.situation())
            self.now_ms = max(self.now_ms, self._next_ms(due_ms))

    def _next_ms(self, due_ms: int) -> int:
        for other_ms in (self.world.wake_at, self.writer.due_ms):
            if other_ms is not None:
                due_ms = min(due_ms, other_ms)
        if self.script is not None and self._latest is not None and not self.script.over:
            due_ms = min(due_ms, self.script.wake_at)
        return due_ms

    def situation(self) -> str:
        """Why it goes on: conditions, people, devices."""
        rows = active_conditions(self.runtime.state, self.runtime.live)
        lines = [f"{row.code} {row.name} {device} {detail}" for row, device, detail in rows]
        lines += [f"player {player.seat} {player.doing}" for player in self.world.players]
        if self.script is not None:
            lines.append(f"script: {self.script.doing}")
        if self.world.attendant is not None:
            lines.append(f"attendant {self.world.attendant.doing}")
        state = self.runtime.state
        lines.append(f"open: {state.notes} {state.tickets} {state.handpays} waiting {state.waiting}")
        return "; ".join(lines)

    # ---- the end

    def everybody_leaves(self, seed: int) -> None:
        """Players who play the round to its end, cash out and do not come back."""
        config = self.world.config
        self.world.players = []
        for seat in range(1, config.cabinet.seats + 1):
            validator = config.serving(DeviceKind.BILL_VALIDATOR, seat).name
            devices = (validator, config.serving(DeviceKind.TICKET_PRINTER, seat).name)
            player = Player(seat, config.rules, chart_of(config), devices, Habits(pace=PACE), seed)
            player.wake_at = self.now_ms
            player.go_home()
            self.world.players.append(player)

    def all_gone(self) -> bool:
        """Nobody has money in the machine, nothing is open, no device is in the middle of something."""
        state = self.runtime.state
        if not self.runtime.idle or self._latest is None:
            return False
        if self.script is not None and not self.script.over:
            return False
        if state.round_open or state.notes or state.tickets or state.waiting or state.handpays:
            return False
        if any(state.pulses.values()) or state.ledger.total("bet"):
            return False
        if self.script is None and state.ledger.total("credit"):
            return False  # a script ends where it ends
        busy = any(phase_of(wire.machine) for wire in self.world.wires.values())
        return not busy and not self.look().key and self._all_answer()

    @property
    def refused(self) -> str:
        """Why nothing can be recorded any more; "" while all is well."""
        return self.runtime.live.unrecorded

    def _all_answer(self) -> bool:
        """Every device has said what it holds, so that no question can come any more."""
        live = self.runtime.live
        return all(live.device(name).ready for name, _ in live.policy.printers)

    def stop(self) -> None:
        """Asked to stop, as by the service manager."""
        self.runtime.ask_stop(self.now_ms - self.start_ms)
        self.run(lambda: self.runtime.live.stopping and self.runtime.idle)
        self.runtime.close(clean=True, now_ms=self.now_ms - self.start_ms)

    def digest(self) -> str:
        return self.runtime.head.digest
