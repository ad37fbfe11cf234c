"""The banner of a recalled round: hatched, so that nobody takes it for play."""

from __future__ import annotations

from typing import Final

from cabinet.core.look import TablePhase
from cabinet.ui.draw.paint import Item
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import ACCENT, INK, LINE_TEXT, PHASE, TEXT, TEXT_2, Face, Type
from cabinet.ui.moment import Moment
from cabinet.ui.parts.topbar import banners

TITLE: Final = Type(Face.BOLD, 52, 0.12)
WORDS: Final = Type(Face.SEMI, 36)
SOFTER: Final = Type(Face.MEDIUM, 36)
KEYS: Final = Type(Face.MEDIUM, 32)
KEYS_STRONG: Final = Type(Face.SEMI, 32)
MIDDLE: Final = 144


def recall_banner(pen: Pen, at: Moment) -> None:
    """Banner, side strips, how the round ended, and what the keys do."""
    said = {banner.kind: banner.text for banner in at.view.banners}
    message = said["recall"]
    for left_x, y, w, h in ((0, 0, 1920, 72), (0, 72, 12, 1008), (1908, 72, 12, 1008)):
        left, top, width, height = pen.kit.scale.box(left_x, y, w, h)
        pen.items.append(Item(pen.kit.sprites.made("hatch", width, height), left, top))
    pen.bar_box(60, 0, 1800, 72, INK)
    title = pen.word("recall.title", TITLE, 240)
    pen.text(title, TITLE, ACCENT, 90, 54)
    step = pen.fit(said["recall_step"], WORDS, 300)
    pen.text(step, WORDS, TEXT, 1830, 49, "r")
    x = 90.0 + pen.width(title, TITLE) + 36
    end = 1830 - pen.width(step, WORDS) - 36
    words = pen.fit(message, WORDS, end - x)
    pen.text(words, WORDS, TEXT, x, 49)
    x += pen.width(words, WORDS) + 36
    past = pen.fit(said["recall_end"], SOFTER, end - x)
    if pen.kit.text.fits(past, SOFTER, end - x):
        pen.text(past, SOFTER, TEXT_2, x, 49)
        x += pen.width(past, SOFTER) + 36
    banners(pen, at.view.banners, x, end, 16)
    _summary(pen, at)
    if any(hand.opens_ms is not None for hand in at.view.hands):
        _keys_beside(pen)
    else:
        _keys(pen)


def _summary(pen: Pen, at: Moment) -> None:
    """In place of the dial: the phase of the step."""
    name = "settled" if at.step.phase is TablePhase.PAID else at.step.phase.value
    pen.text(pen.word(f"phase.{name}", PHASE, 240), PHASE, TEXT, MIDDLE, 393, "c")
    if at.step.line is not None:
        text = pen.fit(at.step.line, LINE_TEXT, 240)
        pen.lines(text, LINE_TEXT, TEXT_2, MIDDLE, 454, 42, "c")


def _keys(pen: Pen) -> None:
    """What the four keys of the cabinet do here."""
    word = pen.word("recall.keys", KEYS, 120)
    pen.text(word, KEYS, TEXT_2, 60, 729)
    x: float = 60 + pen.width(word, KEYS) + 14
    for key in ("up", "down", "enter", "back"):
        name = key.upper()
        pen.text(name, KEYS_STRONG, ACCENT, x, 729)
        x += pen.width(name, KEYS_STRONG) + 14
        what = pen.word(f"recall.{key}", KEYS, 300)
        pen.text(what, KEYS, TEXT_2, x, 729)
        x += pen.width(what, KEYS) + 44


def _keys_beside(pen: Pen) -> None:
    """The same beside split hands, whose columns reach down to the seats."""
    for number, key in enumerate(("up", "down", "enter", "back")):
        y = 604 + 36 * number
        name = key.upper()
        pen.text(name, KEYS_STRONG.sized(26), ACCENT, 24, y)
        what = pen.word(f"recall.{key}", KEYS.sized(26), 240 - pen.width(name, KEYS_STRONG.sized(26)) - 10)
        pen.text(what, KEYS.sized(26), TEXT_2, 24 + pen.width(name, KEYS_STRONG.sized(26)) + 10, y)
