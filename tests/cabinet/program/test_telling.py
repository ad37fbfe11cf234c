"""The program's log on standard error, as the system journal reads it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from support.programs.source import ROOT

SPEAKS = """
import logging
from cabinet.program.telling import begin_log
begin_log()
log = logging.getLogger("cabinet")
log.info("running")
log.warning("T01 paper low at printer1")
log.error("M03 storage failed:\\nno space")
log.critical("ends")
log.debug("a detail")
"""


def spoken(path: Path, where: str) -> list[str]:
    """What a process writes to standard error, a file here; `where`: what JOURNAL_STREAM says of it."""
    with path.open("wb") as file:
        found = os.fstat(file.fileno())
        stream = where.format(here=f"{found.st_dev}:{found.st_ino}")
        subprocess.run(
            [sys.executable, "-c", SPEAKS], stderr=file, check=True, cwd=ROOT, timeout=PATIENCE_S,
            env={**os.environ, "JOURNAL_STREAM": stream},
        )  # fmt: skip
    return path.read_text(encoding="utf-8").splitlines()


def test_in_the_system_journal_every_line_has_its_priority(tmp_path: Path) -> None:
    assert spoken(tmp_path / "log", "{here}") == [
        "<6>INFO cabinet: running",
        "<4>WARNING cabinet: T01 paper low at printer1",
        "<3>ERROR cabinet: M03 storage failed:",
        "<3>no space",
        "<2>CRITICAL cabinet: ends",
    ]


@pytest.mark.parametrize("where", ["", "8:1", "{here}0"])
def test_anywhere_else_a_line_is_for_people(tmp_path: Path, where: str) -> None:
    assert spoken(tmp_path / "log", where)[:2] == [
        "INFO cabinet: running",
        "WARNING cabinet: T01 paper low at printer1",
    ]
