"""Whether a validator takes documents: as the owner wishes, as told, and as confirmed."""

from __future__ import annotations

from collections.abc import Callable

from drivers.device import DeviceEvent, ValidatorEnabled

TELL_AGAIN_MS = 1000
CONTRADICTIONS = 3  # idle polls that deny what was told: tell it again
IMPLAUSIBLE = 6  # it says "accepting" though inhibited: perhaps we talk to ourselves
CONTRADICTED = 40  # ever after: tell it again after as many polls
# Idle polls after the echo that prove an inhibit. A note that was on its way in when the order came shows up
# in one of them, also in a unit whose status is a poll behind.
PROOFS = 2


class Acceptance:
    """The inhibit setting. ``setting`` is what the device has taken, None if it must be told again."""

    def __init__(self, device: str, emit: Callable[[DeviceEvent], None]) -> None:
        self.wanted = False  # the owner's accept(), with its number
        self.setting: bool | None = None
        self.invites = True  # it may draw a document in, as far as we know
        self.tell_at = 0
        self._device = device
        self._emit = emit
        self._change = 0
        self._confirmed: bool | None = None
        self._proofs = 0  # polls that say "inhibited" since it was told so
        self._contradictions = 0

    def wish(self, enabled: bool, change: int) -> bool:
        """The owner's accept(). True if it is another wish than the last one."""
        if (enabled, change) == (self.wanted, self._change):
            return False
        self.wanted, self._change = enabled, change
        self.doubt()
        return True

    def doubt(self) -> None:
        """Something was drawn in, or may have been: an inhibit has to be proven again."""
        self._proofs = 0

    def forget(self) -> None:
        """The device has lost its settings, or is gone."""
        self.setting = self._confirmed = None
        self.invites = True
        self._proofs = self._contradictions = 0

    def telling(self, allowed: bool, now_ms: int) -> None:
        """The setting is sent now; not again for a while. Until it is confirmed nobody knows which is in
        force."""
        self.tell_at = now_ms + TELL_AGAIN_MS
        self.setting = None
        self.invites = self.invites or allowed
        self.doubt()

    def taken(self, allowed: bool) -> None:
        """The device has taken the setting."""
        self.setting = allowed
        self.tell_at = 0  # a new wish is told at once

    def confirm(self, enabled: bool, now_ms: int) -> bool:
        """An idle status. False if it is so implausible that the line should be proven again."""
        if enabled or self.wanted:
            self._proofs = 0
            if enabled is not self._confirmed:
                self._confirmed = enabled
                self._emit(ValidatorEnabled(self._device, now_ms, enabled))
        elif self.setting is False:
            self._prove(now_ms)
        if self.setting is None or enabled is self.setting:
            self._contradictions = 0
            return True
        self._contradictions += 1
        if self._contradictions == CONTRADICTIONS or self._contradictions % CONTRADICTED == 0:
            self.setting = None
        return not (enabled and self._contradictions == IMPLAUSIBLE)

    def _prove(self, now_ms: int) -> None:
        """It was told to take nothing, and says that it does not."""
        self._proofs += 1
        if self._proofs == PROOFS:
            self._confirmed = self.invites = False
            self._emit(ValidatorEnabled(self._device, now_ms, False, self._change))
