"""Whether an ID-003 validator takes documents: as the owner wishes, as told, and as confirmed."""

from __future__ import annotations

from collections.abc import Callable

from drivers.bill_validator.id003_setup import ACCEPT, INHIBIT
from drivers.device import DeviceEvent, ValidatorEnabled

TELL_AGAIN_MS = 1000
CONTRADICTIONS = 3  # idle polls that deny what was told: tell it again
IMPLAUSIBLE = 6  # it says "accepting" though inhibited: perhaps we talk to ourselves
CONTRADICTED = 40  # ever after: tell it again after as many polls


class Acceptance:
    """The inhibit setting. ``told`` is what the device has echoed, None if it must be told anew."""

    def __init__(self, device: str, emit: Callable[[DeviceEvent], None]) -> None:
        self.wanted = False  # the owner's accept()
        self.told: bool | None = None
        self.tell_at = 0
        self._device = device
        self._emit = emit
        self._confirmed: bool | None = None
        self._contradictions = 0

    def forget(self) -> None:
        """The device has lost its settings, or is gone."""
        self.told = self._confirmed = None
        self._contradictions = 0

    def telling(self, allowed: bool, now_ms: int) -> bytes:
        """Data of the setting that is sent now; not again for a while."""
        self.tell_at = now_ms + TELL_AGAIN_MS
        return ACCEPT if allowed else INHIBIT

    def echoed(self, data: bytes) -> None:
        self.told = data == ACCEPT
        self.tell_at = 0  # a new wish is told at once

    def confirm(self, enabled: bool, now_ms: int) -> bool:
        """An idle status. False if it is so implausible that the line should be proven again."""
        if enabled is not self._confirmed:
            self._confirmed = enabled
            self._emit(ValidatorEnabled(self._device, now_ms, enabled))
        if self.told is None or enabled is self.told:
            self._contradictions = 0
            return True
        self._contradictions += 1
        if self._contradictions == CONTRADICTIONS or self._contradictions % CONTRADICTED == 0:
            self.told = None
        return not (enabled and self._contradictions == IMPLAUSIBLE)
