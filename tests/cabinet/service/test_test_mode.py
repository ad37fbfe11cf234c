"""Test mode: whatever a technician tries out behind the service key, no meter and no credit moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cabinet.core.staff import menu
from cabinet.core.state import State
from cabinet.core.state.meters import digest
from cabinet.core.turn import ResetValidator
from cabinet.lab.table import LabOptions
from support.evenings.desk import Desk
from support.evenings.evening import Evening

# What is no test: it says on its page what it does, and is recorded; or it only leaves the page.
NO_TESTS = ("period", "table", "clear", "back")


def sums(state: State) -> tuple[str, int, int]:
    return digest(state.meters), state.ledger.total("credit"), state.ledger["notes"]


def pages(evening: Evening, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every page below the open one, by the labels that lead there, each open when it is told."""
    for item in menu.items(evening.state, evening.live):
        if item.opens:
            evening.walk(item.label)
            yield (*path, item.label)
            yield from pages(evening, (*path, item.label))
            evening.press(1, "cash_out")


@pytest.mark.requirement("MTR-12")
def test_everything_on_every_page_leaves_every_meter_as_it_was() -> None:
    evening = Evening("10H 9S 7D 10C 10D", seats=2)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.insert(2, 2_000)
    evening.switch("key.service", True)
    before, tried, evening.acts = sums(evening.state), [], []
    for path in pages(evening):
        for item in menu.items(evening.state, evening.live):
            if item.does and item.does[0] not in NO_TESTS:
                evening.walk(item.label)
                tried.append((path, item.label))
                assert sums(evening.state) == before, f"{path}: {item.label}"
    assert len(tried) > 20
    assert evening.ordered(ResetValidator), "devices were restarted"
    evening.switch("key.service", False)
    assert sums(evening.state) == before
    assert evening.credits(1, 2) == (10_500, 2_000)


@pytest.mark.requirement("MTR-12", "BIL-04")
def test_notes_and_presses_in_test_mode_move_nothing(tmp_path: Path) -> None:
    """With the shipped drivers: real restarts, a note that somebody pushes in, every button of a seat."""
    desk = Desk(tmp_path, LabOptions(cabinet="table5", virtual=True, wire="memory", headless=True))
    panel = desk.table.world.panel
    assert panel is not None
    desk.wait(3_000)
    desk.pay_in("5")
    panel.set("key.service", True, desk.now_ms)
    desk.wait(2_000)
    before, box = sums(desk.state), desk.validator.stacked_cents
    assert box > 0
    for word in (
        "bet_plus",
        "bet_plus",
        "bet_plus",
        "deal",
        "deal",
        "bet_plus",
        "deal",
    ):  # restart a validator
        panel.press(f"seat1.{word}", desk.now_ms)
        desk.wait(300)
    assert desk.live.menu == ("devices", "device:validator1")
    desk.tap("n", "5")
    desk.wait(8_000)
    for word in menu.LAMP_NAMES[:-1]:  # not BUY IN: each seat has its own validator
        panel.press(f"seat2.{word}", desk.now_ms)
        desk.wait(200)
    assert sums(desk.state) == before
    assert desk.validator.stacked_cents == box, "the note was not taken"
    panel.set("key.service", False, desk.now_ms)
    desk.wait(3_000)
    assert sums(desk.state) == before
    desk.close()
