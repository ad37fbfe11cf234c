"""A panel, its wires and its hands, in virtual time: press, let time pass, look at the events."""

from __future__ import annotations

import select
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from drivers.bank import Bank
from drivers.device import DeviceEvent, InputChanged
from drivers.panel.gpio import GpioPanel, Options
from drivers.sim.gpio import MemoryBank
from drivers.sim.gpio.board import Board
from drivers.sim.gpio.server import GpioServer
from drivers.sim.panel import PanelMachine

HEADER = "pinctrl-bcm2711"
GAME_BUTTONS = ("bet_minus", "bet_plus", "deal", "hit", "stand", "double", "split")


def wiring(seats: int = 2) -> dict[str, dict[str, str]]:
    """Doors, keys, candle and meters on the header; an expander for each seat, one more for all of them."""
    inputs = {
        f"door.{name}": f"{HEADER}:{16 + at}" for at, name in enumerate(("main", "logic", "cash_box", "drop"))
    }
    inputs |= {f"key.{name}": f"{HEADER}:{20 + at}" for at, name in enumerate(("attendant", "service"))}
    outputs = {"candle.top": f"{HEADER}:22", "candle.bottom": f"{HEADER}:23"}
    for seat in range(1, seats + 1):
        chip = f"mcp23017@{19 + seat}"
        for at, name in enumerate(GAME_BUTTONS):
            inputs[f"seat{seat}.{name}"] = f"{chip}:{at}"
            outputs[f"seat{seat}.{name}"] = f"{chip}:{8 + at}"
        inputs[f"seat{seat}.cash_out"] = f"mcp23017@27:{seat - 1}"
        inputs[f"seat{seat}.help"] = f"mcp23017@27:{7 + seat}"
        outputs[f"seat{seat}.cash_out"] = f"{chip}:7"
        outputs[f"seat{seat}.help"] = f"{chip}:15"
    meters = {f"meter.{name}": f"{HEADER}:{24 + at}" for at, name in enumerate(("in", "out", "drop"))}
    return {"inputs": inputs, "outputs": outputs, "meters": meters}


def options(seats: int = 2, **changes: Any) -> Options:
    return Options(**{**wiring(seats), **changes})


def changes(events: list[DeviceEvent]) -> list[tuple[str, bool]]:
    """What a person would say happened: ("seat1.hit", True), ..."""
    return [(event.name, event.active) for event in events if isinstance(event, InputChanged)]


class Evening:
    """One panel from power-on. Time moves only in `run`."""

    def __init__(
        self, panel_options: Options, open_bank: Callable[[Evening], Bank] | None = None, *, seed: int = 0
    ) -> None:
        self.board = Board.of(panel_options)
        self.machine = PanelMachine(panel_options, self.board, seed=seed)
        self.now_ms = 0
        self.ticks = 0
        bank = MemoryBank(self.board) if open_bank is None else open_bank(self)
        self.panel = GpioPanel("panel1", panel_options, bank)

    def run(self, for_ms: int) -> list[DeviceEvent]:
        """Let time pass. Wakes the panel like the cabinet's loop: when it is due or its wire is readable."""
        until_ms = self.now_ms + for_ms
        events: list[DeviceEvent] = []
        while True:
            self.machine.tick(self.now_ms)
            if self._is_awake():
                self.ticks += 1
                events += self.panel.tick(self.now_ms)
                continue
            due = [at_ms for at_ms in (self.panel.wake_at, self.machine.wake_at) if at_ms is not None]
            next_ms = max(self.now_ms + 1, min(due, default=until_ms + 1))
            if next_ms > until_ms:
                self.now_ms = until_ms
                return events
            self.now_ms = next_ms

    def _is_awake(self) -> bool:
        fd = self.panel.fileno()
        readable = fd is not None and bool(select.select([fd], [], [], 0)[0])
        due = self.panel.wake_at
        return readable or (due is not None and due <= self.now_ms)


class StartEvening(Protocol):
    def __call__(self, bank: str, *, seats: int = 1, seed: int = 0, **changes: Any) -> Evening: ...


class ServerThread:
    """A GPIO server that answers this process: calls block their caller, so it needs its own thread.

    The test's thread moves the board only while it is not in a call, so the two never meet.
    """

    def __init__(self, path: Path, board: Board, now_ms: Callable[[], int]) -> None:
        self.server = GpioServer(path, board)
        self._now_ms = now_ms
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.server.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            if select.select([self.server.fileno()], [], [], 0.02)[0]:
                self.server.serve(self._now_ms())
