"""A page of pictures that needs nothing but its folder: no network, no script, letters inside."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cabinet.pages.rendering import render
from drivers.sim.ticket.art import FONT_FOLDER

TEMPLATE = Path(__file__).with_name("gallery.html")


@dataclass(frozen=True, slots=True)
class GalleryPicture:
    """`file` is beside the page; `alt` says what is to be seen to who does not see it."""

    file: str
    title: str
    note: str
    alt: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class BookRow:
    """One line of the books: what they say, what the machines have counted, and whether that is right."""

    what: str
    booked: str
    counted: str
    right: bool | None = None


@dataclass(frozen=True, slots=True)
class PagePart:
    """A section of the page. `link` is its word in the menu; what it has none of is left out."""

    anchor: str
    link: str
    title: str
    text: str = ""
    pictures: Sequence[GalleryPicture] = ()
    rounds: Sequence[tuple[str, str]] = ()  # head, and the grid in letters
    books: Sequence[BookRow] = ()


def page(title: str, lead: str, parts: Sequence[PagePart], foot: str) -> str:
    """A whole page; everything is plain text."""
    return render(TEMPLATE, title=title, lead=lead, parts=parts, foot=foot, fonts=_fonts())


@lru_cache(1)
def _fonts() -> tuple[tuple[int, str], ...]:
    """The cabinet's letters, inside the page: it looks the same on a machine without a network."""
    faces = ((500, "Medium"), (700, "Bold"))
    files = ((weight, FONT_FOLDER / f"TableSans-{name}.ttf") for weight, name in faces)
    return tuple((weight, base64.b64encode(file.read_bytes()).decode("ascii")) for weight, file in files)
