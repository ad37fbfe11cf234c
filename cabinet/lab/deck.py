"""The lab's deck as data: what it says of the machines, and where on it a click does what.

The deck stands in a column of its own beside the cabinet's picture, so that it can cover nothing of
it. `look` reads the simulated machines; `spots` and `words` are functions of the look alone, so what
is drawn is what can be clicked. Places are native units of the column, (0, 0) its upper left corner.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from cabinet.core.look import Button
from cabinet.lab.controls import FOREIGN, KEY_OF, KEYS_OF_STEEL, PAPERS, TICKET, Action, Controls, Tab
from drivers.bill_validator.id003_codec import Status
from drivers.device import Pattern
from drivers.sim.id003 import Id003Machine
from drivers.sim.tcl import TclPrinter
from drivers.sim.wire import FarEnd

Box: TypeAlias = tuple[float, float, float, float]

WIDTH: Final = 500
HEIGHT: Final = 1080
LEFT: Final = 28
INNER: Final = 456
BUTTONS: Final = (
    (Button.BET_MINUS, Button.BET_PLUS, Button.DEAL, Button.CASH_OUT, Button.HELP),
    (Button.HIT, Button.STAND, Button.DOUBLE, Button.SPLIT, Button.BUY_IN),
)
LABELS: Final = {Button.BET_MINUS: "BET \N{MINUS SIGN}", Button.BET_PLUS: "BET +"}
KEY_SIGNS: Final = {"return": "enter"}
CONTACTS: Final = (
    (("door.main", "MAIN DOOR"), ("door.logic", "LOGIC DOOR"), ("door.cash_box", "BOX DOOR")),
    (("door.drop", "DROP DOOR"), ("key.attendant", "ATTENDANT"), ("key.service", "SERVICE")),
)
TROUBLE: Final = frozenset(
    {
        Status.POWER_UP, Status.POWER_UP_IN_ACCEPTOR, Status.POWER_UP_IN_STACKER, Status.STACKER_FULL,
        Status.STACKER_OPEN, Status.JAM_IN_ACCEPTOR, Status.JAM_IN_STACKER, Status.PAUSE, Status.CHEATED,
        Status.FAILURE,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MachineLook:
    """A simulated device: its state in a word, and what it has in it."""

    name: str
    word: str
    trouble: bool
    holds: str


@dataclass(frozen=True, slots=True)
class LampLook:
    """A button of the chosen seat: the lamp as its output line says, and whether a finger is on it."""

    button: Button
    lit: bool
    pressed: bool


@dataclass(frozen=True, slots=True)
class DeckLook:
    """Everything that the deck shows."""

    seats: int
    seat: int
    lamps: tuple[LampLook, ...]  # of the buttons that the seat has
    choosing: bool
    validator: MachineLook
    printer: MachineLook
    contacts: tuple[tuple[str, bool], ...]  # doors and keys that there are: open or turned
    candle: str
    tab: Tab
    tabs: tuple[str, ...]
    faults: tuple[str, ...]
    page: int
    pages: int
    under: Action  # of the spot under the pointer, () if none
    says: str
    foot: str
    ending: bool


class Role(StrEnum):
    """How a spot is dressed."""

    SEAT = "seat"
    LAMP = "lamp"
    PAPER = "paper"
    PUSH = "push"
    TOGGLE = "toggle"
    TAB = "tab"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that can be clicked. `on`: chosen, lit, open or turned."""

    box: Box
    role: Role
    label: str
    action: Action
    hint: str = ""
    on: bool = False
    pressed: bool = False
    under: bool = False  # the pointer is over it


class Tone(StrEnum):
    """How a line is set."""

    TITLE = "title"
    NAME = "name"
    STATE = "state"
    TROUBLE = "trouble"
    QUIET = "quiet"
    SAYS = "says"


@dataclass(frozen=True, slots=True)
class Words:
    """A line in a box; long `SAYS` take two lines."""

    box: Box
    text: str
    tone: Tone
    right: bool = False  # ends at the right end of its box


# ---- what the machines say


def look(controls: Controls, now_ms: int, foot: str, *, ending: bool, under: Action = ()) -> DeckLook:
    """The deck at one moment. `foot` is about the evening: seed, session, how to end."""
    panel, seat, world = controls.panel, controls.seat, controls.world
    names = {button: f"seat{seat}.{button.value}" for row in BUTTONS for button in row}
    lamps = tuple(
        LampLook(button, _lit(controls, name), panel.active(name))
        for button, name in names.items()
        if name in controls.contacts
    )
    contacts = [name for row in CONTACTS for name, _ in row if name in controls.contacts]
    says = controls.said
    if under[:1] == ("fault",):
        says = f"{under[1]}: {controls.what(under[1])}"
    return DeckLook(
        seats=controls.seats,
        seat=seat,
        lamps=lamps,
        choosing=controls.choosing,
        validator=validator_look(
            controls.validator, world.wires[controls.validator], world.validator(controls.validator)
        ),
        printer=printer_look(
            controls.printer, world.wires[controls.printer], world.printer(controls.printer)
        ),
        contacts=tuple((name, panel.active(name)) for name in contacts),
        candle=_candle(controls, now_ms),
        tab=controls.tab,
        tabs=tuple(controls.device(tab) for tab in Tab),
        faults=controls.listed(),
        page=controls.page,
        pages=controls.pages,
        under=under,
        says=says,
        foot=foot,
        ending=ending,
    )


def _lit(controls: Controls, name: str) -> bool:
    return name in controls.outputs and controls.panel.lamp(name)


def _candle(controls: Controls, now_ms: int) -> str:
    """The lamps on top of the cabinet and its hard meters, as somebody sees them who looks up."""
    panel = controls.panel
    seen = [
        f"{name.partition('.')[2]} {panel.seen(name, now_ms).value}"
        for name in ("candle.top", "candle.bottom")
        if name in controls.outputs
    ]
    meters = [f"{name.partition('.')[2]} {counter.count}" for name, counter in panel.counters.items()]
    return f"candle {', '.join(seen) or Pattern.OFF.value}; meters {', '.join(meters)}"


def validator_look(name: str, wire: FarEnd, machine: Id003Machine) -> MachineLook:
    """A validator as somebody sees it who opens the cabinet."""
    code, _ = machine.status()
    status = Status(code)
    word = status.name.replace("_", " ").lower()
    box = machine.cash_box
    cents = sum(paper.cents for paper in box)
    holds = f"box: {_count(len(box), 'note')}, {_money(cents)}; given back: {len(machine.path.returned)}"
    if not wire.plugged:
        return MachineLook(name, "unplugged", True, holds)
    return MachineLook(name, word, status in TROUBLE, holds)


def printer_look(name: str, wire: FarEnd, machine: TclPrinter) -> MachineLook:
    """A printer as somebody sees it who stands before it."""
    path = machine.path
    whole = f"{_count(path.printed_count, 'ticket')}, {_money(path.printed_cents)}"
    holds = f"paper: {path.papers}; out: {whole}"
    if path.spoilt_count:
        holds += f", {path.spoilt_count} spoilt"
    parts = path.mechanics
    troubles = (
        (not wire.plugged, "unplugged"),
        (parts.head_open, "head open"),
        (parts.drawer_open, "drawer open"),
        (parts.jammed or path.jam_seen, "paper jam"),
        (parts.cutter, "cutter stuck"),
        (parts.voltage, "bad supply"),
        (parts.temperature, "too hot"),
        (path.papers == 0 and not path.busy, "paper out"),
    )
    word = next((text for holds_true, text in troubles if holds_true), "")
    if word:
        return MachineLook(name, word, True, holds)
    if path.busy:
        return MachineLook(name, "printing", False, holds)
    return MachineLook(name, "ticket in chute" if path.chute_occupied else "ready", False, holds)


def paper_label(paper: str) -> str:
    """One of `PAPERS` in a word."""
    return {FOREIGN: "€5", TICKET: "TICKET"}.get(paper) or f"${int(paper) // 100}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _money(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02d}"


# ---- where it stands


def spots(deck: DeckLook) -> tuple[Spot, ...]:
    """Everything that can be clicked."""
    return tuple(
        Spot(s.box, s.role, s.label, s.action, s.hint, s.on, s.pressed, s.action == deck.under)
        for s in _all_spots(deck)
    )


def action_at(deck: DeckLook, x: float, y: float) -> Action:
    """What a click at a place of the column does; () for nothing."""
    for spot in _all_spots(deck):
        left, top, width, height = spot.box
        if left <= x < left + width and top <= y < top + height:
            return spot.action
    return ()


def _all_spots(deck: DeckLook) -> Iterator[Spot]:
    yield Spot((372, 10, 112, 36), Role.PUSH, "HIDE", ("deck",), "F2")
    yield from _seat(deck)
    yield from _machines(deck)
    yield from _contacts(deck)
    yield from _faults(deck)
    yield Spot((364, 1042, 120, 32), Role.PUSH, "END NOW" if deck.ending else "END", ("end",), "q")


def _seat(deck: DeckLook) -> Iterator[Spot]:
    for seat in range(1, deck.seats + 1):
        yield Spot(
            (100 + 55 * (seat - 1), 68, 48, 44),
            Role.SEAT,
            str(seat),
            ("seat", str(seat)),
            on=seat == deck.seat,
        )
    lamps = {lamp.button: lamp for lamp in deck.lamps}
    for row, buttons in enumerate(BUTTONS):
        for button, (x, w) in zip(buttons, _columns(5, 6), strict=True):
            if button in lamps:
                lamp, action = lamps[button], ("press", button.value)
                label = LABELS.get(button, button.value.replace("_", " ").upper())
                box = (x, 122.0 + 58 * row, w, 52.0)
                yield Spot(box, Role.LAMP, label, action, _key(action), lamp.lit, lamp.pressed)


def _machines(deck: DeckLook) -> Iterator[Spot]:
    for number, paper in enumerate(PAPERS):
        x, w = _columns(4, 6)[number % 4]
        label = paper_label(paper)
        box = (x, 306.0 + 50 * (number // 4), w, 44.0)
        yield Spot(box, Role.PAPER, label, ("note", paper), f"n {number + 1}", deck.choosing)
    yield Spot((364, 408, 120, 36), Role.PUSH, "TAKE", ("take",), _key(("take",)))


def _contacts(deck: DeckLook) -> Iterator[Spot]:
    active = dict(deck.contacts)
    for row, contacts in enumerate(CONTACTS):
        for (name, label), (x, w) in zip(contacts, _columns(3, 6), strict=True):
            if name in active:
                words = ("turned", "off") if name in KEYS_OF_STEEL else ("open", "shut")
                action = ("turn", name)
                hint = f"{_key(action)} · {words[0] if active[name] else words[1]}"
                yield Spot((x, 486 + 58 * row, w, 52), Role.TOGGLE, label, action, hint, active[name])


def _faults(deck: DeckLook) -> Iterator[Spot]:
    for tab, name, (x, w) in zip(Tab, deck.tabs, _columns(3, 6), strict=True):
        yield Spot((x, 672, w, 38), Role.TAB, name, ("tab", tab.value), on=tab is deck.tab)
    for number, fault in enumerate(deck.faults):
        x, w = _columns(2, 6)[number % 2]
        label = fault.partition(".")[2].replace("_", " ")
        yield Spot((x, 718 + 34 * (number // 2), w, 30), Role.FAULT, label, ("fault", fault))
    yield Spot((28, 958, 48, 36), Role.PUSH, "<", ("page", "-1"))
    yield Spot((152, 958, 48, 36), Role.PUSH, ">", ("page", "1"))
    yield Spot((334, 958, 150, 36), Role.PUSH, "PUT RIGHT", ("mend",), _key(("mend",)))


def words(deck: DeckLook) -> Iterator[Words]:
    """Everything that only says something."""
    yield Words((LEFT, 10, 330, 36), "LAB DECK", Tone.TITLE)
    yield Words((LEFT, 68, 66, 44), "SEAT", Tone.QUIET)
    for top, machine in ((242, deck.validator), (410, deck.printer)):
        tone = Tone.TROUBLE if machine.trouble else Tone.STATE
        end = 484 if machine is deck.validator else 352
        yield Words((LEFT, top, 130, 30), machine.name, Tone.NAME)
        yield Words((162, top, end - 162, 30), machine.word, tone, right=True)
    yield Words((LEFT, 272, INNER, 28), deck.validator.holds, Tone.QUIET)
    yield Words((LEFT, 446, INNER, 28), deck.printer.holds, Tone.QUIET)
    yield Words((LEFT, 602, INNER, 28), deck.candle, Tone.QUIET)
    yield Words((LEFT, 638, 90, 30), "FAULTS", Tone.NAME)
    yield Words((120, 638, 364, 30), "a click makes it happen", Tone.QUIET, right=True)
    yield Words((80, 958, 68, 36), f"{deck.page + 1} / {deck.pages}", Tone.QUIET)
    yield Words((LEFT, 998, INNER, 44), deck.says, Tone.SAYS)
    yield Words((LEFT, 1042, 330, 32), deck.foot, Tone.TROUBLE if deck.ending else Tone.QUIET)


def _columns(count: int, gap: float) -> tuple[tuple[float, float], ...]:
    """`count` equal columns over the width, as (x, w)."""
    width = (INNER - gap * (count - 1)) / count
    return tuple((LEFT + number * (width + gap), width) for number in range(count))


def _key(action: Action) -> str:
    """The key that does the same."""
    key = KEY_OF.get(action, "")
    return KEY_SIGNS.get(key, key)
