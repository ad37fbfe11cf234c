"""The figures can be taken: each measure runs on a small size and gives what it names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cabinet.lab.figures import command as figures
from cabinet.lab.figures import days as figures_days
from cabinet.lab.figures import loop as figures_loop
from cabinet.lab.figures.command import Figure, Plan

SMALL = Plan(runs=1, frames=20, hours=0.02, decisions=200, engine_rounds=200, simulated_rounds=20_000)


@pytest.mark.parametrize("group", ["frames", "latencies", "days", "decisions", "play"])
def test_a_group_of_figures(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = figures.measure(SMALL, group)
    assert found
    assert all(figure.value > 0 and figure.method for figure in found)
    printed = capsys.readouterr().out
    assert all(figure.name in printed for figure in found)


def test_frames_are_counted_beside_a_slow_disk() -> None:
    late, frames, commits = figures_loop.late_frames(delay_ms=5, rounds=1)
    assert commits > 5
    assert frames > late >= 0


def test_a_start_is_timed_to_its_first_frame() -> None:
    assert figures_loop.start_s() > 0


def test_memory_is_read_twice() -> None:
    first_mb, last_mb = figures_days.memory_mb(0.02)
    assert 20 < first_mb <= last_mb * 1.5


def test_a_goal_is_met_or_missed() -> None:
    assert Figure("a", 1.0, "ms", 2.0, "how").verdict == "met"
    assert Figure("a", 3.0, "ms", 2.0, "how").verdict == "MISSED"
    assert Figure("a", 3.0, "x", 2.0, "how", at_least=True).verdict == "met"
    assert Figure("a", 3.0, "ms", None, "how").verdict == ""


def test_figures_are_written_as_json(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        figures.main(["--only", "latencies", "--json", str(tmp_path / "figures.json")])
    assert ended.value.code == 0
    rows = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in rows] == ["edge_to_lamp", "vend_valid_to_credit"]
    assert all(row["verdict"] in ("met", "MISSED") and row["method"] for row in rows)
