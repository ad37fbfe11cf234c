"""Between the loop and the window: the newest committed view, made when a frame wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cabinet.config import Config
from cabinet.core.currency import CURRENCIES, USD, Currency
from cabinet.core.live import Live
from cabinet.core.look import Scene, View
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.timing import Timing
from cabinet.core.view import view
from cabinet.service.pages import service_look
from drivers.device import Device

if TYPE_CHECKING:
    from cabinet.ui.window import Window

SERVICE_EVERY_MS = 200  # the service pages show live inputs and the last frames of a wire


class Presenter:
    """A `Screen` for the loop. `publish` costs nothing: a view is made at most once per frame."""

    def __init__(self, window: Window, devices: Mapping[str, Device]) -> None:
        self.window = window
        self._devices = devices
        self._latest: tuple[State, Live] | None = None
        self._fresh = False
        self._seq = 0
        self._service_ms = 0
        self.shown: View | None = None

    def publish(self, state: State, live: Live) -> None:
        """What is committed from now on."""
        self._latest = state, live
        self._fresh = True

    def due(self) -> bool:
        return self.window.pacer.due()

    def wait_ms(self) -> float:
        return self.window.pacer.wait_ms()

    def frame(self, now_ms: int) -> object:
        if self._latest is None:
            return None
        if self._fresh or self._service_due(now_ms):
            self._fresh = False
            self._seq += 1
            self.shown = complete_view(*self._latest, self._devices, self._seq, now_ms)
            self._service_ms = now_ms + SERVICE_EVERY_MS
            self.window.show(self.shown)
        return self.window.frame(now_ms)

    def _service_due(self, now_ms: int) -> bool:
        return self.shown is not None and self.shown.scene is Scene.SERVICE and now_ms >= self._service_ms


def complete_view(
    state: State, live: Live, devices: Mapping[str, Device], seq: int, now_ms: int | None = None
) -> View:
    """The view with the pages behind a key, which ask the devices themselves."""
    made = view(state, live, seq)
    if made.scene is not Scene.SERVICE:
        return made
    seen = live if now_ms is None else replace(live, now_ms=max(now_ms, live.now_ms))
    return replace(made, service=service_look(state, seen, devices))


def open_window(
    config: Config | None,
    timing: Timing,
    *,
    lab: bool = False,
    size: tuple[int, int] | None = None,
    beside: int = 0,
    currency: Currency = USD,
) -> Window:
    """The window that the cabinet file asks for (without one: the display as it is, money in `currency`). The
    lab may have the picture in another `size`, and a column `beside` it."""
    from cabinet.ui.draw.theme import Look
    from cabinet.ui.window import Window, WindowOptions

    if config is None:
        width, height = size or (0, 0)
        return Window(
            WindowOptions(width=width, height=height, fullscreen=size is None, currency=currency), timing
        )
    table = config.cabinet
    width, height = size or table.resolution
    options = WindowOptions(
        width=width,
        height=height,
        beside=beside,
        fullscreen=table.fullscreen and not lab,
        pointer=lab,
        volume=table.volume_percent / 100,
        look=Look(deck=table.deck),
        language=table.language,
        locale=table.locale,
        currency=CURRENCIES[table.currency],
        strict_texts=lab,
    )
    return Window(options, timing)
