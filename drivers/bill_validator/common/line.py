"""The line to a validator: port, frames, one request at a time, the log and the counters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from drivers.device import Frame
from drivers.link import OpenLink, Port, PortHappening, SerialSettings
from drivers.protocol.exchange import Exchange, ReplyVerdict
from drivers.protocol.framelog import FrameLog

R = TypeVar("R")
M = TypeVar("M")


class FrameDecoder(Protocol[M]):
    """Bytes in, messages out (see `drivers.bill_validator.id003.codec`)."""

    lost_bytes: int
    bad_checksums: int

    def feed(self, data: bytes) -> list[M]: ...
    def give_up(self) -> list[M]: ...


@dataclass(frozen=True, slots=True)
class LineTiming:
    """In milliseconds."""

    answer: int  # how long an answer is waited for
    gap: int  # from an answer to the next request: the device turns its line around
    rest: int  # after a missed answer; a late one is thrown away


class ValidatorLine(Generic[R, M]):
    """``hear(request, message)`` says whether the message answers the request; what does not is
    dropped. ``lapse(request, final)`` tells of each attempt that was not answered."""

    def __init__(
        self,
        settings: SerialSettings,
        open_link: OpenLink,
        *,
        timing: LineTiming,
        decoder: FrameDecoder[M],
        meaning: Callable[[bytes, bool], str],
        masked: Callable[[M], bytes],
        hear: Callable[[R, M], bool],
        lapse: Callable[[R, bool], None],
    ) -> None:
        """`meaning(frame, sent)` and `masked(message)`: the words and the bytes that a technician may see."""
        self.port = Port(settings, open_link)
        self._hear = hear
        self._lapse = lapse
        self._masked = masked
        self._decoder = decoder
        self._exchange: Exchange[R] = Exchange(
            answer_ms=timing.answer, gap_ms=timing.gap, rest_ms=timing.rest
        )
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

    def _receive(self, message: M, now_ms: int) -> None:
        self._log.add(now_ms, False, self._masked(message))
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

    def poll(self, request: R, data: bytes, now_ms: int) -> None:
        self._polls += 1
        self.ask(request, data, now_ms)

    def ask(self, request: R, data: bytes, now_ms: int, attempts: int = 1) -> None:
        self._exchange.begin(request, data, now_ms, attempts)
        self._write(data, now_ms)

    def tell(self, data: bytes, now_ms: int) -> None:
        """A frame that has no answer."""
        self._exchange.one_way(now_ms)
        self._write(data, now_ms)

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
