"""Attract loop, help and service: one change each four seconds, and nothing is left out."""

from __future__ import annotations

from collections.abc import Callable

import pygame
import pytest

from cabinet.core.look import Button, HouseRules, ServicePanel, ServiceRow, View
from cabinet.core.renewal import replace
from cabinet.ui.compose import Composer
from cabinet.ui.draw.paint import Item, Painter
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.pages import rulebook
from cabinet.ui.scenes import helping, service
from cabinet.ui.scenes.attract import SLOT_MS, SLOTS
from support.screens import screens


def pixels(kit: Kit, composer: Composer, view: View, now_ms: int) -> bytes:
    surface = pygame.Surface((kit.scale.width, kit.scale.height)).convert()
    Painter(surface).paint(composer.frame(view, now_ms))
    return bytes(surface.get_buffer().raw)


@pytest.mark.parametrize("seats", [7, 3, 1])
def test_the_loop_changes_each_four_seconds_and_comes_round(kit_of: Callable[..., Kit], seats: int) -> None:
    kit = kit_of(1280, 720)
    view = screens.attract()
    still = view.steps[0]
    looks = still.seats[:seats]
    view = replace(view, seats=seats, attract_ms=700, steps=(replace(still, seats=looks),))
    composer = Composer(kit)
    pages = [pixels(kit, composer, view, 700 + SLOT_MS * n + 3500) for n in range(SLOTS)]
    assert len(set(pages)) >= SLOTS - 1
    assert pages[0] == pixels(kit, composer, view, 700 + SLOT_MS * SLOTS + 3500)
    frame = composer.frame(view, 700 + SLOT_MS * 2 + 3500)
    assert frame.until_ms == 700 + SLOT_MS * 3


def test_help_pages_repeat_and_differ(kit_of: Callable[..., Kit]) -> None:
    kit = kit_of(1280, 720)
    composer = Composer(kit)
    pages = [pixels(kit, composer, screens.help_page(n), 0) for n in range(1, helping.PAGES + 1)]
    assert len(set(pages)) == helping.PAGES


WORST = HouseRules(
    "6:5",
    True,
    8,
    False,
    "any",
    ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10"),
    False,
    "original",
    100,
    50_000,
    60,
    60,
)


@pytest.mark.parametrize("rules", [screens.RULES, WORST])
@pytest.mark.parametrize("seats", [7, 1])
def test_every_house_rule_is_stated_and_fits(kit: Kit, rules: HouseRules, seats: int) -> None:
    view = replace(screens.betting(), rules=rules, seats=seats)
    pen = Pen(kit, 0)
    rows = rulebook._bets(pen, view) + rulebook._play(pen, view)
    assert len(rows) == 18
    for _, value in rows:
        assert kit.text.fits(value, rulebook.NARROW, rulebook.VALUE_WIDTH), value
    said = " ".join(value for _, value in rows)
    assert rules.blackjack_pays in said
    assert ("hits soft 17" in said) == rules.dealer_hits_soft_17
    assert ("cut card" in said) != rules.shuffle_every_round
    assert ("no double" in said) != rules.double_after_split
    assert "push" in said
    rulebook.house_rules(pen, view)
    for item in pen.items:
        assert isinstance(item, Item)
        assert item.x + item.surface.get_width() <= 1900


def test_totals_that_may_be_doubled_are_spoken(kit: Kit) -> None:
    pen = Pen(kit, 0)
    assert rulebook.double_totals(pen, screens.RULES) == "hard 9, 10 or 11"
    assert rulebook.double_totals(pen, WORST) == "any total, soft ones too"
    assert rulebook.split_ranks(pen, screens.RULES) == "A, 2, 3, 6, 7, 8 or 9"
    assert rulebook.either(pen, ["8"]) == "8"


def test_plain_words_fit_their_boxes(kit: Kit) -> None:
    for seats in (7, 1):
        pen = Pen(kit, 0)
        helping._plain_words(pen, replace(screens.betting(), seats=seats))
        for item in pen.items:
            assert isinstance(item, Item)
            assert item.x + item.surface.get_width() <= 1862
            assert item.y + item.surface.get_height() <= 1072


def test_a_long_service_page_is_set_closer_then_cut(kit_of: Callable[..., Kit]) -> None:
    kit = kit_of(1280, 720)
    base = screens.service()
    assert base.service is not None
    rows = tuple(ServiceRow((f"row {n}", "value " * 30, "x"), "check") for n in range(60))
    panels = (
        ServicePanel("LONG", (1, 2), rows[:9], half=True),
        ServicePanel("ALONE", (1, 1), rows[:2], half=True),
        ServicePanel("THIRD", (1, 1), rows[:2], half=True),
        ServicePanel("ENDLESS", (1, 2, 1), rows),
        ServicePanel("NEVER SEEN", (1,), rows),
    )
    menu = tuple(f"A rather long name of an entry {n}" for n in range(30))
    look = replace(
        base.service, panels=panels, menu=menu, cursor=20, headline="Very long " * 20, headline_mark="warn"
    )
    composer = Composer(kit)
    assert pixels(kit, composer, replace(base, service=look), 0) != pixels(kit, composer, base, 0)
    empty = replace(base.service, panels=(), menu=(), path=(), hint="", headline="", subline="")
    pixels(kit, composer, replace(base, service=empty), 0)


def test_a_text_that_is_cut_says_so(kit: Kit) -> None:
    pen = Pen(kit, 0)
    assert service.cut(pen, "short", service.PATH, 400) == "short"
    long = service.cut(pen, "a long text that has no room at all", service.PATH, 200)
    assert long.endswith("\N{HORIZONTAL ELLIPSIS}")
    assert kit.text.fits(long, service.PATH, 200)
    assert service.cut(pen, "x", service.PATH, 2) == ""


def test_the_clock_of_the_service_pages_ticks_each_second(kit: Kit) -> None:
    frame = Composer(kit).frame(screens.service(), 250)
    assert frame.until_ms == 1000


def test_with_a_shared_validator_the_call_is_to_press_buy_in(kit_of: Callable[..., Kit]) -> None:
    kit = kit_of(1280, 720)
    view = screens.attract()
    still = view.steps[0]
    own = tuple((button, lamp) for button, lamp in still.seats[0].lamps if button is not Button.BUY_IN)
    alone = replace(view, steps=(replace(still, seats=(replace(still.seats[0], lamps=own),) * 7),))
    shared = replace(
        view, steps=(replace(still, seats=(replace(still.seats[0], lamps=screens.lamps()),) * 7),)
    )
    composer = Composer(kit)
    call = pygame.Rect(70, 425, 330, 50)

    def words(shown: View) -> bytes:
        surface = pygame.Surface((1280, 720)).convert()
        Painter(surface).paint(composer.frame(shown, 3_000))
        return pygame.image.tobytes(surface.subsurface(call), "RGB")

    assert words(alone) != words(shared)


def test_the_notes_that_are_taken_stand_under_the_house_rules(kit_of: Callable[..., Kit]) -> None:
    kit = kit_of(1280, 720)
    view = replace(screens.attract(), attract_ms=0)
    composer = Composer(kit)
    line = pygame.Rect(340, 455, 560, 35)  # between HELP and the notice

    def words(*notes_cents: int) -> bytes:
        shown = replace(view, top=replace(view.top, notes_cents=notes_cents))
        surface = pygame.Surface((1280, 720)).convert()
        Painter(surface).paint(composer.frame(shown, SLOT_MS * (SLOTS - 1) + 3_000))
        return pygame.image.tobytes(surface.subsurface(line), "RGB")

    assert len(set(words())) < len(set(words(500, 2_000))), "words on an empty line"
    assert words(500, 2_000) != words(500, 10_000)
