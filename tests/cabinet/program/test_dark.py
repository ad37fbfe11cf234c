"""What a killed program has left switched on goes dark: by the first act of the next start, and by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.cli import common as cli_common
from cabinet.cli import main as cli
from cabinet.config import Config, load
from cabinet.config.tables import DeviceKind
from cabinet.program import dark, field, ports, start
from drivers.device import Pattern
from drivers.link import Link, SerialSettings
from drivers.panel.gpio import GpioPanel, Options
from drivers.registry import Io
from drivers.sim.gpio import MemoryBank
from drivers.sim.gpio.board import Board
from drivers.sim.panel import PanelMachine
from support.programs.source import ROOT

SHIPPED = ROOT / "config" / "cabinets" / "table5.toml"


def no_link(_settings: SerialSettings) -> Link:
    raise AssertionError("no port is opened for this")


class Table:
    """The panel of a shipped cabinet, on copper that outlives every program."""

    def __init__(self, config: Config) -> None:
        (self.table,) = config.of_kind(DeviceKind.PANEL)
        self.options = Options(**self.table.options)
        self.board = Board.of(self.options)
        self.machine = PanelMachine(self.options, self.board)
        self.io = Io(no_link, lambda: MemoryBank(self.board))

    def killed_in_a_pulse(self) -> None:
        """Lamps are lit, a coil is energised, and the program is gone without a word."""
        panel = GpioPanel("panel1", self.options, MemoryBank(self.board))
        panel.set_outputs(dict.fromkeys(self.options.outputs, Pattern.ON))
        panel.pulse("meter.in", 1)
        for now_ms in range(0, 30, 5):
            panel.tick(now_ms)
        for line in (*self.options.outputs.values(), *self.options.meters.values()):
            self.board.free(line)
        for line in self.options.inputs.values():
            self.board.free(line)

    @property
    def lit(self) -> list[str]:
        names = (*self.options.outputs, *self.options.meters)
        return [name for name in names if self.machine.lamp(name)]


@pytest.fixture
def config() -> Config:
    return load(SHIPPED)


def test_a_killed_program_leaves_a_coil_on_and_the_next_start_ends_it(config: Config) -> None:
    table = Table(config)
    table.killed_in_a_pulse()
    assert "meter.in" in table.lit
    assert len(table.lit) > 10
    assert dark.darken(config, table.io) == []
    assert table.lit == []


def test_a_running_cabinet_keeps_its_lamps(config: Config) -> None:
    """A second start finds the lines in use, and says so."""
    table = Table(config)
    panel = GpioPanel("panel1", table.options, MemoryBank(table.board))
    panel.set_outputs(dict.fromkeys(table.options.outputs, Pattern.ON))
    panel.tick(0)
    before = table.lit
    assert before
    missed = dark.darken(config, table.io)
    assert "in use" in missed[0]
    assert table.lit == before


def test_a_start_does_it_before_it_opens_the_journal(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(config)
    table.killed_in_a_pulse()
    seen: list[list[str]] = []

    def opened(*_args: object) -> None:
        seen.append(table.lit)
        raise HaltError

    monkeypatch.setattr(start, "_journal", opened)
    with pytest.raises(HaltError):
        field.run(SHIPPED, tmp_path / "state", io=table.io)
    assert seen == [[]]


class HaltError(BaseException):
    """Far enough."""


@pytest.fixture
def cabled(config: Config, monkeypatch: pytest.MonkeyPatch) -> Table:
    table = Table(config)
    monkeypatch.setattr(ports, "field_io", lambda: table.io)
    return table


def test_the_command_switches_off_and_says_what_it_could_not_reach(
    cabled: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    cabled.killed_in_a_pulse()
    with pytest.raises(SystemExit) as caught:
        cli.main(["dark", "--config", str(SHIPPED)])
    assert not caught.value.code
    assert cabled.lit == []
    cabled.board.lose("mcp23017@20", 0)
    with pytest.raises(SystemExit) as caught:
        cli.main(["dark", "--config", str(SHIPPED)])
    assert caught.value.code == cli_common.FAILED
    assert "mcp23017@20" in capsys.readouterr().err
