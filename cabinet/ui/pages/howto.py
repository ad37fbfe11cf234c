"""How the game is played, in four pictures: on the help page and in the attract loop."""

from __future__ import annotations

from typing import Final

from cabinet.core.look import Button, CardLook, LampLook
from cabinet.ui.draw.layout import FLIGHT_FROM
from cabinet.ui.draw.paint import Item
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.slots import Slot
from cabinet.ui.draw.theme import (
    ACCENT,
    BADGE,
    BADGE_FIGURE,
    LINE,
    ON_ACCENT,
    PANEL,
    TEXT,
    TEXT_2,
    Colour,
    Face,
    Type,
)
from cabinet.ui.parts.block import lamp
from cabinet.ui.parts.cell import draw_cell
from cabinet.ui.parts.dial import ring
from cabinet.ui.parts.hand import draw_card
from game.cards import RANKS, SUITS
from game.grid import Cell, CellState

TITLE: Final = Type(Face.BOLD, 84)
STEP_TITLE: Final = Type(Face.BOLD, 44)
STEP_TEXT: Final = Type(Face.MEDIUM, 36)
DIAL_FIGURE: Final = Type(Face.BOLD, 72)
DEALER: Final = Type(Face.SEMI, 28, 0.06)
DEALER_TOTAL: Final = Type(Face.BOLD, 64)
SMALL: Final = Type(Face.MEDIUM, 28)
THEN: Final = Type(Face.SEMI, 36)
PANELS: Final = (60, 515, 970, 1425)
TOP: Final = 204
WIDTH: Final = 435
HEIGHT: Final = 612


def face(name: str) -> CardLook:
    """A card for a picture: "9H"."""
    return CardLook(SUITS.index(name[-1]) * 13 + RANKS.index(name[:-1]), 0, 0)


def title(pen: Pen, seats: int, baseline: float) -> None:
    """One hand, seven opinions."""
    if seats == 1:
        text = pen.word("help.title_one", TITLE, 1100)
    else:
        text = pen.word("help.title_many", TITLE, 1100, count=pen.kit.words.word(f"help.number.{seats}"))
    pen.text(text, TITLE, TEXT, 60, baseline)


def four_pictures(pen: Pen, seats: int, shift: float = 0) -> None:
    """The four panels, `shift` native pixels lower than on the help page."""
    for number, x in enumerate(PANELS):
        _panel(pen, number + 1, x, TOP + shift, single=seats == 1)
    _one_hand(pen, PANELS[0], shift, seats)
    _decide(pen, PANELS[1], shift)
    _total_stays(pen, PANELS[2], shift)
    _dealer_last(pen, PANELS[3], shift)


def _panel(pen: Pen, number: int, x: float, y: float, *, single: bool) -> None:
    pen.box(x, y, WIDTH, HEIGHT, 16, PANEL, (LINE, 2))
    left, top, width, height = pen.kit.scale.box(x + 2, y + 2, WIDTH - 4, 336)
    pen.items.append(Item(pen.kit.sprites.made("picture", width, height), left, top))
    pen.box(x + 24, y + 358, 44, 44, 22, ACCENT)
    pen.caps(str(number), BADGE_FIGURE, ON_ACCENT, x + 46, y + 358, 44, "c")
    alone = "_one" if single and number < 3 else ""
    head = f"help.step_{number}_title{'_one' if single and number == 1 else ''}"
    pen.caps(pen.word(head, STEP_TITLE, 330), STEP_TITLE, TEXT, x + 84, y + 358, 44)
    text = pen.word(f"help.step_{number}_text{alone}", STEP_TEXT, 391)
    pen.lines(text, STEP_TEXT, TEXT, x + 24, y + 466, 48)


def _card(pen: Pen, name: str, x: float, y: float, w: float) -> None:
    draw_card(pen, face(name), Slot(x, y, w, w * 1.4))


def _badge(pen: Pen, figure: str, x: float, y: float, fill: Colour = BADGE) -> None:
    pen.box(x, y, 44, 44, 22, fill)
    pen.caps(figure, BADGE_FIGURE, TEXT, x + 22, y, 44, "c")


def _one_hand(pen: Pen, x: float, shift: float, seats: int) -> None:
    """One pair of cards, and lines from it to every seat."""
    _card(pen, "9H", x + 84, 236 + shift, 128)
    _card(pen, "7S", x + 224, 236 + shift, 128)
    left, top, width, height = pen.kit.scale.box(x, 420 + shift, WIDTH, 72)
    pen.items.append(Item(pen.kit.sprites.fan(width, height, seats), left, top))
    for number in range(seats):
        middle = x + 217 + (number - (seats - 1) / 2) * 56
        _badge(pen, str(number + 1), middle - 22, 486 + shift)


def _decide(pen: Pen, x: float, shift: float) -> None:
    """Four lamps and a running clock."""
    ring(pen, x + 154, 224 + shift, 128, 33)
    pen.caps("8", DIAL_FIGURE, TEXT, x + 218, 224 + shift, 128, "c")
    lamps = (
        (Button.HIT, 40, 372),
        (Button.STAND, 224, 372),
        (Button.DOUBLE, 40, 450),
        (Button.SPLIT, 224, 450),
    )
    for button, right, y in lamps:
        if button is not Button.SPLIT:
            pen.halo(x + right, y + shift, 172, 66)
    for button, right, y in lamps:
        state = LampLook.OFF if button is Button.SPLIT else LampLook.LIT
        lamp(pen, button, state, (x + right, y + shift, 172, 66), size=40)


def _total_stays(pen: Pen, x: float, shift: float) -> None:
    """Three cards; who stood on two of them keeps 16."""
    for name, right in (("9H", 36), ("7S", 92), ("4D", 160)):
        _card(pen, name, x + right, 228 + shift, 96)
    then = pen.word("help.then", THEN, 150).split("\n")
    for number, line in enumerate(then):
        colour = TEXT_2 if line.startswith("*") else TEXT
        pen.text(line.strip("*"), THEN, colour, x + 282, 288 + shift + 44 * number)
    cells = (
        Cell(1, CellState.STAND, 16),
        Cell(2, CellState.STAND, 20),
        Cell(3, CellState.TIME, 16),
    )
    for number, cell in enumerate(cells):
        draw_cell(pen, cell, x + 36 + 122.6 * number, 380 + shift, 117.6)


def _dealer_last(pen: Pen, x: float, shift: float) -> None:
    """The hand goes on for nobody, then the dealer draws."""
    pen.text(pen.word("caption.dealer", DEALER, 110), DEALER, TEXT_2, x + 30, 251 + shift)
    pen.text("18", DEALER_TOTAL, TEXT, x + 30, 315 + shift)
    _card(pen, "10C", x + 150, 222 + shift, 68)
    _card(pen, "8H", x + 226, 222 + shift, 68)
    for name, right in (("9H", 30), ("7S", 78), ("4D", 126)):
        _card(pen, name, x + right, 376 + shift, 100)
    draw_card(pen, face("6C"), Slot(x + 260, 376 + shift, 100, 140), nobody=True)
    pen.text(pen.word("help.extra_card", SMALL, 200), SMALL, TEXT_2, x + 310, 352 + shift, "c")


def fly_in(pen: Pen, name: str, slot: Slot, start_ms: int) -> None:
    """A card of the demonstration: on its way, or lying."""
    share = pen.share(start_ms, pen.kit.times.deal_flight_ms)
    if share <= 0:
        return
    eased = 1 - (1 - share) ** 3
    x = FLIGHT_FROM[0] + (slot.x - FLIGHT_FROM[0]) * eased
    y = FLIGHT_FROM[1] + (slot.y - FLIGHT_FROM[1]) * eased
    draw_card(pen, face(name), slot._replace(x=x, y=y))
