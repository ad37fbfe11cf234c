"""What the commands share: how they end, and which options several of them have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from cabinet.cli.arguments import NamedPath

FAILED, WRONG, HELD, FOREIGN = 1, 2, 3, 4  # exit codes; see ``cabinet.cli.main``


def fail(text: str, code: int) -> NoReturn:
    for line in text.splitlines():
        click.echo(f"cabinet: {line}", err=True)
    sys.exit(code)


class _StateDirectory(NamedPath):
    """The directory of a journal; who names the journal in it is told so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        if path.is_file():
            self.fail(f"{value} is a file: give the directory that it is in.", param, ctx)
        return path


config_file = NamedPath(regular=True)
state_directory = _StateDirectory()


def directory_or_state(command: Callable[..., None]) -> Callable[..., None]:
    """DIR or --state DIR, as `directory`; None when neither is given."""

    def named(ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path | None:
        if value is not None and ctx.params.setdefault("directory", value) != value:
            raise click.UsageError("DIR and --state name two directories: give one.", ctx)
        return value

    command = click.argument(
        "directory_argument", metavar="[DIR]", required=False, type=state_directory, callback=named,
        expose_value=False,
    )(command)  # fmt: skip
    return click.option(
        "--state", "state", type=state_directory, callback=named, expose_value=False,
        help="The same as DIR: what --state of cabinet run, or of the lab, has named.",
    )(command)  # fmt: skip


def of_a_cabinet(command: Callable[..., None]) -> Callable[..., None]:
    """--config FILE and --state DIR of a stopped cabinet, both of which it must have."""
    for option in (
        click.option("--state", type=state_directory, required=True, help="Where the journal is kept."),
        click.option("--config", type=config_file, required=True, help="The cabinet file."),
    ):
        command = option(command)
    return command


def given(directory: Path | None) -> Path:
    """The directory that was named, or the end of the program."""
    if directory is None:
        raise click.UsageError(
            "Missing argument 'DIR': the state directory of a cabinet, which --state of cabinet run names.",
            click.get_current_context(),
        )
    return directory
