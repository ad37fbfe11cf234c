"""A meter is damaged in the memory of a running cabinet, with the shipped drivers at work."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.core.conditions import Code
from cabinet.core.live import play_lock
from cabinet.core.renewal import replace
from cabinet.core.state import identity
from cabinet.core.view import view
from cabinet.lab.table import LabOptions
from cabinet.service.pages import service_look
from drivers.device import Pattern
from support.evenings.desk import Desk


def desk_at(directory: Path, state: Path) -> Desk:
    options = LabOptions(cabinet="table5", virtual=True, wire="memory", headless=True, state=state)
    desk = Desk(directory, options)
    desk.wait(3_000)
    return desk


@pytest.mark.requirement("CRD-03", "MTR-09", "MEM-05")
def test_one_damaged_meter_locks_the_table_and_a_restart_reads_the_good_copy(tmp_path: Path) -> None:
    desk = desk_at(tmp_path / "one", tmp_path / "state")
    runtime, panel = desk.table.runtime, desk.table.world.panel
    assert panel is not None
    desk.pay_in("5")
    credit, box = desk.state.credit(1), desk.validator.stacked_cents
    assert credit == box > 0
    assert desk.live.device("validator1").enabled
    good = desk.state.meters
    runtime.state = replace(desk.state, meters={**good, "bill_in.1": good["bill_in.1"] + 1})
    head = runtime.head
    desk.tap("n", "5")  # the note in escrow finds the damage
    desk.wait(8_000)
    assert (
        desk.live.trouble(Code.ACCOUNTING_ERROR)
        == f"seat 1: meters tell {credit + 1} cents, accounts hold {credit}"
        != ""
    )
    assert play_lock(desk.state, desk.live) == "M05"
    assert view(desk.state, desk.live, 1).lock is not None
    assert runtime.head == head, "nothing more is written"
    assert (desk.validator.stacked_cents, desk.state.credit(1)) == (box, credit), "the note came back"
    assert not desk.live.device("validator1").enabled
    assert panel.seen("candle.bottom", desk.now_ms) is panel.seen("candle.top", desk.now_ms) is Pattern.FAST
    panel.set("key.service", True, desk.now_ms)
    desk.wait(2_000)
    for word in ("bet_plus", "bet_plus", "deal"):
        panel.press(f"seat1.{word}", desk.now_ms)
        desk.wait(300)
    page = service_look(desk.state, desk.live, runtime.devices)
    assert (page.path, page.headline_mark) == (("Meters",), "warn")
    assert page.headline.startswith("Doubtful")
    desk.close()

    desk = desk_at(tmp_path / "two", tmp_path / "state")
    assert desk.live.trouble(Code.ACCOUNTING_ERROR) == identity.trouble(desk.state) == ""
    assert (desk.state.credit(1), desk.state.meters["bill_in.1"]) == (credit, good["bill_in.1"])
    assert desk.live.device("validator1").enabled
    desk.close()
