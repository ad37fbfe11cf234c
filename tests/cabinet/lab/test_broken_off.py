"""Ctrl-C in a virtual evening: it ends with its books told, wherever it is."""

from __future__ import annotations

import signal
import subprocess
import sys

from cabinet.lab.patience import PATIENCE_S
from support.programs.source import ROOT

PLAY = """
from cabinet.cli.main import main
from cabinet.lab import evening
run = evening.run_virtual
def told(table):
    print("begun", flush=True)
    run(table)
evening.run_virtual = told
main()
"""


def test_a_virtual_evening_that_is_broken_off_ends_and_tells_its_books() -> None:
    command = [sys.executable, "-c", PLAY, "lab", "--virtual", "--autoplay", "--rounds", "1000000"]
    out = subprocess.PIPE
    with subprocess.Popen(command, stdout=out, stderr=out, text=True, cwd=ROOT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 0
    assert "ledger sum 0" in said
