"""Where things are on the lab's deck, and what a click there does.

The deck stands in a column of its own beside the cabinet's picture, so that it can cover nothing of
it. Everything here is a function of the deck's look, so what is drawn is what can be clicked. Places
are native units of the column, (0, 0) its upper left corner.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from cabinet.core.look import Button
from cabinet.lab.deck.controls import KEY_OF, KEYS_OF_STEEL, Action, Tab
from cabinet.lab.deck.look import BUTTONS, CONTACTS, DeckLook

Box: TypeAlias = tuple[float, float, float, float]

WIDTH: Final = 500
HEIGHT: Final = 1080
LEFT: Final = 28
INNER: Final = 456
LABELS: Final = {Button.BET_MINUS: "BET \N{MINUS SIGN}", Button.BET_PLUS: "BET +"}
KEY_SIGNS: Final = {"return": "enter"}


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


def spots(deck: DeckLook) -> tuple[Spot, ...]:
    """Everything that can be clicked."""
    return tuple(
        replace(spot, under=True) if spot.action == deck.under else spot for spot in _all_spots(deck)
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
    for number, (paper, label) in enumerate(deck.papers):
        x, w = _columns(4, 6)[number % 4]
        box = (x, 306.0 + 50 * (number // 4), w, 44.0)
        yield Spot(box, Role.PAPER, label, ("note", paper), f"n {number + 1}", deck.choosing)
    yield Spot((364, 413, 120, 36), Role.PUSH, "TAKE", ("take",), _key(("take",)))


def _contacts(deck: DeckLook) -> Iterator[Spot]:
    active = dict(deck.contacts)
    for row, contacts in enumerate(CONTACTS):
        for (name, label), (x, w) in zip(contacts, _columns(3, 6), strict=True):
            if name in active:
                words = ("turned", "off") if name in KEYS_OF_STEEL else ("open", "shut")
                action = ("turn", name)
                hint = f"{_key(action)} · {words[0] if active[name] else words[1]}"
                yield Spot((x, 495 + 58 * row, w, 52), Role.TOGGLE, label, action, hint, active[name])


def _faults(deck: DeckLook) -> Iterator[Spot]:
    for tab, name, (x, w) in zip(Tab, deck.tabs, _columns(3, 6), strict=True):
        yield Spot((x, 683, w, 36), Role.TAB, name, ("tab", tab.value), on=tab is deck.tab)
    for number, fault in enumerate(deck.faults):
        x, w = _columns(2, 6)[number % 2]
        label = fault.partition(".")[2].replace("_", " ")
        yield Spot((x, 726 + 32 * (number // 2), w, 29), Role.FAULT, label, ("fault", fault))
    yield Spot((28, 958, 48, 36), Role.PUSH, "<", ("page", "-1"))
    yield Spot((152, 958, 48, 36), Role.PUSH, ">", ("page", "1"))
    yield Spot((334, 958, 150, 36), Role.PUSH, "PUT RIGHT", ("mend",), _key(("mend",)))


def words(deck: DeckLook) -> Iterator[Words]:
    """Everything that only says something."""
    yield Words((LEFT, 10, 330, 36), "LAB DECK", Tone.TITLE)
    yield Words((LEFT, 68, 66, 44), "SEAT", Tone.QUIET)
    for top, machine in ((242, deck.validator), (416, deck.printer)):
        tone = Tone.TROUBLE if machine.trouble else Tone.STATE
        end = 484 if machine is deck.validator else 352
        yield Words((LEFT, top, 130, 30), machine.name, Tone.NAME)
        yield Words((162, top, end - 162, 30), machine.word, tone, right=True)
    yield Words((LEFT, 272, INNER, 28), deck.validator.holds, Tone.QUIET)
    yield Words((LEFT, 453, INNER, 28), deck.printer.holds, Tone.QUIET)
    yield Words((LEFT, 611, INNER, 28), deck.candle, Tone.QUIET)
    yield Words((LEFT, 649, 90, 30), "FAULTS", Tone.NAME)
    yield Words((120, 649, 364, 30), "a click makes it happen", Tone.QUIET, right=True)
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
