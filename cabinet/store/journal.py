"""The journal: every fact, in order, chained, and on the disk before anybody acts on it.

SQLite with a write-ahead log and ``synchronous=FULL``: one flush to the disk per commit, and no
acknowledged row is lost when power goes. One connection writes and checkpoints (two that do could
run into SQLite's WAL-reset bug, https://www.sqlite.org/wal.html#walresetbug); readers open
``mode=ro``. After any error the connection is closed and the object is dead: a flush that failed
must not be tried again on the same file, because Linux reports a lost write only once.

A state directory holds ``lock``, ``journal-000001.db`` and the files that followed it. When a
file is large and the table is idle, the next one starts with the snapshot and the chain head; the
old one is kept and never written again. A file is built under another name and renamed when it is
whole, so a file with the right name always is.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cabinet.store import schema, sealing
from cabinet.store.chain import GENESIS, ChainRow, Entry, Head, chained
from cabinet.store.database import build, open_for_writing, open_to_look, trouble
from cabinet.store.directory import files
from cabinet.store.directory.lock import DirectoryLock
from cabinet.store.directory.owner import Owner
from cabinet.store.errors import (
    JournalBroken,
    JournalError,
    JournalLocked,
    JournalUnsafe,
    NotBegun,
    StorageError,
    os_text,
)
from cabinet.store.history import History
from cabinet.store.journal_file import Beginning, JournalFile, name_of, seal_of
from cabinet.store.sealing import Sealing
from cabinet.store.seals import Epoch, EpochKey, SnapshotName, chain_key, first_epoch
from cabinet.store.seals.chain_key import ChainKey
from cabinet.store.seals.key_files import KeyFileError

__all__ = [
    "GENESIS",
    "ChainRow",
    "Entry",
    "Head",
    "Journal",
    "JournalBroken",
    "JournalError",
    "JournalLocked",
    "JournalUnsafe",
    "StorageError",
]  # fmt: skip

ROTATE_BYTES = 32 << 20  # a check at start reads the whole file: about a second from a card
WAL_LIMIT_BYTES = 1000 * (schema.PAGE_BYTES + 24)  # bounds the write-ahead log when no idle moment comes
SNAPSHOT_LIMIT = 4 << 20  # bytes; a table of seven seats needs a hundredth of it


class Journal:
    """One state directory. ``open`` to write, ``read`` to look while the cabinet runs.

    Made on one thread and handed to the writer's: never used by two at a time.
    """

    def __init__(self, directory: Path, number: int, file: JournalFile, lock: DirectoryLock | None) -> None:
        self._directory = directory
        self._number = number
        self._file = file
        self._lock = lock
        self._rotate_bytes = ROTATE_BYTES
        self._relieve_bytes = WAL_LIMIT_BYTES  # of the write-ahead log
        self._failed = ""
        self._sealing: Sealing | None = None
        self._at_rest: os.stat_result | None = None  # of a reader: how the file was that nobody was writing
        meta = file.meta()
        self._head = meta.head
        self.previous_seq = meta.previous_seq  # the head's number before the last transaction
        self.was_clean = meta.clean  # the last stop had been asked for; True for a new journal

    @classmethod
    def open(
        cls, directory: Path, started: str = "", rotate_bytes: int = ROTATE_BYTES, *, begun: bool = False
    ) -> Journal:
        """Locks the directory, makes what is missing, checks what is there. With the key of a begun memory an
        epoch begins. ``begun``: a person must have begun the memory, nothing is made (NotBegun).

        ``started`` goes into the lock file for whoever finds it locked. Raises JournalLocked (another
        process has it), JournalUnsafe (a setting did not take), JournalBroken (damaged), StorageError
        (full, read-only, no permission), JournalStrange (not to be judged by this program).
        """
        try:
            if begun and not directory.exists():
                raise NotBegun(directory, "there is no such directory")
            files.make_directory(directory)
            lock = DirectoryLock(directory, started)
        except OSError as error:
            raise StorageError(os_text(error, directory)) from error
        try:
            journal = cls._open_newest(directory, lock, begun=begun)
        except (OSError, sqlite3.Error, KeyFileError) as error:
            lock.release()
            raise trouble(error, directory) from error
        except JournalError:
            lock.release()
            raise
        journal._rotate_bytes = rotate_bytes
        return journal

    @classmethod
    def _open_newest(cls, directory: Path, lock: DirectoryLock, *, begun: bool) -> Journal:
        files.remove_unfinished(directory)
        number = files.newest(directory)
        fresh = number == 0
        if fresh:
            if sealing.load(directory) is not None:
                raise JournalBroken("it is not here, and its key is: it was removed or moved away")
            if begun:
                raise NotBegun(directory, "there is no journal")
            number = 1
            build(directory, number, Beginning())
        file = open_for_writing(files.path_of(directory, number))
        try:
            journal = cls(directory, number, file, lock)
            file.check(thorough=not journal.was_clean)
            file.checkpoint()
            journal._sealing = sealing.take_up(directory, file, begun=begun)
            file.set_clean(False)
            journal.evolve()
        except JournalBroken as error:
            file.close()
            raise error.of_file(file.path) from error
        except BaseException:
            file.close()
            raise
        journal.was_clean |= fresh
        return journal

    @classmethod
    def read(cls, directory: Path) -> Journal:
        """Opens the newest file to look only: no lock, no checkpoint, no check of the whole file.

        Works beside the running cabinet, and on a card that is mounted read-only. A journal that nobody is
        writing is read without a trace; whether it has stayed so, ``was_left_alone`` tells afterwards.
        JournalError if it cannot be opened.
        """
        try:
            number = files.newest(directory)
            if number == 0:
                raise JournalError(f"there is no journal in {directory}: check the path")
            path = files.path_of(directory, number)
            at_rest = files.is_at_rest(path)
            before = path.stat()
            file = open_to_look(path, written=not at_rest)
            try:
                journal = cls(directory, number, file, None)
                journal._at_rest = before if at_rest else None
                return journal
            except BaseException:
                file.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise trouble(error, directory) from error

    def was_left_alone(self) -> bool:
        """For a reader: False if a cabinet has begun to write what was opened as a journal at rest, or it was
        moved away. What was read since then may be torn."""
        if self._at_rest is None:
            return True
        try:
            now = self._file.path.stat()
            same = (now.st_mtime_ns, now.st_size) == (self._at_rest.st_mtime_ns, self._at_rest.st_size)
            return same and files.is_at_rest(self._file.path)
        except (OSError, JournalError):
            return False

    @property
    def head(self) -> Head:
        """The last committed row. A reader asks the file, so it sees what the cabinet has written since."""
        if self._lock is None:
            self._must_live()
            try:
                return self._file.meta().head
            except sqlite3.Error as error:
                raise trouble(error, self._directory) from error
        return self._head

    def rows(self, after_seq: int = 0, last_seq: int | None = None) -> Iterator[ChainRow]:
        """The rows after ``after_seq``, in order, each checked against the chain, up to the present head (or
        ``last_seq``).

        Raises JournalBroken, with the first bad row, at the row where the chain breaks.
        """
        end = self.head
        last_seq = end.seq if last_seq is None else last_seq
        if not 0 <= after_seq <= last_seq <= end.seq:
            raise ValueError(f"the journal ends at row {end.seq}, asked for rows after {after_seq}")
        with self.history() as history:
            if last_seq < end.seq:
                end = Head(last_seq, history.digest_at(last_seq) or "")
            yield from history.rows(after_seq, end)

    def check_rows(self, at: Head | None, count: int) -> Head | None:
        """Reads up to `count` rows after `at` once more (None: from the beginning of the present file) and
        follows the chain. Returns how far it came, None when that was the end. JournalBroken,
        StorageError."""
        self._must_live()
        try:
            return self._file.check_rows(at, count, self._head)
        except sqlite3.Error as error:
            raise trouble(error, self._directory) from error

    def digest_at(self, seq: int) -> str | None:
        """The chain's digest at a row, None if the journal does not have it."""
        if not 0 <= seq <= self.head.seq:
            return None
        with self.history() as history:
            return history.digest_at(seq)

    @contextmanager
    def history(self) -> Iterator[History]:
        """For questions about rows in all files; what goes wrong meanwhile is named."""
        self._must_live()
        try:
            yield History(self._directory, self._number, self._file, open_to_look)
        except (OSError, sqlite3.Error) as error:
            raise trouble(error, self._directory) from error

    def commit(self, entries: Sequence[Entry]) -> Head:
        """Writes the entries in one transaction and returns the new head when they are on the disk.

        Raises ValueError before anything is written if an entry can not be stored exactly; StorageError
        if the disk refuses, and then the journal is dead: what it holds is known only after a restart.
        """
        self._must_live()
        rows, head = chained(self._head, entries)
        if not rows:
            return self._head
        db = self._file.db
        try:
            db.execute("BEGIN IMMEDIATE")
            before, digest = db.execute(schema.GET_HEAD).fetchone()
            if Head(before, digest.hex()) != self._head:
                raise sqlite3.IntegrityError("another program has written into the journal")
            if self._sealing is None:
                db.executemany(schema.ADD_FACT, rows)
            else:
                db.executemany(schema.ADD_SEALED_FACT, self._sealing.sealed(rows, head))
            db.execute(schema.SET_HEAD, (head.seq, bytes.fromhex(head.digest), before))
            db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._die(error) from error
        self.previous_seq, self._head = before, head
        return head

    def snapshot(self, number: int, seq: int, state: bytes) -> None:
        """Keeps ``state``, the fold of the rows up to ``seq``, under the schema ``number``. StorageError."""
        self._must_live()
        digest = self.digest_at(seq)
        if digest is None or len(state) > SNAPSHOT_LIMIT:
            raise ValueError(f"a snapshot is of a stored row and has up to {SNAPSHOT_LIMIT} bytes")
        checksum = seal_of(number, seq, digest, state)
        row = (number, seq, bytes.fromhex(digest), state, checksum)
        seal = None
        if self._sealing is not None:
            seal = self._sealing.snapshot(SnapshotName(number, seq, digest, checksum))
        try:
            self._file.put_snapshot(row, seal)
        except sqlite3.Error as error:
            raise self._die(error) from error

    def load_snapshot(self, number: int) -> tuple[int, bytes] | None:
        """Row number and state of the newest snapshot under the schema ``number`` that is whole and of this
        chain. None if there is none: then the state is rebuilt from the rows. Of a sealed journal that is
        being written only the one that this start has found sealed is believed."""
        with self.history() as history:
            found = history.snapshot_before(number, self.head.seq)
        if self._sealing is None or found is None:
            return found
        seq, state = found
        digest = self.digest_at(seq) or ""
        name = SnapshotName(number, seq, digest, seal_of(number, seq, digest, state))
        return found if name == self._sealing.newest else None

    def newer_snapshot(self, number: int) -> int | None:
        """The schema of the newest sound snapshot, if it is above `number`: a newer program has kept it."""
        row = self._file.newest_snapshot()
        if row is None or not isinstance(row[0], int) or row[0] <= number:
            return None
        with self.history() as history:
            return row[0] if history.snapshot_before(row[0], self.head.seq) else None

    def evolve(self) -> None:
        """The present epoch ends and its key is destroyed: nobody can seal its rows again. Nothing happens
        while it has no row, or if nothing is sealed. StorageError."""
        self._must_live()
        if self._sealing is None or self._sealing.kept.began == self._head:
            return
        now, newest = self._sealing, self._sealing.newest
        epoch = now.next_epoch(self._head)
        snapshot = (newest.seq, *now.resealed(epoch.number)) if newest is not None else None
        try:
            self._file.add_epoch(epoch, snapshot)
            now.kept = self._keep(now.following(self._head))
        except (OSError, sqlite3.Error, KeyFileError) as error:
            raise self._die(error) from error

    def _keep(self, kept: ChainKey) -> ChainKey:
        """Into the key file. KeyFileError."""
        chain_key.keep(self._directory, kept)
        return kept

    @property
    def is_sealed(self) -> bool:
        return self._sealing is not None

    def begin_seals(self, secret: bytes) -> None:
        """From here on rows are sealed, in a file of its own: for a journal of an earlier version. There must
        be a snapshot at the head. StorageError."""
        self._must_live()
        row, key = self._file.newest_snapshot(), EpochKey(0, secret)
        if self._sealing is not None or row is None or row[1] != self._head.seq:
            raise ValueError("seals begin once, with a snapshot at the head")
        try:
            self._sealing = Sealing(self._keep(ChainKey(key, self._head)), name_of(row))
            self._next_file(row, first_epoch(key, self._head), self._sealing.resealed(0))
        except (OSError, sqlite3.Error, KeyFileError) as error:
            raise self._die(error) from error

    def owner(self) -> Owner | None:
        """Whose this state directory is; None if nobody has bound it yet. JournalBroken if that has changed
        by itself."""
        self._must_live()
        try:
            return self._file.owner()
        except sqlite3.Error as error:
            raise trouble(error, self._directory) from error

    def bind(self, owner: Owner) -> None:
        """From now on it is the owner's. StorageError."""
        self._must_live()
        try:
            self._file.put_owner(owner)
        except sqlite3.Error as error:
            raise self._die(error) from error

    @property
    def rotation_due(self) -> bool:
        """The file is large: take a snapshot at the head, then call ``idle``."""
        return self._file.path.stat().st_size >= self._rotate_bytes

    def idle(self) -> None:
        """For moments without play: empties the write-ahead log into the file, and begins the next file
        if this one is large and its snapshot is of the head. StorageError."""
        self._must_live()
        try:
            emptied = self._file.checkpoint()
            row = self._file.newest_snapshot()
            if emptied and self.rotation_due and row is not None and row[1] == self._head.seq:
                self._rotate(row)
        except (OSError, sqlite3.Error, KeyFileError) as error:
            raise self._die(error) from error

    def relieve(self) -> None:
        """After a commit: a checkpoint if the write-ahead log has reached its bound. One that a reader keeps
        from finishing is not tried again after every commit: each would wait for it. StorageError."""
        self._must_live()
        try:
            if (size := self._file.wal_bytes()) >= self._relieve_bytes:
                self._relieve_bytes = WAL_LIMIT_BYTES + (0 if self._file.checkpoint() else size)
        except (OSError, sqlite3.Error) as error:
            raise self._die(error) from error

    def _rotate(self, snapshot: Any) -> None:
        """An epoch begins with each file, so that a start finds all of the open one in the newest."""
        now = self._sealing
        if now is None:
            self._next_file(snapshot)
        elif now.newest == name_of(snapshot):
            epoch = now.next_epoch(self._head)
            self._next_file(snapshot, epoch, now.resealed(epoch.number))
            now.kept = self._keep(now.following(self._head))

    def _next_file(
        self, snapshot: Any, epoch: Epoch | None = None, snapshot_seal: tuple[int, bytes] | None = None
    ) -> None:
        owner = self._file.owner()
        key = self._sealing.kept.key if self._sealing else None
        start = Beginning(
            self._head, self.previous_seq, snapshot, owner, epoch=epoch, key=key, snapshot_seal=snapshot_seal
        )
        path = build(self._directory, self._number + 1, start)
        self._file.close()
        self._file = open_for_writing(path)
        self._number += 1

    def mark_clean(self) -> None:
        """The last write of a stop that was asked for. A later commit takes the mark away. StorageError."""
        self._must_live()
        try:
            self._file.set_clean(True)
        except sqlite3.Error as error:
            raise self._die(error) from error

    def free_bytes(self) -> int:
        """Room left on the disk that holds the journal. StorageError."""
        try:
            disk = os.statvfs(self._directory)
        except OSError as error:
            raise StorageError(os_text(error, self._directory)) from error
        return disk.f_bavail * disk.f_frsize

    def close(self) -> None:
        """Closes file and lock. Marks nothing: without ``mark_clean`` the next start counts as a crash."""
        self._file.close()
        self._failed = self._failed or "the journal is closed"
        if self._lock is not None:
            self._lock.release()

    def _must_live(self) -> None:
        if self._failed:
            raise StorageError(self._failed)

    def _die(self, error: Exception) -> StorageError:
        """Closes the connection for good. The lock stays until ``close``: no other start in between."""
        self._failed = trouble(error, self._directory).text
        self._file.close()
        return StorageError(self._failed)
