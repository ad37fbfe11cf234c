"""A bench per test; whatever was built on it is closed at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.programs.runtime_bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def make(**options: object) -> Bench:
        made.append(Bench(tmp_path / "state", **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.end()
