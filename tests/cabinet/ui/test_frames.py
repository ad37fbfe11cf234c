"""The picture is a function of view and time, however the screen got there."""

from __future__ import annotations

import random
from collections.abc import Callable

import pygame
import pytest

from cabinet.core.look import View
from cabinet.core.renewal import replace
from cabinet.core.timing import Timing
from cabinet.ui import rehearsal
from cabinet.ui.catalogue import Catalogue
from cabinet.ui.compose import Composer
from cabinet.ui.draw.paint import FOREVER, Painter
from cabinet.ui.draw.pen import Kit
from cabinet.ui.draw.sprites import Sprites
from cabinet.ui.draw.text import TextKit
from cabinet.ui.draw.theme import INK, Look, Scale
from support.screens import kinds, screens

SMALL = (1280, 720)


class Rig:
    """A screen that is kept up to date, and a second one that is always painted in full."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        size = (kit.scale.width, kit.scale.height)
        self.screen, self.fresh = pygame.Surface(size).convert(), pygame.Surface(size).convert()
        self.composer = Composer(kit)
        self.painter = Painter(self.screen)

    def step(self, view: View, now_ms: int) -> int:
        """Bring the screen up to date and compare; how many rectangles were painted."""
        frame = self.composer.frame(view, now_ms)
        changed = self.painter.paint(frame)
        # Nothing is remembered by this one but the backgrounds, which never change.
        Painter(self.fresh).paint(Composer(self.kit, self.composer.bases).frame(view, now_ms))
        assert self.screen.get_buffer().raw == self.fresh.get_buffer().raw, now_ms
        assert frame.until_ms > now_ms
        return len(changed)


def times(end_ms: int, count: int, seed: str) -> list[int]:
    """Rising times: frames next to each other, long jumps, and the last moment."""
    chance = random.Random(seed)
    found = sorted({chance.randrange(end_ms) for _ in range(count // 2)})
    return sorted({*found, *(ms + 1 for ms in found), *(ms + 17 for ms in found[::3]), 0, end_ms})


@pytest.mark.parametrize("name", screens.MOVING)
def test_painting_changes_equals_painting_all(kit_of: Callable[..., Kit], name: str) -> None:
    make, end_ms = screens.MOVING[name]
    view = make()
    rig = Rig(kit_of(*SMALL))
    painted = [rig.step(view, now_ms) for now_ms in times(end_ms, 36, name)]
    assert sum(painted) > 3


@pytest.mark.parametrize("seats", [7, 3])
@pytest.mark.parametrize("split_hand", [False, True])
def test_nine_cards_of_nobody_find_their_place(
    kit_of: Callable[..., Kit], seats: int, split_hand: bool
) -> None:
    rig = Rig(kit_of(*SMALL))
    view = screens.many_continued(9, split_hand=split_hand, seats=seats)
    for now_ms in times(6500, 24, f"nobody {seats}"):
        rig.step(view, now_ms)


def test_a_split_hand_of_ten_cards_is_drawn(kit_of: Callable[..., Kit]) -> None:
    rig = Rig(kit_of(*SMALL))
    for count in range(2, 11):
        assert rig.step(screens.long_split(count), count * 1000)


def test_going_from_view_to_view_leaves_nothing_behind(kit_of: Callable[..., Kit]) -> None:
    """Views of one cabinet in any order: tables, help, service, lock-ups, banners."""
    seven = [
        screens.deciding(),
        screens.completion(),
        screens.dealing(),
        screens.door_open(),
        screens.attract(),
    ]
    seven += [screens.refusing(), replace(screens.deciding(), banners=(screens.LAB,)), *screens.all_states(7)]
    five = [screens.betting(), screens.split(), screens.settlement(), screens.cashout(), screens.help_page()]
    five += [
        screens.help_page(2),
        screens.help_page(3),
        screens.service(),
        screens.settling(),
        screens.storage_tilt(),
    ]
    three = [screens.recall(), replace(screens.recall(), banners=()), *screens.all_states(3)]
    chance = random.Random("views")
    for group in (seven, five, three):
        rig = Rig(kit_of(*SMALL))
        now_ms = 0
        for _ in range(2):
            for view in chance.sample(group, len(group)):
                now_ms += chance.choice((0, 1, 16, 700))
                rig.step(view, now_ms)


def test_an_equal_view_paints_nothing(kit_of: Callable[..., Kit]) -> None:
    rig = Rig(kit_of(*SMALL))
    assert rig.step(screens.deciding(), 1000) == 1
    assert rig.step(screens.deciding(), 1005) == 0


def test_a_change_at_one_seat_paints_that_seat_only(kit: Kit) -> None:
    view = screens.deciding()
    still = view.steps[0]
    richer = list(still.seats)
    richer[2] = replace(richer[2], credit_cents=9_900)
    after = replace(view, steps=(replace(still, seats=tuple(richer)),))
    composer, painter = Composer(kit), Painter(pygame.Surface((1920, 1080)).convert())
    painter.paint(composer.frame(view, 0))
    boxes = painter.paint(composer.frame(after, 1))
    assert boxes
    for x, y, w, h in boxes:
        assert x >= 560
        assert x + w <= 820
        assert y >= 860
        assert y + h <= 920


@pytest.mark.parametrize(
    "name", ["03-deciding", "05-settlement", "09-one-seat", "10-how-to-play", "08-service"]
)
def test_two_programs_draw_the_same_pixels(kit_of: Callable[..., Kit], name: str) -> None:
    def once() -> bytes:
        scale, look = Scale(*SMALL), Look()
        kit = Kit(scale, look, TextKit(scale), Sprites(scale, look), Catalogue(), Timing())
        surface = pygame.Surface(SMALL).convert()
        Painter(surface).paint(Composer(kit).frame(screens.MOMENTS[name](), 0))
        return bytes(surface.get_buffer().raw)

    assert once() == once()


def test_cards_do_not_fly_beside_the_picture() -> None:
    """On a screen of another shape the borders stay empty."""
    scale, look = Scale(1280, 1024), Look()
    kit = Kit(scale, look, TextKit(scale), Sprites(scale, look), Catalogue(), Timing())
    surface = pygame.Surface((1280, 1024)).convert()
    composer, painter = Composer(kit), Painter(surface, scale.box(0, 0, 1920, 1080))
    for now_ms in (0, 110, 150, 200, 300):
        painter.paint(composer.frame(screens.dealing(), now_ms))
        border = pygame.image.tobytes(surface.subsurface((0, 0, 1280, 150)), "RGB")
        assert border == bytes(INK) * (1280 * 150)
        assert tuple(surface.get_at((700, 1000))) == (*INK, 255)


def test_a_still_table_stays_until_the_minute_changes(kit: Kit) -> None:
    frame = Composer(kit).frame(screens.settlement(), 0)
    assert frame.until_ms == 60_000


def test_a_locked_table_stands_still(kit_of: Callable[..., Kit]) -> None:
    view = screens.dealing()
    lock = replace(screens.door_open().lock, since_ms=300)  # type: ignore[type-var]
    rig = Rig(kit_of(*SMALL))
    locked = replace(view, lock=lock)
    rig.step(locked, 300)
    before = rig.screen.get_buffer().raw
    assert rig.step(locked, 5000) == 0
    assert rig.screen.get_buffer().raw == before


def test_without_motion_only_the_dial_moves(kit_of: Callable[..., Kit]) -> None:
    kit = kit_of(*SMALL, motion=False)
    rig = Rig(kit)
    view = screens.dealing()
    for now_ms in (0, 100, 101, 279, 280, 459, 460, 461, 800, 801, 1500):
        rig.step(view, now_ms)
    frame = Composer(kit).frame(screens.growing(), 1)
    assert frame.until_ms >= 600
    assert frame.until_ms != FOREVER


def test_steady_play_makes_no_new_surfaces(kit: Kit) -> None:
    """After one countdown everything comes from the caches."""
    rig_view = screens.dealing()
    composer = Composer(kit)
    painter = Painter(pygame.Surface((1920, 1080)).convert())
    for now_ms in range(0, 13_000, 50):
        painter.paint(composer.frame(rig_view, now_ms))
    caches = (kit.text.surface, kit.text.glyph, kit.sprites.box, kit.sprites.gradient, kit.sprites.tick)
    before = [cache.cache_info().misses for cache in caches]
    again = replace(rig_view, seq=2)
    for now_ms in range(0, 13_000, 50):
        painter.paint(composer.frame(again, now_ms))
    assert [cache.cache_info().misses for cache in caches] == before
    for cache in caches:
        info = cache.cache_info()
        assert info.maxsize is not None
        assert info.currsize <= info.maxsize


def test_cards_are_dropped_when_their_bytes_are_used_up(kit: Kit) -> None:
    cache = type(kit.sprites.cards)(limit_bytes=3 * 40 * 40 * 4)
    surfaces = {}
    for number in range(10):
        surfaces[number] = cache.get(("x", number), lambda: pygame.Surface((40, 40), pygame.SRCALPHA))
        assert cache.bytes <= cache.limit_bytes
    assert len(cache) == 3
    assert cache.get(("x", 9), lambda: pygame.Surface((1, 1))) is surfaces[9]


def test_all_that_a_screen_can_show_is_rehearsed() -> None:
    """A scene, a state of a seat, a phase or a cell that is new needs a view of `rehearsal`: without it
    its first frame comes late."""
    # The menu is opened by a key, on a table that stands still: its first frame may take longer.
    assert kinds.missing(rehearsal.views(screens.betting())) == {"Scene.SERVICE"}
