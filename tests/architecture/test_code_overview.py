"""The overview of the code names files and functions that are there."""

from __future__ import annotations

import re

import pytest

from support.programs.source import ROOT

PAGE = (ROOT / "docs" / "code-overview.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:game|drivers|cabinet|config|tests)/[\w/.]*)(?:::(\w+))?`", PAGE)))


def test_the_page_names_enough_to_walk_by() -> None:
    assert len(NAMED) > 40
    assert sum(bool(function) for _, function in NAMED) > 12


@pytest.mark.parametrize(("path", "function"), NAMED)
def test_what_the_page_names_is_there(path: str, function: str) -> None:
    place = ROOT / path
    assert place.exists()
    if function:
        assert re.search(rf"^ *def {function}\(", place.read_text(encoding="utf-8"), re.MULTILINE)
