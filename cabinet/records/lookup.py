"""Questions to the journal: one round, and the logs. They run on the writer thread, or beside a running
cabinet on a journal that was opened to look only.

Both come in slices: a commit that waits meanwhile is done between two of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cabinet.core.facts import Fact, RoundSettled, RoundVoided, UnknownFactError, decode, spellings
from cabinet.core.past.logs import LIMITS, Log, LogEntry, LoggedFact, LogReader
from cabinet.core.past.recall import Gathering, RecalledRound
from cabinet.core.state import SCHEMA, State
from cabinet.core.state.fold import after
from cabinet.core.state.ledger import FactRefusedError
from cabinet.records.replay import SNAPSHOT_DECODER
from cabinet.store.errors import JournalBroken, JournalError
from cabinet.store.history import History
from cabinet.store.journal import Journal
from cabinet.store.journal_file import FoundFact

SLICE_FACTS = 256  # folded at once for a round: a hundredth of a second, some of them on a Pi
_OPENED = "RoundOpened"
_OPENINGS = spellings((_OPENED,))
_NUMBER = msgspec.json.Decoder(dict[str, object])


class NotRecalledError(JournalError):
    """There is no such round, or what came before it is not here."""


# ---- one round


class RoundSearch:
    """Reads one round, `number` or the newest, a slice of facts at a time. `record`: the round, when it has
    been read whole."""

    def __init__(self, number: int = 0) -> None:
        self.record: RecalledRound | None = None
        self._number = number
        self._gathering: Gathering | None = None
        self._start_seq = 0  # from the row after it on everything belongs to the round
        self._seq = 0  # the last row that was read

    def read_on(self, journal: Journal) -> None:
        """One slice more. NotRecalledError if the round cannot be had; JournalError if the journal cannot be
        read."""
        gathering = self._gathering or self._found(journal)
        end_seq = journal.head.seq
        last_seq = min(self._seq + SLICE_FACTS, end_seq)
        for row in journal.rows(self._seq, last_seq):
            fact = _fact(row.seq, row.entry.kind, row.entry.body)
            try:
                if row.seq <= self._start_seq:
                    gathering.state = after(gathering.state, fact)
                else:
                    gathering.feed(row.entry.wall_ms, fact)
            except FactRefusedError as error:
                raise JournalBroken(str(error), row.seq) from error
            if gathering.over:
                break
        self._seq = last_seq
        if gathering.over or last_seq == end_seq:
            self.record = _whole(gathering)

    def _found(self, journal: Journal) -> Gathering:
        """Where the round is, and the state of a snapshot before it."""
        with journal.history() as history:
            head_seq = journal.head.seq
            number = self._number or _newest(history, head_seq)
            opened = _seq_of(history, number, head_seq)
            if opened is None:
                raise NotRecalledError(_why_not(history, number, head_seq))
            before = _seq_of(history, number - 1, head_seq)
            self._start_seq = (before or opened) - 1 if number > 1 else 0
            self._seq, state = state_at(history, self._start_seq)
        self._gathering = Gathering(state, number)
        return self._gathering


def recall(journal: Journal, number: int = 0) -> RecalledRound:
    """Round `number`, or the newest, in one go. NotRecalledError, JournalError."""
    search = RoundSearch(number)
    while search.record is None:
        search.read_on(journal)
    return search.record


def every_round(journal: Journal) -> Iterator[RecalledRound]:
    """All rounds whose facts are here, the oldest first; what came before the first one is told from the
    beginning of the oldest file. JournalError if the journal cannot be read."""
    with journal.history() as history:
        seq, state = state_at(history, history.begins_after())
    running: list[Gathering] = []
    waiting = Gathering(state, state.round_number + 1)
    for row in journal.rows(seq):
        fact = _fact(row.seq, row.entry.kind, row.entry.body)
        try:
            for gathering in (*running, waiting):
                gathering.feed(row.entry.wall_ms, fact)
        except FactRefusedError as error:
            raise JournalBroken(str(error), row.seq) from error
        if waiting.opened and isinstance(
            fact, RoundSettled | RoundVoided
        ):  # from here on it is the time before the next one
            running.append(waiting)
            waiting = Gathering(waiting.state, waiting.number + 1)
        for gathering in [each for each in running if each.over]:
            running.remove(gathering)
            yield _whole(gathering)
    for gathering in (*running, waiting):
        if (record := gathering.record()) is not None:
            yield record


def _whole(gathering: Gathering) -> RecalledRound:
    record = gathering.record()
    assert record is not None
    return record


def state_at(history: History, last_seq: int) -> tuple[int, State]:
    """A row at or before `last_seq`, and the state there: the facts after it are still to be folded."""
    found = history.snapshot_before(SCHEMA, last_seq)
    if found is not None:
        try:
            return found[0], SNAPSHOT_DECODER.decode(found[1])
        except msgspec.DecodeError as error:
            raise JournalBroken(f"the snapshot cannot be read: {error}", found[0]) from error
    if history.begins_after():
        raise NotRecalledError(
            f"the files before row {history.begins_after() + 1} are not here: bring them back, then ask again"
        )
    return 0, State()


def _newest(history: History, head_seq: int) -> int:
    last_seq = head_seq
    while last_seq:
        found = history.newest_of(_OPENINGS, last_seq)
        if found.found:
            return _number_of(found.found[0])
        if found.missing:
            break
        last_seq = found.last_seq
    raise NotRecalledError("no round has been played yet")


def _seq_of(history: History, number: int, head_seq: int) -> int | None:
    """The row in which a round was opened. Rounds are numbered in order, so halving finds it."""
    low, high = history.begins_after(), head_seq
    while low < high:
        middle = (low + high) // 2
        found = history.next_of(_OPENINGS, middle)
        at = None if found is None else _number_of(found)
        if found is None or at is None or at > number:
            high = middle
        elif at < number:
            low = found.seq
        else:
            return found.seq
    found = history.next_of(_OPENINGS, low)
    return found.seq if found is not None and _number_of(found) == number else None


def _why_not(history: History, number: int, head_seq: int) -> str:
    newest, oldest = (
        _newest(history, head_seq),
        history.next_of(_OPENINGS, history.begins_after()),
    )
    first = _number_of(oldest) if oldest is not None else newest
    moved = " (older files are not here)" if history.begins_after() else ""
    return f"there is no round {number}: the journal has rounds {first} to {newest}{moved}"


def _number_of(opened: FoundFact) -> int:
    try:
        number = _NUMBER.decode(opened.entry.body).get("number")
    except msgspec.DecodeError as error:
        raise JournalBroken(f"{_OPENED}: {error}", opened.seq) from error
    return number if isinstance(number, int) else 0


def _fact(seq: int, kind: str, body: str) -> Fact:
    try:
        return decode(kind, body)
    except UnknownFactError as error:
        raise JournalBroken(f"{error}: was it written by a newer program?", seq) from error


# ---- logs


class LogSearch:
    """Reads one log from the newest fact back. `entries`: the newest first, as far as it was read."""

    def __init__(self, log: Log, limit: int | None = None) -> None:
        """`limit`: how many entries at most; without one as many as the log has."""
        self.log = log
        self.entries: list[LogEntry] = []
        self.complete = False
        self.missing = ""  # a file that is not here: older entries are in it
        self._limit = LIMITS[log] if limit is None else limit
        self._reader = LogReader(log)
        self._last_seq: int | None = None

    def read_on(self, journal: Journal) -> None:
        """One slice more. JournalError if the journal cannot be read."""
        last_seq = journal.head.seq if self._last_seq is None else self._last_seq
        with journal.history() as history:
            found = history.newest_of(spellings(self._reader.kinds), last_seq)
        for each in found.found:
            entry = each.entry
            reply = LoggedFact(each.seq, entry.wall_ms, _fact(each.seq, entry.kind, entry.body))
            self.entries.extend(self._reader.read(reply))
        self._last_seq, self.missing = found.last_seq, found.missing
        full = len(self.entries) >= self._limit
        self.complete = full or not self._last_seq or bool(self.missing)
        del self.entries[self._limit :]

    def read_all(self, journal: Journal) -> list[LogEntry]:
        while not self.complete:
            self.read_on(journal)
        return self.entries
