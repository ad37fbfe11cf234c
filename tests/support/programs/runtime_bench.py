"""A runtime with fake devices, a journal of its own and, if wanted, a card that takes its time."""

from __future__ import annotations

import select
import threading
from collections.abc import Callable
from pathlib import Path

from cabinet.core.decide import due
from cabinet.core.facts import Fact
from cabinet.core.live import Live
from cabinet.core.policy import Policy
from cabinet.core.state import State
from cabinet.lab.patience import PATIENCE_S
from cabinet.memory import check as memory
from cabinet.program.runtime import Runtime
from cabinet.store.journal import Journal
from cabinet.store.second_copy import SlottedCopy
from cabinet.store.writer import Writer
from drivers.device import (
    DeviceEvent,
    InputChanged,
    NoteEscrowed,
    NoteVendValid,
    PrinterReady,
)
from support.devices.fakes import Fake, FakePanel, FakePrinter, FakeValidator
from support.evenings.evening import WALL_MS, Evening, policy

Draw = Callable[[int], int]


class SlowCard:
    """Every commit waits here until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Semaphore(0)
        self.ready = threading.Semaphore(0)

    def __call__(self) -> None:
        self.reached.release()
        assert self.ready.acquire(timeout=20)


class Bench:
    """A runtime with fake devices. `log` has everything in the order in which it happened."""

    def __init__(
        self,
        directory: Path,
        *,
        slow: bool = False,
        virtual: bool = True,
        draw: Draw = lambda n: 0,
        no_cards: str = "",
        second_copy: SlottedCopy | None = None,
        board: str = "board 1",
        clock: Callable[[], tuple[int, int] | None] | None = None,
        **changes: object,
    ) -> None:
        changes.setdefault("seats", 2)
        self.policy: Policy = policy(**changes)  # type: ignore[arg-type]
        self.log: list[str] = []
        self.panel = FakePanel("panel1", self.log)
        self.validators = [FakeValidator(name, self.log) for name, _ in self.policy.validators]
        self.printers = [FakePrinter(name, self.log) for name, _ in self.policy.printers]
        devices: list[Fake] = [*self.validators, *self.printers, self.panel]
        self.journal = Journal.open(directory)
        self.card = SlowCard() if slow else None
        self.writer = Writer(self.journal, second_copy, delay_for_tests=self.card)
        try:
            checked = memory.check(
                self.journal, second_copy, board, lambda count: b"\x5a" * count, machine_id=796, seats=2
            )
        except memory.Foreign:
            self.writer.close()
            self.journal.close()
            raise
        self.now_ms = 0
        self.published: list[State] = []
        self.shown: list[Live] = []
        self.runtime = Runtime(
            self.policy,
            {device.name: device for device in devices},
            self.journal,
            draw,
            wall_ms=WALL_MS,
            writer=self.writer,
            virtual=virtual and not slow,
            on_publish=self._published,
            on_facts=self._facts,
            memory=checked.found.memory,
            copy=checked.found.copy,
            copies=checked.found.rows,
            no_cards=no_cards,
            restored=checked.restored,
            clock=clock,
        )

    def _published(self, state: State, live: Live) -> None:
        self.published.append(state)
        self.shown.append(live)
        self.log.append("published")

    def _facts(self, facts: tuple[Fact, ...]) -> None:
        self.log += [type(fact).__name__ for fact in facts]

    @property
    def state(self) -> State:
        return self.runtime.state

    # ---- time and people

    def step(self, *said: DeviceEvent) -> list[str]:
        """One step in which the devices report these events; what happened in it."""
        for event in said:
            self.device(event.device).say.append(event)
        self.log.clear()
        self.runtime.step(self.now_ms)
        return [line for line in self.log if not line.endswith(" read")]

    def device(self, name: str) -> Fake:
        found = self.runtime.devices[name]
        assert isinstance(found, Fake)
        return found

    def press(self, *names: str) -> list[str]:
        return self.step(*[InputChanged("panel1", self.now_ms, name, True) for name in names])

    def run(self, ms: int) -> None:
        """Virtual time: from one due instant to the next."""
        end = self.now_ms + ms
        while True:
            next_ms = self.runtime.wake_at(self.now_ms)
            timer = due(self.runtime.state, self.runtime.live)
            next_ms = min(next_ms, end) if timer is None else min(next_ms, timer, end)
            self.now_ms = max(self.now_ms, next_ms)
            self.runtime.step(self.now_ms)
            if self.now_ms >= end:
                return

    def insert(self, seat: int, cents: int) -> None:
        name = self.policy.validator_of(seat)
        self.step(NoteEscrowed(name, self.now_ms, cents, 1))
        self.step(NoteVendValid(name, self.now_ms))

    def start(self) -> None:
        self.step(*[PrinterReady(name, self.now_ms, True) for name, _ in self.policy.printers])

    def finish_commit(self) -> None:
        """Let the commit in flight come back."""
        assert self.card is not None
        assert self.card.reached.acquire(timeout=20)
        self.card.ready.release()
        assert select.select([self.writer.fileno()], [], [], PATIENCE_S)[0]

    def settle(self) -> None:
        """Everything that waits is decided and committed."""
        for _ in range(20):
            if not self.runtime.idle or self.writer.busy:
                if self.writer.busy:
                    self.finish_commit()
                self.runtime.step(self.now_ms)

    def kinds(self) -> list[str]:
        return [row.entry.kind for row in self.journal.rows()]

    def end(self) -> None:
        if not self.runtime.stopped:
            if self.card is not None:
                self.card.ready.release(1_000)
            self.runtime.close(clean=False, now_ms=self.now_ms)


def cards(text: str) -> Draw:
    """Deals these cards; the shoe is full before the first one."""
    evening = Evening(text, start=False, seats=7)
    left = list(range(312))

    def draw(n: int) -> int:
        nonlocal left
        assert len(left) == n
        index = evening.index(left)
        left = left[:index] + left[index + 1 :]
        return index

    return draw
