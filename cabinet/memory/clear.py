"""A memory clear: what may be cleared, what is written down before, and what is carried over.

The clear is one renamed file: a journal file with a chain of its own whose first fact is the clear. The
files before it stay where they are. Then the second copy is given a new number and the new head. Power
that goes in between leaves a state directory that a start refuses, and the clear is done again.

Money is never carried over. Numbers that must not come twice are: the sequence of the tickets, and the
references that devices may still know. Where nobody can say how far the sequence was, the cabinet must
have a new machine id, because the two together make a ticket's number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cabinet.config import Config
from cabinet.core.facts import MemoryCleared, encode
from cabinet.core.state import State
from cabinet.core.state.fold import after
from cabinet.memory.check import WAY_OUT, ask, compare
from cabinet.records.replay import Totals, read_totals, restore, totals, totals_of
from cabinet.store.database import begin_again
from cabinet.store.directory.files import newest, sync_directory, write_again
from cabinet.store.directory.owner import Owner, strangers
from cabinet.store.errors import JournalBroken, StorageError, os_text
from cabinet.store.journal import Entry, Head, Journal
from cabinet.store.lost_journal import LostJournal
from cabinet.store.second_copy import CopyRecord, SlottedCopy
from cabinet.store.second_copy import nonce as nonces

# Left free after trouble: more tickets than could have been printed since the last good record.
SEQUENCE_GAP = 1000
HELD = ("credit", "bet", "in_flight", "handpay")  # accounts whose money is the players'


class Refused(Exception):  # noqa: N818 - the state of the cabinet, not an error of the program
    """It must not be cleared now. ``str`` says why and what to do."""


class SilentCopy(Refused):
    """The second copy that the cabinet file names cannot be reached."""


@dataclass(frozen=True, slots=True)
class Known:
    """What both copies say before a clear. `trouble` "": they agree and are whole. `state` is what the
    journal amounts to, as far as it can be read; `whole`: that is to its end."""

    journal: Journal
    state: State
    whole: bool
    record: CopyRecord | None
    owner: Owner | None
    foreign: tuple[str, ...]
    trouble: str

    @property
    def copy(self) -> Totals | None:
        return read_totals(self.record.totals) if self.record else None


def examine(directory: Path, started: str, copy: SlottedCopy | None, board: str) -> Known:
    """Locks the directory (`Known.journal` holds the lock) and reads everything. JournalLocked; Refused if
    there is nothing to know or the second copy cannot be reached; StorageError."""
    try:
        if not directory.is_dir():
            raise Refused(f"{directory} does not exist: check the path")
        is_empty = not newest(directory)
    except OSError as error:
        raise StorageError(os_text(error, directory)) from error
    medium, silent = ask(copy)
    if silent:
        raise SilentCopy(f"{silent}. Mend it first, or take it out of the cabinet file")
    record = copy.read() if copy is not None else None
    if is_empty and record is None:
        raise Refused(
            f"there is no journal in {directory}, and no second copy knows of one: check the path; a new"
            " memory is begun (cabinet memory begin)"
        )
    if is_empty:
        why = "the journal is lost, the second copy knows of it"
        lost = LostJournal(directory, started, why)
        return Known(lost, State(), False, record, None, (), why)
    try:
        journal = Journal.open(directory, started)
    except JournalBroken as error:
        lost = LostJournal(directory, started, error.text)
        return Known(lost, State(), False, record, None, (), f"{error.text}; {WAY_OUT}")
    try:
        owner, torn = journal.owner(), ""
    except JournalBroken as error:
        owner, torn = None, error.text
    foreign = tuple(strangers(owner, board, medium)) if owner else ()
    restored = restore(journal)
    found = compare(journal, copy, restored.state, looking=True)
    trouble = restored.damage or restored.trouble or torn or found.memory
    return Known(journal, restored.state, not restored.damage, record, owner, foreign, trouble)


def held_cents(kept: Totals) -> int:
    return sum(cents for name, cents in kept.accounts.items() if name.partition(".")[0] in HELD)


def refusal(known: Known, machine_id: int, *, is_new_id: bool) -> str:
    """Why the memory must not be cleared; "" when it may. `machine_id` is the one from now on."""
    if not (known.trouble or known.foreign) and (cents := held_cents(totals_of(known.state))):
        return f"players hold {cents} cents in this cabinet, and its books are sound: cash them out first"
    # A card that was copied into another cabinet is told from a repair by the chip that stayed.
    is_copied = len(known.foreign) > 1 or (bool(known.foreign) and known.record is None)
    is_lost = not known.whole and known.copy is None
    was = known.owner.machine_id if known.owner else None
    has_new_id = machine_id != was if was is not None else is_new_id
    if has_new_id or not (is_lost or is_copied):
        return ""
    why = "nobody can say which ticket numbers are used" if is_lost else "; ".join(known.foreign)
    how = "" if was is not None else ", and say so with --new-machine-id"
    return f"{why}: give the cabinet a machine id that was never used (machine_id in the cabinet file){how}"


def cleared(known: Known) -> MemoryCleared:
    """The fact that the new journal begins with. Every number that any copy knows counts as used."""
    sources = [totals_of(known.state), *([known.copy] if known.copy else [])]
    gap = SEQUENCE_GAP if known.trouble else 0
    end = known.journal.head
    return MemoryCleared(
        at_ms=0,
        rows=end.seq,
        digest=end.digest,
        next_ref=max(kept.next_ref for kept in sources) + gap,
        sequence=max(kept.sequence for kept in sources) + gap,
        ticket_no=max(kept.ticket_no for kept in sources),
        why=known.trouble or "; ".join(known.foreign) or "asked for",
    )


def report(
    known: Known, config: Config, fact: MemoryCleared, wall: str, *, clearing: bool = True
) -> Iterator[str]:
    """What stood in the memory, both copies side by side: it is kept, and money that players still have is
    paid by it. Not `clearing`: somebody only looks."""
    table, end = config.cabinet, known.journal.head
    here, there = totals_of(known.state), known.copy
    title = "memory clear" if clearing else "memory"
    yield f"{title} of {table.name}, machine {table.serial}, id {table.machine_id:06X}, {wall}"
    if clearing:
        yield f"why: {fact.why}"
    yield f"journal: {end.seq} rows, {end.digest}" + (
        "" if known.whole else " (DAMAGED: figures are doubtful)"
    )
    if known.record is not None:
        yield f"second copy: row {known.record.head.seq}, {known.record.head.digest}"
    yield f"{'' if clearing else 'after a clear the '}ticket sequence goes on after {fact.sequence}"
    yield f"{'':28}{'journal':>16}{'second copy':>16}"
    yield f"{'players hold, cents':28}{held_cents(here):16}{held_cents(there) if there else '-':>16}"
    yield from _rows("account", here.accounts, there.accounts if there else None)
    yield from _rows("meter", known.state.meters, there.meters if there else None)
    owed = {name: count for name, count in known.state.pulses.items() if count}
    yield from _rows("hard meter owes", owed, None)
    for ticket in known.state.tickets:
        yield f"open ticket of seat {ticket.seat}: {ticket.cents} cents, number ends in {ticket.number[-4:]}"


def _rows(kind: str, here: Mapping[str, int], there: Mapping[str, int] | None) -> Iterator[str]:
    for name in sorted({*here, *(there or {})}):
        copied = there.get(name, "-") if there is not None else "-"
        yield f"{f'{kind} {name}':28}{here.get(name, 0):16}{copied:>16}"


def keep_report(directory: Path, lines: list[str]) -> Path:
    """Writes the report beside the journal, durably, before anything is cleared. StorageError."""
    path = directory / f"cleared-{newest(directory):06}.txt"
    try:
        write_again(path, ("\n".join(lines) + "\n").encode())
        sync_directory(directory)
    except OSError as error:
        raise StorageError(os_text(error, path)) from error
    return path


def clear(
    directory: Path,
    fact: MemoryCleared,
    owner: Owner,
    wall_ms: int,
    copy: SlottedCopy | None,
    secret: bytes,
) -> Head:
    """Begins the journal again, then the second copy. `owner.medium`: the number that the copy is given;
    `secret`: the verification key. JournalError, SecondCopyError; after either the clear is done again."""
    head = begin_again(directory, owner, [Entry(*encode(fact), at_ms=0, wall_ms=wall_ms)], secret)
    if copy is not None:
        nonces.write(copy.medium, owner.medium)
        copy.erase()
        copy.renew(head, totals(after(State(), fact)))
    return head
