"""An evening of guests, accidents and an attendant around such units and the shipped program.

The program is unmodified and runs in virtual time; its cabinet file is a shipped one. What lies in a box is
known here as paper; what the books say is read from the journal.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from adversary.id003.books import Books
from adversary.id003.habits import habits
from adversary.id003.people import NOTES_CENTS, Guest, Staff
from adversary.id003.unit import Contents, Id003Unit, Paper, Place, State, contents
from cabinet.config import DeviceKind
from cabinet.core import facts as f
from cabinet.core.facts import Fact, decode
from cabinet.core.live import active_conditions
from cabinet.core.staff import menu
from cabinet.lab import table
from cabinet.lab.days.people import Technician
from cabinet.lab.table import VIRTUAL_WALL_MS, Table
from cabinet.lab.world import World
from drivers.device import Pattern
from drivers.sim.wire import memory_wire

CALLED_MS = 60_000  # somebody is called within
CALLED_GRACE_MS = 3_000
ACCIDENT_MS = (3_000, 14_000)
SETTLE_MS = 600_000


@dataclass(slots=True)
class Result:
    seed: int
    cabinet: str
    problems: list[str] = field(default_factory=list)
    notes: int = 0  # drawn in
    boxed: int = 0
    tickets_in: int = 0
    accidents: Counter[str] = field(default_factory=Counter)
    sessions: int = 0
    by_hand: int = 0
    lasted_ms: int = 0
    story: list[str] = field(default_factory=list)


class Evening:
    def __init__(self, cabinet: str, seed: int, directory: Path, version: str, lasts_ms: int) -> None:
        self.seed, self.lasts_ms = seed, lasts_ms
        self.result = Result(seed, cabinet)
        self.dice = random.Random(f"evening {cabinet} {seed}")
        options = table.LabOptions(cabinet, virtual=True, seed=seed, wire="memory")
        self.table: Table = table.assemble(options, directory, version)
        self.world: World = self.table.world
        self.units: dict[str, Id003Unit] = {}
        self.seats: dict[str, tuple[int, ...]] = {}
        self.paper_of: dict[int, Paper] = {}  # by the reference of the document
        self._bound: dict[str, int] = {}
        self._since: dict[str, tuple[object, int]] = {}
        self._due: list[tuple[int, int, tuple[str, ...]]] = []
        self._orders = 0
        self._aim: tuple[str, tuple[str, ...], int] | None = None
        self._waiting: list[tuple[int, tuple[str, ...]]] = []  # steps of the accident that has an aim
        for place, device in enumerate(self.world.config.of_kind(DeviceKind.BILL_VALIDATOR)):
            name, key = device.name, f"{cabinet} {seed} {place}"
            self.seats[name] = tuple(device.seats)
            unit = Id003Unit(name, habits(key), key, partial(self._owner, name))
            opener, far_end = memory_wire(unit, baud=9600, bits=11, seed=seed * 100 + place)
            self.units[name] = unit
            self.world.wires[name] = far_end
            self.world.open_links[str(device.options["port"])] = opener
        self.guests = [Guest(self, seat, len(seats) > 1) for seats in self.seats.values() for seat in seats]
        self.world.visitors += [*self.guests, Staff(self), Technician(seed)]
        self.table.on_facts = self._facts

    # ---- paper

    def _owner(self, name: str) -> int:
        seats = self.seats[name]
        if len(seats) == 1:
            return seats[0]
        if self.table.has_power:
            self._bound[name] = self.table.runtime.live.binding.get(name, 0)
        return self._bound.get(name, 0)

    def numbers_inside(self) -> set[str]:
        return {
            p.number
            for u in self.units.values()
            for p in u.papers
            if p.number and p.place is not Place.CUSTOMER
        }

    def feed(self, name: str, paper: Paper, now_ms: int) -> None:
        if self.units[name].insert(paper, now_ms):
            self.tell(f"{name} draws in {paper.cents}{paper.number} of seat {paper.owner}")
        self.touch(name)

    def touch(self, name: str) -> None:
        self.world._touch(name)

    def cable_in(self, name: str) -> None:
        self.world.inject(f"{name}.mend", self.now_ms)
        if not self.world.wires[name].plugged:
            self.world.inject(f"{name}.replug", self.now_ms)

    def tell(self, text: str) -> None:
        self.result.story.append(f"{self.now_ms / 1000:8.3f} {text}")

    # ---- facts

    def _facts(self, facts: Sequence[Fact]) -> None:
        for fact in facts:
            match fact:
                case f.NoteIntended() | f.RedeemIntended():
                    paper = self.units[fact.device].paper
                    if paper is not None:
                        self.paper_of[fact.ref] = paper
            if type(fact).__name__.startswith(
                ("Note", "Redeem", "TicketRed", "TicketInt", "TicketV", "Handpay", "Session")
            ):
                self.tell(str(fact))
            if self._aim is not None and type(fact).__name__ == self._aim[0]:
                _, action, after_ms = self._aim
                self._aim = None
                self.order(after_ms, action)
                if self.table.until_ms is not None:
                    self.table.until_ms = min(self.table.until_ms, self.now_ms + after_ms)

    # ---- the evening

    @property
    def now_ms(self) -> int:
        return self.table.reached_ms

    def order(self, after_ms: int, action: tuple[str, ...]) -> None:
        self._orders += 1
        heapq.heappush(self._due, (self.now_ms + after_ms, self._orders, action))

    def run(self) -> Result:
        self._start()
        self.order(1_000, ("look",))
        self.order(self.dice.randint(*ACCIDENT_MS), ("accident",))
        self._until(self.lasts_ms)
        self._quiet()
        end_ms = self.now_ms + SETTLE_MS
        while self.now_ms < end_ms and not self._settled():
            self._until(self.now_ms + 5_000)
        self._until(self.now_ms + 15_000)
        while self.now_ms < end_ms and not self._settled():  # a late answer can make the program ask again
            self._until(self.now_ms + 1_000)
        self._judge()
        self.result.lasted_ms = self.now_ms
        return self.result

    def close(self) -> None:
        if self.table.has_power:
            self.table.runtime.close(clean=True, now_ms=self.now_ms - self.table.began_ms)
        self.world.close()

    def _until(self, end_ms: int) -> None:
        while self.now_ms < end_ms:
            self.table.until_ms = min(end_ms, self._due[0][0]) if self._due else end_ms
            if not self.table.has_power:
                table.run_dark(self.table)
            else:
                table.run_virtual(self.table)
                if self.table.runtime.live.restart:
                    self.table.cut(self.now_ms, lose_bytes=False)
                    self.order(1_000, ("start",))
            while self._due and self._due[0][0] <= self.now_ms:
                self._do(heapq.heappop(self._due)[2])

    def _start(self) -> None:
        self.table.start(self.now_ms, VIRTUAL_WALL_MS + self.now_ms)
        self.result.sessions += 1
        self._since.clear()

    def _do(self, action: tuple[str, ...]) -> None:
        now_ms, world = self.now_ms, self.world
        if action[0] not in ("look", "accident"):
            self.tell(" ".join(action))
        match action:
            case ("look",):
                self.order(1_000, action)
                self._look()
            case ("accident",):
                self.order(self.dice.randint(*ACCIDENT_MS), action)
                self._accident()
            case ("kill", lose) if self.table.has_power:
                self._bound = dict(self.table.runtime.live.binding)
                self.table.cut(now_ms, lose_bytes=lose == "lose")
            case ("start",) if not self.table.has_power:
                self._start()
            case ("dark", name, lose):
                world.darken(name, now_ms, lose_bytes=lose == "lose")
            case ("light", name):
                world.light(name, now_ms)
            case ("inject", name, fault):
                world.inject(f"{name}.{fault}", now_ms)
            case ("go",):
                steps, self._waiting = self._waiting, []
                for after_ms, step in steps:
                    self.order(after_ms, step)
            case ("feed", name):
                self.feed(name, Paper(self.dice.choice(NOTES_CENTS), 0), now_ms)

    def _accident(self) -> None:
        dice = self.dice
        name = dice.choice(list(self.units))
        kind = dice.choice(
            ("wire", "wire", "unit", "unit", "unplug", "power", "power", "kill", "kill", "both", "both")
        )
        steps: list[tuple[int, tuple[str, ...]]] = []
        down_ms = dice.choice((50, dice.randint(100, 3_000), dice.randint(3_000, 15_000)))
        lose = dice.choice(("lose", "keep"))
        match kind:
            case "wire":
                faults = (
                    "lost",
                    "lost_request",
                    "garbled",
                    "garbled_request",
                    "delayed",
                    "split",
                    "glued",
                    "noise",
                )
                steps += [
                    (dice.randint(0, 800), ("inject", name, dice.choice(faults)))
                    for _ in range(dice.choice((1, 1, 2, 4)))
                ]
                if dice.random() < 0.2:
                    steps += [(0, ("inject", name, dice.choice(("silent", "echo"))))]
                    steps += [(dice.randint(300, 90_000), ("inject", name, "mend"))]
            case "unit":
                steps.append((0, ("inject", name, dice.choice(list(Id003Unit.FAULTS)))))
            case "unplug":
                steps.append((0, ("inject", name, "unplug")))
                steps.append((dice.choice((200, down_ms, 80_000)), ("inject", name, "replug")))
            case "power":
                steps += self._unit_dark(name, down_ms, lose)
            case "kill" | "both":
                steps += [(0, ("kill", lose)), (down_ms, ("start",))]
                if kind == "both":
                    names = list(self.units) if dice.random() < 0.5 else [name]
                    for one in names:
                        steps += self._unit_dark(
                            one, dice.choice((down_ms, down_ms + dice.randint(0, 4_000))), lose
                        )
                if dice.random() < 0.4:
                    steps.append((dice.randint(0, down_ms), ("feed", name)))
        self.result.accidents[kind] += 1
        self.tell(f"accident: {kind} {name}")
        aim = dice.choice(("", "", "NoteIntended", "NoteIntended", "NoteCredited", "RedeemIntended"))
        if aim and kind in ("kill", "power", "unplug", "both"):
            self._steps_after(aim, steps)
        else:
            first_ms = dice.randint(0, 3_000)
            for after_ms, action in steps:
                self.order(first_ms + after_ms, action)

    def _steps_after(self, aim: str, steps: list[tuple[int, tuple[str, ...]]]) -> None:
        """The first step comes shortly after the aim, and all others with it; or after 12 s without it."""
        self._waiting = steps
        delay = self.dice.choice((0, self.dice.randint(0, 300), self.dice.randint(0, 3_500)))
        self._aim = (aim, ("go",), delay)
        self.order(12_000, ("go",))

    def _unit_dark(self, name: str, down_ms: int, lose: str) -> list[tuple[int, tuple[str, ...]]]:
        return [(0, ("dark", name, lose)), (max(60, down_ms), ("light", name))]

    # ---- what must be true

    def _look(self) -> None:
        """Every unit that stands still for a minute has called somebody."""
        if not self.table.has_power:
            self._since.clear()
            return
        runtime = self.table.runtime
        held = bool(runtime.live.key)
        for name, unit in self.units.items():
            wire = self.world.wires[name]
            reached = wire.plugged and wire._mode == "" and not unit.deaf and not unit.dead
            reached = reached and unit.state not in (State.OFF, State.BOOT)
            well = reached and unit.state is State.READY
            now = ("well",) if well else (reached, unit.state if reached else None)
            before = self._since.get(name)
            if before is None or before[0] != now or held:
                self._since[name] = (now, self.now_ms)
                continue
            if well or self.now_ms - before[1] < CALLED_MS + CALLED_GRACE_MS:
                continue
            rows = [
                row for row, device, _ in active_conditions(runtime.state, runtime.live) if device == name
            ]
            lamp = any(row.top is not Pattern.OFF or row.bottom is not Pattern.OFF for row in rows)
            items = [item.does for item in menu._attendant(runtime.state, runtime.live) if name in item.does]
            if (
                not rows
                or not lamp
                or not (items or any(row.code in ("B01", "B02", "B05", "D06") for row in rows))
            ):
                codes = [row.code for row in rows]
                self._problem(
                    f"{name} stands still ({unit.state.value}, reached {reached}): {codes}, {items}"
                )
                self._since[name] = (now, self.now_ms)

    def _problem(self, text: str) -> None:
        self.tell(f"PROBLEM {text}")
        self.result.problems.append(text)

    def _quiet(self) -> None:
        """No more accidents and no more notes; what is without power gets it again."""
        keep = ("light", "start", "look", "mend", "replug")
        self._due = [item for item in self._due if item[2][0] in keep or item[2][-1] in keep]
        heapq.heapify(self._due)
        self._aim = None
        for guest in self.guests:
            guest.home = True
        if not self.table.has_power and not any(item[2] == ("start",) for item in self._due):
            self.order(500, ("start",))
        for name, unit in self.units.items():
            if unit.state is State.OFF:
                self.order(500, ("light", name))

    def _settled(self) -> bool:
        if not self.table.has_power or self.now_ms < self.lasts_ms + 20_000:
            return False
        runtime = self.table.runtime
        state = runtime.state
        if state.notes or state.tickets or state.handpays or state.waiting or runtime.live.key:
            return False
        return all(unit.state is State.READY for unit in self.units.values())

    def _judge(self) -> None:
        if not self.table.has_power:
            self._problem("the program has no power at the end")
            return
        runtime = self.table.runtime
        state, live = runtime.state, runtime.live
        for name, unit in self.units.items():
            if unit.state is not State.READY:
                codes = [row.code for row, device, _ in active_conditions(state, live) if device == name]
                self._problem(f"{name} is {unit.state.value} (deaf {unit.deaf}) at the end: {codes}")
        if state.notes or state.tickets or state.handpays or state.waiting:
            self._problem(f"open at the end: {state.notes} {state.tickets} {state.handpays} {state.waiting}")
        books = Books()
        for row in runtime.journal.rows():
            books.follow(decode(row.entry.kind, row.entry.body))
        self.result.problems += books.problems
        self.result.by_hand = books.by_hand
        for name, unit in self.units.items():
            self._compare(name, contents(unit), books)
            self.result.notes += len(unit.papers)
        for seat in state.seats:
            due = books.come_in[seat] - books.gone_out[seat]
            if state.credit(seat) + state.bet(seat) != due:
                self._problem(f"seat {seat} has {state.credit(seat)} and should have {due}")

    def _compare(self, name: str, inside: Contents, books: Books) -> None:
        box = Counter((paper.owner, paper.cents) for paper in inside.notes)
        said = Counter(
            (n.seat, n.cents)
            for n in books.documents.values()
            if n.device == name and n.paid and not n.number
        )
        if box != said:
            self._problem(
                f"{name}: box {dict(box - said)} not in the books, books {dict(said - box)} not in the box"
            )
        tickets = Counter((paper.owner, paper.number) for paper in inside.tickets)
        redeemed = Counter(
            (n.seat, n.number) for n in books.documents.values() if n.device == name and n.paid and n.number
        )
        if tickets != redeemed:
            self._problem(f"{name}: tickets {tickets} in the box, {redeemed} in the books")
        values = Counter(paper.cents for paper in inside.notes)
        meters = self.table.runtime.state.meters
        counted = {cents: meters.get(f"bills.{name}.{cents}", 0) for cents in set(NOTES_CENTS)}
        if values != Counter(counted):
            self._problem(f"{name}: {dict(values)} in the box, {counted} by the meters")
        self.result.boxed += len(inside.notes)
        self.result.tickets_in += len(inside.tickets)
