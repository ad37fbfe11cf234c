"""Figures of virtual time: latencies, the speed of a day, decisions a second, memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cabinet.core.decide import decide
from cabinet.core.live import Live
from cabinet.core.look import Button
from cabinet.core.state import State
from cabinet.lab import table
from cabinet.lab.days import command as days
from cabinet.lab.days.plan import DayOptions
from cabinet.lab.table import LabOptions, Table
from drivers.device import InputChanged

Seen = list[tuple[State, Live]]


def recorded(rounds: int, cabinet: str = "table5") -> tuple[Table, Seen]:
    """An evening and everything that it published."""
    options = LabOptions(cabinet=cabinet, virtual=True, autoplay=True, rounds=rounds, wire="memory", seed=3)
    seen: Seen = []
    with tempfile.TemporaryDirectory() as scratch:
        evening = table.build(options, Path(scratch), "0", table.VIRTUAL_WALL_MS)
        evening.watchers.append(lambda state, live: seen.append((state, live)))
        table.run_virtual(evening)
        evening.runtime.close(clean=True, now_ms=evening.runtime.live.now_ms)
        evening.world.close()
    return evening, seen


def _advance(evening: Table, from_ms: int, true: Callable[[], bool], limit_ms: int = 60_000) -> int:
    """Millisecond by millisecond until something is true; when that was."""
    for now_ms in range(from_ms, from_ms + limit_ms):
        evening.world.tick(now_ms)
        evening.runtime.step(now_ms)
        evening.world.tick(now_ms)
        if true():
            return now_ms
    raise RuntimeError("what is waited for has not happened")


def _table(scratch: str) -> Table:
    options = LabOptions(cabinet="slot1", virtual=True, wire="memory")
    return table.build(options, Path(scratch), "0", table.VIRTUAL_WALL_MS)


def edge_to_lamp_ms() -> tuple[float, int]:
    """From the edge of BET + to the lamp of DEAL, and the panel's debounce."""
    with tempfile.TemporaryDirectory() as scratch:
        evening = _table(scratch)
        panel = evening.world.panel
        assert panel is not None
        validator = evening.world.validator("validator1")
        now_ms = _advance(evening, 0, lambda: validator.insert(2_000, 10_000), 30_000)
        now_ms = _advance(evening, now_ms, lambda: panel.lamp("seat1.bet_plus"))
        panel.press("seat1.bet_plus", now_ms + 1)
        lit_ms = _advance(evening, now_ms + 1, lambda: panel.lamp("seat1.deal"))
        debounce_ms = int(evening.world.config.devices[-1].options.get("debounce_ms", 10))
        evening.runtime.close(clean=True, now_ms=lit_ms)
        return float(lit_ms - now_ms - 1), debounce_ms


def vend_to_credit_ms() -> tuple[float, int]:
    """From the machine's VEND VALID to the frame that shows the credit, and the poll period."""
    with tempfile.TemporaryDirectory() as scratch:
        evening = _table(scratch)
        validator = evening.world.validator("validator1")
        now_ms = _advance(evening, 0, lambda: validator.insert(2_000, 10_000), 30_000)
        vend_ms = _advance(evening, now_ms, lambda: validator.waits_for_acknowledgement)
        paid_ms = _advance(evening, vend_ms, lambda: evening.runtime.state.credit(1) == 2_000)
        poll_ms = int(evening.world.config.devices[0].options.get("poll_ms", 200))
        evening.runtime.close(clean=True, now_ms=paid_ms)
        return paid_ms - vend_ms + 1000 / 60, poll_ms


def speed(cabinet: str, hours: float, *, faults: bool) -> float:
    """Session time by CPU time of a whole day, from the first start to the last check."""
    start = time.process_time()
    tally = days.play(DayOptions(cabinet, seed=5, hours=hours, faults=faults))
    took_s = time.process_time() - start
    if tally.problems:
        raise RuntimeError(tally.problems[0])
    return tally.now_ms / 1000 / took_s


def decisions_per_s(count: int) -> float:
    """Presses of every button on every state of an evening, one decision after another and nothing else."""
    _, seen = recorded(rounds=6)
    names = [f"seat{seat}.{button.value}" for seat in range(1, 6) for button in Button]
    start = time.process_time()
    for number in range(count):
        state, live = seen[number % len(seen)]
        event = InputChanged("panel1", live.now_ms + 1, names[number % len(names)], True)
        decide(state, live, event, lambda n: 0)
    return count / (time.process_time() - start)


MEMORY = """
import sys, tempfile
from pathlib import Path
from cabinet.lab.days import command, run
hours = float(sys.argv[1])
def rss_mb(tally):
    with open("/proc/self/statm") as file:
        print(int(file.read().split()[1]) * 4096 / 1e6, flush=True)
with tempfile.TemporaryDirectory(dir=command.scratch_folder()) as scratch:
    options = run.DayOptions("table5", seed=5, hours=hours, faults=True)
    day = run.Day(options, Path(scratch), "0", rss_mb, told_every_ms=int(hours / 24 * 3_600_000))
    if problems := day.run().problems:
        raise RuntimeError(problems[0])
"""


def memory_mb(hours: float) -> tuple[float, float]:
    """Resident megabytes after a twenty-fourth of the time and at its end, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(hours)], capture_output=True, check=True, text=True
    )
    figures = [float(line) for line in done.stdout.split()]
    return figures[0], figures[-1]
