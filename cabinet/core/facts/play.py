"""Facts: what has become true. They go to the journal first, and `State` is their fold.

Every fact is a frozen dataclass of plain values, so that it is stored as canonical JSON and read
back to an equal object. A field that comes later has a default, so that journals from before it stay
readable. Amounts are integer cents. Times are session milliseconds; they order
nothing across sessions. References (`ref`) are counted per cabinet and never used twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import msgspec

from cabinet.core.facts.base import Fact
from game.round import Choice
from game.rules import Rules
from game.settle import HandResult

# ---- the session


@dataclass(frozen=True, slots=True)
class SessionStarted(Fact):
    """A process has opened the journal. From here on every open intent is in doubt."""

    number: int
    clean: bool
    wall_ms: int
    version: str


@dataclass(frozen=True, slots=True)
class ClockStepped(Fact):
    """The wall clock was set while the program ran. Local times of this instant, in ms since 1970: what the
    clock had said it was, and what it says now. For paper and logs; nothing is timed by it. `first_ref`: the
    first reference of the session; what is younger was dated by the clock that was wrong."""

    before_ms: int
    wall_ms: int
    first_ref: int


@dataclass(frozen=True, slots=True)
class ClockDoubted(Fact):
    """The clock stands far from where it was expected: until somebody has vouched for the date nothing
    expires by it. Local times in ms since 1970: what it says, and the newest time that nobody doubts."""

    wall_ms: int
    known_ms: int


@dataclass(frozen=True, slots=True)
class ClockJudged(Fact):
    """Whether the date is right. `by`: attendant, technician, or self: it is back where it was expected."""

    wall_ms: int
    right: bool
    by: str


@dataclass(frozen=True, slots=True)
class MemoryCleared(Fact):
    """A technician has cleared the memory: the first fact of a journal that begins anew. What must never be
    used twice is carried over; the money is not. `rows` and `digest`: where the journal before ended."""

    rows: int
    digest: str
    next_ref: int
    sequence: int
    ticket_no: int
    why: str


@dataclass(frozen=True, slots=True)
class MemoryBegun(Fact):
    """A technician has begun the memory: in a new state directory, or the seals of an older one."""

    who: str
    why: str


@dataclass(frozen=True, slots=True)
class SessionStopped(Fact):
    """The cabinet was asked to stop and did."""


@dataclass(frozen=True, slots=True)
class RulesTaken(Fact):
    """The house rules in force from the next round on, and the seats of the cabinet."""

    rules: Rules
    seats: int


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting with the values before and from now on, as a file would write them; "" is none."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class SettingsTaken(Fact):
    """Settings differ from those of the session before. `by`: the file that says so, or who."""

    by: str
    changes: tuple[SettingChange, ...]


# ---- bets and the round


@dataclass(frozen=True, slots=True)
class BetMoved(Fact):
    """Credit to bet (positive) or back (negative), before the deal."""

    seat: int
    cents: int


@dataclass(frozen=True, slots=True)
class BettingOpened(Fact):
    """The first bet has started the countdown."""

    deadline_ms: int


@dataclass(frozen=True, slots=True)
class BettingClosed(Fact):
    """All bets were taken back: no countdown runs."""


@dataclass(frozen=True, slots=True)
class SeatReady(Fact):
    """The seat has pressed DEAL."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatTouched(Fact):
    """The first button of this seat since it did not play: the table waits for it again."""

    seat: int


@dataclass(frozen=True, slots=True)
class RoundOpened(Fact):
    """Bets are closed. `shuffled`: the shoe was made complete again before this round."""

    number: int
    bets: tuple[tuple[int, int], ...]
    shuffled: bool


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A card and the times between which it flies to its place."""

    card: int
    start_ms: int
    land_ms: int


@dataclass(frozen=True, slots=True)
class CardsDrawn(Fact):
    """All cards between two decisions, in the order of the deal. Recorded before they are seen."""

    cards: tuple[DrawnCard, ...]


@dataclass(frozen=True, slots=True)
class DecisionOpened(Fact):
    """The last card has landed: seats may decide until the deadline."""

    deadline_ms: int


@dataclass(frozen=True, slots=True)
class Decided(Fact):
    """A seat's decision, final. `stake_cents` moved from its credit in the same commit."""

    seat: int
    choice: Choice
    timed_out: bool
    stake_cents: int


@dataclass(frozen=True, slots=True)
class RoundSettled(Fact):
    """Every bet is paid or lost. The screen shows it from `show_ms` on."""

    results: tuple[HandResult, ...]
    show_ms: int


@dataclass(frozen=True, slots=True)
class RoundVoided(Fact):
    """The round cannot be finished: all stakes go back."""

    reason: str


# ---- freeze


@dataclass(frozen=True, slots=True)
class Frozen(Fact):
    """Play stands still; countdowns keep what remained."""

    code: str


@dataclass(frozen=True, slots=True)
class Released(Fact):
    """Play goes on; countdowns start again in full."""


# ---- hard meters


@dataclass(frozen=True, slots=True)
class PulseIntended(Fact):
    """The electromechanical counter `meter` owes `count` pulses more."""

    meter: str
    count: int


@dataclass(frozen=True, slots=True)
class PulseDone(Fact):
    """`count` pulses have been given (at most ten per fact)."""

    meter: str
    count: int


# ---- meters


@dataclass(frozen=True, slots=True)
class PeriodReset(Fact):
    """The technician has begun period `number` of the meters: what they count in it starts at zero. The
    meters themselves are never reset."""

    number: int


# ---- conditions


@dataclass(frozen=True, slots=True)
class ConditionRaised(Fact):
    """A row of the condition table has become true for `device` ("" = the cabinet)."""

    code: str
    device: str
    detail: str


@dataclass(frozen=True, slots=True)
class ConditionCleared(Fact):
    """It is over. `by`: self, attendant, technician."""

    code: str
    device: str
    by: str


@dataclass(frozen=True, slots=True)
class KeyTurned(Fact):
    """A key switch: attendant or service."""

    key: str
    on: bool


def _subclasses() -> Mapping[str, type[Fact]]:
    return MappingProxyType({cls.__name__: cls for cls in Fact.__subclasses__()})


KINDS: Mapping[str, type[Fact]] = _subclasses()
_ENCODER = msgspec.json.Encoder()
_DECODERS = {name: msgspec.json.Decoder(cls) for name, cls in KINDS.items()}


class UnknownFactError(ValueError):
    """The journal holds a fact that this program does not know: a newer program wrote it."""


def encode(fact: Fact) -> tuple[str, str]:
    """The kind and the canonical JSON (fields in the order of the class) of a fact."""
    return type(fact).__name__, _ENCODER.encode(fact).decode()


def decode(kind: str, body: str) -> Fact:
    """The fact that `encode` was given. Raises UnknownFactError, naming kind and reason."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise UnknownFactError(f"fact of unknown kind {kind!r}")
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, ValueError) as error:
        raise UnknownFactError(f"{kind}: {error}") from error
