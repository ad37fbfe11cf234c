"""The line to any ticket printer: a port that is polled, given up when it is silent, and counted.

No printer acknowledges an order, so each driver keeps the line alive with questions of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from drivers.device import Frame
from drivers.link import OpenLink, Port, PortHappening, PortOpened
from drivers.protocol.framelog import FrameLog
from drivers.ticket_printer.common.options import PrinterOptions

BITS_PER_BYTE = 10  # start, eight data, stop

H = TypeVar("H")


class PrinterLine(ABC, Generic[H]):
    """`listen` first, then say what is to be said, once in a tick. `heard`: what the last `listen` found."""

    def __init__(
        self, options: PrinterOptions, open_link: OpenLink, meaning: Callable[[bytes, bool], str]
    ) -> None:
        self.waiting = True  # something is expected of the printer
        self.heard: list[H] = []
        self.moved = False  # the last `listen` has found something that may change what is known
        self.held_back = ""  # why the printer, and not the line, is what fails; "" if it is the line
        self.statistics = {"polls": 0, "answered": 0, "bad_checksum": 0, "no_answer": 0, "resent": 0}
        self._options = options
        settings = options.settings()
        self._port = Port(settings, open_link)
        self._baud = settings.baud
        self._log = FrameLog(meaning)
        self._free_ms = 0  # before this the line carries what was written last
        self._heard_ms = 0  # from when on silence counts

    @property
    def is_open(self) -> bool:
        return self._port.is_open

    @property
    def pending(self) -> int:
        return self._port.pending

    @property
    @abstractmethod
    def lost_bytes(self) -> int:
        """Bytes that belonged to nothing."""

    def counters(self) -> Mapping[str, int]:
        return {**self.statistics, "lost_bytes": self.lost_bytes}

    def fileno(self) -> int | None:
        return self._port.fileno()

    def frames(self) -> Sequence[Frame]:
        return self._log.frames()

    def close(self) -> None:
        self._port.close()

    def reopen(self, why: str) -> None:
        """Drop what is still to be sent and open the port again."""
        self._port.reopen(why)

    def line_ms(self, size: int) -> int:
        """How long so many bytes are on the wire, rounded up."""
        return -(-size * BITS_PER_BYTE * 1000 // self._baud)

    def listen(self, now_ms: int) -> tuple[PortHappening, ...]:
        """What happened to the port; what has come is in `heard`."""
        happenings = self._port.tick(now_ms)
        for happening in happenings:
            if isinstance(happening, PortOpened):
                self._opened(now_ms)
        data = self._port.read()
        self.moved = bool(data)
        self.heard = self._take(data, now_ms) if data else []
        return happenings

    @abstractmethod
    def _opened(self, now_ms: int) -> None:
        """A new connection: what was heard and asked before belongs to the past."""

    @abstractmethod
    def _take(self, data: bytes, now_ms: int) -> list[H]:
        """Bytes have come: what they say."""

    @abstractmethod
    def hurry(self, now_ms: int) -> None:
        """Something is expected now: poll at the waiting pace from here on."""

    @property
    def _silence_ms(self) -> int:
        return self._options.silence_waiting_ms if self.waiting else self._options.silence_idle_ms

    @property
    def _poll_every_ms(self) -> int:
        return self._options.poll_waiting_ms if self.waiting else self._options.poll_idle_ms

    def _is_silent(self, now_ms: int) -> bool:
        """Nothing has been heard for too long: then the port has been given up."""
        if now_ms < self._heard_ms + self._silence_ms:
            return False
        self.reopen(f"no answer for {self._silence_ms} ms on port {self._port.settings.port}")
        return True
