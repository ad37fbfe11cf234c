"""One evening at the table: played, drawn when somebody looks, and counted."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from cabinet.lab import report
from cabinet.lab.scratch import folder
from cabinet.lab.table import VIRTUAL_WALL_MS, LabOptions, Table, build, run_virtual
from cabinet.program.loop import Screen, loop
from cabinet.program.presenter import Presenter
from cabinet.program.runtime import RealClock

if TYPE_CHECKING:
    from cabinet.lab.gallery.gallery import (
        Recorder,  # draws with Pillow: loaded for an evening that leaves pictures
    )


def play(
    options: LabOptions, version: str, attach: Callable[[Table], None] | None = None
) -> report.EveningReport:
    """Play one evening and count it. `attach` may add watchers before it begins."""
    with folder("table") as scratch:
        clock = RealClock()
        wall_ms = VIRTUAL_WALL_MS if options.virtual else clock.wall_ms()
        table = build(options, scratch, version, wall_ms)
        presenter: Presenter | None = None
        screen: Screen | None = None
        if not options.virtual:
            from cabinet.lab.deck import cockpit  # a virtual evening draws nothing and needs no pygame

            presenter = cockpit.presenter_of(table)
            screen = presenter if options.headless else cockpit.of(table, presenter)
        faults = report.Faults(options.faults, table.pending_faults, table.world.panel_name)
        if options.faults:
            table.watchers.append(faults.publish)
        if attach is not None:
            attach(table)
        recorder: Recorder | None = None
        if options.shots is not None:
            from cabinet.lab.gallery.gallery import Recorder

            recorder = Recorder(table)
        try:
            with _stopped_by_signals(table):
                if screen is None:
                    run_virtual(table)
                else:
                    loop(table.runtime, clock, screen=screen, world=table.world, until=table.over)
        finally:
            table.runtime.close(clean=True, now_ms=table.runtime.live.now_ms)
            table.world.close()
            if presenter is not None:
                presenter.window.close()
        frames = presenter.window.pacer.frames if presenter else 0
        late = presenter.window.late_frames if presenter else 0
        runtime = table.runtime
        before = runtime.restored.state
        # Reading every ticket's picture is for who asks for figures or pictures, or plays in real time.
        look = not options.virtual or options.report is not None or options.shots is not None
        digest = runtime.head.digest
        made = report.make(
            runtime.state, digest, table.world, frames, late,
            before=before, read_images=look, faults=faults.lines(),
        )  # fmt: skip
    if recorder is not None and options.shots is not None:
        recorder.write(options.shots, made)
    if options.report is not None:
        report.write(made, options.report)
    return made


@contextmanager
def _stopped_by_signals(table: Table) -> Iterator[None]:
    """Ctrl-C ends the evening between rounds, a second one at once. In virtual time, in which a second is
    long, the first one does so too if it has not come to an end by then."""

    def caught(_number: int, _frame: FrameType | None) -> None:
        table.end(table.runtime.live.now_ms)
        if table.options.virtual and table.asked is None:
            table.asked = RealClock()

    before = {number: signal.signal(number, caught) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
