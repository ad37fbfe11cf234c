"""Paper that waits to be taken out of a ticket printer."""

from __future__ import annotations

from collections.abc import Callable

from drivers.device import DeviceEvent, Fault, TicketPresented, TicketTaken
from drivers.protocol.faults import FaultBook


class Chute:
    """Paper that waits to be taken. A printer without the sensor never shows any, and a hand may be quicker
    than the sensor is read: then a printed ticket is held to be taken after `not_taken_ms`."""

    def __init__(
        self, device: str, emit: Callable[[DeviceEvent], None], book: FaultBook, not_taken_ms: int
    ) -> None:
        self._device = device
        self._emit = emit
        self._book = book
        self._not_taken_ms = not_taken_ms
        self._since_ms: int | None = None
        self._unseen_ms: int | None = None  # a ticket was printed and has not been seen in the chute since

    @property
    def deadline_ms(self) -> int | None:
        if self._unseen_ms is not None:
            return self._unseen_ms + self._not_taken_ms
        if self._since_ms is None or Fault.TICKET_NOT_TAKEN in self._book:
            return None
        return self._since_ms + self._not_taken_ms

    def printed(self, now_ms: int) -> None:
        """A ticket is printed: it must show in the chute, if anybody can see it there."""
        if self._since_ms is None:
            self._unseen_ms = now_ms

    def watch(self, occupied: bool, now_ms: int) -> None:
        if occupied and self._since_ms is None:
            self._since_ms, self._unseen_ms = now_ms, None
            self._emit(TicketPresented(self._device, now_ms))
        elif not occupied and self._since_ms is not None:
            self._since_ms = None
            self._book.clear(Fault.TICKET_NOT_TAKEN, now_ms)
            self._emit(TicketTaken(self._device, now_ms))

    def wait(self, now_ms: int) -> None:
        if self._unseen_ms is not None and now_ms - self._unseen_ms >= self._not_taken_ms:
            self._unseen_ms = None
            self._emit(TicketTaken(self._device, now_ms))
        if self._since_ms is not None and now_ms - self._since_ms >= self._not_taken_ms:
            self._book.keep(Fault.TICKET_NOT_TAKEN, f"for {self._not_taken_ms // 1000} s", now_ms)
