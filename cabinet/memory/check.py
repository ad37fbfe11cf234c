"""What a start finds in the critical memory: whose it is, whether the copies agree, and what to do.

The journal is the record, the second copy says what it should amount to (`cabinet.store.second_copy`).
A start asks in this order: does the state directory belong to this board and to this medium (if not,
nothing is started), do journal and copy agree (if not, the table is locked and only a memory clear goes
on), is the copy sound (if not, play goes on and the next commits write it again).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cabinet.core.state import SeatRecord, State
from cabinet.records.replay import Restored, read_totals, restore, state_of, totals, totals_of
from cabinet.store.directory.owner import Owner, strangers
from cabinet.store.errors import JournalBroken
from cabinet.store.journal import Journal
from cabinet.store.second_copy import (
    CopyMismatch,
    CopyRecord,
    CopyVerdict,
    SecondCopyError,
    SlottedCopy,
    judge,
)
from cabinet.store.second_copy import nonce as nonces

LOG = logging.getLogger("cabinet")
# What the board itself says: burnt into the processor of every Raspberry Pi.
BOARD_FILE = Path("/sys/firmware/devicetree/base/serial-number")
SAYS = {
    CopyVerdict.BEHIND: "",  # by the one transaction that a power cut can cost
    CopyVerdict.EQUAL: "",
    CopyVerdict.STALE: "it was right but older than the journal",
    CopyVerdict.MISSING: "it held no whole record",
}
MISMATCH = {
    CopyVerdict.AHEAD: "the second copy is ahead of the journal: the journal has lost rows",
    CopyVerdict.DIFFERS: "the second copy is of another journal: one of the two is not of this cabinet",
}
WAY_OUT = "a technician compares them and clears the memory (cabinet memory show, cabinet memory clear)"


class Foreign(Exception):  # noqa: N818 - a state of the directory, not an error in it
    """The state directory belongs to another cabinet. ``str`` says what is wrong and what to do."""


Rows = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class MemoryFindings:
    """`memory`: why the table is locked, "" if it is not; `rows` then has what differs, as name, journal,
    second copy. `copy`: why the second copy is not sound."""

    memory: str = ""
    copy: str = ""
    rows: Rows = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """`owner`: whose the journal is; None where it cannot be opened."""

    found: MemoryFindings
    restored: Restored
    owner: Owner | None = None


def check(
    journal: Journal,
    copy: SlottedCopy | None,
    board: str,
    draw: Callable[[int], bytes],
    *,
    machine_id: int,
    seats: int,
    damage: str = "",
    progress: Callable[[int], None] = lambda _facts: None,
) -> Checked:
    """Everything that a start asks of the memory. `draw` gives random bytes. `damage`: why the journal could
    not even be opened. `progress`: see `restore`. Foreign."""
    if damage:
        return Checked(MemoryFindings(f"{damage}; {WAY_OUT}"), _of_the_copy(copy, seats))
    trouble = take(journal, copy, board, machine_id, draw)
    owner = journal.owner()
    restored = restore(journal, progress)
    if restored.damage:
        return Checked(MemoryFindings(f"{restored.damage}; {WAY_OUT}"), restored, owner)
    if restored.trouble:
        return Checked(MemoryFindings(), restored, owner)
    found = compare(journal, copy, restored.state)
    for text in filter(None, (found.memory, found.copy, trouble)):
        LOG.warning("%s", text)
    return Checked(replace(found, copy=found.copy or trouble), restored, owner)


def _of_the_copy(copy: SlottedCopy | None, seats: int) -> Restored:
    """What the second copy alone knows."""
    state = State(seat_records=tuple(SeatRecord() for _ in range(seats)))
    try:
        record = copy.read() if copy is not None else None
    except SecondCopyError as error:
        LOG.warning("%s", error)
        record = None
    kept = read_totals(record.totals) if record else None
    return Restored(state_of(kept, seats) if kept else state, 0)


def board_of(path: Path) -> str:
    """The serial number that the board tells; "" where it tells none (no Raspberry Pi)."""
    try:
        return path.read_bytes().split(b"\0")[0].decode("ascii", "replace").strip()
    except OSError:
        return ""


def take(
    journal: Journal, copy: SlottedCopy | None, board: str, machine_id: int, draw: Callable[[int], bytes]
) -> str:
    """Bind what is new, refuse what is foreign: Foreign. Returns why the second copy could not be asked."""
    try:
        stored = journal.owner()
    except JournalBroken as error:
        raise Foreign(f"{error.text}; {WAY_OUT}") from error
    medium, trouble = ask(copy)
    if medium == "" and stored is not None and stored.medium and _knows(journal, copy):
        medium = stored.medium  # its number has changed by itself; it is written again below
    if stored is not None and (found := "; ".join(strangers(stored, board, medium))):
        raise Foreign(
            f"this state directory is not of this cabinet: {found}. Put card, board and second copy back"
            " together; after a repair of one of them: cabinet memory bind; else: cabinet memory clear"
        )
    if copy is not None and medium == "":
        medium = draw(nonces.NONCE_BYTES).hex()
        try:
            nonces.write(copy.medium, medium)
        except SecondCopyError as error:
            medium, trouble = None, _refused(copy, error)
    known = medium or (stored.medium if stored else "")
    owner = Owner(board, known, machine_id)
    if owner != stored:
        journal.bind(owner)
    if copy is not None:
        copy.again = lambda: again(copy, known, journal)
        if medium:
            trouble = trouble or mended(copy, medium)
    return trouble


def _knows(journal: Journal, copy: SlottedCopy | None) -> bool:
    """Whether a medium without a number holds a record of this very journal: then it is its own."""
    try:
        record = copy.read() if copy is not None else None
    except SecondCopyError:
        return False
    return verdict_of(journal, record) not in (*MISMATCH, CopyVerdict.MISSING)


def ask(copy: SlottedCopy | None) -> tuple[str | None, str]:
    """The number of the medium, None if it cannot be asked, and why."""
    if copy is None:
        return None, ""
    try:
        return nonces.read(copy.medium), ""
    except SecondCopyError as error:
        return None, _refused(copy, error)


def _refused(copy: SlottedCopy, error: SecondCopyError) -> str:
    if isinstance(error, nonces.MediumTooSmall):
        copy.unfit = str(error)
    return str(error)


def mended(copy: SlottedCopy, medium: str) -> str:
    """Writes a block of the number again that is not like the other one. Why it could not, else ""."""
    try:
        nonces.mend(copy.medium, medium)
    except SecondCopyError as error:
        return str(error)
    return ""


def again(copy: SlottedCopy, known: str, journal: Journal) -> None:
    """After an outage, also one that was there at the start: raises SecondCopyError if the medium is not the
    one that it was, CopyMismatch if it knows what the journal does not. `known`: its number, "" if it was
    never asked. On the writer thread, which has the journal."""
    medium, trouble = ask(copy)
    if trouble:
        raise SecondCopyError(trouble)
    if known and medium != known:
        raise SecondCopyError("another second copy was fitted while the cabinet ran")
    verdict = verdict_of(journal, copy.read())
    if verdict in MISMATCH:
        raise CopyMismatch(f"{MISMATCH[verdict]}; {WAY_OUT}")


def compare(
    journal: Journal, copy: SlottedCopy | None, state: State, *, looking: bool = False
) -> MemoryFindings:
    """The copies side by side. `state` is what the journal amounts to. What is right but old is written
    again, unless somebody is only `looking`."""
    if copy is None:
        return MemoryFindings()
    try:
        found = copy.look()
    except SecondCopyError as error:
        return MemoryFindings(copy=str(error))
    verdict = verdict_of(journal, found.record)
    rows = differing(journal, state, found.record) if found.record is not None else ()
    if verdict in MISMATCH:
        return MemoryFindings(f"{MISMATCH[verdict]}; {WAY_OUT}", rows=rows)
    if verdict is CopyVerdict.EQUAL and rows:
        what = ", ".join(f"{name} {here} and {there}" for name, here, there in rows)
        return MemoryFindings(f"journal and second copy differ: {what}; {WAY_OUT}", rows=rows)
    if verdict is not CopyVerdict.EQUAL and not looking:
        # At once, not with the next commit: power that goes a second time between a commit and its copy must
        # not leave the copy two transactions behind.
        try:
            copy.write(journal.head, totals(state))
        except SecondCopyError as error:
            return MemoryFindings(copy=str(error))
    said = SAYS[verdict]
    # A slot that a power cut has torn is no fault; after a stop that was asked for there is none.
    if not said and found.bad and journal.was_clean:
        said = f"slot {'AB'[found.bad[0]]} had changed by itself"
    return MemoryFindings(copy=said and f"second copy written again: {said}")


def verdict_of(journal: Journal, record: CopyRecord | None) -> CopyVerdict:
    """As `judge`. A record that is older than the present file cannot be compared where the files before
    were moved away: it is stale."""

    def digest_at(seq: int) -> str | None:
        try:
            return journal.digest_at(seq)
        except JournalBroken as error:
            LOG.warning("the second copy cannot be compared: %s", error.text)
            assert record is not None
            return record.head.digest

    return judge(record, journal.head, journal.previous_seq, digest_at)


def differing(journal: Journal, state: State, record: CopyRecord) -> Rows:
    """What differs, with both values. Of the meters those count that both have: which are kept is for the
    program's version to say. A record of another version says nothing but its row."""
    rows = [("row", journal.head.seq, record.head.seq)]
    here, there = totals_of(state), read_totals(record.totals)
    if there is not None:
        names = sorted({*here.accounts, *there.accounts})
        rows += [
            (f"{name}, cents", here.accounts.get(name, 0), there.accounts.get(name, 0)) for name in names
        ]
        shared = [name for name in here.meters if name in there.meters]
        rows += [(f"meter {name}", here.meters[name], there.meters[name]) for name in shared]
        numbers = ("next_ref", "sequence", "ticket_no", "round_number", "live")
        rows += [(name, getattr(here, name), getattr(there, name)) for name in numbers]
    return tuple((name, str(mine), str(kept)) for name, mine, kept in rows if mine != kept)
