"""The field program: real ports, real lines, real randomness, the window, the service manager."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from cabinet.config import Config, copy_place, load
from cabinet.config.assembly import make_devices
from cabinet.core.timing import Timing
from cabinet.memory import check as memory
from cabinet.memory import last_trouble
from cabinet.program import ports
from cabinet.program.dark import darken
from cabinet.program.display import Display, ScreenError
from cabinet.program.loop import loop
from cabinet.program.manager import ServiceManager
from cabinet.program.presenter import open_window
from cabinet.program.runtime import RealClock, Runtime
from cabinet.program.start import (
    CLEAN,
    FAILED,
    FOREIGN,
    HELD,
    WRONG,
    Field,
    Ready,
    StopSignal,
    cabinet_file,
    memory_of,
)
from cabinet.program.telling import Publish, begin_log, publisher
from cabinet.rng.generator import Generator
from cabinet.store.checker import Checker
from cabinet.store.writer import Writer
from drivers.registry import Io

if TYPE_CHECKING:
    from cabinet.ui.window import Window

__all__ = ["CLEAN", "FAILED", "FOREIGN", "HELD", "WRONG", "run"]

LOG = logging.getLogger("cabinet")
STOP_WAIT_MS = 8_000  # for notes and tickets on their way: a stop is over within ten seconds (process.start)
STOP_COMMIT_S = 0.7  # for each of the last two commits
# A disk that has not answered for so long is told to the service manager by silence: it ends the process.
UNFED_MS = 30_000
# A program that starts itself again because the disk has answered again does so once a minute at most: the
# service manager gives up a unit that starts too often.
ANEW_MS = 60_000


def run(
    config_path: Path,
    state_dir: Path,
    *,
    on_publish: Publish | None = None,
    io: Io | None = None,
    pace: int = 1,
    lab: bool = False,
    board: Path = memory.BOARD_FILE,
) -> int:
    """Run until the service manager stops it. The exit code: 0 asked to stop. Without a service manager, who
    would start it again: 1 failed, 2 wrong configuration, 3 another process holds the state directory, 4 the
    state directory is another cabinet's. `board`: the file with the board's serial number.

    The keywords are the bench's: a read-only audience of committed views, another way to the GPIO
    lines, a quicker presentation. ``cabinet run`` gives none of them.
    """
    begin_log()
    manager, stop, clock = ServiceManager(), StopSignal(), RealClock()
    try:

        def read() -> Config:
            return load(config_path, copy_place.checker(state_dir, same_disk=lab))

        config = cabinet_file(read, lambda: _window(None, Timing()), manager, stop, clock)
        if config is None:
            return CLEAN if stop.count else WRONG
        io = io or ports.field_io()
        for text in darken(config, io):  # whatever a program that was killed has left switched on
            LOG.warning("not all outputs could be switched off: %s", text)
        return _start(Field(config, state_dir, io, board, pace, lab, manager, stop, clock, on_publish))
    finally:
        manager.close()
        stop.close()


def _start(field: Field) -> int:
    opened: list[Display] = []

    def display() -> Display:
        if not opened:
            opened.append(
                Display(lambda: _window(field.config, Timing().paced(field.pace)), field.clock.now_ms)
            )
        return opened[0]

    try:
        made = memory_of(field, display)
        return made if isinstance(made, int) else _run(field, made, display())
    finally:
        for screen in opened:
            screen.close()


def _run(field: Field, ready: Ready, display: Display) -> int:
    clock, stop, manager = RealClock(), field.stop, field.manager
    journal, checked = ready.journal, ready.checked
    devices = make_devices(field.config, field.io)
    publish = publisher(manager, display, field.on_publish)
    generator = Generator()
    no_cards = generator.start()
    runtime = Runtime(
        ready.policy,
        devices,
        journal,
        generator,
        wall_ms=clock.wall_ms(),
        writer=Writer(journal, ready.copy, checker=None if checked.found.memory else Checker(ready.copy)),
        on_publish=publish,
        memory=checked.found.memory,
        copy=checked.found.copy,
        copies=checked.found.rows,
        no_cards=no_cards,
        restored=checked.restored,
        trouble=last_trouble.kept(field.state_dir),
        clock=clock.both_ms,
    )
    display.attend(devices, runtime.post)
    begun: int | None = runtime.state.session
    asked_ms: int | None = None  # when the loop heard of the stop
    LOG.info("%s", ready.policy.version)
    if runtime.live.unrecorded:
        LOG.error("the table stands: %s", runtime.live.unrecorded)
    manager.status("running")

    def ends(now_ms: int) -> bool:
        nonlocal begun, asked_ms
        if begun is not None and runtime.state.session != begun:  # what was left behind is in the journal
            last_trouble.forget(field.state_dir)
            begun = None
        if runtime.live.restart or (
            runtime.answered and now_ms >= ANEW_MS
        ):  # the service manager starts the program again
            return True
        if not stop.count:
            return False
        if runtime.live.unrecorded or stop.count > 1:  # nothing can come to its end any more
            return True
        if asked_ms is None:
            asked_ms = now_ms
        if not runtime.live.stopping and runtime.idle:
            runtime.ask_stop(now_ms)
        if now_ms - asked_ms >= STOP_WAIT_MS:  # a round comes back with the next start
            return True
        state = runtime.state
        # A note or a ticket on its way ends before the program does; the next start would only have to ask.
        open_ = any(not note.unresolved for note in state.notes) or any(not t.unknown for t in state.tickets)
        return runtime.live.stopping and runtime.idle and not state.round_open and not open_

    closed = False
    try:
        loop(runtime, clock, screen=display, until=ends, heartbeat=_Heart(runtime, manager))
    finally:
        manager.say("STOPPING=1")
        closed = runtime.close(clean=True, now_ms=clock.now_ms(), limit_s=STOP_COMMIT_S)
        if closed:  # else nothing more is asked of a disk that does not answer
            last_trouble.keep(field.state_dir, runtime.live)
        else:
            LOG.error("the disk does not answer: the program ends without it, the next start reads it")
            logging.shutdown()
            os._exit(FAILED)
    return CLEAN


class _Heart:
    """The loop's sign of life. A program whose disk never answers lives, and can do nothing: it must not look
    like one that works, so the service manager hears nothing more and ends it."""

    def __init__(self, runtime: Runtime, manager: ServiceManager) -> None:
        self._runtime = runtime
        self._manager = manager
        self._is_shown = False

    def __call__(self, now_ms: int) -> None:
        hung_ms = self._runtime.hung_ms(now_ms)
        if hung_ms < UNFED_MS:
            self._manager.beat(now_ms)
        elif not self._is_shown:
            self._is_shown = True
            LOG.error(
                "the disk has not answered for %s s: the service manager is to end this", hung_ms // 1000
            )


def _window(config: Config | None, timing: Timing) -> Window:
    from cabinet.ui.window import WindowError

    try:
        window = open_window(config, timing)
    except WindowError as error:
        raise ScreenError(f"the screen cannot be opened: {error}") from error
    # SDL falls back to drawing into memory when it finds no display: a table that nobody sees.
    if window.info.video_driver == "offscreen" and os.environ.get("SDL_VIDEODRIVER") != "offscreen":
        window.close()
        raise ScreenError(
            "there is no display: check its cable, DISPLAY or WAYLAND_DISPLAY, or SDL_VIDEODRIVER"
        )
    return window
