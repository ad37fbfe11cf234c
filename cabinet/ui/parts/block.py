"""The block of a seat: lamps, a two-line message, the result; and why a press was refused.

A refusal and the short help never take a lit lamp or a result from sight: they stand in a row of lamps
that are all dark, else over the line of the last win.
"""

from __future__ import annotations

from typing import Final

from cabinet.core.look import Button, LampLook, Message, SeatLook, SeatState
from cabinet.ui.draw.layout import SEAT_TOP, Form, Layout
from cabinet.ui.draw.pen import Pen, Strong
from cabinet.ui.draw.theme import (
    ACCENT,
    DARK_WORD,
    FAINT,
    LINE,
    ON_ACCENT,
    PANEL,
    TEXT,
    TEXT_2,
    WELL,
    Colour,
    Face,
    Type,
)
from cabinet.ui.parts.money import SIDE_WIDTH

BET_LAMPS: Final = (Button.BET_MINUS, Button.BET_PLUS, Button.DEAL, Button.CASH_OUT)
PLAY_LAMPS: Final = (Button.HIT, Button.STAND, Button.DOUBLE, Button.SPLIT)
HELP_PAGES: Final = 5  # of the short help inside a seat
GAP: Final = 6


def block_box(shape: Layout, x: float, w: float) -> tuple[float, float, float, float]:
    """Where the block of a seat is."""
    if shape.form is Form.SIDE:
        left = x + 320 if w == SIDE_WIDTH else x + w / 2 + 8
        return left, SEAT_TOP + 68, x + w - 12 - left, 230
    return x + 12, SEAT_TOP + 204, w - 24, 94


def won_box(shape: Layout, x: float, w: float) -> tuple[float, float, float, float]:
    """The line of the last win, as the money lines have it."""
    if shape.form is Form.SIDE:
        return x + 12, SEAT_TOP + 232, (284 if w == SIDE_WIDTH else w / 2 - 32), 54
    return x + 12, SEAT_TOP + 154, w - 24, 42


def shown_lamps(look: SeatLook) -> tuple[tuple[Button, LampLook], ...]:
    """The four lamps that are on the screen now, or none when a message or a result stands there."""
    lamps = dict(look.lamps)
    off = LampLook.OFF
    play = tuple((button, lamps.get(button, off)) for button in PLAY_LAMPS)
    bets = tuple((button, lamps.get(button, off)) for button in BET_LAMPS)
    # While the table is frozen all lamps are dark; a seat that decides still has its four.
    chosen = play if look.state is SeatState.TURN or any(lamp is not off for _, lamp in play) else bets
    if look.result_cents is not None:
        return ()
    if look.message is not None and not any(lamp is LampLook.LIT for _, lamp in chosen):
        return ()
    if look.state in (SeatState.EMPTY, SeatState.LOCKED):
        return ()
    return chosen


def block(pen: Pen, look: SeatLook, shape: Layout, x: float, w: float) -> None:
    """What stands in the block now."""
    box = block_box(shape, x, w)
    lamps = shown_lamps(look)
    notice = notice_of(pen, look) or look.trouble
    if lamps:
        _lamps(pen, lamps, shape, box)
        if notice is not None:
            _notice_over_lamps(pen, notice, lamps, shape, box, won_box(shape, x, w))
    elif look.result_cents is not None:
        _result(pen, look.result_cents, shape, box)
        if notice is not None:
            _notice_line(pen, notice, shape, won_box(shape, x, w))
    elif notice is not None:
        message(pen, notice, shape, box, (TEXT, 3), TEXT)
    elif look.message is not None:
        called = look.notes_here or look.state is SeatState.LOCKED
        edge, colour = (TEXT, TEXT) if called else (LINE, TEXT_2)
        message(pen, look.message, shape, box, (edge, 3), colour)


def notice_of(pen: Pen, look: SeatLook) -> Message | None:
    """Why a press was refused, for a while; else the page of the short help, if it is open."""
    if look.refused is not None:
        end = look.refused_until_ms or look.refused_ms + pen.kit.times.refused_ms
        pen.until(look.refused_ms)
        if look.refused_ms <= pen.now_ms < end:
            pen.until(end)
            return look.refused
    if look.help_page > 0:
        return Message(f"help.seat_{(look.help_page - 1) % HELP_PAGES + 1}")
    return None


def _type(shape: Layout, size: int = 34) -> Type:
    return Type(Face.NARROW_SEMI, size - 2) if shape.narrow else Type(Face.SEMI, size)


def message(
    pen: Pen,
    text: Message,
    shape: Layout,
    box: tuple[float, float, float, float],
    edge: tuple[Colour, float],
    colour: Colour,
) -> None:
    """Two centred lines in an edge."""
    x, y, w, h = box
    pen.box(x, y, w, h, 10, None if edge[0] == LINE else PANEL, edge)
    kind = _type(shape, 40 if shape.form is Form.SIDE else 34)
    words = pen.fit(text, kind, w - (24 if shape.form is Form.SIDE else 8))
    leading = 48 if shape.form is Form.SIDE else 42
    count = words.count("\n") + 1
    # Mixed letters sit lower than capitals would.
    first = y + h / 2 - leading * (count - 1) / 2 + 0.39 * kind.size
    strong = Strong(kind, TEXT)
    pen.lines(words, kind, colour, x + w / 2, first, leading, "c", strong)


def _result(pen: Pen, cents: int, shape: Layout, box: tuple[float, float, float, float]) -> None:
    """The net of the round: amber for a win, white for even, dim for a loss."""
    x, y, w, h = box
    side = shape.form is Form.SIDE
    kind = (
        Type(Face.BOLD, 60) if side else Type(Face.NARROW_BOLD, 46) if shape.narrow else Type(Face.BOLD, 52)
    )
    fill, edge, ink, icon = {
        1: (ACCENT, ACCENT, ON_ACCENT, "win"),
        0: (None, TEXT, TEXT, "push"),
        -1: (None, LINE, TEXT_2, "lose"),
    }[(cents > 0) - (cents < 0)]
    pen.box(x, y, w, h, 10, fill, (edge, 3))
    text = pen.kit.words.money(cents, False, True) if cents else pen.word("result.even", kind, w)
    width = pen.kit.text.width(text, kind) / pen.kit.scale.factor
    if side:
        pen.icon(icon, 40, ink, x + w / 2 - 20, y + h / 2 - 56)
        pen.text(text, kind, ink, x + w / 2, y + h / 2 + 52, "c")
        return
    gap, size = 12, 40
    left = x + w / 2 - (width + size + gap) / 2
    pen.icon(icon, size, ink, left, y + h / 2 - size / 2)
    pen.caps(text, kind, ink, left + size + gap, y, h)


def lamp_boxes(box: tuple[float, float, float, float]) -> tuple[tuple[float, float, float, float], ...]:
    """Four lamps, two by two."""
    x, y, w, h = box
    lamp_w, lamp_h = (w - GAP) / 2, (h - GAP) / 2
    return tuple(
        (x + (lamp_w + GAP) * column, y + (lamp_h + GAP) * row, lamp_w, lamp_h)
        for row in (0, 1)
        for column in (0, 1)
    )


def _lamps(
    pen: Pen,
    lamps: tuple[tuple[Button, LampLook], ...],
    shape: Layout,
    box: tuple[float, float, float, float],
) -> None:
    # All halos first: the light of one lamp must not lie over its neighbour.
    cells = lamp_boxes(box)
    for (_, state), cell in zip(lamps, cells, strict=True):
        if state is LampLook.LIT:
            pen.halo(*cell)
    for (button, state), cell in zip(lamps, cells, strict=True):
        lamp(pen, button, state, cell, narrow=shape.narrow)


def lamp(
    pen: Pen,
    button: Button,
    state: LampLook,
    box: tuple[float, float, float, float],
    *,
    narrow: bool = False,
    size: int = 36,
    radius: float = 9,
) -> None:
    """One lamp: lit is the expected answer, outlined is also possible, dark is not."""
    x, y, w, h = box
    kind = Type(Face.NARROW_BOLD, size - 2) if narrow else Type(Face.BOLD, size)
    if state is LampLook.LIT:
        pen.box(x, y, w, h, radius, ACCENT)
        ink = ON_ACCENT
    elif state is LampLook.OUTLINED:
        pen.box(x, y, w, h, radius, WELL, (ACCENT, 2))
        ink = ACCENT
    else:
        pen.box(x, y, w, h, radius, WELL, (FAINT, 2))
        ink = DARK_WORD
    key = f"lamp.{button.value}"
    long = pen.kit.words.word(key)
    if not pen.kit.text.fits(long, kind, w - 8):
        kind = kind.sized(kind.size - 4)
    pen.caps(pen.word(key, kind, w - 4), kind, ink, x + w / 2, y, h, "c")


def _notice_over_lamps(
    pen: Pen,
    text: Message,
    lamps: tuple[tuple[Button, LampLook], ...],
    shape: Layout,
    box: tuple[float, float, float, float],
    won: tuple[float, float, float, float],
) -> None:
    """In the row of lamps that is dark, else over the line of the last win."""
    x, y, w, h = box
    row_h = (h - GAP) / 2
    dark = [row for row in (1, 0) if all(state is LampLook.OFF for _, state in lamps[2 * row : 2 * row + 2])]
    if dark and shape.form is Form.SIDE:
        message(pen, text, shape, (x, y + (row_h + GAP) * dark[0], w, row_h), (TEXT, 3), TEXT)
        return
    _notice_line(pen, text, shape, (x, y + (row_h + GAP) * dark[0], w, row_h) if dark else won)


def _notice_line(pen: Pen, text: Message, shape: Layout, box: tuple[float, float, float, float]) -> None:
    """One line: the long form where it fits."""
    x, y, w, h = box
    kind = _type(shape, 30)
    forms = [pen.kit.words.text(text, short=short).replace("\n", " ") for short in (False, True)]
    line = forms[0] if pen.kit.text.fits(forms[0], kind, w - 12) else forms[1]
    pen.box(x, y, w, h, 9, PANEL, (TEXT, 2))
    pen.caps(line, kind, TEXT, x + w / 2, y, h, "c")
