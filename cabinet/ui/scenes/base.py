"""The still background of each scene: one opaque surface with all panels that never change."""

from __future__ import annotations

from typing import Final

import pygame

from cabinet.core.look import Scene, View
from cabinet.ui.draw.felt import felt
from cabinet.ui.draw.layout import layout
from cabinet.ui.draw.paint import Item, blit
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.draw.theme import INK, NATIVE_HEIGHT, NATIVE_WIDTH
from cabinet.ui.moment import is_recall
from cabinet.ui.parts import grid, topbar

ARCS: Final = 15
ARCS_CENTRE: Final = (754, -364)
ARC: Final = (6, 5, 5)  # white with alpha 7, added to the felt
ARC_SOFT: Final = (2, 2, 2)
# Table, recall, attract, help and service of one cabinet, and a few of another in tests.
MOST: Final = 8


class Bases:
    """Backgrounds, made when a scene is first shown."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._made: dict[tuple[str, int], pygame.Surface] = {}
        self._grounds: dict[Scene, pygame.Surface] = {}

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

    def prepare(self, seats: int) -> None:
        """Make those that play needs. It takes a while, so it is done before play begins."""
        for scene in Scene:
            self.named(scene, seats)

    def _make(self, scene: Scene, seats: int, *, recall: bool) -> pygame.Surface:
        surface = self._ground(scene).copy()
        pen = Pen(self._kit, 0)
        if scene is Scene.TABLE:
            grid.panel(pen, layout(seats), recall=recall)
        if scene in (Scene.TABLE, Scene.HELP) and not recall:
            topbar.base(pen)
        for item in pen.items:
            assert isinstance(item, Item)
            blit(surface, item)
        return surface

    def _ground(self, scene: Scene) -> pygame.Surface:
        """Ink, or felt with its arcs, or the plain felt of the attract loop: the costly part, kept."""
        kind = scene if scene in (Scene.SERVICE, Scene.ATTRACT) else Scene.TABLE
        ground = self._grounds.get(kind)
        if ground is None:
            scale = self._kit.scale
            ground = pygame.Surface((scale.width, scale.height)).convert()
            ground.fill(INK)
            if kind is Scene.ATTRACT:
                self._felt(ground, 0, (560, 330), (1100, 760))
            elif kind is Scene.TABLE:
                self._felt(ground, topbar.HEIGHT, (754, 344), (1240, 760))
                self._arcs(ground)
            self._grounds[kind] = ground
        return ground

    def _felt(
        self, ground: pygame.Surface, top: int, centre: tuple[int, int], radii: tuple[int, int]
    ) -> None:
        left, upper, width, height = self._kit.scale.box(0, top, NATIVE_WIDTH, NATIVE_HEIGHT - top)
        factor = self._kit.scale.factor
        (x, y), (rx, ry) = centre, radii
        made = felt((width, height), (x * factor, y * factor), (rx * factor, ry * factor))
        ground.blit(made, (left, upper))

    def _arcs(self, ground: pygame.Surface) -> None:
        """Fifteen faint circles about a point above the screen; a dimmer, wider line softens each."""
        scale = self._kit.scale
        light = pygame.Surface(ground.get_size()).convert()
        left, top, width, height = scale.box(0, topbar.HEIGHT, NATIVE_WIDTH, NATIVE_HEIGHT - topbar.HEIGHT)
        light.set_clip((left, top, width, height))
        centre, line = (scale.x(ARCS_CENTRE[0]), scale.y(ARCS_CENTRE[1])), scale.line(2)
        for number in range(ARCS):
            radius = scale.px(560 + 76 * number)
            pygame.draw.circle(light, ARC_SOFT, centre, radius + line, 2 * line)
            pygame.draw.circle(light, ARC, centre, radius + line // 2, line)
        ground.blit(light, (0, 0), special_flags=pygame.BLEND_RGB_ADD)
