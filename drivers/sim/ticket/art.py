"""What a cash-out ticket looks like: the paper of a simulated printer as a PNG.

The canvas is that of the trade's usual ticket, 500 x 1240 dots at 203 dpi, leading edge on top.
The face is laid out lying, 1240 x 500, and turned a quarter; positions below are of the lying
face. A thermal head knows no grey: every dot is black or white.

Rendering takes some tens of milliseconds, so nothing is drawn before somebody looks.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from drivers.sim.ticket import itf

PAPER_WIDTH_DOTS = 500
PAPER_LENGTH_DOTS = 1240
THRESHOLD = 140  # grey of the smoothed letters below which a dot is burnt
FONT_FOLDER = Path(__file__).resolve().parents[3] / "cabinet" / "ui" / "assets" / "fonts"

CENTRE_X = 652
LEFT_X = 96
RIGHT_X = 1216
LINE_WIDTH = 1112  # from LEFT_X to the same distance on the other side of the centre
BAR_CODE_Y = 164
BAR_CODE_HEIGHT = 120
TITLE_BOX = (322, 92, 981, 155)  # last dots included
TITLE_WIDTH = 620
VOID_WORD = "VOID"
CAPITAL_HEIGHT = 0.7  # of the size, in this typeface
FINE = 4  # letters are drawn this many times larger and then reduced to dots

_SMALLEST_SIZE = 18

_Anchor = Literal["l", "m", "r"]


@dataclass(frozen=True, slots=True)
class TicketText:
    """The 17 data fields of the cash-out template in the order in which a host sends them."""

    leading_number: str
    establishment: str
    street: str
    city: str
    title: str
    label: str
    number: str
    date: str
    time: str
    ticket_no: str
    words_1: str
    words_2: str
    figures: str
    small_print: str  # this cabinet prints the seat there
    expiry: str
    machine: str
    bar_code: str

    @property
    def validation(self) -> str:
        """The number as a host's books have it: 18 digits, or nothing on a test print."""
        return self.bar_code.strip()


@dataclass(frozen=True, slots=True)
class _Style:
    """How one line of text is set: size in dots per em, extra dots between letters, anchor."""

    size: int
    weight: str = "SemiBold"
    spacing: int = 0
    anchor: _Anchor = "m"
    ink: int = 0
    centred: bool = False  # a text that shrinks keeps the middle of its capitals, not its baseline


@lru_cache(maxsize=64)  # a day of play shows the same few pictures again and again
def render_png(ticket: TicketText, printed_rows: int = PAPER_LENGTH_DOTS, fonts: Path = FONT_FOLDER) -> bytes:
    """The paper as PNG; a ticket that stopped on the way is white behind `printed_rows`."""
    paper = render(ticket, printed_rows, fonts)
    out = io.BytesIO()
    paper.save(out, "PNG", optimize=True)
    return out.getvalue()


def render(
    ticket: TicketText, printed_rows: int = PAPER_LENGTH_DOTS, fonts: Path = FONT_FOLDER
) -> Image.Image:
    """The paper as a picture of mode ``1``, `PAPER_WIDTH_DOTS` by `PAPER_LENGTH_DOTS`."""
    face = _Face(fonts)
    face.leading_edge(ticket)
    face.heading(ticket)
    face.bar_code(ticket.bar_code)
    face.details(ticket)
    face.amount(ticket)
    paper = face.image.transpose(Image.Transpose.ROTATE_270)
    if printed_rows < PAPER_LENGTH_DOTS:
        paper.paste(255, (0, max(0, printed_rows), PAPER_WIDTH_DOTS, PAPER_LENGTH_DOTS))
    return paper.point(lambda grey: 255 if grey >= THRESHOLD else 0, mode="1")


@lru_cache(maxsize=64)
def _font(folder: Path, weight: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(folder / f"TableSans-{weight}.ttf"), size)


@lru_cache(maxsize=64)  # the lines that are the same on every ticket of a house
def _mask(
    folder: Path, weight: str, size: int, text: str, steps: tuple[float, ...], pen: float
) -> Image.Image:
    """One line of letters, each at its own place, in grey."""
    span, height = int(sum(steps)) + size // 2 + 2, size + size // 3
    mask = Image.new("L", (span * FINE, height * FINE), 0)
    draw = ImageDraw.Draw(mask)
    font = _font(folder, weight, size * FINE)
    for letter, step in zip(text, steps, strict=True):
        draw.text((pen, size * FINE), letter, fill=255, font=font, anchor="ls")
        pen += step * FINE
    return mask.reduce(FINE)


@lru_cache(maxsize=4096)  # the pairs of letters that tickets have, in a few sizes
def _advance(folder: Path, weight: str, size: int, pair: str) -> float:
    """How far the first letter of a pair (the last one of a text stands alone) moves the pen."""
    font = _font(folder, weight, size * FINE)
    return font.getlength(pair) - (font.getlength(pair[1]) if len(pair) == 2 else 0.0)


class _Face:
    """The lying face while it is drawn, in grey."""

    def __init__(self, fonts: Path) -> None:
        self._fonts = fonts
        self.image = Image.new("L", (PAPER_LENGTH_DOTS, PAPER_WIDTH_DOTS), 255)
        self._draw = ImageDraw.Draw(self.image)

    def leading_edge(self, ticket: TicketText) -> None:
        """The number that shows while the ticket still stands in the chute, turned to read upright."""
        strip = Image.new("L", (PAPER_WIDTH_DOTS, 64), 255)
        style = _Style(34, "Bold", spacing=1)
        self._text(strip, ticket.leading_number, (250, 46), style, PAPER_WIDTH_DOTS - 20)
        self.image.paste(strip.transpose(Image.Transpose.ROTATE_90), (0, 0))
        self._draw.rectangle((66, 20, 68, 479), fill=0)

    def heading(self, ticket: TicketText) -> None:
        self._line(ticket.establishment, (CENTRE_X, 46), _Style(40, "Bold", spacing=3))
        address = ", ".join(part.strip() for part in (ticket.street, ticket.city) if part.strip())
        self._line(address, (CENTRE_X, 78), _Style(28, spacing=1))
        self._draw.rectangle(TITLE_BOX, fill=0)
        title = ticket.title.strip() or "CASHOUT TICKET"
        style = _Style(56, "Bold", spacing=6, ink=255, centred=True)
        self._line(title, (CENTRE_X, 142), style, TITLE_WIDTH)

    def bar_code(self, digits: str) -> None:
        """The bar code, or the word VOID where the host sent none."""
        if not digits.strip():
            void = f"{VOID_WORD}   {VOID_WORD}   {VOID_WORD}"
            self._line(void, (CENTRE_X, BAR_CODE_Y + 98), _Style(110, "Bold", spacing=4), LINE_WIDTH)
            return
        left = CENTRE_X - (itf.width_dots(digits) + 1) // 2
        last_y = BAR_CODE_Y + BAR_CODE_HEIGHT - 1
        for offset, width in itf.bars(digits):
            x = left + offset
            self._draw.rectangle((x, BAR_CODE_Y, x + width - 1, last_y), fill=0)

    def details(self, ticket: TicketText) -> None:
        label = ticket.label.strip() or "VALIDATION"
        self._line(f"{label}  {ticket.number}", (CENTRE_X, 322), _Style(38, "Bold", spacing=1))
        plain = _Style(32, anchor="l")
        self._line(f"{ticket.date}  {ticket.time}", (LEFT_X, 360), plain, 540)
        self._line(ticket.ticket_no, (RIGHT_X, 360), _Style(32, anchor="r"), 540)
        self._line("VOID AFTER", (LEFT_X, 440), plain)
        self._line(ticket.expiry.upper(), (LEFT_X, 476), _Style(32, "Bold", anchor="l"), 320)
        self._line(ticket.machine, (RIGHT_X, 440), _Style(32, anchor="r"), 320)
        self._line(ticket.small_print, (RIGHT_X, 476), _Style(32, "Bold", anchor="r"), 320)

    def amount(self, ticket: TicketText) -> None:
        """Words and figures; long words first shrink, then take a second line from the figures."""
        first, second = ticket.words_1.strip(), ticket.words_2.strip()
        if second:
            self._line(first, (CENTRE_X, 385), _Style(28, "Bold"))
            self._line(second, (CENTRE_X, 410), _Style(28, "Bold"))
            self._line(ticket.figures, (CENTRE_X, 476), _Style(68, "Bold"), 560)
            return
        fits = sum(self._steps(_Style(32, "Bold"), 32, first)) <= LINE_WIDTH
        self._line(first, (CENTRE_X, 394), _Style(32 if fits else 28, "Bold"))
        self._line(ticket.figures, (CENTRE_X, 476), _Style(84, "Bold"), 560)

    def _line(self, text: str, at: tuple[int, int], style: _Style, width: int = LINE_WIDTH) -> None:
        self._text(self.image, text, at, style, width)

    def _text(self, sheet: Image.Image, text: str, at: tuple[int, int], style: _Style, width: int) -> None:
        """One line on its baseline. Too long a text shrinks; a printer cuts what still does not fit."""
        size = style.size
        steps = self._steps(style, size, text)
        while sum(steps) > width and size > _SMALLEST_SIZE:
            size -= 2
            steps = self._steps(style, size, text)
        while sum(steps) > width:
            text, steps = text[:-1], steps[:-1]
        # Letters are set finer than the dots of the head, so that hinting does not move them about.
        x = at[0] - sum(steps) * {"l": 0.0, "m": 0.5, "r": 1.0}[style.anchor]
        baseline = at[1] - (round(CAPITAL_HEIGHT / 2 * (style.size - size)) if style.centred else 0)
        left, top = int(x) - size // 4, baseline - size
        mask = _mask(self._fonts, style.weight, size, text, tuple(steps), (x - left) * FINE)
        sheet.paste(style.ink, (left, top, left + mask.width, top + mask.height), mask)

    def _steps(self, style: _Style, size: int, text: str) -> list[float]:
        """How far each letter moves the pen in dots, kerning included."""
        pairs = (text[place : place + 2] for place in range(len(text)))
        return [_advance(self._fonts, style.weight, size, pair) / FINE + style.spacing for pair in pairs]
