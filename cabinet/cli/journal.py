"""``cabinet journal check | recall | export | head``: what the journal of a cabinet says.

Nothing is written into the state directory, and the cabinet may be running: the journal is opened to
look only, without its lock, and never checkpointed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cabinet.cli.arguments import NamedPath
from cabinet.cli.common import FAILED, WRONG, config_file, directory_or_state, fail, given

if TYPE_CHECKING:
    from cabinet.core.past.recall import RecalledRound
    from cabinet.records.check import JournalReport
    from cabinet.store.journal import Journal
    from cabinet.store.second_copy import SecondCopy

KEY_FILE_LIMIT = 10_000  # characters; a key has a hundred
EVERY_ROUNDS = 1000  # how often a long export says how far it is


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Look at a cabinet's journal. Nothing is written, the cabinet may be running."""


@contextmanager
def _opened(directory: Path | None) -> Iterator[Journal]:
    """The journal, to look at. Ends the program with one line if it cannot be read."""
    from cabinet.store.journal import Journal, JournalError

    place = given(directory)
    try:
        with closing(Journal.read(place)) as journal:
            try:
                yield journal
            finally:
                if not journal.was_left_alone():
                    fail("the cabinet was started meanwhile, what was read may be torn: ask again", FAILED)
    except JournalError as error:
        fail(error.text, FAILED)


@commands.command()
@directory_or_state
def head(directory: Path | None = None) -> None:
    """Print the number and the chain digest of the last committed fact."""
    with _opened(directory) as journal:
        with journal.history() as history:
            history.check_head()
        end = journal.head
    click.echo(f"{end.seq} {end.digest}")


# ---- check


@commands.command()
@directory_or_state
@click.option("--config", type=config_file, help="The cabinet file: its second copy is compared too.")
@click.option("--copy", type=NamedPath(regular=True), help="A second copy in a file.")
@click.option(
    "--key-file", type=NamedPath(regular=True), help="The seals' verification key in a file; - to type it in."
)
@click.option(
    "--noted",
    type=(click.IntRange(0), str),
    metavar="ROW DIGEST",
    help="What journal head has said before: is it in this chain?",
)
def check(
    config: Path | None,
    copy: Path | None,
    key_file: Path | None,
    noted: tuple[int, str] | None,
    directory: Path | None = None,
) -> None:
    """Follow the chain, fold every fact, add up the ledger, verify seals, compare snapshots and copy.

    Exit code 0: sound. 1: something is wrong, said in words.
    """
    from cabinet.records.check import check as look
    from cabinet.records.seals import SealCheck
    from cabinet.store.chain import Head

    seals = SealCheck(_verification_key(key_file))
    seals.ask(given(directory))
    with _opened(directory) as journal:
        progress = _percent() if sys.stderr.isatty() else None
        head = Head(noted[0], noted[1].lower()) if noted is not None else None
        report = look(journal, _second_copy(config, copy), progress, seals, head)
    for line in _report(report):
        click.echo(line)
    if report.findings:
        fail("\n".join(report.findings), FAILED)


def _verification_key(file: Path | None) -> bytes:
    from cabinet.store.seals import parse

    if file is None:
        return b""
    try:
        if str(file) == "-":
            return parse(sys.stdin.read(KEY_FILE_LIMIT))
        with file.open("rb") as opened:
            return parse(opened.read(KEY_FILE_LIMIT).decode("ascii", "replace"))
    except OSError as error:
        fail(f"{file}: {error.strerror or error}. Give the file with the verification key", WRONG)
    except ValueError as error:
        fail(f"{file}: {error}", WRONG)


def _second_copy(config: Path | None, copy: Path | None) -> SecondCopy | None:
    from cabinet.config import ConfigError, load
    from cabinet.config.assembly import make_second_copy
    from cabinet.program import ports
    from cabinet.store.second_copy.media import FileSecondCopy

    if copy is not None:
        if not copy.is_file():
            fail(f"{copy}: there is no such file. Give the second copy that the cabinet writes", WRONG)
        return FileSecondCopy(copy)
    if config is None:
        return None
    try:
        found = make_second_copy(load(config), ports.field_io())
    except ConfigError as error:
        fail(str(error), WRONG)
    if found is None:
        fail(f"{config} has no [second_copy]: leave --config out, or give the cabinet's own file", WRONG)
    return found


def _report(report: JournalReport) -> Iterator[str]:
    end = report.head
    yield f"files         {report.files}"
    starts, rounds = _counted(report.sessions, "start"), _counted(report.rounds, "round")
    yield f"facts         {report.facts:,}, of {starts} and {rounds}"
    yield f"chain         ends with row {end.seq:,} {end.digest}" if end else "chain         unknown"
    yield f"seals         {report.seals}"
    yield f"snapshots     {report.snapshots} compared with what the facts make"
    yield f"second copy   {report.copy or 'not asked (--config or --copy)'}"
    for note in report.notes:
        yield f"note          {note}"
    count = len(report.findings)
    found = f"{count} {'thing is' if count == 1 else 'things are'} wrong" if count else "the journal is sound"
    yield f"result        {found}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _percent() -> Callable[[int, int], None]:
    def tell(done: int, total: int) -> None:
        click.echo(f"\r{done * 100 // max(1, total):3} %", nl=False, err=True)

    return tell


# ---- recall


@commands.command()
@directory_or_state
@click.option("--round", "number", type=click.IntRange(min=1), help="Which round; the newest without it.")
@click.option("--json", "as_json", is_flag=True, help="Every field, for a program.")
@click.option("--png", type=NamedPath(dir_okay=False), help="Draw it as the table's own recall does.")
@click.option("--step", type=click.IntRange(min=1), help="With --png: an earlier moment of the round.")
def recall(
    number: int | None, as_json: bool, png: Path | None, step: int | None, directory: Path | None = None
) -> None:
    """One round with all that is known of it, finished or not."""
    from cabinet.records.lookup import recall as look
    from cabinet.records.text import round_text, round_values

    if png is None and step is not None:
        raise click.UsageError("--step is for --png FILE.", click.get_current_context())
    if png is not None and as_json:
        raise click.UsageError("--png and --json are two answers: give one.", click.get_current_context())
    if png is not None:
        _must_be_new(png, directory)
    with _opened(directory) as journal:
        record = look(journal, number or 0)
    if png is not None:
        _draw(record, png, step)
    elif as_json:
        click.echo(json.dumps(round_values(record), indent=2))
    else:
        for line in round_text(record):
            click.echo(line)


def _draw(record: RecalledRound, path: Path, step: int | None) -> None:
    from cabinet.core.past.recall import moments
    from cabinet.program.picture import picture

    if (last := moments(record)) < (step or 1):
        fail(f"round {record.number} has no step {step}: give --step 1 to {last}", WRONG)
    drawn = picture(record, step)
    try:
        with path.open("xb") as file, _nothing_half([path]):
            file.write(drawn)
            file.flush()
    except OSError as error:
        fail(_unwritable(path, error), WRONG)
    click.echo(path)


# ---- export


@commands.command()
@directory_or_state
@click.option(
    "--csv", "target", required=True, type=NamedPath(file_okay=False),
    help="An empty directory, or one that is made.",
)  # fmt: skip
def export(target: Path, directory: Path | None = None) -> None:
    """Write rounds, seats, cards, decisions and all logs as CSV."""
    from cabinet.records.export import export as write

    _must_be_new(target, directory)
    paths: list[Path] = []
    with _nothing_half(paths), _opened(directory) as journal:
        try:
            for path in write(journal, target, _rounds_done):
                paths.append(path)  # noqa: PERF402 - also those before a failure
        except OSError as error:
            fail(_unwritable(target, error), FAILED)
    for path in paths:
        click.echo(path)


def _must_be_new(target: Path, directory: Path | None) -> None:
    """What is told is written to a new place, and never among the files of a cabinet."""
    try:
        place = target.resolve()
        if directory is not None and place.is_relative_to(directory.resolve()):
            fail(f"{target} is in the state directory: nothing is written there. Give another place", WRONG)
        if not target.is_dir():
            if target.exists():
                fail(f"{target} is there already: nothing is written over. Give another name", WRONG)
        elif any(target.iterdir()):
            fail(f"{target} is not empty: nothing is written over. Give another directory", WRONG)
    except OSError as error:
        fail(_unwritable(target, error), WRONG)


def _unwritable(target: Path, error: OSError) -> str:
    return f"{target}: {error.strerror or error}. Give a place that can be written"


@contextmanager
def _nothing_half(paths: Sequence[Path]) -> Iterator[None]:
    """A file that was not finished is not left behind: it would look like a whole one."""
    try:
        yield
    except BaseException:
        for path in paths:
            with suppress(OSError):
                path.unlink()
        raise


def _rounds_done(number: int) -> Any:
    if number % EVERY_ROUNDS == 0:
        click.echo(f"round {number:,}", err=True)
