"""The rows of a state directory across its files: the chain, followed from the oldest one needed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path

from cabinet.store import files
from cabinet.store.chain import Head, Row
from cabinet.store.errors import JournalBroken
from cabinet.store.journal_file import JournalFile


class History:
    """The present file, which somebody else opens and closes, and the ones before it.

    ``open_archived`` opens one of those. What it and the connections raise passes through.
    """

    def __init__(
        self,
        directory: Path,
        number: int,
        present: JournalFile,
        open_archived: Callable[[Path], JournalFile],
    ) -> None:
        self._directory = directory
        self._number = number
        self._present = present
        self._open_archived = open_archived

    def rows(self, after_seq: int, end: Head) -> Iterator[Row]:
        """The rows after ``after_seq`` up to ``end``. JournalBroken at the first that does not follow."""
        before: Head | None = None
        for file in self._files_from(after_seq):
            meta = file.meta()
            before = before or file.head_at(after_seq)
            if before is None:
                raise JournalBroken("the row is missing", after_seq)
            if before.seq > after_seq and before != meta.anchor:
                raise JournalBroken(f"{file.path.name} does not follow the file before it", before.seq)
            for row in file.rows(before, min(end.seq, meta.head.seq)):
                before = Head(row.seq, row.digest)
                yield row
        if before != end:
            raise JournalBroken(f"the rows end with {before}, the stored head is {end}", end.seq)

    def digest_at(self, seq: int) -> str | None:
        with closing(self._files_from(seq)) as found:
            head = next(found).head_at(seq)
        return head.digest if head else None

    def _files_from(self, after_seq: int) -> Generator[JournalFile, None, None]:
        """The files with the rows after ``after_seq``, oldest first."""
        anchor_seq = self._present.meta().anchor.seq
        number = self._number
        while anchor_seq > after_seq:
            number -= 1
            with closing(self._archived(number)) as file:
                anchor_seq = file.meta().anchor.seq
        for older in range(number, self._number):
            with closing(self._archived(older)) as file:
                yield file
        yield self._present

    def _archived(self, number: int) -> JournalFile:
        path = files.path_of(self._directory, number)
        if not path.exists():
            raise JournalBroken(f"{path.name} is missing: bring it back from where it was moved to")
        return self._open_archived(path)
