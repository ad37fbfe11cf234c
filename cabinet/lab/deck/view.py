"""Draws the lab's deck with the screen's own pen, in a column beside the cabinet's picture.

It looks like what it is: the cabinet's colours and type, but on ink instead of felt, with dashed edges
and a hatched border that nothing on a real cabinet has. Amber keeps its meaning: lit, or trouble.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cabinet.lab.deck.deck import HEIGHT, WIDTH, Role, Spot, Tone, Words, spots, words
from cabinet.lab.deck.look import DeckLook
from cabinet.ui.draw.paint import Item, Picture
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.draw.text import TextKit
from cabinet.ui.draw.theme import (
    ACCENT,
    DARK_WORD,
    FAINT,
    INK,
    INK_EDGE,
    LINE,
    LINE_HI,
    ON_ACCENT,
    PANEL_HI,
    TEXT,
    TEXT_2,
    TEXT_3,
    WELL,
    Colour,
    Face,
    Type,
)

BORDER: Final = 12  # of the hatched edge
LABELS: Final = {
    Role.SEAT: Type(Face.BOLD, 26),
    Role.LAMP: Type(Face.NARROW_BOLD, 22),
    Role.PAPER: Type(Face.NARROW_BOLD, 24),
    Role.PUSH: Type(Face.NARROW_BOLD, 22),
    Role.TOGGLE: Type(Face.NARROW_BOLD, 22),
    Role.TAB: Type(Face.NARROW_SEMI, 24),
    Role.FAULT: Type(Face.NARROW_MEDIUM, 22),
}
HINT: Final = Type(Face.NARROW_MEDIUM, 18)
TONES: Final[dict[Tone, tuple[Type, Colour]]] = {
    Tone.TITLE: (Type(Face.BOLD, 28, 0.10), TEXT),
    Tone.NAME: (Type(Face.SEMI, 24), TEXT),
    Tone.STATE: (Type(Face.BOLD, 24), TEXT_2),
    Tone.TROUBLE: (Type(Face.BOLD, 24), ACCENT),
    Tone.QUIET: (Type(Face.NARROW_MEDIUM, 22), TEXT_2),
    Tone.SAYS: (Type(Face.NARROW_MEDIUM, 22), TEXT),
}
SMALLEST: Final = 16  # a line that is too long is set smaller down to this, then cut
STACKED: Final = (Role.LAMP, Role.TOGGLE)  # the hint stands under the label, else beside it


def own_kit(kit: Kit) -> Kit:
    """The window's kit with a text cache of the deck's own, so that the table's words stay in theirs."""
    return replace(kit, text=TextKit(kit.scale))


def frame(kit: Kit, deck: DeckLook) -> Picture:
    """The column's picture."""
    pen = Pen(kit, 0)
    _border(pen)
    for line in words(deck):
        say(pen, line)
    for spot in spots(deck):
        _spot(pen, spot)
    width, height = kit.scale.px(WIDTH), kit.scale.px(HEIGHT)
    return Picture(kit.sprites.plain(width, height, INK), (pen.part(),), pen.until_ms)


def _border(pen: Pen) -> None:
    left, top, width, height = pen.kit.scale.box(0, 0, BORDER, HEIGHT)
    pen.items.append(Item(pen.kit.sprites.made("hatch", width, height), left, top))
    pen.bar_box(BORDER, 54, WIDTH - BORDER, 2, INK_EDGE)
    for y in (237, 407, 487, 644):
        pen.bar_box(28, y, 456, 1, INK_EDGE)


def fitted(pen: Pen, text: str, kind: Type, width: float) -> tuple[str, Type]:
    """A text and the size in which it fits its place; cut with a sign when no size is small enough."""
    while kind.size > SMALLEST and not pen.kit.text.fits(text, kind, width):
        kind = kind.sized(kind.size - 1)
    if pen.kit.text.fits(text, kind, width):
        return text, kind
    while text and not pen.kit.text.fits(text + "…", kind, width):
        text = text[:-1]
    return text.rstrip() + "…", kind


def two_lines(pen: Pen, text: str, kind: Type, width: float) -> tuple[list[str], int]:
    """A text in at most two lines, and its size; the size is below `SMALLEST` when it takes more."""
    for size in range(kind.size, SMALLEST - 1, -1):
        lines = pen.wrapped(text, kind.sized(size), width)
        if len(lines) <= 2:
            return lines, size
    return lines, SMALLEST - 1


def say(pen: Pen, line: Words) -> None:
    """One line in its box, or two."""
    x, y, w, h = line.box
    kind, colour = TONES[line.tone]
    if line.tone is Tone.SAYS:
        lines, size = two_lines(pen, line.text, kind, w)
        kind = kind.sized(max(size, SMALLEST))
        for number, text in enumerate(lines[:2]):
            pen.caps(text, kind, colour, x, y + number * h / 2, h / 2)
        return
    text, kind = fitted(pen, line.text, kind, w)
    pen.caps(text, kind, colour, x + w if line.right else x, y, h, "r" if line.right else "l")


def _spot(pen: Pen, spot: Spot) -> None:
    x, y, w, h = spot.box
    fill, edge, ink, dim = _dress(spot)
    pen.box(x, y, w, h, 8, fill, (edge, 2), dashed=spot.role in (Role.PAPER, Role.PUSH) and not spot.under)
    label = LABELS[spot.role]
    if not spot.hint:
        room = w - 12
        text, kind = fitted(pen, spot.label, label, room)
        if spot.role is Role.FAULT:
            pen.caps(text, kind, ink, x + 8, y, h)
        else:
            pen.caps(text, kind, ink, x + w / 2, y, h, "c")
    elif spot.role in STACKED:
        text, kind = fitted(pen, spot.label, label, w - 8)
        pen.caps(text, kind, ink, x + w / 2, y + 3, 28, "c")
        pen.caps(*fitted(pen, spot.hint, HINT, w - 8), dim, x + w / 2, y + 29, 20, "c")
    else:
        text, kind = fitted(pen, spot.label, label, w - 46)
        pen.caps(text, kind, ink, x + 10, y, h)
        pen.caps(spot.hint, HINT, dim, x + w - 9, y, h, "r")


def _dress(spot: Spot) -> tuple[Colour, Colour, Colour, Colour]:
    """Fill, edge, ink of the label and of the hint."""
    edge = TEXT if spot.under or spot.pressed else LINE
    match spot.role:
        case Role.LAMP if spot.on:
            return ACCENT, TEXT if spot.pressed else ACCENT, ON_ACCENT, ON_ACCENT
        case Role.LAMP:
            return WELL, edge if spot.under or spot.pressed else FAINT, DARK_WORD, DARK_WORD
        case Role.TOGGLE if spot.on:
            return PANEL_HI, ACCENT, ACCENT, ACCENT
        case Role.SEAT | Role.TAB if spot.on:
            return TEXT, TEXT, INK, INK
        case Role.PAPER if spot.on:
            return PANEL_HI, TEXT, TEXT, TEXT
        case Role.FAULT:
            return PANEL_HI if spot.under else INK, edge if spot.under else FAINT, TEXT, TEXT_3
        case _:
            return PANEL_HI, LINE_HI if not spot.under else TEXT, TEXT, TEXT_2
