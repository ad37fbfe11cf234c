"""The plug is pulled again and again while people play; nothing is lost, made up or paid twice."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from cabinet.core.state import State
from cabinet.lab.glance import laid
from cabinet.lab.soak import command as soaks
from cabinet.lab.soak.command import soak
from cabinet.lab.soak.kills import NOTE_AIMS, OTHER_AIMS, TABLE_AIMS, TICKET_AIMS, plans
from cabinet.lab.soak.run import Soak, SoakOutcome, differences, expected

DEVICES = 10
QUICK_SEED = 7  # meets notes, tickets, cards and the start, and waits for nothing for long


@pytest.mark.requirement("BIL-02", "PRN-02", "MEM-11")
def test_ten_kills_at_a_table_of_five() -> None:
    told: list[int] = []
    outcome = soak(10, QUICK_SEED, on_progress=lambda now: told.append(now.kills))
    assert outcome.problems == []
    assert told == list(range(1, 11))
    assert outcome.rounds > 0
    assert outcome.hit["open note"] + outcome.hit["credited note"] > 0
    assert outcome.hit["open ticket"] > 0
    assert outcome.evening is not None
    assert outcome.evening.notes_in_cents == outcome.evening.sim_notes_stacked_cents > 0


@pytest.mark.requirement("BIL-02", "PRN-02", "MEM-11")
@pytest.mark.campaign
@pytest.mark.parametrize(
    ("cabinet", "kills", "power"),
    [("table5", 100, False), ("table5", 100, True), ("shared3", 50, True), ("slot1", 30, True)],
)
def test_many_kills(cabinet: str, kills: int, power: bool) -> None:
    outcome = soak(kills, 2, cabinet=cabinet, power=power)
    assert outcome.problems == []
    assert outcome.kills == kills


# ---- the choice of kills


def test_equal_seeds_choose_equal_kills() -> None:
    assert plans(40, 3, DEVICES, power=True) == plans(40, 3, DEVICES, power=True)
    assert plans(40, 3, DEVICES, power=True) != plans(40, 4, DEVICES, power=True)


def test_half_of_the_kills_wait_for_a_moment_and_a_short_run_meets_every_sort() -> None:
    kills = plans(10, 1, DEVICES, power=False)
    aims = [kill.aim for kill in kills if kill.aim]
    assert len(aims) == 5
    for sort in (NOTE_AIMS, TICKET_AIMS, TABLE_AIMS, OTHER_AIMS):
        assert set(aims) & set(sort)


def test_a_long_run_waits_for_every_moment_there_is() -> None:
    count = Counter(kill.aim for kill in plans(100, 1, DEVICES, power=True))
    assert set(count) == {"", "key", *NOTE_AIMS, *TICKET_AIMS, *TABLE_AIMS, *OTHER_AIMS}


def test_devices_lose_power_only_if_they_are_meant_to() -> None:
    assert {kill.dark for kill in plans(100, 1, DEVICES, power=False)} == {""}
    dark = {kill.dark for kill in plans(100, 1, DEVICES, power=True)}
    assert {"", "all"} < dark <= {"", "all", *map(str, range(DEVICES))}


# ---- what a restart may change: nothing


def test_every_difference_between_two_tables_is_named() -> None:
    before = laid(State())
    assert differences(before, before) == []
    other = dataclasses.replace(before, round_number=4, dealer=(7,))
    assert differences(before, other) == ["round_number was 0 and is 4", "dealer was () and is (7,)"]


def test_before_the_first_start_that_wrote_anything_a_table_had_no_seats() -> None:
    first = dataclasses.replace(laid(State()), bets_cents=(0, 0), credits_cents=(0, 0))
    assert differences(expected(State(), first), first) == []
    rich = dataclasses.replace(first, credits_cents=(0, 500))
    assert differences(expected(State(), rich), rich) == ["credits_cents was (0, 0) and is (0, 500)"]
    later = State(session=2)
    assert expected(later, first) == laid(later)


# ---- the command


def run_with(outcome: SoakOutcome, monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[int, str]:
    def played(kills: int, seed: int, **_given: object) -> SoakOutcome:
        return outcome

    monkeypatch.setattr(soaks, "soak", played)
    result = CliRunner().invoke(soaks.main, args)
    return result.exit_code, result.output


def test_a_long_run_says_how_far_it_is_ten_times(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def many(
        kills: int, _seed: int, *, on_progress: Callable[[SoakOutcome], None], **_rest: object
    ) -> SoakOutcome:
        outcome = SoakOutcome()
        for outcome.kills in range(1, kills + 1):
            on_progress(outcome)
        return outcome

    monkeypatch.setattr(soaks, "soak", many)
    done = CliRunner().invoke(soaks.main, ["--kills", "30"])
    told = [line for line in done.output.splitlines() if " left" in line]
    assert [line.partition(":")[0] for line in told] == [f"kill {3 * n} of 30" for n in range(1, 11)]
    assert all(line.endswith(" a ticket open; about 0 s left") for line in told)


def test_the_command_says_what_was_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = SoakOutcome(kills=3, aimed=2, hit=Counter({"round": 2, "ticket printing": 1}), rounds=5)
    code, text = run_with(outcome, monkeypatch, "--kills", "3", "--seed", "9")
    assert code == 0
    assert "3 kills at table5, seed 9; 2 met" in text
    assert "round 2, ticket printing 1" in text


def test_the_command_fails_with_every_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = SoakOutcome(problems=["kill 1: a note is lost", "kill 1: a number is on paper twice"])
    code, text = run_with(outcome, monkeypatch)
    assert code == 1
    assert text.count("PROBLEM: ") == 2


def test_a_firmware_that_cannot_start_is_reported_and_its_log_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept for whoever has to find out: log, journal and cabinet file."""

    def broken(self: Soak) -> None:
        self.bench.config_path.write_text("[cabinet]\n", encoding="utf-8")
        self.bench.start()
        self._problem("it does not come up")

    monkeypatch.setattr(Soak, "start", broken)
    outcome = soak(1, 1, cabinet="slot1", keep=tmp_path)
    assert outcome.problems == ["it does not come up"]
    assert outcome.kept == tmp_path / "slot1-seed1"
    assert {"child.log", "cabinet.toml", "problems.txt"} <= {file.name for file in outcome.kept.iterdir()}
