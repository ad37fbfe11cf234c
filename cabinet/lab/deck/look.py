"""What the lab's deck says: the state of the simulated machines, in words, at one moment.

It looks at the machines as somebody does who stands before the open cabinet; the program's own opinion
is on the cabinet's screen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from cabinet.core.currency import Currency
from cabinet.core.look import Button
from cabinet.lab.deck.controls import Action, Controls, Tab, paper_label
from drivers.device import Pattern
from drivers.sim.printers import PrinterMachine
from drivers.sim.validator import ValidatorMachine
from drivers.sim.wire import FarEnd

BUTTONS: Final = (
    (Button.BET_MINUS, Button.BET_PLUS, Button.DEAL, Button.CASH_OUT, Button.HELP),
    (Button.HIT, Button.STAND, Button.DOUBLE, Button.SPLIT, Button.BUY_IN),
)
CONTACTS: Final = (
    (("door.main", "MAIN DOOR"), ("door.logic", "LOGIC DOOR"), ("door.cash_box", "BOX DOOR")),
    (("door.drop", "DROP DOOR"), ("key.attendant", "ATTENDANT"), ("key.service", "SERVICE")),
)


@dataclass(frozen=True, slots=True)
class MachineLook:
    """A simulated device: its state in a word, and what it has in it."""

    name: str
    word: str
    trouble: bool
    holds: str


@dataclass(frozen=True, slots=True)
class DeckLamp:
    """A button of the chosen seat: the lamp as its output line says, and whether a finger is on it."""

    button: Button
    lit: bool
    pressed: bool


@dataclass(frozen=True, slots=True)
class DeckLook:
    """Everything that the deck shows."""

    seats: int
    seat: int
    lamps: tuple[DeckLamp, ...]  # of the buttons that the seat has
    papers: tuple[tuple[str, str], ...]  # what can be put in, and what its spot is called
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


def pointed(deck: DeckLook, under: Action, controls: Controls, *, explain: bool) -> DeckLook:
    """The deck with the pointer over a spot; `explain` says what a fault there would do."""
    if explain and under[:1] == ("fault",):
        return replace(deck, under=under, says=f"{under[1]}: {controls.what(under[1])}")
    return replace(deck, under=under)


def look(controls: Controls, now_ms: int, foot: str, *, ending: bool) -> DeckLook:
    """The deck at one moment. `foot` is about the evening: seed, session, how to end."""
    panel, seat, world = controls.panel, controls.seat, controls.world
    names = {button: f"seat{seat}.{button.value}" for row in BUTTONS for button in row}
    lamps = tuple(
        DeckLamp(button, _lit(controls, name), panel.active(name))
        for button, name in names.items()
        if name in controls.contacts
    )
    contacts = [name for row in CONTACTS for name, _ in row if name in controls.contacts]
    return DeckLook(
        seats=controls.seats,
        seat=seat,
        lamps=lamps,
        choosing=controls.choosing,
        validator=validator_look(
            controls.validator,
            world.wires[controls.validator],
            world.validator(controls.validator),
            controls.currency,
        ),
        printer=printer_look(
            controls.printer,
            world.wires[controls.printer],
            world.printer(controls.printer),
            controls.currency,
        ),
        papers=tuple((paper, paper_label(paper, controls.currency)) for paper in controls.papers),
        contacts=tuple((name, panel.active(name)) for name in contacts),
        candle=_candle(controls, now_ms),
        tab=controls.tab,
        tabs=tuple(controls.device(tab) for tab in Tab),
        faults=controls.listed(),
        page=controls.page,
        pages=controls.pages,
        under=(),
        says=controls.said,
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


def validator_look(name: str, wire: FarEnd, machine: ValidatorMachine, currency: Currency) -> MachineLook:
    """A validator as somebody sees it who opens the cabinet."""
    word, trouble = machine.condition
    box = machine.cash_box
    cents = sum(paper.cents for paper in box)
    holds = f"box: {_count(len(box), 'note')}, {currency.text(cents)}; given back: {machine.returned_count}"
    if not wire.plugged:
        return MachineLook(name, "unplugged", True, holds)
    return MachineLook(name, word, trouble, holds)


def printer_look(name: str, wire: FarEnd, machine: PrinterMachine, currency: Currency) -> MachineLook:
    """A printer as somebody sees it who stands before it."""
    whole = f"{_count(machine.printed_count, 'ticket')}, {currency.text(machine.printed_cents)}"
    holds = f"paper: {machine.paper_left}; out: {whole}"
    if machine.spoilt_count:
        holds += f", {machine.spoilt_count} spoilt"
    if word := machine.trouble if wire.plugged else "unplugged":
        return MachineLook(name, word, True, holds)
    if machine.stage in ("ticket printing", "ticket proven"):
        return MachineLook(name, "printing", False, holds)
    return MachineLook(name, "ticket in chute" if machine.paper_stands else "ready", False, holds)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
