"""A cabinet whose seats share one validator: the decider, the driver of the field and a simulated unit.

The unit itself knows what it draws in and when; whose it has to be is what the screen said at that moment.
"""

from __future__ import annotations

from cabinet.core import live as now
from cabinet.core.decide import Decision, Event
from cabinet.core.outputs import outputs
from cabinet.core.turn import AcknowledgeNote, Act, ResetValidator, ReturnNote, StackNote
from drivers.device import DeviceEvent
from drivers.sim.id003 import Id003Machine
from drivers.sim.validator.path import Quirks
from support.devices.validator_bench import Bench
from support.evenings.evening import Evening

V1 = "validator1"
_ORDERS = (StackNote, ReturnNote, AcknowledgeNote, ResetValidator)


class Slot(Evening):
    """Press, put in, let time pass. `owed`: seat -> cents that were drawn in while it was bound."""

    obedient = False

    def __init__(self, quirks: Quirks | None = None, *, seats: int = 3, seed: int = 1) -> None:
        self.bench: Bench[Id003Machine] | None = None
        super().__init__(seats=seats, shared=True)
        self.owed: dict[int, int] = {}
        self.bench = Bench(
            Id003Machine(quirks=quirks), seed=seed, owner=self._heard, options={"barcode": True}
        )
        self.pass_ms(30_000, until=lambda: bool(self.live.device(V1).closed))
        assert self.live.device(V1).closed, "powered up, reset, set up, inhibited"

    @property
    def wired(self) -> Bench[Id003Machine]:
        assert self.bench is not None
        return self.bench

    @property
    def machine(self) -> Id003Machine:
        return self.wired.machine

    def _heard(self, event: DeviceEvent) -> None:
        self.at_ms = max(self.at_ms, event.at_ms)
        self.feed(event)

    def feed(self, event: Event) -> Decision:
        decision = super().feed(event)
        if self.bench is not None:
            self._apply()
        return decision

    def _apply(self) -> None:
        """As the runtime does after the commit: the level with its number first, then the orders."""
        validator = self.wired.validator
        levels = outputs(self.state, self.live)
        validator.accept(levels.accept[V1], levels.changes[V1])
        given: list[Act] = self.ordered(*_ORDERS)
        for act in given:
            match act:
                case StackNote():
                    validator.stack()
                case ReturnNote():
                    validator.give_back()
                case AcknowledgeNote():
                    validator.acknowledge()
                case ResetValidator():
                    validator.reset()

    def pass_ms(self, ms: int, until: object = None) -> None:
        """Time passes on the line and at the table."""
        end = self.wired.now_ms + ms
        while self.wired.now_ms < end:
            self.wired.run(min(100, end - self.wired.now_ms), until)  # type: ignore[arg-type]
            self.advance(max(0, self.wired.now_ms - self.at_ms))
            if callable(until) and until():
                return

    def bind(self, seat: int) -> None:
        self.press(seat, "buy_in")
        self.pass_ms(8_000, until=lambda: self.takes(seat))
        assert self.takes(seat)

    def takes(self, seat: int) -> bool:
        return now.Live.device(self.live, V1).enabled and self.notes_to == seat

    @property
    def notes_to(self) -> int | None:
        """The seat of which the screen says that notes go there."""
        return None if V1 in self.live.rebinding else self.live.binding.get(V1)

    def put_in(self, cents: int) -> bool:
        """A customer feeds a note; whose it is, is settled the moment it is drawn in."""
        bound = self.live.binding.get(V1)
        if not self.machine.insert(cents, self.wired.now_ms):
            return False
        if bound is not None:
            self.owed[bound] = self.owed.get(bound, 0) + cents
        return True

    def new_program(self) -> None:
        """The program dies and starts again; the unit lives on."""
        self.wired.restart_host()
        self.wired.events.clear()
        bench, self.bench = self.wired, None
        self.crash()
        self.at_ms = bench.now_ms
        self.live = now.begin(self.policy, self.at_ms, self.wall_ms)
        self.bench = bench
        self._apply()

    def wrong(self) -> str:
        """What cannot be: money at a seat that nobody put it in for, or money made up or lost."""
        for seat in self.state.seats:
            if self.state.credit(seat) > self.owed.get(seat, 0):
                return f"seat {seat} has {self.state.credit(seat)} of {self.owed}"
        total = sum(self.credits())
        return "" if total == self.machine.stacked_cents else f"{total} of {self.machine.stacked_cents}"
