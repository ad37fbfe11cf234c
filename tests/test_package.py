"""The wheel is what a cabinet in the field gets: everything that it needs, and nothing of the lab."""

from __future__ import annotations

import re
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from game.rules import Rules
from support.programs.source import ROOT, modules


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """The names of all files in a freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"]))
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


def test_no_simulated_device_and_no_lab_is_shipped(shipped: frozenset[str]) -> None:
    assert [name for name in sorted(shipped) if re.match(r"drivers/sim|cabinet/lab|tests|deploy", name)] == []


def test_every_module_of_the_field_program_is_shipped(shipped: frozenset[str]) -> None:
    field = {m.path for m in modules() if not m.within("drivers.sim", "cabinet.lab")}
    assert field - shipped == set()
    assert {name for name in shipped if name.endswith(".py")} == field


def test_the_mathematics_is_shipped_whole(shipped: frozenset[str]) -> None:
    """It moves no money; its libraries are an extra."""
    assert {
        "game/analysis/exact/odds.py",
        "cabinet/analysis/par/command.py",
        "cabinet/analysis/par/par.html",
        "cabinet/pages/style.css",
    } <= shipped


def test_rule_sets_charts_and_cabinet_files_are_shipped_where_the_program_looks(
    shipped: frozenset[str],
) -> None:
    files = {
        path.relative_to(ROOT / "config").as_posix()
        for path in (ROOT / "config").rglob("*")
        if path.is_file()
    }
    assert {"rules/standard.toml", "cabinets/table5.toml", f"charts/{Rules().odds_hash}.json"} <= files
    assert {f"cabinet/shipped/{name}" for name in files} <= shipped


def test_everything_that_the_screen_draws_with_is_shipped(shipped: frozenset[str]) -> None:
    screen = ROOT / "cabinet" / "ui"
    files = {path.relative_to(ROOT).as_posix() for path in screen.rglob("*") if path.is_file()}
    files = {name for name in files if "__pycache__" not in name}
    assert any(name.endswith((".ttf", ".otf")) for name in files)
    assert any("/cards/" in name for name in files)
    assert "cabinet/ui/catalogue/en.toml" in files
    assert files - shipped == set()


def test_the_licence_and_the_command_are_shipped(shipped: frozenset[str]) -> None:
    assert {Path(name).name for name in shipped if ".dist-info/" in name} >= {
        "LICENSE",
        "METADATA",
        "entry_points.txt",
    }


@pytest.mark.parametrize("name", ["dev", "escpos", "field", "field-kms"])
def test_requirements_are_pinned_and_hashed_for_pc_and_pi(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    for entry in entries:
        assert re.match(r"[a-z0-9_.-]+==\S+ ;", entry), entry
        assert "--hash=sha256:" in entry, entry
    # One wheel for each of two kinds of machine and three versions of Python, at least.
    [built] = [entry for entry in entries if entry.startswith("pillow" if name == "escpos" else "pygame")]
    assert built.count("--hash=sha256:") >= 6
    if name != "escpos":
        assert built.startswith("pygame-ce==" if name == "field-kms" else "pygame==2.6.1")
    assert "://" not in text


def pins(file: str) -> set[tuple[str, str]]:
    """Every library of a lock with its version."""
    text = (ROOT / "requirements" / file).read_text("utf-8")
    return set(re.findall(r"^([a-z0-9_.-]+)==(\S+)", text, re.MULTILINE))


def test_field_requirements_have_no_tools() -> None:
    field, kms, dev = ({name for name, _ in pins(f"{lock}.txt")} for lock in ("field", "field-kms", "dev"))
    assert field < dev
    assert field - kms == {"pygame"}
    assert kms - field == {"pygame-ce"}
    assert field & {"pillow", "pytest", "hypothesis", "mypy", "ruff", "zxing-cpp"} == set()


def test_a_cabinet_with_receipt_printers_installs_a_list_of_its_own_on_top() -> None:
    """What python-escpos brings along is in no other field list, and is what the tests ran with."""
    extra = pins("escpos.txt")
    assert ("python-escpos", "3.1") in extra
    assert extra < pins("dev.txt")
    named = {name for name, _ in extra}
    assert named & {name for name, _ in pins("field.txt") | pins("field-kms.txt")} == set()
    assert named & {"escpos", "pyusb", "pycups", "pytest"} == set()


def test_types_are_checked_for_the_python_at_hand() -> None:
    """Each Python has its own locked release of numpy, whose types another one need not understand."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert settings["strict"]
    assert "python_version" not in settings
