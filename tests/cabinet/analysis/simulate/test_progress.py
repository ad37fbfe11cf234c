"""What is said during a long count."""

from __future__ import annotations

import os
import signal

import pytest

from cabinet.analysis.simulate.progress import Progress, progress_text, span, stopped_by_ctrl_c
from cabinet.analysis.simulate.report import SimulatedFigure, SimulationReport, text
from game.rules import Rules, Shuffle

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7_500, "2 h 5 min")],
)
def test_spans(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_pace_and_time_left() -> None:
    assert progress_text(4 * MILLION, 10 * MILLION, 4 * MILLION, 2_000) == (
        "cabinet simulate: 4,000,000 of 10,000,000 rounds, 2.0 million a second, 3 s left"
    )
    assert progress_text(500, 500, 500, 1_000) == "cabinet simulate: 500 of 500 rounds, 500 a second"
    assert progress_text(500, 900, 0, 0) == "cabinet simulate: 500 of 900 rounds"


def test_it_does_not_chatter(capsys: pytest.CaptureFixture[str]) -> None:
    now_ms = 0
    progress = Progress(100, lambda: now_ms, terminal=False)
    for done in range(1, 100):
        now_ms += 500
        progress(done)
    progress(100)
    progress.end()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 6  # after a second, each ten seconds, and at the end
    assert "2 a second" in lines[1]
    assert lines[-1].startswith("cabinet simulate: 100 of 100 rounds")


def test_a_terminal_has_one_line_that_is_written_again(capsys: pytest.CaptureFixture[str]) -> None:
    now_ms = 0
    progress = Progress(10, lambda: now_ms, terminal=True)
    for done in range(1, 11):
        now_ms += 1_000
        progress(done)
    progress.end()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.count("\r") == 10


def test_ctrl_c_asks_once_and_ends_the_second_time() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stopped_by_ctrl_c() as stopped:
        assert not stopped()
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def report(*findings: SimulatedFigure, rules: Rules | None = None) -> str:
    return text(SimulationReport("own", rules or Rules(), "Mine", 2, 1, 10, 5, 0, findings))


def test_a_figure_that_is_far_off_is_not_called_chance() -> None:
    assert "edge is off by +6.0 standard errors: that is not chance." in report(
        SimulatedFigure("edge", "edge", 1.6, 0.1, 1.0), SimulatedFigure("win", "win", 1.1, 0.1, 1.0)
    )
    assert "agree: none is off by more than 1.0 standard errors." in report(
        SimulatedFigure("win", "win", 0.9, 0.1, 1.0)
    )


def test_figures_without_an_exact_value_or_an_error_are_only_told() -> None:
    words = report(
        SimulatedFigure("cards", "cards", 6.27, 0.1), SimulatedFigure("rare", "rare", 0.0, 0.0, 0.0)
    )
    assert words.endswith("Nothing to compare with.")
    assert "stopped by hand: 10 rounds were asked for" in words
    assert "5 rounds of 2 seats" in words


def test_a_cut_card_is_named() -> None:
    rules = Rules(shuffle=Shuffle.CUT_CARD)
    assert "later rounds differ a little" in report(SimulatedFigure("win", "win", 0.9, 0.1, 1.0), rules=rules)
