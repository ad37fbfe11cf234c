"""Faults put into the program on purpose: the crash harness must find each, or it proves nothing.

Each mutant is a plausible mistake in the order of record and act, or in what a start believes. The test
says by which check it is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from click.testing import CliRunner

from cabinet.core.facts import Fact, PulseDone, TicketPrinted
from cabinet.core.money import cashier, hard_meters, payout
from cabinet.core.money.ticket import fields_of
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.turn import (
    AcknowledgeNote,
    Act,
    GivePulses,
    PrintTicket,
    ReleasePrinter,
    StackNote,
    Turn,
)
from cabinet.lab.crash import command
from cabinet.lab.crash.checks import Check
from cabinet.lab.crash.cut import Bytes, Cut, Plug
from cabinet.lab.crash.play import Choose, CrashOptions, CrashOutcome, run
from cabinet.lab.crash.watch import Point, PointKind
from cabinet.memory import check as memory
from cabinet.program import runtime
from cabinet.program.runtime import Runtime
from cabinet.store.journal import Entry, Head, Journal
from drivers.device import Holding

pytestmark = pytest.mark.no_cover  # whole evenings, again and again: tracing them costs three times as much

Patch = pytest.MonkeyPatch
KILLED = Cut(Plug.PROCESS, Bytes.DELIVERED)
DARK = Cut(Plug.ALL, Bytes.LOST)
NOTES = CrashOptions("slot1", scenes=("notes",))
# A card so slow that a printer is ready before a commit is.
TICKET = CrashOptions("slot1", scenes=("ticket",), commit_ms=1_200)  # a note, and its credit on paper


def at(kind: PointKind, what: str = "", cut: Cut = KILLED) -> Choose:
    """Crash at the points of one kind that say `what`."""
    return lambda point: (cut,) if point.kind is kind and what in point.what else ()


def found(options: CrashOptions, choose: Choose) -> CrashOutcome:
    """The first crash that shows a problem ends the search; the same crashes find nothing in the program."""
    return run(options, choose, recording=False, enough=lambda outcome: bool(outcome.problems))


def test_the_program_itself_passes_where_its_mutants_are_found() -> None:
    def choose(point: Point) -> Sequence[Cut]:
        near = "Note" in point.what or "Ticket" in point.what or "Pulse" in point.what
        return (KILLED if point.number % 4 else DARK,) if near and point.number % 2 == 0 else ()

    outcome = run(TICKET, choose, recording=False)
    assert outcome.problems == []
    assert outcome.crashes > 10


# ---- act, then record


@pytest.mark.parametrize(
    ("act", "fact", "options"),
    [
        pytest.param(AcknowledgeNote, "NoteCredited", NOTES, id="ACK before commit"),
        pytest.param(StackNote, "NoteIntended", NOTES, id="STACK before intent"),
        pytest.param(PrintTicket, "TicketIntended", TICKET, id="print before intent"),
    ],
)
@pytest.mark.requirement("BIL-02", "PRN-01")
def test_an_act_before_its_commit(
    act: type[Act], fact: str, options: CrashOptions, monkeypatch: Patch
) -> None:
    commit = Runtime._commit

    def too_early(self: Runtime, facts: list[Fact], now_ms: int) -> None:
        assert self._pending is not None
        for order in [order for order in self._pending.acts if isinstance(order, act)]:
            self._pending.acts.remove(order)
            self._carry_out(order)
        self._wakes = {name: runtime._wake_of(device) for name, device in self.devices.items()}
        commit(self, facts, now_ms)

    monkeypatch.setattr(Runtime, "_commit", too_early)
    assert found(options, at(PointKind.INSIDE, fact)).checks[Check.ORDERS]


@pytest.mark.requirement("MTR-07")
def test_shown_before_its_commit(monkeypatch: Patch) -> None:
    commit = Runtime._commit

    def shown_early(self: Runtime, facts: list[Fact], now_ms: int) -> None:
        assert self._pending is not None
        assert self._on_publish is not None
        self._on_publish(self._pending.state, self._pending.live)
        commit(self, facts, now_ms)

    monkeypatch.setattr(Runtime, "_commit", shown_early)
    assert found(NOTES, at(PointKind.INSIDE, "NoteCredited")).checks[Check.SHOWN]


@pytest.mark.requirement("MTR-07", "CRD-11")
@pytest.mark.parametrize(
    ("fact", "scenes", "by"),
    [
        pytest.param("PulseIntended", ("notes",), Check.METERS, id="a note without its pulses"),
        pytest.param("CardsDrawn", ("notes", "round"), Check.JOURNAL, id="a round without its cards"),
    ],
)
def test_facts_of_one_event_in_transactions_of_their_own(
    fact: str, scenes: tuple[str, ...], by: Check, monkeypatch: Patch
) -> None:
    """Power goes between the two: the hard meter never learns of the note, bets are taken for no deal. The
    second copy, which is written once for each event, has fallen behind by more than one transaction."""
    commit = Journal.commit

    def one_by_one(self: Journal, entries: Sequence[Entry]) -> Head:
        heads = [commit(self, [entry]) for entry in entries]
        return heads[-1]

    monkeypatch.setattr(Journal, "commit", one_by_one)
    assert found(CrashOptions("slot1", scenes=scenes), at(PointKind.INSIDE, fact)).checks[by]


# ---- money in


@pytest.mark.requirement("BIL-01", "BIL-02")
def test_credit_on_stacked_instead_of_vend_valid(monkeypatch: Patch) -> None:
    """STACKED lasts less than a poll, and after the ACK nobody repeats anything."""
    stacked = cashier.note_stacked

    def credit_late(turn: Turn, device: str) -> None:
        note = turn.state.note(device)
        if note is not None and not note.credited:
            cashier._credit(turn, note, "")
        stacked(turn, device)

    monkeypatch.setattr(cashier, "vend_valid", lambda turn, device, _: turn.act(AcknowledgeNote(device)))
    monkeypatch.setattr(cashier, "note_stacked", credit_late)
    assert found(NOTES, at(PointKind.ARRIVED, "stacked")).checks[Check.ORDERS]


@pytest.mark.requirement("BIL-02")
def test_credit_for_every_vend_valid(monkeypatch: Patch) -> None:
    """A unit repeats VEND VALID until it is acknowledged: after a restart, too. The ledger refuses it."""

    def credit_again(turn: Turn, device: str, evidence: str) -> None:
        note = turn.state.note(device)
        assert note is not None
        cashier._credit(turn, note, evidence)
        turn.act(AcknowledgeNote(device))

    monkeypatch.setattr(cashier, "vend_valid", credit_again)
    outcome = found(NOTES, at(PointKind.ORDER, "AcknowledgeNote"))
    assert outcome.checks[Check.GOES_ON]

    # What is told of a problem is enough to meet it again.
    monkeypatch.setattr(command, "at_hand", lambda: False)
    words = outcome.problems[0].rpartition("cabinet lab crash ")[2].split()
    again = CliRunner().invoke(command.crash, words)
    assert again.exit_code == 1
    assert outcome.problems[0] in again.output


def after_the_stack(point: Point) -> bool:
    """Between the order and the credit, wherever the note is."""
    return any(word in point.what for word in ("StackNote", "lifting", "pushing", "vend_valid", "fc 05 14"))


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize("credit", [True, False])
def test_a_guess_where_only_a_person_can_tell(credit: bool, monkeypatch: Patch) -> None:
    """The unit knows nothing of a note that was to be stacked: it has given it back because the STACK never
    came, or it has it in the box and lost power before it knew."""
    guess = cashier._credit_lost_report if credit else cashier._return
    for said in (Holding.POWER_UP, Holding.NOTHING):
        monkeypatch.setitem(cashier.NOTE_AT_START, (cashier.INTENDED, said), guess)
    # Which of the two finds the note in the box depends on the millisecond in which power goes.
    dark = (DARK, Cut(Plug.ALL, Bytes.DELIVERED))
    cuts = (Cut(Plug.PROCESS, Bytes.LOST),) if credit else dark
    outcome = found(NOTES, lambda point: cuts if after_the_stack(point) else ())
    assert outcome.checks[Check.JOURNAL]


# ---- money out


@pytest.mark.requirement("PRN-02", "MTR-07")
def test_a_ticket_that_counts_when_it_is_ordered(monkeypatch: Patch) -> None:
    order = payout._ticket

    def counted_early(turn: Turn, seat: int, printer: str) -> None:
        order(turn, seat, printer)
        turn.add(TicketPrinted(turn.now_ms, turn.state.tickets[-1].ref, "printer"))

    monkeypatch.setattr(payout, "_ticket", counted_early)
    assert found(TICKET, at(PointKind.COMMITTED, "TicketIntended", DARK)).checks[Check.JOURNAL]


@pytest.mark.requirement("PRN-02")
def test_the_same_number_printed_again_after_a_restart(monkeypatch: Patch) -> None:
    """From memory, without asking the printer what became of it."""
    serve = payout.serve

    def release_all(turn: Turn) -> None:
        for printer, _ in turn.policy.printers:
            turn.act(ReleasePrinter(printer))

    def from_memory(turn: Turn) -> None:
        serve(turn)
        for t in turn.state.tickets:
            if t.doubt and turn.live.device(t.device).ready:
                fields = fields_of(turn.policy, t.seat, t.cents, t.number, t.ticket_no, t.wall_ms)
                turn.act(PrintTicket(t.device, t.ref, fields))

    monkeypatch.setattr(payout, "printers_asked", release_all)
    monkeypatch.setattr(payout, "serve", from_memory)
    outcome = found(TICKET, at(PointKind.ARRIVED, "ticket printing"))
    assert any("2 times" in problem for problem in outcome.problems)


@pytest.mark.requirement("PRN-02")
def test_ticket_numbers_from_memory(monkeypatch: Patch) -> None:
    """A start that begins to count again, and has no book that would show it, would give a number to a second
    ticket. The second copy knows how far the count was."""
    forgetful(monkeypatch, lambda state: replace(state, sequence=0, ticket_no=0, issued=()))

    def compared(outcome: CrashOutcome) -> bool:
        return any("differ: sequence" in problem for problem in outcome.problems)

    evening = CrashOptions("shared3", scenes=("notes", "ticket"))
    assert compared(run(evening, at(PointKind.COPIED), recording=False, enough=compared))


@pytest.mark.requirement("MTR-07")
def test_pulses_that_are_done_when_they_are_ordered(monkeypatch: Patch) -> None:
    give = hard_meters.give

    def done_early(turn: Turn) -> None:
        give(turn)
        for act in turn.acts:
            if isinstance(act, GivePulses) and turn.state.pulses.get(act.meter, 0) >= act.count:
                turn.add(PulseDone(turn.now_ms, act.meter, act.count))

    monkeypatch.setattr(hard_meters, "give", done_early)
    assert found(NOTES, at(PointKind.SENT, "panel")).checks[Check.METERS]


# ---- the table


@pytest.mark.requirement("CRD-11")
def test_a_start_that_forgets_the_round(monkeypatch: Patch) -> None:
    forgetful(monkeypatch, lambda state: replace(state, round=None, moves=()))
    outcome = found(CrashOptions("slot1", scenes=("notes", "round")), at(PointKind.COMMITTED, "CardsDrawn"))
    assert outcome.checks[Check.SAME_TABLE] or outcome.checks[Check.JOURNAL]


def forgetful(monkeypatch: Patch, forget: Callable[[State], State]) -> None:
    """Every start loses something of what the journal says, behind the back of the second copy."""
    check = memory.check

    def checked(*given: Any, **named: Any) -> memory.Checked:
        made = check(*given, **named)
        return replace(made, restored=replace(made.restored, state=forget(made.restored.state)))

    monkeypatch.setattr(memory, "check", checked)


# ---- the keys of the chain


@pytest.mark.requirement("MEM-02", "MEM-03")
def test_a_key_that_is_replaced_before_its_epoch_is_closed(monkeypatch: Patch) -> None:
    """Power between the two leaves a journal whose last epoch nobody can close any more."""

    def key_first(self: Journal) -> None:
        now = self._sealing
        if now is None or now.kept.began == self.head:
            return
        epoch, following = now.next_epoch(self.head), now.following(self.head)
        newest = now.newest
        snapshot = (newest.seq, *now.resealed(epoch.number)) if newest is not None else None
        self._keep(following)
        self._file.add_epoch(epoch, snapshot)
        now.kept = following

    choose = at(PointKind.KEYED, "has begun")
    assert found(NOTES, choose).crashes > 1
    assert found(NOTES, choose).problems == []
    monkeypatch.setattr(Journal, "evolve", key_first)
    assert found(NOTES, choose).checks[Check.GOES_ON]
