"""A thing that is wrong in a file that a person wrote, and how to say it.

Shared by everything that reads the cabinet file and the rule set: a problem always names the
file, the table and the key, what was found there and what is allowed. All problems of a file are
collected before any is shown, so a technician mends a file in one go.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from drivers.registry import did_you_mean

FILE_BYTES_MOST = 1 << 20  # the longest that is shipped has some thousand
UNKNOWN = "an unknown key"
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


def shown(value: object) -> str:
    """What was found, about as it would stand in the file; long values are cut."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)  # `default`: the dates and times of TOML
    except ValueError:  # Python writes no number of more than 4,300 figures
        text = "a number of thousands of figures"
    return text if len(text) <= 80 else text[:77] + "..."


def of_validation(error: ValidationError, model: type[BaseModel], file: str, table: str) -> Iterator[Problem]:
    """One problem for each thing that pydantic found in ``table``."""
    schema = model.model_json_schema()
    for item in error.errors(include_url=False, include_context=False):
        key = ".".join(str(part) for part in item["loc"])
        kind = item["type"]
        known = sorted(schema.get("properties", {}))
        if kind == "extra_forbidden":
            yield Problem(file, table, key, UNKNOWN, f"{did_you_mean(key, known)}one of {', '.join(known)}")
        elif kind == "missing":
            yield Problem(file, table, key, "nothing", allowed(schema, item["loc"]))
        else:
            yield Problem(file, table, key, shown(item["input"]), allowed(schema, item["loc"]) or item["msg"])


def allowed(schema: Mapping[str, Any], loc: tuple[int | str, ...]) -> str:
    """The bounds of the key at ``loc`` in words, from the model's JSON schema; "" if it has none."""
    node: Mapping[str, Any] = schema
    for part in loc:
        # The only lists in our tables are pairs.
        node = node["prefixItems"][part] if isinstance(part, int) else node["properties"][part]
    match node:
        case {"description": text}:
            return str(text)
        case {"enum": values}:
            return " or ".join(shown(value) for value in values)
        case {"const": value}:
            return shown(value)
        case {"type": "integer", "minimum": low, "maximum": high}:
            return f"a whole number, {low} to {high}"
        case {"type": "boolean"}:
            return "true or false"
        case _:
            return ""
