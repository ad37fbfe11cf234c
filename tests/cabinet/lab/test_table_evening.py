"""Evenings in one process: at any pace machines have their own time, and what cannot go on says why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cabinet.lab import evening
from cabinet.lab.main import FAILED, WRONG, main, play
from cabinet.lab.table import (
    VIRTUAL_WALL_MS,
    LabOptions,
    StandstillError,
    build,
    run_virtual,
)


def options(**changes: object) -> LabOptions:
    plain: dict[str, object] = {"cabinet": "slot1", "autoplay": True, "virtual": True, "wire": "memory"}
    return LabOptions(**{"rounds": 2, "pace": 8, **plain, **changes})  # type: ignore[arg-type]


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
    table.watchers.append(lambda seen, _live: setattr(table, "hurried", seen.round_open))
    table.closing_ms = 0  # the evening ends as soon as a round is open
    run_virtual(table)
    assert table.runtime.state.round_open
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
    said = [line.partition(", about ") for line in capsys.readouterr().err.splitlines()]
    assert [how_far for how_far, _, _ in said] == [f"round {done} of 10" for done in (2, 4, 6, 8)]
    assert all(left.endswith(" s left") for _, _, left in said)


def test_the_summary_tells_what_came_of_each_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that somebody has to mend, one that the line gets over, one that comes too late."""
    asked = (("printer1.jam", 2), ("validator1.garbled", 1), ("printer1.paper_out", 90))
    path = tmp_path / "report.json"
    assert play(options(rounds=3, faults=asked, report=path)) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("fault ")]
    assert re.fullmatch(
        r"fault printer1\.jam@2 happened in round 2: T03 printer jam at printer1, over after \d+ s", told[0]
    )
    assert told[1:] == [
        "fault validator1.garbled@1 happened in round 1: the table had no trouble to show",
        "fault printer1.paper_out@90 has not happened: the evening ended before round 90",
    ]
    assert [f"fault {fault}" for fault in json.loads(path.read_text(encoding="utf-8"))["faults"]] == told


def test_a_fault_that_is_still_there_at_the_end_is_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert play(options(rounds=2, faults=(("panel.stuck_button", 1), ("printer1.paper_low", 1)))) == 0
    out = capsys.readouterr().out
    assert (
        "printer1.paper_low@1 happened in round 1: T01 paper low at printer1, not over when the evening ended"
        in out
    )


def test_the_list_of_faults_names_each_once_and_a_slip_gets_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--fault", "help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Faults at table5: --fault DEVICE.FAULT@ROUND, e.g. --fault printer1.jam@3"
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    assert names.count("jam_stacker") == names.count("unplug") == names.count("board_lost") == 1
    assert "printer1, printer2, printer3, printer4, printer5" in lines
    assert len(lines) < 100
    assert main(["--virtual", "--autoplay", "--rounds", "1", "--fault", "printer1.jamm@1"]) == WRONG
    assert (
        "no fault 'printer1.jamm' at this cabinet; did you mean \"printer1.jam\"?" in capsys.readouterr().err
    )
