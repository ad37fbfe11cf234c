"""Which firmware a validator may have: checked at the start and after every RESET."""

from __future__ import annotations

import pytest

from drivers.bill_validator.id003.options import Options
from drivers.device import Fault, FaultCleared, FaultRaised, Identified, ValidatorEnabled
from drivers.sim.id003 import VERSION, Id003Machine
from drivers.tables import read
from support.devices.validator_bench import Bench, bench

OLD, NEW = VERSION, b"i(USA)100-SS ID003-05V281-43 01MAR18 0A11"
ACCEPTS = b"\x00"
INHIBIT = 0xC3


def start(table: Bench[Id003Machine]) -> None:
    """As after power-up: the owner resets it and wants notes."""
    table.run(600)
    table.validator.reset()
    table.validator.accept(True)
    table.run(20_000)


def was_enabled(table: Bench[Id003Machine]) -> bool:
    return any(event.enabled for event in table.of(ValidatorEnabled))


def raised(table: Bench[Id003Machine]) -> list[str]:
    return [event.detail for event in table.of(FaultRaised) if event.fault is Fault.DEVICE_FAILED]


@pytest.mark.requirement("BIL-07")
@pytest.mark.parametrize(
    "firmware",
    [(), (OLD.decode(),), ("i(USA)100-SS ID003-05V280",), ("U(USA)", "i(USA)")],
    ids=["any", "whole", "beginning", "one of two"],
)
def test_a_unit_with_an_allowed_firmware_takes_notes(firmware: tuple[str, ...]) -> None:
    table = bench(firmware=firmware)
    start(table)
    assert was_enabled(table)
    assert not table.of(FaultRaised)


@pytest.mark.requirement("BIL-07")
@pytest.mark.parametrize("left_behind", [False, True])
def test_a_unit_with_another_firmware_is_told_and_never_enabled(left_behind: bool) -> None:
    table = bench(Id003Machine(version=NEW), firmware=("i(USA)100-SS ID003-05V280", "U(USA)"))
    start(table)
    if left_behind:
        table.restart_host()  # the unit is idle and was set up by the program before
        table.validator.accept(True)
        table.run(20_000)
    assert not was_enabled(table)
    assert table.machine.settings.get(INHIBIT) != ACCEPTS
    assert not table.machine.insert(2000, table.now_ms)
    (detail,) = raised(table)
    assert NEW.decode() in detail
    assert "allowed: i(USA)100-SS ID003-05V280, U(USA)" in detail
    assert table.of(Identified)[-1].text == NEW.decode()
    table.run(120_000)
    assert len(raised(table)) == 1
    assert not was_enabled(table)


@pytest.mark.requirement("BIL-07")
def test_the_firmware_is_checked_again_after_every_reset() -> None:
    table = bench(firmware=("i(USA)100-SS ID003-05V280",))
    start(table)
    assert was_enabled(table)
    table.events.clear()
    table.machine._version = NEW  # an update
    table.validator.reset()
    table.run(20_000)
    assert len(raised(table)) == 1
    assert not was_enabled(table)
    table.machine._version = OLD
    table.validator.reset()
    table.run(20_000)
    assert [event.fault for event in table.of(FaultCleared)] == [Fault.DEVICE_FAILED]
    assert was_enabled(table)


@pytest.mark.requirement("BIL-07")
def test_the_firmware_is_checked_again_when_the_unit_restarts_itself() -> None:
    table = bench(firmware=("i(USA)100-SS ID003-05V280",))
    start(table)
    table.events.clear()
    table.machine._version = NEW
    table.far_end.inject("restart", table.now_ms)
    table.run(20_000)
    assert len(raised(table)) == 1
    assert not was_enabled(table)


@pytest.mark.parametrize("firmware", [[""], ["a\n"], ["x" * 101], "i(USA)"])
def test_a_list_that_could_mean_anything_is_refused(firmware: object) -> None:
    (row,) = read(Options, {"port": "v", "firmware": firmware})[1]
    assert row.at[0] == "firmware"
