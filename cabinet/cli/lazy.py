"""A group whose commands are loaded when they are asked for, as click's documentation describes.

`cabinet --version` and a refused start are quick because of it; and a command of the mathematics, whose
libraries a cabinet does not have, says in one line what is missing.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from cabinet.cli.common import WRONG, fail
from cabinet.version import DISTRIBUTION

# Libraries of the extra `lab` that the commands of the mathematics ask for, one or the other.
MATHEMATICS = ("distributed", "matplotlib", "numba", "numpy", "scipy")


@dataclass(frozen=True, slots=True)
class Later:
    """Where a command is, ``module:attribute``, and its line in the help, for which it is not loaded."""

    place: str
    text: str


class LazyGroup(click.Group):
    """`later`: the commands that are loaded when they are asked for, by name."""

    def __init__(self, *args: Any, later: Mapping[str, Later], **options: Any) -> None:
        super().__init__(*args, **options)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self._later})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (later := self._later.get(cmd_name)) is None:
            return super().get_command(ctx, cmd_name)
        return _load(f"{ctx.command_path} {cmd_name}", later)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:  # a library that is loaded when the work begins
            _tell_missing(f"{ctx.command_path} {ctx.invoked_subcommand}", error)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in self.list_commands(ctx):
            if (later := self._later.get(name)) is not None:
                rows.append((name, later.text))
            elif (command := super().get_command(ctx, name)) is not None and not command.hidden:
                rows.append((name, command.get_short_help_str(formatter.width)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _load(asked: str, later: Later) -> click.Command:
    module, _, attribute = later.place.partition(":")
    try:
        command: click.Command = getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name and error.name != "cabinet" and f"{module}.".startswith(f"{error.name}."):
            fail(f"{asked} is not part of this package", WRONG)
        _tell_missing(asked, error)
        raise
    return command


def _tell_missing(asked: str, error: ModuleNotFoundError) -> None:
    """Ends the program if it is a library of the mathematics that is missing."""
    missing = (error.name or "").partition(".")[0]
    if missing in MATHEMATICS:
        how = f"pip install '{DISTRIBUTION}[lab]'"
        fail(f"{asked} needs {missing}, which is not installed; the extra lab has it: {how}", WRONG)
