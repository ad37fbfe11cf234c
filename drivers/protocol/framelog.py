"""The last frames of a wire, for the service page."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from drivers.device import Frame

FRAMES = 64  # what a technician can scroll through


class FrameLog:
    """Keeps raw bytes; ``meaning(data, sent)`` words them only when somebody looks."""

    def __init__(self, meaning: Callable[[bytes, bool], str]) -> None:
        self._meaning = meaning
        self._kept: deque[tuple[int, bool, bytes]] = deque(maxlen=FRAMES)

    def add(self, at_ms: int, sent: bool, data: bytes) -> None:
        self._kept.append((at_ms, sent, data))

    def frames(self) -> tuple[Frame, ...]:
        return tuple(Frame(at, sent, data, self._meaning(data, sent)) for at, sent, data in self._kept)
