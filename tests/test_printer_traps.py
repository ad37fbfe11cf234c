"""Every trap that docs/printers.md lists has a test of that name in that file."""

from __future__ import annotations

import re

from support.source import ROOT

PAGE = (ROOT / "docs" / "printers.md").read_text(encoding="utf-8")
HOME = "tests/drivers/ticket_printer/"


def test_every_trap_of_the_page_is_tried() -> None:
    rows = re.findall(r"\| `([\w/]+\.py)::(\w+)` \|$", PAGE, re.MULTILINE)
    assert len(rows) > 70
    missing = []
    for file, name in rows:
        path = ROOT / (file if "/" in file else HOME + file)
        if not path.is_file() or f"\ndef {name}(" not in path.read_text(encoding="utf-8"):
            missing.append(f"{file}::{name}")
    assert missing == []
    assert PAGE.count(".py::") == len(rows)
