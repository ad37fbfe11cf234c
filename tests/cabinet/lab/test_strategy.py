"""Simulated players follow the chart of their table's rules, or say that there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cabinet.config import Config, load
from cabinet.lab.strategy import NEVER_BUST, chart_of, described
from cabinet.lab.table import cabinet_file
from game.cards import parse
from game.chart import Chart, advise
from game.play import Choice
from game.rules import Rules


def test_two_tables_with_different_rules_are_played_by_different_charts() -> None:
    def soft_18_against_2(config: Config) -> Choice:
        return advise(chart_of(config), config.rules, (parse("AS"), parse("7H")), parse("2D"), tuple(Choice))

    standard, vegas = load(cabinet_file("table5")), load(cabinet_file("shared3"))
    assert soft_18_against_2(standard) is Choice.STAND
    assert soft_18_against_2(vegas) is Choice.DOUBLE
    assert described(standard) == described(vegas) == ""


def test_without_a_chart_nobody_risks_a_bust_and_it_is_said() -> None:
    alone = replace(load(cabinet_file("table5")), advice=None)
    assert chart_of(alone) is NEVER_BUST
    assert "cabinet par --rules" in described(alone)


@pytest.mark.parametrize(
    ("hand", "choice"),
    [("5S 6H", Choice.HIT), ("10S 2H", Choice.STAND), ("AS 6H", Choice.HIT), ("8S 8H", Choice.STAND)],
)
def test_never_bust(hand: str, choice: Choice) -> None:
    first, second = map(parse, hand.split())
    assert advise(NEVER_BUST, Rules(), (first, second), parse("6D"), tuple(Choice)) is choice


def test_the_simple_chart_is_a_sound_chart() -> None:
    rows = {
        "name": NEVER_BUST.name,
        "hard": {str(total): row for total, row in zip(range(4, 21), NEVER_BUST.hard, strict=True)},
        "soft": {str(total): row for total, row in zip(range(12, 21), NEVER_BUST.soft, strict=True)},
        "pairs": {},
    }
    assert Chart.parse(rows) == NEVER_BUST


def test_an_own_rule_set_has_no_chart_until_somebody_makes_one(tmp_path: Path) -> None:
    text = cabinet_file("slot1").read_text(encoding="utf-8").replace('rules = "slot"', 'rules = "own"')
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.toml").write_text("decks = 4\n", encoding="utf-8")
    (tmp_path / "cabinet.toml").write_text(text, encoding="utf-8")
    assert load(tmp_path / "cabinet.toml").advice is None
