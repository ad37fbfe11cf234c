"""The painter: whatever has been painted before, the result is that of painting everything."""

from __future__ import annotations

from dataclasses import dataclass

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.ui.draw import paint
from cabinet.ui.draw.paint import FOREVER, Fade, Item, Painter, Part, Picture, merge

SCREEN = (0, 0, 96, 64)


@dataclass(frozen=True)
class Paints:
    """Ready surfaces: opaque, with alpha, and one that covers a lot."""

    background: pygame.Surface
    pieces: tuple[pygame.Surface, ...]


def _paints() -> Paints:
    background = pygame.Surface((96, 64)).convert()
    for y in range(64):
        background.fill((y * 2, 40, 90 - y), (0, y, 96, 1))
    pieces = []
    for number, size in enumerate(((10, 8), (23, 17), (40, 5), (7, 30))):
        piece = pygame.Surface(size, pygame.SRCALPHA)
        piece.fill((200 - 30 * number, 60 * number, 120, 90 + 50 * number))
        pieces.append(piece)
    pieces.append(pygame.Surface((31, 12)).convert())
    return Paints(background, tuple(pieces))


items = st.tuples(
    st.integers(0, 4), st.integers(-12, 100), st.integers(-12, 70), st.sampled_from((255, 255, 128, 40))
)
parts = st.lists(items, max_size=6)
frames = st.lists(st.tuples(parts, parts, st.integers(0, 255)), min_size=2, max_size=6)


def _frame(paints: Paints, first: object, second: object, alpha: int) -> Picture:
    def build(given_items: object) -> tuple[Item, ...]:
        assert isinstance(given_items, list)
        return tuple(Item(paints.pieces[n], x, y, a) for n, x, y, a in given_items)

    faded = Fade((20, 10, 50, 40), build(first), build(second), alpha)
    return Picture(
        paints.background,
        (Part(build(first), FOREVER), Part((faded,), FOREVER), Part(build(second), FOREVER)),
        FOREVER,
    )


@settings(max_examples=120, deadline=None)
@given(frames)
def test_painting_what_changed_equals_painting_everything(script: list[tuple[object, object, int]]) -> None:
    paints = _paints()
    screen, other = pygame.Surface((96, 64)).convert(), pygame.Surface((96, 64)).convert()
    painter = Painter(screen)
    for first, second, alpha in script:
        frame = _frame(paints, first, second, alpha)
        painter.paint(frame)
        Painter(other).paint(frame)
        assert screen.get_buffer().raw == other.get_buffer().raw


def test_the_same_frame_twice_paints_nothing() -> None:
    paints = _paints()
    screen = pygame.Surface((96, 64)).convert()
    painter = Painter(screen)
    frame = _frame(paints, [(0, 5, 5, 255)], [(1, 30, 30, 128)], 100)
    assert painter.paint(frame) == [SCREEN]
    assert painter.paint(frame) == []
    assert painter.paint(_frame(paints, [(0, 5, 5, 255)], [(1, 30, 30, 128)], 100)) == []


def test_only_the_rectangles_of_what_moved_are_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paint, "WALK", 0)
    paints = _paints()
    painter = Painter(pygame.Surface((96, 64)).convert())

    def at(x: int) -> Picture:
        return Picture(
            paints.background, (Part((Item(paints.pieces[0], x, 5), Item(paints.pieces[2], 50, 50)), 9),), 9
        )

    painter.paint(at(5))
    assert painter.paint(at(40)) == [(5, 5, 10, 8), (40, 5, 10, 8)]
    assert painter.paint(at(44)) == [(40, 5, 14, 8)]


def test_an_other_order_of_the_same_items_is_painted() -> None:
    paints = _paints()
    one, two = Item(paints.pieces[1], 10, 10), Item(paints.pieces[4], 15, 15)
    painter = Painter(pygame.Surface((96, 64)).convert())
    painter.paint(Picture(paints.background, (Part((one, two), 9),), 9))
    assert painter.paint(Picture(paints.background, (Part((two, one), 9),), 9)) != []


def test_boxes_are_clipped_and_merged_where_that_saves_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paint, "WALK", 0)
    assert merge([(-5, -5, 10, 10)], SCREEN) == [(0, 0, 5, 5)]
    assert merge([(200, 0, 5, 5)], SCREEN) == []
    assert merge([(0, 0, 4, 4), (10, 0, 4, 4), (3, 0, 9, 4)], SCREEN) == [(0, 0, 14, 4)]
    cross = [(0, 20, 90, 4), (40, 0, 4, 60)]
    assert merge(cross, SCREEN) == cross


def test_boxes_that_lie_in_others_are_left_out() -> None:
    assert merge([(2, 2, 3, 3), (0, 0, 90, 60), (2, 2, 3, 3), (80, 50, 10, 10)], SCREEN) == [(0, 0, 90, 60)]


@given(st.lists(st.tuples(*[st.integers(-9, 99)] * 2, *[st.integers(1, 30)] * 2), max_size=90))
@settings(max_examples=60, deadline=None)
def test_few_boxes_cover_all_that_was_changed(boxes: list[tuple[int, int, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paint, "WALK", 0)
        merged = merge(boxes, SCREEN)
    assert len(merged) <= paint.MAX_RECTS
    covered = {(x + i, y + k) for x, y, w, h in merged for i in range(w) for k in range(h)}
    wanted = {(x + i, y + k) for x, y, w, h in boxes for i in range(w) for k in range(h)}
    assert {(x, y) for x, y in wanted if 0 <= x < 96 and 0 <= y < 64} <= covered
    assert all(x >= 0 and y >= 0 and x + w <= 96 and y + h <= 64 for x, y, w, h in merged)


def test_a_fade_is_painted_anew_when_something_below_it_changes() -> None:
    """The two pictures of a fade serve all its steps, but not over another table."""
    paints = _paints()
    screen, other = pygame.Surface((96, 64)).convert(), pygame.Surface((96, 64)).convert()
    painter = Painter(screen)
    above = Item(paints.pieces[1], 25, 15)
    script = [(7, 20), (7, 60), (30, 60), (30, 90), (70, 90), (7, 20)]
    for x, alpha in script:
        below = Part((Item(paints.pieces[2], x, 30),), FOREVER)
        faded = Part((Fade((20, 10, 50, 40), (above,), (Item(paints.pieces[0], 30, 20),), alpha),), FOREVER)
        frame = Picture(paints.background, (below, faded), FOREVER)
        painter.paint(frame)
        Painter(other).paint(frame)
        assert screen.get_buffer().raw == other.get_buffer().raw


def test_a_fade_over_a_fade_is_painted_through_it() -> None:
    paints = _paints()
    screen, other = pygame.Surface((96, 64)).convert(), pygame.Surface((96, 64)).convert()
    painter = Painter(screen)
    one, two = Item(paints.pieces[1], 25, 15), Item(paints.pieces[0], 30, 20)
    for alpha in (30, 90, 150, 150, 210):
        lower = Part((Fade((20, 10, 30, 30), (one,), (two,), alpha),), FOREVER)
        upper = Part((Fade((24, 14, 40, 40), (), (one,), 255 - alpha),), FOREVER)
        frame = Picture(paints.background, (lower, upper), FOREVER)
        painter.paint(frame)
        Painter(other).paint(frame)
        assert screen.get_buffer().raw == other.get_buffer().raw
