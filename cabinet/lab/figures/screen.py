"""What a frame costs: a recorded round drawn again on the dummy driver."""

from __future__ import annotations

import time

from cabinet.core.look import View
from cabinet.lab.figures.days import recorded
from cabinet.program.presenter import complete_view, open_window

FRAME_MS = 1000 / 60


def frame_ms(frames: int) -> tuple[float, float, float]:
    """CPU ms per frame: idle, dealing, and the dealing frames drawn whole."""
    table, seen = recorded(rounds=2)
    views = [(complete_view(state, live, {}, seq), live.now_ms) for seq, (state, live) in enumerate(seen)]
    config = table.world.config
    window = open_window(config, table.runtime.policy.timing, size=(1920, 1080))
    first_ms = next(ms for view, ms in views if view.dealer)
    while window.warming:
        window.show(views[0][0])
        for number in range(600):
            window.frame(int(number * FRAME_MS))
    quiet = next(view for view, _ in reversed(views) if not view.dealer)
    idle = _draw(window, [(quiet, 10_000_000)], 10_000_000, frames)
    dealing = _draw(window, views, first_ms, frames)
    start = time.process_time()
    for number in range(frames):
        now_ms = first_ms + int(number * FRAME_MS)
        window._painter.forget()
        window._until_ms = -1
        window.show(_at(views, now_ms))
        window.frame(now_ms)
    full = (time.process_time() - start) * 1000 / frames
    window.close()
    return idle, dealing, full


def _at(views: list[tuple[View, int]], now_ms: int) -> View:
    return next((view for view, ms in reversed(views) if ms <= now_ms), views[0][0])


def _draw(window: object, views: list[tuple[View, int]], from_ms: int, frames: int) -> float:
    from cabinet.ui.window import Window

    assert isinstance(window, Window)
    shown: View | None = None
    start = time.process_time()
    for number in range(frames):
        now_ms = from_ms + int(number * FRAME_MS)
        view = _at(views, now_ms)
        if view is not shown:
            window.show(view)
            shown = view
        window.frame(now_ms)
    return (time.process_time() - start) * 1000 / frames
