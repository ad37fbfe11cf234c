"""The decider's own views on the screen: any evening can be drawn, and drawn the same either way."""

from __future__ import annotations

import random
from collections.abc import Callable

import pygame
import pytest

from cabinet.ui.compose import Composer
from cabinet.ui.draw.paint import Painter
from cabinet.ui.draw.pen import Kit
from support.evenings.evening import Evening
from support.screens.seen import look

BUTTONS = (
    "bet_plus",
    "bet_plus",
    "deal",
    "deal",
    "hit",
    "stand",
    "double",
    "split",
    "help",
    "cash_out",
    "bet_minus",
)
DEALS = ("8H 8S 6D 5C", "AH KS AD 9C", "AH AS 6D 2H 3S", "5H 6S 10D 9C")


@pytest.mark.parametrize(("seed", "seats"), [(0, 7), (1, 5), (2, 1), (3, 2)])
def test_an_evening_can_be_drawn(kit_of: Callable[..., Kit], seed: int, seats: int) -> None:
    kit = kit_of(1280, 720)
    rng = random.Random(seed)
    evening = Evening(deal=DEALS[seed], seats=seats, shared=seed % 2 == 1, lab=True)
    size = (1280, 720)
    screen, fresh = pygame.Surface(size).convert(), pygame.Surface(size).convert()
    composer, painter = Composer(kit), Painter(screen)
    for step in range(110):
        seat = rng.randrange(1, seats + 1)
        chance = rng.random()
        if chance < 0.12:
            evening.insert(seat, rng.choice((500, 2_000, 10_000)))
        elif chance < 0.6:
            evening.press(seat, rng.choice(BUTTONS))
        elif chance < 0.64:
            evening.switch(rng.choice(("door.main", "key.attendant")), rng.random() < 0.4)
        else:
            evening.advance(rng.choice((16, 90, 300, 1_000, 5_000)))
        view = look(evening)
        if view.service is None and view.scene.value == "service":
            continue  # the pages behind a key are put in by the program
        painter.paint(composer.frame(view, evening.at_ms))
        if step % 4 == 0:
            Painter(fresh).paint(Composer(kit, composer.bases).frame(view, evening.at_ms))
            assert screen.get_buffer().raw == fresh.get_buffer().raw, step
