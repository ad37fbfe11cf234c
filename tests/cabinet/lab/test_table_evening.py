"""Evenings in one process: at any pace machines have their own time, and what cannot go on says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.lab import evening
from cabinet.lab.main import FAILED, play
from cabinet.lab.table import (
    VIRTUAL_WALL_MS,
    Options,
    StandstillError,
    build,
    run_virtual,
)


def options(**changes: object) -> Options:
    plain: dict[str, object] = {"cabinet": "slot1", "autoplay": True, "virtual": True, "wire": "memory"}
    return Options(**{"rounds": 2, "pace": 8, **plain, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("pace", [32, 1_000])
def test_machines_have_their_own_time_at_any_pace(pace: int) -> None:
    """Nobody hurries the self-test of a validator, nor the last ticket of the evening."""
    made = evening.play(options(cabinet="table5", pace=pace), "test")
    assert made.rounds == 2
    assert made.credit_cents == 0
    assert made.tickets_out_cents == made.notes_in_cents - made.house_cents
    assert made.problems == []


def leave_a_round_open(state: Path, scratch: Path) -> None:
    """The power goes in the middle of a round at the one-seat cabinet."""
    table = build(options(state=state), scratch, "test", VIRTUAL_WALL_MS)
    table.watchers.append(lambda seen, _live: setattr(table, "hurried", seen.live))
    table.closing_ms = 0  # the evening ends as soon as a round is open
    run_virtual(table)
    assert table.runtime.state.live
    table.runtime.close(clean=False, now_ms=table.runtime.live.now_ms)
    table.world.close()


def test_a_round_of_a_smaller_table_stands_still_with_its_reason_and_goes_on_there(tmp_path: Path) -> None:
    state = tmp_path / "state"
    leave_a_round_open(state, tmp_path / "first")
    with pytest.raises(StandstillError, match="M05"):
        evening.play(options(cabinet="table5", state=state), "test")
    made = evening.play(options(state=state), "test")
    assert made.rounds == 2
    assert made.ledger_sum_cents == 0
    assert made.credit_cents == 0


def test_a_report_that_cannot_be_written_is_told_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    assert play(options(rounds=1, report=tmp_path / "file" / "report.json")) == FAILED
    assert str(tmp_path / "file") in capsys.readouterr().err


def test_an_evening_that_nobody_sees_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert play(options(rounds=10)) == 0
    assert capsys.readouterr().err.splitlines() == [f"round {done} of 10" for done in (2, 4, 6, 8)]
