"""The money lines of a seat: BET with its chips, CREDIT, WON. They never move."""

from __future__ import annotations

from typing import Final

from cabinet.core.look import SeatLook, SeatState
from cabinet.ui.draw.layout import SEAT_TOP, Form, Layout
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import ACCENT, TEXT, TEXT_2, TEXT_3, Colour, Face, Type

CAPTION: Final = Type(Face.SEMI, 28, 0.04)
CAPTION_NARROW: Final = Type(Face.NARROW_SEMI, 28)
CAPTION_SIDE: Final = Type(Face.SEMI, 32, 0.04)
CHIPS: Final = (500, 100, 25, 5, 1)
MOST_CHIPS: Final = 6
CHIP_STEP: Final = 22
CHIP_SIZE: Final = 44
ROLL_STEPS: Final = 12
SIDE_WIDTH: Final = 620  # of a seat at three seats


def amount_types(shape: Layout) -> tuple[Type, Type, Type]:
    """Types of the amounts: bet, others, and an amount of zero."""
    if shape.form is Form.SIDE:
        return Type(Face.BOLD, 48), Type(Face.SEMI, 48), Type(Face.MEDIUM, 48)
    if shape.narrow:
        return Type(Face.NARROW_BOLD, 44), Type(Face.NARROW_SEMI, 40), Type(Face.NARROW_MEDIUM, 40)
    return Type(Face.BOLD, 44), Type(Face.SEMI, 40), Type(Face.MEDIUM, 40)


def rolled(pen: Pen, look: SeatLook) -> tuple[int, int]:
    """Credit and last win as the meters show them now: they count up in 12 steps."""
    if look.roll_ms is None:
        return look.credit_cents, look.won_cents
    share = pen.share(look.roll_ms, pen.kit.times.roll_ms, ROLL_STEPS)
    return (
        _between(look.credit_from_cents, look.credit_cents, share),
        _between(look.won_from_cents, look.won_cents, share),
    )


def _between(old: int, new: int, share: float) -> int:
    return new if share >= 1 else old + (new - old) * round(share * ROLL_STEPS) // ROLL_STEPS


def money_lines(pen: Pen, look: SeatLook, shape: Layout, x: float, w: float) -> None:
    """The three lines; an amount of zero is dim."""
    side = shape.form is Form.SIDE
    tops, height = ((68, 146, 224), 70) if side else ((64, 109, 152), 44)
    right = x + (12 + 284 if side and w == SIDE_WIDTH else w / 2 - 20 if side else w - 12)
    caption = CAPTION_SIDE if side else CAPTION_NARROW if shape.narrow else CAPTION
    bet_type, rest_type, zero_type = amount_types(shape)
    credit, won = rolled(pen, look)
    dim = look.state in (SeatState.AWAY, SeatState.OUT)
    rows = (
        ("caption.bets" if look.bets > 1 else "caption.bet", look.bet_cents, bet_type, TEXT),
        ("caption.credit", credit, rest_type, TEXT),
        ("caption.won", won, rest_type, TEXT_2),
    )
    for top, (key, cents, kind, colour) in zip(tops, rows, strict=True):
        zero = cents == 0 and key != "caption.credit"
        face: Type = zero_type.sized(kind.size) if zero else kind
        ink: Colour = TEXT_3 if zero or (dim and key != "caption.credit") else colour
        text = pen.kit.words.money(cents)
        baseline = SEAT_TOP + top + height / 2 + 0.35 * kind.size
        width = pen.figures(text, face, ink, right, baseline) / pen.kit.scale.factor
        room = right - x - 12 - width - 8
        word = pen.word(key, caption, room, count=look.bets)
        pen.caps(word, caption, TEXT_2, x + 12, SEAT_TOP + top, height)
        used = pen.width(word, caption)
        if key in ("caption.bet", "caption.bets"):
            if shape.narrow or w == SIDE_WIDTH:
                continue  # at these widths only some amounts would leave room for chips
            chips(pen, cents, right - width - 14, SEAT_TOP + top + height / 2 - 22, room - used - 14)
        elif key == "caption.credit" and look.notes_here and room - used > 48:
            pen.icon("note", 36, ACCENT, x + 12 + used + 10, SEAT_TOP + top + height / 2 - 18)


def chips_of(units: int) -> tuple[int, ...]:
    """Chips for an amount in whole units, largest first, never more than six."""
    rest = units
    found: list[int] = []
    for value in CHIPS:
        count, rest = divmod(rest, value)
        found += [value] * min(count, MOST_CHIPS + 1)
    return tuple(found[:MOST_CHIPS])


def chips_width(units: int) -> float:
    """Native width of the chips of an amount in whole units."""
    count = len(chips_of(units))
    return CHIP_SIZE + CHIP_STEP * (count - 1) if count else 0


def chips(pen: Pen, cents: int, right: float, y: float, room: float) -> None:
    """Overlapping chips that end at `right`: the largest on top and to the right, with its figure."""
    units = cents // pen.kit.words.currency.whole
    stack = chips_of(units)
    if not stack or chips_width(units) > room:
        return
    for number, value in enumerate(reversed(stack)):
        last = number == len(stack) - 1
        x = right - CHIP_SIZE - CHIP_STEP * (len(stack) - 1 - number)
        pen.place(pen.kit.sprites.chip(value, figure=last), x, y)
