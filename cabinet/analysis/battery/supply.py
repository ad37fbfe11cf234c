"""Where the battery's cards, numbers and bytes come from: the live generator, or a collected file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from cabinet.analysis.battery.result import Ints
from cabinet.core.turn import Draw
from cabinet.rng import Source, deal
from cabinet.rng.collect import BINARY, HEADER_BYTES_MAX, CardsFile

CHUNK_CARDS = 260_000  # of one piece of deals: a few megabytes of numbers, whatever the file's size


class OverError(Exception):
    """A file has no more bytes."""


class Supply(Protocol):
    def deals(self, decks: int, each: int, count: int) -> Iterator[Ints]:
        """`count` deals of `each` cards from fresh shoes, in pieces of shape (some, each)."""
        ...

    def numbers(self, n: int, count: int) -> Ints:
        """`count` integers 0 .. n - 1."""
        ...

    def take(self, count: int) -> bytes:
        """The next bytes from which cards are made."""
        ...


class DrawnCards:
    """By the production path: `draw` for a card, `source` for the bytes that it consumes."""

    def __init__(self, draw: Draw, source: Source) -> None:
        self._draw = draw
        self._source = source

    def deals(self, decks: int, each: int, count: int) -> Iterator[Ints]:
        some = max(1, CHUNK_CARDS // each)
        for start in range(0, count, some):
            size = min(some, count - start)
            yield np.array([deal(self._draw, decks, each) for _ in range(size)], dtype=np.int64)

    def numbers(self, n: int, count: int) -> Ints:
        draw = self._draw
        return np.fromiter((draw(n) for _ in range(count)), dtype=np.int64, count=count)

    def take(self, count: int) -> bytes:
        return self._source(count)


@contextmanager
def file_source(path: Path) -> Iterator[Source]:
    """The bytes of a file once, as a source of the generator. It raises OverError at the end of the file."""
    with path.open("rb") as file:

        def source(count: int) -> bytes:
            data = file.read(count)
            if len(data) < count:
                raise OverError(f"{path} has too few bytes")
            return data

        yield source


class CardsError(Exception):
    """A file of cards is not what its first line says."""


def read_header(path: Path) -> CardsFile | None:
    """What a file of cards holds; None for a file of bits. Raises OSError."""
    with path.open("rb") as file:
        return CardsFile.parse(file.readline(HEADER_BYTES_MAX))


def read_cards(path: Path, header: CardsFile) -> Iterator[Ints]:
    """The complete deals of a collected file, in pieces. Raises CardsError, OSError."""
    each, some = header.each, max(1, CHUNK_CARDS // header.each)
    full, rest = divmod(header.cards, each)
    with path.open("rb") as file:
        file.readline(HEADER_BYTES_MAX)
        for start in range(0, full, some):
            size = min(some, full - start)
            if header.form == BINARY:
                raw = np.frombuffer(file.read(2 * each * size), dtype="<u2")
            else:
                raw = _numbers(b"".join(islice(file, size)))
            if raw.size != each * size:
                raise CardsError(f"{path} ends before the {header.cards} cards that its first line promises")
            yield raw.astype(np.int64).reshape(size, each)
        left = file.read()
    if (len(left) if header.form == BINARY else len(_numbers(left))) != (
        2 if header.form == BINARY else 1
    ) * rest:
        raise CardsError(f"{path} has not the {header.cards} cards that its first line promises")


def _numbers(text: bytes) -> Ints:
    try:
        return np.array(text.split(), dtype=np.int64)
    except ValueError as error:
        raise CardsError(f"a line of cards has something else: {error}") from error
