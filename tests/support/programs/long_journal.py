"""A journal of years, written by a program: whole rounds of five seats, with snapshots and new files as the
cabinet makes them. Every fact is folded on its way, so it is one that a cabinet could have written."""

from __future__ import annotations

import random
from pathlib import Path

from cabinet.core import facts as f
from cabinet.core.state import SCHEMA, State
from cabinet.core.state.fold import after
from cabinet.program.runtime import SNAPSHOT_EVERY
from cabinet.records.replay import SNAPSHOT_ENCODER
from cabinet.store.journal import ROTATE_BYTES, Entry, Journal
from game.round import Choice, NeedCard, NeedDecisions
from game.rules import Rules
from game.settle import settle
from support.evenings.evening import WALL_MS

SEATS = 5
NOTE_CENTS, BET_CENTS = 10_000, 500
ROUND_MS = 40_000


COMMIT_FACTS = 500  # the program makes a commit for every few; here a million of them must not take an hour


class Writing:
    """Appends facts to a journal, many at once."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.state = State()
        self.at_ms = 0
        self.facts = 0
        self._waiting: list[Entry] = []
        self._since = 0

    def add(self, *facts: f.Fact) -> None:
        for fact in facts:
            self.state = after(self.state, fact)
            self._waiting.append(Entry(*f.encode(fact), at_ms=fact.at_ms, wall_ms=WALL_MS + fact.at_ms))
        self.facts += len(facts)

    def between_rounds(self) -> None:
        if len(self._waiting) < COMMIT_FACTS:
            return
        self._since += len(self._waiting)
        self.commit()
        if self._since >= SNAPSHOT_EVERY:
            self.keep()

    def commit(self) -> None:
        self.journal.commit(self._waiting)
        self._waiting.clear()

    def keep(self) -> None:
        self.journal.snapshot(SCHEMA, self.journal.head.seq, SNAPSHOT_ENCODER.encode(self.state))
        self.journal.idle()
        self._since = 0


def write(directory: Path, facts: int, *, rotate_bytes: int = ROTATE_BYTES, seed: int = 1) -> Writing:
    """At least so many facts; the journal is closed, as after a power cut."""
    writing = Writing(Journal.open(directory, rotate_bytes=rotate_bytes))
    rng = random.Random(seed)
    writing.add(
        f.SessionStarted(0, 1, True, WALL_MS, "1"),
        f.RulesTaken(0, Rules(), SEATS),
        f.SequenceGiven(0, 0x00401E, 0),
    )
    while writing.facts < facts:
        for seat in writing.state.seats:
            if writing.state.credit(seat) < 2 * BET_CENTS:
                _note(writing, seat)
        _round(writing, rng)
        writing.between_rounds()
    writing.commit()
    writing.journal.close()
    return writing


def _note(writing: Writing, seat: int) -> None:
    at_ms, ref = writing.at_ms, writing.state.next_ref
    writing.add(f.NoteIntended(at_ms, ref, f"validator{seat}", seat, NOTE_CENTS, 0x66))
    writing.add(f.NoteCredited(at_ms, ref))
    writing.add(f.NoteClosed(at_ms, ref))


def _round(writing: Writing, rng: random.Random) -> None:
    writing.at_ms += ROUND_MS
    at_ms = writing.at_ms
    for seat in writing.state.seats:
        writing.add(f.BetMoved(at_ms, seat, BET_CENTS), f.SeatReady(at_ms, seat))
    bets = tuple((seat, BET_CENTS) for seat in writing.state.seats)
    writing.add(f.RoundOpened(at_ms, writing.state.round_number + 1, bets, True))
    _deal(writing, rng)
    while writing.state.round_open:
        writing.add(f.DecisionOpened(at_ms, at_ms + 12_000))
        for seat in writing.state.awaited():
            choice = Choice.HIT if rng.random() < 0.5 else Choice.STAND
            writing.add(f.Decided(at_ms, seat, choice, False, 0))
        _deal(writing, rng)


def _deal(writing: Writing, rng: random.Random) -> None:
    """The cards up to the next decision or the settlement, as the dealer draws them."""
    round_, shoe = writing.state.round, writing.state.shoe
    assert round_ is not None
    assert shoe is not None
    drawn = []
    while isinstance(round_.needs(), NeedCard):
        card, shoe = shoe.take(rng.randrange(len(shoe)))
        drawn.append(f.DrawnCard(card, writing.at_ms, writing.at_ms + 260))
        round_ = round_.deal(card)
    if drawn:
        writing.add(f.CardsDrawn(writing.at_ms, tuple(drawn)))
    if not isinstance(round_.needs(), NeedDecisions):
        writing.add(f.RoundSettled(writing.at_ms, settle(round_).hands, writing.at_ms + 3_000))
