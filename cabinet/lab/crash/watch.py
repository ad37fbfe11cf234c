"""Where a crash can fall: every I/O point of an evening, numbered as it comes.

A point is a moment at which something outside the program's own memory has just changed or is about to:
the journal (before, inside and after a commit, after the second copy), an order to a device, bytes on
a wire, paper, coins of a hard meter. What repeats without news (polls of an idle device) is sampled.
The program is not asked for anything: journal, copy, wires and orders are watched from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cabinet.core.turn import Act
from cabinet.lab.world import World
from cabinet.program.runtime import Runtime
from cabinet.store.journal import Entry, Head, Journal
from cabinet.store.journal_file import Cursor
from cabinet.store.seals.chain_key import ChainKey
from cabinet.store.second_copy import CopyRecord, SecondCopy
from cabinet.store.writer import After, CommitFailed, Committed, Writer
from drivers.bank import Bank, Edges, InputLine, OutputLine
from drivers.sim.panel import PanelMachine
from drivers.sim.printers import PrinterMachine
from drivers.sim.validator import ValidatorMachine
from drivers.sim.wire import FarEnd, Machine
from drivers.sim.wire.transport import Transport

COMMIT_MS = 130  # a slow card: long enough for a poll and its answer
IDLE_EVERY = 40  # of the instants without news every so many is a point, too


class PointKind(StrEnum):
    BEFORE = "before commit"
    INSIDE = "inside commit"  # all rows written, COMMIT not yet said
    COMMITTED = "committed"  # and not yet copied
    COPIED = "copied"  # and nothing shown or ordered yet
    KEYED = "keyed"  # an epoch has ended, its key is still in the file, or is not any more
    ORDER = "order"  # a device is about to be told to do what cannot be undone
    ARRIVED = "arrived"  # bytes or levels have come, and are not read yet
    SENT = "sent"  # the program has done what it could; what it said is on its way
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Point:
    number: int
    kind: PointKind
    what: str
    at_ms: int  # of the world

    def __str__(self) -> str:
        return f"point {self.number} at {self.at_ms} ms: {self.kind}, {self.what}"


AtPoint = Callable[[Point], None]


class Watch:
    """Numbers the points of one program's life. `now_ms` is the world's time."""

    def __init__(self, world: World, at_point: AtPoint) -> None:
        self.number = 0
        self.now_ms = 0
        self._world = world
        self._at_point = at_point
        self._idle = 0
        self._before: dict[str, object] = {}
        self._heard: dict[str, set[bytes]] = {name: set() for name in world.wires}
        self._news: list[str] = []
        for name, wire in world.wires.items():
            wire.transport = Tap(_untapped(wire), self._listener(name))

    def point(self, kind: PointKind, what: str) -> None:
        self.number += 1
        self._at_point(Point(self.number, kind, what, self.now_ms))

    def instant(self, kind: PointKind) -> None:
        """The world has moved or the program has: a point if that is news."""
        self._look()
        if self._news:
            what, self._news = ", ".join(dict.fromkeys(self._news)), []
            self.point(kind, what)
            return
        self._idle += 1
        if self._idle % IDLE_EVERY == 0:
            self.point(PointKind.IDLE, "nothing new")

    def _listener(self, name: str) -> Callable[[str, bytes], None]:
        def heard(way: str, data: bytes) -> None:
            key = way.encode() + data
            if key not in self._heard[name]:
                self._heard[name].add(key)
                self._news.append(f"{name} {way} {data[:4].hex(' ')}")

        return heard

    def _look(self) -> None:
        """What has changed in the physical world since the last look."""
        for name, wire in self._world.wires.items():
            now = signature(wire.machine)
            if now != self._before.get(name):
                self._before[name] = now
                self._heard[name].clear()  # what is said from here on means something else
                self._news.append(f"{name} {now[0]}")
        if self._world.panel is not None:
            seen = _signature_of_panel(self._world.panel)
            if seen != self._before.get("panel"):
                self._before["panel"] = seen
                self._news.append("panel")


def signature(machine: Machine) -> tuple[object, ...]:
    """What of a device's condition a crash must not lose or double; polls do not change it."""
    match machine:
        case ValidatorMachine():
            return machine.signature
        case _ if isinstance(machine, PrinterMachine):
            paper = (machine.printed_count, machine.spoilt_count, machine.paper_stands)
            return machine.stage or "idle", paper, machine.trouble
    return ("",)


def _signature_of_panel(panel: PanelMachine) -> tuple[object, ...]:
    counters = tuple((c.count, c.rose_at is not None) for c in panel.counters.values())
    return counters, tuple(name for name in panel.held)


def _untapped(wire: FarEnd) -> Transport:
    transport = wire.transport
    return transport.inner if isinstance(transport, Tap) else transport


class Tap:
    """A transport that tells what passes."""

    def __init__(self, inner: Transport, heard: Callable[[str, bytes], None]) -> None:
        self.inner = inner
        self._heard = heard

    def take(self) -> bytes:
        data = self.inner.take()
        if data:
            self._heard("is told", data)
        return data

    def deliver(self, data: bytes) -> None:
        self._heard("says", data)
        self.inner.deliver(data)

    def host_obeys_xonxoff(self) -> bool:
        return self.inner.host_obeys_xonxoff()

    def fileno(self) -> int | None:
        return self.inner.fileno()

    def host_gone(self) -> None:
        self.inner.host_gone()

    def unplug(self) -> None:
        self.inner.unplug()

    def replug(self) -> None:
        self.inner.replug()

    def close(self) -> None:
        self.inner.close()


# --------------------------------------------------------------------------------------
# The journal, the second copy and the orders


class WatchedJournal(Journal):
    """The journal itself, with points around and inside each commit."""

    watch: Watch

    def commit(self, entries: Sequence[Entry]) -> Head:
        if not isinstance(self._file.db, _Said):
            self._file.db = _Said(self._file.db, self.watch)
        head = super().commit(entries)
        self.watch.point(PointKind.COMMITTED, _kinds(entries))
        return head

    def _keep(self, kept: ChainKey) -> ChainKey:
        if not hasattr(self, "watch"):  # the epoch of the start: nobody watches yet
            return super()._keep(kept)
        self.watch.point(PointKind.KEYED, f"epoch {kept.key.number} begins")
        kept = super()._keep(kept)
        self.watch.point(PointKind.KEYED, f"epoch {kept.key.number} has begun")
        return kept


class _Said:
    """The connection: its COMMIT is a point."""

    def __init__(self, db: Any, watch: Watch) -> None:
        self._db = db
        self._watch = watch
        self._written = ""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        if sql == "COMMIT":
            self._watch.point(PointKind.INSIDE, self._written)
        cursor: Cursor = self._db.execute(sql, parameters)
        return cursor

    def executemany(self, sql: str, parameters: Sequence[Sequence[Any]], /) -> Cursor:
        cursor: Cursor = self._db.executemany(sql, parameters)
        self._written = "+".join(str(row[1]) for row in parameters)
        return cursor

    def executescript(self, sql: str, /) -> Cursor:
        cursor: Cursor = self._db.executescript(sql)
        return cursor

    def close(self) -> None:
        self._db.close()


class WatchedCopy:
    """The second copy, with a point behind each record."""

    def __init__(self, inner: SecondCopy, watch: Watch) -> None:
        self._inner = inner
        self._watch = watch

    def write(self, head: Head, totals: bytes) -> None:
        self._inner.write(head, totals)
        self._watch.point(PointKind.COPIED, f"row {head.seq}")

    def read(self) -> CopyRecord | None:
        return self._inner.read()


class SlowWriter(Writer):
    """A writer that takes `commit_ms` of virtual time for each commit: meanwhile the program reads and polls
    its devices, as with a thread, and decides nothing. `due_ms` is when it is done."""

    def __init__(self, journal: Journal, copy: SecondCopy, watch: Watch, commit_ms: int) -> None:
        super().__init__(journal, copy, thread=False)
        self._watch = watch
        self._commit_ms = commit_ms
        self._waits: tuple[Sequence[Entry], int, bytes, After | None] | None = None
        self.due_ms: int | None = None  # of the world

    def submit(
        self, entries: Sequence[Entry], now_ms: int, totals: bytes = b"", after: After | None = None
    ) -> None:
        assert self._waits is None, "one commit at a time"
        self._waits = entries, now_ms, totals, after
        self.due_ms, self.busy = self._watch.now_ms + self._commit_ms, True
        self._watch.point(PointKind.BEFORE, _kinds(entries))

    def poll(self) -> Committed | CommitFailed | None:
        if self.due_ms is not None and self._watch.now_ms < self.due_ms:
            return None
        self._work_now()
        return super().poll()

    def wait(self, limit_s: float | None = None) -> Committed | CommitFailed | None:
        self._work_now()
        return super().wait(limit_s)

    def _work_now(self) -> None:
        if self._waits is not None:
            waits, self._waits, self.due_ms, self.busy = self._waits, None, None, False
            super().submit(*waits)


def _kinds(entries: Sequence[Entry]) -> str:
    return "+".join(entry.kind for entry in entries)


class WatchedRuntime(Runtime):
    """The program's own loop, with a point before each order that cannot be undone."""

    watch: Watch

    def _carry_out(self, act: Act) -> None:
        self.watch.point(PointKind.ORDER, f"{type(act).__name__} {act.device}")
        super()._carry_out(act)


class ShiftedBank:
    """GPIO lines for a program whose session began when the world was `shift_ms` old."""

    def __init__(self, inner: Bank, shift_ms: int) -> None:
        self._inner = inner
        self._shift_ms = shift_ms

    @property
    def needs_polling(self) -> bool:
        return self._inner.needs_polling

    @property
    def changed_at(self) -> int | None:
        at_ms = self._inner.changed_at
        return None if at_ms is None else max(0, at_ms - self._shift_ms)

    def request_input(self, wanted: InputLine) -> None:
        self._inner.request_input(wanted)

    def request_output(self, wanted: OutputLine, now_ms: int) -> None:
        self._inner.request_output(wanted, now_ms + self._shift_ms)

    def read(self, line: str) -> bool:
        return self._inner.read(line)

    def write(self, line: str, active: bool, now_ms: int) -> None:
        self._inner.write(line, active, now_ms + self._shift_ms)

    def edges(self) -> Edges:
        return self._inner.edges()

    def drop(self, chip: str) -> None:
        self._inner.drop(chip)

    def fileno(self) -> int | None:
        return self._inner.fileno()

    def close(self) -> None:
        self._inner.close()
