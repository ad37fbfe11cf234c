"""The field program: real ports, real lines, real randomness, the window, the service manager."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from cabinet import rng
from cabinet.assembly import make_devices, policy_of
from cabinet.config import Config, ConfigError, FileCopy, load
from cabinet.core.live import Live
from cabinet.core.state import State
from cabinet.runtime import RealClock, Runtime, Screen, loop
from cabinet.store.journal import Journal, JournalError, JournalLocked
from cabinet.store.second_copy import FileSecondCopy, SecondCopy
from cabinet.store.writer import Writer
from drivers.gpio import open_bank
from drivers.link import open_serial
from drivers.registry import Io

LOG = logging.getLogger("cabinet")
CLEAN, FAILED, WRONG, HELD = 0, 1, 2, 3
Publish = Callable[[State, Live], None]


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

    def beat(self, now_ms: int) -> None:
        """Called by the loop itself, never by a thread of its own: it proves that the loop runs."""
        if self._every_ms and now_ms >= self._next_ms:
            self._next_ms = now_ms + self._every_ms
            self.say("WATCHDOG=1")


class _StopSignal:
    """SIGTERM and SIGINT ask for an end between rounds; a second one ends at once."""

    def __init__(self) -> None:
        self.count = 0
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
    version: str = "",
) -> int:
    """Run until the service manager stops it. The exit code: 0 asked to stop, 1 failed, 2 wrong
    configuration, 3 another process holds the state directory."""
    from cabinet.cli import version as program_version

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.INFO)
    try:
        config = load(config_path)
    except ConfigError as error:
        LOG.error("%s", error)
        return WRONG
    try:
        journal = Journal.open(state_dir, started=f"cabinet run, {config.cabinet.name}")
    except JournalLocked as error:
        LOG.error("%s", error.text)
        return HELD
    except JournalError as error:
        LOG.error("%s", error.text)
        return _storage_screen(config, error.text)
    return _run(config, journal, version or program_version(), on_publish, io)


def _run(config: Config, journal: Journal, version: str, on_publish: Publish | None, io: Io | None) -> int:
    clock, stop, manager = RealClock(), _StopSignal(), ServiceManager()
    copy: SecondCopy | None = None
    if isinstance(config.second_copy, FileCopy):
        copy = FileSecondCopy(Path(config.second_copy.path))
    policy = policy_of(config, version)
    devices = make_devices(config, io or Io(open_link=open_serial, open_bank=open_bank))
    screen = _Screen(config)
    published: list[Publish] = [screen.publish]
    if on_publish is not None:
        published.append(on_publish)

    def publish(state: State, live: Live) -> None:
        for listener in published:
            listener(state, live)

    runtime = Runtime(
        policy,
        devices,
        journal,
        rng.uniform,
        wall_ms=clock.wall_ms(),
        writer=Writer(journal, copy),
        on_publish=publish,
    )
    screen.devices = devices
    if runtime.restored.trouble:
        LOG.error("the books cannot be replayed: %s", runtime.restored.trouble)
    gc.collect()
    gc.freeze()
    manager.say("READY=1\nSTATUS=running")

    def ends(now_ms: int) -> bool:
        if stop.count and not runtime.live.stopping:
            runtime.ask_stop(now_ms)
        at_rest = runtime.live.stopping and runtime.idle and not runtime.state.live
        return at_rest or stop.count > 1

    try:
        loop(runtime, clock, screen=screen, until=ends, heartbeat=manager.beat)
    finally:
        manager.say("STOPPING=1")
        runtime.close(clean=True, now_ms=clock.now_ms())
    return CLEAN
