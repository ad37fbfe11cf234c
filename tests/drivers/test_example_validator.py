"""The validator of docs/extending.md: its files in their places are all that a new driver needs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from support.programs.source import ROOT

PAGE = ROOT / "docs" / "extending.md"
COMMAND = "import sys; from cabinet.lab.main import main; sys.exit(main(sys.argv[1:]))"
SUITE = "tests/contract/test_bill_validator.py"
COPIED = (
    "cabinet",
    "drivers",
    "game",
    "pyproject.toml",
    "tests/architecture",
    "tests/conftest.py",
    "tests/contract",
    "tests/support",
    "tests/vectors/id003.json",
)


def places() -> dict[str, str]:
    """As the section says: which file of the example stands where."""
    section = PAGE.read_text(encoding="utf-8").partition("## A validator driver")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `(docs/examples/\S+)` \| `(\S+)` \|", section, re.MULTILINE))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The program and its contract suite, somewhere else, with the example in its places."""
    for name in COPIED:
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    (tmp_path / "config").symlink_to(ROOT / "config")
    for source_name, place in places().items():
        shutil.copy(ROOT / source_name, tmp_path / place)
    drivers = tmp_path / "drivers" / "bill_validator" / "__init__.py"
    text = drivers.read_text(encoding="utf-8")
    assert text.count('__all__ = ["id003"]') == 1
    drivers.write_text(text.replace('["id003"]', '["id003", "tally"]'), encoding="utf-8")
    return tmp_path


def run(tree: Path, chosen: str, *suites: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, *suites]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


def test_the_page_names_every_file_of_the_example() -> None:
    files = (ROOT / "docs" / "examples" / "tally").iterdir()
    assert set(places()) == {str(file.relative_to(ROOT)) for file in files if file.is_file()}


@pytest.mark.requirement("BIL-01", "BIL-02")
def test_the_example_passes_the_contract_suite_of_all_validators(tree: Path) -> None:
    done = run(tree, "tally", SUITE)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 50


def test_it_fits_into_the_rooms_of_the_project(tree: Path) -> None:
    """No name is taken, and nothing is imported that its package does not show."""
    rooms = [f"tests/architecture/test_{of}.py" for of in ("names", "rooms")]
    done = run(tree, "no_class_has_the_name or what_a_package", *rooms)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr


@pytest.mark.requirement("BIL-02", "MEM-01")
def test_without_the_evidence_of_the_journal_the_suite_finds_a_lost_note(tree: Path) -> None:
    driver = tree / "drivers" / "bill_validator" / "tally.py"
    text = driver.read_text(encoding="utf-8")
    forgetful = text.replace("self._known = int(document.evidence)", "self._known = None")
    assert forgetful != text
    driver.write_text(forgetful, encoding="utf-8")
    done = run(tree, "tally and while_the_program_is_away", SUITE)
    assert done.returncode == 1, done.stdout
    assert "test_a_note_that_falls_while_the_program_is_away_is_told_once[tally-2250]" in done.stdout


@pytest.mark.requirement("BIL-02")
def test_the_lab_plays_an_evening_with_it(tree: Path) -> None:
    """Notes are drawn in, credited and played with; boxes and books agree."""
    text = (ROOT / "config" / "cabinets" / "slot1.toml").read_text(encoding="utf-8")
    cabinet = re.sub(
        r'driver = "id003"(.*?)barcode = true[^\n]*', r'driver = "tally"\1', text, flags=re.DOTALL
    )
    assert cabinet != text
    file = tree / "cabinets" / "tally.toml"
    file.parent.mkdir()
    for part in ("rules", "charts"):
        (tree / part).symlink_to(ROOT / "config" / part)
    file.write_text(cabinet.replace('tickets = "cash"', 'tickets = "receipt"'), encoding="utf-8")
    report = tree / "report.json"
    asked = ["--cabinet", str(file), "--virtual", "--autoplay", "--rounds", "5", "--report", str(report)]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *asked],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    made = json.loads(report.read_text(encoding="utf-8"))
    assert made["rounds"] == 5
    assert made["notes_in_cents"] == made["sim_notes_stacked_cents"] > 0
    assert made["ledger_sum_cents"] == 0
