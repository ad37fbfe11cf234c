"""The shipped panel driver in a process of its own, on simulated GPIO chips.

With a C compiler the child runs the field's own bank on the unmodified python-periphery, behind the
forwarder library. Without one it runs the same driver on the socket bank. Nothing is left out.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest

from cabinet.lab.bench.forwarder import build_forwarder
from cabinet.lab.patience import PATIENCE_S
from drivers.sim.gpio.board import Board
from drivers.sim.gpio.server import GpioServer
from drivers.sim.panel import PanelMachine
from support.devices.panels import options

ROOT = Path(__file__).parents[2]


class Child:
    """The program under test, and the machine and server at the other end of its wires."""

    def __init__(self, folder: Path, library: Path | None, seed: int, **changes: Any) -> None:
        self.options = options(2, **changes)
        self.board = Board.of(self.options)
        self.machine = PanelMachine(self.options, self.board, seed=seed)
        self.server = GpioServer(folder / "gpio", self.board)
        self.events: list[dict[str, Any]] = []
        self._library = library
        self._start = time.monotonic()
        self._text = ""
        self._process: subprocess.Popen[str] | None = None
        self._ending = False

    @property
    def now_ms(self) -> int:
        return int((time.monotonic() - self._start) * 1000)

    def start(self) -> None:
        self._ending = False
        path = str(self.server.path)
        environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
        if self._library is not None:
            environment |= {"LD_PRELOAD": str(self._library), "GPIO_SERVER": path}
        kind = "kernel" if self._library is not None else path
        command = [sys.executable, str(ROOT / "tests/support/devices/panel_child.py"), kind]
        self._process = subprocess.Popen(
            [*command, msgspec.json.encode(self.options).decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=ROOT,
        )
        self.wait_for("Ready")

    def order(self, **order: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def wait_for(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Let the world go on until this event has come; what came before it stays in `events`."""
        seen = 0

        def found() -> bool:
            nonlocal seen
            for event in self.events[seen:]:
                seen += 1
                if event["event"] == kind and fields.items() <= event.items():
                    return True
            return False

        self.run_until(found, f"{kind} {fields}")
        event = self.events[seen - 1]
        del self.events[:seen]
        return event

    def run_until(self, done: Callable[[], bool], what: str) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < give_up, f"{what} did not come; there were {self.events}"
            self._turn()

    def kill(self) -> None:
        """Pull the plug of the program."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()
        self._process = None

    def end(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._ending = True
            self.run_until(lambda: self._process is not None and self._process.poll() is not None, "the end")
            assert self._process.returncode == 0
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    def close(self) -> None:
        if self._process is not None:
            self.kill()
        self.server.close()

    def _turn(self) -> None:
        """One turn of the lab's loop: calls, contacts, events. A program that ends unasked fails at once."""
        out = self._process.stdout if self._process is not None else None
        waited = [self.server.fileno()] + ([out.fileno()] if out is not None else [])
        due = self.machine.wake_at
        pause_s = 0.02 if due is None else min(0.02, max(0.0, (due - self.now_ms) / 1000))
        ready = select.select(waited, [], [], pause_s)[0]
        self.server.serve(self.now_ms)
        self.machine.tick(self.now_ms)
        if out is not None and out.fileno() in ready:
            told = os.read(out.fileno(), 65536)
            *lines, self._text = (self._text + told.decode()).split("\n")
            self.events += [json.loads(line) for line in lines]
            assert told or self._ending, f"the program has ended by itself; there were {self.events}"


class MakeChild(Protocol):
    def __call__(self, kind: str, *, seed: int = 0, **changes: Any) -> Child: ...


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    return build_forwarder(tmp_path_factory.mktemp("forwarder"))


@pytest.fixture
def make_child(tmp_path: Path, library: Path | None) -> Iterator[MakeChild]:
    children: list[Child] = []

    def make(kind: str, *, seed: int = 0, **changes: Any) -> Child:
        folder = tmp_path / str(len(children))
        folder.mkdir()
        children.append(Child(folder, library if kind == "forwarder" else None, seed, **changes))
        return children[-1]

    yield make
    for child in children:
        child.close()
