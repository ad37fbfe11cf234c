"""Cabinets with ticket printers have none of python-escpos' libraries, and never ask for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.source import ROOT

FORBIDDEN = ("PIL", "argcomplete", "barcode", "escpos", "qrcode", "yaml")
WITHOUT = f"""
import sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {FORBIDDEN!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Forbidden())
from cabinet.cli import main
main(sys.argv[1:])
"""


def check(cabinet: str, program: str = WITHOUT) -> subprocess.CompletedProcess[str]:
    path = ROOT / "config" / "cabinets" / f"{cabinet}.toml"
    return subprocess.run(
        [sys.executable, "-c", program, "check-config", str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_cabinet_with_ticket_printers_needs_nothing_of_it() -> None:
    done = check("shared3")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_cabinet_with_a_receipt_printer_says_in_one_line_what_it_needs() -> None:
    done = check("receipt3")
    assert done.returncode == 2
    said = done.stdout + done.stderr
    assert "pip install 'common-hand-cabinet[escpos]'" in said
    assert "ticket_printer.printer1" in said
    assert "profile" in said
    assert "Traceback" not in said


def test_with_the_library_it_is_a_good_cabinet_and_no_folder_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library makes a folder for itself at every start."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = check("receipt3", "import sys; from cabinet.cli import main; main(sys.argv[1:])")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []
