"""The display list and the painter.

A scene composes *parts*; a part is a list of ready surfaces with places on the screen. The
painter compares the parts of this frame with those of the last one, finds the rectangles in
which anything differs, and paints every item that touches them, back to front, clipped. A full
redraw is the same with one rectangle that covers the screen. So both ways give the same pixels
by construction: a pixel depends only on the items over it and on their order.

Nothing is rendered here: items hold surfaces from the bounded caches of `text` and `sprites`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import pygame

FOREVER: Final = 1 << 62  # a time that never comes
OPAQUE: Final = 255
FADE_STEPS: Final = 8
# More rectangles than this are merged into one: each costs a walk over the items.
MAX_RECTS: Final = 24


class Item(NamedTuple):
    """A surface at a place in pixels. `area` is the part of it that is shown (None: all)."""

    surface: pygame.Surface
    x: int
    y: int
    alpha: int = OPAQUE
    area: tuple[int, int, int, int] | None = None


class Fade(NamedTuple):
    """Between two pictures of the same rectangle; `alpha` is the share of the new one."""

    box: tuple[int, int, int, int]
    old: tuple[Item, ...]
    new: tuple[Item, ...]
    alpha: int


Drawn: TypeAlias = Item | Fade
Box: TypeAlias = tuple[int, int, int, int]


class Part(NamedTuple):
    """What one part of a scene draws, and how long that stays true."""

    items: tuple[Drawn, ...]
    until_ms: int


class Frame(NamedTuple):
    """A complete picture: an opaque background and the parts on it, back to front.

    Until `until_ms` the same view gives the same picture.
    """

    background: pygame.Surface
    parts: tuple[Part, ...]
    until_ms: int


def bounds(item: Drawn) -> Box:
    """The pixels that an item can touch."""
    if isinstance(item, Fade):
        return item.box
    if item.area is not None:
        return item.x, item.y, item.area[2], item.area[3]
    width, height = item.surface.get_size()
    return item.x, item.y, width, height


class Painter:
    """Paints frames on one surface and remembers the last one."""

    def __init__(self, target: pygame.Surface, area: Box | None = None) -> None:
        """`area`: where the picture is on a screen of another shape; outside only the background shows."""
        self.target = target
        self._screen: Final[Box] = (0, 0, target.get_width(), target.get_height())
        self._area: Final[Box] = area or self._screen
        self._last: Frame | None = None
        self._boxes: tuple[tuple[Box, ...], ...] = ()
        self._scratch: pygame.Surface | None = None

    def forget(self) -> None:
        """The next frame is painted in full."""
        self._last = None

    def paint(self, frame: Frame) -> list[Box]:
        """Bring the target to `frame`; the rectangles that have changed."""
        last = self._last
        if last is frame:
            return []
        boxes = tuple(
            self._boxes[number]
            if last is not None and number < len(last.parts) and last.parts[number].items is part.items
            else tuple(map(bounds, part.items))
            for number, part in enumerate(frame.parts)
        )
        whole = last is None or last.background is not frame.background or len(last.parts) != len(frame.parts)
        if last is None or whole:
            if self._scratch is None:
                # One surface of the screen's size serves every fade; made now, so that none is made in play.
                self._scratch = self.target.copy()
            self.target.blit(frame.background, (0, 0))
            dirty = [self._area]
        else:
            changed: list[Box] = []
            for number, (old, new) in enumerate(zip(last.parts, frame.parts, strict=True)):
                if old.items is not new.items:
                    changed += _differences(old.items, self._boxes[number], new.items, boxes[number])
            dirty = merge(changed, self._area)
        self._last, self._boxes = frame, boxes
        for box in dirty:
            self._paint_box(frame, boxes, box)
        self.target.set_clip(None)
        return [self._screen] if whole else dirty

    def _paint_box(self, frame: Frame, boxes: Sequence[Sequence[Box]], box: Box) -> None:
        target = self.target
        target.set_clip(box)
        target.blit(frame.background, box, box)
        x, y, w, h = box
        right, bottom = x + w, y + h
        for part, part_boxes in zip(frame.parts, boxes, strict=True):
            for item, (ix, iy, iw, ih) in zip(part.items, part_boxes, strict=True):
                if ix < right and iy < bottom and ix + iw > x and iy + ih > y:
                    if isinstance(item, Fade):
                        self._fade(item, box)
                    else:
                        blit(target, item)

    def _fade(self, fade: Fade, clip: Box) -> None:
        """The old picture on the target, the new one beside it, then that over the target."""
        box = _common(fade.box, clip)
        scratch = self._scratch
        assert scratch is not None, "the first frame is painted whole"
        scratch.set_alpha(None)
        scratch.set_clip(box)
        scratch.blit(self.target, box, box)
        for item in fade.new:
            blit(scratch, item)
        self.target.set_clip(box)
        for item in fade.old:
            blit(self.target, item)
        scratch.set_alpha(fade.alpha)
        self.target.blit(scratch, box, box)
        self.target.set_clip(clip)


def blit(target: pygame.Surface, item: Item) -> None:
    """Draw one item."""
    surface, x, y, alpha, area = item
    if alpha == OPAQUE:
        target.blit(surface, (x, y), area)
    elif alpha > 0:
        surface.set_alpha(alpha)
        target.blit(surface, (x, y), area)
        surface.set_alpha(OPAQUE if surface.get_flags() & pygame.SRCALPHA else None)


def _differences(
    old: Sequence[Drawn], old_boxes: Sequence[Box], new: Sequence[Drawn], new_boxes: Sequence[Box]
) -> list[Box]:
    """Boxes of what is in one list and not in the other; of all in between if the order differs."""
    start = 0
    end = min(len(old), len(new))
    while start < end and old[start] == new[start]:
        start += 1
    old_end, new_end = len(old), len(new)
    while old_end > start and new_end > start and old[old_end - 1] == new[new_end - 1]:
        old_end -= 1
        new_end -= 1
    gone, come = old[start:old_end], new[start:new_end]
    both = set(gone) & set(come)
    # Compared as sequences: another order, or one more of the same, changes the pixels too.
    if [item for item in gone if item in both] != [item for item in come if item in both]:
        both = set()
    found = [box for item, box in zip(gone, old_boxes[start:old_end], strict=True) if item not in both]
    found += [box for item, box in zip(come, new_boxes[start:new_end], strict=True) if item not in both]
    return found


def merge(boxes: Iterable[Box], screen: Box) -> list[Box]:
    """Boxes on the screen that do not overlap; overlapping ones become one."""
    done: list[Box] = []
    for candidate in boxes:
        box = _common(candidate, screen)
        if box[2] <= 0 or box[3] <= 0:
            continue
        number = 0
        while number < len(done):
            if _overlap(done[number], box):
                box = _union(done.pop(number), box)
                number = 0
            else:
                number += 1
        done.append(box)
    if len(done) > MAX_RECTS:
        whole = done[0]
        for box in done[1:]:
            whole = _union(whole, box)
        return [whole]
    return done


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def _union(a: Box, b: Box) -> Box:
    x, y = min(a[0], b[0]), min(a[1], b[1])
    return x, y, max(a[0] + a[2], b[0] + b[2]) - x, max(a[1] + a[3], b[1] + b[3]) - y


def _common(a: Box, b: Box) -> Box:
    x, y = max(a[0], b[0]), max(a[1], b[1])
    return x, y, min(a[0] + a[2], b[0] + b[2]) - x, min(a[1] + a[3], b[1] + b[3]) - y
