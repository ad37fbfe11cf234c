"""The rows of a state directory across its files: the chain, followed from the oldest one needed, and
questions about facts of some kinds, a slice at a time so that a commit never waits long for an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cabinet.store.chain import ChainRow, Head
from cabinet.store.directory import files
from cabinet.store.errors import JournalBroken
from cabinet.store.journal_file import FoundFact, JournalFile

SLICE_ROWS = 4096  # looked through at once: about a megabyte, a tenth of a second from a slow card


@dataclass(frozen=True, slots=True)
class Slice:
    """`found`: the newest first. Go on with `last_seq`; 0, or `missing` names the file that is not here: that
    was all."""

    found: Sequence[FoundFact]
    last_seq: int
    missing: str = ""


class FileMissing(JournalBroken):
    """A file that somebody has moved away. `name`: which."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is missing: bring it back from where it was moved to")
        self.name = name


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

    def rows(self, after_seq: int, end: Head) -> Iterator[ChainRow]:
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
            if before.seq == end.seq:
                break
        if before != end:
            raise JournalBroken(f"the rows end with {before}, the stored head is {end}", end.seq)

    def check_head(self) -> None:
        """That the stored head of the present file is its last row, at one moment. JournalBroken."""
        with self._present.still():
            self._present.check_head()

    def check_joint(self) -> None:
        """That the present file follows the one before it, if that is here and can be read: a file of another
        cabinet, or of an older copy, begins with a state that is not of this journal. JournalBroken."""
        anchor = self._present.meta().anchor
        if anchor.seq == 0:
            return
        try:
            with self.file(self._number - 1) as file:
                before = file.meta().head
        except Exception:  # noqa: BLE001 - it was moved, or is damaged: told when it is asked for something
            return
        if before != anchor:
            name = files.path_of(self._directory, self._number).name
            raise JournalBroken(
                f"{name} does not follow the file before it: one of them is not of this cabinet"
            )

    def digest_at(self, seq: int) -> str | None:
        with self._file_of(seq) as file:
            head = file.head_at(seq)
        return head.digest if head else None

    def newest_of(self, kinds: Sequence[str], last_seq: int) -> Slice:
        """The facts of these kinds among the last rows up to ``last_seq``."""
        if last_seq <= 0:
            return Slice((), 0)
        try:
            with self._file_of(last_seq - 1) as file:
                after_seq = max(file.meta().anchor.seq, last_seq - SLICE_ROWS)
                return Slice(file.newest_of(kinds, after_seq, last_seq), after_seq)
        except FileMissing as missing:
            return Slice((), last_seq, missing.name)

    def next_of(self, kinds: Sequence[str], after_seq: int) -> FoundFact | None:
        """The first fact of these kinds after a row."""
        for file in self._files_from(after_seq):
            if found := file.next_of(kinds, after_seq):
                return found
        return None

    def snapshot_before(self, schema: int, last_seq: int) -> tuple[int, bytes] | None:
        """Row number and state of the newest sound snapshot of this chain under ``schema`` that is of
        ``last_seq`` or an earlier row. None if no file that is here has one."""
        place = last_seq
        while place >= 0:
            try:
                with self._file_of(place) as file:
                    for seq, digest, state in file.snapshots(schema, last_seq):
                        head = file.head_at(seq)
                        if head is not None and head.digest == digest:
                            return seq, state
                    place = file.meta().anchor.seq - 1
            except FileMissing:
                return None
        return None

    def numbers(self) -> tuple[int, ...]:
        """The files of this journal that are here without a gap, up to the present one. A memory clear begins
        a journal of its own: what lies before it is another one."""
        first = self._number
        while (
            first > 1 and not self.begins_again(first) and files.path_of(self._directory, first - 1).exists()
        ):
            first -= 1
        return tuple(range(first, self._number + 1))

    def begins_again(self, number: int) -> bool:
        """Whether a chain begins with this file. What cannot be opened is for others to name."""
        try:
            with self.file(number) as file:
                return file.meta().anchor.seq == 0
        except Exception:  # noqa: BLE001 - damage of any kind, and SQLite's errors are not known here
            return False

    @contextmanager
    def file(self, number: int) -> Iterator[JournalFile]:
        """One of the files; for the present one the connection that is open already."""
        if number == self._number:
            yield self._present
            return
        with closing(self._archived(number)) as file:
            yield file

    def begins_after(self) -> int:
        """The row after which the files that are here begin; 0 if all are."""
        with self.file(self.numbers()[0]) as file:
            return file.meta().anchor.seq

    @contextmanager
    def _file_of(self, seq: int) -> Iterator[JournalFile]:
        """The file that holds the digest of a row, and the row after it."""
        number = self._number
        while True:
            with self.file(number) as file:
                if file.meta().anchor.seq <= seq:
                    yield file
                    return
            number -= 1

    def _files_from(self, after_seq: int) -> Generator[JournalFile, None, None]:
        """The files with the rows after ``after_seq``, oldest first."""
        number = self._number
        while True:
            with self.file(number) as file:
                if file.meta().anchor.seq <= after_seq:
                    break
            number -= 1
        for each in range(number, self._number + 1):
            with self.file(each) as file:
                yield file

    def _archived(self, number: int) -> JournalFile:
        path = files.path_of(self._directory, number)
        if not path.exists():
            raise FileMissing(path.name)
        return self._open_archived(path)
