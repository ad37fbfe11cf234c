"""Every requirement on money has tests that name it, and the page about them is up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from support.programs import compliance


def test_no_test_names_a_requirement_that_nobody_asks() -> None:
    assert set(compliance.proofs()) <= set(compliance.items())


MUST = [item for item in compliance.items().values() if item.level == "must"]


@pytest.mark.parametrize("item", MUST, ids=lambda item: item.id)
def test_every_must_has_a_test(item: compliance.Item) -> None:
    assert compliance.proofs().get(item.id), f"{item.id}: {item.text}"


def test_the_page_counts_every_test_of_every_item() -> None:
    """With the results of the run that wrote it; `./dev compliance` writes it again."""
    page = compliance.DOCUMENT.read_text(encoding="utf-8")
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in page.splitlines() if line[:2] == "| "}
    for item in compliance.items().values():
        row = rows[item.id]
        assert item.text in row
        assert row.split(" | ")[3] == compliance.places(compliance.proofs().get(item.id, [])), item.id
        result = row.split(" | ")[4].removesuffix(" |")
        assert "failed" not in result
        assert "not run" not in result


def test_a_renamed_test_leaves_the_page_as_it_is(tmp_path: Path) -> None:
    pages = []
    for name in ("test_one", "test_another"):
        (tmp_path / "test_some.py").write_text(
            f'import pytest\n@pytest.mark.requirement("A-1")\ndef {name}(): ...\n', encoding="utf-8"
        )
        pages.append(compliance.places(compliance.proofs.__wrapped__(tmp_path)["A-1"]))
    assert len(set(pages)) == 1


def test_a_mark_that_the_page_could_not_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        'import pytest\nMANY = ("A-1", "A-2")\n@pytest.mark.requirement(*MANY)\ndef test_one(): ...\n',
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match="line 3: a requirement is named by its text"):
        compliance.proofs(tmp_path)


def test_marks_are_read_from_functions_classes_modules_and_parameters(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        'pytestmark = [pytest.mark.requirement("A-1")]\n'
        '@pytest.mark.requirement("A-2", "A-3")\n'
        "def test_one(): ...\n"
        '@pytest.mark.requirement("A-4")\n'
        "class TestMany:\n"
        "    @pytest.mark.campaign\n"
        '    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("A-5"))])\n'
        "    def test_two(self, x): ...\n",
        encoding="utf-8",
    )
    found = compliance.proofs(tmp_path)
    assert {name: [proof.name for proof in some] for name, some in found.items()} == {
        "A-1": ["test_one", "TestMany::test_two"],
        "A-2": ["test_one"],
        "A-3": ["test_one"],
        "A-4": ["TestMany::test_two"],
        "A-5": ["TestMany::test_two"],
    }
    assert [proof.campaign for proof in found["A-1"]] == [False, True]


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "xdist"])
@pytest.mark.parametrize("passes", [True, False])
def test_the_page_is_written_only_when_every_test_has_passed(
    tmp_path: Path, passes: bool, workers: tuple[str, ...]
) -> None:
    page, script = tmp_path / "page.md", tmp_path / "run.py"
    page.write_text("as it was", encoding="utf-8")
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        '@pytest.mark.parametrize("number", range(10))\n'
        f"def test_one(number): assert {passes} or number\n",
        encoding="utf-8",
    )
    script.write_text(
        "import sys, pathlib, pytest\n"
        "from support.programs import compliance\n"
        "page, *rest = sys.argv[1:]\n"
        "sys.exit(pytest.main(rest, plugins=[compliance.Recorder(pathlib.Path(page))]))\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script), str(page), "-p", "no:cacheprovider", "--rootdir", str(tmp_path),
         *workers, str(tmp_path)],
        cwd=tmp_path, env={"PYTHONPATH": f"{compliance.ROOT}:{compliance.ROOT / 'tests'}"},
        capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    said = [line for line in done.stdout.splitlines() if line.startswith("compliance: ")]
    assert done.returncode == (0 if passes else 1), done.stdout
    assert said[4].startswith("compliance: 5 of 10 tests, about ")
    text = page.read_text(encoding="utf-8")
    if passes:
        assert text.startswith(compliance.HEAD)
        assert said[-1] == "compliance: page.md is written"
    else:
        assert text == "as it was"
        assert said[-1] == "compliance: page.md stays as it was: not every test has passed"
