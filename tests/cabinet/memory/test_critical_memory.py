"""What has to survive: everything of an evening in which something of each kind is open."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cabinet.core.facts import ConditionRaised, Fact, RoundOpened, RoundSettled, SessionStarted, decode
from cabinet.core.live import active_conditions
from cabinet.core.state import State
from cabinet.store.journal import Journal
from drivers.device import Fault, FaultRaised, NoteEscrowed, NoteVendValid
from support.evenings.evening import WALL_MS
from support.programs import runtime_bench
from support.programs.runtime_bench import Bench

DAY_MS = 24 * 3600 * 1000
SETTINGS = (("cabinet.ticket_limit_cents", "500000"), ("rules.blackjack_pays", '"3:2"'))


def evening(directory: Path) -> Bench:
    """A round is settled and the next one open; a ticket is in work, a note on its way, a hand payment waits,
    a validator is jammed."""
    b = Bench(directory, seats=4, settings=SETTINGS, ticket_limit_cents=50_000, draw=lambda n: 4)
    b.start()
    for seat, cents in ((1, 10_000), (2, 10_000), (3, 60_000)):
        b.insert(seat, cents)
    b.press("seat1.bet_plus", "seat2.bet_plus")
    b.press("seat1.deal", "seat2.deal", "seat3.cash_out")
    b.run(60_000)
    b.press("seat1.cash_out")
    b.step(NoteEscrowed("validator4", b.now_ms, 2_000, 1))
    b.step(FaultRaised("validator3", b.now_ms, Fault.JAM, "in the acceptor"))
    b.press("seat2.bet_plus", "seat2.deal")
    b.run(5_000)
    return b


@contextmanager
def after_a_power_cut(tmp_path: Path) -> Iterator[tuple[State, Bench]]:
    """The state before and the cabinet after: nothing is left of the program but its files."""
    b = evening(tmp_path / "state")
    before = b.state
    b.end()
    again = Bench(tmp_path / "state", seats=4, settings=SETTINGS, ticket_limit_cents=50_000)
    yield before, again
    again.end()


def facts_of(directory: Path) -> list[Fact]:
    with closing(Journal.read(directory)) as journal:
        return [decode(row.entry.kind, row.entry.body) for row in journal.rows()]


HELD: dict[str, Callable[[State], object]] = {
    "meters": lambda state: state.meters["bill_in"] and dict(state.meters),
    "credits": lambda state: [state.credit(seat) for seat in state.seats],
    "settings": lambda state: (dict(state.settings) == dict(SETTINGS), state.rules),
    "the open round": lambda state: (state.round_open, state.round, state.bets, state.moves),
    "a note on its way": lambda state: [(note.device, note.cents, note.credited) for note in state.notes],
    "a ticket in work": lambda state: [(t.number, t.cents, t.seat) for t in state.tickets],
    "a hand payment": lambda state: [(pay.seat, pay.cents, pay.reason) for pay in state.handpays],
    "the fault list": lambda state: state.conditions,
    "numbers that are used": lambda state: (state.sequence, state.ticket_no, state.next_ref),
    "what hard meters owe": lambda state: dict(state.pulses),
}


@pytest.mark.requirement("MEM-01")
@pytest.mark.parametrize("what", HELD)
def test_it_is_there_after_a_power_cut(what: str, tmp_path: Path) -> None:
    with after_a_power_cut(tmp_path) as (before, again):
        held = HELD[what]
        assert held(before), "there was something to lose"
        assert held(again.state) == held(before)
        assert again.state == before, "and so is everything else"


@pytest.mark.requirement("MEM-01", "REC-01", "REC-07")
def test_recall_and_the_event_log_are_there_after_a_power_cut(tmp_path: Path) -> None:
    """Both are questions to the journal: the rounds that were played, and everything that happened."""
    before = evening(tmp_path / "state")
    told = facts_of(tmp_path / "state")
    before.end()
    again = Bench(tmp_path / "state", seats=4, settings=SETTINGS, ticket_limit_cents=50_000)
    again.step()
    kept = facts_of(tmp_path / "state")
    again.end()
    assert kept[: len(told)] == told
    assert isinstance(kept[len(told)], SessionStarted)
    kinds = [type(fact) for fact in told]
    assert (kinds.count(RoundOpened), kinds.count(RoundSettled)) == (2, 1), "the unfinished one too"
    assert ConditionRaised in kinds


@pytest.mark.requirement("MEM-08")
def test_two_hundred_days_without_power_need_nothing_but_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No battery and no clock holds anything: the files go to another medium, and the calendar goes on."""
    b = evening(tmp_path / "state")
    before, facts = b.state, facts_of(tmp_path / "state")
    b.end()
    shutil.copytree(tmp_path / "state", tmp_path / "medium")
    shutil.rmtree(tmp_path / "state")
    monkeypatch.setattr(runtime_bench, "WALL_MS", WALL_MS + 200 * DAY_MS)
    again = Bench(tmp_path / "medium", seats=4, settings=SETTINGS, ticket_limit_cents=50_000)
    assert again.state == before
    assert facts_of(tmp_path / "medium") == facts
    again.step()
    assert again.state.ledger == before.ledger
    assert again.state.round == before.round
    codes = {row.code for row, _, _ in active_conditions(again.state, again.runtime.live)}
    assert {"OLD", "B01", "H01"} <= codes, "the round waits for a person: its players have gone"
    again.end()


@pytest.mark.requirement("MEM-01", "BIL-02")
def test_a_note_that_was_on_its_way_becomes_money_once_after_the_power_cut(tmp_path: Path) -> None:
    with after_a_power_cut(tmp_path) as (before, again):
        again.step()
        for _ in range(3):
            again.step(NoteVendValid("validator4", again.now_ms))
        assert again.state.credit(4) == before.credit(4) + 2_000
