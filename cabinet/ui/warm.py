"""Loads while the table idles what play will need: faces at their sizes, and sounds.

The first picture needs few surfaces, so the screen is there quickly; the rest is made in small
pieces, one per idle frame. Whatever is needed earlier is simply made then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from cabinet.core.look import Cue
from cabinet.ui import slots
from cabinet.ui.layout import layout
from cabinet.ui.pen import Kit
from cabinet.ui.sound import Mixer

Job: TypeAlias = Callable[[], object]
FACES = 52


def jobs(kit: Kit, mixer: Mixer, seats: int) -> Iterator[Job]:
    """Pieces of work, the most needed first; each takes a few milliseconds."""
    shape = layout(seats)
    hand = (280, 240) if shape.large else (240, 200)
    for width in (hand[0], 140, 120, hand[1]):
        for card in range(FACES):
            yield lambda card=card, width=width: kit.sprites.card(card, width)  # type: ignore[misc]
        yield lambda width=width: kit.sprites.card_shadow(width, width * slots.RATIO)  # type: ignore[misc]
    for cue in Cue:
        yield lambda cue=cue: mixer.prepare(cue)  # type: ignore[misc]
    for card in range(FACES):
        yield lambda card=card: kit.sprites.nobody(card, 150)  # type: ignore[misc]
        yield lambda card=card: kit.sprites.tile(card, 72, 96)  # type: ignore[misc]
