"""Every trap that a page of docs/ lists has a test of that name in that file."""

from __future__ import annotations

import re

import pytest

from support.programs.source import ROOT

# Page, the folder of its file names, and how many traps are known at least.
PAGES = [
    ("printers.md", "tests/drivers/ticket_printer/", 70),
    ("bill-validators.md", "tests/drivers/bill_validator/", 80),
    ("tickets.md", "tests/cabinet/core/", 60),
]


@pytest.mark.parametrize(("page", "home", "least"), PAGES)
def test_every_trap_of_the_page_is_tried(page: str, home: str, least: int) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    rows = re.findall(r"\| `([\w/]+\.py)::(\w+)` \|$", text, re.MULTILINE)
    assert len(rows) > least
    missing = []
    for file, name in rows:
        path = ROOT / (file if file.startswith("tests/") else home + file)
        if not path.is_file() or f"\ndef {name}(" not in path.read_text(encoding="utf-8"):
            missing.append(f"{file}::{name}")
    assert missing == []
    assert text.count(".py::") == len(rows)
