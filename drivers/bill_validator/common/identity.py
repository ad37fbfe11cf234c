"""What a validator says that it is, and whether such a one may take money here."""

from __future__ import annotations

from collections.abc import Callable

from drivers.device import DeviceEvent, Identified


class Identity:
    """`allowed`: how the texts begin of those that may take money; empty: any."""

    def __init__(self, device: str, emit: Callable[[DeviceEvent], None], allowed: tuple[str, ...]) -> None:
        self.wrong = ""  # why it may take nothing, whatever it says of itself
        self._device = device
        self._emit = emit
        self._allowed = allowed
        self._text = ""

    def tell(self, text: str, now_ms: int) -> None:
        """It has told its name and firmware: told on, not judged."""
        if text and text != self._text:
            self._text = text
            self._emit(Identified(self._device, now_ms, text))

    def judge(self, text: str, now_ms: int) -> None:
        """The same at the end of a setup."""
        self.tell(text, now_ms)
        self.wrong = ""
        if self._allowed and not text.startswith(self._allowed):
            self.wrong = f"its firmware is {text or 'not told'}; allowed: {', '.join(self._allowed)}"

    def forget(self) -> None:
        """Another device may be at the end of the line."""
        self._text = self.wrong = ""
