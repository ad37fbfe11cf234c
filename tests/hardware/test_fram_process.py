"""The second copy in FRAM, kept by a process of its own through unmodified python-periphery."""

from __future__ import annotations

import contextlib
import io
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from drivers.sim.gpio.board import Board
from drivers.sim.gpio.fram import FramChip, I2cBus
from drivers.sim.gpio.server import GpioServer
from support.devices import fram_child
from support.devices.i2c_shim import I2cShim

ROOT = Path(__file__).parents[2]


class Bench:
    """The chip, and the way to it: a server for system calls, without a compiler a shim."""

    def __init__(self, folder: Path, library: Path | None) -> None:
        self.chip = FramChip()
        self.buses = {1: I2cBus({0x50: self.chip})}
        self.server = GpioServer(folder / "gpio", Board({"pinctrl-rp1": 28}), self.buses)
        self._library = library

    def keep(self, count: int, first: int = 1) -> list[str]:
        """What the program says while it keeps ``count`` records."""
        if self._library is None:
            return self._keep_here(count, first)
        path = f"{ROOT}{os.pathsep}{ROOT / 'tests'}"
        environment = os.environ | {"PYTHONPATH": path, "GPIO_SERVER": str(self.server.path)}
        environment["LD_PRELOAD"] = str(self._library)
        command = [sys.executable, str(ROOT / "tests/support/devices/fram_child.py"), str(count), str(first)]
        give_up = time.monotonic() + PATIENCE_S
        with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            while child.poll() is None:
                assert time.monotonic() < give_up, f"the child has not kept {count} records"
                select.select([self.server.fileno()], [], [], 0.02)
                self.server.serve(0)
            assert child.stdout is not None
            return child.stdout.read().splitlines()

    def _keep_here(self, count: int, first: int) -> list[str]:
        said = io.StringIO()
        with pytest.MonkeyPatch.context() as patched, contextlib.redirect_stdout(said):
            I2cShim(patched, self.buses)
            fram_child.main(count, first)
        return said.getvalue().splitlines()


@pytest.fixture(params=["forwarder", "shim"])
def bench(tmp_path: Path, library: Path | None, request: pytest.FixtureRequest) -> Iterator[Bench]:
    bench = Bench(tmp_path, library if request.param == "forwarder" else None)
    yield bench
    bench.server.close()


def test_records_are_kept_across_processes(bench: Bench) -> None:
    assert bench.keep(3) == ["kept 1", "kept 2", "kept 3", "totals 3"]
    assert bench.keep(1, 4) == ["kept 4", "totals 4"]
    assert bench.chip.written > 4 * 60


def test_power_that_goes_inside_a_record_leaves_the_one_before(bench: Bench) -> None:
    bench.keep(2)
    bench.chip.left = 40
    said = bench.keep(1, 3)
    assert "no answer" in said[0]
    bench.chip.left = None
    assert bench.keep(0) == ["totals 2"]


def test_a_chip_without_an_answer_is_told(bench: Bench) -> None:
    bench.chip.fault = "missing"
    command = bench.keep(1)
    assert command[0].startswith("refused 1: the second copy can not be read: /dev/i2c-1 at 0x50: no answer")
    bench.chip.fault = "write_protected"
    assert "WP pin" in bench.keep(1)[0]
