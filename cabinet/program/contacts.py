"""Who changes the memory stands at the open logic area with the service key turned: the panel tells."""

from __future__ import annotations

from collections.abc import Iterator

from cabinet.config import Config, DeviceKind
from cabinet.program.runtime import RealClock
from drivers import registry
from drivers.device import FaultRaised, InputChanged, Panel

NEEDED = {"door.logic": "the logic area is closed", "key.service": "the service key is not turned"}
LOOK_MS = 2_000  # a debounced door tells itself in a twentieth of that


def missing(config: Config, io: registry.Io) -> list[str]:
    """What keeps a person from changing the memory; empty when both contacts are open. It looks for two
    seconds at most. The cabinet must not be running: it has the lines."""
    panels = [
        registry.make(DeviceKind.PANEL.value, table.driver, table.name, table.options, io)
        for table in config.of_kind(DeviceKind.PANEL)
    ]
    active: set[str] = set()
    faults: list[str] = []
    clock = RealClock()
    try:
        while clock.now_ms() < LOOK_MS and not NEEDED.keys() <= active:
            for panel in panels:
                assert isinstance(panel, Panel)
                _listen(panel, clock.now_ms(), active, faults)
            clock.wait((), clock.now_ms() + 10)
    finally:
        for panel in panels:
            panel.close()
    return list(_said(active, faults))


def _listen(panel: Panel, now_ms: int, active: set[str], faults: list[str]) -> None:
    for event in panel.tick(now_ms):
        match event:
            case InputChanged(name=name, active=True):
                active.add(name)
            case InputChanged(name=name):
                active.discard(name)
            case FaultRaised(detail=detail) if detail not in faults:
                faults.append(detail)


def _said(active: set[str], faults: list[str]) -> Iterator[str]:
    wanting = [text for name, text in NEEDED.items() if name not in active]
    yield from wanting
    if wanting:
        yield from faults
