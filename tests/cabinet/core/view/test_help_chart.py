"""Advice on the help page: one page more where the cabinet has a chart for its rules, none without."""

from __future__ import annotations

from cabinet.core.look import HelpLook, Scene
from cabinet.core.renewal import replace
from cabinet.core.view.build import view
from support.evenings.evening import Evening
from support.evenings.rounds import default_chart


def pages(evening: Evening) -> list[int]:
    seen = []
    for _ in range(5):
        evening.press(1, "help")
        seen.append(evening.live.help_open(1))
    return seen


def test_with_a_chart_help_has_one_page_more_and_shows_it_last() -> None:
    chart = default_chart()
    evening = Evening(seats=1, chart=chart)
    assert pages(evening) == [1, 2, 3, 4, 0]
    evening.press(1, "help", "help", "help", "help")
    seen = view(evening.state, evening.live)
    assert (seen.scene, seen.help) == (Scene.HELP, HelpLook(1, 4, 4, chart))


def test_without_a_chart_there_is_no_advice() -> None:
    evening = Evening(seats=1)
    assert pages(evening) == [1, 2, 3, 0, 1]
    assert view(evening.state, evening.live).help == HelpLook(1, 1, 3)


def test_advice_is_not_shown_over_a_round() -> None:
    evening = Evening(chart=default_chart())
    evening.insert(1, 2_000)
    evening.press(1, "bet_plus")
    evening.press(2, "help")
    seen = view(evening.state, evening.live)
    assert (seen.scene, seen.help) == (Scene.TABLE, None)
    assert replace(evening.policy, chart=None) != evening.policy
