"""Whose a state directory is: the board it is kept on and the medium of its second copy.

A storage card that was put into another cabinet, or copied, holds money that is not there. So the journal
file names its board (the serial number that the board itself tells) and its second copy (a number drawn
when the two first met), and a start compares. It is no fact of the chain: two cabinets that play the same
evening have the same digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Owner:
    """`board` "": it tells no serial number. `medium` "": there is no second copy."""

    board: str
    medium: str
    machine_id: int

    @property
    def seal(self) -> bytes:
        """Tells a row that has changed by itself from another owner."""
        text = f"{len(self.board)} {self.board} {self.medium} {self.machine_id}"
        return hashlib.sha256(text.encode()).digest()


def strangers(stored: Owner, board: str, medium: str | None) -> Iterator[str]:
    """What does not belong to the state directory, in words. `medium` None: it could not be asked."""
    if stored.board != board:
        yield f"it was kept on the board {_named(stored.board)}, this one is {_named(board)}"
    if medium is not None and stored.medium and stored.medium != medium:
        was = stored.medium[:8]
        is_now = f"is of the number {medium[:8]}" if medium else "is blank"
        yield f"its second copy is of the number {was}, the one that is fitted {is_now}"


def _named(board: str) -> str:
    return board or "without a serial number"
