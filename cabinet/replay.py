"""What the journal keeps of the state, and how a start gets it back: snapshots, replay, totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from cabinet.core import identity
from cabinet.core.facts import UnknownFactError, decode
from cabinet.core.fold import after
from cabinet.core.ledger import RefusedError
from cabinet.core.state import SCHEMA, State
from cabinet.store.journal import Journal

SNAPSHOT_ENCODER = msgspec.json.Encoder()
SNAPSHOT_DECODER = msgspec.json.Decoder(State)


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of a replay: `trouble` names the fact that could not be true, or what does not balance."""

    state: State
    facts: int
    trouble: str = ""


def restore(journal: Journal) -> Restored:
    """Start-up is recovery: the last good snapshot, then every fact after it."""
    state, seq = State(), 0
    found = journal.load_snapshot(SCHEMA)
    if found is not None:
        try:
            seq, state = found[0], SNAPSHOT_DECODER.decode(found[1])
        except msgspec.DecodeError:
            seq, state = 0, State()
        if identity.trouble(state):  # the facts are the other copy, and tell it anew
            seq, state = 0, State()
    count = 0
    for row in journal.rows(after_seq=seq):
        count += 1
        try:
            state = after(state, decode(row.entry.kind, row.entry.body))
        except (RefusedError, UnknownFactError) as error:
            return Restored(state, count, f"journal row {row.seq}: {error}")
    return Restored(state, count, identity.trouble(state))


def totals(state: State) -> bytes:
    """The running totals for the second copy, about 300 bytes: accounts, references, the round."""
    accounts = dict(sorted((k, v) for k, v in state.ledger.balances.items() if v))
    return msgspec.json.encode([accounts, state.next_ref, state.sequence, state.round_number, state.live])


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
