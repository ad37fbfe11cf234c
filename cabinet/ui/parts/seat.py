"""The panel of a seat: head, money lines, and below them lamps, a message, or the result.

Fill, edge, word and mark change together, so that colour is never alone. The money lines never
move. The one-seat console is in `console`, the little ticket in `ticket`.
"""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from cabinet.core.look import SeatLook, SeatState
from cabinet.ui.draw.layout import SEAT_HEIGHT, SEAT_TOP, Form, Layout
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import (
    ACCENT,
    BADGE,
    BADGE_FIGURE,
    FAINT,
    INK,
    LINE,
    LINE_HI,
    ON_ACCENT,
    PANEL,
    PANEL_HI,
    TEXT,
    TEXT_2,
    Colour,
    Face,
    Type,
)
from cabinet.ui.moment import Moment, seat_change
from cabinet.ui.parts import block
from cabinet.ui.parts.hand import shape_of
from cabinet.ui.parts.money import money_lines
from cabinet.ui.parts.ticket import ticket

RADIUS: Final = 16
HEAD_HEIGHT: Final = 56
BADGE_SIZE: Final = 44
MARK: Final = 34
TAG_WIDTH: Final = 40
GRADIENT: Final = 124


class SeatDress(NamedTuple):
    """How the panel of a seat is dressed."""

    edge: tuple[Colour, float]
    head: Colour  # colour of the word
    badge: tuple[Colour | None, Colour]  # fill and figure; None: hollow
    mark: str = ""
    amber_head: bool = False
    dashed: bool = False
    off: bool = False


_REST: Final = (BADGE, TEXT)
_SAID: Final = (TEXT, INK)
_HOLLOW: Final = (None, TEXT_2)
_NOW: Final = (ON_ACCENT, ACCENT)
_WON: Final = (ACCENT, ON_ACCENT)

DRESSES: Final = {
    SeatState.EMPTY: SeatDress((FAINT, 2), TEXT_2, _HOLLOW, off=True),
    SeatState.CREDIT: SeatDress((LINE, 2), TEXT, _REST),
    SeatState.PLACE_BET: SeatDress((ACCENT, 4), ON_ACCENT, _NOW, amber_head=True),
    SeatState.BET: SeatDress((TEXT, 3), TEXT, _SAID, "check"),
    SeatState.READY: SeatDress((TEXT, 3), TEXT, _SAID, "check"),
    SeatState.OUT: SeatDress((FAINT, 2), TEXT_2, _HOLLOW, "stand", off=True),
    SeatState.WATCH: SeatDress((LINE, 2), TEXT, _REST),
    SeatState.TURN: SeatDress((ACCENT, 4), ON_ACCENT, _NOW, amber_head=True),
    SeatState.DECIDED: SeatDress((TEXT, 3), TEXT, _SAID, "check"),
    SeatState.DOUBLED: SeatDress((LINE, 2), TEXT, _REST, "x2"),
    SeatState.SPLIT: SeatDress((LINE, 2), TEXT, _REST, "split"),
    SeatState.STOOD: SeatDress((LINE, 2), TEXT, _REST, "stand"),
    SeatState.BUST: SeatDress((LINE, 2), TEXT_2, _REST, "bust"),
    SeatState.BLACKJACK: SeatDress((TEXT, 3), TEXT, _SAID, "check"),
    SeatState.TIME_OUT: SeatDress((LINE, 2), TEXT, _REST, "time"),
    SeatState.WIN: SeatDress((ACCENT, 3), ACCENT, _WON, "win"),
    SeatState.PUSH: SeatDress((LINE, 2), TEXT, _REST, "push"),
    SeatState.LOSE: SeatDress((LINE, 2), TEXT_2, _REST, "lose"),
    SeatState.AWAY: SeatDress((FAINT, 2), TEXT_2, _HOLLOW, "away", off=True),
    SeatState.LOCKED: SeatDress((TEXT, 2), TEXT, _REST, "lock", dashed=True),
    SeatState.CASH_OUT: SeatDress((TEXT, 3), TEXT, _SAID, "ticket"),
}

HEAD: Final = Type(Face.BOLD, 40)
HEAD_NARROW: Final = Type(Face.NARROW_BOLD, 40)
TAG: Final = Type(Face.NARROW_BOLD, 30)


def seat(pen: Pen, at: Moment, number: int) -> None:
    """Seat `number` (from 0), cross-fading from what it was before."""
    shape = shape_of(at)
    x, w = shape.seat_boxes[number]
    change = seat_change(at, number, pen.kit.times)
    if change.before is None or at.lock is not None:
        panel(pen, change.look, shape, x, w)
        return
    new, old = pen.sub(), pen.sub()
    panel(new, change.look, shape, x, w)
    panel(old, change.before, shape, x, w)
    fade_ms = pen.kit.times.lamp_fade_ms
    pen.fade((x, SEAT_TOP, w, SEAT_HEIGHT), old.items, new.items, change.at_ms, fade_ms)
    pen.until(new.until_ms)
    if pen.now_ms < change.at_ms + fade_ms:
        pen.until(old.until_ms)


def panel(pen: Pen, look: SeatLook, shape: Layout, x: float, w: float) -> None:
    """The whole panel of a seat in one state."""
    pen.kept((look, shape.seats, x), partial(_panel, look=look, shape=shape, x=x, w=w))


def _panel(pen: Pen, look: SeatLook, shape: Layout, x: float, w: float) -> None:
    clothes = DRESSES[look.state]
    if look.notes_here and not clothes.mark:
        clothes = clothes._replace(mark="note")  # a shared slot pays in here
    shell(pen, clothes, x, SEAT_TOP, w)
    head(pen, look, clothes, x, w, narrow=shape.narrow)
    if look.ticket is not None:
        ticket(pen, look, look.ticket, shape, x, w)
        return
    if look.state is SeatState.EMPTY:
        _free(pen, shape, x, w)
    else:
        money_lines(pen, look, shape, x, w)
    block.block(pen, look, shape, x, w)


def shell(pen: Pen, clothes: SeatDress, x: float, y: float, w: float) -> None:
    """Panel and edge; thicker edges grow inwards."""
    sprites = pen.kit.sprites
    left, top, width, height = pen.kit.scale.box(x, y, w, SEAT_HEIGHT)
    edge = sprites.edge(clothes.edge[0], clothes.edge[1], dashed=clothes.dashed)
    upper = PANEL if clothes.off else PANEL_HI
    pen.at(sprites.gradient(width, height, RADIUS, upper, PANEL, GRADIENT, edge), left, top)


def head(pen: Pen, look: SeatLook, clothes: SeatDress, x: float, w: float, *, narrow: bool) -> None:
    """Number, word and mark."""
    y = SEAT_TOP
    if clothes.amber_head:
        left, top, width, height = pen.kit.scale.box(x + 2, y + 2, w - 4, HEAD_HEIGHT)
        pen.at(pen.kit.sprites.made("head", width, height), left, top)
    fill, figure = clothes.badge
    edge = (LINE_HI, 3.0) if fill is None else None
    pen.box(x + 12, y + 8, BADGE_SIZE, BADGE_SIZE, BADGE_SIZE / 2, fill, edge)
    pen.caps(str(look.seat), BADGE_FIGURE, figure, x + 12 + BADGE_SIZE / 2, y + 8, BADGE_SIZE, "c")
    kind = HEAD_NARROW if narrow else HEAD
    mark_width = {"": 0, "x2": TAG_WIDTH}.get(clothes.mark, MARK)
    room = w - 66 - 12
    with_mark = room - mark_width - 4
    long, short = pen.kit.words.text(look.head), pen.kit.words.text(look.head, short=True)
    fits = [text for text in (long, short) if pen.kit.text.fits(text, kind, with_mark)]
    text = fits[0] if fits else pen.fit(look.head, kind, room)
    pen.text(text, kind, clothes.head, x + 66, y + 46)
    if not fits or not clothes.mark:
        return
    if clothes.mark == "x2":
        pen.box(x + w - 12 - TAG_WIDTH, y + 15, TAG_WIDTH, 31, 7, TEXT)
        pen.caps(pen.word("cell.double", TAG, 46), TAG, INK, x + w - 12 - TAG_WIDTH / 2, y + 14, 31, "c")
    else:
        pen.icon(clothes.mark, MARK, clothes.head, x + w - 12 - MARK, y + 13)


def _free(pen: Pen, shape: Layout, x: float, w: float) -> None:
    """The note of a seat that nobody has."""
    room = w - 300 if shape.form is Form.SIDE else w
    top = SEAT_TOP + (84 if shape.form is Form.STRIP else 130)
    pen.icon("note", 96, LINE_HI, x + room / 2 - 48, top)
