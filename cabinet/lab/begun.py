"""The lab begins its memories by itself: nobody else could, and equal seeds have equal keys."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import count
from pathlib import Path

from cabinet.core.facts import MemoryBegun
from cabinet.memory import begin as memory_begin
from cabinet.store.directory import files
from cabinet.store.seals import chain_key
from cabinet.store.second_copy import SlottedCopy

WALL_MS = 1_780_340_400_000  # the fixed date of a virtual evening


def begin(
    directory: Path,
    seed: int,
    *,
    wall_ms: int = WALL_MS,
    copy: SlottedCopy | None = None,
    board: str = "",
    machine_id: int = 0,
) -> bytes:
    """Begins a memory, or the seals of an older one, unless that has been done. The verification key; b"" if
    nothing was begun."""
    if directory.is_dir() and files.newest(directory) and chain_key.load(directory) is not None:
        return b""
    return memory_begin.begin(
        directory,
        MemoryBegun(0, "the lab", f"seed {seed}"),
        wall_ms=wall_ms,
        draw=_drawn(seed),
        copy=copy,
        board=board,
        machine_id=machine_id,
        started="cabinet lab",
    )


def _drawn(seed: int) -> Callable[[int], bytes]:
    """Bytes that the seed gives: for keys that protect nothing."""
    numbers = count()

    def draw(size: int) -> bytes:
        return hashlib.shake_256(f"lab keys {seed} {next(numbers)}".encode()).digest(size)

    return draw
