"""Strategy charts on disk: found by the odds of the rules, refused with the place of every mistake."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cabinet.config import chart_file
from cabinet.config.file import ConfigError, load, shipped_folder
from cabinet.config.problems import Problem
from cabinet.config.report import report
from game.rules import ODDS_KEYS, Rules
from support.evenings.rounds import default_chart

RULE_SETS = sorted((shipped_folder() / "rules").glob("*.toml"))
SLOT = shipped_folder() / "cabinets" / "slot1.toml"
Change = Callable[[dict[str, Any]], object]


def refused(
    tmp_path: Path, change: Change | None = None, text: str | None = None
) -> list[tuple[str, str, str, str]]:
    """(table, key, found, allowed) of what is wrong with the shipped chart after a change."""
    tree = json.loads(chart_file.written(Rules(), default_chart(), {"house_edge_td_percent": 0.67}))
    if change is not None:
        change(tree)
    path = tmp_path / "chart.json"
    path.write_text(json.dumps(tree) if text is None else text, encoding="utf-8")
    problems: list[Problem] = []
    found = chart_file.read(path, Rules(), problems)
    assert (found is None) == bool(problems)
    assert all(problem.file == str(path) for problem in problems)
    return [(problem.table, problem.key, problem.found, problem.allowed) for problem in problems]


def rules_in(file: Path) -> Rules:
    return Rules.parse(tomllib.loads(file.read_text(encoding="utf-8")))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    assert refused(tmp_path) == []
    path = tmp_path / "chart.json"
    found = chart_file.read(path, Rules(), [])
    assert found is not None
    assert found.chart == default_chart()
    assert found.figures == {"house_edge_td_percent": 0.67}


def test_an_operator_who_changes_a_limit_keeps_the_advice() -> None:
    own = replace(Rules(), min_bet_cents=1_000, max_bet_cents=50_000, bet_step_cents=1_000, decide_seconds=30)
    assert own.rules_hash != Rules().rules_hash
    assert chart_file.file_name(own) == chart_file.file_name(Rules())


@pytest.mark.parametrize(
    "changed",
    [
        {"decks": 8}, {"dealer_hits_soft_17": True}, {"blackjack_pays": "6:5"}, {"double_totals": "any"},
        {"double_after_split": False}, {"splittable": ["A", "8"]}, {"dealer_blackjack_takes": "original"},
    ],
    ids=ODDS_KEYS,
)  # fmt: skip
def test_whatever_changes_the_odds_needs_a_chart_of_its_own(changed: dict[str, object]) -> None:
    assert set(changed) <= set(ODDS_KEYS)
    assert Rules.parse(changed).odds_hash != Rules().odds_hash


@pytest.mark.parametrize("file", RULE_SETS, ids=lambda path: path.stem)
def test_every_shipped_rule_set_has_a_chart(file: Path) -> None:
    rules = rules_in(file)
    path = chart_file.find(rules, shipped_folder())
    assert path is not None, f"cabinet par --rules {file} --write-chart"
    problems: list[Problem] = []
    found = chart_file.read(path, rules, problems)
    assert problems == []
    assert found is not None
    assert 0 < found.figures["house_edge_cd_percent"] < found.figures["house_edge_td_percent"] < 1
    assert path.read_text(encoding="utf-8") == chart_file.written(rules, found.chart, found.figures)


def test_no_chart_lies_about_that_no_rule_set_has() -> None:
    needed = {chart_file.file_name(rules_in(file)) for file in RULE_SETS}
    assert {path.name for path in (shipped_folder() / "charts").iterdir()} == needed


@pytest.mark.parametrize(
    ("change", "table", "key", "found"),
    [
        (lambda tree: tree["chart"]["hard"].update({"16": "HHH"}), "chart", "hard.16", '"HHH"'),
        (lambda tree: tree["chart"]["soft"].pop("18"), "chart", "soft.18", "nothing"),
        (lambda tree: tree["chart"].pop("name"), "chart", "name", '""'),
        (lambda tree: tree.update(chart=[]), "", "chart", "[]"),
        (lambda tree: tree.pop("figures"), "", "figures", "null"),
        (lambda tree: tree["figures"].update(sd="wide"), "", "figures.sd", '"wide"'),
        (lambda tree: tree.update(format=2), "", "format", "2"),
        (lambda tree: tree.update(format=True), "", "format", "true"),
        (lambda tree: tree.update(odds_hash="0"), "", "odds_hash", '"0"'),
        (lambda tree: tree["rules"].update(decks=8), "", "rules", '{"decks": 8'),
        (lambda tree: tree.update(note="mine"), "", "note", "an unknown key"),
    ],
)
def test_a_broken_chart_says_where_what_and_what_is_allowed(
    tmp_path: Path, change: Change, table: str, key: str, found: str
) -> None:
    [problem] = refused(tmp_path, change)
    assert problem[:2] == (table, key)
    assert problem[2].startswith(found)
    assert problem[3]


@pytest.mark.parametrize(("text", "found"), [("{", "no JSON"), ("[]", "[]")])
def test_a_file_that_is_no_chart_at_all(tmp_path: Path, text: str, found: str) -> None:
    [problem] = refused(tmp_path, text=text)
    assert problem[2].startswith(found)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "chart.json").write_bytes(b"\xff\xfe{}")
    problems: list[Problem] = []
    assert chart_file.read(tmp_path / "chart.json", Rules(), problems) is None
    assert problems[0].found.startswith("no text")


def test_a_chart_that_cannot_be_read(tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert chart_file.read(tmp_path, Rules(), problems) is None
    assert problems[0].allowed == "a readable file"


# ---- in a cabinet


def own_cabinet(folder: Path, rules: str = "") -> Path:
    """The one-seat cabinet with a rule set of its own."""
    text = SLOT.read_text(encoding="utf-8").replace('rules = "slot"', 'rules = "own"')
    (folder / "rules").mkdir()
    (folder / "rules" / "own.toml").write_text(rules, encoding="utf-8")
    (folder / "cabinet.toml").write_text(text, encoding="utf-8")
    return folder / "cabinet.toml"


def test_a_cabinet_with_its_own_limits_finds_the_shipped_chart(tmp_path: Path) -> None:
    config = load(own_cabinet(tmp_path, "max_bet_cents = 10000\n"))
    assert config.advice is not None
    assert config.advice.chart.hard == default_chart().hard
    told = report(config).splitlines()
    assert "  the house keeps 0.6667 % of the first bet from a player who follows it" in told


def test_a_chart_beside_the_cabinet_file_comes_first(tmp_path: Path) -> None:
    file = own_cabinet(tmp_path)
    (tmp_path / "charts").mkdir()
    mine = replace(default_chart(), name="Mine")
    (tmp_path / "charts" / chart_file.file_name(Rules())).write_text(chart_file.written(Rules(), mine, {}))
    config = load(file)
    assert config.advice is not None
    assert config.advice.chart.name == "Mine"
    assert "the house keeps" not in report(config)


def test_without_a_chart_the_report_says_how_to_get_one(tmp_path: Path) -> None:
    config = load(own_cabinet(tmp_path, "decks = 4\n"))
    assert config.advice is None
    told = report(config)
    assert f"none: no strategy chart for these rules (charts/{config.rules.odds_hash}.json)" in told
    assert f"cabinet par --rules {tmp_path / 'rules' / 'own.toml'} --write-chart" in told


def test_a_broken_chart_is_a_mistake_of_the_cabinet(tmp_path: Path) -> None:
    file = own_cabinet(tmp_path)
    (tmp_path / "charts").mkdir()
    broken = tmp_path / "charts" / chart_file.file_name(Rules())
    text = chart_file.written(Rules(), default_chart(), {}).replace('"HDDDDHHHHH"', '"HDDDDHHHHX"')
    broken.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(file)
    [problem] = caught.value.problems
    assert str(problem).startswith(
        f'{broken}: [chart] hard.9: found "HDDDDHHHHX"; allowed: 10 letters of H S D'
    )
