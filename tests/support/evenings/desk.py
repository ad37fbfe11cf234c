"""A person's hands at a simulated table, in virtual time: press keys, let time pass, look.

`Desk` is the lab's table with its controls and no window. Time moves in turns of the loop of 10 ms, as
slow as a real loop, because fingers move once in a turn.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cabinet.core.live import Live
from cabinet.core.state import State
from cabinet.lab import table
from cabinet.lab.deck.controls import Controls
from cabinet.lab.table import LabOptions, Table
from drivers.sim.id003 import Id003Machine
from drivers.sim.tcl import TclMachine

TURN_MS = 10
START_MS = 3_000  # devices have told who they are and validators take notes
NOTE_MS = 4_000  # from the entrance into the box and the credit


class Desk:
    def __init__(self, directory: Path, options: LabOptions) -> None:
        self.table: Table = table.build(options, directory, "0", table.VIRTUAL_WALL_MS)
        self.controls = Controls(self.table.world, self.table.end)
        self.now_ms = 0
        self.over = False

    # ---- time

    def turn(self) -> None:
        """One turn of the loop: physics, the program, physics, hands."""
        world, runtime = self.table.world, self.table.runtime
        world.tick(self.now_ms)
        runtime.step(self.now_ms)
        world.tick(self.now_ms)
        self.over = self.over or self.table.over(self.now_ms)
        self.controls.tick(self.now_ms)

    def wait(self, ms: int) -> None:
        for _ in range(ms // TURN_MS):
            self.now_ms += TURN_MS
            self.turn()

    def until(self, holds: Callable[[], bool], within_ms: int = 60_000) -> None:
        end_ms = self.now_ms + within_ms
        while not holds():
            assert self.now_ms < end_ms, "it has not come true"
            self.wait(TURN_MS)

    def close(self) -> None:
        self.table.runtime.close(clean=True, now_ms=self.now_ms)
        self.table.world.close()

    # ---- hands

    def tap(self, *keys: str) -> None:
        """Keys that go down and come up within one turn, as a slow computer sees a quick finger."""
        for key in keys:
            self.controls.key(key, True, self.now_ms)
            self.controls.key(key, False, self.now_ms)
            self.wait(200)

    def pay_in(self, figure: str) -> None:
        """A note at the chosen seat, until it is credited."""
        self.tap("n", figure)
        self.wait(NOTE_MS)

    # ---- eyes

    @property
    def state(self) -> State:
        return self.table.runtime.state

    @property
    def live(self) -> Live:
        return self.table.runtime.live

    @property
    def validator(self) -> Id003Machine:
        machine = self.table.world.validator(self.controls.validator)
        assert isinstance(machine, Id003Machine)
        return machine

    @property
    def printer(self) -> TclMachine:
        machine = self.table.world.printer(self.controls.printer)
        assert isinstance(machine, TclMachine)
        return machine
