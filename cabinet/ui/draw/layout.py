"""Where things are, in native units, for each number of seats.

The numbers for 7, 5, 3 and 1 seats are the design's; 6 and 4 take the shape of 7 and 5 with their
own widths, 2 that of 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

SEAT_TOP: Final = 758
SEAT_HEIGHT: Final = 310
SEAT_LEFT: Final = 20
SEATS_WIDTH: Final = 1880
SEAT_GUTTER: Final = 10
CARD_LEFT: Final = 500  # first card of dealer and hand
DEALER_TOP: Final = 80
DEALER_WIDTH: Final = 140
DEALER_HEIGHT: Final = 196
DEALER_STEP: Final = 156
HAND_BOTTOM: Final = 680
FLIGHT_FROM: Final = (1200.0, -220.0)  # where cards come from
BAR: Final = (20, 746, 1880, 6)
DIAL: Final = (32, 404, 224)
STORY: Final = (836, 100)
# The four buttons along the lower edge of the service pages, (x, y, w, h): back, up, down, enter.
SERVICE_KEYS: Final = tuple((24 + 474 * number, 982, 450, 80) for number in range(4))
RECALL_DROP: Final = 16  # the grid lies lower under the banner of a recalled round
RECALL_DEALER: Final = (88, 134, 188)
RECALL_STEP: Final = 148


class Form(StrEnum):
    """How a seat is laid out."""

    STRIP = "strip"  # money above, lamps below
    SIDE = "side"  # money left, lamps right (two or three seats)
    CONSOLE = "console"  # one seat over the whole width


@dataclass(frozen=True, slots=True)
class Layout:
    """Places that depend on the number of seats. Rectangles are (x, y, w, h)."""

    seats: int
    form: Form
    narrow: bool  # six and seven seats use the narrow family in the seats
    zone_width: int  # of dealer and hand, from CARD_LEFT
    hand_top: int
    large: bool  # one seat: cards of 280 x 392
    lane: tuple[int, int, int, int]
    columns: tuple[int, int, int]
    column_width: int
    grid: tuple[int, int, int, int]
    cells: tuple[tuple[int, int], ...]  # x and width of each column of the grid
    seat_boxes: tuple[tuple[int, int], ...]  # x and width of each seat

    @property
    def hand_room(self) -> int:
        """Width for the hand while there are no cards of nobody."""
        return self.zone_width

    @property
    def lane_room(self) -> int:
        """Width for the hand once the lane is open."""
        return self.zone_width - self.lane[2] - 28

    @property
    def story_width(self) -> int:
        """From the story's left to the end of the zone."""
        return CARD_LEFT + self.zone_width - STORY[0]


@lru_cache(8)
def layout(seats: int) -> Layout:
    """The layout of a cabinet with 1 to 7 seats."""
    if not 1 <= seats <= 7:
        raise ValueError(f"a cabinet has 1 to 7 seats, not {seats}")
    wide_grid = seats > 3
    grid = (1284, 72, 616, 666) if wide_grid else (1460, 72, 440, 666)
    single = seats == 1
    top, height = (336, 392) if single else (344, 336)
    lane = (1084, top, 172, height) if wide_grid else (1234, top, 202, height)
    return Layout(
        seats=seats,
        form=Form.CONSOLE if single else Form.SIDE if seats <= 3 else Form.STRIP,
        narrow=seats > 5,
        zone_width=744 if wide_grid else 920,
        hand_top=top,
        large=single,
        lane=lane,
        columns=(280, 604, 928) if wide_grid else (280, 666, 1052),
        column_width=308 if wide_grid else 368,
        grid=grid,
        cells=_divide(grid[0] + 14, grid[2] - 28, seats, 5),
        seat_boxes=_divide(SEAT_LEFT, SEATS_WIDTH, seats, SEAT_GUTTER),
    )


def _divide(left: int, width: int, count: int, gap: int) -> tuple[tuple[int, int], ...]:
    """`count` equal pieces with `gap` between them, as (x, w)."""
    each = (width - gap * (count - 1)) / count
    starts = [round(left + number * (each + gap)) for number in range(count)]
    return tuple((start, round(each)) for start in starts)
