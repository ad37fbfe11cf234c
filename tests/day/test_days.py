"""Virtual evenings of random play and trouble: a fixed slice here, the long ones with --campaign.

Every check compares ledger, meters, boxes, paper, hard meters, hand payments and the screen; a start also
compares the replay with what was committed and the table with what was on it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from cabinet.core.conditions import Code
from cabinet.core.turn import TroubleReported
from cabinet.lab.days import command as days
from cabinet.lab.days.plan import DayOptions, DayTally
from cabinet.lab.days.run import HOUR_MS, Day
from cabinet.lab.days.trouble import GAP_S
from cabinet.lab.main import main
from cabinet.lab.patience import Remaining
from drivers.sim.validator.sheets import Sheet

DENSE_S = 15  # between two troubles
CABINETS = ("table5", "shared3", "table5", "slot1", "receipt3")
CAMPAIGN_SEEDS = range(1, 201)


def played(**changes: object) -> DayTally:
    plain: dict[str, object] = {"hours": 0.05, "faults": True, "gap_s": DENSE_S}
    options = DayOptions(**{**plain, **changes})  # type: ignore[arg-type]
    tally = days.play(options)
    assert tally.problems == [], options.replay
    return tally


@pytest.mark.requirement("CRD-02", "CRD-03", "BIL-02", "PRN-02")
@pytest.mark.parametrize(("cabinet", "seed"), [("table5", 6), ("shared3", 2), ("slot1", 3), ("receipt3", 2)])
def test_a_slice_of_an_evening_with_much_trouble_leaves_all_books_right(cabinet: str, seed: int) -> None:
    tally = played(cabinet=cabinet, seed=seed)
    assert tally.rounds
    assert tally.notes
    assert sum(tally.faults.values()) > 5
    assert tally.sessions > 1
    assert tally.hit["cuts"] >= tally.sessions - 2


def test_equal_seeds_give_equal_journals_on_memory_and_on_ptys() -> None:
    assert played(seed=4).digest == played(seed=4, wire="pty").digest


def test_an_evening_without_faults_has_none() -> None:
    tally = played(cabinet="slot1", faults=False)
    assert not tally.faults
    assert tally.sessions == 1


@pytest.mark.requirement("PRN-02")
def test_a_late_void_ticket_is_not_taken_for_the_one_that_was_ordered_after_it() -> None:
    """Seed 1038: the printer began 8 s late and then forgot the second order, which counted as printed."""
    played(cabinet="slot1", seed=1038, hours=0.6, gap_s=GAP_S)


def test_a_printer_that_begins_much_too_late_and_is_deaf_to_a_reset_is_the_machines_own_fault() -> None:
    """What comes out then is void, and its number is worth nothing."""
    played(cabinet="shared3", seed=7017, hours=0.56, gap_s=GAP_S)


def test_another_habit_is_another_printer_behind_a_plug_that_was_pulled() -> None:
    """The driver tries a printer once in a connection; none changes its habits while it is connected."""
    played(cabinet="receipt3", seed=7017, hours=0.56, gap_s=GAP_S)


def test_a_technician_who_asks_for_a_restart_gets_one() -> None:
    """Seed 2006: the key is turned back while the disk refuses. The program ends, and the day goes on."""
    tally = played(cabinet="slot1", seed=2006, hours=0.6, gap_s=GAP_S)
    assert tally.sessions > 3


def test_a_storage_that_fails_in_the_last_second_is_mended_by_a_start_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The start that somebody had ordered for later was thrown away with all other trouble."""
    ended = Day._mend_all

    def with_a_last_failure(day: Day) -> None:
        now_ms = day.now_ms
        day.table.runtime.post(
            TroubleReported(now_ms - day.table.began_ms, Code.STORAGE_FAILED, "the disk has gone")
        )
        day._until(now_ms + 1_000)
        assert day.table.runtime.live.trouble(Code.STORAGE_FAILED) == "the disk has gone"
        ended(day)

    monkeypatch.setattr(Day, "_mend_all", with_a_last_failure)
    assert played(cabinet="receipt3", faults=False).sessions == 2


@pytest.mark.campaign
@pytest.mark.requirement("CRD-02", "CRD-03", "BIL-02", "PRN-02")
@pytest.mark.parametrize("seed", CAMPAIGN_SEEDS)
def test_an_evening_of_an_hour(seed: int) -> None:
    cabinet = CABINETS[seed % len(CABINETS)]
    played(cabinet=cabinet, seed=seed, hours=1.0, gap_s=GAP_S)


# ---- a day that goes wrong


def test_a_violation_ends_the_day_and_says_how_to_play_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody puts a note into the box beside the validator."""
    begun = Day.run

    def with_a_note_too_many(day: Day) -> DayTally:
        day.world.validator("validator1").path.stacked.append(Sheet(500))
        return begun(day)

    monkeypatch.setattr(Day, "run", with_a_note_too_many)
    assert main(["day", "--cabinet", "slot1", "--seed", "5", "--hours", "0.1", "--faults"]) == days.FAILED
    told = capsys.readouterr()
    assert "VIOLATION at 0:01:00.000: the box of validator1 holds" in told.err
    assert "replay: cabinet lab day --seed 5 --hours 0.1 --faults --cabinet slot1" in told.err
    assert "1 violations" in told.out


def test_a_long_day_says_how_far_it_is_and_how_long_it_still_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two days with two hours each, one hour is a quarter; each look at the clock costs a minute."""
    times = itertools.count(0, 60_000)
    monkeypatch.setattr(days, "Remaining", lambda: Remaining(lambda: next(times)))

    def played_quickly(
        options: DayOptions, *, on_progress: Callable[[DayTally], None], keep: Path | None
    ) -> DayTally:
        for hour in (1, 2):
            on_progress(DayTally(now_ms=hour * HOUR_MS))
        return DayTally()

    monkeypatch.setattr(days, "play", played_quickly)
    assert main(["day", "--hours", "2", "--days", "2"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if " left" in line]
    assert [line.rpartition("; ")[2] for line in told] == [
        "about 3 min left", "about 2 min left", "about 60 s left", "about 0 s left",
    ]  # fmt: skip


def test_a_summary_names_what_happened(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["day", "--cabinet", "slot1", "--seed", "6", "--hours", "0.03", "--faults", "--gap", "20"]
    assert main(args) == 0
    told = capsys.readouterr().out
    assert "0 violations" in told
    assert "x real time" in told
    assert "faults: " in told
