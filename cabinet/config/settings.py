"""The settings of a cabinet as names and texts: what the log of changes lays side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from msgspec import to_builtins

from cabinet.config.file import Config
from cabinet.store.directory.owner import Owner
from cabinet.tickets.keys import SETTING
from game.rules import written


def settings_of(
    config: Config, version: str, ticket_key: str = "", owner: Owner | None = None
) -> tuple[tuple[str, str], ...]:
    """Everything that the cabinet file and its rule set say, by name and in order, the program's version,
    which key makes the ticket numbers (its kind and check value), and the board and the second copy that this
    is played on: a memory that was played on another board says so in its own log.
    An option that the file leaves out is not in it: its default belongs to the version."""
    here = {SETTING: ticket_key}
    if owner is not None:
        here |= {"memory.board": owner.board, "memory.second_copy": owner.medium[:8]}
    return tuple(sorted((*_settings(config, version), *((k, v) for k, v in here.items() if v))))


def _settings(config: Config, version: str) -> Iterator[tuple[str, str]]:
    yield "program.version", version
    for key, value in to_builtins(config.cabinet).items():
        yield f"cabinet.{key}", written(value)
    for field in fields(config.rules):
        yield f"rules.{field.name}", written(getattr(config.rules, field.name))
    if config.second_copy is not None:
        for key, value in to_builtins(config.second_copy).items():
            yield f"second_copy.{key}", written(value)
    for device in config.devices:
        yield f"{device.table}.driver", written(device.driver)
        if device.seats:
            yield f"{device.table}.seats", written(device.seats)
        for key, value in device.options.items():
            yield from _option(f"{device.table}.{key}", value)


def _option(name: str, value: object) -> Iterator[tuple[str, str]]:
    """A table of options (the lines of a panel) is one setting per entry."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _option(f"{name}.{key}", inner)
    else:
        yield name, written(value)
