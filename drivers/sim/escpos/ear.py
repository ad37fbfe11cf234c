"""How a simulated ESC/POS printer cuts the bytes from its host into commands.

Real-time commands are heard wherever they stand, even inside the data of another command: there they are
data as well, so a careless host both gets an answer and spoils its own bar code. Between commands they are
taken out. Everything else is one command after the other, each of a length that its first bytes tell.
This decoder shares no code with the driver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ESC, GS, DLE = 0x1B, 0x1D, 0x10
EOT, ENQ, DC4 = 0x04, 0x05, 0x14
LF = 0x0A
ITF = 0x46
_CLEAR = bytes((DLE, DC4, 8, 1, 3, 20, 1, 6, 2, 8))
#: Bytes behind ESC x and GS x.
_AFTER_ESC = {0x40: 0, 0x32: 0} | dict.fromkeys(b"!EGM-ad{t3JcV", 1)
_AFTER_GS = dict.fromkeys(b"!BHafhrwIb", 1) | dict.fromkeys(b"LWP", 2)


@dataclass(frozen=True, slots=True)
class RealTime:
    """``status`` with a question 1 to 4, ``recover`` with 1 or 2, or ``clear``."""

    what: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class HeardCommand:
    """``text``, or a command by its letters, e.g. ``ESC @`` or ``GS k``, with what stands behind them."""

    what: str
    data: bytes = b""
    size: int = 0  # in the buffer


class Ear:
    """Bytes in; real-time and other commands out. Holds the beginning of one command."""

    def __init__(self) -> None:
        self._open = bytearray()  # a command that is not whole
        self._real_time = bytearray()  # what may become a real-time command

    @property
    def waiting(self) -> int:
        """Bytes of a command that is not whole."""
        return len(self._open)

    def forget(self) -> None:
        """Power is gone, or the buffers are cleared."""
        self._open.clear()
        self._real_time.clear()

    def hear(self, data: bytes) -> list[RealTime | HeardCommand]:
        """What is whole now, in its order."""
        heard: list[RealTime | HeardCommand] = []
        for byte in data:
            self._real_time.append(byte)
            found = _real_time(self._real_time)
            if found is not None:
                heard.append(found)
                if not self._open:  # inside a command they are its data as well
                    self._real_time.clear()
            elif _may_become_one(self._real_time):
                continue
            kept = bytes(self._real_time)
            self._real_time.clear()
            if found is None and len(kept) > 1 and kept[-1] == DLE:
                self._real_time.append(DLE)  # another one may begin here
                kept = kept[:-1]
            for one in kept:
                self._open.append(one)
                self._cut_into(heard)
        return heard

    def _cut_into(self, heard: list[RealTime | HeardCommand]) -> None:
        """Take whole commands off the beginning."""
        while self._open and (parsed := self._parse()) is not None:
            command, used = parsed
            del self._open[:used]
            if command is not None:
                heard.append(command)

    def _parse(self) -> tuple[HeardCommand | None, int] | None:
        """The command at the beginning and its bytes; None if more has to come."""
        data = self._open
        first = data[0]
        if first == LF:
            return HeardCommand("LF", size=1), 1
        if 0x20 <= first <= 0x7E or first >= 0x80:
            return HeardCommand("text", bytes(data[:1]), 1), 1
        if first not in (ESC, GS):
            return None, 1  # NUL and other controls mean nothing here
        if len(data) < 2:
            return None
        if first == ESC:
            return self._of(f"ESC {chr(data[1])}", 2 + _AFTER_ESC.get(data[1], 0))
        match data[1]:
            case 0x6B:  # GS k: bar code
                return self._bar_code()
            case 0x28:  # GS (: a length stands behind the letter
                return None if len(data) < 5 else self._of("GS (", 5 + data[3] + 256 * data[4])
            case 0x56:  # GS V: cut, with a feed or without
                return None if len(data) < 3 else self._of("GS V", 4 if data[2] in (65, 66) else 3)
            case letter:
                return self._of(f"GS {chr(letter)}", 2 + _AFTER_GS.get(letter, 0))

    def _of(self, what: str, size: int) -> tuple[HeardCommand, int] | None:
        if len(self._open) < size:
            return None
        return HeardCommand(what, bytes(self._open[2:size]), size), size

    def _bar_code(self) -> tuple[HeardCommand | None, int] | None:
        """An Interleaved 2 of 5 code. At the first byte that is no digit the command is over and that byte
        begins something else."""
        data = self._open
        if len(data) < 4:
            return None
        if data[2] != ITF:
            return None, 3
        digits = data[4 : 4 + data[3]]
        for place, digit in enumerate(digits):
            if not 0x30 <= digit <= 0x39:
                return None, 4 + place
        return self._of("GS k", 4 + data[3])


def _real_time(held: Sequence[int]) -> RealTime | None:
    match tuple(held):
        case (0x10, 0x04, number) if 1 <= number <= 4:
            return RealTime("status", number)
        case (0x10, 0x05, number) if number in (1, 2):
            return RealTime("recover", number)
        case whole if bytes(whole) == _CLEAR:
            return RealTime("clear")
    return None


def _may_become_one(held: Sequence[int]) -> bool:
    seen = bytes(held)
    return _CLEAR.startswith(seen) or seen in (bytes((DLE, EOT)), bytes((DLE, ENQ)))
