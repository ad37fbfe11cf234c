"""The simulated printers of all languages, for those who stand before them and not behind their wire.

What both kinds have: ``tray`` (papers with ``complete``, ``text.validation``, ``cents``, ``at_ms`` and
``picture()``), ``printed_count``, ``printed_cents``, ``spoilt_count``, ``paper_left``, ``paper_stands``,
``stage``, ``trouble`` and ``take()``.
"""

from __future__ import annotations

from drivers.sim.escpos import EscPosPrinter
from drivers.sim.escpos_paper import Strip
from drivers.sim.tcl import TclPrinter
from drivers.sim.tcl_paper import PrintedTicket

Printer = TclPrinter | EscPosPrinter
Paper = PrintedTicket | Strip


def is_of_seat(paper: Paper, seat: int) -> bool:
    """The paper names this seat."""
    lines = paper.lines if isinstance(paper, Strip) else [paper.text.small_print]
    return any(line.endswith(f"SEAT {seat}") for line in lines)
