"""Which faults a device has now, so that each is raised once and cleared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from drivers.device import DeviceEvent, Fault, FaultCleared, FaultRaised


class FaultBook:
    """``emit`` receives the events. A fault whose detail changes is cleared and raised again."""

    def __init__(self, device: str, emit: Callable[[DeviceEvent], None]) -> None:
        self._device = device
        self._emit = emit
        self.raised: dict[Fault, str] = {}  # with their details; to read

    def __contains__(self, fault: Fault) -> bool:
        return fault in self.raised

    def __bool__(self) -> bool:
        return bool(self.raised)

    def raise_(self, fault: Fault, detail: str, now_ms: int) -> None:
        if self.raised.get(fault) == detail:
            return
        self.clear(fault, now_ms)
        self.raised[fault] = detail
        self._emit(FaultRaised(self._device, now_ms, fault, detail))

    def keep(self, fault: Fault, detail: str, now_ms: int) -> None:
        """Raise it unless it is already raised, whatever its detail says (details with a duration)."""
        if fault not in self.raised:
            self.raise_(fault, detail, now_ms)

    def clear(self, fault: Fault, now_ms: int) -> None:
        if self.raised and self.raised.pop(fault, None) is not None:
            self._emit(FaultCleared(self._device, now_ms, fault))

    def set(self, fault: Fault, detail: str | None, now_ms: int) -> None:
        """It is there now with this detail, or (None) it is not."""
        if detail is None:
            self.clear(fault, now_ms)
        else:
            self.raise_(fault, detail, now_ms)

    def only(self, fault: Fault | None, detail: str, among: Iterable[Fault], now_ms: int) -> None:
        """Of the faults ``among``, exactly this one (or none) is there now."""
        for other in among:
            if other is not fault:
                self.clear(other, now_ms)
        if fault is not None:
            self.raise_(fault, detail, now_ms)
