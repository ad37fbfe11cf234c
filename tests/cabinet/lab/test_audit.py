"""The auditor of the soak must be able to fail: each story forges one thing and it is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from cabinet.config import file as configuration
from cabinet.core import facts as f
from cabinet.core.facts import Fact, encode
from cabinet.lab import world as worlds
from cabinet.lab.audit import Audit
from cabinet.lab.glance import laid
from cabinet.lab.table import cabinet_file
from cabinet.lab.world import World
from cabinet.store.journal import Entry, Head, Journal
from cabinet.store.second_copy.media import FileSecondCopy
from drivers.sim.tcl import TclMachine
from drivers.sim.tcl.paper import PrintedTicket
from drivers.sim.ticket.art import PAPER_LENGTH_DOTS, TicketText
from drivers.sim.validator.sheets import Sheet
from game.rules import Rules

NUMBER, OTHER_NUMBER = "007056714085479773", "006671408547973279"
BEGIN = (f.SessionStarted(0, 1, True, 0, "test"), f.RulesTaken(0, Rules(), 1))
NOTE = f.NoteIntended(1, 1, "validator1", 1, 2_000, 0x65)
CREDIT = f.NoteCredited(2, 1)
ASKED = f.CashOutAsked(3, 1)
TICKET = f.TicketIntended(4, 2, 1, "printer1", 2_000, NUMBER, 1, 1, 0, True, 0, 0)
PRINTED = f.TicketPrinted(5, 2, "printer")


@pytest.fixture
def world() -> World:
    return worlds.build(configuration.load(cabinet_file("slot1")), wire="memory", seed=1)


def journal_of(directory: Path, facts: Sequence[Fact]) -> Head:
    """Write the facts as the program would, then lose power."""
    journal = Journal.open(directory)
    head = journal.commit([Entry(*encode(fact), at_ms=fact.at_ms, wall_ms=0) for fact in facts])
    journal.close()
    return head


def audited(tmp_path: Path, world: World, *facts: Fact) -> list[str]:
    journal_of(tmp_path / "state", (*BEGIN, *facts))
    audit = Audit(tmp_path / "state")
    audit.read()
    audit.compare(world)
    return audit.problems


def in_box(world: World, cents: int) -> None:
    world.validator("validator1").path.stacked.append(Sheet(cents))


def on_paper(
    world: World, number: str = NUMBER, figures: str = "$20.00", rows: int = PAPER_LENGTH_DOTS
) -> None:
    words = ["", *["x"] * 11, figures, "", "", "", number]
    words[6] = number
    machine = world.wires["printer1"].machine
    assert isinstance(machine, TclMachine)
    machine.tray.append(PrintedTicket(TicketText(*words), rows, 0))


def test_two_tickets_in_a_tray_with_the_same_last_digits_are_two(world: World) -> None:
    other = "0" * 14 + NUMBER[-4:]
    on_paper(world)
    assert world.in_tray("printer1", NUMBER)
    assert not world.in_tray("printer1", other), "an attendant would call it printed, and it would be paid"
    on_paper(world, other)
    assert world.in_tray("printer1", other)


def test_honest_books_have_no_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    on_paper(world)
    assert audited(tmp_path, world, NOTE, CREDIT, f.NoteClosed(3, 1), ASKED, TICKET, PRINTED) == []


@pytest.mark.parametrize("cents", [0, 2_000])
def test_an_open_note_may_be_in_the_box_or_not(tmp_path: Path, world: World, cents: int) -> None:
    in_box(world, cents)
    assert audited(tmp_path, world, NOTE) == []


def test_a_note_in_the_box_that_nobody_intended_is_a_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    assert audited(tmp_path, world) == ["the box of validator1 holds 2000, credited are 0, open are []"]


def test_a_note_that_was_given_back_and_is_in_the_box_is_a_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    assert len(audited(tmp_path, world, NOTE, f.NoteReturned(2, 1, "left escrow"))) == 1


def test_credit_without_a_note_is_a_problem(tmp_path: Path, world: World) -> None:
    assert len(audited(tmp_path, world, NOTE, CREDIT)) == 1


def test_a_second_credit_for_one_note_is_a_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    assert audited(tmp_path, world, NOTE, CREDIT, CREDIT) == [
        "row 5 cannot be true: NoteCredited: note 1 is credited already",
    ]


def test_a_note_that_no_row_intends_is_a_problem(tmp_path: Path, world: World) -> None:
    strange = f.NoteUnresolved(1, 0, "validator1", "vend_valid")
    assert audited(tmp_path, world, strange) == ["validator1 holds a note that no row intends: vend_valid"]


def test_a_ticket_in_doubt_may_be_on_paper_or_not(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    on_paper(world)
    assert audited(tmp_path, world, NOTE, CREDIT, ASKED, TICKET, f.TicketUnknown(5, 2, "restarted")) == []


def test_a_void_number_on_whole_paper_is_a_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    on_paper(world, rows=PAPER_LENGTH_DOTS // 2)
    void = f.TicketVoided(5, 2, "not in hand", "attendant")
    assert audited(tmp_path, world, NOTE, CREDIT, ASKED, TICKET, void) == [], "half a ticket pays nothing"
    on_paper(world)
    audit = Audit(tmp_path / "state")
    audit.read()
    audit.compare(world)
    assert audit.problems == [f"printer1 has printed number {NUMBER}, which is void"]


def test_a_number_on_paper_twice_is_a_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    on_paper(world)
    on_paper(world)
    problems = audited(tmp_path, world, NOTE, CREDIT, ASKED, TICKET, PRINTED)
    assert problems == [f"printer1 has printed number {NUMBER} 2 times"]


def test_a_ticket_that_is_not_in_the_books_is_a_problem(tmp_path: Path, world: World) -> None:
    on_paper(world, OTHER_NUMBER)
    assert audited(tmp_path, world) == [
        f"printer1 has printed number {OTHER_NUMBER}, which is not in the books"
    ]


def test_another_amount_on_paper_than_in_the_books_is_a_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    on_paper(world, figures="$20.01")
    problems = audited(tmp_path, world, NOTE, CREDIT, ASKED, TICKET, PRINTED)
    assert problems == [f"printer1 has printed 2001 on {NUMBER}, not 2000"]


def test_a_printed_ticket_without_paper_is_a_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    problems = audited(tmp_path, world, NOTE, CREDIT, ASKED, TICKET, PRINTED)
    assert problems == [f"number {NUMBER} of printer1 counts as printed and is not on paper"]


def test_the_books_are_read_on_from_where_they_ended(tmp_path: Path) -> None:
    state = tmp_path / "state"
    journal_of(state, BEGIN)
    audit = Audit(state)
    audit.read()
    head = journal_of(state, (NOTE, CREDIT))
    audit.read()
    assert (audit.head, audit.problems) == (head, [])
    assert audit.state.credit(1) == 2_000
    assert (1, laid(audit.state)) in audit.shown, "what the last session may have shown"


def test_a_row_that_was_there_must_stay_as_it_was(tmp_path: Path) -> None:
    journal_of(tmp_path / "state", (*BEGIN, NOTE))
    audit = Audit(tmp_path / "state")
    audit.read()
    for shorter in ((*BEGIN,), (*BEGIN, f.NoteIntended(1, 1, "validator1", 1, 500, 0x63), CREDIT)):
        for file in (tmp_path / "state").iterdir():
            file.unlink()
        journal_of(tmp_path / "state", shorter)
        audit.problems.clear()
        audit.read()
        assert len(audit.problems) == 1


def test_a_journal_that_has_vanished_is_a_problem_unless_it_never_was(tmp_path: Path) -> None:
    audit = Audit(tmp_path / "state")
    audit.read()
    assert audit.problems == [], "killed before its first row"
    journal_of(tmp_path / "state", BEGIN)
    audit.read()
    for file in (tmp_path / "state").iterdir():
        file.unlink()
    audit.read()
    assert len(audit.problems) == 1


def test_the_second_copy_may_be_one_commit_behind_and_not_more(tmp_path: Path) -> None:
    state, copy = tmp_path / "state", FileSecondCopy(tmp_path / "copy")
    audit = Audit(state, tmp_path / "copy")
    first = journal_of(state, BEGIN)
    copy.write(first, b"")
    second = journal_of(state, (NOTE,))
    audit.read()
    assert audit.problems == []
    journal_of(state, (CREDIT,))
    audit.read()
    assert len(audit.problems) == 1, "two behind"
    copy.write(Head(second.seq + 9, "00" * 32), b"")
    audit.read()
    assert len(audit.problems) == 2, "ahead of the journal"


def test_a_hard_meter_may_show_one_group_more_for_each_start_and_never_less(
    tmp_path: Path, world: World
) -> None:
    journal_of(
        tmp_path / "state", (*BEGIN, f.PulseIntended(1, "meter.in", 20), f.PulseDone(2, "meter.in", 10))
    )
    audit = Audit(tmp_path / "state")
    audit.read()
    assert world.panel is not None
    for shown, is_right in ((9, False), (10, True), (30, True), (31, False)):
        world.panel.counters["meter.in"].count = shown
        audit.problems.clear()
        audit.compare_meters(world, starts=2)
        assert (audit.problems == []) is is_right, shown


def test_an_evening_does_not_end_with_anything_open(tmp_path: Path) -> None:
    journal_of(tmp_path / "state", (*BEGIN, NOTE))
    audit = Audit(tmp_path / "state")
    audit.read()
    audit.all_over()
    assert audit.problems == ["still open: notes [1], tickets []"]


# ---- tickets that come back

REDEEM = f.RedeemIntended(6, 3, 2, "validator1", 1, 2_000, NUMBER)
REDEEMED = f.TicketRedeemed(7, 3, 2, "validator1", 1, 2_000, NUMBER, "validator")
PRINTED_TICKET = (NOTE, CREDIT, f.NoteClosed(3, 1), ASKED, TICKET, PRINTED)


def ticket_in_box(world: World, number: str = NUMBER) -> None:
    world.validator("validator1").path.stacked.append(Sheet(0, "", digits=number))


@pytest.mark.parametrize("inside", [False, True])
def test_a_ticket_that_is_coming_in_may_be_in_the_box_or_not(
    tmp_path: Path, world: World, inside: bool
) -> None:
    in_box(world, 2_000)
    on_paper(world)
    if inside:
        ticket_in_box(world)
    assert audited(tmp_path, world, *PRINTED_TICKET, REDEEM) == []


def test_a_redeemed_ticket_lies_in_the_box_once(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    on_paper(world)
    done = (*PRINTED_TICKET, REDEEM, REDEEMED, f.NoteClosed(8, 3))
    (problem,) = audited(tmp_path / "1", world, *done)
    assert problem == f"validator1 holds ticket {NUMBER}, redeemed 1 times, 0 times"
    ticket_in_box(world)
    assert audited(tmp_path / "2", world, *done) == []
    ticket_in_box(world)
    assert audited(tmp_path / "3", world, *done) == [f"the box of validator1 holds ticket {NUMBER} 2 times"]


def test_a_ticket_in_the_box_that_the_books_do_not_know_is_a_problem(tmp_path: Path, world: World) -> None:
    in_box(world, 2_000)
    on_paper(world)
    ticket_in_box(world, OTHER_NUMBER)
    problems = audited(tmp_path, world, *PRINTED_TICKET)
    assert problems == [f"the box of validator1 holds ticket {OTHER_NUMBER} 1 times"]
