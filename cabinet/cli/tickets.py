"""``cabinet tickets show | new-key | house-key | export | import``: the key of the ticket numbers.

For a technician, with the cabinet stopped. Who changes or exports a key stands at the open logic area with
the service key turned, and types the machine number; a passphrase is typed and never an argument.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from cabinet import passphrase
from cabinet.cli.arguments import NamedPath
from cabinet.cli.common import FAILED, HELD, WRONG, fail, of_a_cabinet
from cabinet.cli.presence import must_mean_it, must_stand_there
from cabinet.config import Config, ConfigError, load
from cabinet.rng import kernel
from cabinet.store.directory.files import newest
from cabinet.store.directory.lock import DirectoryLock
from cabinet.store.errors import JournalError, JournalLocked, os_text
from cabinet.tickets import keys, sealed
from cabinet.tickets.keys import KEY_BYTES, KeyKind, TicketKey

AFTER = "the next start of the cabinet takes it, and the log of settings tells of it"
_file = NamedPath(dir_okay=False)


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """The secret key that ticket numbers are made with."""
    passphrase.keep_out_of_core_files()


def _confirmed(command: Callable[..., None]) -> Callable[..., None]:
    text = "The machine number, instead of typing it in when asked."
    return of_a_cabinet(click.option("--confirm", default="", help=text)(command))


@commands.command()
@of_a_cabinet
def show(config: Path, state: Path) -> None:
    """Which key the cabinet has: its kind, and a check value that is equal for equal keys."""
    _config(config)
    with _stopped(state):
        key = keys.load(state)
    click.echo(key.label if key is not None else "no key: no ticket is printed")


@commands.command("new-key")
@_confirmed
def new_key(config: Path, state: Path, confirm: str) -> None:
    """Draw a new key of the cabinet's own: after the old one was lost, or may be known to somebody."""
    _replace(config, state, confirm, lambda: TicketKey(kernel(KEY_BYTES), KeyKind.OWN))


@commands.command("house-key")
@_confirmed
def house_key(config: Path, state: Path, confirm: str) -> None:
    """Draw a key for all cabinets of the house, and take it into use here."""
    _replace(config, state, confirm, lambda: TicketKey(kernel(KEY_BYTES), KeyKind.HOUSE))
    click.echo("export it for the other cabinets: cabinet tickets export FILE")


@commands.command("export")
@_confirmed
@click.argument("file", type=_file)
def export_key(config: Path, state: Path, file: Path, confirm: str) -> None:
    """Write the house key into FILE, sealed under a passphrase. The cabinet's own key never leaves it."""
    cabinet = _config(config)
    with _stopped(state):
        key = keys.load(state)
        if key is None or key.kind is not KeyKind.HOUSE:
            fail(
                "this cabinet has no house key, and its own never leaves it: cabinet tickets house-key", WRONG
            )
        must_stand_there(cabinet)
        must_mean_it(cabinet, confirm, "export the house key")
        data = sealed.seal(key, passphrase.chosen("Passphrase for the file"), kernel)
        _write_new(file, data)
    click.echo(f"sealed in {file}: {key.label}. Without the passphrase it is worth nothing")


@commands.command("import")
@_confirmed
@click.argument("file", type=_file)
def import_key(config: Path, state: Path, file: Path, confirm: str) -> None:
    """Take the house key from FILE. Each cabinet of the house must have a machine id of its own."""
    try:
        with file.open("rb") as opened:
            data = opened.read(sealed.LARGEST)
    except OSError as error:
        fail(os_text(error, file), WRONG)

    def unsealed() -> TicketKey:
        try:
            return sealed.unseal(data, passphrase.typed("Passphrase of the file"))
        except sealed.SealError as error:
            fail(f"{file}: {error}", WRONG)

    _replace(config, state, confirm, unsealed)


def _replace(config: Path, state: Path, confirm: str, make: Callable[[], TicketKey]) -> None:
    cabinet = _config(config)
    with _stopped(state):
        must_stand_there(cabinet)
        must_mean_it(cabinet, confirm, "change the key of the ticket numbers")
        key = make()
        keys.keep(state, key)
    click.echo(f"{key.label}: {AFTER}")


def _config(file: Path) -> Config:
    try:
        return load(file)
    except ConfigError as error:
        fail(str(error), WRONG)


@contextmanager
def _stopped(state: Path) -> Iterator[None]:
    """The state directory of a cabinet that does not run, locked meanwhile."""
    try:
        if not state.is_dir() or not newest(state):
            fail(f"there is no journal in {state}: check the path", WRONG)
        lock = DirectoryLock(state, "cabinet tickets")
    except JournalLocked as error:
        fail(error.text, HELD)
    except JournalError as error:
        fail(error.text, FAILED)
    except OSError as error:
        fail(os_text(error, state), FAILED)
    try:
        yield
    except JournalError as error:
        fail(error.text, FAILED)
    finally:
        lock.release()


def _write_new(file: Path, data: bytes) -> None:
    """A file that was not there before: nothing is written over, and no link is followed."""
    try:
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(fd)
    except FileExistsError:
        fail(f"{file} is there already: give another name", WRONG)
    except OSError as error:
        fail(os_text(error, file), FAILED)
