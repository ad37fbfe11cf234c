"""The bench: devices, wires and people here; the firmware as a child process that can be killed.

The child opens ptys with the shipped serial code and /dev/gpiochip* with the unmodified GPIO
library (an ioctl forwarder is preloaded). "Pull the plug" is a real SIGKILL; the devices keep or
lose power and the bytes in flight as the tester chooses.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from cabinet.config import Config
from cabinet.config import file as configuration
from cabinet.config.assembly import make_second_copy
from cabinet.lab import begun
from cabinet.lab import glance as glances
from cabinet.lab import world as worlds
from cabinet.lab.bench.forwarder import build_forwarder
from cabinet.lab.glance import Glance
from cabinet.lab.patience import NotComeError, wait_for
from cabinet.lab.strategy import chart_of
from cabinet.lab.table import cabinet_file
from cabinet.lab.world import World
from cabinet.memory import BOARD_FILE, board_of
from cabinet.program.runtime import RealClock
from drivers.sim.gpio.server import GpioServer
from drivers.sim.printers import PrinterMachine
from drivers.sim.validator import ValidatorMachine
from drivers.sim.wire import Machine

GLANCE_BYTES_MAX = 1 << 16
TURN_MS = 20  # at least so often people are asked; devices say themselves when they move
FRAM = 'kind = "fram"\nbus = 1\naddress = 0x50'


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """`resolution`: of the firmware's screen; None: as in the cabinet file. Without `forwarder` the
    GPIO lines come through a socket, as on a machine without a C compiler. `fram`: the second copy is in a
    simulated chip on the I2C bus and not in a file; that wants the forwarder."""

    cabinet: str = "table5"
    seed: int = 1
    pace: int = 1
    autoplay: bool = True
    resolution: tuple[int, int] | None = None
    forwarder: bool = True
    fram: bool = False


class Bench:
    """One cabinet on the bench. `directory` holds wires, journal, sockets and the child's log."""

    def __init__(self, options: BenchOptions, directory: Path) -> None:
        self.options = options
        self.directory = directory
        self.clock = RealClock()
        self.seen: Glance | None = None
        self.first_seen: Glance | None = None  # of this start: what was restored, before anybody went on
        self.child: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.news = 0  # how often a firmware has told something
        self.dark: set[str] = set()  # devices without power
        wires = directory / "wires"
        wires.mkdir(parents=True, exist_ok=True)
        self.state_dir = directory / "state"
        self.second_copy = directory / "second-copy"
        self.config_path = directory / "cabinet.toml"
        self.config_path.write_text(self._cabinet_file(wires), encoding="utf-8")
        self.config: Config = configuration.load(self.config_path)
        inputs = [name for table in self.config.devices for name in table.options.get("inputs", ())]
        self.buttons = tuple(name for name in inputs if name.startswith("seat"))
        self.world: World = worlds.build(self.config, wire="pty", seed=options.seed, directory=wires)
        if options.autoplay:
            worlds.people(self.world, chart_of(self.config), options.seed, options.pace, bring_tickets=True)
        assert self.world.board is not None
        begun.begin(
            self.state_dir,
            options.seed,
            wall_ms=self.clock.wall_ms(),
            copy=make_second_copy(self.config, worlds.io_of(self.world, 0)),
            board=board_of(BOARD_FILE),
            machine_id=self.config.cabinet.machine_id,
        )
        self._gpio = GpioServer(directory / "gpio.sock", self.world.board, self.world.buses)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(directory / "tap.sock"))
        self._listener.listen()
        self._listener.setblocking(False)
        self._tap: socket.socket | None = None
        self._preload = build_forwarder(directory / "forwarder") if options.forwarder else None

    def _cabinet_file(self, wires: Path) -> str:
        """The shipped cabinet file with its ports on this bench's wires, its second copy where the options
        want it and its window not full screen."""
        shipped = cabinet_file(self.options.cabinet)
        text = shipped.read_text(encoding="utf-8").replace("fullscreen = true", "fullscreen = false")
        for table in configuration.load(shipped).devices:
            if "port" in table.options:
                text = text.replace(f'"{table.options["port"]}"', f'"{wires / table.name}"')
        if self.options.resolution is not None:
            text = text.replace("resolution = [1920, 1080]", f"resolution = {list(self.options.resolution)}")
        tables = ["[" + part for part in ("\n" + text).split("\n[")]
        kept = [part for part in tables if not part.startswith("[second_copy]")]
        where = f'kind = "file"\npath = "{self.second_copy.absolute()}"'
        copy = f"[second_copy]\n{FRAM if self.options.fram else where}\n"
        return "\n".join([kept[0].removeprefix("["), *kept[1:], copy])

    # ---- the firmware

    def start(self) -> None:
        """Switch the firmware on."""
        environment = {**os.environ, "GPIO_SERVER": str(self.directory / "gpio.sock")}
        environment.setdefault("SDL_VIDEODRIVER", "dummy")
        environment.setdefault("SDL_AUDIODRIVER", "dummy")
        environment.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        environment.pop("LD_PRELOAD", None)
        if self._preload is not None:
            environment["LD_PRELOAD"] = str(self._preload)
        command = [sys.executable, "-m", "cabinet.lab.bench.child", "--config", str(self.config_path)]
        command += ["--state", str(self.state_dir), "--tap", str(self.directory / "tap.sock")]
        command += ["--pace", str(self.options.pace), "--parent", str(os.getpid())]
        self.starts += 1
        self.seen = self.first_seen = self.world.seen = None
        with (self.directory / "child.log").open("ab") as log:
            log.write(f"---- start {self.starts}\n".encode())
            log.flush()
            self.child = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def kill(self, *, lose_bytes: bool, dark: Collection[str] = ()) -> Glance | None:
        """Pull the plug of the firmware; the last that it told. The devices live on, except those in
        `dark`, which lose their power too."""
        assert self.child is not None
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        self._hear()
        told = self.seen
        self._hang_up()
        now_ms = self.clock.now_ms()
        self._gpio.serve(now_ms)  # the kernel has closed its lines
        for name, wire in self.world.wires.items():
            if lose_bytes or name in dark:
                wire.drop_in_flight()
            if name in dark:
                wire.machine.power_off(now_ms)
        self.dark |= set(dark)
        self.child = None
        self.seen = self.first_seen = self.world.seen = None
        return told

    def light(self) -> None:
        """Every device has power again."""
        for name in sorted(self.dark):
            self.world.wires[name].machine.power_on(self.clock.now_ms())
        self.dark.clear()

    def stop(self) -> int:
        """Ask the firmware to end between rounds; its exit code. NotComeError when it does not end."""
        assert self.child is not None
        self.child.send_signal(signal.SIGTERM)
        wait_for(self.clock, lambda: not self.alive, self.turn, "the end of the firmware", story=self.story)
        return self.child.wait()

    @property
    def alive(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def log_tail(self, lines: int = 20) -> str:
        log = self.directory / "child.log"
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else "nothing was started"
        return "\n".join(text.splitlines()[-lines:])

    # ---- time

    def turn(self, until_ms: int | None = None) -> None:
        """One turn of the world in real time: physics, GPIO calls, the tap, people; then sleep."""
        now_ms = self.clock.now_ms()
        self.world.tick(now_ms)
        self._gpio.serve(now_ms)
        self._hear()
        wakes = [now_ms + TURN_MS]
        if (world_ms := self.world.wake_at) is not None:
            wakes.append(max(now_ms + 1, world_ms))
        if until_ms is not None:
            wakes.append(until_ms)
        descriptors = [*self.world.descriptors(), self._gpio.fileno(), self._listener.fileno()]
        if self._tap is not None:
            descriptors.append(self._tap.fileno())
        self.clock.wait(descriptors, min(wakes))

    def until(self, come: Callable[[], object], what: str) -> None:
        """Let the world go on until `come`. NotComeError, also when the firmware dies over it."""
        wait_for(self.clock, lambda: not self.alive or come(), self.turn, what, story=self.story)
        if not self.alive and not come():
            raise NotComeError(f"{what} cannot come: no firmware is running\n{self.story()}")

    def run_for(self, ms: int) -> None:
        """Let `ms` pass; ends early when a firmware that was running has died by itself."""
        until_ms, ran = self.clock.now_ms() + ms, self.alive
        while self.clock.now_ms() < until_ms and self.alive is ran:
            self.turn(until_ms)

    def _hear(self) -> None:
        """Take what the tap has told; the newest glance counts, and the first of a start is kept."""
        if self._tap is None:
            try:
                self._tap, _ = self._listener.accept()
            except BlockingIOError:
                return
            self._tap.setblocking(False)
        while True:
            try:
                more = self._tap.recv(GLANCE_BYTES_MAX)
            except BlockingIOError:
                break
            except ConnectionResetError:
                more = b""
            if not more:
                self._tap.close()
                self._tap = None
                break
            self._look(more)

    def _look(self, data: bytes) -> None:
        """What is shown while the first facts of a start are still on their way (a slow disk) is the table of
        the start before, or none at all: nobody takes it for this one."""
        glance = glances.decode(data)
        if glance.begun:
            self.first_seen = self.first_seen or glance
            self.seen = self.world.seen = glance
            self.news += 1

    def _hang_up(self) -> None:
        """Nobody who is dead is heard later, not even who had not been answered yet."""
        if self._tap is not None:
            self._tap.close()
            self._tap = None
        while True:
            try:
                self._listener.accept()[0].close()
            except BlockingIOError:
                return

    # ---- what happens here

    def phases(self) -> dict[str, str]:
        """What devices are busy with, e.g. ``note escrow`` or ``ticket printing``; idle ones are left out."""
        found = {name: phase_of(wire.machine) for name, wire in self.world.wires.items()}
        return {name: phase for name, phase in found.items() if phase}

    def story(self) -> str:
        """For a report: who waits for what, and the last that the firmware has logged."""
        return f"{self.situation()}\n{self.log_tail()}"

    def situation(self) -> str:
        """What everybody is doing or waiting for, line by line."""
        seen, lines = self.seen, []
        if seen is None:
            lines.append("the firmware has not told anything yet")
        else:
            lines.append(f"firmware: {seen}")
        for player in self.world.players:
            me = None if seen is None else seen.seats[player.seat - 1]
            lines.append(f"player {player.seat} {player.doing}; {me}")
        if self.world.attendant is not None:
            lines.append(f"attendant {self.world.attendant.doing}")
        lines += [f"{name}: {phase}" for name, phase in self.phases().items()]
        return "\n".join(lines)

    def close(self) -> None:
        if self.alive:
            assert self.child is not None
            self.child.kill()
            self.child.wait()
        self._hang_up()
        self._gpio.close()
        self._listener.close()
        self.world.close()


def phase_of(machine: Machine) -> str:
    """How far a note or a ticket has come in a device; "" when it has none."""
    match machine:
        case ValidatorMachine() | PrinterMachine():
            return machine.stage
    return ""
