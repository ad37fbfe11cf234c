"""What must hold after a crash: between the journal, what devices were told, what stands in boxes and trays,
what was shown before and is shown now, and what is in the books when the evening is over."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from cabinet.core.money import hard_meters
from cabinet.lab.audit import Audit, DocumentProgress
from cabinet.lab.crash.evening import Life
from cabinet.lab.glance import laid
from cabinet.lab.soak.run import differences
from cabinet.lab.world import World
from cabinet.records.replay import restore
from cabinet.store.journal import Head, Journal
from drivers.sim.printers import PrinterMachine
from drivers.sim.validator import ValidatorMachine


class Check(StrEnum):
    """What has to hold; each finds another kind of fault."""

    GOES_ON = "the program goes on"
    ROWS = "every acknowledged row is there"
    JOURNAL = "journal, second copy, cash box and paper agree"
    ORDERS = "no device was told what is not recorded"
    SHOWN = "nothing was shown that is not recorded"
    SAME_TABLE = "the same table comes back"
    ENDS = "the evening ends"
    NOTHING_OPEN = "nothing is left open"
    METERS = "hard meters show what they were told"
    MONEY = "notes are tickets, hand payments and the house's"
    REPLAY = "the program's own replay agrees"


@dataclass(slots=True)
class CrashVerdict:
    """What came of one crash. `problems` are pairs of a check and what it found."""

    problems: list[tuple[Check, str]] = field(default_factory=list)
    cuts: int = 0
    visits: int = 0  # of the attendant

    def add(self, check: Check, *texts: str) -> None:
        self.problems += [(check, text) for text in texts]


def told_too_early(world: World, audit: Audit) -> list[str]:
    """Whatever a device has been told irrevocably is in the journal."""
    found = []
    for name, wire in world.wires.items():
        match wire.machine:
            case ValidatorMachine() as machine:
                mine = [note for note in audit.notes.values() if note.device == name]
                intended = any(note.stage is DocumentProgress.OPEN for note in mine)
                intended |= any(device == name for device, _ in audit.redeeming.values())
                credited = sum(note.stage is DocumentProgress.CREDITED for note in mine)
                credited += sum(device == name for device, _ in audit.redeemed)
                if machine.acknowledged_count > credited and not machine.forgets_stacked:
                    found.append(f"{name}: a document is acknowledged, and not credited in the journal")
                if machine.stacking and not intended:
                    found.append(f"{name}: a document is stacked, and the journal does not intend it")
            case PrinterMachine() as machine:
                known = {ticket.number for ticket in audit.tickets.values()}
                unknown = [number for number in machine.ordered if number not in known]
                found += [f"{name}: number {n} is ordered, and not in the journal" for n in unknown]
    return found


def has_all_rows(acknowledged: Head, audit: Audit, life: Life, verdict: CrashVerdict) -> None:
    """Whatever a commit has returned for is on the disk, under the same digest."""
    if life.runtime.journal.digest_at(acknowledged.seq) != acknowledged.digest:
        verdict.add(Check.ROWS, f"row {acknowledged.seq} was acknowledged, it ends at {audit.head.seq}")


def comes_back(audit: Audit, life: Life, verdict: CrashVerdict) -> None:
    """The first that the new life has shown is the table as it was."""
    if not audit.state.session:
        return  # there was no table yet
    session, first = life.shown[0]
    before = laid(audit.state)
    changes = differences(before, first)
    if session != audit.state.session + 1:
        changes.append(f"session {session} follows {audit.state.session}")
    verdict.add(Check.SAME_TABLE, *changes)


def count(world: World, audit: Audit, verdict: CrashVerdict) -> None:
    """At the end of the evening."""
    audit.read()
    audit.compare(world)
    verdict.add(Check.JOURNAL, *audit.problems)
    audit.problems.clear()
    audit.all_over()
    verdict.add(Check.NOTHING_OPEN, *audit.problems)
    audit.problems.clear()
    audit.compare_meters(world, verdict.cuts)
    unit = world.config.cabinet.pulse_cents
    for meter in hard_meters.FOLLOWS:
        told, counted = audit.pulses[meter], hard_meters.counted_cents(audit.state, meter)
        if told != counted // unit:
            audit.problems.append(f"{meter} was told {told} pulses, its soft meters have {counted}")
    verdict.add(Check.METERS, *audit.problems)
    audit.problems.clear()
    verdict.add(Check.MONEY, *_money(audit))
    journal = Journal.read(audit.directory)
    try:
        if restore(journal).state != audit.state:
            verdict.add(Check.REPLAY, "snapshot and rows after it make another state than all rows do")
    finally:
        journal.close()


def _money(audit: Audit) -> list[str]:
    """The ledger against notes and tickets one by one; its own sum is always zero."""
    ledger, found = audit.state.ledger, []
    notes = sum(note.cents for note in audit.notes.values() if note.stage is DocumentProgress.CREDITED)
    tickets = sum(
        ticket.cents for ticket in audit.tickets.values() if ticket.stage is DocumentProgress.PRINTED
    )
    if -ledger["notes"] != notes:
        found.append(f"the ledger has {-ledger['notes']} of notes, credited are {notes}")
    if ledger["tickets_out"] != tickets:
        found.append(f"the ledger has {ledger['tickets_out']} on tickets, printed are {tickets}")
    gone = ledger["tickets_out"] + ledger["desk"] + ledger["handpaid"] + ledger["house"]
    if -ledger["notes"] != gone:
        found.append(f"notes are {-ledger['notes']}, tickets, hand payments and house {gone}")
    return found
