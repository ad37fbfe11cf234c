"""The line to an ID-003 device: port, frames, one request at a time, the log and the counters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from drivers.bill_validator.id003.codec import Command, Decoder, Id003Message, frame, masked, meaning
from drivers.bill_validator.id003.document import Want
from drivers.bill_validator.id003.setup import SetupStep
from drivers.device import Frame
from drivers.link import OpenLink, Port, PortHappening, SerialSettings
from drivers.protocol.exchange import Exchange, ReplyVerdict
from drivers.protocol.framelog import FrameLog

GAP_MS = 10  # from an answer to the next request: the device turns its line around
REST_MS = 200  # after a missed answer; a late one is thrown away


class RequestKind(StrEnum):
    POLL = "poll"
    VERSION = "version"
    TABLE = "table"
    RESET = "reset"
    STEP = "step"
    INHIBIT = "inhibit"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Request:
    """What an answer will belong to."""

    kind: RequestKind
    step: SetupStep | None = None
    want: Want | None = None


class Line:
    """``hear(request, message)`` says whether the message answers the request; what does not is
    dropped. ``lapse(request, final)`` tells of each attempt that was not answered."""

    def __init__(
        self,
        settings: SerialSettings,
        open_link: OpenLink,
        *,
        answer_ms: int,
        hear: Callable[[Request, Id003Message], bool],
        lapse: Callable[[Request, bool], None],
    ) -> None:
        self.port = Port(settings, open_link)
        self._hear = hear
        self._lapse = lapse
        self._decoder = Decoder()
        self._exchange: Exchange[Request] = Exchange(answer_ms=answer_ms, gap_ms=GAP_MS, rest_ms=REST_MS)
        self._log = FrameLog(meaning)
        self._polls = self._answered = self._no_answer = self._resent = self._stale = 0

    @property
    def is_open(self) -> bool:
        return self.port.is_open

    def open(self, now_ms: int) -> tuple[PortHappening, ...]:
        """Open the port if it is time to. What was heard before belongs to the past."""
        happenings = self.port.tick(now_ms)
        if happenings:
            self._decoder.give_up()
        return happenings

    def read(self, now_ms: int) -> bool:
        """Take in what has come. False if nothing has."""
        data = self.port.read()
        if not data:
            return False
        for message in self._decoder.feed(data):
            self._receive(message, now_ms)
        return True

    def _receive(self, message: Id003Message, now_ms: int) -> None:
        self._log.add(now_ms, False, masked(message))
        request = self._exchange.request
        if request is not None and self._hear(request, message):
            self._answered += 1
            self._exchange.finish(now_ms)
        else:
            self._stale += 1

    def keep_time(self, now_ms: int) -> None:
        """Deal with an answer that did not come."""
        exchange = self._exchange
        due_ms = exchange.wake_at
        if due_ms is None or now_ms < due_ms:
            return
        if exchange.overdue(now_ms):
            for message in self._decoder.give_up():  # noise may have hidden the answer
                self._receive(message, now_ms)
        request = exchange.request
        match exchange.tick(now_ms):
            case ReplyVerdict.RESEND:
                self._resent += 1
                self._write(exchange.data, now_ms)
                exchange.sent_again(now_ms)
            case ReplyVerdict.NO_ANSWER | ReplyVerdict.GIVEN_UP as verdict:
                assert request is not None
                self._no_answer += 1
                self._lapse(request, verdict is ReplyVerdict.GIVEN_UP)
            case _:
                pass

    def free(self, now_ms: int) -> bool:
        return self.port.is_open and not self._exchange.busy and now_ms >= self._exchange.free_at

    def due(self, next_at: Callable[[], int]) -> int | None:
        """When to tick, if ``next_at`` tells when the next request is wanted."""
        port, exchange = self.port, self._exchange
        port_at = port.wake_at
        if not port.is_open:
            return port_at
        at = exchange.wake_at
        if at is None:
            at = max(exchange.free_at, next_at())
        return at if port_at is None else min(at, port_at)

    def ask(self, request: Request, data: bytes, now_ms: int, attempts: int = 1) -> None:
        if request.kind is RequestKind.POLL:
            self._polls += 1
        self._exchange.begin(request, data, now_ms, attempts)
        self._write(data, now_ms)

    def acknowledge(self, now_ms: int) -> None:
        """ACK is the one frame that has no answer."""
        self._exchange.one_way(now_ms)
        self._write(frame(Command.ACK), now_ms)

    def _write(self, data: bytes, now_ms: int) -> None:
        self.port.write(data)
        self._log.add(now_ms, True, data)

    def drop(self) -> None:
        """Nobody waits for an answer any more."""
        self._exchange.drop()

    def frames(self) -> Sequence[Frame]:
        return self._log.frames()

    def statistics(self) -> Mapping[str, int]:
        return {
            "polls": self._polls,
            "answered": self._answered,
            "no_answer": self._no_answer,
            "resent": self._resent,
            "stale": self._stale,
            "bad_checksum": self._decoder.bad_checksums,
            "lost_bytes": self._decoder.lost_bytes,
        }
