"""The still background of each scene: one opaque surface with all panels that never change."""

from __future__ import annotations

from typing import Final

import pygame

from cabinet.core.look import Scene, View
from cabinet.ui.felt import felt
from cabinet.ui.layout import layout
from cabinet.ui.moment import is_recall
from cabinet.ui.paint import Item, blit
from cabinet.ui.parts import grid, topbar
from cabinet.ui.pen import Kit, Pen
from cabinet.ui.shapes import svg
from cabinet.ui.theme import INK, NATIVE_HEIGHT, NATIVE_WIDTH

ARCS: Final = 15
# Table, recall, attract, help and service of one cabinet, and a few of another in tests.
MOST: Final = 8


class Bases:
    """Backgrounds, made when a scene is first shown."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._made: dict[tuple[str, int], pygame.Surface] = {}

    def of(self, view: View) -> pygame.Surface:
        """The background of a view's scene."""
        return self.named(view.scene, view.seats, recall=is_recall(view))

    def named(self, scene: Scene, seats: int, *, recall: bool = False) -> pygame.Surface:
        """The background of a scene."""
        key = ("recall" if recall else scene.value, seats)
        surface = self._made.get(key)
        if surface is None:
            if len(self._made) >= MOST:
                self._made.clear()
            surface = self._make(scene, seats, recall=recall)
            self._made[key] = surface
        return surface

    def _make(self, scene: Scene, seats: int, *, recall: bool) -> pygame.Surface:
        scale = self._kit.scale
        surface = pygame.Surface((scale.width, scale.height)).convert()
        surface.fill(INK)
        if scene is not Scene.SERVICE:
            self._felt(surface, attract=scene is Scene.ATTRACT)
        pen = Pen(self._kit, 0)
        if scene is Scene.TABLE:
            grid.panel(pen, layout(seats), recall=recall)
        if scene in (Scene.TABLE, Scene.HELP) and not recall:
            topbar.base(pen)
        for item in pen.items:
            assert isinstance(item, Item)
            blit(surface, item)
        return surface

    def _felt(self, surface: pygame.Surface, *, attract: bool) -> None:
        scale = self._kit.scale
        top = 0 if attract else topbar.HEIGHT
        left, upper, width, height = scale.box(0, top, NATIVE_WIDTH, NATIVE_HEIGHT - top)
        centre, radii = ((560, 330), (1100, 760)) if attract else ((754, 344), (1240, 760))
        factor = scale.factor
        ground = felt(
            (width, height), (centre[0] * factor, centre[1] * factor), (radii[0] * factor, radii[1] * factor)
        )
        surface.blit(ground, (left, upper))
        if not attract:
            surface.blit(self._arcs(width, height, NATIVE_HEIGHT - top), (left, upper))

    @staticmethod
    def _arcs(width: int, height: int, native_height: int) -> pygame.Surface:
        """Fifteen faint circles about a point above the screen."""
        circles = "".join(f'<circle cx="754" cy="-420" r="{560 + 76 * number}"/>' for number in range(ARCS))
        return svg(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {NATIVE_WIDTH} {native_height}"><g fill="none" stroke="#fff" stroke-width="2" '
            f'stroke-opacity="0.028">{circles}</g></svg>'
        )
