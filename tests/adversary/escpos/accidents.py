"""What goes wrong at the receipt printer of one evening."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from adversary.escpos.unit import EscPosUnit

if TYPE_CHECKING:
    from adversary.escpos.evening import Evening

PRINTER = "printer1"


class Accidents:
    """What goes wrong on one evening, drawn by its seed. Each ends by itself, or when a person comes."""

    def __init__(self, evening: Evening) -> None:
        self.evening, self.dice = evening, evening.dice

    def plan(self) -> None:
        dice, evening = self.dice, self.evening
        for _ in range(dice.randint(1, 4)):
            kind = dice.choice(self.KINDS)
            act = getattr(self, f"_{kind}")
            if dice.random() < 0.75:
                evening.after_order(self._moment(), kind.replace("_", " "), act)
            else:
                evening.at(dice.randint(500, evening.ms), kind.replace("_", " "), act)

    KINDS = (
        "unplug", "dark", "dark", "kill", "kill", "both", "both", "all_three", "paper_ends", "paper_ends",
        "cover", "cover", "cutter", "button", "tap", "hangs", "stalls", "refuses", "swallows", "noise",
        "zeros", "answer", "answer", "silent", "damage", "earlier_host", "dies", "paper_low", "slow_cover",
    )  # fmt: skip

    def _moment(self) -> int:
        """After an order: while it is sent, printed, asked for."""
        return self.dice.choice((self.dice.randint(0, 800), self.dice.randint(0, 9_000)))

    def _soon(self, most_ms: int = 60_000) -> int:
        return self.evening.now_ms + self.dice.choice(
            (self.dice.randint(50, 900), self.dice.randint(900, 8_000), self.dice.randint(8_000, most_ms))
        )

    def _hand(self, do: Callable[[EscPosUnit], None]) -> None:
        self.evening.world.hand(do)

    def _later(self, what: str, do: Callable[[EscPosUnit], None], most_ms: int = 60_000) -> None:
        self.evening.at(self._soon(most_ms), what, lambda: self._hand(do))

    @property
    def now(self) -> int:
        return self.evening.now_ms

    def _unplug(self) -> None:
        evening = self.evening
        evening.world.inject(f"{PRINTER}.unplug", self.now)
        evening.at(self._soon(), "replug", lambda: evening.world.inject(f"{PRINTER}.replug", self.now))

    def _dark(self) -> None:
        evening, word = self.evening, self.dice.random() < 0.5
        evening.world.darken(PRINTER, self.now, lose_bytes=word)
        evening.at(self._soon(), "light", lambda: evening.world.light(PRINTER, self.now))

    def _kill(self) -> None:
        self.evening.kill(self.dice.choice(("keep", "lose")))
        self.evening.at(
            self.now + self.dice.choice((50, 900, self.dice.randint(1_000, 20_000))),
            "start",
            self.evening.start,
        )

    def _dies(self) -> None:
        """In a commit: it is in the journal or not, and nobody has acted on it."""
        fact = self.dice.choice(
            ("TicketIntended", "TicketBegun", "TicketPrinted", "TicketUnknown", "TicketVoided")
        )
        self.evening.die(self.dice.choice(("before", "after")), fact)

    def _both(self) -> None:
        """The unit and the program, in one order or the other."""
        if self.dice.random() < 0.5:
            self._kill()
            self._dark()
        else:
            self._dark()
            self.evening.at(self.now + self.dice.randint(1, 12_000), "kill too", self._kill)

    def _all_three(self) -> None:
        self._unplug()
        self._both()

    def _paper_ends(self) -> None:
        after_mm = self.dice.choice((0.0, self.dice.uniform(1, 120)))
        self._hand(lambda unit: unit.end_paper(self.now, after_mm))
        if self.dice.random() < 0.5:
            self._later("new roll", lambda unit: unit.mend(self.now))

    def _paper_low(self) -> None:
        self._hand(lambda unit: unit.end_paper(self.now, self.dice.uniform(100, 900)))

    def _cover(self) -> None:
        self._hand(lambda unit: unit.open_cover(self.now))
        if self.dice.random() < 0.6:
            self._later("cover shut", lambda unit: unit.shut_cover(self.now))

    def _slow_cover(self) -> None:
        """Opened, shut and opened again."""
        for ms in (0, 700, 1_500, 4_000):
            self.evening.at(self.now + ms, "cover", lambda: self._hand(lambda u: u.open_cover(self.now)))
            shut = self.now + ms + self.dice.randint(30, 600)
            self.evening.at(shut, "shut", lambda: self._hand(lambda u: u.shut_cover(self.now)))

    def _cutter(self) -> None:
        self._hand(lambda unit: setattr(unit, "cutter_stuck", True))

    def _button(self) -> None:
        self._hand(lambda unit: unit.hold_button(self.now, True))
        self._later("button up", lambda unit: unit.hold_button(self.now, False), 120_000)

    def _tap(self) -> None:
        self._hand(lambda unit: unit.hold_button(self.now, True))
        self.evening.at(
            self.now + self.dice.randint(80, 600),
            "tap ends",
            lambda: self._hand(lambda unit: unit.hold_button(self.now, False)),
        )

    def _broken(self, fault: str) -> None:
        self._hand(lambda unit: unit.break_down(self.now, fault))
        if self.dice.random() < 0.5:
            self._later("goes on", lambda unit: unit.go_on(self.now), 150_000)

    def _hangs(self) -> None:
        self._broken("hangs")

    def _stalls(self) -> None:
        self._broken("stalls")

    def _refuses(self) -> None:
        self._broken("refuses")

    def _swallows(self) -> None:
        self._broken("swallows")

    def _noise(self) -> None:
        for _ in range(self.dice.randint(1, 4)):
            self.evening.world.inject(f"{PRINTER}.noise", self.now)

    def _zeros(self) -> None:
        """A break on the line: zero bytes for the printer, wherever they fall."""
        self.evening.damage()
        count = self.dice.randint(1, 12)
        self._hand(lambda unit: unit.receive(bytes(count), self.now))

    def _answer(self) -> None:
        for _ in range(self.dice.randint(1, 3)):
            how = self.dice.choice(("lost", "garbled", "delayed", "split", "glued"))
            self.evening.world.inject(f"{PRINTER}.{how}", self.now)

    def _silent(self) -> None:
        evening = self.evening
        evening.damage(lasts=True)
        evening.world.inject(f"{PRINTER}.silent", self.now)
        evening.at(self._soon(), "heard again", lambda: evening.world.inject(f"{PRINTER}.mend", self.now))

    def _damage(self) -> None:
        """Bytes for the printer are lost or turned over: no check sum tells anybody."""
        self.evening.damage(lasts=True)
        how = self.dice.choice(("lost_request", "garbled_request"))
        self.evening.world.inject(f"{PRINTER}.{how}", self.now)

    def _earlier_host(self) -> None:
        """Answers to questions that nobody of this session has asked."""
        words = (b"\x00", b"\x12", b"\x12\x12\x12\x12", b"_OLD\x00", b"\x10\x00\x00\x0f", b"\x14\x00\x00\x0f")
        for _ in range(self.dice.randint(1, 4)):
            data, ms = self.dice.choice(words), self.dice.randint(0, 3_000)
            self._hand(partial(EscPosUnit.say_anyway, data=data, at_ms=self.now + ms))
