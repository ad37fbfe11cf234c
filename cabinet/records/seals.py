"""The seals of a journal, looked at from outside: which rows have them, and, with the verification key,
whether they are what the cabinet made when it made the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cabinet.store.chain import Head
from cabinet.store.errors import JournalBroken, JournalError
from cabinet.store.history import History
from cabinet.store.journal_file import JournalFile
from cabinet.store.seals import Epoch, EpochKey, chain_key, same
from cabinet.store.seals.chain_key import ChainKey

EPOCHS_MAX = 10_000_000  # 280 years of quarters of an hour; more is damage, and would be counted for ever


@dataclass(frozen=True, slots=True)
class EpochRows:
    """Rows of one epoch; `epoch` None: they are not sealed."""

    first: int
    last: int
    epoch: int | None


def stretches(history: History) -> Iterator[EpochRows]:
    """All rows that are here, in order. JournalBroken."""
    numbers = history.numbers()
    with history.file(numbers[0]) as file:
        at = file.meta().anchor.seq
    epochs: dict[int, Epoch] = {}
    for number in numbers:
        with history.file(number) as file:
            end = file.meta().head.seq
            epochs |= {epoch.number: epoch for epoch in file.epochs()}
    begins = sorted((epoch.began.seq, number) for number, epoch in epochs.items())
    epoch: int | None = None
    for began, number in begins:
        if at < began:
            yield EpochRows(at + 1, min(began, end), epoch)
        at, epoch = max(at, began), number
    if at < end:
        yield EpochRows(at + 1, end, epoch)


@dataclass(slots=True)
class SealCheck:
    """Fed with the files of a journal, the oldest first. `secret`: the verification key, b"" without it."""

    secret: bytes = b""
    findings: list[tuple[str, int, str]] = field(default_factory=list)  # file, row, what
    notes: list[str] = field(default_factory=list)
    _last: Epoch | None = None
    _first: Epoch | None = None
    _sealed: int = 0  # the last row with a seal
    _head: int = 0
    _name: str = ""
    _before: Epoch | None = None  # the epoch in which the present file begins
    _key: EpochKey | None = None  # the newest that was needed
    _present: ChainKey | None = None

    def ask(self, directory: Path) -> None:
        """What the cabinet holds now. Before the journal is read: its epochs only grow."""
        try:
            self._present = chain_key.load(directory)
            if self._present is None:
                self.notes.append("without keys/chain nobody can tell whether the sealed end was cut off")
        except JournalError as error:
            self.notes.append(f"the key of the present epoch is not read: {error.text}")

    def file(self, file: JournalFile) -> None:
        """Seals and epochs of one file. JournalBroken."""
        self._name, meta = file.path.name, file.meta()
        self._head = meta.head.seq
        epochs, self._before = file.epochs(), self._last
        for epoch in epochs:
            self._epoch(file, epoch)
        self._rows(file, meta.anchor.seq, epochs)
        if self.secret:
            self._snapshots(file)

    def _epoch(self, file: JournalFile, epoch: Epoch) -> None:
        if epoch.began.seq <= self._head and epoch.began.seq >= file.meta().anchor.seq:
            found = file.head_at(epoch.began.seq)
            if found != epoch.began:
                self._wrong(epoch.began.seq, f"epoch {epoch.number} began with another row than is there")
        if self._last is not None and epoch.number != self._last.number + 1:
            self._wrong(epoch.began.seq, f"epoch {epoch.number} follows epoch {self._last.number}")
        elif self._last is not None and epoch.began.seq < self._last.began.seq:
            self._wrong(epoch.began.seq, f"epoch {epoch.number} begins before the one before it")
        self._first = self._first or epoch
        self._last = epoch
        if not self.secret:
            return
        if epoch.number and not same(epoch.closed, self._key_of(epoch.number - 1).closing(epoch.began)):
            self._wrong(epoch.began.seq, f"the closing seal of epoch {epoch.number - 1} is not of this key")
        if not same(epoch.opened, self._key_of(epoch.number).opening(epoch.began)):
            self._wrong(epoch.began.seq, f"the opening seal of epoch {epoch.number} is not of this key")

    def _rows(self, file: JournalFile, after_seq: int, epochs: list[Epoch]) -> None:
        """The first seal that is wrong is told; there may be thousands."""
        ahead, epoch = list(epochs), self._before
        for seq, digest, number, seal in file.seals(after_seq, self._head):
            while ahead and ahead[0].began.seq < seq:
                epoch = ahead.pop(0)
            if epoch is None or number != epoch.number:
                self._wrong(seq, f"it is sealed in epoch {number}, and belongs to {epoch and epoch.number}")
                return
            if self.secret and not same(seal, self._key_of(epoch.number).row(Head(seq, digest))):
                self._wrong(seq, f"its seal is not of epoch {epoch.number} of this key")
                return
            self._sealed = seq

    def _snapshots(self, file: JournalFile) -> None:
        for name, number, seal in reversed(list(file.snapshot_seals())):
            if name.seq > self._head or number is None:
                continue
            if not isinstance(number, int) or not same(seal, self._key_of(number).snapshot(name)):
                self._wrong(name.seq, "the snapshot's seal is not of this key")

    def end(self) -> str:
        """After the last file: what there is to say in one line."""
        if self._last is None or self._first is None:
            if self.secret:
                self._wrong(self._head, "no row is sealed: there is nothing that the key could verify")
            return "no row is sealed"
        began = self._last.began.seq
        if self._head > began and self._sealed != self._head:
            self._wrong(self._head, "the last rows are not sealed")
        self._compare_present(self._last)
        if self._first.number == 0 and self._first.began.seq:
            self.notes.append(f"rows 1 to {self._first.began.seq:,} are unsealed: of an earlier version")
        said = "verified" if self.secret else "not verified (--key-file)"
        first = self._first.began.seq + 1
        return f"from row {first:,} on, epochs {self._first.number} to {self._last.number}: {said}"

    def _compare_present(self, last: Epoch) -> None:
        if self._present is None:
            return
        number = self._present.key.number
        if last.number < number:
            what = f"the journal ends in epoch {last.number}, the cabinet is in {number}: its end was cut off"
            self._wrong(self._head, what)
        if self.secret and self._key_of(number) != self._present.key:
            self._wrong(self._head, "the key in keys/chain does not come from this verification key")

    def _key_of(self, number: int) -> EpochKey:
        """Going forward costs one step; going back begins again."""
        if not 0 <= number <= EPOCHS_MAX:
            raise JournalBroken(f"there is no epoch {number}")
        if self._key is None or self._key.number > number:
            self._key = EpochKey(0, self.secret)
        while self._key.number < number:
            self._key = self._key.next()
        return self._key

    def _wrong(self, seq: int, what: str) -> None:
        self.findings.append((self._name, seq, what))
