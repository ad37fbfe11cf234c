"""What the laboratory asks of a simulated bill validator, whatever protocol it speaks.

The mechanics are those of `path` for all; a protocol adds its frames. Nothing here can be seen on the wire.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping

from drivers.sim.validator.path import NotePath, PathState, Quirks, Where
from drivers.sim.validator.sheets import Pile, Sheet

_DARK = (PathState.OFF, PathState.POWER_UP)
_IN_BOX = (PathState.VEND_VALID, PathState.STACKED)  # the paper itself is in the box
_STACKING = (PathState.LIFTING, PathState.PUSHING)


class ValidatorMachine(ABC):
    """A Machine (see drivers.sim.wire) that takes notes. `quirks` and `path` stand in every one."""

    FAULTS: Mapping[str, str]
    quirks: Quirks
    path: NotePath

    # ---- the wire

    @property
    @abstractmethod
    def wake_at(self) -> int | None: ...
    @abstractmethod
    def receive(self, data: bytes, now_ms: int) -> None: ...
    @abstractmethod
    def tick(self, now_ms: int) -> bytes: ...
    @abstractmethod
    def inject(self, fault: str, now_ms: int) -> None: ...
    @abstractmethod
    def power_off(self, now_ms: int) -> None: ...
    @abstractmethod
    def power_on(self, now_ms: int) -> None: ...

    # ---- what a protocol knows

    @property
    @abstractmethod
    def accepts(self) -> bool:
        """Its host wants it to take documents."""

    @property
    @abstractmethod
    def condition(self) -> tuple[str, bool]:
        """Its status in a word of its protocol, and whether that is trouble."""

    @property
    @abstractmethod
    def notes(self) -> tuple[int, ...]:
        """The notes that it knows, in minor units of its currency."""

    @property
    def settings_count(self) -> int:
        """Settings of the host that it holds; a power cut or a reset takes them."""
        return 0

    # ---- customers

    @abstractmethod
    def insert(self, cents: int, now_ms: int, *, currency: str = "USD", flaw: int = 0) -> bool:
        """Feed a note; False if the machine does not draw it in. ``flaw`` is a reject reason."""

    @abstractmethod
    def insert_ticket(self, digits: str, now_ms: int) -> bool: ...

    # ---- the machine's own books

    @property
    def stacked(self) -> Pile:
        """Every document that ever fell into the box."""
        return self.path.stacked

    @property
    def returned_count(self) -> int:
        return len(self.path.returned)

    @property
    def stacked_cents(self) -> int:
        return self.path.stacked.cents

    @property
    def returned_cents(self) -> int:
        return self.path.returned.cents

    @property
    def cash_box(self) -> tuple[Sheet, ...]:
        """What an attendant finds who opens the box now."""
        return tuple(self.path.cash_box)

    @property
    def swallowed(self) -> Sheet | None:
        """The document that is past the point of no return and not yet in the box: nobody gets it back."""
        path = self.path
        gone = path.state is PathState.PUSHING or (path.state in _DARK and path.where is Where.STACKER)
        return path.paper if gone else None

    @property
    def falls_at_reset(self) -> Sheet | None:
        """The document that a power cut has left past the point of no return."""
        path = self.path
        return path.paper if path.state in _DARK and path.where is Where.STACKER else None

    @property
    def acknowledged_count(self) -> int:
        """Documents in the box that the host has said it knows of."""
        path = self.path
        return len(path.stacked) - (path.unacknowledged and path.paper is None)

    # ---- how far it is

    @property
    def busy(self) -> bool:
        """Paper is inside or on its way."""
        return self.path.paper is not None

    @property
    def stacking(self) -> bool:
        """It carries out an order to stack."""
        return self.path.state in _STACKING

    @property
    def waits_for_acknowledgement(self) -> bool:
        return self.path.state is PathState.VEND_VALID

    @property
    def stage(self) -> str:
        """How far a note or a ticket has come; "" when it has none."""
        return f"note {self.path.state}" if self.path.state in _IN_BOX or self.busy else ""

    @property
    def signature(self) -> tuple[object, ...]:
        """What of its condition a crash must not lose or double; polls do not change it."""
        path = self.path
        passed = (len(path.stacked), len(path.returned), len(path.taken_out))
        return path.state, path.where, path.paper, path.unacknowledged, passed, self.settings_count

    # ---- how units differ

    def vary(self, dice: random.Random) -> None:
        """What validators do after a loss of power differs; nobody has to like it."""
        self.quirks = self.path.quirks = Quirks(
            vend_valid_after_power_up=dice.random() < 0.5,
            forgets_stacked=dice.random() < 0.3,
            soft_reset=dice.choice(("initialize", "vend_valid", "in_stacker")),
        )

    @property
    def forgets_stacked(self) -> bool:
        """A unit that may not know, after a power cut, that a document is in its box."""
        return self.quirks.forgets_stacked
