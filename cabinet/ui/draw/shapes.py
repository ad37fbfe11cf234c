"""Panels, shadows, halos, ticks and hatches, made once per size.

Shapes are written as small SVG documents and read by SDL_image, which smooths their edges: no
supersampling, and the same result at every screen size. Shadows are computed: the blur of a
rectangle is the product of two one-dimensional ones, so it costs a few multiplied surfaces.
All sizes here are pixels of the screen.
"""

from __future__ import annotations

import io
import math
from typing import Final, NamedTuple

import pygame

from cabinet.ui.draw.theme import LINE_HI, Colour

DASH: Final = (9, 6)  # native lengths of a dash and of the gap after it


class Edge(NamedTuple):
    """The edge of a box, grown inwards. `dash` is (dash, gap) in pixels."""

    colour: Colour
    width: int
    dash: tuple[float, float] | None = None


def svg(document: str) -> pygame.Surface:
    """A document as a surface with alpha."""
    return pygame.image.load(io.BytesIO(document.encode()), "shape.svg").convert_alpha()


def _css(colour: Colour) -> str:
    return f"#{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}"


def _open(width: int, height: int) -> str:
    space = 'xmlns="http://www.w3.org/2000/svg"'
    return f'<svg {space} width="{width}" height="{height}" viewBox="0 0 {width} {height}">'


def box(
    width: int, height: int, radius: float, fill: Colour | None, edge: Edge | None, opacity: float = 1.0
) -> pygame.Surface:
    """A rounded rectangle with an edge that grows inwards; `opacity` is that of the fill."""
    shapes = ""
    if fill is not None:
        # Under a solid edge the fill ends in its middle, so that it does not shine past the corners.
        inset = edge.width / 2 if edge is not None and edge.dash is None else 0.0
        corner = max(0.0, radius - inset)
        paint = f'{_css(fill)}" fill-opacity="{opacity}'
        shapes += _rect(inset, inset, width - 2 * inset, height - 2 * inset, corner, paint)
    if edge is not None:
        shapes += stroke(width, height, radius, edge)
    return svg(f"{_open(width, height)}{shapes}</svg>")


def stroke(width: int, height: int, radius: float, edge: Edge) -> str:
    """SVG text of an edge alone."""
    half = edge.width / 2
    inner = max(0.0, radius - half)
    look = f'fill="none" stroke="{_css(edge.colour)}" stroke-width="{edge.width}"'
    if edge.dash is not None:
        path = dashes(half, half, width - edge.width, height - edge.width, inner, edge.dash)
        return f'<path d="{path}" {look}/>'
    return (
        f'<rect x="{half}" y="{half}" width="{width - edge.width}" height="{height - edge.width}" '
        f'rx="{inner}" {look}/>'
    )


def dashes(x: float, y: float, w: float, h: float, radius: float, dash: tuple[float, float]) -> str:
    """Dashes round a rounded rectangle as separate strokes, a whole number of them.

    The dash attribute of SVG is not used: what it makes of a closed path differs between readers.
    """
    arc = radius * math.pi / 2
    sides = (w - 2 * radius, arc, h - 2 * radius, arc) * 2
    length = sum(sides)
    count = max(1, round(length / (dash[0] + dash[1])))
    step = length / count
    shown = step * dash[0] / (dash[0] + dash[1])
    strokes = []
    for number in range(count):
        start = number * step
        pieces = max(1, math.ceil(shown / 2))  # short chords follow the corners
        points = [_on_edge(start + shown * k / pieces, x, y, w, h, radius, sides) for k in range(pieces + 1)]
        strokes.append("M" + "L".join(f"{px:.2f} {py:.2f}" for px, py in points))
    return "".join(strokes)


def _on_edge(
    at: float, x: float, y: float, w: float, h: float, radius: float, sides: tuple[float, ...]
) -> tuple[float, float]:
    """The point `at` along the edge, clockwise from the end of the upper left corner."""
    at %= sum(sides)
    corners = ((x + w - radius, y + radius), (x + w - radius, y + h - radius), (x + radius, y + h - radius))
    for number, side in enumerate(sides):
        if at > side and number < len(sides) - 1:
            at -= side
            continue
        quarter, on_arc = divmod(number, 2)
        if on_arc:
            cx, cy = (*corners, (x + radius, y + radius))[quarter]
            angle = math.pi / 2 * quarter + (at / radius if radius else 0.0)
            return cx + radius * math.sin(angle), cy - radius * math.cos(angle)
        start = ((x + radius, y), (x + w, y + radius), (x + w - radius, y + h), (x, y + h - radius))[quarter]
        across, down = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter]
        return start[0] + across * at, start[1] + down * at
    return x, y


def _rect(x: float, y: float, width: float, height: float, radius: float, fill: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}"/>'


def mask(width: int, height: int, radius: float) -> pygame.Surface:
    """A white rounded rectangle, to multiply with."""
    return svg(f"{_open(width, height)}{_rect(0, 0, width, height, radius, '#fff')}</svg>")


def head_mask(width: int, height: int, radius: float) -> pygame.Surface:
    """A white rectangle with round upper corners only."""
    return svg(f"{_open(width, height)}{_rect(0, 0, width, height + radius * 2, radius, '#fff')}</svg>")


def gradient_box(
    width: int, height: int, radius: float, top: Colour, bottom: Colour, length: int, edge: Edge | None
) -> pygame.Surface:
    """A panel that darkens from `top` to `bottom` over its first `length` pixels."""
    surface = pygame.Surface((width, height), pygame.SRCALPHA)
    surface.fill(bottom)
    for y in range(min(length, height)):
        surface.fill(mix(top, bottom, y / length), (0, y, width, 1))
    surface.blit(mask(width, height, radius), (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
    if edge is not None:
        surface.blit(svg(f"{_open(width, height)}{stroke(width, height, radius, edge)}</svg>"), (0, 0))
    return surface


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """From `a` (share 0) to `b` (share 1)."""
    red, green, blue = (round(one + (other - one) * share) for one, other in zip(a, b, strict=True))
    return red, green, blue


def soft(width: int, height: int, sigma: float, colour: Colour, alpha: int) -> pygame.Surface:
    """A blurred rectangle, `reach(sigma)` larger on each side."""
    edge = reach(sigma)
    across = pygame.Surface((width + 2 * edge, 1), pygame.SRCALPHA)
    down = pygame.Surface((1, height + 2 * edge), pygame.SRCALPHA)
    for x in range(width + 2 * edge):
        across.set_at((x, 0), (*colour, round(alpha * _blurred(x - edge, width, sigma))))
    for y in range(height + 2 * edge):
        down.set_at((0, y), (255, 255, 255, round(255 * _blurred(y - edge, height, sigma))))
    size = (width + 2 * edge, height + 2 * edge)
    surface = pygame.transform.scale(across, size)
    surface.blit(pygame.transform.scale(down, size), (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
    return surface


def reach(sigma: float) -> int:
    """How far a blur is visible beyond the edge."""
    return math.ceil(sigma * 2.6)


def _blurred(at: int, length: int, sigma: float) -> float:
    """The share of a blurred bar of `length` at pixel `at`."""
    spread = sigma * math.sqrt(2)
    return (math.erf((at + 0.5) / spread) - math.erf((at + 0.5 - length) / spread)) / 2


def tick(number: int, diameter: float, colour: Colour, *, lit: bool) -> tuple[pygame.Surface, int, int]:
    """Tick 0 to 59 of a dial, clockwise from 12 o'clock, and its offset from the dial's corner.

    Every fifth is 1.35 times as long; the outer ends lie 3/224 of the diameter inside.
    """
    angle = math.radians(6 * number)
    width = (0.026 if lit else 0.018) * diameter
    outer = diameter * (0.5 - 3 / 224)
    inner = outer - 0.078 * diameter * (1.35 if number % 5 == 0 else 1.0)
    middle = diameter / 2
    ends = [(middle + r * math.sin(angle), middle - r * math.cos(angle)) for r in (inner, outer)]
    left = math.floor(min(x for x, _ in ends) - width)
    top = math.floor(min(y for _, y in ends) - width)
    right = math.ceil(max(x for x, _ in ends) + width)
    bottom = math.ceil(max(y for _, y in ends) + width)
    (x1, y1), (x2, y2) = ((x - left, y - top) for x, y in ends)
    document = (
        f'{_open(right - left, bottom - top)}<path d="M{x1:.3f} {y1:.3f}L{x2:.3f} {y2:.3f}" fill="none" '
        f'stroke="{_css(colour)}" stroke-width="{width:.3f}" stroke-linecap="round"/></svg>'
    )
    return svg(document), left, top


def dashed_rule(length: int, width: int, colour: Colour, dash: tuple[float, float]) -> pygame.Surface:
    """A vertical dashed line that begins and ends with a dash."""
    count = max(1, round((length + dash[1]) / (dash[0] + dash[1])))
    step = (length + dash[1]) / count
    path = "".join(f"M{width / 2} {n * step:.2f}V{n * step + step - dash[1]:.2f}" for n in range(count))
    look = f'stroke="{_css(colour)}" fill="none" stroke-width="{width}"'
    return svg(f'{_open(width, length)}<path d="{path}" {look}/></svg>')


def hatch(width: int, height: int, stripe: float, light: Colour, dark: Colour) -> pygame.Surface:
    """Stripes at 45 degrees, `stripe` wide across."""
    step = stripe * math.sqrt(2) * 2
    half = step / 2
    lines = "".join(
        f'<path d="M{n * step:.2f} 0h{half:.2f}l{-height} {height}h{-half:.2f}Z" fill="{_css(light)}"/>'
        for n in range(math.ceil((width + height) / step) + 1)
    )
    return svg(
        f'{_open(width, height)}<rect width="{width}" height="{height}" fill="{_css(dark)}"/>{lines}</svg>'
    )


def bars(width: int, height: int, marks: tuple[tuple[float, float], ...], colour: Colour) -> pygame.Surface:
    """Upright bars, each (left, width) in shares of the width: the code on the small ticket."""
    shapes = "".join(_rect(x * width, 0, w * width, height, 0, _css(colour)) for x, w in marks)
    return svg(f"{_open(width, height)}{shapes}</svg>")


def fan(width: int, height: int, seats: int) -> pygame.Surface:
    """Lines that lead from one hand to every seat; 435 x 72 native."""
    paths = ""
    for number in range(seats):
        from_middle = number - (seats - 1) / 2
        top, bottom = 217 + from_middle * 22, 217 + from_middle * 56
        paths += f"M{top} 6C{top} 40 {bottom} 30 {bottom} 66"
    return _native(width, height, 435, 72, paths, f'stroke="{_css(LINE_HI)}" stroke-width="3"')


def arc(width: int, height: int, colour: Colour) -> pygame.Surface:
    """The ticks of a huge dial behind the title; 480 x 620 native, 540 native from the left."""
    paths = ""
    for number in range(35):
        angle = math.radians(15 + 3 * number)
        ends = (560, 606 if number % 5 == 0 else 584)
        x, y = math.sin(angle), -math.cos(angle)
        (x1, y1), (x2, y2) = ((400 + r * x - 540, 330 + r * y) for r in ends)
        paths += f"M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}"
    look = f'stroke="{_css(colour)}" stroke-opacity="0.2" stroke-width="4" stroke-linecap="round"'
    return _native(width, height, 480, 620, paths, look)


def _native(width: int, height: int, native_w: int, native_h: int, paths: str, look: str) -> pygame.Surface:
    return svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {native_w} {native_h}" preserveAspectRatio="none">'
        f'<path d="{paths}" fill="none" {look}/></svg>'
    )
