"""A cabinet behind a turned key, with devices that only tell what a service page reads of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cabinet.core.look import ServiceLook
from cabinet.service.pages import service_look
from drivers.device import Device, DeviceEvent, Frame, Pattern
from support.evenings.evening import Evening


@dataclass
class Told:
    """A device on a wire."""

    name: str
    port: str = ""
    heard: list[Frame] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    wake_at: int | None = None

    def fileno(self) -> int | None:
        return None

    def tick(self, now_ms: int) -> Sequence[DeviceEvent]:
        return ()

    def close(self) -> None: ...

    def frames(self) -> Sequence[Frame]:
        return tuple(self.heard)

    def statistics(self) -> Mapping[str, int]:
        return self.counts


@dataclass
class Buttons(Told):
    """A panel with its inputs."""

    levels: dict[str, bool] = field(default_factory=dict)

    def set_outputs(self, levels: Mapping[str, Pattern]) -> None: ...

    def pulse(self, meter: str, count: int) -> None: ...

    def inputs(self) -> Mapping[str, bool]:
        return self.levels


class Bench:
    """A cabinet with two seats behind a key, and its devices."""

    def __init__(self) -> None:
        self.evening = Evening(seats=2, deal="10H 9S 7D 10C")
        names = (*self.evening.live.devices,)
        self.told = {name: Told(name) for name in names if name != "panel1"}
        self.panel = Buttons("panel1")
        self.devices: dict[str, Device] = {**self.told, "panel1": self.panel}

    def turn(self, key: str) -> None:
        self.evening.switch(f"key.{key}", True)

    def choose(self, *labels: str) -> None:
        """Walk to each item with UP and DOWN, and press ENTER."""
        for label in labels:
            page = self.look()
            wanted = next(place for place, name in enumerate(page.menu) if name.startswith(label))
            way = "bet_plus" if wanted > page.cursor else "bet_minus"
            for _ in range(abs(wanted - page.cursor)):
                self.evening.press(1, way)
            self.evening.press(1, "deal")
            self.evening.confirm_by_key()

    def look(self) -> ServiceLook:
        return service_look(self.evening.state, self.evening.live, self.devices)

    def cells(self, title: str) -> list[tuple[str, ...]]:
        """The rows of the panel whose title begins so."""
        panel = next(panel for panel in self.look().panels if panel.title.startswith(title))
        return [row.cells for row in panel.rows]

    def facts(self, title: str) -> dict[str, str]:
        """A panel of two columns."""
        return {cells[0]: cells[1] for cells in self.cells(title)}

    def marks(self, title: str) -> list[str]:
        panel = next(panel for panel in self.look().panels if panel.title.startswith(title))
        return [row.mark for row in panel.rows]
