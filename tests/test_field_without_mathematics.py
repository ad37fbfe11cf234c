"""A cabinet has none of the mathematics' libraries: the field program must not even ask for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cabinet.lab import begun
from cabinet.lab.patience import PATIENCE_S
from cabinet.store.errors import JournalError
from cabinet.store.journal import Journal
from support.programs.source import ROOT

FORBIDDEN = ("dask", "distributed", "jinja2", "matplotlib", "numba", "numpy", "scipy")
WITHOUT = f"""
import sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {FORBIDDEN!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Forbidden())
from cabinet.cli.main import main
main(sys.argv[1:])
"""


def start(*args: str) -> subprocess.Popen[str]:
    environment = os.environ | {
        "SDL_VIDEODRIVER": "dummy",
        "SDL_AUDIODRIVER": "dummy",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.Popen(
        [sys.executable, "-c", WITHOUT, *args],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_cabinet_starts_shows_its_table_and_stops(tmp_path: Path) -> None:
    """Nothing is plugged in: that is trouble to show, no reason not to start."""
    config = ROOT / "config" / "cabinets" / "slot1.toml"
    begun.begin(tmp_path / "state", 1)
    first = rows(tmp_path / "state")
    child = start("run", "--config", str(config), "--state", str(tmp_path / "state"))
    try:
        wait_for_first_fact(child, tmp_path / "state", first)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGTERM)
        _, said = child.communicate(timeout=PATIENCE_S)
    finally:
        child.kill()
    assert child.returncode == 0, said
    assert "ModuleNotFoundError" not in said


def rows(state: Path) -> int:
    """Of the journal; 0 while it cannot be read."""
    try:
        reader = Journal.read(state)
    except JournalError:
        return 0
    try:
        return reader.head.seq
    finally:
        reader.close()


def wait_for_first_fact(child: subprocess.Popen[str], state: Path, before: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and child.poll() is None:
        if rows(state) > before:
            return
        time.sleep(0.1)
    said = child.communicate(timeout=PATIENCE_S)[1] if child.poll() is not None else "time out"
    pytest.fail(f"no first fact: {said}")


def test_a_cabinet_file_is_checked() -> None:
    child = start("check-config", str(ROOT / "config" / "cabinets" / "table5.toml"))
    said, errors = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, errors) == (0, "")
    assert "strategy chart" in said


@pytest.mark.parametrize("command", ["par", "simulate", "compare"])
def test_the_mathematics_says_in_one_line_what_it_needs(command: str) -> None:
    child = start(command, "--rules", "standard", *(["--rounds", "1000"] if command != "par" else []))
    said, errors = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, said) == (2, "")
    [line] = [line for line in errors.splitlines() if "needs" in line]
    assert line.startswith(f"cabinet: cabinet {command} needs ")
    assert line.endswith("pip install 'common-hand-cabinet[lab]'")


@pytest.mark.parametrize("command", ["par", "simulate", "compare"])
def test_the_help_of_a_command_needs_no_library(command: str) -> None:
    child = start(command, "--help")
    said, errors = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, errors) == (0, "")
    assert "--set KEY=VALUE" in said


def test_the_command_line_loads_neither_numbers_nor_a_screen() -> None:
    heavy = {*FORBIDDEN, "pygame"}
    code = f"import sys, cabinet.cli.main; sys.exit(repr({{*sys.modules}} & {heavy!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "set()"
