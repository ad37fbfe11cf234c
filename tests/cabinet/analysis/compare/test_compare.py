"""``cabinet compare`` from the command line to its figures, its JSON and its page."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec import to_builtins

from cabinet.analysis.compare.explanations import TIMES, verdict
from cabinet.analysis.compare.figures import (
    Estimate,
    Pace,
    PaceRow,
    Simulated,
    faster_from,
    figure,
    paces,
    rows,
)
from cabinet.analysis.compare.page import page
from cabinet.analysis.compare.report import ComparisonReport, as_json, make_report
from cabinet.analysis.compare.run import run
from cabinet.analysis.compare.text import text
from cabinet.analysis.compare.timing import RoundParts
from cabinet.analysis.compare.timing_file import load_timing
from cabinet.cli.main import main
from cabinet.core.renewal import replace
from game.rules import Rules, Shuffle
from support.evenings.rounds import default_chart

ROUNDS, BATCHES = 60_000, 12


@pytest.fixture(scope="module")
def simulated() -> Simulated:
    return run(Rules(), default_chart(), ROUNDS, 1, BATCHES, lambda _text: None)


@pytest.fixture(scope="module")
def report(simulated: Simulated) -> ComparisonReport:
    timings = [load_timing(name) for name in ("cabinet", "live")]
    return make_report("standard", Rules(), "Best by total", 1, simulated, timings)


def near(found: Estimate, expected: float) -> bool:
    """Within four standard errors, which are themselves only good to a fifth."""
    return abs(found.value - expected) < 5 * found.error


# --------------------------------------------------------------------------------------
# Figures.


def test_a_figure_is_the_mean_of_batches_with_its_error() -> None:
    found = figure([1.0, 3.0, 2.0, 2.0], float)
    assert found.value == 2
    assert found.error == pytest.approx((2 / 3) ** 0.5 / 2)


def test_one_player_has_the_known_cards_in_both_games(report: ComparisonReport) -> None:
    """6.27 on a common hand; a standard dealer who draws only when a bet is open makes 5.31."""
    one = report.rows[0]
    assert near(one.common.cards, 6.268)
    assert near(one.standard.cards, 5.308)
    assert one.common.cards.error < 0.03
    assert near(one.common.variance, 1.217195)
    assert near(one.standard.variance, 1.217195)


def test_the_common_hand_deals_the_same_for_all_and_standard_dealing_more_for_each(
    report: ComparisonReport,
) -> None:
    assert len({row.common.cards.value for row in report.rows}) == 1
    assert len({row.common.waits.value for row in report.rows}) == 1
    for fewer, more in zip(report.rows, report.rows[1:], strict=False):
        assert more.standard.cards.value - fewer.standard.cards.value > 2.7
        assert more.standard.waits.value - fewer.standard.waits.value == pytest.approx(1.40, abs=0.05)


def test_every_seat_says_as_many_words_in_both_games(report: ComparisonReport) -> None:
    for row in report.rows:
        assert row.common.decisions.value == pytest.approx(row.seats * row.common.waits.value)
        gap = row.common.decisions.value - row.standard.decisions.value
        assert abs(gap) < 5 * (row.common.decisions.error + row.standard.decisions.error)


def test_variance_is_k_squared_on_a_common_hand_and_less_in_standard_dealing(
    report: ComparisonReport,
) -> None:
    one = report.rows[0].common.variance
    for row in report.rows[1:]:
        k = row.seats
        assert row.common.variance == Estimate(k**2 * one.value, k**2 * one.error)
        assert row.common.covariance == row.common.seat_variance == one
        seat, pair = row.standard.seat_variance.value, row.standard.covariance.value
        assert row.standard.variance.value == pytest.approx(k * seat + k * (k - 1) * pair)
        assert near(row.standard.seat_variance, 1.217195)
        assert 0.4 < pair < 0.5
        assert k * seat < row.standard.variance.value < row.common.variance.value
    assert report.rows[0].standard.covariance == Estimate(0, 0)


def test_the_common_hand_is_slower_alone_and_faster_with_company(report: ComparisonReport) -> None:
    for model in report.models:
        gains = [row.gain.value for row in model.rows]
        assert gains == sorted(gains)
        assert gains[0] < 0.97
        assert gains[1] > 1.1
        assert faster_from(model.rows) == 2
        for row in model.rows:
            assert row.common.rounds_per_hour.value == pytest.approx(3600 / row.common.round_s.value)
            assert row.common.parts.round_s == pytest.approx(row.common.round_s.value)
            ratio = row.standard.round_s.value / row.common.round_s.value
            assert row.gain.value == pytest.approx(ratio)
            assert 0 < row.gain.error < 0.02


def test_a_cut_card_costs_shuffles_where_somebody_shuffles() -> None:
    rules = Rules(shuffle=Shuffle.CUT_CARD)
    cut = run(rules, default_chart(), 4_000, 1, 4, lambda _text: None)
    live = load_timing("live")
    quick = replace(live, cards=replace(live.cards, shuffle_s=0.0))
    for slow, fast in zip(paces(cut, live), paces(cut, quick), strict=True):
        # 234 cards are dealt before the cut card comes.
        for with_, without, cards in (
            (slow.common, fast.common, rows(cut)[slow.seats - 1].common.cards.value),
            (slow.standard, fast.standard, rows(cut)[slow.seats - 1].standard.cards.value),
        ):
            expected = live.cards.shuffle_s * cards / (234 + cards / 2)
            assert with_.round_s.value - without.round_s.value == pytest.approx(expected, rel=0.04)


# --------------------------------------------------------------------------------------
# What is said about it.


def a_row(seats: int, gain: float, error: float = 0.001) -> PaceRow:
    pace = Pace(Estimate(20.0, 0.01), Estimate(180.0, 0.1), RoundParts(5.0, 5.0, 5.0, 5.0))
    return PaceRow(seats, pace, pace, Estimate(gain, error))


def gains(*values: float) -> list[PaceRow]:
    return [a_row(seats, value) for seats, value in enumerate(values, start=1)]


@pytest.mark.parametrize(
    ("values", "since"),
    [
        ((0.9, 1.1, 1.3), 2),
        ((1.1, 1.2, 1.3), 1),
        ((0.9, 0.95, 1.3), 3),
        ((0.9, 0.95, 0.99), None),
        ((1.2, 0.9, 1.3), 3),
        ((0.9, 1.002, 1.3), 3),
    ],
)
def test_faster_from_how_many_players_on_is_said_only_beyond_chance(
    report: ComparisonReport, values: Sequence[float], since: int | None
) -> None:
    table = gains(*values)
    assert faster_from(table) == since
    said = verdict(table, report.rows)
    if since is None:
        assert said.startswith("With these times Common-Hand Blackjack is not faster")
    elif since == 3:
        assert said.startswith("Common-Hand Blackjack is faster only with 3 players: 1.30 times")
    else:
        assert said.startswith(f"Common-Hand Blackjack is faster from {since} player")
    assert ("With one player it is slower" in said) == (values[0] < 1)


def test_the_slower_lone_player_is_said_with_the_cards(report: ComparisonReport) -> None:
    one = report.rows[0]
    said = verdict(report.models[0].rows, report.rows)
    assert f"{one.common.cards.value:.2f} cards a round against {one.standard.cards.value:.2f}" in said


# --------------------------------------------------------------------------------------
# Text, JSON, page.


def test_the_text_has_every_figure_with_its_error(report: ComparisonReport) -> None:
    said = text(report)
    assert max(map(len, said.splitlines())) <= 96
    for model in report.models:
        assert f"PACE: {model.timing.name.upper()}" in said
        for row in model.rows:
            assert f"{row.gain.value:.4f} ±{row.gain.error:.4f}" in said
            assert f"{row.standard.rounds_per_hour.value:.2f} ±" in said
    for line in report.rows:
        assert f"{line.standard.cards.value:.3f} ±{line.standard.cards.error:.3f}" in said


def test_the_json_is_what_the_report_holds(report: ComparisonReport) -> None:
    tree: Any = json.loads(json.dumps(as_json(report)))
    assert [entry["players"] for entry in tree["players"]] == list(range(1, 8))
    assert tree["rounds"] == ROUNDS
    last = tree["models"][0]["players"][-1]
    row = report.models[0].rows[-1]
    assert last["speed_ratio"]["value"] == pytest.approx(row.gain.value, abs=1e-6)
    assert last["standard"]["parts"]["decisions_s"] == pytest.approx(row.standard.parts.decisions_s, abs=1e-6)
    assert tree["models"][0]["common_hand_is_faster_from"] == 2
    assert tree["models"][1]["timing"]["cards"]["shuffle_s"] == 90
    assert tree["players"][6]["standard"]["table_variance"]["error"] > 0
    assert tree["odds_hash"] == Rules().odds_hash


def test_the_page_needs_nothing_else_and_is_always_the_same(report: ComparisonReport) -> None:
    written = page(report)
    assert written == page(report)
    assert "<script" not in written
    assert not re.search(r'(?:src|href)="(?!#)', written)
    assert "url(http" not in written
    assert "@import" not in written
    plots = re.findall(r"<svg.*?</svg>", written, flags=re.DOTALL)
    assert len(plots) == 2 * len(report.models) + 1
    for plot in plots:
        ET.fromstring(plot.replace("xlink:href", "href"))
    ids = re.findall(r' id="([^"]+)"', written)
    assert all(f"#{name}" in written for name in ids)


def test_the_page_tells_what_the_text_tells(report: ComparisonReport) -> None:
    written = page(report)
    for model in report.models:
        for row in model.rows:
            assert f"{row.gain.value:.4f} <small>±{row.gain.error:.4f}</small>" in written
    cabinet_, live = (model.timing.cards for model in report.models)
    assert f"<small>cards.deal_s</small></td><td>{cabinet_.deal_s:g}</td><td>{live.deal_s:g}</td>" in written


def test_every_number_of_a_timing_model_has_words() -> None:
    tables = to_builtins(load_timing("cabinet"))
    del tables["name"]
    assert {table: set(keys) for table, keys in TIMES.items()} == {
        table: set(keys) for table, keys in tables.items()
    }


def test_a_name_from_a_file_is_no_markup(simulated: Simulated) -> None:
    timing = replace(load_timing("cabinet"), name="<b>&")
    written = page(make_report("<i>", Rules(), '"<u>"', 1, simulated, [timing]))
    assert not re.search("<[biu]>&|<i>|<u>", written)
    assert "&lt;b&gt;&amp;" in written


# --------------------------------------------------------------------------------------
# The command.


def cabinet(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["compare", *args])
    return int(ended.value.code or 0)


def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "deep" / "page.html"
    assert cabinet("--rules", "standard", "--rounds", "2000", "--timing", "live", "--html", str(place)) == 0
    out, err = capsys.readouterr()
    assert out.startswith("====")
    assert "PACE: LIVE DEALER" in out
    assert "PACE: CABINET" not in out
    assert "cabinet compare: standard dealing to 7, 2,000 rounds" in err
    assert place.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_is_alone_on_standard_output_and_follows_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for seed in ("4", "4", "5"):
        assert cabinet("--rules", "standard", "--rounds", "2000", "--seed", seed, "--json") == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    assert found[0]["players"] != found[2]["players"]
    assert [model["timing"]["name"] for model in found[0]["models"]] == ["Cabinet", "Live dealer"]


def test_rules_without_a_chart_get_the_best_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cabinet("--rules", "standard", "--set", "decks=1", "--rounds", "2000", "--json") == 0
    out, err = capsys.readouterr()
    assert "the best chart for these rules" in err
    assert json.loads(out)["rules"]["decks"] == 1


def test_a_damaged_chart_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text("", encoding="utf-8")
    folder = tmp_path / "charts"
    folder.mkdir()
    chart = folder / f"{Rules().odds_hash}.json"
    chart.write_text("{}", encoding="utf-8")
    assert cabinet("--rules", str(rules), "--rounds", "2000") == 2
    assert f"cabinet: {chart}: format: found null; allowed: 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--timing", "nowhere"), "nowhere: found not there; allowed: a TOML file, or one of cabinet, live"),
        (("--set", "decks=9"), "decks: found 9"),
        (("--rounds", "10"), "--rounds"),
        (("--seed", "-1"), "--seed"),
        (("--html", "/dev/null/page.html", "--rounds", "2000"), "/dev/null/page.html: found"),
    ],
)
def test_what_is_asked_wrongly_ends_with_two(
    args: Sequence[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cabinet("--rules", "standard", *args) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "Traceback" not in err
