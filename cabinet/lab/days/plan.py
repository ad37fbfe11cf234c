"""What is asked of a virtual day, and what has come of it."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from cabinet.lab.days.trouble import GAP_S

STORIES_KEPT = 12  # of the last troubles, for who looks for the cause


@dataclass(frozen=True, slots=True)
class DayOptions:
    cabinet: str = "table5"
    seed: int = 1
    hours: float = 1.0
    faults: bool = False
    wire: str = "memory"
    gap_s: int = GAP_S

    @property
    def replay(self) -> str:
        """The command that plays this day again."""
        with_faults = " --faults" if self.faults else ""
        if self.faults and self.gap_s != GAP_S:
            with_faults += f" --gap {self.gap_s}"
        wire = "" if self.wire == "memory" else f" --wire {self.wire}"
        return (
            f"cabinet lab day --seed {self.seed} --hours {self.hours:g}{with_faults} "
            f"--cabinet {self.cabinet}{wire}"
        )


@dataclass(slots=True)
class DayTally:
    """What has happened so far. `problems` ends the day."""

    now_ms: int = 0
    rounds: int = 0
    sessions: int = 0
    checks: int = 0
    notes: int = 0
    tickets: int = 0
    redeemed: int = 0
    handpays: int = 0
    visits: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)  # what cuts of power were in the middle of
    problems: list[str] = field(default_factory=list)
    stories: deque[str] = field(default_factory=lambda: deque(maxlen=STORIES_KEPT))
    digest: str = ""


def clock(ms: int) -> str:
    """A time of the day's own, as hours, minutes, seconds and milliseconds."""
    seconds, rest_ms = divmod(ms, 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest_ms:03}"
