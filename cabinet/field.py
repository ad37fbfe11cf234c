"""The field program: real ports, real lines, real randomness, the window, the service manager."""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from cabinet import copy_place, last_trouble, memory
from cabinet.assembly import NO_KEY, make_devices, make_second_copy, policy_of
from cabinet.cli import version
from cabinet.config import Config, ConfigError, load
from cabinet.core.conditions import BY_CODE
from cabinet.core.live import Live, active_conditions, begin
from cabinet.core.policy import Policy
from cabinet.core.state import State
from cabinet.core.timing import Timing
from cabinet.core.view import view
from cabinet.dark import darken
from cabinet.loop import loop
from cabinet.presenter import Presenter, open_window
from cabinet.rng import kernel
from cabinet.rng_generator import Generator
from cabinet.runtime import RealClock, Runtime
from cabinet.store.checker import Checker
from cabinet.store.errors import JournalStrange, StorageError, os_text
from cabinet.store.files import too_open
from cabinet.store.journal import Journal, JournalBroken, JournalError, JournalLocked
from cabinet.store.lost_journal import LostJournal
from cabinet.store.second_copy import SlottedCopy
from cabinet.store.writer import Writer
from cabinet.tickets import keys as ticket_keys
from drivers.gpio import open_bank
from drivers.i2c import open_bus
from drivers.link import open_serial
from drivers.registry import Io
from game.rules import Rules

if TYPE_CHECKING:
    from cabinet.ui.window import Window

LOG = logging.getLogger("cabinet")
CLEAN, FAILED, WRONG, HELD, FOREIGN = 0, 1, 2, 3, 4
STOP_WAIT_MS = 10_000  # systemd waits 15 s before it kills
START_MORE_S = 30  # for the next thousand facts of a start, on any card
TROUBLE_SHOWN_MS = 10_000  # then the exit code says it, and systemd may try again
Publish = Callable[[State, Live], None]
# Without a valid cabinet file there is no cabinet: what the screen needs to say so.
NO_POLICY = Policy(
    name="",
    serial="0000-000",
    machine_id=0,
    establishment="",
    street="",
    city="",
    currency="USD",
    seats=1,
    rules=Rules(),
    validators=(("validator", (1,)),),
    printers=(("printer", (1,)),),
    panels=(),
)


class ServiceManager:
    """Tells systemd that the loop lives; silent where there is none (no NOTIFY_SOCKET)."""

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        self._every_ms = int(os.environ.get("WATCHDOG_USEC", "0")) // 2000
        self._next_ms = 0
        self._socket: socket.socket | None = None
        if self._address:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)

    def say(self, message: str) -> None:
        if self._socket is None:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            self._socket.sendto(message.encode(), address)
        except OSError as error:
            LOG.warning("the service manager cannot be told %r: %s", message, error)

    def reading(self, facts: int) -> None:
        """A start that folds a long journal lives: killed, the next one would have to begin anew."""
        self.say(f"STATUS=reading the journal, {facts} facts\nEXTEND_TIMEOUT_USEC={START_MORE_S * 1_000_000}")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()

    def beat(self, now_ms: int) -> None:
        """Called by the loop itself, never by a thread of its own: it proves that the loop runs."""
        if self._every_ms and now_ms >= self._next_ms:
            self._next_ms = now_ms + self._every_ms
            self.say("WATCHDOG=1")


class _StopSignal:
    """SIGTERM and SIGINT ask for an end between rounds; a second one ends at once."""

    def __init__(self) -> None:
        self.count = 0
        self.asked_ms = 0  # when the loop was told
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._caught)

    def _caught(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1


def run(
    config_path: Path,
    state_dir: Path,
    *,
    on_publish: Publish | None = None,
    io: Io | None = None,
    pace: int = 1,
    lab: bool = False,
    board: Path = memory.BOARD_FILE,
) -> int:
    """Run until the service manager stops it. The exit code: 0 asked to stop, 1 failed, 2 wrong
    configuration, 3 another process holds the state directory, 4 the state directory is another cabinet's.
    `board`: the file with the board's serial number.

    The keywords are the bench's: a read-only audience of committed views, another way to the GPIO
    lines, a quicker presentation. ``cabinet run`` gives none of them.
    """
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.INFO)
    try:
        config = load(config_path)
        if found := copy_place.problems(config, state_dir, same_disk=lab):
            raise ConfigError(found)
    except ConfigError as error:
        for problem in error.problems:
            LOG.error("%s", problem)
        _show_trouble(None, unfit=str(error))
        return WRONG
    io = io or field_io()
    for text in darken(config, io):  # whatever a program that was killed has left switched on
        LOG.warning("not all outputs could be switched off: %s", text)
    try:
        journal, damage = _journal(state_dir, f"cabinet run, {config.cabinet.name}")
    except JournalLocked as error:
        LOG.error("%s", error.text)
        return HELD
    except JournalStrange as error:  # starting again changes nothing, and a clear would be wrong
        LOG.error("%s", error.text)
        _show_trouble(config, memory=error.text)
        return FOREIGN
    except JournalError as error:
        LOG.error("%s", error.text)
        _show_trouble(config, storage=error.text)
        return FAILED
    copy, manager = make_second_copy(config, io), ServiceManager()
    try:
        checked = memory.check(
            journal,
            copy,
            memory.board_of(board),
            kernel,
            machine_id=config.cabinet.machine_id,
            seats=config.cabinet.seats,
            damage=damage,
            progress=manager.reading,
        )
    except memory.Foreign as error:
        journal.close()
        LOG.error("%s", error)
        _show_trouble(config, memory=str(error))
        return FOREIGN
    except JournalError as error:  # the disk fails while it is asked
        journal.close()
        LOG.error("%s", error.text)
        _show_trouble(config, storage=error.text)
        return FAILED
    try:
        return _run(config, state_dir, journal, copy, checked, manager, on_publish, io, pace, lab)
    except ScreenError as error:
        LOG.error("%s", error)
        journal.close()
        return FAILED


def field_io() -> Io:
    """The real ports, lines and buses of this board."""
    return Io(open_serial, open_bank, open_bus, RealClock().now_ms)


def _journal(state_dir: Path, started: str) -> tuple[Journal, str]:
    """The journal, or one in its place and why it cannot be read."""
    try:
        if state_dir.is_dir() and (why := too_open(state_dir)):
            raise JournalStrange(why)
    except OSError as error:
        raise StorageError(os_text(error, state_dir)) from error
    try:
        return Journal.open(state_dir, started), ""
    except JournalBroken as error:
        return LostJournal(state_dir, started, error.text), error.text


def _run(
    config: Config,
    state_dir: Path,
    journal: Journal,
    copy: SlottedCopy | None,
    checked: memory.Checked,
    manager: ServiceManager,
    on_publish: Publish | None,
    io: Io,
    pace: int,
    lab: bool,
) -> int:
    clock, stop = RealClock(), _StopSignal()
    policy = policy_of(config, version(), pace=pace, lab=lab, tickets=_ticket_key(state_dir, checked))
    devices = make_devices(config, io)
    presenter = Presenter(_window(config, policy.timing), devices)

    def publish(state: State, live: Live) -> None:
        presenter.publish(state, live)
        if on_publish is not None:
            on_publish(state, live)

    generator = Generator()
    no_cards = generator.start()
    runtime = Runtime(
        policy,
        devices,
        journal,
        generator,
        wall_ms=clock.wall_ms(),
        writer=Writer(journal, copy, checker=None if checked.found.memory else Checker(copy)),
        on_publish=publish,
        memory=checked.found.memory,
        copy=checked.found.copy,
        copies=checked.found.rows,
        no_cards=no_cards,
        restored=checked.restored,
        trouble=last_trouble.kept(state_dir),
        clock=clock.both_ms,
    )
    begun: int | None = runtime.state.session
    LOG.info("%s; %s", policy.version, presenter.window.info)
    if runtime.live.unrecorded:
        LOG.error("the table stands: %s", runtime.live.unrecorded)
    talk = ConditionLog()
    manager.say("READY=1\nSTATUS=running")

    def ends(now_ms: int) -> bool:
        nonlocal begun
        talk.tell(runtime.state, runtime.live)
        if begun is not None and runtime.state.session != begun:  # what was left behind is in the journal
            last_trouble.told(state_dir)
            begun = None
        if runtime.live.restart:  # the service manager starts the program again
            return True
        if stop.count and runtime.live.unrecorded:  # nothing can come to its end any more
            return True
        if stop.count and not runtime.live.stopping and runtime.idle:
            runtime.ask_stop(now_ms)
        if not stop.asked_ms and runtime.live.stopping:
            stop.asked_ms = now_ms
        state, waited_ms = runtime.state, now_ms - stop.asked_ms
        # A note or a ticket on its way ends before the program does; the next start would only have to ask.
        open_ = any(not note.unresolved for note in state.notes) or any(not t.unknown for t in state.tickets)
        at_rest = runtime.live.stopping and runtime.idle and not state.live
        return (at_rest and not (open_ and waited_ms < STOP_WAIT_MS)) or stop.count > 1

    try:
        loop(runtime, clock, screen=presenter, until=ends, heartbeat=manager.beat)
    finally:
        manager.say("STOPPING=1")
        runtime.close(clean=True, now_ms=clock.now_ms())
        last_trouble.keep(state_dir, runtime.live)
        presenter.window.close()
        manager.close()
    return CLEAN


def _ticket_key(state_dir: Path, checked: memory.Checked) -> ticket_keys.Taken:
    """The key of the ticket numbers. Where the memory cannot be read nobody knows whether there was one; the
    table is locked then, and no ticket is printed."""
    if checked.found.memory or checked.restored.trouble:
        return NO_KEY
    recorded = checked.restored.state.settings.get(ticket_keys.SETTING, "")
    return ticket_keys.take(state_dir, recorded, kernel)


class ConditionLog:
    """Every condition that begins or ends as one line of the log, in words."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._said: dict[tuple[str, str], str] = {}

    def tell(self, state: State, live: Live) -> None:
        if live is self._live:
            return
        self._live = live
        now = {(row.code, device): detail for row, device, detail in active_conditions(state, live)}
        for code, device in now.keys() - self._said.keys():
            place = f" at {device}" if device else ""
            detail = f": {now[code, device]}" if now[code, device] else ""
            LOG.warning("%s %s%s%s", code, BY_CODE[code].name, place, detail)
        for code, device in self._said.keys() - now.keys():
            LOG.info("%s %s is over%s", code, BY_CODE[code].name, f" at {device}" if device else "")
        self._said = now


class ScreenError(Exception):
    """There is no screen to play on."""


def _window(config: Config | None, timing: Timing) -> Window:
    from cabinet.ui.window import WindowError

    try:
        window = open_window(config, timing)
    except WindowError as error:
        raise ScreenError(f"the screen cannot be opened: {error}") from error
    # SDL falls back to drawing into memory when it finds no display: a table that nobody sees.
    if window.info.video_driver == "offscreen" and os.environ.get("SDL_VIDEODRIVER") != "offscreen":
        window.close()
        raise ScreenError(
            "there is no display: check its cable, DISPLAY or WAYLAND_DISPLAY, or SDL_VIDEODRIVER"
        )
    return window


def _show_trouble(config: Config | None, *, unfit: str = "", storage: str = "", memory: str = "") -> None:
    """Say on the screen what is wrong, until the service manager tries again. No device is opened:
    a validator that nobody asks takes no notes."""
    policy = NO_POLICY if config is None else policy_of(config, version())
    clock = RealClock()
    try:
        window = _window(config, policy.timing)
    except ScreenError as error:
        LOG.error("%s", error)
        return
    live = replace(begin(policy, 0, clock.wall_ms()), unfit=unfit, storage=storage, memory=memory)
    window.show(view(State(), live))
    while clock.now_ms() < TROUBLE_SHOWN_MS:
        window.frame(clock.now_ms())
        clock.wait((), clock.now_ms() + 100)
    window.close()
