"""Every requirement on money has tests that name it, and the page about them is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import compliance


def test_no_test_names_a_requirement_that_nobody_asks() -> None:
    assert set(compliance.proofs()) <= set(compliance.items())


MUST = [item for item in compliance.items().values() if item.level == "must"]


@pytest.mark.parametrize("item", MUST, ids=lambda item: item.id)
def test_every_must_has_a_test(item: compliance.Item) -> None:
    assert compliance.proofs().get(item.id), f"{item.id}: {item.text}"


def test_the_page_names_every_test_of_every_item() -> None:
    """With the results of the run that wrote it; `./dev compliance` writes it anew."""
    page = compliance.DOCUMENT.read_text(encoding="utf-8")
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in page.splitlines() if line[:2] == "| "}
    for item in compliance.items().values():
        row = rows[item.id]
        assert item.text in row
        named = [part.partition("` ")[2] for part in row.split(" | ")[3].split("<br>") if part]
        assert named == [proof.name for proof in compliance.proofs().get(item.id, [])], item.id
        result = row.split(" | ")[4].removesuffix(" |")
        assert "failed" not in result
        assert "not run" not in result


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
