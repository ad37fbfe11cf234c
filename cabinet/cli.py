"""The command line: ``cabinet check-config | run | dark | lab | journal | meters | memory | tickets | rng |
par | simulate | compare``.

Nothing heavy is imported before a command needs it, so that `cabinet --version` and a refused
start are quick. Whatever goes wrong is said on standard error, one line for each thing.

Exit codes: 0 done, 1 the program failed, 2 what was asked for is wrong (arguments, cabinet file,
a part that is not installed), 3 another process holds the state directory, 4 the state directory is
another cabinet's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from cabinet.arguments import NamedPath, not_utf8

FAILED, WRONG, HELD, FOREIGN = 1, 2, 3, 4
_DISTRIBUTION = "common-hand-cabinet"


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Entry point of the console script. Always ends in SystemExit."""
    args = sys.argv[1:] if args is None else args
    if wrong := not_utf8(args):
        fail(wrong, WRONG)
    try:
        code = commands.main(args, prog_name="cabinet", standalone_mode=False)
    except click.ClickException as error:
        asked = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "cabinet"
        fail(f"{error.format_message()} Try: {asked} --help", WRONG)
    except click.Abort:  # Ctrl-C
        sys.exit(130)
    sys.exit(code)


def fail(text: str, code: int) -> NoReturn:
    for line in text.splitlines():
        click.echo(f"cabinet: {line}", err=True)
    sys.exit(code)


def version() -> str:
    from importlib import metadata

    return metadata.version(_DISTRIBUTION)


def _print_version(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"cabinet {version()}")
        context.exit()


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
        help="Where the journal is kept; the same as DIR.",
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
            "Missing argument 'DIR': the state directory of a cabinet.", click.get_current_context()
        )
    return directory


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Say which."
)
def commands() -> None:
    """The Common-Hand Blackjack cabinet."""


@commands.command("check-config")
@click.argument("file", type=config_file)
@click.option(
    "--state", "state", type=state_directory, help="The state directory: is the second copy elsewhere?"
)
def check_config(file: Path, state: Path | None) -> None:
    """Read a cabinet file and say what it means, or everything that is wrong with it."""
    from cabinet import copy_place
    from cabinet.config import ConfigError, load
    from cabinet.config_report import report

    try:
        config = load(file)
        if found := copy_place.problems(config, state):
            raise ConfigError(found)
    except ConfigError as error:
        fail(str(error), WRONG)
    click.echo(report(config))


@commands.command()
@click.option("--config", "config", type=config_file, required=True, help="The cabinet file.")
@click.option("--state", "state", type=state_directory, required=True, help="Where the journal is kept.")
def run(config: Path, state: Path) -> None:
    """Be a cabinet: real devices, real time, until stopped."""
    from cabinet import field
    from cabinet.config import ConfigError
    from cabinet.store.errors import JournalError, JournalLocked

    try:
        code = field.run(config, state)
    except ConfigError as error:
        fail(str(error), WRONG)
    except JournalLocked as error:
        fail(str(error), HELD)
    except JournalError as error:
        fail(str(error), FAILED)
    sys.exit(code)


@commands.command()
@click.option("--config", "config", type=config_file, required=True, help="The cabinet file.")
def dark(config: Path) -> None:
    """Switch off every lamp and coil of a stopped cabinet. The service manager runs it after each end."""
    from cabinet.config import ConfigError, load
    from cabinet.dark import darken
    from cabinet.field import field_io

    try:
        missed = darken(load(config), field_io())
    except ConfigError as error:
        fail(str(error), WRONG)
    if missed:
        fail("\n".join(missed), FAILED)


class _PassedOn(click.Command):
    """A command whose arguments are somebody else's: none is looked at, not even --help or --."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["args"] = tuple(args)
        return []


@commands.command(cls=_PassedOn)
def lab(args: tuple[str, ...]) -> None:
    """The cabinet against simulated devices (not part of the field package)."""
    import importlib

    try:  # by its name, because the field package has no such module
        entry: Callable[[list[str]], int] = importlib.import_module("cabinet.lab.main").main
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("cabinet.lab"):
            raise
        fail("the lab is not installed: it is left out of the field package on purpose", WRONG)
    sys.exit(entry(list(args)))


# Libraries of the extra `lab` that the commands of the mathematics ask for, one or the other.
_MATHEMATICS = ("distributed", "matplotlib", "numba", "numpy", "scipy")


def _mathematics(name: str, place: str, text: str) -> None:
    """A command of ``cabinet.analysis``: `place` is its module and the click command in it."""

    @commands.command(name, cls=_PassedOn, help=text)
    def passed_on(args: tuple[str, ...]) -> None:
        import importlib

        module, _, attribute = place.partition(":")
        try:
            entry: click.Command = getattr(importlib.import_module(module), attribute)
            entry.main(list(args), prog_name=f"cabinet {name}", standalone_mode=False)
        except ModuleNotFoundError as error:
            if error.name in ("cabinet.analysis", module):
                fail(f"cabinet {name} is not part of this package", WRONG)
            missing = (error.name or "").partition(".")[0]
            if missing not in _MATHEMATICS:
                raise
            how = f"pip install '{_DISTRIBUTION}[lab]'"
            fail(
                f"cabinet {name} needs {missing}, which is not installed; the extra lab has it: {how}", WRONG
            )


_mathematics("par", "cabinet.analysis.par:par", "The PAR sheet: exact odds and the best chart of a rule set.")
_mathematics(
    "simulate", "cabinet.analysis.simulate:simulate", "Play many rounds and compare with the exact odds."
)
_mathematics("compare", "cabinet.analysis.compare:compare", "How fast the game is, against standard dealing.")


@commands.command(cls=_PassedOn)
def rng(args: tuple[str, ...]) -> None:
    """Test the random number generator and collect its output."""
    from cabinet.rng_cli import commands as rng_commands

    rng_commands.main(list(args), prog_name="cabinet rng", standalone_mode=False)


@commands.command(cls=_PassedOn)
def meters(args: tuple[str, ...]) -> None:
    """Print every meter with its place, name and unit."""
    from cabinet.meters_cli import command
    from cabinet.store.errors import JournalError

    try:
        command.main(list(args), prog_name="cabinet meters", standalone_mode=False)
    except JournalError as error:
        fail(str(error), FAILED)


@commands.command(cls=_PassedOn)
def memory(args: tuple[str, ...]) -> None:
    """Look at the critical memory of a stopped cabinet, and clear it."""
    from cabinet.memory_cli import commands as memory_commands

    memory_commands.main(list(args), prog_name="cabinet memory", standalone_mode=False)


@commands.command(cls=_PassedOn)
def tickets(args: tuple[str, ...]) -> None:
    """The secret key of the ticket numbers of a stopped cabinet: its own, or the house's."""
    from cabinet.tickets.cli import commands as ticket_commands

    ticket_commands.main(list(args), prog_name="cabinet tickets", standalone_mode=False)


@commands.command(cls=_PassedOn)
def journal(args: tuple[str, ...]) -> None:
    """Look at a cabinet's journal: check, recall, export. Nothing is written, the cabinet may be running."""
    from cabinet.journal_cli import commands as journal_commands

    journal_commands.main(list(args), prog_name="cabinet journal", standalone_mode=False)
