"""Every output of the panels goes dark: lamps, candle, and the coils of the hard meters.

A line keeps its level when a program ends without closing it, as one that is killed does. So this is the
first act of a start, before the journal is opened, and what the service manager runs after every end
(``cabinet dark``). A coil that stays energised burns out.
"""

from __future__ import annotations

from cabinet.config import Config
from cabinet.config.tables import DeviceKind
from drivers import registry
from drivers.device import FaultRaised
from drivers.registry import Io


def darken(config: Config, io: Io) -> list[str]:
    """Opens all lines of all panels, which puts outputs at rest, and closes them. Returns why a board could
    not be reached. Lines that a running cabinet holds are not touched: the kernel refuses them."""
    missed = []
    for table in config.of_kind(DeviceKind.PANEL):
        panel = registry.make(table.kind.value, table.driver, table.name, table.options, io)
        events = panel.tick(0)
        panel.close()
        missed += [f"{table.name}: {event.detail}" for event in events if isinstance(event, FaultRaised)]
    return missed
