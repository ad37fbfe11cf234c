"""The keys of a ``[ticket_printer.NAME]`` table with ``driver = "escpos"``, and what they mean together."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from drivers.link import SerialSettings
from drivers.ticket_printer.escpos import codec as escpos_codec
from drivers.ticket_printer.escpos.encoder import UnfitProfileError, paper_of
from drivers.ticket_printer.escpos.job import Patience
from drivers.ticket_printer.escpos.line import Pace

PREPARE_MS = 10_000  # a printer that is on line and does not become ready for so long is stuck


def _known(profile: str) -> str:
    try:
        paper_of(profile)
    except UnfitProfileError as error:
        raise ValueError(str(error)) from error
    return profile


class Options(BaseModel):
    """Printers differ in their line, in what they answer and in what they keep; DIP switches say more."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    port: Annotated[str, Field(min_length=1)]
    baud: Literal[9600, 19200, 38400, 57600, 115200] = 38400
    #: DTR/DSR is not there on Linux: wire DTR to CTS and say rtscts.
    flow: Literal["none", "xonxoff", "rtscts", "rtscts+xonxoff"] = "none"
    #: A printer of python-escpos' data base: how many letters and dots a line has.
    profile: Annotated[str, AfterValidator(_known)] = "TM-T20II"
    #: Cheap printers answer no real-time status. Nothing they print can be proven: no tickets then.
    status: Literal["realtime", "none"] = "realtime"
    #: How the end of a ticket is proven: by counting answers, or by names where the printer knows GS ( H.
    marks: Literal["counted", "named"] = "counted"
    #: What empties the buffer of a printer that has stopped in a ticket. Try it on the real one.
    clear: Literal["enq", "dc4", "both"] = "both"
    identify: bool = True  # ask for its name; a cheap printer may print the question
    near_end: bool = True  # whether its sensor for the end of the roll means something
    roll_mm: Annotated[int, Field(ge=0, le=200_000)] = 0  # length of a full roll, to warn by; 0: unknown
    poll_waiting_ms: Annotated[int, Field(ge=100, le=1000)] = 250
    poll_idle_ms: Annotated[int, Field(ge=250, le=2000)] = 1000
    answer_ms: Annotated[int, Field(ge=100, le=1000)] = 300
    give_up_ms: Annotated[int, Field(ge=10_000, le=120_000)] = 10_000  # and the time of the line
    silence_waiting_ms: Annotated[int, Field(ge=1500, le=10_000)] = 2000
    silence_idle_ms: Annotated[int, Field(ge=4000, le=30_000)] = 5000
    #: There is no sensor: so long a guest is called to take a ticket.
    not_taken_ms: Annotated[int, Field(ge=5000, le=600_000)] = 30_000

    def patience(self) -> Patience:
        return Patience(prepare_ms=PREPARE_MS, give_up_ms=self.give_up_ms)

    def pace(self) -> Pace:
        return Pace(
            answer_ms=self.answer_ms,
            poll_waiting_ms=self.poll_waiting_ms,
            poll_idle_ms=self.poll_idle_ms,
            silence_waiting_ms=self.silence_waiting_ms,
            silence_idle_ms=self.silence_idle_ms,
        )

    def settings(self) -> SerialSettings:
        return SerialSettings(
            self.port, self.baud, xonxoff="xonxoff" in self.flow, rtscts="rtscts" in self.flow
        )

    def clearing(self) -> bytes:
        """The real-time commands that empty the printer's buffer."""
        enq, dc4 = escpos_codec.CLEAR_ERROR, escpos_codec.CLEAR_BUFFERS
        return {"enq": enq, "dc4": dc4, "both": enq + dc4}[self.clear]
