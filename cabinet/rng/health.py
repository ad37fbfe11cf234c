"""Continuous health tests of the bytes from which cards are made.

Repetition count and adaptive proportion are those of NIST SP 800-90B 4.4 for one byte a sample, a
claimed entropy of 8 bits a byte (the kernel's output is conditioned) and alpha = 2**-30. They see
sources that repeat a value. Four tests of our own see what those two are blind to or slow for: a
period of 1, 2, 4, 8 or 16 bytes, a bit that does not move, a value or a bit that comes too often.

How likely a perfect source is to raise an alarm (docs/rng.md has the sum for a year):

    repetition      2**-32   a byte           blocks       2**-128  a block of 16
    proportion      2**-28.2 a window of 512  stuck bit    2**-60   a block of 64
    value           2**-32.9 a window of 512  bit balance  2**-30.9 a window of 512
"""

from __future__ import annotations

WINDOW = 512  # samples; SP 800-90B 4.4.2 for sources of more than two values
REPETITIONS = 5  # 1 + 30 / 8: so many equal bytes in a row are an alarm
PROPORTION = 16  # 1 + critbinom(512, 2**-8, 1 - 2**-30): the first byte of a window, so often in it
VALUE = 19  # any one value so often in a window: 256 * P(Binomial(512, 1/256) >= 19) = 2**-32.9
BALANCE = 74  # ones of any bit in a window this far from 256: 16 * P(Binomial(512, 1/2) <= 182) = 2**-30.9
BLOCK = 16  # bytes; two equal blocks in a row are an alarm
STUCK = 64  # bytes; in every block of so many each bit must be 0 once and 1 once
START_BYTES = 1024  # SP 800-90B 4.3: so many must pass before the first one is used

_WINDOW_MASKS = tuple(int.from_bytes(bytes([1 << bit]) * WINDOW) for bit in range(8))
_STUCK_MASKS = tuple(int.from_bytes(bytes([1 << bit]) * STUCK) for bit in range(8))


class StreamHealth:
    """The tests on one stream of bytes. The first alarm is the last word: nothing takes it back."""

    def __init__(self) -> None:
        self.alarm = ""  # what was found, in words; "" while all is well
        self.seen = 0  # bytes so far
        self._last = -1
        self._run = 0
        self._counts = [0] * 256  # of the window
        self._window = bytearray()
        self._block = b""  # the one before

    def feed(self, data: bytes) -> str:
        """Look at the next bytes of the stream, as far as the first alarm. The alarm, or ""."""
        window = self._window
        for byte in data:
            if self.alarm:
                break
            self.seen += 1
            window.append(byte)
            if byte != self._last:
                self._last, self._run = byte, 1
            else:
                self._run += 1
                if self._run >= REPETITIONS:
                    self._raise(f"repetition: one byte came {self._run} times in a row")
            self._counts[byte] = count = self._counts[byte] + 1
            if count >= PROPORTION:
                self._often(byte, count)
            if not len(window) % BLOCK:
                self._blocks()
        return self.alarm

    def _often(self, byte: int, count: int) -> None:
        """SP 800-90B counts the first value of a window; we also count the others, with a higher limit."""
        if byte == self._window[0]:
            self._raise(f"proportion: the first of at most {WINDOW} bytes came {count} times")
        elif count >= VALUE:
            self._raise(f"value: one of at most {WINDOW} bytes came {count} times")

    def _blocks(self) -> None:
        """Sixteen bytes more are complete, perhaps 64, perhaps the window."""
        window = self._window
        block = bytes(window[-BLOCK:])
        if block == self._block:
            self._raise(f"blocks: the same {BLOCK} bytes came twice")
        self._block = block
        if not len(window) % STUCK:
            bits = int.from_bytes(window[-STUCK:])
            if any(bits & mask in (0, mask) for mask in _STUCK_MASKS):
                self._raise(f"stuck bit: one bit of {STUCK} bytes never changed")
        if len(window) == WINDOW:
            bits = int.from_bytes(window)
            off = max(abs((bits & mask).bit_count() - WINDOW // 2) for mask in _WINDOW_MASKS)
            if off >= BALANCE:
                self._raise(f"balance: one bit of {WINDOW} bytes was set {off} times too often or too seldom")
            window.clear()
            self._counts = [0] * 256

    def _raise(self, text: str) -> None:
        """The first one stands."""
        self.alarm = self.alarm or f"{text}, at byte {self.seen}"
