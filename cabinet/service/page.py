"""What a page of the service menu is made of and made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cabinet import formats as words
from cabinet.core.live import Live
from cabinet.core.look import ServicePanel, ServiceRow
from cabinet.core.state import State
from drivers.device import Device


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that a page may look at. `argument` is what follows the colon of the page's name."""

    state: State
    live: Live
    devices: Mapping[str, Device]
    argument: str = ""
    page: str = ""  # the whole name

    def money(self, cents: int) -> str:
        return self.live.policy.currency.text(cents)

    def clock(self, at_ms: int) -> str:
        """The time of day at a session time."""
        return words.clock(self.live.wall_base_ms + at_ms)


@dataclass(frozen=True, slots=True)
class Body:
    """What a page shows beside its menu. `mark` is "check" or "warn"."""

    headline: str
    subline: str = ""
    panels: tuple[ServicePanel, ...] = ()
    mark: str = "check"
    hint: str = ""


Builder = Callable[[Desk], Body]


def row(*cells: str, mark: str = "") -> ServiceRow:
    return ServiceRow(cells, mark)


def check(good: bool) -> str:
    """The mark of something that is as it should be, or is not."""
    return "check" if good else "warn"
