"""The lock-up: a scrim over the frozen frame, what has happened, and the frozen clock.

It covers the dealer's row and the dial column; hand, grid and money stay visible. The player's
text is large, the code for the attendant is small.
"""

from __future__ import annotations

from typing import Final

from cabinet.core.look import LockLook, Step, TablePhase
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import (
    ACCENT,
    INK,
    NATIVE_HEIGHT,
    NATIVE_WIDTH,
    SCRIM,
    SCRIM_ALPHA,
    TEXT,
    TEXT_2,
    Face,
    Type,
)

TITLE: Final = Type(Face.BOLD, 124)
WORDS: Final = Type(Face.MEDIUM, 42)
CALL: Final = Type(Face.SEMI, 42)
CODE: Final = Type(Face.MEDIUM, 30)
FROZEN: Final = Type(Face.BOLD, 48)
SECONDS: Final = Type(Face.SEMI, 40)
LEFT: Final = Type(Face.MEDIUM, 32)
WIDTH: Final = 1264
TEXT_X: Final = 294
MIDDLE: Final = 144


def scrim(pen: Pen) -> None:
    """The veil over the frozen frame."""
    left, top, width, height = pen.kit.scale.box(0, 0, NATIVE_WIDTH, NATIVE_HEIGHT)
    pen.at(pen.kit.sprites.veil(width, height, SCRIM, SCRIM_ALPHA), left, top)


def panel(pen: Pen, lock: LockLook) -> None:
    """Icon, title, text, whom to call."""
    left, top, width, height = pen.kit.scale.box(0, 56, WIDTH, 276)
    pen.at(pen.kit.sprites.made("lock", width, height), left, top)
    pen.icon(lock.icon.value, 188, TEXT, 56, 100)
    room = WIDTH - TEXT_X - 110
    title = pen.fit(lock.title, TITLE, room)
    sizes = (TITLE, TITLE.sized(96), TITLE.sized(80))
    kind = next((kind for kind in sizes if pen.kit.text.fits(title, kind, room)), TITLE.sized(64))
    pen.text(title, kind, TEXT, TEXT_X - 4, 187)
    pen.text(pen.fit(lock.text, WORDS, WIDTH - TEXT_X - 40), WORDS, TEXT, TEXT_X, 247)
    pen.icon("bell", 42, ACCENT, TEXT_X, 266)
    call = pen.fit(lock.call, CALL, 560)
    pen.text(call, CALL, ACCENT, TEXT_X + 58, 304)
    pen.text(lock.code, CODE, TEXT_2, WIDTH - 36, 117, "r")
    if lock.others:
        also = pen.word(
            "lock.also", CODE, WIDTH - TEXT_X - 110 - pen.width(call, CALL), codes=", ".join(lock.others)
        )
        pen.text(also, CODE, TEXT_2, WIDTH - 36, 304, "r")


def frozen(pen: Pen, lock: LockLook, step: Step) -> None:
    """In place of the dial: the seconds that are left when play goes on."""
    pen.box(24, 340, 240, 390, 16, INK)
    clock = lock.remaining_ms is not None
    pen.text(pen.word("lock.frozen" if clock else "lock.paused", FROZEN, 230), FROZEN, TEXT, MIDDLE, 397, "c")
    pen.icon("pause", 120, TEXT, MIDDLE - 60, 454)
    if lock.remaining_ms is None:
        pen.text(pen.word("lock.no_clock", LEFT, 230), LEFT, TEXT_2, MIDDLE, 680, "c")
        return
    seconds = -(-lock.remaining_ms // 1000)
    pen.text(pen.word("lock.seconds", SECONDS, 230, count=seconds), SECONDS, TEXT, MIDDLE, 660, "c")
    what = "lock.left_to_decide" if step.phase is TablePhase.DECIDE else "lock.left_to_bet"
    pen.text(pen.word(what, LEFT, 230), LEFT, TEXT_2, MIDDLE, 703, "c")
