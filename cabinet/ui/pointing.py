"""Keyboard, mouse and touch as plain data, and which lamp lies under a point.

Only the lab and a desk use them: in the field every press comes from the panels' GPIO lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

import pygame

from cabinet.core.look import Button, Scene, SeatLook, View
from cabinet.core.options import MENU_BUTTONS, MENU_SEAT
from cabinet.ui.draw.layout import SEAT_HEIGHT, SEAT_TOP, SERVICE_KEYS, Form, layout
from cabinet.ui.draw.theme import NATIVE_HEIGHT, NATIVE_WIDTH, Scale
from cabinet.ui.parts import console
from cabinet.ui.parts.block import block_box, lamp_boxes, shown_lamps

# More events than this in one frame come from a stuck key or a broken touch screen.
MOST_EVENTS: Final = 64


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key by its name ("a", "return", "f1"); `down` is False when it is let go."""

    key: str
    down: bool


@dataclass(frozen=True, slots=True)
class Pointed:
    """A mouse button or a finger, in native coordinates."""

    x: float
    y: float
    down: bool


@dataclass(frozen=True, slots=True)
class Wheeled:
    """The mouse wheel: `steps` away from the user."""

    steps: int


@dataclass(frozen=True, slots=True)
class WindowClosed:
    """The window's close button, or an end signal of the window system."""


InputEvent: TypeAlias = KeyPressed | Pointed | Wheeled | WindowClosed


def translate(
    events: Iterable[pygame.event.Event], scale: Scale, window: tuple[int, int] | None = None
) -> tuple[InputEvent, ...]:
    """pygame's events as ours, at most `MOST_EVENTS`. `window` is its size in pixels when it holds more
    than the picture: fingers are told in shares of it."""
    wide, high = window or (scale.width, scale.height)
    found: list[InputEvent] = []
    for event in events:
        if len(found) >= MOST_EVENTS:
            break
        if event.type in (pygame.KEYDOWN, pygame.KEYUP):
            found.append(KeyPressed(pygame.key.name(event.key), event.type == pygame.KEYDOWN))
        elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP) and event.button == 1:
            x, y = scale.native(*event.pos)
            found.append(Pointed(x, y, event.type == pygame.MOUSEBUTTONDOWN))
        elif event.type in (pygame.FINGERDOWN, pygame.FINGERUP):
            x, y = scale.native(round(event.x * wide), round(event.y * high))
            found.append(Pointed(x, y, event.type == pygame.FINGERDOWN))
        elif event.type == pygame.MOUSEWHEEL and event.y:
            found.append(Wheeled(event.y))
        elif event.type == pygame.QUIT:
            found.append(WindowClosed())
    return tuple(found)


def button_at(view: View, seat_looks: tuple[SeatLook, ...], x: float, y: float) -> tuple[int, Button] | None:
    """The seat (from 1) and the button whose lamp is drawn at a native place, lit or not.

    The keys on the service pages are buttons of the seat that walks through the menu.
    """
    if view.scene is Scene.SERVICE:
        for button, (left, top, width, height) in zip(MENU_BUTTONS, SERVICE_KEYS, strict=True):
            if left <= x < left + width and top <= y < top + height:
                return MENU_SEAT, button
        return None
    if view.scene not in (Scene.TABLE, Scene.ATTRACT) or not (
        0 <= x < NATIVE_WIDTH and SEAT_TOP <= y < NATIVE_HEIGHT
    ):
        return None
    shape = layout(view.seats)
    if shape.form is Form.CONSOLE:
        for button, left, width, _ in console.LAMPS:
            if left <= x < left + width and console.LAMP_TOP <= y < console.LAMP_TOP + console.LAMP_HEIGHT:
                return 1, button
        return None
    for number, (left, width) in enumerate(shape.seat_boxes):
        if left <= x < left + width:
            look = seat_looks[number]
            lamps = shown_lamps(look)
            boxes = lamp_boxes(block_box(shape, left, width))
            for (button, _), (bx, by, bw, bh) in zip(lamps, boxes, strict=False):
                if bx <= x < bx + bw and by <= y < by + bh:
                    return look.seat, button
    return None


def seat_at(view: View, x: float, y: float) -> int | None:
    """The seat whose strip along the lower edge holds a native place."""
    if view.scene not in (Scene.TABLE, Scene.ATTRACT) or not SEAT_TOP <= y < SEAT_TOP + SEAT_HEIGHT:
        return None
    boxes = enumerate(layout(view.seats).seat_boxes, 1)
    return next((seat for seat, (left, width) in boxes if left <= x < left + width), None)
