"""Driver for bill validators that speak JCM ID-003: UBA, iVizion, WBA, Vega and others.

``Session`` holds the conversation, ``NoteDesk`` the record of the document, ``Line`` the port and the
one request in flight, ``codec`` the frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drivers.bill_validator.id003.options import Options
from drivers.bill_validator.id003.session import Session
from drivers.device import DeviceEvent, Frame, OpenDocument
from drivers.registry import Io

__all__ = ["Id003", "Options", "create"]


def create(name: str, options: Options, io: Io) -> Id003:
    return Id003(name, options, io)


class Id003:
    """A BillValidator (see drivers.device)."""

    def __init__(self, name: str, options: Options, io: Io) -> None:
        self.name = name
        self.port = options.port  # for the service page
        self.wake_at: int | None = 0
        self._events: list[DeviceEvent] = []
        self._session = Session(name, options, io.open_link, self._events.append)
        self._line = self._session.line

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
        """The device itself says what is open, and goes on saying it."""

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
