"""What a session could not record is in the log of the next one."""

from __future__ import annotations

import logging
import select
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cabinet.core.conditions import Code
from cabinet.core.live import TILTS, Live, begin
from cabinet.core.past.logs import Log
from cabinet.core.renewal import replace
from cabinet.lab import begun
from cabinet.lab.patience import PATIENCE_S
from cabinet.memory import last_trouble
from cabinet.program import field
from cabinet.program.runtime import Runtime
from cabinet.records.lookup import LogSearch
from cabinet.store.journal import Journal
from support.evenings.evening import WALL_MS, Evening, policy
from support.programs.source import ROOT

SHIPPED = ROOT / "config" / "cabinets" / "slot1.toml"


def stopped(troubles: Mapping[Code, str]) -> Live:
    return replace(begin(policy(), 0, WALL_MS), stopped_ms=60_000, troubles=troubles)


@pytest.mark.parametrize("code", TILTS)
def test_it_is_left_behind_with_its_time_and_read_once(code: Code, tmp_path: Path) -> None:
    last_trouble.keep(tmp_path, stopped({code: "it was so"}))
    assert last_trouble.kept(tmp_path) == (code, "it was so, on 03/17/2030 at 17:47")
    last_trouble.forget(tmp_path)
    assert last_trouble.kept(tmp_path) == ("", "")
    last_trouble.forget(tmp_path)


def test_of_a_good_end_nothing_is_left(tmp_path: Path) -> None:
    last_trouble.keep(tmp_path, stopped({}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rubbish", [b"", b"\xff\xfe", b"T01 paper low", b"M03"])
def test_a_line_that_nobody_here_has_written_is_no_trouble(rubbish: bytes, tmp_path: Path) -> None:
    (tmp_path / last_trouble.FILE).write_bytes(rubbish)
    assert last_trouble.kept(tmp_path)[0] == ("M03" if rubbish == b"M03" else "")


def test_a_disk_that_takes_nothing_leaves_it_to_the_system_journal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        last_trouble.keep(tmp_path / "gone", stopped({Code.STORAGE_FAILED: "disk full"}))
    assert "disk full" in caplog.text
    assert last_trouble.kept(tmp_path / "gone") == ("", "")


@pytest.mark.requirement("REC-10")
def test_the_next_start_logs_both_ends() -> None:
    evening = Evening(start=False)
    evening.start(trouble=("M03", "disk full, on 03/17/2030 at 17:47"))
    raised, cleared = evening.facts("ConditionRaised"), evening.facts("ConditionCleared")
    assert [(fact.code, fact.detail) for fact in raised] == [("M03", "disk full, on 03/17/2030 at 17:47")]  # type: ignore[attr-defined]
    assert [(fact.code, fact.by) for fact in cleared] == [("M03", "restart")]  # type: ignore[attr-defined]
    assert evening.state.conditions == ()
    assert evening.state.frozen == ""


@pytest.mark.requirement("REC-10")
def test_the_field_program_tells_it_over_an_end_and_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(goes_wrong: bool) -> Callable[..., None]:
        def loop(runtime: Runtime, clock: object, *, until: Callable[[int], bool], **_rest: Any) -> None:
            runtime.step(0)
            while not runtime.idle:
                assert select.select([runtime.writer.fileno()], [], [], PATIENCE_S)[0]
                runtime.step(0)
            until(0)
            if goes_wrong:
                runtime.live = replace(
                    runtime.live,
                    stopped_ms=500,
                    troubles={Code.ACCOUNTING_ERROR: "seat 1: one cent too many"},
                )

        return loop

    begun.begin(tmp_path, 1)
    for goes_wrong in (True, False, False):
        monkeypatch.setattr(field, "loop", played(goes_wrong))
        assert field.run(SHIPPED, tmp_path) == field.CLEAN
    assert not (tmp_path / last_trouble.FILE).exists()
    with closing(Journal.read(tmp_path)) as journal:
        log = [entry for entry in LogSearch(Log.EVENTS).read_all(journal) if entry.code == "M05"]
    (entry,) = log
    assert entry.detail.startswith("seat 1: one cent too many, on ")
    assert entry.end is not None
    assert entry.end.by == "restart"
