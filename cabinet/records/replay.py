"""What the journal keeps of the state, and how a start gets it back: snapshots, replay, totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from cabinet.core.facts import UnknownFactError, decode, spellings
from cabinet.core.renewal import replace
from cabinet.core.state import SCHEMA, SeatRecord, State, identity
from cabinet.core.state.fold import NewerEngineError, after
from cabinet.core.state.ledger import FactRefusedError, Ledger
from cabinet.store.journal import Journal, JournalBroken

PROGRESS_FACTS = 1_000
OTHER_VERSION = "another version of the program wrote it; put that version back"
_SESSIONS = spellings(("SessionStarted",))
SNAPSHOT_ENCODER = msgspec.json.Encoder()
SNAPSHOT_DECODER = msgspec.json.Decoder(State)


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of a replay: `trouble` names the fact that could not be true, or what does not balance;
    `damage` the row that is not what was committed. The state is then that of the rows before it.
    `wall_ms`: the local wall clock of the newest row; 0 for none."""

    state: State
    facts: int
    trouble: str = ""
    damage: str = ""
    wall_ms: int = 0


def restore(journal: Journal, progress: Callable[[int], None] = lambda _facts: None) -> Restored:
    """Start-up is recovery: the last good snapshot, then every fact after it. `progress` is told now and then
    how many it were: without a snapshot of this program's kind it may be a million."""
    state, seq = State(), 0
    count = wall_ms = 0
    try:
        with journal.history() as history:
            history.check_joint()
        if (newer := journal.newer_snapshot(SCHEMA)) is not None:
            what = f"the state is kept in form {newer}, this program knows it up to form {SCHEMA}"
            return Restored(state, 0, f"{what}: {_writer(journal, journal.head.seq)}")
        found = journal.load_snapshot(SCHEMA)
        if found is not None:
            try:
                seq, state = found[0], SNAPSHOT_DECODER.decode(found[1])
            except msgspec.DecodeError:
                seq, state = 0, State()
            if identity.trouble(state):  # the facts are the other copy, and tell it again
                seq, state = 0, State()
        for row in journal.rows(after_seq=seq):
            count += 1
            if count % PROGRESS_FACTS == 0:
                progress(count)
            wall_ms = row.entry.wall_ms
            try:
                state = after(state, decode(row.entry.kind, row.entry.body))
            except (UnknownFactError, NewerEngineError) as error:
                return Restored(state, count, f"journal row {row.seq}: {error}: {_writer(journal, row.seq)}")
            except FactRefusedError as error:
                return Restored(state, count, f"journal row {row.seq}: {error}")
    except JournalBroken as error:
        return Restored(state, count, damage=error.text)
    return Restored(state, count, identity.trouble(state), wall_ms=wall_ms or _newest_wall_ms(journal))


def _writer(journal: Journal, seq: int) -> str:
    """What to do about a row that another version of the program has written: its session names it."""
    with journal.history() as history:
        last_seq, missing = seq, ""
        while last_seq and not missing:
            found = history.newest_of(_SESSIONS, last_seq)
            for each in found.found:
                try:
                    version = msgspec.json.decode(each.entry.body).get("version")
                except (msgspec.DecodeError, AttributeError):
                    return OTHER_VERSION
                return f"version {version} of the program wrote it; put that version back"
            last_seq, missing = found.last_seq, found.missing
    return OTHER_VERSION


def _newest_wall_ms(journal: Journal) -> int:
    """Of a journal that was folded without reading a row; 0 if it is empty, or if its newest row lies in an
    older file that is not here."""
    try:
        return max((row.entry.wall_ms for row in journal.rows(max(0, journal.head.seq - 1))), default=0)
    except JournalBroken:
        return 0


class Totals(msgspec.Struct, frozen=True, array_like=True):
    """What the second copy keeps: every account that is not empty, the numbers that must never be used
    twice, the round, the meters of the whole cabinet. Short: it crosses a slow bus after each commit."""

    accounts: dict[str, int]
    next_ref: int
    sequence: int
    ticket_no: int
    round_number: int
    live: bool
    meters: dict[str, int]


MASTER_METERS = (*identity.SUMMED, "rounds")
TOTALS_DECODER = msgspec.json.Decoder(Totals)


def totals_of(state: State) -> Totals:
    accounts = dict(sorted((name, cents) for name, cents in state.ledger.balances.items() if cents))
    counted = {name: state.meters[name] for name in MASTER_METERS if state.meters.get(name)}
    return Totals(
        accounts,
        state.next_ref,
        state.sequence,
        state.ticket_no,
        state.round_number,
        state.round_open,
        counted,
    )


def totals(state: State) -> bytes:
    """The running totals for the second copy, about 400 bytes."""
    return msgspec.json.encode(totals_of(state))


def read_totals(data: bytes) -> Totals | None:
    """What `totals` was given; None if another program wrote it."""
    try:
        return TOTALS_DECODER.decode(data)
    except msgspec.DecodeError:
        return None


def state_of(kept: Totals, seats: int) -> State:
    """What the second copy alone knows: to be shown, marked doubtful, and not to be played on."""
    return replace(
        State(),
        ledger=Ledger(kept.accounts),
        meters=kept.meters,
        seat_records=tuple(SeatRecord() for _ in range(seats)),
        next_ref=kept.next_ref,
        sequence=kept.sequence,
        ticket_no=kept.ticket_no,
        round_number=kept.round_number,
    )


def snapshot(state: State) -> Callable[[Journal], None]:
    """Runs on the writer thread after the commit that made `state`, between two rounds: a large journal
    file has its successor now."""

    def keep(journal: Journal) -> None:
        journal.snapshot(SCHEMA, journal.head.seq, SNAPSHOT_ENCODER.encode(state))
        journal.idle()

    return keep


def at_stop(state: State) -> Callable[[Journal], None]:
    def finish(journal: Journal) -> None:
        snapshot(state)(journal)
        journal.mark_clean()

    return finish
