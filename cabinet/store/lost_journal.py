"""In place of a journal that cannot be opened: it holds the directory's lock, and nothing else.

So the cabinet can still say what is wrong, on its screen and with its lamps, and show what the second
copy knows. Nothing is read from it and every commit fails.
"""

from __future__ import annotations

from pathlib import Path

from cabinet.store.chain import GENESIS, Head
from cabinet.store.directory.lock import DirectoryLock
from cabinet.store.errors import StorageError, os_text
from cabinet.store.journal import Journal


class AbsentJournal(Journal):
    """For a disk that does not give even the lock: nothing is touched. `why`: what is wrong with it."""

    def __init__(self, directory: Path, why: str) -> None:
        self._directory = directory
        self._lock = None
        self._head = GENESIS
        self._failed = why
        self.previous_seq = 0
        self.was_clean = False

    @property
    def head(self) -> Head:
        return self._head

    def close(self) -> None:
        """There is nothing to let go of."""


class LostJournal(Journal):
    """`why`: what is wrong with the real one."""

    def __init__(self, directory: Path, started: str, why: str) -> None:
        """Raises JournalLocked, StorageError."""
        try:
            self._lock = DirectoryLock(directory, started)
        except OSError as error:
            raise StorageError(os_text(error, directory)) from error
        self._directory = directory
        self._head = GENESIS
        self._failed = why
        self.previous_seq = 0
        self.was_clean = False

    def close(self) -> None:
        assert self._lock is not None
        self._lock.release()
