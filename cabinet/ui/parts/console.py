"""The one-seat form: meters, a hint and eight lamps over the whole width."""

from __future__ import annotations

from typing import Final

from cabinet.core.look import Button, CashOutState, LampLook, Message, SeatLook, SeatState, TicketLook
from cabinet.ui.draw.pen import Pen, Strong
from cabinet.ui.draw.theme import (
    ACCENT,
    CAPTION,
    LINE,
    ON_ACCENT,
    PANEL,
    TEXT,
    TEXT_2,
    TEXT_3,
    WELL,
    Face,
    Type,
)
from cabinet.ui.moment import Moment, seat_change
from cabinet.ui.parts.block import lamp, notice_of
from cabinet.ui.parts.hand import shape_of
from cabinet.ui.parts.money import chips, chips_width, rolled
from cabinet.ui.parts.seat import DRESSES, shell
from cabinet.ui.parts.ticket import paper, progress, ticket_message
from game.hand import total

# Sizes of an amount and the width up to which each is used: the largest stays beside the caption.
AMOUNTS: Final = (
    (Type(Face.BOLD, 84), 300),
    (Type(Face.BOLD, 72), 396),
    (Type(Face.BOLD, 60), 396),
    (Type(Face.BOLD, 48), 396),
)
HINT: Final = Type(Face.MEDIUM, 34)
HINT_STRONG: Final = Type(Face.BOLD, 34)
SLIP: Final = Type(Face.MEDIUM, 28)
SLIP_STRONG: Final = Type(Face.SEMI, 28)
RESULT: Final = Type(Face.BOLD, 64)
TOP: Final = 776
METERS: Final = (40, 492, 944)
METER: Final = (436, 140)
HINT_BOX: Final = (1396, TOP, 484, 140)
LAMP_TOP: Final = 936
LAMP_HEIGHT: Final = 112
LAMPS: Final = (
    (Button.CASH_OUT, 40, 220, 44),
    (Button.BET_MINUS, 270, 190, 44),
    (Button.BET_PLUS, 471, 190, 44),
    (Button.DEAL, 671, 190, 44),
    (Button.HIT, 871, 256, 52),
    (Button.STAND, 1138, 256, 52),
    (Button.DOUBLE, 1404, 256, 52),
    (Button.SPLIT, 1670, 210, 44),
)


def console(pen: Pen, at: Moment) -> None:
    """The only seat, cross-fading from what it was before."""
    change = seat_change(at, 0, pen.kit.times)
    x, w = shape_of(at).seat_boxes[0]
    if change.before is None or at.lock is not None:
        _panel(pen, at, change.look, x, w)
        return
    new, old = pen.sub(), pen.sub()
    _panel(new, at, change.look, x, w)
    _panel(old, at, change.before, x, w)
    pen.fade((x, 758, w, 310), old.items, new.items, change.at_ms, pen.kit.times.lamp_fade_ms)
    pen.until(new.until_ms)
    if pen.now_ms < change.at_ms + pen.kit.times.lamp_fade_ms:
        pen.until(old.until_ms)


def _panel(pen: Pen, at: Moment, look: SeatLook, x: float, w: float) -> None:
    clothes = DRESSES[look.state]
    if look.state is not SeatState.LOCKED:
        clothes = clothes._replace(edge=(LINE, 2), off=False)
    shell(pen, clothes, x, 758, w)
    credit, won = rolled(pen, look)
    bet_key = "caption.bets" if look.bets > 1 else "caption.bet"
    for left, key, cents in zip(
        METERS, ("caption.credit", bet_key, "caption.won"), (credit, look.bet_cents, won), strict=True
    ):
        _meter(pen, look, left, key, cents)
    _hint(pen, at, look)
    lamps = dict(look.lamps)
    lit = [box for box in LAMPS if lamps.get(box[0]) is LampLook.LIT]
    for _, left, width, _ in lit:
        pen.halo(left, LAMP_TOP, width, LAMP_HEIGHT)
    for button, left, width, size in LAMPS:
        state = lamps.get(button, LampLook.OFF)
        lamp(pen, button, state, (left, LAMP_TOP, width, LAMP_HEIGHT), size=size, radius=14)


def _meter(pen: Pen, look: SeatLook, x: float, key: str, cents: int) -> None:
    width, height = METER
    pen.box(x, TOP, width, height, 12, WELL, (LINE, 2))
    pen.text(pen.word(key, CAPTION, width - 40, count=look.bets), CAPTION, TEXT_2, x + 22, TOP + 43)
    text = pen.kit.words.money(cents)
    fitting = (kind for kind, room in AMOUNTS if pen.kit.text.fits(text, kind, room))
    kind = next(fitting, AMOUNTS[-1][0])
    ink = TEXT_3 if cents == 0 and key != "caption.credit" else TEXT
    used = pen.figures(text, kind, ink, x + width - 22, TOP + 86 + 0.35 * kind.size) / pen.kit.scale.factor
    if key in ("caption.bet", "caption.bets"):
        chips(
            pen,
            cents,
            x + 22 + chips_width(cents // pen.kit.words.currency.whole),
            TOP + 76,
            width - 40 - used - 14,
        )


def _hint(pen: Pen, at: Moment, look: SeatLook) -> None:
    """What can be done now, why a press was refused, the result, or the ticket."""
    x, y, w, h = HINT_BOX
    notice = notice_of(pen, look)
    if notice is None and look.ticket is not None:
        _slip(pen, look, look.ticket)
        return
    if notice is None and look.result_cents is not None:
        _result(pen, look.result_cents)
        return
    pen.box(x, y, w, h, 12, PANEL if notice else None, (TEXT, 3) if notice else (LINE, 2))
    message = notice or look.trouble or look.message or default_hint(at, look)
    if message is None:
        return
    text = pen.fit(message, HINT_STRONG, w - 48)
    first = y + h / 2 - 25 * text.count("\n") + 0.35 * HINT.size
    pen.lines(text, HINT, TEXT, x + 26, first, 50, "l", Strong(HINT_STRONG, TEXT))


def default_hint(at: Moment, look: SeatLook) -> Message | None:
    """A hint that follows from the lamps when the seat has no message of its own."""
    lamps = dict(look.lamps)
    lit = {button for button, state in lamps.items() if state is LampLook.LIT}
    bet = ("bet_cents", look.bet_cents // max(1, look.bets))
    if Button.DOUBLE in lit and Button.SPLIT in lit:
        return Message("seat.hint_double_or_split", (bet,))
    if Button.DOUBLE in lit:
        return Message("seat.hint_double", (bet,))
    if Button.SPLIT in lit:
        return Message("seat.hint_split", (bet,))
    if Button.HIT in lit and at.view.hands:
        cards = [card.card for card in at.view.hands[_active(at)].cards if card.land_ms <= at.ms]
        return Message("seat.hint_hit_stand", (("total", total(cards).best),))
    if Button.BET_PLUS in lit:
        return Message("seat.hint_bet")
    return None


def _active(at: Moment) -> int:
    """Which of the hands is played now."""
    for number, row in enumerate(at.step.grid.rows):
        if row.active and number < len(at.view.hands):
            return number
    return 0


def _result(pen: Pen, cents: int) -> None:
    x, y, w, h = HINT_BOX
    sign = (cents > 0) - (cents < 0)
    fill, edge, ink, icon = {
        1: (ACCENT, ACCENT, ON_ACCENT, "win"),
        0: (None, TEXT, TEXT, "push"),
        -1: (None, LINE, TEXT_2, "lose"),
    }[sign]
    pen.box(x, y, w, h, 12, fill, (edge, 3))
    text = pen.kit.words.money(cents, False, True) if cents else pen.word("result.even", RESULT, w)
    width = pen.width(text, RESULT)
    left = x + w / 2 - (width + 70) / 2
    pen.icon(icon, 52, ink, left, y + h / 2 - 26)
    pen.caps(text, RESULT, ink, left + 70, y, h)


def _slip(pen: Pen, look: SeatLook, slip: TicketLook) -> None:
    x, y, w, h = HINT_BOX
    pen.box(x, y, w, h, 12, None, (TEXT if slip.state is CashOutState.TAKE else LINE, 2))
    paper(pen, slip, narrow=True, x=x + 14, y=y + 12, w=236, h=116)
    text = pen.fit(ticket_message(look, slip), SLIP_STRONG, 204)
    pen.lines(text, SLIP, TEXT_2, x + 268, y + 54, 36, "l", Strong(SLIP_STRONG, TEXT))
    progress(pen, slip, x + 268, y + 112, 196)
