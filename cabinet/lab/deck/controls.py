"""The hands of one person at the lab's window: keys and clicks become fingers, notes and keys of steel.

Every order ends in a simulated machine (`PanelMachine`, a note slot, a paper tray, a fault); nothing
here can reach the program. What a key or a spot of the deck does is an `Action`, a tuple of words, so
that both say the same and a test can read it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from cabinet.config import DeviceKind
from cabinet.core.currency import CURRENCIES, Currency
from cabinet.core.look import Button
from cabinet.core.options import MENU_SEAT
from cabinet.lab.world import World
from drivers.sim.panel import PanelMachine

# ("press", "hit")  ("turn", "door.main")  ("note", "2000")  ("fault", "validator1.box_out")
Action: TypeAlias = tuple[str, ...]

# A finger stays down, or up, for so long and for so many turns of the loop, however short a click is: on a
# busy computer both ends of a click come in one turn, and no program would see that contact move.
LEAST_MS: Final = 60
LEAST_TURNS: Final = 3
MOVES_MOST: Final = 16  # of one finger that wait: more than anybody can mean
KEYS_OF_STEEL: Final = ("key.attendant", "key.service")
FOREIGN: Final = "foreign"
TICKET: Final = "ticket"
FOREIGN_NOTES: Final = ((500, "EUR"), (500, "USD"))  # one of them is foreign anywhere
SOME_TICKET: Final = "005551212000000042"  # while no printer has printed one
FAULT_ROWS: Final = 14  # on a page of the list
# The opposites of a panel's faults: what somebody with a screwdriver does.
PANEL_REMEDIES: Final = ("bouncing_ends", "stuck_freed", "door_wire_mended", "board_back", "expander_answers")

KEYS: Final[Mapping[str, Action]] = {
    "h": ("press", Button.HIT),
    "s": ("press", Button.STAND),
    "d": ("press", Button.DOUBLE),
    "p": ("press", Button.SPLIT),
    "up": ("press", Button.BET_PLUS),
    "down": ("press", Button.BET_MINUS),
    "return": ("press", Button.DEAL),
    "enter": ("press", Button.DEAL),  # of the keypad
    "c": ("press", Button.CASH_OUT),
    "f1": ("press", Button.HELP),
    "b": ("press", Button.BUY_IN),
    "n": ("papers",),
    "escape": ("leave",),
    "t": ("take",),
    "o": ("turn", "door.main"),
    "l": ("turn", "door.logic"),
    "x": ("turn", "door.cash_box"),
    "v": ("turn", "door.drop"),
    "a": ("turn", "key.attendant"),
    "k": ("turn", "key.service"),
    "m": ("mend",),
    "tab": ("tab", "next"),
    "page up": ("page", "-1"),
    "page down": ("page", "1"),
    "f2": ("deck",),
    "q": ("end",),
}
KEY_OF: Final[Mapping[Action, str]] = {action: key for key, action in reversed(list(KEYS.items()))}


class Tab(StrEnum):
    """Whose faults the deck lists: a device of the chosen seat, or the panel."""

    VALIDATOR = "validator"
    PRINTER = "printer"
    PANEL = "panel"


@dataclass(slots=True)
class _Finger:
    """On one button: what it has still to do, and since when it does what it does."""

    since_ms: int
    turns: int = LEAST_TURNS
    moves: deque[bool] = field(default_factory=lambda: deque(maxlen=MOVES_MOST))

    def next(self, now_ms: int) -> bool | None:
        """The move that can be made now: down, up, or none."""
        if not self.moves or self.turns < LEAST_TURNS or now_ms - self.since_ms < LEAST_MS:
            return None
        self.since_ms, self.turns = now_ms, 0
        return self.moves.popleft()


def foreign_note(currency: Currency) -> tuple[int, str]:
    """A note that is no money at this cabinet: minor units and code."""
    return next(note for note in FOREIGN_NOTES if note[1] != currency.code)


def paper_label(paper: str, currency: Currency) -> str:
    """One of the deck's papers in a word."""
    if paper == TICKET:
        return "TICKET"
    if paper == FOREIGN:
        cents, code = foreign_note(currency)
        return CURRENCIES[code].short(cents)
    return currency.short(int(paper))


class Controls:
    """`end` asks for the end of the evening; asked again, it ends at once."""

    def __init__(self, world: World, end: Callable[[int], None]) -> None:
        assert world.panel is not None, "a cabinet without a panel has no buttons"
        self.world = world
        self.panel: PanelMachine = world.panel
        self.seats = world.config.cabinet.seats
        wiring = world.config.of_kind(DeviceKind.PANEL)[0].options
        self.contacts, self.outputs = frozenset(wiring["inputs"]), frozenset(wiring["outputs"])
        self.currency = CURRENCIES[world.config.cabinet.currency]
        # In the order of the figures after the key n: what can be put into a validator.
        self.papers = (*map(str, world.validators[0].notes), FOREIGN, TICKET)
        self.seat = 1
        self.choosing = False  # the next figure names a paper
        self.tab = Tab.VALIDATOR
        self.page = 0
        self.shown = True
        first = paper_label(self.papers[3], self.currency)
        self.said = f"click the lamps on the table or press the keys named here; n 4 puts in {first}"
        self.table_of_faults = world.faults()  # what each does, by its full name
        self._end = end
        self._held: dict[str, str] = {}  # contact by what holds it: at most the keys of a keyboard
        self._fingers: dict[str, _Finger] = {}  # by contact

    # ---- what serves the chosen seat

    @property
    def validator(self) -> str:
        return self.world.config.serving(DeviceKind.BILL_VALIDATOR, self.seat).name

    @property
    def printer(self) -> str:
        return self.world.config.serving(DeviceKind.TICKET_PRINTER, self.seat).name

    def device(self, tab: Tab) -> str:
        """The name under which a tab's faults are listed."""
        return {Tab.VALIDATOR: self.validator, Tab.PRINTER: self.printer, Tab.PANEL: "panel"}[tab]

    def faults(self) -> tuple[str, ...]:
        """The faults of the open tab, by their full names."""
        prefix = self.device(self.tab) + "."
        return tuple(name for name in self.table_of_faults if name.startswith(prefix))

    def what(self, fault: str) -> str:
        """What a fault does."""
        return self.table_of_faults[fault]

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.faults()) // FAULT_ROWS))

    def listed(self) -> tuple[str, ...]:
        """The faults on the open page."""
        return self.faults()[self.page * FAULT_ROWS :][:FAULT_ROWS]

    @property
    def key_turned(self) -> bool:
        return any(name in self.contacts and self.panel.active(name) for name in KEYS_OF_STEEL)

    # ---- keys

    def key(self, key: str, down: bool, now_ms: int) -> None:
        """A key of the keyboard, by its name, goes down or comes up."""
        if not down:
            self.let_go(f"key {key}", now_ms)
            return
        action = self._meaning(key)
        if action is not None:
            self.do(action, now_ms, f"key {key}")

    def _meaning(self, key: str) -> Action | None:
        figure = key.strip("[]")  # the keypad's figures are called "[1]"
        if figure.isdecimal():
            if self.choosing:
                return (
                    ("note", self.papers[int(figure) - 1]) if 1 <= int(figure) <= len(self.papers) else None
                )
            return ("seat", figure)
        if self.key_turned and key in ("up", "down"):
            # In a menu BET+ goes down the list; an arrow should go where it points.
            key = {"up": "down", "down": "up"}[key]
        if self.key_turned and key == "escape" and not self.choosing:
            return ("press", "cash_out")
        return KEYS.get(key)

    # ---- actions

    def do(self, action: Action, now_ms: int, source: str = "") -> None:
        """Carry out an action. A press lasts until `let_go(source)`."""
        if action not in (("papers",), ("leave",)):
            self.choosing = False
        match action:
            case ("press", button):
                seat_no = MENU_SEAT if self.key_turned else self.seat  # one seat's buttons walk the menu
                self._press(f"seat{seat_no}.{button}", now_ms, source)
            case ("press", button, seat):
                self.choose(int(seat))
                self._press(f"seat{self.seat}.{button}", now_ms, source)
            case ("seat", seat):
                self.choose(int(seat))
            case ("papers",):
                self.choosing = not self.choosing
            case ("leave",):
                self.choosing = False
            case ("note", paper):
                self._insert(paper, now_ms)
            case ("take",):
                self._take(now_ms)
            case ("turn", name):
                self._turn(name, now_ms)
            case ("fault", name):
                self.world.inject(name, now_ms)
                self.said = f"{name}: {self.table_of_faults[name]}"
            case ("mend",):
                self._mend(now_ms)
            case _:
                self._leaf(action, now_ms)

    def _leaf(self, action: Action, now_ms: int) -> None:
        """Actions that touch no machine."""
        match action:
            case ("tab", name):
                tabs = tuple(Tab)
                following = tabs[(tabs.index(self.tab) + 1) % len(tabs)]
                self.tab = following if name == "next" else Tab(name)
                self.page = 0
            case ("page", step):
                self.page = (self.page + int(step)) % self.pages
            case ("deck",):
                self.shown = not self.shown
            case ("end",):
                self._end(now_ms)

    def choose(self, seat: int) -> None:
        """The seat that keys and deck act for."""
        if 1 <= seat <= self.seats:
            self.seat = seat
            self.page = min(self.page, self.pages - 1)

    def let_go(self, source: str, now_ms: int) -> None:
        """The key or mouse button that held a contact comes up."""
        if (name := self._held.pop(source, None)) is not None:
            self._move(name, False, now_ms)

    def tick(self, now_ms: int) -> None:
        """Once in every turn of the loop: fingers do what they could not do yet."""
        for name, finger in self._fingers.items():
            finger.turns += 1
            self._carry_on(name, finger, now_ms)

    def _press(self, name: str, now_ms: int, source: str) -> None:
        if name not in self.contacts:
            self.said = f"this cabinet has no {name}"
            return
        self.let_go(source, now_ms)
        self._held[source] = name
        self._move(name, True, now_ms)

    def _move(self, name: str, down: bool, now_ms: int) -> None:
        finger = self._fingers.setdefault(name, _Finger(now_ms - LEAST_MS))
        finger.moves.append(down)
        self._carry_on(name, finger, now_ms)

    def _carry_on(self, name: str, finger: _Finger, now_ms: int) -> None:
        down = finger.next(now_ms)
        if down is not None:
            self.panel.set(name, down, now_ms)

    def _insert(self, paper: str, now_ms: int) -> None:
        """Feed a paper. The rollers of a validator that takes nothing do not move."""
        name, world = self.validator, self.world
        if paper == TICKET:
            what, taken = "a ticket", world.insert_ticket(name, self._ticket(), now_ms)
        elif paper == FOREIGN:
            cents, currency = foreign_note(self.currency)
            what = f"a note of {paper_label(paper, self.currency)}"
            taken = world.insert(name, cents, now_ms, currency=currency)
        else:
            what, taken = paper_label(paper, self.currency), world.insert(name, int(paper), now_ms)
        self.said = f"{what} goes into {name}" if taken else f"{name} does not take {what}"

    def _ticket(self) -> str:
        """The number of the newest whole ticket that this cabinet has printed."""
        papers = [paper for printer in self.world.printers for paper in printer.tray if paper.complete]
        newest = max(papers, key=lambda paper: paper.at_ms, default=None)
        return newest.text.validation if newest is not None else SOME_TICKET

    def _take(self, now_ms: int) -> None:
        name = self.printer
        printer = self.world.printer(name)
        stood = printer.paper_stands
        self.world.take(name, now_ms)
        if not stood:
            self.said = f"nothing stands in the chute of {name}"
        elif printer.paper_stands:
            self.said = f"{name} still holds the paper"
        else:
            self.said = f"the ticket of {name} is taken"

    def _turn(self, name: str, now_ms: int) -> None:
        """Open or close a door, turn a key or turn it back."""
        if name not in self.contacts:
            self.said = f"this cabinet has no {name}"
            return
        active = not self.panel.active(name)
        self.world.turn(name, active, now_ms)
        words = ("turned", "turned back") if name in KEYS_OF_STEEL else ("opened", "closed")
        self.said = f"{name} {words[0] if active else words[1]}"

    def _mend(self, now_ms: int) -> None:
        """Everything that hands can put right at the device of the open tab: jams, paper, boxes, cables."""
        device = self.device(self.tab)
        if self.tab is Tab.PANEL:
            for remedy in PANEL_REMEDIES:
                self.panel.inject(remedy, now_ms)
        else:
            wire = self.world.wires[device]
            wire.inject("mend", now_ms)
            if not wire.plugged:
                wire.inject("replug", now_ms)
            self.world.mend(device, now_ms)
        self.said = f"{device} is put right; a locked table also wants a key"
