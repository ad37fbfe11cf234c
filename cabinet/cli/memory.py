"""``cabinet memory begin | show | code | clear | bind``: for a technician, with the cabinet stopped.

A clear and a binding ask for what only somebody at the machine has: the open logic area, the service key,
and the machine number typed in. A clear asks for the clear code too, which stands nowhere at the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from cabinet import passphrase
from cabinet.cli.common import FAILED, HELD, WRONG, fail, of_a_cabinet
from cabinet.cli.presence import must_mean_it, must_stand_there
from cabinet.config import CheckCopy, Config, ConfigError, copy_place, load
from cabinet.config.assembly import make_second_copy
from cabinet.core.facts import MemoryBegun
from cabinet.memory import (
    access as memory_access,
)
from cabinet.memory import (
    begin as memory_begin,
)
from cabinet.memory import (
    check as memory,
)
from cabinet.memory import (
    clear as memory_clear,
)
from cabinet.program import ports
from cabinet.program.runtime import RealClock
from cabinet.rng import kernel
from cabinet.store.directory.owner import Owner
from cabinet.store.errors import JournalError, JournalLocked
from cabinet.store.seals import seals
from cabinet.store.second_copy import SecondCopyError, SlottedCopy
from cabinet.store.second_copy import nonce as nonces
from cabinet.tickets import keys as ticket_keys

STARTED = "cabinet memory"
NEW_CODE = "New clear code"
LOOK_ALONE = (
    "on a computer that is not the cabinet, look at the journal alone: memory show with a copy of the cabinet"
    " file from which the table [second_copy] is taken out"
)
SAID_LIMIT = 200  # characters of a name or a reason


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Begin the critical memory of a stopped cabinet, look at it, clear it."""
    passphrase.keep_out_of_core_files()


@commands.command()
@of_a_cabinet
@click.option("--who", required=True, help="Who begins it: stands in its first fact.")
@click.option("--why", required=True, help="Why, for example: new cabinet.")
def begin(config: Path, state: Path, who: str, why: str) -> None:
    """Begin the memory of a new card: choose its clear code, see the verification key of its journal once."""
    cabinet, copy = _cabinet(config, copy_place.checker(state, same_disk=True))
    for said in (who.strip(), why.strip()):
        if not 0 < len(said) <= SAID_LIMIT or not said.isprintable():
            fail(f"say who begins the memory and why, each in up to {SAID_LIMIT} letters", WRONG)
    must_stand_there(cabinet)
    with _failures_end():
        code = "" if memory_access.has_code(state) else passphrase.chosen(NEW_CODE)

        def first(directory: Path) -> None:
            ticket_keys.begin(directory, kernel)
            if code:
                memory_access.set_code(directory, code, kernel)

        secret = memory_begin.begin(
            state,
            MemoryBegun(0, who.strip(), why.strip()),
            wall_ms=RealClock().wall_ms(),
            draw=kernel,
            copy=copy,
            board=memory.board_of(memory.BOARD_FILE),
            machine_id=cabinet.cabinet.machine_id,
            started=STARTED,
            first=first,
        )
        if code and not memory_access.has_code(state):  # a journal from before the seals was gone on with
            memory_access.set_code(state, code, kernel)
    click.echo(f"begun: {state}")
    _hand_over(secret)


def _hand_over(secret: bytes) -> None:
    """The only time that the key is seen."""
    click.echo("the verification key of the journal, shown now and never again, and kept nowhere here:")
    click.echo(f"    {seals.shown(secret)}")
    click.echo(
        "write it down and keep it away from the cabinet: cabinet journal check --key-file (docs/trust.md)"
    )


@commands.command()
@of_a_cabinet
def show(config: Path, state: Path) -> None:
    """Both copies side by side, and whose they are. Changes nothing."""
    cabinet, copy = _cabinet(config)
    with _examined(state, copy) as known:
        fact = memory_clear.cleared(known)
        for line in memory_clear.report(known, cabinet, fact, _wall(), clearing=False):
            click.echo(line)
        for line in known.foreign:
            click.echo(f"FOREIGN: {line}")
        sound = "the copies agree" if copy is not None else "no second copy is fitted; the journal is whole"
        click.echo(f"LOCKED: {known.trouble}" if known.trouble else sound)


@commands.command()
@of_a_cabinet
@click.option("--confirm", default="", help="The machine number, instead of typing it in when asked.")
@click.option("--new-machine-id", is_flag=True, help="The machine id of the cabinet file was never used.")
def clear(config: Path, state: Path, confirm: str, new_machine_id: bool) -> None:
    """Write all meters down, then begin the memory again. Credits are not carried over."""
    cabinet, copy = _cabinet(config)
    with _examined(state, copy) as known:
        machine_id = cabinet.cabinet.machine_id
        if why := memory_clear.refusal(known, machine_id, is_new_id=new_machine_id):
            fail(why, WRONG)
        must_stand_there(cabinet)
        _must_know_the_code(state)
        fact = memory_clear.cleared(known)
        lines = list(memory_clear.report(known, cabinet, fact, _wall()))
        for line in lines:
            click.echo(line)
        kept = memory_clear.keep_report(state, lines)
        click.echo(f"written to {kept}")
        must_mean_it(cabinet, confirm, "clear the memory")
        medium = kernel(nonces.NONCE_BYTES).hex() if copy is not None else ""
        owner = Owner(memory.board_of(memory.BOARD_FILE), medium, machine_id)
        secret = kernel(seals.KEY_BYTES)
        head = memory_clear.clear(state, fact, owner, RealClock().wall_ms(), copy, secret)
        click.echo(f"cleared: the journal begins again ({head.digest[:16]}), tickets after {fact.sequence}")
        click.echo("start the cabinet and turn the service key: until then it is out of play")
        _hand_over(secret)


@commands.command()
@of_a_cabinet
def code(config: Path, state: Path) -> None:
    """Choose the clear code, or another one: a memory clear asks for it. Keep it away from the cabinet."""
    cabinet, copy = _cabinet(config)
    with _examined(state, copy):
        must_stand_there(cabinet)
        if memory_access.has_code(state):
            _must_know_the_code(state)
        memory_access.set_code(state, passphrase.chosen(NEW_CODE), kernel)
    click.echo("kept: without it nobody clears this memory, and nothing shows it again")


@commands.command()
@of_a_cabinet
@click.option("--confirm", default="", help="The machine number, instead of typing it in when asked.")
def bind(config: Path, state: Path, confirm: str) -> None:
    """After a repair: take a new board, or a new second copy, for this state directory. Never both."""
    cabinet, copy = _cabinet(config)
    with _examined(state, copy) as known:
        if not known.foreign:
            click.echo("nothing to do: the state directory is of this board and this second copy")
            return
        if known.trouble:
            fail(known.trouble, WRONG)
        if copy is None or len(known.foreign) > 1:
            why = "nothing is left that says whose it is: cabinet memory clear"
            fail("\n".join((*known.foreign, why)), WRONG)
        must_stand_there(cabinet)
        for line in known.foreign:
            click.echo(line)
        must_mean_it(cabinet, confirm, "take it for this cabinet")
        medium, trouble = memory.ask(copy)
        if trouble:
            fail(trouble, FAILED)
        if not medium:
            medium = kernel(nonces.NONCE_BYTES).hex()
            nonces.write(copy.medium, medium)
        known.journal.bind(Owner(memory.board_of(memory.BOARD_FILE), medium, cabinet.cabinet.machine_id))
        click.echo("bound: start the cabinet")


def _cabinet(
    file: Path, check_copy: CheckCopy = lambda _file, _copy: ()
) -> tuple[Config, SlottedCopy | None]:
    try:
        config = load(file, check_copy)
    except ConfigError as error:
        fail(str(error), WRONG)
    return config, make_second_copy(config, ports.field_io())


@contextmanager
def _examined(state: Path, copy: SlottedCopy | None) -> Iterator[memory_clear.Known]:
    """What both copies say, with the directory locked meanwhile."""
    with _failures_end():
        known = memory_clear.examine(state, STARTED, copy, memory.board_of(memory.BOARD_FILE))
        try:
            yield known
        finally:
            if known.journal.was_clean:
                known.journal.mark_clean()  # a look is no crash
            known.journal.close()


@contextmanager
def _failures_end() -> Iterator[None]:
    """What goes wrong ends the program with its words."""
    try:
        yield
    except JournalLocked as error:
        fail(error.text, HELD)
    except (JournalError, SecondCopyError) as error:
        fail(str(error), FAILED)
    except memory_clear.SilentCopy as error:
        fail(f"{error}\n{LOOK_ALONE}", WRONG)
    except memory_clear.Refused as error:
        fail(str(error), WRONG)


def _must_know_the_code(state: Path) -> None:
    """The second secret: neither key nor contact, and nothing that can be read at the machine."""
    if not memory_access.has_code(state):
        fail("no clear code has been chosen for this cabinet: cabinet memory code", WRONG)
    if not memory_access.is_code(state, passphrase.typed("Clear code")):
        fail("that is not the clear code: nothing was changed", WRONG)


def _wall() -> str:
    """Local wall time, for people."""
    wall = datetime.fromtimestamp(RealClock().wall_ms() / 1000, UTC)
    return wall.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
