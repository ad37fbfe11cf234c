"""Figures of the loop in real time: late frames beside a slow disk, and the time to start."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cabinet.lab import table
from cabinet.lab.deck import cockpit
from cabinet.lab.table import LabOptions
from cabinet.program.loop import loop
from cabinet.program.runtime import RealClock
from cabinet.store.writer import Writer

STARTER = """
import os, sys
os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
from cabinet.lab import table
from cabinet.lab.deck import cockpit
from cabinet.lab.table import LabOptions
from pathlib import Path
evening = table.build(LabOptions(headless=True, wire="memory"), Path(sys.argv[1]), "0", 0)
presenter = cockpit.presenter_of(evening)
evening.world.tick(0)
evening.runtime.step(0)
for _ in range(1000):
    evening.runtime.step(1)
    if presenter.frame(1):
        break
print("drawn", flush=True)
os._exit(0)
"""


def late_frames(delay_ms: int, rounds: int) -> tuple[int, int, int]:
    """Late frames, frames and commits of an evening whose every commit takes `delay_ms`."""
    options = LabOptions(headless=True, autoplay=True, rounds=rounds, wire="memory", pace=4, seed=3)
    with tempfile.TemporaryDirectory() as scratch:
        evening = table.build(options, Path(scratch), "0", 0)
        evening.runtime.writer.close()
        commits = [0]

        def slow() -> None:
            commits[0] += 1
            time.sleep(delay_ms / 1000)

        evening.runtime.writer = Writer(evening.runtime.journal, None, slow)
        presenter = cockpit.presenter_of(evening)
        # A cabinet idles before its first player: what is loaded in idle frames is loaded here.
        while presenter.shown is None or presenter.window.warming:
            evening.world.tick(0)
            evening.runtime.step(0)
            presenter.frame(1)
        presenter.window.pacer.begin()
        loop(evening.runtime, RealClock(), screen=presenter, world=evening.world, until=evening.over)
        evening.runtime.close(clean=True, now_ms=evening.runtime.live.now_ms)
        evening.world.close()
        pacer = presenter.window.pacer
        presenter.window.close()
        return pacer.late_frames, pacer.frames, commits[0]


def start_s() -> float:
    """Wall seconds from a new process to its first attract frame."""
    with tempfile.TemporaryDirectory() as scratch:
        start = time.monotonic()
        with subprocess.Popen([sys.executable, "-c", STARTER, scratch], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            told = child.stdout.readline()
            took_s = time.monotonic() - start
        if told.strip() != b"drawn":
            raise RuntimeError("the program did not come to its first frame")
        return took_s
