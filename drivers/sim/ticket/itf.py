"""Interleaved 2 of 5 bar codes in printer dots (ISO/IEC 16390), as ticket printers make them.

Digits are taken in pairs: the first digit of a pair is written in five bars, the second in the
five spaces between them; two of the five are wide. The code begins with bar, space, bar, space,
all narrow, and ends with a wide bar, a narrow space and a narrow bar.
"""

from __future__ import annotations

NARROW_DOTS = 5
WIDE_DOTS = 13  # 2.6 times the narrow element; the standard allows 2 to 3
QUIET_DOTS = 190  # white kept free at both ends

#: Which of the five elements of a digit are wide (weights 1 2 4 7 parity).
_WIDE = ("..ww.", "w...w", ".w..w", "ww...", "..w.w", "w.w..", ".ww..", "...ww", "w..w.", ".w.w.")
_START = "...."
_STOP = "w.."


def bars(digits: str, narrow: float = NARROW_DOTS, wide: float = WIDE_DOTS) -> list[tuple[int, int]]:
    """The black bars of `digits` as (offset, width) in dots from the start of the code.

    Elements that are no whole dots wide end at the nearest one. ValueError unless `digits` is an even
    number of ASCII digits: padding would print another number than the one that was asked for.
    """
    found = []
    for place, (offset, width) in enumerate(_elements(digits, narrow, wide)):
        if place % 2 == 0:
            found.append((offset, width))
    return found


def width_dots(digits: str) -> int:
    """The length of the whole code without its quiet zones; errors as `bars`."""
    offset, width = _elements(digits, NARROW_DOTS, WIDE_DOTS)[-1]
    return offset + width


def _elements(digits: str, narrow: float, wide: float) -> list[tuple[int, int]]:
    """Bars and spaces in turn, beginning with a bar, as (offset, width)."""
    if not digits or len(digits) % 2 or not (digits.isascii() and digits.isdigit()):
        raise ValueError("interleaved 2 of 5 takes an even number of digits")
    pattern = _START
    for first, second in zip(digits[::2], digits[1::2], strict=True):
        pairs = zip(_WIDE[int(first)], _WIDE[int(second)], strict=True)
        pattern += "".join(bar + space for bar, space in pairs)
    elements = []
    begin, exact = 0, 0.0
    for kind in pattern + _STOP:
        exact += wide if kind == "w" else narrow
        end = round(exact)
        elements.append((begin, end - begin))
        begin = end
    return elements
