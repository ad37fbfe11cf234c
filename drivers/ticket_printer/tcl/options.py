"""The keys of a ``[ticket_printer.NAME]`` table with ``driver = "tcl"``, and what they mean together."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from drivers.ticket_printer.common.options import PrinterOptions
from drivers.ticket_printer.tcl import codec as tcl_codec
from drivers.ticket_printer.tcl.job import Patience

PREPARE_MS = 5000  # flags that survive being cleared for so long are a fault

FieldOrder = Annotated[tuple[tcl_codec.FieldName, ...], Meta(min_length=1, max_length=32)]


class Options(PrinterOptions, frozen=True, kw_only=True):
    """Lines and firmware of these printers differ; the defaults suit a FutureLogic GEN3."""

    baud: Literal[1200, 2400, 4800, 9600, 19200, 38400] = 38400
    template: Annotated[
        str, Meta(pattern=r"^[!-\]_-{}~]\Z", description="one printable ASCII character, not ^ or |")
    ] = "0"
    #: Field order by the beginning of the firmware id, where it is not that of template 0.
    layouts: dict[str, FieldOrder] = msgspec.field(default_factory=dict)
    status: Literal["extended", "standard"] = "extended"
    validation_bit: bool = True  # whether the firmware reports "validation done"
    cutter: bool = True  # some models without one report it as broken for ever
    #: Between two commands; some firmware takes glued commands for one bad one.
    gap_ms: Annotated[int, Meta(ge=50, le=1000)] = 100
    start_gap_ms: Annotated[int, Meta(ge=3000, le=15_000)] = 5000
    give_up_ms: Annotated[int, Meta(ge=20_000, le=120_000)] = 30_000

    def patience(self) -> Patience:
        return Patience(
            prepare_ms=PREPARE_MS,
            start_gap_ms=self.start_gap_ms,
            give_up_ms=self.give_up_ms,
            validation_bit=self.validation_bit,
            cutter=self.cutter,
        )

    def request(self) -> bytes:
        return tcl_codec.EXTENDED_STATUS if self.status == "extended" else tcl_codec.STANDARD_STATUS
