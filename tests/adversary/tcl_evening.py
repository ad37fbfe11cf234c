"""Evenings at cabinets whose ticket printers are `tcl_unit`, and what must be true of the paper afterwards.

The program is the shipped one, in virtual time. Nobody plays: money comes in as notes and tickets and goes
out as tickets and by hand, so that every cent can be counted on the paper itself.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from adversary.tcl_unit import Paper, TclUnit, habits
from cabinet.config import Config, DeviceKind
from cabinet.config import file as configuration
from cabinet.config.assembly import policy_of
from cabinet.core import facts as f
from cabinet.core.facts import Fact, TicketIntended, TicketPrinted, TicketVoided
from cabinet.core.live import active_conditions
from cabinet.core.options import paying_out, seat_locked
from cabinet.core.renewal import replace
from cabinet.core.view import view
from cabinet.lab import draws, table
from cabinet.lab import world as worlds
from cabinet.lab.days.parts import DayWriter
from cabinet.lab.days.people import Technician
from cabinet.lab.glance import Glance
from cabinet.lab.people import Attendant, Hands
from cabinet.lab.table import VIRTUAL_WALL_MS, PowerCut, Table
from cabinet.lab.world import World
from cabinet.tickets import keys as ticket_keys
from drivers.sim.wire import memory_wire

SHAPES = ("slot1", "shared3", "table5")
SLICE_MS = 1_000
STANDS_MS = 75_000  # docs/tilts.md says a minute; a driver needs some seconds to see it
WAITS_MS = 150_000  # a seat whose order is at a printer: start, ticket, and a minute more
CLOSING_MS = 1_500_000
LATE_PAPER_MS = 100_000  # the slowest start and ticket of any unit
SOON_MS = 40_000  # and of the others
WIRE = ("lost", "lost_request", "garbled", "delayed", "split", "glued", "noise")
DEATHS = ("TicketIntended", "TicketBegun", "TicketPrinted", "TicketUnknown", "TicketVoided", "HandpayPaid")
SWITCH = "switch it off and on"
NOTES = (500, 1_000, 2_000, 10_000)


@dataclass(slots=True)
class Report:
    seed: int
    shape: str
    tickets: int = 0
    papers: int = 0
    redeemed: int = 0
    handpaid_cents: int = 0
    accidents: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)


class Room:
    """The cabinet's surroundings, and every paper in it."""

    def __init__(self, world: World, dice: random.Random) -> None:
        self.world, self.dice = world, dice
        self.units: dict[str, TclUnit] = {}
        self.reads: Callable[[str], str] = lambda device: ""  # what the cabinet says is wrong with it

    @property
    def papers(self) -> list[Paper]:
        return [paper for unit in self.units.values() for paper in unit.papers]

    def touch(self, device: str) -> None:
        self.world._touch(device)

    # ---- hands (people.Hands)

    def press(self, name: str, now_ms: int) -> None:
        self.world.press(name, now_ms)

    def turn(self, name: str, on: bool, now_ms: int) -> None:
        self.world.turn(name, on, now_ms)

    def insert(self, validator: str, cents: int, now_ms: int) -> bool:
        return self.world.insert(validator, cents, now_ms)

    def take(self, printer: str, now_ms: int) -> None:
        for paper in self.units[printer].take():
            paper.where = "hand"
        self.touch(printer)

    def in_tray(self, printer: str, number: str) -> bool:
        """The attendant opens the printer, looks at the floor, and asks the guests."""
        return any(p.whole and p.number == number and not p.damaged for p in self.units[printer].papers)

    def box_cents(self, validator: str) -> int:
        return self.world.box_cents(validator)

    def insert_ticket(self, validator: str, digits: str, now_ms: int) -> bool:
        return self.world.insert_ticket(validator, digits, now_ms)

    def own_ticket(self, printer: str, seat: int) -> str:
        return ""

    def on_top(self, validator: str) -> str:
        return self.world.on_top(validator)

    def mend(self, device: str, now_ms: int) -> None:
        if (unit := self.units.get(device)) is None:
            self.world.mend(device, now_ms)
            return
        wire = self.world.wires[device]
        if SWITCH in self.reads(device):
            unit.power_off(now_ms)
        unit.power_on(now_ms)
        unit.mend(now_ms)
        for paper in [p for p in unit.chute if not p.whole]:
            unit.chute.remove(paper)
            paper.where = "bin"
        wire.inject("mend", now_ms)
        if not wire.plugged:
            wire.replug(now_ms)
        self.touch(device)


class Guest:
    """Puts in notes and tickets, presses CASH OUT, takes the ticket or forgets it."""

    def __init__(self, seat: int, room: Room, devices: tuple[str, str], seed: str, *, barcode: bool) -> None:
        self.seat, self.room = seat, room
        self.validator, self.printer = devices
        self.barcode = barcode
        self.wake_at = 500 + 400 * seat
        self.leaving = False
        self._dice = random.Random(f"guest {seed} {seat}")
        self._takes_ms: int | None = None
        self._pays_ms = 0
        self._brought = ""

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        dice = self._dice
        self.wake_at = now_ms + dice.randint(300, 900)
        self._look_at_chute(now_ms)
        me = seen.seats[self.seat - 1]
        if seen.frozen or seen.key or me.waiting:
            return
        if me.locked:
            if "cash_out" in me.lamps and not self.leaving and dice.random() < 0.02:
                self._press("cash_out", now_ms)  # takes the credit back
            return
        if me.credit_cents and now_ms >= self._pays_ms:
            if "cash_out" in me.lamps:
                self._press("cash_out", now_ms)
                self._pays_ms = now_ms + dice.randint(1_000, 4_000)
            return
        if not me.credit_cents and not self.leaving and now_ms >= self._pays_ms:
            self._buy_in(seen, me.lamps, now_ms)

    def _press(self, button: str, now_ms: int) -> None:
        self.room.press(f"seat{self.seat}.{button}", now_ms)

    def _look_at_chute(self, now_ms: int) -> None:
        if not self.room.units[self.printer].chute:
            self._takes_ms = None
        elif self._takes_ms is None:
            slow = self._dice.random() < 0.12
            self._takes_ms = now_ms + (
                self._dice.randint(20_000, 100_000) if slow else self._dice.randint(300, 6_000)
            )
        elif now_ms >= self._takes_ms or self.leaving:
            self.room.take(self.printer, now_ms)
            self._takes_ms = None

    def _buy_in(self, seen: Glance, lamps: tuple[str, ...], now_ms: int) -> None:
        bound = dict(seen.binding).get(self.validator)
        if "buy_in" in lamps and bound != self.seat:
            self._press("buy_in", now_ms)
            return
        own = [p for p in self.room.units[self.printer].papers if p.where == "hand" and p.number]
        if self.barcode and own and self._dice.random() < 0.5:
            paper = self._dice.choice(own)
            self.room.insert_ticket(self.validator, paper.number, now_ms)
        else:
            self.room.insert(self.validator, self._dice.choice(NOTES), now_ms)
        self._pays_ms = now_ms + self._dice.randint(4_000, 9_000)


class Clerk(Attendant):
    """An attendant whose hand is quick or slow at the key."""

    def __init__(self, seed: int, room: Room) -> None:
        super().__init__(seed)
        self._room = room
        self._hand = random.Random(f"hand {seed}")

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        turns_before = self._turns_ms
        super().act(seen, self._room, now_ms)
        if self._turns_ms is not None and self._turns_ms != turns_before and seen.key_off is False:
            self._turns_ms += self._hand.randint(-300, 2_500)


class Evening:
    """One evening by its seed."""

    def __init__(self, seed: int, directory: Path, *, minutes: int = 20, accidents: int = 8) -> None:
        self.dice = random.Random(f"tcl evening {seed}")
        self.seed, self.minutes = seed, minutes
        shape = SHAPES[seed % 3]
        self.report = Report(seed, shape)
        self.bits = self.dice.random() < 0.85  # the units have a validation bit, and are told to
        self.xonxoff = self.dice.random() < 0.3
        config = self._config(configuration.load(table.cabinet_file(shape)))
        world = worlds.build(config, wire="memory", seed=seed)
        self.room = Room(world, self.dice)
        self._plug_in(config, world)
        self._people(config, world)
        state_dir = directory / "state"
        tickets = ticket_keys.take(state_dir, "", draws.entropy(seed))
        policy = policy_of(config, "0", lab=True, tickets=tickets)
        options = table.LabOptions(shape, virtual=True, seed=seed, wire="memory")
        self.table = Table(options, world, policy, state_dir, draws.seeded(seed))
        self.table.on_facts = self._on_facts
        self.table.make_writer = DayWriter
        self.room.reads = self._reads
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._orders = 0
        self._aimed: list[tuple[int, Callable[[], None]]] = []
        self._dying = False
        self._plan_left = accidents
        self._intended: dict[int, TicketIntended] = {}
        self._outcome: dict[int, Fact] = {}
        self._stands: dict[str, int] = {}
        self._waits: dict[int, int] = {}
        self._read = 0
        self._closing = False

    def _config(self, config: Config) -> Config:
        changed = []
        for device in config.devices:
            if device.kind is DeviceKind.TICKET_PRINTER:
                options = dict(device.options)
                options["validation_bit"] = self.bits
                options["flow"] = "xonxoff" if self.xonxoff else "none"
                options["baud"] = self.dice.choice((9_600, 38_400))
                device = replace(device, options=options)
            changed.append(device)
        return replace(config, devices=tuple(changed))

    def _plug_in(self, config: Config, world: World) -> None:
        for device in config.of_kind(DeviceKind.TICKET_PRINTER):
            made = habits(self.dice, validation_bit=self.bits, xonxoff=self.xonxoff)
            unit = TclUnit(device.name, made, f"{self.seed} {device.name}")
            opener, far_end = memory_wire(
                unit, baud=int(device.options["baud"]), bits=10, xonxoff=self.xonxoff, seed=self.seed
            )
            world.wires[device.name] = far_end
            world.open_links[str(device.options["port"])] = opener
            unit.on_job = lambda number, name=device.name: self._job(name)
            self.room.units[device.name] = unit

    def _people(self, config: Config, world: World) -> None:
        self.guests = []
        for seat in range(1, config.cabinet.seats + 1):
            validator = config.serving(DeviceKind.BILL_VALIDATOR, seat)
            printer = config.serving(DeviceKind.TICKET_PRINTER, seat).name
            barcode = bool(validator.options.get("barcode"))
            guest = Guest(seat, self.room, (validator.name, printer), str(self.seed), barcode=barcode)
            self.guests.append(guest)
        self.clerk = Clerk(self.seed, self.room)
        world.visitors += [*self.guests, self.clerk, Technician(self.seed)]

    # ---- time

    @property
    def now_ms(self) -> int:
        return self.table.reached_ms

    def _after(self, ms: int, what: Callable[[], None]) -> None:
        self._orders += 1
        due_ms = self.now_ms + ms
        heapq.heappush(self._due, (due_ms, self._orders, what))
        if self.table.until_ms is not None:
            self.table.until_ms = min(self.table.until_ms, due_ms)

    def run(self) -> Report:
        self._start()
        end_ms = self.minutes * 60_000
        for _ in range(self._plan_left):
            self._plan(end_ms)
        self._until(end_ms)
        self._close()
        self._judge()
        return self.report

    def _until(self, end_ms: int) -> None:
        while self.now_ms < end_ms and not self.report.problems:
            self.table.until_ms = min(end_ms, self.now_ms + SLICE_MS, *(item[0] for item in self._due[:1]))
            self._go()
            while self._due and self._due[0][0] <= self.now_ms:
                heapq.heappop(self._due)[2]()
            self._watch()

    def _go(self) -> None:
        if not self.table.has_power:
            table.run_dark(self.table)
            return
        try:
            table.run_virtual(self.table)
        except PowerCut:
            self._kill(lose=self._dying)
            return
        if self.table.runtime.live.restart:
            self._kill(lose=False)

    # ---- accidents

    def _plan(self, end_ms: int) -> None:
        dice = self.dice
        kind = dice.choices(
            ("unit", "wire", "unplug", "silent", "power", "kill", "both", "die"), (9, 5, 3, 2, 4, 4, 3, 3)
        )[0]
        device = dice.choice(list(self.room.units))
        fault = dice.choice(list(TclUnit.FAULTS)) if kind == "unit" else dice.choice(WIRE)
        away_ms = dice.choice((dice.randint(50, 900), dice.randint(900, 6_000), dice.randint(6_000, 40_000)))
        lose = dice.random() < 0.5

        def strike() -> None:
            if self._closing:
                return
            self.report.accidents[kind] += 1
            detail = fault if kind in ("unit", "wire") else f"{away_ms} ms"
            self._tell(f"{device}: {kind} {detail}{' lose' if lose else ''}")
            self._strike(kind, device, fault, away_ms, lose)

        if dice.random() < 0.7:
            self._aimed.append((dice.choice((0, dice.randint(0, 400), dice.randint(0, 15_000))), strike))
        else:
            self._after(dice.randint(5_000, end_ms - 1), strike)

    def _job(self, name: str) -> None:
        self._tell(f"{name}: hears an order")
        if self._aimed and self.dice.random() < 0.4:
            offset_ms, strike = self._aimed.pop(0)
            self._after(offset_ms, strike)

    def _strike(self, kind: str, device: str, fault: str, away_ms: int, lose: bool) -> None:
        wire, room, now_ms = self.room.world.wires[device], self.room, self.now_ms
        match kind:
            case "unit":
                self.room.units[device].inject(fault, now_ms)
            case "wire":
                wire.inject(fault, now_ms)
            case "unplug" if wire.plugged:
                wire.unplug(now_ms)
                self._after(away_ms, lambda: None if wire.plugged else self._replug(device))
            case "silent":
                wire.inject("silent", now_ms)
                self._after(away_ms, lambda: wire.inject("mend", self.now_ms))
            case "power":
                room.world.darken(device, now_ms, lose_bytes=lose)
                self._after(away_ms, lambda: room.world.light(device, self.now_ms))
            case "kill" if self.table.has_power:
                self._kill(lose=lose, away_ms=away_ms)
            case "both" if self.table.has_power:
                for name in room.units:
                    room.world.darken(name, now_ms, lose_bytes=lose)
                    back_ms = max(0, away_ms + self.dice.randint(-3_000, 3_000))
                    self._after(back_ms, lambda name=name: room.world.light(name, self.now_ms))  # type: ignore[misc]
                self._kill(lose=lose, away_ms=away_ms)
            case "die" if self.table.has_power:
                writer = self.table.runtime.writer
                assert isinstance(writer, DayWriter)
                when = self.dice.choice(("before", "after"))
                writer.plan = ("die", when, self.dice.choice(DEATHS), "keep")
                self._dying = lose
        room.touch(device)

    def _replug(self, device: str) -> None:
        self.room.world.wires[device].replug(self.now_ms)
        self.room.touch(device)

    def _kill(self, *, lose: bool, away_ms: int = 1_000) -> None:
        self._tell("the program dies")
        self.table.cut(self.now_ms, lose_bytes=lose)
        self._after(away_ms, self._start)

    def _start(self) -> None:
        if self.table.has_power:
            return
        self.table.start(self.now_ms, VIRTUAL_WALL_MS + self.now_ms)
        self._stands.clear()
        self._waits.clear()
        runtime = self.table.runtime
        for row in runtime.journal.rows(after_seq=self._read):
            self._follow(f.decode(row.entry.kind, row.entry.body))
        self._read = runtime.head.seq

    def _tell(self, text: str) -> None:
        self.report.story.append(f"{self.now_ms / 1000:9.3f} {text}")

    # ---- the book, as it is written

    def _on_facts(self, written: tuple[Fact, ...]) -> None:
        self._read = self.table.runtime.head.seq
        for fact in written:
            self._follow(fact)

    def _follow(self, fact: Fact) -> None:
        name = type(fact).__name__
        if name.startswith(("Ticket", "Handpay", "Condition", "SessionStarted")):
            self._tell(f"  {fact}"[:230])
        match fact:
            case TicketIntended(ref=ref, number=number):
                if any(t.number == number for t in self._intended.values()):
                    self._wrong(f"number {number} is given twice")
                self._intended[ref] = fact
            case TicketPrinted(ref=ref):
                self.report.tickets += 1
                self._outcome[ref] = fact
                self._must_be_paper(self._intended[ref], fact.by)
            case TicketVoided(ref=ref):
                self._outcome[ref] = fact

    def _must_be_paper(self, ticket: TicketIntended, by: str) -> None:
        papers = self.room.units[ticket.device].papers
        if not any(p.whole and (p.number == ticket.number or p.damaged) for p in papers):
            self._wrong(f"{ticket.number} is printed, says {by}, and is on no paper")

    def _wrong(self, text: str) -> None:
        self._tell(f"WRONG: {text}")
        self.report.problems.append(f"{self.now_ms / 1000:.3f} s: {text}")

    # ---- who is called, and told

    def _reads(self, device: str) -> str:
        if not self.table.has_power:
            return ""
        runtime = self.table.runtime
        rows = active_conditions(runtime.state, runtime.live)
        return " ".join(detail for _, place, detail in rows if place == device)

    def _watch(self) -> None:
        if not self.table.has_power:
            return
        runtime, now_ms = self.table.runtime, self.now_ms
        state, live = runtime.state, runtime.live
        if state.frozen or live.key:
            self._stands.clear()
            self._waits.clear()
            return
        about = {device for _, device, _ in active_conditions(state, live)}
        in_work = {t.device for t in state.tickets if not t.unknown}
        for name, unit in self.room.units.items():
            well = unit.looks_ready and self.room.world.wires[name].plugged
            if well or name in in_work or name in about:
                self._stands.pop(name, None)
            elif now_ms - self._stands.setdefault(name, now_ms) > STANDS_MS:
                self._wrong(f"{name} has stood for {STANDS_MS} ms and nobody is called")
        looks = view(state, live).steps[-1].seats
        for seat in state.seats:
            waits, printer = paying_out(state, seat), live.policy.printer_of(seat)
            look = looks[seat - 1]
            if not waits or printer in about:
                self._waits.pop(seat, None)
            elif now_ms - self._waits.setdefault(seat, now_ms) > WAITS_MS:
                self._wrong(f"seat {seat} has waited for {WAITS_MS} ms and nobody is called")
            if (waits or seat_locked(state, seat)) and not (look.message or look.ticket or look.trouble):
                self._wrong(f"seat {seat} waits and is told nothing")

    # ---- the end

    def _close(self) -> None:
        self._closing = True
        for guest in self.guests:
            guest.leaving = True
        last_ms = max([self.now_ms, *(item[0] for item in self._due)])
        self._until(last_ms + 2_000)
        if not self.table.has_power:
            self._start()
        writer = self.table.runtime.writer
        assert isinstance(writer, DayWriter)
        writer.plan = ()
        for name in self.room.units:
            self.room.mend(name, self.now_ms)
        slow = any(unit.late for unit in self.room.units.values())
        deadline_ms, least_ms = self.now_ms + CLOSING_MS, self.now_ms + (LATE_PAPER_MS if slow else SOON_MS)
        while not self.report.problems and self.now_ms < deadline_ms:
            self._until(self.now_ms + 5_000)
            if self.now_ms >= least_ms and self.table.has_power and self._over():
                break

    def _over(self) -> bool:
        state = self.table.runtime.state
        busy = state.notes or state.tickets or state.waiting or state.handpays
        return not (busy or state.ledger.total("credit") or self.table.runtime.live.key)

    def _judge(self) -> None:
        report, room = self.report, self.room
        report.papers = len([p for p in room.papers if p.whole])
        report.handpaid_cents = sum(self.clerk.paid.values())
        if not report.problems:
            self._papers()
        if not report.problems:
            self._money()
        runtime = self.table.runtime
        runtime.close(clean=not report.problems, now_ms=self.now_ms - self.table.began_ms)
        self.table.world.close()

    def _papers(self) -> None:
        books = {t.number: t for t in self._intended.values()}
        seen: set[str] = set()
        for unit in self.room.units.values():
            if unit.copies_asked != 1:
                self._wrong(f"{unit.name} was asked for {unit.copies_asked} copies")
        for paper in (p for p in self.room.papers if p.whole and not p.damaged):
            ticket = books.get(paper.number)
            if paper.number in seen:
                self._wrong(f"number {paper.number} is on two papers")
            seen.add(paper.number)
            if not paper.consistent:
                self._wrong(f"a paper has different numbers: {paper.fields}")
            if ticket is None:
                self._wrong(f"{paper.number} is on paper and not in the book")
                continue
            if not ticket.handpay and paper.cents != ticket.cents:
                self._wrong(f"{paper.number}: {paper.cents} on paper, {ticket.cents} in the book")
            outcome = self._outcome.get(ticket.ref)
            if isinstance(outcome, TicketVoided) and outcome.by == "printer":
                self._wrong(f"{paper.number} is on paper; told was that nothing will be: {outcome}")
            elif outcome is None:
                self._wrong(f"{paper.number} is on paper and still open in the book")

    def _money(self) -> None:
        world, state = self.room.world, self.table.runtime.state
        notes_cents = sum(world.box_cents(name) for name in world.validator_names)
        boxes = [world.validator(name).cash_box for name in world.validator_names]
        boxed = [paper.digits for box in boxes for paper in box if paper.digits]
        self.report.redeemed = len(boxed)
        if len(boxed) != len(set(boxed)):
            self._wrong("one ticket lies in the boxes twice")
        payable = 0
        for ref, ticket in self._intended.items():
            if isinstance(self._outcome.get(ref), TicketPrinted) and ticket.number not in boxed:
                payable += ticket.cents
        left = state.ledger.total("credit")
        out = payable + left + self.report.handpaid_cents
        if notes_cents != out:
            self._wrong(
                f"{notes_cents} came in; {payable} on paper, {left} at the seats and "
                f"{self.report.handpaid_cents} paid by hand"
            )
        if not self._over():
            self._wrong(
                f"not over: {state.notes} {state.tickets} {state.handpays} {state.waiting} credit {left}"
            )


def evening(seed: int, directory: Path, *, minutes: int = 20, accidents: int = 8) -> Report:
    return Evening(seed, directory, minutes=minutes, accidents=accidents).run()
