"""A table at which some seats work together against the seat of somebody else, in virtual time.

The cabinet is the shipped program with its drivers; the devices are simulated; attendant and technician are
honest and answer what they see. What belongs to whom is counted from what hands and machines did: notes that
lie in the boxes, papers that can still be paid, hand payments, and what a round won or took.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from cabinet.config import Config, DeviceKind, load
from cabinet.core import facts as f
from cabinet.core.look import Button
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.state.book import TicketState
from cabinet.lab import table
from cabinet.lab.days.people import Technician
from cabinet.lab.glance import glance
from cabinet.lab.people import Attendant
from cabinet.lab.table import VIRTUAL_WALL_MS, LabOptions, Table
from drivers.sim.escpos.paper import Strip
from drivers.sim.printers import newest_of
from drivers.sim.tcl import TclMachine
from drivers.sim.validator.path import PathState as Paths
from drivers.sim.validator.path import Quirks
from drivers.sim.validator.sheets import Sheet

BUTTONS = tuple(Button)
SHORT_MS = (1, 1, 2, 3, 5, 5, 10, 20, 50, 100)
LONG_MS = (150, 300, 600, 800, 1_200, 2_500, 5_000)
OTHERS_NUMBER = "995551212000000042"


@cache
def cabinet_of(name: str) -> Config:
    """A shipped cabinet; with a "+" its validators read tickets too."""
    config = load(table.cabinet_file(name.rstrip("+")))
    if not name.endswith("+"):
        return config
    devices = tuple(
        replace(device, options={**device.options, "barcode": True})
        if device.kind is DeviceKind.BILL_VALIDATOR
        else device
        for device in config.devices
    )
    return replace(config, devices=devices, cabinet=replace(config.cabinet, tickets="cash"))


class Gang:
    """`victim` is the last seat; whoever sits at the others may do anything."""

    def __init__(self, directory: Path, cabinet: str, seed: int) -> None:
        self.dice = random.Random(f"gang {cabinet} {seed}")
        options = LabOptions(cabinet=cabinet, virtual=True, wire="memory", seed=seed)
        config = cabinet_of(cabinet)
        self.table: Table = table.assemble(options, directory, "0", config)
        self.world = self.table.world
        self.config = self.world.config
        self.seats = self.config.cabinet.seats
        self.victim = self.seats
        self.world.attendant = Attendant(seed)
        self.world.visitors.append(Technician(seed))
        self._habits()
        self.pushed: dict[int, list[tuple[str, Sheet]]] = {seat: [] for seat in range(1, self.seats + 1)}
        self.won: Counter[int] = Counter()
        self.handpaid: Counter[int] = Counter()
        self.desk: Counter[int] = Counter()
        self._pays: dict[int, tuple[int, int]] = {}
        self.told: list[str] = []
        self.table.on_facts = self._on_facts
        self.table.start(0, VIRTUAL_WALL_MS)

    def _habits(self) -> None:
        dice = self.dice
        for validator in self.world.validators:
            validator.quirks = validator.path.quirks = Quirks(
                vend_valid_after_power_up=dice.random() < 0.5,
                soft_reset=dice.choice(("initialize", "vend_valid")),
                speed_percent=dice.choice((40, 70, 100, 160, 250)),
                reads_on=dice.random() < 0.5,
                stacked_polls=dice.choice((0, 1, 2)),
                shows_late_ms=dice.choice((0, 0, 60, 150)),
            )
        for printer in self.world.printers:
            if isinstance(printer, TclMachine):
                printer.setup = replace(
                    printer.setup,
                    print_ms=dice.choice((900, 2_000, 4_000)),
                    start_delay_ms=dice.choice((100, 800, 2_000)),
                    top_of_form=dice.random() < 0.5,
                )

    # ---- what the program says of rounds and hand payments

    def _on_facts(self, facts: tuple[f.Fact, ...]) -> None:
        for fact in facts:
            match fact:
                case f.RoundSettled(results=results):
                    for hand in results:
                        self.won[hand.seat] += hand.returned_cents - hand.stake_cents
                case f.HandpayOpened(ref=ref, seat=seat, cents=cents):
                    self._pays[ref] = seat, cents
                case f.HandpayPaid(ref=ref):
                    seat, cents = self._pays[ref]
                    self.handpaid[seat] += cents

    # ---- time

    @property
    def now_ms(self) -> int:
        return self.table.reached_ms

    @property
    def state(self) -> State:
        return self.table.runtime.state

    def wait(self, ms: int) -> None:
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms:
            self.table.until_ms = end_ms
            table.run_virtual(self.table)
            if self.table.runtime.live.restart:
                self.kill(lose_bytes=False)

    def until(self, holds: Callable[[], bool], within_ms: int) -> bool:
        end_ms = self.now_ms + within_ms
        while not holds() and self.now_ms < end_ms:
            self.wait(200)
        return holds()

    def kill(self, *, lose_bytes: bool, down_ms: int = 300) -> None:
        """The program dies, the devices live on; a service manager starts it again."""
        self.table.cut(self.now_ms, lose_bytes=lose_bytes)
        self.table.until_ms = self.now_ms + down_ms
        table.run_dark(self.table)
        self.table.start(self.now_ms, VIRTUAL_WALL_MS + self.now_ms)

    def dark(self, device: str, ms: int) -> None:
        """A unit loses its power for a while."""
        self.world.darken(device, self.now_ms, lose_bytes=self.dice.random() < 0.5)
        self.wait(ms)
        self.world.light(device, self.now_ms)

    # ---- hands

    def validator_of(self, seat: int) -> str:
        return self.config.serving(DeviceKind.BILL_VALIDATOR, seat).name

    def printer_of(self, seat: int) -> str:
        return self.config.serving(DeviceKind.TICKET_PRINTER, seat).name

    def shared(self, seat: int) -> bool:
        name = self.validator_of(seat)
        return sum(self.validator_of(other) == name for other in range(1, self.seats + 1)) > 1

    def mine(self, seat: int) -> bool:
        """The screen says that notes go to this seat now."""
        name, live = self.validator_of(seat), self.table.runtime.live
        if not self.shared(seat):
            return True
        return name not in live.rebinding and live.binding.get(name) == seat

    def push(self, seat: int, cents: int, digits: str = "") -> bool:
        """A note or a ticket into the validator of this seat, if the screen says that it goes there."""
        name = self.validator_of(seat)
        if not self.mine(seat):
            return False
        taken = (
            self.world.insert_ticket(name, digits, self.now_ms)
            if digits
            else self.world.insert(name, cents, self.now_ms)
        )
        if taken and not digits:
            paper = self.world.validator(name).path.paper
            assert paper is not None
            self.pushed[seat].append((name, paper))
        return taken

    def press(self, seat: int, button: str) -> None:
        contact = f"seat{seat}.{button}"
        if contact in self.table.world.config.of_kind(DeviceKind.PANEL)[0].options["inputs"]:
            self.world.press(contact, self.now_ms)

    # ---- what belongs to whom, when all is quiet

    def brought(self, seat: int) -> int:
        """The seat's own notes that lie in a box."""
        boxes = {name: [id(p) for p in self.world.validator(name).path.stacked] for name in self.names}
        return sum(paper.cents for name, paper in self.pushed[seat] if id(paper) in boxes[name])

    @property
    def names(self) -> list[str]:
        return self.world.validator_names

    def on_paper(self) -> Counter[str]:
        """The numbers that can be read on papers: on whole ones, and on a receipt that has lost its head."""
        return Counter(
            paper.text.validation
            for printer in self.world.printers
            for paper in printer.tray
            if (paper.complete or isinstance(paper, Strip)) and paper.text.validation.isdecimal()
        )

    def owns(self, seat: int) -> int:
        state = self.state
        papers = self.on_paper()
        paper = sum(
            line.cents
            for line in state.issued
            if line.seat == seat and line.state is TicketState.PRINTED and papers[line.number]
        )
        open_pays = sum(pay.cents for pay in state.handpays if pay.seat == seat)
        making = sum(ticket.cents for ticket in state.tickets if ticket.seat == seat)
        credit = state.credit(seat) + state.bet(seat)
        return credit + paper + open_pays + making + self.handpaid[seat]

    def wrong(self) -> list[str]:
        found = []
        for seat in range(1, self.seats + 1):
            due = self.brought(seat) + self.won[seat]
            if self.owns(seat) != due:
                found.append(f"seat {seat} owns {self.owns(seat)}, due is {due}")
        twice = [number for number, count in self.on_paper().items() if count > 1]
        if twice:
            found.append(f"on two papers: {twice}")
        return found

    # ---- an evening of theirs

    def gap(self) -> None:
        self.wait(self.dice.choice(SHORT_MS if self.dice.random() < 0.7 else LONG_MS))

    def own_number(self, seat: int) -> str:
        return newest_of(self.world.printer(self.printer_of(seat)), seat)

    def act(self) -> None:
        dice = self.dice
        seat = dice.randint(1, self.seats)
        cheat = seat != self.victim or self.seats == 1
        match dice.randrange(28):
            case 0 | 1 | 2 | 3 | 4 | 5:
                if not self.mine(seat):
                    self.press(seat, "buy_in")
                    self.until(lambda: self.mine(seat), 3_000)
                self.push(seat, dice.choice((100, 500, 2_000, 10_000)))
            case 6 | 7 | 8 | 9:
                self.press(seat, "cash_out")
            case 10 | 11:
                self.press(seat, "buy_in")
            case 12:
                for other in range(1, self.seats + 1):
                    self.press(other, "buy_in")
            case 13 | 14:
                self.press(seat, dice.choice(("bet_plus", "deal", "hit", "stand", "double")))
            case 15 | 16 | 17:
                if number := self.own_number(seat):
                    self.push(seat, 0, number)
            case 18 if cheat:
                self.push(seat, 0, dice.choice((OTHERS_NUMBER, f"{dice.randrange(10**18):018}")))
            case 19:
                self.world.take(self.printer_of(seat), self.now_ms)
            case 20 if cheat:
                contact = f"seat{seat}.{dice.choice(BUTTONS)}"
                for _ in range(dice.randint(2, 12)):
                    self.press(seat, contact.partition(".")[2])
                    self.wait(dice.choice((125, 130, 150, 260)))
            case 21 if cheat:
                self.world.inject(
                    f"{self.printer_of(seat)}.{dice.choice(self.printer_faults(seat))}", self.now_ms
                )
            case 22 if cheat and self.reaches(seat):
                fault = dice.choice(("jam_acceptor", "pause", "cheat", "box_out", "box_in"))
                self.world.inject(f"{self.validator_of(seat)}.{fault}", self.now_ms)
            case 23 if dice.random() < 0.4:
                self.kill(lose_bytes=dice.random() < 0.5, down_ms=dice.choice((10, 300, 2_000)))
            case 24 if dice.random() < 0.4:
                door = dice.choice(("door.main", "door.logic"))
                self.world.turn(door, True, self.now_ms)
                self.gap()
                self.world.turn(door, False, self.now_ms)
            case 25:
                self.wait(5_000)
            case 26 if dice.random() < 0.3:
                self.dark(self.validator_of(seat), dice.choice((50, 500, 3_000)))
            case 27 if dice.random() < 0.3:
                self.dark(self.printer_of(seat), dice.choice((50, 500, 3_000)))

    def reaches(self, seat: int) -> bool:
        """No hand reaches a note that is on its way into the box."""
        machine = self.world.validator(self.validator_of(seat))
        return machine.swallowed is None and machine.path.state not in (Paths.OFF, Paths.POWER_UP)

    def printer_faults(self, seat: int) -> tuple[str, ...]:
        wanted = ("jam", "paper_out", "head_open", "button_down", "cover_open", "pulled")
        has = self.world.printer(self.printer_of(seat)).FAULTS
        return tuple(name for name in wanted if name in has) or ("jam",)

    def evening(self, acts: int) -> list[str]:
        self.wait(4_000)
        for _ in range(acts):
            self.act()
            self.gap()
        return self.settled()

    def settled(self) -> list[str]:
        """Everybody stops; the staff puts everything right; then it is counted."""
        for name in self.world.wires:
            self.world.mend(name, self.now_ms)
        for _ in range(60):
            for name in self.world.printer_names:
                self.world.take(name, self.now_ms)
            if self.until(self.quiet, 20_000):
                break
        if not self.quiet():
            return [f"not quiet: {glance(self.state, self.table.runtime.live)}"]
        return self.wrong()

    def quiet(self) -> bool:
        state = self.state
        busy = any(machine.busy for machine in self.world.validators)
        return not (
            busy or state.notes or state.tickets or state.waiting or state.round_open or state.handpays
        )

    def close(self) -> None:
        self.table.runtime.close(clean=True, now_ms=self.table.runtime.live.now_ms)
        self.world.close()
