"""The bar along the top: name, banners, limits, round number and clock."""

from __future__ import annotations

from cabinet.core.look import BannerLook, View
from cabinet.ui.draw.paint import Item
from cabinet.ui.draw.pen import Pen, Strong
from cabinet.ui.draw.theme import (
    ACCENT,
    INK,
    INK_EDGE,
    LINE_HI,
    PANEL_HI,
    TEXT,
    TEXT_2,
    TOP,
    TOP_NAME,
    TOP_STRONG,
    Face,
    Type,
)

HEIGHT = 56
BASELINE = 38
GAP = 34
BANNER = Type(Face.SEMI, 28)
LAB = Type(Face.BOLD, 28, 0.10)
MINUTE_MS = 60_000


def base(pen: Pen) -> None:
    """What never changes: the bar, the mark and the name."""
    pen.bar_box(0, 0, 1920, HEIGHT, INK)
    pen.bar_box(0, HEIGHT - 2, 1920, 2, INK_EDGE)
    pen.icon("mark", 40, ACCENT, 24, 9)
    pen.text(pen.word("top.name", TOP_NAME, 600), TOP_NAME, TEXT, 78, BASELINE)


def right(pen: Pen, view: View, *, page: str = "") -> float:
    """Limits, round and clock, from the right edge inwards. Returns their left end.

    `page` is the key of a help page's name; it stands in the place of the round.
    """
    strong = Strong(TOP_STRONG, TEXT)
    wall = view.top.wall_ms + pen.now_ms
    pen.until(pen.now_ms + MINUTE_MS - wall % MINUTE_MS)
    entries = [f"*{pen.kit.words.hours_minutes(wall)}*"]
    if page:
        entries.append(f"*{pen.word(page, TOP_STRONG, 240)}*")
    elif view.top.round_number:
        entries.append(pen.word("top.round", TOP_STRONG, 260, number=view.top.round_number))
    limits = {"min_cents": view.top.min_bet_cents, "max_cents": view.top.max_bet_cents}
    entries.append(pen.word("top.bets", TOP_STRONG, 400, **limits))
    x = 1896.0
    for entry in entries:
        pen.rich(entry, TOP, TEXT_2, strong, x, BASELINE, "r")
        x -= pen.width(entry, TOP_STRONG) + GAP
    return x


def banners(pen: Pen, looks: tuple[BannerLook, ...], left: float, right_end: float, y: float = 8) -> None:
    """LAB always first, then the others, as long as there is room."""
    for look in sorted(looks, key=lambda each: each.kind != "lab"):
        if look.kind.startswith("recall") or (look.until_ms is not None and pen.now_ms >= look.until_ms):
            continue
        if look.until_ms is not None:
            pen.until(look.until_ms)
        room = right_end - left - 60
        if not pen.kit.text.fits(pen.fit(look.text, BANNER, room), BANNER, room):
            continue
        left += (
            _lab(pen, look, left, y, room) if look.kind == "lab" else _pill(pen, look, left, y, room)
        ) + 16


def _pill(pen: Pen, look: BannerLook, x: float, y: float, room: float) -> float:
    """White words in a white edge: something has been said. Returns the width."""
    text = pen.fit(look.text, BANNER, room)
    width = pen.width(text, BANNER) + 36
    pen.box(x, y, width, 40, 20, PANEL_HI, (TEXT, 2))
    pen.caps(text, BANNER, TEXT, x + 18, y, 40)
    return width


def _lab(pen: Pen, look: BannerLook, x: float, y: float, room: float) -> float:
    """A hatched end and grey words: always there, never in the way."""
    text = pen.fit(look.text, BANNER, room)
    word, _, rest = text.partition("  ")
    first = pen.width(word, LAB)
    width = 40 + 14 + first + 16 + pen.width(rest, BANNER) + 20
    pen.box(x, y, width, 40, 8, INK, (LINE_HI, 2), dashed=True)
    left, top, wide, high = pen.kit.scale.box(x + 6, y + 6, 36, 28)
    pen.items.append(Item(pen.kit.sprites.made("hatch", wide, high), left, top))
    pen.caps(word, LAB, TEXT, x + 54, y, 40)
    pen.caps(rest, BANNER, TEXT_2, x + 54 + first + 16, y, 40)
    return width
