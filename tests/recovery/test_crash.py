"""Power goes at the I/O points of a scripted evening: every cent is somewhere, and in one place only.

A slice of the points on each run; all points and all ways of losing power by `--campaign`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cabinet.core import facts
from cabinet.lab.crash import command
from cabinet.lab.crash.checks import Check, CrashVerdict
from cabinet.lab.crash.cut import Bytes, Cut, Plug, all_cuts
from cabinet.lab.crash.disk import Survival
from cabinet.lab.crash.play import (
    CrashOptions,
    CrashOutcome,
    every,
    everywhere,
    in_child,
    open_scene,
    run,
    run_again,
)
from cabinet.lab.crash.record import at_hand
from cabinet.lab.crash.watch import Point, PointKind

pytestmark = pytest.mark.no_cover  # whole evenings, again and again: tracing them costs three times as much

RECORDED = at_hand()  # without strace everything that was written survives a power cut


def evening(options: CrashOptions, folder: Path) -> tuple[list[Point], str]:
    """All points of an evening without a crash, and what its journal ends with."""
    points: list[Point] = []
    scene = open_scene(options, folder)
    life = scene.first_life(folder / "state", points.append)
    life.run(life.all_gone)
    life.stop()
    scene.world.close()
    return points, life.digest()


# ---- the points


def test_the_evening_has_all_that_can_be_open(tmp_path: Path) -> None:
    points, _ = evening(CrashOptions(), tmp_path)
    assert {point.kind for point in points} == set(PointKind)
    assert [point.number for point in points] == list(range(1, len(points) + 1))
    committed = " ".join(point.what for point in points if point.kind is PointKind.COMMITTED)
    for fact in (
        facts.NoteIntended, facts.NoteCredited, facts.NoteClosed, facts.NoteRefused, facts.BetMoved,
        facts.RoundOpened, facts.CardsDrawn, facts.Decided, facts.RoundSettled, facts.CashOutAsked,
        facts.TicketIntended, facts.TicketPrinted, facts.TicketTakenAway, facts.HandpayOpened,
        facts.HandpayPaid, facts.PulseIntended, facts.PulseDone, facts.KeyTurned,
    ):  # fmt: skip
        assert fact.__name__ in committed, fact
    whats = " ".join(point.what for point in points)
    for seen in ("escrow", "lifting", "pushing", "vend_valid", "stacked", "returning", "printing", "panel"):
        assert seen in whats, seen


def test_a_pty_has_the_same_points_and_the_same_journal(tmp_path: Path) -> None:
    assert evening(CrashOptions(wire="pty"), tmp_path / "pty") == evening(CrashOptions(), tmp_path / "memory")


# ---- the slice


@pytest.mark.requirement("CRD-11", "MTR-07", "BIL-01", "BIL-02", "PRN-01", "PRN-02", "MEM-02", "MEM-11")
def test_a_crash_at_every_fortieth_point() -> None:
    outcome = run(CrashOptions(), every(40, all_cuts(survivals=RECORDED)), recording=RECORDED)
    assert outcome.problems == []
    assert outcome.crashes == outcome.points // 40 > 20
    assert outcome.cuts > outcome.crashes, "power goes a second time now and then"


@pytest.mark.requirement("BIL-02", "PRN-02")
def test_a_crash_at_the_far_end_of_a_pty() -> None:
    """The shipped serial code on a real descriptor, at some of the same points."""
    outcome = run_again(CrashOptions(wire="pty"), every(170, all_cuts(survivals=False)))
    assert outcome.problems == []
    assert outcome.crashes > 3


def test_the_commits_of_a_stop_are_points_on_a_pty_too() -> None:
    cuts = all_cuts(survivals=False)
    outcome = run_again(
        CrashOptions(wire="pty"), lambda point: cuts[:1] if point.what == "SessionStopped" else []
    )
    assert outcome.problems == []
    assert outcome.crashes > 1


@pytest.mark.campaign
@pytest.mark.requirement("CRD-11", "MTR-07", "BIL-01", "BIL-02", "PRN-01", "PRN-02", "MEM-02", "MEM-11")
@pytest.mark.parametrize("cabinet", ["shared3", "table5", "slot1"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_crash_at_every_point_in_every_way(cabinet: str, seed: int) -> None:
    outcome = run(CrashOptions(cabinet, seed), everywhere(all_cuts(survivals=RECORDED)), recording=RECORDED)
    assert outcome.problems == []


@pytest.mark.campaign
@pytest.mark.requirement("CRD-11", "MTR-07", "BIL-01", "BIL-02", "PRN-01", "PRN-02", "MEM-02", "MEM-11")
def test_a_crash_at_every_tenth_point_at_the_far_end_of_a_pty() -> None:
    outcome = run_again(CrashOptions(wire="pty"), every(10, all_cuts(survivals=False)))
    assert outcome.problems == []


# ---- the ways of losing power, and how one is told


def test_every_way_of_losing_power_is_written_as_it_is_read() -> None:
    cuts = all_cuts(survivals=True)
    assert [Cut.parse(str(cut)) for cut in cuts] == list(cuts)
    assert {(cut.plug, cut.bytes) for cut in cuts} == {(plug, data) for plug in Plug for data in Bytes}
    assert {cut.survival for cut in cuts if cut.plug is not Plug.PROCESS} == set(Survival) - {Survival.ALL}
    with pytest.raises(ValueError):
        Cut.parse("all,lost")


def test_a_crashed_evening_that_dies_or_says_nothing_is_a_finding() -> None:
    def dies() -> CrashVerdict:
        raise SystemError("as a broken lab would")

    verdict = in_child(dies)
    assert [check for check, _ in verdict.problems] == [Check.ENDS]


# ---- the command


def asked(monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[int, str, list[tuple[CrashOptions, int]]]:
    """Exit code and output of the command, and where it would have crashed the points 1 to 100."""
    calls: list[tuple[CrashOptions, int]] = []

    def played(options: CrashOptions, choose: object, **_given: object) -> CrashOutcome:
        points = [Point(number, PointKind.SENT, "", 0) for number in range(1, 101)]
        assert callable(choose)
        calls.append((options, sum(len(choose(point)) for point in points)))
        outcome = CrashOutcome(points=100, crashes=1)
        verdict = CrashVerdict()
        if "--point" in args:
            verdict.add(Check.SHOWN, "what nobody may see")
        outcome.take(points[0], Cut(Plug.ALL, Bytes.LOST), verdict, "again")
        return outcome

    monkeypatch.setattr(command, "run", played)
    monkeypatch.setattr(command, "run_again", lambda options, choose, _told: played(options, choose))
    result = CliRunner().invoke(command.crash, args)
    return result.exit_code, result.output, calls


def test_the_command_crashes_where_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for args, crashes in (
        ((), 100 // command.SLICE),
        (("--every", "10"), 10),
        (("--every", "10", "--wire", "pty"), 10),
        (("--campaign",), 100 * len(all_cuts(survivals=RECORDED))),
    ):
        code, text, calls = asked(monkeypatch, *args)
        assert code == 0, text
        assert [count for _, count in calls] == [crashes]


def test_the_command_plays_one_point_again_and_fails_with_what_it_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    args = ("--cabinet", "slot1", "--seed", "3", "--scenes", "notes,ticket", "--point", "7")
    code, text, calls = asked(monkeypatch, *args, "--cut", "all,lost,all")
    assert code == 1
    assert "1 times not true: nothing was shown that is not recorded" in text
    assert calls == [(CrashOptions("slot1", 3, scenes=("notes", "ticket")), 1)]
    code, text, _ = asked(monkeypatch, "--cut", "all,lost")
    assert code == 2
    assert "process,lost,all" in text


def test_a_point_or_a_scene_that_there_is_not_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was crashed: whoever has mistyped must not read that nothing was lost."""
    monkeypatch.setattr(command, "run", lambda *_, **__: CrashOutcome(points=100))
    found = CliRunner().invoke(command.crash, ("--point", "101"))
    assert (found.exit_code, "there is no point 101: the last is 100" in found.output) == (2, True)
    found = CliRunner().invoke(command.crash, ("--scenes", "notes,noets"))
    assert (found.exit_code, "'noets' is none of notes, round" in found.output) == (2, True)
