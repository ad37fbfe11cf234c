"""Everything around the cabinet: simulated devices behind their wires, and people.

The same world serves both ways of running the program: in one process (`lab.table`, memory wires
or ptys) and around the unmodified firmware in a child process (`lab.bench`, ptys and a GPIO
server). It has no access to the program: it sees bytes, lines and glances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path

from msgspec import convert

from cabinet.config import Config, DeviceKind, DeviceTable, FramCopy
from cabinet.lab.glance import Glance
from cabinet.lab.people import Attendant, Habits, Person, Player
from drivers.i2c import Bus
from drivers.link import Link, OpenLink, SerialSettings, open_serial
from drivers.panel.wiring import Options as PanelOptions
from drivers.registry import Io, no_bus
from drivers.sim.gpio import MemoryBank
from drivers.sim.gpio.board import Board
from drivers.sim.gpio.fram import FramChip, I2cBus
from drivers.sim.panel import PanelMachine
from drivers.sim.printers import PrinterMachine, newest_of
from drivers.sim.validator import ValidatorMachine
from drivers.sim.wire import FarEnd, Machine, memory_wire, patch_bay, pty_wire
from drivers.tables import did_you_mean
from game.chart import Chart

# What a person with a key does to a device that has stopped: the faults' own opposites.
REMEDIES = (
    "repair",
    "load_paper",
    "head_close",
    "drawer_close",
    "xon",
    "on_line",
    "button_up",
    "prints_again",
    "answers_in_time",
    "hears_all",
    "jam_cleared",
    "healed",
    "box_in",
    "box_emptied",
    "repaired",
    "unmute",
)


NEVER = 1 << 62  # a due time that does not come: numbers compare quicker than None
NOBODY: AbstractSet[str] = frozenset()


class NoSuchFaultError(ValueError):
    """A fault was asked for that no simulated device has."""


@dataclass(slots=True)
class World:
    """Wires, machines and people of one cabinet."""

    config: Config
    wires: dict[str, FarEnd] = field(default_factory=dict)
    panel: PanelMachine | None = None
    board: Board | None = None
    buses: dict[int, I2cBus] = field(default_factory=dict)  # I2C, by their numbers
    players: list[Player] = field(default_factory=list)
    attendant: Attendant | None = None
    visitors: list[Person] = field(default_factory=list)  # further people, who come after the attendant
    open_links: dict[str, OpenLink] = field(default_factory=dict)
    seen: Glance | None = None
    panel_name: str = ""  # the driver's
    _wakes: dict[str, int] = field(default_factory=dict)  # wire -> when it is due, or NEVER
    _wires_at: int = 0  # nothing happens on a wire before this
    _people_at: int = 0  # when the next person does something
    _due_at: int = 0  # before this nothing of all this is due; 0: it must be looked at
    _touched: bool = False  # by a hand, since the last `advance`
    _panel_moved: bool = False  # or may have moved, since the last `advance`
    _look: Callable[[], Glance] | None = None  # what can be seen since `seen`

    # ---- time

    @property
    def wake_at(self) -> int | None:
        due = self._wires_at
        if self.panel is not None and (panel_ms := self.panel.wake_at) is not None and panel_ms < due:
            due = panel_ms
        if self._people_at < due and (self._look is not None or self.seen is not None):
            due = self._people_at
        if not self._touched:
            self._due_at = due
        return None if due == NEVER else due

    def tell(self, look: Callable[[], Glance]) -> None:
        """What can be seen of the cabinet has changed; the first one who looks does the work."""
        self._look = look

    def nobody_sees(self) -> None:
        """The program is dead: nothing can be seen of it until the next one tells."""
        self.seen = self._look = None

    def tick(self, now_ms: int) -> None:
        """Physics first, then people, in a fixed order."""
        for name, wire in self.wires.items():
            wake_ms = wire.tick(now_ms)
            self._wakes[name] = NEVER if wake_ms is None else wake_ms
        self._wires_at = min(self._wakes.values(), default=NEVER)
        if self.panel is not None:
            self.panel.tick(now_ms)
        self._people(now_ms)

    def _people(self, now_ms: int) -> None:
        if now_ms < self._people_at or (self._look is None and self.seen is None):
            return
        if self._look is not None:
            self.seen, self._look = self._look(), None
        assert self.seen is not None
        for player in self.players:
            if player.wake_at <= now_ms:
                player.act(self.seen, self, now_ms)
        if self.attendant is not None and self.attendant.wake_at <= now_ms:
            self.attendant.act(self.seen, self, now_ms)
        for visitor in self.visitors:
            if visitor.wake_at <= now_ms:
                visitor.act(self.seen, self, now_ms)
        wakes = [person.wake_at for person in (*self.players, *self.visitors)]
        if self.attendant is not None:
            wakes.append(self.attendant.wake_at)
        self._people_at = min(wakes, default=NEVER)

    def take_up(self, now_ms: int, names: Iterable[str]) -> None:
        """What drivers have just written begins its way along these wires."""
        for name in names:
            wire = self.wires.get(name)
            if wire is not None and (wire.take_up(now_ms) or name not in self._wakes):
                self._note(name)

    def advance(self, now_ms: int) -> AbstractSet[str]:
        """As `tick`, but only wires that are due move (a virtual clock stops at each due time).
        Gives the devices whose hosts have something to read, or a line to look at."""
        if now_ms < self._due_at:
            return NOBODY
        ready: set[str] = set()
        if self._touched or now_ms >= self._wires_at:
            self._advance_wires(now_ms, ready)
        if self.panel is not None and (panel_ms := self.panel.wake_at) is not None and panel_ms <= now_ms:
            self.panel.tick(now_ms)
            self._panel_moved = True
        if now_ms >= self._people_at:
            self._people(now_ms)
        if self._panel_moved:
            ready.add(self.panel_name)
        self._touched = self._panel_moved = False
        return ready

    def _advance_wires(self, now_ms: int, ready: set[str]) -> None:
        """Without a hand only a wire that was due can have news."""
        wakes, touched = self._wakes, self._touched
        for name in [name for name, wake_ms in wakes.items() if touched or wake_ms <= now_ms]:
            wire = self.wires[name]
            wake_ms = wire.tick(now_ms)
            wakes[name] = NEVER if wake_ms is None else wake_ms
            if wire.news:
                wire.news = False
                ready.add(name)
        self._wires_at = min(wakes.values(), default=NEVER)

    def _note(self, name: str) -> None:
        """A wire or its machine has changed: when it is due."""
        wake_ms = self.wires[name].wake_at
        self._wakes[name] = NEVER if wake_ms is None else wake_ms
        self._wires_at = min(self._wires_at, self._wakes[name])

    def _touch(self, name: str) -> None:
        """Somebody has put in a note, taken paper, pulled a plug: the next `advance` looks at everything."""
        self._note(name)
        self._touched, self._due_at = True, 0

    def _moved(self) -> None:
        """The panel has moved, by a hand."""
        self._panel_moved = self._touched = True
        self._due_at = 0

    def descriptors(self) -> list[int]:
        return [fd for wire in self.wires.values() if (fd := wire.fileno()) is not None]

    def close(self) -> None:
        for wire in self.wires.values():
            wire.close()

    # ---- power

    def host_gone(self, now_ms: int, *, lose_bytes: bool) -> None:
        """The program in this process has died: nobody sees it, its ports and lines are free. Bytes that
        are on the way are lost too, or go on."""
        for wire in self.wires.values():
            if lose_bytes:
                wire.drop_in_flight()
            else:
                wire.take_up(now_ms)
            wire.transport.host_gone()
        if self.board is not None:
            self.board.host_gone()
        self.seen, self._look = None, None
        self._touched, self._due_at = True, 0

    def darken(self, device: str, now_ms: int, *, lose_bytes: bool) -> None:
        """A device loses its power."""
        wire = self.wires[device]
        wire.machine.power_off(now_ms)
        if lose_bytes:
            wire.drop_in_flight()
        self._touch(device)

    def light(self, device: str, now_ms: int) -> None:
        """It has power again."""
        self.wires[device].machine.power_on(now_ms)
        self._touch(device)

    # ---- hands (people.Hands)

    def press(self, name: str, now_ms: int) -> None:
        if self.panel is not None:
            self.panel.press(name, now_ms)
            self._moved()

    def turn(self, name: str, on: bool, now_ms: int) -> None:
        if self.panel is not None:
            self.panel.set(name, on, now_ms)
            self._moved()

    def insert(self, validator: str, cents: int, now_ms: int, currency: str = "", flaw: int = 0) -> bool:
        """A note, of the cabinet's own currency unless another is named."""
        note = currency or self.config.cabinet.currency
        taken = self.validator(validator).insert(cents, now_ms, currency=note, flaw=flaw)
        self._touch(validator)
        return taken

    def insert_ticket(self, validator: str, digits: str, now_ms: int) -> bool:
        taken = self.validator(validator).insert_ticket(digits, now_ms)
        self._touch(validator)
        return taken

    def take(self, printer: str, now_ms: int) -> None:
        self.printer(printer).take()
        self._touch(printer)

    def in_tray(self, printer: str, number: str) -> bool:
        """A whole ticket with this number has come out of the printer."""
        tray = self.printer(printer).tray
        return any(paper.complete and paper.text.validation == number for paper in tray)

    def own_ticket(self, printer: str, seat: int) -> str:
        return newest_of(self.printer(printer), seat)

    def on_top(self, validator: str) -> str:
        """The number of the ticket that lies on top in the cash box; "" for a note or an empty box."""
        box = self.validator(validator).cash_box
        return box[-1].digits if box else ""

    def box_cents(self, validator: str) -> int:
        return self.validator(validator).stacked_cents

    def mend(self, device: str, now_ms: int) -> None:
        """Clear what a person with a key can clear: jams, paper, doors of the device."""
        if device in self.wires:
            machine = self.wires[device].machine
            for remedy in REMEDIES:
                if remedy in machine.FAULTS:
                    machine.inject(remedy, now_ms)
            self._touch(device)

    # ---- machines

    def validator(self, name: str) -> ValidatorMachine:
        machine = self.wires[name].machine
        assert isinstance(machine, ValidatorMachine)
        return machine

    def printer(self, name: str) -> PrinterMachine:
        machine = self.wires[name].machine
        assert isinstance(machine, PrinterMachine)
        return machine

    @property
    def validator_names(self) -> list[str]:
        return [name for name, w in self.wires.items() if isinstance(w.machine, ValidatorMachine)]

    @property
    def printer_names(self) -> list[str]:
        return [name for name, w in self.wires.items() if isinstance(w.machine, PrinterMachine)]

    @property
    def validators(self) -> list[ValidatorMachine]:
        return [m for w in self.wires.values() if isinstance(m := w.machine, ValidatorMachine)]

    @property
    def printers(self) -> list[PrinterMachine]:
        return [m for w in self.wires.values() if isinstance(m := w.machine, PrinterMachine)]

    # ---- faults

    def faults(self) -> dict[str, str]:
        """Every fault by its full name, DEVICE.FAULT, with what it does."""
        found = {}
        for name, wire in self.wires.items():
            for fault, what in {**wire.machine.FAULTS, **FarEnd.WIRE_FAULTS}.items():
                found[f"{name}.{fault}"] = what
        if self.panel is not None:
            for fault, what in PanelMachine.FAULTS.items():
                found[f"panel.{fault}"] = what
        return found

    def must_have(self, fault: str) -> None:
        """NoSuchFaultError, with the nearest name that there is."""
        if fault not in (faults := self.faults()):
            near = did_you_mean(fault, faults)
            raise NoSuchFaultError(f"no fault {fault!r} at this cabinet; {near}--fault help lists them all")

    def inject(self, name: str, now_ms: int) -> None:
        self.must_have(name)
        device, _, fault = name.partition(".")
        if device == "panel" and self.panel is not None:
            self.panel.inject(fault, now_ms)
            self._moved()
        else:
            self.wires[device].inject(fault, now_ms)
            self._touch(device)


def build(config: Config, *, wire: str, seed: int, directory: Path | None = None) -> World:
    """A world for a cabinet file. `wire`: "memory", or "pty" with its links in `directory`."""
    world = World(config)
    if isinstance(copy := config.second_copy, FramCopy):
        world.buses[copy.bus] = I2cBus({copy.address: FramChip()})
    for place, table in enumerate(config.devices):
        if table.kind is DeviceKind.PANEL:
            options = convert(dict(table.options), PanelOptions)
            world.board = Board.of(options)
            world.panel = PanelMachine(options, world.board, seed=seed * 1000 + place)
            world.panel_name = table.name
        else:
            _wire(world, table, wire, seed * 1000 + place, directory)
    return world


def _wire(world: World, table: DeviceTable, wire: str, seed: int, directory: Path | None) -> None:
    try:
        simulated = import_module(f"drivers.sim.{table.driver}")
    except ModuleNotFoundError as error:
        where = f"drivers/sim/{table.driver}"
        text = (
            f"{table.table}: the lab has no simulated device for driver {table.driver!r}: there is no {where}"
        )
        raise NoSuchFaultError(text) from error
    baud, bits = int(table.options.get("baud", simulated.BAUD)), simulated.BITS
    xonxoff = "xonxoff" in str(table.options.get("flow", ""))
    machine: Machine = simulated.make(baud, world.config.cabinet.currency)
    if wire == "memory":
        opener, far_end = memory_wire(machine, baud=baud, bits=bits, xonxoff=xonxoff, seed=seed)
    else:
        assert directory is not None
        path = str(directory / table.name)
        _, far_end = pty_wire(machine, path, baud=baud, bits=bits, xonxoff=xonxoff, seed=seed)

        def opener(settings: SerialSettings) -> Link:
            return open_serial(replace(settings, port=path))

    world.wires[table.name] = far_end
    world.open_links[str(table.options["port"])] = opener


def people(world: World, chart: Chart, seed: int, pace: int, *, bring_tickets: bool) -> None:
    """A player at every seat and one attendant. With `bring_tickets` some put in what they have won."""
    habits = Habits(pace=pace)
    config = world.config
    for seat in range(1, config.cabinet.seats + 1):
        validator = config.serving(DeviceKind.BILL_VALIDATOR, seat)
        printer = config.serving(DeviceKind.TICKET_PRINTER, seat).name
        devices, barcode = (validator.name, printer), bring_tickets and bool(validator.options.get("barcode"))
        player = Player(
            seat, config.rules, chart, devices, habits, seed,
            barcode=barcode, currency=config.cabinet.currency,
        )  # fmt: skip
        world.players.append(player)
    world.attendant = Attendant(seed, pace)


def io_of(world: World, began_ms: int = 0) -> Io:
    """The ways to the simulated hardware for drivers in the same process, whose session began at this time
    of the world."""
    board = world.board
    assert board is not None

    def open_bus(number: int) -> Bus:
        return world.buses[number] if number in world.buses else no_bus(number)

    return Io(patch_bay(world.open_links), lambda: MemoryBank(board, began_ms), open_bus)
