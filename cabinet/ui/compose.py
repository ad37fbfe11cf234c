"""From a view and a time to a frame: which scene, which parts, and what can be kept from before.

`Composer.frame(view, now)` is a function of its two arguments; what it remembers only saves work.
Each part tells until when it stays as it is, so an idle table composes nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import pygame

from cabinet.core.look import Scene, View
from cabinet.core.timing import Timing
from cabinet.ui.draw.paint import Part, Picture
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.moment import Moment, moment
from cabinet.ui.scenes import attract, helping, service, table
from cabinet.ui.scenes.base import Bases
from cabinet.ui.scenes.piece import Piece

SCENES: Final[dict[Scene, Callable[[Moment, Timing], Iterator[Piece]]]] = {
    Scene.ATTRACT: attract.pieces,
    Scene.TABLE: table.pieces,
    Scene.HELP: helping.pieces,
    Scene.SERVICE: service.pieces,
}


class _Held(NamedTuple):
    key: object
    made_ms: int
    part: Part


class Composer:
    """Makes frames for one screen. Composers may share their backgrounds."""

    def __init__(self, kit: Kit, bases: Bases | None = None) -> None:
        self.kit = kit
        self.bases = bases or Bases(kit)
        # One entry per part of a scene; a scene has at most 20, and a new background clears it.
        self._held: dict[str, _Held] = {}
        self._background: pygame.Surface | None = None
        self._last: tuple[View, int, Picture] | None = None

    def frame(self, view: View, now_ms: int) -> Picture:
        """The picture of `view` at `now_ms`."""
        if self._last is not None:
            last_view, last_ms, last_frame = self._last
            if last_view is view and last_ms <= now_ms < last_frame.until_ms:
                return last_frame
        at = moment(view, now_ms)
        background = self.bases.of(view)
        if self._background is not background:
            self._held.clear()
            self._background = background
        frozen = at.ms < now_ms
        parts: list[Part] = []
        until_ms = at.next_ms
        for piece in SCENES[view.scene](at, self.kit.times):
            part = self._part(piece, at, now_ms)
            parts.append(part)
            if part.until_ms < until_ms and not (frozen and piece.still):
                until_ms = part.until_ms
        frame = Picture(background, tuple(parts), until_ms)
        if self._last is not None and _same(self._last[2], frame):
            frame = self._last[2]
        self._last = (view, now_ms, frame)
        return frame

    def _part(self, piece: Piece, at: Moment, now_ms: int) -> Part:
        """The part of a piece; the one from before while its key is equal and its time not over."""
        ms = at.ms if piece.still else now_ms
        held = self._held.get(piece.name)
        if held is not None and held.made_ms <= ms < held.part.until_ms and held.key == piece.key:
            return held.part
        pen = Pen(self.kit, ms)
        piece.draw(pen, at)
        part = pen.part()
        if held is not None and held.part.items == part.items:
            # The same pictures at the same places: the painter need not look at them.
            part = part._replace(items=held.part.items)
        self._held[piece.name] = _Held(piece.key, ms, part)
        return part


def _same(old: Picture, new: Picture) -> bool:
    return (
        old.background is new.background
        and old.until_ms == new.until_ms
        and len(old.parts) == len(new.parts)
        and all(one is other for one, other in zip(old.parts, new.parts, strict=True))
    )
