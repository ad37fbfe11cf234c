"""One decision in the making: the facts it makes true and the acts it orders.

Helpers of the decider get a `Turn`, add facts (each is folded at once, so that the next one is
judged on the state it makes) and acts. Nothing outside the decision sees any of it before the
facts are committed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cabinet.core.conditions import Code
from cabinet.core.facts import Fact
from cabinet.core.live import Live
from cabinet.core.policy import Policy
from cabinet.core.state import State
from cabinet.core.state.fold import after
from drivers.device import OpenDocument, TicketFields

Draw = Callable[[int], int]
"""``draw(n)``: a uniform integer 0..n-1. May raise DrawError. ``draw(1)`` is 0 and no card: a shoe never
gets that low; it asks whether cards can be drawn."""


class DrawError(Exception):
    """The random number generator has failed its health test: no card may be drawn."""


# ---- events that are not a device's


@dataclass(frozen=True, slots=True)
class Started:
    """The journal is open and replayed: the first event of every process. `last_sequence`: the last sequence
    number of tickets that a store besides the journal remembers; 0 for none. `last_wall_ms`: the local wall
    clock of the newest fact; 0 for none. `trouble`: code and words of what the session before could not
    record."""

    at_ms: int
    clean: bool
    wall_ms: int
    last_sequence: int = 0
    last_wall_ms: int = 0
    trouble: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class ClockRead:
    """The wall clock was set: `wall_ms` is what it says at `at_ms`, local, in ms since 1970."""

    at_ms: int
    wall_ms: int


@dataclass(frozen=True, slots=True)
class TimerDue:
    """The instant that `due` had asked for has come and no input waits."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class TroubleReported:
    """What the program itself can do from now on: `text` is why it cannot, "" when it can (again)."""

    at_ms: int
    code: Code
    text: str


@dataclass(frozen=True, slots=True)
class StorageSlow:
    """The journal has answered at last; meanwhile the table stood still."""

    at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class StopAsked:
    """The service manager (or the lab) wants the program to end between rounds or now."""

    at_ms: int


# ---- acts


@dataclass(frozen=True, slots=True)
class AdoptDocument:
    device: str
    document: OpenDocument | None


@dataclass(frozen=True, slots=True)
class StackNote:
    device: str


@dataclass(frozen=True, slots=True)
class ReturnNote:
    device: str


@dataclass(frozen=True, slots=True)
class AcknowledgeNote:
    device: str


@dataclass(frozen=True, slots=True)
class ResetValidator:
    device: str


@dataclass(frozen=True, slots=True)
class ReleasePrinter:
    device: str


@dataclass(frozen=True, slots=True)
class InquireTicket:
    device: str
    ref: int


@dataclass(frozen=True, slots=True)
class PrintTicket:
    device: str
    ref: int
    ticket: TicketFields


@dataclass(frozen=True, slots=True)
class TicketRecorded:
    device: str
    ref: int


@dataclass(frozen=True, slots=True)
class MendPrinter:
    device: str


@dataclass(frozen=True, slots=True)
class GivePulses:
    device: str
    meter: str
    count: int


Act = (
    AdoptDocument
    | StackNote
    | ReturnNote
    | AcknowledgeNote
    | ResetValidator
    | ReleasePrinter
    | InquireTicket
    | PrintTicket
    | TicketRecorded
    | MendPrinter
    | GivePulses
)


@dataclass(slots=True)
class Turn:
    """A decision in the making. `now_ms` is the time of the event that is decided."""

    state: State
    live: Live
    now_ms: int
    draw: Draw
    facts: list[Fact] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)

    @property
    def policy(self) -> Policy:
        return self.live.policy

    def add(self, fact: Fact) -> None:
        """Make `fact` true for the rest of this decision. Raises RefusedError."""
        self.state = after(self.state, fact)
        self.facts.append(fact)

    def act(self, act: Act) -> None:
        self.acts.append(act)
