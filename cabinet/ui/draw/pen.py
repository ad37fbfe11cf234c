"""The pen: turns native places, words and sizes into items of a part.

Every helper takes native units and appends ready surfaces in pixels. Two conventions come from
the type: a text is placed by its baseline, and capitals are centred in a box at
``y + h / 2 + 0.35 * size``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import pygame

from cabinet.core.look import CardLook, Message
from cabinet.core.timing import Timing
from cabinet.ui.catalogue import Catalogue
from cabinet.ui.draw.paint import FADE_STEPS, FOREVER, OPAQUE, Drawn, Fade, Item, Part
from cabinet.ui.draw.sprites import Sprites
from cabinet.ui.draw.text import TextKit, plain, runs
from cabinet.ui.draw.theme import Colour, Look, Scale, Type

Anchor: TypeAlias = Literal["l", "c", "r"]


# Seven seats, each with what it is and what it fades from, and a few that come back in a round.
PANELS: Final = 64


class Panels:
    """Finished pieces of parts by what they show, least recently used first."""

    def __init__(self) -> None:
        self._held: OrderedDict[Hashable, tuple[int, Part]] = OrderedDict()

    def get(self, key: Hashable, now_ms: int, make: Callable[[], Part]) -> Part:
        """The piece of `key`, made now if there is none that holds at `now_ms`."""
        held = self._held.get(key)
        if held is not None and held[0] <= now_ms < held[1].until_ms:
            self._held.move_to_end(key)
            return held[1]
        part = make()
        self._held[key] = now_ms, part
        self._held.move_to_end(key)
        if len(self._held) > PANELS:
            self._held.popitem(last=False)
        return part


@dataclass(frozen=True, slots=True)
class Kit:
    """Everything that drawing needs and that does not change while the program runs."""

    scale: Scale
    look: Look
    text: TextKit
    sprites: Sprites
    words: Catalogue
    times: Timing
    panels: Panels = field(default_factory=Panels)


@dataclass(frozen=True, slots=True)
class Strong:
    """How ``*strong*`` words of a text are set."""

    kind: Type
    colour: Colour


class Pen:
    """Collects the items of one part at one moment."""

    def __init__(self, kit: Kit, now_ms: int) -> None:
        self.kit = kit
        self.now_ms = now_ms
        self.items: list[Drawn] = []
        self.until_ms = FOREVER

    def part(self) -> Part:
        """The finished part."""
        return Part(tuple(self.items), self.until_ms)

    def until(self, ms: int) -> None:
        """The part looks different from `ms` on. Times that have passed are ignored."""
        if self.now_ms < ms < self.until_ms:
            self.until_ms = ms

    # ---- surfaces

    def at(self, surface: pygame.Surface, x: int, y: int, alpha: int = OPAQUE) -> None:
        """A surface at a place in pixels."""
        self.items.append(Item(surface, x, y, alpha))

    def place(self, surface: pygame.Surface, x: float, y: float, alpha: int = OPAQUE) -> None:
        """A surface at a native place."""
        self.items.append(Item(surface, self.kit.scale.x(x), self.kit.scale.y(y), alpha))

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        radius: float,
        fill: Colour | None,
        edge: tuple[Colour, float] | None = None,
        *,
        dashed: bool = False,
        opacity: float = 1.0,
    ) -> None:
        """A rounded rectangle; `edge` is (colour, native width), drawn inside."""
        left, top, width, height = self.kit.scale.box(x, y, w, h)
        line = None if edge is None else self.kit.sprites.edge(edge[0], edge[1], dashed=dashed)
        self.at(self.kit.sprites.box(width, height, radius, fill, line, opacity), left, top)

    def bar_box(self, x: float, y: float, w: float, h: float, fill: Colour) -> None:
        """A plain rectangle, at least one pixel thick."""
        left, top, width, height = self.kit.scale.box(x, y, w, h)
        self.at(self.kit.sprites.plain(max(1, width), max(1, height), fill), left, top)

    def halo(self, x: float, y: float, w: float, h: float) -> None:
        """The light round a lit lamp."""
        left, top, width, height = self.kit.scale.box(x, y, w, h)
        halo = self.kit.sprites.halo(width, height)
        self.at(halo, left - (halo.get_width() - width) // 2, top - (halo.get_height() - height) // 2)

    def icon(self, name: str, size: float, colour: Colour, x: float, y: float) -> None:
        """An icon with its upper left corner at a native place."""
        self.place(self.kit.sprites.icon(name, size, colour), x, y)

    def bar(self, x: float, y: float, w: float, h: float, colour: Colour, share: float = 1.0) -> None:
        """A bar with round ends, of which the left `share` is shown."""
        left, top, width, height = self.kit.scale.box(x, y, w, h)
        surface = self.kit.sprites.box(width, height, h / 2, colour, None)
        shown = round(width * share)
        if shown > 0:
            self.items.append(Item(surface, left, top, OPAQUE, (0, 0, shown, height)))

    # ---- text

    def text(
        self, text: str, kind: Type, colour: Colour, x: float, baseline: float, anchor: Anchor = "l"
    ) -> None:
        """One plain line at its baseline."""
        if not text:
            return
        surface = self.kit.text.surface(text, kind, colour)
        left = self.kit.scale.x(x)
        if anchor != "l":
            width = self.kit.text.width(text, kind)
            left -= width if anchor == "r" else (width + 1) // 2
        self.at(surface, left, self.kit.scale.y(baseline) - self.kit.text.ascent(kind))

    def rich(
        self,
        line: str,
        kind: Type,
        colour: Colour,
        strong: Strong,
        x: float,
        baseline: float,
        anchor: Anchor = "l",
    ) -> None:
        """One line with ``*strong*`` words."""
        pieces = [(run.text, strong.kind if run.strong else kind, run.strong) for run in runs(line)]
        widths = [self.kit.text.width(text, face) for text, face, _ in pieces]
        left = self.kit.scale.x(x)
        if anchor != "l":
            left -= sum(widths) if anchor == "r" else (sum(widths) + 1) // 2
        for (text, face, is_strong), width in zip(pieces, widths, strict=True):
            surface = self.kit.text.surface(text, face, strong.colour if is_strong else colour)
            self.at(surface, left, self.kit.scale.y(baseline) - self.kit.text.ascent(face))
            left += width

    def lines(
        self,
        text: str,
        kind: Type,
        colour: Colour,
        x: float,
        baseline: float,
        leading: float,
        anchor: Anchor = "l",
        strong: Strong | None = None,
    ) -> None:
        """Several lines, the first at `baseline`."""
        for number, line in enumerate(text.split("\n")):
            if strong is not None and "*" in line:
                self.rich(line, kind, colour, strong, x, baseline + number * leading, anchor)
            else:
                self.text(plain(line), kind, colour, x, baseline + number * leading, anchor)

    def caps(
        self, text: str, kind: Type, colour: Colour, x: float, y: float, h: float, anchor: Anchor = "l"
    ) -> None:
        """One line with its capitals centred between `y` and `y + h`."""
        self.text(text, kind, colour, x, y + h / 2 + 0.35 * kind.size, anchor)

    def figures(self, text: str, kind: Type, colour: Colour, right: float, baseline: float) -> int:
        """An amount that ends at `right`, composed of cached glyphs. Its width in pixels."""
        glyphs = [self.kit.text.glyph(sign, kind, colour) for sign in text]
        width = sum(glyph.advance for glyph in glyphs)
        left = self.kit.scale.x(right) - width
        top = self.kit.scale.y(baseline) - self.kit.text.ascent(kind)
        for glyph in glyphs:
            self.at(glyph.surface, left, top)
            left += glyph.advance
        return width

    def wrapped(self, text: str, kind: Type, width: float) -> list[str]:
        """A text in as many lines as `width` native units ask for."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.kit.text.fits(longer, kind, width):
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def width(self, text: str, kind: Type) -> float:
        """Native width of a line."""
        return self.kit.text.width(plain(text), kind) / self.kit.scale.factor

    def fit(self, message: Message, kind: Type, width: float) -> str:
        """The long text of a message if it fits `width` native units, else the short one."""
        long = self.kit.words.text(message)
        return long if self.kit.text.fits(long, kind, width) else self.kit.words.text(message, short=True)

    def word(self, key: str, kind: Type, width: float, **args: int | str | tuple[int, ...]) -> str:
        """`fit` for a text that the screen chooses itself."""
        return self.fit(Message(key, tuple(args.items())), kind, width)

    # ---- time

    def share(self, start_ms: int, length_ms: int, steps: int = 0) -> float:
        """How far a movement has come, 0 to 1; tells the part when it changes next.

        With `steps` it moves in that many jumps, otherwise every millisecond.
        """
        if not self.kit.look.motion or length_ms <= 0:
            self.until(start_ms)
            return 1.0 if self.now_ms >= start_ms else 0.0
        done = self.now_ms - start_ms
        if done >= length_ms:
            return 1.0
        if done < 0:
            self.until(start_ms)
            return 0.0
        if not steps:
            self.until(self.now_ms + 1)
            return done / length_ms
        step = done * steps // length_ms
        self.until(start_ms + -(-(step + 1) * length_ms // steps))
        return step / steps

    def lying(self, cards: Sequence[CardLook]) -> tuple[CardLook, ...]:
        """The cards that have landed; with motion switched off they land when they start."""
        motion = self.kit.look.motion
        return tuple(card for card in cards if (card.land_ms if motion else card.start_ms) <= self.now_ms)

    def fade(
        self,
        box: tuple[float, float, float, float],
        old: Sequence[Drawn],
        new: Sequence[Drawn],
        start_ms: int,
        length_ms: int,
    ) -> None:
        """Cross-fade from `old` to `new` in a native rectangle, in eight steps."""
        share = self.share(start_ms, length_ms, FADE_STEPS)
        if share >= 1:
            self.items.extend(new)
        elif share <= 0:
            self.items.extend(old)
        else:
            flat_old = tuple(item for item in old if isinstance(item, Item))
            flat_new = tuple(item for item in new if isinstance(item, Item))
            self.items.append(Fade(self.kit.scale.box(*box), flat_old, flat_new, round(OPAQUE * share)))

    def kept(self, key: Hashable, draw: Callable[[Pen], None]) -> None:
        """A piece that is drawn once and kept; `key` holds all that it shows besides the time."""

        def make() -> Part:
            pen = self.sub()
            draw(pen)
            return pen.part()

        part = self.kit.panels.get(key, self.now_ms, make)
        self.items += part.items
        self.until(part.until_ms)

    def sub(self) -> Pen:
        """A pen for a piece that is drawn apart (one side of a fade)."""
        return Pen(self.kit, self.now_ms)


def out_cubic(share: float) -> float:
    """Ease for arrivals."""
    return 1 - (1 - share) ** 3


def in_out_cubic(share: float) -> float:
    """Ease for moves within the table."""
    return 4 * share**3 if share < 0.5 else 1 - (-2 * share + 2) ** 3 / 2


def lerp(a: float, b: float, share: float) -> float:
    """From `a` to `b`."""
    return a + (b - a) * share
