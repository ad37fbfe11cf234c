"""The keys of a ``[ticket_printer.NAME]`` table with ``driver = "escpos"``, and what they mean together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta

from drivers.tables import Wrong, shown
from drivers.ticket_printer.common.options import PrinterOptions
from drivers.ticket_printer.escpos import codec as escpos_codec
from drivers.ticket_printer.escpos.encoder import UnfitProfileError, paper_of
from drivers.ticket_printer.escpos.job import Patience

PREPARE_MS = 10_000  # a printer that is on line and does not become ready for so long is stuck


class Options(PrinterOptions, frozen=True, kw_only=True):
    """Printers differ in their line, in what they answer and in what they keep; DIP switches say more."""

    baud: Literal[9600, 19200, 38400, 57600, 115200] = 38400
    #: A printer of python-escpos' data base: how many letters and dots a line has.
    profile: str = "TM-T20II"
    #: Cheap printers answer no real-time status. Nothing they print can be proven: no tickets then.
    status: Literal["realtime", "none"] = "realtime"
    #: How the end of a ticket is proven: by counting answers, or by names where the printer knows GS ( H.
    marks: Literal["counted", "named"] = "counted"
    #: What empties the buffer of a printer that has stopped in a ticket. Try it on the real one.
    clear: Literal["enq", "dc4", "both"] = "both"
    identify: bool = True  # ask for its name; a cheap printer may print the question
    near_end: bool = True  # whether its sensor for the end of the roll means something
    roll_mm: Annotated[int, Meta(ge=0, le=200_000)] = 0  # length of a full roll, to warn by; 0: unknown
    #: One real-time answer, behind what is on the line before it.
    answer_ms: Annotated[int, Meta(ge=100, le=1000)] = 300
    give_up_ms: Annotated[int, Meta(ge=10_000, le=120_000)] = 10_000  # and the time of the line

    @classmethod
    def across(cls, table: Mapping[str, object]) -> list[Wrong]:
        profile = table.get("profile")
        if not isinstance(profile, str):
            return []
        try:
            paper_of(profile)
        except UnfitProfileError as error:
            return [Wrong(("profile",), shown(profile), str(error))]
        return []

    def patience(self) -> Patience:
        return Patience(prepare_ms=PREPARE_MS, give_up_ms=self.give_up_ms)

    def clearing(self) -> bytes:
        """The real-time commands that empty the printer's buffer."""
        enq, dc4 = escpos_codec.CLEAR_ERROR, escpos_codec.CLEAR_BUFFERS
        return {"enq": enq, "dc4": dc4, "both": enq + dc4}[self.clear]
