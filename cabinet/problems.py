"""A thing that is wrong in a file that a person wrote, and how to say it.

Shared by everything that reads the cabinet file and the rule set: a problem always names the
file, the table and the key, what was found there and what is allowed. All problems of a file are
collected before any is shown, so a technician mends a file in one go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

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


def shown(value: object) -> str:
    """What was found, about as it would stand in the file; long values are cut."""
    text = json.dumps(value, ensure_ascii=False, default=str)  # `default`: the dates and times of TOML
    return text if len(text) <= 80 else text[:77] + "..."


def of_validation(error: ValidationError, model: type[BaseModel], file: str, table: str) -> Iterator[Problem]:
    """One problem for each thing that pydantic found in ``table``."""
    schema = model.model_json_schema()
    for item in error.errors(include_url=False, include_context=False):
        key = ".".join(str(part) for part in item["loc"])
        kind = item["type"]
        known = sorted(schema.get("properties", {}))
        if kind == "extra_forbidden":
            yield Problem(file, table, key, "an unknown key", "one of " + ", ".join(known))
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
