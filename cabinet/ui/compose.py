"""From a view and a time to a frame: which scene, which parts, and what can be kept from before.

`Composer.frame(view, now)` is a function of its two arguments; what it remembers only saves work.
Each part tells until when it stays as it is, so an idle table composes nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import pygame

from cabinet.core.look import Scene, View
from cabinet.ui.moment import Moment, moment
from cabinet.ui.paint import FOREVER, Frame, Part
from cabinet.ui.pen import Kit, Pen
from cabinet.ui.scenes import attract, helping, service, table
from cabinet.ui.scenes.base import Bases
from cabinet.ui.scenes.piece import Piece

_SCENES: Final[dict[Scene, Callable[[Moment], Iterator[Piece]]]] = {
    Scene.ATTRACT: attract.pieces,
    Scene.TABLE: table.pieces,
    Scene.HELP: helping.pieces,
    Scene.SERVICE: service.pieces,
}


class _Held(NamedTuple):
    view: View
    made_ms: int
    part: Part


class Composer:
    """Makes frames for one screen."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self._bases = Bases(kit)
        # One entry per part of a scene; a scene has at most 20, and a new scene clears it.
        self._held: dict[str, _Held] = {}
        self._scene: tuple[Scene, pygame.Surface] | None = None
        self._last: tuple[View, int, Frame] | None = None

    def frame(self, view: View, now_ms: int) -> Frame:
        """The picture of `view` at `now_ms`."""
        if self._last is not None:
            last_view, last_ms, last_frame = self._last
            if last_view is view and last_ms <= now_ms < last_frame.until_ms:
                return last_frame
        at = moment(view, now_ms)
        background = self._bases.of(view)
        if self._scene is None or self._scene[0] is not view.scene or self._scene[1] is not background:
            self._held.clear()
            self._scene = (view.scene, background)
        parts = tuple(self._part(piece, at, now_ms) for piece in _SCENES[view.scene](at))
        frame = Frame(background, parts)
        if self._last is not None and self._same(self._last[2], frame):
            frame = self._last[2]
        self._last = (view, now_ms, frame)
        return frame

    def _part(self, piece: Piece, at: Moment, now_ms: int) -> Part:
        held = self._held.get(piece.name)
        if held is not None and held.view is at.view and held.made_ms <= now_ms < held.part.until_ms:
            return held.part
        still = piece.still and at.view.lock is not None and at.ms < now_ms
        pen = Pen(self.kit, at.ms if piece.still else now_ms)
        pen.until(at.next_ms)
        piece.draw(pen, at)
        part = pen.part()
        if still:
            part = part._replace(until_ms=FOREVER)
        if held is not None and held.part.items == part.items:
            # The same pictures at the same places: the painter need not look at them.
            part = part._replace(items=held.part.items)
        self._held[piece.name] = _Held(at.view, now_ms, part)
        return part

    @staticmethod
    def _same(old: Frame, new: Frame) -> bool:
        return (
            old.background is new.background
            and len(old.parts) == len(new.parts)
            and all(one is other for one, other in zip(old.parts, new.parts, strict=True))
        )
