"""A cabinet that plays, as one of several: its memory, its program, its box and what it has printed.

Devices obey. What lies in the box is counted here, not by the program.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

from adversary.state_directory import Memory, Outcome, opened, seen, switched_on
from cabinet.core.staff import desk
from cabinet.core.state import State
from cabinet.core.state.book import TicketState
from cabinet.program.runtime import Runtime
from cabinet.program.start import Lacks
from cabinet.store.directory.owner import Owner
from cabinet.store.second_copy import nonce
from cabinet.store.second_copy.media import FileSecondCopy
from drivers.device import (
    BarcodeEscrowed,
    DeviceEvent,
    InputChanged,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteVendValid,
    PrinterReady,
    TicketDone,
    TicketOutcome,
    TicketStarted,
)
from support.devices.fakes import Fake

VALIDATOR, PRINTER, PANEL = "validator1", "printer1", "panel1"


class Board:
    """`box_cents`: the notes that this machine has swallowed."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.box_cents = 0
        self.now_ms = 0
        self._runtime: Runtime | None = None
        self._fakes: dict[str, Fake] = {}

    # ---- power

    def start(self) -> Outcome:
        """On. What a person sees after two seconds."""
        made = opened(self.memory)
        if isinstance(made, Lacks):
            return Outcome("stands", made.text, State())
        self._runtime, self._fakes = switched_on(made, self.memory.state)
        self.now_ms = 0
        self.say(PrinterReady(PRINTER, 0, True))
        self.wait(2_000)
        return seen(self.runtime)

    def stop(self) -> None:
        self.runtime.close(clean=True, now_ms=self.now_ms)
        self._runtime = None

    def kill(self) -> None:
        """The files are left as they are at this instant."""
        kept = self.memory.folder / "kept"
        shutil.copytree(self.memory.state, kept)
        self.runtime.drop()
        self._runtime = None
        shutil.rmtree(self.memory.state)
        kept.rename(self.memory.state)

    @property
    def runtime(self) -> Runtime:
        assert self._runtime is not None, "it is off"
        return self._runtime

    @property
    def state(self) -> State:
        return self.runtime.state

    # ---- players

    def say(self, *events: DeviceEvent) -> None:
        for event in events:
            self._fakes[event.device].say.append(event)
            self.runtime.step(self.now_ms)
            self.runtime.step(self.now_ms)

    def wait(self, ms: int) -> None:
        for _ in range(4):
            self.now_ms += ms // 4
            self.runtime.step(self.now_ms)

    def note(self, cents: int) -> None:
        self.say(NoteEscrowed(VALIDATOR, self.now_ms, cents, 0x63), NoteVendValid(VALIDATOR, self.now_ms))
        self.say(NoteStacked(VALIDATOR, self.now_ms))
        self.box_cents += cents

    def cash_out(self) -> tuple[str, int]:
        """Number and amount of the paper that comes out."""
        for down in (True, False):
            self.say(InputChanged(PANEL, self.now_ms, "seat1.cash_out", down))
        (ticket,) = self.state.tickets
        self.say(TicketStarted(PRINTER, self.now_ms, ticket.ref))
        self.say(TicketDone(PRINTER, self.now_ms, ticket.ref, TicketOutcome.PRINTED))
        self.say(PrinterReady(PRINTER, self.now_ms, True))
        self.wait(4_000)
        assert self.state.credit(1) == 0
        return ticket.number, ticket.cents

    def ticket_in(self, number: str) -> int:
        """A paper with this bar code; what the seat is given for it."""
        before = self.state.credit(1)
        self.say(BarcodeEscrowed(VALIDATOR, self.now_ms, number))
        if not self.state.note(VALIDATOR):
            self.say(NoteGivenBack(VALIDATOR, self.now_ms, "returned"))
        else:
            self.say(NoteVendValid(VALIDATOR, self.now_ms), NoteStacked(VALIDATOR, self.now_ms))
        return self.state.credit(1) - before

    # ---- what there is

    @property
    def can_be_had_cents(self) -> int:
        """Credit, and what machine and desk still pay for paper."""
        return self.state.credit(1) + sum(
            line.cents for line in self.state.issued if line.state is TicketState.PRINTED
        )

    @property
    def booked_cents(self) -> int:
        """The notes that the books say lie in the box."""
        return -self.state.ledger["notes"]

    def at_the_desk(self, number: str) -> list[int]:
        """The amounts that the key page shows for a paper."""
        lines = desk.outstanding(self.state, self.runtime.live)
        return [line.cents for line in lines if line.number == number]

    # ---- a thief at the open machine

    def made_to_fit(self, board: str, chip: str = "") -> None:
        """The row that says whose the journal is, written again; `chip`: the number of the second copy."""
        owner = Owner(board, chip, self.memory.machine_id)
        with closing(sqlite3.connect(self.memory.state / "journal-000001.db", isolation_level=None)) as db:
            row = (owner.board, owner.medium, owner.machine_id, owner.seal)
            db.execute("UPDATE owner SET board = ?, medium = ?, machine_id = ?, seal = ?", row)

    def on(self, board: str) -> Board:
        """Into a cabinet of this serial number."""
        (self.memory.folder / "board").write_text(board)
        return self


def number_of(memory: Memory) -> str:
    """The number of a second copy."""
    return nonce.read(FileSecondCopy(memory.copy).medium)


def into(target: Memory, source: Memory, what: str) -> None:
    """Somebody swaps "state" or "copy": the one of `source` now lies where that of `target` was."""
    there, here = target.folder / what, source.folder / what
    if here.is_dir():
        shutil.rmtree(there)
        shutil.copytree(here, there)
    else:
        there.write_bytes(here.read_bytes())
