"""A cabinet's memory as somebody has it in his hands: the state directory and the file of the second copy.

`Memory` is a story of two evenings that were recorded by the program. `start` is the start of the cabinet
itself: whatever is in the two places, it plays on, locks the table, or stands and says why.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from cabinet.config import load
from cabinet.core.live import active_conditions
from cabinet.core.state import State
from cabinet.lab import begun
from cabinet.memory import access as memory_access
from cabinet.memory import last_trouble
from cabinet.program import start as process
from cabinet.program.display import Display
from cabinet.program.runtime import RealClock, Runtime
from cabinet.records import check as journal_check
from cabinet.records.seals import SealCheck
from cabinet.store.chain import Head
from cabinet.store.errors import JournalError
from cabinet.store.journal import Journal
from cabinet.store.second_copy.media import FileSecondCopy
from cabinet.store.writer import Writer
from cabinet.tickets import keys as ticket_keys
from drivers.registry import Io
from support.devices.fakes import Fake, FakePanel, FakePrinter, FakeValidator
from support.evenings.evening import WALL_MS
from support.programs.runtime_bench import Bench
from support.programs.source import ROOT

SHIPPED = ROOT / "config" / "cabinets" / "slot1.toml"
FRAM = SHIPPED.read_text().partition("[second_copy]")[2].partition("[bill_validator")[0]
CODE = "a clear code of many letters"


@dataclass(frozen=True)
class Outcome:
    """`what`: "plays", "locked" or "stands". `text`: what it says. `state`: what is played on."""

    what: str
    text: str
    state: State


class Memory:
    """`folder`/state and `folder`/copy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state, self.copy = folder / "state", folder / "copy"
        self.secret = b""
        self.machine_id = 796

    def begin(self, seed: int, board: str = "board 1", machine_id: int = 796) -> None:
        self.machine_id = machine_id
        self.folder.mkdir(exist_ok=True)
        (self.folder / "board").write_text(board)
        self.state.mkdir(mode=0o700)
        ticket_keys.begin(self.state, lambda size: bytes([seed]) * size)
        memory_access.set_code(self.state, CODE, lambda size: bytes([seed]) * size)
        copy = FileSecondCopy(self.copy)
        self.secret = begun.begin(self.state, seed, copy=copy, board=board, machine_id=machine_id)

    def evening(self, *cents: int, killed: bool = False) -> None:
        """Notes are put in; the stop is a quiet one, or a kill."""
        board = (self.folder / "board").read_text()
        b = Bench(self.state, second_copy=FileSecondCopy(self.copy), board=board, seats=1)
        b.step()
        for each in cents:
            b.insert(1, each)
        if killed:
            kept = self.state.with_name("kept")
            shutil.copytree(self.state, kept)
            b.runtime.drop()
            shutil.rmtree(self.state)
            kept.rename(self.state)
        else:
            b.runtime.close(clean=True, now_ms=b.now_ms)

    def copied(self, folder: Path) -> Memory:
        """All of it, in another place."""
        shutil.copytree(self.folder, folder, symlinks=True)
        made = Memory(folder)
        made.secret, made.machine_id = self.secret, self.machine_id
        return made

    def files(self) -> list[str]:
        """Every file of both places, by its name in the folder."""
        found = (path for path in self.folder.rglob("*") if path.is_file() and path.name != "board")
        return sorted(str(path.relative_to(self.folder)) for path in found)

    def start(self) -> Outcome:
        """The start of the field program, to the first published state; then it is killed."""
        made = opened(self)
        if isinstance(made, process.Lacks):
            return Outcome("stands", made.text, State())
        return _shown(made, self.state)


def opened(memory: Memory) -> process.Ready | process.Lacks:
    """What the field program's start finds in the two places."""
    made = process._open(_field(memory), _no_display)
    assert not isinstance(made, process.Lacks) or made.opening is None, "the start hangs"
    return made


def _field(memory: Memory) -> process.Field:
    """The shipped cabinet file, with the second copy in a file."""
    text = SHIPPED.read_text().replace("machine_id = 101 ", f"machine_id = {memory.machine_id} ")
    text = text.replace(FRAM, f'\nkind = "file"\npath = "{memory.copy}"\n')
    folder = memory.folder.parent / f"{memory.folder.name}-config"
    if not folder.exists():
        shutil.copytree(SHIPPED.parents[1], folder)
    path = folder / "cabinets" / "slot1.toml"
    path.write_text(text)
    return process.Field(
        load(path), memory.state, cast(Io, None), memory.folder / "board", 1, lab=True,
        manager=cast(Any, _Manager()), stop=cast(Any, _NoStop()), clock=RealClock(),
    )  # fmt: skip


def _no_display() -> Display:
    raise AssertionError("a start of a few rows shows nothing while it reads")


class _Manager:
    present = False

    def beat(self, now_ms: int) -> None: ...

    def reading(self, facts: int) -> None: ...


class _NoStop:
    count = 0


def switched_on(made: process.Ready, state_dir: Path) -> tuple[Runtime, dict[str, Fake]]:
    """The program with devices of its own, in virtual time."""
    log: list[str] = []
    found = made.checked.found
    fakes: list[Fake] = [
        FakePanel("panel1", log), FakeValidator("validator1", log), FakePrinter("printer1", log)
    ]  # fmt: skip
    by_name = {fake.name: fake for fake in fakes}
    try:
        runtime = Runtime(
            made.policy, by_name, made.journal, lambda n: 0, wall_ms=WALL_MS,
            virtual=True, memory=found.memory, copy=found.copy, copies=found.rows,
            writer=Writer(made.journal, made.copy), restored=made.checked.restored,
            trouble=last_trouble.kept(state_dir),
        )  # fmt: skip
    except BaseException:
        made.journal.close()
        raise
    return runtime, by_name


def seen(runtime: Runtime) -> Outcome:
    """Whether the table plays, and every condition that it tells."""
    rows = [(row.code, detail) for row, _, detail in active_conditions(runtime.state, runtime.live)]
    text = "; ".join(f"{code} {detail}" for code, detail in rows)
    return Outcome("locked" if runtime.live.unrecorded else "plays", text, runtime.state)


def _shown(made: process.Ready, state_dir: Path) -> Outcome:
    runtime, _ = switched_on(made, state_dir)
    try:
        for at_ms in (0, 20, 2_000):
            runtime.step(at_ms)
        return seen(runtime)
    finally:
        runtime.drop()


def told(memory: Memory, noted: Head | None = None) -> list[str]:
    """What `journal check` finds with the verification key, and a head that was noted down."""
    seals = SealCheck(memory.secret)
    seals.ask(memory.state)
    try:
        with closing(Journal.read(memory.state)) as journal:
            return journal_check.check(journal, seals=seals, noted=noted).findings
    except JournalError as error:
        return [error.text]
