"""The overview of the code and the glossary name files, functions and classes that are there."""

from __future__ import annotations

import re

import pytest

from support.programs.source import ROOT

Named = list[tuple[str, str]]


def named(page: str) -> Named:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return sorted(set(re.findall(r"`((?:game|drivers|cabinet|config|tests)/[\w/.]*)(?:::(\w+))?`", text)))


OVERVIEW, GLOSSARY = named("code-overview.md"), named("glossary.md")


def test_the_pages_name_enough_to_walk_by() -> None:
    assert len(OVERVIEW) > 40
    assert sum(bool(name) for _, name in OVERVIEW) > 12
    assert sum(bool(name) for _, name in GLOSSARY) > 40


@pytest.mark.parametrize(("path", "name"), OVERVIEW + GLOSSARY)
def test_what_a_page_names_is_there(path: str, name: str) -> None:
    place = ROOT / path
    assert place.exists()
    if name:
        defined = rf"^ *(?:def |class )?{name}\b *[(:=]"
        assert re.search(defined, place.read_text(encoding="utf-8"), re.MULTILINE)


def test_a_word_of_the_glossary_stands_there_once() -> None:
    rows = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    words = [row.split(" | ")[0].strip("| ") for row in rows if row.startswith("| ")]
    words = [word for word in words if word != "word"]
    assert sorted(words) == sorted(set(words))
