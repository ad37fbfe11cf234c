"""Every library that the locks name has its licence on the page of licences."""

from __future__ import annotations

import re

import pytest

from support.programs.source import ROOT


@pytest.mark.parametrize("lock", ["dev", "escpos", "field", "field-kms"])
def test_every_locked_library_is_on_the_page(lock: str) -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8").lower()
    listed = set(re.findall(r"[a-z0-9_.-]+", page))
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    locked = re.findall(r"^([a-z0-9_.-]+)==", text, re.MULTILINE)
    assert len(locked) > 8
    assert [name for name in locked if name not in listed] == []
