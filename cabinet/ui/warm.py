"""Loads while the table idles what play will need: faces at their sizes, words, panels, and sounds.

The first picture needs few surfaces, so the screen is there quickly; the rest is made in small
pieces, a few per idle frame. Whatever is needed earlier is simply made then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from cabinet.core.look import Cue, Message, View
from cabinet.ui import rehearsal
from cabinet.ui.compose import SCENES
from cabinet.ui.draw import slots
from cabinet.ui.draw.art import EnoughError, Ration
from cabinet.ui.draw.layout import layout
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.draw.theme import (
    DEALER_TOTAL,
    DIAL_FIGURE,
    DIAL_LAST,
    GRID_FIGURE,
    GRID_FIGURE_7,
    GRID_LABEL,
    HAND_TOTAL,
    LANE_TOTAL,
    ON_ACCENT,
    SPLIT_TOTAL,
    TEXT,
    TEXT_2,
    Colour,
    Type,
)
from cabinet.ui.moment import Moment, moment
from cabinet.ui.parts.money import CHIPS
from cabinet.ui.parts.seat import HEAD, HEAD_NARROW
from cabinet.ui.scenes.piece import Piece
from cabinet.ui.sound.player import Mixer

FACES: Final = 52
TOTALS: Final = range(4, 27)
LONGEST_S: Final = 30  # of the countdowns that are drawn beforehand


def work(kit: Kit, mixer: Mixer, view: View, ration: Ration, over: Callable[[], bool]) -> Iterator[None]:
    """Pieces of work for a cabinet like that of `view`, the most needed first; each takes a few
    milliseconds and ends with a `yield`. `over` says whether the time that there is now has passed."""
    shape = layout(view.seats)
    hand = (280, 240) if shape.large else (240, 200)
    yield from _faces(kit, (hand[0], 140))
    yield from _rehearse(kit, view, ration, over)
    yield from _figures(kit, view)
    yield from _faces(kit, (120, hand[1]))
    for cue in Cue:
        yield from mixer.prepare(cue)
    for card in range(FACES):
        kit.sprites.nobody(card, 150)
        yield
        kit.sprites.tile(card, 72, 96)
        yield


def _faces(kit: Kit, widths: tuple[float, ...]) -> Iterator[None]:
    for width in widths:
        for card in range(FACES):
            kit.sprites.card(card, width)
            yield
        kit.sprites.card_shadow(width, width * slots.RATIO)
        yield


def _rehearse(kit: Kit, view: View, ration: Ration, over: Callable[[], bool]) -> Iterator[None]:
    """The parts of made-up views, drawn and thrown away: what they are made of stays in the caches."""
    for value in CHIPS:
        kit.sprites.chip(value, figure=True)
        kit.sprites.chip(value, figure=False)
        yield
    for made_up in rehearsal.views(view):
        at = moment(made_up, 0)
        for piece in SCENES[made_up.scene](at, kit.times):
            while not _rehearsed(kit, piece, at, ration, over):
                yield
            yield


def _rehearsed(kit: Kit, piece: Piece, at: Moment, ration: Ration, over: Callable[[], bool]) -> bool:
    """Draw a piece; False when the time is over and it has to be drawn again for the rest."""
    try:
        with ration.until(over):
            piece.draw(Pen(kit, 0), at)
    except EnoughError:
        return False
    return True


def _figures(kit: Kit, view: View) -> Iterator[None]:
    """Numbers that are drawn as a whole: totals, what a seat stood on, the seconds of the dial."""
    narrow = layout(view.seats).narrow
    cell = GRID_FIGURE_7 if narrow else GRID_FIGURE
    head = HEAD_NARROW if narrow else HEAD
    kinds: tuple[tuple[Type, Colour], ...] = (
        (HAND_TOTAL, TEXT), (DEALER_TOTAL, TEXT), (SPLIT_TOTAL, TEXT), (LANE_TOTAL, TEXT_2),
        (cell, TEXT), (cell, TEXT_2), (cell, ON_ACCENT),
    )  # fmt: skip
    for total in TOTALS:
        for kind, colour in kinds:
            kit.text.surface(str(total), kind, colour)
            yield
        said = ("head.bust", TEXT_2) if total > 21 else ("head.stood", TEXT)
        kit.text.surface(kit.words.text(Message(said[0], (("total", total),))), head, said[1])
        yield
        kit.text.surface(kit.words.word("caption.choices_on", total=total), GRID_LABEL, TEXT_2)
        yield
    for second in range(1, min(LONGEST_S, max(view.rules.bet_seconds, view.rules.decide_seconds)) + 1):
        kit.text.surface(str(second), DIAL_LAST if second <= 5 else DIAL_FIGURE, TEXT)
        yield
