"""The keys that every ``[ticket_printer.NAME]`` table has, whatever the printer speaks."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from drivers.link import SerialSettings
from drivers.tables import TableModel


class PrinterOptions(TableModel, frozen=True, kw_only=True):
    """A driver adds its rates and its own keys. "Waiting" is while something is expected of the printer."""

    port: Annotated[str, Meta(min_length=1, description="the path of a serial port")]
    baud: int = 38400
    #: DTR/DSR is not there on Linux: wire DTR to CTS and say rtscts.
    flow: Literal["none", "xonxoff", "rtscts", "rtscts+xonxoff"] = "none"
    poll_waiting_ms: Annotated[int, Meta(ge=100, le=1000)] = 250
    poll_idle_ms: Annotated[int, Meta(ge=250, le=2000)] = 1000
    silence_waiting_ms: Annotated[int, Meta(ge=1500, le=10_000)] = 2000
    silence_idle_ms: Annotated[int, Meta(ge=4000, le=30_000)] = 5000
    #: So long a guest is called to take a ticket; where no sensor shows it, it is held to be taken then.
    not_taken_ms: Annotated[int, Meta(ge=5000, le=600_000)] = 30_000

    def settings(self) -> SerialSettings:
        return SerialSettings(
            self.port, self.baud, xonxoff="xonxoff" in self.flow, rtscts="rtscts" in self.flow
        )
