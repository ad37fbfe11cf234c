"""The bench: devices, wires and people here; the firmware as a child process that can be killed.

The child opens ptys with the shipped serial code and /dev/gpiochip* with the unmodified GPIO
library (an ioctl forwarder is preloaded). "Pull the plug" is a real SIGKILL; the devices keep or
lose power and the bytes in flight as the tester chooses.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cabinet import config as configuration
from cabinet.config import Config
from cabinet.lab import glance as glances
from cabinet.lab import world as worlds
from cabinet.lab.forwarder import build_forwarder
from cabinet.lab.glance import Glance
from cabinet.lab.table import chart_of, shipped_cabinet
from cabinet.lab.world import World
from cabinet.runtime import RealClock
from drivers.sim.gpio_server import GpioServer

GLANCE_BYTES_MAX = 1 << 16
STOP_WAIT_S = 20
SECOND_COPY = re.compile(r"^\[second_copy\]\n(?:[^\[].*\n|\n)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Options:
    cabinet: str = "table5"
    seed: int = 1
    pace: int = 1
    autoplay: bool = True


class Bench:
    """One cabinet on the bench. `directory` holds wires, journal, sockets and the child's log."""

    def __init__(self, options: Options, directory: Path) -> None:
        self.options = options
        self.directory = directory
        self.clock = RealClock()
        self.seen: Glance | None = None
        self.child: subprocess.Popen[bytes] | None = None
        self.starts = 0
        wires = directory / "wires"
        wires.mkdir(parents=True, exist_ok=True)
        self.state_dir = directory / "state"
        self.config_path = directory / "cabinet.toml"
        self.config_path.write_text(self._cabinet_file(wires), encoding="utf-8")
        self.config: Config = configuration.load(self.config_path)
        self.world: World = worlds.build(self.config, wire="pty", seed=options.seed, directory=wires)
        if options.autoplay:
            worlds.people(self.world, chart_of(), options.seed, options.pace)
        assert self.world.board is not None
        self._gpio = GpioServer(directory / "gpio.sock", self.world.board)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(directory / "tap.sock"))
        self._listener.listen(1)
        self._listener.setblocking(False)
        self._tap: socket.socket | None = None
        self._preload = build_forwarder(directory.parent / "forwarder")

    def _cabinet_file(self, wires: Path) -> str:
        """The shipped cabinet file with its ports on this bench's wires and its window not full screen."""
        text = shipped_cabinet(self.options.cabinet).read_text(encoding="utf-8")
        loaded = configuration.load(shipped_cabinet(self.options.cabinet))
        for table in loaded.devices:
            if "port" in table.options:
                text = text.replace(f'"{table.options["port"]}"', f'"{wires / table.name}"')
        return SECOND_COPY.sub("", text).replace("fullscreen = true", "fullscreen = false")

    # ---- the firmware

    def start(self) -> None:
        """Switch the firmware on."""
        environment = {**os.environ, "GPIO_SERVER": str(self.directory / "gpio.sock")}
        environment.setdefault("SDL_VIDEODRIVER", "dummy")
        environment.setdefault("SDL_AUDIODRIVER", "dummy")
        environment.pop("LD_PRELOAD", None)
        if self._preload is not None:
            environment["LD_PRELOAD"] = str(self._preload)
        command = [sys.executable, "-m", "cabinet.lab.child", "--config", str(self.config_path)]
        command += ["--state", str(self.state_dir), "--tap", str(self.directory / "tap.sock")]
        command += ["--pace", str(self.options.pace)]
        self.starts += 1
        self.seen = self.world.seen = None
        with (self.directory / "child.log").open("ab") as log:
            self.child = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def kill(self, lose_bytes: bool) -> None:
        """Pull the plug of the firmware; the devices live on."""
        assert self.child is not None
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        self._hear()  # what it had told before it died
        if lose_bytes:
            for wire in self.world.wires.values():
                wire.drop_in_flight()
        if self._tap is not None:
            self._tap.close()
            self._tap = None
        self.child = None

    def stop(self) -> int:
        """Ask the firmware to end between rounds; its exit code."""
        assert self.child is not None
        self.child.send_signal(signal.SIGTERM)
        deadline_ms = self.clock.now_ms() + STOP_WAIT_S * 1000
        while self.child.poll() is None and self.clock.now_ms() < deadline_ms:
            self.turn()
        if self.child.poll() is None:
            self.child.kill()
        return self.child.wait()

    @property
    def alive(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def log_tail(self, lines: int = 20) -> str:
        text = (self.directory / "child.log").read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    # ---- time

    def turn(self, until_ms: int | None = None) -> None:
        """One turn of the world in real time: physics, GPIO calls, the tap, people; then sleep."""
        now_ms = self.clock.now_ms()
        self.world.tick(now_ms)
        self._gpio.serve(now_ms)
        self._hear()
        wakes = [now_ms + 20]
        if (world_ms := self.world.wake_at) is not None:
            wakes.append(max(now_ms + 1, world_ms))
        if until_ms is not None:
            wakes.append(until_ms)
        descriptors = [*self.world.descriptors(), self._gpio.fileno(), self._listener.fileno()]
        if self._tap is not None:
            descriptors.append(self._tap.fileno())
        self.clock.wait(descriptors, min(wakes))

    def run_for(self, ms: int) -> None:
        """Let `ms` pass; ends early when the firmware has died by itself."""
        until_ms = self.clock.now_ms() + ms
        while self.clock.now_ms() < until_ms and self.alive:
            self.turn(until_ms)

    def _hear(self) -> None:
        if self._tap is None:
            try:
                self._tap, _ = self._listener.accept()
                self._tap.setblocking(False)
            except BlockingIOError:
                return
        while True:
            try:
                data = self._tap.recv(GLANCE_BYTES_MAX)
            except (BlockingIOError, ConnectionResetError):
                return
            if not data:
                return
            self.seen = self.world.seen = glances.decode(data)

    def close(self) -> None:
        if self.alive:
            assert self.child is not None
            self.child.kill()
            self.child.wait()
        self._gpio.close()
        self._listener.close()
        if self._tap is not None:
            self._tap.close()
        self.world.close()
