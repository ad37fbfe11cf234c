"""An evening of cash-outs at the receipt cabinet, with `escpos.unit` at the far end of the printer's wire.

The program is the shipped one, in virtual time: cabinet file, runtime, drivers, journal. People press real
buttons; the attendant answers by looking at the paper. What is asserted at the end comes from paper, boxes
and purse, not from what the program believes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path

from adversary.escpos.accidents import PRINTER, Accidents
from adversary.escpos.habits import Habits, drawn
from adversary.escpos.paper import Piece
from adversary.escpos.unit import EscPosUnit
from cabinet.config import Config, DeviceKind
from cabinet.config import file as configuration
from cabinet.config.assembly import policy_of
from cabinet.core import facts as f
from cabinet.core.live import active_conditions, play_lock
from cabinet.core.options import paying_out
from cabinet.core.renewal import replace
from cabinet.core.state import State, identity
from cabinet.core.view import view
from cabinet.lab import draws, table
from cabinet.lab import world as worlds
from cabinet.lab.days.parts import DayWriter
from cabinet.lab.people import Attendant, Player
from cabinet.lab.people import Habits as Manners
from cabinet.lab.strategy import chart_of
from cabinet.lab.table import VIRTUAL_WALL_MS, PowerCut, Table
from cabinet.lab.world import World
from cabinet.tickets import keys as ticket_keys
from drivers.link import Link, SerialSettings
from drivers.sim.wire import memory_wire

BAUDS = (9_600, 19_200, 38_400, 57_600, 115_200)
USB_BAUD = 4_000_000  # a virtual port has no bits: as fast as makes no difference
EVENING_MS = 100_000
CLOSING_MS = 1_200_000
# What stands in docs/tilts.md: a minute without a reason; here with the time for one order to be given up.
CALLED_MS = 60_000
ORDER_MS = 40_000
CALLS = ("T02", "T03", "T04", "T05", "T07", "T08", "T11", "T12")


@dataclass
class Story:
    """What was found. `problems`: what must not be."""

    seed: int
    unit: Habits
    line: str = ""
    tickets: int = 0
    printed: int = 0
    unknown: int = 0
    by_hand: int = 0
    sessions: int = 0
    accidents: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    early: int = 0  # told printed before the paper was whole


class AdversaryWorld(World):
    """A world whose printer is the unit."""

    @property
    def unit(self) -> EscPosUnit:
        machine = self.wires[PRINTER].machine
        assert isinstance(machine, EscPosUnit)
        return machine

    @property
    def printer_names(self) -> list[str]:
        return [PRINTER]

    def take(self, printer: str, now_ms: int) -> None:
        """Paper is looked at where it lies; nothing on this unit knows."""

    def in_tray(self, printer: str, number: str) -> bool:
        return any(piece.whole and piece.number == number for piece in self.unit.pieces)

    def own_ticket(self, printer: str, seat: int) -> str:
        return ""

    def mend(self, device: str, now_ms: int) -> None:
        if device != PRINTER:
            super().mend(device, now_ms)
            return
        if not self.wires[PRINTER].plugged:
            self.wires[PRINTER].replug(now_ms)
        self.wires[PRINTER].inject("mend", now_ms)
        self.unit.mend(now_ms)
        self._touch(device)

    def hand(self, what: Callable[[EscPosUnit], None]) -> None:
        what(self.unit)
        self._touch(PRINTER)


@dataclass
class Paper:
    """What the books have of one number."""

    ref: int
    cents: int
    seat: int
    receipt: bool
    state: str = "open"
    by: str = ""
    sent_at: int = 0
    spoilt: bool = False  # the wire has damaged what was on its way: no language of printers notices


class Evening:
    """One seed. `healthy`: nothing goes wrong, and the unit keeps to every rule."""

    def __init__(self, seed: int, directory: Path, *, healthy: bool, ms: int = EVENING_MS) -> None:
        self.dice = random.Random(f"receipt evening {seed}")
        self.healthy, self.ms = healthy, ms
        baud = self.dice.choice((*BAUDS, 0))
        flow = self.dice.choice(("xonxoff", "xonxoff", "rtscts"))
        self.habits = drawn(self.dice, healthy=healthy)
        if not healthy and self.dice.random() < 0.2:
            self.habits = replace(self.habits, first_ms=self.dice.randint(1, 3_000))
        self.story = Story(seed, self.habits, f"{baud or 'usb'} {flow}")
        self.books: dict[int, Paper] = {}
        self._read_seq = 0  # of the journal
        self._numbers: dict[str, int] = {}  # on paper -> reference
        self.due: list[tuple[int, str, Callable[[], None]]] = []
        self.aimed: list[tuple[int, str, Callable[[], None]]] = []  # after the next order of a ticket
        self.table = self._assemble(seed, directory, baud or USB_BAUD, flow)
        assert isinstance(self.table.world, AdversaryWorld)
        self.world: AdversaryWorld = self.table.world
        self.unit = self.world.unit
        self.waits_since: dict[int, int] = {}
        self.broken_since = -1
        self.touched_ms = 0  # the last accident
        self.damaged_ms = -1
        if not healthy:
            Accidents(self).plan()

    def _assemble(self, seed: int, directory: Path, baud: int, flow: str) -> Table:
        config = configuration.load(table.cabinet_file("receipt3"))
        config = _with_line(config, min(baud, 115_200), flow)
        options = table.LabOptions("receipt3", virtual=True, autoplay=True, seed=seed, wire="memory")
        directory.mkdir(parents=True, exist_ok=True)
        built = worlds.build(config, wire="memory", seed=seed)
        world = AdversaryWorld(
            **{item.name: getattr(built, item.name) for item in fields(World) if item.init}
        )
        unit = EscPosUnit(self.habits, xonxoff=flow == "xonxoff", waits=flow != "xonxoff" or baud == USB_BAUD)
        opener, far_end = memory_wire(unit, baud=baud, bits=10, xonxoff=flow == "xonxoff", seed=seed)
        printer = config.of_kind(DeviceKind.TICKET_PRINTER)[0]
        world.wires[PRINTER] = far_end

        def opened(settings: SerialSettings) -> Link:
            unit.line_opened()
            return opener(settings)

        world.open_links[str(printer.options["port"])] = opened
        manners = Manners(leaves_percent=70, sits_out_percent=0, bets_max=2, away_ms=(2_000, 15_000))
        for seat in range(1, config.cabinet.seats + 1):
            world.players.append(
                Player(seat, config.rules, chart_of(config), ("validator1", PRINTER), manners, seed)
            )
        world.attendant = Attendant(seed)
        state_dir = directory / "state"
        tickets = ticket_keys.take(state_dir, "", draws.entropy(seed))
        policy = policy_of(config, "adversary", tickets=tickets)
        draw = draws.seeded(seed)
        return Table(options, world, policy, state_dir, draw, self._on_facts, make_writer=DayWriter)

    # ---- time

    @property
    def now_ms(self) -> int:
        return self.table.reached_ms

    def at(self, ms: int, what: str, do: Callable[[], None]) -> None:
        self.due.append((ms, what, do))

    def after_order(self, ms: int, what: str, do: Callable[[], None]) -> None:
        self.aimed.append((ms, what, do))

    def until(self, end_ms: int) -> None:
        while self.now_ms < end_ms and not self.story.problems:
            nexts = [ms for ms, _, _ in self.due]
            self.table.until_ms = max(self.now_ms + 1, min([end_ms, self.now_ms + 1_000, *nexts]))
            if self.table.has_power:
                try:
                    table.run_virtual(self.table)
                except PowerCut:  # in a commit
                    self.kill(self.dice.choice(("keep", "lose")))
                    self.at(self.now_ms + self.dice.choice((50, 3_000, 20_000)), "start", self.start)
                    continue
                if self.table.runtime.live.restart:
                    self.kill("keep")
                    self.at(self.now_ms + 1_000, "", self.start)
            else:
                table.run_dark(self.table)
            for item in sorted((i for i in self.due if i[0] <= self.now_ms), key=lambda i: i[0]):
                self.due.remove(item)
                if item[1]:
                    self.story.accidents[item[1]] += 1
                    self.story.told.append(f"{self.now_ms} {item[1]}")
                item[2]()
            self._watch()

    # ---- the program

    def start(self) -> None:
        if not self.table.has_power:
            self.table.start(self.now_ms, VIRTUAL_WALL_MS + self.now_ms)
            journal = self.table.runtime.journal
            for row in journal.rows(after_seq=self._read_seq):  # what the dead program had still recorded
                self._follow(f.decode(row.entry.kind, row.entry.body))
            self._read_seq = journal.head.seq
            self.story.sessions += 1
            self.waits_since.clear()
            self.broken_since = -1

    def die(self, when: str, fact: str) -> None:
        """In the next commit of such a fact."""
        if self.table.has_power:
            writer = self.table.runtime.writer
            assert isinstance(writer, DayWriter)
            writer.plan = ("die", when, fact, "")

    def kill(self, word: str) -> None:
        if self.table.has_power:
            self.table.cut(self.now_ms, lose_bytes=word == "lose")

    def damage(self, *, lasts: bool = False) -> None:
        """What is on its way to the printer, or will be within a moment, may be spoilt."""
        self.damaged_ms = self.now_ms + (90_000 if lasts else 2_000)
        for book in self.books.values():
            book.spoilt |= book.state == "open"

    def _on_facts(self, said: tuple[f.Fact, ...]) -> None:
        self._read_seq = self.table.runtime.head.seq
        for fact in said:
            self._follow(fact)

    def _follow(self, fact: f.Fact) -> None:
        story = self.story
        match fact:
            case f.TicketIntended():
                story.tickets += not fact.handpay
                self.books[fact.ref] = Paper(
                    fact.ref,
                    fact.cents,
                    fact.seat,
                    bool(fact.handpay),
                    sent_at=self.now_ms,
                    spoilt=self.now_ms < self.damaged_ms,
                )
                self._numbers[fact.number] = fact.ref
                if self.aimed:
                    ms, what, do = self.aimed.pop(0)
                    self.at(self.now_ms + ms, what, do)
                self.table.until_ms = self.now_ms + 1
            case f.TicketPrinted():
                book = self.books[fact.ref]
                book.state, book.by = "printed", fact.by
                story.printed += not book.receipt
                if not any(self._is(piece, fact.ref) for piece in self.unit.pieces):
                    story.early += 1
            case f.TicketUnknown():
                story.unknown += 1
                story.told.append(f"{self.now_ms} unknown {fact.ref}: {fact.detail}")
            case f.TicketVoided():
                book = self.books[fact.ref]
                book.state, book.by = "void", fact.by
                story.told.append(f"{self.now_ms} void {fact.ref} by {fact.by}: {fact.detail}")
            case f.HandpayPaid():
                story.by_hand += 1
            case f.ConditionRaised() | f.ConditionCleared():
                word = "raised" if isinstance(fact, f.ConditionRaised) else "cleared"
                story.told.append(f"{self.now_ms} {word} {fact.code} {getattr(fact, 'detail', '')}")

    def _is(self, piece: Piece, ref: int) -> bool:
        return piece.whole and self._numbers.get(piece.number) == ref

    # ---- what must be true while it runs

    def _watch(self) -> None:
        """Nobody waits longer than the cabinet says, and who waits is told so."""
        if not self.table.has_power:
            return
        runtime, now = self.table.runtime, self.now_ms
        state, live = runtime.state, runtime.live
        if state.frozen or play_lock(state, live) or live.key:
            self.waits_since.clear()
            self.broken_since = -1
            return
        codes = {row.code for row, place, _ in active_conditions(state, live) if place in (PRINTER, "")}
        called = bool(codes & set(CALLS))
        steps = view(state, live).steps
        for seat in state.seats:
            asked = any(pay.seat == seat for pay in state.handpays)
            asked |= any(ticket.seat == seat and ticket.unknown for ticket in state.tickets)
            if not paying_out(state, seat):
                self.waits_since.pop(seat, None)
                continue
            look = steps[-1].seats[seat - 1]
            if look.ticket is None and look.message is None:  # what the strip shows
                self._problem(f"seat {seat} waits for its money and its strip says nothing")
            if asked or called:
                self.waits_since.pop(seat, None)
                continue
            since = self.waits_since.setdefault(seat, now)
            if now - since > CALLED_MS + ORDER_MS:
                self._problem(f"seat {seat} has waited {now - since} ms and nobody was called")
        # A unit that answers and stands still with nothing to do cannot be told from a good one.
        bad = not (self.unit.usable or self.unit.fault in ("stalls", "swallows"))
        bad = (bad or not self.world.wires[PRINTER].plugged) and self.unit.boots_ms < 0
        if not bad or called:
            self.broken_since = -1
        elif self.broken_since < 0:
            self.broken_since = now
        elif now - self.broken_since > CALLED_MS + 10_000 and not state.tickets:
            self._problem(f"the unit has not been usable for {now - self.broken_since} ms; codes {codes}")

    def _problem(self, text: str) -> None:
        self.story.problems.append(f"{self.now_ms} {text}")

    # ---- the end

    def run(self) -> Story:
        self.start()
        self.until(self.ms)
        self.aimed.clear()
        self._close()
        if self.table.has_power:
            self.table.runtime.close(clean=True, now_ms=self.now_ms - self.table.began_ms)
        self.world.close()
        return self.story

    def _close(self) -> None:
        """Everything is put right, everybody cashes out and goes."""
        while self.due and not self.story.problems:
            self.until(self.now_ms + 1_000)
        self.start()
        self.world.mend(PRINTER, self.now_ms)
        for player in self.world.players:
            player.go_home()
        end_ms = self.now_ms + CLOSING_MS
        while self.now_ms < end_ms and not self.story.problems and not self._over():
            self.until(self.now_ms + 5_000)
        self.until(self.now_ms + 20_000)  # what a unit still holds comes out now
        self.judge()

    def _over(self) -> bool:
        state = self.table.runtime.state
        busy = state.round_open or state.notes or state.tickets or state.waiting or state.handpays
        return not (busy or state.ledger.total("credit") or state.ledger.total("bet"))

    def judge(self) -> None:
        """The books against paper, boxes and purse."""
        state = self.table.runtime.state
        whole = [piece for piece in self.unit.pieces if piece.whole]
        for number, count in Counter(piece.number for piece in whole).items():
            if count > 1:
                self._problem(f"number {number} is on {count} whole papers")
        for piece in whole:
            self._judge_paper(piece)
        for ref, book in self.books.items():
            found = any(self._is(piece, ref) for piece in whole)
            if book.state == "printed" and not book.spoilt and not found:
                self._problem(f"ticket {ref} counts as printed by {book.by} and is on no paper")
            if book.state == "open":
                self._problem(f"ticket {ref} is still open")
        self._money(state)
        if not self._over():
            self._problem("the evening does not come to its end")

    def _judge_paper(self, piece: Piece) -> None:
        ref = self._numbers.get(piece.number)
        if ref is None:
            self._problem(f"whole paper {piece.number} is in no book")
            return
        book = self.books[ref]
        if book.receipt:
            return
        if book.state == "void" and book.by == "printer":
            self._problem(f"ticket {ref} was told not to have started, and is on whole paper")
        if book.state == "printed" and piece.cents != book.cents:
            self._problem(f"ticket {ref} is worth {book.cents}, the paper says {piece.cents}")

    def _money(self, state: State) -> None:
        ledger, attendant = state.ledger, self.world.attendant
        assert attendant is not None
        printed = sum(b.cents for b in self.books.values() if b.state == "printed")
        box = sum(self.world.box_cents(name) for name in self.world.validator_names)
        equal = {
            "the ledger": (ledger.sum, 0),
            "the boxes": (box, -ledger["notes"]),
            "tickets out": (printed, ledger["tickets_out"]),
            "paid by hand": (sum(attendant.paid.values()), ledger["handpaid"]),
        }
        for what, (one, two) in equal.items():
            if one != two:
                self._problem(f"{what}: {one} against {two}")
        if why := identity.trouble(state):
            self._problem(why)


def _with_line(config: Config, baud: int, flow: str) -> Config:
    """The cabinet file with another line to its printer."""
    devices = tuple(
        replace(device, options={**device.options, "baud": baud, "flow": flow})
        if device.kind is DeviceKind.TICKET_PRINTER
        else device
        for device in config.devices
    )
    return replace(config, devices=devices)
