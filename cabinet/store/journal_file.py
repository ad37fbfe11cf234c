"""One journal file, seen through a connection that somebody else opened: its head, its rows, its checks.

It runs SQL and knows no SQLite: errors of the connection pass through untouched, journal.py names them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cabinet.store import schema
from cabinet.store.chain import GENESIS, ChainRow, Entry, Head, link, packed
from cabinet.store.directory.owner import Owner
from cabinet.store.errors import JournalBroken, JournalStrange, JournalUnsafe
from cabinet.store.seals import Epoch, EpochKey, SnapshotName

_BATCH_ROWS = 512  # read at once: short reads do not hold up a checkpoint


class Cursor(Protocol):
    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class Database(Protocol):
    """What is used of a database connection in autocommit mode."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor: ...

    def executemany(self, sql: str, parameters: Sequence[Sequence[Any]], /) -> Cursor: ...

    def executescript(self, sql: str, /) -> Cursor: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Meta:
    anchor: Head
    head: Head
    previous_seq: int
    clean: bool


@dataclass(frozen=True, slots=True)
class FoundFact:
    """One fact, looked up by its kind."""

    seq: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a journal file begins with."""

    anchor: Head = GENESIS
    previous_seq: int = 0
    snapshot: tuple[object, ...] | None = None
    owner: Owner | None = None
    entries: Sequence[Entry] = ()  # the first rows after the anchor
    epoch: Epoch | None = None  # begins with the file
    key: EpochKey | None = None  # of the epoch: seals the entries
    snapshot_seal: tuple[int, bytes] | None = None


class JournalFile:
    """One file behind one connection. Every call may also raise sqlite3.Error."""

    def __init__(self, path: Path, db: Database) -> None:
        self.path = path
        self.db = db
        self._wal = f"{path}-wal"

    def meta(self) -> Meta:
        row = self.db.execute(schema.GET_META).fetchone()
        if row is not None and isinstance(row[0], int) and row[0] > schema.FORMAT:
            raise JournalStrange(
                f"{self.path.name} was written by another version of the program (format {row[0]}, this one"
                f" reads up to {schema.FORMAT}): install that version"
            )
        if row is None or row[0] not in schema.READABLE:
            raise JournalBroken(f"{self.path.name} is not a journal of format {schema.FORMAT}")
        _, anchor_seq, anchor_digest, head_seq, head_digest, previous_seq, clean = row
        if not isinstance(previous_seq, int):
            raise JournalBroken(f"{self.path.name} does not say what was before its last transaction")
        return Meta(_head(anchor_seq, anchor_digest), _head(head_seq, head_digest), previous_seq, clean == 1)

    def head_at(self, seq: int) -> Head | None:
        anchor = self.meta().anchor
        if seq == anchor.seq:
            return anchor
        row = self.db.execute(schema.GET_DIGEST, (seq,)).fetchone()
        return _head(seq, row[0]) if row else None

    def rows(self, before: Head, last_seq: int) -> Iterator[ChainRow]:
        """The rows after ``before`` to ``last_seq``; JournalBroken at the first that does not follow."""
        seq, digest = before.seq, bytes.fromhex(before.digest)
        while batch := self.db.execute(schema.GET_FACTS, (seq, last_seq, _BATCH_ROWS)).fetchall():
            for number, kind, body, at_ms, wall_ms, stored in batch:
                seq += 1
                if number != seq:
                    raise JournalBroken(f"the row is missing, the next one is {number}", seq)
                entry, stored = _entry(seq, kind, body, at_ms, wall_ms), _head(seq, stored)
                try:
                    digest = link(digest, seq, packed(entry))
                except ValueError as error:
                    raise JournalBroken(f"{error}: it was never committed like this", seq) from None
                if digest.hex() != stored.digest:  # the body is not told: a ticket's number may stand in it
                    raise JournalBroken(
                        f"{kind!r} gives the digest {digest.hex()}, the stored one is {stored.digest}", seq
                    )
                yield ChainRow(seq, entry, stored.digest)

    def newest_of(self, kinds: Sequence[str], after_seq: int, last_seq: int) -> list[FoundFact]:
        """The facts of these kinds after one row and up to another, the newest first. Not checked."""
        parameters = (after_seq, last_seq, *kinds)
        rows = self.db.execute(schema.newest_of(len(kinds)), parameters).fetchall()
        return [FoundFact(seq, _entry(seq, *rest)) for seq, *rest in rows]

    def next_of(self, kinds: Sequence[str], after_seq: int) -> FoundFact | None:
        """The first fact of these kinds after a row. Not checked."""
        row = self.db.execute(schema.next_of(len(kinds)), (after_seq, *kinds)).fetchone()
        return FoundFact(row[0], _entry(*row)) if row else None

    def put_snapshot(self, row: Sequence[object], seal: tuple[int, bytes] | None = None) -> None:
        """Keeps (schema, seq, digest, state, checksum); in a file of format 1 in place of the one before.
        `seal`: its epoch and seal."""
        if seal is not None:
            self.db.execute(schema.PUT_SEALED_SNAPSHOT, (*row, *seal))
            return
        old = self.db.execute("SELECT format FROM meta").fetchone()[0] == 1
        self.db.execute(schema.PUT_ONLY_SNAPSHOT if old else schema.PUT_SNAPSHOT, row)

    # ---- seals

    def has_seals(self) -> bool:
        """Whether the file has a place for them."""
        return bool(self.db.execute("SELECT format FROM meta").fetchone()[0] >= schema.SEALS_FROM)

    def epochs(self) -> list[Epoch]:
        rows = self.db.execute(schema.GET_EPOCHS).fetchall() if self.has_seals() else []
        return [_epoch(row) for row in rows]

    def last_epoch(self) -> Epoch | None:
        row = self.db.execute(schema.GET_LAST_EPOCH).fetchone() if self.has_seals() else None
        return _epoch(row) if row else None

    def add_epoch(self, epoch: Epoch, snapshot: tuple[int, int, bytes] | None = None) -> None:
        """In one transaction with the newest snapshot's (row, epoch, seal)."""
        began = epoch.began
        row = (epoch.number, began.seq, bytes.fromhex(began.digest), epoch.closed, epoch.opened)
        self.db.execute("BEGIN IMMEDIATE")
        self.db.execute(schema.ADD_EPOCH, row)
        if snapshot is not None:
            seq, number, seal = snapshot
            self.db.execute(schema.SEAL_SNAPSHOT, (number, seal, seq))
        self.db.execute("COMMIT")

    def seals(self, after_seq: int, last_seq: int) -> Iterator[tuple[int, str, object, object]]:
        """(row, its digest, epoch, seal) of each row that has a seal. Not checked."""
        if not self.has_seals():
            return
        while batch := self.db.execute(schema.GET_SEALS, (after_seq, last_seq, _BATCH_ROWS)).fetchall():
            for seq, digest, number, seal in batch:
                yield seq, _head(seq, digest).digest, number, seal
                after_seq = seq

    def snapshot_seals(self) -> Iterator[tuple[SnapshotName, object, object]]:
        """(name, epoch, seal) of each snapshot, the newest first. Not checked."""
        rows = self.db.execute(schema.GET_SNAPSHOT_SEALS).fetchall() if self.has_seals() else []
        for number, seq, digest, checksum, epoch, seal in rows:
            if not isinstance(number, int) or not isinstance(checksum, bytes):
                raise JournalBroken("a snapshot is stored as something else", seq)
            yield SnapshotName(number, seq, _head(seq, digest).digest, checksum), epoch, seal

    def newest_seal(self) -> tuple[SnapshotName, object, object] | None:
        return next(self.snapshot_seals(), None)

    def is_whole(self, name: SnapshotName) -> bool:
        """Whether the checksum of a snapshot is over its state."""
        row = self.db.execute(schema.GET_SNAPSHOT, (name.schema, name.seq)).fetchone()
        return row is not None and row[0] == name.seq and _is_sealed(name.schema, *row)

    # ---- snapshots

    def newest_snapshot(self) -> Any:
        """(schema, seq, digest, state, seal) of the newest, None if there is none."""
        return self.db.execute(schema.GET_NEWEST_SNAPSHOT).fetchone()

    def snapshot_rows(self) -> Iterator[tuple[int, int, bool]]:
        """(row number, schema, whether it is as it was sealed) of each snapshot, in order."""
        for seq, number in self.db.execute("SELECT seq, schema FROM snapshot ORDER BY seq").fetchall():
            row = self.db.execute(schema.GET_SNAPSHOT, (number, seq)).fetchone()
            yield seq, number, _is_sealed(number, *row)

    @contextmanager
    def still(self) -> Iterator[None]:
        """What is read meanwhile is of one moment, though the cabinet goes on writing."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("ROLLBACK")

    def snapshots(self, number: int, last_seq: int) -> Iterator[tuple[int, str, bytes]]:
        """Row number, digest and state of the sound snapshots under schema `number` up to a row, the newest
        first. Whether they are of this chain is for the caller to see."""
        while row := self.db.execute(schema.GET_SNAPSHOT, (number, last_seq)).fetchone():
            seq, digest, state, seal = row
            if _is_sealed(number, seq, digest, state, seal):
                yield seq, digest.hex(), state
            last_seq = seq - 1

    def check_rows(self, at: Head | None, count: int, head: Head) -> Head | None:
        """Up to `count` rows after `at`, read again; the file must end with `head`. None: it was the end."""
        self.db.execute("PRAGMA shrink_memory").fetchall()  # the pages that SQLite keeps are not the disk's
        meta = self.meta()
        if meta.head != head:
            raise JournalBroken(f"the stored head is {meta.head}, it was {head}", head.seq)
        if at is None or at.seq < meta.anchor.seq:  # a new pass, or the next file has begun
            at = meta.anchor
        last_seq = min(at.seq + count, head.seq)
        for row in self.rows(at, last_seq):
            at = Head(row.seq, row.digest)
        if at.seq != last_seq or (last_seq == head.seq and at != head):
            raise JournalBroken(f"the rows end with {at}, the stored head is {head}", head.seq)
        return None if last_seq == head.seq else at

    def check(self, thorough: bool) -> None:
        """SQLite's own check, and that the stored head is the last row. JournalBroken."""
        pragma = "integrity_check" if thorough else "quick_check"
        found = [str(row[0]) for row in self.db.execute(f"PRAGMA {pragma}(5)").fetchall()]
        if found != ["ok"]:
            raise JournalBroken("; ".join(" ".join(line.split()) for line in found))
        for kind, name, sql in self.db.execute(schema.GET_ADDED).fetchall():
            if sql not in schema.TRIGGERS:  # it could drop or change what is about to be committed
                raise JournalBroken(f"it holds the {kind} {name!r}, which this program has not made")
        self.check_head()

    def check_head(self) -> None:
        """That the stored head is the last row. JournalBroken."""
        meta = self.meta()
        row = self.db.execute(schema.GET_LAST).fetchone()
        last = _head(*row) if row else meta.anchor
        if last != meta.head:
            raise JournalBroken(f"the rows end with {last}, the stored head is {meta.head}", meta.head.seq)

    def owner(self) -> Owner | None:
        if not self.db.execute(schema.HAS_OWNER).fetchone()[0]:
            return None
        row = self.db.execute(schema.GET_OWNER).fetchone()
        if row is None:
            return None
        board, medium, machine_id, seal = row
        known = isinstance(board, str) and isinstance(medium, str) and isinstance(machine_id, int)
        owner = Owner(board, medium, machine_id) if known else None
        if owner is None or owner.seal != seal:
            raise JournalBroken("the row that says whose journal this is has changed by itself")
        return owner

    def put_owner(self, owner: Owner) -> None:
        self.db.executescript(schema.OWNER_TABLE)
        row = (owner.board, owner.medium, owner.machine_id, owner.seal)
        self.db.execute(schema.PUT_OWNER, row)

    def set_clean(self, clean: bool) -> None:
        self.db.execute(schema.SET_CLEAN, (int(clean),))

    def checkpoint(self) -> bool:
        """Moves the write-ahead log into the file. False if a reader kept it from finishing."""
        self.db.execute(f"PRAGMA busy_timeout = {schema.CHECKPOINT_BUSY_MS}").fetchall()
        row = self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self.db.execute(f"PRAGMA busy_timeout = {schema.BUSY_MS}").fetchall()
        return bool(row[0] == 0)

    def wal_bytes(self) -> int:
        try:
            return os.stat(self._wal).st_size  # noqa: PTH116 - after every commit: no path is made for it
        except FileNotFoundError:
            return 0

    def close(self) -> None:
        self.db.close()


def _head(seq: object, digest: object) -> Head:
    """What a bit at rest may turn into another type is looked at before it is used. JournalBroken."""
    if not isinstance(seq, int) or not isinstance(digest, bytes):
        raise JournalBroken("a digest is stored as something else", seq if isinstance(seq, int) else None)
    return Head(seq, digest.hex())


def _epoch(row: Sequence[Any]) -> Epoch:
    """JournalBroken."""
    number, seq, digest, closed, opened = row
    whole = isinstance(number, int) and isinstance(opened, bytes) and isinstance(closed, bytes | None)
    if not whole:
        raise JournalBroken("an epoch is stored as something else")
    return Epoch(number, _head(seq, digest), closed, opened)


def _entry(seq: int, kind: object, body: object, at_ms: object, wall_ms: object) -> Entry:
    """The same of a fact. JournalBroken."""
    if (
        isinstance(kind, str)
        and isinstance(body, str)
        and isinstance(at_ms, int)
        and isinstance(wall_ms, int)
    ):
        return Entry(kind, body, at_ms, wall_ms)
    raise JournalBroken("it is stored as something else than a fact", seq)


def _is_sealed(number: int, seq: int, digest: object, state: object, seal: object) -> bool:
    if not isinstance(digest, bytes) or not isinstance(state, bytes):
        return False
    return seal == seal_of(number, seq, digest.hex(), state)


def name_of(row: Sequence[Any]) -> SnapshotName:
    """Of (schema, seq, digest, state, checksum)."""
    number, seq, digest, _state, checksum = row
    return SnapshotName(number, seq, digest.hex(), checksum)


def seal_of(number: int, seq: int, digest: str, state: bytes) -> bytes:
    """The checksum over a snapshot."""
    return hashlib.sha256(f"{number} {seq} {digest} ".encode() + state).digest()


def settle(db: Database, pragmas: Sequence[tuple[str, object]]) -> None:
    """Sets each pragma and reads it back. JournalUnsafe names the first that did not take; JournalBroken if
    the file's own description of its tables cannot be read: SQLite's words about that may be no text."""
    try:
        _settle(db, pragmas)
        db.execute(schema.HAS_OWNER).fetchone()  # what is read at first use is read here
    except UnicodeDecodeError as error:
        raise JournalBroken(f"the description of its tables is damaged ({error.reason})") from error


def _settle(db: Database, pragmas: Sequence[tuple[str, object]]) -> None:
    for name, wanted in pragmas:
        db.execute(f"PRAGMA {name} = {wanted}").fetchall()
        row = db.execute(f"PRAGMA {name}").fetchone()
        if row is None or row[0] != wanted:
            answer = "nothing" if row is None else repr(row[0])
            raise JournalUnsafe(
                f"SQLite did not take {name}={wanted}, it answered {answer}: check the disk, then restart"
            )
