"""Tables that a person writes: models with bounds, and reading that tells every mistake at once.

A model is a `TableModel`. Its fields bound themselves with `msgspec.Meta`: limits, a pattern, and a
``description`` of what is allowed where the limits do not say it. End a pattern with ``\\Z``: ``$`` lets a
line feed through. A subclass says ``frozen=True, kw_only=True`` again, for the type checker.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import repeat
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import msgspec
from msgspec.structs import fields

NEAR = 0.7  # how much of two names is alike when one is taken for a slip of the other
SHOWN_MOST = 80  # characters of what was found
fields_of = cache(fields)  # a model is looked at once, however many tables are read by it
UNKNOWN = "an unknown key"
GIVEN = "it must be given"


class Wrong(NamedTuple):
    """One mistake: where in its table it stands, what was found there and what is allowed."""

    at: tuple[str, ...]
    found: str
    allowed: str

    @property
    def key(self) -> str:
        """``inputs."seat1.hit"``: as TOML has it."""
        return ".".join(f'"{part}"' if "." in part else part for part in self.at) or "table"


class TableModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the models: no unknown keys, no quiet conversions ("5" is not 5)."""

    @classmethod
    def across(cls, table: Mapping[str, object]) -> list[Wrong]:
        """What types and limits cannot say, above all between keys. Also asked of a table with mistakes."""
        return []


def read(model: type[TableModel], table: Mapping[str, object]) -> tuple[dict[str, Any], list[Wrong]]:
    """The values of a table that are right by themselves, with the defaults of what it leaves out, and
    everything that is wrong in it. With nothing wrong the values make a model."""
    known = {field.name: field for field in fields_of(model)}
    right, wrong = {}, []
    for name, field in known.items():
        if name in table:
            found = list(_mistakes(field.type, table[name], (name,)))
            wrong += found
            if not found:
                right[name] = msgspec.convert(table[name], field.type)
        elif field.required:
            wrong.append(Wrong((name,), "nothing", _words(field.type) or GIVEN))
        else:
            right[name] = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    for key in table:
        if key not in known:
            near = did_you_mean(key, known)
            wrong.append(Wrong((key,), UNKNOWN, f"{near}one of {', '.join(sorted(known))}"))
    return right, list(dict.fromkeys(wrong + model.across(table)))


def _mistakes(kind: Any, value: object, at: tuple[str, ...]) -> Iterator[Wrong]:
    """What is wrong in a value, entry by entry where it is a list or a table."""
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    parts, wrong_inside = get_args(bare), False
    entries: Iterable[tuple[Any, str, object]] = ()
    if get_origin(bare) is tuple and isinstance(value, (list, tuple)):
        kinds = repeat(parts[0]) if parts[1:] == (...,) else parts
        pairs = enumerate(zip(kinds, value, strict=False))
        entries = ((of, str(place), entry) for place, (of, entry) in pairs)
    elif get_origin(bare) is dict and isinstance(value, Mapping):
        entries = ((parts[1], str(key), entry) for key, entry in value.items())
    for of, place, entry in entries:
        for row in _mistakes(of, entry, (*at, place)):
            wrong_inside = True
            yield row
    if wrong_inside:
        return
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        found = "a table" if isinstance(value, Mapping) else shown(value)
        yield Wrong(at, found, _words(kind) or str(error))


def _words(kind: Any) -> str:
    """What is allowed for a type, from its JSON schema; "" if that says too little."""
    schema = msgspec.json.schema(kind)
    while "$ref" in schema:
        schema = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    match schema:
        case {"description": text}:
            return str(text)
        case {"enum": values}:
            return " or ".join(shown(value) for value in values)
        case {"type": "integer", "minimum": low, "maximum": high}:
            return f"a whole number, {low} to {high}"
        case {"type": "integer", "minimum": low}:
            return f"a whole number, {low} or more"
        case {"type": "integer"}:
            return "a whole number"
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "string"} if "pattern" not in schema:
            return "a text"
        case _:
            return ""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """``did you mean "dealt"? `` for a name that is near to one of `names`; "" if it is near to none."""
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=NEAR)
    return f'did you mean "{near[0]}"? ' if near else ""


def shown(value: object) -> str:
    """What was found, about as it would stand in the file. What is long is cut; a long list is only named."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)  # `default`: the dates and times of TOML
    except ValueError:  # Python writes no number of more than 4,300 figures
        return "a number of thousands of figures"
    if len(text) <= SHOWN_MOST:
        return text
    return "a list" if isinstance(value, (list, tuple)) else text[: SHOWN_MOST - 3] + "..."
