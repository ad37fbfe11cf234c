"""The field program as a process, made by a test and ended behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.programs.firmware import Firmware, Make


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Firmware] = []

    def firmware(autoplay: bool = False, started: bool = True, **environment: str) -> Firmware:
        made.append(Firmware(tmp_path, environment, autoplay=autoplay))
        if started:
            made[-1].start()
        return made[-1]

    yield firmware
    for one in made:
        one.close()
