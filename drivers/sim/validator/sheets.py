"""What goes through a simulated validator: notes, tickets, and piles of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

PILE_PAPERS = 400  # of the papers that passed: more than anybody looks at


@dataclass(frozen=True, slots=True)
class Sheet:
    """A note or a ticket. ``code`` is None for paper that the device does not know."""

    cents: int
    currency: str = "USD"
    code: int | None = None
    digits: str = ""  # of a ticket
    flaw: int = 0  # reject reason of bad paper


@dataclass(slots=True)
class Pile:
    """Papers that passed, all of them counted and the last of them kept."""

    count: int = 0
    cents: int = 0
    tickets: int = 0
    last: deque[Sheet] = field(default_factory=lambda: deque(maxlen=PILE_PAPERS))

    def append(self, paper: Sheet) -> None:
        self.count += 1
        self.cents += paper.cents
        self.tickets += bool(paper.digits)
        self.last.append(paper)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Sheet]:
        """The last of them, oldest first."""
        return iter(self.last)
