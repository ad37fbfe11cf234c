"""What the paper of a simulated receipt printer looks like, as a picture.

Letters stand in cells of 12 x 24 dots, as font A of these printers; a multiple of the size is drawn fine,
as newer heads do it, and not as a block of dots. A thermal head knows no grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from drivers.sim.ticket import itf
from drivers.sim.ticket.art import FONT_FOLDER

MARGIN_DOTS: Final = 32  # paper beside what can be printed
EDGE_DOTS: Final = 24  # between cutter and head: white at both ends
CELL: Final = 12, 24
BASELINE: Final = 19  # of 24
LETTER_DOTS: Final = 22  # size of the typeface in a cell of 24
INK_WIDTH: Final = 11.4  # of 12: letters do not touch
THRESHOLD: Final = 140
FINE: Final = 4
WIDE: Final = 2.5  # a wide element of a bar code


@dataclass(frozen=True, slots=True)
class Style:
    """How letters stand: multiples of the cell, and the line's alignment."""

    wide: int = 1
    tall: int = 1
    bold: bool = False
    invert: bool = False
    align: int = 0  # 0 left, 1 centre, 2 right


@dataclass(frozen=True, slots=True)
class LetterRun:
    """Letters of one style on a line."""

    text: str
    style: Style

    @property
    def width_dots(self) -> int:
        return len(self.text) * CELL[0] * self.style.wide


@dataclass(frozen=True, slots=True)
class TextLine:
    """One printed line; an empty one is white."""

    runs: tuple[LetterRun, ...]
    height_dots: int
    torn: bool = False

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class BarCode:
    digits: str
    narrow_dots: int
    height_dots: int
    align: int
    torn: bool = False

    @property
    def width_dots(self) -> float:
        """152.5 narrow elements for 18 digits: a wide one is 2.5 times as wide."""
        return self.narrow_dots * (8 * len(self.digits) + 8.5)


@dataclass(frozen=True, slots=True)
class Feed:
    height_dots: int
    torn: bool = False


Element = TextLine | BarCode | Feed


def render(elements: Sequence[Element], width_dots: int) -> Image.Image:
    """Mode ``1``, as wide as the paper. What was torn stops where it stopped."""
    length = sum(element.height_dots for element in elements)
    paper = Image.new("L", (width_dots + 2 * MARGIN_DOTS, length + 2 * EDGE_DOTS), 255)
    top = EDGE_DOTS
    for element in elements:
        band = _band(element, width_dots)
        if band is not None:
            paper.paste(band.crop((0, 0, band.width, element.height_dots)), (MARGIN_DOTS, top))
        top += element.height_dots
    return paper.point(lambda grey: 255 if grey >= THRESHOLD else 0, mode="1")


def _band(element: Element, width: int) -> Image.Image | None:
    """One element over the whole width; None for white paper."""
    match element:
        case TextLine():
            return _line(element, width)
        case BarCode():
            return _code(element, width)
        case Feed():
            return None


def _left(align: int, room: float) -> int:
    return int(room * (0, 0.5, 1)[align])


def _line(line: TextLine, width: int) -> Image.Image:
    height = max((run.style.tall * CELL[1] for run in line.runs), default=line.height_dots)
    band = Image.new("L", (width, max(height, line.height_dots)), 255)
    room = width - sum(run.width_dots for run in line.runs)
    x = _left(line.runs[0].style.align, room) if line.runs else 0
    for run in line.runs:
        top = height - run.style.tall * CELL[1]  # letters of all sizes stand on one line
        band.paste(_run(run), (x, top))
        x += run.width_dots
    return band


def _run(run: LetterRun) -> Image.Image:
    style = run.style
    cell = CELL[0] * style.wide, CELL[1] * style.tall
    picture = Image.new("L", (cell[0] * len(run.text), cell[1]), 255)
    for place, letter in enumerate(run.text):
        glyph = _glyph(letter, style.wide, style.tall, style.bold, FONT_FOLDER)
        picture.paste(0, (place * cell[0], 0), glyph)
    return picture.point(lambda grey: 255 - grey) if style.invert else picture


@lru_cache(maxsize=1024)  # the letters of tickets, in their sizes
def _glyph(letter: str, wide: int, tall: int, bold: bool, folder: Path) -> Image.Image:
    """One letter in the middle of its cell; squeezed if it is wider. 255 is ink."""
    weight = "Bold" if bold else "SemiBold"
    font = ImageFont.truetype(str(folder / f"TableSans-{weight}.ttf"), LETTER_DOTS * tall * FINE)
    if letter == "-":  # a rule is made of these
        cell = Image.new("L", (CELL[0] * wide, CELL[1] * tall), 0)
        ImageDraw.Draw(cell).rectangle((1, 12 * tall, CELL[0] * wide - 2, 12 * tall + 2 * tall - 1), fill=255)
        return cell
    natural = max(1, int(font.getlength(letter)))
    mask = Image.new("L", (natural, CELL[1] * tall * FINE), 0)
    ImageDraw.Draw(mask).text((0, BASELINE * tall * FINE), letter, fill=255, font=font, anchor="ls")
    # Squeezed or stretched as the cell is: twice as wide and once as tall is a wide letter.
    wanted = natural * wide // tall
    wanted = max(FINE, min(wanted, int(INK_WIDTH * wide * FINE)))
    cell = Image.new("L", (CELL[0] * wide * FINE, CELL[1] * tall * FINE), 0)
    cell.paste(mask.resize((wanted, mask.height)), ((cell.width - wanted) // 2, 0))
    return cell.reduce(FINE)


def _code(code: BarCode, width: int) -> Image.Image:
    band = Image.new("L", (width, code.height_dots), 255)
    draw = ImageDraw.Draw(band)
    left = _left(code.align, width - code.width_dots)
    for offset, size in itf.bars(code.digits, code.narrow_dots, WIDE * code.narrow_dots):
        draw.rectangle((left + offset, 0, left + offset + size - 1, code.height_dots), fill=0)
    return band
