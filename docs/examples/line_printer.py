"""A worked example: the driver of a slip printer that takes lines of text and answers one letter.

Its protocol: the host sends lines ended by CR LF and a form feed at the end of a slip; it asks with
ENQ (0x05) and is answered ``R`` (ready), ``B`` (printing), ``D`` (the slip is out; said until the
next slip begins) or ``P`` (no paper). The letter D is the only proof that a slip is out, so a slip
that has begun and is never proven ends UNKNOWN, and a person is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from drivers.device import (
    DeviceEvent,
    Fault,
    Frame,
    PrinterReady,
    TicketDone,
    TicketFields,
    TicketOutcome,
    TicketStarted,
)
from drivers.link import Port, SerialSettings
from drivers.protocol.faults import FaultBook
from drivers.registry import Io
from drivers.tables import TableModel

ENQ, FORM_FEED = b"\x05", b"\x0c"
GIVE_UP_MS = 20_000


class Options(TableModel, frozen=True, kw_only=True):
    """The keys of the device's table besides ``driver`` and ``seats``."""

    port: Annotated[str, Meta(pattern=r"^/dev/.+", description="the path of a serial port")]
    poll_ms: Annotated[int, Meta(ge=50, le=2000)] = 250


def create(name: str, options: Options, io: Io) -> LinePrinter:
    return LinePrinter(name, options, io)


class LinePrinter:
    """See the module. One slip at a time; exactly one TicketDone per order."""

    def __init__(self, name: str, options: Options, io: Io) -> None:
        self.name = name
        self._port = Port(SerialSettings(options.port, 9600), io.open_link)
        self._poll_ms = options.poll_ms
        self._next_ms = 0
        self._events: list[DeviceEvent] = []
        self._faults = FaultBook(name, self._tell)
        self._ready = False
        self._ref = 0  # of the slip in work
        self._asked_only = False  # it was ordered before a restart
        self._started = False
        self._until_ms: int | None = None

    @property
    def wake_at(self) -> int | None:
        return self._next_ms

    def fileno(self) -> int | None:
        return self._port.fileno()

    def tick(self, now_ms: int) -> Sequence[DeviceEvent]:
        self._port.tick(now_ms)
        for letter in self._port.read():
            self._hear(chr(letter), now_ms)
        if now_ms >= self._next_ms:
            self._next_ms = now_ms + self._poll_ms
            self._port.write(ENQ)
        if self._ref and self._until_ms is None:
            self._until_ms = now_ms + GIVE_UP_MS
        elif self._until_ms is not None and now_ms >= self._until_ms:
            self._done(TicketOutcome.UNKNOWN, now_ms, "the printer never said that the slip is out")
        told, self._events = self._events, []
        return told

    def _tell(self, event: DeviceEvent) -> None:
        self._events.append(event)

    def _hear(self, letter: str, now_ms: int) -> None:
        paper_out = letter == "P"
        self._faults.only(Fault.PAPER_OUT if paper_out else None, "no paper", (Fault.PAPER_OUT,), now_ms)
        if self._ref and letter == "B" and not self._started:
            self._started = True
            self._tell(TicketStarted(self.name, now_ms, self._ref))
        elif self._ref and letter == "D" and (self._started or self._asked_only):
            self._done(TicketOutcome.PRINTED, now_ms)
        elif self._ref and paper_out and not self._started and not self._asked_only:
            self._done(TicketOutcome.NOT_STARTED, now_ms, "no paper")
        ready = letter in "RD" and not self._ref
        if ready != self._ready:
            self._ready = ready
            self._tell(PrinterReady(self.name, now_ms, ready))

    def _done(self, outcome: TicketOutcome, now_ms: int, detail: str = "") -> None:
        self._tell(TicketDone(self.name, now_ms, self._ref, outcome, detail))
        self._ref, self._started, self._asked_only, self._until_ms = 0, False, False, None

    # ---- orders

    def print_ticket(self, ref: int, ticket: TicketFields) -> None:
        self._ref = ref
        lines = (ticket.establishment, ticket.title, ticket.validation, ticket.words_1, ticket.figures)
        slip = "\r\n".join(lines).encode("ascii", "replace")
        self._port.write(slip + b"\r\n" + FORM_FEED)

    def inquire(self, ref: int) -> None:
        self._ref, self._asked_only = ref, True

    def release(self) -> None:
        """Nothing to clear: the letter D goes away with the next slip."""

    def recorded(self, ref: int) -> None:
        """The same."""

    def clear_fault(self) -> None:
        """Paper is seen by the printer itself."""

    def close(self) -> None:
        self._port.close()

    def frames(self) -> Sequence[Frame]:
        return ()

    def statistics(self) -> Mapping[str, int]:
        return {}
