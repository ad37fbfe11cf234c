"""Is a journal what it should be? Every file, every row, every fact, and what amounts to what.

Nothing is written, and the cabinet may be running: each file is looked at as it was at one moment.
A finding says in words what is wrong, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec

from cabinet.core.facts import UnknownFactError, decode
from cabinet.core.state import SCHEMA, State, identity
from cabinet.core.state.fold import after
from cabinet.core.state.ledger import FactRefusedError
from cabinet.formats import stamp
from cabinet.records.replay import SNAPSHOT_DECODER, totals
from cabinet.records.seals import SealCheck
from cabinet.store.chain import ChainRow, Head
from cabinet.store.errors import JournalBroken, JournalError
from cabinet.store.journal import Journal
from cabinet.store.journal_file import JournalFile, Meta
from cabinet.store.second_copy import CopyRecord, CopyVerdict, SecondCopy, SecondCopyError, judge

Progress = Callable[[int, int], None]  # rows looked at, rows in all

_VERDICTS = {
    CopyVerdict.MISSING: "it has no whole record, though the journal has rows: it is new or has failed; the"
    " next commit writes it",
    CopyVerdict.AHEAD: "it knows rows that the journal does not have: the journal has lost rows. Do not play"
    " on; keep this directory as it is and look for its newest copy",
    CopyVerdict.DIFFERS: "it has another chain for the same row: it is of another cabinet, or the journal was"
    " changed. Do not play on before that is cleared up",
}


@dataclass(slots=True)
class JournalReport:
    """`findings`: what is wrong; `notes`: what is good to know. No findings: the journal is sound."""

    files: int = 0
    facts: int = 0
    rounds: int = 0
    sessions: int = 0
    snapshots: int = 0
    head: Head | None = None
    seals: str = ""  # which rows have them, and whether they were verified
    copy: str = ""  # how the second copy compares; "" when there was none to ask
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(
    journal: Journal,
    copy: SecondCopy | None = None,
    progress: Progress | None = None,
    seals: SealCheck | None = None,
    noted: Head | None = None,
) -> JournalReport:
    """Looks at everything in a journal that was opened to read. `seals`: with the verification key, and asked
    before the journal was opened. `noted`: a head that somebody has noted down. JournalError only if nothing
    can be read."""
    checker = _Checker(journal, progress or (lambda _done, _all: None), seals or SealCheck())
    record = checker.ask(copy)  # first: it is written after the journal, so it is never ahead of it
    checker.files()
    if copy is not None:
        checker.compare(record)
    if noted is not None:
        checker.must_have(noted)
    return checker.report


class _Checker:
    def __init__(self, journal: Journal, progress: Progress, seals: SealCheck) -> None:
        self.report = JournalReport()
        self._seals = seals
        self._journal = journal
        self._progress = progress
        self._state: State | None = None  # None: it cannot be known from here on
        self._head: Head | None = None  # of the file before
        self._totals: tuple[int, bytes] | None = None  # of the row that the second copy is of
        self._copy_seq = -1
        self._strange = 0  # snapshots

    # ---- files

    def files(self) -> None:
        with self._journal.history() as history:
            numbers = history.numbers()
            again = history.begins_again(numbers[0])
        self.report.files = len(numbers)
        if numbers[0] > 1:
            why = "are of before a memory clear" if again else "are not here"
            self.report.notes.append(f"files 1 to {numbers[0] - 1} {why}: what is said goes for the others")
        if numbers[0] == 1 or again:
            self._state = State()
        for number in numbers:
            name = f"journal-{number:06}.db"
            try:
                with self._journal.history() as history, history.file(number) as file:
                    self._file(file)
            except JournalBroken as error:
                self._wrong(name, error.seq, error.what)
                self._state = None
            except JournalError as error:
                self._wrong(name, None, error.text)
                self._state = None
        self.report.head = self._head
        self.report.seals = self._seals.end()
        for name, seq, what in self._seals.findings:
            self._wrong(name, seq, what)
        self.report.notes += self._seals.notes
        if self._strange:
            self.report.notes.append(
                f"{self._strange} snapshots are of another version of the program: they were not compared"
            )
        if self._state is not None and (why := identity.trouble(self._state)):
            self.report.findings.append(f"meters and accounts do not agree after the last row: {why}")

    def _file(self, file: JournalFile) -> None:
        with file.still():
            file.check(thorough=True)
            meta = file.meta()
        name = file.path.name
        if self._head is not None and self._head != meta.anchor:
            self._wrong(name, meta.anchor.seq, "the file does not follow the one before it")
        self._head = meta.head
        self._seals.file(file)
        snapshots = dict(self._snapshots(file, meta))
        if self._state is None and meta.anchor.seq in snapshots:
            self._state = snapshots[meta.anchor.seq]
            if self.report.findings:
                self.report.notes.append(f"{name}: its facts are judged from its first snapshot on")
        elif self._state is None:
            self.report.notes.append(
                f"{name}: its facts are not judged: it does not begin with a snapshot of this program's kind"
            )
        for row in file.rows(meta.anchor, meta.head.seq):
            self._row(name, row, snapshots)
            if self.report.facts % 1000 == 0:
                self._progress(row.seq, meta.head.seq)

    def _snapshots(self, file: JournalFile, meta: Meta) -> Iterator[tuple[int, State]]:
        """The snapshots of this program's kind that are whole, each with its row."""
        sound = {}
        for seq, digest, state in file.snapshots(SCHEMA, meta.head.seq):
            found = file.head_at(seq)
            if found is not None and found.digest == digest:
                sound[seq] = state
        for seq, schema, whole in file.snapshot_rows():
            if seq > meta.head.seq:
                continue  # the cabinet has just kept it
            if schema != SCHEMA and whole:
                self._strange += 1
                continue
            try:
                yield seq, SNAPSHOT_DECODER.decode(sound[seq])
            except (KeyError, msgspec.DecodeError):
                self._wrong(
                    file.path.name, seq, "the snapshot is damaged; a start takes an earlier one and the facts"
                )

    # ---- rows

    def _row(self, name: str, row: ChainRow, snapshots: dict[int, State]) -> None:
        self.report.facts += 1
        kind = row.entry.kind.partition("@")[0]
        self.report.rounds += kind == "RoundOpened"
        self.report.sessions += kind == "SessionStarted"
        if self._state is not None:
            self._state = self._folded(name, row, self._state)
        if row.seq in snapshots:
            self.report.snapshots += 1
            if self._state is not None and self._state != snapshots[row.seq]:
                self._wrong(name, row.seq, "the snapshot is not what the facts make")
        if row.seq == self._copy_seq and self._state is not None:
            self._totals = row.seq, totals(self._state)

    def _folded(self, name: str, row: ChainRow, before: State) -> State | None:
        try:
            state = after(before, decode(row.entry.kind, row.entry.body))
        except (FactRefusedError, UnknownFactError) as error:
            self._wrong(
                name, row.seq, f"{_place(row)}: it cannot be true: {error}. What follows is not judged"
            )
            return None
        if state.ledger is not before.ledger and state.ledger.sum:
            self._wrong(name, row.seq, f"{_place(row)}: the ledger adds up to {state.ledger.sum}, not to 0")
        return state

    def _wrong(self, name: str, seq: int | None, what: str) -> None:
        where = name if seq is None else f"{name}, row {seq}"
        self.report.findings.append(f"{where}: {what}")

    def must_have(self, noted: Head) -> None:
        try:
            if self._journal.digest_at(noted.seq) == noted.digest:
                self.report.notes.append(f"the head that was noted down, row {noted.seq:,}, is in this chain")
                return
            why = "is not in this chain: rows up to it are not those of then, or are missing"
        except JournalError as error:
            why = f"cannot be looked for: {error.text}"
        self.report.findings.append(f"the head that was noted down, row {noted.seq}, {why}")

    # ---- the second copy

    def ask(self, copy: SecondCopy | None) -> CopyRecord | None:
        if copy is None:
            return None
        try:
            record = copy.read()
        except SecondCopyError as error:
            self.report.copy = "cannot be read"
            self.report.findings.append(f"second copy: {error}")
            return None
        self._copy_seq = record.head.seq if record is not None else -1
        return record

    def compare(self, record: CopyRecord | None) -> None:
        if any(finding.startswith("second copy") for finding in self.report.findings):
            return
        journal = self._journal
        verdict = judge(record, journal.head, journal.previous_seq, journal.digest_at)
        self.report.copy = verdict.value
        if verdict in _VERDICTS:
            self.report.findings.append(f"second copy: {_VERDICTS[verdict]}")
        elif record is not None and self._totals == (record.head.seq, record.totals):
            self.report.copy += ", with the same totals"
        elif record is not None and self._totals is not None:
            self.report.findings.append(
                f"second copy: its totals of row {record.head.seq} are"
                f" {record.totals.decode(errors='replace')}, the facts make {self._totals[1].decode()}"
            )


def _place(row: ChainRow) -> str:
    return f"{row.entry.kind} of {stamp(row.entry.wall_ms)}"
