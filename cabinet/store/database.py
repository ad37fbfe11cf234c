"""Opens journal files and makes them: the only place besides journal.py that knows SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from cabinet.store import schema
from cabinet.store.chain import GENESIS, Entry, Head, chained
from cabinet.store.directory import files
from cabinet.store.directory.owner import Owner
from cabinet.store.errors import JournalBroken, JournalError, StorageError, os_text, result_text
from cabinet.store.journal_file import Beginning, JournalFile, settle
from cabinet.store.sealing import Sealing
from cabinet.store.seals import EpochKey, chain_key, first_epoch
from cabinet.store.seals.chain_key import ChainKey
from cabinet.store.seals.key_files import KeyFileError


def _open(path: Path, mode: str, pragmas: Sequence[tuple[str, object]]) -> JournalFile:
    """Opens a file with its settings. sqlite3.Error, or JournalUnsafe if one did not take."""
    address = f"file:{quote(str(path.absolute()))}?{mode}"
    db = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    try:
        settle(db, pragmas)
    except BaseException:
        db.close()
        raise
    return JournalFile(path, db)


def open_for_writing(path: Path) -> JournalFile:
    """Opens a journal file, and makes the name of its write-ahead log durable: SQLite does that too,
    before the first commit, but says nothing when it fails."""
    try:
        file = _open(path, "mode=rw", schema.WRITER_PRAGMAS)
        try:
            file.meta()
            files.sync_directory(path.parent)
        except BaseException:
            file.close()
            raise
    except sqlite3.Error as error:
        raise trouble(error, path) from error
    except JournalBroken as error:
        raise error.of_file(path) from error
    return file


def open_to_look(path: Path, written: bool = False) -> JournalFile:
    """Opens a file that the cabinet may be writing at the same time (`written`); or one that is whole without
    its write-ahead log and is not written any more: that leaves no trace."""
    return _open(path, "mode=ro" if written else "mode=ro&immutable=1", schema.READER_PRAGMAS)


def begin_again(directory: Path, owner: Owner | None, entries: Sequence[Entry], secret: bytes) -> Head:
    """A chain of its own in the next file, with `entries` as its first rows, sealed from `secret` on: for a
    new memory and for a memory clear. Files before it stay and belong to no journal any more. The caller
    holds the lock. The key is there first: power that goes between it and the file leaves a directory
    that a start refuses, and the same is done again. StorageError."""
    key = EpochKey(0, secret)
    start = Beginning(owner=owner, entries=entries, epoch=first_epoch(key, GENESIS), key=key)
    try:
        files.remove_unfinished(directory)
        chain_key.keep(directory, ChainKey(key, GENESIS))
        path = build(directory, files.newest(directory) + 1, start)
        with closing(open_to_look(path)) as file:
            return file.meta().head
    except (OSError, sqlite3.Error, KeyFileError) as error:
        raise trouble(error, directory) from error


def build(directory: Path, number: int, start: Beginning) -> Path:
    """Makes a whole journal file; durable under its name when this returns."""
    with closing(_open(directory / files.BUILDING, "mode=rwc", schema.WRITER_PRAGMAS)) as file:
        rows, head = chained(start.anchor, start.entries)
        anchor, digest = bytes.fromhex(start.anchor.digest), bytes.fromhex(head.digest)
        file.db.executescript(f"BEGIN IMMEDIATE; {schema.TABLES} COMMIT;")
        meta = (schema.FORMAT, start.anchor.seq, anchor, head.seq, digest, start.previous_seq)
        file.db.execute(schema.NEW_META, meta)
        if start.epoch is None or start.key is None:
            file.db.executemany(schema.ADD_FACT, rows)
        else:
            file.add_epoch(start.epoch)
            if rows:
                began = ChainKey(start.key, start.anchor)
                file.db.executemany(schema.ADD_SEALED_FACT, Sealing(began, None).sealed(rows, head))
        if start.snapshot is not None:
            file.put_snapshot(start.snapshot, start.snapshot_seal)
        if start.owner is not None:
            file.put_owner(start.owner)
        if not file.checkpoint():
            raise sqlite3.OperationalError("a program reads a journal file that is being made")
    return files.publish(directory, number)


def trouble(error: Exception, place: Path) -> JournalError:
    """The error to raise for a failed call: storage if SQLite or the system says so, else damage."""
    if isinstance(error, OSError):
        return StorageError(os_text(error, place))
    if isinstance(error, KeyFileError):
        return StorageError(error.text)
    name = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
    text = result_text(name, str(error), place, files.refusal)
    if text:
        return StorageError(text)
    broken = JournalBroken(f"{error} ({name})")
    return broken.of_file(place) if place.suffix == ".db" else broken
