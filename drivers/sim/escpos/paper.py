"""Paper of a simulated receipt printer: what stands on a strip, how far it came, and what it looks like."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field, replace
from typing import ClassVar

from PIL import Image

from drivers.sim.escpos import art as escpos_art
from drivers.sim.escpos.art import BarCode, Element, TextLine
from drivers.sim.ticket.worth import LAB_FIGURES, worth_cents

_FIGURES = re.compile(r"([0-9][0-9,]*)\.([0-9]{2})")
_NUMBER = re.compile(r"\b\d{2}(?:-\d{4}){4}\b")


def _is_amount(line: str) -> bool:
    return bool(_FIGURES.fullmatch(line.lstrip("$EUR ")) or LAB_FIGURES.fullmatch(line))


@dataclass(frozen=True, slots=True)
class ReceiptText:
    """What a host's books could compare: the number in the bar code and the amount in figures."""

    validation: str
    figures: str


@dataclass(frozen=True, slots=True)
class Strip:
    """One piece of paper. `cut` is when it was cut off; None: it hangs in the printer or was torn off."""

    LYING: ClassVar[bool] = False  # it is read with its short side across

    width_dots: int
    elements: tuple[Element, ...] = ()
    at_ms: int = 0
    cut: bool = False

    @property
    def lines(self) -> list[str]:
        """The texts on it, from the leading edge on."""
        return [e.text.strip() for e in self.elements if isinstance(e, TextLine) and e.text.strip()]

    @property
    def small_print(self) -> list[str]:
        return self.lines

    @property
    def text(self) -> ReceiptText:
        codes = [e.digits for e in self.elements if isinstance(e, BarCode) and not e.torn]
        amounts = [line for line in self.lines if _is_amount(line)]
        return ReceiptText(codes[-1] if codes else "", amounts[-1] if amounts else "")

    @property
    def complete(self) -> bool:
        """A whole ticket and nothing else: its number first and again behind the code, code, amount, cut."""
        codes = sum(isinstance(element, BarCode) for element in self.elements)
        numbers = [line for line in self.lines if _NUMBER.search(line)]
        whole = self.cut and codes == 1 and len(numbers) == 2 and self.lines[0] == numbers[0]
        marked = any("*** VOID ***" in line for line in self.lines)
        torn = any(element.torn for element in self.elements)
        return whole and bool(self.text.validation and self.text.figures) and not (marked or torn)

    @property
    def cents(self) -> int:
        """What it is worth: 0 without an amount and for a receipt."""
        return worth_cents(self.text.figures, self.lines)

    def picture(self) -> Image.Image:
        """The paper itself, as it is read."""
        return escpos_art.render(self.elements, self.width_dots)

    def png(self) -> bytes:
        """What it looks like; drawn when somebody looks."""
        out = io.BytesIO()
        self.picture().save(out, "PNG", optimize=True)
        return out.getvalue()


@dataclass(slots=True)
class Roll:
    """Paper in the printer: the strip under the head, what was cut off, what is left."""

    width_dots: int
    left_mm: int
    tray: list[Strip]
    strip: Strip = field(init=False)
    _dots: int = 0  # of the millimetre that has begun

    DOTS_PER_MM = 8
    TRAY_STRIPS = 1000  # more than a day of play prints; older paper was swept up

    def __post_init__(self) -> None:
        self.strip = Strip(self.width_dots)

    def add(self, element: Element) -> None:
        """Move the paper under the head."""
        self.strip = replace(self.strip, elements=(*self.strip.elements, element))
        self._dots += element.height_dots
        used_mm, self._dots = divmod(self._dots, self.DOTS_PER_MM)
        self.left_mm = max(0, self.left_mm - used_mm)

    def tear(self, share_dots: int) -> None:
        """The element that moves now stops after `share_dots` dots."""
        if not self.strip.elements:
            return
        *before, last = self.strip.elements
        if share_dots <= 0:
            self.strip = replace(self.strip, elements=tuple(before))
        elif share_dots < last.height_dots:
            torn = replace(last, height_dots=share_dots, torn=True)
            self.strip = replace(self.strip, elements=(*before, torn))

    def end(self, at_ms: int, *, cut: bool) -> Strip | None:
        """The strip leaves the printer: cut off, or pulled out with the end of a roll."""
        strip, self.strip = replace(self.strip, at_ms=at_ms, cut=cut), Strip(self.width_dots)
        if not strip.lines and not strip.text.validation:
            return None  # white paper
        self.tray.append(strip)
        del self.tray[: -self.TRAY_STRIPS]
        return strip
