"""The generator of the field program: kernel bytes, watched on their way to the cards.

Every byte that a card is made of has gone through the health tests first. One failure, of a test
or of the source itself, is final: the generator gives nothing more until the program is started
again and its start-up tests pass. The decider makes the tilt F04 of it.
"""

from __future__ import annotations

from cabinet.core.turn import DrawError
from cabinet.rng.health import START_BYTES, StreamHealth
from cabinet.rng.selftest import known_answers
from cabinet.rng.source import Source, kernel, read, uniform

NOT_TESTED = "the random number generator has not been tested yet"
FINAL = "; only a new start tests it again"  # said after every other trouble


class Generator:
    """`draw(n)` for the decider. ``draw(1)`` takes no byte: it asks whether cards can be drawn."""

    def __init__(self, source: Source = kernel) -> None:
        self._source = source
        self._health = StreamHealth()
        self.trouble = NOT_TESTED  # why it gives nothing; "" while it works

    @property
    def bytes_seen(self) -> int:
        """How many bytes the health tests have looked at."""
        return self._health.seen

    def start(self) -> str:
        """The start-up tests: known answers of our own code, then 1024 bytes of the source that are
        looked at and thrown away. The trouble, or "". Only the first call can make it ready."""
        if self.trouble == NOT_TESTED:
            text = self._tested()
            self.trouble = text and text + FINAL
        return self.trouble

    def _tested(self) -> str:
        wrong = [check.name for check in known_answers() if not check.good]
        if wrong:
            return f"self-test failed: {', '.join(wrong)}"
        try:
            return self._health.feed(read(START_BYTES, self._source))
        except DrawError as error:
            return str(error)

    def __call__(self, n: int) -> int:
        """A uniform integer 0..n-1. Raises DrawError, and from then on always."""
        if self.trouble:
            raise DrawError(self.trouble)
        try:
            return uniform(n, self.take)
        except DrawError as error:
            raise self._over(str(error)) from error

    def take(self, count: int) -> bytes:
        """The next bytes of the source, as cards are made of them. Raises DrawError, and from then on
        always: bytes that raise an alarm are given to nobody."""
        if self.trouble:
            raise DrawError(self.trouble)
        try:
            data = read(count, self._source)
        except DrawError as error:
            raise self._over(str(error)) from error
        if self._health.feed(data):
            raise self._over(self._health.alarm)
        return data

    def _over(self, text: str) -> DrawError:
        """From here on nothing is given; the first trouble is the one that is told."""
        self.trouble = self.trouble or text + FINAL
        return DrawError(self.trouble)
