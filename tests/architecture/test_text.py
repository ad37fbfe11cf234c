"""What must not stand in any file of the project: leftovers, places of one machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from support.programs.source import ROOT

NOT_OURS = {
    ".git", ".venv", ".dev", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "__pycache__",
    "out", "build", "dist", "htmlcov",
}  # fmt: skip
TEXT = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".sh",
    ".c",
    ".h",
    ".html",
    ".js",
    ".css",
    ".json",
    ".service",
    ".conf",
    ".rules",
    "",
}


def _any_of(*words: str) -> re.Pattern[str]:
    """A pattern of alternatives. They are written with a dot in the middle that is taken out here, so
    that this file does not match itself."""
    return re.compile("|".join(words).replace("\N{MIDDLE DOT}", ""), re.IGNORECASE)


LEFTOVERS = _any_of(r"\bTO·DO\b", r"\bFIX·ME\b", r"\bXX·X\b", r"\bHA·CK\b", "NotImplemented·Error")
HUSHED = _any_of("pragma: no· cover", r"pytest\.mark\.sk·ip", r"pytest\.mark\.xf·ail", r"pytest\.sk·ip\(")
PLACES = _any_of(
    "/wo·rk/", "/ro·ot/", "bash·_jobs", r"\.\./sha·red", r"/ho·me/\w+/",
    r"py·pi\.org", r"python·hosted\.", r"deb\.deb·ian\.org", r"npm·js\.(com|org)",
)  # fmt: skip


def files() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(
            set(folders) - NOT_OURS - {name for name in folders if name.endswith(".egg-info")}
        )
        for name in sorted(set(names) - NOT_OURS):  # .git is a file in a second work tree
            path = Path(folder) / name
            if path.suffix in TEXT and path.is_file() and not name.startswith(".coverage"):
                yield path


def matches(pattern: re.Pattern[str], suffixes: set[str]) -> list[str]:
    found = []
    for path in files():
        if path.suffix not in suffixes:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    return found


def test_the_walk_finds_the_project() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in files()}
    assert {
        "dev",
        "LICENSE",
        "pyproject.toml",
        ".ci/run",
        "cabinet/cli/main.py",
        "systemd/cabinet.service",
    } <= names


def test_nothing_is_left_for_later() -> None:
    assert matches(LEFTOVERS, {".py", ".sh", ".md", ".c", ".toml", ""}) == []


def test_no_test_and_no_line_is_hushed() -> None:
    assert matches(HUSHED, {".py"}) == []


def test_nothing_names_a_place_on_one_machine_or_a_package_index() -> None:
    assert matches(PLACES, TEXT) == []
