"""The simulated device that each panel driver brings, for the contract that all panels keep.

A new driver of kind `panel` adds its bench here; the contract finds it by the driver's name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from drivers.device import DeviceEvent, Panel, Pattern
from drivers.link import Link, SerialSettings
from drivers.registry import Io, make
from drivers.sim.gpio import MemoryBank
from drivers.sim.gpio.board import Board
from drivers.sim.panel import PanelMachine
from support.devices.panels import HEADER, options, wiring


class PanelBench(Protocol):
    """One seat, its doors and keys, a candle and three meters, in virtual time."""

    panel: Panel
    now_ms: int

    def set(self, name: str, active: bool) -> None: ...
    def seen(self, name: str) -> Pattern: ...
    def counted(self, meter: str) -> int: ...
    def lose_board(self) -> None: ...
    def restore_board(self) -> None: ...
    def run(self, for_ms: int, *, every_ms: int | None = None) -> list[DeviceEvent]:
        """Tick when the panel or its device asks for it, or else at every `every_ms`."""
        ...


class GpioBench:
    """The GPIO panel on copper in memory."""

    def __init__(self) -> None:
        table = options(1)
        self.board = Board.of(table)
        self.machine = PanelMachine(table, self.board)
        io = Io(open_link=_no_link, open_bank=lambda: MemoryBank(self.board))
        self.panel = cast(Panel, make("panel", "gpio", "panel1", cast(dict[str, object], wiring(1)), io))
        self.now_ms = 0

    def set(self, name: str, active: bool) -> None:
        self.machine.set(name, active, self.now_ms)

    def seen(self, name: str) -> Pattern:
        return self.machine.seen(name, self.now_ms)

    def counted(self, meter: str) -> int:
        return self.machine.counters[meter].count

    def lose_board(self) -> None:
        self.board.lose(HEADER, self.now_ms)

    def restore_board(self) -> None:
        self.board.restore(HEADER, self.now_ms)

    def run(self, for_ms: int, *, every_ms: int | None = None) -> list[DeviceEvent]:
        until_ms = self.now_ms + for_ms
        events: list[DeviceEvent] = []
        while True:
            self.machine.tick(self.now_ms)
            due = self.panel.wake_at
            if every_ms is not None or (due is not None and due <= self.now_ms):
                events += self.panel.tick(self.now_ms)
            times = [self.panel.wake_at, self.machine.wake_at]
            next_ms = min((at_ms for at_ms in times if at_ms is not None), default=until_ms)
            if every_ms is not None:
                next_ms = self.now_ms + every_ms
            if self.now_ms >= until_ms:
                return events
            self.now_ms = min(until_ms, max(self.now_ms + 1, next_ms))


def _no_link(settings: SerialSettings) -> Link:
    raise AssertionError(f"a GPIO panel has no use for {settings.port}")


BENCHES: dict[str, Callable[[], Any]] = {"gpio": GpioBench}
