"""``cabinet par``: what the sheet says, where it says it, and that it says the same each time."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cabinet.analysis.par.command import chart_folder, par
from cabinet.config import shipped_folder
from cabinet.config.chart_file import file_name, read
from cabinet.config.problems import Problem
from game.chart import Chart
from game.rules import Rules
from support.evenings.rounds import default_chart


def run(*args: str) -> Result:
    return CliRunner().invoke(par, list(args))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """Everything at once, for a rule set of an establishment's own folder with the default rules."""
    folder = tmp_path_factory.mktemp("own") / "rules"
    folder.mkdir()
    (folder / "house.toml").write_text("min_bet_cents = 1000\n", encoding="utf-8")
    page = folder.parent / "out" / "par.html"
    return run(
        "--rules", str(folder / "house.toml"), "--json", "--html", str(page), "--write-chart"
    ), folder.parent


@pytest.fixture(scope="module")
def sheet(made: tuple[Result, Path]) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads(made[0].stdout)
    return loaded


def test_standard_output_is_json_alone_and_progress_goes_to_standard_error(made: tuple[Result, Path]) -> None:
    result, _ = made
    assert result.exit_code == 0
    assert result.stdout.startswith("{\n")
    assert result.stderr.splitlines()[0] == "cabinet par: the dealer against every hand of the player"
    assert "NaN" not in result.stdout


def test_the_published_edges(sheet: Mapping[str, Any]) -> None:
    assert sheet["house_edge_td_percent"] == pytest.approx(0.666675, abs=5e-7)
    assert sheet["house_edge_cd_percent"] == pytest.approx(0.663094, abs=5e-7)
    assert sheet["edge_per_unit_staked_percent"] == pytest.approx(0.610054, abs=5e-7)
    assert sheet["bet_per_round"] == pytest.approx(1.092813, abs=5e-7)
    assert sheet["sd"] == pytest.approx(1.103265, abs=1e-6)
    assert sheet["variance"] == pytest.approx(1.217195, abs=5e-7)
    assert sheet["return_percent"] == pytest.approx(100 - sheet["house_edge_td_percent"])


def test_the_law_of_a_round_is_a_law_and_has_the_edge_as_its_mean(sheet: Mapping[str, Any]) -> None:
    net = {float(name): chance for name, chance in sheet["net"].items()}
    assert list(sheet["net"]) == ["-4", "-3", "-2", "-1", "0", "1", "1.5", "2", "3", "4"]
    assert sum(net.values()) == pytest.approx(1, abs=1e-8)
    mean = sum(result * chance for result, chance in net.items())
    assert -100 * mean == pytest.approx(sheet["house_edge_td_percent"], abs=1e-6)
    shares = [sheet[f"{name}_percent"] for name in ("win", "push", "loss")]
    assert shares == pytest.approx([43.34743, 8.81493, 47.83764], abs=5e-6)
    assert sheet["split_percent"] == pytest.approx(2.18011, abs=5e-6)
    assert sheet["double_percent"] == pytest.approx(7.04716, abs=5e-6)
    assert sum(sheet["hand_totals"].values()) == pytest.approx(1, abs=1e-8)
    assert sum(sheet["dealer_totals"].values()) == pytest.approx(1, abs=1e-8)


def test_the_chart_and_what_every_choice_is_worth(sheet: Mapping[str, Any]) -> None:
    chart = Chart.parse(sheet["chart"])
    assert (chart.hard, chart.soft, chart.pairs) == (
        default_chart().hard,
        default_chart().soft,
        default_chart().pairs,
    )
    names = {"H": "hit", "S": "stand", "D": "double", "P": "split"}
    for hand, row in sheet["cells"].items():
        for upcard, cell in row.items():
            worth = {name: cell[name] for name in names.values() if cell[name] is not None}
            assert max(worth, key=lambda name: worth[name]) == names[cell["letter"]], (hand, upcard)
    assert sheet["cells"]["hard 16"]["10"]["split"] is None
    assert sheet["cells"]["pair 8"]["6"]["split"] > 0


def test_bands_narrow_with_the_root_of_the_rounds(sheet: Mapping[str, Any]) -> None:
    bands = {(band["rounds"], band["confidence_percent"]): band for band in sheet["rtp_bands"]}
    assert sorted({rounds for rounds, _ in bands}) == [10**power for power in range(3, 8)]
    wide, narrow = (
        bands[rounds, 95]["high_percent"] - bands[rounds, 95]["low_percent"] for rounds in (1_000, 100_000)
    )
    assert wide == pytest.approx(10 * narrow)
    assert wide / 2 == pytest.approx(100 * 1.959964 * sheet["sd"] / 1000**0.5, rel=1e-6)
    middle = (bands[1_000, 99]["low_percent"] + bands[1_000, 99]["high_percent"]) / 2
    assert middle == pytest.approx(sheet["return_percent"])


def test_a_player_who_never_decides_loses_much_more(sheet: Mapping[str, Any]) -> None:
    outs = sheet["time_outs"]
    assert outs["house_edge_percent"] == pytest.approx(15.97, abs=0.01)
    assert outs["return_percent"] == pytest.approx(100 - outs["house_edge_percent"])
    assert outs["split_percent"] == outs["double_percent"] == 0


def test_the_rules_are_those_that_were_asked_about(sheet: Mapping[str, Any]) -> None:
    rules = Rules.parse(sheet["rules"])
    assert rules.min_bet_cents == 1000
    assert sheet["rules_hash"] == rules.rules_hash != Rules().rules_hash
    assert sheet["odds_hash"] == rules.odds_hash == Rules().odds_hash


def test_the_chart_is_written_where_the_cabinet_looks(made: tuple[Result, Path]) -> None:
    result, folder = made
    file = folder / "charts" / file_name(Rules())
    assert f"cabinet par: wrote {file}" in result.stderr
    problems: list[Problem] = []
    found = read(file, Rules(), problems)
    assert problems == []
    assert found is not None
    assert found.chart.hard == default_chart().hard
    shipped = shipped_folder() / "charts" / file_name(Rules())
    assert file.read_text(encoding="utf-8") == shipped.read_text(encoding="utf-8")


def test_a_rule_set_outside_a_folder_of_rules_has_its_charts_beside_it(tmp_path: Path) -> None:
    assert chart_folder(tmp_path / "own.toml") == tmp_path / "charts"
    assert chart_folder(tmp_path / "rules" / "own.toml") == tmp_path / "charts"


def test_the_page_needs_nothing_else(made: tuple[Result, Path]) -> None:
    page = (made[1] / "out" / "par.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    addresses = re.findall(r"""(?:href|src|url\()=?["']?([^"')\s>]+)""", page)
    assert all(address.startswith("#") for address in addresses)
    assert set(re.findall(r'xmlns(?::\w+)?="([^"]+)"', page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert page.count("<svg") == 3
    assert "<script" not in page
    assert "0.6667 %" in page
    assert "0.6631 %" in page
    assert "which 0.66 is cut from, not rounded to" in page
    assert page.count('tabindex="0"') == 330
    assert 'data-w="hard 16 against 10\n' in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)


def test_equal_input_gives_equal_bytes(made: tuple[Result, Path], tmp_path: Path) -> None:
    again = run(
        "--rules", str(made[1] / "rules" / "house.toml"), "--json", "--html", str(tmp_path / "a.html")
    )
    assert again.stdout == made[0].stdout
    assert (tmp_path / "a.html").read_bytes() == (made[1] / "out" / "par.html").read_bytes()


def test_the_text_says_the_figures_and_what_they_mean() -> None:
    result = run("--rules", "standard", "--set", "blackjack_pays=6:5", "--set", "decks=1")
    assert result.exit_code == 0
    text = result.stdout
    assert "PAR SHEET   Common-Hand Blackjack   standard, blackjack_pays = 6:5, decks = 1" in text
    assert "one deck, shuffled before every round" in text
    assert re.search(r"^   1\.2 +0\.0\d+ ", text, re.MULTILINE)
    assert "published 0.66" not in text  # that is a word about the default rules
    for head in ("HOUSE EDGE", "CHART BY TOTALS", "WHAT EVERY CHOICE IS WORTH", "WHAT IS MEANT"):
        assert f"\n{head}" in text
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize("place", ["", "charts"])
def test_a_place_that_cannot_be_written_to_is_one_line(tmp_path: Path, place: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text("", encoding="utf-8")
    (tmp_path / "charts").write_text("a file where a folder should be", encoding="utf-8")
    args = ["--write-chart"] if place else ["--html", str(tmp_path / "charts" / "par.html")]
    result = run("--rules", str(file), *args)
    assert result.exit_code == 2
    lines = [line for line in result.stderr.splitlines() if "allowed: a place" in line]
    assert len(lines) == 1
