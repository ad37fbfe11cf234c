"""``cabinet simulate``: what it finds agrees with the exact figures, and it can be stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cabinet.analysis.simulate.command import simulate
from cabinet.config import chart_file
from cabinet.lab.patience import PATIENCE_S
from game.rules import Rules
from support.evenings.rounds import default_chart
from support.programs.source import ROOT

COMMAND = (
    "import sys\nfrom cabinet.cli.main import main\nif __name__ == '__main__':\n    main(sys.argv[1:])\n"
)


def run(*args: str) -> Result:
    return CliRunner().invoke(simulate, list(args))


def figures(result: Result) -> Mapping[str, Any]:
    assert result.exit_code == 0, result.output
    loaded: Mapping[str, Any] = json.loads(result.stdout)["figures"]
    return loaded


@pytest.fixture(scope="module")
def three() -> Result:
    args = ("--rules", "standard", "--rounds", "400000", "--seats", "3", "--workers", "1", "--seed", "4")
    return run(*args, "--json")


def test_every_figure_is_within_its_error_of_the_exact_one(three: Result) -> None:
    found = figures(three)
    assert {"house_edge_percent", "bet_per_round", "variance", "win_percent", "net_1.5_percent"} <= set(found)
    for key, figure in found.items():
        assert figure["standard_error"] > 0, key
        if figure["exact"] is not None:
            assert abs(figure["off_in_standard_errors"]) < 5, key
    assert found["house_edge_percent"]["exact"] == pytest.approx(0.666675, abs=5e-7)
    assert found["house_edge_percent"]["standard_error"] == pytest.approx(
        100 * 1.1033 / 400_000**0.5, rel=0.02
    )


def test_seats_that_play_alike_have_the_variance_of_one_times_their_square(three: Result) -> None:
    found = figures(three)
    assert found["table_variance"]["exact"] == pytest.approx(9 * found["variance"]["exact"])
    assert found["table_variance"]["value"] == pytest.approx(9 * found["variance"]["value"], rel=1e-6)
    assert found["cards_per_round"]["value"] == pytest.approx(6.27, abs=0.02)


def test_standard_output_is_json_alone(three: Result) -> None:
    told = json.loads(three.stdout)
    assert (told["rounds"], told["rounds_asked"], told["seats"], told["seed"]) == (400_000, 400_000, 3, 4)
    assert "cabinet simulate: 400,000 rounds by the chart" in three.stderr


def test_equal_seeds_give_equal_figures_whoever_plays(three: Result) -> None:
    args = ("--rules", "standard", "--rounds", "400000", "--seats", "3", "--json")
    assert figures(run(*args, "--seed", "4", "--workers", "2")) == figures(three)
    assert figures(run(*args, "--seed", "5", "--workers", "1")) != figures(three)


def test_text_says_whether_it_agrees() -> None:
    result = run("--rules", "standard", "--rounds", "50000", "--workers", "1")
    assert result.exit_code == 0
    assert "SIMULATION   Common-Hand Blackjack   standard\n50,000 rounds of one seat in" in result.stdout
    assert "Simulation and exact figures agree: none is off by more than" in result.stdout


def test_without_a_kept_chart_the_best_is_counted() -> None:
    result = run("--rules", "standard", "--set", "decks=1", "--rounds", "20000", "--workers", "1")
    assert result.exit_code == 0
    assert "no chart is kept for these rules; counting the best one" in result.stderr
    assert "standard, decks = 1" in result.stdout


def test_the_chart_beside_the_rule_set_is_played(tmp_path: Path) -> None:
    """An operator's own chart: who never doubles 11 stakes less."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "charts").mkdir()
    rules = tmp_path / "rules" / "own.toml"
    rules.write_text("", encoding="utf-8")
    file = tmp_path / "charts" / chart_file.file_name(Rules())
    text = chart_file.written(Rules(), default_chart(), {}).replace("DDDDDDDDHH", "HHHHHHHHHH")
    file.write_text(text, encoding="utf-8")
    args = ("--rules", str(rules), "--rounds", "20000", "--workers", "1")
    assert figures(run(*args, "--json"))["bet_per_round"]["exact"] < 1.05
    file.write_text(text.replace("HHHHHHHHHH", "HHHH", 1), encoding="utf-8")
    refused = run(*args)
    assert refused.exit_code == 2
    assert f"{file}: [chart] hard.4: found" in refused.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--rounds", "0"), "--rounds"),
        (("--rounds", "5", "--seats", "8"), "--seats"),
        (("--rounds", "5", "--workers", "0"), "--workers"),
        (("--rounds", "5", "--set", "decks=0"), "decks: found 0"),
        (("--rounds", "5", "--scheduler", "here or there"), "--scheduler: found 'here or there'"),
        (("--rounds", "5", "--scheduler", "a:1", "--workers", "1"), "found both"),
        ((), "--rounds"),
    ],
)
def test_wrong_input_ends_with_code_2(args: tuple[str, ...], says: str) -> None:
    result = run("--rules", "standard", *args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert says in result.stderr


def start(*args: str) -> subprocess.Popen[str]:
    """The command in a process of its own, whose signals are its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "simulate", "--rules", "standard", *args],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_dead_scheduler_is_one_line() -> None:
    with socket.socket() as held:  # bound and not listening: nobody answers, and nobody else takes it
        held.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{held.getsockname()[1]}"
        child = start("--rounds", "1000", "--scheduler", address)
        said, errors = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, said) == (2, "")
    [line] = [line for line in errors.splitlines() if not line.startswith("cabinet simulate: ")]
    assert line.startswith("cabinet: ")
    assert address in line


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.campaign), "2"])
def test_ctrl_c_gives_what_there_is(workers: str) -> None:
    child = start("--rounds", "1000000000000", "--workers", workers, "--json")
    assert child.stderr is not None
    try:
        for line in child.stderr:
            if " of 1,000,000,000,000 rounds" in line:
                break
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=PATIENCE_S)
    finally:
        child.kill()
    assert child.returncode == 0
    told = json.loads(said)
    assert 0 < told["rounds"] < told["rounds_asked"] == 10**12
    assert told["figures"]["house_edge_percent"]["standard_error"] > 0
