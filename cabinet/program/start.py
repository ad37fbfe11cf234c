"""A start: the cabinet file, the disk, the memory; and waiting for whatever of it is not there yet.

What a person can mend does not end a start that the service manager has made. The table stands, says what is
missing on whatever is there, with its money devices inhibited, and the start goes on by itself when it is
mended. A person who has started it by hand is shown it for a moment; then the exit code says it.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import TYPE_CHECKING

from cabinet.config import Config, ConfigError
from cabinet.config.assembly import NO_KEY, make_devices, make_second_copy, policy_of
from cabinet.core.conditions import Code
from cabinet.core.currency import USD
from cabinet.core.live import Live, begin, with_trouble
from cabinet.core.policy import Policy
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.memory import check as memory
from cabinet.program.display import Display
from cabinet.program.loop import loop
from cabinet.program.manager import ServiceManager
from cabinet.program.runtime import RealClock, Runtime
from cabinet.program.telling import Publish, publisher
from cabinet.records.replay import Restored
from cabinet.rng import kernel
from cabinet.store.directory.files import too_open
from cabinet.store.directory.owner import Owner
from cabinet.store.errors import JournalStrange, StorageError, os_text
from cabinet.store.journal import Journal, JournalBroken, JournalError, JournalLocked
from cabinet.store.lost_journal import AbsentJournal, LostJournal
from cabinet.store.opening import Opening
from cabinet.store.second_copy import SlottedCopy
from cabinet.tickets import keys as ticket_keys
from cabinet.version import version
from drivers.registry import Io
from game.rules import Rules

if TYPE_CHECKING:
    from cabinet.ui.window import Window

LOG = logging.getLogger("cabinet")
CLEAN, FAILED, WRONG, HELD, FOREIGN = 0, 1, 2, 3, 4
STOP_HARD_S = 9.8  # after the signal the process ends wherever it is; systemd waits 15 s before it kills
OPENING_MS = 20_000  # without a sign of life: the disk does not answer
READING_SHOWN_MS = 3_000  # a start that reads the journal for longer says on the screen how far it is
KEEP = "keep card and second copy as they are, and give both to who maintains the program"
AGAIN_MS = 10_000  # how often a start that waits tries again
TROUBLE_SHOWN_MS = 10_000  # to a person who has started the program by hand: then the exit code says it


# Without a valid cabinet file there is no cabinet: what the screen needs to say so.
NO_POLICY = Policy(
    name="",
    serial="0000-000",
    machine_id=0,
    establishment="",
    street="",
    city="",
    currency=USD,
    seats=1,
    rules=Rules(),
    validators=(("validator", (1,)),),
    printers=(("printer", (1,)),),
    panels=(),
)


class StopSignal:
    """SIGTERM and SIGINT ask for an end between rounds, and get one within ten seconds; a second one ends at
    once."""

    def __init__(self) -> None:
        self.count = 0
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._caught)

    def _caught(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self.count == 1:
            faulthandler.dump_traceback_later(STOP_HARD_S, exit=True)

    def close(self) -> None:
        if self.count:
            faulthandler.cancel_dump_traceback_later()


@dataclass(frozen=True, slots=True)
class Ready:
    """A start has everything that it needs of the disk."""

    journal: Journal
    copy: SlottedCopy | None
    checked: memory.Checked
    policy: Policy


@dataclass(frozen=True, slots=True)
class Lacks:
    """What a start lacks: the exit code for a person, and the words. `storage`, `memory`: what locks the
    table; `held`: another process has the directory, and with it the devices and the screen."""

    code: int
    storage: str = ""
    memory: str = ""
    held: str = ""
    opening: Opening[Ready] | None = None  # it has not answered yet

    @property
    def text(self) -> str:
        return self.storage or self.memory or self.held


@dataclass(frozen=True, slots=True)
class Field:
    """What is the same for every attempt of one process."""

    config: Config
    state_dir: Path
    io: Io
    board: Path
    pace: int
    lab: bool
    manager: ServiceManager
    stop: StopSignal
    clock: RealClock
    on_publish: Publish | None = None

    def policy(self, tickets: ticket_keys.Taken = NO_KEY, owner: Owner | None = None) -> Policy:
        return policy_of(self.config, version(), pace=self.pace, lab=self.lab, tickets=tickets, owner=owner)


def cabinet_file(
    read: Callable[[], Config],
    open_window: Callable[[], Window],
    manager: ServiceManager,
    stop: StopSignal,
    clock: RealClock,
) -> Config | None:
    """The cabinet file; None if it stays wrong for as long as anybody waits. No device is known meanwhile,
    and none is opened: a validator that nobody asks takes no notes."""
    display: Display | None = None
    until_ms = clock.now_ms() + TROUBLE_SHOWN_MS
    said = ""
    try:
        while True:
            try:
                return read()
            except ConfigError as error:
                if str(error) != said:
                    said = str(error)
                    for problem in error.problems:
                        LOG.error("%s", problem)
            display = display or Display(open_window, clock.now_ms)
            manager.status(f"not configured: {said}")
            live = with_trouble(begin(NO_POLICY, 0, clock.wall_ms()), Code.NOT_CONFIGURED, said)
            display.publish(State(), live)
            again_ms = clock.now_ms() + AGAIN_MS
            while (now_ms := clock.now_ms()) < (again_ms if manager.present else until_ms):
                if stop.count:
                    return None
                manager.beat(now_ms)
                if display.due():
                    display.frame(now_ms)
                clock.wait((), now_ms + 100)
            if not manager.present:
                return None
    finally:
        if display is not None:
            display.close()


def memory_of(field: Field, display: Callable[[], Display]) -> Ready | int:
    """Open the memory, and wait for whatever keeps it from being opened. Else the exit code. `display`: the
    screen, which is opened when it is asked for first."""
    made: Ready | Lacks | None = _open(field, display)
    while isinstance(made, Lacks):
        lacks = made
        if field.stop.count:
            return _left(lacks.opening)
        LOG.error("%s", lacks.text)
        if lacks.held and not field.manager.present:
            return lacks.code
        made = _wait_for_the_other(field, lacks, display) if lacks.held else _stand(field, lacks, display())
        if made is None:
            return _trouble_shown(field, lacks)
    assert made is not None
    return made


def _trouble_shown(field: Field, lacks: Lacks) -> int:
    return CLEAN if field.stop.count else lacks.code


def _left(opening: Opening[Ready] | None) -> int:
    """The end of a start that was asked to stop."""
    if opening is not None and not opening.done:  # its thread hangs in a call: no tidy end is possible
        logging.shutdown()
        os._exit(CLEAN)
    return CLEAN


def _open(field: Field, display: Callable[[], Display]) -> Ready | Lacks:
    """One attempt at the memory. It is given up when there has been no sign of life for a while, or when the
    program is asked to stop. No device is open meanwhile: a validator that nobody asks takes no notes."""
    opening = Opening(lambda progress: _opened(field, progress))
    clock, heard, since_ms = field.clock, opening.progress, field.clock.now_ms()
    shown, shown_from_ms = 0, since_ms + READING_SHOWN_MS
    while not opening.done:
        now_ms = clock.now_ms()
        if heard != opening.progress:
            heard, since_ms = opening.progress, now_ms
        if heard and now_ms >= shown_from_ms:
            screen = display()
            if shown != heard:
                shown = heard
                screen.publish(State(), _reading(field, heard))
            if screen.due():
                screen.frame(now_ms)
        if field.stop.count or now_ms - since_ms >= OPENING_MS:
            text = f"the disk has not answered for {(now_ms - since_ms) // 1000} s: wait, or check the card"
            return Lacks(FAILED, storage=text, opening=opening)
        field.manager.beat(now_ms)
        clock.wait((opening.fileno(),), now_ms + 100)
    return _outcome(opening)


def _reading(field: Field, facts: int) -> Live:
    live = begin(field.policy(), 0, field.clock.wall_ms())
    return replace(with_trouble(live, Code.STORAGE_SLOW, "the journal is read"), reading=facts)


def _outcome(opening: Opening[Ready]) -> Ready | Lacks:
    try:
        return opening.result()
    except JournalLocked as error:
        return Lacks(HELD, held=error.text)
    except (memory.Foreign, JournalStrange) as error:  # a clear would be wrong
        return Lacks(FOREIGN, memory=str(error))
    except JournalError as error:
        return Lacks(FAILED, storage=error.text)
    except Exception as error:  # noqa: BLE001 - whatever is in there: the table stands and says so
        return Lacks(FAILED, memory=f"the memory cannot be read: {_place(error)}; {KEEP}")


def _place(error: Exception) -> str:
    """Where it was and of which kind; the words could hold what was read."""
    *_, (frame, line) = walk_tb(error.__traceback__)
    return f"{type(error).__name__} in {Path(frame.f_code.co_filename).name}, line {line}"


def _opened(field: Field, progress: Callable[[int], None]) -> Ready:
    """On the opening thread. JournalError, memory.Foreign."""

    def on_progress(facts: int) -> None:
        progress(facts)
        field.manager.reading(facts)

    config = field.config
    journal, damage = _journal(field.state_dir, f"cabinet run, {config.cabinet.name}")
    try:
        copy = make_second_copy(config, field.io)
        checked = memory.check(
            journal,
            copy,
            memory.board_of(field.board),
            kernel,
            machine_id=config.cabinet.machine_id,
            seats=config.cabinet.seats,
            damage=damage,
            progress=on_progress,
        )
        policy = field.policy(_ticket_key(field.state_dir, journal, checked), checked.owner)
    except BaseException:
        journal.close()
        raise
    return Ready(journal, copy, checked, policy)


def _ticket_key(state_dir: Path, journal: Journal, checked: memory.Checked) -> ticket_keys.Taken:
    """The key of the ticket numbers. Where the memory cannot be read nobody knows whether there was one; the
    table is locked then, and no ticket is printed."""
    if checked.found.memory or checked.restored.trouble:
        return NO_KEY
    recorded = checked.restored.state.settings.get(ticket_keys.SETTING, "")
    return ticket_keys.take(state_dir, recorded, kernel, is_empty=journal.head.seq == 0)


def _journal(state_dir: Path, started: str) -> tuple[Journal, str]:
    """The journal, or one in its place and why it cannot be read."""
    try:
        if state_dir.is_dir() and (why := too_open(state_dir)):
            raise JournalStrange(why)
    except OSError as error:
        raise StorageError(os_text(error, state_dir)) from error
    try:
        return Journal.open(state_dir, started, begun=True), ""
    except JournalBroken as error:
        return LostJournal(state_dir, started, error.text), error.text


def _wait_for_the_other(field: Field, lacks: Lacks, display: Callable[[], Display]) -> Ready | Lacks:
    """Another process has the directory: perhaps what is left of a start that hangs in the disk. It has the
    devices and the screen too, so none of them is touched."""
    field.manager.status(lacks.text)
    until_ms = field.clock.now_ms() + AGAIN_MS
    while (now_ms := field.clock.now_ms()) < until_ms and not field.stop.count:
        field.manager.beat(now_ms)
        field.clock.wait((), now_ms + 100)
    return lacks if field.stop.count else _open(field, display)


def _stand(field: Field, lacks: Lacks, display: Display) -> Ready | Lacks | None:
    """Say on everything what the start lacks, with the money devices inhibited, until it has it or lacks
    something else; None when it is asked to stop, or a person has been told."""
    devices = make_devices(field.config, field.io)
    journal = AbsentJournal(field.state_dir, lacks.text)
    publish = publisher(field.manager, display, field.on_publish)
    runtime = Runtime(
        field.policy(),
        devices,
        journal,
        _no_cards,
        wall_ms=field.clock.wall_ms(),
        on_publish=publish,
        storage=lacks.storage,
        memory=lacks.memory,
        restored=Restored(State(), 0),
    )
    display.attend(devices, runtime.post)
    clock = RealClock()
    opening, again_ms = lacks.opening, AGAIN_MS
    found: Ready | Lacks | None = None

    def ends(now_ms: int) -> bool:
        nonlocal opening, again_ms, found
        if field.stop.count or (now_ms >= TROUBLE_SHOWN_MS and not field.manager.present):
            return True
        if opening is None and (now_ms >= again_ms or runtime.live.restart):  # a technician need not wait
            opening = Opening(lambda progress: _opened(field, progress))
            runtime.live = replace(runtime.live, restart=False)
        if opening is None or not opening.done:
            return False
        made = _outcome(opening)
        opening, again_ms = None, now_ms + AGAIN_MS
        if isinstance(made, Lacks) and replace(made, opening=None) == replace(lacks, opening=None):
            return False
        found = made
        return True

    try:
        loop(runtime, clock, screen=display, until=ends, heartbeat=field.manager.beat)
    finally:
        runtime.close(clean=False, now_ms=clock.now_ms())
    if field.stop.count:
        _left(opening)
    return found


def _no_cards(_count: int) -> int:
    raise AssertionError("a table that stands draws no cards")
