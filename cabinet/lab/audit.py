"""An audit of a cabinet: its journal, read by a reader of its own, against box, tray and meters.

The program folds facts into a state; this reader keeps its own short list of notes and tickets
beside that, made from the facts alone, so that a wrong fold and a wrong act both show. It reads a
copy of the files: what a power cut left is not touched before the program itself has seen it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from cabinet.core import facts as f
from cabinet.core.state import State, identity
from cabinet.core.state.fold import after
from cabinet.core.state.ledger import FactRefusedError
from cabinet.lab.glance import Laid, laid
from cabinet.lab.world import World
from cabinet.store.journal import GENESIS, Head, Journal, JournalError
from cabinet.store.second_copy import CopyVerdict, judge
from cabinet.store.second_copy.media import FileSecondCopy
from drivers.sim.printers import PrinterMachine
from drivers.sim.validator import ValidatorMachine

LOCK_FILES = ("lock", "*-shm")  # of the running program, not of the books
# The pulses of one group may be given once more after a loss of power.
PULSE_GROUP = 10


class DocumentProgress(StrEnum):
    """How far a note or a ticket has come, by the facts."""

    OPEN = "open"
    CREDITED = "credited"  # note
    PRINTED = "printed"  # ticket
    REDEEMED = "redeemed"  # ticket, in the box of a validator
    VOID = "void"  # ticket: its number must never be on paper
    BACK = "back"  # note


@dataclass(slots=True)
class Note:
    device: str
    cents: int
    stage: DocumentProgress = DocumentProgress.OPEN


@dataclass(slots=True)
class Ticket:
    device: str
    number: str
    cents: int
    stage: DocumentProgress = DocumentProgress.OPEN


@dataclass(slots=True)
class Audit:
    """Follows one state directory from its first row on. `problems` is what cannot be true."""

    directory: Path
    second_copy: Path | None = None
    head: Head = GENESIS
    state: State = field(default_factory=State)
    notes: dict[int, Note] = field(default_factory=dict)
    tickets: dict[int, Ticket] = field(default_factory=dict)
    redeeming: dict[int, tuple[str, str]] = field(default_factory=dict)  # open: validator and number
    redeemed: list[tuple[str, str]] = field(default_factory=list)  # validator and number
    pulses: Counter[str] = field(default_factory=Counter)  # intended
    shown: set[tuple[int, Laid]] = field(default_factory=set)  # every state of the last session
    problems: list[str] = field(default_factory=list)

    # ---- the journal

    def read(self) -> None:
        """Read on from where the last reading ended."""
        with tempfile.TemporaryDirectory(prefix="cabinet-books-") as scratch:
            copy = Path(scratch) / "state"
            if self.directory.is_dir():
                shutil.copytree(self.directory, copy, ignore=shutil.ignore_patterns(*LOCK_FILES))
            try:
                journal = Journal.read(copy)
            except JournalError as error:
                if self.head != GENESIS:
                    self.problems.append(f"the journal cannot be read: {error.text}")
                return
            try:
                self._follow(journal)
            except JournalError as error:
                self.problems.append(f"the journal is broken: {error.text}")
            finally:
                journal.close()

    def _follow(self, journal: Journal) -> None:
        if journal.digest_at(self.head.seq) != self.head.digest:
            self.problems.append(
                f"the journal ends at row {journal.head.seq} and has another row {self.head.seq}"
            )
            return
        for row in journal.rows(after_seq=self.head.seq):
            try:
                fact = f.decode(row.entry.kind, row.entry.body)
                self.state = after(self.state, fact)
            except (FactRefusedError, f.UnknownFactError) as error:
                self.problems.append(f"row {row.seq} cannot be true: {error}")
                return
            self.head = Head(row.seq, row.digest)
            self._keep(fact)
        if why := identity.trouble(self.state):
            self.problems.append(f"meters and accounts: {why}")
        if self.second_copy is not None:
            record = FileSecondCopy(self.second_copy).read()
            verdict = judge(record, journal.head, journal.previous_seq, journal.digest_at)
            first = verdict is CopyVerdict.MISSING and journal.previous_seq == 0
            if verdict not in (CopyVerdict.EQUAL, CopyVerdict.BEHIND) and not first:
                self.problems.append(f"the second copy is {verdict}: {record} against {journal.head}")

    def _keep(self, fact: f.Fact) -> None:
        match fact:
            case f.SessionStarted():
                self.shown.clear()
            case f.NoteIntended(ref=ref, device=device, cents=cents):
                self.notes[ref] = Note(device, cents)
            case f.NoteCredited(ref=ref) | f.NoteSettledByHand(ref=ref, in_box=True) if ref:
                self._note(ref, DocumentProgress.CREDITED)
            case f.NoteReturned(ref=ref) if ref in self.redeeming:
                del self.redeeming[ref]
            case f.NoteReturned(ref=ref) | f.NoteSettledByHand(ref=ref) if ref:
                self._note(ref, DocumentProgress.BACK)
            case f.NoteUnresolved(ref=0, device=device, report=report):
                self.problems.append(f"{device} holds a note that no row intends: {report}")
            case f.TicketIntended(ref=ref, device=device, number=number, cents=cents):
                if any(ticket.number == number for ticket in self.tickets.values()):
                    self.problems.append(f"number {number} was given to two tickets")
                self.tickets[ref] = Ticket(device, number, cents)
            case f.TicketPrinted(ref=ref):
                self._ticket(ref, DocumentProgress.PRINTED)
            case f.RedeemIntended() | f.TicketRedeemed():
                self._redeem(fact)
            case f.TicketVoided(ref=ref):
                self._ticket(ref, DocumentProgress.VOID)
            case f.PulseIntended(meter=meter, count=count):
                self.pulses[meter] += count
        self.shown.add((self.state.session, laid(self.state)))

    def _note(self, ref: int, stage: DocumentProgress) -> None:
        note = self.notes[ref]
        if note.stage is not DocumentProgress.OPEN:
            self.problems.append(f"note {ref} was {note.stage} and is now {stage}")
        note.stage = stage

    def _ticket(self, ref: int, stage: DocumentProgress) -> None:
        ticket = self.tickets[ref]
        if ticket.stage is not DocumentProgress.OPEN:
            self.problems.append(f"ticket {ref} was {ticket.stage} and is now {stage}")
        ticket.stage = stage

    def _redeem(self, fact: f.RedeemIntended | f.TicketRedeemed) -> None:
        """A ticket comes back: it must have been printed, with this number and amount, and is paid once."""
        ticket = self.tickets.get(fact.ticket)
        if ticket is None or (ticket.number, ticket.cents) != (fact.number, fact.cents):
            self.problems.append(f"document {fact.ref} is paid for a ticket that was never made so")
        elif ticket.stage is not DocumentProgress.PRINTED:
            self.problems.append(f"ticket {fact.ticket} was {ticket.stage} and is redeemed")
        elif isinstance(fact, f.RedeemIntended):
            self.redeeming[fact.ref] = fact.device, fact.number
        else:
            ticket.stage = DocumentProgress.REDEEMED
            self.redeemed.append(self.redeeming.pop(fact.ref))

    # ---- against what is there

    def compare(self, world: World) -> None:
        """Every cash box and every piece of paper, as they are at this moment."""
        for name in world.wires:
            machine = world.wires[name].machine
            if isinstance(machine, ValidatorMachine):
                self._box(name, machine)
                self._tickets_in_box(name, machine)
            elif isinstance(machine, PrinterMachine):
                self._paper(name, machine)

    def _box(self, name: str, machine: ValidatorMachine) -> None:
        """The box holds what was credited, and of the open notes at most all. A note that can only fall into
        the box counts as there or not: a unit that lost power holds it until it is reset."""
        mine = [note for note in self.notes.values() if note.device == name]
        credited_cents = sum(note.cents for note in mine if note.stage is DocumentProgress.CREDITED)
        allowed = {credited_cents}
        for note in mine:
            if note.stage is DocumentProgress.OPEN:
                allowed |= {cents + note.cents for cents in allowed}
        swallowed = machine.swallowed
        there = {machine.stacked_cents, machine.stacked_cents + (swallowed.cents if swallowed else 0)}
        if not there & allowed:
            open_cents = [note.cents for note in mine if note.stage is DocumentProgress.OPEN]
            self.problems.append(
                f"the box of {name} holds {machine.stacked_cents}, credited are {credited_cents}, "
                f"open are {open_cents}"
            )

    def _tickets_in_box(self, name: str, machine: ValidatorMachine) -> None:
        """Every ticket in the box is redeemed or open in the books, once; every redeemed one is in a box."""
        in_box = Counter(paper.digits for paper in machine.stacked if paper.digits)
        redeemed = Counter(number for device, number in self.redeemed if device == name)
        opened = {number for device, number in self.redeeming.values() if device == name}
        for number, count in in_box.items():
            if count > 1 or not (redeemed[number] or number in opened):
                self.problems.append(f"the box of {name} holds ticket {number} {count} times")
        swallowed = machine.swallowed.digits if machine.swallowed else ""
        for number, count in redeemed.items():
            if count > 1 or not (in_box[number] or number == swallowed):
                self.problems.append(
                    f"{name} holds ticket {number}, redeemed {count} times, {in_box[number]} times"
                )

    def _paper(self, name: str, machine: PrinterMachine) -> None:
        """A whole ticket on paper is printed or open in the books, with its amount; never twice."""
        on_paper = Counter(paper.text.validation for paper in machine.tray if paper.complete)
        cents_of = {paper.text.validation: paper.cents for paper in machine.tray if paper.complete}
        mine = {ticket.number: ticket for ticket in self.tickets.values() if ticket.device == name}
        for number, count in on_paper.items():
            ticket = mine.get(number)
            if count > 1:
                self.problems.append(f"{name} has printed number {number} {count} times")
            if ticket is None:
                self.problems.append(f"{name} has printed number {number}, which is not in the books")
            elif ticket.stage is DocumentProgress.VOID:
                self.problems.append(f"{name} has printed number {number}, which is void")
            elif ticket.cents != cents_of[number]:
                self.problems.append(f"{name} has printed {cents_of[number]} on {number}, not {ticket.cents}")
        for number, ticket in mine.items():
            if ticket.stage in (DocumentProgress.PRINTED, DocumentProgress.REDEEMED) and not on_paper[number]:
                self.problems.append(f"number {number} of {name} counts as printed and is not on paper")

    def compare_meters(self, world: World, starts: int) -> None:
        """A hard meter never shows less than it was told, and at most one group more for each start."""
        assert world.panel is not None
        for meter, counter in world.panel.counters.items():
            told = self.pulses[meter] - self.state.pulses.get(meter, 0)
            if not told <= counter.count <= told + PULSE_GROUP * starts:
                short = f" ({counter.too_short} too short)" if counter.too_short else ""
                self.problems.append(f"{meter} shows {counter.count} pulses{short}, told were {told}")

    def all_over(self) -> None:
        """At the end of an evening nothing may be open."""
        open_notes = [ref for ref, note in self.notes.items() if note.stage is DocumentProgress.OPEN]
        open_tickets = [ref for ref, ticket in self.tickets.items() if ticket.stage is DocumentProgress.OPEN]
        if open_notes or open_tickets:
            self.problems.append(f"still open: notes {open_notes}, tickets {open_tickets}")
        if self.redeeming:
            self.problems.append(f"still open: tickets coming in {list(self.redeeming)}")
