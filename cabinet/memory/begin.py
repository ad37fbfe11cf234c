"""A new memory: what may be begun, by whom and why, and the key that the operator keeps.

A directory without a journal could be a new card, or one whose journal somebody has removed. So a start makes
nothing: a technician begins the memory, its first fact says who and why, and the verification key of the
chain is shown once. A second copy that knows of a journal is proof that one is missing.

A journal of a version without seals is gone on with: its rows stay as they are, and what follows is sealed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cabinet.core.facts import MemoryBegun, encode
from cabinet.core.state import State
from cabinet.core.state.fold import after
from cabinet.memory.check import ask
from cabinet.memory.clear import Refused
from cabinet.records.replay import restore, snapshot, totals
from cabinet.store.database import begin_again
from cabinet.store.directory.files import make_directory, newest, too_open
from cabinet.store.directory.lock import DirectoryLock
from cabinet.store.directory.owner import Owner
from cabinet.store.errors import JournalBroken, StorageError, os_text
from cabinet.store.journal import Entry, Journal
from cabinet.store.seals import KEY_BYTES
from cabinet.store.second_copy import SlottedCopy
from cabinet.store.second_copy import nonce as nonces

Draw = Callable[[int], bytes]


def begin(
    directory: Path,
    fact: MemoryBegun,
    *,
    wall_ms: int,
    draw: Draw,
    copy: SlottedCopy | None,
    board: str,
    machine_id: int,
    started: str,
    first: Callable[[Path], None] = lambda _directory: None,
) -> bytes:
    """The verification key of what has been begun. `draw` gives random bytes. `first`: what else a new memory
    begins with. Refused; JournalError, SecondCopyError: after either the same may be done again."""
    entry = Entry(*encode(fact), at_ms=0, wall_ms=wall_ms)
    secret = draw(KEY_BYTES)
    try:
        make_directory(directory)
        if why := too_open(directory):
            raise Refused(why)
        if newest(directory):
            _go_on(directory, started, entry, secret)
            return secret
        lock = DirectoryLock(directory, started)
    except OSError as error:
        raise StorageError(os_text(error, directory)) from error
    try:
        medium = _blank(copy, draw)
        first(directory)
        head = begin_again(directory, Owner(board, medium, machine_id), [entry], secret)
        if copy is not None:
            copy.renew(head, totals(after(State(), fact)))
    finally:
        lock.release()
    return secret


def _blank(copy: SlottedCopy | None, draw: Draw) -> str:
    """The number of a second copy that knows of no journal; "" if none is fitted."""
    if copy is None:
        return ""
    medium, silent = ask(copy)
    if silent:
        raise Refused(f"{silent}. Mend it first, or take it out of the cabinet file")
    record = copy.read()
    if record is not None:
        raise Refused(
            f"the second copy knows of a journal with {record.head.seq} rows: bring that state directory"
            " back. If it is lost: cabinet memory clear, which goes on with the numbers that the copy knows"
        )
    if not medium:
        medium = draw(nonces.NONCE_BYTES).hex()
        nonces.write(copy.medium, medium)
    return medium


def _go_on(directory: Path, started: str, entry: Entry, secret: bytes) -> None:
    """Begin the seals of a journal from before them."""
    journal = Journal.open(directory, started)
    try:
        if journal.is_sealed:
            raise Refused(
                f"a memory has been begun in {directory} already: cabinet journal check says when. If power"
                " went before its verification key was seen, nobody has that key: cabinet memory clear makes"
                " a new one"
            )
        restored = restore(journal)
        if why := restored.damage or restored.trouble:
            raise Refused(f"{why}: what is not sound is not gone on with; cabinet memory clear")
        was_clean = journal.was_clean
        snapshot(restored.state)(journal)
        journal.begin_seals(secret)
        journal.commit([entry])
        if was_clean:
            journal.mark_clean()
    except JournalBroken as error:
        raise Refused(error.text) from error
    finally:
        journal.close()
