"""Art files at any size, and a cache that is bounded by the bytes it holds.

All files hold only paths, circles and rectangles. The wanted size is put into the first tag before
they are read, so they are drawn at that size and never scaled.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

import pygame

from cabinet.ui.draw import shapes
from game.cards import RANKS, SUITS, Card

ASSETS: Final = Path(__file__).parents[1] / "assets"

Key: TypeAlias = tuple[object, ...]


class EnoughError(Exception):
    """No more surfaces now: what is asked for has not been made."""


class Ration:
    """How much may be made at a time. Without a limit there is no end."""

    def __init__(self) -> None:
        self._over: Callable[[], bool] | None = None
        self._made = 0

    @contextmanager
    def until(self, over: Callable[[], bool]) -> Iterator[None]:
        """Within this, one surface may be made, and more until `over`; then comes EnoughError."""
        self._over, self._made = over, 0
        try:
            yield
        finally:
            self._over = None

    def take(self) -> None:
        """Called before a surface is made."""
        if self._over is not None:
            if self._made and self._over():
                raise EnoughError
            self._made += 1


class SurfaceCache:
    """Least recently used surfaces, bounded by their bytes."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes: Final = limit_bytes
        self.bytes = 0
        self._held: OrderedDict[Key, pygame.Surface] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Key, make: Callable[[], pygame.Surface]) -> pygame.Surface:
        """The surface of `key`, made now if it is not held."""
        surface = self._held.get(key)
        if surface is not None:
            self._held.move_to_end(key)
            return surface
        surface = make()
        self._held[key] = surface
        self.bytes += _size(surface)
        while self.bytes > self.limit_bytes and len(self._held) > 1:
            _, dropped = self._held.popitem(last=False)
            self.bytes -= _size(dropped)
        return surface


def _size(surface: pygame.Surface) -> int:
    return surface.get_pitch() * surface.get_height()


def face_name(card: Card) -> str:
    """10D for the ten of diamonds of any deck."""
    suit, rank = divmod(card % 52, 13)
    return f"{RANKS[rank]}{SUITS[suit]}"


def sized(text: str, width: int, height: int) -> pygame.Surface:
    """The art with `width` and `height` in its first tag."""
    first = text.index(">")
    tag = re.sub(r'width="\d+"', f'width="{width}"', text[:first])
    tag = re.sub(r'height="\d+"', f'height="{height}"', tag)
    # An art file keeps its proportions unless told otherwise, and a tile is rounded to whole pixels.
    return shapes.svg(tag.replace("<svg ", '<svg preserveAspectRatio="none" ', 1) + text[first:])
