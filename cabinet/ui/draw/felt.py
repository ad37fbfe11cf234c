"""The felt: a dark elliptical gradient that does not band.

Only some twenty levels lie between its centre and its edge, so it is dithered: each pixel is
rounded with one of 16 thresholds by its place in a 4 x 4 pattern. The picture is made as 16
pictures of a quarter of the size, one per threshold; each is a stack of filled ellipses, drawn
by pygame, and then they are woven together row by row. That needs no loop over pixels.
"""

from __future__ import annotations

import math
from array import array
from typing import Final

import pygame

from cabinet.ui.draw.theme import FELT_HI, FELT_LO, Colour

# The classic 4 x 4 ordered dither.
ORDER: Final = (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)


def felt(
    size: tuple[int, int],
    centre: tuple[float, float],
    radii: tuple[float, float],
    inner: Colour = FELT_HI,
    outer: Colour = FELT_LO,
) -> pygame.Surface:
    """An opaque surface of `size`, `inner` at the centre, `outer` from the radii on. Pixels."""
    width, height = size
    wide, high = math.ceil(width / 4), math.ceil(height / 4)
    small = pygame.Surface((wide, high), 0, 32, (0xFF0000, 0xFF00, 0xFF, 0))
    woven = array("I", bytes(4 * wide * 4 * high * 4))
    row_length = wide * 4
    for cell, rank in enumerate(ORDER):
        down, right = divmod(cell, 4)
        _rings(small, (centre[0] - right, centre[1] - down), radii, inner, outer, (rank + 0.5) / 16)
        pixels = array("I", small.get_buffer().raw)
        stride = small.get_pitch() // 4
        for row in range(high):
            start = (row * 4 + down) * row_length + right
            woven[start : start + row_length - right : 4] = pixels[row * stride : row * stride + wide]
    whole = pygame.image.frombuffer(woven.tobytes(), (row_length, high * 4), "BGRA").convert()
    cut = pygame.Surface(size).convert()
    cut.blit(whole, (0, 0))
    return cut


def _rings(
    small: pygame.Surface,
    centre: tuple[float, float],
    radii: tuple[float, float],
    inner: Colour,
    outer: Colour,
    threshold: float,
) -> None:
    """One threshold's picture: ellipses from the largest in, one for each change of a channel."""
    small.fill(_rounded(inner, outer, 1.0, threshold))
    for share in _changes(inner, outer, threshold):
        colour = _rounded(inner, outer, share - 1e-6, threshold)
        x, y = centre[0] / 4, centre[1] / 4
        rx, ry = radii[0] * share / 4, radii[1] * share / 4
        area = (round(x - rx), round(y - ry), round(2 * rx), round(2 * ry))
        if area[2] > 0 and area[3] > 0:
            pygame.draw.ellipse(small, colour, area)


def _changes(inner: Colour, outer: Colour, threshold: float) -> list[float]:
    """Shares of the radius at which a channel changes its level, largest first."""
    shares = set()
    for near, far in zip(inner, outer, strict=True):
        if near != far:
            low, high = sorted((near, far))
            for level in range(low, high + 1):
                share = (level + 1 - threshold - near) / (far - near)
                if 0 < share < 1:
                    shares.add(share)
    return sorted(shares, reverse=True)


def _rounded(inner: Colour, outer: Colour, share: float, threshold: float) -> Colour:
    share = min(1.0, max(0.0, share))
    red, green, blue = (
        math.floor(near + (far - near) * share + threshold) for near, far in zip(inner, outer, strict=True)
    )
    return red, green, blue
