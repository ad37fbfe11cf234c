"""Cards, chips, icons and panels as ready surfaces at the size of the screen.

Everything is made on first use, at the size of the screen, and kept in caches with a bound;
`cabinet.ui.warm` asks for what play will need while the table idles.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

import pygame

from cabinet.ui.draw import shapes
from cabinet.ui.draw.art import ASSETS, Ration, SurfaceCache, face_name, sized
from cabinet.ui.draw.shapes import Edge
from cabinet.ui.draw.theme import (
    ACCENT,
    CONTINUATION,
    FELT_HI,
    HALO_ALPHA,
    INK,
    LINE,
    LINE_HI,
    ON_ACCENT,
    PAPER,
    PAPER_INK,
    PICTURE_LO,
    SHADOW,
    SHADOW_ALPHA,
    TEXT,
    Colour,
    Look,
    Scale,
)
from game.cards import Card

CARD_RATIO: Final = 1.4
CARD_SIGMA: Final = 9.0
CARD_DROP: Final = 7  # the shadow lies this much lower than the card
HALO_SIGMA: Final = 8.0
# All 52 faces at each size of a table are 60 MB at 1920 x 1080 and four times that at 3840 x 2160,
# where a face is then made again when it has not been dealt for long.
CARD_BYTES: Final = 128 * 1024 * 1024
# Panels, cells, lamps and bars: about 120 kinds over all scenes of one cabinet.
SHAPE_CACHE: Final = 384
ICON_CACHE: Final = 256
# Inks by suit, S H D C, of the two decks. Tiles have them already multiplied with continuation paper.
INKS: Final = {
    "four": ("#15191C", "#C4122F", "#0B55B8", "#0A6B3C"),
    "two": ("#15191C", "#C4122F", "#C4122F", "#15191C"),
}

# Bars of the little ticket on screen, (left, width) in shares of its width. It is no code and says nothing.
_BAR_UNITS: Final = tuple(map(int, "26374352243546522533445526374352"))
BAR_PATTERN: Final = tuple(
    (sum(_BAR_UNITS[:n]) / sum(_BAR_UNITS), _BAR_UNITS[n] / sum(_BAR_UNITS))
    for n in range(0, len(_BAR_UNITS), 2)
)


def _plain(width: int, height: int, fill: Colour) -> pygame.Surface:
    surface = pygame.Surface((width, height)).convert()
    surface.fill(fill)
    return surface


def _veil(width: int, height: int, colour: Colour, alpha: int) -> pygame.Surface:
    surface = pygame.Surface((width, height)).convert()
    surface.fill(colour)
    surface.set_alpha(alpha)
    return surface


class Sprites:
    """Surfaces of one screen size and one deck."""

    def __init__(self, scale: Scale, look: Look, ration: Ration | None = None) -> None:
        self._scale = scale
        self.ration = ration or Ration()
        self._deck = ASSETS / "cards" / look.deck
        self.cards = SurfaceCache(CARD_BYTES)
        self.box = lru_cache(SHAPE_CACHE)(self._box)
        self.fan = lru_cache(2)(shapes.fan)
        self.veil = lru_cache(4)(_veil)
        self.plain = lru_cache(SHAPE_CACHE)(_plain)
        self.gradient = lru_cache(SHAPE_CACHE)(self._gradient)
        self.soft = lru_cache(SHAPE_CACHE)(self._soft)
        self.icon = lru_cache(ICON_CACHE)(self._icon)
        self.tick = lru_cache(ICON_CACHE)(self._tick)
        self.made = lru_cache(SHAPE_CACHE)(self._made)

    # ---- art files

    def card(self, card: Card, width: float) -> pygame.Surface:
        """A face at a native width."""
        face = face_name(card)
        return self.cards.get(
            ("card", face, width), lambda: self._load(self._deck / f"{face}.svg", width, CARD_RATIO)
        )

    def nobody(self, card: Card, width: float) -> pygame.Surface:
        """The same face on grey continuation paper."""

        def make() -> pygame.Surface:
            paper = self.card(card, width).copy()
            paper.fill(CONTINUATION, special_flags=pygame.BLEND_RGB_MULT)
            return paper

        return self.cards.get(("nobody", face_name(card), width), make)

    def tile(self, card: Card, width: float, height: float, *, own: bool = False) -> pygame.Surface:
        """An index tile, grey for continuation cards or white (`own`) for a hand of very many cards."""
        face = face_name(card)

        def make() -> pygame.Surface:
            self.ration.take()
            text = (self._deck / f"tile-{face}.svg").read_text()
            if own:
                ink = INKS[self._deck.name][card % 52 // 13]
                grey_paper, grey_ink = re.findall(r'fill="(#[0-9A-F]{6})"', text)[:2]
                text = text.replace(grey_paper, _css(PAPER)).replace(grey_ink, ink)
            return sized(text, self._scale.px(width), self._scale.px(height))

        return self.cards.get(("tile", face, width, height, own), make)

    def back(self, width: float) -> pygame.Surface:
        """The back of a card."""
        return self.cards.get(
            ("back", "", width), lambda: self._load(ASSETS / "cards" / "back.svg", width, CARD_RATIO)
        )

    def chip(self, value: int, *, figure: bool) -> pygame.Surface:
        """A chip of 44 native pixels with its little shadow, with or without its figure."""
        return self.made("chip", value, figure)

    def _load(self, path: Path, width: float, ratio: float) -> pygame.Surface:
        self.ration.take()
        return sized(path.read_text(), self._scale.px(width), self._scale.px(width * ratio))

    def _icon(self, name: str, size: float, colour: Colour) -> pygame.Surface:
        self.ration.take()
        pixels = self._scale.px(size)
        icon = sized((ASSETS / "icons" / f"{name}.svg").read_text(), pixels, pixels)
        icon.fill((*colour, 255), special_flags=pygame.BLEND_RGBA_MULT)
        return icon

    def _chip(self, value: int, figure: bool) -> pygame.Surface:
        text = (ASSETS / "chips" / f"{value}.svg").read_text()
        if not figure:  # the figure is the last path, in the ink of the cards
            start = text.rindex('<path fill="#15191C"')
            text = text[:start] + text[text.index("/>", start) + 2 :]
        size, drop = self._scale.px(44), self._scale.line(2)
        chip = sized(text, size, size)
        whole = pygame.Surface((size + drop, size + drop), pygame.SRCALPHA)
        shadow = chip.copy()
        shadow.fill((*SHADOW, 115), special_flags=pygame.BLEND_RGBA_MULT)
        whole.blit(shadow, (drop, drop))
        whole.blit(chip, (0, 0))
        return whole

    # ---- shapes; sizes in pixels, because neighbours round together

    def _box(
        self,
        width: int,
        height: int,
        radius: float,
        fill: Colour | None,
        edge: Edge | None = None,
        opacity: float = 1.0,
    ) -> pygame.Surface:
        self.ration.take()
        return shapes.box(width, height, radius * self._scale.factor, fill, edge, opacity)

    def _gradient(
        self,
        width: int,
        height: int,
        radius: float,
        top: Colour,
        bottom: Colour,
        length: float,
        edge: Edge | None,
    ) -> pygame.Surface:
        self.ration.take()
        factor = self._scale.factor
        return shapes.gradient_box(width, height, radius * factor, top, bottom, self._scale.px(length), edge)

    def _soft(self, width: int, height: int, sigma: float, colour: Colour, alpha: int) -> pygame.Surface:
        self.ration.take()
        return shapes.soft(width, height, sigma, colour, alpha)

    def _tick(self, number: int, diameter: float, lit: bool) -> tuple[pygame.Surface, int, int]:
        self.ration.take()
        return shapes.tick(number, diameter * self._scale.factor, ACCENT if lit else LINE, lit=lit)

    def _made(self, kind: str, *args: int) -> pygame.Surface:
        """Odd pieces with a name of their own."""
        self.ration.take()
        match kind:
            case "chip":
                return self._chip(args[0], bool(args[1]))
            case "head":
                radius = 14 * self._scale.factor
                head = shapes.head_mask(args[0], args[1], radius)
                head.fill((*ACCENT, 255), special_flags=pygame.BLEND_RGBA_MULT)
                return head
            case "picture":
                gradient = shapes.gradient_box(args[0], args[1], 0, FELT_HI, PICTURE_LO, args[1], None)
                cover = shapes.head_mask(args[0], args[1], 14 * self._scale.factor)
                gradient.blit(cover, (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
                return gradient
            case "arc":
                return shapes.arc(args[0], args[1], ACCENT)
            case "lock":
                return self._lock_panel(args[0], args[1])
            case "bars":
                return shapes.bars(args[0], args[1], BAR_PATTERN, PAPER_INK)
            case "hatch":
                return shapes.hatch(args[0], args[1], self._scale.px(20), ACCENT, ON_ACCENT)
            case "rule":
                return shapes.dashed_rule(args[0], self._scale.line(3), LINE_HI, self.dash())
            case _:
                raise ValueError(f"no piece {kind!r}")

    def _lock_panel(self, width: int, height: int) -> pygame.Surface:
        """The panel of a lock-up grows out of the left edge of the screen: it has no edge there."""
        hidden = self._scale.px(40)
        whole = self.box(width + hidden, height, 18, INK, self.edge(TEXT, 6))
        panel = pygame.Surface((width, height), pygame.SRCALPHA)
        panel.blit(whole, (-hidden, 0))
        return panel

    def edge(self, colour: Colour, width: float, *, dashed: bool = False) -> Edge:
        """An edge of a native width."""
        # Thin edges have shorter dashes, so that they look as even as thick ones.
        dash, gap = self.dash()
        share = min(1.0, width / 3)
        return Edge(colour, self._scale.line(width), (dash * share, gap * share) if dashed else None)

    def dash(self) -> tuple[float, float]:
        """Dash and gap in pixels."""
        return shapes.DASH[0] * self._scale.factor, shapes.DASH[1] * self._scale.factor

    def card_shadow(self, width: float, height: float) -> pygame.Surface:
        """The soft shadow of a card of this native size."""
        scale = self._scale
        return self.soft(scale.px(width), scale.px(height), CARD_SIGMA * scale.factor, SHADOW, SHADOW_ALPHA)

    def halo(self, width: int, height: int) -> pygame.Surface:
        """The amber light round a lit lamp of this size in pixels."""
        return self.soft(width, height, HALO_SIGMA * self._scale.factor, ACCENT, HALO_ALPHA)


def _css(colour: Colour) -> str:
    return f"#{colour[0]:02X}{colour[1]:02X}{colour[2]:02X}"
