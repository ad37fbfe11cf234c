"""Whether a TCL printer is known to hold no order.

The status names no ticket. Paper of an order that was given up would pass for the ticket ordered after
it, however late it comes. So an order that has gone out and was not seen whole on paper bars the printer,
and so does what a program before this one may have ordered. Only a restart ends that, shown by two frames.

A printer that has restarted by itself in the middle of a ticket may have kept the order over it: no maker
says. Then the restart that counts is one after that, by the driver's reset or by a person's switch.
"""

from __future__ import annotations

from enum import StrEnum

from drivers.ticket_printer.tcl.health import Health
from drivers.ticket_printer.tcl.status import Flag, Status

RESET_AGAIN_MS = 5000  # a printer that has not restarted by then has not heard
RESET_FRESH_MS = 1000  # how old the status may be behind which a reset goes out: no ticket is so quick
BARRED_MS = 10_000  # a printer that has not restarted by then is told as failed
REMEDY = "an order may still be in it: switch it off and on"


class Held(StrEnum):
    """What the printer may hold."""

    NOTHING = "nothing"
    SUSPECTED = "suspected"  # nobody knows what a program before this one has ordered
    KNOWN = "known"  # an order went out and was not seen whole on paper


class Emptiness:
    """See the module. `validation_bit`: the firmware gives all flags, so that a restart must show."""

    def __init__(self, health: Health, *, validation_bit: bool) -> None:
        self._health = health
        self._validation_bit = validation_bit
        self._held = Held.SUSPECTED
        self._reset_ms: int | None = None  # when RESET was sent last for this matter
        self._was_blank = True  # no last template was told when the order was given up
        self._is_old = False  # the restart that the flag tells of may have left the order in it
        self._extended = False  # the last frames have the flag that tells of a restart
        self._asks_for_person = False  # that somebody has to switch it off and on

    def __bool__(self) -> bool:
        """It holds nothing."""
        return self._held is Held.NOTHING

    def begin(self) -> None:
        """A new matter: a RESET that was sent before it says nothing."""
        self._reset_ms = None

    def doubt(self, sure: Status | None) -> None:
        """An order went out and was not seen whole on paper."""
        self._held = Held.KNOWN
        self._was_blank = sure is None or not sure.template.strip()
        self._is_old = sure is not None and sure.has(Flag.POWER_UP)
        self._asks_for_person = False

    def proven(self) -> None:
        self._held = Held.NOTHING
        self._is_old = self._asks_for_person = False
        self._health.bar("")

    def vouched(self) -> None:
        """Somebody has looked. For an order of ours that is enough only where no restart would show, and
        once he was told what to do."""
        shows = self._validation_bit or self._extended or not self._was_blank
        if self._held is Held.SUSPECTED or (self._asks_for_person and not shows):
            self.proven()

    @property
    def waits_for_clear(self) -> bool:
        """The flag of an old restart must go before a new one can show."""
        return self._is_old

    def believe(self, sure: Status, waited_ms: int) -> None:
        """Two frames agree on `sure`; a restart has been waited for so long."""
        self._extended = sure.extended
        if self._is_old and sure.extended and not sure.has(Flag.POWER_UP):
            self._is_old = False
        if self._shows_restart(sure):
            self.proven()
        elif not self and waited_ms >= BARRED_MS:
            self._asks_for_person = True
            self._health.bar(REMEDY)

    def _shows_restart(self, sure: Status) -> bool:
        """A restart since the last order: its flag was seen clear before that one. Firmware without the flag
        has no last template then."""
        if sure.has(Flag.POWER_UP):
            return not self._is_old
        if sure.extended or sure.template.strip():
            return False
        return self._held is Held.SUSPECTED or (self._reset_ms is not None and not self._was_blank)

    def reset_sent(self, now_ms: int) -> None:
        self._reset_ms = now_ms

    def reset_at(self, now_ms: int, status_ms: int) -> int | None:
        """When RESET may go out, if the last status came at `status_ms`; None: not before the next one, for a
        ticket might have begun meanwhile."""
        if now_ms - status_ms > RESET_FRESH_MS:
            return None
        return now_ms if self._reset_ms is None else self._reset_ms + RESET_AGAIN_MS
