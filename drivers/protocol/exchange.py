"""One request in flight: when to wait, when to send again, when to give up.

Sans-io: the owner writes the bytes and reads the answers. Protocols without sequence numbers
cannot tell a late answer from the answer to the next request, so after an unanswered request the
line rests for ``rest_ms`` and what comes meanwhile is nobody's answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

R = TypeVar("R")


def next_beat(now_ms: int, every_ms: int) -> int:
    """The next beat of a clock that all lines of a program share, at least half a period from now: lines
    that are polled equally often are polled together, and the loop wakes up once for all of them."""
    beat_ms = now_ms - now_ms % every_ms + every_ms
    return beat_ms if 2 * (beat_ms - now_ms) >= every_ms else beat_ms + every_ms


class ReplyVerdict(Enum):
    WAIT = auto()  # nothing is due
    RESEND = auto()  # rested: send ``data`` again and call ``sent_again``
    NO_ANSWER = auto()  # the deadline of one attempt has passed; said once per attempt
    GIVEN_UP = auto()  # the deadline of the last attempt has passed: nothing is in flight any more


@dataclass(slots=True)
class _Flight(Generic[R]):
    request: R
    data: bytes
    attempts_left: int
    deadline_ms: int
    rest_until_ms: int | None = None  # set between two attempts


class Exchange(Generic[R]):
    """The one request in flight. ``R`` is the owner's own description of a request."""

    def __init__(self, *, answer_ms: int, gap_ms: int, rest_ms: int) -> None:
        self.answer_ms = answer_ms  # how long to wait for an answer
        self.gap_ms = gap_ms  # from an answer to the next request
        self.rest_ms = rest_ms  # from a missed deadline to the next request
        self.free_at = 0  # no request before this
        self._flight: _Flight[R] | None = None

    @property
    def request(self) -> R | None:
        """What an answer would belong to; None while the line is free or rests."""
        flight = self._flight
        return None if flight is None or flight.rest_until_ms is not None else flight.request

    @property
    def data(self) -> bytes:
        """The bytes of the request that is under way."""
        assert self._flight is not None
        return self._flight.data

    @property
    def busy(self) -> bool:
        return self._flight is not None

    @property
    def wake_at(self) -> int | None:
        flight = self._flight
        if flight is None:
            return None
        return flight.deadline_ms if flight.rest_until_ms is None else flight.rest_until_ms

    def begin(self, request: R, data: bytes, now_ms: int, attempts: int = 1) -> None:
        """``data`` goes out now."""
        assert self._flight is None, "one request at a time"
        self._flight = _Flight(request, data, attempts - 1, now_ms + self.answer_ms)

    def one_way(self, now_ms: int) -> None:
        """Bytes that have no answer went out now."""
        self.free_at = now_ms + self.gap_ms

    def finish(self, now_ms: int) -> None:
        """The answer has come."""
        self._flight = None
        self.free_at = now_ms + self.gap_ms

    def drop(self) -> None:
        """The line is gone."""
        self._flight = None
        self.free_at = 0

    def overdue(self, now_ms: int) -> bool:
        """The answer should have come by now."""
        flight = self._flight
        return flight is not None and flight.rest_until_ms is None and now_ms >= flight.deadline_ms

    def tick(self, now_ms: int) -> ReplyVerdict:
        flight = self._flight
        if flight is None:
            return ReplyVerdict.WAIT
        if flight.rest_until_ms is not None:
            return ReplyVerdict.RESEND if now_ms >= flight.rest_until_ms else ReplyVerdict.WAIT
        if now_ms < flight.deadline_ms:
            return ReplyVerdict.WAIT
        self.free_at = now_ms + self.rest_ms
        if flight.attempts_left == 0:
            self._flight = None
            return ReplyVerdict.GIVEN_UP
        flight.rest_until_ms = self.free_at
        return ReplyVerdict.NO_ANSWER

    def sent_again(self, now_ms: int) -> None:
        assert self._flight is not None
        self._flight.attempts_left -= 1
        self._flight.rest_until_ms = None
        self._flight.deadline_ms = now_ms + self.answer_ms
