"""The window: opens, shows, keeps still, hands over input, takes pictures beside the screen."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import replace

import pygame
import pytest

from cabinet.core.look import Button, Clock, Cue, CueAt
from cabinet.core.timing import Timing
from cabinet.ui.draw.paint import FOREVER, Picture
from cabinet.ui.draw.theme import Look, Scale
from cabinet.ui.pointing import MOST_EVENTS, KeyPressed, Pointed, Wheeled, WindowClosed, translate
from cabinet.ui.window import Window, WindowError, WindowOptions, check_libraries
from support.screens import screens

SMALL = WindowOptions(width=1280, height=720, fullscreen=False, strict_texts=True, volume=0.5)


class ListMixer:
    def __init__(self) -> None:
        self.played: list[Cue] = []
        self.prepared: set[Cue] = set()

    def play(self, cue: Cue, volume: float) -> None:
        self.played.append(cue)

    def prepare(self, cue: Cue) -> Iterator[None]:
        yield
        self.prepared.add(cue)

    def close(self) -> None:
        self.played.clear()


@pytest.fixture
def mixer() -> ListMixer:
    return ListMixer()


@pytest.fixture
def screen(mixer: ListMixer) -> Iterator[Window]:
    opened = Window(SMALL, Timing(), mixer=mixer)
    yield opened
    pygame.display.set_mode((64, 64))


def test_it_says_what_it_runs_on(screen: Window) -> None:
    info = screen.info
    assert info.library.startswith("pygame")
    assert info.video_driver == "dummy"
    assert info.size == (1280, 720)
    assert info.sdl.count(".") == 2
    assert not info.silent


def test_nothing_is_drawn_without_a_view(screen: Window) -> None:
    assert screen.frame(0) == []


def test_a_still_table_costs_nothing(screen: Window) -> None:
    screen.show(screens.settlement())
    assert screen.frame(0) == [(0, 0, 1280, 720)]
    assert all(screen.frame(now_ms) == [] for now_ms in range(17, 20_000, 500))


def test_only_changed_rectangles_are_presented(screen: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    presented: list[object] = []
    monkeypatch.setattr(pygame.display, "update", presented.append)
    screen.show(screens.deciding())
    screen.frame(0)
    screen.frame(1)
    view = screens.deciding()
    still = view.steps[0]
    screen.show(replace(view, steps=(replace(still, clock=Clock(12_000, None, 7_900)),)))
    changed = screen.frame(2)
    assert presented == [[(0, 0, 1280, 720)], changed]
    assert sum(w * h for _, _, w, h in changed) < 60_000


def test_loading_is_done_in_idle_frames_and_ends(screen: Window, mixer: ListMixer) -> None:
    screen.show(screens.attract())
    screen.frame(3000)
    frames = 0
    while screen.warming:
        screen.frame(3001)
        frames += 1
        assert frames < 1000
    assert mixer.prepared == set(Cue)
    assert len(screen.kit.sprites.cards) > 200
    made = len(screen.kit.sprites.cards)
    screen.show(screens.dealing())
    for now_ms in range(0, 900, 16):
        screen.frame(now_ms)
    assert len(screen.kit.sprites.cards) == made


def test_cues_are_heard_in_their_frames(screen: Window, mixer: ListMixer) -> None:
    screen.show(screens.dealing())
    for now_ms in range(0, 1000, 10):
        screen.frame(now_ms)
    assert mixer.played == [Cue.CARD, Cue.CARD, Cue.CARD, Cue.TURN]


def test_a_picture_leaves_the_screen_alone(screen: Window) -> None:
    screen.show(screens.deciding())
    screen.frame(0)
    surface = pygame.display.get_surface()
    assert surface is not None
    before = pygame.image.tobytes(surface, "RGB")
    png = screen.png(screens.split(), 0)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    picture = pygame.image.load(io.BytesIO(png), "shot.png")
    assert picture.get_size() == (1280, 720)
    assert pygame.image.tobytes(surface, "RGB") == before
    assert screen.frame(1) == []


def test_a_picture_of_the_same_moment_is_what_the_screen_shows(screen: Window) -> None:
    view = screens.splitting()
    screen.show(view)
    for now_ms in (0, 480, 520, 610, 700):
        screen.frame(now_ms)
    surface = pygame.display.get_surface()
    assert surface is not None
    assert pygame.image.tobytes(screen.screenshot(view, 700), "RGB") == pygame.image.tobytes(surface, "RGB")


def test_a_mixture_of_both_libraries_is_refused() -> None:
    with pytest.raises(WindowError, match="overwrite each other"):
        check_libraries(lambda name: True)
    check_libraries(lambda name: name == "pygame")
    check_libraries(lambda name: name == "pygame-ce")


def test_an_old_sdl_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pygame, "get_sdl_version", lambda: (2, 26, 5))
    with pytest.raises(WindowError, match=r"2\.26\.5"):
        check_libraries(lambda name: False)


def test_a_missing_display_names_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object) -> None:
        raise pygame.error("kmsdrm not available")

    monkeypatch.setattr(pygame.display, "set_mode", fails)
    with pytest.raises(WindowError, match="kmsdrm not available"):
        Window(SMALL, Timing())


def test_the_pointer_is_hidden_and_touch_is_not_doubled(screen: Window) -> None:
    assert not pygame.mouse.get_visible()
    assert os.environ["SDL_TOUCH_MOUSE_EVENTS"] == "0"
    assert os.environ["SDL_MOUSE_TOUCH_EVENTS"] == "0"


def test_sound_can_be_left_out() -> None:
    quiet = Window(replace(SMALL, sound=False), Timing())
    assert quiet.speaker is None
    assert quiet.info.silent
    quiet.show(replace(screens.deciding(), cues=(CueAt(1, 0, Cue.ALARM),)))
    quiet.frame(0)
    while quiet.warming:
        quiet.frame(1)


def test_only_two_decks_are_known() -> None:
    assert Look("two").deck == "two"
    with pytest.raises(ValueError, match="four or two"):
        Look("six")


# ---- input


def test_keys_mouse_and_fingers_become_plain_data() -> None:
    scale = Scale(1280, 720)
    events = [
        pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a),
        pygame.event.Event(pygame.KEYUP, key=pygame.K_RETURN),
        pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(640, 360), button=1),
        pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(640, 360), button=3),
        pygame.event.Event(pygame.FINGERUP, x=0.5, y=0.25),
        pygame.event.Event(pygame.MOUSEMOTION, pos=(1, 1)),
        pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-2),
        pygame.event.Event(pygame.QUIT),
    ]
    assert translate(events, scale) == (
        KeyPressed("a", True),
        KeyPressed("return", False),
        Pointed(960.0, 540.0, True),
        Pointed(960.0, 270.0, False),
        Wheeled(-2),
        WindowClosed(),
    )
    beyond = pygame.event.Event(pygame.FINGERDOWN, x=1.0, y=0.5)
    assert translate([beyond], scale, (1600, 720)) == (Pointed(2400.0, 540.0, True),)


def test_a_stuck_key_does_not_flood() -> None:
    flood = [pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a)] * 1000
    assert len(translate(flood, Scale(1280, 720))) == MOST_EVENTS


def test_a_column_beside_the_picture_is_somebody_elses(mixer: ListMixer) -> None:
    opened = Window(replace(SMALL, beside=480), Timing(), mixer=mixer)
    surface = pygame.display.get_surface()
    assert surface is not None
    assert surface.get_size() == (1280 + 320, 720)
    opened.show(screens.deciding())
    assert opened.frame(0) == [(0, 0, 1280, 720)]
    picture = pygame.image.tobytes(surface.subsurface((0, 0, 1280, 720)), "RGB")
    red, column = opened.kit.sprites.plain(320, 720, (200, 0, 0)), surface.subsurface((1280, 0, 320, 720))
    assert tuple(pygame.transform.average_color(column)) == (0, 0, 0, 0)
    assert opened.paint_beside(Picture(red, (), FOREVER)) == [(0, 0, 320, 720)]
    assert tuple(pygame.transform.average_color(column)) == (200, 0, 0, 0)
    assert pygame.image.tobytes(surface.subsurface((0, 0, 1280, 720)), "RGB") == picture
    assert pygame.image.tobytes(opened.screenshot(screens.deciding(), 0), "RGB") == picture
    pygame.display.set_mode((64, 64))


def test_a_window_can_change_its_size_and_shows_the_same_view(screen: Window) -> None:
    screen.show(screens.deciding())
    screen.frame(0)
    screen.resize(960, 540, 480)
    assert screen.frame(1) == [(0, 0, 960, 540)]
    assert screen.button_at(600, 985, 1) == (3, Button.HIT)
    screen.resize(1280, 720)
    assert screen.frame(2) == [(0, 0, 1280, 720)]
    assert screen.paint_beside(Picture(screen.kit.sprites.plain(1, 1, (0, 0, 0)), (), FOREVER)) == []


def test_posted_events_arrive(screen: Window) -> None:
    screen.poll()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F1))
    assert KeyPressed("f1", True) in screen.poll()


def test_a_lamp_is_found_under_the_pointer(screen: Window) -> None:
    screen.show(screens.deciding())
    assert screen.button_at(600, 985, 0) == (3, Button.HIT)
    assert screen.button_at(750, 985, 0) == (3, Button.STAND)
    assert screen.button_at(600, 1036, 0) == (3, Button.DOUBLE)
    assert screen.button_at(100, 985, 0) is None  # a message stands there
    assert screen.button_at(600, 500, 0) is None
    assert [screen.seat_at(x, 780) for x in (10, 100, 600, 1850)] == [None, 1, 3, 7]
    assert screen.seat_at(100, 700) is None
    screen.show(screens.one_seat())
    assert screen.button_at(900, 1000, 0) == (1, Button.HIT)
    assert screen.button_at(300, 1000, 0) == (1, Button.BET_MINUS)
    assert screen.button_at(300, 800, 0) is None
    screen.show(screens.service())
    assert [screen.button_at(x, 1000, 0) for x in (100, 600, 1100, 1600)] == [
        (1, Button.CASH_OUT),
        (1, Button.BET_MINUS),
        (1, Button.BET_PLUS),
        (1, Button.DEAL),
    ]
    assert screen.button_at(486, 1000, 0) is None  # between two keys
    assert screen.button_at(600, 900, 0) is None


def test_the_picture_keeps_its_shape_on_other_screens() -> None:
    square = Scale(1280, 1024)
    assert square.box(0, 0, 1920, 1080) == (0, 152, 1280, 720)
    assert square.native(0, 152) == (0.0, 0.0)
    wide = Scale(3440, 1440)
    assert wide.box(0, 0, 1920, 1080) == (440, 0, 2560, 1440)
