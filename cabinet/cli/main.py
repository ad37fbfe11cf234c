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
from typing import NoReturn

import click

from cabinet.cli.arguments import not_utf8
from cabinet.cli.common import FAILED, HELD, WRONG, config_file, fail, state_directory
from cabinet.cli.lazy import Later, LazyGroup
from cabinet.version import version


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


def _print_version(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"cabinet {version()}")
        context.exit()


LATER = {
    "compare": Later(
        "cabinet.analysis.compare.command:compare", "How fast the game is, against standard dealing."
    ),
    "journal": Later("cabinet.cli.journal:commands", "What the journal says: check, recall, export, head."),
    "memory": Later("cabinet.cli.memory:commands", "The critical memory of a stopped cabinet."),
    "meters": Later("cabinet.cli.meters:command", "Every meter with its place, name and unit."),
    "par": Later(
        "cabinet.analysis.par.command:par", "The PAR sheet: exact odds and the best chart of a rule set."
    ),
    "rng": Later("cabinet.cli.rng:commands", "Test the random number generator and collect its output."),
    "simulate": Later(
        "cabinet.analysis.simulate.command:simulate", "Play many rounds and compare with the exact odds."
    ),
    "tickets": Later(
        "cabinet.cli.tickets:commands", "The secret key of the ticket numbers of a stopped cabinet."
    ),
}


@click.group(
    cls=LazyGroup,
    later=LATER,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
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
    from cabinet.config import ConfigError, copy_place, load
    from cabinet.config.report import report

    try:
        config = load(file, copy_place.checker(state))
    except ConfigError as error:
        fail(str(error), WRONG)
    click.echo(report(config))


@commands.command()
@click.option("--config", "config", type=config_file, required=True, help="The cabinet file.")
@click.option("--state", "state", type=state_directory, required=True, help="Where the journal is kept.")
def run(config: Path, state: Path) -> None:
    """Be a cabinet: real devices, real time, until stopped."""
    from cabinet.config import ConfigError
    from cabinet.program import field
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
    from cabinet.program import ports
    from cabinet.program.dark import darken

    try:
        missed = darken(load(config), ports.field_io())
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
