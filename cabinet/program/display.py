"""The screen of the field program. It may be away when the program starts, and it may go while it runs:
a monitor that wakes late, a cable, a display server that has died. Then the table stands (S04) until it is
back.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cabinet.core.conditions import Code
from cabinet.core.live import Live
from cabinet.core.state import State
from cabinet.core.turn import TroubleReported
from cabinet.program.presenter import Presenter
from drivers.device import Device

if TYPE_CHECKING:
    from cabinet.ui.window import Window

LOG = logging.getLogger("cabinet")
AGAIN_MS = 5_000  # how often a screen that is away is looked for; trying takes some hundredths of a second
SOUND_AGAIN_MS = 30_000
Report = Callable[[TroubleReported], None]


class ScreenError(Exception):
    """There is no screen to play on."""


class Display:
    """A `Screen` for the loop, and the audience of committed states. `open_window` raises ScreenError."""

    def __init__(self, open_window: Callable[[], Window], clock: Callable[[], int]) -> None:
        self._open_window = open_window
        self._clock = clock
        self._presenter: Presenter | None = None
        self._devices: Mapping[str, Device] = {}
        self._latest: tuple[State, Live] | None = None
        self._report: Report | None = None
        self._session_ms = 0  # the loop's time, of which facts are
        self._next_ms = 0
        self._sound_ms = 0
        self.trouble = ""  # why there is none
        self.no_sound = ""
        self._open()

    def attend(self, devices: Mapping[str, Device], report: Report) -> None:
        """Belong to another session from here on: its devices are asked for the service pages, and it is told
        how screen and sound are."""
        self._devices, self._report, self._latest = devices, report, None
        self._session_ms = 0
        if self._presenter is not None:
            self._presenter = Presenter(self._presenter.window, devices)
        if self.trouble:
            report(TroubleReported(0, Code.NO_DISPLAY, self.trouble))
        if self.no_sound:
            report(TroubleReported(0, Code.NO_SOUND, self.no_sound))

    def publish(self, state: State, live: Live) -> None:
        self._latest = state, live
        if self._presenter is not None:
            self._presenter.publish(state, live)

    # ---- the loop's screen

    def due(self) -> bool:
        if self._presenter is None:
            return self._clock() >= self._next_ms
        return self._presenter.due()

    def wait_ms(self) -> float:
        if self._presenter is None:
            return max(0, self._next_ms - self._clock())
        return self._presenter.wait_ms()

    def frame(self, now_ms: int) -> object:
        self._session_ms = now_ms
        if self._presenter is None:
            self._open()
            return None
        from cabinet.ui.window import WindowLost

        window = self._presenter.window
        try:
            window.look_out(self._clock())
            drawn = self._presenter.frame(now_ms)
        except WindowLost as error:
            self._gone(str(error))
            return None
        if window.silence:
            self._look_for_sound(window)
        self._heard(window.silence)
        return drawn

    def close(self) -> None:
        if self._presenter is not None:
            self._presenter.window.close()
            self._presenter = None

    def _open(self) -> None:
        try:
            window = self._open_window()
        except ScreenError as error:
            self._next_ms = self._clock() + AGAIN_MS
            if str(error) != self.trouble:
                LOG.error("%s", error)
            self._seen(str(error))
            return
        LOG.info("%s", window.info)
        self._presenter = Presenter(window, self._devices)
        if self._latest is not None:
            self._presenter.publish(*self._latest)
        self._seen("")

    def _gone(self, why: str) -> None:
        """Nobody sees the table: it must stand before anything else happens."""
        LOG.error("%s", why)
        self._next_ms = self._clock()  # a server that was started again is there at once
        self.close()
        # The pictures of the window that is gone are held by nobody but themselves, and frozen.
        gc.unfreeze()
        gc.collect()
        self._seen(why)

    def _seen(self, trouble: str) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            if self._report is not None:
                self._report(TroubleReported(self._session_ms, Code.NO_DISPLAY, trouble))

    def _look_for_sound(self, window: Window) -> None:
        now_ms = self._clock()
        if now_ms >= self._sound_ms:
            self._sound_ms = now_ms + SOUND_AGAIN_MS
            window.look_for_sound()

    def _heard(self, trouble: str) -> None:
        if trouble != self.no_sound:
            self.no_sound = trouble
            if self._report is not None:
                self._report(TroubleReported(self._session_ms, Code.NO_SOUND, trouble))
