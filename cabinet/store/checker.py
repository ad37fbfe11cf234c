"""What is stored is read again while the table plays, a slice at a time: a bit that flips at rest is found
before the next start needs it.

The writer thread calls ``step`` when it has nothing else to do. The rows of the present journal file are
followed along the chain from its beginning to its end, over and over; now and then both slots of the
second copy are compared with what this session has written, and a slot that differs is written again. Older
files are checked whenever they are read (recall, export).

How long a bit stays unseen: one pass over the file, `ROWS` rows every `PAUSE_S`; 100,000 rows, as many as a
file holds, take 13 minutes. The system may still answer from its own memory what the card has lost
meanwhile; a start reads the card.
"""

from __future__ import annotations

from dataclasses import dataclass

from cabinet.store.chain import Head
from cabinet.store.errors import JournalBroken, StorageError
from cabinet.store.journal import Journal
from cabinet.store.second_copy import SecondCopyError, SlottedCopy

PAUSE_S = 0.5
ROWS = 64  # a slice: some milliseconds, so that no frame and no commit waits for it
COPY_EVERY = 20  # slices: ten seconds
FREE_BYTES = 64 << 20  # two journal files: below this the disk is told to be full before it is


@dataclass(frozen=True, slots=True)
class Finding:
    """What a slice has found. Each text is "" when there is nothing of its kind."""

    broken: str = ""  # a row is not what was committed
    storage: str = ""  # the disk does not give it, or has hardly any room
    repaired: str = ""  # a slot of the second copy has been written again
    copy: str = ""  # it could not be


class Checker:
    def __init__(self, copy: SlottedCopy | None = None) -> None:
        self._copy = copy
        self._at: Head | None = None  # the last row that has been read again
        self._steps = 0
        self.passes = 0  # over the whole file

    def step(self, journal: Journal, written: tuple[Head, bytes] | None) -> Finding | None:
        """One slice. `written` is what the second copy was given last in this session."""
        self._steps += 1
        if self._steps % COPY_EVERY == 0:
            return self._check_copy(written) or _room(journal)
        try:
            self._at = journal.check_rows(self._at, ROWS)
        except JournalBroken as error:
            return Finding(broken=error.text)
        except StorageError as error:
            return Finding(storage=error.text)
        self.passes += self._at is None
        return None

    def _check_copy(self, written: tuple[Head, bytes] | None) -> Finding | None:
        if self._copy is None or written is None:
            return None
        try:
            altered = self._copy.altered()
            if not altered:
                return None
            self._copy.renew(*written)
        except SecondCopyError as error:
            return Finding(copy=str(error))
        return Finding(repaired=f"{altered}: written again")


def _room(journal: Journal) -> Finding | None:
    try:
        free = journal.free_bytes()
    except StorageError as error:
        return Finding(storage=error.text)
    if free >= FREE_BYTES:
        return None
    return Finding(storage=f"the disk is nearly full ({free >> 20} MB left): free space, then restart")
