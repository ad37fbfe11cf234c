"""A thing that is wrong in a file that a person wrote, and how to say it.

Shared by everything that reads the cabinet file and the rule set: a problem always names the
file, the table and the key, what was found there and what is allowed. All problems of a file are
collected before any is shown, so a technician mends a file in one go.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drivers.tables import Wrong

FILE_BYTES_MOST = 1 << 20  # the longest that is shipped has some thousand
TOP = ""  # the table name of keys that stand in no table


@dataclass(frozen=True, slots=True)
class Problem:
    """``table`` and ``key`` may be empty: then the file (or the whole table) is meant."""

    file: str
    table: str
    key: str
    found: str
    allowed: str

    def __str__(self) -> str:
        place = f"[{self.table}] {self.key}".strip() if self.table else self.key
        middle = f"{place}: " if place else ""
        return f"{self.file}: {middle}found {self.found}; allowed: {self.allowed}"


class ConfigError(Exception):
    """At least one problem. ``str`` has one line for each."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        if not problems:
            raise ValueError("a ConfigError needs a problem")
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class UnreadableError(Exception):
    """A file that nobody can read: what was found, and what is allowed."""

    def __init__(self, found: str, allowed: str) -> None:
        super().__init__(f"found {found}; allowed: {allowed}")
        self.found, self.allowed = found, allowed


def read_text(path: Path) -> str:
    """The text of a file that a person wrote. Raises UnreadableError, also for what never ends: a device, a
    pipe, more than FILE_BYTES_MOST."""
    try:
        # Opening a pipe would wait for somebody who writes into it.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(FILE_BYTES_MOST + 1) if regular else b""
    except OSError as error:
        raise UnreadableError(f"nothing to read ({error.strerror or error})", "a readable file") from None
    if not regular:
        raise UnreadableError("a device, a pipe or a folder", "a regular file")
    if len(data) > FILE_BYTES_MOST:
        raise UnreadableError("a file that is too long", f"at most {FILE_BYTES_MOST} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"no text ({error})", "a text in UTF-8") from None


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises UnreadableError."""
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise UnreadableError("lists or tables nested too deeply", "TOML 1.0 in UTF-8") from None
    except ValueError as error:  # no TOML, or a number of thousands of figures
        raise UnreadableError(f"no TOML ({error})", "TOML 1.0 in UTF-8") from None


def of_table(wrong: Iterable[Wrong], file: str, table: str) -> Iterator[Problem]:
    """What `drivers.tables.read` has found in a table."""
    return (Problem(file, table, row.key, row.found, row.allowed) for row in wrong)
