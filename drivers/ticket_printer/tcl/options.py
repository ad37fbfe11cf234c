"""The keys of a ``[ticket_printer.NAME]`` table with ``driver = "tcl"``, and what they mean together."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from drivers.link import SerialSettings
from drivers.ticket_printer.tcl import codec as tcl_codec
from drivers.ticket_printer.tcl.job import Patience
from drivers.ticket_printer.tcl.line import Pace

PREPARE_MS = 5000  # flags that survive being cleared for so long are a fault

FieldOrder = Annotated[tuple[tcl_codec.FieldName, ...], Field(min_length=1, max_length=32)]


class Options(BaseModel):
    """Lines and firmware of these printers differ; the defaults suit a FutureLogic GEN3."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    port: Annotated[str, Field(min_length=1)]
    baud: Literal[1200, 2400, 4800, 9600, 19200, 38400] = 38400
    flow: Literal["none", "xonxoff", "rtscts", "rtscts+xonxoff"] = "none"
    template: Annotated[str, Field(pattern=r"^[!-\]_-{}~]$")] = "0"
    #: Field order by the beginning of the firmware id, where it is not that of template 0.
    layouts: dict[str, FieldOrder] = {}
    status: Literal["extended", "standard"] = "extended"
    validation_bit: bool = True  # whether the firmware reports "validation done"
    cutter: bool = True  # some models without one report it as broken for ever
    poll_waiting_ms: Annotated[int, Field(ge=100, le=1000)] = 250
    poll_idle_ms: Annotated[int, Field(ge=250, le=2000)] = 1000
    gap_ms: Annotated[int, Field(ge=50, le=1000)] = 100
    start_gap_ms: Annotated[int, Field(ge=3000, le=15_000)] = 5000
    give_up_ms: Annotated[int, Field(ge=20_000, le=120_000)] = 30_000
    silence_waiting_ms: Annotated[int, Field(ge=1500, le=10_000)] = 2000
    silence_idle_ms: Annotated[int, Field(ge=4000, le=30_000)] = 5000
    not_taken_ms: Annotated[int, Field(ge=5000, le=600_000)] = 30_000

    def patience(self) -> Patience:
        return Patience(
            prepare_ms=PREPARE_MS,
            start_gap_ms=self.start_gap_ms,
            give_up_ms=self.give_up_ms,
            validation_bit=self.validation_bit,
            cutter=self.cutter,
        )

    def pace(self) -> Pace:
        return Pace(
            gap_ms=self.gap_ms,
            poll_waiting_ms=self.poll_waiting_ms,
            poll_idle_ms=self.poll_idle_ms,
            silence_waiting_ms=self.silence_waiting_ms,
            silence_idle_ms=self.silence_idle_ms,
        )

    def settings(self) -> SerialSettings:
        return SerialSettings(
            self.port, self.baud, xonxoff="xonxoff" in self.flow, rtscts="rtscts" in self.flow
        )

    def request(self) -> bytes:
        return tcl_codec.EXTENDED_STATUS if self.status == "extended" else tcl_codec.STANDARD_STATUS
