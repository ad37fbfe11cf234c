"""Start-up is recovery: snapshots, facts, and a journal that cannot be true."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing

import pytest

from cabinet.core.conditions import Code
from cabinet.core.facts import RulesTaken, encode
from cabinet.core.live import play_lock
from cabinet.core.state import SCHEMA
from cabinet.core.view import view
from cabinet.program import runtime as loops
from cabinet.program.manager import ServiceManager
from cabinet.program.telling import ConditionLog
from cabinet.records.replay import (
    SNAPSHOT_DECODER,
    SNAPSHOT_ENCODER,
    Restored,
    read_totals,
    restore,
    totals,
    totals_of,
)
from cabinet.store.journal import Entry, Journal
from cabinet.ui.catalogue import Catalogue
from drivers.device import (
    InputChanged,
    NoteEscrowed,
)
from game.round import ENGINE
from support.evenings.evening import Evening
from support.programs.runtime_bench import Bench, cards

Make = Callable[..., Bench]


# ---- restore


def played(b: Bench) -> None:
    b.start()
    for seat in (1, 2):
        b.insert(seat, 10_000)
    b.press("seat1.bet_plus", "seat2.bet_plus")
    b.press("seat1.deal", "seat2.deal")
    b.run(60_000)
    b.press("seat1.cash_out")
    assert b.state.round_number == 1
    assert not b.state.round_open


def newest_wall_ms(b: Bench) -> int:
    return [row.entry.wall_ms for row in b.journal.rows()][-1]


@pytest.mark.requirement("MEM-01")
def test_with_and_without_a_snapshot_the_state_is_the_same(bench: Make) -> None:
    b = bench()
    played(b)
    state, seq, wall_ms = b.state, b.journal.head.seq, newest_wall_ms(b)
    assert restore(b.journal) == Restored(state, seq, wall_ms=wall_ms)
    b.journal.snapshot(SCHEMA, seq, SNAPSHOT_ENCODER.encode(state))
    assert restore(b.journal) == Restored(state, 0, wall_ms=wall_ms)
    b.insert(2, 500)
    after = restore(b.journal)
    assert after.state == b.state
    assert 0 < after.facts < 10


def test_a_snapshot_in_the_middle_of_a_round_folds_on(bench: Make) -> None:
    b = bench(draw=cards("5H 4S 7D 2C 3C 4C 5C 6C"))
    b.start()
    b.insert(1, 10_000)
    b.press("seat1.bet_plus", "seat1.deal")
    b.run(5_000)
    b.journal.snapshot(SCHEMA, b.journal.head.seq, SNAPSHOT_ENCODER.encode(b.state))
    assert restore(b.journal).state == b.state
    b.press("seat1.hit")
    b.run(5_000)
    assert restore(b.journal).state == b.state
    assert restore(b.journal).facts > 0


@pytest.mark.parametrize("strange", ["schema", "bytes"])
def test_a_strange_snapshot_is_rebuilt_from_the_facts(bench: Make, strange: str) -> None:
    b = bench()
    played(b)
    seq = b.journal.head.seq
    if strange == "schema":
        b.journal.snapshot(SCHEMA - 1, seq, SNAPSHOT_ENCODER.encode(b.state))
    else:
        b.journal.snapshot(SCHEMA, seq, b'{"session": "many"')
    assert restore(b.journal) == Restored(b.state, seq, wall_ms=newest_wall_ms(b))


@pytest.mark.requirement("MEM-06")
@pytest.mark.parametrize(
    "entry",
    [
        Entry("NoteCredited", '{"at_ms":0,"ref":99}', 0, 0),
        Entry("TimeTravelled", "{}", 0, 0),
        Entry("RoundSettled", '{"at_ms":0,"results":[],"show_ms":0}', 0, 0),
        Entry("BetMoved", '{"at_ms":0,"seat":1,"cents":999999999}', 0, 0),
    ],
    ids=lambda entry: entry.kind,
)
def test_a_fact_that_cannot_be_true_stops_the_table_and_not_the_program(bench: Make, entry: Entry) -> None:
    b = bench()
    b.start()
    b.end()
    journal = Journal.open(b.journal._directory)
    journal.commit([entry])
    journal.close()
    for _ in range(2):
        again = bench()
        assert again.runtime.live.trouble(Code.ACCOUNTING_ERROR).startswith("journal row ")
        head = again.journal.head
        happened = again.step(
            NoteEscrowed("validator1", 0, 2_000, 1), InputChanged("panel1", 0, "seat1.deal", True)
        )
        assert "validator1 give_back" in happened
        assert not any(validator.enabled for validator in again.validators)
        assert play_lock(again.state, again.runtime.live) == "M05"
        again.run(100_000)
        again.runtime.close(clean=True, now_ms=again.now_ms)
        with closing(Journal.read(again.journal._directory)) as read:
            assert read.head == head, "the trouble is still there to be seen"


def test_a_snapshot_is_taken_between_rounds_and_bounds_the_replay(
    bench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "SNAPSHOT_EVERY", 20)
    b = bench()
    b.start()
    seen: list[int] = []
    for _ in range(12):
        b.insert(1, 500)
        b.press("seat1.bet_plus", "seat1.deal")
        while b.state.round_open:
            assert seen == [] or b.journal.load_snapshot(SCHEMA) is not None
            b.run(3_000)
        b.run(10_000)
        found = b.journal.load_snapshot(SCHEMA)
        if found is not None:
            seen.append(found[0])
            assert SNAPSHOT_DECODER.decode(found[1]).round_open is False
    assert len(set(seen)) > 2
    assert restore(b.journal).state == b.state
    assert restore(b.journal).facts < 60


def test_a_large_journal_goes_on_in_a_new_file(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "SNAPSHOT_EVERY", 5)
    b = bench()
    b.journal._rotate_bytes = 1
    b.start()
    b.insert(1, 500)
    files = sorted(path.name for path in b.journal._directory.glob("journal-*.db"))
    assert len(files) > 1
    b.insert(1, 500)
    assert restore(b.journal).state == b.state


def test_the_totals_for_the_second_copy_are_short_and_name_what_is_owed() -> None:
    evening = Evening(seats=7)
    evening.deal(*range(1, 8))
    text = totals(evening.state)
    assert len(text) < 450
    assert b'"credit.1":9500' in text
    assert b'"notes":-70000' in text
    assert read_totals(text) == totals_of(evening.state)
    assert (totals_of(evening.state).live, totals_of(evening.state).meters["bill_in"]) == (True, 70_000)
    assert read_totals(b"[1, 2]") is None


@pytest.mark.parametrize(
    ("kind", "body", "what"),
    [
        ("RoundInvented", "{}", "fact of unknown kind 'RoundInvented'"),
        ("NoteCredited", '{"at_ms":1}', "NoteCredited: Object missing required field `ref`"),
        (
            "NoteCredited",
            '{"at_ms":1,"ref":2,"fee_cents":5}',
            "NoteCredited: Object contains unknown field `fee_cents`",
        ),
        (
            "NoteCredited@2",
            '{"at_ms":1,"ref":2}',
            "NoteCredited of version 2: this program knows it up to version 1",
        ),
    ],
    ids=["kind", "less", "more", "version"],
)
def test_a_fact_of_another_version_locks_the_table_and_says_what_to_do(
    bench: Make, kind: str, body: str, what: str
) -> None:
    """It is never read without the part that this program does not know."""
    b = bench()
    b.start()
    state = b.state
    b.journal.commit([Entry(kind, body, 0, 0)])
    found = restore(b.journal)
    assert found.state == state
    remedy = "version 0 of the program wrote it; put that version back"
    assert found.trouble == f"journal row {b.journal.head.seq}: {what}: {remedy}"
    again = _after(b, bench)
    assert play_lock(again.state, again.runtime.live) == "M05"


def test_rounds_of_a_procedure_that_this_program_does_not_know_are_not_played(bench: Make) -> None:
    b = bench()
    b.start()
    state = b.state
    kind, body = encode(RulesTaken(0, b.runtime.live.policy.rules, 2, ENGINE + 1))
    b.journal.commit([Entry(kind, body, 0, 0)])
    found = restore(b.journal)
    assert found.state == state
    what = f"RulesTaken: rounds of procedure {ENGINE + 1}: this program plays up to {ENGINE}"
    remedy = "version 0 of the program wrote it; put that version back"
    assert found.trouble == f"journal row {b.journal.head.seq}: {what}: {remedy}"
    again = _after(b, bench)
    assert play_lock(again.state, again.runtime.live) == "M05"


def test_a_state_that_a_newer_program_has_kept_is_not_judged_by_an_older_one(bench: Make) -> None:
    b = bench()
    played(b)
    b.journal.snapshot(SCHEMA + 1, b.journal.head.seq, b"whatever a later version keeps")
    found = restore(b.journal)
    told = f"the state is kept in form {SCHEMA + 1}, this program knows it up to form {SCHEMA}: "
    assert found.trouble == f"{told}version 0 of the program wrote it; put that version back"
    again = _after(b, bench)
    assert play_lock(again.state, again.runtime.live) == "M05"
    assert not any(validator.enabled for validator in again.validators)


def test_a_condition_that_only_another_version_knows_waits_for_a_technician(
    bench: Make, caplog: pytest.LogCaptureFixture
) -> None:
    b = bench()
    b.start()
    b.journal.commit([Entry("ConditionRaised", '{"at_ms":0,"code":"X77","device":"","detail":""}', 0, 0)])
    again = _after(b, bench)
    assert ("X77", "") in again.state.conditions
    assert play_lock(again.state, again.runtime.live) == "X77"
    with caplog.at_level(logging.WARNING):
        ConditionLog(ServiceManager()).tell(again.state, again.runtime.live)
    assert "X77 unknown condition" in caplog.text
    lock = view(again.state, again.runtime.live).lock
    assert lock is not None
    assert Catalogue().text(lock.title) == "Out of play"
    assert Catalogue().text(lock.call) == "Please call a technician"
    for on in (True, False):
        again.step(InputChanged("panel1", again.now_ms, "key.attendant", on))
    assert play_lock(again.state, again.runtime.live) == "X77"
    for on in (True, False):
        again.step(InputChanged("panel1", again.now_ms, "key.service", on))
    assert play_lock(again.state, again.runtime.live) == ""


def _after(b: Bench, bench: Make) -> Bench:
    """The next start on the same journal."""
    b.end()
    return bench()
