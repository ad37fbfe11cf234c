"""The painter: whatever has been painted before, the result is that of painting everything."""

from __future__ import annotations

from dataclasses import dataclass

import pygame
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.ui.paint import FOREVER, Fade, Frame, Item, Painter, Part, merge

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


def _frame(paints: Paints, first: object, second: object, alpha: int) -> Frame:
    def build(given_items: object) -> tuple[Item, ...]:
        assert isinstance(given_items, list)
        return tuple(Item(paints.pieces[n], x, y, a) for n, x, y, a in given_items)

    faded = Fade((20, 10, 50, 40), build(first), build(second), alpha)
    return Frame(
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


def test_only_the_rectangles_of_what_moved_are_painted() -> None:
    paints = _paints()
    painter = Painter(pygame.Surface((96, 64)).convert())

    def at(x: int) -> Frame:
        return Frame(
            paints.background, (Part((Item(paints.pieces[0], x, 5), Item(paints.pieces[2], 50, 50)), 9),), 9
        )

    painter.paint(at(5))
    assert painter.paint(at(40)) == [(5, 5, 10, 8), (40, 5, 10, 8)]
    assert painter.paint(at(44)) == [(40, 5, 14, 8)]


def test_an_other_order_of_the_same_items_is_painted() -> None:
    paints = _paints()
    one, two = Item(paints.pieces[1], 10, 10), Item(paints.pieces[4], 15, 15)
    painter = Painter(pygame.Surface((96, 64)).convert())
    painter.paint(Frame(paints.background, (Part((one, two), 9),), 9))
    assert painter.paint(Frame(paints.background, (Part((two, one), 9),), 9)) != []


def test_boxes_are_clipped_merged_and_limited() -> None:
    assert merge([(-5, -5, 10, 10)], SCREEN) == [(0, 0, 5, 5)]
    assert merge([(200, 0, 5, 5)], SCREEN) == []
    assert merge([(0, 0, 4, 4), (10, 0, 4, 4), (3, 0, 9, 4)], SCREEN) == [(0, 0, 14, 4)]
    many = [(3 * n, 4 * m, 1, 1) for n in range(20) for m in range(3)]
    assert merge(many, SCREEN) == [(0, 0, 58, 9)]
