"""Which kinds of things a view shows: every member of every enum that stands anywhere in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum

from cabinet.core import look
from game import grid

SHOWN = tuple(
    each
    for module in (look, grid)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, Enum) and each.__module__ == module.__name__
    if each is not look.Cue  # a sound is not seen
)


def missing(views: Iterable[look.View], kinds: Iterable[type[Enum]] = SHOWN) -> set[str]:
    """Of these kinds, what none of the views shows: ``{"Scene.SERVICE"}``."""
    seen = {name for view in views for name in map(_name, _enums(view))}
    return {_name(member) for kind in kinds for member in kind} - seen


def _name(member: Enum) -> str:
    return f"{type(member).__name__}.{member.name}"


def _enums(thing: object) -> Iterator[Enum]:
    if isinstance(thing, Enum):
        yield thing
    elif isinstance(thing, (tuple, list)):
        for each in thing:
            yield from _enums(each)
    elif is_dataclass(thing) and not isinstance(thing, type):
        for field in fields(thing):
            yield from _enums(getattr(thing, field.name))
