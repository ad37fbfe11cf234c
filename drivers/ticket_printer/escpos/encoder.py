"""Words a ticket for ESC/POS printers. The only importer of python-escpos, which is used as an encoder.

The library collects bytes; nothing of it opens a port or reads a status. Its own serial class waits a
second for each answer, takes left-over bytes for one and says that a silent printer has plenty of paper,
so line and status are this project's own (`line`, `codec`).

What it would decide by itself is decided here: the code page is fixed (left alone it picks one for each
letter, and not every printer has it), only ASCII is sent, and the bar code is worded by `codec`,
because the library's own falls back on a picture where its data base knows no better, and talks on stdout.

The ticket, from the leading edge on: number, house, title; bar code and number; amount in figures and in
words, date and time, ticket, machine, seat, expiry; cut. It is made in parts, with a mark behind each of
them: a printer that has answered all marks has carried out all parts.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from drivers.device import TicketFields
from drivers.ticket_printer.common.ticket_text import (
    TicketRefusedError,
    checked_number,
    grouped,
    is_plain,
    plain,
)
from drivers.ticket_printer.escpos import codec as escpos_codec

HOW_TO_INSTALL = "it needs the library python-escpos: pip install 'common-hand-cabinet[escpos]'"
CODE_PAGE = "CP437"  # page 0 of every printer; only its ASCII half is used
BAR_CODE_HEIGHT_DOTS = 100
NARROW_DOTS = (3, 2)  # of the bar code, the widest that fits; a code that does not fit is not printed at all
QUIET_NARROW = 10  # white beside the code, in narrow elements
PARTS = 4
LINE_MM, BAR_CODE_MM = 3, 12  # the least that a line of letters and the code take of the paper

_MARGIN_COLUMNS = 2  # of a house's name, a title, an amount
#: Everything else is money or evidence: printed as ordered or not at all.
_PLACES = ("establishment", "street", "city", "title", "machine", "seat")
_EVIDENCE = ("date", "time", "ticket_no", "words_1", "words_2", "figures", "expiry")


class UnfitProfileError(ValueError):
    """No ticket can be printed with this profile, or the library is not there."""


@dataclass(frozen=True, slots=True)
class PaperWidth:
    """What the library's data base knows of a printer. `columns` are letters of font A."""

    columns: int
    width_dots: int


@cache
def _library() -> Any:
    """The library. Loading it takes a third of a second on a PC, so it is done when a driver is made.

    While it loads it asks the environment for a folder and a file of its own, unpickles what it finds there
    and writes there. So it loads without any environment, and what is removed afterwards is the empty folder
    that it has just made. It also sets up logging, which nobody here uses.
    """
    loaded = sys.modules.get("escpos.capabilities")
    try:
        with _no_environment():
            from escpos import capabilities, printer
    except ModuleNotFoundError as error:
        raise UnfitProfileError(HOW_TO_INSTALL) from error
    except OSError as error:
        what = f"{error.filename or 'a temporary folder'}: {error.strerror or error}"
        raise UnfitProfileError(f"the library python-escpos cannot be loaded ({what})") from error
    if capabilities is not loaded:
        with contextlib.suppress(OSError):
            shutil.rmtree(capabilities.pickle_dir)
    return printer


@contextlib.contextmanager
def _no_environment() -> Iterator[None]:
    """Nothing that is imported inside sees an environment variable, not even through `tempfile`. No child is
    started meanwhile, and the real environment is not touched."""
    environment, folder = os.environ, tempfile.tempdir
    empty: Any = {}
    os.environ, tempfile.tempdir = empty, None
    try:
        yield
    finally:
        os.environ, tempfile.tempdir = environment, folder


def paper_of(profile: str) -> PaperWidth:
    """Raises UnfitProfileError: unknown, without a size, or too narrow for the bar code of a ticket."""
    library = _library()
    try:
        found = library.Dummy(profile=profile).profile.profile_data
    except KeyError as error:
        raise UnfitProfileError("the library knows no such printer") from error
    columns, width = found["fonts"]["0"]["columns"], found["media"]["width"].get("pixels")
    if not isinstance(width, int):
        raise UnfitProfileError("the library does not know how wide this printer prints")
    paper = PaperWidth(columns, width)
    if width < 12 * columns or narrow_dots(width) is None:
        raise UnfitProfileError(f"{width} dots are too few for the bar code of a ticket")
    return paper


def narrow_dots(width_dots: int) -> int | None:
    """How wide the narrow elements of a ticket's code are on paper of this width; None: no code fits."""
    for narrow in NARROW_DOTS:
        if escpos_codec.bar_code_dots(narrow) + 2 * QUIET_NARROW * narrow <= width_dots:
            return narrow
    return None


def least_mm(part: bytes) -> int:
    """How far the paper moves for a part of a ticket, at the least."""
    return LINE_MM * part.count(b"\n") + BAR_CODE_MM * part.count(escpos_codec.BAR_CODE)


class Encoder:
    """Tickets for one printer. Raises UnfitProfileError as `paper_of`."""

    def __init__(self, profile: str) -> None:
        self.paper = paper_of(profile)
        self._make = partial(_library().Dummy, profile=profile)
        self._printer = self._make()

    def parts(self, ticket: TicketFields, *, spoilt: bool) -> tuple[bytes, ...]:
        """The job of one ticket in PARTS parts. Raises TicketRefusedError, and then nothing may be sent.

        `spoilt`: a ticket before it may stand half printed on the paper. It is cut off and marked VOID.
        """
        ticket = _checked(ticket)
        self._printer = self._make()  # an old one believes that the printer still knows its code page
        void = not ticket.validation
        head = [self._begin(), self._void_strip() if spoilt else b"", self._head(ticket, void=void)]
        code = self._void() if void else self._code(ticket.validation)
        amount = b"" if void else self._amount(ticket)
        return b"".join(head), code, amount + self._details(ticket), self._cut()

    # ---- the parts

    def _begin(self) -> bytes:
        self._printer.hw("INIT")
        self._printer.charcode(CODE_PAGE)
        return self._taken()

    def _void_strip(self) -> bytes:
        """What stands on the paper before this ticket is no ticket."""
        self._lines(["*** VOID ***"], size=2)
        self._cut_here()
        return self._taken()

    def _head(self, ticket: TicketFields, *, void: bool) -> bytes:
        """What shows first when the paper comes out, and whose ticket it is."""
        self._lines([grouped(ticket.validation)], tall=True)
        self._rule()
        self._lines(self._wrapped(ticket.establishment, 2), size=2)
        places = [ticket.street.strip(), ticket.city.strip()]
        self._lines(self._wrapped(", ".join(place for place in places if place)), bold=False)
        self._gap()
        title = f"{'VOID ' if void else ''}{ticket.title.strip() or 'CASHOUT TICKET'}"
        bar = [line.center(self.paper.columns // 2) for line in self._wrapped(title, 2)]
        self._lines(bar, size=2, invert=True)
        self._gap()
        return self._taken()

    def _code(self, number: str) -> bytes:
        narrow = narrow_dots(self.paper.width_dots)
        assert narrow is not None  # or there would be no encoder
        self._printer.set(align="center")
        begin = self._taken() + escpos_codec.bar_code(number, BAR_CODE_HEIGHT_DOTS, narrow)
        self._gap()
        self._lines(self._wrapped(f"VALIDATION {grouped(number)}"))
        return begin + self._taken()

    def _void(self) -> bytes:
        """In the place of code and amount: nobody shall take this for money."""
        self._lines(["VOID", "VOID"], size=4)
        self._lines(["NO CASH VALUE"], size=2)
        return self._taken()

    def _amount(self, ticket: TicketFields) -> bytes:
        room = self.paper.columns - _MARGIN_COLUMNS
        size = next((size for size in (4, 3, 2) if len(ticket.figures) * size <= room), 1)
        self._gap()
        self._lines([ticket.figures], size=size)
        self._lines(self._wrapped(f"{ticket.words_1} {ticket.words_2}"))
        return self._taken()

    def _details(self, ticket: TicketFields) -> bytes:
        self._rule()
        self._pair(f"{ticket.date}  {ticket.time}", ticket.ticket_no)
        self._pair(ticket.machine, ticket.seat)
        if ticket.expiry:
            self._pair(f"VOID AFTER {ticket.expiry}".upper(), "")
        return self._taken()

    def _cut(self) -> bytes:
        self._cut_here()
        return self._taken()

    # ---- lines

    def _taken(self) -> bytes:
        """What has been worded since the last time."""
        data: bytes = self._printer.output
        self._printer.clear()
        return data

    def _lines(
        self,
        lines: Sequence[str],
        *,
        size: int = 1,
        tall: bool = False,
        bold: bool = True,
        invert: bool = False,
        align: str = "center",
    ) -> None:
        self._printer.set(
            align=align, bold=bold, invert=invert, custom_size=True, width=size, height=2 if tall else size
        )
        for line in lines:
            if line.strip():  # a house without a street gives no empty line
                self._printer.textln(line)

    def _gap(self) -> None:
        self._printer.set(invert=False, custom_size=True, width=1, height=1)
        self._printer.ln()

    def _rule(self) -> None:
        self._lines(["-" * self.paper.columns], bold=False)

    def _pair(self, left: str, right: str) -> None:
        """Two texts on one line, at its two ends; on two lines if they do not fit."""
        left, right = left.strip(), right.strip()
        room = self.paper.columns - len(left)
        if right and len(right) < room:
            self._lines([left + right.rjust(room)], bold=False, align="left")
            return
        for text in (left, right):
            self._lines(self._wrapped(text), bold=False, align="left")

    def _wrapped(self, text: str, size: int = 1) -> list[str]:
        """`text` in lines of letters of this size, broken between words and of much the same length; never
        longer than the paper."""
        room = self.paper.columns // size - (_MARGIN_COLUMNS if size > 1 else 0)
        lines = textwrap.wrap(text, room, break_on_hyphens=False)
        longest = max(map(len, text.split()), default=room)
        for narrower in range(room - 1, longest - 1, -1):
            tried = textwrap.wrap(text, narrower, break_on_hyphens=False)
            if len(tried) > len(lines):
                break
            lines = tried
        return lines

    def _cut_here(self) -> None:
        self._printer.cut(feed=False)


def _checked(ticket: TicketFields) -> TicketFields:
    """The ticket as it can be printed. Raises TicketRefusedError."""
    checked_number(ticket.validation)
    for name in _EVIDENCE:
        if not is_plain(getattr(ticket, name)):
            raise TicketRefusedError(f"{name} holds letters that the printer cannot print")
    kept = {name: getattr(ticket, name) for name in (*_EVIDENCE, "validation")}
    return TicketFields(**kept, **{name: plain(getattr(ticket, name)) for name in _PLACES})
