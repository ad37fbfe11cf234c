"""How an ESC/POS printer shows that it holds nothing more to print.

Marks are answered in their place, so the answer to a mark that was sent last says that all is done. A
mark with a name is known again. Nameless ones are not: a ticket of a host that has died has marks too, and
their answers may still come. A ticket has fewer marks than one of our volleys, and between its marks the
printer prints; so a whole volley of answers with silence behind it can only be ours.

Before the first ticket of a connection it also has to show what its answers are worth (`trial`).
"""

from __future__ import annotations

from drivers.ticket_printer.escpos import codec as escpos_codec
from drivers.ticket_printer.escpos.trial import Trial

VOLLEY = 20  # answers to nameless marks; a ticket has 4 times 3, and 3 to confirm
QUIET_MS = 250  # behind the last answer
AGAIN_MS = 2000  # a volley of which an answer was lost


class Sync:
    """One attempt after the other until it is done; `lost` and `begin` start again."""

    def __init__(self, *, named: bool, identify: bool) -> None:
        self._named = named
        self._identify = identify
        self._model: str | None = None
        self._serial = 0
        self._sent_ms: int | None = None  # the last volley
        self._again_ms = 0  # no volley before this
        self._answers = 0
        self._last_ms: int | None = None  # the last answer
        self._trial = Trial(named=named)
        self._tries = False  # the trial ran when it was judged last

    def begin(self, now_ms: int) -> None:
        self._trial.stop()
        self._tries = False
        self._sent_ms = self._last_ms = None
        self._answers = 0
        self._again_ms = now_ms

    def lost(self, *, printer: bool = False) -> None:
        """Something else was sent: what was shown is no longer true. `printer`: another one may stand
        there, or it has not done what it should, so that its answers are worth nothing either."""
        self.begin(0)
        if printer:
            self._trial.lost()

    @property
    def unfit(self) -> bool:
        """Its answers prove nothing. It is asked again only after `lost`."""
        return self._trial.unfit

    @property
    def reads_ahead(self) -> bool:
        """What it has answered among the lines of a ticket may not be on paper yet."""
        return self._trial.ahead

    def judge(self, now_ms: int) -> bool:
        """Time has passed; call it after all that was heard. True if a trial has ended. What a bad one has
        left behind is waited for as anything else is."""
        self._trial.judge(now_ms)
        ended = self._tries and not self._trial.runs
        if ended:
            self._tries = False
            if not self._trial.fit:
                self.begin(now_ms)
        return ended

    def identified(self, text: str) -> bool:
        """The printer has told its name. True if it is another than before."""
        changed, self._model = text != self._model, text
        return changed

    def mark(self, name: str, now_ms: int) -> None:
        if self._trial.runs:
            self._trial.mark(name, now_ms)
        elif not self._misses(name):
            self._answers += 1
            self._last_ms = now_ms

    def _misses(self, name: str) -> bool:
        return self._sent_ms is None or (self._named and name != self._name())

    def done(self, now_ms: int) -> bool:
        """Whether it takes a ticket now. Then the owner stops asking, until it begins again."""
        return self._trial.fit and not self._trial.runs and self.empty(now_ms)

    def empty(self, now_ms: int) -> bool:
        """Whether it has shown that it holds nothing."""
        if self._last_ms is None or self._answers < (1 if self._named else VOLLEY):
            return False
        return self._named or now_ms >= self._last_ms + QUIET_MS

    @property
    def due_ms(self) -> int | None:
        """When there is something to do or to judge."""
        if self._trial.runs:
            return self._trial.due_ms
        if self._last_ms is not None and self._answers >= VOLLEY:
            return self._last_ms + QUIET_MS
        return self._again_ms

    def wanted(self, now_ms: int, *, tried: bool) -> bytes:
        """What is to be sent now. `tried`: it has to show what its answers are worth, too."""
        if self._trial.runs:
            return b""
        if tried and not self._trial.fit and self.empty(now_ms):
            self._tries = True
            return self._trial.begin(now_ms)
        if now_ms < self._again_ms or self._answers >= VOLLEY:
            return b""
        self._serial = self._serial % 999 + 1
        self._sent_ms = now_ms
        self._again_ms = now_ms + AGAIN_MS
        self._answers = 0
        self._last_ms = None
        name = escpos_codec.ASK_NAME if self._identify and self._model is None else b""
        marks = escpos_codec.mark(self._name()) if self._named else escpos_codec.NAMELESS_MARK * VOLLEY
        return escpos_codec.ASB_OFF + name + marks

    def _name(self) -> str:
        return f"s{self._serial:03d}"
