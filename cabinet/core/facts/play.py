"""Facts: what has become true. They go to the journal first, and `State` is their fold.

Every fact is a frozen struct of plain values, so that it is stored as canonical JSON and read back to an
equal object (`form`). A field that comes later has a default, so that journals from before it stay readable;
a kind whose meaning changes gets a new version (`upcasters`). Amounts are integer cents. Times are session
milliseconds; they order nothing across sessions. References (`ref`) are counted per cabinet and never used
twice.
"""

from __future__ import annotations

import msgspec

from cabinet.core.facts.base import Fact
from game.round import Choice
from game.rules import Rules
from game.settle import HandResult

# ---- the session


class SessionStarted(Fact, frozen=True):
    """A process has opened the journal. From here on every open intent is in doubt."""

    number: int
    clean: bool
    wall_ms: int
    version: str


class ClockStepped(Fact, frozen=True):
    """The wall clock was set while the program ran. Local times of this instant, in ms since 1970: what the
    clock had said it was, and what it says now. For paper and logs; nothing is timed by it. `first_ref`: the
    first reference of the session; what is younger was dated by the clock that was wrong."""

    before_ms: int
    wall_ms: int
    first_ref: int


class ClockDoubted(Fact, frozen=True):
    """The clock stands far from where it was expected: until somebody has vouched for the date nothing
    expires by it. Local times in ms since 1970: what it says, and the newest time that nobody doubts."""

    wall_ms: int
    known_ms: int


class ClockJudged(Fact, frozen=True):
    """Whether the date is right. `by`: attendant, technician, or self: it is back where it was expected."""

    wall_ms: int
    right: bool
    by: str


class MemoryCleared(Fact, frozen=True):
    """A technician has cleared the memory: the first fact of a journal that begins again. What must never be
    used twice is carried over; the money is not. `rows` and `digest`: where the journal before ended."""

    rows: int
    digest: str
    next_ref: int
    sequence: int
    ticket_no: int
    why: str


class MemoryBegun(Fact, frozen=True):
    """A technician has begun the memory: in a new state directory, or the seals of an older one."""

    who: str
    why: str


class SessionStopped(Fact, frozen=True):
    """The cabinet was asked to stop and did."""


class RulesTaken(Fact, frozen=True, omit_defaults=True):
    """The house rules in force from the next round on, and the seats of the cabinet. `engine`: by which
    procedure rounds are played (``game.round.ENGINE``)."""

    rules: Rules
    seats: int
    engine: int = 1


class SettingChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One setting with the values before and from now on, as a file would write them; "" is none."""

    name: str
    old: str
    new: str


class SettingsTaken(Fact, frozen=True):
    """Settings differ from those of the session before. `by`: the file that says so, or who."""

    by: str
    changes: tuple[SettingChange, ...]


# ---- bets and the round


class BetMoved(Fact, frozen=True):
    """Credit to bet (positive) or back (negative), before the deal."""

    seat: int
    cents: int


class BettingOpened(Fact, frozen=True):
    """The first bet has started the countdown."""

    deadline_ms: int


class BettingClosed(Fact, frozen=True):
    """All bets were taken back: no countdown runs."""


class SeatReady(Fact, frozen=True):
    """The seat has pressed DEAL."""

    seat: int


class SeatTouched(Fact, frozen=True):
    """The first button of this seat since it did not play: the table waits for it again."""

    seat: int


class RoundOpened(Fact, frozen=True):
    """Bets are closed. `shuffled`: the shoe was made complete again before this round."""

    number: int
    bets: tuple[tuple[int, int], ...]
    shuffled: bool


class DrawnCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card and the times between which it flies to its place."""

    card: int
    start_ms: int
    land_ms: int


class CardsDrawn(Fact, frozen=True):
    """All cards between two decisions, in the order of the deal. Recorded before they are seen."""

    cards: tuple[DrawnCard, ...]


class DecisionOpened(Fact, frozen=True):
    """The last card has landed: seats may decide until the deadline."""

    deadline_ms: int


class Decided(Fact, frozen=True):
    """A seat's decision, final. `stake_cents` moved from its credit in the same commit."""

    seat: int
    choice: Choice
    timed_out: bool
    stake_cents: int


class RoundSettled(Fact, frozen=True):
    """Every bet is paid or lost. The screen shows it from `show_ms` on."""

    results: tuple[HandResult, ...]
    show_ms: int


class RoundVoided(Fact, frozen=True):
    """The round cannot be finished: all stakes go back."""

    reason: str


# ---- freeze


class Frozen(Fact, frozen=True):
    """Play stands still; countdowns keep what remained."""

    code: str


class Released(Fact, frozen=True):
    """Play goes on; countdowns start again in full."""


# ---- hard meters


class PulseIntended(Fact, frozen=True):
    """The electromechanical counter `meter` owes `count` pulses more."""

    meter: str
    count: int


class PulseDone(Fact, frozen=True):
    """`count` pulses have been given (at most ten per fact)."""

    meter: str
    count: int


# ---- meters


class PeriodReset(Fact, frozen=True):
    """The technician has begun period `number` of the meters: what they count in it starts at zero. The
    meters themselves are never reset."""

    number: int


# ---- conditions


class ConditionRaised(Fact, frozen=True):
    """A row of the condition table has become true for `device` ("" = the cabinet)."""

    code: str
    device: str
    detail: str


class ConditionCleared(Fact, frozen=True):
    """It is over. `by`: self, attendant, technician."""

    code: str
    device: str
    by: str


class KeyTurned(Fact, frozen=True):
    """A key switch: attendant or service."""

    key: str
    on: bool
