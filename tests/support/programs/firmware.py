"""The field program as a process of its own on a bench, with a service manager that listens."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

from cabinet.lab.bench.bench import Bench, BenchOptions
from cabinet.lab.patience import wait_for
from cabinet.program.runtime import RealClock
from drivers.bill_validator.id003.codec import Status
from drivers.sim.id003 import Id003Machine


class Firmware:
    """`bench` has wires and devices; `said` everything that the service manager has heard, in order."""

    def __init__(self, directory: Path, environment: dict[str, str], *, autoplay: bool = False) -> None:
        self.said: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(directory / "notify"))
        self._socket.setblocking(False)
        self.environment = {
            "NOTIFY_SOCKET": str(directory / "notify"), "WATCHDOG_USEC": "500000", **environment,
        }  # fmt: skip
        options = BenchOptions("slot1", autoplay=autoplay, resolution=(1280, 720))
        self.bench = Bench(options, directory / "bench")
        self.clock = RealClock()

    def start(self) -> None:
        kept = dict(os.environ)
        os.environ.update(self.environment)
        try:
            self.bench.start()
        finally:
            os.environ.clear()
            os.environ.update(kept)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self.bench.child is not None
        return self.bench.child

    @property
    def status(self) -> str:
        """What `systemctl status` would say."""
        lines = [line for text in self.said for line in text.splitlines() if line.startswith("STATUS=")]
        return lines[-1].removeprefix("STATUS=") if lines else ""

    @property
    def beats(self) -> int:
        return self.said.count("WATCHDOG=1")

    @property
    def log(self) -> str:
        return self.bench.log_tail(200)

    def turn(self) -> None:
        self.bench.turn()
        self.listen()

    def listen(self) -> None:
        while True:
            try:
                self.said.append(self._socket.recv(4096).decode())
            except BlockingIOError:
                return

    def wait(self, come: object, what: str) -> None:
        """Until `come()`; the program must live meanwhile."""

        def turn() -> None:
            assert self.bench.alive, f"the program has ended: {self.log}"
            self.turn()

        assert callable(come)
        wait_for(self.clock, come, turn, what, story=lambda: f"{self.said[-5:]}\n{self.log}")

    def runs(self, ms: int = 0) -> None:
        end_ms = self.clock.now_ms() + ms
        while self.clock.now_ms() < end_ms:
            self.turn()

    def ended(self) -> int:
        """Nobody plays any more, but lines and wires are there: the exit code."""
        self.bench.world.players.clear()
        wait_for(self.clock, lambda: not self.bench.alive, self.turn, "the end", story=lambda: self.log)
        return self.process.wait()

    def close(self) -> None:
        self.bench.close()
        self._socket.close()


Make = Callable[..., Firmware]  # autoplay, whether it is started, and the environment


def validator(firmware: Firmware) -> Id003Machine:
    machine = firmware.bench.world.wires["validator1"].machine
    assert isinstance(machine, Id003Machine)
    return machine


def takes_notes(firmware: Firmware) -> bool:
    return validator(firmware).status()[0] == Status.IDLING
