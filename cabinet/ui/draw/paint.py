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
# More rectangles than this are merged, the smallest first: each costs a walk over the items.
MAX_RECTS: Final = 24
WALK: Final = 8_000  # pixels that can be painted while the items are looked through once


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


class Picture(NamedTuple):
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
        self._last: Picture | None = None
        self._boxes: tuple[tuple[Box, ...], ...] = ()
        # The two pictures of every fade, in their places on surfaces of the screen's size, and what they
        # show. The boxes do not overlap, so there are never more than fit on the screen.
        self._sides: tuple[pygame.Surface, pygame.Surface] | None = None
        self._beside: dict[Box, tuple[tuple[Item, ...], tuple[Item, ...], tuple[Item, ...]]] = {}

    def forget(self) -> None:
        """The next frame is painted in full."""
        self._last = None

    def paint(self, frame: Picture) -> list[Box]:
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
            if self._sides is None:  # made now, so that none is made in play
                self._sides = self.target.copy(), self.target.copy()
            self._beside.clear()
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

    def _paint_box(self, frame: Picture, boxes: Sequence[Sequence[Box]], box: Box) -> None:
        target = self.target
        target.set_clip(box)
        target.blit(frame.background, box, box)
        x, y, w, h = box
        right, bottom = x + w, y + h
        for number, (part, part_boxes) in enumerate(zip(frame.parts, boxes, strict=True)):
            for place, (item, (ix, iy, iw, ih)) in enumerate(zip(part.items, part_boxes, strict=True)):
                if ix < right and iy < bottom and ix + iw > x and iy + ih > y:
                    if isinstance(item, Fade):
                        self._fade(item, box, _below(frame, boxes, number, place))
                    else:
                        blit(target, item)

    def _fade(self, fade: Fade, clip: Box, below: tuple[Item, ...] | None) -> None:
        """The old picture, then the new one over it with the fade's alpha.

        Both are painted beside the target once and serve all steps of a fade. `below`: what lies under
        them besides the background; None when that fades itself.
        """
        assert self._sides is not None, "the first frame is painted whole"
        old, new = self._sides
        box = _common(fade.box, clip)
        content = None if below is None else (below, fade.old, fade.new)
        if content is None or self._beside.get(fade.box) != content:
            self._beside = {known: of for known, of in self._beside.items() if not _overlap(known, fade.box)}
            for side, items in ((old, fade.old), (new, fade.new)):
                self._put_beside(side, fade.box, below, items)
            if content is not None:
                self._beside[fade.box] = content
        self.target.blit(old, box, box)
        new.set_alpha(fade.alpha)
        self.target.blit(new, box, box)

    def _put_beside(
        self, side: pygame.Surface, box: Box, below: tuple[Item, ...] | None, items: tuple[Item, ...]
    ) -> None:
        """One picture of a fade in its place; where something fades below, on what the target has."""
        assert self._last is not None
        side.set_clip(box)
        side.blit(self.target if below is None else self._last.background, box, box)
        for item in (below or ()) + items:
            blit(side, item)


def _below(
    frame: Picture, boxes: Sequence[Sequence[Box]], number: int, place: int
) -> tuple[Item, ...] | None:
    """The items under item `place` of part `number` that touch it; None when one of them fades."""
    box = boxes[number][place]
    found: list[Item] = []
    for each, (part, part_boxes) in enumerate(zip(frame.parts[: number + 1], boxes, strict=False)):
        items = part.items if each < number else part.items[:place]
        for item, other in zip(items, part_boxes, strict=False):
            if _overlap(other, box):
                if isinstance(item, Fade):
                    return None
                found.append(item)
    return tuple(found)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


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
    """Boxes on the screen that together cover all of `boxes`.

    Two become one where that costs no more than painting both: painting a pixel twice is harmless, but
    walking over the items once more costs as much as `WALK` pixels. Largest first, because a change of
    scene or seat mostly is one box that covers many small ones.
    """
    done: list[Box] = []
    for candidate in sorted(set(boxes), key=_by_area):
        box = _common(candidate, screen)
        if box[2] > 0 and box[3] > 0 and not _covered(done, box):
            _put(done, box)
    while len(done) > MAX_RECTS:
        _put(done, _union(done.pop(), done.pop()))
    return done


def _covered(done: list[Box], box: Box) -> bool:
    x, y, w, h = box
    right, bottom = x + w, y + h
    return any(ox <= x and oy <= y and ox + ow >= right and oy + oh >= bottom for ox, oy, ow, oh in done)


def _put(done: list[Box], box: Box) -> None:
    """Add a box to those that are to be painted, or widen one of them."""
    number = 0
    while number < len(done):
        other = done[number]
        both = _union(other, box)
        if both[2] * both[3] <= other[2] * other[3] + box[2] * box[3] + WALK:
            box = both
            done.pop(number)
            number = 0
        else:
            number += 1
    done.append(box)


def _by_area(box: Box) -> tuple[int, Box]:
    return -box[2] * box[3], box


def _union(a: Box, b: Box) -> Box:
    x, y = min(a[0], b[0]), min(a[1], b[1])
    return x, y, max(a[0] + a[2], b[0] + b[2]) - x, max(a[1] + a[3], b[1] + b[3]) - y


def _common(a: Box, b: Box) -> Box:
    x, y = max(a[0], b[0]), max(a[1], b[1])
    return x, y, min(a[0] + a[2], b[0] + b[2]) - x, min(a[1] + a[3], b[1] + b[3]) - y
