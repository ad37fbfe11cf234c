"""The window: opens the display, shows views frame by frame, hands over input, takes pictures.

The owner calls `show` when it has a new view and `frame` whenever `pacer.due()`; `frame` is a
function of the view and the time and touches only the rectangles that have changed. Nothing here
decides anything, and nothing waits.
"""

from __future__ import annotations

import gc
import io
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic_ns
from typing import Final

import pygame

from cabinet.core.currency import USD, Currency
from cabinet.core.look import Button, View
from cabinet.core.timing import Timing
from cabinet.ui.catalogue import Catalogue
from cabinet.ui.compose import Composer
from cabinet.ui.draw.art import Ration
from cabinet.ui.draw.paint import Box, Painter, Picture
from cabinet.ui.draw.pen import Kit
from cabinet.ui.draw.sprites import Sprites
from cabinet.ui.draw.text import TextKit
from cabinet.ui.draw.theme import NATIVE_HEIGHT, NATIVE_WIDTH, Look, Scale
from cabinet.ui.moment import moment
from cabinet.ui.pacing import Pacer
from cabinet.ui.pointing import InputEvent, button_at, seat_at, translate
from cabinet.ui.sound.player import Mixer, SilentMixer, Speaker, open_mixer
from cabinet.ui.warm import work

CONNECTORS: Final = Path("/sys/class/drm")
CONNECTORS_EVERY_MS: Final = 2_000
SDL_WITH_KMS: Final = (2, 28, 4)  # the bundled SDL; an older one would lack what is used


FOUR_COLOURS: Final = Look()
WARM_MS: Final = 4  # of an idle frame's 16 that are used for loading; a piece of it may take as long again


class WindowError(Exception):
    """The screen cannot be opened; the text says why and what helps."""


class WindowLost(WindowError):  # noqa: N818 - nothing that the program has done wrong
    """Nobody can see the window any more; the text says why."""


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """How the window is opened. Sizes of 0 take the display's own."""

    width: int = 0  # of the picture, in pixels
    height: int = 0
    beside: int = 0  # native width of a column to the right of the picture, painted by somebody else
    fullscreen: bool = True
    pointer: bool = False  # the lab shows the mouse
    sound: bool = True
    volume: float = 1.0
    frames_per_second: int = 60
    look: Look = FOUR_COLOURS
    language: str = "en"
    locale: str = "en_US"
    currency: Currency = USD
    strict_texts: bool = False  # the lab and tests stop at an unknown text


@dataclass(frozen=True, slots=True)
class WindowInfo:
    """What the service page and the log say about the screen."""

    library: str  # "pygame 2.6.1"
    sdl: str
    video_driver: str
    size: tuple[int, int]
    silent: bool


NO_CHANGE: Final[list[Box]] = []


class Window:
    """The one screen of a cabinet."""

    def __init__(
        self,
        options: WindowOptions,
        times: Timing,
        *,
        clock_ns: Callable[[], int] | None = None,
        mixer: Mixer | None = None,
    ) -> None:
        check_libraries()
        self._times = times
        self.pacer = Pacer(options.frames_per_second, clock_ns or monotonic_ns)
        self._view: View | None = None
        self._begun = False
        self._open(options)
        self._connectors = CONNECTORS if pygame.display.get_driver().lower() == "kmsdrm" else None
        self._connectors_ms = 0
        self._away = False
        self._mixer = mixer if mixer is not None else open_mixer() if options.sound else None
        self.speaker = None if self._mixer is None else Speaker(self._mixer, options.volume)
        # What has been loaded stays; the collector need not look at it again.
        gc.collect()
        gc.freeze()

    def _open(self, options: WindowOptions) -> None:
        """The display, and everything that depends on its size."""
        self._options = options
        self._display = self._screen = _open_display(options)
        self._side: Painter | None = None
        if options.beside:
            wide, high = options.width, options.height
            self._screen = self._display.subsurface((0, 0, wide, high))
            column = self._display.subsurface((wide, 0, self._display.get_width() - wide, high))
            self._side = Painter(column)
        scale = Scale(*self._screen.get_size())
        words = Catalogue(options.language, options.locale, options.currency, strict=options.strict_texts)
        self._ration = Ration()
        text, sprites = TextKit(scale, self._ration), Sprites(scale, options.look, self._ration)
        self.kit = Kit(scale, options.look, text, sprites, words, self._times)
        self._composer = Composer(self.kit)
        self._area = scale.box(0, 0, NATIVE_WIDTH, NATIVE_HEIGHT)
        self._painter = Painter(self._screen, self._area)
        self._camera: tuple[Composer, Painter] | None = None
        self._until_ms = -1
        self._warm: Iterator[None] | None = None
        self.warming = True

    def resize(self, width: int, height: int, beside: int = 0) -> None:
        """Open the window again with a picture of another size, and with or without a column beside it.
        The view that is shown stays."""
        self._open(replace(self._options, width=width, height=height, beside=beside))
        # The pictures of the old size are held by nobody but themselves, and frozen.
        gc.unfreeze()
        gc.collect()

    @property
    def late_frames(self) -> int:
        """Frames that came a whole frame's time too late."""
        return self.pacer.late_frames

    @property
    def info(self) -> WindowInfo:
        """For the service page and the log."""
        sdl = ".".join(map(str, pygame.get_sdl_version()))
        silent = self.speaker is None or self.speaker.silent
        return WindowInfo(library(), sdl, pygame.display.get_driver(), self._screen.get_size(), silent)

    def show(self, view: View) -> None:
        """Take a new view; it is drawn from the next frame on. The first one makes the backgrounds."""
        if self._view is None:
            self._composer.bases.prepare(view.seats)
        self._view = view
        self._until_ms = -1
        if self.speaker is not None:
            self.speaker.show(view.cues)

    @property
    def silence(self) -> str:
        """Why nothing can be heard; "" when it can, or nobody wants to."""
        return "" if self.speaker is None else self.speaker.why_silent

    def look_for_sound(self) -> None:
        """An audio device that was not there may have come."""
        if self.speaker is not None:
            self.speaker.open_again()

    def look_out(self, now_ms: int) -> None:
        """Whether the window can still be seen. Raises WindowLost: the display server has ended (SDL tells it
        as an event), or no monitor is connected where the program draws without one. For windows whose input
        nobody wants: it is dropped."""
        try:
            events = pygame.event.get()
        except pygame.error as error:
            raise WindowLost(f"the display has failed: {error}") from error
        if any(event.type in (pygame.QUIT, pygame.WINDOWCLOSE) for event in events):
            raise WindowLost("the display server has ended, or has closed the window")
        if self._connectors is not None and now_ms >= self._connectors_ms:
            self._connectors_ms = now_ms + CONNECTORS_EVERY_MS
            away, self._away = self._away, not connected(self._connectors)
            if away and self._away:  # twice: some monitors let go for a moment when they change their input
                raise WindowLost("no monitor is connected: check its cable and its power")

    def frame(self, now_ms: int) -> list[Box]:
        """Bring the screen to `now_ms`; the rectangles that have changed. Raises WindowLost.

        Nothing is done when the picture is still the same; then some loading is done instead.
        """
        try:
            return self._frame(now_ms)
        except pygame.error as error:
            raise WindowLost(f"the display has failed: {error}") from error

    def _frame(self, now_ms: int) -> list[Box]:
        view = self._view
        if view is None:
            return NO_CHANGE
        if self.speaker is not None and now_ms >= self.speaker.next_ms:
            self.speaker.tick(now_ms)
        if now_ms < self._until_ms:
            if self.warming:
                self._warm_up(view)
            return NO_CHANGE
        picture = self._composer.frame(view, now_ms)
        changed = self._painter.paint(picture)
        if not self._begun:
            self._begun = True
            self.pacer.begin()
        # A time in the future only: a clock that is set back must not leave an old picture.
        self._until_ms = picture.until_ms if picture.until_ms > now_ms else now_ms + 1
        if changed:
            pygame.display.update(changed)
        return changed

    def _warm_up(self, view: View) -> None:
        """Some pieces of loading, as many as fit into a part of a frame."""
        if self._warm is None:
            mixer = self._mixer if self._mixer is not None else SilentMixer()
            self._warm = work(self.kit, mixer, view, self._ration, self.pacer.is_over)
        self.pacer.allow(WARM_MS)
        for _ in self._warm:
            if self.pacer.is_over():
                return
        self.warming = False
        # What has been loaded stays; the collector need not look at it again.
        gc.freeze()

    def paint_beside(self, frame: Picture) -> list[Box]:
        """Bring the column beside the picture to `frame`, whose places are the column's own pixels."""
        if self._side is None:
            return NO_CHANGE
        changed = self._side.paint(frame)
        if changed:
            left = self._screen.get_width()
            pygame.display.update([(left + x, y, w, h) for x, y, w, h in changed])
        return changed

    def title(self, text: str) -> None:
        """What the window system writes on the window's edge."""
        pygame.display.set_caption(text)

    def poll(self) -> tuple[InputEvent, ...]:
        """Keyboard, mouse, touch and close events since the last call."""
        return translate(pygame.event.get(), self.kit.scale, self._display.get_size())

    def pointer(self) -> tuple[float, float]:
        """Where the mouse is, in native units; beyond the picture's width it is over the column."""
        return self.kit.scale.native(*pygame.mouse.get_pos())

    def button_at(self, x: float, y: float, now_ms: int) -> tuple[int, Button] | None:
        """The seat and button whose lamp is drawn at a native place."""
        if self._view is None:
            return None
        return button_at(self._view, moment(self._view, now_ms).step.seats, x, y)

    def seat_at(self, x: float, y: float) -> int | None:
        """The seat whose strip is at a native place."""
        return None if self._view is None else seat_at(self._view, x, y)

    def screenshot(self, view: View, now_ms: int) -> pygame.Surface:
        """A picture of any view at any time, made beside the screen, which is not touched.

        The surface is the camera's own: it is painted over by the next picture.
        """
        if self._camera is None:
            surface = pygame.Surface(self._screen.get_size()).convert()
            self._camera = Composer(self.kit, self._composer.bases), Painter(surface, self._area)
        composer, painter = self._camera
        painter.paint(composer.frame(view, now_ms))
        return painter.target

    def png(self, view: View, now_ms: int) -> bytes:
        """The same as a PNG file."""
        file = io.BytesIO()
        pygame.image.save(self.screenshot(view, now_ms), file, "screen.png")
        return file.getvalue()

    def close(self) -> None:
        """Let display and audio go."""
        with suppress(pygame.error):
            if self.speaker is not None:
                self.speaker.close()
            pygame.display.quit()


def connected(connectors: Path) -> bool:
    """Whether the kernel sees a monitor at any connector of the graphics chip; True if it has none."""
    found = []
    for status in connectors.glob("card*-*/status"):
        with suppress(OSError):
            found.append(status.read_text(encoding="ascii").strip())
    return "connected" in found or not found


def desktop_size() -> tuple[int, int]:
    """The size of the first screen in pixels; (0, 0) when nothing is known of it."""
    try:
        pygame.display.init()
        return pygame.display.get_desktop_sizes()[0]
    except (pygame.error, IndexError):
        return 0, 0


def library() -> str:
    """Name and version of the installed pygame."""
    name = "pygame-ce" if getattr(pygame, "IS_CE", False) else "pygame"
    return f"{name} {pygame.version.ver}"


def check_libraries(installed: Callable[[str], bool] | None = None) -> None:
    """Refuse to run on a mixture: pygame and pygame-ce install the same folder."""
    found = installed or _installed
    if found("pygame") and found("pygame-ce"):
        raise WindowError(
            "pygame and pygame-ce are both installed and overwrite each other: uninstall both, install one"
        )
    if pygame.get_sdl_version() < SDL_WITH_KMS:
        version = ".".join(map(str, pygame.get_sdl_version()))
        raise WindowError(f"SDL {version} is older than 2.28.4: check SDL_DYNAMIC_API")


def _installed(name: str) -> bool:
    """Whether the folder of pygame was put there by this distribution."""
    beside = Path(pygame.__file__).parent.parent
    return any(beside.glob(f"{name.replace('-', '_')}-*.dist-info"))


def _open_display(options: WindowOptions) -> pygame.Surface:
    """The display's surface. Touch events are our own: SDL must not make mouse events of them too."""
    os.environ.setdefault("SDL_TOUCH_MOUSE_EVENTS", "0")
    os.environ.setdefault("SDL_MOUSE_TOUCH_EVENTS", "0")
    os.environ.setdefault("SDL_VIDEO_CENTERED", "1")  # also when its size changes
    try:
        pygame.display.init()
        pygame.font.init()
        flags = pygame.FULLSCREEN if options.fullscreen else 0
        size = options.width, options.height
        beside = Scale(*size).px(options.beside) if options.beside else 0
        screen = pygame.display.set_mode((size[0] + beside, size[1]), flags)
    except pygame.error as error:
        driver = os.environ.get("SDL_VIDEODRIVER", "default")
        raise WindowError(f"no display (SDL_VIDEODRIVER={driver}): {error}") from error
    pygame.display.set_caption("Common-Hand Blackjack")
    pygame.mouse.set_visible(options.pointer)
    return screen
