"""Journals of played evenings, and what was noted down at the table while they were played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cabinet.core.facts import decode
from cabinet.core.past.logs import Log, LogEntry, LoggedFact, LogReader
from cabinet.core.past.recall import Gathering, RecalledRound
from cabinet.core.state import SCHEMA, State
from cabinet.core.state.fold import after
from cabinet.records.replay import SNAPSHOT_ENCODER
from cabinet.store.journal import Entry, Journal
from game.play import Choice
from game.settle import HandResult
from support.evenings.evening import WALL_MS, Evening


@dataclass(frozen=True)
class Jotted:
    """One round as somebody who stood beside it has written it down."""

    number: int
    bets: tuple[tuple[int, int], ...]
    cards: tuple[int, ...]
    words: tuple[tuple[int, Choice, bool], ...]
    results: tuple[HandResult, ...]
    after: tuple[int, ...]


def entries(evening: Evening, first: int = 0) -> list[Entry]:
    """The facts of an evening as a journal takes them: at their session time after a fixed wall time."""
    found = []
    for kind, body in evening.journal[first:]:
        fact = decode(kind, body)
        found.append(Entry(kind, body, fact.at_ms, WALL_MS + fact.at_ms))
    return found


def log_of(evening: Evening, log: Log) -> list[LogEntry]:
    """The whole log of an evening, the newest first."""
    reader = LogReader(log)
    found: list[LogEntry] = []
    facts = entries(evening)
    for seq in range(len(facts), 0, -1):
        entry = facts[seq - 1]
        if entry.kind in reader.kinds:
            found += reader.read(LoggedFact(seq, entry.wall_ms, decode(entry.kind, entry.body)))
    return found


def gathered(evening: Evening, number: int) -> RecalledRound:
    """One round, gathered from the first fact of the evening on."""
    gathering = Gathering(State(), number)
    for entry in entries(evening):
        if not gathering.over:
            gathering.feed(entry.wall_ms, decode(entry.kind, entry.body))
    record = gathering.record()
    assert record is not None
    return record


def play_rounds(
    evening: Evening, count: int, choose: Callable[[int, set[str]], str | None], cents: int = 2_000
) -> list[Jotted]:
    """Whole rounds with every seat, which puts in a note when it has run out of credit. `choose` is asked
    for each seat's button; None lets the time run out."""
    jotted = []
    for _ in range(count):
        for seat in evening.state.seats:
            if evening.state.credit(seat) < 1_000:
                evening.insert(seat, cents)
            evening.press(seat, "bet_plus")
        evening.all_deal(evening.state.seats)
        while evening.playing():
            for seat in evening.state.deciding():
                if (button := choose(seat, evening.lamps(seat))) is not None:
                    evening.press(seat, button)
            evening.advance(12_000 if evening.state.deciding() else 500)
        state = evening.state
        jotted.append(
            Jotted(
                state.round_number,
                state.bets,
                tuple(move.card for move in state.moves if not move.seat),
                tuple((move.seat, move.choice, move.timed_out) for move in state.moves if move.seat),
                state.results,
                evening.credits(),
            )
        )
        evening.land()
    return jotted


def kept(
    evening: Evening, directory: Path, *, rotate_bytes: int = 1 << 30, snapshot_every: int = 500
) -> Journal:
    """The journal of an evening on the disk, with snapshots between rounds as the program takes them."""
    journal = Journal.open(directory, rotate_bytes=rotate_bytes)
    append(journal, entries(evening), snapshot_every)
    return journal


def append(journal: Journal, facts: Sequence[Entry], snapshot_every: int = 500, batch: int = 20) -> State:
    """Commits facts in small transactions; the state that they make."""
    state, since = State(), 0
    for first in range(0, len(facts), batch):
        group = facts[first : first + batch]
        journal.commit(group)
        for entry in group:
            state = after(state, decode(entry.kind, entry.body))
        since += len(group)
        if since >= snapshot_every and not state.round_open:
            journal.snapshot(SCHEMA, journal.head.seq, SNAPSHOT_ENCODER.encode(state))
            journal.idle()
            since = 0
    return state
