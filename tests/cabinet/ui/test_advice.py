"""The strategy chart on the help page: readable, complete, and only where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from cabinet.core.look import HelpLook, Scene, View
from cabinet.ui.compose import Composer
from cabinet.ui.draw.paint import bounds
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.pages import advice
from cabinet.ui.scenes import helping
from game.chart import Chart
from support.evenings.rounds import default_chart
from support.screens import screens

SIZES = ((1280, 720), (1920, 1080), (3840, 2160))
# No two rows alike, no two neighbours alike: the longest chart that there can be.
RESTLESS = Chart(
    "Restless",
    tuple(("HSD" * 5)[n % 3 :][:10] for n in range(17)),
    tuple(("SDH" * 5)[n % 3 :][:10] for n in range(9)),
    tuple(("P" * n + "HS" * 5)[:10] for n in range(1, 11)),
)


def page(chart: Chart | None, number: int = 4) -> View:
    return replace(screens.betting(), scene=Scene.HELP, help=HelpLook(2, number, 3 + bool(chart), chart))


def test_rows_that_read_alike_are_one_row() -> None:
    chart = default_chart()
    assert [row.hands for row in advice.hard_rows(chart)] == [
        ("4", "5", "6", "7", "8"), ("9",), ("10", "11"), ("12",),
        ("13", "14", "15", "16"), ("17", "18", "19", "20"),
    ]  # fmt: skip
    assert [row.hands for row in advice.soft_rows(chart)] == [
        ("A 2", "A 3", "A 4", "A 5", "A 6"), ("A 7",), ("A 8", "A 9"),
    ]  # fmt: skip
    assert [row.hands for row in advice.pair_rows(chart)] == [("A",), ("2", "3", "7"), ("6",), ("8",), ("9",)]


def test_neighbours_that_say_the_same_are_one_bar() -> None:
    assert list(advice.bars("HDDDDHHHHH")) == [(0, 1, "H"), (1, 4, "D"), (5, 5, "H")]
    assert list(advice.bars("SSSSSSSSSS")) == [(0, 10, "S")]


def test_hands_are_named_as_people_say_them(kit: Kit) -> None:
    pen = Pen(kit, 0)
    assert advice.named(pen, ("13", "14", "15", "16")) == "13 to 16"
    assert advice.named(pen, ("A 2", "A 3", "A 4")) == "A 2 to A 4"
    assert advice.named(pen, ("10", "11")) == "10, 11"
    assert advice.named(pen, ("2", "3", "7")) == "2, 3, 7"
    assert advice.named(pen, ("A", "2", "3")) == "A to 3"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("chart", [default_chart(), RESTLESS], ids=["default", "restless"])
def test_any_chart_stays_on_the_page(kit_of: Callable[..., Kit], size: tuple[int, int], chart: Chart) -> None:
    kit = kit_of(*size)
    pen = Pen(kit, 0)
    advice.advice(pen, chart)
    low = kit.scale.y(1024)
    for item in pen.items:
        x, y, w, h = bounds(item)
        assert kit.scale.x(advice.LEFT) - 1 <= x
        assert x + w <= kit.scale.x(advice.RIGHT + advice.PANEL_WIDTH) + 1
        assert y + h <= low


def test_every_word_fits_its_bar(kit_of: Callable[..., Kit]) -> None:
    for size in SIZES:
        kit = kit_of(*size)
        pen = Pen(kit, 0)
        for fill in advice.FILLS.values():
            assert kit.text.fits(
                pen.word(fill.word, advice.WORD, advice.COLUMN - 14), advice.WORD, advice.COLUMN
            )
        longest = advice.named(pen, ("A 2", "A 3", "A 4"))
        assert kit.text.fits(longest, advice.HAND_NARROW, advice.NAMES_WIDTH)
        for key in ("help.chart_hard", "help.chart_soft", "help.chart_pairs"):
            assert kit.text.fits(
                pen.word(key, advice.CAPTION, advice.NAMES_WIDTH - 10), advice.CAPTION, advice.NAMES_WIDTH
            )
        foot = pen.word("help.chart_foot", advice.NOTE, 1800)
        assert kit.text.fits(foot, advice.NOTE, 1800)


def test_the_page_is_there_only_with_a_chart(kit: Kit) -> None:
    def words(view: View) -> object:
        frame = Composer(kit).frame(view, 0)
        return [(bounds(item)) for part in frame.parts for item in part.items]

    fourth = words(page(default_chart()))
    assert fourth != words(page(default_chart(), 1))
    assert words(page(None)) == words(replace(page(None), help=HelpLook(2, 4, 3)))
    assert helping.PAGES == 3
