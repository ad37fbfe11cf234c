"""A validator as its owner sees it: the life of the device and its orders.

``ValidatorSession`` is the conversation, which each protocol has its own of, ``NoteDesk`` the record of the
document, ``ValidatorLine`` the port and the one request in flight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drivers.bill_validator.common.session import ValidatorSession
from drivers.device import DeviceEvent, Frame, OpenDocument


class Validator:
    """A BillValidator (see drivers.device). `events`: where the session puts what has happened."""

    def __init__(self, name: str, port: str, session: ValidatorSession, events: list[DeviceEvent]) -> None:
        self.name = name
        self.port = port  # for the service page
        self.wake_at: int | None = 0
        self._events = events
        self._session = session
        self._line = session.line

    # ---- the life of a device

    def fileno(self) -> int | None:
        return self._line.port.fileno()

    def close(self) -> None:
        self._line.port.close()
        self.wake_at = None

    def frames(self) -> Sequence[Frame]:
        return self._line.frames()

    def statistics(self) -> Mapping[str, int]:
        return self._line.statistics()

    def tick(self, now_ms: int) -> Sequence[DeviceEvent]:
        line, session = self._line, self._session
        session.now_ms = now_ms
        happenings = line.open(now_ms)
        if happenings:
            session.port_changed(happenings)
        heard = line.read(now_ms)
        if not heard and line.port.is_open and self.wake_at is not None and now_ms < self.wake_at:
            return ()
        session.tick()
        if not line.port.is_open and (happenings := line.open(now_ms)):
            session.port_changed(happenings)  # it failed just now
        self.wake_at = line.due(session.next_at)
        if not self._events:
            return ()
        events = tuple(self._events)
        self._events.clear()
        return events

    # ---- orders of the owner

    def adopt(self, document: OpenDocument | None) -> None:
        self._session.adopt(document)
        self._wake()

    def accept(self, enabled: bool, change: int = 0) -> None:
        session = self._session
        if session.accept.wish(enabled, change):
            session.desk.inhibited = not enabled
            self._wake()

    def stack(self) -> None:
        self._session.desk.stack(self._session.now_ms)
        self._wake()

    def give_back(self) -> None:
        self._session.desk.give_back(self._session.now_ms)
        self._wake()

    def acknowledge(self) -> None:
        self._session.desk.acknowledge(self._session.now_ms)
        self._wake()

    def reset(self) -> None:
        self._session.reset()
        self._wake()

    def _wake(self) -> None:
        """An order was given: the next tick carries it out."""
        if self.wake_at is not None:
            self.wake_at = min(self.wake_at, self._session.now_ms)
