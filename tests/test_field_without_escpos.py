"""Cabinets with ticket printers have none of python-escpos' libraries, and never ask for them."""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from support.programs.source import ROOT

FORBIDDEN = ("PIL", "argcomplete", "barcode", "escpos", "qrcode", "yaml")
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


def check(cabinet: str, program: str = WITHOUT) -> subprocess.CompletedProcess[str]:
    path = ROOT / "config" / "cabinets" / f"{cabinet}.toml"
    return subprocess.run(
        [sys.executable, "-c", program, "check-config", str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_S,
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


MADE = """
import os, sys

made = []
sys.addaudithook(lambda event, args: made.append(args[0]) if event == "tempfile.mkdtemp" else None)
from cabinet.cli.main import main
try:
    main(sys.argv[1:])
finally:
    assert made, "the library has made no folder: this test looks at nothing"
    print("left behind:", [path for path in made if os.path.exists(path)])
"""


def test_with_the_library_it_is_a_good_cabinet_and_no_folder_is_left_behind() -> None:
    """The library makes a folder for itself at every start."""
    done = check("receipt3", MADE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "left behind: []" in done.stdout


def variables_of_the_library() -> list[str]:
    """Every variable that its source names, and those that say where temporary folders are."""
    found = importlib.util.find_spec("escpos")
    assert found is not None
    assert found.submodule_search_locations
    sources = sorted(Path(found.submodule_search_locations[0]).rglob("*.py"))
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    named = set(re.findall(r"environ(?:\.get\(|\[)\s*[\"'](\w+)[\"']", text))
    assert named >= {"ESCPOS_CAPABILITIES_PICKLE_DIR", "ESCPOS_CAPABILITIES_FILE"}
    return sorted({*named, "TMPDIR", "TEMP", "TMP"})


@pytest.mark.parametrize("variable", variables_of_the_library())
def test_a_folder_that_the_environment_names_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """The library took a folder from a variable for its own: it was read, written to and then removed."""
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "file").write_text("mine", encoding="utf-8")
    pickled = folder / f"{platform.python_version()}.capabilities.pickle"
    pickled.write_bytes(b"cbuiltins\nprint\n(S'unpickled'\ntR.")  # whoever loads it says so
    monkeypatch.setenv(variable, str(folder))
    done = check("receipt3", "import sys; from cabinet.cli.main import main; main(sys.argv[1:])")
    assert (done.returncode, done.stderr) == (0, "")
    assert "unpickled" not in done.stdout
    assert sorted(folder.iterdir()) == sorted([folder / "file", pickled])


WATCHED = """
import os
from drivers.ticket_printer.escpos import encoder as escpos_encoder

class Watched(dict):
    read = []
    def __getitem__(self, key):
        self.read.append(key)
        return super().__getitem__(key)
    def get(self, key, default=None):
        self.read.append(key)
        return super().get(key, default)
    def __contains__(self, key):
        self.read.append(key)
        return super().__contains__(key)
    def __iter__(self):
        self.read.append("all")
        return super().__iter__()

os.environ = Watched(os.environ)
encoder = escpos_encoder.Encoder("TM-T88III")
os.environ.get("seen")
print(os.environ.read)
"""


def test_the_library_asks_for_no_variable_at_all() -> None:
    done = check("receipt3", WATCHED)
    assert (done.stdout, done.stderr) == ("['seen']\n", "")
