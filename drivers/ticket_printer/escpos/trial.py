"""Finding out whether an ESC/POS printer answers a mark when the paper has come, or when it has read it.

The maker's reference says that ``GS r`` is carried out in its place among the print data, and not that the
paper stands still by then. Many printers wait for the paper, some read a few lines ahead and wait only at a
cut, and some answer all they have received in a moment: what those answer proves no paper at all. No
status tells them apart. Time does: a mark, some white paper, another mark. No head prints so quickly that the
second answer may follow the first before the paper can have moved.

A printer passes when the second answer is *seen to be missing* at that moment. So a program that was slow to
listen proves nothing, either way, and the trial is made again. One that fails with white paper alone is tried
with a cut behind it, as every ticket has one; a printer that fails that too is unfit.

Behind a line that delays answers for longer than the paper takes, an unfit printer would pass if it delayed
one answer and not the other.
"""

from __future__ import annotations

from drivers.ticket_printer.escpos import codec as escpos_codec
from drivers.ticket_printer.escpos.codec import NAMELESS_COPIES

QUICKEST_MM_S = 500  # the quickest receipt printers print 350 mm in a second
MOVES_MS = escpos_codec.FEED_MM * 1000 // QUICKEST_MM_S
WITHOUT_CUT, ATTEMPTS = 2, 5  # answers that came too early: so many without a cut; so many in all
OVER_MS = 10_000  # an attempt of which an answer was lost
BEFORE, BEHIND = "t000", "t001"


class Trial:
    """One attempt after the other, each at a printer that has shown that it holds nothing."""

    def __init__(self, *, named: bool) -> None:
        self._named = named
        self.ahead = False  # it reads ahead of its paper, and waits at a cut
        self.fit = False  # it has shown that its answers follow the paper
        self.unfit = False  # it has shown that they do not
        self._early = 0  # attempts with an answer before its time
        self._sent_ms: int | None = None  # the present attempt
        self._before_ms: int | None = None  # when its first mark was answered
        self._moved = False  # the second answer was missing when the paper cannot have moved yet
        self._copies = 0

    def lost(self) -> None:
        """Another printer may stand there, or it has not done what it should: what was shown is not true any
        more."""
        self.fit = self.unfit = False
        self._early = 0
        self.stop()

    def stop(self) -> None:
        """The present attempt says nothing."""
        self._sent_ms = self._before_ms = None
        self._moved = False
        self._copies = 0

    @property
    def runs(self) -> bool:
        return self._sent_ms is not None

    @property
    def due_ms(self) -> int | None:
        """When there is something to judge although nothing is heard."""
        if self._before_ms is not None and not self._moved:
            return self._before_ms + MOVES_MS
        return None if self._sent_ms is None else self._sent_ms + OVER_MS

    def begin(self, now_ms: int) -> bytes:
        """What is to be sent."""
        self.stop()
        self._sent_ms = now_ms
        cut = escpos_codec.CUT if self.ahead or self._early >= WITHOUT_CUT else b""
        first, second = (BEFORE, BEHIND) if self._named else ("", "")
        return escpos_codec.mark(first) + escpos_codec.FEED + cut + escpos_codec.mark(second)

    def mark(self, name: str, now_ms: int) -> None:
        """A mark was answered, or one of the copies of a nameless one."""
        if not self.runs or (self._named and name not in (BEFORE, BEHIND)):
            return
        self._copies += 1
        if self._before_ms is not None and not self._moved:
            late = now_ms >= self._before_ms + MOVES_MS  # nobody has listened when it counted
            self.stop()
            if not late:
                self._early += 1
                self.unfit = self._early >= ATTEMPTS
        elif self._named or self._copies == NAMELESS_COPIES:
            self._copies = 0
            if self._before_ms is None:
                self._before_ms = now_ms
            else:
                self.fit, self._early = True, 0
                self.stop()

    def judge(self, now_ms: int) -> None:
        """Time has passed; call it after all that was heard."""
        if self._sent_ms is not None and now_ms >= self._sent_ms + OVER_MS:
            self.stop()
        elif self._before_ms is not None and now_ms >= self._before_ms + MOVES_MS and not self._moved:
            self._moved = True
            self.ahead = self.ahead or self._early >= WITHOUT_CUT
