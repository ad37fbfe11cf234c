"""The lab's window: the cabinet's picture, the deck beside it, and one person's mouse and keyboard.

A `Screen` for the loop. It passes what happens at the window on to the controls and draws; the table
itself is drawn by the same presenter and window as in the field.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from cabinet.core.live import Live
from cabinet.core.look import Scene
from cabinet.core.state import State
from cabinet.lab.deck import view as deck_view
from cabinet.lab.deck.controls import Action, Controls, paper_label
from cabinet.lab.deck.deck import WIDTH, action_at
from cabinet.lab.deck.look import DeckLook, look, pointed
from cabinet.program.presenter import Presenter, open_window
from cabinet.ui.draw.theme import NATIVE_HEIGHT, NATIVE_WIDTH
from cabinet.ui.pointing import InputEvent, KeyPressed, Pointed, Wheeled, WindowClosed
from cabinet.ui.window import WindowError, desktop_size

if TYPE_CHECKING:
    from cabinet.lab.table import Table

MOUSE: Final = "mouse"
# What a window manager puts around a window, in pixels: bars above and below.
MARGIN: Final = 72
LOOK_EVERY_MS: Final = 50  # machines move slower than the eye; hands are answered at once
BLIND: Final = ("dummy", "offscreen", "evdev")  # SDL's drivers without a picture


class NoScreenError(ValueError):
    """There is a display by its name, but no window opens on it."""


def picture_size(
    resolution: tuple[int, int], desktop: tuple[int, int], beside: int, margin: int = MARGIN
) -> tuple[int, int]:
    """The largest picture in the cabinet's shape that fits a desktop together with the column beside it.

    Never larger than the cabinet's own screen; an unknown desktop ((0, 0)) is taken to be large enough.
    """
    wide, high = resolution[0] / NATIVE_WIDTH, resolution[1] / NATIVE_HEIGHT
    factors = [wide, high]
    if all(desktop):
        factors += [desktop[0] / (NATIVE_WIDTH + beside), max(1, desktop[1] - margin) / NATIVE_HEIGHT]
    factor = min(factors)
    return int(NATIVE_WIDTH * factor), int(NATIVE_HEIGHT * factor)


class Evening:
    """What the deck says about the evening; the table fills it in."""

    def __init__(self, seed: int, *, continued: bool = False) -> None:
        self.seed = seed
        self.continued = continued
        self.session = 0
        self.ending = False

    @property
    def foot(self) -> str:
        if self.ending:
            return "ENDING when all is settled"
        words = f"seed {self.seed} · session {self.session}"
        return words + (", continued" if self.continued else "")


class Cockpit:
    """`desktop`: the size of the screen that the window stands on."""

    def __init__(
        self, presenter: Presenter, controls: Controls, evening: Evening, desktop: tuple[int, int]
    ) -> None:
        self.presenter = presenter
        self.controls = controls
        self.evening = evening
        self._desktop = desktop
        self._drawn: DeckLook | None = None
        self._look_ms = 0
        self._under: Action = ()
        self._said_before = ""
        self._kit = deck_view.own_kit(presenter.window.kit)
        self._title = ""
        self._open = controls.shown

    def due(self) -> bool:
        return self.presenter.due()

    def wait_ms(self) -> float:
        return self.presenter.wait_ms()

    def frame(self, now_ms: int) -> object:
        """Hands first, then the picture, then the deck."""
        self.controls.tick(now_ms)
        for event in self.presenter.window.poll():
            self.take(event, now_ms)
            self._look_ms = now_ms
        self._fit()
        self._name_the_window()
        changed = self.presenter.frame(now_ms)
        if self.controls.shown and now_ms >= self._look_ms:
            self._draw(now_ms)
        return changed

    def take(self, event: InputEvent, now_ms: int) -> None:
        """One thing that the person at the window has done."""
        match event:
            case KeyPressed(key=key, down=down):
                self.controls.key(key, down, now_ms)
            case Pointed(x=x, y=y, down=True):
                if action := self._action_at(x, y, now_ms):
                    self.controls.do(action, now_ms, MOUSE)
            case Pointed():
                self.controls.let_go(MOUSE, now_ms)
            case Wheeled(steps=steps):
                self.controls.do(("page", "-1" if steps > 0 else "1"), now_ms)
            case WindowClosed():
                self.controls.do(("end",), now_ms)

    def _action_at(self, x: float, y: float, now_ms: int) -> Action:
        """What lies under a native place: a lamp or a seat of the picture, or a spot of the deck."""
        if x >= NATIVE_WIDTH:
            return action_at(self.look(now_ms), x - NATIVE_WIDTH, y) if self.controls.shown else ()
        found = self.presenter.window.button_at(x, y, now_ms)
        if found is None:
            seat = self.presenter.window.seat_at(x, y)
            return () if seat is None else ("seat", str(seat))
        seat, button = found
        shown = self.presenter.shown
        if shown is not None and shown.scene is Scene.SERVICE:  # the menu's own seat is known
            return ("press", button.value)
        return ("press", button.value, str(seat))

    def look(self, now_ms: int) -> DeckLook:
        """The deck as it is now, with what the pointer is over."""
        seen = look(self.controls, now_ms, self.evening.foot, ending=self.evening.ending)
        x, y = self.presenter.window.pointer()
        under = action_at(seen, x - NATIVE_WIDTH, y) if x >= NATIVE_WIDTH else ()
        if under != self._under:
            self._under, self._said_before = under, seen.says
        # What has happened since the pointer came here is said instead of what it would do.
        return pointed(seen, under, self.controls, explain=seen.says == self._said_before)

    def _draw(self, now_ms: int) -> None:
        self._look_ms = now_ms + LOOK_EVERY_MS
        seen = self.look(now_ms)
        if seen != self._drawn:
            self._drawn = seen
            self.presenter.window.paint_beside(deck_view.frame(self._kit, seen))

    def _fit(self) -> None:
        """Show or hide the deck: the picture takes the room."""
        if self.controls.shown is self._open:
            return
        self._open = self.controls.shown
        window, beside = self.presenter.window, WIDTH if self._open else 0
        resolution = self.controls.world.config.cabinet.resolution
        window.resize(*picture_size(resolution, self._desktop, beside), beside)
        self._kit = deck_view.own_kit(window.kit)
        self._drawn, self._look_ms = None, 0

    def _name_the_window(self) -> None:
        """The window's title says what the deck would, for whoever has hidden it."""
        controls = self.controls
        words = f"LAB · seat {controls.seat}"
        if controls.choosing:
            words += " · " + ", ".join(
                f"{n} {paper_label(p, controls.currency)}" for n, p in enumerate(controls.papers, 1)
            )
        elif self.evening.ending:
            words += " · " + self.evening.foot
        elif not controls.shown:
            words += " · F2 shows the deck" + (f" · {controls.said}" if controls.said else "")
        if words != self._title:
            self._title = words
            self.presenter.window.title(f"Common-Hand Blackjack · {words}")


def presenter_of(table: Table) -> Presenter:
    """The cabinet's own window; headless on the dummy drivers, with the same pixels and no deck."""
    config, timing = table.world.config, table.runtime.policy.timing
    if table.options.headless:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
        os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
        window = open_window(config, timing, lab=True)
    else:
        size = picture_size(config.cabinet.resolution, desktop_size(), WIDTH)
        try:
            window = open_window(config, timing, lab=True, size=size, beside=WIDTH)
        except WindowError as error:
            raise NoScreenError(str(error)) from error
        driver = window.info.video_driver
        if driver in BLIND and not os.environ.get("SDL_VIDEODRIVER"):
            window.close()  # SDL has taken what was left
            raise NoScreenError(f"the display cannot be reached (SDL offers {driver!r}): nobody would see it")
    presenter = Presenter(window, table.runtime.devices)
    table.watchers.append(presenter.publish)
    return presenter


def of(table: Table, presenter: Presenter) -> Cockpit:
    """The window with the deck beside it, for a person with a mouse and a keyboard."""
    evening = Evening(table.options.seed, continued=bool(table.runtime.restored.state.session))

    def committed(state: State, live: Live) -> None:
        evening.session, evening.ending = state.session, live.stopping

    table.watchers.append(committed)
    return Cockpit(presenter, Controls(table.world, table.end), evening, desktop_size())
