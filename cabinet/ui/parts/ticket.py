"""Cash-out of a seat, inside its own panel: a little ticket, how far the print is, what to do."""

from __future__ import annotations

from typing import Final

from cabinet.core.look import CashOutState, Message, SeatLook, TicketLook
from cabinet.ui.draw.layout import SEAT_TOP, Form, Layout
from cabinet.ui.draw.paint import Item
from cabinet.ui.draw.pen import Pen, Strong
from cabinet.ui.draw.theme import ACCENT, LINE_HI, PAPER, PAPER_INK, TEXT, TEXT_2, TRACK, Face, Type

PROGRESS_STEPS: Final = 20
_MESSAGES: Final = {
    CashOutState.QUEUED: "seat.queue",
    CashOutState.PRINTING: "seat.printing",
    CashOutState.TAKE: "seat.take_ticket",
    CashOutState.HANDPAY: "seat.handpay",
    CashOutState.ASK: "seat.ask_ticket",
}


def ticket(pen: Pen, look: SeatLook, slip: TicketLook, shape: Layout, x: float, w: float) -> None:
    """Ticket, bar and two lines."""
    side = shape.form is not Form.STRIP
    left, width = x + 14, (w / 2 - 22 if side else w - 28)
    narrow = shape.narrow
    paper(pen, slip, narrow=narrow, x=left - 2, y=SEAT_TOP + 64, w=width + 4, h=150 if side else 132)
    progress(pen, slip, left, SEAT_TOP + (240 if side else 208), width)
    kind = Type(Face.NARROW_MEDIUM if narrow else Face.MEDIUM, 40 if side else 32)
    strong = Strong(Type(Face.NARROW_SEMI if narrow else Face.SEMI, kind.size), TEXT)
    message = ticket_message(look, slip)
    if side:
        text = pen.fit(message, strong.kind, w / 2 - 20)
        pen.lines(text, kind, TEXT_2, x + w / 2 + 12, SEAT_TOP + 130, 52, "l", strong)
    else:
        text = pen.fit(message, strong.kind, w - 20)
        pen.lines(text, kind, TEXT_2, left, SEAT_TOP + 258, 36, "l", strong)


def ticket_message(look: SeatLook, slip: TicketLook) -> Message:
    """The seat's own message, else one that follows from the state of the ticket."""
    arguments = (("credit_cents", look.credit_cents), ("place", slip.place), ("amount_cents", slip.cents))
    return look.message or Message(_MESSAGES[slip.state], arguments)


def paper(pen: Pen, slip: TicketLook, *, narrow: bool, x: float, y: float, w: float, h: float) -> None:
    """The paper, 116 to 150 high: dashed while there is none yet."""
    printed = slip.state in (CashOutState.PRINTING, CashOutState.TAKE, CashOutState.ASK)
    if printed or slip.state is CashOutState.HANDPAY:
        edge = (ACCENT, 4.0) if slip.state is CashOutState.TAKE else None
        pen.box(x, y, w, h, 6, PAPER, edge)
        ink, faint = PAPER_INK, PAPER_INK
    else:
        pen.box(x, y, w, h, 6, None, (LINE_HI, 2), dashed=True)
        ink, faint = TEXT, TEXT_2
    caption = Type(Face.NARROW_SEMI if narrow else Face.SEMI, 28)
    key = "seat.handpay_caption" if slip.state is CashOutState.HANDPAY else "seat.ticket_caption"
    pen.text(pen.fit(slip.why or Message(key), caption, w - 28), caption, faint, x + 14, y + 35)
    amount = Type(Face.NARROW_BOLD if narrow else Face.BOLD, 56 if h > 120 else 48)
    text = pen.kit.words.money(slip.cents)
    if not pen.kit.text.fits(text, amount, w - 28):
        amount = amount.sized(44)
    middle = y + (43 + h - 39) / 2 if printed else y + (43 + h - 8) / 2
    pen.caps(text, amount, ink, x + 14, middle - 20, 40)
    if printed:
        _code(pen, slip.last_digits, caption, x + 14, y + h - 33, w - 28)


def _code(pen: Pen, digits: str, kind: Type, x: float, y: float, w: float) -> None:
    """A pattern like a bar code (it tells nothing) and, where they are known, the last digits."""
    text = pen.word("seat.ticket_ends", kind, w * 0.6, digits=digits[-4:]) if digits else ""
    room = w - pen.width(text, kind) - 12 if text else w
    left, top, width, height = pen.kit.scale.box(x, y, room, 22)
    if width > 0:
        pen.items.append(Item(pen.kit.sprites.made("bars", width, height), left, top))
    pen.caps(text, kind, PAPER_INK, x + w, y, 22, "r")


def progress(pen: Pen, slip: TicketLook, x: float, y: float, w: float) -> None:
    """The bar of a print in 20 steps. It waits at 19 of 20 for the printer's own word."""
    if slip.state is CashOutState.TAKE:
        pen.bar(x, y, w, 8, ACCENT)
    elif slip.state is CashOutState.PRINTING:
        done = max(0, pen.now_ms - slip.since_ms)
        step = min(PROGRESS_STEPS - 1, done * PROGRESS_STEPS // max(1, slip.expected_ms))
        if step < PROGRESS_STEPS - 1:
            pen.until(slip.since_ms + -(-(step + 1) * slip.expected_ms // PROGRESS_STEPS))
        pen.bar(x, y, w, 8, TRACK)
        pen.bar(x, y, w, 8, ACCENT, step / PROGRESS_STEPS)
