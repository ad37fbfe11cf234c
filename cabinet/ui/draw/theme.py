"""Design tokens: colours, type roles and the one function that scales the layout.

All geometry of the screen is written for 1920 x 1080 ("native" units). `Scale` turns it into
pixels of the screen at hand; fonts and vector art are rendered at that size, so the finished
picture is never scaled. One accent: amber means "yours, now"; white means "said".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

Colour: TypeAlias = tuple[int, int, int]

NATIVE_WIDTH: Final = 1920
NATIVE_HEIGHT: Final = 1080


def _hex(code: str) -> Colour:
    return int(code[0:2], 16), int(code[2:4], 16), int(code[4:6], 16)


INK: Final = _hex("071517")  # bars, deepest ground
INK_EDGE: Final = _hex("163032")  # hairline under the top bar
FELT_HI: Final = _hex("16393A")
FELT_LO: Final = _hex("0A2022")
PICTURE_LO: Final = _hex("0E2B2D")  # lower end of the pictures on the help page
DEMO: Final = _hex("0A1E20")  # panel of the demonstration
PANEL: Final = _hex("0B2225")
PANEL_HI: Final = _hex("112E31")
WELL: Final = _hex("071719")  # recesses: dark lamps, lost cells
LINE: Final = _hex("2C5053")
LINE_HI: Final = _hex("6E9391")  # edges that carry meaning
FAINT: Final = _hex("1C3639")  # edge of a seat that is not in play, and of a dark lamp
CELL_FAINT: Final = _hex("1B3A3C")  # edge of an unused cell, line under the choices
TRACK: Final = _hex("1C3B3D")  # groove of a bar
ROW_LINE: Final = _hex("183538")  # between rows of the service pages
BADGE: Final = _hex("1D4144")
TEXT: Final = _hex("F3F6F1")
TEXT_2: Final = _hex("B5C9C6")
TEXT_3: Final = _hex("8FA9A6")
DARK_WORD: Final = _hex("54716F")  # word on a dark lamp
DARK_DASH: Final = _hex("5F7E7C")  # dash of an unused cell
ACCENT: Final = _hex("FFBE4D")
ON_ACCENT: Final = _hex("1B1305")
PAPER: Final = _hex("FBFAF6")
PAPER_INK: Final = _hex("15191C")
CONTINUATION: Final = _hex("C3CECB")  # paper of continuation cards
SHADOW: Final = (0, 0, 0)
SCRIM: Final = (4, 12, 13)

SHADOW_ALPHA: Final = 122
HALO_ALPHA: Final = 97
SCRIM_ALPHA: Final = 128


class Face(StrEnum):
    """The six font files. Both families have tabular figures."""

    MEDIUM = "TableSans-Medium"
    SEMI = "TableSans-SemiBold"
    BOLD = "TableSans-Bold"
    NARROW_MEDIUM = "TableSansNarrow-Medium"
    NARROW_SEMI = "TableSansNarrow-SemiBold"
    NARROW_BOLD = "TableSansNarrow-Bold"


class Type(NamedTuple):
    """A type role: `size` is the em in native pixels, `tracking` in em between letters."""

    face: Face
    size: int
    tracking: float = 0.0

    def sized(self, size: int) -> Type:
        """The same role at another size."""
        return Type(self.face, size, self.tracking)


HAND_TOTAL: Final = Type(Face.BOLD, 190)
DEALER_TOTAL: Final = Type(Face.BOLD, 110)
SPLIT_TOTAL: Final = Type(Face.BOLD, 100)
LANE_TOTAL: Final = Type(Face.BOLD, 56)
DIAL_FIGURE: Final = Type(Face.BOLD, 112)
DIAL_LAST: Final = Type(Face.BOLD, 132)
DIAL_UNIT: Final = Type(Face.SEMI, 28, 0.06)
PHASE: Final = Type(Face.BOLD, 48)
LINE_TEXT: Final = Type(Face.SEMI, 32)
STORY: Final = Type(Face.MEDIUM, 32)
RULES: Final = Type(Face.MEDIUM, 28)
RULES_STRONG: Final = Type(Face.SEMI, 28)
TOP: Final = Type(Face.MEDIUM, 28)
TOP_STRONG: Final = Type(Face.SEMI, 28)
TOP_NAME: Final = Type(Face.SEMI, 28, 0.09)
CAPTION: Final = Type(Face.SEMI, 30, 0.08)
SUM: Final = Type(Face.SEMI, 32)
SUM_NARROW: Final = Type(Face.NARROW_SEMI, 32)
HEADLINE: Final = Type(Face.BOLD, 132)
UNDER_HEADLINE: Final = Type(Face.MEDIUM, 36)
NOTE: Final = Type(Face.MEDIUM, 30)

GRID_TITLE: Final = Type(Face.SEMI, 30, 0.10)
GRID_LABEL: Final = Type(Face.SEMI, 28, 0.06)
GRID_FIGURE: Final = Type(Face.NARROW_BOLD, 72)
GRID_FIGURE_7: Final = Type(Face.NARROW_BOLD, 68)
GRID_DASH: Final = Type(Face.NARROW_MEDIUM, 72)
GRID_WORD: Final = Type(Face.NARROW_SEMI, 30)
BADGE_FIGURE: Final = Type(Face.NARROW_BOLD, 36)
TAG: Final = Type(Face.NARROW_BOLD, 30)
FOOT: Final = Type(Face.SEMI, 28, 0.04)
COLUMN_LABEL: Final = Type(Face.SEMI, 30, 0.06)
COLUMN_SAY: Final = Type(Face.SEMI, 30)
RAIL: Final = Type(Face.MEDIUM, 30)


class Scale:
    """Native units to pixels. The picture keeps 16:9 and is centred on other screens."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.factor = min(width / NATIVE_WIDTH, height / NATIVE_HEIGHT)
        self.left = (width - round(NATIVE_WIDTH * self.factor)) // 2
        self.top = (height - round(NATIVE_HEIGHT * self.factor)) // 2

    def px(self, native: float) -> int:
        """A length in pixels."""
        return int(native * self.factor + 0.5) if native >= 0 else -int(-native * self.factor + 0.5)

    def line(self, native: float) -> int:
        """The width of a line: never less than one pixel."""
        return max(1, self.px(native))

    def font(self, size: int) -> int:
        """The em of a font in pixels."""
        return max(8, round(size * self.factor))

    def x(self, native: float) -> int:
        """A horizontal place on the screen."""
        return self.left + self.px(native)

    def y(self, native: float) -> int:
        """A vertical place on the screen."""
        return self.top + self.px(native)

    def box(self, x: float, y: float, w: float, h: float) -> tuple[int, int, int, int]:
        """A rectangle on the screen; neighbours in the layout are neighbours in pixels."""
        left, top = self.x(x), self.y(y)
        return left, top, self.x(x + w) - left, self.y(y + h) - top

    def native(self, x: int, y: int) -> tuple[float, float]:
        """The native place of a pixel, for pointers."""
        return (x - self.left) / self.factor, (y - self.top) / self.factor


@dataclass(frozen=True, slots=True)
class Look:
    """What a cabinet may choose about its picture."""

    deck: str = "four"  # "four" or "two" colours
    motion: bool = True  # False: every time is 0 except the dial's

    def __post_init__(self) -> None:
        if self.deck not in ("four", "two"):
            raise ValueError(f"deck must be four or two, not {self.deck!r}")
