"""The screen in tests: SDL's dummy drivers, one set of surfaces per size for the whole run."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["SDL_AUDIODRIVER"] = "dummy"

import pygame
import pytest

from cabinet.core.timing import Timing
from cabinet.ui.catalogue import Catalogue
from cabinet.ui.draw.pen import Kit
from cabinet.ui.draw.sprites import Sprites
from cabinet.ui.draw.text import TextKit
from cabinet.ui.draw.theme import Look, Scale

SIZES = ((1280, 720), (1920, 1080), (3840, 2160))


@pytest.fixture(scope="module", autouse=True)
def _display() -> None:
    """For each file again: a window that somebody closed in another one took the display with it."""
    pygame.display.init()
    pygame.font.init()
    pygame.display.set_mode((64, 64))


@cache
def _kit(width: int, height: int, motion: bool = True, deck: str = "four") -> Kit:
    scale, look = Scale(width, height), Look(deck, motion)
    return Kit(scale, look, TextKit(scale), Sprites(scale, look), Catalogue(), Timing())


@pytest.fixture(scope="session")
def kit() -> Kit:
    """At the native size."""
    return _kit(1920, 1080)


@pytest.fixture(scope="session")
def kit_of() -> Callable[..., Kit]:
    """At any size."""
    return _kit
