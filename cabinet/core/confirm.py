"""Acts about money wait for the key itself: when turning it off and on again counts as "yes".

The four menu buttons are a player's own buttons. So they choose an act and never complete it: the screen
says what would be recorded, as a sentence, and whoever has the key turns it off and on again. The rule:

* The sentence has been on the screen for `SHOWN_MS` when the key is turned off, and for `WAITS_MS` at most.
* The key stays off for `OFF_LEAST_MS` at least. A shorter gap is a bad contact and counts as none.
* It is on again within `OFF_MOST_MS`. Until then the page stays and the table stands still; afterwards the
  key counts as turned off.
* The act is still possible and its sentence has not changed: another amount, or a matter that somebody else
  has settled, withdraws it. So do BACK, another key and a new start.

What is confirmed is judged once more at that moment (`money_acts.says`) and carried out once.
"""

from __future__ import annotations

from typing import Final

import msgspec

PAGE: Final = "confirm"
SHOWN_MS: Final = 1_000
WAITS_MS: Final = 30_000
OFF_LEAST_MS: Final = 300
OFF_MOST_MS: Final = 5_000


class Confirming(msgspec.Struct, frozen=True):
    """`says`: what would be recorded and what follows from it. `back`, `cursor`: where the menu was."""

    order: tuple[str, ...]
    says: tuple[str, str]
    back: tuple[str, ...]
    cursor: int
    since_ms: int
    off_ms: int | None = None  # when the key was turned off

    def may_turn_off(self, timed_ms: int) -> bool:
        """The sentence could be read: a key that is turned off now asks for the act. `timed_ms`: up to where
        time has had its effect; behind a slow commit the page was not on the screen yet."""
        return self.off_ms is None and timed_ms >= self.since_ms + SHOWN_MS

    def in_time(self, at_ms: int) -> bool:
        """A key that is on again at `at_ms` can still mean yes."""
        return self.off_ms is not None and at_ms - self.off_ms <= OFF_MOST_MS

    def bounced(self, at_ms: int) -> bool:
        """The key was off for so short a time that nobody has turned it."""
        return self.off_ms is not None and at_ms - self.off_ms < OFF_LEAST_MS

    @property
    def ends_ms(self) -> int:
        """When it is withdrawn by time."""
        return self.since_ms + WAITS_MS if self.off_ms is None else self.off_ms + OFF_MOST_MS + 1
