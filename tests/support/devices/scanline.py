"""A second reader of Interleaved 2 of 5, beside ZXing: it measures the bars along one line of dots.

It shares no code and no table with the drawing: the digits' patterns are written down again, as weights
1, 2, 4, 7 and parity.
"""

from __future__ import annotations

from itertools import groupby

from PIL import Image

_WEIGHTS = (1, 2, 4, 7, 0)


def numbers_on(picture: Image.Image, length: int = 18) -> set[str]:
    """Every number of `length` digits that some row of the picture spells."""
    grey = picture.convert("L")
    rows = (grey.crop((0, y, grey.width, y + 1)).tobytes() for y in range(0, grey.height, 4))
    return {number for row in rows if (number := _number(row, length))}


def _number(row: bytes, length: int) -> str:
    runs = [(dot < 128, sum(1 for _ in group)) for dot, group in groupby(row)]
    while runs and not runs[0][0]:
        runs.pop(0)
    while runs and not runs[-1][0]:
        runs.pop()
    widths = [width for _, width in runs]
    if len(widths) != 4 + 5 * length + 3:
        return ""
    middle = (min(widths) + max(widths)) / 2
    wide = [width > middle for width in widths]
    if any(wide[:4]) or wide[-3:] != [True, False, False]:
        return ""
    digits = ""
    body = wide[4:-3]
    for at in range(0, len(body), 10):
        digits += _digit(body[at : at + 10 : 2]) + _digit(body[at + 1 : at + 10 : 2])
    return digits if len(digits) == length else ""


def _digit(wide: list[bool]) -> str:
    if sum(wide) != 2:
        return ""
    value = sum(weight for weight, is_wide in zip(_WEIGHTS, wide, strict=True) if is_wide)
    return "0" if value == 11 else str(value)
