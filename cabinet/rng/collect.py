"""Files for a laboratory: raw bits as the cards are made of, and cards as the dealer draws them.

A file of bits is those bytes and nothing else. A file of cards begins with one line of text that
says what it is; then come the deals, one fresh shoe each, as text (a line of card numbers for each
deal) or binary (16 bits a card, low byte first). A card is ``deck * 52 + suit * 13 + rank`` with
suits in the order S H D C and ranks in the order A 2 .. 10 J Q K. Everything comes through the
watched generator of the field program; its SHA-256 goes beside the file as `sha256sum` writes it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cabinet.rng.generator import Generator
from cabinet.rng.source import deal
from game.cards import DECK_CARDS, MAX_DECKS

CHUNK_BYTES = 1 << 16
TEXT, BINARY = "text", "binary"
_HEADER = re.compile(
    rb"# cabinet rng cards: format=(text|binary) decks=([1-8]) each=(\d{1,3}) cards=(\d{1,15})\n"
)
HEADER_BYTES_MAX = 128
Tell = Callable[[int], None]  # so many bytes or cards are done


@dataclass(frozen=True, slots=True)
class CardsFile:
    """What the first line of a file of cards says. `each` cards come from every fresh shoe; the last
    deal has what is left of `cards`."""

    form: str
    decks: int
    each: int
    cards: int

    def header(self) -> bytes:
        return (
            f"# cabinet rng cards: format={self.form} decks={self.decks} each={self.each} "
            f"cards={self.cards}\n"
        ).encode()

    @classmethod
    def parse(cls, line: bytes) -> CardsFile | None:
        """None when a file does not begin like one of cards: then it is one of bits."""
        found = _HEADER.fullmatch(line)
        if found is None:
            return None
        form, decks, each, cards = found.groups()
        made = cls(form.decode(), int(decks), int(each), int(cards))
        return made if 1 <= made.each <= made.decks * DECK_CARDS and made.decks <= MAX_DECKS else None


def bits(generator: Generator, count: int) -> Iterator[bytes]:
    """`count` bytes, a chunk at a time. Raises DrawError."""
    while count:
        size = min(count, CHUNK_BYTES)
        yield generator.take(size)
        count -= size


def cards(generator: Generator, wanted: CardsFile) -> Iterator[bytes]:
    """The header, then the deals one by one. Raises DrawError."""
    yield wanted.header()
    left = wanted.cards
    while left:
        dealt = deal(generator, wanted.decks, min(left, wanted.each))
        left -= len(dealt)
        if wanted.form == TEXT:
            yield (" ".join(map(str, dealt)) + "\n").encode()
        else:
            yield b"".join(card.to_bytes(2, "little") for card in dealt)


def save(out: Path, pieces: Iterator[bytes], tell: Tell) -> str:
    """Write all pieces to `out`, and their SHA-256 to `out`.sha256. The digest.

    Nothing stands under the name before everything is written. `tell` gets the number of pieces so
    far. Raises OSError and what `pieces` raises; then `out` is as it was.
    """
    digest = hashlib.sha256()
    part = out.with_name(f"{out.name}.part")
    try:
        with part.open("wb") as file:
            for number, piece in enumerate(pieces, 1):
                digest.update(piece)
                file.write(piece)
                tell(number)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    beside(out).write_text(f"{digest.hexdigest()}  {out.name}\n", encoding="utf-8")
    return digest.hexdigest()


def beside(out: Path) -> Path:
    """Where the digest of a file is kept."""
    return out.with_name(f"{out.name}.sha256")
