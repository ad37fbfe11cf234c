"""A validator driver and its simulated device on one virtual clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, cast

from drivers import registry
from drivers.device import BillValidator, DeviceEvent, OpenDocument
from drivers.link import OpenLink
from drivers.registry import Io
from drivers.sim.id003 import BAUD, BITS, Id003Machine
from drivers.sim.wire import FarEnd, Machine, memory_wire, pty_wire

E = TypeVar("E", bound=DeviceEvent)
M = TypeVar("M", bound=Machine)
PORT = "/dev/validator1"


def no_bank() -> object:
    raise AssertionError("a validator has no lines")


class Bench(Generic[M]):
    """``run`` advances time; ``events`` is everything the driver has said."""

    def __init__(
        self,
        machine: M,
        *,
        pty: str = "",
        seed: int = 1,
        driver: str = "id003",
        baud: int = BAUD,
        bits: int = BITS,
        options: dict[str, object] | None = None,
        owner: Callable[[DeviceEvent], None] | None = None,
    ) -> None:
        self.machine = machine
        self.port = pty or PORT
        self.far_end: FarEnd
        self.open_link: OpenLink
        if pty:
            self.open_link, self.far_end = pty_wire(self.machine, pty, baud=baud, bits=bits, seed=seed)
        else:
            self.open_link, self.far_end = memory_wire(self.machine, baud=baud, bits=bits, seed=seed)
        self.driver_name = driver
        self.options = options or {}
        self.owner = owner
        self.now_ms = 0
        self.events: list[DeviceEvent] = []
        self.instants = 0
        self.validator = self.new_driver()

    def new_driver(self, document: OpenDocument | None = None) -> BillValidator:
        """`document`: what its owner's journal says is open."""
        io = Io(self.open_link, no_bank)  # type: ignore[arg-type]
        options = {"port": self.port, **self.options}
        device = registry.make("bill_validator", self.driver_name, "validator1", options, io)
        validator = cast(BillValidator, device)
        validator.adopt(document)
        return validator

    def restart_host(self, document: OpenDocument | None = None) -> None:
        """The program dies and starts again; the machine lives on."""
        self.validator.close()
        self.validator = self.new_driver(document)
        self.events.clear()

    # ---- time

    def _instant(self) -> None:
        self.instants += 1
        self.far_end.tick(self.now_ms)
        for event in self.validator.tick(self.now_ms):
            self.events.append(event)
            if self.owner is not None:
                self.owner(event)
        self.far_end.tick(self.now_ms)

    def _next(self) -> int | None:
        due = [at for at in (self.validator.wake_at, self.far_end.wake_at) if at is not None]
        return max(min(due), self.now_ms) if due else None

    def run(self, for_ms: int, until: Callable[[], bool] | None = None) -> None:
        """Let ``for_ms`` pass, from one due instant to the next; stop early when ``until`` holds."""
        end = self.now_ms + for_ms
        idle = 0
        while True:
            before = self.now_ms
            self._instant()
            if until is not None and until():
                return
            following = self._next()
            if following is None or following > end:
                self.now_ms = end
                self._instant()
                return
            idle = idle + 1 if following == before else 0
            assert idle < 100, "the driver asks for the same instant for ever"
            self.now_ms = following

    def run_until(self, kind: type[E], within_ms: int = 20_000) -> E:
        """Run until the next event of ``kind``."""
        seen = len(self.events)
        found: list[E] = []

        def arrived() -> bool:
            found[:] = [event for event in self.events[seen:] if isinstance(event, kind)]
            return bool(found)

        self.run(within_ms, arrived)
        assert found, f"no {kind.__name__} within {within_ms} ms; heard {self.events[seen:]}"
        return found[0]

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    # ---- stories

    def make_ready(self) -> None:
        """Power-up answered, set up, taking notes."""
        self.run(600)
        self.validator.reset()
        self.validator.accept(True)
        self.run(5_000)
        self.events.clear()

    def close(self) -> None:
        self.validator.close()
        self.far_end.close()


def bench(machine: Id003Machine | None = None, **options: object) -> Bench[Id003Machine]:
    """The usual pair: the driver with these options, and the simulated device."""
    return Bench(machine or Id003Machine(), options=options)
