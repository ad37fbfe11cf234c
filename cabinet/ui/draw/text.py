"""Rendered text, cached and bounded.

One surface per (type, colour, string), in a least-recently-used cache. Amounts that may roll are
composed of cached figures: the tabular figures of both families have equal advances, so a meter
that counts up makes no new surfaces. Letters of tracked text are rendered one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import pygame

from cabinet.ui.draw.art import Ration
from cabinet.ui.draw.theme import Colour, Scale, Type

FONTS: Final = Path(__file__).parents[1] / "assets" / "fonts"
# A full table with seven seats and a full grid shows about 150 different strings; the rest is
# room for a few rounds, so that words come back from the cache.
TEXT_CACHE: Final = 512
# Ten figures and a few signs in about ten types and five colours.
GLYPH_CACHE: Final = 512
WIDTH_CACHE: Final = 1024


class Glyph(NamedTuple):
    """A single figure or sign and how far it moves the pen."""

    surface: pygame.Surface
    advance: int


class Run(NamedTuple):
    """A piece of a line in one weight."""

    text: str
    strong: bool


class TextKit:
    """Fonts and rendered strings of one screen size."""

    def __init__(self, scale: Scale, ration: Ration | None = None) -> None:
        self._scale = scale
        self.ration = ration or Ration()
        # One font object per file and size; bounded by the type roles of the theme.
        self._fonts: dict[tuple[str, int], pygame.font.Font] = {}
        self.surface = lru_cache(TEXT_CACHE)(self._render)
        self.glyph = lru_cache(GLYPH_CACHE)(self._glyph)
        self.width = lru_cache(WIDTH_CACHE)(self._width)

    def font(self, kind: Type) -> pygame.font.Font:
        """The font of a type role at the size of this screen."""
        size = self._scale.font(kind.size)
        font = self._fonts.get((kind.face, size))
        if font is None:
            font = pygame.font.Font(str(FONTS / f"{kind.face}.ttf"), size)
            self._fonts[kind.face, size] = font
        return font

    def ascent(self, kind: Type) -> int:
        """From the top of a rendered surface down to the baseline, in pixels."""
        return self.font(kind).get_ascent()

    def fits(self, text: str, kind: Type, native_width: float) -> bool:
        """Whether every line of `text` fits a width in native units."""
        room = self._scale.px(native_width)
        return all(self.width(plain(line), kind) <= room for line in text.split("\n"))

    def _render(self, text: str, kind: Type, colour: Colour) -> pygame.Surface:
        self.ration.take()
        font = self.font(kind)
        if not kind.tracking:
            return font.render(text, True, colour).convert_alpha()
        whole = pygame.Surface((self._width(text, kind) or 1, font.get_height()), pygame.SRCALPHA)
        pen = 0.0
        for letter in text:
            whole.blit(font.render(letter, True, colour), (round(pen), 0))
            pen += font.size(letter)[0] + kind.tracking * self._scale.font(kind.size)
        return whole

    def _glyph(self, sign: str, kind: Type, colour: Colour) -> Glyph:
        self.ration.take()
        font = self.font(kind)
        return Glyph(font.render(sign, True, colour).convert_alpha(), font.size(sign)[0])

    def _width(self, text: str, kind: Type) -> int:
        font = self.font(kind)
        if not kind.tracking:
            return font.size(text)[0]
        gap = kind.tracking * self._scale.font(kind.size)
        advances = [font.size(letter)[0] for letter in text]
        return round(sum(advances) + gap * max(0, len(text) - 1))


def plain(line: str) -> str:
    """A line without its marks for strong words."""
    return line.replace("*", "")


def runs(line: str) -> Iterator[Run]:
    """``Bets *$5* to`` as runs: plain, strong, plain."""
    for number, piece in enumerate(line.split("*")):
        if piece:
            yield Run(piece, number % 2 == 1)
