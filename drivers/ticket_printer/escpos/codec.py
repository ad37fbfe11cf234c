"""What is said on the line to an ESC/POS receipt printer, the text of a ticket aside (`encoder`).

Two kinds of questions. Real-time ones (``DLE EOT n``) are answered at once, also by a printer that is
off line with paper out or an open cover, and whatever it still has to print. Marks (``GS r 1``, or
``GS ( H`` with a name of our own on newer printers) are read in their place among the print data: the
answer says that everything before the mark has been carried out. So real-time questions say what is
wrong, and marks say what is finished.

Answers carry no length, no checksum and mostly no name. The kinds differ in their fixed bits:

===========================  ==========================================================
``xx1xx10`` (0x93: 0x12)     a real-time status; it does not say which one was asked for
``xx1xx00`` (0x93: 0x10)     automatic status, three more bytes follow; we switch it off
``0xx0xxxx`` (0x90: 0x00)    the answer to a nameless mark
0x5F text 0x00               name of the printer
0x37 0x22 name 0x00          the answer to a mark with a name
0x37 0x25 0x00               buffers are cleared
===========================  ==========================================================

Nothing here knows time. Source: the maker's public command reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from drivers.ticket_printer.common.ticket_text import NUMBER_DIGITS

INITIALIZE = b"\x1b@"  # ends whatever a job before has set; every job begins with it
ASB_OFF = b"\x1da\x00"  # automatic status off: its bytes look like answers to marks
ASK_NAME = b"\x1dIC"
NAMELESS_MARK = b"\x1dr\x01"
CUT = b"\x1dVB\x00"  # feed to the cutter and cut
FEED = b"\x1b2\x1bd\x0c"  # twelve white lines of the usual height
FEED_MM = 45  # at least
BAR_CODE = b"\x1dk\x46"  # Interleaved 2 of 5; its length and digits follow
CLEAR_ERROR = b"\x10\x05\x02"  # clear the buffers and recover from an error
CLEAR_BUFFERS = b"\x10\x14\x08\x01\x03\x14\x01\x06\x02\x08"
#: A printer may wait for the rest of a command whose host has died. Zeros end the longest command that
#: this driver sends, a bar code cannot be completed by them, and between commands they mean nothing.
SPOIL = bytes(32)

#: Real-time questions.
PRINTER, CAUSE, ERROR, PAPER = 1, 2, 3, 4
ALL_QUESTIONS = (PRINTER, CAUSE, ERROR, PAPER)
#: Enough while nothing is wrong: an error or an open cover also takes the printer off line.
FEW_QUESTIONS = (PRINTER, PAPER)

QUESTIONS = ("", "are you on line", "why off line", "which error", "is there paper")  # in words, by number

MARK_NAME = 4  # letters of a mark's name
#: The answer to a nameless mark is one byte, mostly zero, as noise and a break of the line make it. So a
#: nameless mark is three of them, and only three answers close together are one.
NAMELESS_COPIES = 3
_NAME_LIMIT = 40  # letters of a printer's name; more is noise
_XON_XOFF = b"\x11\x13"  # no answer can hold them
_TEXT, _BLOCK, _NAMED, _CLEARED = 0x5F, 0x37, 0x22, 0x25
_NUMBER = re.compile(rb"\d\d(?:-\d{4}){3}(?=-\d{4})|\d{14}(?=\d{4})")


def ask(question: int) -> bytes:
    """A real-time question, 1 to 4."""
    return bytes((0x10, 0x04, question))


def mark(name: str) -> bytes:
    """A mark in its place among the print data. `name` is empty, or four printable letters."""
    if not name:
        return NAMELESS_MARK * NAMELESS_COPIES
    assert len(name) == MARK_NAME
    return b"\x1d(H\x06\x00\x30\x30" + name.encode("ascii")


def bar_code(number: str, height_dots: int, narrow_dots: int) -> bytes:
    """An Interleaved 2 of 5 code without the printer's own line of text (``GS k``, form B)."""
    assert len(number) == NUMBER_DIGITS
    sizes = bytes((0x1D, 0x68, height_dots, 0x1D, 0x77, narrow_dots, 0x1D, 0x48, 0))
    return sizes + BAR_CODE + bytes((len(number),)) + number.encode("ascii")


def bar_code_dots(narrow_dots: int) -> int:
    """The width of an 18-digit code: 152.5 narrow elements where wide ones are 2.5 times as wide."""
    return -(-305 * narrow_dots // 2)


# ---- answers


@dataclass(frozen=True, slots=True)
class StatusReply:
    """A real-time status. Only who asked knows which one."""

    bits: int


@dataclass(frozen=True, slots=True)
class MarkReply:
    """Everything before a mark is carried out. `name` is empty for a nameless one."""

    name: str


@dataclass(frozen=True, slots=True)
class NameReply:
    """What the printer calls itself."""

    text: str


@dataclass(frozen=True, slots=True)
class OtherReply:
    """Something that a printer says and nobody needs: automatic status, cleared buffers."""

    data: bytes


Reply = StatusReply | MarkReply | NameReply | OtherReply


class ReplyReader:
    """Bytes in, answers out. Holds one block at most. Bytes that are no answer are lost and counted."""

    def __init__(self) -> None:
        self.lost_bytes = 0
        self._block = bytearray()

    def flush(self) -> None:
        """Forget a block that was begun: its rest has not come in time."""
        self.lost_bytes += len(self._block)
        self._block.clear()

    def feed(self, data: bytes) -> list[Reply]:
        found: list[Reply] = []
        for byte in data.translate(None, _XON_XOFF):
            reply = self._continue(byte) if self._block else self._begin(byte)
            if reply is not None:
                found.append(reply)
        return found

    def _begin(self, byte: int) -> Reply | None:
        if byte & 0x93 == 0x12:
            return StatusReply(byte)
        if byte & 0x93 == 0x10 or byte in (_TEXT, _BLOCK):
            self._block.append(byte)
        elif byte & 0x90 == 0:
            return MarkReply("")
        else:
            self.lost_bytes += 1
        return None

    def _continue(self, byte: int) -> Reply | None:
        block = self._block
        block.append(byte)
        if block[0] not in (_TEXT, _BLOCK):
            return self._end(OtherReply(bytes(block))) if len(block) == 4 else None
        if byte:
            if not 0x20 <= byte <= 0x7E or len(block) > _NAME_LIMIT:
                self.flush()
            return None
        if block[0] == _TEXT:
            return self._end(NameReply(block[1:-1].decode("ascii")))
        if block[1] == _NAMED and len(block) == 3 + MARK_NAME:
            return self._end(MarkReply(block[2:-1].decode("ascii")))
        if block[1] == _CLEARED:
            return self._end(OtherReply(bytes(block)))
        self.flush()
        return None

    def _end(self, reply: Reply) -> Reply:
        self._block.clear()
        return reply


# ---- what the real-time answers mean


@dataclass(frozen=True, slots=True)
class PrinterStatus:
    """The four real-time answers of one round. 0x12 means that nothing is set."""

    printer: int = 0x12
    cause: int = 0x12
    error: int = 0x12
    paper: int = 0x12

    @property
    def off_line(self) -> bool:
        return bool(self.printer & 0x08)

    @property
    def waits_for_recovery(self) -> bool:
        return bool(self.printer & 0x20)

    @property
    def cover_open(self) -> bool:
        return bool(self.cause & 0x04)

    @property
    def fed_by_button(self) -> bool:
        return bool((self.cause & 0x08) or (self.printer & 0x40))

    @property
    def stopped_by_paper(self) -> bool:
        return bool(self.cause & 0x20)

    @property
    def paper_end(self) -> bool:
        return bool(self.paper & 0x60)

    @property
    def near_end(self) -> bool:
        return bool(self.paper & 0x0C)

    @property
    def error_of_any_kind(self) -> bool:
        return bool(self.cause & 0x40)

    @property
    def recoverable(self) -> bool:
        return bool(self.error & 0x04)

    @property
    def cutter(self) -> bool:
        return bool(self.error & 0x08)

    @property
    def unrecoverable(self) -> bool:
        return bool(self.error & 0x20)

    @property
    def too_hot(self) -> bool:
        return bool(self.error & 0x40)

    @property
    def steady(self) -> tuple[int, int, int, int]:
        """What two rounds must agree on: the drawer's contact and the feed button say nothing."""
        return self.printer & 0x28, self.cause & 0x64, self.error & 0x6C, self.paper & 0x6C

    def meaning(self) -> str:
        """For people: what is set, in words."""
        words = {
            "off line": self.off_line,
            "cover open": self.cover_open,
            "fed by button": self.fed_by_button,
            "stopped by paper end": self.stopped_by_paper,
            "error": self.error_of_any_kind,
            "waits for recovery": self.waits_for_recovery,
            "recoverable error": self.recoverable,
            "cutter": self.cutter,
            "unrecoverable error": self.unrecoverable,
            "head too hot": self.too_hot,
            "paper near its end": self.near_end,
            "paper end": self.paper_end,
        }
        return ", ".join(word for word, is_set in words.items() if is_set) or "ready"


def masked(command: bytes) -> bytes:
    """A print job without the number of a ticket that is not redeemed: the last four digits stay."""
    return _NUMBER.sub(lambda found: re.sub(rb"\d", b"x", found[0]), command)


def wording(data: bytes, sent: bool) -> str:
    """What a frame of the line means, for the service page."""
    if not sent:
        return ", ".join(_reply_word(reply) for reply in ReplyReader().feed(data)) or "not an answer"
    if data[:2] == b"\x10\x04" and len(data) == 3:
        return QUESTIONS[data[2]]
    if data == SPOIL:
        return "end a command that was broken off"
    if data.startswith((CLEAR_ERROR, CLEAR_BUFFERS)):
        return "clear the buffers"
    if INITIALIZE in data:
        return "print a ticket"
    if FEED in data:
        return "feed white paper, and say when it has stopped"
    return "have you done everything"


def _reply_word(reply: Reply) -> str:
    match reply:
        case StatusReply(bits=bits):
            return f"status {bits:02X}"
        case MarkReply(name=name):
            return f"done so far {name}".rstrip()
        case NameReply(text=text):
            return text
        case OtherReply(data=data):
            return "buffers cleared" if data[0] == _BLOCK else "automatic status"
