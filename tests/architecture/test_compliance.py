"""Every requirement on money has tests that name it, and the page about them is up to date."""

from __future__ import annotations

from pathlib import Path

from support import compliance


def test_no_test_names_a_requirement_that_nobody_asks() -> None:
    assert set(compliance.proofs()) <= set(compliance.items())


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
