"""What a TCL ticket printer says: its status frames.

``*S|unit|version|F1|F2|F3|F4|F5|Pt|*``, or with F1 to F3 alone. The flags are one byte each, 0x40
plus six bits, so a flag can look like a delimiter: 0x7C is ``|`` (busy, error, head up and paper
out, which is what a printer says when its door is opened on the last sheet) and 0x5E is ``^``. A
frame is read by position, never by splitting.

Nothing here knows time. Sources: public programs that read these printers; where they disagree the
flag says so and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum


class Flag(Enum):
    """A status bit as (flag byte 1 to 5, bit). `mask` is its place in `Status.bits`."""

    def __init__(self, byte: int, bit: int) -> None:
        self.mask = bit << 8 * (byte - 1)

    BUSY = (1, 0x20)
    SYSTEM_ERROR = (1, 0x10)  # a summary that some firmware never takes back: decides nothing
    HEAD_UP = (1, 0x08)
    PAPER_OUT = (1, 0x04)
    HEAD_ERROR = (1, 0x02)
    VOLTAGE = (1, 0x01)
    TEMPERATURE = (2, 0x20)
    LIBRARY_REFERENCE = (2, 0x10)
    REGION_DATA = (2, 0x08)
    LIBRARY_LOAD = (2, 0x04)
    BUFFER_OVERFLOW = (2, 0x02)
    JOB_MEMORY = (2, 0x01)
    COMMAND_ERROR = (3, 0x20)
    LIBRARY_CORRUPT = (3, 0x10)
    CHUTE = (3, 0x08)  # paper stands in the chute
    FLASH = (3, 0x04)
    OFF_LINE = (3, 0x02)
    NO_INDEX = (3, 0x01)  # wrong paper, or its index mark was not found
    JOURNAL = (4, 0x08)
    CUTTER = (4, 0x04)  # also said by models without a cutter
    JAM = (4, 0x02)
    PAPER_LOW = (4, 0x01)
    VALIDATION_DONE = (5, 0x20)  # the bar code is on paper; stays until the next ticket or CLEAR
    TOP_OF_FORM = (5, 0x10)  # good or bad according to whom one asks: decides nothing
    XOFF = (5, 0x08)
    DRAWER_OPEN = (5, 0x04)
    BAR_CODE_READ = (5, 0x02)
    POWER_UP = (5, 0x01)  # the printer has restarted; stays until CLEAR


@dataclass(frozen=True, slots=True)
class Status:
    """One status frame. `flags` holds three or five bytes, `template` what was printed last."""

    version: str
    flags: bytes
    template: str
    raw: bytes = b""
    bits: int = field(init=False, repr=False, compare=False)  # all flags as one number

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", int.from_bytes(self.flags, "little"))

    @property
    def extended(self) -> bool:
        """Whether F4 and F5 are known."""
        return len(self.flags) == 5

    def has(self, flag: Flag) -> bool:
        """Whether `flag` is set; a flag that this frame does not carry is not."""
        return bool(self.bits & flag.mask)

    def without(self, flag: Flag) -> Status:
        """The same with `flag` clear."""
        if not self.has(flag):
            return self
        bits = self.bits & ~flag.mask
        return replace(self, flags=bits.to_bytes(len(self.flags), "little"))

    def any_of(self, flags: Sequence[Flag]) -> Flag | None:
        """The first of `flags` that is set."""
        bits = self.bits
        for flag in flags:
            if bits & flag.mask:
                return flag
        return None

    def meaning(self) -> str:
        """For people: the set bits by name, and the last template."""
        names = [flag.name.lower() for flag in Flag if self.has(flag)] or ["idle"]
        return f"P{self.template}: " + ", ".join(names)


FRAME_START = b"*S|"
UNIT_LIMIT = 4
VERSION_LIMIT = 24
TEMPLATE_LIMIT = 16
FRAME_LIMIT_BYTES = 64  # the longest frame that fits the limits above; longer is noise
_PIPE, _STAR, _P = b"|"[0], b"*"[0], b"P"[0]
XON, XOFF = b"\x11", b"\x13"
_XON_XOFF = XON + XOFF  # never part of a frame


class _IncompleteError(Exception):
    """The frame may still become one."""


class _BrokenError(Exception):
    """This is no frame, whatever comes."""


def mask_of(flags: Iterable[Flag]) -> int:
    """All of `flags` as they stand in `Status.bits`."""
    return sum({flag.mask for flag in flags})


class Agreed:
    """What two frames in a row agree on. A frame has no checksum, so a bit that one frame alone shows
    is not believed, whether it is set or clear. Frames of three flags and of five are two stories."""

    def __init__(self) -> None:
        self._last: dict[bool, Status] = {}
        self._sure: dict[bool, Status] = {}

    def hear(self, status: Status) -> Status | None:
        """Take the next frame; give back what is sure now, None before two frames were alike."""
        kind = status.extended
        last, sure = self._last.get(kind), self._sure.get(kind)
        self._last[kind] = status
        if last is None or (sure is None and last.bits != status.bits):
            return None
        if last.bits == status.bits and last.template == status.template:
            sure = status
        elif sure is None:
            return None
        else:
            changing = last.bits ^ status.bits
            bits = (status.bits & ~changing) | (sure.bits & changing)
            template = status.template if last.template == status.template else sure.template
            sure = Status(status.version, bits.to_bytes(len(status.flags), "little"), template)
        self._sure[kind] = sure
        return sure


class StatusReader:
    """Bytes in, status frames out, through noise, gluing and splitting. Holds one frame at most."""

    def __init__(self) -> None:
        self.lost_bytes = 0
        self.stopped = False  # XOFF was the last word
        self._buffer = bytearray()
        self._last: Status | None = None

    def feed(self, data: bytes) -> list[Status]:
        if not data:
            return []
        if XOFF in data or self.stopped:
            last = max(data.rfind(XON), data.rfind(XOFF))
            self.stopped = data.endswith(XOFF) or (self.stopped and last < 0 and b"*" not in data)
        self._buffer += data.translate(None, _XON_XOFF)
        # An idle printer says the same again and again. No frame is the beginning of another one.
        if self._last is not None and self._last.raw.startswith(self._buffer):
            if len(self._buffer) < len(self._last.raw):
                return []
            self._buffer.clear()
            return [self._last]
        found: list[Status] = []
        while True:
            self._drop(self._next_start())
            if len(self._buffer) < len(FRAME_START):
                return found
            try:
                status = _parse(self._buffer)
            except _IncompleteError:
                return found
            except _BrokenError:
                self._drop(1)
                continue
            found.append(status)
            self._last = status
            del self._buffer[: len(status.raw)]

    def _next_start(self) -> int:
        """Where the next frame may begin: at a whole start, or at one that is cut off at the end."""
        at = self._buffer.find(FRAME_START)
        if at >= 0:
            return at
        for size in (2, 1):
            if self._buffer.endswith(FRAME_START[:size]):
                return len(self._buffer) - size
        return len(self._buffer)

    def _drop(self, count: int) -> None:
        self.lost_bytes += count
        del self._buffer[:count]


def _parse(buffer: bytearray) -> Status:
    """The frame at the beginning of `buffer`, which starts with FRAME_START."""
    _, at = _text(buffer, len(FRAME_START), UNIT_LIMIT)
    version, at = _text(buffer, at, VERSION_LIMIT)
    flags = bytearray()
    for _ in range(3):
        flags.append(_flag(buffer, at))
        at += 2
    if not _is_tail(buffer, at):
        for _ in range(2):
            flags.append(_flag(buffer, at))
            at += 2
    if _byte(buffer, at) != _P:
        raise _BrokenError
    template, at = _text(buffer, at + 1, TEMPLATE_LIMIT)
    if _byte(buffer, at) != _STAR:
        raise _BrokenError
    return Status(version, bytes(flags), template, bytes(buffer[: at + 1]))


def _is_tail(buffer: bytearray, at: int) -> bool:
    """Whether the last template stands here, and not a fourth flag.

    ``P|`` can be both: a flag 0x50, or a template without a name, and then the frame ends.
    """
    if _byte(buffer, at) != _P:
        return False
    return _byte(buffer, at + 1) != _PIPE or _byte(buffer, at + 2) == _STAR


def _byte(buffer: bytearray, at: int) -> int:
    if at >= len(buffer):
        raise _IncompleteError
    return buffer[at]


def _flag(buffer: bytearray, at: int) -> int:
    value = _byte(buffer, at)
    if not 0x40 <= value <= 0x7F or _byte(buffer, at + 1) != _PIPE:
        raise _BrokenError
    return value


def _text(buffer: bytearray, at: int, limit: int) -> tuple[str, int]:
    """Printable text up to a ``|``, and where it goes on behind that."""
    for end in range(at, at + limit + 1):
        value = _byte(buffer, end)
        if value == _PIPE:
            return buffer[at:end].decode("ascii"), end + 1
        if not 0x20 <= value <= 0x7E or value == _STAR:
            raise _BrokenError
    raise _BrokenError
