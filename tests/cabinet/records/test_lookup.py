"""Rounds and logs out of a journal that has gone on in new files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from cabinet.core.facts import ConditionCleared, ConditionRaised, encode
from cabinet.core.past.logs import LIMITS, Log
from cabinet.core.state import SCHEMA
from cabinet.records.lookup import LogSearch, NotRecalledError, every_round, recall
from cabinet.store.journal import Entry, Journal
from support.evenings.evening import WALL_MS, Evening
from support.evenings.recalled import gathered, kept, play_rounds

ROUNDS = 120
MANY = 101


@pytest.mark.requirement("REC-01", "REC-02")
def test_a_hundred_and_twenty_rounds_come_back_from_many_files(tmp_path: Path) -> None:
    evening = Evening(seats=2)
    jotted = play_rounds(evening, ROUNDS, lambda seat, lamps: "hit" if seat == 1 else None, cents=10_000)
    kept(evening, tmp_path, rotate_bytes=100_000).close()
    assert len(list(tmp_path.glob("journal-*.db"))) > 3
    with closing(Journal.read(tmp_path)) as journal:
        assert recall(journal).number == ROUNDS, "the newest"
        for note in jotted:
            if note.number % 10 not in (0, 1):
                continue  # the others are read below, all at once
            record = recall(journal, note.number)
            assert tuple(step.card for step in record.cards) == note.cards
            assert tuple((step.seat, step.choice, step.timed_out) for step in record.words) == note.words
            assert tuple(result for seat in record.seats for result in seat.results) == note.results
            assert tuple(seat.after for seat in record.seats) == note.after
        records = list(every_round(journal))
        assert [record.number for record in records] == [note.number for note in jotted]
        assert [tuple(seat.after for seat in record.seats) for record in records] == [
            note.after for note in jotted
        ]
        assert records[59] == recall(journal, 60) == gathered(evening, 60), "one by one or all at once"


@pytest.mark.requirement("REC-01")
def test_a_round_that_the_files_here_do_not_have_is_named(tmp_path: Path) -> None:
    evening = Evening(seats=1)
    with (
        closing(Journal.open(tmp_path / "empty")) as journal,
        pytest.raises(NotRecalledError, match="no round"),
    ):
        recall(journal)
    play_rounds(evening, 30, lambda seat, lamps: "stand")
    kept(evening, tmp_path / "state", rotate_bytes=20_000, snapshot_every=60).close()
    (tmp_path / "state" / "journal-000001.db").rename(tmp_path / "kept elsewhere")
    with closing(Journal.read(tmp_path / "state")) as journal:
        with pytest.raises(NotRecalledError, match="there is no round 31: the journal has rounds"):
            recall(journal, 31)
        with pytest.raises(NotRecalledError, match="older files are not here"):
            recall(journal, 1)
        assert recall(journal).number == 30
        bills = LogSearch(Log.BILLS)
        bills.read_all(journal)
        assert bills.missing == "journal-000001.db"


@pytest.mark.requirement("REC-01")
def test_without_a_snapshot_of_this_program_a_round_is_folded_from_the_first_fact(tmp_path: Path) -> None:
    evening = Evening(seats=1)
    play_rounds(evening, 5, lambda seat, lamps: "stand")
    kept(evening, tmp_path, snapshot_every=20).close()
    with closing(Journal.open(tmp_path)) as journal:
        assert journal.load_snapshot(SCHEMA) is not None
        expected = recall(journal, 4)
        journal._file.db.execute("UPDATE snapshot SET schema = schema + 1")
        assert recall(journal, 4) == expected


@pytest.mark.requirement("REC-07")
def test_more_than_ten_thousand_events_show_the_newest_ten_thousand_and_lose_none(tmp_path: Path) -> None:
    raised = 10_100
    with closing(Journal.open(tmp_path, rotate_bytes=400_000)) as journal:
        for first in range(0, raised, 505):
            facts = [
                fact
                for number in range(first, first + 505)
                for fact in (
                    ConditionRaised(number * 10, "T02", "printer1", f"event {number}"),
                    ConditionCleared(number * 10 + 5, "T02", "printer1", "self"),
                )
            ]
            journal.commit([Entry(*encode(fact), fact.at_ms, WALL_MS + fact.at_ms) for fact in facts])
            journal.snapshot(0, journal.head.seq, b"")
            journal.idle()
    with closing(Journal.open(tmp_path)) as journal:  # as after a loss of power: nothing marked it clean
        search = LogSearch(Log.EVENTS)
        entries = search.read_all(journal)
        assert len(entries) == LIMITS[Log.EVENTS] == 10_000
        assert (entries[0].detail, entries[-1].detail) == ("event 10099", "event 100")
        assert all(entry.end is not None and entry.end.by == "self" for entry in entries)
        assert len(LogSearch(Log.EVENTS, limit=1 << 30).read_all(journal)) == raised


@pytest.mark.requirement("REC-04", "REC-05", "REC-06", "REC-08")
def test_the_last_hundred_notes_tickets_and_hand_payments_are_read_from_many_files(tmp_path: Path) -> None:
    """Each note becomes a ticket, which comes back and is paid by hand with a dollar more."""
    evening = Evening(seats=1, ticket_limit_cents=500, handpay_receipts=False)
    numbers = []
    for _ in range(MANY):
        numbers.append(evening.ticket(1, 500))
        assert evening.insert_ticket(1, numbers[-1])
        evening.insert(1, 100)
        evening.press(1, "cash_out")
        evening.choose("paid by hand")
    kept(evening, tmp_path, rotate_bytes=60_000).close()
    assert len(list(tmp_path.glob("journal-*.db"))) > 3
    with closing(Journal.read(tmp_path)) as journal:
        found = {log: LogSearch(log).read_all(journal) for log in Log}
    ends = {log: {entry.end.how for entry in found[log] if entry.end is not None} for log in Log}
    bills = found[Log.BILLS]
    assert [(entry.cents, entry.seat, entry.device) for entry in bills] == [
        (100, 1, "validator1"),
        (500, 1, "validator1"),
    ] * MANY
    newest_first = [f"..{number[-4:]}" for number in reversed(numbers)]
    for log, end in ((Log.TICKETS_OUT, "redeemed here"), (Log.TICKETS_IN, "redeemed")):
        assert [entry.detail for entry in found[log]] == newest_first
        assert {entry.cents for entry in found[log]} == {500}
        assert ends[log] == {end}
    assert [entry.cents for entry in found[Log.HANDPAYS]] == [600] * MANY
    assert ends[Log.HANDPAYS] == {"paid"}
    told = repr(found)
    assert not any(number in told for number in numbers)
