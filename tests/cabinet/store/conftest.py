"""A state directory, and facts to put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cabinet.store.journal import Entry, Journal


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def journal(directory: Path) -> Iterator[Journal]:
    """An open journal with nothing in it."""
    opened = Journal.open(directory)
    yield opened
    opened.close()


@pytest.fixture
def facts() -> Callable[..., Sequence[Entry]]:
    """``facts(3)`` makes three entries; ``facts(3, first=10)`` makes the 10th to the 12th."""

    def make(count: int, first: int = 1) -> Sequence[Entry]:
        return [
            Entry(
                "NoteCredited", f'{{"amount_cents":500,"note":{number}}}', number * 40, 10**12 + number * 40
            )
            for number in range(first, first + count)
        ]

    return make
